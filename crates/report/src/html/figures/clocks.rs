//! Response time against service time: what users wait, and what a clock that
//! starts at sending says of it.

use crate::experiment::arms::{self, Row, is_told};
use crate::html::lanes::{Lane, lanes, time_axis, time_ticks};
use crate::html::markup::{Figure, plain_table};
use crate::html::svg::Svg;
use crate::numbers::{share, times};
use analysis::{RunSummary, Summary};
use model::Nanos;

const HEIGHT: f64 = 34.0;
const MIDDLE: f64 = HEIGHT / 2.0;

/// The p99 of both clocks, a row an arm; arms of which only one is known are
/// left out. Nothing without any.
pub(in crate::html) fn clocks(summary: &Summary) -> Option<Figure> {
    let rows = arms::rows(summary);
    let known: Vec<(&Row<'_>, Nanos, Nanos)> = rows.iter().filter_map(both).collect();
    let axis = time_axis(known.iter().flat_map(|(_, response, service)| [*response, *service]));
    let lane = |(row, response, service): &(&Row<'_>, Nanos, Nanos)| {
        let places = (axis.place(*response), axis.place(*service));
        let titles = (format!("response time {response}"), format!("service time {service}"));
        Lane {
            name: row.arm.name.clone(),
            detail: String::new(),
            value: response.to_string(),
            beside: format!("service {service}"),
            height: HEIGHT,
            draw: Box::new(move |svg: &mut Svg| {
                svg.line((places.1, MIDDLE), (places.0, MIDDLE), "span");
                svg.shape("ring", (places.1, MIDDLE), "ring", &titles.1);
                svg.shape("dot", (places.0, MIDDLE), "spot", &titles.0);
            }),
        }
    };
    let all: Vec<Lane> = known.iter().map(lane).collect();
    Some(Figure {
        drawing: LEGEND.to_owned() + &lanes(&time_ticks(&axis), &all, "p99 by both clocks"),
        caption: caption(&known)?,
        note: "p99 of the middle round by each clock, on a logarithmic axis. The line between them is time before \
               sending: at the tester, for want of a connection, or because the schedule was behind."
            .into(),
        table: arms::work(summary).table.as_ref().map(plain_table).unwrap_or_default(),
    })
}

const LEGEND: &str = "<ul class=\"legend\"><li><svg><use href=\"#dot\" class=\"spot\" x=\"15\" y=\"6\"/></svg>response \
    time, scheduled → done</li><li><svg><use href=\"#ring\" class=\"ring\" x=\"15\" y=\"6\"/></svg>service time, sent → \
    done</li></ul>\n";

fn both<'a>(row: &'a Row<'a>) -> Option<(&'a Row<'a>, Nanos, Nanos)> {
    let measured = |run: &RunSummary| !is_told(run);
    let response = row.spread(|run| run.response_time.p99.filter(|_| measured(run)))?;
    let service = row.spread(|run| run.service_time.p99)?;
    Some((row, response.middle.value, service.middle.value))
}

/// The arm whose two clocks disagree most.
fn caption(known: &[(&Row<'_>, Nanos, Nanos)]) -> Option<String> {
    let ratio =
        |(_, response, service): &(&Row<'_>, Nanos, Nanos)| response.0 as f64 / service.0.max(1) as f64;
    let most = known.iter().max_by(|a, b| ratio(a).total_cmp(&ratio(b)))?;
    let (row, response, service) = most;
    // A twentieth is about what three digits and the interval let an eye see.
    Some(if ratio(most) < 1.05 {
        format!(
            "The two clocks agree: {} apart at most ({}).",
            share((ratio(most) - 1.0).max(0.0)),
            row.arm.name
        )
    } else {
        format!(
            "They differ most in {}: users waited {response}, {} times the service time of {service}.",
            row.arm.name,
            times(ratio(most))
        )
    })
}
