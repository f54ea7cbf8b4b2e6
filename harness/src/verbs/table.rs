//! Rows of verbs that declare no columns yet.

use std::io::Write;

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::failure::{Failure, stdout};
use crate::output::{self, CsvWriter};
use crate::print::{Format, Table};
use crate::terminal;

pub(super) fn table<'a>(titles: impl IntoIterator<Item = &'a str>) -> Table {
    Table::new(titles)
}

pub(super) fn print<T: Serialize>(format: Format, rows: &[T], people: &Table) -> Result<(), Failure> {
    match format {
        Format::Table | Format::Markdown => stdout(writeln!(terminal::text(), "{people}")),
        Format::Json => print_json(rows),
        Format::Csv => print_csv(rows),
    }
}

pub(super) fn print_json<T: Serialize>(rows: &[T]) -> Result<(), Failure> {
    write_json(rows, &mut terminal::data())
}

pub(super) fn print_csv<T: Serialize>(rows: &[T]) -> Result<(), Failure> {
    stdout(terminal::data().write_all(&output::csv_bytes(rows)?))
}

pub(super) fn write_json<T: Serialize>(rows: &[T], out: &mut impl Write) -> Result<(), Failure> {
    stdout(serde_json::to_writer_pretty(&mut *out, rows).map_err(Into::into).and_then(|()| writeln!(out)))
}

pub(super) struct Record(pub Vec<(String, Value)>);

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(column, value)| (column, value)))
    }
}

/// Writes such rows as CSV; missing values are empty.
pub(super) fn write_csv(rows: &[Record], out: &mut impl Write) -> Result<(), Failure> {
    let mut writer = CsvWriter::new(out);
    let header = rows.first().map(|row| row.0.iter().map(|(column, _)| column.clone()).collect::<Vec<_>>());
    let field = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let written = header.into_iter().try_for_each(|header| writer.write_record(header));
    let written = written.and_then(|()| {
        rows.iter().try_for_each(|row| writer.write_record(row.0.iter().map(|(_, value)| field(value))))
    });
    stdout(written.map_err(Into::into).and_then(|()| writer.flush()))
}
