//! From a time or a count to a place on an axis, and the axis' labels.

use model::Nanos;

/// A logarithmic axis of time, drawn between two heights.
pub(super) struct LogScale {
    /// The ends, as powers of ten of nanoseconds.
    lowest: f64,
    highest: f64,
    top: f64,
    bottom: f64,
}

impl LogScale {
    /// An axis a little wider than all `times`, and at least half a decade.
    pub(super) fn over(times: impl Iterator<Item = Nanos>, top: f64, bottom: f64) -> LogScale {
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for time in times {
            let power = power(time);
            (least, most) = (least.min(power), most.max(power));
        }
        if !least.is_finite() {
            // Nothing to show: 1 ms to 10 ms, for the sake of an axis.
            (least, most) = (6.0, 7.0);
        }
        let missing = (0.5 - (most - least)).max(0.0) / 2.0;
        LogScale { lowest: least - missing - 0.15, highest: most + missing + 0.15, top, bottom }
    }

    /// Pixels down; times outside the axis stand at its ends.
    pub(super) fn place(&self, time: Nanos) -> f64 {
        let share = (power(time) - self.lowest) / (self.highest - self.lowest);
        self.bottom - share.clamp(0.0, 1.0) * (self.bottom - self.top)
    }

    /// Each decade on the axis with its label, `10 ms`; where the axis holds
    /// fewer than two, twice and five times each decade as well.
    pub(super) fn ticks(&self) -> Vec<(Nanos, String)> {
        let decades = (0..19).map(|exponent| 10u64.pow(exponent));
        let of = |steps: &[u64]| -> Vec<(Nanos, String)> {
            let all = decades
                .clone()
                .flat_map(|decade| steps.iter().map(move |step| Nanos(decade.saturating_mul(*step))));
            all.filter(|time| (self.lowest..=self.highest).contains(&power(*time)))
                .map(|time| (time, label(time)))
                .collect()
        };
        let whole = of(&[1]);
        if whole.len() < 2 { of(&[1, 2, 5]) } else { whole }
    }
}

fn power(time: Nanos) -> f64 {
    (time.0.max(1) as f64).log10()
}

/// One digit and zeros: `1 ns`, `20 µs`, `100 ms`, `5 s`, `1000 s`.
fn label(time: Nanos) -> String {
    match time.0 {
        0..1_000 => format!("{} ns", time.0),
        1_000..1_000_000 => format!("{} µs", time.0 / 1_000),
        1_000_000..1_000_000_000 => format!("{} ms", time.0 / 1_000_000),
        _ => format!("{} s", time.0 / 1_000_000_000),
    }
}

/// A linear axis, drawn between two heights.
pub(super) struct LinearScale {
    pub(super) least: f64,
    pub(super) most: f64,
    top: f64,
    bottom: f64,
}

impl LinearScale {
    /// From zero to the largest of `values`.
    pub(super) fn over(values: impl Iterator<Item = f64>, top: f64, bottom: f64) -> LinearScale {
        let most = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
        LinearScale::between(0.0, most, top, bottom)
    }

    /// From `least` to `most`: for axes whose ends are written beside them.
    pub(super) fn between(least: f64, most: f64, top: f64, bottom: f64) -> LinearScale {
        LinearScale { least, most: if most > least { most } else { least + 1.0 }, top, bottom }
    }

    /// Pixels down, or per cent across where the ends are given so.
    pub(super) fn place(&self, value: f64) -> f64 {
        let share = (value - self.least) / (self.most - self.least);
        self.bottom - share.clamp(0.0, 1.0) * (self.bottom - self.top)
    }

    /// Three to six round values from zero on that lie on the axis.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let decade = 10f64.powf(self.most.log10().floor());
        let steps = [0.1, 0.2, 0.5, 1.0].map(|step| step * decade);
        let step = steps.into_iter().find(|step| self.most / step < 6.0).unwrap_or(2.0 * decade);
        (0..).map(|n| f64::from(n) * step).take_while(|value| *value <= self.most).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &LogScale) -> Vec<String> {
        scale.ticks().into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn a_logarithmic_axis_labels_its_decades() {
        let times = [Nanos::from_micros(970), Nanos::from_millis(84)];
        let scale = LogScale::over(times.into_iter(), 0.0, 300.0);
        assert_eq!(labels(&scale), ["1 ms", "10 ms", "100 ms"]);
        let (one, ten) = (scale.place(Nanos::from_millis(1)), scale.place(Nanos::from_millis(10)));
        assert!((one - ten - (ten - scale.place(Nanos::from_millis(100)))).abs() < 1e-6);
        assert_eq!(scale.place(Nanos::from_secs(9)), 0.0);
    }

    #[test]
    fn a_short_logarithmic_axis_labels_more_than_decades() {
        let times = [Nanos::from_millis(3), Nanos::from_millis(8)];
        assert_eq!(labels(&LogScale::over(times.into_iter(), 0.0, 300.0)), ["2 ms", "5 ms", "10 ms"]);
    }

    #[test]
    fn an_axis_without_values_is_still_an_axis() {
        assert_eq!(LogScale::over([].into_iter(), 0.0, 100.0).ticks().len(), 2);
        assert_eq!(LinearScale::over([].into_iter(), 0.0, 100.0).place(0.0), 100.0);
    }

    #[test]
    fn a_linear_axis_has_a_few_round_labels() {
        let ticks = |most: f64| LinearScale::over([most].into_iter(), 100.0, 0.0).ticks();
        assert_eq!(ticks(1_248.0), [0.0, 500.0, 1_000.0]);
        assert_eq!(ticks(540.0), [0.0, 100.0, 200.0, 300.0, 400.0, 500.0]);
        assert_eq!(ticks(2.1), [0.0, 0.5, 1.0, 1.5, 2.0]);
        let axis = LinearScale::between(60.0, 80.0, 0.0, 100.0);
        assert_eq!((axis.place(60.0), axis.place(70.0), axis.place(99.0)), (100.0, 50.0, 0.0));
    }
}
