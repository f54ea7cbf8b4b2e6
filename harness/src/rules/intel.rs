//! Intel MPI's `I_MPI_ADJUST_*`: numbers of algorithms with the sizes and ranks for which they are, both ends included.
//!
//! The numbers are those of the versions 2019 to 2021.12. From 2021.13 on a number is a preset, so a file is for the versions it names.
//! castbench writes bytes of the operand, a block where there are blocks; Intel documents "message size" and no more.

use algorithms::internals::mpi::Call;

use super::{Dialect, Range, Selected, Selector, Table, Written, at, commented, lines, short};

/// Function, algorithm of castbench, and Intel's number and name for it.
pub(super) const NAMES: &[(&str, &str, &str)] = &[
    ("MPI_Allgather", "allgather-recursive-doubling", "1 recursive doubling"),
    ("MPI_Allgather", "allgather-bruck", "2 Bruck"),
    ("MPI_Allgather", "allgather-ring", "3 ring"),
    ("MPI_Allreduce", "allreduce-recursive-doubling", "1 recursive doubling"),
    ("MPI_Allreduce", "allreduce-rabenseifner", "2 Rabenseifner"),
    ("MPI_Allreduce", "allreduce-reduce-broadcast", "3 reduce + bcast"),
    ("MPI_Allreduce", "allreduce-ring", "8 ring"),
    ("MPI_Alltoall", "alltoall-bruck", "1 Bruck"),
    ("MPI_Alltoall", "alltoall-linear", "2 isend/irecv + waitall"),
    ("MPI_Alltoall", "alltoall-pairwise", "3 pairwise"),
    ("MPI_Barrier", "barrier-dissemination", "1 dissemination"),
    ("MPI_Barrier", "barrier-recursive-doubling", "2 recursive doubling"),
    ("MPI_Bcast", "broadcast-binomial", "1 binomial"),
    ("MPI_Bcast", "broadcast-scatter-doubling", "2 recursive doubling"),
    ("MPI_Bcast", "broadcast-scatter-ring", "3 ring"),
    ("MPI_Gather", "gather-binomial", "1 binomial"),
    ("MPI_Reduce", "reduce-binomial", "2 binomial"),
    ("MPI_Reduce", "reduce-rabenseifner", "5 Rabenseifner"),
    ("MPI_Reduce_scatter", "reduce-scatter-recursive-halving", "1 recursive halving"),
    ("MPI_Reduce_scatter", "reduce-scatter-pairwise", "2 pairwise"),
    ("MPI_Scatter", "scatter-binomial", "1 binomial"),
];

const PREFIX: &str = "I_MPI_ADJUST_";
/// The last size or number of ranks that is written.
const LARGEST: u64 = i32::MAX as u64;

/// The table as lines for a shell.
///
/// # Errors
/// The errors of [`Dialect::write`].
pub fn write(table: &Table) -> Result<Written, String> {
    let mut left = Vec::new();
    let mut text = commented(
        table,
        &["For Intel MPI 2019 to 2021.12: from 2021.13 on these numbers mean presets. 0 is its own choice."],
    );
    let range = |[first, last]: Range| format!("{}-{}", first.min(LARGEST), last.min(LARGEST));
    for function in table.functions() {
        let lines = lines(Dialect::Intel, table, function, &mut left)?;
        let parts = lines.iter().map(|line| {
            let number = line.name.as_ref().and_then(|name| name.split(' ').next()).unwrap_or("0");
            format!("{number}:{}@{}", range(line.bytes), range(line.ranks))
        });
        let parts: Vec<String> = parts.collect();
        if !parts.is_empty() {
            text += &format!("export {PREFIX}{}=\"{}\"\n", short(function).to_uppercase(), parts.join(";"));
        }
    }
    Ok(Written { text, left })
}

/// An algorithm and for which sizes and ranks it is; all where there are none.
struct Part {
    number: u64,
    fits: Vec<(Range, Range)>,
}

/// Reads lines for a shell.
///
/// # Errors
/// The first text that is no condition.
pub fn read(text: &str) -> Result<Selector, String> {
    let mut all: Vec<(String, Vec<Part>)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim().trim_start_matches("export ");
        let Some((name, value)) = line.strip_prefix(PREFIX).and_then(|line| line.split_once('=')) else { continue };
        let parts = value.trim_matches('"').split(';').map(Part::parse).collect::<Result<_, _>>();
        all.push((name.to_owned(), parts.map_err(|why| at(number, why))?));
    }
    if all.is_empty() {
        return Err(format!("there is no line `{PREFIX}...=`"));
    }
    Ok(Box::new(move |function, call| {
        let name = short(function).to_uppercase();
        let parts = all.iter().rfind(|(own, _)| *own == name).map(|(_, parts)| parts);
        let Some(part) = parts.and_then(|parts| parts.iter().find(|part| part.has(call))) else { return Selected::Own };
        let is_it = |(of, _, theirs): &&(&str, &str, &str)| {
            *of == function.name && theirs.split(' ').next() == Some(&part.number.to_string())
        };
        match (part.number, NAMES.iter().find(is_it)) {
            (0, _) => Selected::Own,
            (_, Some((.., name))) => Selected::Named((*name).to_owned(), 0),
            (number, None) => Selected::Named(format!("algorithm {number}"), 0),
        }
    }))
}

impl Part {
    fn parse(text: &str) -> Result<Self, String> {
        let refuse = || format!("`{text}`: expected a number and conditions, as 8:0-4096@2-64");
        let (number, fits) = text.split_once(':').map_or((text, None), |(number, fits)| (number, Some(fits)));
        let range = |text: &str| {
            let (first, last) = text.split_once('-').unwrap_or((text, text));
            Some([first.parse().ok()?, last.parse().ok()?])
        };
        let one = |text: &str| match text.split_once('@') {
            Some((bytes, ranks)) => Some((range(bytes)?, range(ranks)?)),
            None => Some((range(text)?, [0, u64::MAX])),
        };
        let fits = fits.into_iter().flat_map(|fits| fits.split(',')).map(|text| one(text).ok_or_else(refuse));
        Ok(Self { number: number.trim().parse().map_err(|_| refuse())?, fits: fits.collect::<Result<_, _>>()? })
    }

    fn has(&self, call: Call) -> bool {
        let within = |[first, last]: Range, value: u64| first <= value && (value <= last || last == LARGEST);
        self.fits.is_empty()
            || self.fits.iter().any(|&(bytes, ranks)| within(bytes, call.bytes) && within(ranks, call.K))
    }
}
