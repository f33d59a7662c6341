//! Rounds as dots on a logarithmic axis of characters.

use model::Nanos;

/// Characters of the axis.
pub(super) const WIDTH: usize = 28;

/// One round's number.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    pub(super) at: Nanos,
    /// It may be larger.
    pub(super) at_least: bool,
}

/// The axis that all rows share.
pub(super) struct Axis {
    lowest: f64,
    highest: f64,
    /// What is not to be exceeded.
    bound: Option<Nanos>,
}

impl Axis {
    /// Around all of `times` and the bound; `None` without any time.
    pub(super) fn over(times: impl Iterator<Item = Nanos>, bound: Option<Nanos>) -> Option<Axis> {
        let powers: Vec<f64> = times.chain(bound).map(power).collect();
        let least = powers.iter().copied().min_by(f64::total_cmp)?;
        let most = powers.iter().copied().max_by(f64::total_cmp)?;
        // Half a decade at least, so that noise is not drawn as a difference.
        let missing = (0.5 - (most - least)).max(0.0) / 2.0;
        Some(Axis { lowest: least - missing, highest: most + missing, bound })
    }

    fn column(&self, time: Nanos) -> usize {
        let share = (power(time) - self.lowest) / (self.highest - self.lowest);
        (share.clamp(0.0, 1.0) * (WIDTH - 1) as f64).round() as usize
    }

    /// One arm's rounds: `•` for one, a number where so many fall together,
    /// `>` for a lower bound, `|` for the bound.
    pub(super) fn row(&self, marks: &[Mark]) -> String {
        let mut columns = vec![' '; WIDTH];
        if let Some(bound) = self.bound {
            columns[self.column(bound)] = '|';
        }
        for column in marks.iter().map(|mark| self.column(mark.at)) {
            let here: Vec<&Mark> = marks.iter().filter(|mark| self.column(mark.at) == column).collect();
            columns[column] = match here.len() as u32 {
                _ if here.iter().any(|mark| mark.at_least) => '>',
                1 => '•',
                many => char::from_digit(many, 10).unwrap_or('#'),
            };
        }
        columns.into_iter().collect::<String>().trim_end().to_owned()
    }

    /// The labels of the decades, or of 1, 2 and 5 where they are few; those
    /// that would run into the one before are left out.
    pub(super) fn labels(&self) -> String {
        let mut line: Vec<char> = Vec::new();
        for (time, label) in self.ticks() {
            let label: Vec<char> = label.chars().collect();
            let column = self.column(time);
            let from = column.saturating_sub(label.len() / 2).min(WIDTH.saturating_sub(label.len()));
            if line.is_empty() || from > line.len() {
                line.resize(from, ' ');
                line.extend(label);
            }
        }
        line.into_iter().collect()
    }

    /// A mark under each label.
    pub(super) fn rule(&self) -> String {
        let mut line = vec!['─'; WIDTH];
        for (time, _) in self.ticks() {
            line[self.column(time)] = '┴';
        }
        line.into_iter().collect()
    }

    fn ticks(&self) -> Vec<(Nanos, String)> {
        let inside = |time: &Nanos| (self.lowest..=self.highest).contains(&power(*time));
        let of = |steps: &[u64]| -> Vec<Nanos> {
            let decades = (0..19).map(|exponent| 10u64.pow(exponent));
            let all = decades.flat_map(|decade| steps.iter().map(move |step| decade.saturating_mul(*step)));
            all.map(Nanos).filter(inside).collect()
        };
        let decades = of(&[1]);
        let chosen = if decades.len() < 2 { of(&[1, 2, 5]) } else { decades };
        chosen.into_iter().map(|time| (time, crate::numbers::length(time))).collect()
    }
}

fn power(time: Nanos) -> f64 {
    (time.0.max(1) as f64).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(ms: &[u64]) -> Vec<Mark> {
        ms.iter().map(|ms| Mark { at: Nanos::from_millis(*ms), at_least: *ms > 900 }).collect()
    }

    #[test]
    fn rounds_that_fall_together_are_counted_and_lower_bounds_point_onward() {
        let rounds = marks(&[1, 10, 10, 10, 100, 1_000]);
        let bound = Some(Nanos::from_millis(300));
        let axis = Axis::over(rounds.iter().map(|mark| mark.at), bound).expect("an axis");
        assert_eq!(axis.row(&rounds), "•        3        •   |    >");
        assert_eq!(axis.rule(), "┴────────┴────────┴────────┴");
        assert_eq!(axis.labels(), "1 ms   10 ms   100 ms    1 s");
        assert!(Axis::over([].into_iter(), None).is_none());
    }

    #[test]
    fn rounds_close_together_are_not_spread_over_the_whole_axis() {
        let rounds = marks(&[100, 101]);
        let axis = Axis::over(rounds.iter().map(|mark| mark.at), None).expect("an axis");
        assert!(axis.row(&rounds).trim().chars().count() <= 2, "{}", axis.row(&rounds));
    }
}
