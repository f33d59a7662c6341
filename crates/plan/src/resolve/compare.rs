//! What is compared: pairs that the plan names, or every arm with one of them.

use super::Errors;
use super::view::View;
use crate::keys;
use crate::plan::Arm;
use crate::source::Place;
use model::{Number, Pairing};

pub(super) fn comparisons(view: &View<'_>, arms: &[Arm], errors: &mut Errors<'_>) -> Vec<Pairing> {
    let number = view.words("number").and_then(|name| Number::named(&name)).unwrap_or(Number::P99);
    let pairing = |a: &str, b: &str, is_twin| Pairing { a: a.to_owned(), b: b.to_owned(), number, is_twin };
    let twins = arms.iter().filter_map(|arm| Some(pairing(arm.like.as_deref()?, &arm.name, true)));
    let others: Vec<Pairing> = match view.given_pairs("pairs") {
        Some(pairs) => {
            if view.given("baseline").is_some() {
                let says = "the plan compares by `baseline` and by `pairs`";
                errors.say(view.place("baseline"), says, "leave one of them out");
            }
            named(pairs, arms, errors).iter().map(|[a, b]| pairing(a, b, false)).collect()
        }
        None => {
            let baseline = match (view.words("baseline"), arms) {
                (Some(name), _) => known(&name, view.place("baseline"), arms, errors).then_some(name),
                (None, [first, ..]) => Some(first.name.clone()),
                (None, []) => None,
            };
            let rest = |baseline: &String| {
                let rest = arms.iter().filter(|arm| arm.name != *baseline && arm.like.is_none());
                rest.map(|arm| pairing(baseline, &arm.name, false)).collect()
            };
            baseline.as_ref().map(rest).unwrap_or_default()
        }
    };
    let is_other = |twin: &Pairing| !others.iter().any(|one| one.a == twin.a && one.b == twin.b);
    let twins: Vec<Pairing> = twins.filter(is_other).collect();
    others.into_iter().chain(twins).collect()
}

/// The pairs that make sense; of the others, what is wrong with them is said.
fn named(pairs: Vec<(Place, [String; 2])>, arms: &[Arm], errors: &mut Errors<'_>) -> Vec<[String; 2]> {
    let mut found: Vec<[String; 2]> = Vec::new();
    for (place, pair) in pairs {
        let [a, b] = &pair;
        if !known(a, place, arms, errors) || !known(b, place, arms, errors) {
            continue;
        }
        if a == b {
            let says = format!("arm `{a}` is compared with itself");
            errors.say(place, says, format!("for a false alarm check, add an arm with like = \"{a}\""));
        } else if found.iter().any(|[c, d]| (a, b) == (c, d) || (a, b) == (d, c)) {
            errors.say(place, format!("`{a}` and `{b}` are compared twice"), "leave one pair out");
        } else {
            found.push(pair);
        }
    }
    found
}

fn known(name: &str, place: Place, arms: &[Arm], errors: &mut Errors<'_>) -> bool {
    let names = || arms.iter().map(|arm| arm.name.as_str());
    if names().any(|arm| arm == name) {
        return true;
    }
    let hint = match keys::nearest(name, names()) {
        Some(near) => format!("is `{near}` meant?"),
        None => format!("the plan has {}", names().collect::<Vec<_>>().join(", ")),
    };
    errors.say(place, format!("there is no arm `{}` to compare", name.escape_debug()), hint);
    false
}
