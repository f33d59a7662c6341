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
use crate::pace::Pace;
use crate::quiet::wait_for_quiet;
use crate::ready::Ready;
use crate::reset::reset;
use crate::run::{RunError, Watch, execute};
use crate::secure::{Wanted, secure};
use crate::story::Before;
use crate::target::{TargetError, TargetProcess, wait_for_running};
use crate::tool::{self, ToolOrder};
use crate::turns::{Turn, turns};
use crate::{arm, warm_up};
use engine::{Clock as _, MonotonicClock, Tls, Version};
use model::{Nanos, RunEvent, Seed, Waits};
use plan::{Arm, ArmTester, Plan, TlsPlan, TlsVersion};
use std::collections::BTreeSet;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use store::Folder;
use wire::url::Target;

/// A plan on its way.
pub struct Experiment<'a> {
    plan: &'a Plan,
    /// The plan file's folder: where its commands run.
    plan_folder: &'a Path,
    folder: &'a Folder,
    stop: &'a AtomicBool,
    target: Target,
    peers: Vec<SocketAddr>,
    /// How it is spoken to over TLS, if it is.
    tls: Option<Tls>,
}

fn wanted(plan: Option<&TlsPlan>) -> Wanted {
    let Some(plan) = plan.cloned() else { return Wanted::default() };
    let version = match plan.version {
        None => Version::Any,
        Some(TlsVersion::V12) => Version::V12,
        Some(TlsVersion::V13) => Version::V13,
    };
    let TlsPlan { authorities, client, server_name, resumes, is_insecure, .. } = plan;
    Wanted { authorities, client, server_name, version, resumes, is_insecure }
}

/// What a run needs around it.
struct Stage {
    /// The service, where we have started it.
    service: Option<TargetProcess>,
    peer: SocketAddr,
    before: Before,
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
        let peers =
            address::own_addresses(&target, &plan.owned, plan.target.connect_to).map_err(|error| {
                let key = if plan.target.connect_to.is_some() { "target.connect_to" } else { "target.url" };
                ExperimentError::at(key, What::Address(error))
            })?;
        let tls = secure(&target, &wanted(plan.target.tls.as_ref()))
            .map_err(|error| ExperimentError::at("target.tls", What::Secure(error)))?;
        let experiment = Experiment { plan, plan_folder, folder, stop, target, peers, tls };
        experiment.hold_every_arm_can_be_carried_out()?;
        Ok(experiment)
    }

    fn hold_every_arm_can_be_carried_out(&self) -> Result<(), ExperimentError> {
        let round = 1;
        for arm in self.plan.arms.iter().filter(|arm| matches!(arm.tester, ArmTester::Doorclock { .. })) {
            let order = self.order(Turn { arm, round }, (self.peers[0], None))?;
            order.facts().map_err(|error| of_arm(arm, What::Run(RunError::Order(error))))?;
        }
        Ok(())
    }

    /// Carries out every run that the folder does not hold yet. Runs in there
    /// that did not come to their end are set aside and made once more. `ended`
    /// is called after each run with its arm and round; its error ends the
    /// experiment. Told to stop, it ends early and that is no error.
    pub fn carry_out<E: From<ExperimentError>>(
        &self,
        watch: &mut Watch<'_>,
        ended: &mut dyn FnMut(&str, u32) -> Result<(), E>,
    ) -> Result<(), E> {
        let done = self.done_before().map_err(ExperimentError::from)?;
        let turns = turns(self.plan);
        let all = turns.len() as u32;
        let ahead: Vec<(u32, Turn<'_>)> =
            (1..).zip(turns).filter(|(_, turn)| !done.contains(&name(*turn))).collect();
        let mut pace = Pace::new();
        for (at, (number, turn)) in ahead.iter().enumerate() {
            let left = pace.left(ahead[at..].iter().map(|(_, turn)| length(turn.arm)));
            let (arm, round) = name(*turn);
            watch(RunEvent::Ahead { arm, round, number: (*number, all), left });
            let clock = MonotonicClock::starting_in(Nanos::ZERO);
            if !self.turn(*turn, (*number, all), watch)? {
                return Ok(());
            }
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

    /// One run, from the quiet check to the service's end. False if told to
    /// stop before it began.
    fn turn(
        &self,
        turn: Turn<'_>,
        number: (u32, u32),
        watch: &mut Watch<'_>,
    ) -> Result<bool, ExperimentError> {
        let arm = turn.arm;
        let Some(Stage { mut service, peer, before }) = self.stage(arm, watch)? else { return Ok(false) };
        let control = Control::new(peer, &self.target.host_header()).over(self.tls.as_ref());
        let group = service.as_ref().map(TargetProcess::group);
        let seed = self.plan.rounds.seed_of(turn.round);
        let stalls = self.plan.stalls_in(arm).map(|stalls| arm::stall_by(stalls, seed));
        let mut company = Company::new(control, stalls).watching(before, group);
        // A run goes on only for as long as its service lives and nobody stops it.
        let stop = AtomicBool::new(false);
        let mut look = |event| {
            let has_ended = |service: &mut TargetProcess| service.has_ended().is_some();
            if self.is_stopped() || service.as_mut().is_some_and(has_ended) {
                stop.store(true, Relaxed);
            }
            watch(event);
        };
        let target = group.map(|group| group.as_raw_nonzero().get().unsigned_abs());
        let ran = self.send(turn, (peer, target), number, &mut company, &stop, &mut look);
        if let Some(service) = &mut service
            && !self.is_stopped()
        {
            // A service that died explains whatever else went wrong. Whoever stops
            // us may have stopped it as well.
            service.hold_it_lives().map_err(|error| self.of_start(arm, error))?;
        }
        let has_sent = ran?;
        if let Some(service) = service {
            service.stop().map_err(|error| self.of_start(arm, error))?;
        }
        Ok(has_sent)
    }

    /// Prepares a run: a quiet machine, data put back, a service that is ready.
    /// `None` if told to stop before.
    fn stage(&self, arm: &Arm, watch: &mut Watch<'_>) -> Result<Option<Stage>, ExperimentError> {
        let environment = &self.plan.environment;
        let mut wait = || watch(RunEvent::Waiting(Waits::Quiet));
        let before = wait_for_quiet(environment.quiet.as_ref(), self.stop, &mut wait)
            .map_err(|restless| ExperimentError::at("environment.quiet", What::NotQuiet(restless)))?;
        if !environment.reset.is_empty() && !self.is_stopped() {
            watch(RunEvent::Waiting(Waits::Reset));
            reset(&environment.reset, self.plan_folder, self.stop)?;
        }
        if self.is_stopped() {
            return Ok(None);
        }
        watch(RunEvent::Waiting(Waits::Ready));
        let started = self.start(arm)?;
        Ok(started.map(|(service, peer)| Stage { service, peer, before }))
    }

    /// A fresh service for this arm, or the one that runs by itself, and where
    /// it is ready. `None` if told to stop before.
    fn start(&self, arm: &Arm) -> Result<Option<(Option<TargetProcess>, SocketAddr)>, ExperimentError> {
        let ready = Ready {
            peers: &self.peers,
            host: &self.target.host_header(),
            path: self.plan.target.ready.as_deref(),
            within: self.plan.target.ready_within,
            tls: self.tls.as_ref(),
        };
        let Some(command) = &arm.start else {
            let not_ready = |error| ExperimentError::at("target.url", What::Target(error));
            let peer = wait_for_running(ready, self.stop).map_err(not_ready)?;
            return Ok(peer.map(|peer| (None, peer)));
        };
        let failed = |error| self.of_start(arm, error);
        let mut service = TargetProcess::start(command, self.plan_folder, &self.peers).map_err(failed)?;
        let peer = service.wait_until_ready(ready, self.stop).map_err(failed)?;
        Ok(peer.map(|peer| (Some(service), peer)))
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Points at the key that an error of the service's start is about.
    fn of_start(&self, arm: &Arm, error: TargetError) -> ExperimentError {
        let is_own = arm.start != self.plan.target.start;
        let key = if is_own { format!("arm.{}.start", arm.name) } else { "target.start".to_owned() };
        ExperimentError::at(&key, What::Target(error))
    }

    /// Sends the run's load to `whom`, an address and the process behind it where
    /// we started it, until `stop` is set. False if told to stop before it began.
    fn send(
        &self,
        turn: Turn<'_>,
        whom: (SocketAddr, Option<u32>),
        number: (u32, u32),
        company: &mut Company,
        stop: &AtomicBool,
        watch: &mut Watch<'_>,
    ) -> Result<bool, ExperimentError> {
        let arm = turn.arm;
        let of_run = |error| of_arm(arm, What::Run(error));
        let order = self.order(turn, whom)?;
        if let Some((requests, connections)) = arm::warm_up_ahead(arm) {
            warm_up::send(&order, requests, connections, self.stop)
                .map_err(|error| of_run(RunError::Engine(error)))?;
        }
        if self.is_stopped() {
            return Ok(false);
        }
        self.make_room(turn);
        match &arm.tester {
            ArmTester::Doorclock { .. } => execute(&order, self.folder, number, company, stop, watch),
            ArmTester::Command { line, import, .. } => {
                let order = self.tool_order(&order, line, *import);
                tool::execute(&order, self.folder, number, company, stop, watch)
            }
        }
        .map(|()| true)
        .map_err(of_run)
    }

    /// Removes what a tester leaves that is killed between making a run's folder
    /// and writing its facts: nothing was sent for it, and every run that has
    /// facts is done or was set aside.
    fn make_room(&self, turn: Turn<'_>) {
        // Mostly there is nothing to remove. If something cannot be removed,
        // starting the run says so.
        let _ = fs::remove_dir_all(self.folder.run_path(&turn.arm.name, turn.round));
    }

    fn order(
        &self,
        turn: Turn<'_>,
        (peer, target): (SocketAddr, Option<u32>),
    ) -> Result<crate::Order, ExperimentError> {
        let seed: Seed = self.plan.rounds.seed_of(turn.round);
        arm::order(
            self.plan,
            turn.arm,
            turn.round,
            seed,
            &self.target.host_header(),
            (peer, self.tls.as_ref()),
            target,
        )
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
            readings: order.readings.clone(),
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

/// A run's arm and round.
fn name(turn: Turn<'_>) -> (String, u32) {
    (turn.arm.name.clone(), turn.round)
}

/// How long an arm's run takes by itself.
fn length(arm: &Arm) -> Nanos {
    let (warm_up, measure) = arm::parts(arm);
    warm_up + measure
}
