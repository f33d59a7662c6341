use super::*;
use crate::plan::ArmTester;
use model::{Load, Nanos};

const PLAN: &str =
    "question = \"q\"\n[target]\nurl = \"http://127.0.0.1:8600\"\n[arm.x]\nopen = { rate = \"5/s\" }\n";

fn parsed() -> PlanFile {
    PlanFile::parse("a.toml", PLAN).expect("a good plan")
}

fn set(key: &str, value: &str) -> Result<Plan, PlanErrors> {
    parsed().set(key, value)?.resolve()
}

#[test]
fn a_flag_changes_what_the_file_says_and_adds_what_it_does_not() {
    let plan = set("arm.x.open.rate", "600/s").expect("a good flag");
    let ArmTester::Doorclock { load: Load::Open { rate, .. }, .. } = &plan.arms[0].tester else {
        panic!("an open arm: {:?}", plan.arms[0])
    };
    assert_eq!(rate.as_per_second(), 600.0);
    assert_eq!(set("arm.x.timeout", "2s").expect("a flag").arms[0].sending.timeout, Nanos::from_secs(2));
    assert_eq!(set("rounds.count", "3").expect("a flag").rounds.count, 3);
    assert_eq!(set("arm.\"a b\".closed", "{ connections = 4 }").expect("a flag").arms[1].name, "a b");
    assert_eq!(set("owned", "[\"a\"]").expect("a flag").owned, ["a"]);
}

#[test]
fn an_error_in_a_flag_points_at_the_flag() {
    insta::assert_snapshot!(set("arm.x.open.rate", "600").expect_err("no unit"), @r#"
    error: arm `x` has a rate without a unit
     --> --set:1:17
      |
    1 | arm.x.open.rate=600
      |                 ^^^ write "600/s" (or "600/min")
    "#);
    insta::assert_snapshot!(set("arm.x.opne.rate", "600/s").expect_err("no such key"), @"
    error: arm `x` has no key `opne`
     --> --set:1:7
      |
    1 | arm.x.opne.rate=600/s
      |       ^^^^ is `open` meant?
    ");
    insta::assert_snapshot!(set("question.of", "life").expect_err("no table"), @"
    error: `question` is a text in the plan, and holds no keys
     --> --set:1:1
      |
    1 | question.of=life
      | ^^^^^^^^
    ");
    for key in ["", "a b", "a\n[b]", "a=1", "a..b"] {
        let says = set(key, "1").expect_err(key).to_string();
        assert!(says.contains("is no key of a plan"), "{key:?}: {says}");
    }
}

#[test]
fn errors_of_file_and_flags_are_told_together_the_file_first() {
    let file = PlanFile::parse("a.toml", format!("{PLAN}measure = 3\n")).expect("TOML");
    let errors = file.set("rounds.count", "0").expect("a key").resolve().expect_err("two errors");
    let says: Vec<_> = errors.iter().map(PlanError::says).collect();
    assert_eq!(says, ["arm `x` has a measure without a unit", "`rounds.count` must be at least 1"]);
}

#[test]
fn later_errors_find_their_place_by_the_key() {
    insta::assert_snapshot!(parsed().error_at("target.url", "nobody answers there", ""), @r#"
    error: nobody answers there
     --> a.toml:3:7
      |
    3 | url = "http://127.0.0.1:8600"
      |       ^^^^^^^^^^^^^^^^^^^^^^^
    "#);
    assert_eq!(parsed().error_at("arm.x.closed", "", "").position(), Some((4, 6)));
    assert_eq!(parsed().error_at("rounds.count", "", "").position(), Some((1, 1)));
}

#[test]
fn what_was_written_can_be_told_again() {
    let file = parsed().set("rounds.count", "3").expect("a key");
    assert_eq!(file.text(), PLAN);
    assert_eq!(file.flags().collect::<Vec<_>>(), ["rounds.count=3"]);
}

#[test]
fn a_plan_that_cannot_be_read_says_so() {
    let says = PlanFile::read("no/such/plan.toml").expect_err("no file").to_string();
    assert!(says.starts_with("error: cannot read plan `no/such/plan.toml`: "), "{says}");
}
