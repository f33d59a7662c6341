//! The page as it is kept beside the code.

use super::experiment;
use crate::fixtures::{self, PLAN, planned};

#[test]
fn an_experiment_is_a_page_with_the_answer_first_and_the_plan_last() {
    insta::assert_snapshot!("planned", experiment(&planned(), Some(PLAN), Some("results/one")));
}

#[test]
fn every_row_of_a_table_has_as_many_cells_as_its_head() {
    let page = experiment(&planned(), None, None);
    let columns = |line: &str| line.replace("\\|", "").matches('|').count();
    let lines: Vec<&str> = page.lines().collect();
    for pair in lines.windows(2).filter(|pair| pair.iter().all(|line| line.starts_with('|'))) {
        assert_eq!(columns(pair[0]), columns(pair[1]), "{}\n{}", pair[0], pair[1]);
    }
}

#[test]
fn text_from_outside_stays_text() {
    let mut summary = planned();
    summary.question = "<u>why</u> *now*?".into();
    summary.arms[0].name = "a|b](http://x)\nc".into();
    let page = experiment(&summary, Some(PLAN), None);
    assert!(page.starts_with("# &lt;u&gt;why&lt;/u&gt; \\*now\\*?\n"), "{page}");
    assert!(page.contains("| a\\|b]\\(http://x) c |"), "{page}");
    // The plan holds a fence of three; its own is longer.
    assert!(page.contains(&format!("````toml\n{}\n````", PLAN.trim_end())), "{page}");
}

#[test]
fn an_experiment_without_rounds_or_plan_is_a_page_too() {
    let page = experiment(&fixtures::demo(), None, None);
    assert!(page.contains("95 % interval") && !page.contains("The plan"), "{page}");
}

#[test]
fn loads_over_time_are_answered_first_and_every_row_has_its_cells() {
    let page = experiment(&fixtures::shaped(), None, None);
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text} in {page}"));
    assert!(at("## Up to where the service follows: ramp") < at("## What users wait"));
    assert!(at("Saturated from 1,000/s [980, 1,030]") < at("| step | planned |"));
    assert!(at("Recovered 2.03 s after the burst’s end") < at("| requests due |"));
    assert!(page.contains("| limit | at it |") && page.contains("| 256 MiB | in 16 h to 19 h |"), "{page}");
    assert!(page.contains("mixes all of its loads"), "no word on percentiles over all loads");
}
