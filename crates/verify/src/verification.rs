//! What a second opinion comes to.

use std::fmt;

/// A results folder, looked at a second time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    /// Reported values that were computed again and compared.
    pub checked: u64,
    /// Those of them that came out differently.
    pub mismatches: Vec<Mismatch>,
    /// Ways in which the folder is not as it was sealed.
    pub damage: Vec<Damage>,
    /// What is reported and was not compared, in words or by name.
    pub not_checked: Vec<String>,
}

impl Verification {
    /// Whether every number came out as reported, from files as they were sealed.
    pub fn is_sound(&self) -> bool {
        self.mismatches.is_empty() && self.damage.is_empty()
    }
}

/// In one line: `1,204 values computed again, all as reported`.
impl fmt::Display for Verification {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} values computed again, ", grouped(self.checked))?;
        match self.mismatches.len() {
            0 => write!(out, "all as reported")?,
            count => write!(out, "{count} not as reported")?,
        }
        match self.damage.len() {
            0 => Ok(()),
            1 => write!(out, "; 1 file is not as it was sealed"),
            count => write!(out, "; {count} files are not as they were sealed"),
        }
    }
}

/// A value that is not what is reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The run's folder name, the arm for what is said of an arm, or `summary`.
    pub run: String,
    /// The value's name in `summary.json`, such as `response_time_ns.p99`.
    pub name: String,
    /// What is reported, as it stands there; `nothing` if it does not.
    pub reported: String,
    /// What was computed.
    pub computed: String,
}

/// In one line: `R1-open-546: response_time_ns.p99 is reported as 84 and computed as 85`.
impl fmt::Display for Mismatch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch { run, name, reported, computed } = self;
        write!(out, "{run}: {name} is reported as {reported} and computed as {computed}")
    }
}

/// One way in which a folder is not as it was sealed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Damage {
    /// The manifest was never sealed, so there are no checksums to compare with.
    NotSealed,
    /// The manifest names this file, and it is gone.
    Missing(String),
    /// This file's content is not what it was.
    Changed(String),
    /// This file came later.
    Extra(String),
}

impl fmt::Display for Damage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::NotSealed => write!(out, "the manifest was never sealed: no file has a checksum"),
            Damage::Missing(path) => write!(out, "{path} is missing"),
            Damage::Changed(path) => write!(out, "{path} was changed"),
            Damage::Extra(path) => write!(out, "{path} was added"),
        }
    }
}

/// `1204` as `1,204`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).expect("digits are ASCII"))
        .collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_found_is_told_in_one_line() {
        let mismatch = Mismatch {
            run: "R1-open-546".to_owned(),
            name: "response_time_ns.p99".to_owned(),
            reported: "84".to_owned(),
            computed: "85".to_owned(),
        };
        assert_eq!(
            mismatch.to_string(),
            "R1-open-546: response_time_ns.p99 is reported as 84 and computed as 85"
        );
        let mut verification = Verification { checked: 1204, ..Verification::default() };
        assert_eq!(verification.to_string(), "1,204 values computed again, all as reported");
        verification.mismatches.push(mismatch);
        verification.damage.push(Damage::Changed("plan.toml".to_owned()));
        assert_eq!(
            verification.to_string(),
            "1,204 values computed again, 1 not as reported; 1 file is not as it was sealed"
        );
    }
}
