//! The fenced blocks of a Markdown file that are lists for a machine too.

/// The lines of every block fenced as ```` ```name ````, trimmed, without
/// empty ones and `#` remarks.
pub fn lines<'a>(markdown: &'a str, name: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in markdown.lines().map(str::trim) {
        if let Some(info) = line.strip_prefix("```") {
            inside = !inside && info == name;
        } else if inside && !line.is_empty() && !line.starts_with('#') {
            found.push(line);
        }
    }
    found
}

/// `"a -> b c"` as `("a", "b c")`.
pub fn arrow(line: &str) -> Option<(&str, &str)> {
    let (left, right) = line.split_once("->")?;
    Some((left.trim(), right.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_named_block_is_read_and_remarks_are_left_out() {
        let text = "x -> y\n```edges\na -> b\n\n# why\nc ->\n```\n```homes\nd -> e\n```\n";
        assert_eq!(lines(text, "edges"), ["a -> b", "c ->"]);
        assert_eq!(lines(text, "homes"), ["d -> e"]);
        assert!(lines(text, "others").is_empty());
    }

    #[test]
    fn an_arrow_may_lead_nowhere() {
        assert_eq!(arrow("a -> b, c"), Some(("a", "b, c")));
        assert_eq!(arrow("a ->"), Some(("a", "")));
        assert_eq!(arrow("a"), None);
    }
}
