//! Reads GOAL.

mod labels;
mod scanner;
mod tags;

use std::fmt;
use std::io::{self, Read};

use algorithms::internals::engine::Builder;
use algorithms::internals::engine::Fault;
use algorithms::internals::engine::{ANY, Operation, Program, Until};
use algorithms::logp::Levels;

use crate::base::units::{MAX_REPEATED, joined, shortened};
use labels::Labels;
use scanner::{Scanner, Word, narrow};
use tags::Tags;

const MAX_LINES: usize = 16;

/// An error in a GOAL file, with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoalError {
    /// The line, from 1.
    pub line: u32,
    /// The character in the line, from 1.
    pub column: u32,
    /// What is wrong, and what to write.
    pub message: String,
    /// What it is an error of.
    pub of: Of,
}

/// What an error is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// The text, which is not GOAL.
    Text,
    /// Operations that wait for each other.
    Waits,
    /// Messages and receives that do not match.
    Messages,
}

impl fmt::Display for GoalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The system's error.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The text is not valid GOAL.
    #[error("{0}")]
    Goal(GoalError),
}

/// A program from a file.
#[derive(Debug)]
pub struct Goal {
    /// The program.
    pub program: Program,
    positions: Vec<Position>,
    tags: Tags,
}

/// Where something is in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Position {
    /// The line, from 1.
    line: u32,
    /// The character of that line, from 1.
    column: u32,
}

impl Position {
    const START: Self = Self { line: 1, column: 1 };

    fn error(self, message: impl Into<String>) -> GoalError {
        GoalError {
            line: self.line,
            column: self.column,
            message: message.into(),
            of: Of::Text,
        }
    }
}

/// The error at its operation, or at `otherwise` if no operation is at fault. `positions` are those of all operations.
fn tell(positions: &[Position], fault: &Fault, otherwise: Position) -> GoalError {
    let at = |operation: u32| {
        positions
            .get(operation as usize)
            .copied()
            .unwrap_or(otherwise)
    };
    let lines = |operations: &[u32]| {
        let some = operations
            .iter()
            .take(MAX_LINES)
            .map(|&operation| at(operation).line.to_string());
        let more = match operations.len().saturating_sub(MAX_LINES) {
            0 => String::new(),
            more => format!(" and of {more} more"),
        };
        joined(", ", some) + &more
    };
    let (first, message, of) = match fault {
        Fault::Cycle {
            processor,
            operations,
        } => {
            let what = match &operations[..] {
                [_] => "this operation waits for itself".to_owned(),
                all => format!("the operations of lines {} wait for each other", lines(all)),
            };
            let cycle = format!("a cycle of `requires` or `irequires` in rank {processor}: {what}");
            (
                operations.first().copied(),
                cycle + "; remove one of them",
                Of::Waits,
            )
        }
        Fault::Deadlock { waits, .. } => {
            let waits: Vec<u32> = waits.iter().map(|wait| wait.operation).collect();
            let word = if waits.len() == 1 { "line" } else { "lines" };
            let message = format!(
                "{fault} ({word} {}); let one of them send first",
                lines(&waits)
            );
            (waits.first().copied(), message, Of::Waits)
        }
        Fault::Unmatched { operation, .. }
        | Fault::Uneven { operation, .. }
        | Fault::Truncated { operation, .. } => (Some(*operation), fault.to_string(), Of::Messages),
        Fault::AnyTag { operation } | Fault::TimeOverflow { operation, .. } => {
            (Some(*operation), fault.to_string(), Of::Text)
        }
        Fault::NoSuchProcessor {
            named, processors, ..
        } => {
            let message = format!(
                "there is no rank {named}: num_ranks is {processors}, and ranks count from 0"
            );
            (None, message, Of::Text)
        }
        Fault::TwoPrograms(rank) => (
            None,
            format!("rank {rank} appears twice; write it once"),
            Of::Text,
        ),
        Fault::NotBegun | Fault::Foreign { .. } | Fault::TooLarge { .. } => {
            (None, fault.to_string(), Of::Text)
        }
    };
    GoalError {
        of,
        ..first
            .map_or(otherwise, at)
            .error(message.replace("processor", "rank"))
    }
}

impl Goal {
    /// The lines of all operations.
    pub fn lines(&self) -> impl Iterator<Item = u32> {
        self.positions.iter().map(|position| position.line)
    }

    /// The error that an execution found, with its position.
    pub fn tell(&self, fault: &Fault) -> GoalError {
        let mut error = self
            .tags
            .named(tell(&self.positions, fault, Position::START));
        if matches!(fault, Fault::Deadlock { .. }) && self.program.receives_any() {
            error
                .message
                .push_str(", or see which receive of `-1` takes its message");
        }
        error
    }
}

/// Reads a text.
///
/// # Errors
/// The first of: wrong syntax, a label that is missing or repeated, a rank that is missing or repeated, a cycle, a
/// message without its receive, a receive without its message.
pub fn read(text: &[u8]) -> Result<Goal, GoalError> {
    match read_from(text, text.len() as u64, None) {
        Ok(goal) => Ok(goal),
        Err(Failure::Goal(error)) => Err(error),
        Err(Failure::Io(error)) => Err(Position::START.error(error.to_string())),
    }
}

/// Reads a file in pieces. Memory: the program, 8 bytes per operation for its position, the labels and dependencies of one
/// rank, and one line. `most_bytes` limits the length of the file; `levels` are those of the machine on which it is executed.
///
/// Cost: linear in the length, apart from hash tables of labels.
///
/// # Errors
/// Input that fails, and the first error of the text: syntax, a label or rank missing or repeated, a cycle, a message
/// without its receive, a receive without its message.
pub fn read_from(
    input: impl Read,
    most_bytes: u64,
    levels: Option<&'static Levels>,
) -> Result<Goal, Failure> {
    let mut scanner = Scanner::new(input);
    let begin = begin(&mut scanner, most_bytes, levels).map_err(|error| scanner.damaged(error));
    let goal = begin.and_then(|(begin, builder)| {
        let (labels, pending) = (Labels::default(), Vec::new());
        let (positions, tags) = (Vec::new(), Tags::default());
        Reader {
            scanner: &mut scanner,
            builder,
            positions,
            tags,
            labels,
            pending,
        }
        .ranks(begin)
    });
    match scanner.failure.take() {
        Some(error) => Err(error.into()),
        None if scanner.bytes > most_bytes => Err(Failure::Io(io::Error::other(format!(
            "it is longer than {} MiB",
            most_bytes >> 20
        )))),
        None => goal.map_err(Failure::Goal),
    }
}

fn begin<R: Read>(
    scanner: &mut Scanner<R>,
    most_bytes: u64,
    levels: Option<&'static Levels>,
) -> Result<(Position, Builder), GoalError> {
    scanner.skip_separators()?;
    let begin = scanner.position();
    scanner.keyword(
        "num_ranks",
        "expected `num_ranks` and the number of ranks, as in `num_ranks 8`",
    )?;
    scanner.skip_blanks();
    let at = scanner.position();
    let ranks = scanner.number("the number of ranks", u32::MAX.into())?;
    if ranks > most_bytes {
        // Checked before memory is allocated for them.
        return Err(at.error(format!(
            "num_ranks is {ranks}, but the file is too short for as many `rank I {{ }}`"
        )));
    }
    levels
        .map_or(Ok(()), |levels| levels.check(ranks))
        .map_err(|error| at.error(error.to_string()))?;
    let builder = Builder::new(narrow(ranks))
        .map_err(|fault| tell(&[], &fault, at))?
        .on(levels);
    scanner.end_of_statement()?;
    Ok((begin, builder))
}

/// A dependency that names a label before its operation.
struct Pending {
    later: (Box<[u8]>, Position),
    earlier: (Box<[u8]>, Position),
    until: Until,
}

struct Reader<'a, R> {
    scanner: &'a mut Scanner<R>,
    builder: Builder,
    positions: Vec<Position>,
    tags: Tags,
    /// The operations of the labels of the rank.
    labels: Labels,
    pending: Vec<Pending>,
}

impl<R: Read> Reader<'_, R> {
    fn ranks(mut self, begin: Position) -> Result<Goal, GoalError> {
        while self.rank().map_err(|error| self.scanner.damaged(error))? {}
        let Self {
            scanner,
            builder,
            positions,
            tags,
            ..
        } = self;
        if let Some(missing) = builder.idle().next() {
            let message = match builder.idle().count() - 1 {
                0 => format!(
                    "rank {missing} is missing; if it does nothing, add `rank {missing} {{ }}`"
                ),
                more => format!(
                    "rank {missing} and {more} more are missing; for each that does nothing, add a line as `rank {missing} {{ }}`"
                ),
            };
            return Err(begin.error(message + "; or the file is truncated: transfer it again"));
        }
        let end = scanner.position();
        let program = builder
            .by_dependencies()
            .map_err(|fault| tags.named(tell(&positions, &fault, end)))?;
        Ok(Goal {
            program,
            positions,
            tags,
        })
    }

    /// Reads one rank; false at the end of the file.
    fn rank(&mut self) -> Result<bool, GoalError> {
        self.scanner.skip_separators()?;
        if self.scanner.at_end() {
            return Ok(false);
        }
        self.scanner.keyword(
            "rank",
            "expected `rank`, its number and `{`, as in `rank 0 {`",
        )?;
        self.scanner.skip_blanks();
        let at = self.scanner.position();
        let rank = self
            .scanner
            .number("the number of a rank", u32::MAX.into())?;
        self.builder
            .begin(narrow(rank))
            .map_err(|fault| tell(&self.positions, &fault, at))?;
        self.scanner.skip_separators()?;
        self.scanner
            .punctuation(b'{', "expected `{` after the number of a rank")?;
        self.labels.clear();
        loop {
            self.scanner.skip_separators()?;
            if self.scanner.take(b'}') {
                break;
            }
            if self.scanner.at_end() {
                return Err(self.scanner.error(format!(
                    "rank {rank} is not closed; write `}}` after its last line"
                )));
            }
            self.statement()?;
            self.scanner.end_of_statement()?;
        }
        for Pending {
            later,
            earlier,
            until,
        } in std::mem::take(&mut self.pending)
        {
            let (later, earlier) = (self.find(&later)?, self.find(&earlier)?);
            self.depend(later, earlier, until)?;
        }
        Ok(true)
    }

    fn statement(&mut self) -> Result<(), GoalError> {
        const WHAT: &str = "expected `send`, `recv`, `calc`, a label, or `}`";
        let at = self.scanner.position();
        let Some(word) = self.scanner.word() else {
            return Err(self.scanner.error(WHAT));
        };
        if self.operation(&word, at)?.is_some() {
            return Ok(());
        }
        self.scanner.skip_blanks();
        if self.scanner.take(b':') {
            return self.labelled(&word, at);
        }
        let at_word = self.scanner.position();
        let until = self.scanner.word();
        let until = match until
            .as_ref()
            .map_or(&b""[..], |word| self.scanner.text(word))
        {
            b"requires" => Until::Done,
            b"irequires" => Until::Started,
            _ => return Err(at_word.error("expected `:`, `requires` or `irequires` after a label")),
        };
        self.scanner.skip_blanks();
        let at_word = self.scanner.position();
        let Some(earlier) = self.scanner.word() else {
            return Err(self.scanner.error("expected a label"));
        };
        let (later, earlier) = (self.scanner.text(&word), self.scanner.text(&earlier));
        if let (Some(later), Some(earlier)) = (self.labels.get(later), self.labels.get(earlier)) {
            return self.depend(later, earlier, until);
        }
        self.pending.push(Pending {
            later: (later.into(), at),
            earlier: (earlier.into(), at_word),
            until,
        });
        Ok(())
    }

    fn labelled(&mut self, label: &Word, at: Position) -> Result<(), GoalError> {
        const WHAT: &str = "expected `send`, `recv` or `calc` after a label";
        self.scanner.skip_blanks();
        let at_word = self.scanner.position();
        let kind = self.scanner.word().ok_or_else(|| at_word.error(WHAT))?;
        let number = self
            .operation(&kind, at_word)?
            .ok_or_else(|| at_word.error(WHAT))?;
        let Some(first) = self.labels.give(self.scanner.text(label), number) else {
            return Ok(());
        };
        let line = self
            .positions
            .get(first as usize)
            .map_or(at.line, |first| first.line);
        let label = shown(self.scanner.text(label));
        Err(at.error(format!(
            "label `{label}` is already in line {line}; a label names one operation of a rank"
        )))
    }

    fn depend(&mut self, later: u32, earlier: u32, until: Until) -> Result<(), GoalError> {
        self.builder
            .depend(later, earlier, until)
            .map_err(|fault| tell(&self.positions, &fault, Position::START))
    }

    fn find(&self, (label, at): &(Box<[u8]>, Position)) -> Result<u32, GoalError> {
        self.labels.get(label).ok_or_else(|| {
            let label = shown(label);
            at.error(format!(
                "there is no label `{label}` in this rank; labels are local to their rank"
            ))
        })
    }

    /// Reads an operation from its first word and returns its number; none if the word begins no operation.
    #[inline]
    fn operation(&mut self, kind: &Word, at: Position) -> Result<Option<u32>, GoalError> {
        let scanner = &mut *self.scanner;
        let mut peer_at = at;
        let mut operation = match scanner.text(kind) {
            b"send" => {
                let bytes = size(
                    scanner,
                    "to",
                    "expected `to` and a rank, as in `send 8b to 3`",
                )?;
                peer_at = scanner.position();
                let to = narrow(scanner.number("the number of a rank", MOST)?);
                Operation::Send { to, tag: 0, bytes }
            }
            b"recv" => {
                let bytes = size(
                    scanner,
                    "from",
                    "expected `from` and a rank, as in `recv 8b from 3`",
                )?;
                peer_at = scanner.position();
                let is_any = scanner.take_any();
                let from = if is_any {
                    ANY
                } else {
                    narrow(scanner.number("the number of a rank", MOST)?)
                };
                Operation::Receive {
                    from,
                    tag: 0,
                    bytes,
                }
            }
            b"calc" => Operation::Compute {
                time: scanner.number("a time", u64::MAX)?,
            },
            _ => return Ok(None),
        };
        let unit = suffixes(scanner, &mut self.tags, &mut operation)?;
        self.positions.push(at);
        let number = self
            .builder
            .push_on(operation, unit)
            .map_err(|fault| tell(&self.positions, &fault, peer_at))?;
        Ok(Some(number))
    }
}

/// A label in a message.
fn shown(label: &[u8]) -> String {
    shortened(&String::from_utf8_lossy(label), MAX_REPEATED).into_owned()
}

/// The largest rank: the next number is [`ANY`].
const MOST: u64 = ANY as u64 - 1;

#[inline]
fn size<R: Read>(
    scanner: &mut Scanner<R>,
    direction: &'static str,
    expected: &'static str,
) -> Result<u64, GoalError> {
    let bytes = scanner.number("a size in bytes", u64::MAX)?;
    scanner.keyword("b", "expected `b` after a size, as in `8b`")?;
    scanner.keyword(direction, expected)?;
    scanner.skip_blanks();
    Ok(bytes)
}

#[inline]
fn suffixes<R: Read>(
    scanner: &mut Scanner<R>,
    tags: &mut Tags,
    operation: &mut Operation,
) -> Result<(u32, u32), GoalError> {
    let (mut given_tag, mut cpu, mut nic) = (None, None, None);
    loop {
        scanner.skip_blanks();
        let at = scanner.position();
        let Some(word) = scanner.word() else { break };
        let computes = matches!(operation, Operation::Compute { .. });
        let is_second = match scanner.text(&word) {
            b"tag" if !computes => {
                let receives = matches!(operation, Operation::Receive { .. });
                let is_any = receives && scanner.take_any();
                let tag = if is_any { ANY } else { tag(scanner, tags)? };
                given_tag.replace(tag).is_some()
            }
            b"cpu" => cpu.replace(port(scanner, "the number of a cpu")?).is_some(),
            b"nic" => nic.replace(port(scanner, "the number of a nic")?).is_some(),
            _ if computes => return Err(at.error("expected `cpu`, `nic` or the end of the line")),
            _ => return Err(at.error("expected `tag`, `cpu`, `nic` or the end of the line")),
        };
        if is_second {
            let word = String::from_utf8_lossy(scanner.text(&word)).into_owned();
            return Err(at.error(format!("`{word}` appears twice")));
        }
    }
    if let Operation::Send { tag, .. } | Operation::Receive { tag, .. } = operation {
        *tag = given_tag.unwrap_or(0);
    }
    Ok((cpu.unwrap_or(0), nic.unwrap_or(0)))
}

#[inline]
fn tag<R: Read>(scanner: &mut Scanner<R>, tags: &mut Tags) -> Result<u32, GoalError> {
    scanner.skip_blanks();
    let at = scanner.position();
    match scanner.number("a tag", u64::MAX)? {
        // `txt2bin` writes `tag -1` so.
        tag if tag == u64::from(ANY) => Err(at.error(format!(
            "tag {ANY} means any tag in LogGOPSim; write `tag -1` in a `recv`, or another tag"
        ))),
        tag => Ok(tags.number(tag)),
    }
}

fn port<R: Read>(scanner: &mut Scanner<R>, what: &str) -> Result<u32, GoalError> {
    scanner.number(what, u32::MAX.into()).map(narrow)
}
