//! The forms of a shape, one after the other: their values handed to `schedule`,
//! and what it finds wrong said at the key that is to blame.

use super::Parts;
use crate::resolve::Errors;
use crate::resolve::view::View;
use crate::units::written;
use model::{Nanos, Rate, Stage, StageUnit};
use schedule::shape::{self, ShapeError, ShapeFault, UntilStage};

/// Reads the parts of one shape.
pub(super) struct Reader<'r, 'f> {
    pub owner: &'r str,
    pub errors: &'r mut Errors<'f>,
}

/// Where stages were made from, for what is wrong with them.
struct Made<'v, 'a> {
    view: &'v View<'a>,
    name: &'v str,
    /// Of a list: its tables, and what one of them is called.
    items: &'v [View<'a>],
    item: &'v str,
}

impl<'v, 'a> Made<'v, 'a> {
    fn named(view: &'v View<'a>, name: &'v str) -> Made<'v, 'a> {
        Made { view, name, items: &[], item: "" }
    }
}

/// The keys of one load: as a rate, or as users.
type Either = (&'static str, &'static str);

impl Reader<'_, '_> {
    /// The loads of one table, all as rates or all as users.
    fn loads<const N: usize>(
        &mut self,
        view: &View<'_>,
        name: &str,
        keys: [Either; N],
    ) -> Option<(StageUnit, [f64; N])> {
        let owner = self.owner;
        let given = |key: &&str| view.given(key).is_some();
        let rates: Vec<&str> = keys.iter().map(|either| either.0).filter(given).collect();
        let users: Vec<&str> = keys.iter().map(|either| either.1).filter(given).collect();
        let all = |of: fn(&Either) -> &'static str| {
            keys.iter().map(|either| view.example(of(either))).collect::<Vec<_>>().join(" and ")
        };
        let unit = match (rates.first(), users.first()) {
            (Some(rate), Some(user)) => {
                let later = view.place(rate).max(view.place(user));
                let says = format!("{name}{owner} has both `{rate}` and `{user}`");
                self.errors.say(later, says, "a load is a rate or users: leave one of them out");
                return None;
            }
            (None, None) => {
                let says = format!("{name}{owner} has no rate and no users");
                let hint = format!("write {}, or {}", all(|either| either.0), all(|either| either.1));
                self.errors.say(view.key_place, says, hint);
                return None;
            }
            (Some(_), None) => StageUnit::PerSecond,
            (None, Some(_)) => StageUnit::Users,
        };
        let mut loads = [0.0; N];
        let mut is_whole = true;
        for (load, (rate, users)) in loads.iter_mut().zip(keys) {
            let (key, found) = match unit {
                StageUnit::PerSecond => (rate, view.given_rate_from_zero(rate)),
                StageUnit::Users => (users, view.whole(users).map(|users| users as f64)),
            };
            match found {
                Some(found) => *load = found,
                None => {
                    let hint = format!("write {}", view.example(key));
                    self.errors.say(view.key_place, format!("{name}{owner} lacks `{key}`"), hint);
                    is_whole = false;
                }
            }
        }
        is_whole.then_some((unit, loads))
    }

    /// Times with the loads of a list of tables, all in one unit.
    fn listed(
        &mut self,
        items: &[View<'_>],
        name: &str,
        time: &str,
    ) -> Option<(StageUnit, Vec<(Nanos, f64)>)> {
        let mut unit = None;
        let mut listed = Vec::new();
        for (number, item) in (1..).zip(items) {
            let name = format!("{name} {number}");
            let Some((own, [load])) = self.loads(item, &name, [("rate", "users")]) else { continue };
            if *unit.get_or_insert(own) != own {
                let key = if own == StageUnit::Users { "users" } else { "rate" };
                let says = format!("{name}{} counts in `{key}`, and those before it do not", self.owner);
                self.errors.say(item.place(key), says, "write all of them as rates, or all as users");
                continue;
            }
            listed.push((item.duration(time), load));
        }
        (listed.len() == items.len()).then_some((unit?, listed))
    }

    pub fn stages(&mut self, view: &View<'_>) -> Option<Parts> {
        let items = view.tables("stages");
        if items.is_empty() {
            let says = format!("the list of stages{} is empty: nothing would be sent", self.owner);
            self.errors.say(view.place("stages"), says, "write { until = \"20s\", rate = \"2/s\" }");
        }
        let (unit, listed) = self.listed(&items, "stage", "until")?;
        let one = |((until, load), item): ((Nanos, f64), &View<'_>)| UntilStage {
            until,
            load,
            is_slope: item.flag("ramp"),
        };
        let stages = shape::Stages { stages: listed.into_iter().zip(&items).map(one).collect() }.stages();
        self.made(stages, unit, &Made { view, name: "the list of stages", items: &items, item: "stage" })
    }

    pub fn ramp_up(&mut self, view: &View<'_>) -> Option<Parts> {
        let keys = [("from", "from_users"), ("to", "to_users")];
        let (unit, [from, to]) = self.loads(view, "the ramp-up", keys)?;
        let (steps, each) = (view.count("steps"), view.duration("each"));
        let ramp = shape::RampUp { from, to, steps, each, is_slope: view.flag("ramp") };
        self.made(ramp.stages(), unit, &Made::named(view, "the ramp-up"))
    }

    pub fn steady(&mut self, view: &View<'_>) -> Option<Parts> {
        let (unit, [load]) = self.loads(view, "the steady load", [("rate", "users")])?;
        let stages = shape::Steady { load, lasts: view.duration("lasts") }.stages();
        self.made(stages, unit, &Made::named(view, "the steady load"))
    }

    pub fn soak(&mut self, view: &View<'_>) -> Option<Parts> {
        let (unit, [load]) = self.loads(view, "the soak", [("rate", "users")])?;
        let stages = shape::Soak { load, lasts: view.duration("lasts") }.stages();
        self.made(stages, unit, &Made::named(view, "the soak"))
    }

    pub fn burst(&mut self, view: &View<'_>) -> Option<Parts> {
        let keys = [("base", "base_users"), ("peak", "peak_users")];
        let (unit, [base, peak]) = self.loads(view, "the burst", keys)?;
        let [before, lasts, after] = ["before", "lasts", "after"].map(|key| view.duration(key));
        let burst = shape::Burst { base, peak, before, lasts, after };
        self.made(burst.stages(), unit, &Made::named(view, "the burst"))
    }

    pub fn day(&mut self, view: &View<'_>) -> Option<Parts> {
        let items = view.tables("points");
        if items.is_empty() {
            let says = format!("the day{} has no points: nothing would be sent", self.owner);
            self.errors.say(view.place("points"), says, "write { at = \"0h\", rate = \"2/s\" }");
        }
        let (unit, points) = self.listed(&items, "point", "at")?;
        let stages = shape::Day { points, lasts: view.duration("lasts") }.stages();
        self.made(stages, unit, &Made { view, name: "the day", items: &items, item: "point" })
    }

    /// The stages that `schedule` made, or what it found wrong, at its place.
    fn made(
        &mut self,
        stages: Result<Vec<Stage>, ShapeError>,
        unit: StageUnit,
        made: &Made<'_, '_>,
    ) -> Option<Parts> {
        match stages {
            Ok(stages) => Some(Parts { unit, stages, replay: None }),
            Err(error) => {
                let item = error.at.and_then(|at| Some((at, made.items.get(at)?)));
                let name = item.map_or(made.name.to_owned(), |(at, _)| format!("{} {}", made.item, at + 1));
                let view = item.map_or(made.view, |(_, item)| item);
                self.say_fault(error.what, unit, &name, view);
                None
            }
        }
    }

    /// A fault in the words of plans, which know a key's name and a load's unit.
    pub fn say_fault(&mut self, fault: ShapeFault, unit: StageUnit, name: &str, view: &View<'_>) {
        let load = |load: f64| match (unit, Rate::per_second(load)) {
            (StageUnit::PerSecond, Some(rate)) => rate.to_string(),
            (StageUnit::PerSecond, None) => "0/s".to_owned(),
            (StageUnit::Users, _) => format!("{load} users"),
        };
        let (key, predicate, hint): (&str, String, &str) = match fault {
            ShapeFault::OutOfOrder { moment, after } => {
                let key = if view.given("until").is_some() { "until" } else { "at" };
                let predicate =
                    format!("lies at {}, and the one before it at {}", written(moment), written(after));
                (key, predicate, "write them in order of time, each from the shape's beginning")
            }
            ShapeFault::Overlapping { moment } => (
                "at",
                format!("lies at {}, as the one before it does", written(moment)),
                "leave one of them out",
            ),
            ShapeFault::BeyondTheEnd { moment, end } => {
                let predicate = format!("lies at {}, and the whole lasts {}", written(moment), written(end));
                ("at", predicate, "let the whole last longer")
            }
            ShapeFault::NoLength { field: "until" } => {
                ("until", "lasts no time".to_owned(), "it ends when the one before it does")
            }
            ShapeFault::NoLength { field } => {
                (field, format!("lasts no time by its `{field}`"), "write \"20s\"")
            }
            ShapeFault::NotHigher { load: high, than } => {
                let keys = ["to", "to_users", "peak", "peak_users"];
                let key = keys.into_iter().find(|key| view.given(key).is_some()).unwrap_or_default();
                let predicate = format!("does not rise: from {} to {}", load(than), load(high));
                (key, predicate, "raise it, or lower the other")
            }
            ShapeFault::TooFewSteps { .. } => ("steps", "has too few steps".to_owned(), "write 2 or more"),
            ShapeFault::NothingToSend => ("", "would send nothing: every load is zero".to_owned(), ""),
            ShapeFault::TooLong => ("repeat", "would last longer than 104 days".to_owned(), ""),
            ShapeFault::TooManyStages => {
                ("repeat", "would have too many stages to read".to_owned(), "take fewer and longer ones")
            }
            ShapeFault::BadLoad { load: bad, .. } => {
                let key = ["rate", "users", "to", "to_users", "peak", "peak_users"];
                let key = key.into_iter().find(|key| view.given(key).is_some()).unwrap_or_default();
                (key, format!("asks for {}: arrivals closer than the clock's nanosecond", load(bad)), "")
            }
            ShapeFault::Empty | ShapeFault::NotOnce => ("", "would send nothing".to_owned(), ""),
        };
        self.errors.say(view.place(key), format!("{name}{} {predicate}", self.owner), hint);
    }
}
