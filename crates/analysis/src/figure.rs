//! The figures that guesses are judged by: one number for each round of an arm.

use crate::summary::{ArmSummary, Point, RunSummary, Summary, Verdict};
use model::Nanos;

impl Summary {
    /// The value of a figure in every round of an arm, in the order of the
    /// rounds. `None` if there is no such arm or figure, or its value is not
    /// known in all of them: a void run, or a lower bound, tells none.
    pub fn figure(&self, arm: &str, name: &str) -> Option<Vec<f64>> {
        let arm: &ArmSummary = self.arms.iter().find(|one| one.name == arm)?;
        arm.runs.iter().map(|run| figure(run, name)).collect()
    }
}

fn figure(run: &RunSummary, name: &str) -> Option<f64> {
    if run.verdict == Verdict::Void {
        return None;
    }
    let ms = |nanos: Nanos| nanos.0 as f64 / 1e6;
    let exact = |point: Option<Point>| point.filter(|point| !point.at_least).map(|point| ms(point.value));
    let (response, service, late) = (&run.response_time, &run.service_time, &run.lateness.all);
    let corrected = run.corrected.as_ref();
    let stalls = run.stalls.as_ref();
    match name {
        "p50_ms" => exact(response.p50),
        "p90_ms" => exact(response.p90),
        "p95_ms" => exact(response.p95),
        "p99_ms" => exact(response.p99),
        "p999_ms" => exact(response.p999),
        "max_ms" => exact(response.max),
        "mean_ms" => response.mean.filter(|_| response.censored == 0).map(|mean| mean / 1e6),
        "service_p50_ms" => exact(service.p50),
        "service_p99_ms" => exact(service.p99),
        "service_max_ms" => exact(service.max),
        "late_p50_ms" => exact(late.p50),
        "late_p99_ms" => exact(late.p99),
        "corrected_hdr_p99_ms" => corrected?.hdr.map(ms),
        "corrected_utilisation_p99_ms" => corrected?.utilisation.map(ms),
        "corrected_replay_p99_ms" => corrected?.replay.map(ms),
        "rate_per_s" => Some(run.rate_per_s),
        "kept_up" => run.kept_up.kept_up.map(|kept_up| f64::from(u8::from(kept_up))),
        "scheduled" => Some(run.scheduled as f64),
        "ok" => Some(run.ok as f64),
        "failed" => Some(run.failed_total() as f64),
        "unfinished" => Some(run.unfinished as f64),
        "never_sent" => Some(run.never_sent as f64),
        "episodes" => Some(run.p99_interval.episodes as f64).filter(|_| run.facts.tool.is_none()),
        "stalls" => Some(stalls?.seen as f64),
        "sent_during_stalls" => Some(stalls?.sent_during as f64),
        "first_window_p99_ms" => exact(run.windows.first()?.p99),
        "near_mean_share" => run.near_mean,
        "overlapped_share" => Some(stalls?.overlapped_share),
        "cpu_us_per_request" => run.tester.cpu_ns_per_request.map(|ns| ns / 1e3),
        "core_share" => run.tester.core_share,
        _ => None,
    }
}
