//! Runs `wrk`, the cheapest tester in wide use, and reads its rate.

use super::measure::{self, Ran};
use crate::failure::Failure;
use std::path::PathBuf;

/// `wrk` on a core of its own.
pub struct Wrk {
    /// Where it is.
    pub program: PathBuf,
    /// The core.
    pub core: Option<usize>,
}

impl Wrk {
    /// A closed loop with 64 connections on one thread; what it cost, and the
    /// requests a second that it reports.
    pub fn closed_64(&self, url: &str, seconds: u64) -> Result<(Ran, f64), Failure> {
        let mut command = measure::on_core(self.core, &self.program);
        let ran = measure::run(command.args(["-t1", "-c64", &format!("-d{seconds}s"), url]))?;
        let rate = rate(&ran.stdout)
            .ok_or_else(|| Failure::Output { command: "wrk".to_owned(), what: ran.stdout.clone() })?;
        Ok((ran, rate))
    }
}

fn rate(output: &str) -> Option<f64> {
    let line = output.lines().find_map(|line| line.strip_prefix("Requests/sec:"))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "Running 5s test @ http://127.0.0.1:8600/
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   611.43us  101.36us   5.43ms   93.17%
    Req/Sec   104.03k     4.28k  110.36k    88.00%
  517633 requests in 5.00s, 71.09MB read
Requests/sec: 103497.34
Transfer/sec:     14.21MB
";

    #[test]
    fn the_rate_is_that_of_the_whole_run() {
        assert_eq!(rate(OUTPUT), Some(103_497.34));
        assert_eq!(rate("unable to connect"), None);
    }
}
