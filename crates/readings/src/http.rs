//! Parts of a JSON answer.

use crate::probe::{Ask, beginning, number};
use crate::taking::Hands;
use crate::{Fetch, Numbers};
use model::Pick;
use serde_json::Value;
use std::time::Duration;

pub(crate) struct HttpProbe {
    url: String,
    parts: Vec<Pick>,
    fetch: Fetch,
}

impl HttpProbe {
    pub(crate) fn new(url: &str, parts: &[Pick], hands: &Hands) -> HttpProbe {
        HttpProbe { url: url.to_owned(), parts: parts.to_vec(), fetch: hands.fetch.clone() }
    }
}

impl Ask for HttpProbe {
    fn ask(&mut self, patience: Duration) -> Result<Numbers, String> {
        let body = (self.fetch)(&self.url, patience)?;
        let json: Value = serde_json::from_slice(&body).map_err(|_| {
            format!("the answer is not JSON: {:?}", beginning(&String::from_utf8_lossy(&body)))
        })?;
        let part = |pick: &Pick| {
            let found = json.pointer(&pick.at).ok_or_else(|| format!("nothing stands at {}", pick.at));
            (pick.column.clone(), found.and_then(value))
        };
        Ok(self.parts.iter().map(part).collect())
    }
}

fn value(json: &Value) -> Result<f64, String> {
    match json {
        Value::Number(number) => number.as_f64().ok_or_else(|| format!("{number} is too large")),
        Value::Bool(yes) => Ok(f64::from(u8::from(*yes))),
        Value::String(text) => number(text),
        Value::Null => Err("it is null".to_owned()),
        Value::Array(_) => Err("it is a list".to_owned()),
        Value::Object(_) => Err("it is an object".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taking::hands_that_fetch;

    fn ask(body: Result<&'static str, &'static str>, parts: &[&str]) -> Result<Numbers, String> {
        let pick = |at: &&str| Pick { column: at.trim_start_matches('/').to_owned(), at: (*at).to_owned() };
        let parts: Vec<Pick> = parts.iter().map(pick).collect();
        HttpProbe::new("http://x/", &parts, &hands_that_fetch(body)).ask(Duration::from_secs(1))
    }

    #[test]
    fn parts_are_found_by_their_pointers_and_what_is_no_number_says_what_it_is() {
        let body =
            r#"{"n": 5, "deep": [{"x": 1.5}], "yes": true, "text": "2", "word": "soon", "o": {}, "z": null}"#;
        let found = ask(Ok(body), &["/n", "/deep/0/x", "/yes", "/text", "/word", "/o", "/z", "/gone"]);
        let numbers: Vec<_> = found.expect("an answer").into_iter().map(|(_, number)| number).collect();
        let no = |says: &str| Err(says.to_owned());
        let expected = [
            Ok(5.0),
            Ok(1.5),
            Ok(1.0),
            Ok(2.0),
            no("it is text: \"soon\""),
            no("it is an object"),
            no("it is null"),
            no("nothing stands at /gone"),
        ];
        assert_eq!(numbers, expected);
    }

    #[test]
    fn an_answer_that_is_none_or_no_json_is_a_gap() {
        assert_eq!(ask(Err("status 404"), &["/n"]), Err("status 404".to_owned()));
        assert_eq!(ask(Ok("<html>"), &["/n"]), Err("the answer is not JSON: \"<html>\"".to_owned()));
    }
}
