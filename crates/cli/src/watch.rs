//! `doorclock watch`: the readings of a plan alone, live. It starts nothing,
//! sends no load and keeps nothing.

use crate::args::WatchArgs;
use crate::failure::{Exit, Failure};
use crate::{plan_file, print, signals};
use model::{Nanos, Reading};
use report::text::Watched;
use std::sync::atomic::Ordering::Relaxed;

/// How often the screen is drawn while nothing is read.
const DRAW_EVERY: Nanos = Nanos::from_secs(1);

pub fn run(args: &WatchArgs) -> Result<Exit, Failure> {
    let stop = signals::stop_flag()?;
    let loaded = plan_file::load(&args.plan, &args.changes)?;
    let plan = &loaded.plan;
    if plan.readings.is_empty() {
        let says = format!("{} has no [readings.NAME] to watch", args.plan.display());
        return Err(Failure::new(Exit::Usage, says).hint("docs/PLAN.md tells what can be read"));
    }
    let facts = plan.readings.iter().map(|one| one.facts.clone()).collect();
    let mut shown = Shown { watched: Watched::new(&plan.question, facts), as_json: args.json, drawn: None };
    runner::watch(plan, &stop, args.lasts.unwrap_or(Nanos::MAX), &mut |at, rows| shown.show(at, rows));
    let silent = shown.watched.silent();
    match silent.len() == plan.readings.len() {
        true => {
            let says = format!("nothing was read: {} never gave a number", silent.join(", "));
            Err(Failure::new(Exit::Unreachable, says)
                .hint(format!("is the service of `{}` running?", args.plan.display())))
        }
        false if stop.load(Relaxed) && args.lasts.is_some() => Ok(Exit::Interrupted),
        false => Ok(Exit::Measured),
    }
}

/// A screen that is replaced on a terminal; a line for each answer elsewhere.
struct Shown {
    watched: Watched,
    as_json: bool,
    /// When the screen was drawn, and how many lines it had.
    drawn: Option<(Nanos, usize)>,
}

impl Shown {
    fn show(&mut self, at: Nanos, rows: &[Reading]) {
        self.watched.take(rows);
        if self.as_json {
            report::json::reading(rows).iter().for_each(|line| print::result(line));
        } else if !print::is_screen() {
            self.watched.line(at, rows).iter().for_each(|line| print::result(line));
        } else if !rows.is_empty() || self.drawn.is_none_or(|(drawn, _)| at >= drawn + DRAW_EVERY) {
            let before = self.drawn.map_or(0, |(_, lines)| lines);
            self.drawn = Some((at, print::in_place(&self.watched.screen(at), before)));
        }
    }
}
