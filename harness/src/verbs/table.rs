//! Tables for people, as wide as the terminal allows.

use comfy_table::{ContentArrangement, Table, presets};
use terminal_size::{Width, terminal_size};

/// A table with these column titles. Cells wrap on a terminal and never in a pipe.
pub(super) fn table<const N: usize>(titles: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY).set_header(titles);
    match terminal_size() {
        Some((Width(width), _)) if std::io::IsTerminal::is_terminal(&std::io::stdout()) => {
            table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width.max(40));
        }
        _ => {
            table.set_content_arrangement(ContentArrangement::Disabled);
        }
    }
    table
}
