//! What the file of a library selects, compared by measured times.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::libraries::{Function, Library, SIMPLE};

use super::{choice, times};
use crate::base::answers::Absences;
use crate::base::failure::{Result, tell};
use crate::base::units::{joined, plural, show_bytes};
use crate::predict::measured::{Row, Size, Table, records};
use crate::predict::names::{self, Variant};
use crate::print::Columns;
use crate::print::column::{Tabled as _, tabled};
use crate::rules::{Dialect, Finding, Reading, Selected, learnt};

/// Tables of measurements.
pub(super) struct Times<'a> {
    /// The files.
    pub files: &'a [PathBuf],
    /// Usual names of algorithms with other labels.
    pub known: BTreeMap<String, String>,
    /// The library that reads the file.
    pub library: Library,
}

tabled! {
    /// A cell of a table of measurements, and the times of what a file selects there.
    pub struct Measured {
        /// function of MPI
        function: String,
        /// number of ranks
        ranks: u64,
        /// ranks on each node
        ranks_per_node: u64,
        /// shape of the machine, where the table has it
        shape: String,
        /// size of the whole vector
        bytes: u64,
        /// what the file selects, by the library's name; empty for its own choice
        selected: Option<String>,
        /// size of segments that the file asks for; 0 for the whole message
        segment_bytes: u64,
        /// its measured time
        selected_ns: Option<u64>,
        /// measured time of the library's own choice
        default_ns: Option<u64>,
        /// the fastest measured algorithm of the library, with its protocol and the bytes of its segments
        best: String,
        /// its measured time
        best_ns: u64,
        /// the measured time over that of the best
        over_best_f64: Option<f64>,
        beside:
        /// What the file selects.
        pub(super) selection: Selected,
    }
}

impl Times<'_> {
    /// What a file selects in each cell that has times of its library, and what of the file does not work for these calls. The file is
    /// read for each number of ranks on a node.
    ///
    /// # Errors
    /// Exit code 3 for a file that is no table of measurements, 4 for tables without a time of the library.
    pub fn compared(
        mut self,
        dialect: Dialect,
        read_on: &dyn Fn(u64) -> Reading,
    ) -> Result<(Vec<Measured>, Vec<Finding>)> {
        let all = self.rows()?;
        let of_rccl = |row: &Row| row.label.algorithm.ends_with(names::family(Library::Rccl));
        // RCCL reads the file of NCCL.
        if self.library == Library::Nccl && all.iter().any(of_rccl) {
            self.library = Library::Rccl;
        }
        self.tell_others(&all);
        let mut cells: BTreeMap<(&str, Size, &str), Vec<&Row>> = BTreeMap::new();
        for row in &all {
            let (collective, size) = row.cell();
            let cell = (collective, size, row.shape.as_str());
            cells.entry(cell).or_default().push(row);
        }
        let nodes: BTreeSet<u64> = all.iter().map(|row| row.size.node).collect();
        let readings: BTreeMap<u64, Reading> = nodes
            .into_iter()
            .map(|node| (node, read_on(node)))
            .collect();
        let (mut found, mut absences) = (Vec::new(), Absences::new("cell"));
        for ((collective, size, shape), rows) in &cells {
            absences.asked += 1;
            let cell = Cell {
                of: &self,
                dialect,
                collective,
                rows,
            };
            match cell.compared(*size, shape, &readings[&size.node]) {
                Ok(measured) => found.push(measured),
                Err(why) => absences.add(collective, why, || {
                    format!("P = {}, {}", size.ranks, show_bytes(size.bytes))
                }),
            }
        }
        absences.tell();
        if found.is_empty() {
            bail!(
                Nothing,
                "--measured: no time of an algorithm of the library"
            );
        }
        let mut findings: Vec<Finding> = Vec::new();
        // What works for one number of ranks on a node needs no word.
        if let Some((first, others)) = readings.values().collect::<Vec<_>>().split_first() {
            let own = first.findings.iter();
            let is_in_all =
                |finding: &&Finding| others.iter().all(|other| other.findings.contains(finding));
            findings.extend(own.filter(is_in_all).cloned());
        }
        Ok((found, findings))
    }

    /// The rows of the tables, each cell once.
    fn rows(&self) -> Result<Vec<Row>> {
        let files: Vec<_> = self
            .files
            .iter()
            .map(|path| records(path))
            .collect::<Result<_>>()?;
        let count: usize = files.iter().map(|(_, records)| records.len()).sum();
        let table = Table::new(files, &self.known, 0)?;
        if let Some(warning) = table.rate_warning(None) {
            tell(warning);
        }
        let all = table.whole()?;
        let runs = count - table.others - all.len();
        if runs > 0 {
            tell!(
                "{} more of cells with several runs: their median is compared",
                plural(runs as u64, "row")
            );
        }
        for statement in table.left_out(&all) {
            tell(statement);
        }
        Ok(all)
    }

    /// Names what is of other libraries.
    fn tell_others(&self, rows: &[Row]) {
        let algorithms = rows.iter().map(|row| row.label.algorithm.as_str());
        let others: BTreeSet<&str> = algorithms
            .filter(|name| names::is_default(name) && !names::is_default_of(self.library, name))
            .collect();
        if !others.is_empty() {
            let others = joined(", ", others);
            tell!(
                "not compared: {others}, the own choice of another library than the one of the file"
            );
        }
        let libraries: BTreeSet<&str> = rows.iter().filter_map(Row::library).collect();
        let mut others = libraries
            .into_iter()
            .filter(|own| !names::is_named(self.library, own))
            .peekable();
        if others.peek().is_some() {
            tell!(
                "warning: there are times of {}, and the file is read as {} does",
                joined(", ", others),
                self.library.name()
            );
        }
    }
}

/// The times of one cell.
struct Cell<'a> {
    of: &'a Times<'a>,
    dialect: Dialect,
    collective: &'a str,
    rows: &'a [&'a Row],
}

impl Cell<'_> {
    /// What the file selects, and its time.
    ///
    /// # Errors
    /// Why there is none.
    fn compared(
        &self,
        size: Size,
        shape: &str,
        reading: &Reading,
    ) -> Result<Measured, &'static str> {
        let function = learnt::function_of(self.of.library, self.collective)
            .ok_or("the rules of libraries choose no algorithm of it")?;
        let call = learnt::call(function, size).ok_or("the size is none of a call of it")?;
        let (best_ns, best) = self
            .best(function)
            .ok_or("no time is of an algorithm of the library")?;
        let selection = (reading.selects)(function, call);
        let ns = self.time(function, &selection);
        Ok(Measured {
            function: function.name.to_owned(),
            ranks: size.ranks,
            ranks_per_node: size.node,
            shape: shape.to_owned(),
            bytes: size.bytes,
            selected: selection.name().map(str::to_owned),
            segment_bytes: selection.segment(),
            selected_ns: ns,
            default_ns: self.default(),
            best,
            best_ns,
            over_best_f64: ns.map(|ns| ns as f64 / best_ns as f64),
            selection,
        })
    }

    /// The times of an algorithm of the library.
    fn named(&self, theirs: &str) -> BTreeMap<Variant, u64> {
        let named = self.rows.iter().map(|row| {
            let own = row.label.algorithm.as_str();
            (self.of.known.get(own).map_or(own, String::as_str), row.ns)
        });
        names::measured_as(self.of.library, self.collective, theirs, named)
    }

    /// The time of the library's own choice.
    fn default(&self) -> Option<u64> {
        let is_default = |row: &&&Row| names::is_default_of(self.of.library, &row.label.algorithm);
        self.rows.iter().find(is_default).map(|row| row.ns)
    }

    /// The fastest that a file of the library can select.
    fn best(&self, function: &Function) -> Option<(u64, String)> {
        let known = function.algorithms(self.of.library).iter();
        let times = known.flat_map(|known| {
            let can_state = move |variant: &Variant| {
                variant.segment == 0 || self.dialect.has_segments() && known.reads_segment
            };
            let times = self.named(known.name).into_iter();
            times
                .filter(move |(variant, _)| can_state(variant))
                .map(|(variant, ns)| (ns, variant.name(known.name)))
        });
        let default = self.default().map(|ns| (ns, "its own choice".to_owned()));
        times.chain(default).min()
    }

    /// The time of what a file selects; none if it was not measured.
    fn time(&self, function: &Function, selected: &Selected) -> Option<u64> {
        let (name, segment) = match selected {
            Selected::Own => return self.default(),
            Selected::Not(_) => return None,
            Selected::Named(name, segment) => (name.as_str(), *segment),
        };
        let protocols = self.dialect.family().protocols().iter();
        let mut with = protocols
            .map(|known| known.name)
            .filter(|known| *known != SIMPLE);
        let protocol = with.find(|protocol| name.ends_with(&format!("_{protocol}")));
        let name = protocol.map_or(name, |protocol| &name[..name.len() - protocol.len() - 1]);
        let ours = self.dialect.ours(function, name);
        let mut known = function.algorithms(self.of.library).iter();
        let known = known.find(|known| ours == Some(known.ours));
        // The fan-out of a measured chain is the default.
        let theirs = match name {
            "chain, fan-out 4" => "chain",
            _ => known.map_or(name, |known| known.name),
        };
        let reads_segment = known.is_none_or(|known| known.reads_segment);
        let variant = Variant {
            segment: if reads_segment { segment } else { 0 },
            protocol,
        };
        self.named(theirs).remove(&variant)
    }
}

/// The columns of some cells; a table leaves out what is the same in all.
pub(super) fn columns_of(found: &[Measured]) -> Columns<'static, Measured> {
    let is_flat = found.iter().all(|found| found.ranks_per_node == 1);
    let has_no_shape = found.iter().all(|found| found.shape.is_empty());
    columns().data_only(|name| match name {
        "ranks_per_node" => is_flat,
        "shape" => has_no_shape,
        _ => false,
    })
}

/// A time in a table.
fn us(ns: Option<u64>) -> String {
    ns.map_or_else(
        || "not measured".to_owned(),
        |ns| format!("{:.1} us", ns as f64 / 1e3),
    )
}

/// The columns of the comparison.
pub fn columns() -> Columns<'static, Measured> {
    Columns(Measured::columns())
        .data_only(|name| name == "best_ns")
        .shown("over best", |found| times(found.over_best_f64))
        .of("default_ns", |all| {
            all.shown("own choice", |found| us(found.default_ns))
        })
        .of("selected_ns", |all| {
            all.shown("measured", |found| us(found.selected_ns))
        })
        .of("selected", |all| {
            all.shown("selected", |found| choice(found.selected.as_ref()))
        })
        .of("bytes", |all| {
            all.shown("bytes", |found| show_bytes(found.bytes))
        })
}
