//! Reads the JSON as Open MPI 6.0 does: in each list the first entry that fits.

use super::names;
use super::{Shape, numbers, selected};
use crate::libraries::{Family, Library, Row};
use crate::rules::json::Json;
use crate::rules::{Effect, Finding, Range, Reading, Selected, int};

/// A rule: its sizes, the number of its algorithm, its segment size.
type Rule = (Range, usize, Shape);

/// An entry of communicator sizes, and whether it is for one rank on each node.
struct Ranks {
    ranks: Range,
    fits: bool,
    rules: Vec<Rule>,
}

/// Reads the file; what is no JSON is read as numbers, as Open MPI does.
pub fn read(text: &str) -> Reading {
    let file: Json = match serde_json::from_str(text) {
        Ok(file) => file,
        Err(error) => {
            let mut reading = numbers::read(text, Library::OpenMpi6);
            let why = format!(
                "no JSON ({error}): Open MPI reads the file as numbers, the form of earlier versions"
            );
            let effect = if text.trim_start().starts_with('{') {
                Effect::Drops
            } else {
                Effect::Differs
            };
            reading.findings.insert(
                0,
                Finding::new(format!("line {}", error.line()), effect, why),
            );
            return reading;
        }
    };
    let mut findings = Vec::new();
    match collectives(&file, &mut findings) {
        Err(finding) => Reading::refused(vec![finding]),
        Ok(all) => Reading {
            about: all
                .iter()
                .map(|(collective, _)| Family::OpenMpi.rows()[*collective].key())
                .collect(),
            findings,
            selects: Box::new(move |function, call| {
                let collective = super::collective(function);
                let has = |range: Range, value: u64| range[0] <= value && value <= range[1];
                // Of a key that stands twice the later list counts.
                let ranks =
                    all.iter()
                        .rfind(|(own, _)| *own == collective)
                        .and_then(|(_, list)| {
                            list.iter().find(|one| one.fits && has(one.ranks, call.K))
                        });
                let size = function.size.bytes(call);
                let rule = ranks
                    .and_then(|ranks| ranks.rules.iter().find(|(sizes, ..)| has(*sizes, size)));
                let Some(&(_, number, shape)) = rule else {
                    return Selected::Own;
                };
                let number = i64::try_from(number).unwrap_or(0);
                selected(function, (number, shape), call, Library::OpenMpi6)
            }),
        },
    }
}

fn dropped(place: &str, why: impl Into<String>) -> Finding {
    Finding::new(place, Effect::Drops, why)
}

/// Keys that Open MPI does not read.
fn unread(value: &Json, place: &str, known: &[&str], findings: &mut Vec<Finding>) {
    let Json::Object(keys) = value else { return };
    for (index, (key, _)) in keys.iter().enumerate() {
        if keys[..index].iter().any(|(earlier, _)| earlier == key) {
            findings.push(Finding::new(
                place,
                Effect::Skips,
                format!("`{key}` stands twice: the first counts"),
            ));
        } else if !known.contains(&key.as_str()) {
            let why = format!(
                "Open MPI reads no `{key}` here and goes on as without it; it reads {}",
                known.join(", ")
            );
            findings.push(Finding::new(place, Effect::Differs, why));
        }
    }
}

fn collectives(
    file: &Json,
    findings: &mut Vec<Finding>,
) -> Result<Vec<(usize, Vec<Ranks>)>, Finding> {
    let Some(all) = file.get("collectives") else {
        return Err(dropped("the file", "there is no object `collectives`"));
    };
    let Json::Object(all) = all else {
        return Err(dropped(
            "collectives",
            format!("it is {}, not an object", all.kind()),
        ));
    };
    unread(
        file,
        "the file",
        &[
            "collectives",
            "rule_file_version",
            "module",
            "comm_rank_distribution",
            "$schema",
        ],
        findings,
    );
    let whole = is_fitting(file, "the file", true, findings)?;
    let mut lists: Vec<(usize, Vec<Ranks>)> = Vec::new();
    for (name, list) in all {
        let place = format!("collectives.{name}");
        let Some(collective) = Family::OpenMpi
            .rows()
            .iter()
            .position(|known| known.key() == *name)
        else {
            let plain = |name: &str| name.replace('_', "").to_lowercase();
            let mut keys = Family::OpenMpi.rows().iter().map(Row::key);
            let near = keys.find(|known| plain(known) == plain(name));
            let instead = near.map_or_else(String::new, |near| format!("; write `{near}`"));
            return Err(dropped(
                &place,
                format!("it knows no collective `{name}`{instead}"),
            ));
        };
        let Json::Array(list) = list else {
            return Err(dropped(
                &place,
                format!("it is {}, not a list", list.kind()),
            ));
        };
        if lists.iter().any(|(known, _)| *known == collective) {
            findings.push(Finding::new(
                &place,
                Effect::Skips,
                "the collective stands twice: Open MPI takes the later list",
            ));
        }
        if names::algorithms(collective, Library::OpenMpi6).is_empty() && !list.is_empty() {
            let why = format!(
                "tuned chooses no algorithm of {}",
                names::function(collective)
            );
            findings.push(Finding::new(&place, Effect::Skips, why));
        }
        let entry = |(index, entry)| {
            ranks(
                collective,
                entry,
                &format!("{place}[{index}]"),
                whole,
                findings,
            )
        };
        lists.push((
            collective,
            list.iter()
                .enumerate()
                .map(entry)
                .collect::<Result<_, _>>()?,
        ));
    }
    Ok(lists)
}

/// Whether an entry is for one rank on each node. Without the key it is as `whole`.
fn is_fitting(
    entry: &Json,
    place: &str,
    whole: bool,
    findings: &mut Vec<Finding>,
) -> Result<bool, Finding> {
    const KEY: &str = "comm_rank_distribution";
    match entry.get(KEY) {
        None => Ok(whole),
        Some(Json::Text(text)) => {
            let (effect, why) = match text.as_str() {
                "any" => return Ok(true),
                "one-per-node" => (
                    Effect::Outside,
                    "it is for one rank on each node, as castbench's calls",
                ),
                "single-node" => (
                    Effect::Outside,
                    "it is for ranks on one node; castbench's calls have one on each",
                ),
                _ => (
                    Effect::Differs,
                    "Open MPI takes an unknown distribution for `any`",
                ),
            };
            findings.push(Finding::new(
                place,
                effect,
                format!("{KEY} `{text}`: {why}"),
            ));
            Ok(text != "single-node")
        }
        Some(other) => Err(dropped(
            place,
            format!("`{KEY}` is {}, not a text", other.kind()),
        )),
    }
}

/// An integer, or the largest number for `inf`.
fn integer(entry: &Json, place: &str, key: &str, absent: u64) -> Result<u64, Finding> {
    match entry.get(key) {
        None => Ok(absent),
        // A negative number becomes a large one.
        Some(Json::Integer(value)) => Ok(value.cast_unsigned()),
        Some(Json::Text(text))
            if ["inf", "Inf", "INF"]
                .iter()
                .any(|known| text.starts_with(known)) =>
        {
            Ok(u64::MAX)
        }
        Some(other) => Err(dropped(
            place,
            format!(
                "`{key}` is {}; Open MPI reads only integers and \"inf\" and drops the whole file",
                other.kind()
            ),
        )),
    }
}

/// A number that Open MPI keeps in an `int`: that of `inf` and others become negative ones, which are 0 here.
fn cut(
    entry: &Json,
    place: &str,
    key: &str,
    absent: u64,
    findings: &mut Vec<Finding>,
) -> Result<u64, Finding> {
    let value = integer(entry, place, key, absent)?;
    if entry.get(key).is_none() {
        return Ok(value);
    }
    let kept = int(value.cast_signed());
    if kept.try_into() != Ok(value) {
        let written = match entry.get(key) {
            Some(Json::Integer(value)) => value.to_string(),
            _ => "\"inf\"".to_owned(),
        };
        let why =
            format!("`{key}` {written} is kept in 32 bits, as {kept}; for no limit remove the key");
        findings.push(Finding::new(place, Effect::Differs, why));
    }
    Ok(kept.try_into().unwrap_or(0))
}

fn ranks(
    collective: usize,
    entry: &Json,
    place: &str,
    whole: bool,
    findings: &mut Vec<Finding>,
) -> Result<Ranks, Finding> {
    let ranks = [
        cut(entry, place, "comm_size_min", 0, findings)?,
        cut(entry, place, "comm_size_max", u64::MAX, findings)?,
    ];
    let fits = is_fitting(entry, place, whole, findings)?;
    unread(
        entry,
        place,
        &[
            "comm_size_min",
            "comm_size_max",
            "comm_rank_distribution",
            "rules",
        ],
        findings,
    );
    let rules = entry
        .get("rules")
        .ok_or_else(|| dropped(place, "there is no list `rules`"))?;
    let Json::Array(rules) = rules else {
        return Err(dropped(
            place,
            format!("`rules` is {}, not a list", rules.kind()),
        ));
    };
    if ranks[0] > ranks[1] {
        findings.push(Finding::new(
            place,
            Effect::Skips,
            "comm_size_min is above comm_size_max: no communicator fits",
        ));
    }
    let rule = |(index, entry)| {
        rule(
            collective,
            entry,
            &format!("{place}.rules[{index}]"),
            findings,
        )
    };
    let rules: Vec<Option<Rule>> = rules
        .iter()
        .enumerate()
        .map(rule)
        .collect::<Result<_, _>>()?;
    for (index, of) in rules.iter().enumerate() {
        let Some(([first, last], number, _)) = *of else {
            continue;
        };
        let place = format!("{place}.rules[{index}]");
        let covers = |([from, to], ..): &Rule| *from <= first && last <= *to;
        if first <= last && rules[..index].iter().flatten().any(covers) {
            let why = "a rule above fits all of its messages, and the first that fits counts";
            findings.push(Finding::new(&place, Effect::Skips, why));
        }
        let number = i64::try_from(number).unwrap_or(0);
        let only_two = names::only_two(collective, number, Library::OpenMpi6);
        findings.extend(
            only_two
                .filter(|_| ranks[1] > 2 && ranks[0] <= ranks[1])
                .map(|why| Finding::new(&place, Effect::Fails, why)),
        );
    }
    Ok(Ranks {
        ranks,
        fits,
        rules: rules.into_iter().flatten().collect(),
    })
}

/// A rule; none if Open MPI disables it.
fn rule(
    collective: usize,
    entry: &Json,
    place: &str,
    findings: &mut Vec<Finding>,
) -> Result<Option<Rule>, Finding> {
    let sizes = [
        integer(entry, place, "msg_size_min", 0)?,
        integer(entry, place, "msg_size_max", u64::MAX)?,
    ];
    let shape = Shape {
        fan_out: cut(entry, place, "faninout", 0, findings)?,
        segment: cut(entry, place, "seg_size", 0, findings)?,
    };
    integer(entry, place, "reqs", 0)?;
    for key in ["msg_size_min", "msg_size_max"] {
        if let Some(Json::Integer(value @ ..0)) = entry.get(key) {
            let why = format!(
                "`{key}` {value} is below 0: Open MPI takes it for {}",
                value.cast_unsigned()
            );
            findings.push(Finding::new(place, Effect::Differs, why));
        }
    }
    unread(
        entry,
        place,
        &[
            "msg_size_min",
            "msg_size_max",
            "alg",
            "faninout",
            "seg_size",
            "reqs",
        ],
        findings,
    );
    if sizes[0] > sizes[1] {
        findings.push(Finding::new(
            place,
            Effect::Skips,
            "msg_size_min is above msg_size_max: no message fits",
        ));
    }
    let known = names::algorithms(collective, Library::OpenMpi6);
    let (number, name) = match entry.get("alg") {
        Some(Json::Integer(number)) => (
            usize::try_from(*number)
                .ok()
                .filter(|number| *number <= known.len()),
            number.to_string(),
        ),
        Some(Json::Text(name)) => {
            let plain = if name == "bruck-k-fanout" {
                "bruck"
            } else {
                name
            };
            let index = known
                .iter()
                .position(|known| *known == plain)
                .map(|index| index + 1);
            (index.or((name == "ignore").then_some(0)), name.clone())
        }
        other => {
            let is = other.map_or("missing", Json::kind);
            let why = format!(
                "`alg` is {is}: the rule leaves the choice to Open MPI; write a number or a name"
            );
            findings.push(Finding::new(place, Effect::Differs, why));
            return Ok(Some((sizes, 0, shape)));
        }
    };
    if number.is_none() {
        let why = format!(
            "{} has no algorithm `{name}` of {}: the rule is disabled; it has ignore, {}",
            Library::OpenMpi6.name(),
            names::function(collective),
            known.join(", ")
        );
        findings.push(Finding::new(place, Effect::Skips, why));
    }
    Ok(number.map(|number| (sizes, number, shape)))
}
