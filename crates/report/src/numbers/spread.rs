//! Numbers over several rounds: the middle one with the least and the largest,
//! changes from one arm to another, and what a guess rests on.

use super::{Measured, Ruler, UNKNOWN, bounded, count, power_of_ten, round_to};
use analysis::Point;
use model::Nanos;

/// One number over the rounds of an arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spread {
    /// The middle one by nearest rank, so that it is the number of some round.
    pub(crate) middle: Point,
    pub(crate) least: Point,
    pub(crate) largest: Point,
    /// From the least to the largest of those that are no lower bounds.
    width: Nanos,
}

impl Spread {
    /// `None` of no rounds.
    pub(crate) fn of(points: impl IntoIterator<Item = Point>) -> Option<Spread> {
        let mut sorted: Vec<Point> = points.into_iter().collect();
        sorted.sort_by_key(|point| (point.value, point.at_least));
        let (least, largest) = (*sorted.first()?, *sorted.last()?);
        let exact = sorted.iter().filter(|point| !point.at_least).map(|point| point.value);
        let width = exact.max().map_or(Nanos::ZERO, |most| most.saturating_sub(least.value));
        Some(Spread { middle: sorted[(sorted.len() - 1) / 2], least, largest, width })
    }

    /// The middle with the least and the largest, all rounded to what their
    /// distance bears: `84.9 ms`, `[83.2, 86.1]`.
    pub(crate) fn text(&self) -> Measured {
        let ruler = self.ruler();
        let end = |point: Point| bounded(point.at_least, &ruler.end(point.value));
        let middle = format!("{} {}", ruler.number(self.middle.value), ruler.unit);
        Measured {
            value: bounded(self.middle.at_least, &middle),
            bracket: format!("[{}, {}]", end(self.least), end(self.largest)),
        }
    }

    /// Each of `points` in the unit and with the digits of the middle, and the unit.
    pub(crate) fn each(&self, points: &[Option<Point>]) -> String {
        let ruler = self.ruler();
        let one = |point: &Option<Point>| {
            point.map_or(UNKNOWN.into(), |point| bounded(point.at_least, &ruler.end(point.value)))
        };
        format!("{} {}", points.iter().map(one).collect::<Vec<_>>().join(", "), ruler.unit)
    }

    fn ruler(&self) -> Ruler {
        Ruler::new(self.middle.value, self.width.0 as f64 / 2.0)
    }
}

impl Ruler {
    /// A number in this unit with no more digits than this ruler bears, and
    /// than three: one far off is not known any better.
    fn end(&self, nanos: Nanos) -> String {
        let three_digits = power_of_ten((nanos.0 as f64).max(1.0)) / 100.0;
        let step_nanos = self.step_nanos.max(three_digits);
        Ruler { step_nanos, ..*self }.number(nanos)
    }
}

/// The middle of some numbers, by nearest rank.
pub(crate) fn middle(numbers: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = numbers.into_iter().filter(|number| number.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().saturating_sub(1) / 2).copied()
}

/// `5.40 to 93.1 ms`; each with its unit where the units differ.
pub(crate) fn range(least: Nanos, largest: Nanos) -> String {
    let (from, to) = (least.to_string(), largest.to_string());
    match (from.split_once(' '), to.split_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number} to {to}"),
        _ => format!("{from} to {to}"),
    }
}

/// How one arm's number changes to another's, with its interval, rounded to
/// what that bears. Up to twice as much in per cent (`−93.8 %`, `[−94.1, −93.5]`),
/// beyond it in times (`16.1 times`, `[15.2, 16.9]`).
pub(crate) fn change(effect: Option<f64>, low: Option<f64>, high: Option<f64>) -> Measured {
    let known = |number: &f64| number.is_finite();
    let Some(effect) = effect.filter(known) else {
        return Measured { value: UNKNOWN.into(), bracket: "[no interval]".into() };
    };
    let ends = low.filter(known).zip(high.filter(known));
    let in_times = effect >= 1.0;
    let shown = |change: f64| if in_times { 1.0 + change } else { change * 100.0 };
    let step = step(shown(effect), ends.map(|(low, high)| (shown(high) - shown(low)).abs() / 2.0));
    let number = |change: f64| {
        let text = decimals(round_to(shown(change), step), step);
        if in_times { text } else { signed(&text) }
    };
    Measured {
        value: format!("{} {}", number(effect), if in_times { "times" } else { "%" }),
        bracket: ends
            .map_or("[no interval]".into(), |(low, high)| format!("[{}, {}]", number(low), number(high))),
    }
}

/// No finer than the second digit of the half width, the third digit of the
/// value, or a hundredth.
pub(super) fn step(value: f64, half_width: Option<f64>) -> f64 {
    let borne = half_width.filter(|half| *half > 0.0).map_or(0.0, |half| power_of_ten(half) / 10.0);
    let three_digits = if value == 0.0 { 0.0 } else { power_of_ten(value.abs()) / 100.0 };
    borne.max(three_digits).max(0.01)
}

pub(super) fn decimals(number: f64, step: f64) -> String {
    let digits = (-step.log10()).round().max(0.0) as usize;
    let text = format!("{number:.digits$}");
    match text.trim_start_matches('-').split_once('.') {
        None if number.abs() >= 1_000.0 => {
            format!("{}{}", if number < 0.0 { "-" } else { "" }, count(number.abs() as u64))
        }
        _ => text,
    }
}

/// With a sign that is as wide as a plus; zero has none.
pub(super) fn signed(text: &str) -> String {
    let is_zero = text.chars().all(|c| !c.is_ascii_digit() || c == '0');
    match text.strip_prefix('-') {
        Some(rest) if is_zero => rest.to_owned(),
        Some(rest) => format!("−{rest}"),
        None if is_zero => text.to_owned(),
        None => format!("+{text}"),
    }
}

/// A p: `0.031`, `under 0.001`.
pub(crate) fn probability(p: Option<f64>) -> String {
    match p {
        Some(p) if !p.is_finite() => UNKNOWN.into(),
        None => UNKNOWN.into(),
        Some(p) if p < 0.001 => "under 0.001".into(),
        Some(p) if p < 0.0095 => format!("{p:.4}"),
        Some(p) if p < 0.095 => format!("{p:.3}"),
        Some(p) => format!("{p:.2}"),
    }
}

/// A figure of any unit, with three digits: `84.9`, `0.0270`, `16,380`.
pub(crate) fn figure(value: f64) -> String {
    match value.abs() {
        size if !size.is_finite() => UNKNOWN.into(),
        0.0 => "0".into(),
        _ if value.fract() == 0.0 && value >= 0.0 => count(value as u64),
        size if size >= 999.5 && value > 0.0 => count(value.round() as u64),
        size => {
            let decimals = (2.0 - size.log10().floor()).clamp(0.0, 9.0) as usize;
            format!("{value:.decimals$}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: f64) -> Point {
        Point { value: Nanos((ms * 1e6) as u64), at_least: false }
    }

    #[test]
    fn rounds_are_rounded_to_what_their_distance_bears() {
        let text = |rounds: &[f64]| {
            let Measured { value, bracket } =
                Spread::of(rounds.iter().copied().map(ms)).expect("rounds").text();
            format!("{value} {bracket}")
        };
        assert_eq!(text(&[86.12, 83.24, 84.91]), "84.9 ms [83.2, 86.1]");
        assert_eq!(text(&[5.4, 72.0, 93.1]), "72 ms [5, 93]");
        assert_eq!(text(&[1.0, 2.0, 3.0, 4.0]), "2.0 ms [1.0, 4.0]");
        assert_eq!(Spread::of([]), None);
        let endless = Point { at_least: true, ..ms(120.0) };
        let spread = Spread::of([ms(80.0), ms(90.0), endless]).expect("rounds");
        assert_eq!(spread.text().bracket, "[80.0, ≥ 120]");
        assert_eq!(spread.each(&[Some(ms(90.0)), None, Some(endless)]), "90.0, –, ≥ 120 ms");
    }

    #[test]
    fn changes_read_as_per_cent_and_beyond_twice_as_times() {
        let cases = [
            ((-0.9381, -0.9413, -0.9349), "−93.8 % [−94.1, −93.5]"),
            ((0.004, -0.012, 0.0213), "+0.4 % [−1.2, +2.1]"),
            ((0.0, -0.012, 0.0213), "0.0 % [−1.2, +2.1]"),
            ((0.5, 0.1, 1.4), "+50 % [+10, +140]"),
            ((15.06, 14.2, 15.9), "16.1 times [15.2, 16.9]"),
            ((1499.0, 1200.0, 1800.0), "1,500 times [1,200, 1,800]"),
        ];
        for ((effect, low, high), text) in cases {
            let Measured { value, bracket } = change(Some(effect), Some(low), Some(high));
            assert_eq!(format!("{value} {bracket}"), text);
        }
        assert_eq!(change(None, None, None).value, "–");
        assert_eq!(change(Some(0.5), None, None).bracket, "[no interval]");
    }

    #[test]
    fn ranges_probabilities_and_figures_keep_their_digits() {
        assert_eq!(range(Nanos::from_micros(5_400), Nanos::from_micros(93_100)), "5.40 to 93.1 ms");
        assert_eq!(range(Nanos::from_micros(970), Nanos::from_millis(2)), "970 µs to 2.00 ms");
        let ps = [(0.03125, "0.031"), (0.0078125, "0.0078"), (0.6875, "0.69"), (1e-6, "under 0.001")];
        for (p, text) in ps {
            assert_eq!(probability(Some(p)), text);
        }
        assert_eq!(probability(None), "–");
        for (value, text) in [(84.912, "84.9"), (0.027, "0.0270"), (16_380.0, "16,380"), (0.0, "0")] {
            assert_eq!(figure(value), text);
        }
        assert_eq!(middle([3.0, 1.0, 2.0, 4.0]), Some(2.0));
        assert_eq!(middle([]), None);
    }
}
