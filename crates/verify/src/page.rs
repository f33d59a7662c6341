//! The figures that `report.html` carries for machines, which are those it was
//! made from: they must be those of `summary.json`.

use crate::folder::read;
use crate::{Mismatch, Verification, VerifyError};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

const NAME: &str = "report.html";
/// The element that holds them. Its text is JSON; a browser runs none of it.
const BEGIN: &str = r#"<script type="application/json" id="summary">"#;
/// JSON may write its slashes as `\/`, so that no text of it looks like this.
const END: &str = "</script>";

pub(crate) fn check(folder: &Path, summary: &Value, found: &mut Verification) -> Result<(), VerifyError> {
    let path = folder.join(NAME);
    let bytes = if path.exists() { read(&path)? } else { Vec::new() };
    let page = String::from_utf8_lossy(&bytes);
    let Some((_, rest)) = page.split_once(BEGIN) else {
        found.not_checked.push(format!("{NAME}: it carries no figures to compare"));
        return Ok(());
    };
    let carried = rest.split_once(END).and_then(|(text, _)| serde_json::from_str(text).ok());
    compare(&carried.unwrap_or(Value::Null), summary, found);
    Ok(())
}

/// Every value that one of the two has.
fn compare(carried: &Value, summary: &Value, found: &mut Verification) {
    let mut both: BTreeMap<String, [Option<&Value>; 2]> = BTreeMap::new();
    for (side, value) in [carried, summary].into_iter().enumerate() {
        each(value, "", &mut |name, value| both.entry(name).or_default()[side] = Some(value));
    }
    found.checked += both.len() as u64;
    let told = |value: Option<&Value>| value.map_or("nothing".to_owned(), Value::to_string);
    let apart = both.into_iter().filter(|(_, [carried, summary])| carried != summary);
    found.mismatches.extend(apart.map(|(name, [carried, summary])| Mismatch {
        run: NAME.to_owned(),
        name,
        reported: told(carried),
        computed: told(summary),
    }));
}

/// Every value that holds no others, and every empty list and object.
fn each<'a>(value: &'a Value, name: &str, take: &mut impl FnMut(String, &'a Value)) {
    let below = |part: &str| if name.is_empty() { part.to_owned() } else { format!("{name}.{part}") };
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            fields.iter().for_each(|(part, one)| each(one, &below(part), take));
        }
        Value::Array(all) if !all.is_empty() => {
            all.iter().enumerate().for_each(|(at, one)| each(one, &below(&at.to_string()), take));
        }
        value => take(name.to_owned(), value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_that_only_one_side_has_and_values_that_differ_are_told_by_name() {
        let (mut found, one) = (Verification::default(), json!({"a": {"p99": 5, "n": 1}, "b": []}));
        compare(&one, &one, &mut found);
        assert_eq!((found.checked, found.mismatches.len()), (3, 0));
        compare(&json!({"a": {"p99": 6, "n": 1}, "b": [0]}), &one, &mut found);
        let says: Vec<String> = found.mismatches.iter().map(ToString::to_string).collect();
        assert_eq!(
            says,
            [
                "report.html: a.p99 is reported as 6 and computed as 5",
                "report.html: b is reported as nothing and computed as []",
                "report.html: b.0 is reported as 0 and computed as nothing",
            ]
        );
    }
}
