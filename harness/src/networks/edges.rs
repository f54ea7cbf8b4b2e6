//! A list of links in CSV: `from,to,capacity`, a row for each direction; ranks are numbers from 0, switches s0, s1, ...

use super::draft::{Draft, Node};
use crate::base::failure::Failure;
use crate::output::diagnostics::Source;

const HEADER: &str = "from,to,capacity";
const HELP: &str = "write a row as `0,1,2` or `3,s0,12.5`: from, to, capacity";

/// Whether a text begins so.
pub fn is_it(text: &str) -> bool {
    text.lines()
        .next()
        .is_some_and(|line| line.replace(' ', "") == HEADER)
}

/// Reads the file.
///
/// # Errors
/// Exit code 3, with file and line.
pub fn read<'a>(source: &'a Source, draft: &mut Draft<'a>) -> Result<(), Failure> {
    let mut start = 0;
    for (number, line) in source.text().split_inclusive('\n').enumerate() {
        let at = start..start + line.trim_end().len();
        start += line.len();
        if number == 0 || line.trim().is_empty() {
            continue;
        }
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let [from, to, capacity] = cells[..] else {
            let label = format!("expected three cells, found {}", cells.len());
            return Err(source.failure(at, "this is no row of a link", label, HELP));
        };
        let mut ends = [Node::Rank(0); 2];
        for (end, name) in ends.iter_mut().zip([from, to]) {
            let new = match name.starts_with('s') {
                true => Draft::switch,
                false => Draft::numbered,
            };
            *end = draft.node_or(name, at.clone(), new)?;
        }
        let width = draft.width(capacity, at)?;
        draft.link(ends, &width, false)?;
    }
    Ok(())
}
