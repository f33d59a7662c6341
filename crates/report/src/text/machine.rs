//! What the machine is, and whether it is quiet.

use crate::numbers::share;
use crate::words::{machine_facts, machine_in_short};
use model::MachineFacts;

/// Cores and load, as the first line of a screen: `2 cores, load 0.3`.
pub fn machine_line(machine: &MachineFacts) -> String {
    match machine_in_short(machine) {
        known if known.is_empty() => "cores and load unknown".to_owned(),
        known => known,
    }
}

/// The machine's facts a line each, then whether it is quiet: idle for at least
/// `quiet_idle` of the time it was watched.
pub fn machine(machine: &MachineFacts, quiet_idle: f64) -> String {
    let mut text = String::new();
    for (name, fact) in machine_facts(machine) {
        text.push_str(&format!("{name:<24} {fact}\n"));
    }
    text.push('\n');
    text.push_str(&match machine.idle_share {
        None => "CANNOT SAY   how idle it is could not be read\n".to_owned(),
        Some(idle) if idle >= quiet_idle => {
            format!("QUIET        idle for {} of the time watched\n", share(idle))
        }
        Some(idle) => format!(
            "NOT QUIET    idle for {} of the time watched, wanted {}: what else runs here\n             \
             becomes part of every number; `top` shows what it is\n",
            share(idle),
            share(quiet_idle)
        ),
    });
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last_words(idle_share: Option<f64>) -> String {
        let text = machine(&MachineFacts { idle_share, ..MachineFacts::default() }, 0.95);
        text.lines().skip_while(|line| !line.is_empty()).nth(1).unwrap_or_default().to_owned()
    }

    #[test]
    fn a_machine_is_quiet_from_the_wanted_idle_share_on() {
        assert!(last_words(Some(0.95)).starts_with("QUIET "));
        assert!(last_words(Some(0.949)).starts_with("NOT QUIET "));
        assert!(last_words(None).starts_with("CANNOT SAY "));
    }
}
