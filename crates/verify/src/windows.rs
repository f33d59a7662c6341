//! Twelve windows of a run, and how many requests lie near the mean.

use crate::check::{Computed, List};
use crate::record::Part;
use crate::samples::Row;
use crate::times::{Times, response};

const WINDOWS: u64 = 12;
/// Requests that a window holds at least on average, or there are no windows.
const FEWEST: u64 = 100;

/// Everything that is reported of windows. `counted` are all counted requests.
pub(crate) fn list(counted: &[&Row], part: Part, timeout: u64, list: &mut List) {
    if (counted.len() as u64) / WINDOWS < FEWEST {
        return list.add("windows", Computed::Nothing);
    }
    let offset = |at: u64| u64::try_from(u128::from(part.length()) * u128::from(at) / u128::from(WINDOWS));
    for at in 0..WINDOWS {
        // What a loop sent at the very end belongs to the last window, and
        // what came before the first moment to the first.
        let is_inside = |row: &&&Row| {
            let from = if at == 0 { 0 } else { part.edge(at, WINDOWS) };
            let to = if at + 1 == WINDOWS { u64::MAX } else { part.edge(at + 1, WINDOWS) };
            from <= row.scheduled && (row.scheduled < to || to == u64::MAX)
        };
        let times = Times::new(counted.iter().filter(is_inside).map(|row| response(row, timeout)));
        let p99 = times.percentile("p99");
        let (began, ended) = (offset(at).unwrap_or(u64::MAX), offset(at + 1).unwrap_or(u64::MAX));
        list.real(format!("windows.{at}.began_s"), Some(began as f64 / 1e9));
        list.real(format!("windows.{at}.length_s"), Some((ended - began) as f64 / 1e9));
        list.whole(format!("windows.{at}.n"), times.n());
        list.maybe(format!("windows.{at}.p99_ns"), p99);
        list.flag(format!("windows.{at}.at_least"), Some(p99.is_some_and(|p99| times.is_lower_bound(p99))));
    }
    list.add(format!("windows.{WINDOWS}"), Computed::Nothing);
}

/// The share of requests within 10 % of the mean.
pub(crate) fn near_mean(times: &Times) -> Option<f64> {
    let n = times.n();
    let sum: u128 = times.sorted.iter().map(|length| u128::from(*length)).sum();
    if n == 0 {
        return None;
    }
    let mean = sum as f64 / n as f64;
    let (low, high) = (mean * 0.9, mean * 1.1);
    let near = times.sorted.iter().filter(|length| low <= **length as f64 && **length as f64 <= high).count();
    Some(near as f64 / n as f64)
}
