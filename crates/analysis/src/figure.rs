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
    let exact_s =
        |point: Option<Point>| point.filter(|point| !point.at_least).map(|point| point.value.as_secs_f64());
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
        "accepted" => Some(run.completion.as_ref()?.accepted as f64),
        "done" => Some(run.completion.as_ref()?.done as f64),
        "given_up" => Some(run.completion.as_ref()?.given_up as f64),
        "result_p50_s" => exact_s(run.completion.as_ref()?.submit_to_result.p50),
        "result_p95_s" => exact_s(run.completion.as_ref()?.submit_to_result.p95),
        "result_max_s" => exact_s(run.completion.as_ref()?.submit_to_result.max),
        "waiting_peak" => Some(run.completion.as_ref()?.peak as f64),
        "drained_after_s" => run.completion.as_ref()?.drained_after.map(Nanos::as_secs_f64),
        "cpu_us_per_request" => run.tester.cpu_ns_per_request.map(|ns| ns / 1e3),
        "core_share" => run.tester.core_share,
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::summary;
    use crate::{ExperimentFacts, experiment};
    use model::Nanos;

    fn of(change: impl Fn(&mut RunSummary), name: &str) -> Option<Vec<f64>> {
        let mut runs = vec![summary("a", 2, 8.0), summary("a", 1, 7.5), summary("b", 1, 1.0)];
        change(&mut runs[0]);
        experiment(ExperimentFacts::default(), runs).figure("a", name)
    }

    #[test]
    fn a_figure_has_a_value_for_every_round_in_their_order_and_its_unit() {
        assert_eq!(of(|_| {}, "p99_ms"), Some(vec![7.5, 8.0]));
        assert_eq!(of(|run| run.scheduled = 9, "scheduled"), Some(vec![15_000.0, 9.0]));
        assert_eq!(of(|_| {}, "kept_up"), Some(vec![1.0, 1.0]));
        assert_eq!(of(|run| run.kept_up.kept_up = Some(false), "kept_up"), Some(vec![1.0, 0.0]));
        let cpu = of(|_| {}, "cpu_us_per_request");
        assert_eq!(cpu, Some(vec![20.0, 20.0]));
    }

    #[test]
    fn what_one_round_does_not_know_is_not_known() {
        assert_eq!(of(|run| run.verdict = Verdict::Void, "p99_ms"), None);
        assert_eq!(of(|run| run.response_time.p99.as_mut().unwrap().at_least = true, "p99_ms"), None);
        assert_eq!(of(|run| run.response_time.censored = 1, "mean_ms"), None);
        assert_eq!(of(|run| run.kept_up.kept_up = None, "kept_up"), None);
        assert_eq!(of(|run| run.windows.clear(), "first_window_p99_ms"), None);
        assert_eq!(of(|_| {}, "corrected_replay_p99_ms"), None);
        assert_eq!(of(|_| {}, "p42_ms"), None);
        assert_eq!(
            experiment(ExperimentFacts::default(), vec![summary("a", 1, 1.0)]).figure("z", "ok"),
            None
        );
    }

    #[test]
    fn windows_stalls_and_corrections_have_figures() {
        let windows = of(
            |run| run.windows[0].p99.as_mut().unwrap().value = Nanos::from_millis(3),
            "first_window_p99_ms",
        );
        assert_eq!(windows.map(|values| values[1]), Some(3.0));
        assert!(
            of(|_| {}, "near_mean_share").is_some_and(|shares| shares.iter().all(|s| *s > 0.0 && *s < 0.3))
        );
    }
}
