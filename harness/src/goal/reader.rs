//! Reads GOAL.

mod scanner;

use std::collections::HashMap;
use std::fmt;

use algorithms::engine::Fault;
use algorithms::engine::builder::Builder;
use algorithms::engine::program::{Operation, Program, Until};

use crate::units::{MAX_REPEATED, shortened};
use scanner::{Position, Scanner};

/// Most lines of a cycle that are named.
const MAX_LINES: usize = 16;

/// What is wrong with a GOAL file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoalError {
    /// The line, from 1.
    pub line: u32,
    /// The character of the line, from 1.
    pub column: u32,
    /// What is wrong, and what to write instead.
    pub message: String,
}

impl fmt::Display for GoalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// A program that was read.
#[derive(Debug)]
pub struct Goal<'a> {
    /// The program.
    pub program: Program,
    places: Places<'a>,
}

/// Where the operations stand.
#[derive(Debug)]
struct Places<'a> {
    text: &'a [u8],
    operations: Vec<Position>,
}

impl Places<'_> {
    /// Tells of a mistake where its operation stands; one of no operation where `otherwise` is.
    fn tell(&self, fault: &Fault, otherwise: Position) -> GoalError {
        let at = |operation: u32| self.operations.get(operation as usize).copied().unwrap_or(otherwise);
        let lines = |operations: &mut dyn Iterator<Item = u32>| {
            let lines: Vec<String> = operations.map(|operation| at(operation).line.to_string()).collect();
            lines.join(", ")
        };
        let (place, message) = match fault {
            Fault::Cycle { processor, operations } => {
                let place = operations.first().map_or(otherwise, |&first| at(first));
                let some = lines(&mut operations.iter().copied().take(MAX_LINES));
                let who = match operations.len() {
                    1 => "this operation waits for itself".to_owned(),
                    count if count > MAX_LINES => {
                        format!("the operations of lines {some} and of {} more wait for each other", count - MAX_LINES)
                    }
                    _ => format!("the operations of lines {some} wait for each other"),
                };
                (place, format!("a cycle of `requires` or `irequires` in rank {processor}: {who}; remove one of them"))
            }
            Fault::Deadlock { waits, .. } => {
                let lines = lines(&mut waits.iter().map(|wait| wait.operation));
                let place = waits.first().map_or(otherwise, |wait| at(wait.operation));
                (place, format!("{fault} (lines {lines}); let one of them send first").replace("processor", "rank"))
            }
            Fault::Unmatched { operation, .. }
            | Fault::Truncated { operation, .. }
            | Fault::TimeOverflow { operation, .. } => (at(*operation), fault.to_string().replace("processor", "rank")),
            Fault::NoSuchProcessor { named, processors, .. } => {
                (otherwise, format!("there is no rank {named}: num_ranks is {processors}, and ranks count from 0"))
            }
            Fault::TwoPrograms(rank) => (otherwise, format!("rank {rank} is here for the second time; write it once")),
            Fault::NotBegun | Fault::Foreign { .. } | Fault::TooLarge { .. } => {
                (otherwise, fault.to_string().replace("processor", "rank"))
            }
        };
        place.error(self.text, message)
    }
}

impl Goal<'_> {
    /// Tells of a mistake that shows while the program is executed.
    #[must_use]
    pub fn tell(&self, fault: &Fault) -> GoalError {
        self.places.tell(fault, Position::START)
    }
}

/// Reads a file.
///
/// Cost: linear in its length, but for hash tables of labels.
///
/// # Errors
/// The first mistake: one of spelling, a label that is not there or there twice, a rank that is missing or there twice,
/// a cycle, a message that is sent and not received or the other way round.
pub fn read(text: &[u8]) -> Result<Goal<'_>, GoalError> {
    let mut scanner = Scanner::new(text);
    scanner.skip_separators()?;
    let begin = scanner.position();
    scanner.keyword("num_ranks", "expected `num_ranks` and how many there are, as in `num_ranks 8`")?;
    scanner.skip_blanks()?;
    let at = scanner.position();
    let ranks = scanner.number("the number of ranks", u32::MAX.into())?;
    if ranks > text.len() as u64 {
        // Before room is made for them.
        return Err(
            at.error(text, format!("num_ranks is {ranks}, more than the file holds; each has its `rank I {{ }}`"))
        );
    }
    let places = Places { text, operations: Vec::new() };
    let builder = Builder::new(scanner::narrow(ranks)).map_err(|fault| places.tell(&fault, at))?;
    scanner.end_of_statement()?;
    let mut reader = Reader { scanner, builder, places, labels: HashMap::new(), pending: Vec::new() };
    while reader.rank()? {}
    let Reader { scanner, builder, places, .. } = reader;
    if let Some(missing) = builder.idle().next() {
        let count = builder.idle().count();
        let message = format!(
            "num_ranks is {ranks}, but {count} of them are not in the file, rank {missing} first; write `rank {missing} {{ }}` for one that does nothing"
        );
        return Err(begin.error(text, message));
    }
    let end = scanner.position();
    let program = builder.by_dependencies().map_err(|fault| places.tell(&fault, end))?;
    Ok(Goal { program, places })
}

/// `a requires b` with an unknown b (or a), to be looked at again at the end of the rank.
struct Pending<'a> {
    later: (&'a [u8], Position),
    earlier: (&'a [u8], Position),
    until: Until,
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    builder: Builder,
    places: Places<'a>,
    /// The labels of this rank.
    labels: HashMap<&'a [u8], u32>,
    pending: Vec<Pending<'a>>,
}

impl<'a> Reader<'a> {
    /// Reads one rank; not so at the end of the file.
    fn rank(&mut self) -> Result<bool, GoalError> {
        self.scanner.skip_separators()?;
        if self.scanner.at_end() {
            return Ok(false);
        }
        self.scanner.keyword("rank", "expected `rank`, its number and `{`, as in `rank 0 {`")?;
        self.scanner.skip_blanks()?;
        let at = self.scanner.position();
        let rank = self.scanner.number("the number of a rank", u32::MAX.into())?;
        self.builder.begin(scanner::narrow(rank)).map_err(|fault| self.places.tell(&fault, at))?;
        self.scanner.skip_separators()?;
        self.scanner.punctuation(b'{', "expected `{` after the number of a rank")?;
        self.labels.clear();
        loop {
            self.scanner.skip_separators()?;
            if self.scanner.take(b'}') {
                break;
            }
            if self.scanner.at_end() {
                return Err(self.scanner.error(format!("rank {rank} does not end; write `}}` after its last line")));
            }
            self.statement()?;
            self.scanner.end_of_statement()?;
        }
        for Pending { later, earlier, until } in std::mem::take(&mut self.pending) {
            let (later, earlier) = (self.find(later)?, self.find(earlier)?);
            self.depend(later, earlier, until)?;
        }
        Ok(true)
    }

    /// An operation, with a label or without, or a dependency.
    fn statement(&mut self) -> Result<(), GoalError> {
        const WHAT: &str = "expected `send`, `recv`, `calc`, a label, or `}`";
        let at = self.scanner.position();
        let Some(word) = self.scanner.word() else { return Err(self.scanner.error(WHAT)) };
        if self.operation(word, at)?.is_some() {
            return Ok(());
        }
        self.scanner.skip_blanks()?;
        if self.scanner.take(b':') {
            self.scanner.skip_blanks()?;
            let place = self.scanner.position();
            let kind = self.scanner.word().unwrap_or_default();
            let Some(number) = self.operation(kind, place)? else {
                return Err(place.error(self.places.text, "expected `send`, `recv` or `calc` after a label".to_owned()));
            };
            if let Some(first) = self.labels.insert(word, number) {
                let line = self.places.operations[first as usize].line;
                let label = String::from_utf8_lossy(word);
                let label = shortened(&label, MAX_REPEATED);
                let message =
                    format!("label `{label}` is in line {line} already; a label names one operation of a rank");
                return Err(at.error(self.places.text, message));
            }
            return Ok(());
        }
        let place = self.scanner.position();
        let until = match self.scanner.word() {
            Some(b"requires") => Until::Done,
            Some(b"irequires") => Until::Started,
            _ => {
                return Err(
                    place.error(self.places.text, "expected `:`, `requires` or `irequires` after a label".to_owned())
                );
            }
        };
        self.scanner.skip_blanks()?;
        let place = self.scanner.position();
        let Some(earlier) = self.scanner.word() else { return Err(self.scanner.error("expected a label")) };
        match (self.labels.get(word), self.labels.get(earlier)) {
            (Some(&later), Some(&earlier)) => self.depend(later, earlier, until),
            _ => {
                self.pending.push(Pending { later: (word, at), earlier: (earlier, place), until });
                Ok(())
            }
        }
    }

    fn depend(&mut self, later: u32, earlier: u32, until: Until) -> Result<(), GoalError> {
        self.builder.depend(later, earlier, until).map_err(|fault| self.places.tell(&fault, Position::START))
    }

    fn find(&self, (label, at): (&[u8], Position)) -> Result<u32, GoalError> {
        let unknown = || {
            let label = String::from_utf8_lossy(label);
            format!(
                "there is no label `{}` in this rank; labels are those of their rank",
                shortened(&label, MAX_REPEATED)
            )
        };
        self.labels.get(label).copied().ok_or_else(|| at.error(self.places.text, unknown()))
    }

    /// The number of an operation whose first word this is; none where it is no operation's.
    fn operation(&mut self, kind: &[u8], at: Position) -> Result<Option<u32>, GoalError> {
        let scanner = &mut self.scanner;
        let mut peer_at = at;
        let mut message = |direction: &'static str, expected: &'static str| {
            let bytes = scanner.number("a size in bytes", u64::MAX)?;
            scanner.keyword("b", "expected `b` after a size, as in `8b`")?;
            scanner.keyword(direction, expected)?;
            scanner.skip_blanks()?;
            peer_at = scanner.position();
            let peer = scanner::narrow(scanner.number("the number of a rank", u32::MAX.into())?);
            Ok((bytes, peer))
        };
        let mut operation = match kind {
            b"send" => {
                let (bytes, to) = message("to", "expected `to` and a rank, as in `send 8b to 3`")?;
                Operation::Send { to, tag: 0, bytes }
            }
            b"recv" => {
                let (bytes, from) = message("from", "expected `from` and a rank, as in `recv 8b from 3`")?;
                Operation::Receive { from, tag: 0, bytes }
            }
            b"calc" => Operation::Compute { time: scanner.number("a time", u64::MAX)? },
            _ => return Ok(None),
        };
        let place = suffixes(scanner, &mut operation)?;
        self.places.operations.push(at);
        let number = self.builder.push_on(operation, place).map_err(|fault| self.places.tell(&fault, peer_at))?;
        Ok(Some(number))
    }
}

/// `tag`, `cpu` and `nic` with their numbers, in any order.
fn suffixes(scanner: &mut Scanner<'_>, operation: &mut Operation) -> Result<(u8, u8), GoalError> {
    let mut given = [None; 3];
    loop {
        scanner.skip_blanks()?;
        let at = scanner.position();
        let Some(word) = scanner.word() else { break };
        let computes = matches!(operation, Operation::Compute { .. });
        let (index, what, most) = match word {
            b"tag" if !computes => (0, "a tag", u64::from(u32::MAX)),
            b"cpu" => (1, "the number of a cpu", u8::MAX.into()),
            b"nic" => (2, "the number of a nic", u8::MAX.into()),
            _ if computes => return Err(scanner.error_at(at, "expected `cpu`, `nic` or the end of the line")),
            _ => return Err(scanner.error_at(at, "expected `tag`, `cpu`, `nic` or the end of the line")),
        };
        if given[index].replace(scanner.number(what, most)?).is_some() {
            return Err(
                scanner.error_at(at, format!("`{}` is here for the second time", String::from_utf8_lossy(word)))
            );
        }
    }
    let [given_tag, cpu, nic] = given.map(|given| given.unwrap_or(0));
    if let Operation::Send { tag, .. } | Operation::Receive { tag, .. } = operation {
        *tag = scanner::narrow(given_tag);
    }
    // At most u8::MAX, as was checked.
    Ok((u8::try_from(cpu).unwrap_or(u8::MAX), u8::try_from(nic).unwrap_or(u8::MAX)))
}
