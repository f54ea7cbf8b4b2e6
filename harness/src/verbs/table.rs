//! Rows on stdout: tables for people, as wide as the terminal allows, CSV or JSON for programs, Markdown for documents.

use std::borrow::Cow;
use std::io::Write;

use comfy_table::{ContentArrangement, LineStyle, Table, TableStyle};
use serde::{Serialize, Serializer};
use serde_json::Value;
use terminal_size::{Width, terminal_size_of};

use crate::cli::Format;
use crate::failure::{Failure, stdout};
use crate::output;

/// One line under the titles and none elsewhere.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// A table with these column titles. Cells wrap on a terminal and never in a pipe.
pub(super) fn table<'a>(titles: impl IntoIterator<Item = &'a str>) -> Table {
    let mut table = Table::new();
    table.load_style(STYLE).set_header(titles);
    match terminal_size_of(std::io::stdout()) {
        Some((Width(width), _)) => {
            table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width.max(40));
        }
        None => {
            table.set_content_arrangement(ContentArrangement::Disabled);
        }
    }
    table
}

/// Prints rows in the format asked for.
pub(super) fn print<T: Serialize>(format: Format, rows: &[T], people: &Table) -> Result<(), Failure> {
    match format {
        Format::Table => stdout(writeln!(anstream::stdout().lock(), "{people}")),
        Format::Json => print_json(rows),
        Format::Csv => print_csv(rows),
    }
}

/// Prints rows as one JSON list.
pub(super) fn print_json<T: Serialize>(rows: &[T]) -> Result<(), Failure> {
    write_json(rows, &mut anstream::stdout().lock())
}

/// Prints rows as CSV.
pub(super) fn print_csv<T: Serialize>(rows: &[T]) -> Result<(), Failure> {
    stdout(anstream::stdout().lock().write_all(&output::csv_bytes(rows)?))
}

/// Writes rows as one JSON list.
pub(super) fn write_json<T: Serialize>(rows: &[T], out: &mut impl Write) -> Result<(), Failure> {
    stdout(serde_json::to_writer_pretty(&mut *out, rows).map_err(Into::into).and_then(|()| writeln!(out)))
}

/// A row whose columns depend on the problem.
pub(super) struct Record(pub Vec<(String, Value)>);

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(column, value)| (column, value)))
    }
}

/// Writes such rows as CSV; what is missing is empty.
pub(super) fn write_csv(rows: &[Record], out: &mut impl Write) -> Result<(), Failure> {
    let mut writer = csv::Writer::from_writer(out);
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

/// A table in Markdown; its cells are Markdown already, see [`plain`].
pub(super) fn markdown<'a>(
    titles: &[&str],
    rows: impl IntoIterator<Item = impl IntoIterator<Item = Cow<'a, str>>>,
) -> String {
    let mut text = format!("| {} |\n|{}\n", titles.join(" | "), "---|".repeat(titles.len()));
    for row in rows {
        text += &format!("| {} |\n", row.into_iter().collect::<Vec<_>>().join(" | "));
    }
    text
}

/// A text for a cell in Markdown that is to be read as it is, but for code in backticks. An underscore needs no escape:
/// inside a word, where those of subscripts are, it has no meaning. Nor does `<` where no tag can begin.
pub(super) fn plain(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let mut begins_tag =
            || characters.peek().is_some_and(|next| next.is_alphabetic() || matches!(next, '/' | '!' | '?'));
        if matches!(character, '\\' | '|' | '*') || character == '<' && begins_tag() {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_keeps_what_would_mean_something() {
        let table = markdown(&["a", "b"], [["`x`".into(), plain("1 < 2 | f_(n-1)*k <b").into()]]);
        assert_eq!(table, "| a | b |\n|---|---|\n| `x` | 1 < 2 \\| f_(n-1)\\*k \\<b |\n");
    }
}
