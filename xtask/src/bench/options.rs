//! The flags of `cargo xtask bench`.

use crate::failure::Failure;

/// What to measure and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Turns of each tester.
    pub repeats: usize,
    /// Length of a turn in seconds.
    pub seconds: u64,
    /// Whether to measure memory after ten million requests: minutes.
    pub ten_million: bool,
    /// Whether to keep the result in `bench-runs/`.
    pub write: bool,
}

const USAGE: &str = "usage: cargo xtask bench [--repeats N] [--quick | --write]
  --repeats N  turns of each tester (5)
  --quick      one short turn each, to see that everything works; proves nothing
  --write      keep the table in bench-runs/DATE-MACHINE/";

impl Options {
    /// Reads the flags.
    pub fn parse(arguments: &[String]) -> Result<Options, Failure> {
        let mut options = Options { repeats: 5, seconds: 5, ten_million: true, write: false };
        let mut quick = false;
        let mut arguments = arguments.iter().map(String::as_str);
        while let Some(argument) = arguments.next() {
            match argument {
                "--write" => options.write = true,
                "--quick" => quick = true,
                "--repeats" => options.repeats = repeats(arguments.next())?,
                other => return Err(usage(&format!("`{other}` is no flag of the bench"))),
            }
        }
        match (quick, options.write) {
            (true, true) => Err(usage("a quick run proves nothing, so it is not kept")),
            (true, false) => Ok(Options { repeats: 1, seconds: 1, ten_million: false, write: false }),
            (false, _) => Ok(options),
        }
    }
}

fn repeats(text: Option<&str>) -> Result<usize, Failure> {
    let number = text.and_then(|text| text.parse().ok()).filter(|n| *n > 0);
    number.ok_or_else(|| usage("--repeats wants a number above zero"))
}

fn usage(why: &str) -> Failure {
    Failure::Usage(format!("{why}\n\n{USAGE}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words).map_err(|failure| failure.to_string())
    }

    #[test]
    fn five_turns_are_the_least_that_is_kept_by_default() {
        let options = parse("--write").expect("good flags");
        assert_eq!(options, Options { repeats: 5, seconds: 5, ten_million: true, write: true });
        assert_eq!(parse("--repeats 9").expect("good flags").repeats, 9);
    }

    #[test]
    fn flags_that_make_no_sense_are_refused_with_the_usage() {
        for bad in ["--repeats", "--repeats 0", "--repeats many", "--quick --write", "fast"] {
            let text = parse(bad).expect_err(bad);
            assert!(text.contains("usage: cargo xtask bench"), "{text}");
        }
    }
}
