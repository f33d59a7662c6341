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

/// Whether standard output is a terminal, where what was drawn can be replaced.
pub fn is_screen() -> bool {
    std::io::stdout().is_terminal()
}

/// Draws a screen in the place of the one before, which had so many lines, and
/// says how many this one has: no more than fit on the terminal.
pub fn in_place(text: &str, before: usize) -> usize {
    let mut out = std::io::stdout().lock();
    let rows = rustix::termios::tcgetwinsize(&out).map_or(usize::MAX, |size| usize::from(size.ws_row));
    let fits = rows.saturating_sub(1).max(1);
    let lines: Vec<&str> = text.lines().take(fits).collect();
    // ESC [ n A goes up n lines, ESC [J clears all below.
    let up = if before > 0 { format!("\x1b[{before}A\r\x1b[J") } else { String::new() };
    let _ = writeln!(out, "{up}{}", lines.join("\n"));
    let _ = out.flush();
    lines.len()
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
