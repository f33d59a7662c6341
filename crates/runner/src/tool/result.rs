//! What a tool's output and its life come to: a run's end. No clock, no file.

use super::error::ToolProblem;
use super::execute::Life;
use super::output::Output;
use super::process::Ending;
use super::rows::{Origin, Rows};
use super::{ToolOrder, ToolOutput};
use crate::beside::{Seen, SeenStalls};
use model::{CpuUse, Nanos, RunEnd, Sample, Span, Stalls, Told};

/// A tool's own length of time may differ from what it was told by this share.
const LENGTH_SLACK: f64 = 0.1;

/// And upwards by this much more: most tools take whole seconds.
const ROUNDED_UP: Nanos = Nanos::from_secs(1);

/// A run that has been measured.
///
/// Its clock starts with the first request, where the time of every request is
/// known, and with the command otherwise.
pub(super) struct Measured {
    rows: Option<Rows>,
    told: Told,
    /// The run's zero on the clock that started with the command.
    zero: Nanos,
    /// The counted part on the run's clock, as the plan wants it.
    counted: Span,
    /// Where it ended in fact.
    counted_until: Nanos,
    ended: Nanos,
    interrupted: bool,
    cpu: Nanos,
    peak_rss_bytes: Option<u64>,
}

impl Measured {
    /// Puts both together; refuses what cannot be a measurement of what was asked.
    pub(super) fn new(order: &ToolOrder, output: Output, life: &Life) -> Result<Measured, ToolProblem> {
        let interrupted = life.ending == Ending::Stopped;
        if !interrupted {
            check_moments(&output, life)?;
            check_length(order, &output, life)?;
        }
        let Output { told, rows, length } = output;
        let counted = Span { began: order.warm_up(), ended: order.until() };
        let zero = rows.as_ref().filter(|rows| rows.origin() == Origin::Monotonic);
        let zero = zero.map_or(Nanos::ZERO, |rows| life.clock.from_absolute(rows.first_start()));
        let counted_until = match &rows {
            Some(rows) => counted.ended.min(rows.length()),
            None => length.unwrap_or(life.ended),
        };
        let on_lifes_clock =
            Span { began: zero + counted.began, ended: zero + counted_until.max(counted.began) };
        let cpu = match &rows {
            Some(_) => life.meter.used_within(on_lifes_clock),
            // What it tells is of all it did, so all that it used belongs to it.
            None => life.meter.used(),
        };
        let measured = Measured {
            rows,
            told,
            zero,
            counted,
            counted_until,
            ended: life.ended.saturating_sub(zero),
            interrupted,
            cpu,
            peak_rss_bytes: life.meter.peak_rss_bytes(),
        };
        if !interrupted && measured.is_empty() {
            return Err(ToolProblem::Nothing { tool: tool(order) });
        }
        Ok(measured)
    }

    /// Its requests; none where the tool does not tell them.
    pub(super) fn samples(&self) -> impl Iterator<Item = Sample> {
        self.rows.iter().flat_map(|rows| rows.samples(self.counted))
    }

    /// Whether there is no request that counts. Where only figures are told,
    /// their number is one of them; where nothing is, nobody knows.
    fn is_empty(&self) -> bool {
        match &self.rows {
            Some(_) => !self.samples().any(|sample| sample.counted),
            None => self.told.requests == Some(0),
        }
    }

    /// Stalls on the clock that started with the command, as stalls of this run.
    /// `None` where its requests are on a clock that only the tool knows: they
    /// would be laid beside the wrong ones.
    fn stalls(&self, told: &SeenStalls) -> Option<Stalls> {
        if self.rows.as_ref().is_some_and(|rows| rows.origin() == Origin::Own) {
            return None;
        }
        let counted = Span { ended: self.counted_until, ..self.counted };
        let is_counted = |moment: Nanos| moment >= self.zero && counted.contains(moment - self.zero);
        let shifted = |span: &Span| Span { began: span.began - self.zero, ended: span.ended - self.zero };
        Some(Stalls {
            planned: told.planned.iter().filter(|moment| is_counted(**moment)).count() as u64,
            seen: told.seen.iter().filter(|span| span.began >= self.zero).map(shifted).collect(),
        })
    }

    /// The run's end.
    pub(super) fn end(&self, seen: Seen) -> RunEnd {
        let (mut taken, mut taken_counted, mut area) = (0, 0, 0);
        for sample in self.samples() {
            taken += 1;
            taken_counted += u64::from(sample.counted);
            area += u128::from(sample.response_time().0);
        }
        RunEnd {
            counted_until: self.counted_until,
            ended: self.ended,
            interrupted: self.interrupted,
            taken,
            taken_counted,
            area,
            samples_lost: 0,
            // Which of its threads send, only the tool knows.
            cpu: CpuUse { process: self.cpu, senders: self.cpu },
            peak_rss_bytes: self.peak_rss_bytes,
            connections_opened: 0,
            connections_peak: 0,
            waited_at_limit: 0,
            limit_lowered_to: None,
            wakeups: 0,
            own_reading: None,
            tls: None,
            examples: Vec::new(),
            stalls: seen.stalls.and_then(|stalls| self.stalls(&stalls)),
            followed: None,
            told: Some(self.told.clone()).filter(|told| *told != Told::default()),
            machine: seen.machine,
        }
    }
}

/// Every moment on our clock must lie in the command's life; others are of
/// another clock, and would be laid beside the wrong stalls.
fn check_moments(output: &Output, life: &Life) -> Result<(), ToolProblem> {
    let Some(rows) = output.rows.as_ref().filter(|rows| rows.origin() == Origin::Monotonic) else {
        return Ok(());
    };
    let outside = match () {
        () if rows.first_start() < life.clock.start() => "that begins before the command was started",
        () if rows.last_done() > life.clock.start() + life.ended => "that ends after the command had ended",
        () => return Ok(()),
    };
    Err(ToolProblem::Clock { how: outside })
}

/// A tool that was told another length of time measures another thing. One
/// that tells each request may go on for longer: what comes later is not counted.
fn check_length(order: &ToolOrder, output: &Output, life: &Life) -> Result<(), ToolProblem> {
    let asked = order.until();
    let sent = output.length.unwrap_or(life.ended);
    let too_short = sent.as_secs_f64() < asked.as_secs_f64() * (1.0 - LENGTH_SLACK);
    let ends_open = output.rows.is_some() || output.length.is_none();
    let longest = (asked + ROUNDED_UP).as_secs_f64() * (1.0 + LENGTH_SLACK);
    if too_short || (!ends_open && sent.as_secs_f64() > longest) {
        return Err(ToolProblem::Length { tool: tool(order), sent, asked });
    }
    Ok(())
}

fn tool(order: &ToolOrder) -> &'static str {
    match order.output {
        ToolOutput::Unknown => "the command",
        known => known.name(),
    }
}
