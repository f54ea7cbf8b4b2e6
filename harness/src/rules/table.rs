//! The table of decisions: CSV with one decision a row.

use crate::base::units::joined;
use crate::libraries::{self, Family, Function, SIMPLE, Size};
use algorithms::catalogue;

use crate::base::failure::Result;
use crate::print::column::{self, Tabled as _, tabled};

/// The first and the last of a range; the last can be the largest number, for no end.
pub type Range = [u64; 2];

/// The decision for the calls of a function in a range of ranks and sizes.
#[derive(Debug, Clone)]
pub struct Rule {
    /// The function.
    pub function: &'static Function,
    /// Ranks.
    pub ranks: Range,
    /// Bytes of the operand as castbench counts them: of a vector, or of a block per rank.
    pub bytes: Range,
    /// What to run; none for the library's own choice.
    pub take: Option<Take>,
    /// Why.
    pub why: String,
}

/// An algorithm of castbench, its segments, and how a library of GPUs moves its messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Take {
    /// Its name in the catalogue.
    pub ours: &'static str,
    /// Bytes of a segment; 0 for the whole message.
    pub segment: u64,
    /// The protocol of NCCL; none for the simple one.
    pub protocol: Option<&'static str>,
}

/// Decisions; of several for one call the first counts.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// What they are for, a line each.
    pub notes: Vec<String>,
    /// The decisions.
    pub rules: Vec<Rule>,
}

tabled! {
    /// A row of the file.
    pub struct Decision {
        /// function of MPI
        function: String,
        /// fewest ranks
        ranks_min: u64,
        /// most ranks; empty without an end
        ranks_max: Option<u64>,
        /// fewest bytes
        bytes_min: u64,
        /// most bytes; empty without an end
        bytes_max: Option<u64>,
        /// name in the catalogue; empty where the library decides
        algorithm: String,
        /// bytes of a segment; 0 for the whole message
        segment_bytes: u64,
        /// protocol of NCCL; empty or absent for simple
        protocol: Option<String>,
        /// why this one
        why: String,
    }
}

/// MPI counts ranks in an `int`.
const MAX_RANKS: u64 = i32::MAX as u64;

/// The column of protocols, which a table without one does not have.
const PROTOCOL: &str = "protocol";

/// A protocol by its name; none for the simple one.
fn protocol(name: &str) -> Result<Option<&'static str>, String> {
    let mut known = Family::Nccl.protocols().iter().map(|known| known.name);
    let found = known.find(|known| *known == name).ok_or_else(|| {
        let known = Family::Nccl.protocols().iter().map(|known| known.name);
        format!(
            "NCCL has no protocol `{name}`; it has {}",
            joined(", ", known)
        )
    })?;
    Ok(Some(found).filter(|name| *name != SIMPLE))
}

/// The function of MPI with this name.
fn function(name: &str) -> Option<&'static Function> {
    libraries::functions().find(|function| function.name == name)
}

impl Table {
    /// Reads CSV; lines that begin with `#` are notes.
    ///
    /// # Errors
    /// What is wrong, and in which line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let notes = text
            .lines()
            .filter_map(|line| line.strip_prefix('#'))
            .map(|note| note.trim().to_owned())
            .collect();
        let mut rules = Vec::new();
        let mut file = csv::ReaderBuilder::new()
            .comment(Some(b'#'))
            .from_reader(text.as_bytes());
        let header = file.headers().map_err(|error| error.to_string())?;
        let known = Decision::columns();
        let usual = || column::names(&known).filter(|name| *name != PROTOCOL);
        let is = |names: csv::StringRecord| names == *header;
        if !is(usual().collect()) && !is(column::names(&known).collect()) {
            return Err(format!(
                "the first line that is no note is not `{}`",
                joined(",", usual())
            ));
        }
        for row in column::rows_of::<Decision>(&mut file)? {
            let refuse = |why: String| format!("decision {}: {why}", rules.len() + 1);
            let function = function(&row.function).ok_or_else(|| {
                let known = joined(", ", libraries::functions().map(|function| function.name));
                refuse(format!(
                    "there is no function `{}`; there are {known}",
                    row.function
                ))
            })?;
            if row.ranks_min > MAX_RANKS {
                return Err(refuse(format!(
                    "no communicator has more than {MAX_RANKS} ranks; write fewer ranks"
                )));
            }
            let last = row.ranks_max.filter(|&last| last < MAX_RANKS);
            let ranks = [row.ranks_min, last.unwrap_or(u64::MAX)];
            let bytes = [row.bytes_min, row.bytes_max.unwrap_or(u64::MAX)];
            if ranks[0] > ranks[1] || bytes[0] > bytes[1] {
                return Err(refuse(
                    "the first of a range is above the last; swap them".to_owned(),
                ));
            }
            if ranks[1] == 0 {
                return Err(refuse(
                    "no communicator has 0 ranks; write ranks from 1 on".to_owned(),
                ));
            }
            if row.algorithm.is_empty() && row.segment_bytes > 0 {
                return Err(refuse(format!(
                    "segments of {} B without an algorithm; name one, or write 0 for segment_bytes",
                    row.segment_bytes
                )));
            }
            let entry = catalogue::find(&row.algorithm);
            if !row.algorithm.is_empty() && entry.is_none() {
                return Err(refuse(format!(
                    "there is no algorithm `{}`; `castbench list` names all",
                    row.algorithm
                )));
            }
            let protocol = row.protocol.map(|word| protocol(&word)).transpose();
            let protocol = protocol.map_err(refuse)?.flatten();
            if row.algorithm.is_empty() && protocol.is_some() {
                return Err(refuse(
                    "a protocol without an algorithm; name one".to_owned(),
                ));
            }
            let take = entry.map(|entry| Take {
                ours: entry.name,
                segment: row.segment_bytes,
                protocol,
            });
            rules.push(Rule {
                function,
                ranks,
                bytes,
                take,
                why: row.why,
            });
        }
        Ok(Self { notes, rules })
    }

    /// The table as CSV; a range without an end has an empty last.
    ///
    /// # Errors
    /// A row that the CSV library cannot write.
    pub fn text(&self) -> Result<String> {
        let row = |Rule {
                       function,
                       ranks,
                       bytes,
                       take,
                       why,
                   }: &Rule| {
            let last = |range: &Range| (range[1] != u64::MAX).then_some(range[1]);
            Decision {
                function: function.name.to_owned(),
                ranks_min: ranks[0],
                ranks_max: last(ranks),
                bytes_min: bytes[0],
                bytes_max: last(bytes),
                algorithm: take.map_or("", |take| take.ours).to_owned(),
                segment_bytes: take.map_or(0, |take| take.segment),
                protocol: take.and_then(|take| take.protocol).map(str::to_owned),
                why: why.clone(),
            }
        };
        let rows: Vec<Decision> = self.rules.iter().map(row).collect();
        let mut columns = Decision::columns();
        if rows.iter().all(|row| row.protocol.is_none()) {
            columns.retain(|column| column.name != PROTOCOL);
        }
        let notes: String = self
            .notes
            .iter()
            .map(|note| format!("# {note}\n"))
            .collect();
        Ok(notes + &String::from_utf8_lossy(&column::csv(&columns, &rows)?))
    }

    /// The functions that it decides, in the order of MPI's names.
    pub fn functions(&self) -> Vec<&'static Function> {
        let mut all: Vec<&Function> = self.rules.iter().map(|rule| rule.function).collect();
        all.sort_by_key(|function| function.name);
        all.dedup_by_key(|function| function.name);
        all
    }

    /// The decision for a call.
    pub fn select(&self, function: &Function, K: u64, bytes: u64) -> Option<&Rule> {
        let has = |range: Range, value: u64| (range[0]..=range[1]).contains(&value);
        self.rules.iter().find(|rule| {
            rule.function.name == function.name && has(rule.ranks, K) && has(rule.bytes, bytes)
        })
    }

    /// The decisions for a function in disjoint ranges of ranks, ascending, and in each of sizes; without what nothing is said of.
    pub fn cells(&self, function: &Function) -> Vec<(Range, Vec<(Range, &Rule)>)> {
        let own: Vec<&Rule> = self
            .rules
            .iter()
            .filter(|rule| rule.function.name == function.name)
            .collect();
        let of_ranks = |ranks: Range| {
            let here = own
                .iter()
                .filter(|rule| rule.ranks[0] <= ranks[0] && ranks[1] <= rule.ranks[1]);
            let cells: Vec<(Range, &Rule)> = ranges(here.map(|rule| rule.bytes))
                .into_iter()
                .filter_map(|bytes| Some((bytes, self.select(function, ranks[0], bytes[0])?)))
                .collect();
            (ranks, cells)
        };
        ranges(own.iter().map(|rule| rule.ranks))
            .into_iter()
            .map(of_ranks)
            .filter(|(_, cells)| !cells.is_empty())
            .collect()
    }
}

/// Decisions for single sizes of one function and number of ranks, as ranges: from each size to the next where both have one
/// algorithm, or where the choice at the first is the library's. One for all sizes where the library cannot tell them apart. A library
/// that runs a call without a decision on one channel gets the first of two algorithms for all sizes up to that of the other one.
pub fn spans(decided: &[Rule], of: Family) -> Vec<Rule> {
    if let Some(rule) = decided
        .first()
        .filter(|rule| matches!(rule.function.size, Size::Nothing | Size::Elements))
    {
        return vec![Rule {
            bytes: [0, u64::MAX],
            ..rule.clone()
        }];
    }
    let mut rules = Vec::new();
    for (index, rule) in decided.iter().enumerate() {
        let size = rule.bytes[0];
        let next = decided.get(index + 1).map(|next| (next, next.bytes[0] - 1));
        let holds_on = |later: &Rule| match (rule.take, later.take) {
            (Some(one), Some(other)) => !of.leaves_calls() || one.ours == other.ours,
            (one, _) => one.is_none(),
        };
        let last = next
            .filter(|(later, _)| holds_on(later))
            .map_or(size, |(_, last)| last);
        rules.push(Rule {
            bytes: [size, last],
            ..rule.clone()
        });
        if let Some((_, end)) = next.filter(|(_, end)| last < *end) {
            let why = "the best changes between the sizes compared".to_owned();
            rules.push(Rule {
                bytes: [last + 1, end],
                take: None,
                why,
                ..rule.clone()
            });
        }
    }
    rules
}

/// The disjoint ranges between all firsts and lasts of these.
fn ranges(of: impl Iterator<Item = Range>) -> Vec<Range> {
    let mut firsts: Vec<u64> = of
        .flat_map(|[first, last]| [Some(first), last.checked_add(1)])
        .flatten()
        .collect();
    firsts.sort_unstable();
    firsts.dedup();
    let lasts: Vec<u64> = firsts
        .iter()
        .skip(1)
        .map(|next| next - 1)
        .chain([u64::MAX])
        .collect();
    firsts
        .into_iter()
        .zip(lasts)
        .map(|(first, last)| [first, last])
        .collect()
}
