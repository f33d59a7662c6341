//! Recorded arrivals: the lines of an access log, or of a plain list of times,
//! become moments and requests.
//!
//! It is handed bytes and knows no files. What it makes of them is still in
//! the log's own time; [`Recorded`](crate::Recorded) makes a schedule of it.
//!
//! A line's time is taken for its arrival's. Most servers write the time at
//! which they had answered: such arrivals come later than the real ones by what
//! each request took, and in the order in which they were answered.
//!
//! Start at [`parse`]. A new form is one new file that reads one line, plus a
//! line in [`LogFormat`].

mod access;
mod combined;
mod common;
mod json;
mod nginx;
mod reader;
mod request;
mod time;
mod times;

pub use reader::parse;

use model::Nanos;
use thiserror::Error;

/// How the lines of a log are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// `host ident user [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.1" 200 17`.
    /// More fields after these do no harm.
    Common,
    /// The same with `"referer" "user agent"` behind it.
    Combined,
    /// What nginx writes: its default, as `Combined` but without asking for the
    /// last fields, or a line that begins with `$msec` or `$time_iso8601`. The
    /// request is the first quoted field that is one.
    Nginx,
    /// An object a line. The time is under `time`, `ts`, `timestamp`,
    /// `@timestamp`, `time_iso8601`, `time_local` or `msec`; the request under
    /// `request` (`"GET /a HTTP/1.1"`, or an object), or under `method` or
    /// `request_method` and `path`, `uri` or `request_uri`.
    Json,
    /// One time a line, and `,METHOD,PATH` behind it if there is more to tell.
    /// A time is RFC 3339, or seconds from whatever moment.
    Times,
}

impl LogFormat {
    /// Every form.
    pub const ALL: [LogFormat; 5] =
        [LogFormat::Common, LogFormat::Combined, LogFormat::Nginx, LogFormat::Json, LogFormat::Times];

    /// The word in plans and in results.
    pub fn name(self) -> &'static str {
        match self {
            LogFormat::Common => "common",
            LogFormat::Combined => "combined",
            LogFormat::Nginx => "nginx",
            LogFormat::Json => "json",
            LogFormat::Times => "times",
        }
    }

    /// The form with this name.
    pub fn named(name: &str) -> Option<LogFormat> {
        LogFormat::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// How to read a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogOptions {
    /// The form of its lines.
    pub format: LogFormat,
    /// Whether lines that cannot be read are counted and left out. Otherwise
    /// the first is an error.
    pub skip_broken: bool,
    /// How far a line's time may lie before that of an earlier line. Such lines
    /// are put in order. Servers write a line when a request ends, and some
    /// stamp it with the time at which it began: then lines lie as far out of
    /// order as requests take.
    pub reorder: Nanos,
}

impl LogOptions {
    /// Strictly: no broken lines, and no step back in time.
    pub fn new(format: LogFormat) -> LogOptions {
        LogOptions { format, skip_broken: false, reorder: Nanos::ZERO }
    }
}

/// A log that could be read. Each line with something in it is an entry or broken.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// In order of time; at least one.
    pub entries: Vec<Entry>,
    /// Each method and path that occurs, once, in order of first occurrence.
    /// Empty where the log tells no requests.
    pub requests: Vec<(String, String)>,
    /// The finest step of its times: a power of ten from 1 ns to 1 s. It is
    /// taken from their values, so a log that always writes `.000` has seconds.
    pub resolution: Nanos,
    /// Lines with something in them, without a heading.
    pub lines: u64,
    /// The first few broken lines.
    pub broken: Vec<BrokenLine>,
    /// All broken lines.
    pub broken_count: u64,
}

/// One arrival as it was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When: since 1970, or since the moment that a list of seconds counts from.
    pub at: Nanos,
    /// Which of the log's requests; `None` in all entries or in none.
    pub request: Option<u32>,
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {number} cannot be read: {why}\n  {text}")]
pub struct BrokenLine {
    /// Its number, as editors count: from 1, with empty lines.
    pub number: u64,
    /// What it says, shortened, with anything unprintable escaped.
    pub text: String,
    /// What is wrong with it.
    pub why: LineFault,
}

/// Why a line could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LineFault {
    /// No time where the form has it.
    #[error("it has no time where this form has one, or not one that exists")]
    NoTime,
    /// A time before 1970 or after 2500.
    #[error("its time lies before 1970 or after 2500")]
    FarTime,
    /// No request in quotes.
    #[error("it has no request in quotes")]
    NoRequest,
    /// A request that is none.
    #[error("its request is none that could be sent, such as `GET /path HTTP/1.1`")]
    BadRequest,
    /// No status, or no size.
    #[error("it ends before the status and the size of the answer: was it cut off?")]
    NoAnswer,
    /// No referer, or no user agent.
    #[error("it has no referer and user agent in quotes: is it in the form `common`?")]
    NotCombined,
    /// No object in JSON.
    #[error("it is no JSON object")]
    NotJson,
    /// It names a request where the lines before name none, or the other way round.
    #[error("only some lines name a request: all of them must, or none")]
    OddOneOut,
}

/// Why a log could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LogError {
    /// The first broken line, where none was to be skipped.
    #[error("{0}\nrepair or remove it, check the form of the log, or have broken lines skipped")]
    Broken(BrokenLine),
    /// The first line that lies too far before an earlier one.
    #[error(
        "line {line} goes back in time by {back_secs} s; the longest way back in this log is \
         {longest_secs} s. Sort the log by time, or allow steps back of that length",
        back_secs = back.as_secs_f64(), longest_secs = longest.as_secs_f64()
    )]
    BackInTime {
        /// Its number, from 1.
        line: u64,
        /// How far it lies before the latest time so far.
        back: Nanos,
        /// The furthest that any line lies before the latest time so far.
        longest: Nanos,
    },
    /// Nothing in it.
    #[error("the log has no lines")]
    NoLines,
    /// Broken lines and nothing else.
    #[error("none of its {lines} lines could be read; the first: {first}\ncheck the form of the log")]
    AllBroken {
        /// How many.
        lines: u64,
        /// The first of them.
        first: BrokenLine,
    },
}
