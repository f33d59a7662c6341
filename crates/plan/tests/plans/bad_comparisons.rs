//! What is said about plans whose comparisons, twins or commands make no
//! sense, whole: what a person reads.

use crate::common::errors;

const HEAD: &str =
    "question = \"q\"\n[target]\nurl = \"http://127.0.0.1:8600\"\n[arm.open]\nopen = { rate = \"5/s\" }\n";

fn with(rest: &str) -> String {
    errors(&format!("\n{HEAD}{rest}"))
}

#[test]
fn a_command_that_does_not_say_its_loop() {
    insta::assert_snapshot!(with("[arm.wrk]\ncommand = \"wrk -c8\"\n"));
}

#[test]
fn a_twin_of_nobody_of_itself_and_of_a_twin() {
    insta::assert_snapshot!(with("[arm.a]\nlike = \"opne\"\n[arm.b]\nlike = \"b\"\n[arm.c]\nlike = \"a\"\n"));
}

#[test]
fn a_twin_with_a_will_of_its_own() {
    insta::assert_snapshot!(with("[arm.a]\nlike = \"open\"\nmeasure = \"5s\"\n"));
}

#[test]
fn pairs_of_arms_that_are_not_there_or_make_no_pair() {
    insta::assert_snapshot!(with(
        "[arm.a]\nclosed = { connections = 1 }\n[compare]\npairs = [[\"open\", \"b\"], [\"a\", \"a\"], [\"a\", \"open\"], [\"open\", \"a\"]]\n"
    ));
}

#[test]
fn pairs_that_are_no_pairs() {
    insta::assert_snapshot!(with("[compare]\npairs = [[\"open\"], \"open\"]\n"));
}

#[test]
fn a_baseline_that_is_not_there_or_stands_beside_pairs() {
    insta::assert_snapshot!(with("[compare]\nbaseline = \"opn\"\nnumber = \"p98\"\n"));
    insta::assert_snapshot!(with("[compare]\nbaseline = \"open\"\npairs = []\n"));
}

#[test]
fn expected_headers_and_patterns_that_make_no_sense() {
    insta::assert_snapshot!(with(
        "[request.expect]\nregex = \"a(b\"\nheaders = { \"content type\" = \"text/html\" }\n"
    ));
}

#[test]
fn a_baseline_that_is_another_arm_once_more() {
    insta::assert_snapshot!(with("[arm.again]\nlike = \"open\"\n[compare]\nbaseline = \"again\"\n"));
}

#[test]
fn an_arm_that_is_wrong_is_there_all_the_same_for_its_twin_and_its_comparisons() {
    insta::assert_snapshot!(with(
        "[arm.b]\nstalls = false\n[arm.c]\nlike = \"b\"\n[compare]\nbaseline = \"b\"\n"
    ));
}

#[test]
fn guesses_that_are_wrong_are_told_without_the_rest_of_the_plan() {
    let text = "qeustion = 5\n[arm.a]\n[[guess]]\nname = \"G1\"\nholds = 5\nsasy = \"x\"\n";
    let file = plan::PlanFile::parse("checkout.toml", text).expect("TOML");
    insta::assert_snapshot!(file.guesses().expect_err("three errors"));
}
