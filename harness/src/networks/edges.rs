//! A list of links in CSV: `from,to,capacity`, a row for each direction; ranks are numbers from 0, switches s0, s1, ... The names of the
//! cells may be left out.

use super::draft::{Draft, Node};
use crate::base::failure::Result;
use crate::output::diagnostics::Source;

const HEADER: &str = "from,to,capacity";
const HELP: &str = "write a row as `0,1,2` or `3,s0,12.5`: from, to, capacity";

/// A line without a byte order mark, a comment, and blanks around.
fn bare(line: &str) -> &str {
    line.split('#')
        .next()
        .unwrap_or_default()
        .trim_start_matches('\u{feff}')
        .trim()
}

/// Whether a text begins with cells: their names, or a link.
pub fn is_it(text: &str) -> bool {
    text.lines()
        .map(bare)
        .find(|line| !line.is_empty())
        .is_some_and(|line| line.contains(',') && !line.contains('='))
}

/// Reads the file.
///
/// # Errors
/// Exit code 3, with file and line.
pub fn read<'a>(source: &'a Source, draft: &mut Draft<'a>) -> Result {
    let mut start = 0;
    for line in source.text().split_inclusive('\n') {
        let at = start..start + line.trim_end().len();
        start += line.len();
        let line = bare(line);
        if line.is_empty() || line.replace([' ', '"'], "").eq_ignore_ascii_case(HEADER) {
            continue;
        }
        let cells: Vec<&str> = line
            .split(',')
            .map(|cell| cell.trim().trim_matches('"'))
            .collect();
        let [from, to, capacity] = cells[..] else {
            let label = format!("expected three cells, found {}", cells.len());
            return Err(source.failure(at, "this is no row of a link", label, HELP));
        };
        let mut ends = [Node::Rank(0); 2];
        for (end, name) in ends.iter_mut().zip([from, to]) {
            let new = if name.starts_with('s') {
                Draft::switch
            } else {
                Draft::numbered
            };
            *end = draft.node_or(name, at.clone(), new)?;
        }
        let width = draft.width(capacity, at)?;
        draft.link(ends, &width, false)?;
    }
    Ok(())
}
