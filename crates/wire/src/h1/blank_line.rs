//! Where a head or a list of trailers ends: at the first blank line.

/// Looks for a blank line in bytes that come in pieces. A line may end with CR
/// LF or, as RFC 9112 section 2.2 lets a recipient accept, with LF alone.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum BlankLine {
    /// Inside a line that holds something.
    #[default]
    Inside,
    /// At the beginning of a line.
    Start,
    /// After a CR at the beginning of a line.
    StartCr,
}

impl BlankLine {
    /// How many of `bytes` there are up to and including the blank line.
    pub(super) fn find(&mut self, bytes: &[u8]) -> Option<usize> {
        for (at, byte) in bytes.iter().enumerate() {
            *self = match (*self, byte) {
                (BlankLine::Start | BlankLine::StartCr, b'\n') => return Some(at + 1),
                (BlankLine::Inside, b'\n') => BlankLine::Start,
                (BlankLine::Start, b'\r') => BlankLine::StartCr,
                _ => BlankLine::Inside,
            };
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_line_is_found_whatever_its_ending_and_wherever_it_is_cut() {
        let cases: [(&[u8], Option<usize>); 8] = [
            (b"a\r\n\r\nrest", Some(5)),
            (b"a\n\nrest", Some(3)),
            (b"a\n\r\nrest", Some(4)),
            (b"a\r\n\nrest", Some(4)),
            (b"a\r\nb\r\n", None),
            (b"a\n\rb\n", None),
            (b"a\r\r\n", None),
            (b"\r\n", None),
        ];
        for (bytes, end) in cases {
            assert_eq!(BlankLine::default().find(bytes), end, "{}", bytes.escape_ascii());
            let mut line = BlankLine::default();
            let one_by_one = (0..bytes.len()).find(|at| line.find(&bytes[*at..=*at]).is_some());
            assert_eq!(one_by_one.map(|at| at + 1), end, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn a_list_that_holds_nothing_is_only_its_blank_line() {
        assert_eq!(BlankLine::Start.find(b"\r\n"), Some(2));
        assert_eq!(BlankLine::Start.find(b"\n"), Some(1));
    }
}
