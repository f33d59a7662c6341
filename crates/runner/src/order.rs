//! What one run is asked to be.

use crate::calibration;
use crate::follow::FollowOrder;
use crate::machine;
use crate::readings_taken::ReadOrder;
use engine::{Limits, Numbers, Tls, Work};
use model::{ConnectionPolicy, Load, Nanos, RunFacts, Seed, SendPrecision, Shape};
use schedule::{
    Arrivals, Closed, Open, Paced, Profile, ProfileError, Recorded, Share, Tester, UserLevels, digest,
};
use std::iter::Peekable;
use std::net::SocketAddr;
use std::sync::Arc;
use thiserror::Error;

/// One run, ready to be carried out: nothing is left to decide.
pub struct Order {
    /// The arm's name.
    pub arm: String,
    /// The round, from 1.
    pub round: u32,
    /// The URL, as it was written.
    pub url: String,
    /// The Host header of requests beside the load.
    pub host: String,
    /// Where to connect.
    pub peer: SocketAddr,
    /// How connections are secured, if they are.
    pub tls: Option<Tls>,
    /// The request's method, as results show it.
    pub method: String,
    /// The requests to send.
    pub work: Work,
    /// Who decides when the next request is due.
    pub load: Load,
    /// How the load changes over time, from the end of the warm-up on; `None`
    /// where it stays the same. It lasts as long as the counted part.
    pub shape: Option<Shape>,
    /// The arrivals themselves, where they were recorded.
    pub recorded: Option<Arc<Recorded>>,
    /// How work is followed past its answer; `None` where an answer is the end.
    pub follow: Option<FollowOrder>,
    /// What is read beside it.
    pub readings: ReadOrder,
    /// The run's seed.
    pub seed: Seed,
    /// The first part, sent and not counted.
    pub warm_up: Nanos,
    /// The counted part.
    pub measure: Nanos,
    /// Time limit of a request, from its scheduled moment.
    pub timeout: Nanos,
    /// How long after the last arrival answers are waited for.
    pub grace: Nanos,
    /// When connections are opened and kept.
    pub connection_policy: ConnectionPolicy,
    /// Connections allowed at once.
    pub connection_limit: u32,
    /// How to wait for the next moment.
    pub precision: SendPrecision,
    /// Sending threads.
    pub threads: u32,
    /// Cores to pin them to; empty leaves it to the kernel.
    pub cpus: Vec<usize>,
    /// Whether the service stalls during the run; `None` where it cannot be made to.
    pub stalls_asked: Option<bool>,
    /// Answers a second that the service can give, where another run showed it.
    pub capacity_per_s: Option<f64>,
}

/// Why an order cannot be carried out.
#[derive(Debug, Error)]
pub enum OrderError {
    /// The load over time is none.
    #[error("this would send nothing that can be measured: {0}")]
    Profile(#[from] ProfileError),
    /// By chance or by its length, the schedule is empty.
    #[error("this would send nothing: {load} for {measure} has no arrival in the counted part")]
    Nothing {
        /// The load.
        load: Load,
        /// The counted part.
        measure: Nanos,
    },
    /// Connections are to be kept by users, and there are none.
    #[error("an open load has no users that could keep connections of their own")]
    NoUsers,
    /// Fewer connections than must be had.
    #[error("{limit} connections are too few: {needed} {what} need one each")]
    TooFewConnections {
        /// Connections allowed.
        limit: u32,
        /// Connections needed.
        needed: u32,
        /// For whom.
        what: &'static str,
    },
    /// A core that this process may not use.
    #[error("core {cpu} is not one that may be used here")]
    NoSuchCore {
        /// The core.
        cpu: usize,
    },
    /// There is nobody to send.
    #[error("this would send nothing: a {} loop needs at least one connection", load.name())]
    Nobody {
        /// The load.
        load: Load,
    },
}

impl Order {
    pub(crate) fn until(&self) -> Nanos {
        self.warm_up + self.measure
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits {
            warm_up: self.warm_up,
            until: self.until(),
            grace: self.grace,
            timeout: self.timeout,
            connection_policy: self.connection_policy,
            connection_limit: self.connection_limit,
            connection_numbers: Numbers::ALL,
            // In an open loop no answer makes a request due.
            may_read_later: matches!(self.load, Load::Open { .. }),
        }
    }

    /// The run's arrivals, in the open model.
    fn arrivals(&self) -> Result<Option<Arrivals>, OrderError> {
        let Load::Open { rate, arrivals } = self.load else { return Ok(None) };
        if let Some(recorded) = &self.recorded {
            return Ok(Some(Arrivals::recorded(Arc::clone(recorded), self.warm_up)));
        }
        let profile = match &self.shape {
            Some(shape) => Profile::of_shape(shape, self.warm_up)?,
            None => Profile::level(rate, self.until())?,
        };
        Ok(Some(Arrivals::new(profile, arrivals, self.seed)))
    }

    /// What is known before the first request. Walks the whole schedule once,
    /// to count and hash it.
    pub fn facts(&self) -> Result<RunFacts, OrderError> {
        let digest = self.arrivals()?.map(|arrivals| digest(arrivals, self.warm_up));
        let (load, measure) = (self.load, self.measure);
        if measure == Nanos::ZERO || digest.as_ref().is_some_and(|digest| digest.counted == 0) {
            return Err(OrderError::Nothing { load, measure });
        }
        self.check()?;
        Ok(RunFacts {
            arm: self.arm.clone(),
            round: self.round,
            url: self.url.clone(),
            method: self.method.clone(),
            load,
            shape: self.shape.clone(),
            seed: self.seed,
            warm_up: self.warm_up,
            measure,
            timeout: self.timeout,
            grace: self.grace,
            connection_policy: self.connection_policy,
            connection_limit: self.connection_limit,
            precision: self.precision,
            threads: self.threads,
            backend: "epoll".to_owned(),
            planned: digest.as_ref().map(|digest| (digest.count - digest.counted, digest.counted)),
            schedule_hash: digest.map(|digest| digest.hash),
            stalls_asked: self.stalls_asked,
            capacity_per_s: self.capacity_per_s,
            trusted: calibration::kept(),
            follow: self.follow.as_ref().map(FollowOrder::facts),
            tool: None,
        })
    }

    /// Counts what becomes due in the counted part, in the open model.
    pub(crate) fn due_count(&self) -> Result<Option<DueCount>, OrderError> {
        let warm_up = self.warm_up;
        Ok(self.arrivals()?.map(|arrivals| DueCount { arrivals: arrivals.peekable(), warm_up, counted: 0 }))
    }

    fn check(&self) -> Result<(), OrderError> {
        let (load, limit) = (self.load, self.connection_limit);
        let at_least = |needed: u32, what| match needed <= limit {
            true => Ok(()),
            false => Err(OrderError::TooFewConnections { limit, needed, what }),
        };
        at_least(self.threads, "sending threads")?;
        match (self.connection_policy, load.users()) {
            (_, Some(0)) => return Err(OrderError::Nobody { load }),
            (ConnectionPolicy::PerUser, None) => return Err(OrderError::NoUsers),
            (ConnectionPolicy::PerUser, Some(users)) => at_least(users, "users")?,
            _ => {}
        }
        match self.cpus.iter().find(|cpu| !machine::may_use(**cpu)) {
            Some(cpu) => Err(OrderError::NoSuchCore { cpu: *cpu }),
            None => Ok(()),
        }
    }

    /// One tester for each sending thread; together they are the one load.
    pub(crate) fn testers(&self) -> Result<Vec<Box<dyn Tester + Send>>, OrderError> {
        let arrivals = self.arrivals()?;
        let until = self.until();
        let levels = |shape: &Shape| UserLevels::of_shape(shape, self.warm_up);
        let tester = |part| -> Box<dyn Tester + Send> {
            let share = Share::new(self.seed, part, self.threads);
            match (self.load, &self.shape) {
                (Load::Open { .. }, _) => {
                    let arrivals = arrivals.clone().expect("an open load has arrivals");
                    Box::new(Open::new(arrivals, share))
                }
                (Load::Paced { rate, connections }, None) => {
                    Box::new(Paced::new(connections, rate, until, share))
                }
                (Load::Paced { rate, .. }, Some(shape)) => {
                    let pace = shape.pace.unwrap_or_else(|| Nanos::from_secs_f64(1.0 / rate.as_per_second()));
                    Box::new(Paced::over_time(levels(shape), pace, share))
                }
                (Load::Closed { connections }, None) => Box::new(Closed::new(connections, until, share)),
                (Load::Closed { .. }, Some(shape)) => Box::new(Closed::over_time(levels(shape), share)),
            }
        };
        Ok((0..self.threads).map(tester).collect())
    }
}

/// How many counted requests the schedule has made due, as time goes on. Walks
/// the schedule beside the senders, so it says nothing of what was sent.
pub(crate) struct DueCount {
    arrivals: Peekable<Arrivals>,
    warm_up: Nanos,
    counted: u64,
}

impl DueCount {
    /// The count up to `now`, which never goes backwards.
    pub(crate) fn by(&mut self, now: Nanos) -> u64 {
        while let Some(arrival) = self.arrivals.next_if(|arrival| arrival.scheduled <= now) {
            self.counted += u64::from(arrival.scheduled >= self.warm_up);
        }
        self.counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_become_due_is_counted_from_the_end_of_warm_up_and_never_twice() {
        let rate = model::Rate::per_second(10.0).expect("a rate");
        let profile = Profile::level(rate, Nanos::from_secs(3)).expect("a profile");
        let arrivals = Arrivals::new(profile, model::ArrivalProcess::Even, Seed(1));
        let all: Vec<Nanos> = arrivals.clone().map(|arrival| arrival.scheduled).collect();
        let mut due = DueCount { arrivals: arrivals.peekable(), warm_up: Nanos::from_secs(1), counted: 0 };
        assert_eq!(due.by(Nanos::from_millis(900)), 0);
        let (first, second) = (all[10], all[11]);
        assert_eq!((due.by(first), due.by(first), due.by(second)), (1, 1, 2));
        assert_eq!(due.by(Nanos::from_secs(9)), 20);
    }
}
