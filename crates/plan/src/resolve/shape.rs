//! A load over time: from what was written to stages, with everything that is
//! wrong at its place.
//!
//! What the stages of each kind are is `schedule`'s to say; `forms.rs` gives it
//! the values of the plan, and here the whole is held together. Start at
//! [`Shapes::shape`].

mod forms;

use super::Errors;
use super::replay;
use super::view::View;
use crate::plan::Replay;
use crate::request::PlannedRequest;
use crate::source::Place;
use crate::units::written;
use forms::Reader;
use model::{Nanos, Seed, Shape, ShapeKind, Stage, StageUnit};
use std::io;
use std::path::Path;

/// 2⁵³ ns, 104 days: beyond it a float no longer holds every nanosecond.
const LONGEST: Nanos = Nanos(1 << 53);

/// What shapes are made with, beside what is written in them.
pub(super) struct Shapes<'a> {
    pub read: &'a dyn Fn(&Path) -> io::Result<Vec<u8>>,
    /// Of the whole plan, for what a recording leaves open.
    pub seed: Seed,
    /// The plan's requests, of which recorded ones take headers and checks.
    pub requests: &'a [PlannedRequest],
    /// Where the plan names rows of requests, if it does.
    pub rows: Option<Place>,
}

/// A shape, and its arrivals where they are recorded.
#[derive(Clone)]
pub(super) struct Written {
    pub shape: Shape,
    pub replay: Option<Replay>,
}

/// What a kind is made of, before the whole is repeated.
pub(super) struct Parts {
    pub unit: StageUnit,
    pub stages: Vec<Stage>,
    pub replay: Option<(model::ReplayFacts, Replay)>,
}

impl Shapes<'_> {
    /// The shape in `view`, if nothing is wrong with it. `owner` follows the
    /// names of its parts in headlines: nothing, or ` of arm …`.
    pub fn shape(&self, view: &View<'_>, owner: &str, errors: &mut Errors<'_>) -> Option<Written> {
        let kind = one_kind(view, owner, errors)?;
        let before = errors.found.len();
        let mut reader = Reader { owner, errors };
        let of = view.table(kind.name());
        let parts = match kind {
            ShapeKind::Stages => reader.stages(view),
            ShapeKind::RampUp => reader.ramp_up(&of),
            ShapeKind::Steady => reader.steady(&of),
            ShapeKind::Soak => reader.soak(&of),
            ShapeKind::Burst => reader.burst(&of),
            ShapeKind::Day => reader.day(&of),
            ShapeKind::Replay => replay::parts(self, &of, owner, reader.errors),
        };
        let pace = reader.pace(view, parts.as_ref());
        let parts = reader.repeated(view, kind, parts?)?;
        let (facts, replay) = parts.replay.unzip();
        let shape = Shape { kind, unit: parts.unit, pace, stages: parts.stages, replay: facts };
        reader.hold_it_sends(&shape, view.place(kind.name()));
        (reader.errors.found.len() == before).then_some(Written { shape, replay })
    }
}

fn one_kind(view: &View<'_>, owner: &str, errors: &mut Errors<'_>) -> Option<ShapeKind> {
    let given: Vec<ShapeKind> =
        ShapeKind::ALL.into_iter().filter(|kind| view.given(kind.name()).is_some()).collect();
    match given.as_slice() {
        &[only] => return Some(only),
        [] => {
            let says = format!("the shape{owner} says no load");
            let hint = "give it one of stages, ramp-up, steady, burst, soak, day and replay";
            errors.say(view.key_place, says, hint);
        }
        several => {
            let later = |kind: &&ShapeKind| view.place(kind.name());
            let place = several.iter().map(|kind| later(&kind)).max().unwrap_or(view.key_place);
            let names: Vec<String> = several.iter().map(|kind| format!("`{}`", kind.name())).collect();
            let says = format!("the shape{owner} is {} at once", names.join(" and "));
            errors.say(place, says, "leave one: an arm may have a shape of its own");
        }
    }
    None
}

/// What is said of a shape as a whole.
impl Reader<'_, '_> {
    /// The pace, held against what the loads count.
    fn pace(&mut self, view: &View<'_>, parts: Option<&Parts>) -> Option<Nanos> {
        let pace = view.given_duration("pace")?;
        let (place, owner) = (view.place("pace"), self.owner);
        if pace == Nanos::ZERO {
            let says = format!("the pace of the shape{owner} is zero: nobody sends again after no time");
            let hint = "write \"10s\"; leave it out for users who send again at once";
            self.errors.say(place, says, hint);
        }
        if parts.is_some_and(|parts| parts.unit == StageUnit::PerSecond) {
            let says = format!("the shape{owner} has a pace, and no users to keep it");
            self.errors.say(place, says, "leave it out, or write users in the place of rates");
        }
        Some(pace)
    }

    fn repeated(&mut self, view: &View<'_>, kind: ShapeKind, mut parts: Parts) -> Option<Parts> {
        if view.given("repeat").is_none() {
            return Some(parts);
        }
        let place = view.place("repeat");
        if kind == ShapeKind::Replay {
            let says = format!("the shape{} repeats itself outside of its replay", self.owner);
            self.errors.say(place, says, "write `repeat` in the replay");
            return Some(parts);
        }
        match schedule::shape::repeated(&parts.stages, view.count("repeat")) {
            Ok(stages) => parts.stages = stages,
            Err(error) => {
                self.say_fault(error.what, parts.unit, "the repeated shape", view);
                return None;
            }
        }
        Some(parts)
    }

    /// An empty success is the worst a load test can report.
    fn hold_it_sends(&mut self, shape: &Shape, place: Place) {
        let (owner, name, length) = (self.owner, shape.kind.name(), shape.length());
        if length > LONGEST {
            self.errors.say(place, format!("the {name}{owner} lasts longer than 104 days"), "");
            return;
        }
        let paced = shape.pace.is_none_or(|pace| pace > Nanos::ZERO);
        let due = shape.per_second(shape.mean()).map(|rate| rate * length.as_secs_f64());
        match due {
            Some(due) if due < 1.0 && paced => {
                let says = format!(
                    "the {name}{owner} would send nothing: less than one request is due in {}",
                    written(length)
                );
                self.errors.say(place, says, "make it longer, or the load larger");
            }
            None if shape.largest() < 1.0 => {
                let says = format!("the {name}{owner} would send nothing: there is never a user");
                self.errors.say(place, says, "write users above zero");
            }
            _ => {}
        }
    }
}
