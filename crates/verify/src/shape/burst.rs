//! Bursts: before, during and after, the backlog, and the recovery.
//!
//! The backlog is of those who wait: a request that failed leaves it at its
//! time limit, or when it failed if that is later; one cut off at the run's
//! end never does.

use super::backlog::Backlog;
use super::seconds;
use super::stages::Run;
use crate::check::{Computed, List};
use crate::record::Part;
use crate::times::{rank, response};

const MOST: usize = 20;
/// Stretches of the backlog's picture.
const PICTURE: u64 = 120;

/// When a burst is, from the start of the counted part: where before it begins,
/// where it begins and ends, and where after it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moments {
    before: u64,
    began: u64,
    ended: u64,
    after: u64,
}

/// Every burst that began within the counted part.
pub(crate) fn list(run: &Run<'_>, list: &mut List) {
    let length = run.part.length();
    let begun = moments(run).into_iter().filter(|burst| burst.began < length);
    let cut = |moment: u64| moment.min(length);
    let within: Vec<Moments> = begun
        .take(MOST)
        .map(|burst| Moments {
            before: cut(burst.before),
            began: cut(burst.began),
            ended: cut(burst.ended),
            after: cut(burst.after),
        })
        .collect();
    let came = run.rows.iter().map(|row| row.scheduled).collect();
    let over = run.rows.iter().filter(|row| !row.is_cut_off());
    let went = over.map(|row| row.scheduled.saturating_add(response(row, run.timeout).length)).collect();
    let waiting = Backlog::new(run.part, came, went);
    let mut told = 0;
    for burst in within {
        told += usize::from(one(run, &waiting, burst, &format!("bursts.{told}"), list));
    }
    list.add(format!("bursts.{told}"), Computed::Nothing);
}

/// Stretches whose mean load rises above that of the stage before, up to where
/// it is back; after it comes all up to the next rise.
fn moments(run: &Run<'_>) -> Vec<Moments> {
    if ["day", "replay"].contains(&run.shape.kind.as_str()) {
        return Vec::new();
    }
    let loads: Vec<f64> = run.shape.stages.iter().map(|stage| stage.mean()).collect();
    let edges = run.shape.edges();
    let mut bursts = Vec::new();
    let mut at = 1;
    while at < loads.len() {
        let back = (at..loads.len()).find(|later| loads[*later] <= loads[at - 1]);
        let Some(back) = back.filter(|_| loads[at] > loads[at - 1]) else {
            at += 1;
            continue;
        };
        let mut end = back;
        while end + 1 < loads.len() && loads[end + 1] <= loads[end] {
            end += 1;
        }
        bursts.push(Moments {
            before: edges[at - 1],
            began: edges[at],
            ended: edges[back],
            after: edges[end + 1],
        });
        at = back + 1;
    }
    bursts
}

/// Whether the backlog was looked at often enough for figures.
fn one(run: &Run<'_>, waiting: &Backlog, burst: Moments, name: &str, list: &mut List) -> bool {
    let absolute = |moment: u64| run.part.began + moment;
    let part = |from: u64, to: u64| Part { began: absolute(from), ended: absolute(to) };
    let inside = |of: Part| match of.length() {
        0 => Vec::new(),
        _ => waiting.within(of.began..=of.ended - 1),
    };
    let mut usual: Vec<i64> =
        inside(part(burst.before, burst.began)).into_iter().map(|(_, backlog)| backlog).collect();
    usual.sort_unstable();
    let place = rank(usual.len() as u64, 99, 100).checked_sub(1).and_then(|at| usize::try_from(at).ok());
    let Some(usual) = place.and_then(|at| usual.get(at).copied()) else { return false };
    let usual = usual.max(0);
    let whole = waiting.within(absolute(burst.began)..=absolute(burst.after));
    let Some((peak_at, peak)) =
        whole.iter().copied().max_by_key(|(at, backlog)| (*backlog, std::cmp::Reverse(*at)))
    else {
        return false;
    };
    let mut before = 0;
    let parts = [
        ("before", burst.before, burst.began),
        ("during", burst.began, burst.ended),
        ("after", burst.ended, burst.after),
    ];
    for (what, from, to) in parts {
        let rows = run.due_in(from, to);
        if what == "before" {
            before = rows.len();
        }
        let name = |field: &str| format!("{name}.{what}.{field}");
        list.real(name("began_s"), Some(seconds(from)));
        list.real(name("ended_s"), Some(seconds(to)));
        list.whole(name("scheduled"), rows.len() as u64);
        list.whole(name("not_ok"), rows.iter().filter(|row| !row.is_ok()).count() as u64);
        run.times(&rows).list(&name("response_time_ns"), list);
    }
    let name = |field: &str| format!("{name}.{field}");
    list.whole(name("peak_backlog"), peak.max(0).cast_unsigned());
    list.whole(name("peak_at_ns"), peak_at - run.part.began);
    list.whole(name("usual_backlog"), usual.cast_unsigned());
    list.whole(name("resolution_ns"), waiting.resolution());
    let nothing_is_usual = before == 0 && run.shape.load_at(burst.before) > 0.0;
    let (word, length) = if nothing_is_usual || burst.after == burst.ended {
        ("cannot say", None)
    } else {
        let mut after = waiting.within(absolute(burst.ended)..=absolute(burst.after)).into_iter();
        match after.find(|(_, backlog)| *backlog <= usual) {
            Some((back, _)) => ("took", Some(back - absolute(burst.ended))),
            None => ("not within", Some(burst.after - burst.ended)),
        }
    };
    list.text(name("recovery"), word);
    list.maybe(name("recovery_ns"), length);
    picture(run, waiting, part(burst.before, burst.after), &name("backlog"), list);
    true
}

/// Of each stretch the first edge with the least backlog and the first with the
/// largest, in order of time.
fn picture(run: &Run<'_>, waiting: &Backlog, of: Part, name: &str, list: &mut List) {
    let mut points = Vec::new();
    for stretch in 0..PICTURE {
        let (from, to) = (of.edge(stretch, PICTURE), of.edge(stretch + 1, PICTURE));
        let edges = if from < to { waiting.within(from..=to - 1) } else { Vec::new() };
        let Some(first) = edges.first() else { continue };
        let (mut least, mut largest) = (*first, *first);
        for edge in edges {
            if edge.1 < least.1 {
                least = edge;
            }
            if edge.1 > largest.1 {
                largest = edge;
            }
        }
        points.push(least.min(largest));
        if least != largest {
            points.push(least.max(largest));
        }
    }
    for (at, (moment, backlog)) in points.iter().enumerate() {
        list.whole(format!("{name}.{at}.0"), moment - run.part.began);
        list.whole(format!("{name}.{at}.1"), backlog.max(&0).cast_unsigned());
    }
    list.add(format!("{name}.{}", points.len()), Computed::Nothing);
}
