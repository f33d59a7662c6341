//! The reference and the schema in `docs/` are what the table of keys says.
//!
//! `DOORCLOCK_GENERATE=1` writes them anew instead of comparing.

use std::path::PathBuf;

fn check(name: &str, generated: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if std::env::var_os("DOORCLOCK_GENERATE").is_some() {
        std::fs::write(&path, generated).expect("docs/ can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == generated,
        "docs/{name} is not what the table of keys says: run DOORCLOCK_GENERATE=1 cargo test -p doorclock-plan --test generated"
    );
}

#[test]
fn the_reference_is_what_the_table_of_keys_says() {
    check("PLAN.md", &plan::reference());
}

#[test]
fn the_schema_is_what_the_table_of_keys_says() {
    check("plan.schema.json", &plan::schema());
}

#[test]
fn the_example_of_the_reference_is_a_good_plan() {
    let reference = plan::reference();
    let example =
        reference.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let result = plan::PlanFile::parse("PLAN.md", example).and_then(|file| file.resolve());
    assert!(result.is_ok(), "{}", result.expect_err("not ok"));
}

#[test]
fn the_shapes_of_the_reference_are_good_ones() {
    const HEAD: &str = "question = \"q\"\n[target]\nurl = \"http://127.0.0.1:8600\"\n";
    let reference = plan::reference();
    let shapes = reference.split("\n## Shapes\n").nth(1).expect("a section");
    let examples: Vec<&str> =
        shapes.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(examples.len(), 2);
    for example in examples {
        let arm = if example.contains("[arm.") { "" } else { "[arm.a]\nopen = {}\n" };
        let result =
            plan::PlanFile::parse("PLAN.md", format!("{HEAD}{arm}{example}")).and_then(|file| file.resolve());
        assert!(result.is_ok(), "{}", result.expect_err("not ok"));
    }
}

#[test]
fn every_form_of_a_shape_has_its_row_in_the_reference() {
    let reference = plan::reference();
    for kind in model::ShapeKind::ALL {
        assert!(reference.contains(&format!("\n| `{} = ", kind.name())), "{}", kind.name());
    }
}

#[test]
fn the_line_for_editors_leads_from_the_folder_of_plans_to_the_schema() {
    let reference = plan::reference();
    let path = reference.lines().find_map(|line| line.strip_prefix("#:schema ")).expect("the line");
    let plans = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../plans");
    assert!(plans.join(path).ends_with("docs/plan.schema.json"), "{path}");
    assert!(plans.join(path).is_file(), "{path}");
}
