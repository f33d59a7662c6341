//! The guesses: each a condition over figures of arms that are there.

use super::Errors;
use super::view::View;
use crate::guess::Condition;
use crate::keys;
use crate::node::Table;
use crate::plan::Guess;

pub(super) fn guesses(root: &Table, errors: &mut Errors<'_>) -> Vec<Guess> {
    let items = root.get("guess").and_then(|node| node.list()).unwrap_or_default();
    let arms: Vec<&str> =
        root.get("arm").and_then(|node| node.table()).into_iter().flat_map(keys::names).collect();
    let mut found: Vec<Guess> = Vec::new();
    for item in items {
        let Some(table) = item.table() else { continue };
        let view = View::new(table, "guess.*", item.place);
        let name = view.words("name").unwrap_or_default();
        if found.iter().any(|guess| guess.name == name) {
            let says = format!("there are two guesses of the name `{}`", name.escape_debug());
            errors.say(view.place("name"), says, "give this one another name");
        }
        if let Some(holds) = condition(&name, &view, &arms, errors) {
            found.push(Guess { name, says: view.words("says").unwrap_or_default(), holds });
        }
    }
    found
}

fn condition(name: &str, view: &View<'_>, arms: &[&str], errors: &mut Errors<'_>) -> Option<Condition> {
    let node = view.given("holds")?;
    let text = node.text()?;
    let mut say = |part, says: String, hint: String| {
        let place = errors.file.inside(node, text, part);
        errors.say(place, format!("guess `{}` {says}", name.escape_debug()), hint);
    };
    let condition = match Condition::parse_with_places(text) {
        Ok(condition) => condition,
        Err((part, fault)) => {
            say(part, fault.predicate, fault.hint);
            return None;
        }
    };
    let mut all_there = true;
    for (arm, part) in condition.arms() {
        if arms.contains(&arm.as_str()) {
            continue;
        }
        all_there = false;
        let hint = match keys::nearest(arm, arms.iter().copied()) {
            Some(near) => format!("is `{near}` meant?"),
            None => format!("the plan has {}", arms.join(", ")),
        };
        say(part.clone(), format!("names an arm that is not there, `{}`", arm.escape_debug()), hint);
    }
    all_there.then_some(condition)
}
