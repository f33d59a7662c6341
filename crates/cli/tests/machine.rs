//! `doorclock machine`, for people and for machines.

mod common;

use common::{doorclock, number};

#[test]
fn the_machine_is_described_in_words() {
    let said = doorclock(["machine", "--over", "100ms"]).with_code(0);
    for word in ["core", "memory", "kernel", "idle"] {
        assert!(said.stdout.to_lowercase().contains(word), "`{word}` in {said:#?}");
    }
    assert_eq!(said.stderr, "");
}

#[test]
fn the_machine_is_described_in_json() {
    let said = doorclock(["machine", "--over", "100ms", "--json"]).with_code(0);
    let facts = said.json();
    assert!(number(&facts, "/cores") > 0 && number(&facts, "/memory_bytes") > 0, "{facts:#}");
    assert!(number(&facts, "/watched_ns") >= 100_000_000, "{facts:#}");
    let idle = facts["idle_share"].as_f64().expect("it was watched");
    assert!((0.0..=1.0).contains(&idle), "{idle}");
    assert_eq!(said.stderr, "");
}
