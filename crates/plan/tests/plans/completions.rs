//! Plans that follow work past its answer: what they mean, and what is said
//! about bad ones.

use crate::common::{HEAD, errors, resolve};
use model::Nanos;
use plan::{CompletionBy, WorkName};

fn said(completion: &str) -> String {
    errors(&format!("{HEAD}{completion}"))
}

#[test]
fn polled_work_is_named_by_the_answer_and_done_by_a_condition() {
    let text = r#"
[completion]
max = "5min"
poll = { url = "{{ response.headers.location }}", done = "/state == 'succeeded'", given_up = "/state == 'dead'" }
"#;
    let completion = resolve(&format!("{HEAD}{text}")).expect("a plan").completion.expect("followed");
    assert_eq!(completion.name, WorkName::Header("location".to_owned()));
    assert_eq!((completion.at_most, completion.within), (Some(Nanos::from_secs(300)), Nanos::from_secs(600)));
    let CompletionBy::Poll { every, done, .. } = completion.by else { panic!("{completion:?}") };
    assert_eq!(every, Nanos::from_millis(500));
    assert!(done.holds(&serde_json::json!({"state": "succeeded"})));
    assert_eq!(resolve(HEAD).expect("a plan").completion, None);
}

#[test]
fn completions_that_cannot_be_followed_say_why_and_where() {
    let of = |text: &str| said(text).lines().take(2).collect::<Vec<_>>().join(" ");
    for (text, says) in [
        ("[completion]", "nothing says how the end of work is learnt"),
        (
            "[completion]\npoll = { url = \"/jobs\", done = \"/a == 1\" }",
            "the polled URL names no work: nothing of the answer stands in it",
        ),
        (
            "[completion]\npoll = { url = \"{{ response.json.id }}\", done = \"done\" }",
            "`done` is no condition: `done` compares nothing by == or !=",
        ),
        (
            "[completion]\ncallback = { listen = \"127.0.0.1:1\", id = \"/id\" }",
            "nothing says how an answer names the work that it accepted",
        ),
        (
            "[completion]\nname = \"{{ response.json.id }}\"\ncallback = { listen = \"here\", id = \"/id\" }",
            "`here` is no address to listen on",
        ),
        (
            "[completion]\nname = \"{{ response.json.id }}\"\nevents = { path = \"x\", id = \"/id\", done = \"/a == 1\" }",
            "`x` is no path",
        ),
        (
            "[completion]\nname = \"{{ response.json.id }}\"\nevents = { path = \"/x\", id = \"id\", done = \"/a == 1\" }",
            "`id` is no JSON pointer",
        ),
    ] {
        let said = of(text);
        assert!(said.contains(says) && said.contains("checkout.toml:"), "{text}: {said}");
    }
    let two = "[completion]\nname = \"{{ response.json.id }}\"\npoll = { url = \"{{ response.json.id }}\", done = \"/a == 1\" }\nsql = { url = \"sqlite:x\", query = \"select 1\" }";
    assert!(of(two).contains("the end of work is learnt in 2 ways"), "{}", of(two));
}
