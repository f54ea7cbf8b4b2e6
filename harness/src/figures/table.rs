//! A table of `castbench read` beside costs: its times at the points of a sweep.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::base::failure::{Result, tell};
use crate::base::units::joined;
use crate::libraries;
use crate::predict::measured::{check_columns, records, times};
use crate::predict::readers::rate::{Rate, warning};
use crate::predict::readers::sheet::{Bytes, collective};
use crate::record::Row;

/// Collective, algorithm, ranks and bytes of the vector.
type Key = (&'static str, String, u64, u64);

/// The times of a table.
#[derive(Debug, Default)]
pub struct Table {
    times: BTreeMap<Key, Vec<u64>>,
    /// How many times are of a collective that MPI does not have.
    unknown: usize,
    /// The names of what its times are, in the column `statistic`; empty where the table does not say it.
    statistics: BTreeSet<String>,
}

impl Table {
    /// Reads a CSV file with the columns of `castbench read`, in any order and with any others. Tells of rates above what a node allows.
    ///
    /// # Errors
    /// Exit code 74 for a file that is no such table.
    pub fn open(path: &Path) -> Result<Self> {
        Self::read(path).map_err(|failure| {
            let explanation = failure.explanation();
            failure!(
                Output,
                "{explanation}; write it with `castbench read FILE --out TABLE.csv`"
            )
        })
    }

    fn read(path: &Path) -> Result<Self> {
        let (file, records) = records(path)?;
        check_columns(&file, &records)?;
        let mut table = Self::default();
        let mut rates = Vec::new();
        for (line, fields) in records {
            let measured = times(&fields).map_err(|explanation| file.refuse(line, &explanation))?;
            rates.extend(measured.rate(&fields, &format!("{}:{line}", file.file)));
            let text = |column: &str| fields.get(column).cloned().unwrap_or_default();
            let Some(name) = collective(&text("collective")) else {
                table.unknown += 1;
                continue;
            };
            let key = (
                plain(name),
                text("algorithm"),
                measured.ranks,
                measured.bytes,
            );
            table.statistics.insert(text("statistic"));
            table.times.entry(key).or_default().push(measured.ns);
        }
        if let Some(warning) = warning(&rates, None) {
            tell(warning);
        }
        Ok(table)
    }

    /// The times of the algorithm at the point of a row on a machine; several where nodes or statistics differ.
    pub fn times(&self, row: &Row) -> &[u64] {
        key(row)
            .and_then(|key| self.times.get(&key))
            .map_or(&[], Vec::as_slice)
    }

    /// What its times are.
    pub fn what(&self) -> String {
        joined(
            " and ",
            self.statistics
                .iter()
                .map(|name| match name.as_str() {
                    "slowest-mean" => "means of the slowest rank",
                    "mean" => "means",
                    "bandwidth" => "bytes over the bandwidth",
                    _ => "medians",
                })
                .collect::<BTreeSet<_>>(),
        )
    }

    /// How many of its times are at none of these points, and one of them. None where each is at one.
    pub fn left_out(&self, points: &[Row]) -> Option<String> {
        let points: BTreeSet<Key> = points.iter().filter_map(key).collect();
        let lone = || self.times.iter().filter(|(key, _)| !points.contains(key));
        let all: usize = self.times.values().map(Vec::len).sum();
        let left: usize = lone().map(|(_, times)| times.len()).sum();
        let example = lone().next().map(|((name, algorithm, ranks, bytes), _)| {
            format!(": the first, {name} of {bytes} bytes by `{algorithm}` on {ranks} ranks")
        });
        (left + self.unknown > 0).then(|| {
            format!(
                "{} of {} times are at no point that a figure draws{}",
                left + self.unknown,
                all + self.unknown,
                example.unwrap_or_default()
            )
        })
    }
}

/// The point of a row on a machine.
fn key(row: &Row) -> Option<Key> {
    row.machine.as_ref()?;
    let (name, ranks, vector) = call(row)?;
    Some((name, row.algorithm.clone(), ranks, vector))
}

/// The function of MPI that a row is a call of, its ranks, and the bytes of the whole vector.
fn call(row: &Row) -> Option<(&'static str, u64, u64)> {
    let function = libraries::functions_of(row.problem.name).next()?;
    let ranks = row.value("K")?;
    let bytes = row.value("bytes")?;
    let name = plain(collective(function.name)?);
    let vector = match Bytes::argument(name, bytes) {
        // Rows of a reduce-scatter count the block that a rank gets.
        Bytes::Vector(vector) if name != "reduce_scatter" => vector,
        Bytes::Vector(block) | Bytes::Block(block) => block.checked_mul(ranks)?,
    };
    Some((name, ranks, vector))
}

/// The [`warning`] of the rates of measured rows.
pub fn rate_warning(rows: &[Row]) -> Option<String> {
    let rates: Vec<Rate> = rows
        .iter()
        .filter_map(|row| {
            let measured = row.measured.as_ref()?;
            let (name, ranks, bytes) = call(row)?;
            let algorithm = &row.algorithm;
            let hosts = measured.hosts.into();
            let at = || format!("{algorithm} of {bytes} bytes on {hosts} hosts");
            Rate::new(name, hosts, ranks, bytes, measured.median_ns, at)
        })
        .collect();
    warning(&rates, None)
}

/// Both reduce-scatters of MPI are one problem.
fn plain(name: &'static str) -> &'static str {
    name.strip_suffix("_block").unwrap_or(name)
}
