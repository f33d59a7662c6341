//! A list of stages, several times over.

use super::{MOST_STAGES, ShapeError, ShapeFault, whole};
use model::Stage;

/// The `stages`, `times` in all, one round after the other.
pub fn repeated(stages: &[Stage], times: u32) -> Result<Vec<Stage>, ShapeError> {
    match stages.len().checked_mul(times as usize) {
        _ if times == 0 => Err(ShapeFault::NotOnce.of_all()),
        Some(0..=MOST_STAGES) => whole(stages.repeat(times as usize)),
        _ => Err(ShapeFault::TooManyStages.of_all()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;

    #[test]
    fn rounds_follow_each_other_as_they_are() {
        let [a, b] = [Stage::level(Nanos(5), 1.0), Stage { length: Nanos(7), from: 1.0, to: 3.0 }];
        assert_eq!(repeated(&[a, b], 1), Ok(vec![a, b]));
        assert_eq!(repeated(&[a, b], 3), Ok(vec![a, b, a, b, a, b]));
    }

    #[test]
    fn what_cannot_be_repeated_says_why() {
        let stage = Stage::level(Nanos::from_secs(86_400), 1.0);
        let fault = |stages: &[Stage], times| repeated(stages, times).map_err(|error| error.what);
        assert_eq!(fault(&[stage], 0), Err(ShapeFault::NotOnce));
        assert_eq!(fault(&[], 2), Err(ShapeFault::Empty));
        assert_eq!(fault(&[stage], 105), Err(ShapeFault::TooLong));
        assert_eq!(fault(&[stage], u32::MAX), Err(ShapeFault::TooManyStages));
    }
}
