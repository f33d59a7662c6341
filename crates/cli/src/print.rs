//! The one place that prints.

use std::io::{IsTerminal, Write};

/// Prints a result on standard output. A reader that has gone away, as `head`
/// does, is no error of ours.
pub fn result(text: &str) {
    let mut out = std::io::stdout().lock();
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    let _ = write!(out, "{text}{newline}");
    let _ = out.flush();
}

/// Prints words for people on standard error.
pub fn error(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Prints for people: on standard output, or on standard error where standard
/// output carries JSON.
pub fn people(text: &str, json: bool) {
    if json { error(text) } else { result(text) }
}

/// Replaces the progress line on a terminal; an empty text clears it. Where
/// standard error is no terminal nothing is printed.
pub fn progress(text: &str) {
    let mut err = std::io::stderr().lock();
    if err.is_terminal() {
        // \r goes to the line's start, ESC [K clears the rest of it.
        let _ = write!(err, "\r{text}\x1b[K");
        let _ = err.flush();
    }
}
