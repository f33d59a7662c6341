//! Runs our own binary and reads the JSON that it prints for machines.

use super::measure::{self, Ran};
use crate::command;
use crate::failure::Failure;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The release binary on a core of its own.
pub struct Doorclock {
    /// Where it is.
    pub program: PathBuf,
    /// The core.
    pub core: Option<usize>,
    /// Where results go.
    pub folder: PathBuf,
}

/// What it says of its one run, in its own units.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// Counted requests.
    pub n: f64,
    /// Of these, answered as expected.
    pub ok: f64,
    /// Counted requests done a second.
    pub rate_per_s: f64,
    /// CPU of the whole process over the counted part.
    pub cpu_ns_per_request: f64,
    /// Lateness: median, 99th percentile, largest.
    pub late_ns: [f64; 3],
    /// Median service time.
    pub service_p50_ns: f64,
    /// Most memory resident.
    pub peak_rss_bytes: f64,
    /// Share of all cores that was idle right before, if it could be read.
    pub idle_share: Option<f64>,
    /// `valid`, or the verdict with the doubts behind it.
    pub verdict: String,
}

/// Builds the release binary and says where it is.
pub fn build() -> Result<PathBuf, Failure> {
    command::run(&mut command::cargo(&["build", "--release", "--quiet", "--package", "doorclock"]))?;
    let metadata = command::output(&mut command::cargo(&["metadata", "--format-version", "1", "--no-deps"]))?;
    let metadata = json("cargo metadata", &metadata)?;
    let target = metadata["target_directory"].as_str().unwrap_or("target");
    Ok(command::root().join(target).join("release/doorclock"))
}

impl Doorclock {
    /// Measures `url` with the load that `flags` describe; what it cost, what
    /// it says, and the results folder it leaves.
    pub fn measure(&self, url: &str, flags: &[&str]) -> Result<(Ran, Figures, PathBuf), Failure> {
        let out = self.folder.join("results");
        if out.exists() {
            std::fs::remove_dir_all(&out).map_err(Failure::file("clear", &out))?;
        }
        let mut command = measure::on_core(self.core, &self.program);
        command.arg(url).args(flags).arg("--json").arg("--out").arg(&out);
        let ran = measure::run(&mut command)?;
        let summary = match json("doorclock", &ran.stdout) {
            Ok(summary) => summary,
            Err(_) if !ran.status.success() => {
                return Err(Failure::Ended { command: command::text(&command), status: ran.status });
            }
            Err(failure) => return Err(failure),
        };
        let figures = figures(&summary).map_err(|what| Failure::Output {
            command: command::text(&command),
            what: format!("{what} is no number in its summary"),
        })?;
        Ok((ran, figures, out))
    }

    /// How long a report of a results folder takes.
    pub fn report(&self, folder: &Path) -> Result<Duration, Failure> {
        let mut command = measure::on_core(self.core, &self.program);
        let ran = measure::run(command.arg("report").arg(folder))?;
        // 3: the report was made, and says that the run is void.
        if ran.status.success() || ran.status.code() == Some(3) {
            Ok(ran.took)
        } else {
            Err(Failure::Ended { command: command::text(&command), status: ran.status })
        }
    }
}

fn json(command: &str, text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text)
        .map_err(|error| Failure::Output { command: command.to_owned(), what: error.to_string() })
}

/// Reads the first run of the first arm; an error names what is missing.
fn figures(summary: &Value) -> Result<Figures, String> {
    let arms = summary["arms"].as_object();
    let arm = arms.and_then(|arms| arms.values().next()).unwrap_or(&Value::Null);
    let run = &arm["runs"][0];
    let number = |path: &str| run.pointer(path).and_then(Value::as_f64).ok_or_else(|| path.to_owned());
    Ok(Figures {
        n: number("/response_time_ns/n")?,
        ok: number("/ok")?,
        service_p50_ns: number("/service_time_ns/p50")?,
        rate_per_s: number("/rate_per_s")?,
        cpu_ns_per_request: number("/tester/cpu_ns_per_request")?,
        late_ns: [number("/lateness_ns/p50")?, number("/lateness_ns/p99")?, number("/lateness_ns/max")?],
        peak_rss_bytes: number("/tester/peak_rss_bytes")?,
        idle_share: summary["machine"]["idle_share"].as_f64(),
        verdict: verdict(run),
    })
}

fn verdict(run: &Value) -> String {
    let word = run["verdict"].as_str().unwrap_or("unknown");
    let doubts: Vec<&str> = run["doubts"].as_array().into_iter().flatten().filter_map(doubt).collect();
    if doubts.is_empty() { word.to_owned() } else { format!("{word}: {}", doubts.join("; ")) }
}

/// A doubt in words, whether it is a text or holds one.
fn doubt(doubt: &Value) -> Option<&str> {
    doubt.as_str().or_else(|| doubt["says"].as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary() -> Value {
        serde_json::json!({ "format": 1, "machine": { "idle_share": 0.97 }, "arms": { "closed-64": { "runs": [ {
            "verdict": "doubtful", "doubts": [{ "code": "few-episodes", "says": "3 separate events" }],
            "rate_per_s": 90_000.5, "ok": 449_999, "service_time_ns": { "p50": 70_000 },
            "response_time_ns": { "n": 450_000 },
            "lateness_ns": { "p50": 1_000, "p99": 2_000, "max": 3_000 },
            "tester": { "cpu_ns_per_request": 9_800.0, "peak_rss_bytes": 5_000_000 } } ] } } })
    }

    #[test]
    fn figures_are_those_of_the_one_run() {
        let expected = Figures {
            n: 450_000.0,
            ok: 449_999.0,
            service_p50_ns: 70_000.0,
            rate_per_s: 90_000.5,
            cpu_ns_per_request: 9_800.0,
            late_ns: [1_000.0, 2_000.0, 3_000.0],
            peak_rss_bytes: 5_000_000.0,
            idle_share: Some(0.97),
            verdict: "doubtful: 3 separate events".to_owned(),
        };
        assert_eq!(figures(&summary()), Ok(expected));
    }

    #[test]
    fn a_number_that_is_null_is_named_rather_than_taken_for_zero() {
        let mut summary = summary();
        summary["arms"]["closed-64"]["runs"][0]["tester"]["peak_rss_bytes"] = Value::Null;
        assert_eq!(figures(&summary), Err("/tester/peak_rss_bytes".to_owned()));
        assert_eq!(figures(&Value::Null), Err("/response_time_ns/n".to_owned()));
    }
}
