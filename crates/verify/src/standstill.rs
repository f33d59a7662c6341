//! Stalls of a service that tells of none, as they show in the samples.
//!
//! The counted part is cut into 20,000 bins. A bin is quiet if no answer came
//! in it although requests were out, when it began or more and more of them
//! towards its end. Two quiet bins or more in a row that an answer or an empty
//! line ends are a stall, if longer than three times the p95 of service times
//! and than twenty times the mean gap between answers.

use crate::record::{Part, Stall};
use crate::samples::Row;

const BINS: u64 = 20_000;

/// The stalls, in order.
pub(crate) fn stalls(rows: &[Row], part: Part, p95: u64) -> Vec<Stall> {
    let moments = |of: &dyn Fn(&Row) -> Option<u64>| {
        let mut moments: Vec<u64> = rows.iter().filter_map(of).collect();
        moments.sort_unstable();
        moments
    };
    let sent = moments(&|row| row.sent);
    let done = moments(&|row| row.sent.map(|_| row.done));
    let answered =
        moments(&|row| row.sent.filter(|_| row.is_answered() && part.holds(row.done)).map(|_| row.done));
    let usual_gap = part.length() / (answered.len() as u64).max(1);
    let least = p95.saturating_mul(3).max(usual_gap.saturating_mul(20));
    let before = |moments: &[u64], at: u64| {
        let edge = part.edge(at, BINS);
        moments.partition_point(|moment| *moment < edge) as i64
    };
    let out = |at: u64| before(&sent, at) - before(&done, at);
    let is_quiet = |bin: u64| {
        let was_out = out(bin) > 0 || out(bin + 1) > out(bin);
        was_out && before(&answered, bin) == before(&answered, bin + 1)
    };
    let quiet: Vec<bool> = (0..BINS).map(is_quiet).collect();
    let bin = part.length() as f64 / BINS as f64;
    // A stretch counts once a bin that is not quiet has ended it inside the part.
    let ends = (1..BINS).filter(|at| !quiet[*at as usize] && quiet[*at as usize - 1]);
    let stretches = ends.map(|end| {
        let length = quiet[..end as usize].iter().rev().take_while(|quiet| **quiet).count() as u64;
        (end - length, end)
    });
    let long = stretches.filter(|(began, ended)| {
        let length = ended - began;
        length >= 2 && (length as f64 * bin) as u64 > least
    });
    let moment = |at: u64| {
        let offset = u128::from(part.length()) * u128::from(at) / u128::from(BINS);
        part.began + u64::try_from(offset).unwrap_or(u64::MAX)
    };
    long.map(|(began, ended)| Stall { began_ns: moment(began), ended_ns: moment(ended) }).collect()
}
