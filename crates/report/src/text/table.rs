//! A table in the columns of a terminal.

use super::screen::{Screen, WIDTH, shortened};
use crate::table::{Column, Table};

/// Between two columns.
const BETWEEN: usize = 2;
/// A name is cut no shorter than this to fit the screen.
const LEAST_NAME: usize = 10;
/// Heads are broken to lines of so many characters, the first that fits.
const HEADS: [usize; 3] = [24, 14, 9];

impl Screen {
    /// Draws `table`; names are cut in their middle where the screen is too narrow.
    pub(super) fn table(&mut self, table: &Table) {
        let widths = widths(table);
        let heads: Vec<Vec<String>> =
            table.heads.iter().zip(&widths).map(|((_, head), width)| broken(head, *width)).collect();
        let tallest = heads.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..tallest {
            // Heads stand on the row below them.
            let cell = |head: &Vec<String>| {
                (line + head.len()).checked_sub(tallest).map_or(String::new(), |at| head[at].clone())
            };
            self.line(&row(table, &widths, &heads.iter().map(cell).collect::<Vec<_>>()));
        }
        for cells in &table.rows {
            self.line(&row(table, &widths, cells));
        }
    }
}

/// As wide as the widest cell and the head's pieces, heads broken no more than
/// the screen asks for; what is still too much is taken from the names.
fn widths(table: &Table) -> Vec<usize> {
    let fits = |widths: &Vec<usize>| all(widths) <= WIDTH;
    let tight = natural(table, 0);
    let chosen = HEADS.into_iter().map(|head| natural(table, head)).find(fits);
    let mut widths = chosen.unwrap_or(tight);
    let too_much = all(&widths).saturating_sub(WIDTH);
    if let Some(name) = table.heads.iter().position(|(column, _)| *column == Column::Name) {
        let least = LEAST_NAME.min(widths[name]);
        widths[name] = widths[name].saturating_sub(too_much).max(least);
    }
    widths
}

/// A table's width.
fn all(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + BETWEEN * widths.len().saturating_sub(1)
}

/// Widths with heads of at most `head` characters a line, or of one word.
fn natural(table: &Table, head: usize) -> Vec<usize> {
    let width_of = |at: usize| {
        let cells = table.rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
        let pieces = broken(table.heads[at].1, cells.max(head));
        cells.max(pieces.iter().map(|piece| piece.chars().count()).max().unwrap_or(0))
    };
    (0..table.heads.len()).map(width_of).collect()
}

/// Pieces of a head of at most `width` characters, or one word each.
fn broken(head: &str, width: usize) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for word in head.split(' ') {
        match pieces.last_mut() {
            Some(last) if last.chars().count() + 1 + word.chars().count() <= width => {
                last.push(' ');
                last.push_str(word);
            }
            _ => pieces.push(word.to_owned()),
        }
    }
    pieces
}

fn row(table: &Table, widths: &[usize], cells: &[String]) -> String {
    let set = |((column, _), (width, cell)): (&(Column, &str), (&usize, &String))| match column {
        Column::Number => format!("{cell:>width$}"),
        Column::Name => format!("{:<width$}", shortened(cell, *width)),
        Column::Text => format!("{cell:<width$}"),
    };
    let cells: Vec<String> = table.heads.iter().zip(widths.iter().zip(cells)).map(set).collect();
    cells.join(&" ".repeat(BETWEEN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right_under_their_heads_and_long_names_are_cut() {
        let heads = [(Column::Name, "arm"), (Column::Number, "CPU a request"), (Column::Text, "verdict")];
        let cells = |name: &str| vec![name.to_owned(), "9.84 µs".to_owned(), "y".repeat(50)];
        let table = Table::of(&heads, vec![cells("open"), cells(&"x".repeat(30))]).expect("rows");
        let mut screen = Screen::default();
        screen.table(&table);
        let y = "y".repeat(50);
        let expected = format!(
            "                       CPU a\narm                  request  verdict\nopen                 9.84 µs  {y}\n\
             xxxxxxxxxxxx…xxxxxx  9.84 µs  {y}\n"
        );
        assert_eq!(screen.finish(), expected);
    }
}
