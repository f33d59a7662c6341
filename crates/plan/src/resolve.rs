//! The second pass: from a checked file to the plan, with everything that
//! keys cannot have wrong by themselves but only together.

mod arms;
mod compare;
mod completion;
mod guesses;
mod load;
mod readings;
mod replay;
mod request;
mod shape;
mod view;

use crate::error::{PlanError, PlanErrors};
use crate::file::PlanFile;
use crate::plan::{
    Bound, Environment, Otherwise, Plan, Quiet, Replay, Rounds, StallHow, StallPlan, Target, TlsPlan,
    TlsVersion,
};
use crate::request::{Expected, PlannedRequest};
use crate::source::Place;
use crate::{keys, units};
use model::{Seed, Shape};
use shape::Shapes;
use std::io;
use std::path::Path;
use view::View;

/// Collects what is wrong, with its place.
pub(crate) struct Errors<'a> {
    file: &'a PlanFile,
    found: Vec<(Place, PlanError)>,
}

impl Errors<'_> {
    fn say(&mut self, place: Place, says: impl Into<String>, hint: impl Into<String>) {
        self.found.push((place, self.file.error(place, says, hint)));
    }

    /// `value` if nothing is wrong, and all that is, in the order of the file, if not.
    fn unless_any<T>(&mut self, value: T) -> Result<T, PlanErrors> {
        self.found.sort_by_key(|(place, _)| *place);
        PlanErrors::unless_empty(self.found.drain(..).map(|(_, error)| error).collect(), value)
    }
}

/// The plan, or everything that is wrong with it. `file` has passed the check.
pub(crate) fn resolve(
    file: &PlanFile,
    read: &dyn Fn(&Path) -> io::Result<Vec<u8>>,
) -> Result<Plan, PlanErrors> {
    let root = View::root(file.root());
    let errors = &mut Errors { file, found: Vec::new() };
    let (target, url_path) = target(&root.table("target"), file.folder(), errors);
    let requests = request::requests(&root.table("request"), &url_path, read, errors);
    let stalls = stalls(&root, errors);
    let rounds = root.table("rounds");
    let seed = Seed(rounds.whole("seed").unwrap_or_default());
    let rows = root.table("request").given("rows").map(|node| node.place);
    let shapes = Shapes { read, seed, requests: &requests, rows };
    let arms = arms::arms(&root, &target, stalls.as_ref(), &shapes, errors);
    let comparisons = compare::comparisons(&root.table("compare"), &arms::named(&root), errors);
    let plan = Plan {
        question: root.words("question").unwrap_or_default(),
        folder: file.folder().to_owned(),
        owned: root.list("owned"),
        target,
        requests,
        environment: environment(&root.table("environment")),
        rounds: Rounds { count: rounds.count("count"), seed },
        stalls,
        completion: completion::completion(&root, file.folder(), errors),
        readings: readings::readings(&root, file.folder(), errors),
        guesses: guesses::guesses(file.root(), errors),
        arms,
        comparisons,
        bound: bound(&root.table("bound")),
    };
    errors.unless_any(plan)
}

/// The guesses alone, held against the arms that the file names.
pub(crate) fn guesses_alone(file: &PlanFile) -> Result<Vec<crate::plan::Guess>, PlanErrors> {
    let errors = &mut Errors { file, found: Vec::new() };
    let guesses = guesses::guesses(file.root(), errors);
    errors.unless_any(guesses)
}

/// The shape alone, where no plan stands around it.
pub(crate) fn shape_alone(
    file: &PlanFile,
    read: &dyn Fn(&Path) -> io::Result<Vec<u8>>,
) -> Result<(Shape, Option<Replay>), PlanErrors> {
    let errors = &mut Errors { file, found: Vec::new() };
    let request = PlannedRequest {
        method: "GET".to_owned(),
        path: "/".to_owned(),
        headers: Vec::new(),
        body: None,
        expect: Expected::default(),
    };
    // No plan says a seed: the one that plans have without saying so.
    let seed = keys::fallback("rounds.seed").and_then(|node| units::whole(node, 0, u64::MAX).ok());
    let shapes = Shapes { read, seed: Seed(seed.unwrap_or_default()), requests: &[request], rows: None };
    let written = shapes.shape(&View::root(file.root()).table("shape"), "", errors);
    let found = written.map(|written| (written.shape, written.replay));
    errors.unless_any(())?;
    Ok(found.expect("what is no shape has something wrong, which has been said"))
}

/// The target, and the path that its URL ends in.
fn target(view: &View<'_>, folder: &Path, errors: &mut Errors<'_>) -> (Target, String) {
    let url = view.words("url").unwrap_or_default();
    let place = view.place("url");
    let (base, path) = match url.split_once("://") {
        Some((scheme @ ("http" | "https"), rest)) => {
            let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
            if host.is_empty() || host.contains(|c: char| c.is_whitespace() || c.is_control() || c == '@') {
                errors.say(place, "`target.url` names no host", "write \"http://HOST:PORT\"");
            }
            if let Some(letter) = path.chars().find(|c| !c.is_ascii_graphic() || *c == '#') {
                errors.say(
                    place,
                    format!("`target.url` holds {letter:?}"),
                    "percent-encode it, or leave it out",
                );
            }
            let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
            (format!("{scheme}://{host}"), path)
        }
        _ => {
            errors.say(place, "`target.url` is no URL", "write \"http://HOST:PORT\"");
            (url, String::new())
        }
    };
    let ready = view.words("ready");
    if ready.as_ref().is_some_and(|path| !path.starts_with('/')) {
        errors.say(view.place("ready"), "`target.ready` is no path", "write \"/healthz\"");
    }
    let tls = view.given_table("tls").map(|inside| tls(&inside, folder));
    if tls.is_some() && base.starts_with("http://") {
        let says = "`target.tls` is set, and `target.url` does not ask for TLS";
        errors.say(view.place("tls"), says, "write https:// in the URL, or leave `tls` out");
    }
    let connect_to = view.words("connect_to").and_then(|text| match text.parse() {
        Ok(address) => Some(address),
        Err(_) => {
            let says = format!("`{}` is no address to connect to", text.escape_debug());
            errors.say(view.place("connect_to"), says, "write 127.0.0.1:8443, or [::1]:8443");
            None
        }
    });
    let target = Target {
        connect_to,
        url: base,
        start: view.words("start"),
        ready,
        ready_within: view.duration("ready_within"),
        tls,
    };
    (target, path)
}

fn tls(view: &View<'_>, folder: &Path) -> TlsPlan {
    let file = |key: &str| view.words(key).map(|name| folder.join(name));
    TlsPlan {
        authorities: file("ca"),
        client: file("client"),
        server_name: view.words("server_name"),
        version: match view.words("version").as_deref() {
            Some("1.2") => Some(TlsVersion::V12),
            Some("1.3") => Some(TlsVersion::V13),
            _ => None,
        },
        resumes: view.flag("resume"),
        is_insecure: view.flag("insecure"),
    }
}

fn environment(view: &View<'_>) -> Environment {
    let quiet = view.given_table("quiet").map(|quiet| Quiet {
        idle: quiet.share("idle"),
        over: quiet.duration("over"),
        load: quiet.number("load"),
        wait: quiet.duration("wait"),
        otherwise: match quiet.words("otherwise").as_deref() {
            Some("refuse") => Otherwise::Refuse,
            _ => Otherwise::Doubt,
        },
    });
    Environment { reset: view.list("reset"), quiet }
}

fn stalls(root: &View<'_>, errors: &mut Errors<'_>) -> Option<StallPlan> {
    let view = root.given_table("stalls")?;
    let length = view.duration("length");
    let apart = view.given_duration("apart").unwrap_or(length);
    let plan = StallPlan {
        every: view.duration("every"),
        apart,
        length,
        how: match view.words("how").as_deref() {
            Some("signal") => StallHow::Signal,
            Some("target-burn") => StallHow::TargetBurns,
            _ => StallHow::TargetSleeps,
        },
    };
    if plan.length.0 == 0 {
        errors.say(view.place("length"), "the stalls last no time", "write \"100ms\"");
    }
    if plan.apart < plan.length {
        let says = format!("stalls of {length} cannot begin {apart} apart: they would overlap");
        errors.say(view.place("apart"), says, format!("at least the length, {length}"));
    }
    if plan.every < plan.apart {
        let says = format!("stalls at least {apart} apart cannot come every {} on average", plan.every);
        errors.say(view.place("every"), says, format!("at least {apart}"));
    }
    Some(plan)
}

fn bound(view: &View<'_>) -> Bound {
    Bound {
        p50: view.given_duration("p50"),
        p90: view.given_duration("p90"),
        p95: view.given_duration("p95"),
        p99: view.given_duration("p99"),
        p999: view.given_duration("p999"),
        max: view.given_duration("max"),
    }
}
