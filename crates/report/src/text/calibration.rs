//! How far this machine can be trusted as a tester.

use super::screen::Screen;
use crate::numbers::{UNKNOWN, chosen_rate, share};
use crate::words;
use analysis::Step;
use model::{MachineFacts, Nanos};

/// What a calibration found, for [`calibration`].
pub struct Calibration<'a> {
    /// The machine.
    pub machine: &'a MachineFacts,
    /// What a reading of the clock takes, in nanoseconds.
    pub clock_cost_ns: f64,
    /// By how much waits of 1 ms ended late, asleep to the end: median, 99th percentile.
    pub asleep: (Nanos, Nanos),
    /// The same with the last stretch spent looking at the clock, and that stretch.
    pub spinning: (Nanos, Nanos),
    /// That stretch.
    pub spin: Nanos,
    /// The rates that were tried.
    pub steps: &'a [Step],
    /// The highest that was met.
    pub trusted_per_s: f64,
    /// The limit of the 99th percentile of the tester's own delay.
    pub within: Nanos,
    /// The longest delay of reading an answer, by its 99th percentile, where
    /// the kernel tells when answers came.
    pub stamps: bool,
}

/// The answer, then what it rests on.
pub fn calibration(of: &Calibration<'_>) -> String {
    let mut screen = Screen::default();
    let within = of.within;
    screen.paragraph(&match of.trusted_per_s {
        0.0 => format!(
            "This machine cannot be trusted at any rate that was tried: the tester’s own delay is above {within} \
             for more than 1 request in 100, or answers were missing."
        ),
        per_s => format!(
            "This machine can be trusted to {} with one sending thread: up to there the tester’s own delay stays \
             within {within} for 99 of 100 requests.",
            chosen_rate(per_s)
        ),
    });
    screen.blank();
    let heads = ["sent late p50", "p99", "max", "service p50", "CPU"];
    screen.line(&format!(
        "{:>10}{:>16}{:>10}{:>10}{:>14}{:>11}  met",
        "asked", heads[0], heads[1], heads[2], heads[3], heads[4]
    ));
    for step in of.steps {
        let time = |time: Option<Nanos>| time.map_or(UNKNOWN.to_owned(), |time| time.to_string());
        let cpu = step.cpu_ns.map_or(UNKNOWN.to_owned(), |cpu| Nanos(cpu as u64).to_string());
        screen.line(&format!(
            "{:>10}{:>16}{:>10}{:>10}{:>14}{cpu:>11}  {}",
            chosen_rate(step.per_s),
            time(step.late_p50),
            time(step.late_p99),
            time(step.late_max),
            time(step.service_p50),
            if step.is_met { "yes" } else { "no" }
        ));
    }
    screen.paragraph(
        "Against a peer inside this process that answers at once. CPU: of the sending thread, a request. Met: all but \
         1 in 1,000 sent and answered in time, at the first or the second try.",
    );
    screen.blank();
    screen.field("waits of 1 ms", &format!("end late by p50 {}, p99 {}", of.asleep.0, of.asleep.1));
    let (p50, p99) = of.spinning;
    screen.field("with --spin", &format!("p50 {p50}, p99 {p99}, spinning over the last {}", of.spin));
    let source = of.machine.clock_source.as_deref().unwrap_or("unknown");
    screen.field("clock", &format!("{source}, {:.0} ns a reading", of.clock_cost_ns));
    let stamps =
        if of.stamps { "told by the kernel" } else { "not told by the kernel: they are read at once" };
    screen.field("answers came", stamps);
    screen.field("settings", &settings(of.machine));
    screen.finish()
}

/// What the kernel's settings mean for a tester.
fn settings(machine: &MachineFacts) -> String {
    let mut all = Vec::new();
    if let Some((first, last)) = machine.ports {
        let count = u32::from(last.saturating_sub(first)) + 1;
        all.push(format!("{} ports for connections to one address", crate::numbers::count(u64::from(count))));
    }
    if let Some((_, hard)) = machine.descriptors {
        all.push(format!("{} descriptors", crate::numbers::count(hard)));
    }
    all.push(match &machine.governor {
        Some(governor) => format!("governor {governor}"),
        None => "no frequency governor".to_owned(),
    });
    if machine.virtual_machine == Some(true) {
        let steal = machine.steal_share.map_or("unknown".to_owned(), share);
        all.push(format!("a virtual machine, {steal} of its time given to others"));
    }
    if let Some(idle) = machine.idle_share {
        all.push(format!("{} idle before", share(idle)));
    }
    let known = words::machine_in_short(machine);
    format!("{known}; {}", all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_comes_first_and_then_what_it_rests_on() {
        let step = |per_s: f64, late: u64, is_met| Step {
            per_s,
            is_met,
            late_p50: Some(Nanos::from_micros(late / 3)),
            late_p99: Some(Nanos::from_micros(late)),
            late_max: Some(Nanos::from_micros(late * 9)),
            service_p50: Some(Nanos::from_micros(31)),
            cpu_ns: Some(21_400.0),
        };
        let machine = MachineFacts {
            cores: Some(2),
            load_1m: Some(0.3),
            clock_source: Some("tsc".into()),
            ports: Some((32_768, 60_999)),
            descriptors: Some((1_024, 20_000)),
            virtual_machine: Some(true),
            steal_share: Some(0.001),
            idle_share: Some(0.98),
            ..MachineFacts::default()
        };
        let steps = [step(1_000.0, 96, true), step(20_000.0, 120, true), step(40_000.0, 460, false)];
        let found = |trusted_per_s| Calibration {
            machine: &machine,
            clock_cost_ns: 24.1,
            asleep: (Nanos::from_micros(45), Nanos::from_micros(110)),
            spinning: (Nanos(90), Nanos::from_micros(4)),
            spin: Nanos::from_micros(150),
            steps: &steps,
            trusted_per_s,
            within: Nanos::from_micros(150),
            stamps: true,
        };
        insta::assert_snapshot!(calibration(&found(20_000.0)));
        assert!(calibration(&found(0.0)).starts_with("This machine cannot be trusted at any rate"));
    }
}
