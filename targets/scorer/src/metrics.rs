//! What the service counts, in the Prometheus text exposition format (0.0.4).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Mutex;

use axum::http::StatusCode;

use crate::stalls::StallReport;

/// The content type of the format.
pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Answers by status.
#[derive(Default)]
pub(crate) struct Metrics {
    answers: Mutex<BTreeMap<u16, u64>>,
}

impl Metrics {
    pub(crate) fn count(&self, status: StatusCode) {
        *self.answers.lock().expect("counting does not panic").entry(status.as_u16()).or_default() += 1;
    }

    /// The page, with the stalls of the present plan.
    pub(crate) fn page(&self, stalls: &StallReport) -> String {
        let stalled_ns: u64 = stalls.stalls.iter().map(|stall| stall.ended_ns - stall.began_ns).sum();
        let answers = self.answers.lock().expect("counting does not panic");
        let by_status =
            answers.iter().map(|(status, count)| (format!("{{status=\"{status}\"}}"), *count as f64));
        let mut page = String::new();
        family(&mut page, ("scorer_requests_total", "counter", "Requests answered, by status."), by_status);
        let single = |value| [(String::new(), value)];
        family(
            &mut page,
            ("scorer_stalls_planned", "gauge", "Stalls that the present plan holds."),
            single(stalls.planned as f64),
        );
        family(
            &mut page,
            ("scorer_stalls", "gauge", "Stalls of the present plan that are over."),
            single(stalls.stalls.len() as f64),
        );
        family(
            &mut page,
            ("scorer_stalled_seconds", "gauge", "Time stood still under the present plan."),
            single(stalled_ns as f64 / 1e9),
        );
        page
    }
}

/// One metric with its labelled values.
fn family(
    page: &mut String,
    (name, kind, help): (&str, &str, &str),
    values: impl IntoIterator<Item = (String, f64)>,
) {
    const TAKES_ALL: &str = "a string takes all that is written";
    writeln!(page, "# HELP {name} {help}\n# TYPE {name} {kind}").expect(TAKES_ALL);
    for (labels, value) in values {
        writeln!(page, "{name}{labels} {value}").expect(TAKES_ALL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stalls::Stall;

    #[test]
    fn the_page_holds_every_status_and_the_stalls() {
        let metrics = Metrics::default();
        for status in [StatusCode::OK, StatusCode::NOT_FOUND, StatusCode::OK] {
            metrics.count(status);
        }
        let stalls = vec![
            Stall { began_ns: 0, ended_ns: 100_000_000 },
            Stall { began_ns: 500_000_000, ended_ns: 650_000_000 },
        ];
        let page = metrics.page(&StallReport { planned: 3, stalls });
        assert_eq!(
            page,
            "# HELP scorer_requests_total Requests answered, by status.\n\
             # TYPE scorer_requests_total counter\n\
             scorer_requests_total{status=\"200\"} 2\n\
             scorer_requests_total{status=\"404\"} 1\n\
             # HELP scorer_stalls_planned Stalls that the present plan holds.\n\
             # TYPE scorer_stalls_planned gauge\n\
             scorer_stalls_planned 3\n\
             # HELP scorer_stalls Stalls of the present plan that are over.\n\
             # TYPE scorer_stalls gauge\n\
             scorer_stalls 2\n\
             # HELP scorer_stalled_seconds Time stood still under the present plan.\n\
             # TYPE scorer_stalled_seconds gauge\n\
             scorer_stalled_seconds 0.25\n"
        );
    }
}
