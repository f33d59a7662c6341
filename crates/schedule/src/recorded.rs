//! Recorded arrivals as a schedule: a log's moments cut, sped up, repeated.
//!
//! A recording begins and ends on whole seconds of its own clock: with the
//! second of its first arrival, and after the second of its last. So a part of
//! a second at either end counts as the quiet that it was, and repeats follow
//! each other without a gap or a crowd that nobody recorded.
//!
//! Unlike all other schedules it holds every arrival in memory: 8 bytes each,
//! and 4 more where the log tells requests. Threads and rounds share one.

use crate::log::Log;
use crate::profile::LONGEST;
use model::{Nanos, Seed, Stage};
use thiserror::Error;

/// A gigabyte of arrivals.
const MOST_ARRIVALS: u64 = 100_000_000;

/// As many stretches as [`Recorded::stages`] tells at most.
const MOST_STAGES: u64 = 60;

const SECOND: Nanos = Nanos::from_secs(1);

/// How to send a recording again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplayOptions {
    /// How many times faster than it was recorded; above zero.
    pub speed: f64,
    /// Where to cut its beginning, in its own time from its beginning.
    pub from: Option<Nanos>,
    /// Where to cut its end: nothing at or after it is sent.
    pub until: Option<Nanos>,
    /// How often in all, at least once.
    pub repeat: u32,
    /// Decides where in their second the arrivals of a log of whole seconds lie.
    pub seed: Seed,
}

impl ReplayOptions {
    /// All of it, once, as fast as it was.
    pub fn new(seed: Seed) -> ReplayOptions {
        ReplayOptions { speed: 1.0, from: None, until: None, repeat: 1, seed }
    }
}

/// Why a recording cannot be sent like that.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum RecordedError {
    /// A speed that is zero, negative, no number, or above a million.
    #[error("a speed of {speed} is none: 2 is twice as fast, 0.5 half as fast, 1,000,000 the most")]
    BadSpeed {
        /// The offending speed.
        speed: f64,
    },
    /// Not even once.
    #[error("repeated 0 times there is nothing left: repeat it at least once")]
    NotOnce,
    /// A cut at or after the recording's end.
    #[error(
        "the recording lasts {} s: it cannot be cut at {} s",
        length.as_secs_f64(), moment.as_secs_f64()
    )]
    BeyondTheEnd {
        /// The place of the cut.
        moment: Nanos,
        /// The recording's length, before any change of speed.
        length: Nanos,
    },
    /// An end that is not after the beginning.
    #[error("from {} s until {} s there is nothing", from.as_secs_f64(), until.as_secs_f64())]
    NoLength {
        /// The beginning.
        from: Nanos,
        /// The end.
        until: Nanos,
    },
    /// No arrivals between the two cuts.
    #[error("nothing arrived from {} s until {} s", from.as_secs_f64(), until.as_secs_f64())]
    NothingToSend {
        /// The beginning.
        from: Nanos,
        /// The end.
        until: Nanos,
    },
    /// More than 104 days.
    #[error("it would last longer than 104 days")]
    TooLong,
    /// More than memory should hold.
    #[error(
        "that makes {arrivals} arrivals, and 100,000,000 are the most: cut more, or repeat it less often"
    )]
    TooMany {
        /// How many.
        arrivals: u64,
    },
}

/// Recorded arrivals, ready to be sent from moment 0 on.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    moments: Vec<Nanos>,
    length: Nanos,
    requests: Vec<(String, String)>,
    order: Vec<u32>,
}

impl Recorded {
    /// What `how` makes of a `log`.
    ///
    /// Where the log tells no more than whole seconds, its arrivals of one
    /// second are spread over it evenly by chance, in the order of its lines.
    /// A repeat sends the very same moments again.
    pub fn new(log: &Log, how: &ReplayOptions) -> Result<Recorded, RecordedError> {
        let cut = Cut::new(log, how)?;
        let (mut moments, mut kept) = (Vec::new(), Vec::new());
        for (moment, request) in spread(log, how.seed).zip(log.entries.iter().map(|entry| entry.request)) {
            if cut.from <= moment && moment < cut.until {
                moments.push(slower(moment - cut.from, how.speed));
                kept.extend(request);
            }
        }
        let (requests, order) = used(&log.requests, kept);
        let arrivals = moments.len() as u64 * u64::from(how.repeat);
        match arrivals {
            0 => return Err(RecordedError::NothingToSend { from: cut.from, until: cut.until }),
            1..=MOST_ARRIVALS => {}
            _ => return Err(RecordedError::TooMany { arrivals }),
        }
        let once = moments.len();
        for round in 1..u64::from(how.repeat) {
            moments.extend_from_within(..once);
            let own = moments.len() - once;
            moments[own..].iter_mut().for_each(|moment| *moment += cut.length * round);
        }
        let length = cut.length * u64::from(how.repeat);
        Ok(Recorded { moments, length, requests, order: order.repeat(how.repeat as usize) })
    }

    /// When each arrival is meant to begin, from the shape's beginning; in
    /// order, all before [`length`](Recorded::length).
    pub fn moments(&self) -> &[Nanos] {
        &self.moments
    }

    /// How long it lasts.
    pub fn length(&self) -> Nanos {
        self.length
    }

    /// Each method and path that is sent, once. Empty where the log tells none.
    pub fn requests(&self) -> &[(String, String)] {
        &self.requests
    }

    /// Which of [`requests`](Recorded::requests) each arrival sends. Empty
    /// where the log tells none.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The mean rate over equal stretches of a second or longer (the last may
    /// be some nanoseconds longer than the others), at most 60.
    pub fn stages(&self) -> Vec<Stage> {
        let count = (self.length.0 / SECOND.0).clamp(1, MOST_STAGES);
        let each = self.length.0 / count;
        let mut before = 0;
        let stage = |nth| {
            let began = Nanos(each * nth);
            let ended = if nth + 1 == count { self.length } else { began + Nanos(each) };
            let arrived = self.moments.partition_point(|moment| *moment < ended);
            let arrivals = (arrived - before) as f64;
            before = arrived;
            let length = ended - began;
            Stage::level(length, arrivals / length.as_secs_f64())
        };
        (0..count).map(stage).collect()
    }
}

/// Where a recording is cut, in its own time from its beginning, and how long
/// what is left lasts at the speed asked for.
struct Cut {
    from: Nanos,
    until: Nanos,
    length: Nanos,
}

impl Cut {
    fn new(log: &Log, how: &ReplayOptions) -> Result<Cut, RecordedError> {
        let ReplayOptions { speed, repeat, .. } = *how;
        if !(speed > 0.0 && speed <= 1e6) {
            return Err(RecordedError::BadSpeed { speed });
        }
        if repeat == 0 {
            return Err(RecordedError::NotOnce);
        }
        let last = log.entries.last().map_or(Nanos::ZERO, |entry| entry.at);
        let length = second_of(last) + SECOND - began(log);
        let (from, until) = (how.from.unwrap_or(Nanos::ZERO), how.until.unwrap_or(length));
        if from >= length || until > length {
            let moment = if from >= length { from } else { until };
            return Err(RecordedError::BeyondTheEnd { moment, length });
        }
        if until <= from {
            return Err(RecordedError::NoLength { from, until });
        }
        // Rounded up, while moments are rounded down: all stay before the end.
        let length = match speed {
            1.0 => until - from,
            _ => Nanos(((until - from).0 as f64 / speed).ceil() as u64),
        };
        match length <= Nanos(LONGEST.0 / u64::from(repeat)) {
            true => Ok(Cut { from, until, length }),
            false => Err(RecordedError::TooLong),
        }
    }
}

fn second_of(moment: Nanos) -> Nanos {
    Nanos(moment.0 - moment.0 % SECOND.0)
}

fn began(log: &Log) -> Nanos {
    log.entries.first().map_or(Nanos::ZERO, |entry| second_of(entry.at))
}

fn slower(moment: Nanos, speed: f64) -> Nanos {
    if speed == 1.0 { moment } else { Nanos((moment.0 as f64 / speed) as u64) }
}

/// The entries' moments from the recording's beginning. Those of a log of
/// whole seconds get a place in their second: each line draws one by its
/// number, and the lines of a second share theirs out in order.
fn spread(log: &Log, seed: Seed) -> impl Iterator<Item = Nanos> {
    let (began, seed) = (began(log), seed.derive("recorded"));
    let is_coarse = log.resolution == SECOND;
    let place = move |index: u64| Nanos(((u128::from(seed.mark(index)) * u128::from(SECOND.0)) >> 64) as u64);
    let mut number = 0;
    log.entries.chunk_by(|a, b| a.at == b.at).flat_map(move |same| {
        let mut moments = vec![same[0].at - began; same.len()];
        if is_coarse {
            moments.iter_mut().zip(number..).for_each(|(moment, index)| *moment += place(index));
            moments.sort_unstable();
        }
        number += same.len() as u64;
        moments
    })
}

/// Of all `requests` those that `order` names, in order of first use, and the
/// order in terms of them.
fn used(requests: &[(String, String)], mut order: Vec<u32>) -> (Vec<(String, String)>, Vec<u32>) {
    let (mut own, mut places) = (Vec::new(), vec![None; requests.len()]);
    for request in &mut order {
        let given = *request as usize;
        *request = *places[given].get_or_insert_with(|| {
            own.push(requests[given].clone());
            own.len() as u32 - 1
        });
    }
    (own, order)
}

#[cfg(test)]
mod tests;
