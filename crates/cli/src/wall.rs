//! The wall clock, read once per experiment to name it.

/// When an experiment began.
pub struct Began {
    /// UTC, RFC 3339, whole seconds: `2026-12-01T10:15:00Z`.
    pub rfc3339: String,
    /// A seed that differs from one experiment to the next.
    pub seed: u64,
}

impl Began {
    /// Now.
    #[expect(clippy::disallowed_methods, reason = "the wall clock names the experiment and times nothing")]
    pub fn now() -> Began {
        let now = std::time::SystemTime::now();
        let since_1970 = now.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Began {
            rfc3339: humantime::format_rfc3339_seconds(now).to_string(),
            // Six digits are enough to differ and short enough to type again.
            seed: u64::from(since_1970.subsec_micros()),
        }
    }

    /// As part of a folder's name: `2026-12-01T10-15-00`.
    pub fn for_folder(&self) -> String {
        self.rfc3339.trim_end_matches('Z').replace(':', "-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moment_is_utc_in_whole_seconds_and_fit_for_a_folders_name() {
        let began = Began::now();
        assert_eq!((began.rfc3339.len(), began.rfc3339.ends_with('Z')), (20, true), "{}", began.rfc3339);
        assert!(!began.for_folder().contains([':', 'Z', '/']), "{}", began.for_folder());
        assert!(began.seed < 1_000_000);
    }
}
