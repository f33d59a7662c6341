//! The texts a plan is made of, and places in them.

/// One text: the plan's file, or one flag that changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// As an error names it: the file's path, or `--set`.
    pub name: String,
    pub text: String,
}

/// Some bytes of one source. Places sort as a person reads: the file from top
/// to bottom, then the flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// Which source, counted from 0: the file.
    pub source: usize,
    pub start: usize,
    pub end: usize,
}

impl Place {
    /// The top of the file, for what is missing from the whole of it.
    pub const TOP: Place = Place { source: 0, start: 0, end: 0 };
}

/// A line of a source as an error shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub source: String,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// How many characters are meant; at least one, and none of a further line.
    pub width: usize,
    /// The whole line, without control characters.
    pub text: String,
}

impl Source {
    /// The line that `place` begins on.
    pub fn spot(&self, place: Place) -> Spot {
        let start = self.floor(place.start);
        let end = self.floor(place.end).max(start);
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = self.text[start..].find('\n').map_or(self.text.len(), |at| start + at);
        let shown = |text: &str| -> String {
            let text = text.trim_end_matches('\r');
            text.chars().map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect()
        };
        Spot {
            source: self.name.clone(),
            line: self.text[..start].matches('\n').count() + 1,
            column: self.text[line_start..start].chars().count() + 1,
            width: self.text[start..end.min(line_end)].trim_end().chars().count().max(1),
            text: shown(&self.text[line_start..line_end]),
        }
    }

    /// The bytes at `place`.
    pub fn slice(&self, place: Place) -> &str {
        let (start, end) = (self.floor(place.start), self.floor(place.end));
        self.text.get(start..end).unwrap_or_default()
    }

    /// `at`, or the nearest place before it where a character begins.
    fn floor(&self, at: usize) -> usize {
        let at = at.min(self.text.len());
        (0..=at).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_shown_on_the_line_where_it_begins_counted_in_characters() {
        let source = Source { name: "a".to_owned(), text: "one\nµ = \"größe\"\r\nthree".to_owned() };
        let start = source.text.find('"').expect("a quote");
        let spot = source.spot(Place { source: 0, start, end: source.text.len() });
        assert_eq!((spot.line, spot.column, spot.width), (2, 5, 7));
        assert_eq!(spot.text, "µ = \"größe\"");
        assert_eq!(source.spot(Place { source: 0, start: 900, end: 901 }).line, 3);
    }
}
