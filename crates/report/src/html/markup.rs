//! The few pieces of markup that the page is made of. All text that comes from
//! outside passes [`escape`].

use crate::numbers::belong_together;
use crate::table::{Column, Table};
use std::borrow::Cow;

/// Text that no browser takes for markup, in elements and in attributes.
pub(super) fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(['<', '>', '&', '"', '\'']) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    Cow::Owned(safe)
}

/// Escaped text in which no line breaks between a number and its unit.
pub(super) fn prose(text: &str) -> String {
    let mut bound = String::with_capacity(text.len());
    for word in text.split(' ') {
        if !bound.is_empty() {
            bound.push(if belong_together(&bound, word) { '\u{a0}' } else { ' ' });
        }
        bound.push_str(word);
    }
    escape(&bound).into_owned()
}

/// An element around escaped text.
pub(super) fn element(name: &str, class: &str, text: &str) -> String {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    format!("<{name}{class}>{}</{name}>\n", prose(text))
}

/// One cell of a table.
pub(super) enum Cell {
    /// A number, to the right.
    Number(String),
    /// The number that the row is about.
    Strong(String),
    /// Words, to the left.
    Text(String),
    /// Words that may be broken over lines.
    Long(String),
    /// A bar of this share of its track.
    Bar(Option<f64>),
}

impl Cell {
    fn html(&self) -> String {
        match self {
            Cell::Number(text) => format!("<td>{}</td>", escape(text)),
            Cell::Strong(text) => format!("<td><b>{}</b></td>", escape(text)),
            Cell::Text(text) => format!("<td class=\"text\">{}</td>", escape(text)),
            Cell::Long(text) => format!("<td class=\"long\">{}</td>", escape(text)),
            Cell::Bar(None) => "<td class=\"track-cell\"></td>".into(),
            Cell::Bar(Some(share)) => {
                let width = share.clamp(0.0, 1.0) * 100.0;
                format!(
                    "<td class=\"text track-cell\"><span class=\"track\"><i style=\"width:{width:.1}%\"></i></span></td>"
                )
            }
        }
    }
}

/// A table that scrolls inside its own box where it is wider than the page.
pub(super) fn table(heads: &[&str], rows: &[Vec<Cell>]) -> String {
    let head_of = |column: usize| {
        let words = rows.first().and_then(|row| row.get(column));
        match words {
            Some(Cell::Text(_) | Cell::Long(_)) => "<th scope=\"col\" class=\"text\">",
            Some(Cell::Bar(_)) => "<th scope=\"col\" class=\"text track-cell\">",
            Some(Cell::Number(_) | Cell::Strong(_)) | None => "<th scope=\"col\">",
        }
    };
    let heads: String =
        heads.iter().enumerate().map(|(at, head)| format!("{}{}</th>", head_of(at), escape(head))).collect();
    let rows: String = rows
        .iter()
        .map(|row| format!("<tr>{}</tr>\n", row.iter().map(Cell::html).collect::<String>()))
        .collect();
    format!(
        "<div class=\"scroll\"><table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

/// A table that was made for any drawing.
pub(super) fn plain_table(of: &Table) -> String {
    let heads: Vec<&str> = of.heads.iter().map(|(_, head)| *head).collect();
    let cell = |((column, _), text): (&(Column, &str), &String)| match column {
        Column::Number => Cell::Number(text.clone()),
        Column::Name | Column::Text => Cell::Text(text.clone()),
    };
    let rows: Vec<Vec<Cell>> =
        of.rows.iter().map(|row| of.heads.iter().zip(row).map(cell).collect()).collect();
    table(&heads, &rows)
}

/// Names and what they stand for.
pub(super) fn definitions(pairs: &[(&str, String)]) -> String {
    let pair =
        |(name, text): &(&str, String)| format!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(text));
    format!("<dl>\n{}</dl>\n", pairs.iter().map(pair).collect::<String>())
}

/// A picture with its sentence under it and its table behind it.
pub(super) struct Figure {
    /// What is drawn: markup.
    pub(super) drawing: String,
    /// What to see: one sentence.
    pub(super) caption: String,
    /// How to read it: scales, shapes, what was left out.
    pub(super) note: String,
    /// The figures behind it: markup.
    pub(super) table: String,
}

impl Figure {
    pub(super) fn html(&self) -> String {
        format!(
            "<figure>\n{}<figcaption>{} <span class=\"note\">{}</span></figcaption>\n\
             <details><summary>The figures behind this picture</summary>\n{}</details>\n</figure>\n",
            self.drawing,
            prose(&self.caption),
            prose(&self.note),
            self.table
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escape(r#"<a href="x">'&'</a>"#), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
        assert!(!table(&["<b>"], &[vec![Cell::Long("<i>".into())]]).contains("<i>"));
        assert!(!definitions(&[("<b>", "<i>".into())]).contains("<b>"));
    }
}
