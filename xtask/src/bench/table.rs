//! Rows of measured values, as a table for people and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Everything measured so far.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Row>,
    /// What to know beside the numbers: how often it came up, and the first time.
    remarks: BTreeMap<&'static str, (usize, String)>,
}

/// One number, measured as often as there were turns.
#[derive(Debug)]
struct Row {
    part: &'static str,
    name: String,
    unit: &'static str,
    values: Vec<f64>,
    at_most: Option<f64>,
}

/// The middle of some values, and the least and largest of them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spread {
    median: f64,
    least: f64,
    largest: f64,
}

impl Table {
    /// A number without a goal.
    pub fn add(&mut self, part: &'static str, name: impl Into<String>, unit: &'static str, values: &[f64]) {
        self.rows.push(Row { part, name: name.into(), unit, values: values.to_vec(), at_most: None });
    }

    /// A number whose median should be `at_most` this.
    pub fn add_with_goal(
        &mut self,
        part: &'static str,
        name: impl Into<String>,
        unit: &'static str,
        values: &[f64],
        at_most: f64,
    ) {
        self.rows.push(Row {
            part,
            name: name.into(),
            unit,
            values: values.to_vec(),
            at_most: Some(at_most),
        });
    }

    /// Something to know beside the numbers of `part`.
    pub fn remark(&mut self, part: &'static str, text: &str) {
        self.remarks.entry(part).or_insert_with(|| (0, text.to_owned())).0 += 1;
    }

    /// A Markdown table that also reads well on a terminal.
    pub fn text(&self) -> String {
        let heading = ["", "unit", "median", "least – largest", "turns", "goal", ""].map(str::to_owned);
        let mut lines = vec![heading];
        let mut part = "";
        for row in self.rows.iter().filter(|row| !row.values.is_empty()) {
            if row.part != part {
                part = row.part;
                lines.push([
                    format!("**{part}**"),
                    String::new(),
                    String::new(),
                    String::new(),
                    String::new(),
                    String::new(),
                    String::new(),
                ]);
            }
            lines.push(row.cells());
        }
        let mut text = layout(&lines);
        for (part, (times, first)) in &self.remarks {
            let _ = write!(
                text,
                "\n{part}: {times} not called valid by doorclock itself; the first is {first}\n"
            );
        }
        text
    }

    /// Every value of every row.
    pub fn json(&self) -> serde_json::Value {
        let rows = self.rows.iter().filter_map(|row| {
            let spread = Spread::of(&row.values)?;
            Some(serde_json::json!({
                "part": row.part, "name": row.name, "unit": row.unit, "median": spread.median,
                "values": row.values, "at_most": row.at_most, "met": row.is_met(),
            }))
        });
        rows.collect()
    }
}

impl Row {
    fn is_met(&self) -> Option<bool> {
        Some(Spread::of(&self.values)?.median <= self.at_most?)
    }

    fn cells(&self) -> [String; 7] {
        let (median, range) = match Spread::of(&self.values) {
            Some(spread) => (
                three_digits(spread.median),
                format!("{} – {}", three_digits(spread.least), three_digits(spread.largest)),
            ),
            None => Default::default(),
        };
        let goal = self.at_most.map_or_else(String::new, |goal| format!("≤ {}", three_digits(goal)));
        let mark = match self.is_met() {
            Some(true) => "met",
            Some(false) => "NOT met",
            None => "",
        };
        let turns = self.values.len().to_string();
        [self.name.to_owned(), self.unit.to_owned(), median, range, turns, goal, mark.to_owned()]
    }
}

impl Spread {
    /// `None` of no values.
    fn of(values: &[f64]) -> Option<Spread> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (least, largest) = (*sorted.first()?, *sorted.last()?);
        let middle = sorted.len() / 2;
        let median = if sorted.len().is_multiple_of(2) {
            (sorted[middle - 1] + sorted[middle]) / 2.0
        } else {
            sorted[middle]
        };
        Some(Spread { median, least, largest })
    }
}

/// Columns padded to the widest cell; the second line is Markdown's rule.
fn layout(lines: &[[String; 7]]) -> String {
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        for (cell, width) in line.iter().zip(&widths) {
            let _ = write!(text, "| {cell:<width$} ");
        }
        text.push_str("|\n");
        if at == 0 {
            for width in &widths {
                let _ = write!(text, "|{}", "-".repeat(width + 2));
            }
            text.push_str("|\n");
        }
    }
    text
}

/// `0.0123`, `0.712`, `1.23`, `12.3`, `123`, `12,345`: what a measurement bears.
fn three_digits(value: f64) -> String {
    match value.abs() {
        v if v >= 99.95 => grouped(value.round() as i64),
        v if v >= 9.995 => format!("{value:.1}"),
        v if v >= 0.9995 || v == 0.0 => format!("{value:.2}"),
        v if v >= 0.09995 => format!("{value:.3}"),
        _ => format!("{value:.4}"),
    }
}

fn grouped(value: i64) -> String {
    let digits = value.abs().to_string();
    let mut text = String::from(if value < 0 { "-" } else { "" });
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_and_of_two_their_mean() {
        let spread = Spread { median: 2.0, least: 1.0, largest: 9.0 };
        assert_eq!(Spread::of(&[9.0, 1.0, 2.0]), Some(spread));
        assert_eq!(Spread::of(&[4.0, 1.0]).map(|s| s.median), Some(2.5));
        assert_eq!(Spread::of(&[]), None);
    }

    #[test]
    fn a_table_shows_each_part_once_and_marks_its_goals() {
        let mut table = Table::default();
        table.add("cost", "wrk", "µs", &[7.0, 8.0, 7.5]);
        table.add_with_goal("cost", "ratio", "×", &[1.5, 1.4, 1.6], 1.5);
        table.add_with_goal("speed", "report", "s", &[2.25], 2.0);
        table.add("speed", "never measured", "s", &[]);
        table.remark("speed", "doubtful: few episodes");
        table.remark("speed", "void: too late");
        let expected = "\
|           | unit | median | least – largest | turns | goal   |         |
|-----------|------|--------|-----------------|-------|--------|---------|
| **cost**  |      |        |                 |       |        |         |
| wrk       | µs   | 7.50   | 7.00 – 8.00     | 3     |        |         |
| ratio     | ×    | 1.50   | 1.40 – 1.60     | 3     | ≤ 1.50 | met     |
| **speed** |      |        |                 |       |        |         |
| report    | s    | 2.25   | 2.25 – 2.25     | 1     | ≤ 2.00 | NOT met |

speed: 2 not called valid by doorclock itself; the first is doubtful: few episodes
";
        assert_eq!(table.text(), expected);
    }

    #[test]
    fn json_keeps_every_value_and_leaves_out_what_was_not_measured() {
        let mut table = Table::default();
        table.add_with_goal("cost", "ratio", "×", &[1.5, 1.4, 1.7], 1.45);
        table.add("cost", "never measured", "s", &[]);
        let expected = serde_json::json!([{ "part": "cost", "name": "ratio", "unit": "×", "median": 1.5,
            "values": [1.5, 1.4, 1.7], "at_most": 1.45, "met": false }]);
        assert_eq!(table.json(), expected);
    }

    #[test]
    fn numbers_show_three_digits_and_large_ones_are_grouped() {
        for (value, text) in [
            (0.0, "0.00"),
            (0.01234, "0.0123"),
            (1.0, "1.00"),
            (12.34, "12.3"),
            (123.4, "123"),
            (1_234_567.0, "1,234,567"),
        ] {
            assert_eq!(three_digits(value), text);
        }
    }
}
