//! Links between our Markdown files lead somewhere, down to the heading.

use super::Breach;
use super::tree::TextFile;
use std::collections::BTreeMap;

/// Links to files or headings that are not there.
pub fn breaches(files: &[TextFile]) -> Vec<Breach> {
    let texts: BTreeMap<&str, &str> =
        files.iter().map(|file| (file.path.as_str(), file.text.as_str())).collect();
    let documents = files.iter().filter(|file| file.path.ends_with(".md"));
    documents
        .flat_map(|file| {
            let links = links(&file.text).into_iter().filter(|link| !is_elsewhere(link));
            links.filter_map(|link| broken(&texts, &file.path, link))
        })
        .collect()
}

/// On the web, or no link between files.
fn is_elsewhere(link: &str) -> bool {
    link.contains("://") || link.starts_with("mailto:")
}

fn broken(texts: &BTreeMap<&str, &str>, from: &str, link: &str) -> Option<Breach> {
    let (path, heading) = link.split_once('#').map_or((link, None), |(path, heading)| (path, Some(heading)));
    let target = if path.is_empty() { from.to_owned() } else { resolve(from, path) };
    let says = match (texts.get(target.as_str()), heading) {
        (None, _) if is_folder(texts, &target) => return None,
        (None, _) => format!("the link to `{link}` leads nowhere"),
        (Some(text), Some(heading)) if target.ends_with(".md") && !anchors(text).any(|a| a == heading) => {
            format!("the link to `{link}` finds the file, and no such heading in it")
        }
        _ => return None,
    };
    Some(Breach::new(from, says))
}

fn is_folder(texts: &BTreeMap<&str, &str>, target: &str) -> bool {
    let inside = format!("{}/", target.trim_end_matches('/'));
    texts.keys().any(|path| path.starts_with(&inside))
}

/// `path` as seen from the folder of `from`, with `.` and `..` taken out.
fn resolve(from: &str, path: &str) -> String {
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = Vec::new();
    let base = if path.starts_with('/') { "" } else { folder };
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            // Above the top folder nothing is ours: keep the dots, find nothing.
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            other => parts.push(other),
        }
    }
    parts.join("/")
}

/// The lines outside fenced blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    })
}

/// The targets of `[text](target)` and `[label]: target`.
fn links(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in prose(text) {
        // Code between backquotes holds no links: every second piece.
        for piece in line.split('`').step_by(2) {
            let starts = piece.match_indices("](").map(|(at, _)| &piece[at + 2..]);
            found.extend(starts.filter_map(|rest| rest.split([')', ' ']).next()));
        }
        if let Some((label, target)) = line.split_once("]: ").filter(|(label, _)| label.starts_with('[')) {
            found.extend((!label.contains("](")).then_some(target.trim()));
        }
    }
    found
}

/// The names by which a file's headings can be linked to, as GitHub makes them.
fn anchors(text: &str) -> impl Iterator<Item = String> {
    prose(text).filter_map(|line| {
        let title = line.trim_start_matches('#');
        (line.starts_with('#') && title.starts_with(' ')).then(|| anchor(title.trim()))
    })
}

fn anchor(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(markdown: &str) -> Vec<String> {
        let file = |path: &str, text: &str| TextFile { path: path.to_owned(), text: text.to_owned() };
        let files = [
            file("docs/HERE.md", markdown),
            file("docs/OTHER.md", "# The title\n## What's `new`, and 2nd\n```\n# no heading\n```\n"),
            file("src/lib.rs", ""),
        ];
        breaches(&files).into_iter().map(|breach| breach.says).collect()
    }

    #[test]
    fn links_to_what_is_there_are_no_breach() {
        let good = "[a](OTHER.md) [b](../src/lib.rs) [c](../src) [`d`](OTHER.md#the-title) [e](#top) \
                    [f](https://example.org/x) [g](./OTHER.md#whats-new-and-2nd)\n# Top\n[h]: OTHER.md\n";
        assert_eq!(check(good), [""; 0]);
    }

    #[test]
    fn links_to_what_is_not_there_are_breaches() {
        for bad in ["[a](GONE.md)", "[`a`](GONE.md)", "[a]: GONE.md", "[b](OTHER.md), [a](GONE.md \"title\")"]
        {
            assert_eq!(check(bad), ["the link to `GONE.md` leads nowhere"], "{bad}");
        }
        assert_eq!(check("[a](../../docs/OTHER.md)"), ["the link to `../../docs/OTHER.md` leads nowhere"]);
    }

    #[test]
    fn a_heading_that_is_not_there_is_a_breach() {
        for bad in ["OTHER.md#no-heading", "OTHER.md#gone", "#gone"] {
            let says = format!("the link to `{bad}` finds the file, and no such heading in it");
            assert_eq!(check(&format!("[a]({bad})")), [says]);
        }
    }

    #[test]
    fn what_stands_in_code_is_no_link() {
        assert_eq!(check("`[a](GONE.md)`\n```\n[a](GONE.md)\n```\n"), [""; 0]);
    }
}
