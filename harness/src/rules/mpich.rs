//! MPICH's JSON of decisions (`MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE`): nested objects whose keys are tried in order; a key is a
//! condition, a leaf names an algorithm.
//!
//! The file replaces all of MPICH's decisions, and MPICH stops where nothing fits. So castbench changes a copy of MPICH's own file: in
//! front of what it decides for a function stand those of the table, and an algorithm is taken as that file names it, with its
//! parameters. A version stops at names of another one, so the file must be that of the version that reads the result. Thresholds have 31 bits. For gather and scatter MPICH counts elements, not bytes: they are left alone.

use std::fmt;

use algorithms::internals::mpi::{Call, Function};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::{Serialize, Serializer};

use super::{Dialect, Line, Range, Selected, Table, Written, lines, short};

/// The largest threshold that MPICH reads.
const LARGEST: u64 = i32::MAX as u64;

/// An object: conditions or parameters in order, and what each leads to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree(Vec<(String, Tree)>);

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Self::default())
    }
}

impl<'de> Visitor<'de> for Tree {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of objects")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self, A::Error> {
        while let Some((key, below)) = map.next_entry::<String, Self>()? {
            self.0.push((key.chars().filter(|letter| !letter.is_whitespace()).collect(), below));
        }
        Ok(self)
    }
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, below)| (key, below)))
    }
}

/// What the rules of a function are compared by.
pub(super) fn operator(function: &Function) -> Option<&'static str> {
    match function.name {
        "MPI_Bcast" | "MPI_Allreduce" | "MPI_Reduce" | "MPI_Alltoall" => Some("avg_msg_size"),
        "MPI_Allgather" | "MPI_Reduce_scatter" | "MPI_Reduce_scatter_block" => Some("total_msg_size"),
        _ => None,
    }
}

/// MPICH's full name for an algorithm.
pub(super) fn name(function: &Function, algorithm: &str) -> String {
    format!("MPIR_{}_intra_{algorithm}", function.name.trim_start_matches("MPI_"))
}

/// The table in a copy of MPICH's own file.
///
/// # Errors
/// The errors of [`Dialect::write`]; a base that is no such file.
pub fn write(table: &Table, base: &str) -> Result<Written, String> {
    let mut tree = Tree::parse(base).map_err(|error| format!("--base: {error}"))?;
    let whole = tree.clone();
    let mut left = Vec::new();
    for function in table.functions() {
        let key = format!("collective={}", short(function));
        let own = tree.0.iter_mut().find(|(name, _)| *name == key).and_then(|(_, own)| own.below("comm_type=intra"));
        let Some(own) = own else {
            return Err(format!("--base: it has no `{key}` with `comm_type=intra`; MPICH's own file has"));
        };
        if operator(function).is_none() && function.name != "MPI_Barrier" {
            left.push(format!("{}: MPICH compares no bytes there", function.name));
            continue;
        }
        let mut lines = lines(Dialect::Mpich, table, function, &mut left)?;
        lines.retain(|line| line.bytes[0] <= LARGEST && line.ranks[0] <= LARGEST);
        let leaf = |line: &Line<'_>| match &line.name {
            None => own.clone(),
            Some(name) => whole.leaf(name).unwrap_or_else(|| own.clone()),
        };
        for line in &lines {
            if let Some(name) = line.name.as_ref().filter(|name| whole.leaf(name).is_none()) {
                left.push(format!("{}: the file given with --base does not name {name}", function.name));
            }
        }
        let of_ranks = |lines: &[Line<'_>]| match operator(function) {
            None => leaf(&lines[0]),
            Some(by) => nested(by, lines.iter().map(|line| (line.bytes, leaf(line))), own),
        };
        let ranks =
            lines.chunk_by(|one, other| one.ranks == other.ranks).map(|lines| (lines[0].ranks, of_ranks(lines)));
        *own = nested("comm_size", ranks.collect::<Vec<_>>().into_iter(), own);
    }
    left.sort();
    left.dedup();
    let text = serde_json::to_string_pretty(&tree).map_err(|error| error.to_string())?;
    Ok(Written { text: text + "\n", left })
}

/// The ranges as conditions in ascending order; between and behind them `other`.
fn nested(by: &str, ranges: impl Iterator<Item = (Range, Tree)>, other: &Tree) -> Tree {
    let mut keys = Vec::new();
    let mut next = 0;
    for ([first, last], below) in ranges {
        if first > next {
            keys.push((format!("{by}<={}", first - 1), other.clone()));
        }
        if last >= LARGEST {
            keys.push((format!("{by}=any"), below));
            return Tree(keys);
        }
        keys.push((format!("{by}<={last}"), below));
        next = last + 1;
    }
    keys.push((format!("{by}=any"), other.clone()));
    Tree(keys)
}

impl Tree {
    /// Reads the file.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn parse(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    fn below(&mut self, key: &str) -> Option<&mut Self> {
        self.0.iter_mut().find(|(name, _)| name == key).map(|(_, below)| below)
    }

    /// The first leaf with this algorithm.
    fn leaf(&self, algorithm: &str) -> Option<Self> {
        let key = format!("algorithm={algorithm}");
        if let Some(found) = self.0.iter().find(|(name, _)| *name == key) {
            return Some(Self(vec![found.clone()]));
        }
        self.0.iter().find_map(|(_, below)| below.leaf(algorithm))
    }

    /// What the file selects for a call.
    #[must_use]
    pub fn select(&self, function: &Function, call: Call) -> Selected {
        let name = self.choose(function, call).unwrap_or("nothing, and MPICH stops");
        Selected::Named(name.to_owned(), 0)
    }

    /// The algorithm for a call of one rank per node.
    fn choose(&self, function: &Function, call: Call) -> Option<&str> {
        let (key, below) = self.0.iter().find(|(key, _)| fits(key, function, call))?;
        let algorithm = key.strip_prefix("algorithm=").or(key.strip_prefix("composition="));
        algorithm.or_else(|| below.choose(function, call))
    }
}

/// Whether a condition is true of a call with one rank per node and an operator that is built in and commutes.
fn fits(key: &str, function: &Function, call: Call) -> bool {
    let Some(end) = key.find(['<', '=']) else { return key == "any" };
    let (subject, test) = key.split_at(end);
    let K = call.K;
    let elements = call.bytes / call.element.max(1);
    let value = match subject {
        "collective" => return test[1..] == short(function),
        "algorithm" | "composition" => return true,
        "comm_size" => K,
        "comm_avg_ppn" => 1,
        "avg_msg_size" => call.bytes,
        "total_msg_size" if matches!(function.name, "MPI_Gather" | "MPI_Scatter") => elements.saturating_mul(K),
        "total_msg_size" => call.bytes.saturating_mul(K),
        "count" => elements,
        "comm_type" => return test == "=intra",
        "comm_hierarchy" => return test != "=parent",
        "is_multi_threaded" | "is_sendbuf_inplace" => return test == "=no",
        _ => return test == "=yes" || test == "=any",
    };
    let number = |text: &str| text.parse::<u64>().ok();
    match (test, test.strip_prefix("<="), test.strip_prefix('<')) {
        ("=any", ..) => true,
        ("=pow2", ..) => K.is_power_of_two(),
        ("<pow2", ..) => value < (1 << K.max(1).ilog2()),
        (_, Some(most), _) => number(most).is_some_and(|most| value <= most),
        (_, _, Some(above)) => number(above).is_some_and(|above| value < above),
        _ => false,
    }
}
