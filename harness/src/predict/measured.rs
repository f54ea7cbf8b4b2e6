//! Tables of measured collectives: a row for each time of an algorithm, with its ranks and bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use measure::is_command;
use sha2::{Digest as _, Sha256};

use super::filter::Filter;
use super::names;
pub use super::programs::Size;
use super::programs::{Call, Program};
use crate::base::failure::{Failure, Result, tell};
use crate::base::units::{joined, plural};
use crate::output;
use crate::predict::readers::rate::{Rate, warning};

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
    /// The file and the line.
    at: String,
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

/// A collective at a size.
pub type CellOf<'a> = (&'a str, Size);

/// A table of measurements.
#[derive(Debug)]
pub struct Table {
    /// Rows with as many ranks on each node. Verbs get them from [`Table::select`] and [`Table::whole`], each cell once.
    rows: Vec<Row>,
    /// The number of rows with one rank, without bytes, or with more ranks on some nodes; no program covers them.
    pub others: usize,
    /// The files.
    pub files: Vec<File>,
    /// What the rows pass through the ports of a node.
    rates: Vec<Rate>,
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
const COLUMNS: [&str; 6] = [
    "nodes",
    "ranks",
    "collective",
    "bytes",
    "algorithm",
    "median_ns",
];

/// An algorithm, with what it does; a default has no program.
pub type Algorithm<'a> = (&'a Label, Option<(Program, Call)>);

impl Row {
    /// The row of an algorithm at a size.
    pub fn new(mut label: Label, size: Size, ns: u64, known_as: Option<&str>) -> Self {
        let known_as = known_as.unwrap_or(&label.algorithm);
        let program = names::find(&label.collective, known_as, size);
        if names::is_default(known_as) {
            label.algorithm = known_as.to_owned();
        }
        Self {
            label,
            size,
            shape: String::new(),
            program,
            ns,
            at: String::new(),
            fields: BTreeMap::new(),
        }
    }

    /// The library that ran, where the table says it.
    pub fn library(&self) -> Option<&str> {
        let library = self.fields.get("library").map(String::as_str);
        library.filter(|library| !library.is_empty())
    }

    /// Whether its time is of the library's own choice.
    pub fn is_default(&self) -> bool {
        names::is_default(&self.label.algorithm)
    }

    /// Its algorithm with what that does.
    pub fn algorithm(&self) -> Algorithm<'_> {
        (&self.label, self.program)
    }

    /// Its collective and size.
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
    pub fn new(
        files: Vec<(File, Vec<Record>)>,
        known: &BTreeMap<String, String>,
        seed: u64,
    ) -> Result<Self> {
        let mut table = Self {
            rows: Vec::new(),
            others: 0,
            files: Vec::new(),
            rates: Vec::new(),
        };
        for (file, records) in files {
            check_columns(&file, &records)?;
            for (line, fields) in records {
                let refuse = |explanation: String| file.refuse(line, &explanation);
                let (measured, at) = (
                    times(&fields).map_err(refuse)?,
                    format!("{}:{line}", file.file),
                );
                table.rates.extend(measured.rate(&fields, &at));
                match row(measured, fields, known, at).map_err(refuse)? {
                    Some(row) => table.rows.push(row),
                    None => table.others += 1,
                }
            }
            table.files.push(file);
        }
        let indices = [table.size_indices(), table.draws(seed)];
        let index = |row: &Row, of: usize| {
            indices[of]
                .get(&row.cell())
                .copied()
                .unwrap_or(usize::MAX)
                .to_string()
        };
        let added: Vec<[String; 2]> = table
            .rows
            .iter()
            .map(|row| [0, 1].map(|of| index(row, of)))
            .collect();
        for (row, added) in table.rows.iter_mut().zip(added) {
            row.fields
                .extend(["size", "draw"].map(str::to_owned).into_iter().zip(added));
        }
        Ok(table)
    }

    fn cells(&self) -> BTreeSet<CellOf<'_>> {
        self.rows
            .iter()
            .filter(|row| row.program.is_some())
            .map(Row::cell)
            .collect()
    }

    /// The index of each cell among those of its collective and number of ranks, by bytes.
    pub fn size_indices(&self) -> BTreeMap<CellOf<'_>, usize> {
        let mut of: BTreeMap<(&str, u64, u64), usize> = BTreeMap::new();
        let mut indices = BTreeMap::new();
        for cell in self.cells() {
            let next = of.entry((cell.0, cell.1.ranks, cell.1.node)).or_default();
            indices.insert(cell, *next);
            *next += 1;
        }
        indices
    }

    /// The index of each cell in a random order.
    pub fn draws(&self, seed: u64) -> BTreeMap<CellOf<'_>, usize> {
        let drawn = |(collective, size): CellOf<'_>| {
            let node = match size.node {
                1 => String::new(),
                node => format!(" {node}"),
            };
            let text = format!("{seed} {collective} {} {}{node}", size.ranks, size.bytes);
            Sha256::digest(text).to_vec()
        };
        let mut cells: Vec<CellOf<'_>> = self.cells().into_iter().collect();
        cells.sort_by_cached_key(|&cell| drawn(cell));
        cells.into_iter().zip(0..).collect()
    }

    /// The rows of an algorithm.
    pub fn named(&self, algorithm: &str) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| {
            row.fields
                .get("algorithm")
                .is_some_and(|own| own == algorithm)
        })
    }

    /// All rows, each cell once.
    ///
    /// # Errors
    /// Exit code 3 for a cell that is there twice.
    pub fn whole(&self) -> Result<Vec<Row>> {
        once(self.rows.clone(), "--train")
    }

    /// What of the table, and of these of its rows, has no program: a sentence for each kind.
    pub fn left_out(&self, rows: &[Row]) -> Vec<String> {
        let others = format!(
            "left out: {} with one rank, no bytes or unequal nodes",
            plural(self.others as u64, "row")
        );
        let unknown: BTreeSet<&Label> = rows
            .iter()
            .filter(|row| row.program.is_none() && !row.is_default())
            .map(|row| &row.label)
            .collect();
        // A name cannot be mapped to an algorithm of an unknown collective.
        let known = names::collectives();
        let [mapped, strange]: [Vec<&&Label>; 2] = [true, false].map(|is_known| {
            unknown
                .iter()
                .filter(|label| known.contains(&label.collective.as_str()) == is_known)
                .collect()
        });
        let listed = |labels: &[&&Label]| {
            joined(
                ", ",
                labels
                    .iter()
                    .map(|label| format!("{} {}", label.collective, label.algorithm)),
            )
        };
        let names = format!(
            "not modelled: {}; --map gives them known names",
            listed(&mapped)
        );
        let collectives = format!(
            "not modelled, of other collectives: {}; castbench models {}",
            listed(&strange),
            known.join(", ")
        );
        let kinds = [
            (self.others > 0, others),
            (!mapped.is_empty(), names),
            (!strange.is_empty(), collectives),
        ];
        let kinds = kinds
            .into_iter()
            .filter_map(|(is, kind)| is.then_some(kind));
        kinds.chain(mixed(rows)).collect()
    }

    /// The [`warning`] of the rates of its rows.
    pub fn rate_warning(&self, ns_per_byte: Option<f64>) -> Option<String> {
        warning(&self.rates, ns_per_byte)
    }

    /// The rows that an option's expression selects, each cell once: of several runs their median.
    ///
    /// # Errors
    /// Exit code 2 for a condition that does not fit the columns, 3 for a cell that is there twice, 4 if it selects no row.
    pub fn select(&self, option: &str, filter: Option<&Filter>) -> Result<Vec<Row>> {
        let mut kept = Vec::new();
        for row in &self.rows {
            let keeps = filter.map_or(Ok(true), |filter| filter.keeps(&row.fields));
            if keeps.map_err(|explanation| failure!(Usage, "{option}: {explanation}"))? {
                kept.push(row.clone());
            }
        }
        let unmet =
            filter.map(|filter| filter.without_rows(self.rows.iter().map(|row| &row.fields)));
        for sentence in unmet.into_iter().flatten() {
            tell!("warning: {option}: {sentence}");
        }
        if kept.iter().any(|row| row.program.is_some()) {
            let count = kept.len();
            let once = once(kept, option)?;
            if once.len() < count {
                let more = plural((count - once.len()) as u64, "row");
                tell(format_args!(
                    "{more} more of cells with several runs: the median of the runs is taken"
                ));
            }
            return Ok(once);
        }
        let others = match self.others {
            0 => String::new(),
            others => format!(
                "; left out: {} with one rank, no bytes or unequal nodes",
                plural(others as u64, "row")
            ),
        };
        let of = filter.map_or_else(String::new, |_| format!("{option}: "));
        bail!(
            Nothing,
            "{of}no row with an algorithm that is modelled{others}"
        )
    }
}

/// A row of a table by its columns, with its line.
pub type Record = (u64, BTreeMap<String, String>);

impl File {
    /// What is wrong in a line of it.
    pub fn refuse(&self, line: u64, explanation: &str) -> Failure {
        failure!(Configuration, "{}:{line}: {explanation}", self.file)
    }
}

/// Columns that do not tell rows apart: what was measured, and what castbench adds.
const VALUES: [&str; 4] = ["median_ns", "samples", "size", "draw"];

/// Columns with several words, whose times are not alike: a sentence for each.
fn mixed(rows: &[Row]) -> Vec<String> {
    let mut words: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (column, value) in rows.iter().flat_map(|row| &row.fields) {
        let is_known = COLUMNS.contains(&column.as_str()) || ["shape", "run"].contains(&&**column);
        if !is_known && value.parse::<f64>().is_err() {
            words.entry(column).or_default().insert(value);
        }
    }
    let sentence = |(column, words): (&str, BTreeSet<&str>)| {
        let first = words.first().filter(|_| words.len() > 1)?;
        Some(format!(
            "warning: times of several kinds are compared, of the column `{column}`: {}; select one, as with '{column}=={first}'",
            joined(", ", words.iter().take(MOST_WORDS).copied())
        ))
    };
    words.into_iter().filter_map(sentence).collect()
}

/// The most words of a column that are named.
const MOST_WORDS: usize = 5;

/// Rows with each cell once: of several runs their median.
///
/// # Errors
/// Exit code 3 for a cell that is there twice.
fn once(rows: Vec<Row>, option: &str) -> Result<Vec<Row>> {
    let mut cells: BTreeMap<(Label, Size, String), Vec<Row>> = BTreeMap::new();
    let mut order = Vec::new();
    for row in rows {
        let key = (row.label.clone(), row.size, row.shape.clone());
        let cell = cells.entry(key.clone()).or_default();
        if cell.is_empty() {
            order.push(key);
        }
        cell.push(row);
    }
    order
        .into_iter()
        .filter_map(|key| cells.remove(&key).map(|runs| one_of(runs, option)))
        .collect()
}

/// A row of the runs of a cell, with their median.
fn one_of(mut runs: Vec<Row>, option: &str) -> Result<Row> {
    for (at, row) in runs.iter().enumerate() {
        let Some(other) = runs[..at]
            .iter()
            .find(|other| other.fields.get("run") == row.fields.get("run"))
        else {
            continue;
        };
        let Label {
            collective,
            algorithm,
        } = &row.label;
        // Two names of one collective are no difference.
        let is_key = |column: &str| !VALUES.contains(&column) && column != "collective";
        let differing: Vec<&str> = (row.fields.iter())
            .filter(|(column, value)| is_key(column) && other.fields.get(*column) != Some(*value))
            .map(|(column, _)| column.as_str())
            .collect();
        let what = match differing.first() {
            None => "keep one of them".to_owned(),
            Some(column) => {
                let value = row.fields.get(*column).map_or("", String::as_str);
                let value = if value.is_empty() { "\"\"" } else { value };
                let names = differing.join(", ");
                format!("they differ in {names}: keep one, as with {option} '{column}=={value}'")
            }
        };
        bail!(
            Configuration,
            "{}: {collective} {algorithm} of {} bytes on {} ranks is in {}, too; {what}",
            row.at,
            row.size.bytes,
            row.size.ranks,
            other.at
        );
    }
    runs.sort_by_key(|row| row.ns);
    let [low, high] = [(runs.len() - 1) / 2, runs.len() / 2].map(|at| runs[at].ns);
    let row = runs.swap_remove(0);
    let ns = low.midpoint(high);
    Ok(Row { ns, ..row })
}

/// The rows of a table in CSV. Columns without a name, which are indices, are left out.
///
/// # Errors
/// Exit code 3 for a file that cannot be read, is empty or cut, is no table, or has one key in two rows.
pub fn records(path: &Path) -> Result<(File, Vec<Record>)> {
    let name = path.display().to_string();
    let refuse = |explanation: String| failure!(Configuration, "{name}: {explanation}");
    let read = || output::bytes_of(output::open_user(path)?);
    let bytes = read().map_err(|error| refuse(format!("cannot read the measurements: {error}")))?;
    let file = File {
        file: name.clone(),
        sha256: output::hex(&Sha256::digest(&bytes)),
    };
    if bytes.last().is_some_and(|byte| *byte != b'\n') {
        let line = bytes.split(|byte| *byte == b'\n').count() as u64;
        return Err(file.refuse(
            line,
            "the line has no end, so the table may be cut; add a line end if it is whole",
        ));
    }
    // Without carriage returns a record ends where its line does, so lines are counted as editors count them.
    let text: Vec<u8> = bytes.into_iter().filter(|byte| *byte != b'\r').collect();
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(&*text);
    let unread = |error: csv::Error| refuse(format!("not a table in CSV: {error}"));
    let titles = reader.headers().map_err(unread)?.clone();
    if titles.iter().all(str::is_empty) {
        return Err(refuse(format!(
            "it is empty; a table has the columns {}",
            COLUMNS.join(", ")
        )));
    }
    let twice = (0..titles.len())
        .find(|&at| !titles[at].is_empty() && titles.iter().take(at).any(|own| own == &titles[at]));
    if let Some(at) = twice {
        return Err(file.refuse(
            1,
            &format!(
                "two columns are named {:?}; remove one of them",
                &titles[at]
            ),
        ));
    }
    let (mut rows, mut keys) = (Vec::new(), BTreeMap::new());
    for record in reader.records() {
        let record = record.map_err(unread)?;
        let line = record.position().map_or(0, csv::Position::line);
        let mut fields = BTreeMap::new();
        for (title, value) in titles
            .iter()
            .zip(&record)
            .filter(|(title, _)| !title.is_empty())
        {
            if [title, value]
                .iter()
                .any(|text| text.contains(|sign| is_command(sign) || "\n\t".contains(sign)))
            {
                let explanation =
                    format!("{title:?} has control characters or a line end; remove them");
                return Err(file.refuse(line, &explanation));
            }
            fields.insert(title.to_owned(), value.to_owned());
        }
        if let Some(first) = keys
            .insert(key(&fields), line)
            .filter(|_| fields.contains_key("median_ns"))
        {
            let explanation = format!(
                "the cell of line {first} again: no column tells them apart; keep one of them"
            );
            return Err(file.refuse(line, &explanation));
        }
        rows.push((line, fields));
        if rows.len() > MAX_ROWS {
            return Err(refuse(format!(
                "more than {MAX_ROWS} rows; keep the medians of one machine"
            )));
        }
    }
    if rows.is_empty() {
        return Err(refuse("it has no row under its titles".to_owned()));
    }
    Ok((file, rows))
}

/// What tells a row from others.
fn key(fields: &BTreeMap<String, String>) -> Vec<String> {
    let value = |(column, value): (&String, &String)| match column.as_str() {
        "collective" => names::collective(value),
        _ => value.clone(),
    };
    fields
        .iter()
        .filter(|(column, _)| !VALUES.contains(&column.as_str()))
        .map(value)
        .collect()
}

/// Refuses a table that lacks a column.
///
/// # Errors
/// Exit code 3.
pub fn check_columns(file: &File, records: &[Record]) -> Result {
    let Some((_, fields)) = records.first() else {
        return Ok(());
    };
    let missing: Vec<&str> = COLUMNS
        .into_iter()
        .filter(|column| !fields.contains_key(*column))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let found: Vec<&str> = fields.keys().map(String::as_str).collect();
    let [missing, all, found] = [&missing[..], &COLUMNS, &found].map(|columns| columns.join(", "));
    Err(file.refuse(
        1,
        &format!("no column {missing}; a table has {all}; this one has {found}"),
    ))
}

/// The number in a column.
///
/// # Errors
/// A column that is missing or holds no number.
pub fn number(fields: &BTreeMap<String, String>, column: &str) -> Result<f64, String> {
    let text = fields
        .get(column)
        .ok_or_else(|| format!("no column {column}"))?;
    let number = text
        .parse()
        .ok()
        .filter(|number: &f64| (0.0..1e15).contains(number));
    number.ok_or_else(|| format!("{column} = `{text}`: expected a number that is not negative"))
}

/// The numbers of a row.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    /// Nodes.
    pub nodes: u64,
    /// Ranks.
    pub ranks: u64,
    /// Bytes of the whole vector.
    pub bytes: u64,
    /// The time.
    pub ns: u64,
}

/// A whole number, as `4` or as programs for tables write it, `4.0`.
///
/// # Errors
/// Another text.
pub fn whole(fields: &BTreeMap<String, String>, column: &str) -> Result<u64, String> {
    let text = fields.get(column).map_or("", String::as_str);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole, and below 2^53"
    )]
    let count = |number: f64| {
        (number.fract() == 0.0 && (0.0..9e15).contains(&number)).then_some(number as u64)
    };
    text.parse()
        .ok()
        .or_else(|| count(text.parse().ok()?))
        .ok_or_else(|| format!("{column} = `{text}`: expected a whole number"))
}

/// The numbers of a row of a table of collectives.
///
/// # Errors
/// A column that holds no such number; ranks that contradict the nodes.
pub fn times(fields: &BTreeMap<String, String>) -> Result<Times, String> {
    let [nodes, ranks, bytes] = ["nodes", "ranks", "bytes"].map(|column| whole(fields, column));
    let (nodes, ranks, bytes) = (nodes?, ranks?, bytes?);
    let text = fields.get("median_ns").map_or("", String::as_str);
    let ns = text
        .parse()
        .ok()
        .filter(|ns: &f64| (0.5..1e15).contains(ns));
    let ns =
        ns.ok_or_else(|| format!("median_ns = `{text}`: expected a time of 1 ns to 10^15 ns"))?;
    let per_node = fields
        .get("ranks_per_node")
        .filter(|text| !text.is_empty())
        .map(|_| whole(fields, "ranks_per_node"))
        .transpose()?;
    if nodes == 0
        || nodes > ranks
        || per_node.is_some_and(|of| nodes.checked_mul(of) != Some(ranks))
    {
        let of = per_node.map_or_else(String::new, |of| format!(" with {of} ranks each"));
        return Err(format!("{nodes} nodes{of} cannot have {ranks} ranks"));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most 10^15"
    )]
    Ok(Times {
        nodes,
        ranks,
        bytes,
        ns: ns.round() as u64,
    })
}

impl Times {
    /// What the call passes through the ports of a node.
    pub fn rate(&self, fields: &BTreeMap<String, String>, at: &str) -> Option<Rate> {
        let Self {
            nodes,
            ranks,
            bytes,
            ns,
        } = *self;
        let name = fields.get("collective")?;
        Rate::new(name, nodes, ranks, bytes, ns, || at.to_owned())
    }
}

/// The row with these fields; none if it has one rank, no bytes, or more ranks on some nodes.
fn row(
    Times {
        nodes,
        ranks,
        bytes,
        ns,
    }: Times,
    fields: BTreeMap<String, String>,
    known: &BTreeMap<String, String>,
    at: String,
) -> Result<Option<Row>, String> {
    let text = |column: &str| fields.get(column).map_or("", String::as_str);
    if !ranks.is_multiple_of(nodes) || ranks < 2 || bytes == 0 {
        return Ok(None);
    }
    if ranks > MAX_RANKS {
        return Err(format!("ranks = {ranks}: expected at most {MAX_RANKS}"));
    }
    let label = Label {
        collective: names::collective(text("collective")),
        algorithm: text("algorithm").to_owned(),
    };
    let known_as = known.get(&label.algorithm).cloned();
    let shape = text("shape").to_owned();
    let size = Size {
        ranks,
        node: ranks / nodes,
        bytes,
    };
    let row = Row::new(label, size, ns, known_as.as_deref());
    Ok(Some(Row {
        shape,
        at,
        fields,
        ..row
    }))
}
