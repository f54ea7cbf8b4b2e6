//! MPICH's JSON of decisions (`MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE`): nested objects whose keys are tried in order; a key is a
//! condition, a leaf names an algorithm.
//!
//! The file replaces all of MPICH's decisions, and MPICH stops where nothing fits. So castbench changes a copy of MPICH's own file: in
//! front of what it decides for a function stand those of the table, and an algorithm is taken as that file names it, with its
//! parameters. A version stops at names of another one, so the file must be that of the version that reads the result. Thresholds have 31
//! bits. For gather and scatter MPICH counts elements, not bytes: they are left alone. An algorithm that is not for each call, as one for
//! operators that commute, stands under the conditions that it needs; for other calls MPICH's own decisions stay.

mod csel;

use std::fmt;
use std::path::Path;

use crate::libraries::{Family, Function, Library, Size};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::{Serialize, Serializer};

use crate::base::failure::{Failure, Result};
use crate::output;

use super::{Dialect, Line, Range, Table, Written, lines, short};
pub use csel::read;

/// The largest threshold that MPICH reads.
const LARGEST: u64 = i32::MAX as u64;

/// An object: conditions or parameters in order, and what each leads to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree(pub(super) Vec<(String, Tree)>);

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
            let key: String = key
                .chars()
                .filter(|letter| !letter.is_whitespace())
                .collect();
            // Of a key that stands twice the later value counts, at the place of the first.
            match self.0.iter_mut().find(|(known, _)| *known == key) {
                Some((_, known)) => *known = below,
                None => self.0.push((key, below)),
            }
        }
        Ok(self)
    }
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, below)| (key, below)))
    }
}

/// A condition of a call without which an algorithm fails: the keys of an object, in order, and which of them holds.
pub(super) struct Need {
    keys: [&'static str; 2],
    holds: usize,
}

const BUILT_IN: Need = Need::last("is_op_built_in=no", "is_op_built_in=yes");
const COMMUTES: Need = Need::last("is_commutative=no", "is_commutative=yes");
const ELEMENTS: Need = Need::last("count<pow2", "count=any");
const IS_IN_PLACE: Need = Need::last("is_sendbuf_inplace=no", "is_sendbuf_inplace=yes");
const IS_APART: Need = Need::last("is_sendbuf_inplace=yes", "is_sendbuf_inplace=no");
const POWER_OF_TWO: Need = Need {
    keys: ["comm_size=pow2", "comm_size=any"],
    holds: 0,
};

/// What algorithms need, after the restrictions in MPICH's `src/mpi/coll/coll_algorithms.txt`, without those that MPICH 4.3.2 runs as well
/// without it; the first that a name begins with counts.
const NEEDS: &[(&str, &[Need])] = &[
    ("Allgather_intra_recursive_doubling", &[POWER_OF_TWO]),
    ("Allgatherv_intra_recursive_doubling", &[POWER_OF_TWO]),
    ("Allreduce_intra_k_reduce_scatter_allgather", &[COMMUTES]),
    ("Allreduce_intra_recursive_multiplying", &[COMMUTES]),
    (
        "Allreduce_intra_reduce_scatter_allgather",
        &[BUILT_IN, ELEMENTS],
    ),
    ("Allreduce_intra_ring", &[COMMUTES]),
    ("Allreduce_intra_smp", &[COMMUTES]),
    ("Alltoall_intra_pairwise_sendrecv_replace", &[IS_IN_PLACE]),
    ("Alltoall_intra_", &[IS_APART]),
    ("Alltoallv_intra_pairwise_sendrecv_replace", &[IS_IN_PLACE]),
    ("Alltoallv_intra_", &[IS_APART]),
    ("Alltoallw_intra_pairwise_sendrecv_replace", &[IS_IN_PLACE]),
    ("Alltoallw_intra_", &[IS_APART]),
    ("Reduce_intra_reduce_scatter_gather", &[BUILT_IN, ELEMENTS]),
    ("Reduce_intra_smp", &[COMMUTES]),
    ("Reduce_scatter_intra_pairwise", &[COMMUTES]),
    ("Reduce_scatter_intra_recursive_halving", &[COMMUTES]),
    ("Reduce_scatter_block_intra_noncommutative", &[POWER_OF_TWO]),
    ("Reduce_scatter_block_intra_pairwise", &[COMMUTES]),
    ("Reduce_scatter_block_intra_recursive_halving", &[COMMUTES]),
];

/// What an algorithm needs of a call.
pub(super) fn needs(algorithm: &str) -> &'static [Need] {
    let own = algorithm.strip_prefix("MPIR_").unwrap_or(algorithm);
    let mut all = NEEDS.iter();
    all.find(|(begin, _)| own.starts_with(begin))
        .map_or(&[], |(_, needs)| needs)
}

impl Need {
    const fn last(other: &'static str, needed: &'static str) -> Self {
        Self {
            keys: [other, needed],
            holds: 1,
        }
    }

    /// The key under which it holds.
    fn key(&self) -> &'static str {
        self.keys[self.holds]
    }

    /// The condition for messages.
    pub(super) fn words(&self) -> &'static str {
        match self.key() {
            "count=any" => {
                "as many elements as the largest power of two up to the ranks (behind `count<pow2`)"
            }
            key => key,
        }
    }

    /// Whether it holds under a key of an object, behind the `earlier` ones.
    pub(super) fn holds(&self, earlier: &[(String, Tree)], key: &str) -> bool {
        let other = self.keys[1 - self.holds];
        let is_rest = key == "any" || key.ends_with("=any");
        let has_other = || earlier.iter().any(|(known, _)| known == other);
        let is_power = || only(earlier, key).is_some_and(u64::is_power_of_two);
        // Operators that are built in commute.
        key == "is_op_built_in=yes" && self.key() == COMMUTES.key()
            || self.key() == POWER_OF_TWO.key() && is_power()
            || key == self.key() && !is_rest
            || is_rest && has_other()
    }

    /// An object: `below` where it holds, `own` elsewhere.
    fn object(&self, below: Tree, own: &Tree) -> Tree {
        let mut below = Some(below);
        let of = |(index, key): (usize, &&str)| {
            let taken = below.take_if(|_| index == self.holds);
            ((*key).to_owned(), taken.unwrap_or_else(|| own.clone()))
        };
        Tree(self.keys.iter().enumerate().map(of).collect())
    }
}

/// The only number of ranks for which a key behind the `earlier` ones holds.
fn only(earlier: &[(String, Tree)], key: &str) -> Option<u64> {
    let most = |key: &str| {
        let number = key.strip_prefix("comm_size<")?;
        match number.strip_prefix('=') {
            Some(number) => number.parse().ok(),
            None => number.parse::<u64>().ok()?.checked_sub(1),
        }
    };
    let last = most(key)?;
    let below = earlier.iter().filter_map(|(key, _)| most(key)).max();
    (below.unwrap_or(0) + 1 == last).then_some(last)
}

/// What the rules of a function are compared by.
pub(super) fn operator(function: &Function) -> Option<&'static str> {
    match function.name {
        "MPI_Bcast" | "MPI_Allreduce" | "MPI_Reduce" | "MPI_Alltoall" => Some("avg_msg_size"),
        _ => (function.size_of(Library::Mpich) == Size::Blocks).then_some("total_msg_size"),
    }
}

/// MPICH's full name for an algorithm.
pub(super) fn name(function: &Function, algorithm: &str) -> String {
    format!(
        "MPIR_{}_intra_{algorithm}",
        function.name.trim_start_matches("MPI_")
    )
}

/// MPICH's own decisions in a file: its text, or one that MPICH's library has among its constants.
///
/// # Errors
/// Exit code 3 for a file that cannot be read, or has no such decisions.
pub fn own(path: &Path) -> Result<String> {
    let text = text(path)?;
    let has_decisions = Tree::parse(&text).is_ok_and(|mut tree| {
        let mut collectives = tree.0.iter_mut();
        collectives.any(|(key, own)| {
            key.starts_with("collective=") && own.below("comm_type=intra").is_some()
        })
    });
    if has_decisions {
        return Ok(text);
    }
    let why = "it has no decisions of MPICH, such as `collective=bcast` with `comm_type=intra`; name generic.json or libmpich.so";
    Err(Failure::unread(path, why))
}

fn text(path: &Path) -> Result<String> {
    const BEGIN: &str = "{\"collective=bcast\"";
    let unread = |error: &dyn fmt::Display| Failure::unread(path, error);
    let file = output::open_user(path)
        .and_then(output::bytes_of)
        .map_err(|error| unread(&error))?;
    if !file.contains(&0) {
        return String::from_utf8(file).map_err(|error| unread(&error));
    }
    let texts = file.split(|byte| *byte == 0).filter_map(|text| {
        let text = std::str::from_utf8(text).ok()?;
        Some(&text[text.find(BEGIN)?..])
    });
    // The decisions of devices have fewer collectives.
    texts
        .max_by_key(|text| text.len())
        .map(str::to_owned)
        .ok_or_else(|| unread(&"it is no text, and no library with MPICH's decisions; name generic.json or libmpich.so"))
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
        let own = tree
            .0
            .iter_mut()
            .find(|(name, _)| *name == key)
            .and_then(|(_, own)| own.below("comm_type=intra"));
        let Some(own) = own else {
            return Err(format!(
                "--base: it has no `{key}` with `comm_type=intra`; MPICH's own file has"
            ));
        };
        if operator(function).is_none() && function.name != "MPI_Barrier" {
            left.push(format!("{}: MPICH compares no bytes there", function.name));
            continue;
        }
        let mut lines = lines(Dialect::Mpich, table, function, &mut left)?;
        let is_beyond =
            |range: Range| range[1] != u64::MAX && range[1] > LARGEST || range[0] > LARGEST + 1;
        for line in lines
            .iter()
            .filter(|line| is_beyond(line.bytes) || is_beyond(line.ranks))
        {
            let of = line.decision.name.as_deref().unwrap_or("its own choice");
            left.push(format!(
                "{}: {of} from {} B on, for sizes or ranks above {LARGEST}: MPICH compares 31 bits",
                function.name, line.bytes[0]
            ));
        }
        lines.retain(|line| line.bytes[0] <= LARGEST && line.ranks[0] <= LARGEST);
        // An algorithm can have another name in another version.
        let named = |line: &Line| {
            let ours = line.decision.take?.ours;
            let known = Family::Mpich
                .versions()
                .filter_map(|library| function.numbered(library, ours));
            let mut names = known.map(|known| name(function, known.name));
            let (leaf, name) = names.find_map(|name| Some((whole.leaf(&name)?, name)))?;
            let is_power = line.ranks[0] == line.ranks[1] && line.ranks[0].is_power_of_two();
            let needs = needs(&name).iter().rev();
            let needs = needs.filter(|need| !is_power || need.key() != POWER_OF_TWO.key());
            Some(needs.fold(leaf, |below, need| need.object(below, own)))
        };
        let leaf = |line: &Line| named(line).unwrap_or_else(|| own.clone());
        for line in &lines {
            if let Some(name) = (line.decision.name.as_ref()).filter(|_| named(line).is_none()) {
                left.push(format!(
                    "{}: the file given with --base does not name {name}",
                    function.name
                ));
            }
        }
        let of_ranks = |lines: &[Line]| match operator(function) {
            None => leaf(&lines[0]),
            Some(by) => nested(by, lines.iter().map(|line| (line.bytes, leaf(line))), own),
        };
        let ranks = lines
            .chunk_by(|one, other| one.ranks == other.ranks)
            .map(|lines| (lines[0].ranks, of_ranks(lines)));
        *own = nested("comm_size", ranks.collect::<Vec<_>>().into_iter(), own);
    }
    left.sort();
    left.dedup();
    let text = serde_json::to_string_pretty(&tree).map_err(|error| error.to_string())?;
    Ok(Written {
        text: text + "\n",
        left,
    })
}

/// The ranges as conditions in ascending order; between and behind them `other`.
fn nested(by: &str, ranges: impl Iterator<Item = (Range, Tree)>, other: &Tree) -> Tree {
    let mut keys = Vec::new();
    let mut next = 0;
    for ([first, last], below) in ranges {
        if first > next {
            keys.push((format!("{by}<={}", first - 1), other.clone()));
        }
        if last == u64::MAX {
            keys.push((format!("{by}=any"), below));
            return Tree(keys);
        }
        keys.push((format!("{by}<={}", last.min(LARGEST)), below));
        next = last.min(LARGEST) + 1;
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
        self.0
            .iter_mut()
            .find(|(name, _)| name == key)
            .map(|(_, below)| below)
    }

    /// The first leaf with this algorithm.
    fn leaf(&self, algorithm: &str) -> Option<Self> {
        let key = format!("algorithm={algorithm}");
        if let Some(found) = self.0.iter().find(|(name, _)| *name == key) {
            return Some(Self(vec![found.clone()]));
        }
        self.0.iter().find_map(|(_, below)| below.leaf(algorithm))
    }
}
