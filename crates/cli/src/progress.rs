//! One line of progress while runs go on.

use crate::print;
use model::{Nanos, Progress, RunEvent, Waits};

/// Shows events as one line that is replaced, on a terminal.
#[derive(Default)]
pub struct ProgressLine {
    head: String,
    /// What is left of a planned experiment, once a run is under way.
    left: String,
}

impl ProgressLine {
    /// Shows one event.
    pub fn show(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Ahead { arm, round, number: (number, all), left } => {
                self.head = format!("run {number} of {all} · round {round} · {arm}");
                self.left = format!(" · {} left in all", roughly(*left));
                print::progress(&format!("{}{}", self.head, self.left));
            }
            RunEvent::Waiting(waits) => {
                print::progress(&format!("{} · {}{}", self.head, waiting(*waits), self.left));
            }
            RunEvent::Started { arm, number: (number, all) } if self.left.is_empty() => {
                self.head = if *all > 1 { format!("run {number} of {all} · {arm}") } else { arm.clone() };
                print::progress(&self.head);
            }
            RunEvent::Started { .. } => print::progress(&format!("{}{}", self.head, self.left)),
            RunEvent::Progress(progress) => {
                print::progress(&format!("{}{}", line(&self.head, progress), self.left));
            }
            RunEvent::Following { ended, accepted, left } => {
                let line = following(&self.head, *ended, *accepted, *left);
                print::progress(&format!("{line}{}", self.left));
            }
            RunEvent::Finished { .. } => print::progress(""),
        }
    }
}

fn waiting(waits: Waits) -> &'static str {
    match waits {
        Waits::Quiet => "waiting for a quiet machine",
        Waits::Reset => "putting data back",
        Waits::Ready => "starting the service",
    }
}

/// Seconds below two minutes, minutes below two hours.
pub fn roughly(time: Nanos) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 120.0 => format!("{seconds:.0} s"),
        seconds if seconds < 7_200.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3_600.0),
    }
}

/// Sending is over; accepted work is not.
fn following(head: &str, ended: u64, accepted: u64, left: Nanos) -> String {
    format!("{head} · sent; {ended} of {accepted} done, waiting {} at most", roughly(left))
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
