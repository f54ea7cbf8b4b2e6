//! UCC's `UCC_TL_UCP_TUNE`, as a line of ucc.conf: tokens between `#`, each with its qualifiers between `:`, in any order.
//!
//! Sizes end before their last number, team sizes with it. A token of castbench has the score `inf`: with a lower one UCC may take another
//! transport, whatever the algorithm. The radix of `knomial` is that of UCC, 4 by default, unless `UCC_TL_UCP_*_KN_RADIX` says 2.

mod tokens;

use crate::libraries::Library;

use super::{Dialect, Range, Table, Written, commented, lines};
pub use tokens::read;

const VARIABLE: &str = "UCC_TL_UCP_TUNE";

/// The table as a line of ucc.conf; for a shell, write `export` before it and quotes around its value.
///
/// # Errors
/// The errors of [`Dialect::write`].
pub fn write(table: &Table) -> Result<Written, String> {
    let mut left = Vec::new();
    let mut tokens: Vec<String> = Vec::new();
    let range = |[first, last]: Range, behind: u64| match last.checked_add(behind) {
        Some(last) if last != u64::MAX => format!("{first}-{last}"),
        _ => format!("{first}-inf"),
    };
    for function in table.functions() {
        let Some(row) = function.row(Library::Ucc) else {
            left.push(format!("{}: TL/UCP has no such collective", function.name));
            continue;
        };
        for line in lines(Dialect::Ucc, table, function, &mut left)? {
            let Some(name) = line.decision.name else {
                continue;
            };
            let (bytes, ranks) = (range(line.bytes, 1), range(line.ranks, 0));
            tokens.push(format!("{}:{bytes}:[{ranks}]:@{name}:inf", row.key()));
        }
    }
    tokens.dedup();
    let notes = commented(
        Dialect::Ucc,
        table,
        &[
            "The line of ucc.conf, which UCC_CONFIG_FILE names; or the value of the environment variable.",
        ],
    );
    Ok(Written {
        text: format!("{notes}{VARIABLE} = {}\n", tokens.join("#")),
        left,
    })
}
