//! A table of `castbench read` beside costs: its times at the points of a sweep.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::sheet::{Bytes, collective};
use crate::failure::Failure;
use crate::output;
use crate::record::Row;

/// The columns that tell points apart, and the time.
#[derive(Deserialize)]
struct TableLine {
    ranks: u64,
    collective: String,
    bytes: u64,
    algorithm: String,
    median_ns: u64,
}

/// The times of a table by collective, algorithm, ranks and bytes of the vector.
#[derive(Debug, Default)]
pub struct Table(BTreeMap<(&'static str, String, u64, u64), Vec<u64>>);

impl Table {
    /// Reads a CSV file with the columns of `castbench read`, in any order and with any others.
    ///
    /// # Errors
    /// Exit code 74 for a file without these columns.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let failed = |error: csv::Error| {
            Failure::read(path, format_args!("{error}; write it with `castbench read FILE --out TABLE.csv`"))
        };
        let lines = output::open_lines(path).map_err(|error| failed(error.into()))?;
        let mut times = BTreeMap::<_, Vec<u64>>::new();
        for line in csv::Reader::from_reader(lines).into_deserialize() {
            let TableLine { ranks, collective: name, bytes, algorithm, median_ns } = line.map_err(failed)?;
            let Some(name) = collective(&name) else { continue };
            times.entry((plain(name), algorithm, ranks, bytes)).or_default().push(median_ns);
        }
        Ok(Self(times))
    }

    /// The times of the algorithm at the point of a row on a machine; several where nodes or statistics differ.
    #[must_use]
    pub fn times(&self, row: &Row) -> &[u64] {
        let key = || {
            let function = row.machine.as_ref().and(row.problem.mpi())?;
            let [ranks, bytes] = [row.value(function.ranks)?, row.value(function.bytes)?];
            let name = plain(collective(function.name)?);
            let vector = match Bytes::argument(name, bytes) {
                // Rows of a reduce-scatter count the block that a rank gets.
                Bytes::Vector(vector) if name != "reduce_scatter" => vector,
                Bytes::Vector(block) | Bytes::Block(block) => block.checked_mul(ranks)?,
            };
            Some((name, row.algorithm.clone(), ranks, vector))
        };
        key().and_then(|key| self.0.get(&key)).map_or(&[], Vec::as_slice)
    }
}

/// Both reduce-scatters of MPI are one problem.
fn plain(name: &'static str) -> &'static str {
    name.strip_suffix("_block").unwrap_or(name)
}
