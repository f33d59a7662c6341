//! The arms: who sends in each, and how.

use super::Errors;
use super::view::View;
use crate::node::Entry;
use crate::plan::{Arm, ArmTester, Import, Sending};
use model::{ArrivalProcess, ConnectionPolicy, Load, Nanos, SendPrecision};

/// The keys of which each arm has exactly one.
const TESTERS: [&str; 4] = ["open", "paced", "closed", "command"];

/// The keys that only doorclock's own testers obey.
const SENDING: [&str; 6] = ["timeout", "grace", "connect", "threads", "cpus", "spin"];

/// A name is a folder's name too, with `R12-` before it; file systems take 255
/// bytes, and a table's row takes fewer.
const LONGEST_NAME: usize = 100;

pub(super) fn arms(root: &View<'_>, plan_stalls: bool, errors: &mut Errors<'_>) -> Vec<Arm> {
    let all = root.table("arm");
    if all.entries().next().is_none() {
        errors.say(all.key_place, "the plan has no arms: nothing would be sent", "write [arm.NAME]");
    }
    let shared = Shared { rounds: root.table("rounds"), tester: root.table("tester"), plan_stalls };
    all.entries().filter_map(|entry| shared.arm(entry, errors)).collect()
}

/// What arms take from the plan where they do not say otherwise.
struct Shared<'a> {
    rounds: View<'a>,
    tester: View<'a>,
    plan_stalls: bool,
}

impl<'a> Shared<'a> {
    fn arm(&self, entry: &'a Entry, errors: &mut Errors<'_>) -> Option<Arm> {
        let name = &entry.key;
        if let Some((says, hint)) = bad_name(name) {
            errors.say(
                entry.key_place,
                format!("an arm cannot be called `{}`: {says}", name.escape_debug()),
                hint,
            );
        }
        let view = View::new(entry.node.table()?, "arm.*", entry.key_place);
        if !self.plan_stalls && view.given("stalls").is_some() && view.flag("stalls") {
            let says = format!("arm `{name}` asks for stalls, and the plan has none");
            errors.say(view.place("stalls"), says, "write [stalls] with every and length");
        }
        let measure = self.rounds_or(&view, "measure").duration("measure");
        let arm = Arm {
            name: name.clone(),
            tester: tester(name, &view, errors)?,
            measure,
            warm_up: self.rounds_or(&view, "warm_up").warm_up("warm_up"),
            count_warm_up: self.rounds_or(&view, "count_warm_up").flag("count_warm_up"),
            stalls: view.flag("stalls"),
            sending: self.sending(&view),
        };
        self.hold_it_sends(&arm, &view, errors);
        Some(arm)
    }

    fn rounds_or<'v>(&'v self, arm: &'v View<'a>, key: &str) -> &'v View<'a> {
        if arm.given(key).is_some() { arm } else { &self.rounds }
    }

    fn tester_or<'v>(&'v self, arm: &'v View<'a>, key: &str) -> &'v View<'a> {
        if arm.given(key).is_some() { arm } else { &self.tester }
    }

    fn sending(&self, arm: &View<'a>) -> Sending {
        let of = |key| self.tester_or(arm, key);
        Sending {
            timeout: of("timeout").duration("timeout"),
            grace: of("grace").duration("grace"),
            connect: match of("connect").words("connect").as_deref() {
                Some("per-user") => ConnectionPolicy::PerUser,
                Some("per-request") => ConnectionPolicy::PerRequest,
                _ => ConnectionPolicy::Reuse,
            },
            threads: of("threads").count("threads"),
            cpus: of("cpus").wholes("cpus"),
            precision: match of("spin").given_duration("spin") {
                Some(last) => SendPrecision::Spin { last },
                None => SendPrecision::Sleep,
            },
        }
    }

    /// An empty success is the worst a load test can report.
    fn hold_it_sends(&self, arm: &Arm, view: &View<'a>, errors: &mut Errors<'_>) {
        if let ArmTester::Command { .. } = arm.tester {
            return;
        }
        let place = self.rounds_or(view, "measure").place("measure");
        if arm.measure == Nanos::ZERO {
            let says = format!("arm `{}` would send nothing: it measures for no time", arm.name);
            return errors.say(place, says, "write \"30s\"");
        }
        if arm.sending.timeout == Nanos::ZERO {
            let place = self.tester_or(view, "timeout").place("timeout");
            let says = format!("every request of arm `{}` would be timed out at once", arm.name);
            errors.say(place, says, "write \"10s\"");
        }
        let ArmTester::Doorclock { load, .. } = &arm.tester else { return };
        let Some(rate) = load.target_rate() else { return };
        if rate.as_per_second() * arm.measure.as_secs_f64() < 1.0 {
            let says = format!(
                "arm `{}` would send nothing: at {rate} less than one request is due in {}",
                arm.name, arm.measure
            );
            errors.say(view.table(load.name()).place("rate"), says, "measure longer, or raise the rate");
        }
    }
}

fn bad_name(name: &str) -> Option<(&'static str, &'static str)> {
    let dots = matches!(name, "." | "..");
    let outside = |c: char| c.is_control() || c == '/' || c == '\\';
    match name {
        _ if name.trim().is_empty() => Some(("it is empty", "")),
        _ if name.trim() != name => Some(("it begins or ends with a blank", "")),
        _ if name.contains(outside) || dots => {
            Some(("it names a folder", "leave out slashes, backslashes and control characters"))
        }
        _ if name.len() > LONGEST_NAME => Some(("it is longer than 100 bytes", "")),
        _ => None,
    }
}

fn tester(name: &str, view: &View<'_>, errors: &mut Errors<'_>) -> Option<ArmTester> {
    let given: Vec<&str> = TESTERS.into_iter().filter(|key| view.given(key).is_some()).collect();
    let &[only] = given.as_slice() else {
        let (place, says) = match given.as_slice() {
            [first, second, ..] => {
                let later = [view.place(first), view.place(second)].into_iter().max();
                (later.unwrap_or(view.key_place), format!("arm `{name}` has both `{first}` and `{second}`"))
            }
            _ => (view.key_place, format!("arm `{name}` would send nothing")),
        };
        errors.say(place, says, "give it one of open, paced, closed and command");
        return None;
    };
    if only != "command" && view.given("import").is_some() {
        let says = format!("arm `{name}` imports figures, and runs no other tool");
        errors.say(view.place("import"), says, "`import` goes with `command`");
    }
    let idle = SENDING.into_iter().filter(|key| only == "command" && view.given(key).is_some());
    for key in idle {
        let says = format!("`{key}` of arm `{name}` would change nothing: it is for doorclock's own testers");
        errors.say(view.place(key), says, "say it in the command");
    }
    let load = view.table(only);
    let tester = match only {
        "command" => ArmTester::Command {
            line: view.words("command").unwrap_or_default(),
            import: view.words("import").and_then(|tool| import(&tool)),
        },
        "open" => {
            let arrivals = match load.words("arrivals").as_deref() {
                Some("even") => ArrivalProcess::Even,
                _ => ArrivalProcess::Poisson,
            };
            ArmTester::Doorclock {
                load: Load::Open { rate: load.rate("rate"), arrivals },
                connection_limit: load.given("connections").map(|_| load.count("connections")),
            }
        }
        _ => {
            let connections = load.count("connections");
            let load = match only {
                "paced" => Load::Paced { rate: load.rate("rate"), connections },
                _ => Load::Closed { connections },
            };
            ArmTester::Doorclock { load, connection_limit: Some(connections) }
        }
    };
    Some(tester)
}

fn import(tool: &str) -> Option<Import> {
    match tool {
        "locust" => Some(Import::Locust),
        "wrk" => Some(Import::Wrk),
        "oha" => Some(Import::Oha),
        _ => None,
    }
}
