//! Reads the numbers as Open MPI does: `fscanf` with `%li`, where what is no number is skipped a character at a time.

use std::collections::BTreeMap;

use crate::libraries::{Call, Family, Function, Library};

use super::{Shape, names, selected};
use crate::rules::{Effect, Finding, Reading, Selected, int};

/// The numbers of a file.
struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    findings: Vec<Finding>,
}

impl Scan<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// One character further.
    fn step(&mut self) {
        self.line += usize::from(self.peek(0) == b'\n');
        self.at += 1;
    }

    /// The next number and its line; none at the end of the file.
    fn next(&mut self) -> Option<(usize, i64)> {
        loop {
            while self.peek(0).is_ascii_whitespace() || self.peek(0) == 0x0b {
                self.step();
            }
            if self.at >= self.bytes.len() {
                return None;
            }
            if let Some(number) = self.number() {
                return Some((self.line, number));
            }
            if self.peek(0) == b'#' {
                while self.at < self.bytes.len() && self.peek(0) != b'\n' {
                    self.at += 1;
                }
            } else if self.at < self.bytes.len() {
                self.skipped();
            }
        }
    }

    /// A character that is neither of a number nor of a comment.
    fn skipped(&mut self) {
        let place = format!("line {}", self.line + 1);
        if self
            .findings
            .last()
            .is_none_or(|finding| finding.place != place)
        {
            let end = self.bytes[self.at..]
                .iter()
                .position(|byte| byte.is_ascii_whitespace() || *byte == b'#');
            let word = &self.bytes[self.at..end.map_or(self.bytes.len(), |end| self.at + end)];
            let word = String::from_utf8_lossy(&word[..word.len().min(40)]).into_owned();
            let why = format!(
                "`{word}` is no number and no comment: Open MPI skips its letters and reads on"
            );
            self.findings
                .push(Finding::new(place, Effect::Differs, why));
        }
        self.step();
    }

    /// A number as `strtol` reads it with base 0: octal after 0, hexadecimal after 0x. A sign without digits is consumed.
    fn number(&mut self) -> Option<i64> {
        let start = self.at;
        let is_negative = self.peek(0) == b'-';
        if matches!(self.peek(0), b'-' | b'+') {
            self.at += 1;
        }
        if !self.peek(0).is_ascii_digit() {
            return None;
        }
        let base = match (self.peek(0), self.peek(1) | 0x20) {
            (b'0', b'x') => 16,
            (b'0', _) => 8,
            _ => 10,
        };
        self.at += if base == 16 { 2 } else { 0 };
        let mut value: i64 = 0;
        while let Some(digit) = char::from(self.peek(0)).to_digit(base) {
            value = value
                .saturating_mul(base.into())
                .saturating_add(digit.into());
            self.at += 1;
        }
        let text = String::from_utf8_lossy(&self.bytes[start..self.at]).into_owned();
        if base == 16 || base == 8 && text.trim_start_matches(['-', '+']).len() > 1 {
            let kind = if base == 8 { "octal" } else { "hexadecimal" };
            let why = format!("`{text}` is {kind}: Open MPI reads {value}; write {value}");
            self.findings
                .push(Finding::line(self.line, Effect::Differs, why));
        }
        Some(if is_negative { -value } else { value })
    }

    /// `rule-file-version-N`, which versions from 5.0.7 on read at the very begin.
    fn version(&mut self) -> u64 {
        const WORD: &[u8] = b"rule-file-version-";
        let same = WORD
            .iter()
            .zip(self.bytes)
            .take_while(|(one, other)| one == other)
            .count();
        self.at = same;
        let digits = self.bytes[same..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if same < WORD.len() || digits == 0 {
            return 1;
        }
        self.at += digits;
        String::from_utf8_lossy(&self.bytes[same..same + digits])
            .parse()
            .unwrap_or(u64::MAX)
    }

    /// Whether a digit follows in this line.
    fn is_digit_next(&mut self) -> bool {
        while matches!(self.peek(0), b' ' | b'\t') {
            self.at += 1;
        }
        self.peek(0).is_ascii_digit()
    }
}

/// A message size with its algorithm and segment size, and its line.
#[derive(Clone, Copy)]
struct Rule {
    line: usize,
    size: u64,
    number: i64,
    shape: Shape,
}

/// A communicator size with its rules, and its line.
struct Ranks {
    line: usize,
    size: i64,
    rules: Vec<Rule>,
}

/// Which entry Open MPI takes for a value: up to 5.0 the last before the first larger one, or the first.
fn taken(sizes: impl Iterator<Item = u64>, value: u64) -> usize {
    sizes
        .take_while(|size| *size <= value)
        .count()
        .saturating_sub(1)
}

/// The entry of communicator sizes for K ranks. Open MPI 6.0 takes a size as the end of a range, excluded.
fn ranks_taken(ranks: &[Ranks], K: u64, version: Library) -> Option<&Ranks> {
    let size = |ranks: &Ranks| u64::try_from(ranks.size).unwrap_or(0);
    if version != Library::OpenMpi6 {
        return ranks.get(taken(ranks.iter().map(size), K));
    }
    let first = |index: usize| {
        if index == 0 {
            0
        } else {
            size(&ranks[index - 1])
        }
    };
    (0..ranks.len())
        .find(|index| first(*index) <= K && (index + 1 == ranks.len() || K < size(&ranks[*index])))
        .map(|index| &ranks[index])
}

/// The rule for a size.
fn rule_taken(rules: &[Rule], size: u64, version: Library) -> Option<Rule> {
    if version != Library::OpenMpi6 {
        return rules
            .get(taken(rules.iter().map(|rule| rule.size), size))
            .copied();
    }
    (0..rules.len())
        .find(|index| {
            rules[*index].size <= size
                && rules
                    .get(index + 1)
                    .is_none_or(|next| size <= next.size.wrapping_sub(1))
        })
        .map(|index| rules[index])
}

/// Entries that are never reached, or only from a larger size on, because the sizes do not ascend.
fn unsorted(what: &str, sizes: &[(usize, i128)], version: Library, findings: &mut Vec<Finding>) {
    let mut largest: Option<(usize, i128)> = None;
    // Open MPI 6.0 takes a communicator size as the end of a range.
    let is_end = version == Library::OpenMpi6 && what == "communicator size";
    for (index, &(line, size)) in sizes.iter().enumerate() {
        let next = sizes.get(index + 1);
        let least = largest.map_or(size, |(_, largest)| largest.max(size));
        if let Some((of, above)) = largest.filter(|(_, largest)| *largest > size) {
            let is_reached = next.is_none_or(|(_, next)| *next > least);
            let stops = format!(
                "{what} {size} stands behind the larger {above} of line {}",
                of + 1
            );
            let (effect, does) = match (version, is_reached) {
                (Library::OpenMpi6, _) => (
                    Effect::Differs,
                    "the ranges overlap, and the first that fits counts".to_owned(),
                ),
                (_, true) => (Effect::Differs, format!("it holds from {above} on")),
                (_, false) => (Effect::Skips, "it is never reached".to_owned()),
            };
            findings.push(Finding::line(
                line,
                effect,
                format!("{stops}: {does}; sort the sizes"),
            ));
        } else if next.is_some_and(|(_, next)| *next == size) && !is_end {
            let why = format!("{what} {size} stands twice: the later entry is taken; remove one");
            findings.push(Finding::line(line, Effect::Skips, why));
        } else if index > 0 && sizes[index - 1].1 == size && is_end && next.is_some() {
            let why = format!(
                "{what} {size} stands twice: the range before {size} is empty; remove this entry"
            );
            findings.push(Finding::line(line, Effect::Skips, why));
        }
        largest = Some(
            largest
                .filter(|(_, largest)| *largest >= size)
                .unwrap_or((line, size)),
        );
    }
}

/// The blocks of a file, by collective; each with its line.
type Blocks = BTreeMap<usize, (usize, Vec<Ranks>)>;

/// Reads the numbers as a version does.
pub fn read(text: &str, version: Library) -> Reading {
    let mut scan = Scan {
        bytes: text.as_bytes(),
        at: 0,
        line: 0,
        findings: Vec::new(),
    };
    let has_version = text.trim_start().starts_with("rule-file-version-");
    let form = if version == Library::OpenMpi4 {
        1
    } else {
        scan.version()
    };
    match blocks(&mut scan, form > 1) {
        Err(mut finding) => {
            if has_version && version == Library::OpenMpi4 {
                finding.why += "; 4.1 does not know `rule-file-version-`: remove the line, and the numbers of requests";
            }
            Reading::refused(vec![finding])
        }
        Ok(blocks) => {
            if let Some((line, _)) = scan.next() {
                let why = "the counts above end here: Open MPI ignores the rest; correct the count";
                scan.findings
                    .retain(|finding| finding.place != format!("line {}", line + 1));
                scan.findings.push(Finding::line(line, Effect::Skips, why));
            }
            judged(blocks, version, scan.findings)
        }
    }
}

fn judged(blocks: Blocks, version: Library, mut findings: Vec<Finding>) -> Reading {
    for (&collective, (line, ranks)) in &blocks {
        if names::algorithms(collective, version).is_empty() && !ranks.is_empty() {
            let why = format!(
                "tuned chooses no algorithm of {}",
                names::function(collective)
            );
            findings.push(Finding::line(*line, Effect::Skips, why));
            continue;
        }
        let sizes: Vec<_> = ranks
            .iter()
            .map(|ranks| (ranks.line, ranks.size.into()))
            .collect();
        unsorted("communicator size", &sizes, version, &mut findings);
        for (index, Ranks { rules, .. }) in ranks.iter().enumerate() {
            let is_for = |K: u64| {
                ranks_taken(ranks, K, version).is_some_and(|own| own.line == ranks[index].line)
            };
            let is_for_others = ranks
                .iter()
                .filter_map(|ranks| u64::try_from(ranks.size).ok())
                .flat_map(|size| [size.saturating_sub(1), size, size + 1, 3])
                .any(|K| K > 2 && is_for(K));
            let sizes = rules.iter().map(|rule| (rule.line, rule.size.into()));
            let sizes: Vec<_> = sizes.collect();
            unsorted("message size", &sizes, version, &mut findings);
            let unknown = rules
                .iter()
                .filter_map(|rule| Some((rule, names::missing(collective, rule.number, version)?)));
            findings
                .extend(unknown.map(|(rule, why)| Finding::line(rule.line, Effect::Fails, why)));
            let two = rules.iter().filter(|_| is_for_others).filter_map(|rule| {
                Some((rule, names::only_two(collective, rule.number, version)?))
            });
            findings.extend(two.map(|(rule, why)| Finding::line(rule.line, Effect::Fails, why)));
        }
    }
    findings.sort_by_key(|finding| {
        finding
            .place
            .split(' ')
            .next_back()
            .and_then(|number| number.parse::<usize>().ok())
            .unwrap_or(0)
    });
    let about = blocks
        .keys()
        .map(|&collective| Family::OpenMpi.rows()[collective].key())
        .collect();
    let selects = Box::new(move |function: &Function, call: Call| {
        let of = |(_, ranks): &(usize, Vec<Ranks>)| {
            let ranks = ranks_taken(ranks, call.K, version)?;
            let rule = rule_taken(&ranks.rules, function.size.bytes(call), version)?;
            Some(selected(function, (rule.number, rule.shape), call, version))
        };
        blocks
            .get(&super::collective(function))
            .and_then(of)
            .unwrap_or(Selected::Own)
    });
    Reading {
        selects,
        findings,
        about,
    }
}

/// A number that Open MPI keeps in 32 bits.
fn cut(scan: &mut Scan<'_>, (line, number): (usize, i64)) -> i64 {
    let kept = int(number);
    if kept != number {
        let why = format!("`{number}` is kept in 32 bits, as {kept}");
        scan.findings
            .push(Finding::line(line, Effect::Differs, why));
    }
    kept
}

/// Reads all counts and entries; the error is where Open MPI drops the file.
fn blocks(scan: &mut Scan<'_>, has_requests: bool) -> Result<Blocks, Finding> {
    let next = |scan: &mut Scan<'_>, what: &str| match scan.next() {
        Some((line, number)) if number < 0 => Err(Finding::line(
            line,
            Effect::Drops,
            format!("{number} where {what} should stand, at least 0"),
        )),
        Some(number) => Ok(number),
        None => Err(Finding::line(
            scan.line,
            Effect::Drops,
            format!("the file ends where {what} should stand"),
        )),
    };
    let most = Family::OpenMpi.rows().len();
    let (line, count) = next(scan, "the number of collectives")?;
    if usize::try_from(count).is_ok_and(|count| count > most) {
        let why = format!("{count} where the number of collectives should stand; there are {most}");
        return Err(Finding::line(line, Effect::Drops, why));
    }
    let mut all = Blocks::new();
    for _ in 0..count {
        let (line, id) = next(scan, "the number of a collective")?;
        let known = usize::try_from(id)
            .ok()
            .filter(|id| *id < Family::OpenMpi.rows().len());
        let Some(collective) = known else {
            let why = format!("there is no collective {id}; they have 0 to {}", most - 1);
            return Err(Finding::line(line, Effect::Drops, why));
        };
        let mut ranks = Vec::new();
        for _ in 0..next(scan, "the number of communicator sizes")?.1 {
            let next_size = next(scan, "a communicator size")?;
            let (line, size) = (next_size.0, cut(scan, next_size));
            let mut rules = Vec::new();
            for index in 0..next(scan, "the number of message sizes")?.1 {
                let (line, size) = next(scan, "a message size")?;
                let mut next_cut = |what| {
                    let found = next(scan, what)?;
                    Ok(cut(scan, found))
                };
                let number = next_cut("an algorithm")?;
                let shape = Shape {
                    fan_out: next_cut("a fan-out")?.try_into().unwrap_or(0),
                    segment: next_cut("a segment size")?.try_into().unwrap_or(0),
                };
                if has_requests && scan.is_digit_next() {
                    next(scan, "a number of requests")?;
                }
                if index == 0 && size != 0 {
                    let why = format!(
                        "the first message size is {size}, not 0; begin with a rule `0 0 0 0`"
                    );
                    return Err(Finding::line(line, Effect::Drops, why));
                }
                rules.push(Rule {
                    line,
                    size: size.unsigned_abs(),
                    number,
                    shape,
                });
            }
            ranks.push(Ranks { line, size, rules });
        }
        if let Some((earlier, _)) = all.insert(collective, (line, ranks)) {
            let why = format!(
                "{} stands again in line {}: Open MPI takes the later block",
                names::function(collective),
                line + 1
            );
            scan.findings
                .push(Finding::line(earlier, Effect::Skips, why));
        }
    }
    Ok(all)
}
