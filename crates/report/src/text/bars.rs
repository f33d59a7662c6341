//! Bars made of block characters.

use model::Nanos;

/// What stands in a sparkline where there is no number.
pub(super) const GAP: char = '·';

const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const EIGHTHS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// One character a value, linear from zero to the largest, which is returned
/// too so that the scale can be told. `None` if there is no value at all.
pub(super) fn sparkline(values: &[Option<Nanos>]) -> Option<(String, Nanos)> {
    let top = values.iter().flatten().copied().max()?;
    let values: Vec<Option<f64>> = values.iter().map(|value| value.map(|value| value.0 as f64)).collect();
    Some((spark(&values)?.0, top))
}

/// The same of any numbers.
pub(super) fn spark(values: &[Option<f64>]) -> Option<(String, f64)> {
    let top = values.iter().flatten().copied().filter(|value| value.is_finite()).reduce(f64::max)?;
    let level = |value: f64| {
        let eighths = if top > 0.0 { (value / top * 8.0).ceil() } else { 0.0 };
        LEVELS[(eighths as usize).clamp(1, 8) - 1]
    };
    Some((values.iter().map(|value| value.map_or(GAP, level)).collect(), top))
}

/// A bar of at most `width` characters, linear from zero to `top`, to the
/// nearest eighth of a character; a value above zero is never drawn as nothing.
pub(super) fn bar(value: Nanos, top: Nanos, width: usize) -> String {
    let eighths = value.0 as f64 / top.0.max(1) as f64 * width as f64 * 8.0;
    let eighths = (eighths.round() as usize).clamp(usize::from(value.0 > 0), width * 8);
    let mut bar = "█".repeat(eighths / 8);
    if eighths % 8 > 0 {
        bar.push(EIGHTHS[eighths % 8 - 1]);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_starts_at_zero_and_leaves_gaps_where_nothing_is_known() {
        let values = [Some(Nanos(1)), None, Some(Nanos(50)), Some(Nanos(100)), Some(Nanos(0))];
        assert_eq!(sparkline(&values), Some(("▁·▄█▁".into(), Nanos(100))));
        assert_eq!(sparkline(&[None, None]), None);
    }

    #[test]
    fn a_bar_is_as_long_as_its_share_of_the_scale() {
        let cases = [(0, ""), (1, "▏"), (50, "██"), (57, "██▎"), (100, "████"), (140, "████")];
        for (value, text) in cases {
            assert_eq!(bar(Nanos(value), Nanos(100), 4), text, "{value}");
        }
    }
}
