//! The lines of a log, one by one.

use super::request::{Request, Requests};
use super::{BrokenLine, Entry, LineFault, Log, LogError, LogFormat, LogOptions};
use super::{combined, common, json, nginx, times};
use model::Nanos;

/// As many broken lines as are kept to be shown.
const SHOWN_LINES: usize = 5;

/// As many characters of a broken line as are shown.
const SHOWN_TEXT: usize = 100;

/// Reads a log. Lines end with `\n` or `\r\n`; empty ones count for nothing.
pub fn parse(bytes: &[u8], options: &LogOptions) -> Result<Log, LogError> {
    let mut reader = Reader::new(*options);
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1..) {
        let line = line.trim_ascii_end();
        if !line.is_empty() {
            reader.line(line, number)?;
        }
    }
    reader.finish()
}

struct Reader {
    options: LogOptions,
    request: Request,
    requests: Requests,
    entries: Vec<Entry>,
    /// Whether no line has been read yet, so that a heading may come.
    is_at_first: bool,
    lines: u64,
    broken: Vec<BrokenLine>,
    broken_count: u64,
    /// The latest time so far.
    latest: Nanos,
    /// The first line that goes back too far, and how far.
    went_back: Option<(u64, Nanos)>,
    /// How far the lines go back at most.
    longest_back: Nanos,
}

impl Reader {
    fn new(options: LogOptions) -> Reader {
        Reader {
            options,
            request: Request::default(),
            requests: Requests::default(),
            entries: Vec::new(),
            is_at_first: true,
            lines: 0,
            broken: Vec::new(),
            broken_count: 0,
            latest: Nanos::ZERO,
            went_back: None,
            longest_back: Nanos::ZERO,
        }
    }

    /// After a line that goes back too far no more is kept, but all lines are
    /// still looked at: then the error can say how far back they go.
    fn line(&mut self, line: &[u8], number: u64) -> Result<(), LogError> {
        let is_first = std::mem::replace(&mut self.is_at_first, false);
        if is_first && self.options.format == LogFormat::Times && times::is_heading(line) {
            return Ok(());
        }
        self.lines += 1;
        match self.read(line) {
            Ok((at, has_request)) => self.keep(at, has_request, number),
            Err(why) => {
                let broken = || BrokenLine { number, text: shortened(line), why };
                self.broken_count += 1;
                if !self.options.skip_broken {
                    return Err(self.back_in_time().unwrap_or_else(|| LogError::Broken(broken())));
                }
                if self.broken.len() < SHOWN_LINES {
                    self.broken.push(broken());
                }
            }
        }
        Ok(())
    }

    fn read(&mut self, line: &[u8]) -> Result<(Nanos, bool), LineFault> {
        let request = &mut self.request;
        let (at, has_request) = match self.options.format {
            LogFormat::Common => (common::read(line, request)?, true),
            LogFormat::Combined => (combined::read(line, request)?, true),
            LogFormat::Nginx => (nginx::read(line, request)?, true),
            LogFormat::Json => json::read(line, request)?,
            LogFormat::Times => times::read(line, request)?,
        };
        match self.entries.first() {
            Some(first) if first.request.is_some() != has_request => Err(LineFault::OddOneOut),
            _ => Ok((at, has_request)),
        }
    }

    fn keep(&mut self, at: Nanos, has_request: bool, number: u64) {
        let back = self.latest.saturating_sub(at);
        self.latest = self.latest.max(at);
        self.longest_back = self.longest_back.max(back);
        if back > self.options.reorder {
            self.went_back.get_or_insert((number, back));
        }
        if self.went_back.is_none() {
            let request = has_request.then(|| self.requests.number(&self.request));
            self.entries.push(Entry { at, request });
        }
    }

    fn back_in_time(&self) -> Option<LogError> {
        let longest = self.longest_back;
        self.went_back.map(|(line, back)| LogError::BackInTime { line, back, longest })
    }

    fn finish(mut self) -> Result<Log, LogError> {
        if let Some(error) = self.back_in_time() {
            return Err(error);
        }
        if self.entries.is_empty() {
            return Err(match self.broken.into_iter().next() {
                Some(first) => LogError::AllBroken { lines: self.lines, first },
                None => LogError::NoLines,
            });
        }
        if self.longest_back > Nanos::ZERO {
            // Stable: lines of one moment stay in their order.
            self.entries.sort_by_key(|entry| entry.at);
        }
        Ok(Log {
            resolution: resolution(&self.entries),
            entries: self.entries,
            requests: self.requests.into_all(),
            lines: self.lines,
            broken: self.broken,
            broken_count: self.broken_count,
        })
    }
}

/// The largest power of ten, from 1 ns to 1 s, that divides all times.
fn resolution(entries: &[Entry]) -> Nanos {
    let mut step = Nanos::from_secs(1).0;
    for entry in entries {
        while entry.at.0 % step != 0 {
            step /= 10;
        }
    }
    Nanos(step)
}

/// The beginning of a line, fit to be shown.
fn shortened(line: &[u8]) -> String {
    // No character takes more than four bytes.
    let head = String::from_utf8_lossy(&line[..line.len().min(4 * SHOWN_TEXT)]);
    let mut shown = String::new();
    for character in head.chars().take(SHOWN_TEXT) {
        if character.is_control() { shown.extend(character.escape_default()) } else { shown.push(character) }
    }
    if line.len() > 4 * SHOWN_TEXT || head.chars().nth(SHOWN_TEXT).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests;
