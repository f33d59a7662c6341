use super::*;

/// `arm.a.p99_ms` is 60, 80 and 70; `arm.b` has no figures; `arm.a.ok` is 0.
fn judge(text: &str) -> Judgement {
    let condition = Condition::parse(text).unwrap_or_else(|why| panic!("{text}: {why}"));
    condition.judge(&|arm, figure| match (arm, figure) {
        ("a", "p99_ms") => Some(vec![60.0, 80.0, 70.0]),
        ("a", "ok") => Some(vec![0.0; 3]),
        ("a", "kept_up") => Some(vec![1.0, 0.0, 1.0, 1.0]),
        _ => None,
    })
}

#[test]
fn guesses_are_right_or_wrong_by_their_figures() {
    let (right, wrong) = (Judgement::Right, Judgement::Wrong);
    for (text, judgement) in [
        ("arm['a'].p99_ms | min >= 60 and arm['a'].p99_ms | max <= 100", right),
        ("arm['a'].p99_ms | min > 60", wrong),
        ("arm.a.p99_ms|mean == 70 and arm.a.p99_ms|median == 70 and arm.a.p99_ms|sum == 210", right),
        ("arm['a']['p99_ms'] | max < 80 or not arm.a.ok | max > 0", right),
        ("(arm.a.p99_ms | max) / (arm.a.p99_ms | min) < 1.34", right),
        ("60 <= arm.a.p99_ms | min < 70", right),
        ("60 <= arm.a.p99_ms | min < 60", wrong),
        ("arm.a.p99_ms | min - 10 * 2 == 40 and arm.a.ok | sum > -1", right),
        ("arm.a.p99_ms | min != 60", wrong),
        ("arm.a.kept_up | sum == 3 and arm.a.kept_up | median == 1", right),
    ] {
        assert_eq!(judge(text), judgement, "{text}");
    }
}

#[test]
fn an_unknown_figure_cannot_be_judged_unless_the_rest_decides() {
    for (text, judgement) in [
        ("arm.b.p99_ms | min > 1", Judgement::CannotSay),
        ("not arm.b.p99_ms | min > 1", Judgement::CannotSay),
        ("arm.b.p99_ms | min > 1 and arm.a.ok | max == 0", Judgement::CannotSay),
        ("arm.b.p99_ms | min > 1 and arm.a.ok | max == 1", Judgement::Wrong),
        ("arm.b.p99_ms | min > 1 or arm.a.ok | max == 0", Judgement::Right),
        ("arm.b.p99_ms | min > 1 or arm.a.ok | max == 1", Judgement::CannotSay),
        ("(arm.a.p99_ms | min) / (arm.a.ok | min) > 1", Judgement::CannotSay),
    ] {
        assert_eq!(judge(text), judgement, "{text}");
    }
}

#[test]
fn what_a_guess_rests_on_is_named_once_and_in_order() {
    let condition =
        Condition::parse("arm.b.ok | min > 1 and arm['a b'].ok | min > arm.b.ok | max").expect("a guess");
    assert_eq!(condition.figures(), [("b", "ok"), ("a b", "ok")]);
    assert_eq!(condition.arms().len(), 3);
}

#[test]
fn what_could_go_wrong_while_judging_is_refused_before() {
    for text in [
        "",
        "arm",
        "arm.a",
        "arm.a.p99_ms",
        "arm.a.p99_ms | min",
        "arm.a.p99_ms | min + 'x' > 1",
        "arm.a.p99_ms | min ~ 'x' == 1",
        "arm[1].p99_ms | min > 1",
        "arm[name].p99_ms | min > 1",
        "arms.a.p99_ms | min > 1",
        "arm.a.p99_ms | min > 1 and range(3)",
        "arm.a.p99_ms | min(1) > 1",
        "arm.a.p99_ms | min in [1, 2]",
        "arm.a.p99_ms | min > true",
        "arm.a.p99_ms | min is number",
        "(arm.a.p99_ms | min > 1) > 1",
        "1 if arm.a.p99_ms | min > 1 else 2",
        "1 < 2",
        "true",
        "arm.a.ok | max == 0 and true",
    ] {
        assert!(Condition::parse(text).is_err(), "{text}");
    }
}
