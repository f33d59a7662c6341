//! A load over time, drawn: its course, its stages with what each sends, and
//! whether they are long enough for what is asked of them.

use super::{SCREEN, wrapped};
use crate::numbers::{chosen, chosen_rate, count, counted, length, per_second, share, times};
use crate::words;
use analysis::{PartsOutlook, ShapeOutlook, StageOutlook};
use model::{Nanos, Shape, ShapeKind, StageUnit};

/// Columns of a chart, its labels left out.
const WIDTH: usize = 60;
/// Its rows.
const ROWS: usize = 6;
/// More stages than this are counted and not listed.
const LISTED: usize = 20;
/// An eighth of a row, and so on up to a whole one.
const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// One row of the drawing of all arms: `columns` wide, as high as its load.
pub(super) fn row(shape: &Shape, columns: usize) -> String {
    column_means(shape, columns).into_iter().map(|load| EIGHTHS[eighths(load, shape, 1)]).collect()
}

/// How moments on one axis are written: all in one unit.
pub(super) struct Clock {
    unit: &'static str,
    unit_seconds: f64,
}

impl Clock {
    /// For moments up to `longest`.
    pub(super) fn up_to(longest: Nanos) -> Clock {
        let (unit, unit_seconds) = match longest.as_secs_f64() {
            seconds if seconds < 0.1 => ("ms", 1e-3),
            seconds if seconds <= 600.0 => ("s", 1.0),
            seconds if seconds <= 18_000.0 => ("min", 60.0),
            _ => ("h", 3_600.0),
        };
        Clock { unit, unit_seconds }
    }

    pub(super) fn moment(&self, moment: Nanos) -> String {
        match moment {
            Nanos::ZERO => "0".to_owned(),
            moment => format!("{} {}", chosen(moment.as_secs_f64() / self.unit_seconds), self.unit),
        }
    }
}

/// Everything about one shape, which `names` share.
pub(super) fn whole(names: &str, shape: &Shape, outlook: &ShapeOutlook, skipped: &[String]) -> Vec<String> {
    let mut lines = vec![format!("{names}: {}", words::shape::shape_in_words(shape))];
    lines.extend(chart(shape));
    lines.extend(users_to_rate(shape));
    if shape.kind != ShapeKind::Replay {
        lines.extend(stages(shape, outlook));
    }
    lines.extend(recording(shape));
    lines.extend(skipped.iter().flat_map(|line| wrapped(2, &format!("skipped: {line}"))));
    lines.extend(outlook.parts.iter().flat_map(|part| parts(*part, shape.kind)));
    lines
}

/// The mean load over each of `columns` stretches of equal length.
fn column_means(shape: &Shape, columns: usize) -> Vec<f64> {
    let column = shape.length().as_secs_f64() / columns as f64;
    let spans = shape.spans();
    let mean = |n: usize| {
        let (began, ended) = (n as f64 * column, (n + 1) as f64 * column);
        let inside = shape.stages.iter().zip(&spans).map(|(stage, span)| {
            let (from, to) = (span.began.as_secs_f64(), span.ended.as_secs_f64());
            let (left, right) = (began.max(from), ended.min(to));
            let at = |moment: f64| stage.from + (stage.to - stage.from) * (moment - from) / (to - from);
            if right > left { (right - left) * f64::midpoint(at(left), at(right)) } else { 0.0 }
        });
        inside.sum::<f64>() / column
    };
    (0..columns).map(mean).collect()
}

/// How many eighths of `rows` a load fills. What is there at all is seen.
fn eighths(load: f64, shape: &Shape, rows: usize) -> usize {
    let most = (rows * 8) as f64;
    let filled = (load / shape.largest() * most).round().clamp(0.0, most) as usize;
    if load > 0.0 { filled.max(1) } else { 0 }
}

fn chart(shape: &Shape) -> Vec<String> {
    let half = shape.largest() / 2.0;
    let labels = [size(shape, shape.largest()), size(shape, half)];
    let label_width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let width = WIDTH.min(SCREEN.saturating_sub(label_width + 5)).max(10);
    let means = column_means(shape, width);
    let row = |row: usize| {
        // A label stands on the row whose top edge is its load.
        let label = match row {
            row if row + 1 == ROWS => labels[0].as_str(),
            row if row + 1 == ROWS / 2 => labels[1].as_str(),
            _ => "",
        };
        let one = |load: &f64| EIGHTHS[eighths(*load, shape, ROWS).saturating_sub(row * 8).min(8)];
        let bars: String = means.iter().map(one).collect();
        format!("  {label:>label_width$} │{bars}").trim_end().to_owned()
    };
    let ended = Clock::up_to(shape.length()).moment(shape.length());
    let axis = format!("  {:>label_width$} └{}", "0", "─".repeat(width));
    let times = format!("  {:>label_width$}  0{ended:>rest$}", "", rest = width - 1);
    (0..ROWS).rev().map(row).chain([axis, times]).collect()
}

/// `20 users, 2/s`: a load in the unit of its shape, and the arrivals that it means.
fn size(shape: &Shape, load: f64) -> String {
    if shape.kind == ShapeKind::Replay {
        // Counted, not chosen.
        return per_second(load);
    }
    let own = words::shape::size(shape, load);
    match (shape.unit, shape.per_second(load)) {
        (StageUnit::Users, Some(rate)) => format!("{own}, {}", chosen_rate(rate)),
        _ => own,
    }
}

fn users_to_rate(shape: &Shape) -> Option<String> {
    let (largest, pace) = (shape.largest(), shape.pace?);
    let rate = shape.per_second(largest)?;
    let users = words::shape::size(shape, largest);
    Some(format!("  {users} ÷ {} = {}", length(pace), chosen_rate(rate)))
}

/// A line a stage: when, how much, and how many requests that is.
fn stages(shape: &Shape, outlook: &ShapeOutlook) -> Vec<String> {
    let clock = Clock::up_to(shape.length());
    let ended = clock.moment(shape.length());
    let shown = &outlook.stages[..outlook.stages.len().min(LISTED)];
    let mut rows = vec![["from", "to", "load", "requests"].map(str::to_owned)];
    rows.extend(shown.iter().map(|stage| stage_row(shape, stage, &clock)));
    if let Some(hidden) = outlook.stages.len().checked_sub(LISTED).filter(|hidden| *hidden > 0) {
        let most = outlook.stages[LISTED..].iter().map(|stage| stage.requests).sum::<Option<f64>>();
        let says = counted(hidden as u64, "more stage");
        rows.push(["…".to_owned(), ended.clone(), says, about(most)]);
    }
    let all = outlook.stages.iter().map(|stage| stage.requests).sum::<Option<f64>>();
    if outlook.stages.len() > 1 {
        rows.push(["in all".to_owned(), ended, String::new(), about(all)]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let [from, to, load, requests] = [0, 1, 2, 3].map(width);
    let line = |row: &[String; 4]| {
        format!("  {:>from$}  {:>to$}   {:<load$}   {:>requests$}", row[0], row[1], row[2], row[3])
            .trim_end()
            .to_owned()
    };
    rows.iter().map(line).collect()
}

fn stage_row(shape: &Shape, stage: &StageOutlook, clock: &Clock) -> [String; 4] {
    let load = match stage.stage.is_level() {
        true => size(shape, stage.stage.from),
        false => format!("{} → {}", size(shape, stage.stage.from), size(shape, stage.stage.to)),
    };
    [clock.moment(stage.span.began), clock.moment(stage.span.ended), load, about(stage.requests)]
}

/// A mean of chance: whole, and with one digit more where it is small.
fn about(requests: Option<f64>) -> String {
    match requests {
        None => "as answered".to_owned(),
        Some(0.0) => "none".to_owned(),
        Some(few) if few < 9.95 => format!("about {}", chosen((few * 10.0).round() / 10.0)),
        Some(many) => format!("about {}", count(many.round() as u64)),
    }
}

fn recording(shape: &Shape) -> Vec<String> {
    let Some(facts) = &shape.replay else { return Vec::new() };
    let skipped = match facts.skipped {
        0 => String::new(),
        skipped => format!(", {} SKIPPED as unreadable", count(skipped)),
    };
    let spread = match facts.resolution {
        step if step >= Nanos::from_secs(1) => "; its arrivals of one second are spread over it by the seed",
        _ => "",
    };
    let lines = counted(facts.lines, "line");
    wrapped(2, &format!("{} as {}: {lines}{skipped}{spread}", facts.file, facts.format))
}

/// Whether the parts of a shape are long enough for what is asked of them.
fn parts(part: PartsOutlook, kind: ShapeKind) -> Vec<String> {
    let noun = if kind == ShapeKind::RampUp { "step" } else { "stage" };
    let says = match part {
        PartsOutlook::Stages { count: stages, without_p99, fewest, times_longer, shortfall } => {
            let p99 = match without_p99 {
                0 => format!("each {noun} is long enough for a p99 of its own: 1,000 requests or more"),
                few => format!(
                    "TOO SHORT for a p99 of each {noun}: {few} of {stages} {} fewer than 1,000 requests, \
                     the least {}; {} times as long would do",
                    if few == 1 { "holds" } else { "hold" },
                    about(Some(fewest)),
                    times(times_longer)
                ),
            };
            let behind = match shortfall {
                shortfall if shortfall < 1.0 => {
                    format!("a service that falls short by {} in a {noun} shows it", share(shortfall))
                }
                _ => format!("TOO SHORT to show in each {noun} whether the service falls behind"),
            };
            vec![p99, behind]
        }
        PartsOutlook::Slope { at_per_second, late_by, slow_enough } => {
            vec![slope(at_per_second, late_by, slow_enough)]
        }
        PartsOutlook::Burst { before, enough, after, capacity_per_second } => {
            let usual = match enough {
                None => "nothing is sent before the burst: what is usual is a backlog of none".to_owned(),
                Some(enough) if before < 100.0 => format!(
                    "TOO SHORT before the burst: {} requests do not say what is usual; {} hold 100",
                    about(Some(before)),
                    length(enough)
                ),
                Some(_) => format!(
                    "long enough before the burst: {} requests say what is usual",
                    about(Some(before))
                ),
            };
            let recovery = format!(
                "recovery shows within the {} after it if the service can do {} or more",
                length(after),
                per_second(capacity_per_second)
            );
            vec![usual, recovery]
        }
        PartsOutlook::Growth { windows, window, requests, enough } => {
            vec![growth(windows, window, requests, enough)]
        }
    };
    says.iter().flat_map(|says| wrapped(2, says)).collect()
}

fn slope(at_per_second: f64, late_by: Option<(Nanos, f64)>, slow_enough: Option<Nanos>) -> String {
    let at = per_second(at_per_second);
    match (late_by, slow_enough) {
        (Some((bound, late)), _) if late <= 0.05 => format!(
            "slow enough: a p99 of {} that is crossed at {at} shows {} too late",
            length(bound),
            share(late)
        ),
        (Some((bound, late)), Some(enough)) => format!(
            "TOO STEEP: a p99 of {} that is crossed at {at} shows {} too late; {} are slow enough for 5 %, \
             and steps show it in place",
            length(bound),
            share(late),
            length(Nanos::from_secs(enough.as_secs_f64().ceil() as u64))
        ),
        _ => "how late a slope shows a limit depends on `bound.p99`, which the plan does not say; \
              steps show it in place"
            .to_owned(),
    }
}

fn growth(windows: usize, window: Nanos, requests: Option<f64>, enough: Option<Nanos>) -> String {
    let each = format!("growth is told from {windows} windows of {window}");
    let requests =
        requests.map_or(String::new(), |requests| format!(", {} requests each", about(Some(requests))));
    let verdict = match enough {
        Some(enough) => format!("TOO SHORT for a median in each; {} are enough", length(enough)),
        None => {
            "each must hold a whole rise and fall of what is read, such as a garbage collection".to_owned()
        }
    };
    format!("{each}{requests}: {verdict}")
}
