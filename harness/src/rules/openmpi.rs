//! Open MPI's component tuned: the numbers that versions up to 5.0 read (`coll_tuned_dynamic_rules_filename`), and the JSON of 6.0.
//!
//! **Numbers.** Comments begin with `#`. The count of collectives; for each its number and the count of communicator sizes; for each of
//! those the size, the count of message sizes, and a line for each message size: bytes, algorithm, fan-out (0: the default), segment size
//! (0: the whole message). The first message size must be 0. Open MPI takes the last communicator size that is not above its own, the
//! first one if there is none; then the last message size that is not above its own. Both would stretch a decision to calls that it is
//! not for, so a rule 0, Open MPI's own choice, stands below, between and above those of a table.
//!
//! Versions from 6.0 on read the communicator sizes of such a file as the ends of ranges, so it is not for them.
//!
//! **JSON.** In each list the first range that fits; where none does, Open MPI's own choice.

use std::fmt::Write as _;

use algorithms::internals::mpi::Function;
use serde_json::{Value, json};

use super::{Dialect, Line, Selected, Selector, Table, Written, commented, lines, short};

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
    let mut text = commented(table, &USAGE);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{} # collectives", functions.len());
    for function in functions {
        let lines = lines(Dialect::Openmpi, table, function, &mut left)?;
        let sizes = by_ranks(function, &lines);
        let Function { name, collective, presumes, .. } = function;
        let _ = writeln!(text, "# {name} {presumes}\n{collective} # {name}\n{} # communicator sizes", sizes.len());
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
fn by_ranks(function: &Function, lines: &[Line<'_>]) -> Vec<(u64, Vec<From>)> {
    let own = |size| (size, 0, 0, "as without rules: not asked".to_owned());
    let mut sizes: Vec<(u64, Vec<From>)> = vec![(1, vec![own(0)])];
    for lines in lines.chunk_by(|one, other| one.ranks == other.ranks) {
        let mut rules: Vec<From> = vec![own(0)];
        for Line { bytes, rule, name, .. } in lines {
            let take = name.as_ref().and(rule.take);
            let known = take.and_then(|take| Some((function.numbered(take.ours)?.number, take.segment)));
            let (number, segment) = known.unwrap_or((0, 0));
            let comment = match (name, rule.why.as_str()) {
                (Some(name), _) => name.clone(),
                (None, why) => format!("as without rules: {why}"),
            };
            rules.pop_if(|last| last.0 == bytes[0]);
            rules.push((bytes[0], number, segment, comment));
            rules.extend(bytes[1].checked_add(1).map(own));
        }
        rules.dedup_by(|later, earlier| (later.1, later.2, &later.3) == (earlier.1, earlier.2, &earlier.3));
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
    let end = |last: u64| if last == u64::MAX { json!("inf") } else { json!(last) };
    let mut collectives = serde_json::Map::new();
    for function in table.functions() {
        let all = lines(Dialect::Openmpi6, table, function, &mut left)?;
        let rule = |line: &Line<'_>| {
            let take = line.rule.take.filter(|_| line.name.is_some())?;
            let mut rule = json!({
                "msg_size_min": line.bytes[0], "msg_size_max": end(line.bytes[1]), "alg": function.numbered(take.ours)?.number,
            });
            if take.segment > 0 {
                rule["seg_size"] = json!(take.segment);
            }
            Some(rule)
        };
        let of_ranks = |lines: &[Line<'_>]| {
            let rules: Vec<Value> = lines.iter().filter_map(rule).collect();
            let [first, last] = lines[0].ranks;
            (!rules.is_empty()).then(|| json!({ "comm_size_min": first, "comm_size_max": end(last), "rules": rules }))
        };
        let ranks: Vec<Value> = all.chunk_by(|one, other| one.ranks == other.ranks).filter_map(of_ranks).collect();
        // As the reader has it; the schema of Open MPI lacks two underscores.
        collectives.insert(short(function), json!(ranks));
    }
    let file = json!({ "rule_file_version": 3, "module": "tuned", "collectives": collectives });
    Ok(Written { text: format!("{file:#}\n"), left })
}

/// What a number means.
fn numbered(function: &Function, number: u64, segment: u64) -> Selected {
    if number == 0 {
        return Selected::Own;
    }
    let known = function.open_mpi.iter().find(|known| u64::from(known.number) == number);
    Selected::Named(known.map_or_else(|| format!("algorithm {number}"), |known| known.name.to_owned()), segment)
}

/// By communicator size: the rules, by message size.
type Ranks = Vec<(u64, Vec<[u64; 3]>)>;

/// Reads the numbers, as Open MPI up to 5.0 does.
///
/// # Errors
/// The first position at which Open MPI would refuse the file.
pub fn read_classic(text: &str) -> Result<Selector, String> {
    let words = text.lines().enumerate().flat_map(|(number, line)| {
        let line = line.split('#').next().unwrap_or_default();
        line.split_whitespace().map(move |word| (number, word))
    });
    let mut words = words.peekable();
    let version = words.next_if(|(_, word)| word.starts_with("rule-file-version-"));
    let has_requests = version.is_some_and(|(_, word)| !word.ends_with("-1"));
    let mut next = |what: &str| -> Result<(usize, u64), String> {
        let (line, word) = words.next().ok_or_else(|| format!("the file ends where {what} should stand"))?;
        let number = word.parse().map_err(|_| super::at(line, format_args!("`{word}` is not {what}")))?;
        Ok((line, number))
    };
    let mut all: Vec<(u64, Ranks)> = Vec::new();
    for _ in 0..next("the number of collectives")?.1 {
        let id = next("the number of a collective")?.1;
        let mut ranks: Ranks = Vec::new();
        for _ in 0..next("the number of communicator sizes")?.1 {
            let size = next("a communicator size")?.1;
            let mut rules: Vec<[u64; 3]> = Vec::new();
            for index in 0..next("the number of message sizes")?.1 {
                let (line, bytes) = next("a message size")?;
                if index == 0 && bytes != 0 {
                    return Err(super::at(line, "the first message size is not 0: Open MPI drops the whole file"));
                }
                let number = next("an algorithm")?.1;
                next("a fan-out")?;
                rules.push([bytes, number, next("a segment size")?.1]);
                if has_requests {
                    next("a number of requests")?;
                }
            }
            ranks.push((size, rules));
        }
        all.push((id, ranks));
    }
    Ok(Box::new(move |function, call| {
        let of = |(_, ranks): &(u64, Ranks)| {
            let (_, rules) = ranks.iter().rfind(|(size, _)| *size <= call.K).or(ranks.first())?;
            let size = function.size.bytes(call);
            let [_, number, segment] = *rules.iter().rfind(|[bytes, ..]| *bytes <= size)?;
            Some(numbered(function, number, segment))
        };
        let own = all.iter().find(|(id, _)| *id == u64::from(function.collective));
        own.and_then(of).unwrap_or(Selected::Own)
    }))
}

/// Reads a JSON file, as Open MPI from 6.0 on does.
///
/// # Errors
/// What Open MPI would refuse.
pub fn read_json(text: &str) -> Result<Selector, String> {
    let file: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let known: Vec<String> = algorithms::internals::functions::FUNCTIONS.into_iter().map(short).collect();
    let collectives = file["collectives"].as_object().ok_or("there is no object `collectives`")?;
    if let Some(name) = collectives.keys().find(|name| !known.contains(name)) {
        return Err(format!("Open MPI drops the whole file: it knows no collective `{name}`"));
    }
    Ok(Box::new(move |function, call| {
        let has = |rule: &Value, least: &str, most: &str, value: u64| {
            rule[least].as_u64().unwrap_or(0) <= value && rule[most].as_u64().is_none_or(|most| value <= most)
        };
        let first = |list: &Value, least: &str, most: &str, value: u64| {
            list.as_array()?.iter().find(|rule| has(rule, least, most, value)).cloned()
        };
        let ranks = first(&file["collectives"][short(function)], "comm_size_min", "comm_size_max", call.K);
        let size = function.size.bytes(call);
        let rule = ranks.and_then(|ranks| first(&ranks["rules"], "msg_size_min", "msg_size_max", size));
        let Some(rule) = rule else { return Selected::Own };
        let segment = rule["seg_size"].as_u64().unwrap_or(0);
        match (&rule["alg"], rule["alg"].as_u64()) {
            (Value::String(name), _) => Selected::Named(name.clone(), segment),
            (_, number) => numbered(function, number.unwrap_or(0), segment),
        }
    }))
}
