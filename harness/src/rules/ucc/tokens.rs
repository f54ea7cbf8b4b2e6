//! Reads `UCC_TL_UCP_TUNE` as `ucc_coll_score.c` does: tokens in order, each with its qualifiers in any order. A token that fails makes UCC
//! drop the whole value.

use crate::libraries::{Call, Family, Function, Library, Row};

use super::VARIABLE;
use crate::rules::shell::assignments;
use crate::rules::{Dialect, Effect, Finding, Range, Reading, Selected};

/// The collectives of UCC in its order.
fn rows() -> &'static [Row] {
    Family::Ucc.rows()
}

/// The types of memory, in UCC's order; castbench's calls are in the first.
const MEMORY: [&str; 5] = ["host", "cuda", "cuda_managed", "rocm", "rocm_managed"];

/// A part of the value. Empty lists mean all.
struct Token {
    text: String,
    collectives: Vec<usize>,
    memory: Vec<usize>,
    /// Sizes, without the last.
    bytes: Vec<Range>,
    /// Team sizes, with the last.
    ranks: Vec<Range>,
    score: Option<u64>,
    algorithm: Option<String>,
}

/// What tokens say for sizes of a collective and type of memory: disjoint.
type Entries = Vec<(Range, Option<&'static str>, Option<u64>)>;

/// The parts between separators; there are no empty ones.
fn parts<'a>(text: &'a str, separator: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(|letter: char| separator.contains(letter))
        .filter(|part| !part.is_empty())
}

/// A number with a binary unit; `inf` or `auto` for the largest.
fn size(text: &str) -> Option<u64> {
    if text.eq_ignore_ascii_case("inf") || text.eq_ignore_ascii_case("auto") {
        return Some(u64::MAX);
    }
    let end = text
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let mut letters = unit.chars().map(|letter| letter.to_ascii_lowercase());
    let shift = match letters.next() {
        None | Some('b') => 0,
        Some('k') => 10,
        Some('m') => 20,
        Some('g') => 30,
        Some('t') => 40,
        Some(_) => return None,
    };
    if letters.next().is_some_and(|letter| letter != 'b') {
        return None;
    }
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

fn sizes(text: &str) -> Option<Vec<Range>> {
    parts(text, ",")
        .map(|text| {
            let ends: Vec<&str> = parts(text, "-").collect();
            let [first, last] = ends[..] else { return None };
            Some([size(first)?, size(last)?])
        })
        .collect()
}

fn teams(text: &str) -> Option<Vec<Range>> {
    let number = |text: &str| text.parse::<u64>().ok();
    let range = |text: &str| {
        let ends: Vec<&str> = parts(text, "-").collect();
        let range = match ends[..] {
            [one] => [number(one)?; 2],
            [first, last] if last.eq_ignore_ascii_case("inf") => [number(first)?, u64::MAX],
            [first, last] => [number(first)?, number(last)?],
            _ => return None,
        };
        (range[0] <= range[1]).then_some(range)
    };
    parts(text.strip_prefix('[')?.strip_suffix(']')?, ",")
        .map(range)
        .collect()
}

/// The indices of names in a list.
fn indices(text: &str, known: &[impl AsRef<str>]) -> Option<Vec<usize>> {
    parts(text, ",")
        .map(|part| {
            known
                .iter()
                .position(|name| name.as_ref().eq_ignore_ascii_case(part))
        })
        .collect()
}

impl Token {
    fn parse(text: &str) -> Result<Self, String> {
        let names: Vec<String> = rows().iter().map(Row::key).collect();
        let [mut collectives, mut memory] = [None, None];
        let [mut bytes, mut ranks] = [None, None];
        let (mut score, mut algorithm) = (None, None);
        for part in parts(text, ":") {
            let is_taken = match part {
                _ if collectives.is_none() && indices(part, &names).is_some() => {
                    collectives = indices(part, &names);
                    true
                }
                _ if memory.is_none() && indices(part, &MEMORY).is_some() => {
                    memory = indices(part, &MEMORY);
                    true
                }
                _ if score.is_none() && part.eq_ignore_ascii_case("inf") => {
                    score = Some(u64::MAX);
                    true
                }
                _ if score.is_none() && part.bytes().all(|byte| byte.is_ascii_digit()) => {
                    score = Some(part.parse().unwrap_or(u64::MAX));
                    true
                }
                _ if bytes.is_none() && sizes(part).is_some() => {
                    bytes = sizes(part);
                    true
                }
                _ if ranks.is_none() && teams(part).is_some() => {
                    ranks = teams(part);
                    true
                }
                _ if algorithm.is_none() && part.starts_with('@') => {
                    algorithm = Some(part[1..].to_owned());
                    true
                }
                _ => false,
            };
            if !is_taken {
                return Err(format!("`{text}`: UCC does not know `{part}` there"));
            }
        }
        let [collectives, memory] = [collectives, memory].map(Option::unwrap_or_default);
        let [bytes, ranks] = [bytes, ranks].map(Option::unwrap_or_default);
        Ok(Self {
            text: text.to_owned(),
            collectives,
            memory,
            bytes,
            ranks,
            score,
            algorithm,
        })
    }

    /// The algorithm for a collective; none for UCC's own choice.
    fn algorithm(&self, collective: usize) -> Result<Option<&'static str>, String> {
        let Some(asked) = &self.algorithm else {
            return Ok(None);
        };
        let row = &rows()[collective];
        let known = row.names(Library::Ucc);
        let index = if asked.bytes().all(|byte| byte.is_ascii_digit()) {
            asked
                .parse()
                .unwrap_or(if asked.is_empty() { 0 } else { usize::MAX })
        } else {
            known
                .iter()
                .position(|known| known.eq_ignore_ascii_case(asked))
                .unwrap_or(usize::MAX)
        };
        match known.get(index) {
            Some(known) => Ok(Some(*known)),
            None => {
                let name = row.key();
                let has = if known.is_empty() {
                    "none".to_owned()
                } else {
                    known.join(", ")
                };
                Err(format!(
                    "`{}`: TL/UCP has no algorithm `{asked}` of {name}; it has {has}",
                    self.text
                ))
            }
        }
    }

    /// Adds what it says to the entries of each collective and type of memory.
    fn add(&self, all: &mut [Entries]) -> Result<(), String> {
        if self.score.is_none() && self.algorithm.is_none() {
            return Ok(());
        }
        let every = |chosen: &[usize], count: usize| {
            if chosen.is_empty() {
                (0..count).collect()
            } else {
                chosen.to_vec()
            }
        };
        let ranges = if self.bytes.is_empty() {
            vec![[0, u64::MAX]]
        } else {
            self.bytes.clone()
        };
        // UCC forgets all failures to add a range but the last.
        let mut last = Ok(());
        for collective in every(&self.collectives, rows().len()) {
            let algorithm = self.algorithm(collective)?;
            for memory in every(&self.memory, MEMORY.len()) {
                let entries = &mut all[collective * MEMORY.len() + memory];
                for &[first, end] in &ranges {
                    let overlaps = entries
                        .iter()
                        .any(|([from, to], ..)| first < *to && *from < end);
                    last = match () {
                        () if first >= end => {
                            Err(format!("`{}`: the range {first}-{end} is empty", self.text))
                        }
                        () if overlaps => Err(format!(
                            "`{}`: its sizes overlap those of an earlier token; UCC takes each size once",
                            self.text
                        )),
                        () => Ok(()),
                    };
                    if last.is_ok() {
                        entries.push(([first, end], algorithm, self.score));
                    }
                }
            }
        }
        last
    }

    fn has_team(&self, ranks: u64) -> bool {
        self.ranks.is_empty()
            || self
                .ranks
                .iter()
                .any(|[first, last]| (*first..=*last).contains(&ranks))
    }
}

/// What all tokens say for teams of this size; an error where UCC drops them.
fn entries(tokens: &[Token], ranks: u64) -> Result<Vec<Entries>, String> {
    let mut all = vec![Entries::new(); rows().len() * MEMORY.len()];
    for token in tokens.iter().filter(|token| token.has_team(ranks)) {
        token.add(&mut all)?;
    }
    Ok(all)
}

const IN_SECTION: &str =
    "it stands in a section for certain machines, which castbench does not judge";

/// The value of the variable and its line. Of several values the last counts.
fn value(text: &str, findings: &mut Vec<Finding>) -> Option<(usize, String)> {
    // The reader of ucc.conf skips the mark of UTF-8, and knows comments behind a value only with `;`.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let section = text
        .lines()
        .position(|line| line.trim_start().starts_with('['));
    let mut all = assignments(text, "UCC_TL_UCP_", ';', findings);
    for radix in all.extract_if(.., |assignment| assignment.name.ends_with("_RADIX")) {
        let why = format!(
            "{} = {}: castbench takes the radix of UCC's default where a rule says knomial",
            radix.name, radix.value
        );
        findings.push(Finding::line(radix.line, Effect::Outside, why));
    }
    let (in_section, whole): (Vec<_>, Vec<_>) = all
        .into_iter()
        .filter(|assignment| assignment.name == VARIABLE)
        .partition(|assignment| section.is_some_and(|section| assignment.line > section));
    for assignment in in_section {
        findings.push(Finding::line(assignment.line, Effect::Outside, IN_SECTION));
    }
    for pair in whole.windows(2) {
        findings.push(Finding::line(
            pair[0].line,
            Effect::Skips,
            format!("{VARIABLE} is set again in line {}", pair[1].line + 1),
        ));
    }
    whole
        .into_iter()
        .next_back()
        .map(|assignment| (assignment.line, assignment.value))
}

/// Reads the variable, alone or in a file.
pub fn read(text: &str) -> Reading {
    let mut findings = Vec::new();
    let Some((line, value)) = value(text, &mut findings) else {
        let outside = match findings.iter().any(|found| found.why == IN_SECTION) {
            true => " outside of sections for certain machines",
            false => "",
        };
        findings.push(Finding::new(
            "the file",
            Effect::Unclear,
            format!("there is no line `{VARIABLE} = ...`{outside}, so castbench judges nothing"),
        ));
        return Reading::refused(findings);
    };
    let tokens: Result<Vec<Token>, String> = parts(&value, "#").map(Token::parse).collect();
    let tokens = match tokens {
        Ok(tokens) => tokens,
        Err(why) => {
            let hint = if value.contains(" #") {
                "; `#` begins a token, a comment behind a value begins with `;`"
            } else {
                ""
            };
            let why = why + hint;
            return Reading::refused(vec![Finding::line(line, Effect::Drops, why)]);
        }
    };
    if let Err(finding) = judged(&tokens, line, &mut findings) {
        return Reading::refused(vec![finding]);
    }
    let mut about: Vec<String> = Vec::new();
    for (index, row) in rows().iter().enumerate() {
        if tokens
            .iter()
            .any(|token| token.collectives.is_empty() || token.collectives.contains(&index))
        {
            about.push(row.key());
        }
    }
    let selects = Box::new(move |function: &Function, call: Call| {
        let index = rows().iter().position(|row| row.name == function.name);
        let (Some(index), Ok(all)) = (index, entries(&tokens, call.K)) else {
            return Selected::Own;
        };
        let bytes = Dialect::Ucc.bytes(function, call);
        let has = |[first, end]: Range| first <= bytes && (bytes < end || end == u64::MAX);
        match all[index * MEMORY.len()]
            .iter()
            .find(|(range, ..)| has(*range))
        {
            Some((.., Some(0))) => Selected::Not(
                "score 0: TL/UCP is off there, and UCC takes another transport".to_owned(),
            ),
            Some((_, Some(name), _)) => Selected::Named((*name).to_owned(), 0),
            _ => Selected::Own,
        }
    });
    Reading {
        selects,
        findings,
        about,
    }
}

/// What does not work of the tokens; the error is where UCC drops them for every size of team.
fn judged(tokens: &[Token], line: usize, findings: &mut Vec<Finding>) -> Result<(), Finding> {
    for token in tokens {
        let text = &token.text;
        for part in parts(text, ":,").filter(|part| part.starts_with('-')) {
            let why = format!("`{text}`: UCC reads `{part}` without the leading `-`");
            findings.push(Finding::line(line, Effect::Differs, why));
        }
        if token.score.is_none() && token.algorithm.is_none() {
            let why = format!(
                "`{text}`: UCC needs a score or an algorithm in each token and ignores this one"
            );
            findings.push(Finding::line(line, Effect::Skips, why));
        }
        if !token.memory.is_empty() && !token.memory.contains(&0) {
            let why = format!(
                "`{text}` is for other memory than that of the host, which castbench's calls use"
            );
            findings.push(Finding::line(line, Effect::Outside, why));
        }
        let unmapped = token
            .collectives
            .iter()
            .filter(|index| token.algorithm.is_some() && rows()[**index].is_unmapped);
        for index in unmapped {
            let row = &rows()[*index];
            let name = row.key();
            if !row.algorithms.is_empty() {
                let why = format!(
                    "`{text}`: ucc_info lists algorithms of {name}, but versions of UCC whose TL/UCP cannot select one drop the whole value; \
                     remove the token"
                );
                findings.push(Finding::line(line, Effect::Differs, why));
            }
        }
    }
    let mut teams: Vec<u64> = tokens
        .iter()
        .flat_map(|token| &token.ranks)
        .flat_map(|[first, last]| [*first, last.saturating_add(1)])
        .collect();
    teams.push(2);
    teams.sort_unstable();
    teams.dedup();
    let dropped: Vec<(u64, String)> = teams
        .iter()
        .filter_map(|team| Some((*team, entries(tokens, *team).err()?)))
        .collect();
    match dropped.first() {
        Some((_, why)) if dropped.len() == teams.len() => {
            Err(Finding::line(line, Effect::Drops, why))
        }
        Some((team, why)) => {
            let why = format!(
                "for teams of some sizes, as {team} ranks, UCC drops the whole value: {why}"
            );
            findings.push(Finding::line(line, Effect::Differs, why));
            Ok(())
        }
        None => Ok(()),
    }
}
