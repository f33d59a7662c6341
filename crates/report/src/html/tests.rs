//! What must hold of every page, whatever its figures. How it looks is for
//! eyes: `REPORT_GALLERY=DIR cargo test -p doorclock-report gallery -- --ignored`
//! writes pages of made-up runs to look at.

use super::page;
use crate::fixtures::{self, PLAN, corrected, doubt, open, paced, planned, run};
use analysis::{ArmSummary, Distribution, Interval, Point, RampRate, Recovery, RunSummary, Summary, Verdict};
use model::Nanos;

fn quick(run: RunSummary) -> Summary {
    let mut summary = fixtures::summary(vec![("quick".into(), run)]);
    summary.question = "How long do users of http://127.0.0.1:8600/score wait?".into();
    summary.answer = "At 500/s, 1 in 100 waits 74.5 ms or longer.".into();
    summary
}

fn void() -> Summary {
    let mut void = fixtures::failing();
    void.verdict = Verdict::Void;
    void.doubts = vec![doubt("books", Verdict::Void, "14 requests are missing", Some("report a bug"))];
    let mut summary = quick(void);
    summary.answer = "No number of this run should be used.".into();
    summary
}

fn doubtful() -> Summary {
    let mut summary = fixtures::demo();
    let open = &mut summary.arms[4].runs[0];
    open.verdict = Verdict::Doubtful;
    open.p99_interval = Interval { low: Some(Nanos::from_millis(41)), high: None, episodes: 3 };
    let hint = Some("run 2 min (-d 2m) for one you can quote");
    open.doubts = vec![doubt("few-episodes", Verdict::Doubtful, "the p99 rests on 3 separate events", hint)];
    summary.verdict = Verdict::Doubtful;
    summary
}

/// Two arms without calm twins, three rounds each, one of them corrected.
fn rounds() -> Summary {
    let mut one = run("open-500", open(500.0), false);
    let two = run("paced-500", paced(500.0, 8), true);
    one.response_time.p999 = None;
    let mut summary = fixtures::summary(vec![("open-500".into(), one), ("paced-500".into(), two)]);
    for arm in &mut summary.arms {
        for round in 2..=3 {
            let mut next = arm.runs[0].clone();
            next.facts.round = round;
            let p99 = next.response_time.p99.map_or(Nanos::ZERO, |point| point.value);
            next.response_time.p99 =
                Some(Point { value: Nanos(p99.0 * (6 + u64::from(round)) / 7), at_least: false });
            next.corrected = Some(corrected());
            arm.runs.push(next);
        }
    }
    summary
}

/// Every arm void: nothing to draw, and a plan to show all the same.
fn nothing_to_draw() -> Summary {
    let mut summary = rounds();
    for run in summary.arms.iter_mut().flat_map(|arm| &mut arm.runs) {
        run.verdict = Verdict::Void;
    }
    summary.verdict = Verdict::Void;
    summary
}

/// One arm, one round.
fn alone(mut arm: ArmSummary) -> Summary {
    arm.runs.truncate(1);
    let mut summary = fixtures::summary(Vec::new());
    summary.question = "Does it bear this?".into();
    summary.arms = vec![arm];
    summary
}

/// A burst that is never over, after one that is; some requests fail in it.
fn many_bursts() -> ArmSummary {
    let mut arm = fixtures::replay();
    let run = &mut arm.runs[0];
    run.bursts[2].recovery = Recovery::NotWithin(Nanos::from_secs(1));
    run.bursts[2].backlog.clear();
    run.stages[4].response_time.p99 = Some(Point { value: Nanos::from_secs(10), at_least: true });
    run.stages[9].response_time = Distribution::default();
    arm
}

fn gallery() -> Vec<(&'static str, Summary, Option<&'static str>)> {
    vec![
        ("demo", fixtures::demo(), None),
        ("doubtful", doubtful(), None),
        ("quick", quick(run("quick", open(500.0), true)), None),
        ("failing", quick(fixtures::failing()), None),
        ("void", void(), None),
        ("rounds", rounds(), None),
        ("planned", planned(), Some(PLAN)),
        ("planned-quick", quick(run("quick", open(500.0), true)), Some(PLAN)),
        ("planned-void", nothing_to_draw(), Some(PLAN)),
        ("shaped", fixtures::shaped(), Some(PLAN)),
        ("ramp-up", alone(fixtures::ramp_up()), None),
        ("burst", alone(fixtures::burst()), None),
        ("burst-again", alone(many_bursts()), None),
        ("steady", alone(fixtures::steady()), None),
        ("soak", alone(fixtures::soak()), None),
        ("soak-short", alone(fixtures::too_short()), None),
        ("day", alone(fixtures::day()), None),
        ("users", alone(fixtures::users_over_time()), None),
    ]
}

/// A page without the figures that it carries for machines.
fn without_figures(page: &str) -> String {
    let (before, rest) =
        page.split_once("<script type=\"application/json\" id=\"summary\">").expect("figures");
    let (_, after) = rest.split_once("</script>").expect("their end");
    format!("{before}{after}")
}

#[test]
fn a_page_carries_the_summary_word_for_word_whatever_its_texts() {
    let mut summary = fixtures::demo();
    summary.question = "</script><script>alert(1)</script>".into();
    let page = page(&summary, None);
    let (_, rest) = page.split_once("id=\"summary\">").expect("figures");
    let (text, _) = rest.split_once("</script>").expect("their end");
    let carried: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let said: serde_json::Value = serde_json::from_str(&crate::json::summary(&summary)).expect("JSON");
    assert_eq!(carried, said);
}

#[test]
fn a_page_needs_no_network_no_script_and_no_other_file() {
    for (name, summary, plan) in gallery() {
        let page = without_figures(&page(&summary, plan));
        for reach in ["<script", "<link", "<img", "<iframe", "@import", "url(", " src=", "href=\"http"] {
            assert!(!page.contains(reach), "{name} has {reach}");
        }
    }
}

#[test]
fn every_opened_element_is_closed() {
    for (name, summary, plan) in gallery() {
        let page = page(&summary, plan);
        let elements =
            ["main", "div", "figure", "figcaption", "details", "table", "svg", "ul", "li", "p", "h2"];
        for element in elements.into_iter().chain(["td", "th", "tr", "text", "rect", "use", "dl", "span"]) {
            let opened =
                page.matches(&format!("<{element}>")).count() + page.matches(&format!("<{element} ")).count();
            let alone = page
                .split(&format!("<{element} "))
                .skip(1)
                .filter(|rest| rest.split('>').next().is_some_and(|tag| tag.ends_with('/')))
                .count();
            let closed = page.matches(&format!("</{element}>")).count();
            assert_eq!(opened - alone, closed, "{name}: {element}");
        }
        for wrong in ["NaN", "inf%", "\"inf"] {
            assert!(!page.contains(wrong), "{name} has {wrong}");
        }
    }
}

#[test]
fn every_picture_has_a_sentence_under_it_and_a_table_behind_it() {
    for (name, summary, plan) in gallery() {
        let page = page(&summary, plan);
        let figures: Vec<&str> = page.split("<figure>").skip(1).collect();
        for figure in &figures {
            let figure = figure.split("</figure>").next().unwrap_or_default();
            for part in ["<figcaption>", "<details>", "<table>"] {
                assert_eq!(figure.matches(part).count().min(1), 1, "{name}: {part}");
            }
        }
        let expected = match name {
            "void" | "planned-void" => 0,
            "quick" | "failing" => 4,
            "planned" => 6,
            "planned-quick" => 7,
            "rounds" => 4,
            "shaped" => 13,
            "steady" | "soak" | "soak-short" => 4,
            "ramp-up" | "burst-again" | "day" | "users" => 3,
            _ => 2,
        };
        assert_eq!(figures.len(), expected, "{name}");
    }
}

#[test]
fn an_experiment_names_every_arm_and_round_and_its_plan_word_for_word() {
    let (summary, page) = (planned(), page(&planned(), Some(PLAN)));
    for arm in &summary.arms {
        assert!(page.contains(&format!("<b>{}</b>", arm.name)), "{} has no row", arm.name);
    }
    for round in [1, 2, 4, 5, 6] {
        assert!(page.contains(&format!("<title>round {round}: ")), "round {round} has no dot");
    }
    assert!(
        page.contains("open = { rate = &quot;546/s&quot; }   # &lt;b&gt;bold&lt;/b&gt; &amp; ``` fenced")
    );
    assert!(page.contains("written after the first run: no prediction"));
    assert!(page.contains("<q>the open loop&#39;s p99 is below 90\u{a0}ms in every round</q>"), "no quote");
}

#[test]
fn a_large_experiment_is_still_a_page_that_loads() {
    let mut summary = planned();
    let arms = summary.arms.clone();
    // 18 arms in 12 rounds: 216 runs.
    summary.arms.extend(arms);
    for arm in &mut summary.arms {
        let runs = arm.runs.clone();
        arm.runs.extend(runs);
    }
    let size = page(&summary, Some(PLAN)).len();
    assert!(size < 2_000_000, "{size} bytes");
}

#[test]
fn text_from_outside_is_escaped() {
    let mut hostile = fixtures::failing();
    hostile.facts.url = "http://127.0.0.1/?a=<script>alert(1)</script>&b=\"".into();
    hostile.examples = vec![("timed_out".into(), "<b>body</b>".into())];
    let mut summary = quick(hostile);
    summary.arms[0].name = "<i>arm</i>".into();
    summary.question = "<u>why</u>".into();
    let page = without_figures(&page(&summary, None));
    for markup in ["<script", "<b>body", "<i>arm", "<u>why"] {
        assert!(!page.contains(markup), "{markup} came through");
    }
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;&amp;b=&quot;"));
}

#[test]
fn captions_follow_from_the_figures() {
    // Numbers and their units are tied by no-break spaces.
    let drawn = |summary: &Summary| page(summary, None).replace('\u{a0}', " ");
    let demo = drawn(&fixtures::demo());
    assert!(demo.contains("by 19 in the open loop, 546/s (3.93 ms to 74.0 ms)"), "the p99 multiplied");
    assert!(demo.contains("the closed loop, 1 connection sent nothing in 7 stalls"), "sent in stalls");
    let mut calmer = fixtures::demo();
    calmer.arms[4].runs[0].response_time.p99 = calmer.arms[5].runs[0].response_time.p99;
    assert!(drawn(&calmer).contains("by 1.0 in the open loop, 546/s"), "no stall seen");
}

#[test]
fn a_ramp_is_drawn_with_its_bound_its_band_and_every_round() {
    let mut summary = alone(fixtures::ramp_up());
    let drawn = |summary: &Summary| without_figures(&page(summary, None));
    let band = ">saturated 1,000/s</text>";
    assert!(drawn(&summary).contains(band) && drawn(&summary).contains(">p99 ≤ 20 ms</text>"));
    // A bound far above all that was measured would press it flat.
    summary.arms[0].ramp.as_mut().expect("a ramp").bounds[1].0.at_most = Nanos::from_secs(100);
    assert!(!drawn(&summary).contains("p99 ≤ 100 s</text>") && drawn(&summary).contains("p99 ≤ 100"));
    summary.arms[0].ramp.as_mut().expect("a ramp").saturation = RampRate::Above(1_200.0);
    assert!(!drawn(&summary).contains(">saturated ") && drawn(&summary).contains("Not saturated"));
    summary.arms[0].runs[0].stages[3].response_time.p99 =
        Some(Point { value: Nanos::from_secs(2), at_least: true });
    assert!(drawn(&summary).contains("<title>p99 ≥ 2.00 s at 480/s</title>"));
    summary.arms[0].runs[0].stages.truncate(1);
    assert!(!drawn(&summary).contains("Response times at each step"), "a ramp of one step is drawn");
}

#[test]
fn a_burst_is_shaded_and_its_recovery_marked_or_said_to_be_missing() {
    let mut summary = alone(fixtures::burst());
    let drawn = |summary: &Summary| without_figures(&page(summary, None)).replace('\u{a0}', " ");
    assert!(drawn(&summary).contains(">after 2.03 s</text>"));
    // 4 to 6 of 14 s, in both strips.
    let shade = "x=\"28.571%\" y=\"28.0\" width=\"14.286%\"";
    assert_eq!(drawn(&summary).matches(shade).count(), 2, "the burst's place");
    summary.arms[0].runs[0].bursts[0].recovery = Recovery::NotWithin(Nanos::from_secs(8));
    assert!(drawn(&summary).contains(">not within 8 s</text>"));
    summary.arms[0].runs[0].bursts[0].backlog.clear();
    assert!(!drawn(&summary).contains(">Backlog</h3>"), "a backlog that is not known is drawn");
}

#[test]
fn windows_without_a_value_are_gaps_and_the_fitted_line_says_whether_it_grows() {
    let page = without_figures(&page(&alone(fixtures::soak()), None));
    let plot = |name: &str| {
        let (_, rest) = page.split_once(&format!("<h3>{name} ")).expect("the plot is there");
        rest.split("</div>").next().expect("its end").to_owned()
    };
    assert_eq!(plot("queue length").matches("href=\"#dot\"").count(), 9);
    assert_eq!(plot("service resident").matches("href=\"#dot\"").count(), 12);
    assert!(plot("service resident").contains("class=\"curve vector\""));
    assert!(plot("response time p50").contains("class=\"fit vector\""));
    assert!(plot("service resident").contains(">limit 256 MiB</text>"));
}

#[test]
fn a_void_run_has_no_picture_and_no_time() {
    let page = page(&void(), None);
    assert!(page.contains("<strong>VOID</strong>") && page.contains("14 requests are missing"));
    assert!(!page.contains("p99 ≥") && !page.contains("1.11 ms"), "a time of a void run is shown");
}

#[test]
#[ignore = "writes pages for eyes to look at, into $REPORT_GALLERY"]
fn gallery_of_pages_to_look_at() {
    let folder = std::env::var("REPORT_GALLERY").expect("REPORT_GALLERY names a folder");
    for (name, summary, plan) in gallery() {
        std::fs::write(format!("{folder}/{name}.html"), page(&summary, plan))
            .expect("the folder can be written to");
    }
}
