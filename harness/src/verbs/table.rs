//! Tables for people, as wide as the terminal allows.

use comfy_table::{ContentArrangement, LineStyle, Table, TableStyle};
use terminal_size::{Width, terminal_size_of};

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
