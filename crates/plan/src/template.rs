//! Texts with `{{ row.COLUMN }}` in them, cut into pieces once, before any run.

use crate::units::Fault;
use minijinja::machinery::ast::{Expr, Filter, GetAttr};
use minijinja::machinery::parse_expr;
use std::ops::Range;

/// A text cut at its placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template(pub Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Fixed(String),
    Cell(Cell),
}

/// One placeholder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub column: String,
    /// `| float` or `| int`: its letters are those of a number.
    pub is_number: bool,
    /// Where it stands in the text, braces included.
    pub span: Range<usize>,
}

const HINT: &str = "write {{ row.COLUMN }}";

impl Template {
    /// Cuts `text`, or says which part of it is no placeholder and why.
    pub fn parse(text: &str) -> Result<Template, (Range<usize>, Fault)> {
        let mut pieces = Vec::new();
        let mut at = 0;
        while let Some(found) = text[at..].find("{{") {
            let start = at + found;
            let Some(length) = text[start..].find("}}") else {
                return Err((start..text.len(), Fault::new("opens {{ and never closes it", HINT)));
            };
            let span = start..start + length + 2;
            let (column, is_number) =
                placeholder(&text[start + 2..start + length]).map_err(|f| (span.clone(), f))?;
            if start > at {
                pieces.push(Piece::Fixed(text[at..start].to_owned()));
            }
            at = span.end;
            pieces.push(Piece::Cell(Cell { column, is_number, span }));
        }
        if at < text.len() || pieces.is_empty() {
            pieces.push(Piece::Fixed(text[at..].to_owned()));
        }
        Ok(Template(pieces))
    }

    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Cell(cell) => Some(cell),
            Piece::Fixed(_) => None,
        })
    }

    /// What stands between the placeholders.
    pub fn fixed(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Fixed(text) => Some(text.as_str()),
            Piece::Cell(_) => None,
        })
    }

    /// Whether it begins with `letter`, whatever the row. True for one that
    /// could not be parsed: that has been said already.
    pub fn begins_with(&self, letter: char) -> bool {
        match self.0.first() {
            Some(Piece::Fixed(text)) => text.starts_with(letter),
            Some(Piece::Cell(_)) => false,
            None => true,
        }
    }

    /// The placeholder that is all of it.
    pub fn whole(&self) -> Option<&Cell> {
        match self.0.as_slice() {
            [Piece::Cell(cell)] => Some(cell),
            _ => None,
        }
    }
}

/// `row.customer`, `row['customer']` or `row.score | float`.
fn placeholder(inside: &str) -> Result<(String, bool), Fault> {
    let other = || Fault::new(format!("holds `{{{{{inside}}}}}`, which is no column of a row"), HINT);
    let parsed = parse_expr(inside.trim()).map_err(|_| other())?;
    match &parsed {
        Expr::Filter(filter) => {
            let Filter { name, expr: Some(column), args } = &**filter else { return Err(other()) };
            match *name {
                "float" | "int" if args.is_empty() => Ok((column_of(column).ok_or_else(other)?, true)),
                name => Err(Fault::new(
                    format!("uses the unknown filter `{name}`"),
                    "only `| float` and `| int` can follow a column",
                )),
            }
        }
        column => Ok((column_of(column).ok_or_else(other)?, false)),
    }
}

fn column_of(expr: &Expr<'_>) -> Option<String> {
    let is_row = |expr: &Expr<'_>| matches!(expr, Expr::Var(var) if var.id == "row");
    match expr {
        Expr::GetAttr(attr) => {
            let GetAttr { expr, name } = &**attr;
            is_row(expr).then(|| (*name).to_owned())
        }
        Expr::GetItem(item) if is_row(&item.expr) => match &item.subscript_expr {
            Expr::Const(name) => name.value.as_str().map(str::to_owned),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(text: &str) -> Vec<(String, bool)> {
        let template = Template::parse(text).expect("a template");
        template.cells().map(|cell| (cell.column.clone(), cell.is_number)).collect()
    }

    #[test]
    fn placeholders_name_columns_in_every_way_jinja_writes_it() {
        let text = "/c/{{row.a}}?x={{ row['b c'] }}&y={{ row.d | float }}";
        let named = |name: &str, is_number| (name.to_owned(), is_number);
        assert_eq!(columns(text), [named("a", false), named("b c", false), named("d", true)]);
        assert!(columns("no placeholder, { \"a\": {} }").is_empty());
    }

    #[test]
    fn what_is_no_column_of_a_row_is_an_error_with_its_place() {
        for (text, span) in [
            ("a{{ user.name }}", 1..16),
            ("{{ row.a + 1 }}", 0..15),
            ("{{ row }}", 0..9),
            ("{{}}", 0..4),
            ("x{{ row.a", 1..9),
            ("{{ row.a | upper }}", 0..19),
            ("{{ row.a.b }}", 0..13),
        ] {
            assert_eq!(Template::parse(text).expect_err(text).0, span, "{text}");
        }
    }
}
