//! Rows on stdout: tables for people, as wide as the terminal allows, and CSV or JSON for programs.

use std::io::Write;

use comfy_table::{ContentArrangement, LineStyle, Table, TableStyle};
use serde::Serialize;
use terminal_size::{Width, terminal_size_of};

use crate::cli::Format;
use crate::failure::{Failure, stdout};
use crate::output;

/// One line under the titles and none elsewhere.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// A table with these column titles. Cells wrap on a terminal and never in a pipe.
pub(super) fn table<const N: usize>(titles: [&str; N]) -> Table {
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
