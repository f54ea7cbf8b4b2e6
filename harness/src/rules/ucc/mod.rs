//! UCC's `UCC_TL_UCP_TUNE`, as a line of ucc.conf: tokens between `#`, each with its qualifiers between `:`, in any order.
//!
//! Sizes end before their last number, team sizes with it. A token of castbench has the score `inf`: with a lower one UCC may take another
//! transport, whatever the algorithm. The radix of `knomial` is that of UCC, 4 by default, unless `UCC_TL_UCP_*_KN_RADIX` says 2.

mod tokens;

use crate::reference::libraries::Function;

use super::{Dialect, Range, Table, Written, commented, lines, short};
pub use tokens::read;

/// Function, algorithm of castbench, and UCC's name for it. TL/UCP maps no name of an algorithm of barrier, gather and scatter: a token for
/// one of them makes UCC drop the whole value.
pub(super) const NAMES: &[(&str, &str, &str)] = &[
    ("MPI_Allreduce", "allreduce-recursive-doubling", "knomial"),
    ("MPI_Allreduce", "allreduce-rabenseifner", "sra_knomial"),
    ("MPI_Allreduce", "allreduce-double-tree", "dbt"),
    ("MPI_Allreduce", "allreduce-ring", "ring"),
    ("MPI_Bcast", "broadcast-binomial", "knomial"),
    ("MPI_Bcast", "broadcast-scatter-doubling", "sag_knomial"),
    ("MPI_Bcast", "broadcast-double-tree", "dbt"),
    ("MPI_Reduce", "reduce-binomial", "knomial"),
    ("MPI_Reduce", "reduce-rabenseifner", "srg"),
    ("MPI_Allgather", "allgather-recursive-doubling", "knomial"),
    ("MPI_Allgather", "allgather-ring", "ring"),
    ("MPI_Allgather", "allgather-neighbour-exchange", "neighbor"),
    ("MPI_Allgather", "allgather-bruck", "bruck"),
    ("MPI_Allgather", "allgather-sparbit", "sparbit"),
    ("MPI_Allgather", "allgather-linear", "linear"),
    ("MPI_Alltoall", "alltoall-pairwise", "pairwise"),
    ("MPI_Alltoall", "alltoall-bruck", "bruck"),
    ("MPI_Reduce_scatter_block", "reduce-scatter-ring", "ring"),
    (
        "MPI_Reduce_scatter_block",
        "reduce-scatter-recursive-halving",
        "knomial",
    ),
];

const VARIABLE: &str = "UCC_TL_UCP_TUNE";

/// UCC's name of a function.
fn collective(function: &Function) -> String {
    match function.name {
        "MPI_Reduce_scatter" => "reduce_scatterv".to_owned(),
        _ => short(function).trim_end_matches("_block").to_owned(),
    }
}

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
        for line in lines(Dialect::Ucc, table, function, &mut left)? {
            let Some(name) = line.decision.name else {
                continue;
            };
            let (bytes, ranks) = (range(line.bytes, 1), range(line.ranks, 0));
            tokens.push(format!(
                "{}:{bytes}:[{ranks}]:@{name}:inf",
                collective(function)
            ));
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
