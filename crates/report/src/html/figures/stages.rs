//! A load over time and what users waited under it, stage by stage.

use super::{decades, zero_and_top};
use crate::experiment::shapes::{Shaped, stages};
use crate::html::markup::{Cell, Figure, table};
use crate::html::scale::{LinearScale, LogScale};
use crate::html::svg::{Anchor, Panel, Svg};
use crate::numbers::{UNKNOWN, chosen_rate, count, length, per_second, point};
use crate::words;
use model::{Nanos, Span};

const TOP: f64 = 14.0;
const LOAD: (f64, f64) = (104.0, 112.0);
const TIMES: (f64, f64) = (174.0, 200.0);

/// The load above, the times below; nothing if no stage has a time.
pub(in crate::html) fn stages(of: &Shaped<'_>) -> Option<Figure> {
    let rows = stages::rows(of, usize::MAX);
    let whole = rows.last()?.span()?.ended;
    let times: Vec<Nanos> =
        rows.iter().flat_map(|row| [row.p50(), row.p99()]).flatten().map(|point| point.value).collect();
    if times.is_empty() {
        return None;
    }
    let drawing = [LEGEND.to_owned(), load(of, &rows, whole), waits(&rows, &times, whole)].concat();
    Some(Figure {
        drawing,
        caption: stages::slowest(of, &rows)?,
        note: "Above, the load as it was planned, linear from 0, and the answers that came; below, response times of the \
               requests due in each stage, on a logarithmic axis that starts above zero. Where nothing is drawn, nothing \
               was due."
            .into(),
        table: figures(of, &rows),
    })
}

const LEGEND: &str = "<ul class=\"legend\"><li><svg><line class=\"thread\" x1=\"0\" y1=\"6\" x2=\"30\" y2=\"6\"/></svg>planned, \
    and the p50</li><li><svg><line class=\"curve\" x1=\"0\" y1=\"6\" x2=\"30\" y2=\"6\"/></svg>done, and the p99</li></ul>\n";

fn share(at: Nanos, whole: Nanos) -> f64 {
    at.0 as f64 / whole.0.max(1) as f64
}

/// A line over each stage at the height of its value; none where it has none.
fn treads(
    rows: &[stages::Row<'_>],
    whole: Nanos,
    down: impl Fn(&stages::Row<'_>) -> Option<(f64, f64)>,
) -> Panel {
    let mut panel = Panel::new(0.0, 100.0);
    for row in rows {
        if let (Some((from, to)), Some(Span { began, ended })) = (down(row), row.span()) {
            panel.move_to(share(began, whole), from);
            panel.line_to(share(ended, whole), to);
        }
    }
    panel
}

/// Users where no rate is planned.
fn load(of: &Shaped<'_>, rows: &[stages::Row<'_>], whole: Nanos) -> String {
    let planned = |row: &stages::Row<'_>| row.planned().or(row.users());
    let rates = rows.iter().all(|row| row.planned().is_some());
    let done = rows.iter().filter_map(stages::Row::done).filter(|_| rates);
    let scale = LinearScale::over(
        rows.iter().filter_map(planned).flat_map(|(from, to)| [from, to]).chain(done),
        TOP,
        LOAD.0,
    );
    let top = if rates {
        chosen_rate((scale.most * 10.0).round() / 10.0)
    } else {
        words::shape::size(of.shape, scale.most)
    };
    let mut svg = Svg::new(LOAD.1);
    zero_and_top(&mut svg, &scale, &top);
    let both = |(from, to): (f64, f64)| (scale.place(from), scale.place(to));
    svg.panel(treads(rows, whole, |row| planned(row).map(both)), "thread");
    if rates {
        svg.panel(treads(rows, whole, |row| row.done().map(|done| both((done, done)))), "curve");
    }
    let title = if rates { "A second" } else { "Users" };
    format!(
        "<div class=\"strip\"><h3>{title}</h3>\n{}</div>\n",
        svg.finish("The load over time, planned and done")
    )
}

fn waits(rows: &[stages::Row<'_>], times: &[Nanos], whole: Nanos) -> String {
    let scale = LogScale::over(times.iter().copied(), TOP, TIMES.0);
    let mut svg = Svg::new(TIMES.1);
    decades(&mut svg, &scale);
    svg.line((0.0, TIMES.0), (100.0, TIMES.0), "axis");
    let level = |point: Option<analysis::Point>| {
        point.map(|point| (scale.place(point.value), scale.place(point.value)))
    };
    svg.panel(treads(rows, whole, |row| level(row.p50())), "thread");
    svg.panel(treads(rows, whole, |row| level(row.p99())), "curve");
    for row in rows {
        let (Some(p99), Some(span)) = (row.p99().filter(|p99| p99.at_least), row.span()) else { continue };
        let at = (share(span.began, whole) + share(span.ended, whole)) * 50.0;
        svg.shape("cross", (at, scale.place(p99.value)), "cross", "failed or cut off: at least this long");
    }
    svg.text((0.0, TIMES.0 + 20.0), 0.0, Anchor::Start, "", "0");
    svg.text((100.0, TIMES.0 + 20.0), 0.0, Anchor::End, "", &length(whole));
    let drawing = svg.finish("Response times stage by stage");
    format!("<div class=\"strip\"><h3>Response time</h3>\n{drawing}</div>\n")
}

/// Every stage, none left out.
fn figures(of: &Shaped<'_>, rows: &[stages::Row<'_>]) -> String {
    let row = |row: &stages::Row<'_>| {
        vec![
            Cell::Number(row.number()),
            Cell::Number(row.span().map_or(UNKNOWN.into(), stages::when)),
            Cell::Number(row.planned_text(of)),
            Cell::Number(row.done().map_or(UNKNOWN.into(), per_second)),
            Cell::Number(count(row.scheduled())),
            Cell::Number(count(row.failed() + row.cut_off())),
            Cell::Number(point(row.p50())),
            Cell::Number(point(row.p99())),
            Cell::Text(row.kept_up_text()),
        ]
    };
    let heads = ["stage", "when", "planned", "done", "due", "failed or cut off", "p50", "p99", "kept up"];
    table(&heads, &rows.iter().map(row).collect::<Vec<_>>())
}
