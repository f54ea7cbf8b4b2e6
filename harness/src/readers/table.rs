//! A table of `castbench read` beside costs: its times at the points of a sweep.

use std::collections::BTreeMap;
use std::path::Path;

use super::sheet::{Bytes, collective};
use crate::failure::{Code, Failure};
use crate::predict::measured::{check_columns, records, times};
use crate::record::Row;

/// The times of a table by collective, algorithm, ranks and bytes of the vector.
#[derive(Debug, Default)]
pub struct Table(BTreeMap<(&'static str, String, u64, u64), Vec<u64>>);

impl Table {
    /// Reads a CSV file with the columns of `castbench read`, in any order and with any others.
    ///
    /// # Errors
    /// Exit code 74 for a file that is no such table.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        Self::read(path).map_err(|failure| {
            let explanation = failure.explanation();
            Failure::new(
                Code::Output,
                format_args!("{explanation}; write it with `castbench read FILE --out TABLE.csv`"),
            )
        })
    }

    fn read(path: &Path) -> Result<Self, Failure> {
        let (file, records) = records(path)?;
        check_columns(&file, &records)?;
        let mut all = BTreeMap::<_, Vec<u64>>::new();
        for (line, fields) in records {
            let measured = times(&fields).map_err(|explanation| file.refuse(line, &explanation))?;
            let text = |column: &str| fields.get(column).cloned().unwrap_or_default();
            let Some(name) = collective(&text("collective")) else {
                continue;
            };
            let key = (
                plain(name),
                text("algorithm"),
                measured.ranks,
                measured.bytes,
            );
            all.entry(key).or_default().push(measured.ns);
        }
        Ok(Self(all))
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
        key()
            .and_then(|key| self.0.get(&key))
            .map_or(&[], Vec::as_slice)
    }
}

/// Both reduce-scatters of MPI are one problem.
fn plain(name: &'static str) -> &'static str {
    name.strip_suffix("_block").unwrap_or(name)
}
