//! Who sends in an arm, and which load: one of its own, a shape of its own, or
//! the plan's shape.

use super::Errors;
use super::shape::{Shapes, Written};
use super::view::View;
use crate::node::Entry;
use crate::plan::{ArmTester, Import};
use model::{ArrivalProcess, Load, Rate, Shape, ShapeKind, StageUnit};

/// The load models, of which each arm has exactly one.
const LOADS: [&str; 3] = ["open", "paced", "closed"];

/// The keys that only doorclock's own testers obey.
const SENDING: [&str; 6] = ["timeout", "grace", "connect", "threads", "cpus", "spin"];

/// The plan's `[shape]`.
pub(super) enum PlansShape {
    /// There is none.
    None,
    /// Something is wrong with it, which has been said.
    Wrong,
    /// It is this.
    Is(Box<Written>),
}

/// Who sends in an arm, and over which shape.
pub(super) struct Sender {
    pub tester: ArmTester,
    pub shape: Option<Written>,
}

/// The keys by which a load model says its load itself.
fn own_keys(load: &str) -> &'static [&'static str] {
    match load {
        "open" => &["rate"],
        "paced" => &["rate", "connections"],
        _ => &["connections"],
    }
}

/// Whether the arm of `entry` takes the plan's shape, right or wrong.
pub(super) fn takes_the_plans_shape(entry: &Entry) -> bool {
    let Some(table) = entry.node.table() else { return false };
    let view = View::new(table, "arm.*", entry.key_place);
    let says_none = |load: &&str| {
        let of = view.given_table(load);
        of.is_some_and(|of| own_keys(load).iter().all(|key| of.given(key).is_none()))
    };
    view.given("shape").is_none() && LOADS.iter().any(says_none)
}

/// What arms' loads are resolved with.
pub(super) struct Loads<'a> {
    pub shapes: &'a Shapes<'a>,
    pub plans: &'a PlansShape,
}

impl Loads<'_> {
    /// Who sends in arm `name`.
    pub fn sender(&self, name: &str, view: &View<'_>, errors: &mut Errors<'_>) -> Option<Sender> {
        let model = only_model(name, view, errors)?;
        let command = view.words("command");
        if command.is_none() && view.given("import").is_some() {
            let says = format!("arm `{name}` imports figures, and runs no other tool");
            errors.say(view.place("import"), says, "`import` goes with `command`");
        }
        if command.is_some() {
            hold_no_idle_keys(name, view, errors);
        }
        let of = view.table(model);
        let given: Vec<&str> =
            own_keys(model).iter().copied().filter(|key| of.given(key).is_some()).collect();
        let written = match (view.given_table("shape"), given.first()) {
            (Some(_), _) | (None, None) if command.is_some() => {
                self.refuse_a_command(name, model, view, errors);
                return None;
            }
            (Some(shape), Some(key)) => {
                let says = format!("arm `{name}` has both `{model}.{key}` and a shape");
                errors.say(shape.key_place.max(of.place(key)), says, "leave one of them out");
                return None;
            }
            (Some(shape), None) => Some(self.shapes.shape(&shape, &format!(" of arm `{name}`"), errors)?),
            (None, None) => Some(self.taken(name, model, &of, errors)?),
            (None, Some(_)) => None,
        };
        let limit = of.given("connections").map(|_| of.count("connections"));
        let load = match &written {
            Some(written) => {
                hold_no_measure(name, view, errors);
                self.over_time(name, model, &of, &written.shape, errors)?
            }
            None => plain(name, model, &of, errors)?,
        };
        let tester = match command {
            Some(line) => {
                let import = view.words("import").and_then(|tool| import(&tool));
                ArmTester::Command { line, load, import }
            }
            None => ArmTester::Doorclock { load, connection_limit: load.users().or(limit) },
        };
        Some(Sender { tester, shape: written })
    }

    /// The plan's shape for an arm that says no load of its own.
    fn taken(&self, name: &str, model: &str, of: &View<'_>, errors: &mut Errors<'_>) -> Option<Written> {
        match self.plans {
            PlansShape::Is(written) => Some((**written).clone()),
            PlansShape::Wrong => None,
            PlansShape::None => {
                let keys: Vec<String> = own_keys(model).iter().map(|key| format!("`{key}`")).collect();
                let says = format!(
                    "the {model} loop of arm `{name}` says no {}, and the plan has no shape for it to take",
                    keys.join(" and no ")
                );
                let hint = format!("write {}, or give the plan a [shape]", example(model, of));
                errors.say(of.key_place, says, hint);
                None
            }
        }
    }

    fn refuse_a_command(&self, name: &str, model: &str, view: &View<'_>, errors: &mut Errors<'_>) {
        let place = match view.given_table("shape") {
            Some(shape) => shape.key_place,
            None => view.place(model),
        };
        let has_one = view.given("shape").is_some() || !matches!(self.plans, PlansShape::None);
        let says = match has_one {
            true => format!("arm `{name}` runs another tool, which cannot be told a shape yet"),
            false => format!("the {model} loop of arm `{name}` does not say what the tool was told"),
        };
        errors.say(place, says, format!("write {model} = {{ {} }}", example(model, &view.table(model))));
    }

    /// The load that the model makes of a shape, on average and at most.
    fn over_time(
        &self,
        name: &str,
        model: &str,
        of: &View<'_>,
        shape: &Shape,
        errors: &mut Errors<'_>,
    ) -> Option<Load> {
        let is_replay = shape.kind == ShapeKind::Replay;
        if is_replay && of.given("arrivals").is_some() {
            let says = format!("`arrivals` of arm `{name}` would change nothing: its arrivals are recorded");
            errors.say(of.place("arrivals"), says, "leave it out");
        }
        let rate = || Rate::per_second(shape.per_second(shape.mean())?);
        let connections = shape.largest().ceil().min(f64::from(u32::MAX)) as u32;
        let (says, hint) = match (model, shape.unit, shape.pace) {
            ("open", StageUnit::PerSecond, _) | ("open", StageUnit::Users, Some(_)) => {
                return Some(Load::Open { rate: rate()?, arrivals: arrivals(of) });
            }
            ("paced", StageUnit::Users, Some(_)) => return Some(Load::Paced { rate: rate()?, connections }),
            ("closed", StageUnit::Users, None) => return Some(Load::Closed { connections }),
            (_, StageUnit::Users, None) => (
                format!("arm `{name}` is {model}, and its shape has users without a pace"),
                "give the shape pace = \"10s\": arrivals a second are users ÷ pace",
            ),
            (_, StageUnit::Users, Some(_)) => (
                format!("arm `{name}` is closed, and its shape has a pace that nobody would keep"),
                "write paced = {}, or give this arm a shape without pace",
            ),
            (_, StageUnit::PerSecond, _) if is_replay => {
                (format!("arm `{name}` is {model}, and recorded arrivals wait for nobody"), "write open = {}")
            }
            (_, StageUnit::PerSecond, _) => (
                format!("arm `{name}` is {model}, and its shape has rates in the place of users"),
                "write users in the shape, or open = {}",
            ),
        };
        errors.say(of.key_place, says, hint);
        None
    }
}

/// The one load model that arm `name` has.
fn only_model(name: &str, view: &View<'_>, errors: &mut Errors<'_>) -> Option<&'static str> {
    let given: Vec<&'static str> = LOADS.into_iter().filter(|key| view.given(key).is_some()).collect();
    let (place, says) = match given.as_slice() {
        &[only] => return Some(only),
        [first, second, ..] => {
            let later = [view.place(first), view.place(second)].into_iter().max();
            (later.unwrap_or(view.key_place), format!("arm `{name}` has both `{first}` and `{second}`"))
        }
        [] if view.given("command").is_some() => {
            let says = format!("arm `{name}` runs a tool and does not say how that sends");
            let hint =
                "say which loop the tool runs: closed, paced or open — its numbers mean nothing without it";
            errors.say(view.key_place, says, hint);
            return None;
        }
        [] => (view.key_place, format!("arm `{name}` would send nothing")),
    };
    errors.say(place, says, "give it one of open, paced and closed");
    None
}

/// A load that stays the same, as the arm itself says it.
fn plain(name: &str, model: &str, of: &View<'_>, errors: &mut Errors<'_>) -> Option<Load> {
    if let Some(missing) = own_keys(model).iter().find(|key| of.given(key).is_none()) {
        let says = format!("the {model} loop of arm `{name}` lacks `{missing}`");
        errors.say(of.key_place, says, format!("write {}", of.example(missing)));
        return None;
    }
    Some(match model {
        "open" => Load::Open { rate: of.rate("rate"), arrivals: arrivals(of) },
        "paced" => Load::Paced { rate: of.rate("rate"), connections: of.count("connections") },
        _ => Load::Closed { connections: of.count("connections") },
    })
}

fn arrivals(open: &View<'_>) -> ArrivalProcess {
    match open.words("arrivals").as_deref() {
        Some("even") => ArrivalProcess::Even,
        _ => ArrivalProcess::Poisson,
    }
}

/// A whole load of the model, as it could be written.
fn example(model: &str, of: &View<'_>) -> String {
    own_keys(model).iter().map(|key| of.example(key)).collect::<Vec<_>>().join(", ")
}

/// A shape says itself how long it lasts, and what is counted.
fn hold_no_measure(name: &str, view: &View<'_>, errors: &mut Errors<'_>) {
    if view.given("measure").is_some() {
        let says =
            format!("arm `{name}` has a `measure` of its own, and a shape that says how long it lasts");
        errors.say(view.place("measure"), says, "leave it out");
    }
    if view.given("count_warm_up").is_some() && view.flag("count_warm_up") {
        let says = format!("arm `{name}` counts its warm-up, and its shape begins after it");
        errors.say(view.place("count_warm_up"), says, "leave it out, and write the warm-up as a stage");
    }
}

/// A command obeys no key that is for doorclock's own testers.
fn hold_no_idle_keys(name: &str, view: &View<'_>, errors: &mut Errors<'_>) {
    let sending = SENDING.into_iter().filter(|key| view.given(key).is_some());
    let open = view.table("open");
    let limit = open.given("connections").map(|node| ("open.connections", node.place));
    for (key, place) in sending.map(|key| (key, view.place(key))).chain(limit) {
        let says = format!("`{key}` of arm `{name}` would change nothing: it is for doorclock's own testers");
        errors.say(place, says, "leave it out, and say it in the command");
    }
}

fn import(tool: &str) -> Option<Import> {
    match tool {
        "locust" => Some(Import::Locust),
        "wrk" => Some(Import::Wrk),
        "oha" => Some(Import::Oha),
        _ => None,
    }
}
