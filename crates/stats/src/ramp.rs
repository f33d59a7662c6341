//! What a load that rises in steps shows: where departures stop following
//! arrivals, and where a figure crosses what it must not exceed.
//!
//! Knees found by the curvature of a curve are none of these: they move with
//! how far the ramp went (for 1 ÷ (1 − ρ) up to m, Kneedle says 1 − √(1 − m)).

use crate::paired::Paired;
use crate::series::median;

/// A shortfall is seen where it is beyond three standard deviations of a count.
const SEEN: f64 = 3.0;
/// Rounds from which on their own scatter gives the interval.
const FEWEST_ROUNDS: usize = 3;
/// z of a 95 % interval.
const Z: f64 = 1.96;

/// A step of one round's ramp: what was asked of it and what it did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Arrivals a second.
    pub asked: f64,
    /// Departures a second.
    pub done: f64,
    /// Its length in seconds.
    pub seconds: f64,
}

/// A step of one round's ramp: how a figure stands to what it must not exceed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Height {
    /// Arrivals a second.
    pub asked: f64,
    /// ln(figure ÷ limit): above zero, the limit is exceeded. `None` where the
    /// figure is not known.
    pub above: Option<f64>,
    /// Whether the figure is no property of the rate but grows with the step's
    /// length, or is a lower bound: then the limit counts as exceeded.
    pub is_open: bool,
}

/// A point on a ramp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Found {
    /// Here, a second.
    Is {
        /// The estimate.
        value: f64,
        /// Lower end of its interval.
        low: f64,
        /// Upper end.
        high: f64,
        /// What gives the interval.
        from: WidthFrom,
    },
    /// Above the highest step, which is this.
    Above(f64),
    /// Below the lowest.
    Below(f64),
    /// It cannot be said.
    CannotSay(Unclear),
}

/// What gives an interval its width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WidthFrom {
    /// Student's 95 % interval over so many rounds.
    Rounds(u32),
    /// The steps between which it lies.
    Steps,
    /// Student's 95 % interval over so many saturated steps.
    Saturated(u32),
    /// The chance in one count, as of a Poisson process.
    Count,
}

/// Why a point cannot be found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unclear {
    /// There are fewer than two steps that tell.
    FewSteps,
    /// It shows in some of the rounds only.
    Disagree {
        /// In so many.
        some: u32,
        /// Of so many.
        all: u32,
    },
    /// The limit is exceeded, then held, at a higher rate.
    MoreThanOnce {
        /// Exceeded here.
        exceeded: f64,
        /// Held here.
        held: f64,
    },
    /// The interval is as wide as the ramp.
    TooWide,
}

/// Where departures stop following: C of the broken line done = min(asked, C).
///
/// A step is saturated if its departures are short of its arrivals by more than
/// 3 √arrivals. Only the unbroken row of saturated steps at a round's top
/// counts, for a step below it fell short for another reason. A round's C is
/// the median of `done` over that row; the estimate is the median of the
/// rounds' C from three rounds on, else of `done` over all their rows. The interval
/// is the estimate ± t₀.₉₇₅ sd ÷ √n of the same values, or, of a single one,
/// ± 1.96 √(done ÷ seconds). It lies above the highest rate where no round has
/// such a row, and below the lowest where in every round the row is all steps.
/// Where some rounds have one and others do not, it cannot be said. Steps are to
/// come by rising rate.
pub fn saturation(rounds: &[Vec<Step>]) -> Found {
    let Some((lowest, highest)) = ends(rounds.iter().flatten().map(|step| step.asked)) else {
        return Found::CannotSay(Unclear::FewSteps);
    };
    let rows: Vec<&[Step]> = rounds.iter().map(|round| saturated_row(round)).collect();
    let with = rows.iter().filter(|row| !row.is_empty()).count();
    if with == 0 {
        return Found::Above(highest);
    }
    if with < rounds.len() {
        return Found::CannotSay(Unclear::Disagree { some: with as u32, all: rounds.len() as u32 });
    }
    if rows.iter().zip(rounds).all(|(row, round)| row.len() == round.len()) {
        return Found::Below(lowest);
    }
    let done = |row: &[Step]| -> Vec<f64> { row.iter().map(|step| step.done).collect() };
    if rounds.len() >= FEWEST_ROUNDS {
        let of_rounds: Vec<f64> = rows.iter().filter_map(|row| median(&done(row))).collect();
        return around(&of_rounds, WidthFrom::Rounds(of_rounds.len() as u32));
    }
    let all: Vec<f64> = rows.iter().flat_map(|row| done(row)).collect();
    match rows.concat().as_slice() {
        [one] => {
            let half = Z * (one.done / one.seconds).sqrt();
            let low = (one.done - half).max(0.0);
            Found::Is { value: one.done, low, high: one.done + half, from: WidthFrom::Count }
        }
        _ => around(&all, WidthFrom::Saturated(all.len() as u32)),
    }
}

fn saturated_row(round: &[Step]) -> &[Step] {
    let is_saturated = |step: &&Step| {
        let arrivals = step.asked * step.seconds;
        arrivals - step.done * step.seconds > SEEN * arrivals.sqrt()
    };
    &round[round.len() - round.iter().rev().take_while(is_saturated).count()..]
}

/// Where a figure crosses its limit as the rate rises.
///
/// A step exceeds the limit if the figure does, or `is_open`; steps without a
/// figure are left out. Taking all rounds together, a step exceeds it if it does
/// in half of the rounds that know it, or more. If no step does, the crossing is
/// above the highest; if the first does, below the lowest; if a step that holds
/// comes after one that does not, it cannot be said.
///
/// Else every round has a crossing of its own, between its first step that
/// exceeds and the step before: where a straight line of ln(figure) over the
/// rate meets the limit, or halfway where the upper step is open. The estimate
/// is the median of the rounds'. From three rounds on its interval is ± t₀.₉₇₅ sd ÷ √n
/// of these, if every round has one and no upper step is open; otherwise it is
/// from the lowest of the lower steps to the highest of the upper ones, where a
/// round that does not cross counts with its own end of the ramp. An interval
/// as wide as the ramp is none. Steps are to come by rising rate, the same in
/// each round.
pub fn crossing(rounds: &[Vec<Height>]) -> Found {
    let known: Vec<Vec<Height>> = rounds.iter().map(|round| known(round)).collect();
    let mut rates: Vec<f64> = known.iter().flatten().map(|height| height.asked).collect();
    rates.sort_unstable_by(f64::total_cmp);
    rates.dedup();
    let [lowest, .., highest] = rates[..] else { return Found::CannotSay(Unclear::FewSteps) };
    let exceeds: Vec<bool> = rates.iter().map(|rate| exceeded_by_most(&known, *rate)).collect();
    let Some(first) = exceeds.iter().position(|exceeds| *exceeds) else { return Found::Above(highest) };
    if let Some(again) = exceeds[first..].iter().position(|exceeds| !exceeds) {
        let held = rates[first + again];
        return Found::CannotSay(Unclear::MoreThanOnce { exceeded: rates[first], held });
    }
    if first == 0 {
        return Found::Below(lowest);
    }
    let all: Vec<Own> = known.iter().filter_map(|round| Own::of(round)).collect();
    let values: Vec<f64> = all.iter().map(|own| own.value).collect();
    let found = if all.len() >= FEWEST_ROUNDS && all.iter().all(|own| own.is_sharp) {
        around(&values, WidthFrom::Rounds(values.len() as u32))
    } else {
        let ends = ends(all.iter().flat_map(|own| [own.lower, own.upper]));
        match (ends, median(&values)) {
            (Some((low, high)), Some(value)) => Found::Is { value, low, high, from: WidthFrom::Steps },
            _ => Found::CannotSay(Unclear::FewSteps),
        }
    };
    match found {
        Found::Is { low, high, .. } if low <= lowest && highest <= high => Found::CannotSay(Unclear::TooWide),
        found => found,
    }
}

fn known(round: &[Height]) -> Vec<Height> {
    round.iter().copied().filter(|height| height.above.is_some() || height.is_open).collect()
}

impl Height {
    fn exceeds(&self) -> bool {
        self.is_open || self.above.is_some_and(|above| above > 0.0)
    }
}

fn exceeded_by_most(rounds: &[Vec<Height>], rate: f64) -> bool {
    let at = || rounds.iter().flatten().filter(|height| height.asked == rate);
    2 * at().filter(|height| height.exceeds()).count() >= at().count()
}

/// One round's own crossing.
struct Own {
    value: f64,
    lower: f64,
    upper: f64,
    /// Whether it was read off between two figures.
    is_sharp: bool,
}

impl Own {
    /// `None` of a round without any figure.
    fn of(round: &[Height]) -> Option<Own> {
        let at_end =
            |end: &Height| Own { value: end.asked, lower: end.asked, upper: end.asked, is_sharp: false };
        match round.iter().position(Height::exceeds) {
            None => round.last().map(at_end),
            Some(0) => round.first().map(at_end),
            Some(at) => Some(Own::between(&round[at - 1], &round[at])),
        }
    }

    fn between(lower: &Height, upper: &Height) -> Own {
        let line = match (lower.above, upper.above) {
            (Some(below), Some(above)) if !upper.is_open => Some(-below / (above - below)),
            _ => None,
        };
        let value = lower.asked + line.unwrap_or(0.5) * (upper.asked - lower.asked);
        Own { value, lower: lower.asked, upper: upper.asked, is_sharp: line.is_some() }
    }
}

/// The median of at least two values, with Student's 95 % interval around it.
fn around(values: &[f64], from: WidthFrom) -> Found {
    let half =
        Paired::new(values).and_then(|all| all.student_interval(0.95)).map(|(low, high)| (high - low) / 2.0);
    match (median(values), half) {
        (Some(value), Some(half)) => {
            Found::Is { value, low: (value - half).max(0.0), high: value + half, from }
        }
        _ => Found::CannotSay(Unclear::FewSteps),
    }
}

/// The smallest and the largest, of two values or more.
fn ends(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.map(|value| (value, value)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

/// By how much too high a rate a crossing is seen while the load rises by
/// `slope` (a second, each second), for departures at `rate` and a limit of
/// `wait` seconds: √(2 a μ L), for it takes the queue that long to grow to it.
pub fn overshoot(slope: f64, rate: f64, wait: f64) -> f64 {
    (2.0 * slope * rate * wait).sqrt()
}

/// The steepest slope whose overshoot is at most `share` of `rate`: ε² μ ÷ 2 L.
pub fn steepest(share: f64, rate: f64, wait: f64) -> f64 {
    share * share * rate / (2.0 * wait)
}

#[cfg(test)]
mod tests;
