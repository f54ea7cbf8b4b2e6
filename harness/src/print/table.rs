//! Tables as wide as the terminal.

use std::fmt;

use comfy_table::{ContentArrangement, LineStyle, TableStyle};
use textwrap::word_splitters::split_words;
use textwrap::{WordSeparator, WordSplitter, fill};

use crate::base::terminal;

/// One line, below the titles.
const STYLE: TableStyle =
    TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// Least width of a table, even in a narrower terminal.
const LEAST_WIDTH: usize = 40;
/// Width of a narrow table in a pipe.
const PIPE_WIDTH: usize = 100;
/// Most blanks between two columns.
const MOST_BLANKS: usize = 3;

/// A table as wide as the terminal. In a pipe no cell wraps, unless the table is [narrow](Table::narrow).
pub struct Table {
    titles: Vec<String>,
    rows: Vec<Vec<String>>,
    width: Option<usize>,
}

impl Table {
    /// A table with these titles.
    pub fn new<'a>(titles: impl IntoIterator<Item = &'a str>) -> Self {
        let width = terminal::width().map(|width| usize::from(width).max(LEAST_WIDTH));
        Self {
            titles: titles.into_iter().map(str::to_owned).collect(),
            rows: Vec::new(),
            width,
        }
    }

    /// Wraps cells in a pipe, too: for texts that people read.
    pub fn narrow(mut self) -> Self {
        self.width.get_or_insert(PIPE_WIDTH);
        self
    }

    /// Adds a row with a cell for each title.
    pub fn add_row<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(
            cells
                .into_iter()
                .map(|cell| cell.as_ref().to_owned())
                .collect(),
        );
    }

    /// Blanks between columns, and a width for each column. If the table is too wide, the widest column shrinks first,
    /// down to its longest word; then the blanks shrink; then words are cut.
    fn fitted(&self, most: usize) -> (usize, Vec<usize>) {
        let lines = || std::iter::once(&self.titles).chain(&self.rows);
        let longest = |of: &dyn Fn(&str) -> usize| -> Vec<usize> {
            let column = |index: usize| {
                lines()
                    .filter_map(|line| line.get(index))
                    .map(|cell| of(cell))
                    .max()
            };
            (0..self.titles.len())
                .map(|index| column(index).unwrap_or(0))
                .collect()
        };
        let words = longest(&|cell| {
            split_words(
                WordSeparator::AsciiSpace.find_words(cell),
                &WordSplitter::HyphenSplitter,
            )
            .map(|word| word.chars().count())
            .max()
            .unwrap_or(0)
        });
        let whole = longest(&|cell| cell.chars().count());
        for (blanks, least) in [
            (MOST_BLANKS, &words),
            (2, &words),
            (1, &words),
            (1, &vec![1; words.len()]),
        ] {
            let mut widths = whole.clone();
            loop {
                if widths.iter().map(|width| width + blanks).sum::<usize>() <= most + 1 {
                    return (blanks, widths);
                }
                let indices = (0..widths.len()).filter(|&index| widths[index] > least[index]);
                let Some(widest) = indices.max_by_key(|&index| widths[index]) else {
                    break;
                };
                widths[widest] -= 1;
            }
        }
        (1, vec![1; words.len()])
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = comfy_table::Table::new();
        table
            .load_style(STYLE)
            .set_content_arrangement(ContentArrangement::Disabled);
        let (blanks, widths) = self.width.map(|width| self.fitted(width)).unzip();
        let fitted = |line: &[String]| -> Vec<String> {
            match &widths {
                None => line.to_vec(),
                Some(widths) => line
                    .iter()
                    .zip(widths)
                    .map(|(cell, width)| fill(cell, *width))
                    .collect(),
            }
        };
        table.set_header(fitted(&self.titles));
        for row in &self.rows {
            table.add_row(fitted(row));
        }
        // One blank separates two columns.
        let around = match blanks.unwrap_or(MOST_BLANKS) {
            1 => (0, 0),
            2 => (0, 1),
            _ => (1, 1),
        };
        table.column_iter_mut().for_each(|column| {
            column.set_padding(around);
        });
        table.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fit_and_words_stay_whole() {
        let titles = ["K", "bytes", "best", "runner-up", "Open MPI 4.1", "slower"]
            .map(str::to_owned)
            .to_vec();
        let row = [
            "4096",
            "64 KiB",
            "broadcast-fibonacci",
            "broadcast-k-nomial-4",
            "scatter-doubling",
            "12.34x",
        ];
        let rows = vec![row.map(str::to_owned).to_vec()];
        let text = |width| {
            Table {
                titles: titles.clone(),
                rows: rows.clone(),
                width,
            }
            .to_string()
        };
        let widest = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(text(None).contains("broadcast-fibonacci") && widest(&text(None)) > 80);
        for width in [40, 60, 72, 80] {
            assert!(
                widest(&text(Some(width))) <= width,
                "{width}\n{}",
                text(Some(width))
            );
        }
        assert!(
            text(Some(72)).contains("broadcast-\n") || text(Some(72)).contains("broadcast- "),
            "{}",
            text(Some(72))
        );
        assert!(
            text(Some(58)).contains("fibonacci ") && text(Some(58)).contains("slower"),
            "{}",
            text(Some(58))
        );
        assert_eq!(text(Some(200)), text(None));
        assert_eq!(fill("a b-c, -5 defghij", 5), "a b-\nc, -5\ndefgh\nij");
    }
}
