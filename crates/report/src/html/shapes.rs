//! The sections of loads that change over time: what answers the question of
//! each, its table, and its picture.

use super::figures;
use super::markup::{Figure, element, plain_table};
use crate::experiment::Part;
use crate::experiment::shapes::{Shaped, burst, growth, ramp, shaped, stages, steady};
use analysis::Summary;
use model::ShapeKind;

/// All of them, in the order of the plan; nothing where every load stays the same.
pub(super) fn sections(summary: &Summary) -> String {
    shaped(summary).iter().map(of_arm).collect()
}

fn of_arm(of: &Shaped<'_>) -> String {
    match of.shape.kind {
        ShapeKind::RampUp => section(ramp::part(of), figures::ramp(of)),
        ShapeKind::Steady => section(steady::part(of), figures::growth(of)),
        ShapeKind::Burst => section(burst::part(of), figures::burst(of)),
        ShapeKind::Soak => section(growth::part(of), figures::growth(of)),
        ShapeKind::Stages | ShapeKind::Day | ShapeKind::Replay => {
            section(burst::part(of), figures::burst(of)) + &section(stages::part(of), figures::stages(of))
        }
    }
}

fn section(part: Option<Part>, figure: Option<Figure>) -> String {
    let Some(part) = part else { return String::new() };
    let items: String = part.says.iter().map(|says| element("li", "", says)).collect();
    let says = if items.is_empty() { String::new() } else { format!("<ul class=\"says\">\n{items}</ul>\n") };
    [
        element("h2", "", &part.title),
        says,
        part.table.as_ref().map(plain_table).unwrap_or_default(),
        part.notes.iter().map(|note| element("p", "note", note)).collect(),
        figure.map(|figure| figure.html()).unwrap_or_default(),
    ]
    .concat()
}
