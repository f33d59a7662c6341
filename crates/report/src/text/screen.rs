//! A screen of labelled lines, wrapped at 80 columns.

use crate::numbers::belong_together;

/// Columns of a screen.
pub(super) const WIDTH: usize = 80;
/// Columns of the labels at the left.
pub(super) const LABEL: usize = 14;

/// Lines under construction.
#[derive(Default)]
pub(super) struct Screen {
    lines: Vec<String>,
}

impl Screen {
    /// A line as it is.
    pub(super) fn line(&mut self, text: &str) {
        self.lines.push(text.trim_end().to_owned());
    }

    /// An empty line, to set what follows apart.
    pub(super) fn blank(&mut self) {
        self.lines.push(String::new());
    }

    /// Text over the whole width, wrapped.
    pub(super) fn paragraph(&mut self, text: &str) {
        for line in wrap(text, WIDTH) {
            self.line(&line);
        }
    }

    /// A sentence of several: wrapped, its further lines set in.
    pub(super) fn sentence(&mut self, text: &str) {
        for (number, line) in wrap(text, WIDTH - 2).into_iter().enumerate() {
            let indent = if number == 0 { "" } else { "  " };
            self.line(&format!("{indent}{line}"));
        }
    }

    /// Text set in as a whole: what belongs to the line above.
    pub(super) fn indented(&mut self, text: &str) {
        for line in wrap(text, WIDTH - 2) {
            self.line(&format!("  {line}"));
        }
    }

    /// A label and its text beside it, wrapped under itself.
    pub(super) fn field(&mut self, label: &str, text: &str) {
        for (number, line) in wrap(text, WIDTH - LABEL).into_iter().enumerate() {
            let label = if number == 0 { label } else { "" };
            self.line(&format!("{label:<LABEL$}{line}"));
        }
    }

    /// A label and a text that must stay on one line, such as a command to copy.
    pub(super) fn unbroken(&mut self, label: &str, text: &str) {
        self.line(&format!("{label:<LABEL$}{text}"));
    }

    /// The screen, each line ended.
    pub(super) fn finish(self) -> String {
        let mut text = self.lines.join("\n");
        text.push('\n');
        text
    }
}

/// The first `width` characters' worth of a text, cut in its middle with an
/// ellipsis: both ends of a URL tell what it is.
pub(super) fn shortened(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    let tail = width / 3;
    let head: String = text.chars().take(width - tail - 1).collect();
    let end: String = text.chars().skip(length - tail).collect();
    format!("{head}…{end}")
}

/// Lines of at most `width` characters, broken at spaces.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in whole_words(text) {
        let last = lines.last_mut().expect("there is always a last line");
        let joined = last.chars().count() + 1 + word.chars().count();
        if last.is_empty() {
            *last = word;
        } else if joined <= width {
            last.push(' ');
            last.push_str(&word);
        } else {
            lines.push(word);
        }
    }
    lines
}

/// Words, with a number and its unit kept together.
fn whole_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match words.last_mut() {
            Some(last) if belong_together(last, word) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_wraps_under_itself_and_keeps_numbers_with_their_units() {
        let mut screen = Screen::default();
        screen.field("label", &format!("{} took 84.9 ms, all in all", "x".repeat(55)));
        let expected = format!("label         {} took\n              84.9 ms, all in all\n", "x".repeat(55));
        assert_eq!(screen.finish(), expected);
    }

    #[test]
    fn a_long_url_is_cut_in_its_middle() {
        assert_eq!(shortened("http://127.0.0.1/", 20), "http://127.0.0.1/");
        assert_eq!(shortened("http://127.0.0.1:8600/a/very/long/path", 20), "http://127.0.…g/path");
    }
}
