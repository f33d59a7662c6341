//! The same for what only planned experiments have: comparisons, guesses,
//! bounds, windows, other tools and the machine's story.

use super::types::{
    Bound, BoundArm, BoundRate, Comparison, Guess, GuessFigure, Story, Told, Window, WindowSpread,
};
use analysis::{BoundSummary, GuessSummary};
use model::{MachineStory, Nanos};

pub(super) fn comparison(one: &analysis::Comparison) -> Comparison {
    Comparison {
        a: one.pairing.a.clone(),
        b: one.pairing.b.clone(),
        number: one.pairing.number.name(),
        twin: one.pairing.is_twin,
        rounds: one.rounds,
        ratios: one.ratios.clone(),
        effect: one.effect,
        low: one.low,
        high: one.high,
        coverage: one.coverage,
        p: one.p,
        p_floor: one.p_floor,
        p_holm: one.p_holm,
        told_apart: one.told_apart,
        plain_rule: one.plain_rule,
        smallest_visible: one.smallest_visible,
        same_within: one.same_within,
        sd_rounds: one.sd_rounds,
        sd_paired: one.sd_paired,
    }
}

pub(super) fn guess(one: &GuessSummary) -> Guess {
    let figure = |figure: &analysis::GuessFigure| GuessFigure {
        arm: figure.arm.clone(),
        figure: figure.figure.clone(),
        values: figure.values.clone(),
    };
    Guess {
        name: one.guess.name.clone(),
        says: one.guess.says.clone(),
        holds: one.guess.holds.clone(),
        late: one.guess.is_late,
        verdict: one.verdict,
        figures: one.figures.iter().map(figure).collect(),
    }
}

pub(super) fn bound(one: &BoundSummary) -> Bound {
    let arm = |arm: &analysis::BoundArm| BoundArm {
        arm: arm.arm.clone(),
        rate_per_s: arm.rate_per_s,
        held: arm.held,
        rounds: arm.rounds,
        worst_ns: arm.worst.map(|worst| worst.value.0),
        at_least: arm.worst.is_some_and(|worst| worst.at_least),
    };
    let highest = one.highest.clone();
    let unbounded = one.unbounded.clone();
    Bound {
        number: one.bound.number.name(),
        at_most_ns: one.bound.at_most.0,
        arms: one.arms.iter().map(arm).collect(),
        highest: highest.map(|(arm, rate_per_s)| BoundRate { arm, rate_per_s, times: Some(1.0) }),
        unbounded: unbounded.map(|(arm, rate_per_s, times)| BoundRate { arm, rate_per_s, times }),
    }
}

pub(super) fn window(window: &analysis::Window) -> Window {
    Window {
        began_s: window.began.as_secs_f64(),
        length_s: window.length.as_secs_f64(),
        n: window.n,
        p99_ns: window.p99.map(|p99| p99.value.0),
        at_least: window.p99.is_some_and(|p99| p99.at_least),
    }
}

pub(super) fn window_spread(spread: analysis::WindowSpread) -> WindowSpread {
    let ends = |(least, largest): (Nanos, Nanos)| [least.0, largest.0];
    WindowSpread {
        length_s: spread.length.as_secs_f64(),
        first_ns: ends(spread.first),
        whole_ns: ends(spread.whole),
        any_ns: ends(spread.any),
    }
}

pub(super) fn told(told: &model::Told) -> Told {
    let ns = |time: Option<Nanos>| time.map(|time| time.0);
    Told {
        requests: told.requests,
        failed: told.failed,
        rate_per_s: told.rate_per_s,
        mean_ns: ns(told.mean),
        p50_ns: ns(told.p50),
        p90_ns: ns(told.p90),
        p95_ns: ns(told.p95),
        p99_ns: ns(told.p99),
        p999_ns: ns(told.p999),
        max_ns: ns(told.max),
        gave_samples: told.gave_samples,
    }
}

pub(super) fn story(story: &MachineStory) -> Story {
    Story {
        idle_before: story.idle_before,
        load_before: story.load_before,
        waited_for_quiet_s: story.waited_for_quiet.as_secs_f64(),
        was_quiet: story.was_quiet,
        steal_share: story.steal_share,
        other_cores: story.other_cores,
        throttled: story.throttled,
        log_lines: story.log_lines,
        sessions: story.sessions,
        service_core_share: story.service_core_share,
    }
}
