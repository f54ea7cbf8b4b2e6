//! Reads decisions as MPICH's `csel.c` does. What it does not know stops the program, and so does a call without a decision.

use crate::base::units::joined;
use crate::libraries::{Call, Function, Library};

use super::{Need, Tree, needs, short};
use crate::rules::json::Json;
use crate::rules::{Effect, Finding, Reading, Selected, int};

/// The algorithms by function.
const NAMES: &str = include_str!("names.txt");

/// The names of a function's algorithms, with `-` for those of 4.0 only and `+` for those of 4.3 only.
fn functions() -> impl Iterator<Item = (String, Vec<&'static str>)> {
    NAMES
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(' '))
        .map(|(name, all)| (name.to_lowercase(), all.split(' ').collect()))
}

/// The collective of an algorithm `MPIR_Bcast_intra_binomial`, if the version has it.
fn collective_of(algorithm: &str, version: Library) -> Option<String> {
    let own = algorithm.strip_prefix("MPIR_")?;
    let other = if version == Library::Mpich { '+' } else { '-' };
    functions().find_map(|(name, all)| {
        let rest = own
            .get(name.len()..)
            .filter(|_| own[..name.len()].eq_ignore_ascii_case(&name))?
            .strip_prefix('_')?;
        all.iter()
            .any(|known| !known.starts_with(other) && known.trim_start_matches(['+', '-']) == rest)
            .then_some(name)
    })
}

/// Reads the file for calls with so many ranks on each node.
pub fn read(text: &str, version: Library, node: u64) -> Reading {
    let tree = match Tree::parse(text) {
        Ok(tree) => tree,
        Err(why) => {
            let why = format!(
                "{why}; {} reads an object of objects, as in its own generic.json",
                version.name()
            );
            return Reading::refused(vec![Finding::new("the file", Effect::Stops, why)]);
        }
    };
    let mut check = Check {
        version,
        findings: Vec::new(),
        above: Vec::new(),
    };
    if let Ok(json) = serde_json::from_str(text) {
        check.repeated(&json, "");
    }
    check.node(&tree, "", None);
    check.missing(&tree);
    let about = tree
        .0
        .iter()
        .filter_map(|(key, _)| key.strip_prefix("collective="))
        .map(str::to_owned)
        .collect();
    let findings = check.findings;
    if findings.iter().any(|finding| finding.effect.refuses()) {
        return Reading::refused(findings);
    }
    let selects = Box::new(move |function: &Function, call: Call| {
        let question = Question {
            function,
            call,
            node,
            version,
        };
        match choose(&tree, &question) {
            Ok(Some(name)) => Selected::Named(name.to_owned(), 0),
            Ok(None) => Selected::Not("no decision fits, and MPICH stops".to_owned()),
            Err(why) => Selected::Not(why),
        }
    });
    Reading {
        selects,
        findings,
        about,
    }
}

/// What MPICH decides for.
struct Question<'q> {
    function: &'q Function,
    call: Call,
    /// Ranks of each node, which follow each other.
    node: u64,
    version: Library,
}

/// The algorithm for a call.
fn choose<'a>(tree: &'a Tree, question: &Question<'_>) -> Result<Option<&'a str>, String> {
    let Question {
        function, version, ..
    } = *question;
    for (key, below) in &tree.0 {
        if let Some(algorithm) = leaf(key) {
            return match collective_of(algorithm, version) {
                Some(own) if own == short(function) => Ok(Some(algorithm)),
                _ => Err(format!(
                    "{algorithm} is no algorithm of {}, and MPICH stops",
                    function.name
                )),
            };
        }
        if fits(key, question)? {
            return choose(below, question);
        }
    }
    Ok(None)
}

fn leaf(key: &str) -> Option<&str> {
    key.strip_prefix("algorithm=")
        .or(key.strip_prefix("composition="))
}

/// A number as `atoi` reads it: digits at the begin, cut to 32 bits.
fn atoi(text: &str) -> i64 {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    let value = text[..end].bytes().fold(0_i64, |value, digit| {
        value
            .saturating_mul(10)
            .saturating_add(i64::from(digit - b'0'))
    });
    int(value)
}

/// A condition: what it is of, and its test.
fn split(key: &str) -> (&str, &str) {
    key.split_at(key.find(['<', '=']).unwrap_or(key.len()))
}

/// The number that a test compares with, and whether it is included.
fn limit(test: &str) -> Option<(&str, bool)> {
    let number = test.strip_prefix('<')?;
    Some(
        number
            .strip_prefix('=')
            .map_or((number, false), |number| (number, true)),
    )
}

/// Whether MPICH knows a condition.
fn is_known(key: &str, version: Library) -> bool {
    let (subject, test) = split(key);
    let is_old = version == Library::Mpich;
    if !is_old && (key == "any" || key.ends_with("=any")) {
        return true;
    }
    let is_compared = test.starts_with('<');
    match subject {
        "collective" => true,
        "comm_type" => matches!(test, "=intra" | "=inter"),
        "comm_size" => is_compared || matches!(test, "=pow2" | "=node_comm_size" | "=any"),
        "avg_msg_size" | "total_msg_size" => is_compared || test == "=any",
        "count" => test.starts_with("<=") || matches!(test, "<pow2" | "=any"),
        "comm_avg_ppn" => test.starts_with("<=") || is_compared && !is_old,
        "comm_hierarchy" => matches!(test, "=parent" | "=node_roots" | "=node" | "=flat" | "=any"),
        "per_proc_msg_size" => !is_old && is_compared,
        "is_multi_threaded"
        | "is_commutative"
        | "is_sendbuf_inplace"
        | "is_op_built_in"
        | "is_block_regular"
        | "is_node_consecutive" => matches!(test, "=yes" | "=no"),
        _ => false,
    }
}

/// Whether MPICH can evaluate a condition for a collective; it stops otherwise.
fn is_defined(subject: &str, collective: &str) -> bool {
    let plain = collective.strip_prefix('i').unwrap_or(collective);
    let has = |known: &[&str]| known.contains(&plain);
    match subject {
        "avg_msg_size" => has(&["bcast", "allreduce", "reduce", "alltoall"]),
        "is_commutative" => has(&[
            "allreduce",
            "reduce",
            "reduce_scatter",
            "reduce_scatter_block",
        ]),
        "is_op_built_in" => has(&["allreduce", "reduce"]),
        "is_sendbuf_inplace" => has(&["alltoall", "alltoallv", "alltoallw"]),
        "is_block_regular" => has(&["reduce_scatter"]),
        "count" => has(&[
            "bcast",
            "allreduce",
            "reduce",
            "allgather",
            "allgatherv",
            "reduce_scatter",
            "reduce_scatter_block",
        ]),
        "total_msg_size" => {
            !has(&["barrier", "scan", "exscan", "gatherv", "scatterv"])
                && !plain.starts_with("neighbor")
        }
        _ => true,
    }
}

/// Whether a condition is true of a call with an operator that is built in and commutes.
fn fits(key: &str, question: &Question<'_>) -> Result<bool, String> {
    let Question {
        function,
        call,
        node,
        version,
    } = *question;
    let (subject, test) = split(key);
    // Several nodes with several ranks each.
    let is_parent = node > 1 && call.K > node;
    if key == "any" || test == "=any" {
        return Ok(true);
    }
    if !is_defined(subject, &short(function)) {
        return Err(format!(
            "MPICH has no `{subject}` for {}, and stops",
            function.name
        ));
    }
    let K = call.K;
    let elements = call.bytes / call.element.max(1);
    let value = match subject {
        "collective" => return Ok(test[1..] == short(function)),
        "comm_size" => K,
        // Later versions find no hierarchy elsewhere.
        "comm_avg_ppn" if version != Library::Mpich && !is_parent => return Ok(false),
        "comm_avg_ppn" => node.min(K),
        "avg_msg_size" => call.bytes,
        "total_msg_size" if matches!(function.name, "MPI_Gather" | "MPI_Scatter") => {
            elements.saturating_mul(K)
        }
        "total_msg_size" => call.bytes.saturating_mul(K),
        "count" if function.name == "MPI_Reduce_scatter" => elements.saturating_mul(K),
        "count" => elements,
        "comm_type" => return Ok(test == "=intra"),
        "comm_hierarchy" => return Ok((test == "=parent") == is_parent),
        "is_multi_threaded" | "is_sendbuf_inplace" => return Ok(test == "=no"),
        "per_proc_msg_size" => {
            return Err("castbench does not know what `per_proc_msg_size` compares".to_owned());
        }
        _ => return Ok(test == "=yes"),
    };
    let fits = |(number, is_included)| {
        let is_below = |limit| value < limit || is_included && value == limit;
        u64::try_from(atoi(number)).is_ok_and(is_below)
    };
    Ok(match test {
        "=pow2" => K.is_power_of_two(),
        "<pow2" => value < (1 << K.max(1).ilog2()),
        _ => limit(test).is_some_and(fits),
    })
}

/// Looks at each object of a file.
struct Check<'a> {
    version: Library,
    findings: Vec<Finding>,
    /// The objects above, and the index of the key that leads on.
    above: Vec<(&'a Tree, usize)>,
}

impl<'a> Check<'a> {
    fn found(&mut self, place: &str, effect: Effect, why: impl Into<String>) {
        let place = if place.is_empty() { "the file" } else { place };
        self.findings.push(Finding::new(place, effect, why));
    }

    fn node(&mut self, node: &'a Tree, place: &str, collective: Option<&str>) {
        let version = self.version.name();
        if node.0.is_empty() {
            let (effect, why) = if place.is_empty() {
                (
                    Effect::Stops,
                    "it has no decision, and MPICH stops at the first collective",
                )
            } else {
                (Effect::Stops, "an object without a decision")
            };
            self.found(place, effect, why);
        }
        for (index, (key, below)) in node.0.iter().enumerate() {
            let here = if place.is_empty() {
                key.clone()
            } else {
                format!("{place} / {key}")
            };
            if let Some(algorithm) = leaf(key) {
                self.leaf(&here, key, algorithm, collective);
                if index > 0 || node.0.len() > 1 {
                    self.found(
                        &here,
                        Effect::Skips,
                        "other keys stand beside an algorithm: MPICH ignores them",
                    );
                }
                return;
            }
            if !is_known(key, self.version) {
                let form = if key.contains(['=', '<']) {
                    String::new()
                } else {
                    "; files of the newer form (`\"version\"`, `\"bcast\"`) are for other versions"
                        .to_owned()
                };
                self.found(
                    &here,
                    Effect::Stops,
                    format!("{version} does not know `{key}`{form}"),
                );
                continue;
            }
            self.condition(
                key,
                &here,
                collective,
                node.0.get(index + 1).map(|(next, _)| next.as_str()),
            );
            let own = key.strip_prefix("collective=");
            if let Some(own) = own.filter(|own| functions().all(|(known, _)| known != *own)) {
                self.found(
                    &here,
                    Effect::Stops,
                    format!("{version} does not know the collective `{own}`"),
                );
                continue;
            }
            self.above.push((node, index));
            self.node(below, &here, own.or(collective));
            self.above.pop();
        }
        self.complete(node, place);
    }

    /// Keys that stand twice, which the tree has once.
    fn repeated(&mut self, json: &Json, place: &str) {
        let Json::Object(keys) = json else { return };
        for (index, (key, below)) in keys.iter().enumerate() {
            let here = match place {
                "" => key.clone(),
                _ => format!("{place} / {key}"),
            };
            if keys[..index].iter().any(|(earlier, _)| earlier == key) {
                let why = "the key stands twice: MPICH takes the later value";
                self.found(&here, Effect::Skips, why);
            }
            self.repeated(below, &here);
        }
    }

    fn leaf(&mut self, place: &str, key: &str, algorithm: &str, collective: Option<&str>) {
        let version = self.version.name();
        match (
            key.starts_with("composition="),
            collective_of(algorithm, self.version),
            collective,
        ) {
            (true, ..) => self.found(
                place,
                Effect::Stops,
                "compositions are for the file of the device, not for this one",
            ),
            (_, None, _) => self.found(
                place,
                Effect::Stops,
                format!("{version} has no algorithm `{algorithm}`"),
            ),
            (_, Some(own), Some(of)) if own != of => {
                self.found(
                    place,
                    Effect::Fails,
                    format!("it is no algorithm of {of}: MPICH stops at the call"),
                );
            }
            _ => self.needed(place, algorithm),
        }
    }

    /// Conditions without which an algorithm fails, and under which it does not stand.
    fn needed(&mut self, place: &str, algorithm: &str) {
        let holds = |need: &&Need| {
            let mut above = self.above.iter();
            above.any(|(node, index)| need.holds(&node.0[..*index], &node.0[*index].0))
        };
        let lacks = needs(algorithm).iter().filter(|need| !holds(need));
        let lacks = joined(" and ", lacks.map(Need::words));
        if !lacks.is_empty() {
            let why = format!(
                "{algorithm} is for calls with {lacks} only: others stop, or compute wrong results; put it under that condition"
            );
            self.found(place, Effect::Fails, why);
        }
    }

    fn condition(&mut self, key: &str, place: &str, collective: Option<&str>, next: Option<&str>) {
        let (subject, test) = split(key);
        let is_any = key == "any" || test == "=any";
        // MPICH takes `comm_hierarchy=any` for a condition.
        let is_branch = is_any && subject != "comm_hierarchy";
        if is_branch && next.is_some() {
            self.found(
                place,
                Effect::Stops,
                "conditions stand behind `any`; it must be the last",
            );
        }
        let needs_next = test.starts_with('<') || matches!(test, "=pow2" | "=node_comm_size");
        if needs_next && next.is_none() {
            self.found(
                place,
                Effect::Stops,
                format!("no condition follows `{key}`; end with `{subject}=any`"),
            );
        }
        if let Some(collective) =
            collective.filter(|collective| !is_any && !is_defined(subject, collective))
        {
            self.found(
                place,
                Effect::Fails,
                format!("MPICH has no `{subject}` for {collective}: it stops at the call"),
            );
        }
        if subject == "per_proc_msg_size" {
            self.found(
                place,
                Effect::Outside,
                "castbench does not know what `per_proc_msg_size` compares",
            );
        }
        if let Some((number, _)) = limit(test)
            && test != "<pow2"
            && number.parse() != Ok(atoi(number))
        {
            let why = format!(
                "`{number}` is read as {}: MPICH reads digits, and 31 bits",
                atoi(number)
            );
            self.found(place, Effect::Differs, why);
        }
    }

    /// Calls for which no condition of an object holds.
    fn complete(&mut self, node: &Tree, place: &str) {
        let has = |key: &str| node.0.iter().any(|(known, _)| known == key);
        let is_open = node.0.iter().all(|(key, _)| {
            let (subject, test) = split(key);
            let other = match test {
                "=yes" => format!("{subject}=no"),
                "=no" => format!("{subject}=yes"),
                "=intra" => "comm_type=inter".to_owned(),
                "=inter" => "comm_type=intra".to_owned(),
                _ => String::new(),
            };
            let is_hierarchy = subject == "comm_hierarchy"
                && has("comm_hierarchy=parent")
                && node
                    .0
                    .iter()
                    .any(|(key, _)| split(key).0 == subject && key != "comm_hierarchy=parent");
            let is_any = key == "any" || test == "=any";
            subject != "collective" && !is_any && !has(&other) && !is_hierarchy
        });
        if is_open && !node.0.is_empty() {
            self.found(
                place,
                Effect::Fails,
                "no decision for calls of which none of the conditions holds: MPICH stops",
            );
        }
    }

    /// Collectives without decisions.
    fn missing(&mut self, tree: &Tree) {
        let is_by_collective = tree.0.iter().any(|(key, _)| key.starts_with("collective="));
        let lacks = |name: &String| {
            !tree
                .0
                .iter()
                .any(|(key, _)| key.strip_prefix("collective=") == Some(name))
        };
        let all: Vec<String> = functions().map(|(name, _)| name).filter(lacks).collect();
        if is_by_collective && !all.is_empty() {
            let why = format!(
                "no decision for {}: MPICH replaces all of its own, and stops at these calls; change a copy of its generic.json",
                all.join(", ")
            );
            self.found("", Effect::Fails, why);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::name;
    use super::*;
    use crate::libraries::{Family, functions as of_mpi};

    /// The table of the library and the names that the reader knows are of the same versions.
    #[test]
    fn the_table_names_what_the_reader_knows() {
        let mut count = 0;
        for library in Family::Mpich.versions() {
            for known in of_mpi().flat_map(|function| {
                let known = function.algorithms(library).iter();
                known.map(move |known| name(function, known.name))
            }) {
                assert!(
                    collective_of(&known, library).is_some(),
                    "{library:?}: {known}"
                );
                count += 1;
            }
        }
        assert!(count > 40, "{count}");
    }
}
