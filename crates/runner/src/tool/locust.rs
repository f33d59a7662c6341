//! Reads what Locust leaves in its folder: `requests.csv`, which
//! `plans/locustfile.py` writes, one line a request; and `*_stats.csv`, which
//! `locust --csv` writes, for Locust's own figures.
//!
//! Locust rounds response times before it counts them (above 100 ms to two
//! digits, below to whole milliseconds), so its percentiles are coarser than
//! its mean and maximum. It writes that file once a second and not at its end:
//! its last second may be missing there.

use super::error::{Found, ToolProblem};
use super::output::{Output, Unexpected, seconds};
use super::rows::{Origin, Row, Rows};
use model::{Nanos, Outcome, Told};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Every request, in the tool's folder.
pub(super) const REQUESTS: &str = "requests.csv";

const REQUESTS_HEADER: &str = "start_ns,response_ns,status,outcome,bytes";
const EXPECTED_REQUESTS: &str = "lines of start_ns,response_ns,status,outcome,bytes in $DOORCLOCK_OUT/requests.csv, as plans/locustfile.py writes";

const STATS: &str = "_stats.csv";
const EXPECTED_STATS: &str = "$DOORCLOCK_OUT/NAME_stats.csv as `locust --csv $DOORCLOCK_OUT/NAME` writes it";
const EXPECTED: &str =
    "$DOORCLOCK_OUT/requests.csv from plans/locustfile.py, or `locust --csv $DOORCLOCK_OUT/NAME`";

/// Reads both files; one of them must be there.
pub(super) fn read(folder: &Path) -> Result<Output, ToolProblem> {
    let requests = read_file(&folder.join(REQUESTS))?;
    let stats = stats_path(folder)?.map(|path| read_file(&path)).transpose()?.flatten();
    if requests.is_none() && stats.is_none() {
        return Err(ToolProblem::Output { expected: EXPECTED, found: Found::NoFile });
    }
    let told = stats.map(|text| read_stats(&text)).transpose()?.unwrap_or_default();
    let rows = requests.map(|text| read_requests(&text)).transpose()?.flatten();
    let told = Told { gave_samples: rows.is_some(), ..told };
    Ok(Output { told, length: rows.as_ref().map(Rows::length), rows })
}

fn read_file(path: &Path) -> Result<Option<String>, ToolProblem> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(ToolProblem::File { doing: "read", path: path.to_owned(), source }),
    }
}

/// The first of them by name, should there be several.
fn stats_path(folder: &Path) -> Result<Option<PathBuf>, ToolProblem> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let entries =
        entries.map_err(|source| ToolProblem::File { doing: "read", path: folder.to_owned(), source })?;
    let paths = entries.into_iter().map(|entry| entry.path());
    Ok(paths.filter(|path| path.to_string_lossy().ends_with(STATS)).min())
}

fn read_requests(text: &str) -> Result<Option<Rows>, Unexpected> {
    let unexpected = |found| Unexpected { expected: EXPECTED_REQUESTS, found };
    // A tool that is killed may leave half a line; what it wrote by then holds.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut lines = whole.lines().zip(1..);
    match lines.next() {
        Some((REQUESTS_HEADER, _)) => {}
        Some((line, number)) => return Err(unexpected(Found::line(number, line))),
        None => return Err(unexpected(Found::End)),
    }
    let rows = lines.map(|(line, number)| row(line).ok_or_else(|| unexpected(Found::line(number, line))));
    Ok(Rows::new(rows.collect::<Result<Vec<Row>, Unexpected>>()?, Origin::Monotonic))
}

fn row(line: &str) -> Option<Row> {
    let columns: Vec<&str> = line.split(',').collect();
    let [start, response, status, outcome, bytes] = columns[..] else { return None };
    Some(Row {
        start: Nanos(start.parse().ok()?),
        first_byte: None,
        response: Nanos(response.parse().ok()?),
        status: status.parse().ok()?,
        outcome: Outcome::ALL.into_iter().find(|known| known.name() == outcome)?,
        bytes: bytes.parse().ok()?,
    })
}

/// The row over all requests. Its columns are found by name: their number has
/// changed between versions.
fn read_stats(text: &str) -> Result<Told, Unexpected> {
    let unexpected = |found| Unexpected { expected: EXPECTED_STATS, found };
    let header = text.lines().next().ok_or_else(|| unexpected(Found::End))?;
    let names: Vec<&str> = header.split(',').collect();
    if names.get(1) != Some(&"Name") || !names.contains(&"Request Count") {
        return Err(unexpected(Found::line(1, header)));
    }
    let all = text.lines().zip(1..).find(|(line, _)| line.starts_with(",Aggregated,"));
    let (line, number) = all.ok_or_else(|| unexpected(Found::End))?;
    let values: Vec<&str> = line.split(',').collect();
    let value = |name: &str| {
        let at = names.iter().position(|known| *known == name)?;
        values.get(at).copied()
    };
    let count = |name| value(name)?.parse::<u64>().ok();
    // "N/A" where there was no request.
    let millis = |name| seconds(value(name)?.parse::<f64>().ok()? / 1e3);
    let requests = count("Request Count").ok_or_else(|| unexpected(Found::line(number, line)))?;
    let of_some = |time: Option<Nanos>| time.filter(|_| requests > 0);
    Ok(Told {
        requests: Some(requests),
        failed: count("Failure Count"),
        rate_per_s: value("Requests/s").and_then(|text| text.parse().ok()),
        mean: of_some(millis("Average Response Time")),
        p50: of_some(millis("50%")),
        p90: of_some(millis("90%")),
        p95: of_some(millis("95%")),
        p99: of_some(millis("99%")),
        p999: of_some(millis("99.9%")),
        max: of_some(millis("Max Response Time")),
        gave_samples: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATS_TEXT: &str = include_str!("fixtures/locust_stats.csv");
    const REQUESTS_TEXT: &str = include_str!("fixtures/requests.csv");

    #[test]
    fn its_own_figures_are_those_of_the_row_over_all() {
        let expected = Told {
            requests: Some(2_184),
            failed: Some(0),
            rate_per_s: Some(547.249_096_208_226_5),
            mean: Some(Nanos(1_395_258)),
            p50: Some(Nanos::from_millis(1)),
            p90: Some(Nanos::from_millis(2)),
            p95: Some(Nanos::from_millis(2)),
            p99: Some(Nanos::from_millis(3)),
            p999: Some(Nanos::from_millis(3)),
            max: Some(Nanos(6_554_878)),
            gave_samples: false,
        };
        assert_eq!(read_stats(STATS_TEXT), Ok(expected));
    }

    #[test]
    fn times_of_no_request_are_unknown() {
        let header = STATS_TEXT.lines().next().expect("a header");
        let told = read_stats(&format!("{header}\n,Aggregated,0,0,0,0.0,0,0,0.0,0.0,0.0,N/A,N/A,N/A\n"));
        let expected = Told { requests: Some(0), failed: Some(0), rate_per_s: Some(0.0), ..Told::default() };
        assert_eq!(told, Ok(expected));
    }

    #[test]
    fn every_request_is_taken_and_half_a_line_left_out() {
        let rows = read_requests(REQUESTS_TEXT).expect("requests").expect("some");
        assert_eq!((rows.origin(), rows.first_start()), (Origin::Monotonic, Nanos(22_848_742_914_337)));
        let counted = model::Span { began: Nanos::ZERO, ended: Nanos::from_secs(1) };
        let whole = rows.samples(counted).count();
        assert_eq!(whole, REQUESTS_TEXT.lines().count() - 1);
        let cut = &REQUESTS_TEXT[..REQUESTS_TEXT.len() - 4];
        let rows = read_requests(cut).expect("requests").expect("some");
        assert_eq!(rows.samples(counted).count(), whole - 1);
    }

    #[test]
    fn every_outcome_is_known_by_its_name() {
        for outcome in Outcome::ALL {
            let row = row(&format!("5,7,0,{},0", outcome.name())).expect("a row");
            assert_eq!((row.outcome, row.start, row.response), (outcome, Nanos(5), Nanos(7)));
        }
    }

    #[test]
    fn other_lines_are_refused_with_the_first_odd_one() {
        let refused = |text: &str| read_requests(text).expect_err("not what we write").found;
        assert_eq!(refused(""), Found::End);
        assert_eq!(refused("when,what\n"), Found::line(1, "when,what"));
        for odd in ["5,7,200,fine,0", "5,7,200,ok", "-5,7,200,ok,0", "5,7,200,ok,0,0"] {
            assert_eq!(refused(&format!("{REQUESTS_HEADER}\n1,1,200,ok,2\n{odd}\n")), Found::line(3, odd));
        }
        let refused = |text: &str| read_stats(text).expect_err("not what Locust writes").found;
        assert_eq!(refused(""), Found::End);
        assert_eq!(refused("Method,Name,# reqs\n"), Found::line(1, "Method,Name,# reqs"));
        let (without_all, _) = STATS_TEXT.rsplit_once(",Aggregated").expect("the last row");
        assert_eq!(refused(without_all), Found::End);
    }
}
