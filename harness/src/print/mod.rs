//! Rows as text: a verb declares its columns once, and every format prints any rows of them.

pub mod ci;
mod table;

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use clap::ValueEnum;
use serde::ser::{Serialize, Serializer};
use serde_json::Value;

use crate::failure::{Failure, stdout, tell};
use crate::markup;
use crate::output::{self, CsvWriter};
use crate::terminal::{self, Stdout};
use crate::units::{grouped, plural};
pub use table::Table;

/// How results are printed.
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
}

impl Format {
    /// Whether people read it.
    #[must_use]
    pub fn is_text(self) -> bool {
        matches!(self, Self::Table | Self::Markdown)
    }

    /// Standard output; where people read it, characters that a terminal would obey are escaped.
    #[must_use]
    pub fn stdout(self) -> Stdout {
        terminal::text_if(self.is_text())
    }
}

/// A column of rows `R`: its name and value in CSV and JSON, its title and text in tables.
pub struct Column<'a, R> {
    /// The name in CSV and JSON.
    pub name: Cow<'static, str>,
    /// What its values are; empty where `castbench list --columns` takes it from an axis or a file.
    pub holds: &'static str,
    value: Option<Of<'a, R, Value>>,
    title: String,
    text: Option<Of<'a, R, String>>,
    is_code: bool,
}

type Of<'a, R, T> = Box<dyn Fn(&R) -> T + 'a>;

impl<'a, R> Column<'a, R> {
    /// A column of all formats; tables show the value under the name.
    pub fn new<V: Into<Value>>(
        name: impl Into<Cow<'static, str>>,
        holds: &'static str,
        value: impl Fn(&R) -> V + 'a,
    ) -> Self {
        let name = name.into();
        let title = name.replace('_', " ");
        Self {
            name,
            holds,
            value: Some(Box::new(move |row| value(row).into())),
            title,
            text: None,
            is_code: false,
        }
    }

    /// A column of tables only.
    pub fn text<T: Into<String>>(title: impl Into<String>, text: impl Fn(&R) -> T + 'a) -> Self {
        let text: Of<'a, R, String> = Box::new(move |row| text(row).into());
        Self {
            name: "".into(),
            holds: "",
            value: None,
            title: title.into(),
            text: Some(text),
            is_code: false,
        }
    }

    /// The column in CSV and JSON only.
    #[must_use]
    pub fn data_only(self) -> Self {
        self.title("")
    }

    /// The column with another title in tables.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..self
        }
    }

    /// The column with another text in tables.
    #[must_use]
    pub fn shown<T: Into<String>>(
        self,
        title: impl Into<String>,
        text: impl Fn(&R) -> T + 'a,
    ) -> Self {
        Self {
            value: self.value,
            name: self.name,
            holds: self.holds,
            ..Self::text(title, text)
        }
    }

    /// The column as code in Markdown.
    #[must_use]
    pub fn code(self) -> Self {
        Self {
            is_code: true,
            ..self
        }
    }

    /// Whether CSV and JSON have it.
    #[must_use]
    pub fn is_data(&self) -> bool {
        self.value.is_some()
    }

    fn cell(&self, row: &R) -> String {
        match (&self.text, &self.value) {
            (Some(text), _) => text(row),
            (None, value) => value
                .as_ref()
                .map(|value| shown(value(row)))
                .unwrap_or_default(),
        }
    }
}

/// A value as text for people.
fn shown(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        Value::Array(all) => all.into_iter().map(shown).collect::<Vec<_>>().join("; "),
        Value::Bool(is) => (if is { "yes" } else { "no" }).to_owned(),
        other => other.as_u64().map_or_else(|| other.to_string(), grouped),
    }
}

/// Writes rows.
///
/// # Errors
/// An output that cannot be written.
pub fn rows<R>(
    format: Format,
    columns: &[Column<'_, R>],
    rows: impl IntoIterator<Item = R>,
    out: &mut impl Write,
) -> Result<(), Failure> {
    match format {
        Format::Csv => csv(columns, rows, out),
        Format::Json => json(&records(columns, rows), out),
        Format::Table | Format::Markdown => {
            stdout(out.write_all(text(format, columns, rows).as_bytes()))
        }
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
    rows: Vec<R>,
) -> Result<(), Failure> {
    let Some(path) = file else {
        return self::rows(format, columns, rows, &mut format.stdout());
    };
    let count = plural(rows.len() as u64, "row");
    let mut bytes = Vec::new();
    csv(columns, rows, &mut bytes)?;
    output::write(path, &bytes)?;
    tell(format_args!("{count} in {}", path.display()));
    Ok(())
}

/// Prints rows: in CSV and JSON the serialized fields of `T`, as its file has them, and in tables these columns.
///
/// # Errors
/// Standard output that cannot be written.
pub fn of_files<'a, T: Serialize>(
    format: Format,
    columns: &[Column<'a, &'a T>],
    rows: &'a [T],
) -> Result<(), Failure> {
    let mut out = format.stdout();
    match format {
        Format::Csv => stdout(out.write_all(&output::csv_bytes(rows)?)),
        Format::Json => json(rows, &mut out),
        Format::Table | Format::Markdown => self::rows(format, columns, rows, &mut out),
    }
}

/// Prints statements below a table; the other formats have a column for them.
///
/// # Errors
/// An output that cannot be written.
pub fn statements(
    format: Format,
    title: &str,
    all: &[String],
    out: &mut impl Write,
) -> Result<(), Failure> {
    if !format.is_text() || all.is_empty() {
        return Ok(());
    }
    let line = |text: &String| {
        format!(
            "- {}\n",
            if format == Format::Markdown {
                markup::markdown(text)
            } else {
                text.into()
            }
        )
    };
    stdout(out.write_all(
        format!("\n{title}:\n\n{}", all.iter().map(line).collect::<String>()).as_bytes(),
    ))
}

/// Rows as a table, in Markdown if that is the format.
pub fn text<R>(
    format: Format,
    columns: &[Column<'_, R>],
    rows: impl IntoIterator<Item = R>,
) -> String {
    if format == Format::Markdown {
        markdown(columns, rows)
    } else {
        format!("{}\n", table(columns, rows))
    }
}

fn titled<'c, 'a, R>(columns: &'c [Column<'a, R>]) -> impl Iterator<Item = &'c Column<'a, R>> {
    columns.iter().filter(|column| !column.title.is_empty())
}

/// Rows as a table for people.
pub fn table<R>(columns: &[Column<'_, R>], rows: impl IntoIterator<Item = R>) -> Table {
    let mut table = Table::new(titled(columns).map(|column| column.title.as_str()));
    rows.into_iter()
        .for_each(|row| table.add_row(titled(columns).map(|column| column.cell(&row))));
    table
}

/// Rows as a table in Markdown.
pub fn markdown<R>(columns: &[Column<'_, R>], rows: impl IntoIterator<Item = R>) -> String {
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
                .map(|column| cell(column, &row))
                .collect::<Vec<_>>()
        }),
    )
}

/// A value as a field of CSV.
fn field(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        Value::Array(all) => all.into_iter().map(field).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}

/// Writes rows as CSV; missing values are empty, several are separated by `; `.
///
/// # Errors
/// An output that cannot be written.
pub fn csv<R>(
    columns: &[Column<'_, R>],
    rows: impl IntoIterator<Item = R>,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let values = || {
        columns
            .iter()
            .filter_map(|column| Some((column, column.value.as_ref()?)))
    };
    let mut writer = CsvWriter::headless(out);
    let written = writer
        .write_record(values().map(|(column, _)| column.name.as_bytes()))
        .and_then(|()| {
            rows.into_iter().try_for_each(|row| {
                writer.write_record(values().map(|(_, value)| field(value(&row))))
            })
        });
    let io = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    };
    stdout(written.map_err(io).and_then(|()| writer.flush()))
}

/// Writes a document as JSON.
///
/// # Errors
/// An output that cannot be written.
pub fn json(document: &(impl Serialize + ?Sized), out: &mut impl Write) -> Result<(), Failure> {
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
pub fn line(document: &impl Serialize, out: &mut impl Write) -> Result<(), Failure> {
    stdout(
        serde_json::to_writer(&mut *out, document)
            .map_err(Into::into)
            .and_then(|()| writeln!(out)),
    )
}

/// Rows as objects of JSON.
pub fn records<'c, 'a, R>(
    columns: &'c [Column<'a, R>],
    rows: impl IntoIterator<Item = R>,
) -> Vec<Record<'c, 'a, R>> {
    rows.into_iter()
        .map(|row| Record { columns, row })
        .collect()
}

/// A row as an object of JSON.
pub struct Record<'c, 'a, R> {
    /// Its columns.
    pub columns: &'c [Column<'a, R>],
    /// The row.
    pub row: R,
}

impl<R> Serialize for Record<'_, '_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let values = self
            .columns
            .iter()
            .filter_map(|column| Some((&column.name, column.value.as_ref()?(&self.row))));
        serializer.collect_map(values)
    }
}
