//! UCC's `UCC_TL_UCP_TUNE`, as a line of ucc.conf: tokens between `#`, each with its qualifiers between `:`, in any order.
//!
//! Sizes end before their last number, team sizes with it. A token of castbench has the score `inf`: with a lower one UCC may take another
//! transport, whatever the algorithm. The radix of `knomial` is that of UCC, 4 by default, unless `UCC_TL_UCP_*_KN_RADIX` says 2.

use algorithms::internals::mpi::{Call, Function};

use super::{Dialect, Range, Selected, Selector, Table, Written, commented, lines, short};

/// Function, algorithm of castbench, and UCC's name for it.
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
    ("MPI_Reduce_scatter_block", "reduce-scatter-recursive-halving", "knomial"),
    ("MPI_Gather", "gather-binomial", "knomial"),
    ("MPI_Scatter", "scatter-binomial", "knomial"),
    ("MPI_Barrier", "barrier-recursive-doubling", "knomial"),
];

const VARIABLE: &str = "UCC_TL_UCP_TUNE";

/// UCC's name of a function.
fn collective(function: &Function) -> String {
    short(function).trim_end_matches("_block").to_owned()
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
            let Some(name) = line.name else { continue };
            // UCC begins sizes at 0.
            let bytes = if collective(function) == "barrier" { [0, u64::MAX] } else { line.bytes };
            let (bytes, ranks) = (range(bytes, 1), range(line.ranks, 0));
            tokens.push(format!("{}:{bytes}:[{ranks}]:@{name}:inf", collective(function)));
        }
    }
    tokens.dedup();
    let notes = commented(
        table,
        &["The line of ucc.conf, which UCC_CONFIG_FILE names; or the value of the environment variable."],
    );
    Ok(Written { text: format!("{notes}{VARIABLE} = {}\n", tokens.join("#")), left })
}

/// A part of the value.
struct Token {
    collectives: Vec<String>,
    bytes: Vec<Range>,
    ranks: Vec<Range>,
    algorithm: Option<String>,
}

/// A number with a binary unit; `inf` for the largest.
fn size(text: &str) -> Option<u64> {
    if text == "inf" {
        return Some(u64::MAX);
    }
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_lowercase().trim_end_matches('b') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

fn ranges(text: &str) -> Option<Vec<Range>> {
    let range = |text: &str| {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        Some([size(first)?, size(last)?])
    };
    text.split(',').map(range).collect()
}

/// Reads the variable, alone or in a file.
///
/// # Errors
/// The first token that UCC would refuse.
pub fn read(text: &str) -> Result<Selector, String> {
    let value = text.lines().map(str::trim).filter(|line| !line.starts_with('#')).find_map(|line| line.split_once('='));
    let value = value.filter(|(name, _)| name.trim().trim_start_matches("export ").trim() == VARIABLE);
    let (_, value) = value.ok_or_else(|| format!("there is no line `{VARIABLE} = ...`"))?;
    let tokens = value.trim().trim_matches('"').split('#').filter(|token| !token.is_empty());
    let tokens = tokens.map(Token::parse).collect::<Result<Vec<_>, _>>()?;
    Ok(Box::new(move |function, call| {
        // A later token takes the place of an earlier one.
        let mut fitting = tokens.iter().rev().filter(|token| token.fits(function, call));
        fitting.find_map(|token| token.algorithm.clone()).map_or(Selected::Own, |name| Selected::Named(name, 0))
    }))
}

impl Token {
    fn parse(text: &str) -> Result<Self, String> {
        let mut token = Self { collectives: Vec::new(), bytes: Vec::new(), ranks: Vec::new(), algorithm: None };
        let mut has_score = false;
        for part in text.trim().split(':') {
            let known = |name: &str| {
                let mut names =
                    NAMES.iter().map(|(function, ..)| function.trim_start_matches("MPI_").trim_end_matches("_block"));
                names.any(|known| known.eq_ignore_ascii_case(name))
            };
            if let Some(name) = part.strip_prefix('@') {
                token.algorithm = Some(name.to_owned());
            } else if let Some(inner) = part.strip_prefix('[').and_then(|part| part.strip_suffix(']')) {
                token.ranks = ranges(inner).ok_or_else(|| format!("`{text}`: `{part}` is no range of team sizes"))?;
            } else if part.split(',').all(known) {
                token.collectives = part.split(',').map(str::to_lowercase).collect();
            } else if part.contains('-') {
                token.bytes = ranges(part).ok_or_else(|| format!("`{text}`: `{part}` is no range of sizes"))?;
            } else if part == "inf" || part.parse::<u64>().is_ok() {
                has_score = true;
            } else if !["host", "cuda", "cuda_managed", "rocm", "rocm_managed"].contains(&part) {
                return Err(format!("`{text}`: UCC does not know `{part}`"));
            }
        }
        if token.algorithm.is_none() && !has_score {
            return Err(format!("`{text}`: UCC needs a score or an algorithm in each token"));
        }
        Ok(token)
    }

    fn fits(&self, function: &Function, call: Call) -> bool {
        let bytes = Dialect::Ucc.bytes(function, call);
        // Sizes end before their last number.
        let has_size = |&[first, last]: &Range| first <= bytes && (bytes < last || last == u64::MAX);
        let has_ranks = |&[first, last]: &Range| (first..=last).contains(&call.K);
        (self.collectives.is_empty() || self.collectives.contains(&collective(function)))
            && (self.bytes.is_empty() || self.bytes.iter().any(has_size))
            && (self.ranks.is_empty() || self.ranks.iter().any(has_ranks))
    }
}
