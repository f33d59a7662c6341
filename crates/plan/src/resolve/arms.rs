//! The arms: who sends in each, and how.

use super::Errors;
use super::load::{Loads, PlansShape, takes_the_plans_shape};
use super::shape::Shapes;
use super::view::View;
use crate::keys;
use crate::node::Entry;
use crate::plan::{Arm, ArmTester, Sending, StallHow, StallPlan, Target, WarmUp};
use crate::source::Place;
use model::{ConnectionPolicy, Nanos, SendPrecision};

/// A name is a folder's name too, with `R12-` before it; file systems take 255
/// bytes, and a table's row takes fewer.
const LONGEST_NAME: usize = 100;

pub(super) fn arms(
    root: &View<'_>,
    target: &Target,
    stalls: Option<&StallPlan>,
    shapes: &Shapes<'_>,
    errors: &mut Errors<'_>,
) -> Vec<Arm> {
    let all = root.table("arm");
    if all.entries().next().is_none() {
        errors.say(all.key_place, "the plan has no arms: nothing would be sent", "write [arm.NAME]");
    }
    let plans = plans_shape(root, &all, shapes, errors);
    let shared = Shared {
        loads: Loads { shapes, plans: &plans },
        rounds: root.table("rounds"),
        tester: root.table("tester"),
        start: target.start.as_deref(),
        stalls,
        stall_place: root.table("stalls").place("how"),
    };
    let own: Vec<Arm> = all
        .entries()
        .filter(|entry| like(entry).is_none())
        .filter_map(|entry| shared.arm(entry, errors))
        .collect();
    let names = named(root);
    let one = |entry: &Entry| match like(entry) {
        None => own.iter().find(|arm| arm.name == entry.key).cloned(),
        Some(original) => twin(entry, &original, &own, &names, errors),
    };
    all.entries().filter_map(one).collect()
}

/// The plan's shape, and whether there is somebody to take it.
fn plans_shape(root: &View<'_>, arms: &View<'_>, shapes: &Shapes<'_>, errors: &mut Errors<'_>) -> PlansShape {
    let Some(view) = root.given_table("shape") else { return PlansShape::None };
    if !arms.entries().any(takes_the_plans_shape) {
        let says = "no arm takes the plan's shape: it would change nothing";
        errors.say(view.key_place, says, "write open = {} in an arm, or leave it out");
    }
    shapes.shape(&view, "", errors).map_or(PlansShape::Wrong, |written| PlansShape::Is(Box::new(written)))
}

/// An arm by its name, whatever else is wrong with it.
pub(super) struct Named<'a> {
    pub name: &'a str,
    /// The arm that this one is once more.
    pub like: Option<String>,
}

/// Every arm that the file names.
pub(super) fn named<'a>(root: &View<'a>) -> Vec<Named<'a>> {
    root.table("arm").entries().map(|entry| Named { name: &entry.key, like: like(entry) }).collect()
}

/// The arm that `entry` is once more, if it says so.
fn like(entry: &Entry) -> Option<String> {
    View::new(entry.node.table()?, "arm.*", entry.key_place).words("like")
}

/// An arm that is another one once more.
fn twin(
    entry: &Entry,
    original: &str,
    own: &[Arm],
    names: &[Named<'_>],
    errors: &mut Errors<'_>,
) -> Option<Arm> {
    hold_name(entry, errors);
    let name = &entry.key;
    let view = View::new(entry.node.table()?, "arm.*", entry.key_place);
    if let Some(other) = view.entries().find(|other| other.key != "like") {
        let says =
            format!("arm `{name}` is like `{original}` in everything, and has a `{}` of its own", other.key);
        errors.say(other.key_place, says, "leave it out, or write the whole arm");
    }
    if let Some((says, hint)) = no_original(name, original, names) {
        errors.say(view.place("like"), says, hint);
    }
    // An original that has something wrong of its own has said so itself.
    let found = own.iter().find(|arm| arm.name == original);
    found.map(|arm| Arm { name: name.clone(), like: Some(original.to_owned()), ..arm.clone() })
}

/// Why arm `name` cannot be `original` once more, and what to do about it.
fn no_original(name: &str, original: &str, names: &[Named<'_>]) -> Option<(String, String)> {
    if original == name {
        let says = format!("arm `{name}` is like itself");
        return Some((says, "name another arm, or write the whole arm".to_owned()));
    }
    match names.iter().find(|arm| arm.name == original) {
        Some(Named { like: None, .. }) => None,
        Some(Named { like: Some(_), .. }) => {
            let says = format!("arm `{name}` is like `{original}`, which is itself like another");
            Some((says, "name that one".to_owned()))
        }
        None => {
            let known = || names.iter().filter(|arm| arm.like.is_none()).map(|arm| arm.name);
            let hint = match keys::nearest(original, known()) {
                Some(near) => format!("is `{near}` meant?"),
                None => format!("the plan has {}", known().collect::<Vec<_>>().join(", ")),
            };
            Some((format!("arm `{name}` is like `{}`, which is no arm", original.escape_debug()), hint))
        }
    }
}

fn hold_name(entry: &Entry, errors: &mut Errors<'_>) {
    if let Some((says, hint)) = bad_name(&entry.key) {
        let says = format!("an arm cannot be called `{}`: {says}", entry.key.escape_debug());
        errors.say(entry.key_place, says, hint);
    }
}

/// What arms take from the plan where they do not say otherwise.
struct Shared<'a> {
    loads: Loads<'a>,
    rounds: View<'a>,
    tester: View<'a>,
    start: Option<&'a str>,
    stalls: Option<&'a StallPlan>,
    stall_place: Place,
}

impl<'a> Shared<'a> {
    fn arm(&self, entry: &'a Entry, errors: &mut Errors<'_>) -> Option<Arm> {
        let name = &entry.key;
        hold_name(entry, errors);
        let view = View::new(entry.node.table()?, "arm.*", entry.key_place);
        if self.stalls.is_none() && view.given("stalls").is_some() && view.flag("stalls") {
            let says = format!("arm `{name}` asks for stalls, and the plan has none");
            errors.say(view.place("stalls"), says, "write [stalls] with every and length");
        }
        let sender = self.loads.sender(name, &view, errors)?;
        let (shape, replay) = sender.shape.map_or((None, None), |of| (Some(of.shape), of.replay));
        let measure = match &shape {
            Some(shape) => shape.length(),
            None => self.rounds_or(&view, "measure").duration("measure"),
        };
        let count_warm_up = self.rounds_or(&view, "count_warm_up").flag("count_warm_up") && shape.is_none();
        let arm = Arm {
            name: name.clone(),
            like: None,
            start: view.words("start").or_else(|| self.start.map(str::to_owned)),
            tester: sender.tester,
            shape,
            replay,
            measure,
            warm_up: self.rounds_or(&view, "warm_up").warm_up("warm_up"),
            count_warm_up,
            stalls: view.flag("stalls"),
            sending: self.sending(&view),
        };
        self.hold_it_sends(&arm, &view, errors);
        let by_signal = self.stalls.is_some_and(|stalls| stalls.how == StallHow::Signal);
        if by_signal && arm.stalls && arm.start.is_none() {
            let says = "stalls by signal stop a process that doorclock has started, and the plan starts none";
            errors.say(self.stall_place, says, "give target.start a command");
        }
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
        if let Some(shape) = &arm.shape {
            let begins_empty = arm.replay.is_some() || shape.stages.first().is_some_and(|s| s.from == 0.0);
            if begins_empty && matches!(arm.warm_up, WarmUp::Requests(1..)) {
                let says = format!(
                    "arm `{}` warms up by a number of requests, and its shape sends none before it begins",
                    arm.name
                );
                let place = self.rounds_or(view, "warm_up").place("warm_up");
                errors.say(place, says, "give the arm warm_up = \"0s\"");
            }
            return self.hold_timeout(arm, view, errors);
        }
        let place = self.rounds_or(view, "measure").place("measure");
        if arm.measure == Nanos::ZERO {
            let says = format!("arm `{}` would send nothing: it measures for no time", arm.name);
            return errors.say(place, says, "write \"30s\"");
        }
        self.hold_timeout(arm, view, errors);
        let (ArmTester::Doorclock { load, .. } | ArmTester::Command { load, .. }) = &arm.tester;
        let Some(rate) = load.target_rate() else { return };
        if rate.as_per_second() * arm.measure.as_secs_f64() < 1.0 {
            let says = format!(
                "arm `{}` would send nothing: at {rate} less than one request is due in {}",
                arm.name, arm.measure
            );
            errors.say(view.table(load.name()).place("rate"), says, "measure longer, or raise the rate");
        }
    }

    fn hold_timeout(&self, arm: &Arm, view: &View<'a>, errors: &mut Errors<'_>) {
        if arm.sending.timeout == Nanos::ZERO {
            let place = self.tester_or(view, "timeout").place("timeout");
            let says = format!("every request of arm `{}` would be timed out at once", arm.name);
            errors.say(place, says, "write \"10s\"");
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
