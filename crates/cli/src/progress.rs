//! One line of progress while runs go on.

use crate::print;
use model::{Nanos, Progress, RunEvent};

/// Shows events as one line that is replaced, on a terminal.
#[derive(Default)]
pub struct ProgressLine {
    head: String,
}

impl ProgressLine {
    /// Shows one event.
    pub fn show(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Started { arm, number: (number, all) } => {
                self.head = if *all > 1 { format!("run {number} of {all} · {arm}") } else { arm.clone() };
                print::progress(&self.head);
            }
            RunEvent::Progress(progress) => print::progress(&line(&self.head, progress)),
            RunEvent::Finished { .. } => print::progress(""),
        }
    }
}

fn line(head: &str, progress: &Progress) -> String {
    const WIDTH: u64 = 20;
    let share = progress.at.min(progress.until).0 * WIDTH / progress.until.0.max(1);
    let bar = "█".repeat(share as usize) + &"·".repeat((WIDTH - share) as usize);
    let left = progress.until.saturating_sub(progress.at).0.div_ceil(Nanos::from_secs(1).0);
    let p99 = progress.p99.map_or(String::new(), |p99| format!(" · p99 {p99}"));
    let failed = if progress.failed > 0 { format!(" · {} failed", progress.failed) } else { String::new() };
    format!("{head} {bar} {left} s left · {} done{failed}{p99}", progress.done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_how_long_and_how_it_goes() {
        let progress = Progress {
            at: Nanos::from_millis(7_500),
            until: Nanos::from_secs(15),
            done: 4_100,
            failed: 0,
            p99: Some(Nanos::from_micros(84_900)),
        };
        assert_eq!(line("open", &progress), "open ██████████·········· 8 s left · 4100 done · p99 84.9 ms");
        let late = Progress { at: Nanos::from_secs(16), failed: 3, p99: None, ..progress };
        assert_eq!(line("open", &late), "open ████████████████████ 0 s left · 4100 done · 3 failed");
    }
}
