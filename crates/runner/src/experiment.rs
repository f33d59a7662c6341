//! A planned experiment from its first run to its last: rounds × arms, each
//! against a fresh service on a machine that has been looked at.
//!
//! All arms of a round share its seed, so that open arms of one rate send at
//! the same moments and armed services stall alike; their order within the
//! round is drawn anew for each.

use crate::address;
use crate::company::Company;
use crate::control::Control;
use crate::failure::{ExperimentError, What};
use crate::quiet::wait_for_quiet;
use crate::run::{RunError, Watch, execute};
use crate::target::{Ready, TargetProcess, shell};
use crate::tool::{self, ToolOrder};
use crate::{arm, warm_up};
use engine::{Clock as _, MonotonicClock};
use model::{Nanos, RunEvent, Seed, Waits};
use plan::{Arm, ArmTester, Plan};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use store::Folder;
use wire::url::Target;

/// What a run costs beside its own length until one has shown it: the quiet
/// check, and the service's start and end.
const BETWEEN_RUNS: Nanos = Nanos::from_secs(2);

/// A plan on its way.
pub struct Experiment<'a> {
    plan: &'a Plan,
    /// The plan file's folder: where its commands run.
    plan_folder: &'a Path,
    folder: &'a Folder,
    stop: &'a AtomicBool,
    target: Target,
    peers: Vec<SocketAddr>,
}

/// One run of the experiment.
#[derive(Clone, Copy)]
struct Turn<'a> {
    arm: &'a Arm,
    round: u32,
}

impl<'a> Experiment<'a> {
    /// Looks the target up, and holds that it is ours and that every arm can be
    /// carried out on this machine. Sends nothing.
    pub fn new(
        plan: &'a Plan,
        plan_folder: &'a Path,
        folder: &'a Folder,
        stop: &'a AtomicBool,
    ) -> Result<Experiment<'a>, ExperimentError> {
        let target: Target =
            plan.target.url.parse().map_err(|error| ExperimentError::at("target.url", What::Url(error)))?;
        let peers = address::own_addresses(&target, &plan.owned)
            .map_err(|error| ExperimentError::at("target.url", What::Address(error)))?;
        let experiment = Experiment { plan, plan_folder, folder, stop, target, peers };
        experiment.hold_every_arm_can_be_carried_out()?;
        Ok(experiment)
    }

    fn hold_every_arm_can_be_carried_out(&self) -> Result<(), ExperimentError> {
        let round = 1;
        for arm in self.plan.arms.iter().filter(|arm| matches!(arm.tester, ArmTester::Doorclock { .. })) {
            let order = self.order(Turn { arm, round }, self.peers[0])?;
            order.facts().map_err(|error| of_arm(arm, What::Run(RunError::Order(error))))?;
        }
        Ok(())
    }

    /// Carries out every run that the folder does not hold yet. Runs in there
    /// that did not come to their end are set aside and made once more. `ended`
    /// is called after each run with its arm and round; its error ends the
    /// experiment.
    pub fn carry_out<E: From<ExperimentError>>(
        &self,
        watch: &mut Watch<'_>,
        ended: &mut dyn FnMut(&str, u32) -> Result<(), E>,
    ) -> Result<(), E> {
        let done = self.done_before().map_err(ExperimentError::from)?;
        let turns = self.turns();
        let all = turns.len() as u32;
        let mut pace = Pace::new();
        for (at, turn) in turns.iter().enumerate() {
            if done.contains(&(turn.arm.name.clone(), turn.round)) {
                continue;
            }
            if self.stop.load(Relaxed) {
                return Ok(());
            }
            let left = turns[at..].iter().filter(|turn| !done.contains(&(turn.arm.name.clone(), turn.round)));
            let (arm, round, number) = (turn.arm.name.clone(), turn.round, (at as u32 + 1, all));
            watch(RunEvent::Ahead { arm, round, number, left: pace.left(left.map(|turn| length(turn.arm))) });
            let clock = MonotonicClock::starting_in(Nanos::ZERO);
            self.turn(*turn, number, watch)?;
            pace.took(clock.now(), length(turn.arm));
            ended(&turn.arm.name, turn.round)?;
        }
        Ok(())
    }

    /// Runs that came to their end, by arm and round; others are set aside.
    fn done_before(&self) -> Result<BTreeSet<(String, u32)>, store::StoreError> {
        let mut done = BTreeSet::new();
        for run in self.folder.runs()? {
            let record = run.record();
            if record.end.as_ref().is_some_and(|end| !end.interrupted) {
                done.insert((record.facts.arm.clone(), record.facts.round));
            } else {
                self.folder.set_aside(&run)?;
            }
        }
        Ok(done)
    }

    /// Every run in its order.
    fn turns(&self) -> Vec<Turn<'a>> {
        let rounds = 1..=self.plan.rounds.count;
        let of_round = |round| {
            let order = shuffled(self.plan.arms.len(), self.plan.rounds.seed_of(round));
            order.into_iter().map(move |arm| Turn { arm: &self.plan.arms[arm], round })
        };
        rounds.flat_map(of_round).collect()
    }

    /// One run, from the quiet check to the service's end.
    fn turn(&self, turn: Turn<'_>, number: (u32, u32), watch: &mut Watch<'_>) -> Result<(), ExperimentError> {
        let arm = turn.arm;
        let asked = self.plan.environment.quiet.as_ref();
        let before = wait_for_quiet(asked, self.stop, &mut || watch(RunEvent::Waiting(Waits::Quiet)))
            .map_err(|restless| ExperimentError::at("environment.quiet", What::NotQuiet(restless)))?;
        self.reset()?;
        watch(RunEvent::Waiting(Waits::Ready));
        let (mut service, peer) = self.start(arm)?;
        let control = Control::new(peer, &self.target.host_header());
        let group = service.as_ref().map(TargetProcess::group);
        let seed = self.plan.rounds.seed_of(turn.round);
        let stalls = self.plan.stalls_in(arm).map(|stalls| arm::stall_by(stalls, seed));
        let mut company = Company::new(control, stalls).watching(before, group);
        let ran = self.send(turn, peer, number, &mut company, watch);
        if let Some(service) = &mut service
            && !self.stop.load(Relaxed)
        {
            // A service that died explains whatever else went wrong.
            service.hold_it_lives().map_err(|error| self.of_start(arm, error))?;
        }
        ran?;
        service.map_or(Ok(()), |service| service.stop().map_err(|error| self.of_start(arm, error)))
    }

    fn reset(&self) -> Result<(), ExperimentError> {
        for command in &self.plan.environment.reset {
            let output = shell(command, self.plan_folder).stdin(std::process::Stdio::null()).output();
            let failed = |how: String| {
                ExperimentError::at("environment.reset", What::Reset { command: command.clone(), how })
            };
            let output = output.map_err(|error| failed(error.to_string()))?;
            if !output.status.success() {
                let words = String::from_utf8_lossy(&output.stderr);
                let last =
                    words.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
                return Err(failed(format!("{}: {last}", output.status)));
            }
        }
        Ok(())
    }

    /// A fresh service for this arm, ready; or the one that runs by itself.
    fn start(&self, arm: &Arm) -> Result<(Option<TargetProcess>, SocketAddr), ExperimentError> {
        let host = self.target.host_header();
        let ready = |peer| Ready {
            peer,
            host: &host,
            path: self.plan.target.ready.as_deref(),
            within: self.plan.target.ready_within,
        };
        let Some(command) = &arm.start else {
            let peer = self.peers.iter().copied().find(|peer| ready(*peer).wait_briefly().is_ok());
            let peer = peer.unwrap_or(self.peers[0]);
            let not_ready = |error| ExperimentError::at("target.url", What::Target(error));
            ready(peer).wait(self.stop).map_err(not_ready)?;
            return Ok((None, peer));
        };
        let peer = self.peers[0];
        let mut service = TargetProcess::start(command, self.plan_folder, peer)
            .map_err(|error| self.of_start(arm, error))?;
        service.wait_until_ready(ready(peer), self.stop).map_err(|error| self.of_start(arm, error))?;
        Ok((Some(service), peer))
    }

    /// Points at the key that an error of the service's start is about.
    fn of_start(&self, arm: &Arm, error: crate::target::TargetError) -> ExperimentError {
        let is_own = arm.start != self.plan.target.start;
        let key = if is_own { format!("arm.{}.start", arm.name) } else { "target.start".to_owned() };
        ExperimentError::at(&key, What::Target(error))
    }

    fn send(
        &self,
        turn: Turn<'_>,
        peer: SocketAddr,
        number: (u32, u32),
        company: &mut Company,
        watch: &mut Watch<'_>,
    ) -> Result<(), ExperimentError> {
        let arm = turn.arm;
        let of_run = |error| of_arm(arm, What::Run(error));
        let order = self.order(turn, peer)?;
        if let Some((requests, connections)) = arm::warm_up_ahead(arm) {
            warm_up::send(&order, requests, connections, self.stop)
                .map_err(|error| of_run(RunError::Engine(error)))?;
        }
        match &arm.tester {
            ArmTester::Doorclock { .. } => execute(&order, self.folder, number, company, self.stop, watch),
            ArmTester::Command { line, import, .. } => {
                let order = self.tool_order(&order, line, *import);
                tool::execute(&order, self.folder, number, company, self.stop, watch)
            }
        }
        .map_err(of_run)
    }

    fn order(&self, turn: Turn<'_>, peer: SocketAddr) -> Result<crate::Order, ExperimentError> {
        let seed: Seed = self.plan.rounds.seed_of(turn.round);
        arm::order(self.plan, turn.arm, turn.round, seed, &self.target.host_header(), peer)
            .map_err(|what| of_arm(turn.arm, what))
    }

    fn tool_order(&self, order: &crate::Order, line: &str, import: Option<plan::Import>) -> ToolOrder {
        let first = self.plan.requests.first();
        ToolOrder {
            arm: order.arm.clone(),
            round: order.round,
            url: order.url.clone(),
            base: self.plan.target.url.clone(),
            method: order.method.clone(),
            path: first.map_or_else(|| "/".to_owned(), |request| request.path.clone()),
            command: line.to_owned(),
            output: arm::tool_output(import),
            load: order.load,
            seed: order.seed,
            warm_up: order.warm_up,
            measure: order.measure,
            timeout: order.timeout,
            plan_dir: self.plan_folder.to_path_buf(),
            stalls_asked: order.stalls_asked,
            capacity_per_s: None,
        }
    }
}

fn of_arm(arm: &Arm, what: What) -> ExperimentError {
    let key = match &what {
        What::Run(RunError::Tool(error)) => error.key(),
        _ => format!("arm.{}", arm.name),
    };
    ExperimentError::at(&key, what)
}

/// How long an arm's run takes by itself.
fn length(arm: &Arm) -> Nanos {
    let (warm_up, measure) = arm::parts(arm);
    warm_up + measure
}

/// The numbers below `count` in an order drawn from `seed` (Fisher and Yates).
fn shuffled(count: usize, seed: Seed) -> Vec<usize> {
    let seed = seed.derive("order of arms");
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        // The high half of mark × count is uniform below count.
        let other = (u128::from(seed.mark(last as u64)) * (last as u128 + 1)) >> 64;
        order.swap(last, other as usize);
    }
    order
}

/// How much longer runs take than they say.
struct Pace {
    runs: u64,
    beyond: Nanos,
}

impl Pace {
    fn new() -> Pace {
        Pace { runs: 0, beyond: Nanos::ZERO }
    }

    fn took(&mut self, took: Nanos, said: Nanos) {
        self.runs += 1;
        self.beyond += took.saturating_sub(said);
    }

    /// How long runs of these lengths will take.
    fn left(&self, lengths: impl Iterator<Item = Nanos>) -> Nanos {
        let beyond = self.beyond.0.checked_div(self.runs).map_or(BETWEEN_RUNS, Nanos);
        lengths.fold(Nanos::ZERO, |sum, length| sum + length + beyond)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arms_run_in_an_order_of_their_own_in_every_round_and_the_same_one_next_time() {
        let rounds: Vec<Vec<usize>> = (0..6).map(|round| shuffled(8, Seed(round))).collect();
        for order in &rounds {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..8).collect::<Vec<_>>());
        }
        assert!(rounds.windows(2).all(|two| two[0] != two[1]), "{rounds:?}");
        // Pinned: a resumed experiment must find the order it was begun with.
        assert_eq!(shuffled(5, Seed(2026)), shuffled(5, Seed(2026)));
        assert_eq!(shuffled(1, Seed(1)), [0]);
        let firsts: BTreeSet<usize> = (0..100).map(|seed| shuffled(4, Seed(seed))[0]).collect();
        assert_eq!(firsts.len(), 4, "every arm comes first some time");
    }

    #[test]
    fn the_time_left_is_corrected_by_what_runs_took() {
        let mut pace = Pace::new();
        let lengths = [Nanos::from_secs(30), Nanos::from_secs(10)];
        assert_eq!(pace.left(lengths.into_iter()), Nanos::from_secs(44));
        pace.took(Nanos::from_secs(35), Nanos::from_secs(30));
        pace.took(Nanos::from_secs(11), Nanos::from_secs(10));
        assert_eq!(pace.left(lengths.into_iter()), Nanos::from_secs(46));
    }
}
