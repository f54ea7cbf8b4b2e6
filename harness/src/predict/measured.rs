//! Tables of measured collectives: a row for each time of an algorithm, with its ranks and bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::filter::Filter;
use super::names;
use super::programs::{Call, Program};
use crate::failure::{Code, Failure};
use crate::output;
use crate::units::plural;

/// A measured time.
#[derive(Debug, Clone)]
pub struct Row {
    /// The algorithm with its collective.
    pub label: Label,
    /// The size of the call.
    pub size: Size,
    /// Where there are several shapes of a machine: this one.
    pub shape: String,
    /// What the algorithm does; none if that is not known.
    pub program: Option<(Program, Call)>,
    /// The time.
    pub ns: u64,
    /// The columns of the table, and those of [`Table::new`].
    fields: BTreeMap<String, String>,
}

/// An algorithm as a table names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    /// The collective, as [`names::collective`] has it.
    pub collective: String,
    /// The algorithm.
    pub algorithm: String,
}

/// The size of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// Ranks, one on each node.
    pub ranks: u64,
    /// Bytes of the whole vector.
    pub bytes: u64,
}

/// A collective at a size.
pub type CellOf<'a> = (&'a str, Size);

/// A table of measurements.
#[derive(Debug)]
pub struct Table {
    /// Rows with one rank per node.
    pub rows: Vec<Row>,
    /// The number of rows with several ranks per node, or without bytes; no program covers them.
    pub others: usize,
    /// The files.
    pub files: Vec<File>,
}

/// A file of measurements.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Its path as typed.
    pub file: String,
    /// The SHA-256 of its bytes.
    pub sha256: String,
}

/// The most ranks of a call.
pub const MAX_RANKS: u64 = 1 << 16;
/// The most rows of a table.
const MAX_ROWS: usize = 1_000_000;
/// Columns that every table has.
const COLUMNS: [&str; 6] = ["nodes", "ranks", "collective", "bytes", "algorithm", "median_ns"];

impl Row {
    /// The row of an algorithm at a size.
    #[must_use]
    pub fn new(label: Label, size: Size, ns: u64, known_as: Option<&str>) -> Self {
        let known_as = known_as.unwrap_or(&label.algorithm);
        let program = names::find(&label.collective, known_as, size.ranks, size.bytes);
        Self { label, size, shape: String::new(), program, ns, fields: BTreeMap::new() }
    }

    /// The collective as the table names it.
    #[must_use]
    pub fn named(&self) -> &str {
        self.fields.get("collective").map_or("", String::as_str)
    }

    /// Whether its time is of the library's own choice.
    #[must_use]
    pub fn is_default(&self) -> bool {
        names::is_default(&self.label.algorithm)
    }

    /// Its collective and size.
    #[must_use]
    pub fn cell(&self) -> CellOf<'_> {
        (&self.label.collective, self.size)
    }
}

impl Table {
    /// The rows of files of one machine. `known` gives the usual names of algorithms with other labels. Two columns are added:
    /// `size`, the index of a row's bytes among those of its collective and ranks, and `draw`, the index of its cell in a
    /// random order that `seed` chooses; both from 0.
    ///
    /// # Errors
    /// Exit code 3 for a file that lacks a column or has a row that is no measurement.
    pub fn new(files: Vec<(File, Vec<Record>)>, known: &BTreeMap<String, String>, seed: u64) -> Result<Self, Failure> {
        let mut table = Self { rows: Vec::new(), others: 0, files: Vec::new() };
        for (file, records) in files {
            check_columns(&file, &records)?;
            for (line, fields) in records {
                match row(fields, known).map_err(|explanation| file.refuse(line, &explanation))? {
                    Some(row) => table.rows.push(row),
                    None => table.others += 1,
                }
            }
            table.files.push(file);
        }
        let indices = [table.size_indices(), table.draws(seed)];
        let index = |row: &Row, of: usize| indices[of].get(&row.cell()).copied().unwrap_or(usize::MAX).to_string();
        let added: Vec<[String; 2]> = table.rows.iter().map(|row| [0, 1].map(|of| index(row, of))).collect();
        for (row, added) in table.rows.iter_mut().zip(added) {
            row.fields.extend(["size", "draw"].map(str::to_owned).into_iter().zip(added));
        }
        Ok(table)
    }

    fn cells(&self) -> BTreeSet<CellOf<'_>> {
        self.rows.iter().filter(|row| row.program.is_some()).map(Row::cell).collect()
    }

    /// The index of each cell among those of its collective and number of ranks, by bytes.
    #[must_use]
    pub fn size_indices(&self) -> BTreeMap<CellOf<'_>, usize> {
        let mut of: BTreeMap<(&str, u64), usize> = BTreeMap::new();
        let mut indices = BTreeMap::new();
        for cell in self.cells() {
            let next = of.entry((cell.0, cell.1.ranks)).or_default();
            indices.insert(cell, *next);
            *next += 1;
        }
        indices
    }

    /// The index of each cell in a random order.
    #[must_use]
    pub fn draws(&self, seed: u64) -> BTreeMap<CellOf<'_>, usize> {
        let drawn = |(collective, size): CellOf<'_>| {
            Sha256::digest(format!("{seed} {collective} {} {}", size.ranks, size.bytes)).to_vec()
        };
        let mut cells: Vec<CellOf<'_>> = self.cells().into_iter().collect();
        cells.sort_by_cached_key(|&cell| drawn(cell));
        cells.into_iter().zip(0..).collect()
    }

    /// The rows that an option's expression selects.
    ///
    /// # Errors
    /// Exit code 2 for a condition that does not fit the columns, 4 if it selects no row.
    pub fn select(&self, option: &str, filter: Option<&Filter>) -> Result<Vec<Row>, Failure> {
        let mut kept = Vec::new();
        for row in &self.rows {
            let keeps = filter.map_or(Ok(true), |filter| filter.keeps(&row.fields));
            if keeps.map_err(|explanation| Failure::usage(format_args!("{option}: {explanation}")))? {
                kept.push(row.clone());
            }
        }
        if kept.iter().any(|row| row.program.is_some()) {
            return Ok(kept);
        }
        let others = match self.others {
            0 => String::new(),
            others => format!(
                "; left out: {} with several ranks per node, one rank or no bytes",
                plural(others as u64, "row")
            ),
        };
        let of = filter.map_or_else(String::new, |_| format!("{option}: "));
        let explanation = format!("{of}no row with an algorithm that is modelled, one rank on each node{others}");
        Err(Failure::new(Code::Nothing, explanation))
    }
}

/// A row of a table by its columns, with its line.
pub type Record = (u64, BTreeMap<String, String>);

impl File {
    /// What is wrong in a line of it.
    pub fn refuse(&self, line: u64, explanation: &str) -> Failure {
        Failure::new(Code::Configuration, format_args!("{}:{line}: {explanation}", self.file))
    }
}

/// The rows of a table in CSV.
///
/// # Errors
/// Exit code 3 for a file that cannot be read or is no table.
pub fn records(path: &Path) -> Result<(File, Vec<Record>), Failure> {
    let name = path.display().to_string();
    let refuse = |explanation: String| Failure::new(Code::Configuration, format_args!("{name}: {explanation}"));
    let read = || output::bytes_of(output::open_user(path)?);
    let bytes = read().map_err(|error| refuse(format!("cannot read the measurements: {error}")))?;
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(&*bytes);
    let unread = |error: csv::Error| refuse(format!("not a table in CSV: {error}"));
    let titles = reader.headers().map_err(unread)?.clone();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(unread)?;
        let line = record.position().map_or(0, csv::Position::line);
        rows.push((
            line,
            titles.iter().zip(&record).map(|(title, value)| (title.to_owned(), value.to_owned())).collect(),
        ));
        if rows.len() > MAX_ROWS {
            return Err(refuse(format!("more than {MAX_ROWS} rows; keep the medians of one machine")));
        }
    }
    let sha256 = output::hex(&Sha256::digest(&bytes));
    Ok((File { file: name, sha256 }, rows))
}

/// Refuses a table that lacks a column.
fn check_columns(file: &File, records: &[Record]) -> Result<(), Failure> {
    let Some((_, fields)) = records.first() else { return Ok(()) };
    let missing: Vec<&str> = COLUMNS.into_iter().filter(|column| !fields.contains_key(*column)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let found: Vec<&str> = fields.keys().map(String::as_str).collect();
    let [missing, all, found] = [&missing[..], &COLUMNS, &found].map(|columns| columns.join(", "));
    Err(file.refuse(1, &format!("no column {missing}; a table has {all}; this one has {found}")))
}

/// The number in a column.
///
/// # Errors
/// A column that is missing or holds no number.
pub fn number(fields: &BTreeMap<String, String>, column: &str) -> Result<f64, String> {
    let text = fields.get(column).ok_or_else(|| format!("no column {column}"))?;
    let number = text.parse().ok().filter(|number: &f64| (0.0..1e15).contains(number));
    number.ok_or_else(|| format!("{column} = `{text}`: expected a number that is not negative"))
}

/// The row with these fields; none if it has several ranks per node, one rank or no bytes.
fn row(fields: BTreeMap<String, String>, known: &BTreeMap<String, String>) -> Result<Option<Row>, String> {
    let text = |column: &str| fields.get(column).map_or("", String::as_str);
    let count = |column: &str| {
        let explanation = |_| format!("{column} = `{}`: expected a whole number", text(column));
        text(column).parse::<u64>().map_err(explanation)
    };
    let (nodes, ranks, bytes) = (count("nodes")?, count("ranks")?, count("bytes")?);
    let ns = text("median_ns").parse().ok().filter(|ns: &f64| (0.5..1e15).contains(ns));
    let ns = ns.ok_or_else(|| format!("median_ns = `{}`: expected a time of 1 ns to 10^15 ns", text("median_ns")))?;
    if nodes != ranks || ranks < 2 || bytes == 0 {
        return Ok(None);
    }
    if ranks > MAX_RANKS {
        return Err(format!("ranks = {ranks}: expected at most {MAX_RANKS}"));
    }
    let label = Label { collective: names::collective(text("collective")), algorithm: text("algorithm").to_owned() };
    let known_as = known.get(&label.algorithm).cloned();
    let shape = text("shape").to_owned();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 10^15")]
    let row = Row::new(label, Size { ranks, bytes }, ns.round() as u64, known_as.as_deref());
    Ok(Some(Row { shape, fields, ..row }))
}
