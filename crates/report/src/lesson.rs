//! What the demo teaches: one service with stalls, asked by a closed loop, a
//! paced loop and an open loop, each also with the service calm.
//!
//! Every sentence is made from the figures of the runs at hand. Should they
//! come out otherwise than expected, the sentences say that instead.

use crate::arms::{self, Pair};
use crate::numbers::{count, counted, measured, share, times};
use analysis::{Point, RunSummary, StallFigures, Summary, Verdict};

/// Two p99s closer than this factor are called the same: two runs of an
/// unchanged service differ by some per cent as it is. A choice for the demo's
/// words, whose testers differ many times over; no test of significance.
const SAME_WITHIN: f64 = 1.25;

/// One tester, with the service calm and with it standing still now and then.
pub(crate) struct Tester<'a> {
    /// The tester's load in few words.
    pub(crate) label: String,
    /// Its run against the calm service.
    pub(crate) calm: Option<&'a RunSummary>,
    /// Its run against the stalling one.
    pub(crate) stalled: Option<&'a RunSummary>,
}

/// The demo's three testers.
pub(crate) struct Lesson<'a> {
    /// One connection that sends again after each answer.
    pub(crate) closed: Tester<'a>,
    /// Several, which also aim at a rate.
    pub(crate) paced: Option<Tester<'a>>,
    /// Arrivals on their own clock.
    pub(crate) open: Tester<'a>,
}

impl<'a> Lesson<'a> {
    /// The lesson in an experiment that has the demo's arms, else `None`.
    pub(crate) fn of(summary: &'a Summary) -> Option<Lesson<'a>> {
        let tester = |name| {
            arms::pair(summary, name).map(|Pair { label, calm, stalled }| Tester {
                label,
                calm: calm.and_then(arms::first_run),
                stalled: stalled.and_then(arms::first_run),
            })
        };
        Some(Lesson { closed: tester("closed-1")?, paced: tester("paced"), open: tester("open")? })
    }

    /// Its testers, in the order in which they are shown.
    pub(crate) fn testers(&self) -> impl Iterator<Item = &Tester<'a>> {
        [Some(&self.closed), self.paced.as_ref(), Some(&self.open)].into_iter().flatten()
    }

    /// What follows from the figures: what the closed loop saw, what users
    /// met, and how far the two disagree.
    pub(crate) fn sentences(&self) -> Vec<String> {
        vec![self.what_the_closed_loop_saw(), self.what_users_met(), self.how_far_they_disagree()]
    }

    fn what_the_closed_loop_saw(&self) -> String {
        let Some((calm, stalled)) = self.closed.both() else { return self.closed.unusable("closed") };
        let Some(stalls) = self.closed.stalls_seen() else {
            return "No stall is known to have met the closed loop, so it had none to miss.".into();
        };
        let (before, after) = (p99(calm), p99(stalled));
        let is_a_stall = match (stalled.response_time.p99, stalls.mean_length) {
            (Some(p99), Some(length)) => p99.value.0 * 2 >= length.0,
            _ => true,
        };
        match ratio(stalled, calm) {
            moved if moved > SAME_WITHIN && !is_a_stall => format!(
                "The closed loop's p99 rose from {before} to {after}, far less than a stall is long: something \
                 else moved it. It sent {} while the service stood still.",
                sent_while_still(stalls)
            ),
            moved if moved > SAME_WITHIN => format!(
                "This time the closed loop did notice the stalls: its p99 rose from {before} to {after}."
            ),
            moved if moved < 1.0 / SAME_WITHIN => format!(
                "The closed loop's p99 fell from {before} to {after} with stalls: something else moved it."
            ),
            _ => format!(
                "The closed loop reports a service without stalls (p99 {after}, {before} when calm): it \
                 waited with the service, and sent {} while it stood still.",
                sent_while_still(stalls)
            ),
        }
    }

    fn what_users_met(&self) -> String {
        let Some(stalled) = usable(self.open.stalled) else { return self.open.unusable("open") };
        let Some(stalls) = self.open.stalls_seen() else {
            return "No stall is known to have met the open loop, so its p99 says nothing of stalls.".into();
        };
        let rate = stalled.load().target_rate().map_or("this rate".into(), |rate| rate.to_string());
        let asked = match stalled.never_sent {
            0 => "the open loop asked them all".to_owned(),
            missed => format!("the open loop asked all but {} of them", count(missed)),
        };
        let met = share(stalls.overlapped_share);
        let saw = self.what_the_open_loop_saw(stalled, stalls);
        format!("Users do not wait for each other. At {rate}, {met} of them met a stall; {asked}: {saw}.")
    }

    fn what_the_open_loop_saw(&self, stalled: &RunSummary, stalls: &StallFigures) -> String {
        let after = p99(stalled);
        let Some((calm, _)) = self.open.both() else { return format!("its p99 is {after}") };
        let before = p99(calm);
        match ratio(stalled, calm) {
            moved if moved > SAME_WITHIN => format!("its p99 rose from {before} to {after}"),
            _ if stalls.overlapped_share < 0.01 => format!(
                "fewer than 1 in 100, so its p99 cannot show the stalls ({before} calm, {after} with them)"
            ),
            moved if moved < 1.0 / SAME_WITHIN => {
                format!("yet its p99 fell from {before} to {after}, so something else moved it")
            }
            _ => format!("yet its p99 hardly moved ({before} calm, {after} with stalls)"),
        }
    }

    fn how_far_they_disagree(&self) -> String {
        let (Some(closed), Some(open)) = (usable(self.closed.stalled), usable(self.open.stalled)) else {
            return "Without figures from both, the closed and the open loop cannot be compared.".into();
        };
        let both = format!(
            "Of one service {}, the closed loop says {} and the open loop {}",
            self.with_which_stalls(),
            p99(closed),
            p99(open)
        );
        match ratio(open, closed) {
            much if much > SAME_WITHIN => format!("{both}: {} times as much.", times(much)),
            much if much < 1.0 / SAME_WITHIN => {
                format!("{both}: here the closed loop reports the longer wait.")
            }
            _ => format!("{both}: here the two agree to within a quarter."),
        }
    }

    fn with_which_stalls(&self) -> String {
        match (self.closed.stalls_seen(), self.open.stalls_seen()) {
            (Some(closed), Some(open)) if closed.seen == open.seen => "with the same stalls".into(),
            (Some(closed), Some(open)) => {
                format!("with stalls ({} and {} of them)", count(closed.seen), count(open.seen))
            }
            _ => "without stalls that we know of".into(),
        }
    }

    /// What corrections make of the paced loop's p99, beside what the open loop
    /// measured.
    pub(crate) fn correction(&self) -> Option<String> {
        let paced = usable(self.paced.as_ref()?.stalled)?;
        let corrected = paced.corrected.as_ref()?;
        let says = |p99: Option<model::Nanos>| p99.map(|p99| p99.to_string());
        // One assumption is common to both rules, and is the one that fails most often.
        let made = match (says(corrected.utilisation), says(corrected.hdr)) {
            (Some(ours), Some(hdr)) => format!(
                "becomes {ours} (HdrHistogram's rule: {hdr}) if each slow request was a stall of the whole service"
            ),
            (None, Some(only)) | (Some(only), None) => {
                format!("becomes {only} if each slow request was a stall of the whole service")
            }
            (None, None) => "cannot be corrected".into(),
        };
        let open = usable(self.open.stalled)?;
        Some(format!(
            "Corrected after the fact, the paced loop's {} {made}; the open loop measured {}.",
            corrected.raw,
            p99(open)
        ))
    }

    /// All that the corrections assume, and why one is missing.
    pub(crate) fn assumptions(&self) -> Option<String> {
        let corrected = usable(self.paced.as_ref()?.stalled)?.corrected.as_ref()?;
        let assumes: Vec<&str> = corrected.assumptions.iter().map(|one| one.trim_end_matches('.')).collect();
        (!assumes.is_empty()).then(|| format!("How it is corrected: {}.", assumes.join("; ")))
    }

    /// The one sentence that answers the demo's question.
    pub(crate) fn answer(&self) -> String {
        self.how_far_they_disagree()
    }

    /// The flag that asks openly, at the rate of the open loop.
    pub(crate) fn advice(&self) -> Option<String> {
        let rate = self.open.stalled?.load().target_rate()?;
        Some(format!("doorclock URL -r {}/s", rate.as_per_second()))
    }
}

impl Tester<'_> {
    /// Both runs, if both have a p99 that may be used.
    fn both(&self) -> Option<(&RunSummary, &RunSummary)> {
        Some((usable(self.calm)?, usable(self.stalled)?))
    }

    /// The stalls of its stalled run, if the service reports any.
    fn stalls_seen(&self) -> Option<&StallFigures> {
        self.stalled?.stalls.as_ref().filter(|stalls| stalls.seen > 0)
    }

    fn unusable(&self, name: &str) -> String {
        let void = [self.calm, self.stalled].into_iter().flatten().find(|run| run.verdict == Verdict::Void);
        let reason = void.and_then(|run| run.doubts.iter().find(|doubt| doubt.weight == Verdict::Void));
        match reason {
            Some(doubt) => {
                format!("The {name} loop has no figures to use: {}.", doubt.says.trim_end_matches('.'))
            }
            None => format!("The {name} loop has no figures to use."),
        }
    }
}

/// The run, unless it is void or has no p99.
fn usable(run: Option<&RunSummary>) -> Option<&RunSummary> {
    run.filter(|run| run.verdict != Verdict::Void && run.response_time.p99.is_some())
}

/// A usable run's p99 as a sentence says it.
pub(crate) fn p99(run: &RunSummary) -> String {
    measured(run.response_time.p99, run.p99_interval).value.replace("≥", "at least")
}

fn ratio(of: &RunSummary, to: &RunSummary) -> f64 {
    let nanos =
        |run: &RunSummary| run.response_time.p99.map_or(f64::NAN, |Point { value, .. }| value.0 as f64);
    nanos(of) / nanos(to).max(1.0)
}

/// What a tester sent during stalls, to follow "sent".
fn sent_while_still(stalls: &StallFigures) -> String {
    match stalls.sent_during {
        0 => "nothing".into(),
        sent => format!("{} in {}", counted(sent, "request"), counted(stalls.seen, "stall")),
    }
}

#[cfg(test)]
mod tests;
