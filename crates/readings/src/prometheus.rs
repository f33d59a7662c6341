//! Metrics in Prometheus' text form.
//!
//! A metric is picked by its name and any of its labels:
//! `http_requests_total{method="post"}`. Where several samples match, the reading
//! is their sum, which is what a counter over several labels means.

use crate::probe::{Ask, beginning, finite};
use crate::taking::Hands;
use crate::{Fetch, Numbers};
use model::Pick;
use std::time::Duration;

pub(crate) struct PrometheusProbe {
    url: String,
    metrics: Vec<Pick>,
    fetch: Fetch,
}

impl PrometheusProbe {
    pub(crate) fn new(url: &str, metrics: &[Pick], hands: &Hands) -> PrometheusProbe {
        PrometheusProbe { url: url.to_owned(), metrics: metrics.to_vec(), fetch: hands.fetch.clone() }
    }
}

impl Ask for PrometheusProbe {
    fn ask(&mut self, patience: Duration) -> Result<Numbers, String> {
        let body = (self.fetch)(&self.url, patience)?;
        let text = String::from_utf8_lossy(&body);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let all: Option<Vec<Line<'_>>> = lines.map(line).collect();
        let all = all.ok_or_else(|| format!("the answer is no list of metrics: {:?}", beginning(&text)))?;
        let one = |pick: &Pick| (pick.column.clone(), sum(&all, &pick.at));
        Ok(self.metrics.iter().map(one).collect())
    }
}

/// One sample of an answer.
struct Line<'a> {
    name: &'a str,
    labels: Labels<'a>,
    value: f64,
}

/// Labels with their values.
type Labels<'a> = Vec<(&'a str, String)>;

/// Reads `name{label="value"} 5 1700000000000`: the labels and the moment may be missing.
fn line(text: &str) -> Option<Line<'_>> {
    let (name, labels, rest) = selector(text)?;
    let value = rest.split_whitespace().next()?.parse().ok()?;
    Some(Line { name, labels, value })
}

/// A name with its labels, and what stands after them.
fn selector(text: &str) -> Option<(&str, Labels<'_>, &str)> {
    let end = text.find(|c: char| c == '{' || c.is_whitespace()).unwrap_or(text.len());
    let (name, mut rest) = text.split_at(end);
    let mut labels = Vec::new();
    if name.is_empty() {
        return None;
    }
    rest = rest.trim_start();
    if let Some(inside) = rest.strip_prefix('{') {
        rest = inside.trim_start();
        while !rest.starts_with('}') {
            let (label, after) = rest.split_once('=')?;
            let (value, after) = quoted(after.trim_start())?;
            labels.push((label.trim(), value));
            rest = after.trim_start();
            rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        }
        rest = &rest[1..];
    }
    Some((name, labels, rest))
}

/// A value in quotes, in which `\\`, `\"` and `\n` stand for others.
fn quoted(text: &str) -> Option<(String, &str)> {
    let inside = text.strip_prefix('"')?;
    let mut value = String::new();
    let mut letters = inside.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((value, &inside[at + 1..])),
            '\\' => match letters.next()?.1 {
                'n' => value.push('\n'),
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
    None
}

/// The sum of all samples that a selector matches.
fn sum(all: &[Line<'_>], wanted: &str) -> Result<f64, String> {
    let Some((name, labels, "")) = selector(wanted.trim()) else {
        return Err(format!("{wanted:?} selects no metric"));
    };
    let matches =
        |line: &&Line<'_>| line.name == name && labels.iter().all(|label| line.labels.contains(label));
    let mut found = all.iter().filter(matches).map(|line| line.value).peekable();
    if found.peek().is_none() {
        return Err(format!("there is no metric {wanted}"));
    }
    finite(found.sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taking::hands_that_fetch;

    const TEXT: &str = "# HELP jobs Jobs.\n# TYPE jobs gauge\n\
        jobs{state=\"queued\",shop=\"a,b}\\\"c\"} 3\njobs{ state=\"dead\", } 1.5 1700000000000\n\
        up 1\nlatest NaN\n";

    fn ask(body: &'static str, metrics: &[&str]) -> Result<Vec<Result<f64, String>>, String> {
        let pick = |at: &&str| Pick { column: (*at).to_owned(), at: (*at).to_owned() };
        let metrics: Vec<Pick> = metrics.iter().map(pick).collect();
        let found = PrometheusProbe::new("http://x/", &metrics, &hands_that_fetch(Ok(body)))
            .ask(Duration::from_secs(1));
        found.map(|numbers| numbers.into_iter().map(|(_, number)| number).collect())
    }

    #[test]
    fn a_metric_is_the_sum_of_all_samples_with_its_labels() {
        let found = ask(TEXT, &["jobs", "jobs{state=\"queued\"}", "jobs{shop=\"a,b}\\\"c\"}", "up"]);
        assert_eq!(found, Ok(vec![Ok(4.5), Ok(3.0), Ok(3.0), Ok(1.0)]));
    }

    #[test]
    fn what_is_not_there_is_a_gap_with_a_reason() {
        let found = ask(TEXT, &["down", "jobs{state=\"lost\"}", "latest", "jobs{"]).expect("metrics");
        let says = |text: &str| Err(text.to_owned());
        let expected = [
            says("there is no metric down"),
            says("there is no metric jobs{state=\"lost\"}"),
            says("it is NaN"),
            says("\"jobs{\" selects no metric"),
        ];
        assert_eq!(found, expected);
        let said = ask("<html>no</html>", &["up"]).expect_err("no metrics");
        assert_eq!(said, "the answer is no list of metrics: \"<html>no</html>\"");
    }
}
