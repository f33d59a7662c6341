//! The table itself, in the order of the reference. A new key is a line here
//! and its use in `resolve/`.

use super::Fallback::{Nothing, Required, Says, Value};
use super::Kind::{
    Duration, Flag, Json, List, Named, NotYet, Number, OneOf, Rate, Share, Table, Tables, Template, WarmUp,
    Whole, Wholes, Words,
};
use super::{Fallback, Key, Kind};

const fn key(
    path: &'static str,
    kind: Kind,
    fallback: Fallback,
    example: &'static str,
    meaning: &'static str,
) -> Key {
    Key { path, kind, fallback, meaning, example }
}

/// As many as a run can number.
const MOST: u64 = u32::MAX as u64;
/// TOML's largest whole number.
const LARGEST: u64 = i64::MAX as u64;

const PLAN_S: Fallback = Says("the same key of `[tester]`");
const ROUNDS_S: Fallback = Says("the same key of `[rounds]`");

/// Every key of a plan.
#[rustfmt::skip] // One key, two lines: what it is, and what it means.
pub const KEYS: &[Key] = &[
    key("question", Words, Required, r#""Does the new pool hold p99 at 546/s?""#,
        "What the experiment is to find out. The report's first line answers it."),
    key("owned", List, Value("[]"), r#"["staging.example.com"]"#,
        "Hosts that are yours. Load goes to this machine and to these alone."),

    key("target", Table, Required, "", "The service under test."),
    key("target.url", Words, Required, r#""http://127.0.0.1:8600""#,
        "Where it answers."),
    key("target.start", Words, Nothing, r#""doorclock target scorer --port 8600""#,
        "A command that starts a fresh service before every run; it is stopped after the run."),
    key("target.ready", Words, Nothing, r#""/healthz""#,
        "A path that answers 200 once the service is ready. Without it, ready means that it takes connections."),
    key("target.ready_within", Duration, Value(r#""10s""#), r#""10s""#,
        "How long a started service may take to become ready."),

    key("request", Table, Nothing, "", "What is sent. Texts in it may hold `{{ row.COLUMN }}`."),
    key("request.method", Words, Says("`POST` with a body, `GET` without"), r#""POST""#,
        "The request's method."),
    key("request.path", Template, Says("the path of `target.url`"), r#""/score""#,
        "Path and query. What comes from a row is percent-encoded."),
    key("request.headers", Named, Nothing, "", "Headers by name."),
    key("request.headers.*", Template, Nothing, r#""application/json""#,
        "One header's value."),
    key("request.json", Json, Nothing, r#"{ customer = "{{ row.customer }}" }"#,
        "The body, as JSON; sets Content-Type. A text that is one placeholder alone takes the row's value with its type; `| float` and `| int` make a CSV's text a number."),
    key("request.body", Template, Nothing, r#""customer={{ row.customer }}""#,
        "The body, as it stands."),
    key("request.rows", Words, Nothing, r#""customers.csv""#,
        "A CSV file with a header line, or a JSON lines file (.jsonl, .ndjson), beside the plan. Which row an arrival sends is drawn from the seed."),
    key("request.expect", Table, Nothing, "", "What an answer must be to count as ok."),
    key("request.expect.status", Whole(100, 599), Says("any from 200 to 399"), "200",
        "Its status."),
    key("request.expect.json", Named, Nothing, "", "Parts of a JSON answer, by JSON pointer."),
    key("request.expect.json.*", Json, Nothing, r#""{{ row.score }}""#,
        "What stands at that pointer. A value from a CSV row equals the same text, and the same number."),
    key("request.expect.text", Template, Nothing, r#""accepted""#,
        "A text that the answer's body holds."),
    key("request.expect.headers", NotYet, Nothing, "", "Checks on headers of the answer."),
    key("request.expect.regex", NotYet, Nothing, "", "A pattern that the answer's body matches."),

    key("environment", Table, Nothing, "", "What must hold before each run."),
    key("environment.reset", List, Value("[]"), r#"["./reset-database.sh"]"#,
        "Commands that put data back into the same state before each run."),
    key("environment.quiet", Table, Nothing, "", "How quiet the machine must be before each run."),
    key("environment.quiet.idle", Share, Value(r#""95%""#), r#""95%""#,
        "Least share of the machine that is idle."),
    key("environment.quiet.over", Duration, Value(r#""2s""#), r#""2s""#,
        "How long that is watched."),
    key("environment.quiet.load", Number, Nothing, "3.0",
        "Highest load average over a minute."),
    key("environment.quiet.wait", Duration, Value(r#""60s""#), r#""60s""#,
        "How long to wait for quiet."),
    key("environment.quiet.otherwise", OneOf(&["doubt", "refuse"]), Value(r#""doubt""#), r#""refuse""#,
        "What to do if it does not come: run with a doubt, or not at all."),

    key("rounds", Table, Nothing, "", "A round runs every arm once, in random order, under one seed."),
    key("rounds.count", Whole(1, 10_000), Value("6"), "8",
        "How many. Six is the least whose exact test can tell two arms apart at 5 %."),
    key("rounds.seed", Whole(0, LARGEST), Value("1"), "2026",
        "Every round derives its own seed from it, and all arms of a round share that one."),
    key("rounds.measure", Duration, Value(r#""30s""#), r#""30s""#,
        "The counted part of a run."),
    key("rounds.warm_up", WarmUp, Value(r#""1s""#), r#""400 requests""#,
        "What is sent first: a number of requests, or a length of time."),
    key("rounds.count_warm_up", Flag, Value("false"), "true",
        "Count the warm-up too, to show the difference."),

    key("tester", Table, Nothing, "", "How doorclock sends, in every arm that does not say otherwise."),
    key("tester.timeout", Duration, Value(r#""10s""#), r#""10s""#,
        "Time limit of a request, from its scheduled moment."),
    key("tester.grace", Duration, Value(r#""5s""#), r#""5s""#,
        "How long after the last arrival answers are waited for."),
    key("tester.connect", OneOf(&["reuse", "per-user", "per-request"]), Value(r#""reuse""#), r#""per-request""#,
        "When connections are opened and kept."),
    key("tester.threads", Whole(1, 256), Value("1"), "2",
        "Sending threads."),
    key("tester.cpus", Wholes, Value("[]"), "[1]",
        "Cores to keep the sending threads to; none means any."),
    key("tester.spin", Duration, Nothing, r#""150us""#,
        "Spin over this last stretch before each moment: exact, at the cost of a core."),

    key("stalls", Table, Nothing, "", "Stand the service still at seeded moments."),
    key("stalls.every", Duration, Required, r#""4s""#,
        "Mean time from one stall's beginning to the next one's."),
    key("stalls.apart", Duration, Says("the same as `length`"), r#""500ms""#,
        "Least such time."),
    key("stalls.length", Duration, Required, r#""100ms""#,
        "How long each lasts."),
    key("stalls.how", OneOf(&["target", "target-burn", "signal"]), Value(r#""target""#), r#""signal""#,
        "`target` asks the service to sleep and `target-burn` to burn its core, at its own `/arm`; `signal` stops and continues the process of `target.start`."),

    key("arm", Named, Required, "", "The testers or settings to compare, by name. Each has one of `open`, `paced`, `closed` and `command`."),
    key("arm.*", Table, Nothing, "", "One arm."),
    key("arm.*.open", Table, Nothing, "", "Arrivals on their own clock, whatever the service does."),
    key("arm.*.open.rate", Rate, Required, r#""546/s""#,
        "Arrivals a second (`/s`), a minute (`/min`) or an hour (`/h`)."),
    key("arm.*.open.arrivals", OneOf(&["poisson", "even"]), Value(r#""poisson""#), r#""even""#,
        "How they are spread: as of users who know nothing of each other, or with equal gaps."),
    key("arm.*.open.connections", Whole(1, MOST), Says("as many as can be needed"), "512",
        "Connections at most. Above it a request waits at the tester with its clock running."),
    key("arm.*.paced", Table, Nothing, "", "A closed loop that also aims at a rate."),
    key("arm.*.paced.rate", Rate, Required, r#""546/s""#,
        "The rate that all connections aim at together."),
    key("arm.*.paced.connections", Whole(1, MOST), Required, "8",
        "Connections, each with one request at a time."),
    key("arm.*.closed", Table, Nothing, "", "Each connection sends again after its answer."),
    key("arm.*.closed.connections", Whole(1, MOST), Required, "16",
        "Connections, each with one request at a time."),
    key("arm.*.command", Words, Nothing, r#""locust -f locustfile.py --headless""#,
        "Another tool, run as an arm."),
    key("arm.*.import", OneOf(&["locust", "wrk", "oha"]), Nothing, r#""locust""#,
        "Whose output the command writes, to take its figures from."),
    key("arm.*.stalls", Flag, Value("true"), "false",
        "Whether the service stalls in this arm, where the plan has `[stalls]`."),
    key("arm.*.measure", Duration, ROUNDS_S, r#""120s""#, "The counted part of this arm's runs."),
    key("arm.*.warm_up", WarmUp, ROUNDS_S, r#""5s""#, "What this arm sends first."),
    key("arm.*.count_warm_up", Flag, ROUNDS_S, "true", "Whether this arm counts it."),
    key("arm.*.timeout", Duration, PLAN_S, r#""2s""#, "Time limit of a request."),
    key("arm.*.grace", Duration, PLAN_S, r#""5s""#, "How long answers are waited for at the end."),
    key("arm.*.connect", OneOf(&["reuse", "per-user", "per-request"]), PLAN_S, r#""per-request""#,
        "When connections are opened and kept."),
    key("arm.*.threads", Whole(1, 256), PLAN_S, "2", "Sending threads."),
    key("arm.*.cpus", Wholes, PLAN_S, "[1]", "Cores to keep them to."),
    key("arm.*.spin", Duration, PLAN_S, r#""150us""#, "Spin over this last stretch before each moment."),
    key("arm.*.shape", NotYet, Nothing, "", "A rate over time of this arm's own."),

    key("bound", Table, Nothing, "", "The slowest response time accepted, at each percentile named."),
    key("bound.p50", Duration, Nothing, r#""2ms""#, "Of the median."),
    key("bound.p90", Duration, Nothing, r#""5ms""#, "Of the 90th percentile."),
    key("bound.p95", Duration, Nothing, r#""8ms""#, "Of the 95th percentile."),
    key("bound.p99", Duration, Nothing, r#""10ms""#, "Of the 99th percentile."),
    key("bound.p999", Duration, Nothing, r#""50ms""#, "Of the 99.9th percentile."),
    key("bound.max", Duration, Nothing, r#""1s""#, "Of the slowest request."),

    key("guess", Tables, Nothing, "", "Predictions, written down before the run. The report quotes each and says right, wrong or cannot say."),
    key("guess.*", Table, Nothing, "", "One guess."),
    key("guess.*.name", Words, Required, r#""G4""#, "A short name."),
    key("guess.*.says", Words, Required, r#""the open loop's p99 is above 60 ms in every round""#,
        "The prediction in words."),
    key("guess.*.holds", Words, Required, r#""arm['open-546'].p99_ms | min >= 60""#,
        "The same as a condition: see below."),

    key("shape", NotYet, Nothing, "", "A rate over time, for arms without a rate of their own."),
    key("readings", NotYet, Nothing, "", "Measurements of the service and machine over time."),
    key("completion", NotYet, Nothing, "", "When the work itself is done, after the answer."),
];
