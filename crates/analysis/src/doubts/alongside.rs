//! Doubts about what was learnt beside the requests: the ends of work, and
//! readings.

use super::{Case, counted, doubt, percent, requests};
use crate::summary::{Doubt, Verdict};
use model::{Nanos, Stored};

/// More failed questions than this share leave ends unknown for long.
const MANY_FAILED: f64 = 0.05;
/// An end that is learnt later than this share of the median wait moves the median.
const COARSE: f64 = 0.1;

/// Every answer that is as expected accepts work, and all of it must be in the books.
pub(super) fn work_missing(case: &Case) -> Option<Doubt> {
    let (figures, ok) = (case.summary.completion.as_ref()?, case.summary.ok);
    let has_ended = case.record.end.is_some() && figures.followed.is_some();
    (has_ended && figures.accepted != ok).then(|| {
        let says = format!("{ok} answers accepted work, and the books hold {}", figures.accepted);
        doubt("work-missing", Verdict::Void, says, "this is a fault of doorclock: please report it")
    })
}

pub(super) fn nameless_work(case: &Case) -> Option<Doubt> {
    let figures = case.summary.completion.as_ref().filter(|figures| figures.nameless > 0)?;
    let says = format!(
        "{} of {} answers named no work, so nobody knows its end",
        figures.nameless, figures.accepted
    );
    Some(doubt("nameless-work", Verdict::Doubtful, says, "look where `[completion]` finds the name"))
}

/// What never ended is what such a run is to show, and only a remark.
pub(super) fn unfinished_work(case: &Case) -> Option<Doubt> {
    let figures = case.summary.completion.as_ref().filter(|figures| figures.unfinished > 0)?;
    let cut_short = figures.followed.as_ref().is_some_and(|followed| followed.is_cut_short);
    let says = format!(
        "{} of {} had not ended when following {}: their waits are lower bounds",
        figures.unfinished,
        counted_work(figures.accepted),
        if cut_short {
            "was broken off".to_owned()
        } else {
            format!("ended, {} after sending", figures.facts.within)
        }
    );
    let weight = if cut_short { Verdict::Doubtful } else { Verdict::Valid };
    Some(doubt("unfinished-work", weight, says, "follow it for longer: `completion.within`"))
}

pub(super) fn failed_questions(case: &Case) -> Option<Doubt> {
    let figures = case.summary.completion.as_ref()?;
    let followed = figures.followed.as_ref().filter(|followed| followed.failed > 0)?;
    let share = followed.failed as f64 / followed.asked.max(1) as f64;
    let example = followed.example.as_deref().unwrap_or("no reason is known");
    let says = format!(
        "{} of {} about the end of work gave nothing ({}): {example}",
        counted(followed.failed, "question"),
        followed.asked,
        percent(share)
    );
    let weight = if share > MANY_FAILED { Verdict::Doubtful } else { Verdict::Valid };
    Some(doubt("failed-questions", weight, says, "look at `[completion]`, and at the service's own log"))
}

pub(super) fn strange_ends(case: &Case) -> Option<Doubt> {
    let figures = case.summary.completion.as_ref()?;
    let strangers =
        figures.followed.as_ref().map(|followed| followed.strangers).filter(|count| *count > 0)?;
    let says = format!("{} told of work that no answer of this run had named", counted(strangers, "end"));
    let hint = "put the service's data back before each run: `environment.reset`";
    Some(doubt("strange-ends", Verdict::Valid, says, hint))
}

/// The service's own count must be that of the answers. What it has more may
/// come of requests whose answer never came; what it has less is lost.
pub(super) fn stored_differs(case: &Case) -> Option<Doubt> {
    let figures = case.summary.completion.as_ref()?;
    let accepted = figures.accepted_in_all;
    let (weight, says, hint) = match figures.followed.as_ref()?.stored.as_ref()? {
        Stored::Count(stored) if *stored == accepted => return None,
        Stored::Count(stored) if *stored < accepted => (
            Verdict::Doubtful,
            format!(
                "the service holds {stored} of {accepted} accepted pieces of work: {} are lost",
                accepted - stored
            ),
            "look at the service's own log",
        ),
        Stored::Count(stored) => {
            let summary = case.summary;
            let says = format!(
                "the service holds {} more than the {accepted} that answers accepted; {} got no such answer{} and may be among them",
                counted_work(stored - accepted),
                requests(summary.failed_total() + summary.unfinished),
                match summary.resent {
                    0 => String::new(),
                    resent => format!(" and {} sent again,", requests(resent)),
                }
            );
            (Verdict::Valid, says, "give requests an idempotency key, so that a caller can ask again")
        }
        Stored::Unknown(why) => (
            Verdict::Doubtful,
            format!("the service's own count of its work is not known: {why}"),
            "look at `completion.stored`",
        ),
    };
    Some(doubt("stored-differs", weight, says, hint))
}

pub(super) fn coarse_following(case: &Case) -> Option<Doubt> {
    let figures = case.summary.completion.as_ref()?;
    let (resolution, median) = (figures.resolution?, figures.submit_to_result.p50?.value);
    (resolution.0 as f64 > COARSE * median.0 as f64).then(|| {
        let says =
            format!("ends were learnt up to {resolution} late, and half of the work took {median} or less");
        doubt("coarse-following", Verdict::Valid, says, "ask more often: a smaller `every`")
    })
}

/// Gaps are shown as what they are; a reading that gave nothing at all was not taken.
pub(super) fn reading_gaps(case: &Case) -> Option<Doubt> {
    let gaps = &case.summary.reading_gaps;
    let worst = gaps.iter().max_by_key(|gap| (gap.gaps == gap.asked, gap.gaps))?;
    let name = match worst.column.as_str() {
        "" => worst.reading.clone(),
        column => format!("{} of {}", column, worst.reading),
    };
    let others = match gaps.len() - 1 {
        0 => String::new(),
        more => format!("; {} had gaps too", counted(more as u64, "other reading")),
    };
    let from = worst.first_at.saturating_sub(case.record.facts.warm_up);
    let says = if worst.gaps == worst.asked {
        format!("{name} could not be read: {}{others}", worst.first)
    } else {
        format!(
            "{name} gave no number {} of {} times, first {}: {}{others}",
            worst.gaps,
            worst.asked,
            if from == Nanos::ZERO { "at the beginning".to_owned() } else { format!("after {from}") },
            worst.first
        )
    };
    let weight = if worst.gaps == worst.asked { Verdict::Doubtful } else { Verdict::Valid };
    Some(doubt("reading-gaps", weight, says, "look at `[readings]`; `doorclock watch PLAN` shows them alone"))
}

fn counted_work(count: u64) -> String {
    format!("{count} {}", if count == 1 { "piece of work" } else { "pieces of work" })
}
