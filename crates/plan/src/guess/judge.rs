//! Judging a condition by figures that are handed in.

use super::{Amount, Condition, Fold, Order, YesNo};

/// What became of a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It holds.
    Right,
    /// It does not.
    Wrong,
    /// A figure is missing that decides it.
    CannotSay,
}

impl Judgement {
    /// The words in results.
    pub fn name(self) -> &'static str {
        match self {
            Judgement::Right => "right",
            Judgement::Wrong => "wrong",
            Judgement::CannotSay => "cannot say",
        }
    }
}

impl Condition {
    /// Judges by `figure(arm, name)`: its value in every round, `None` where
    /// that is not known in all of them.
    pub fn judge(&self, figure: &dyn Fn(&str, &str) -> Option<Vec<f64>>) -> Judgement {
        match self.says.hold(figure) {
            Some(true) => Judgement::Right,
            Some(false) => Judgement::Wrong,
            None => Judgement::CannotSay,
        }
    }

    /// The figures it rests on, as arm and name, in the order of the text.
    pub fn figures(&self) -> Vec<(&str, &'static str)> {
        let mut found = Vec::new();
        self.says.figures(&mut found);
        let mut once = Vec::new();
        found.into_iter().for_each(|figure| {
            if !once.contains(&figure) {
                once.push(figure);
            }
        });
        once
    }
}

type Figure<'a> = &'a dyn Fn(&str, &str) -> Option<Vec<f64>>;

impl YesNo {
    /// `None` is "cannot say": Kleene's third value.
    fn hold(&self, figure: Figure<'_>) -> Option<bool> {
        match self {
            YesNo::Not(inner) => inner.hold(figure).map(|holds| !holds),
            YesNo::Both(a, b) => both(a.hold(figure), b.hold(figure)),
            YesNo::Either(a, b) => {
                both(a.hold(figure).map(|a| !a), b.hold(figure).map(|b| !b)).map(|neither| !neither)
            }
            YesNo::Compare(first, rest) => {
                let mut left = first.value(figure);
                let mut all = Some(true);
                for (order, right) in rest {
                    let right = right.value(figure);
                    let holds = left.zip(right).map(|(left, right)| order.holds(left, right));
                    all = both(all, holds);
                    left = right;
                }
                all
            }
        }
    }

    fn figures<'a>(&'a self, found: &mut Vec<(&'a str, &'static str)>) {
        match self {
            YesNo::Not(inner) => inner.figures(found),
            YesNo::Both(a, b) | YesNo::Either(a, b) => {
                a.figures(found);
                b.figures(found);
            }
            YesNo::Compare(first, rest) => {
                first.figures(found);
                rest.iter().for_each(|(_, amount)| amount.figures(found));
            }
        }
    }
}

fn both(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

impl Order {
    fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Order::Equal => left == right,
            Order::Unequal => left != right,
            Order::Less => left < right,
            Order::AtMost => left <= right,
            Order::More => left > right,
            Order::AtLeast => left >= right,
        }
    }
}

impl Amount {
    /// `None` where it is unknown, or no finite number, such as x / 0.
    fn value(&self, figure: Figure<'_>) -> Option<f64> {
        let of = |amount: &Amount| amount.value(figure);
        let value = match self {
            Amount::Number(number) => *number,
            Amount::Folded { arm, figure: name, fold } => fold.of(&figure(arm, name)?)?,
            Amount::Negative(inner) => -of(inner)?,
            Amount::Sum(a, b) => of(a)? + of(b)?,
            Amount::Difference(a, b) => of(a)? - of(b)?,
            Amount::Product(a, b) => of(a)? * of(b)?,
            Amount::Ratio(a, b) => of(a)? / of(b)?,
        };
        value.is_finite().then_some(value)
    }

    fn figures<'a>(&'a self, found: &mut Vec<(&'a str, &'static str)>) {
        match self {
            Amount::Number(_) => {}
            Amount::Folded { arm, figure, .. } => found.push((arm, figure)),
            Amount::Negative(inner) => inner.figures(found),
            Amount::Sum(a, b) | Amount::Difference(a, b) | Amount::Product(a, b) | Amount::Ratio(a, b) => {
                a.figures(found);
                b.figures(found);
            }
        }
    }
}

impl Fold {
    /// One number of the rounds' numbers; `None` of no rounds.
    fn of(self, rounds: &[f64]) -> Option<f64> {
        let count = rounds.len();
        if count == 0 {
            return None;
        }
        let mut sorted = rounds.to_vec();
        sorted.sort_by(f64::total_cmp);
        let sum: f64 = sorted.iter().sum();
        Some(match self {
            Fold::Min => sorted[0],
            Fold::Max => sorted[count - 1],
            Fold::Mean => sum / count as f64,
            Fold::Median => (sorted[(count - 1) / 2] + sorted[count / 2]) / 2.0,
            Fold::Sum => sum,
        })
    }
}
