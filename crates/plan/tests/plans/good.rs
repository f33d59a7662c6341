//! Good plans, and what they mean.

use crate::common::resolve;
use model::{ArrivalProcess, ConnectionPolicy, Load, Nanos, Number, Rate, SendPrecision};
use plan::{Arm, ArmTester, Condition, ExpectedValue, Import, Otherwise, Plan, PlanFile, StallHow, WarmUp};
use std::path::Path;

/// How far each tester's p99 is from what users would see: the experiment
/// that doorclock was written for, with all its kinds of arms.
const EXPERIMENT: &str = r#"
question = "How close is each tester's p99 to what users arriving on their own would wait?"
owned = ["staging.example.com"]

[target]
url   = "http://127.0.0.1:8600"
start = "doorclock target scorer --port 8600"
ready = "/healthz"

[request]
method = "POST"
path   = "/score"
json   = { customer = "{{ row.customer }}" }
rows   = "customers.csv"
expect = { status = 200, json = { "/score" = "{{ row.score }}" } }

[environment]
reset = ["./reset.sh"]
quiet = { idle = "95%", over = "2s", load = 3.0, otherwise = "refuse" }

[rounds]
count   = 5
seed    = 2026
measure = "30s"
warm_up = "400 requests"

[stalls]
every = "4s"
apart = "500ms"
length = "100ms"
how = "target"

[arm.closed-1]
closed = { connections = 1 }
[arm.closed-1-calm]
closed = { connections = 1 }
stalls = false
[arm.paced-546]
paced = { rate = "546/s", connections = 8 }
[arm.open-546]
open = { rate = "546/s", arrivals = "poisson", connections = 512 }
[arm.open-546-long]
open = { rate = "546/s" }
measure = "120s"
[arm.open-546-warm]
open = { rate = "546/s", arrivals = "even" }
count_warm_up = true
timeout = "2s"
connect = "per-request"
threads = 2
cpus = [1]
spin = "150us"
[arm.locust-546]
command = "locust -f locustfile.py --headless"
import  = "locust"
paced   = { rate = "546/s", connections = 8 }
[arm.open-546-again]
like = "open-546"
[arm.open-546-new]
open  = { rate = "546/s" }
start = "./new --port 8600"

[bound]
p99 = "10ms"

[[guess]]
name  = "G4"
says  = "the open loop's p99 is between 60 and 100 ms in every round"
holds = "arm['open-546'].p99_ms | min >= 60 and arm['open-546'].p99_ms | max <= 100"
"#;

fn experiment() -> Plan {
    resolve(EXPERIMENT).unwrap_or_else(|errors| panic!("{errors}"))
}

fn arm<'a>(plan: &'a Plan, name: &str) -> &'a Arm {
    plan.arms.iter().find(|arm| arm.name == name).expect("the arm is there")
}

#[test]
fn a_whole_experiment_says_what_will_happen() {
    let plan = experiment();
    assert_eq!(plan.owned, ["staging.example.com"]);
    assert_eq!(plan.target.url, "http://127.0.0.1:8600");
    assert_eq!(plan.target.ready_within, Nanos::from_secs(10));
    assert_eq!(plan.environment.reset, ["./reset.sh"]);
    let quiet = plan.environment.quiet.expect("asked for");
    assert_eq!((quiet.idle, quiet.load, quiet.otherwise), (0.95, Some(3.0), Otherwise::Refuse));
    assert_eq!((quiet.over, quiet.wait), (Nanos::from_secs(2), Nanos::from_secs(60)));
    let stalls = plan.stalls.expect("asked for");
    assert_eq!((stalls.every, stalls.apart), (Nanos::from_secs(4), Nanos::from_millis(500)));
    assert_eq!((stalls.length, stalls.how), (Nanos::from_millis(100), StallHow::TargetSleeps));
    assert_eq!((plan.bound.p99, plan.bound.p50), (Some(Nanos::from_millis(10)), None));
    assert_eq!(plan.guesses[0].holds.figures(), [("open-546", "p99_ms")]);
}

#[test]
fn arms_stand_in_the_order_of_the_file_and_take_from_the_plan_what_they_do_not_say() {
    let plan = experiment();
    let names: Vec<_> = plan.arms.iter().map(|arm| arm.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "closed-1",
            "closed-1-calm",
            "paced-546",
            "open-546",
            "open-546-long",
            "open-546-warm",
            "locust-546",
            "open-546-again",
            "open-546-new"
        ]
    );
    let open = arm(&plan, "open-546");
    let rate = Rate::per_second(546.0).expect("above zero");
    assert_eq!(
        open.tester,
        ArmTester::Doorclock {
            load: Load::Open { rate, arrivals: ArrivalProcess::Poisson },
            connection_limit: Some(512)
        }
    );
    assert_eq!((open.measure, open.warm_up), (Nanos::from_secs(30), WarmUp::Requests(400)));
    assert_eq!((open.sending.timeout, open.sending.threads), (Nanos::from_secs(10), 1));
    assert!(plan.stalls_in(open).is_some() && plan.stalls_in(arm(&plan, "closed-1-calm")).is_none());
    assert_eq!(arm(&plan, "open-546-long").measure, Nanos::from_secs(120));
    let warm = arm(&plan, "open-546-warm");
    assert!(warm.count_warm_up && !open.count_warm_up);
    assert_eq!(warm.sending.timeout, Nanos::from_secs(2));
    assert_eq!(warm.sending.connect, ConnectionPolicy::PerRequest);
    assert_eq!((warm.sending.threads, warm.sending.cpus.as_slice()), (2, &[1][..]));
    assert_eq!(warm.sending.precision, SendPrecision::Spin { last: Nanos::from_micros(150) });
    let ArmTester::Command { line, load, import } = &arm(&plan, "locust-546").tester else {
        panic!("a command")
    };
    assert_eq!((line.as_str(), *import), ("locust -f locustfile.py --headless", Some(Import::Locust)));
    assert_eq!(*load, Load::Paced { rate, connections: 8 });
    let again = arm(&plan, "open-546-again");
    assert_eq!(*again, Arm { name: again.name.clone(), like: Some("open-546".to_owned()), ..open.clone() });
    assert_eq!(arm(&plan, "open-546-new").start.as_deref(), Some("./new --port 8600"));
    assert_eq!(open.start, plan.target.start);
}

/// Which of the arms `names` are compared, as `a:b`, twins with an exclamation
/// mark. An arm called `again…` is `open` once more.
fn compared_of(names: &[&str], compare: &str) -> Vec<String> {
    let arm = |name: &&str| match name.starts_with("again") {
        true => format!("[arm.{name}]\nlike = \"open\"\n"),
        false => format!("[arm.{name}]\nclosed = {{ connections = 1 }}\n"),
    };
    let arms: String = names.iter().map(arm).collect();
    let text =
        format!("question = \"q\"\n[target]\nurl = \"http://127.0.0.1:8600\"\n{arms}[compare]\n{compare}");
    let plan = PlanFile::parse("p.toml", text).and_then(|file| file.resolve()).expect("a plan");
    let pair = |p: &model::Pairing| format!("{}:{}{}", p.a, p.b, if p.is_twin { "!" } else { "" });
    plan.comparisons.iter().map(pair).collect()
}

fn compared(compare: &str) -> Vec<String> {
    compared_of(&["open", "closed", "new", "again"], compare)
}

#[test]
fn every_arm_is_compared_with_the_first_and_a_twin_with_its_original_alone() {
    assert_eq!(compared(""), ["open:closed", "open:new", "open:again!"]);
    assert_eq!(compared("baseline = \"new\""), ["new:open", "new:closed", "open:again!"]);
    assert_eq!(compared("pairs = [[\"new\", \"closed\"]]"), ["new:closed", "open:again!"]);
    assert_eq!(compared("pairs = []"), ["open:again!"]);
    assert_eq!(compared_of(&["open"], ""), [""; 0]);
}

#[test]
fn a_twin_is_no_baseline_even_where_it_stands_first() {
    assert_eq!(compared_of(&["again", "open", "new"], ""), ["open:new", "open:again!"]);
}

#[test]
fn a_pair_of_twins_is_compared_once_and_as_twins_however_it_is_written() {
    assert_eq!(compared("pairs = [[\"open\", \"again\"]]"), ["open:again!"]);
    assert_eq!(compared("pairs = [[\"again\", \"open\"]]"), ["open:again!"]);
    assert_eq!(compared("pairs = [[\"new\", \"again\"]]"), ["new:again", "open:again!"]);
    let two = compared_of(&["open", "again", "again-2"], "pairs = [[\"again-2\", \"again\"]]");
    assert_eq!(two, ["again-2:again!", "open:again!", "open:again-2!"]);
}

#[test]
fn comparisons_are_by_the_number_that_the_plan_names() {
    let number = |compare: &str| {
        let text = format!("{SMALL}[arm.b]\nclosed = {{ connections = 2 }}\n{compare}");
        resolve(&text).unwrap_or_else(|errors| panic!("{errors}")).comparisons[0].number
    };
    assert_eq!((number(""), number("[compare]\nnumber = \"mean\"")), (Number::P99, Number::Mean));
}

#[test]
fn guesses_are_read_alone_where_the_rows_are_gone() {
    let text = "question = \"q\"\n[target]\nurl = \"http://127.0.0.1:8600\"\n[request]\nrows = \"gone.csv\"\n\
                path = \"/{{ row.a }}\"\n[arm.a]\nopen = { rate = \"5/s\" }\n[[guess]]\nname = \"G1\"\n\
                says = \"slow\"\nholds = \"arm['a'].p99_ms | min > 1\"\n";
    let file = PlanFile::parse("p.toml", text).expect("TOML");
    assert!(file.resolve().is_err());
    let guesses = file.guesses().expect("guesses");
    assert_eq!((guesses.len(), guesses[0].holds.text()), (1, "arm['a'].p99_ms | min > 1"));
    assert_eq!(Condition::parse(guesses[0].holds.text()).as_ref(), Ok(&guesses[0].holds));
    assert_eq!(Condition::parse("it is slow"), Err("the condition does not say yes or no".to_owned()));
}

#[test]
fn guesses_are_read_alone_where_the_rest_of_the_plan_is_of_another_version() {
    let text = "qeustion = 5\n[target]\nurl = 7\n[arm.a]\nwarp = { factor = 9 }\n[[guess]]\nname = \"G1\"\n\
                says = \"slow\"\nholds = \"arm['a'].p99_ms | min > 1\"\n";
    let file = PlanFile::parse("p.toml", text).expect("TOML");
    assert_eq!(file.guesses().expect("guesses").len(), 1);
}

#[test]
fn a_plan_knows_the_folder_that_its_file_lies_in() {
    for (path, folder) in [("p.toml", "."), ("plans/p.toml", "plans"), ("/a/b.toml", "/a")] {
        let file = PlanFile::parse(path, SMALL).expect("TOML");
        assert_eq!(file.folder(), Path::new(folder));
        assert_eq!(file.resolve().expect("a plan").folder(), Path::new(folder));
    }
}

#[test]
fn every_round_has_its_own_seed_and_the_same_plan_has_the_same_ones() {
    let rounds = experiment().rounds;
    assert_ne!(rounds.seed_of(1), rounds.seed_of(2));
    assert_eq!(rounds.seed_of(1), experiment().rounds.seed_of(1));
}

#[test]
fn every_row_becomes_a_request_with_its_own_expected_answer() {
    let requests = experiment().requests;
    assert_eq!(requests.len(), 2);
    let first = &requests[0];
    assert_eq!((first.method.as_str(), first.path.as_str()), ("POST", "/score"));
    assert_eq!(first.headers, [("Content-Type".to_owned(), "application/json".to_owned())]);
    assert_eq!(first.body.as_deref(), Some(r#"{"customer":"c-00001"}"#));
    assert_eq!(first.expect.status, Some(200));
    let score = ("/score".to_owned(), ExpectedValue::Like("0.250000".to_owned()));
    assert_eq!(first.expect.json, [score]);
    assert_eq!(requests[1].body.as_deref(), Some(r#"{"customer":"c-00002"}"#));
}

const SMALL: &str = "question = \"q\"\n[target]\nurl = \"http://127.0.0.1:8600/healthz?a=b\"\n[arm.a]\nclosed = { connections = 1 }\n";

#[test]
fn the_smallest_plan_takes_everything_else_from_the_reference() {
    let plan = resolve(SMALL).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(plan.target.url, "http://127.0.0.1:8600");
    let [request] = plan.requests.as_slice() else { panic!("one request") };
    assert_eq!((request.method.as_str(), request.path.as_str()), ("GET", "/healthz?a=b"));
    assert_eq!((&request.body, request.headers.len(), request.expect.status), (&None, 0, None));
    assert_eq!((plan.rounds.count, plan.arms[0].measure), (6, Nanos::from_secs(30)));
    assert_eq!(plan.arms[0].warm_up, WarmUp::For(Nanos::from_secs(1)));
    assert!(plan.stalls.is_none() && plan.environment.quiet.is_none() && plan.guesses.is_empty());
}

#[test]
fn rows_enter_paths_headers_and_bodies_each_in_its_own_way() {
    let request = r#"
[request]
rows = "customers.jsonl"
path = "/c/{{ row.customer }}?s={{ row['score'] }}"
headers = { X-Customer = "{{ row.customer }}!" }
json = { text = "<{{ row.customer }}>", all = "{{ row.tags }}", score = "{{ row.score }}", more = [1, 2.5, true, { a = "b" }] }
expect = { text = "{{ row.score }}", json = { "" = { who = "{{ row.customer }}", list = "{{ row.tags }}" } } }
"#;
    let plan = resolve(&format!("{SMALL}{request}")).unwrap_or_else(|errors| panic!("{errors}"));
    let request = &plan.requests[0];
    assert_eq!(request.path, "/c/c%20%221%22?s=0.25");
    assert_eq!(request.headers[0], ("X-Customer".to_owned(), "c \"1\"!".to_owned()));
    assert_eq!(
        request.body.as_deref(),
        Some(r#"{"text":"<c \"1\">","all":[1,"x"],"score":0.25,"more":[1,2.5,true,{"a":"b"}]}"#)
    );
    assert_eq!(request.expect.text.as_deref(), Some("0.25"));
    let expected = serde_json::json!({ "who": "c \"1\"", "list": [1, "x"] });
    assert_eq!(request.expect.json, [(String::new(), ExpectedValue::Exactly(expected))]);
}

#[test]
fn the_letters_of_a_csv_become_a_number_where_the_plan_says_so() {
    let request = "[request]\nrows = \"customers.csv\"\njson = { s = \"{{ row.score | float }}\" }\nexpect = { json = { \"/s\" = \"{{ row.score | float }}\" } }\n";
    let plan = resolve(&format!("{SMALL}{request}")).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(plan.requests[0].body.as_deref(), Some(r#"{"s":0.250000}"#));
    assert_eq!(plan.requests[0].expect.json[0].1, ExpectedValue::Exactly(0.25.into()));
}

#[test]
fn answers_are_held_against_headers_from_the_row_and_against_a_pattern() {
    let request = "[request]\nrows = \"customers.csv\"\n[request.expect]\nregex = \"order-[0-9]{4}\"\n\
                   headers = { X-Customer = \"={{ row.customer }}\" }\n";
    let plan = resolve(&format!("{SMALL}{request}")).unwrap_or_else(|errors| panic!("{errors}"));
    let expect = &plan.requests[1].expect;
    assert_eq!(expect.headers, [("X-Customer".to_owned(), "=c-00002".to_owned())]);
    assert_eq!(expect.regex.as_deref(), Some("order-[0-9]{4}"));
}
