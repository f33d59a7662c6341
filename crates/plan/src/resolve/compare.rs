//! What is compared: pairs that the plan names, or every arm with one of them;
//! and, in both cases, each twin with its original.

use super::Errors;
use super::arms::Named;
use super::view::{View, WrittenPair};
use crate::keys;
use crate::source::Place;
use model::{Number, Pairing};

/// Two arms: what is measured against, and the other.
type Pair<'a> = [&'a Named<'a>; 2];

pub(super) fn comparisons(view: &View<'_>, arms: &[Named<'_>], errors: &mut Errors<'_>) -> Vec<Pairing> {
    let number = view.words("number").and_then(|name| Number::named(&name)).unwrap_or(Number::P99);
    let others = match view.given_pairs("pairs") {
        Some(pairs) => {
            if view.given("baseline").is_some() {
                let says = "the plan compares by `baseline` and by `pairs`";
                errors.say(view.place("baseline"), says, "leave one of them out");
            }
            named(pairs, arms, errors)
        }
        None => with_the_baseline(view, arms, errors),
    };
    let with_original = |twin| Some([original(twin, arms).filter(|arm| arm.name != twin.name)?, twin]);
    let mut found: Vec<Pairing> = Vec::new();
    for pair in others.into_iter().chain(arms.iter().filter_map(with_original)) {
        let one = pairing(pair, number);
        // A plan may name a pair of twins that is compared anyway.
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// What a twin is once more; any other arm is its own original.
fn original<'a>(arm: &'a Named<'a>, arms: &'a [Named<'a>]) -> Option<&'a Named<'a>> {
    match &arm.like {
        Some(like) => arms.iter().find(|other| other.name == like),
        None => Some(arm),
    }
}

/// Whatever sets two arms of one original apart is a false alarm.
fn pairing([a, b]: Pair<'_>, number: Number) -> Pairing {
    let root = |arm: &Named<'_>| arm.like.clone().unwrap_or_else(|| arm.name.to_owned());
    let is_twin = root(a) == root(b);
    let [a, b] = if is_twin && b.like.is_none() { [b, a] } else { [a, b] };
    Pairing { a: a.name.to_owned(), b: b.name.to_owned(), number, is_twin }
}

/// Every arm but twins, with the one that the plan names or with the first.
fn with_the_baseline<'a>(view: &View<'_>, arms: &'a [Named<'a>], errors: &mut Errors<'_>) -> Vec<Pair<'a>> {
    let baseline = match view.words("baseline") {
        Some(name) => known(&name, view.place("baseline"), arms, errors),
        None => arms.iter().find(|arm| arm.like.is_none()),
    };
    let Some(baseline) = baseline else { return Vec::new() };
    if let Some(like) = &baseline.like {
        let says = format!("`{}` is like `{like}`, and is compared with that one alone", baseline.name);
        errors.say(view.place("baseline"), says, format!("write baseline = \"{like}\""));
    }
    let rest = arms.iter().filter(|arm| arm.name != baseline.name && arm.like.is_none());
    rest.map(|arm| [baseline, arm]).collect()
}

/// The pairs that make sense; of the others, what is wrong with them is said.
fn named<'a>(pairs: Vec<WrittenPair>, arms: &'a [Named<'a>], errors: &mut Errors<'_>) -> Vec<Pair<'a>> {
    let mut found: Vec<Pair<'a>> = Vec::new();
    for WrittenPair { place, names } in pairs {
        let [Some(a), Some(b)] = names.map(|(place, name)| known(&name, place, arms, errors)) else {
            continue;
        };
        let is_same =
            |[c, d]: &Pair<'_>| [a.name, b.name] == [c.name, d.name] || [b.name, a.name] == [c.name, d.name];
        if a.name == b.name {
            let says = format!("arm `{}` is compared with itself", a.name);
            let hint = format!("for a false alarm check, add an arm with like = \"{}\"", a.name);
            errors.say(place, says, hint);
        } else if found.iter().any(is_same) {
            let says = format!("`{}` and `{}` are compared twice", a.name, b.name);
            errors.say(place, says, "leave one pair out");
        } else {
            found.push([a, b]);
        }
    }
    found
}

/// The arm of that name; that there is none is said.
fn known<'a>(
    name: &str,
    place: Place,
    arms: &'a [Named<'a>],
    errors: &mut Errors<'_>,
) -> Option<&'a Named<'a>> {
    let found = arms.iter().find(|arm| arm.name == name);
    if found.is_none() {
        let names = || arms.iter().map(|arm| arm.name);
        let hint = match keys::nearest(name, names()) {
            Some(near) => format!("is `{near}` meant?"),
            None => format!("the plan has {}", names().collect::<Vec<_>>().join(", ")),
        };
        errors.say(place, format!("there is no arm `{}` to compare", name.escape_debug()), hint);
    }
    found
}
