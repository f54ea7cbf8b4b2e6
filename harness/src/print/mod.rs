//! Rows as text: a verb declares its columns once, and every format prints any rows of them.

pub mod ci;
pub mod column;
pub mod listed;
pub mod markup;
mod table;

use std::borrow::Borrow;
use std::fmt::Display;
use std::io::Write;
use std::path::Path;

use clap::ValueEnum;
use serde::ser::{Serialize, Serializer};

use crate::base::answers::Answers;
use crate::base::failure::{Result, stdout};
use crate::base::terminal::{self, Stdout};
use crate::base::units::plural;
use crate::output;
pub use crate::print::column::{Column, Columns};
pub use table::Table;

/// How results are printed. A new one is a line here, and the compiler leads to its functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Table,
    /// One header line and a row for each result.
    Csv,
    /// For programs.
    Json,
    /// A table for a page of documentation, or for a comment in a review.
    Markdown,
    /// A table for a paper, with the package booktabs.
    Latex,
}

impl Format {
    /// The names of all, for messages: `table, csv or json`.
    pub fn names() -> String {
        let mut names: Vec<String> = Self::value_variants()
            .iter()
            .filter_map(Self::to_possible_value)
            .map(|value| value.get_name().to_owned())
            .collect();
        let last = names.pop().unwrap_or_default();
        format!("{} or {last}", names.join(", "))
    }

    /// Whether people read it.
    pub fn is_text(self) -> bool {
        match self {
            Self::Table | Self::Markdown | Self::Latex => true,
            Self::Csv | Self::Json => false,
        }
    }

    /// Whether it has rows only: the others can say more of one answer.
    pub fn is_rows(self) -> bool {
        match self {
            Self::Csv | Self::Markdown | Self::Latex => true,
            Self::Table | Self::Json => false,
        }
    }

    /// Standard output; where people read it, characters that a terminal would obey are escaped.
    pub fn stdout(self) -> Stdout {
        terminal::text_if(self.is_text())
    }

    /// Prints rows on standard output.
    ///
    /// # Errors
    /// Standard output that cannot be written.
    pub fn rows<R>(
        self,
        columns: &[Column<'_, R>],
        rows: impl IntoIterator<Item = impl Borrow<R>>,
    ) -> Result {
        self::rows(self, columns, rows, &mut self.stdout())
    }

    /// A text without characters that the format obeys.
    pub fn escaped(self, text: &str) -> String {
        match self {
            Self::Markdown => markup::markdown(text),
            Self::Latex => markup::latex(text),
            Self::Table | Self::Csv | Self::Json => text.to_owned(),
        }
    }
}

/// Writes rows.
///
/// # Errors
/// An output that cannot be written.
pub fn rows<R>(
    format: Format,
    columns: &[Column<'_, R>],
    rows: impl IntoIterator<Item = impl Borrow<R>>,
    out: &mut impl Write,
) -> Result {
    match format {
        Format::Csv => csv(columns, rows, out),
        Format::Json => json(&records(columns, rows), out),
        Format::Table | Format::Markdown | Format::Latex => {
            stdout(out.write_all(text(format, columns, rows).as_bytes()))
        }
    }
}

/// Writes what is said of a single point, which is more than its rows: a text for people, a document for programs. Formats of rows
/// print its rows.
///
/// # Errors
/// An output that cannot be written.
pub fn single<R>(
    format: Format,
    text: &impl Display,
    document: &impl Serialize,
    (columns, rows): (&[Column<'_, R>], impl IntoIterator<Item = impl Borrow<R>>),
    out: &mut impl Write,
) -> Result {
    match format {
        Format::Table => stdout(write!(out, "{text}")),
        Format::Json => line(document, out),
        Format::Csv | Format::Markdown | Format::Latex => self::rows(format, columns, rows, out),
    }
}

/// Prints rows, or writes them to this CSV file.
///
/// # Errors
/// An output that cannot be written.
pub fn rows_or_file<R>(
    file: Option<&Path>,
    format: Format,
    columns: &[Column<'_, R>],
    rows: &[R],
) -> Result {
    let Some(path) = file else {
        return format.rows(columns, rows);
    };
    let count = plural(rows.len() as u64, "row");
    output::write(path, &column::csv(columns, rows)?)?;
    tell!("{count} in {}", path.display());
    Ok(())
}

/// Prints rows with the columns of their file, and in tables with others.
///
/// # Errors
/// Standard output that cannot be written.
pub fn of_files<'a, T>(
    format: Format,
    file: Vec<Column<'a, T>>,
    in_tables: Columns<'a, T>,
    rows: &[T],
) -> Result {
    let mut columns = Columns(file).data_only(|_| true);
    columns.extend(in_tables.0);
    format.rows(&columns, rows)
}

/// Writes the values of answers, and below a table what has none.
///
/// # Errors
/// An output that cannot be written.
pub fn answers<R>(
    format: Format,
    columns: &[Column<'_, R>],
    answers: &Answers<R>,
    out: &mut impl Write,
) -> Result {
    rows(format, columns, &answers.values, out)?;
    statements(format, "Not compared", &answers.absences.statements(), out)
}

/// Prints statements below a table; the other formats have a column for them.
///
/// # Errors
/// An output that cannot be written.
pub fn statements(format: Format, title: &str, all: &[String], out: &mut impl Write) -> Result {
    if !format.is_text() || all.is_empty() {
        return Ok(());
    }
    let [begin, item, end] = match format {
        Format::Latex => ["\\begin{itemize}\n", "\\item ", "\\end{itemize}\n"],
        Format::Table | Format::Markdown | Format::Csv | Format::Json => ["", "- ", ""],
    };
    let lines: String = all
        .iter()
        .map(|text| format!("{item}{}\n", format.escaped(text)))
        .collect();
    stdout(write!(out, "\n{title}:\n\n{begin}{lines}{end}"))
}

/// Rows as a table: in Markdown or LaTeX if that is the format.
pub fn text<R>(
    format: Format,
    columns: &[Column<'_, R>],
    rows: impl IntoIterator<Item = impl Borrow<R>>,
) -> String {
    match format {
        Format::Markdown => markdown(columns, rows),
        Format::Latex => latex(columns, rows),
        Format::Table | Format::Csv | Format::Json => format!("{}\n", table(columns, rows)),
    }
}

fn titled<'c, 'a, R>(columns: &'c [Column<'a, R>]) -> impl Iterator<Item = &'c Column<'a, R>> {
    columns.iter().filter(|column| !column.title.is_empty())
}

/// Rows as a table for people.
pub fn table<R>(
    columns: &[Column<'_, R>],
    rows: impl IntoIterator<Item = impl Borrow<R>>,
) -> Table {
    let mut table = Table::new(titled(columns).map(|column| column.title.as_str()));
    rows.into_iter()
        .for_each(|row| table.add_row(titled(columns).map(|column| column.cell(row.borrow()))));
    table
}

/// Rows as a table in Markdown.
pub fn markdown<R>(
    columns: &[Column<'_, R>],
    rows: impl IntoIterator<Item = impl Borrow<R>>,
) -> String {
    let titles: Vec<&str> = titled(columns)
        .map(|column| column.title.as_str())
        .collect();
    let cell = |column: &Column<'_, R>, row: &R| {
        let text = column.cell(row);
        if column.is_code {
            markup::code(&text)
        } else {
            markup::markdown(&text)
        }
        .into()
    };
    markup::table(
        &titles,
        rows.into_iter().map(|row| {
            titled(columns)
                .map(|column| cell(column, row.borrow()))
                .collect::<Vec<_>>()
        }),
    )
}

/// Rows as a table in LaTeX. Columns of numbers are flush right.
pub fn latex<R>(
    columns: &[Column<'_, R>],
    rows: impl IntoIterator<Item = impl Borrow<R>>,
) -> String {
    let rows: Vec<Vec<String>> = rows
        .into_iter()
        .map(|row| {
            titled(columns)
                .map(|column| column.cell(row.borrow()))
                .collect()
        })
        .collect();
    let column = |index: usize| {
        rows.iter()
            .map(move |row| row[index].as_str())
            .filter(|cell| !cell.is_empty())
    };
    let sides = (0..titled(columns).count()).map(|index| {
        let is_right = column(index).next().is_some()
            && column(index).all(|cell| {
                cell.trim_start_matches(['-', '+'])
                    .starts_with(|sign: char| sign.is_ascii_digit())
            });
        if is_right { 'r' } else { 'l' }
    });
    let titles = titled(columns).map(|column| markup::latex(&column.title));
    let lines = rows.iter().map(|row| {
        titled(columns)
            .zip(row)
            .map(|(column, cell)| match markup::latex(cell) {
                cell if column.is_code && !cell.is_empty() => format!("\\texttt{{{cell}}}"),
                cell => cell,
            })
            .collect::<Vec<_>>()
    });
    markup::tabular(&sides.collect::<String>(), titles.collect(), lines)
}

/// Writes rows as CSV; missing values are empty, several are separated by `; `.
///
/// # Errors
/// An output that cannot be written.
pub fn csv<R>(
    columns: &[Column<'_, R>],
    rows: impl IntoIterator<Item = impl Borrow<R>>,
    out: &mut impl Write,
) -> Result {
    stdout(column::write(columns, rows, out))
}

/// Writes a document as JSON.
///
/// # Errors
/// An output that cannot be written.
pub fn json(document: &(impl Serialize + ?Sized), out: &mut impl Write) -> Result {
    stdout(
        serde_json::to_writer_pretty(&mut *out, document)
            .map_err(Into::into)
            .and_then(|()| writeln!(out)),
    )
}

/// Writes a document as one line of JSON.
///
/// # Errors
/// An output that cannot be written.
pub fn line(document: &impl Serialize, out: &mut impl Write) -> Result {
    stdout(
        serde_json::to_writer(&mut *out, document)
            .map_err(Into::into)
            .and_then(|()| writeln!(out)),
    )
}

/// Rows as objects of JSON.
pub fn records<'c, 'a, R, B: Borrow<R>>(
    columns: &'c [Column<'a, R>],
    rows: impl IntoIterator<Item = B>,
) -> Vec<Object<'c, 'a, R, B>> {
    rows.into_iter()
        .map(|row| Object { columns, row })
        .collect()
}

/// A row as an object of JSON.
pub struct Object<'c, 'a, R, B> {
    /// Its columns.
    pub columns: &'c [Column<'a, R>],
    /// The row.
    pub row: B,
}

impl<R, B: Borrow<R>> Serialize for Object<'_, '_, R, B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let values = self
            .columns
            .iter()
            .filter_map(|column| Some((&column.name, column.value(self.row.borrow())?)));
        serializer.collect_map(values)
    }
}
