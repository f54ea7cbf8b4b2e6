//! Open MPI's component tuned: the numbers that versions up to 5.0 read (`coll_tuned_dynamic_rules_filename`), and the JSON of 6.0.
//!
//! **Numbers.** Comments begin with `#`. The count of collectives; for each its number and the count of communicator sizes; for each of
//! those the size, the count of message sizes, and a line for each message size: bytes, algorithm, fan-out (of a chain 0 is 1), segment
//! size (0: the whole message). The first message size must be 0. Open MPI takes the last communicator size that is not above its own, the
//! first one if there is none; then the last message size that is not above its own. Both would stretch a decision to calls that it is
//! not for, so a rule 0, Open MPI's own choice, stands below, between and above those of a table.
//!
//! Versions from 6.0 on read the communicator sizes of such a file as the ends of ranges, so it is not for them.
//!
//! **JSON.** In each list the first range that fits; where none does, Open MPI's own choice.

mod names;
mod numbers;
mod ranges;

use std::fmt::Write as _;

use crate::libraries::{Call, Function, Library};
use serde_json::{Value, json};

use super::{Dialect, Line, Selected, Table, Written, commented, lines, short};
pub use numbers::read as read_numbers;
pub use ranges::read as read_json;

/// What stands above the numbers.
const USAGE: [&str; 3] = [
    "mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename THIS_FILE ...",
    "Open MPI 5.0 also needs --mca coll ^han: han chooses before tuned. Open MPI 6 reads another form; do not use this file.",
    "A rule applies from its number of ranks and its message size on. Algorithm 0 is Open MPI's own choice.",
];

/// A rule: from this size on, number and segment, and a comment.
type From = (u64, u32, u64, String);

/// The table as numbers.
///
/// # Errors
/// The errors of [`Dialect::write`].
pub fn classic(table: &Table) -> Result<Written, String> {
    let mut left = Vec::new();
    let functions = table.functions();
    let mut text = commented(Dialect::Openmpi, table, &USAGE);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{} # collectives", functions.len());
    for function in functions {
        let lines = lines(Dialect::Openmpi, table, function, &mut left)?;
        let sizes = by_ranks(function, &lines);
        let Function {
            name,
            number,
            presumes,
            ..
        } = function;
        let _ = writeln!(
            text,
            "# {name} {presumes}\n{number} # {name}\n{} # communicator sizes",
            sizes.len()
        );
        for (ranks, rules) in sizes {
            let _ = writeln!(text, "{ranks} # ranks\n{} # message sizes", rules.len());
            for (size, number, segment, comment) in rules {
                let _ = writeln!(text, "{size} {number} 0 {segment} # {comment}");
            }
        }
    }
    Ok(Written { text, left })
}

/// The rules of each communicator size; those of a size hold up to the next.
fn by_ranks(function: &Function, lines: &[Line]) -> Vec<(u64, Vec<From>)> {
    let own = |size| (size, 0, 0, "as without rules: not asked".to_owned());
    let mut sizes: Vec<(u64, Vec<From>)> = vec![(1, vec![own(0)])];
    for lines in lines.chunk_by(|one, other| one.ranks == other.ranks) {
        let mut rules: Vec<From> = vec![own(0)];
        for Line {
            bytes, decision, ..
        } in lines
        {
            let (number, segment) = decision
                .take
                .and_then(|take| {
                    Some((
                        function.numbered(Library::OpenMpi4, take.ours)?.number,
                        take.segment,
                    ))
                })
                .unwrap_or((0, 0));
            let comment = decision
                .name
                .clone()
                .unwrap_or_else(|| format!("as without rules: {}", decision.why));
            rules.pop_if(|last| last.0 == bytes[0]);
            rules.push((bytes[0], number, segment, comment));
            rules.extend(bytes[1].checked_add(1).map(own));
        }
        rules.dedup_by(|later, earlier| {
            (later.1, later.2, &later.3) == (earlier.1, earlier.2, &earlier.3)
        });
        let [first, last] = lines[0].ranks;
        sizes.pop_if(|before| before.0 == first);
        sizes.push((first, rules));
        sizes.extend(last.checked_add(1).map(|next| (next, vec![own(0)])));
    }
    sizes.dedup_by(|later, earlier| later.1 == earlier.1);
    sizes
}

/// The table as JSON, without what is left to Open MPI.
///
/// # Errors
/// The errors of [`Dialect::write`].
pub fn json(table: &Table) -> Result<Written, String> {
    let mut left = Vec::new();
    let end = |last: u64| {
        if last == u64::MAX {
            json!("inf")
        } else {
            json!(last)
        }
    };
    let mut collectives = serde_json::Map::new();
    for function in table.functions() {
        let all = lines(Dialect::Openmpi6, table, function, &mut left)?;
        let rule = |line: &Line| {
            let take = line.decision.take?;
            let mut rule = json!({
                "msg_size_min": line.bytes[0], "msg_size_max": end(line.bytes[1]), "alg": function.numbered(Library::OpenMpi6, take.ours)?.number,
            });
            if take.segment > 0 {
                rule["seg_size"] = json!(take.segment);
            }
            Some(rule)
        };
        let of_ranks = |lines: &[Line]| {
            let rules: Vec<Value> = lines.iter().filter_map(rule).collect();
            // Open MPI keeps both in an `int`, in which "inf" is -1; no communicator is larger.
            let [first, last] = lines[0].ranks.map(i32::try_from);
            let first = first.ok().filter(|_| !rules.is_empty())?;
            let mut entry = json!({ "comm_size_min": first });
            if let Ok(last) = last {
                entry["comm_size_max"] = json!(last);
            }
            entry["rules"] = json!(rules);
            Some(entry)
        };
        let ranks: Vec<Value> = all
            .chunk_by(|one, other| one.ranks == other.ranks)
            .filter_map(of_ranks)
            .collect();
        // As the reader has it; the schema of Open MPI lacks two underscores.
        collectives.insert(short(function), json!(ranks));
    }
    let file = json!({ "rule_file_version": 3, "module": "tuned", "collectives": collectives });
    Ok(Written {
        text: format!("{file:#}\n"),
        left,
    })
}

/// How a rule's algorithm cuts a message and branches.
#[derive(Clone, Copy, Default)]
struct Shape {
    fan_out: u64,
    segment: u64,
}

/// The number of a function's collective.
fn collective(function: &Function) -> usize {
    function.number as usize
}

/// What a call runs if this number is selected for it, in this shape.
fn selected(
    function: &Function,
    (number, shape): (i64, Shape),
    call: Call,
    version: Library,
) -> Selected {
    let collective = collective(function);
    if number == 0 {
        return Selected::Own;
    }
    if let Some(why) = names::missing(collective, number, version) {
        return Selected::Not(why);
    }
    let index = usize::try_from(number).unwrap_or(1) - 1;
    let theirs = names::algorithms(collective, version)[index];
    if theirs == "two_proc" && call.K != 2 {
        return Selected::Not(format!(
            "{theirs}: {} fails on {} ranks; it is for 2",
            function.name, call.K
        ));
    }
    let name = match theirs {
        // Open MPI takes 0 for 1.
        "chain" => format!("chain, fan-out {}", shape.fan_out.max(1)),
        _ => theirs.to_owned(),
    };
    Selected::Named(name, shape.segment)
}
