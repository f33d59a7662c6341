//! Doubts about the machine: whether others used it during a run.

use super::{Case, counted, doubt, percent};
use crate::summary::{Doubt, Verdict};
use model::MachineStory;

/// More of the machine's time than this given to others, and it was not ours.
const MOST_STEAL: f64 = 0.02;
/// More than a fifth of a core used by others is as much as a tester uses.
const MOST_OTHERS: f64 = 0.2;

/// What a machine's story speaks against a run.
pub(crate) fn of_story(story: &MachineStory) -> Vec<Doubt> {
    let rules = [not_quiet, stolen, others, throttled, logged];
    rules.into_iter().filter_map(|rule| rule(story)).collect()
}

/// What the story of a run's machine speaks against it.
pub(super) fn all(case: &Case) -> Vec<Doubt> {
    case.summary.story.as_ref().map(of_story).unwrap_or_default()
}

fn not_quiet(story: &MachineStory) -> Option<Doubt> {
    if story.was_quiet != Some(false) {
        return None;
    }
    let idle = story.idle_before.map_or(String::new(), |idle| format!(", {} idle", percent(idle)));
    let load = story.load_before.map_or(String::new(), |load| format!(", load {load:.2}"));
    let says = format!("the machine was not as quiet before the run as the plan asks{idle}{load}");
    Some(doubt("not-quiet", Verdict::Doubtful, says, "stop what else runs, and measure again"))
}

fn stolen(story: &MachineStory) -> Option<Doubt> {
    let steal = story.steal_share.filter(|share| *share > MOST_STEAL)?;
    let says =
        format!("the hypervisor gave {} of the machine's time during the run to others", percent(steal));
    Some(doubt(
        "stolen-during",
        Verdict::Doubtful,
        says,
        "measure on a machine of its own, or with dedicated cores",
    ))
}

fn others(story: &MachineStory) -> Option<Doubt> {
    let cores = story.other_cores.filter(|cores| *cores > MOST_OTHERS)?;
    let says = format!("other processes used {cores:.2} cores during the run");
    Some(doubt("others-running", Verdict::Doubtful, says, "stop what else runs, and measure again"))
}

fn throttled(story: &MachineStory) -> Option<Doubt> {
    let times = story.throttled.filter(|times| *times > 0)?;
    let says = format!("the control group was throttled {} during the run", counted(times, "time"));
    Some(doubt("throttled", Verdict::Doubtful, says, "raise the container's CPU limit"))
}

fn logged(story: &MachineStory) -> Option<Doubt> {
    let lines = story.log_lines.filter(|lines| *lines > 0)?;
    let says = format!("the system's log gained {} during the run", counted(lines, "line"));
    Some(doubt("system-log", Verdict::Valid, says, "see whether they tell of trouble"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(story: &MachineStory) -> Vec<&'static str> {
        of_story(story).iter().map(|doubt| doubt.code).collect()
    }

    #[test]
    fn each_trouble_of_the_machine_raises_its_doubt_and_a_quiet_one_none() {
        let calm = MachineStory {
            was_quiet: Some(true),
            steal_share: Some(0.001),
            other_cores: Some(0.05),
            throttled: Some(0),
            log_lines: Some(0),
            ..MachineStory::default()
        };
        assert!(codes(&calm).is_empty() && codes(&MachineStory::default()).is_empty());
        for (story, code) in [
            (MachineStory { was_quiet: Some(false), ..calm.clone() }, "not-quiet"),
            (MachineStory { steal_share: Some(0.03), ..calm.clone() }, "stolen-during"),
            (MachineStory { other_cores: Some(0.3), ..calm.clone() }, "others-running"),
            (MachineStory { throttled: Some(2), ..calm.clone() }, "throttled"),
            (MachineStory { log_lines: Some(3), ..calm.clone() }, "system-log"),
        ] {
            assert_eq!(codes(&story), [code]);
        }
    }
}
