//! Reads what oha prints: its JSON (`--output-format json`, `-j` in older
//! versions) for its own figures, or its CSV (`--output-format csv`) for the
//! time of every request.
//!
//! The CSV leaves out every request without an answer, so failures of that kind
//! are unknown then, and counts from a moment that only oha knows, so its
//! requests cannot be laid beside stalls. The JSON has neither fault and has no
//! single requests.

use super::error::Found;
use super::output::{Output, Unexpected, seconds};
use super::rows::{Origin, Row, Rows};
use model::{Nanos, Outcome, Told};
use serde::Deserialize;
use std::collections::BTreeMap;

const EXPECTED: &str = "what `oha --no-tui --output-format json` (or `csv`) prints";

/// The first line of the CSV.
const HEADER: &str = "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status";

/// What was still out when oha's time was up is counted by it as an error of
/// this name. It is none of the service's.
const CUT_OFF: &str = "aborted due to deadline";

/// The part of the JSON that is taken. Without an answer, times are `null`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    summary: Summary,
    latency_percentiles: BTreeMap<String, Option<f64>>,
    status_code_distribution: BTreeMap<u16, u64>,
    error_distribution: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    total: f64,
    slowest: Option<f64>,
    average: Option<f64>,
    requests_per_sec: f64,
}

/// What oha says of its run.
pub(super) fn read(text: &str) -> Result<Output, Unexpected> {
    let unexpected = |found| Unexpected { expected: EXPECTED, found };
    let first = text.lines().zip(1..).find(|(line, _)| !line.trim().is_empty());
    match first {
        Some((HEADER, number)) => read_csv(text, number).map_err(unexpected),
        Some((line, _)) if line.starts_with('{') => read_json(text).map_err(unexpected),
        Some((line, number)) => Err(unexpected(Found::line(number, line))),
        None => Err(unexpected(Found::End)),
    }
}

fn read_json(text: &str) -> Result<Output, Found> {
    let report: Report = serde_json::from_str(text).map_err(|error| match error.is_eof() {
        true => Found::End,
        false => {
            let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
            Found::line(error.line(), &format!("{} ({error})", line.trim()))
        }
    })?;
    let Report { summary, latency_percentiles, status_code_distribution, error_distribution } = report;
    let answered: u64 = status_code_distribution.values().sum();
    let of_statuses = |is: fn(u16) -> bool| {
        status_code_distribution.iter().filter(|(status, _)| is(**status)).map(|(_, n)| n).sum::<u64>()
    };
    let broken: u64 = error_distribution.iter().filter(|(name, _)| *name != CUT_OFF).map(|(_, n)| n).sum();
    let percentile = |name: &str| latency_percentiles.get(name).copied().flatten().and_then(seconds);
    let told = Told {
        requests: Some(answered + broken),
        failed: Some(of_statuses(|status| !is_ok(status)) + broken),
        rate_per_s: Some(summary.requests_per_sec),
        mean: summary.average.and_then(seconds),
        p50: percentile("p50"),
        p90: percentile("p90"),
        p95: percentile("p95"),
        p99: percentile("p99"),
        p999: percentile("p99.9"),
        max: summary.slowest.and_then(seconds),
        gave_samples: false,
    };
    Ok(Output { told, rows: None, length: seconds(summary.total) })
}

/// `number` is that of the header.
fn read_csv(text: &str, number: usize) -> Result<Output, Found> {
    let mut rows = Vec::new();
    for (line, number) in text.lines().zip(1..).skip(number) {
        rows.push(row(line).ok_or_else(|| Found::line(number, line))?);
    }
    let rows = Rows::new(rows, Origin::Own);
    // Of its own figures the CSV has none.
    let told = Told { gave_samples: rows.is_some(), ..Told::default() };
    Ok(Output { told, length: rows.as_ref().map(Rows::length), rows })
}

fn row(line: &str) -> Option<Row> {
    let columns: Vec<&str> = line.split(',').collect();
    let [start, _dns, _connected, first_byte, response, bytes, status] = columns[..] else { return None };
    let time = |text: &str| -> Option<Nanos> { seconds(text.parse().ok()?) };
    let status = status.parse().ok()?;
    Some(Row {
        start: time(start)?,
        // Zero stands for unknown there.
        first_byte: Some(time(first_byte)?).filter(|after| *after > Nanos::ZERO),
        response: time(response)?,
        status,
        outcome: if is_ok(status) { Outcome::Ok } else { Outcome::WrongStatus },
        bytes: bytes.parse().ok()?,
    })
}

/// oha knows of no expected status, so neither do we.
fn is_ok(status: u16) -> bool {
    (200..400).contains(&status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_json_is_taken_figure_by_figure() {
        let output = read(include_str!("fixtures/oha.json")).expect("oha's output");
        let expected = Told {
            requests: Some(400),
            failed: Some(0),
            rate_per_s: Some(201.397_209_281_149_43),
            mean: Some(Nanos(200_955)),
            p50: Some(Nanos(201_394)),
            p90: Some(Nanos(263_918)),
            p95: Some(Nanos(297_464)),
            p99: Some(Nanos(385_321)),
            p999: Some(Nanos(778_549)),
            max: Some(Nanos(778_549)),
            gave_samples: false,
        };
        assert_eq!(output.told, expected);
        assert_eq!(output.length, Some(Nanos(2_001_020_776)));
        assert!(output.rows.is_none());
    }

    #[test]
    fn broken_connections_are_failures_and_what_its_own_end_cut_off_is_not() {
        let told = |text| read(text).expect("oha's output").told;
        let errors = told(include_str!("fixtures/oha-errors.json"));
        assert_eq!((errors.requests, errors.failed), (Some(3_001), Some(61)));
        let refused = told(include_str!("fixtures/oha-refused.json"));
        assert_eq!((refused.requests, refused.failed), (Some(127_087), Some(127_087)));
        assert_eq!((refused.p99, refused.mean, refused.max), (None, None, None), "nothing is not zero");
    }

    #[test]
    fn its_csv_gives_every_request_on_a_clock_of_its_own() {
        let output = read(include_str!("fixtures/oha.csv")).expect("oha's output");
        assert!(output.told.gave_samples);
        let rows = output.rows.expect("rows");
        assert_eq!((rows.origin(), rows.first_start()), (Origin::Own, Nanos(1_377_890)));
        let counted = model::Span { began: Nanos::ZERO, ended: Nanos::from_secs(1) };
        let samples: Vec<model::Sample> = rows.samples(counted).collect();
        let (first, last) = (&samples[0], &samples[samples.len() - 1]);
        assert_eq!(samples.len(), 40);
        assert_eq!(
            (first.scheduled, first.done, first.first_byte),
            (Nanos::ZERO, Nanos(482_216), Some(Nanos(481_374)),)
        );
        assert_eq!(last.response_time(), Nanos(315_189));
    }

    #[test]
    fn other_output_is_refused_with_its_first_odd_line() {
        let refused = |text: &str| read(text).expect_err("not what oha prints").found;
        assert_eq!(refused(include_str!("fixtures/oha-text.txt")), Found::line(1, "Summary:"));
        assert_eq!(refused("\n\n"), Found::End);
        assert_eq!(refused("{\"summary\": {"), Found::End);
        let Found::Line { number: 2, text } = refused("{\n \"summary\": 5\n}") else {
            panic!("line 2 is odd")
        };
        assert!(text.starts_with("\"summary\": 5 (invalid type"), "{text}");
        let odd = refused(&format!("{HEADER}\n0.1,0,0,0.1,0.2,39,200\n0.1,0,0,0.1,soon,39,200\n"));
        assert_eq!(odd, Found::line(3, "0.1,0,0,0.1,soon,39,200"));
    }
}
