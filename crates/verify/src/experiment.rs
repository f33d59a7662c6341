//! What is reported of the whole experiment: comparisons, bounds, guesses and
//! the spread of windows, from the numbers that were computed of its runs.

use crate::check::{Computed, List};
use crate::guess::Guess;
use crate::manifest::Plan;
use crate::paired::{self, paired};
use crate::shape::ramp::planned;
use serde_json::Value;

/// Everything that is reported beside the arms, under the names of the summary.
/// `arms` are those computed here, and `told` the guesses that are reported.
pub(crate) fn list(arms: &Value, told: &Value, plan: Option<&Plan>, list: &mut List) {
    list.maybe("planned_runs", plan.and_then(Plan::runs));
    comparisons(arms, plan, list);
    bounds(arms, plan, list);
    guesses(arms, told, plan, list);
}

fn runs(arm: &Value) -> Vec<&Value> {
    arm["runs"].as_array().into_iter().flatten().collect()
}

fn is_void(run: &Value) -> bool {
    run["verdict"] == "void"
}

/// A number of response times: its value, and whether that is a lower bound.
fn number(run: &Value, name: &str) -> Option<(f64, bool)> {
    let times = &run["response_time_ns"];
    let is_bound = match name {
        "mean" => times["censored"].as_u64() != Some(0),
        _ => times["at_least"].as_array().is_some_and(|names| names.iter().any(|one| one == name)),
    };
    Some((times[name].as_f64()?, is_bound))
}

fn comparisons(arms: &Value, plan: Option<&Plan>, list: &mut List) {
    let pairings = plan.map_or(&[][..], |plan| &plan.comparisons[..]);
    let all: Vec<(Vec<f64>, Vec<f64>)> = pairings
        .iter()
        .map(|pairing| {
            let exact = |run: &Value| {
                let (value, is_bound) = number(run, &pairing.number)?;
                (!is_void(run) && !is_bound && value > 0.0).then_some(value)
            };
            let of_b = runs(&arms[&pairing.b]);
            let both = runs(&arms[&pairing.a]).into_iter().filter_map(|a| {
                let b = of_b.iter().find(|b| b["round"] == a["round"])?;
                Some((exact(a)?, exact(b)?))
            });
            both.unzip()
        })
        .collect();
    let judged: Vec<paired::Paired> = all.iter().map(|(a, b)| paired(a, b)).collect();
    let p_values: Vec<f64> = pairings
        .iter()
        .zip(&judged)
        .filter(|(pairing, _)| !pairing.is_twin)
        .filter_map(|(_, one)| one.p)
        .collect();
    let mut holm = paired::holm(&p_values).into_iter();
    for (at, ((pairing, (a, b)), one)) in pairings.iter().zip(&all).zip(judged).enumerate() {
        let name = |what: &str| format!("comparisons.{at}.{what}");
        list.text(name("a"), &pairing.a);
        list.text(name("b"), &pairing.b);
        list.text(name("number"), &pairing.number);
        list.flag(name("twin"), Some(pairing.is_twin));
        list.whole(name("rounds"), a.len() as u64);
        for (round, (a, b)) in a.iter().zip(b).enumerate() {
            list.real(name(&format!("ratios.{round}")), Some(b / a));
        }
        list.add(name(&format!("ratios.{}", a.len())), Computed::Nothing);
        list.near(name("effect"), one.effect);
        list.near(name("low"), one.interval.map(|(low, ..)| low));
        list.near(name("high"), one.interval.map(|(_, high, _)| high));
        list.near(name("coverage"), one.interval.map(|(.., coverage)| coverage));
        list.near(name("p"), one.p);
        list.near(name("p_floor"), (!a.is_empty()).then(|| paired::floor(a.len() as u64)));
        let corrected = if pairing.is_twin || one.p.is_none() { None } else { holm.next() };
        list.near(name("p_holm"), corrected);
        list.flag(name("told_apart"), one.told_apart);
        list.flag(name("plain_rule"), one.plain_rule);
        list.near(name("smallest_visible"), one.smallest_visible);
        list.near(name("same_within"), one.same_within);
        list.near(name("sd_rounds"), one.sd_rounds);
        list.near(name("sd_paired"), one.sd_paired);
    }
    list.add(format!("comparisons.{}", pairings.len()), Computed::Nothing);
}

/// How an arm stands to a bound.
struct Stand<'a> {
    arm: &'a str,
    is_open: bool,
    rate: f64,
    reached: f64,
    held: u64,
    rounds: u64,
    worst: Option<(u64, bool)>,
    /// The rate up to which every round holds the bound.
    held_up_to: Option<f64>,
}

fn bounds(arms: &Value, plan: Option<&Plan>, list: &mut List) {
    let bounds = plan.map_or(&[][..], |plan| &plan.bounds[..]);
    for (at, bound) in bounds.iter().enumerate() {
        let name = |what: &str| format!("bounds.{at}.{what}");
        list.text(name("number"), &bound.number);
        list.whole(name("at_most_ns"), bound.at_most_ns);
        let each = arms.as_object().into_iter().flatten();
        let mut all: Vec<Stand<'_>> =
            each.map(|(arm, of)| stand(arm, of, &bound.number, bound.at_most_ns)).collect();
        let place = |arm: &str| plan.and_then(|plan| plan.arms.iter().position(|one| one == arm));
        all.sort_by_key(|one| place(one.arm).unwrap_or(usize::MAX));
        for (at, one) in all.iter().enumerate() {
            list.text(name(&format!("arms.{at}.arm")), one.arm);
            list.real(name(&format!("arms.{at}.rate_per_s")), Some(one.rate));
            list.whole(name(&format!("arms.{at}.held")), one.held);
            list.whole(name(&format!("arms.{at}.rounds")), one.rounds);
            list.maybe(name(&format!("arms.{at}.worst_ns")), one.worst.map(|(worst, _)| worst));
            list.flag(
                name(&format!("arms.{at}.at_least")),
                Some(one.worst.is_some_and(|(_, is_bound)| is_bound)),
            );
        }
        list.add(name(&format!("arms.{}", all.len())), Computed::Nothing);
        let open = all.iter().filter(|one| one.is_open);
        let highest =
            open.filter_map(|one| Some((one.arm, one.held_up_to?))).max_by(|a, b| a.1.total_cmp(&b.1));
        rate(highest.map(|(arm, rate)| (arm, rate, Some(1.0))), &name("highest"), list);
        let short = all.iter().filter(|one| one.rounds > 0 && one.held < one.rounds);
        let unbounded = short.max_by(|a, b| a.reached.total_cmp(&b.reached));
        let times =
            unbounded.map(|one| (one.arm, one.reached, highest.map(|(_, highest)| one.reached / highest)));
        rate(times, &name("unbounded"), list);
    }
    list.add(format!("bounds.{}", bounds.len()), Computed::Nothing);
}

fn rate(of: Option<(&str, f64, Option<f64>)>, name: &str, list: &mut List) {
    let Some((arm, rate, times)) = of else { return list.add(name, Computed::Unknown) };
    list.text(format!("{name}.arm"), arm);
    list.real(format!("{name}.rate_per_s"), Some(rate));
    list.real(format!("{name}.times"), times);
}

fn stand<'a>(arm: &'a str, of: &Value, name: &str, at_most: u64) -> Stand<'a> {
    let usable: Vec<&Value> = runs(of).into_iter().filter(|run| !is_void(run)).collect();
    let values: Vec<(&Value, (f64, bool))> =
        usable.iter().filter_map(|run| Some((*run, worst(run, name)?))).collect();
    let within = |of: &Value| {
        let held =
            number(of, name).is_some_and(|(value, is_bound)| value.trunc() <= at_most as f64 && !is_bound);
        held && of["kept_up"] != "no"
    };
    let is_held = |(run, _): &&(&Value, (f64, bool))| match changes(run) {
        true => due_stages(run).all(within),
        false => within(run),
    };
    let rates: Vec<f64> = usable.iter().filter_map(|run| run["rate_per_s"].as_f64()).collect();
    let reached = rates.iter().sum::<f64>() / rates.len().max(1) as f64;
    let worst = values.iter().map(|(_, (value, is_bound))| (*value as u64, *is_bound)).max();
    let first = runs(of).into_iter().next();
    let of_stages = first.filter(|run| changes(run));
    let asked = match of_stages {
        Some(run) => stages(run).filter_map(planned).max_by(f64::total_cmp),
        None => of["target_rate_per_s"].as_f64(),
    };
    let (rate, held) = (asked.unwrap_or(reached), values.iter().filter(is_held).count());
    let held_up_to = match of_stages {
        _ if values.is_empty() => None,
        None => (held == values.len()).then_some(rate),
        Some(_) => {
            let each = values.iter().map(|(run, _)| up_to(run, &within)).collect::<Option<Vec<f64>>>();
            each.and_then(|each| each.into_iter().min_by(f64::total_cmp))
        }
    };
    Stand {
        arm,
        is_open: of["model"] == "open" && of["tool"].is_null(),
        rate,
        reached,
        held: held as u64,
        rounds: values.len() as u64,
        worst,
        held_up_to,
    }
}

fn stages(run: &Value) -> impl Iterator<Item = &Value> {
    run["stages"].as_array().into_iter().flatten()
}

fn due_stages(run: &Value) -> impl Iterator<Item = &Value> {
    stages(run).filter(|stage| stage["scheduled"].as_u64() > Some(0))
}

/// Whether the load of a run changes over time, and it has figures by stage.
fn changes(run: &Value) -> bool {
    let planned: Vec<&Value> = run["shape"]["stages"].as_array().into_iter().flatten().collect();
    let first = planned.first().map(|stage| &stage["from"]);
    let is_same = |stage: &&Value| Some(&stage["from"]) == first && Some(&stage["to"]) == first;
    stages(run).next().is_some() && !planned.iter().all(is_same)
}

/// The slowest that a run's figure is: of a load that changes, over its stages.
fn worst(run: &Value, name: &str) -> Option<(f64, bool)> {
    if !changes(run) {
        return number(run, name);
    }
    let all = stages(run)
        .filter_map(|stage| number(stage, name))
        .map(|(value, is_bound)| (value.trunc(), is_bound));
    all.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
}

/// The largest rate of a stage that holds, below all that do not.
fn up_to(run: &Value, holds: &dyn Fn(&Value) -> bool) -> Option<f64> {
    let (mut held, mut failed) = (Vec::new(), f64::INFINITY);
    for (stage, rate) in due_stages(run).filter_map(|stage| Some((stage, planned(stage)?))) {
        if holds(stage) {
            held.push(rate);
        } else {
            failed = failed.min(rate);
        }
    }
    held.into_iter().filter(|rate| *rate < failed).max_by(f64::total_cmp)
}

fn guesses(arms: &Value, told: &Value, plan: Option<&Plan>, list: &mut List) {
    let kept = plan.map_or(&[][..], |plan| &plan.guesses[..]);
    let told = told.as_array().map_or(&[][..], Vec::as_slice);
    for (at, guess) in kept.iter().enumerate() {
        let name = |what: &str| format!("guesses.{at}.{what}");
        list.text(name("name"), &guess.name);
        list.text(name("says"), &guess.says);
        list.text(name("holds"), &guess.holds);
        list.flag(name("late"), Some(false));
    }
    for (at, guess) in told.iter().enumerate() {
        let name = |what: &str| format!("guesses.{at}.{what}");
        if at >= kept.len() {
            // It is not in the manifest, so it came after the first run.
            list.flag(name("late"), Some(true));
        }
        let look = |arm: &str, figure: &str| figure_of(&arms[arm], figure);
        let read = guess["holds"].as_str().and_then(Guess::read);
        let verdict = read.as_ref().map_or("cannot say", |guess| guess.verdict(&look));
        list.text(name("verdict"), verdict);
        let figures = read.map(|guess| guess.figures()).unwrap_or_default();
        for (place, (arm, figure)) in figures.iter().enumerate() {
            let name = |what: &str| name(&format!("figures.{place}.{what}"));
            list.text(name("arm"), arm);
            list.text(name("figure"), figure);
            match look(arm, figure) {
                None => list.add(name("values"), Computed::Unknown),
                Some(values) => {
                    for (round, value) in values.iter().enumerate() {
                        list.real(name(&format!("values.{round}")), Some(*value));
                    }
                    list.add(name(&format!("values.{}", values.len())), Computed::Nothing);
                }
            }
        }
        list.add(name(&format!("figures.{}", figures.len())), Computed::Nothing);
    }
}

/// A figure in every round, if it is known in all of them.
fn figure_of(arm: &Value, figure: &str) -> Option<Vec<f64>> {
    // Where another tool's slow requests begin and end, it does not tell.
    if figure == "episodes" && !arm["tool"].is_null() {
        return None;
    }
    let runs = runs(arm);
    (!runs.is_empty()).then(|| runs.into_iter().map(|run| of_run(run, figure)).collect()).flatten()
}

fn of_run(run: &Value, figure: &str) -> Option<f64> {
    if is_void(run) {
        return None;
    }
    let exact = |times: &Value, name: &str| {
        let is_bound = times["at_least"].as_array().is_some_and(|names| names.iter().any(|one| one == name));
        times[name].as_f64().filter(|_| !is_bound).map(|ns| ns / 1e6)
    };
    let ms = |value: &Value| value.as_f64().map(|ns| ns / 1e6);
    let (response, service, late) = (&run["response_time_ns"], &run["service_time_ns"], &run["lateness_ns"]);
    let (corrected, stalls) = (&run["corrected_p99_ns"], &run["stalls"]);
    let failed = || run["failed"].as_object().map(|all| all.values().filter_map(Value::as_f64).sum());
    match figure {
        "p50_ms" | "p90_ms" | "p95_ms" | "p99_ms" | "p999_ms" | "max_ms" => {
            exact(response, figure.trim_end_matches("_ms"))
        }
        "mean_ms" => response["mean"].as_f64().filter(|_| response["censored"] == 0).map(|ns| ns / 1e6),
        "service_p50_ms" => exact(service, "p50"),
        "service_p99_ms" => exact(service, "p99"),
        "service_max_ms" => exact(service, "max"),
        "late_p50_ms" => exact(late, "p50"),
        "late_p99_ms" => exact(late, "p99"),
        "corrected_hdr_p99_ms" => ms(&corrected["hdr"]),
        "corrected_utilisation_p99_ms" => ms(&corrected["utilisation"]),
        "corrected_replay_p99_ms" => ms(&corrected["replay"]),
        "kept_up" => match run["kept_up"].as_str()? {
            "yes" => Some(1.0),
            "no" => Some(0.0),
            _ => None,
        },
        "failed" => failed(),
        "episodes" => response["p99_episodes"].as_f64(),
        "stalls" => stalls["seen"].as_f64(),
        "sent_during_stalls" => stalls["sent_during"].as_f64(),
        "overlapped_share" => stalls["overlapped_share"].as_f64(),
        "first_window_p99_ms" => {
            let first = &run["windows"][0];
            ms(&first["p99_ns"]).filter(|_| first["at_least"] == false)
        }
        "cpu_us_per_request" => run["tester"]["cpu_ns_per_request"].as_f64().map(|ns| ns / 1e3),
        "core_share" => run["tester"]["core_share"].as_f64(),
        "rate_per_s" | "scheduled" | "ok" | "unfinished" | "never_sent" | "near_mean_share" => {
            run[figure].as_f64()
        }
        "accepted" | "done" | "given_up" => run["completion"][figure].as_f64(),
        "result_p50_s" => exact(&run["completion"]["submit_to_result_ns"], "p50").map(|ms| ms / 1e3),
        "result_p95_s" => exact(&run["completion"]["submit_to_result_ns"], "p95").map(|ms| ms / 1e3),
        "result_max_s" => exact(&run["completion"]["submit_to_result_ns"], "max").map(|ms| ms / 1e3),
        "waiting_peak" => run["completion"]["peak"].as_f64(),
        "drained_after_s" => run["completion"]["drained_after_ns"].as_f64().map(|ns| ns / 1e9),
        _ => None,
    }
}

/// How far the windows of an arm's runs lie apart, under the arm's names.
/// Windows of a load that `changes` differ for that reason, and are not set
/// against each other.
pub(crate) fn spread(arm: &Value, changes: bool, list: &mut List) {
    if changes {
        return list.add("windows", Computed::Unknown);
    }
    let with_windows: Vec<&Value> =
        runs(arm).into_iter().filter(|run| !is_void(run) && run["windows"][0].is_object()).collect();
    let Some(first) = with_windows.first() else { return list.add("windows", Computed::Unknown) };
    let ends = |name: &str, values: Vec<u64>, list: &mut List| {
        list.maybe(format!("windows.{name}.0"), values.iter().min().copied());
        list.maybe(format!("windows.{name}.1"), values.iter().max().copied());
    };
    let windows = |run: &Value| -> Vec<u64> {
        let all = run["windows"].as_array().into_iter().flatten();
        all.filter_map(|window| window["p99_ns"].as_u64()).collect()
    };
    let p99 = |of: &Value| of["p99"].as_u64();
    list.real("windows.length_s", first["windows"][0]["length_s"].as_f64());
    let of_first = with_windows.iter().filter_map(|run| run["windows"][0]["p99_ns"].as_u64()).collect();
    ends("first_ns", of_first, list);
    ends("whole_ns", with_windows.iter().filter_map(|run| p99(&run["response_time_ns"])).collect(), list);
    ends("any_ns", with_windows.iter().flat_map(|run| windows(run)).collect(), list);
}
