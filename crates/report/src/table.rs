//! A table of words and numbers, before it is drawn as text, Markdown or HTML.

/// How a column is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    /// What the row is about: to the left.
    Name,
    /// Numbers, to the right.
    Number,
    /// Words, to the left.
    Text,
}

/// Heads and rows; every row has a cell for every head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) heads: Vec<(Column, &'static str)>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    /// `None` without rows: an empty table says nothing.
    pub(crate) fn of(heads: &[(Column, &'static str)], rows: Vec<Vec<String>>) -> Option<Table> {
        debug_assert!(rows.iter().all(|row| row.len() == heads.len()), "a cell for every head");
        (!rows.is_empty()).then(|| Table { heads: heads.to_vec(), rows })
    }

    /// Leaves out the columns of these heads in which every cell is `empty`.
    pub(crate) fn only_if_any(self, heads: &[&str], empty: &str) -> Table {
        self.without(heads, |cell| cell == empty)
    }

    /// Leaves out the columns of these heads in which every cell is like this.
    pub(crate) fn without(mut self, heads: &[&str], is_like: impl Fn(&str) -> bool) -> Table {
        for head in heads {
            let Some(at) = self.heads.iter().position(|(_, name)| name == head) else { continue };
            if self.rows.iter().all(|row| is_like(&row[at])) {
                self.heads.remove(at);
                self.rows.iter_mut().for_each(|row| drop(row.remove(at)));
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_of_nothing_is_left_out_and_a_table_of_nothing_too() {
        let heads = [(Column::Name, "arm"), (Column::Number, "failed"), (Column::Number, "cut off")];
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let table = Table::of(&heads, vec![row(["a", "0", "1"]), row(["b", "0", "0"])]).expect("rows");
        let table = table.only_if_any(&["failed", "cut off"], "0");
        assert_eq!(table.heads, [(Column::Name, "arm"), (Column::Number, "cut off")]);
        assert_eq!(table.rows, [["a", "1"], ["b", "0"]]);
        assert_eq!(Table::of(&heads, Vec::new()), None);
    }
}
