//! The one place where tasks print, and the one where they read a clock.

use std::fmt::Display;
use std::time::{Duration, Instant};

/// One line for whoever watches.
#[expect(clippy::print_stdout, reason = "a task talks to a person, and only from here")]
pub fn line(text: impl Display) {
    println!("{text}");
}

/// What went wrong, on stderr.
#[expect(clippy::print_stderr, reason = "a task talks to a person, and only from here")]
pub fn error(text: &str) {
    eprintln!("error: {text}");
}

/// Runs `work` and says how long it took.
#[expect(clippy::disallowed_methods, reason = "how long a build step takes is no measurement of doorclock's")]
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let began = Instant::now();
    let result = work();
    (result, began.elapsed())
}

/// `0.4 s`, `12 s`, `3 min 5 s`.
pub fn length(took: Duration) -> String {
    match took.as_secs() {
        0..10 => format!("{:.1} s", took.as_secs_f64()),
        10..60 => format!("{} s", took.as_secs()),
        secs => format!("{} min {} s", secs / 60, secs % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_read_as_people_say_them() {
        for (millis, text) in [
            (420, "0.4 s"),
            (9_900, "9.9 s"),
            (12_800, "12 s"),
            (60_000, "1 min 0 s"),
            (185_000, "3 min 5 s"),
        ] {
            assert_eq!(length(Duration::from_millis(millis)), text);
        }
    }
}
