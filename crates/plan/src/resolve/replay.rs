//! Recorded arrivals: the log is read and cut as the plan says, and what its
//! lines asked for becomes requests.

use super::Errors;
use super::shape::{Parts, Shapes};
use super::view::View;
use crate::plan::Replay;
use crate::request::PlannedRequest;
use crate::units::written;
use model::{Nanos, ReplayFacts, StageUnit};
use schedule::log::{self, BrokenLine, Log, LogError, LogFormat, LogOptions};
use schedule::{Recorded, RecordedError, ReplayOptions};
use std::path::Path;
use std::sync::Arc;

/// Methods whose requests have no body (RFC 9110, section 9.3), whatever the
/// plan's own request sends.
const WITHOUT_BODY: [&str; 6] = ["GET", "HEAD", "DELETE", "OPTIONS", "TRACE", "CONNECT"];

/// The recording that `view` names, if nothing is wrong with it.
pub(super) fn parts(
    shapes: &Shapes<'_>,
    view: &View<'_>,
    owner: &str,
    errors: &mut Errors<'_>,
) -> Option<Parts> {
    let (log, file) = read(shapes, view, owner, errors)?;
    let recorded = recorded(shapes, view, &log, owner, errors)?;
    let requests =
        if view.flag("requests") { requests(shapes, view, &recorded, &file, errors)? } else { Arc::from([]) };
    let facts = ReplayFacts {
        file,
        format: view.words("format").unwrap_or_default(),
        speed: view.number("speed").unwrap_or(1.0),
        lines: log.lines,
        skipped: log.broken_count,
        resolution: log.resolution,
    };
    let (unit, stages) = (StageUnit::PerSecond, recorded.stages());
    let skipped = log.broken.iter().map(in_words).collect();
    Some(Parts {
        unit,
        stages,
        replay: Some((facts, Replay { recorded: Arc::new(recorded), requests, skipped })),
    })
}

/// The log and its name, without its folder.
fn read(shapes: &Shapes<'_>, view: &View<'_>, owner: &str, errors: &mut Errors<'_>) -> Option<(Log, String)> {
    let path = errors.file.beside(&view.words("file")?);
    let name = Path::new(&path).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let bytes = match (shapes.read)(&path) {
        Ok(bytes) => bytes,
        Err(error) => {
            let says = format!("cannot read the recording `{}`{owner}: {error}", path.display());
            errors.say(view.place("file"), says, "the path counts from the plan's folder");
            return None;
        }
    };
    let format = LogFormat::named(&view.words("format")?)?;
    let options = LogOptions {
        format,
        skip_broken: view.words("broken").as_deref() == Some("skip"),
        reorder: view.duration("reorder"),
    };
    match log::parse(&bytes, &options) {
        Ok(log) => Some((log, name)),
        Err(error) => {
            let (key, says, hint) = unreadable(&error, &name, format);
            errors.say(view.place(key), says, hint);
            None
        }
    }
}

/// At which key, what and why, and what to do about it.
fn unreadable(error: &LogError, name: &str, format: LogFormat) -> (&'static str, String, String) {
    let form = format.name();
    match error {
        LogError::Broken(line) => {
            let hint =
                "repair it, name another format, or write broken = \"skip\" to count such lines and go on";
            ("file", format!("`{name}`, {}", in_words(line)), hint.to_owned())
        }
        LogError::AllBroken { lines, first } => {
            let says = format!(
                "`{name}` is not in the form `{form}`: none of its {lines} lines can be read; {}",
                in_words(first)
            );
            ("format", says, "name the form that it is in".to_owned())
        }
        LogError::BackInTime { line, back, longest } => {
            let says = format!("`{name}`, line {line} goes back in time by {}", written(*back));
            let longest = written(*longest);
            let hint =
                format!("sort it by time, or write reorder = \"{longest}\" to have such lines put in order");
            ("file", says, hint)
        }
        LogError::NoLines => ("file", format!("`{name}` has no lines: nothing would be sent"), String::new()),
    }
}

/// `line 17 cannot be read: it has no time …: `GET /``.
fn in_words(line: &BrokenLine) -> String {
    format!("line {} cannot be read: {}: `{}`", line.number, line.why, line.text)
}

fn recorded(
    shapes: &Shapes<'_>,
    view: &View<'_>,
    log: &Log,
    owner: &str,
    errors: &mut Errors<'_>,
) -> Option<Recorded> {
    let how = ReplayOptions {
        speed: view.number("speed").unwrap_or(1.0),
        from: view.given_duration("from"),
        until: view.given_duration("until"),
        repeat: view.count("repeat"),
        seed: shapes.seed.derive("recorded arrivals"),
    };
    let error = match Recorded::new(log, &how) {
        Ok(recorded) => return Some(recorded),
        Err(error) => error,
    };
    let cut = |moment: Nanos| if how.from == Some(moment) { "from" } else { "until" };
    let end = if how.until.is_some() { "until" } else { "from" };
    let (key, says, hint) = match error {
        RecordedError::BadSpeed { speed } => {
            ("speed", format!("{speed} is no speed"), "write 2.0 for twice as fast, 0.5 for half as fast")
        }
        RecordedError::BeyondTheEnd { moment, length } => (
            cut(moment),
            format!("it lasts {}, and cannot be cut at {}", written(length), written(moment)),
            "",
        ),
        RecordedError::NoLength { from, until } => {
            let says = format!("from {} until {} is no time", written(from), written(until));
            ("until", says, "let it end later")
        }
        RecordedError::NothingToSend { from, until } => {
            let says = format!("nothing arrived from {} until {}", written(from), written(until));
            (end, says, "cut less: nothing would be sent")
        }
        RecordedError::TooLong => ("speed", "it would last longer than 104 days".to_owned(), ""),
        RecordedError::TooMany { .. } => ("repeat", error.to_string(), ""),
        RecordedError::NotOnce => ("repeat", "it would not be sent once".to_owned(), ""),
    };
    errors.say(view.place(key), format!("the replay{owner}: {says}"), hint);
    None
}

/// The plan's request with each method and path that was recorded.
fn requests(
    shapes: &Shapes<'_>,
    view: &View<'_>,
    recorded: &Recorded,
    name: &str,
    errors: &mut Errors<'_>,
) -> Option<Arc<[PlannedRequest]>> {
    let place = view.place("requests");
    if let Some(rows) = shapes.rows {
        errors.say(
            rows,
            "recorded requests are sent as they were, and take nothing from rows",
            "leave the rows out, or `requests = true`",
        );
        return None;
    }
    if recorded.requests().is_empty() {
        let says = format!("`{name}` tells times alone, and no requests that could be sent again");
        errors.say(place, says, "leave `requests` out");
        return None;
    }
    // Without one, the plan's request has something wrong, which has been said.
    // What a log's lines asked for can be sent: lines that cannot are broken.
    let pattern = shapes.requests.first()?;
    let one = |(method, path): &(String, String)| {
        let mut request = PlannedRequest { method: method.clone(), path: path.clone(), ..pattern.clone() };
        if WITHOUT_BODY.contains(&method.as_str()) {
            request.body = None;
            request.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
        }
        request
    };
    Some(recorded.requests().iter().map(one).collect())
}
