//! What holds for plans of any text.

use crate::common::rows;
use plan::{KEYS, Key, PlanErrors, PlanFile};
use proptest::prelude::*;

fn resolve(text: &str, flags: &[(String, String)]) -> Result<plan::Plan, PlanErrors> {
    let mut file = PlanFile::parse("checkout.toml", text)?;
    for (key, value) in flags {
        file = file.set(key, value)?;
    }
    file.resolve_reading(&rows)
}

/// Errors are drawn too, so that their places are walked.
fn survives(text: &str, flags: &[(String, String)]) {
    if let Err(errors) = resolve(text, flags) {
        let drawn = errors.to_string();
        assert!(drawn.starts_with("error: "), "{drawn}");
    }
}

/// Values that stand in examples, and some that never should.
fn value() -> impl Strategy<Value = String> {
    let examples: Vec<String> =
        KEYS.iter().map(|key| key.example).filter(|text| !text.is_empty()).map(str::to_owned).collect();
    let odd = [
        "0",
        "-1",
        "1e400",
        "nan",
        "\"\"",
        "[]",
        "{}",
        "\"{{ row.customer }}\"",
        "'{{'",
        "2026-01-01",
        "\"ü\\n\"",
    ];
    prop_oneof![
        4 => prop::sample::select(examples),
        2 => prop::sample::select(odd.map(str::to_owned).to_vec()),
        1 => any::<String>().prop_map(|text| format!("{text:?}")),
    ]
}

fn key() -> impl Strategy<Value = String> {
    let paths: Vec<&str> = KEYS.iter().map(|key: &Key| key.path).collect();
    let name = prop::sample::select(vec!["a", "b", "\"x y\"", "\"/p\"", "0"]);
    (prop::sample::select(paths), name).prop_map(|(path, name)| path.replace('*', name))
}

const SMALL: &str = "question = \"q\"\ntarget.url = \"http://127.0.0.1:8600\"\narm.a.open.rate = \"5/s\"\n";

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_a_plan_panic(text in any::<String>()) {
        survives(&text, &[]);
    }

    #[test]
    fn no_lines_of_known_keys_make_a_plan_panic(lines in prop::collection::vec((key(), value()), 0..6)) {
        let lines: String = lines.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
        survives(&lines, &[]);
        survives(&format!("{SMALL}{lines}"), &[]);
    }

    #[test]
    fn no_flags_make_a_plan_panic(flags in prop::collection::vec((prop_oneof![key(), any::<String>()], prop_oneof![value(), any::<String>()]), 0..4)) {
        survives(SMALL, &flags);
    }

    #[test]
    fn no_condition_makes_a_plan_panic(
        words in prop::collection::vec(prop::sample::select(vec![
            "arm", ".a", "['a']", ".p99_ms", "|", "min", " and ", " not ", ">", "<=", "1", "(", ")", "[", "]", "'", "-", "ü", "/", " if ", " in ",
        ]), 0..14)
    ) {
        let holds: String = words.concat();
        survives(&format!("{SMALL}[[guess]]\nname = \"g\"\nsays = \"s\"\nholds = {holds:?}\n"), &[]);
    }

    #[test]
    fn a_flag_is_the_same_as_a_line_in_the_file(key in key(), old in value(), value in value()) {
        let with = |value: &str| PlanFile::parse("checkout.toml", format!("{SMALL}{key} = {value}\n"));
        // TOML takes no second line for what `SMALL` has, and not every escape.
        let (Ok(written), Ok(other)) = (with(&value), with(&old)) else { return Ok(()) };
        let small = PlanFile::parse("checkout.toml", SMALL).expect("TOML");
        let written = told(&written);
        prop_assert_eq!(&written, &told(&small.set(&key, &value).expect("a key")), "added");
        prop_assert_eq!(&written, &told(&other.set(&key, &value).expect("a key")), "replaced");
    }
}

/// The plan, or what is wrong with it, in any order: a flag's errors come last.
fn told(file: &PlanFile) -> Result<plan::Plan, Vec<String>> {
    file.resolve_reading(&rows).map_err(|errors| {
        let mut says: Vec<String> = errors.iter().map(|error| error.says().to_owned()).collect();
        says.sort();
        says
    })
}
