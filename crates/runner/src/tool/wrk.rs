//! Reads what `wrk --latency` prints.
//!
//! wrk keeps no time of single requests, so there are no samples. Its
//! percentiles are of a closed loop in which it has, without saying so, added
//! requests that it did not send: for each response slower than twice the mean
//! interval between requests, those that would have waited behind it.

use super::error::Found;
use super::output::{Output, Unexpected, seconds};
use model::{Nanos, Told};

const EXPECTED: &str = "what `wrk --latency` prints";

/// Everything of wrk's output that is taken.
#[derive(Default)]
struct Report {
    told: Told,
    not_ok: u64,
    socket_errors: u64,
    length: Option<Nanos>,
    /// The first line that is none of wrk's.
    odd: Option<Found>,
}

/// What wrk says of its run.
pub(super) fn read(text: &str) -> Result<Output, Unexpected> {
    let mut report = Report::default();
    for (at, line) in text.lines().enumerate() {
        if report.read(line).is_none() && report.odd.is_none() {
            // A script of the user's may print as well, so an odd line is an
            // error only if something is missing in the end.
            report.odd = Some(Found::line(at + 1, line));
        }
    }
    report.finish()
}

impl Report {
    /// `None` for a line that wrk does not print.
    fn read(&mut self, line: &str) -> Option<()> {
        let line = line.trim();
        let told = &mut self.told;
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim();
        match first {
            "" | "Running" | "Thread" | "Req/Sec" | "Transfer/sec:" | "75%" => {}
            "Latency" if rest == "Distribution" => {}
            "Latency" => {
                let mut columns = rest.split_whitespace();
                told.mean = Some(time(columns.next()?)?);
                told.max = Some(time(columns.nth(1)?)?);
            }
            "50%" => told.p50 = Some(time(rest)?),
            "90%" => told.p90 = Some(time(rest)?),
            "99%" => told.p99 = Some(time(rest)?),
            "Non-2xx" => self.not_ok = rest.rsplit(' ').next()?.parse().ok()?,
            "Socket" => self.socket_errors = socket_errors(rest)?,
            "Requests/sec:" => told.rate_per_s = Some(rest.parse().ok()?),
            _ if rest.starts_with("requests in ") => {
                told.requests = Some(first.parse().ok()?);
                self.length = Some(time(rest.strip_prefix("requests in ")?.split(',').next()?)?);
            }
            _ if rest.contains("threads and ") => {}
            _ => return None,
        }
        Some(())
    }

    fn finish(self) -> Result<Output, Unexpected> {
        let Report { told, not_ok, socket_errors, length, odd } = self;
        let whole = told.mean.is_some() && told.p99.is_some() && told.rate_per_s.is_some();
        if !whole || length.is_none() {
            return Err(Unexpected { expected: EXPECTED, found: odd.unwrap_or(Found::End) });
        }
        let told = Told { failed: Some(not_ok + socket_errors), ..told };
        Ok(Output { told, rows: None, length })
    }
}

/// The sum of `errors: connect 0, read 141, write 0, timeout 4`.
fn socket_errors(text: &str) -> Option<u64> {
    let counts = text.strip_prefix("errors: ")?.split(", ");
    counts.map(|count| count.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}

/// `54.39us`, `3.97ms`, `2.00s`, `1.50m`, `1.00h`.
fn time(text: &str) -> Option<Nanos> {
    let unit = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(unit);
    let in_seconds = match unit {
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3_600.0,
        _ => return None,
    };
    seconds(number.parse::<f64>().ok()? * in_seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &Told) {
        let output = read(text).expect("wrk's output");
        assert_eq!(output.told, *expected);
        assert!(output.rows.is_none());
    }

    #[test]
    fn what_wrk_prints_is_taken_figure_by_figure() {
        let expected = Told {
            requests: Some(116_216),
            failed: Some(0),
            rate_per_s: Some(58_091.12),
            mean: Some(Nanos(77_550)),
            p50: Some(Nanos(64_000)),
            p90: Some(Nanos(102_000)),
            p99: Some(Nanos(188_000)),
            max: Some(Nanos(4_090_000)),
            ..Told::default()
        };
        check(include_str!("fixtures/wrk-latency.txt"), &expected);
        let length = read(include_str!("fixtures/wrk-latency.txt")).expect("wrk's output").length;
        assert_eq!(length, Some(Nanos::from_secs(2)));
    }

    #[test]
    fn other_statuses_and_broken_connections_are_failures() {
        let failed = |text| read(text).expect("wrk's output").told.failed;
        assert_eq!(failed(include_str!("fixtures/wrk-404.txt")), Some(168_093));
        assert_eq!(failed(include_str!("fixtures/wrk-errors.txt")), Some(145));
    }

    #[test]
    fn output_without_percentiles_or_of_another_program_is_refused_with_its_first_odd_line() {
        let refused = |text| read(text).expect_err("not what wrk prints").found;
        assert_eq!(refused(include_str!("fixtures/wrk-plain.txt")), Found::End);
        assert_eq!(refused(""), Found::End);
        let odd = refused("Running 2s test\nSegmentation fault\nLatency 1ms\n");
        assert_eq!(odd, Found::line(2, "Segmentation fault"));
        let odd = refused("    Latency    54.39parsecs  132.08us   3.97ms   99.43%\n");
        assert_eq!(odd, Found::line(1, "    Latency    54.39parsecs  132.08us   3.97ms   99.43%"));
    }

    #[test]
    fn a_script_may_print_too() {
        let text = format!("{}my own words\n", include_str!("fixtures/wrk-latency.txt"));
        assert_eq!(read(&text).expect("wrk's output").told.requests, Some(116_216));
    }

    #[test]
    fn every_unit_of_time_is_read() {
        for (text, nanos) in [
            ("1.00us", 1_000),
            ("2.50ms", 2_500_000),
            ("1.00s", 1_000_000_000),
            ("1.50m", 90_000_000_000),
            ("1.00h", 3_600_000_000_000),
        ] {
            assert_eq!(time(text), Some(Nanos(nanos)), "{text}");
        }
        assert_eq!((time("5"), time("-nans"), time("us")), (None, None, None));
    }
}
