//! What the messages of a GOAL file carry, from its comments.
//!
//! `// collective allreduce cut 4` states the collective, into how many parts it cuts each of its blocks, and with `root 2` the
//! root. `// blocks 0-3 8` behind a send or a receive names the parts that it sends or replaces, `// combine 0-3 8` those that a
//! receive combines with its own.

use std::collections::HashMap;

use super::finding::{Trouble, agreed};
use super::memory::{Memory, Span};
use super::schedule::Schedule;
use super::task::{Collective, Task, stated};

/// See the module.
#[derive(Debug)]
pub struct Payloads {
    collective: &'static Collective,
    /// The root, where the file states it.
    pub root: Option<u32>,
    cut: u64,
    /// By line: the parts as ranges, and whether they are combined.
    lines: HashMap<u32, (Vec<Span>, bool)>,
    /// The chunks of each rank.
    chunks: Vec<Span>,
    /// How many chunks there are in all.
    words: u32,
}

impl Payloads {
    /// The payloads that a text states; none where it states no collective.
    ///
    /// # Errors
    /// [`Trouble::Unread`] for a comment of this form that cannot be read.
    pub fn read(text: &[u8]) -> Result<Option<Self>, Trouble> {
        let mut found: Option<Self> = None;
        for (line, bytes) in (1u32..).zip(text.split(|&byte| byte == b'\n')) {
            let Some(start) = bytes.windows(2).position(|two| two == b"//") else {
                continue;
            };
            let comment = String::from_utf8_lossy(&bytes[start + 2..]);
            let mut words = comment.split_ascii_whitespace();
            match (words.next(), &mut found) {
                (Some("collective"), None) => found = Some(Self::begun(line, words)?),
                (Some("collective"), Some(_)) => {
                    return Err(Trouble::unread(
                        line.into(),
                        "the collective is stated twice",
                    ));
                }
                (Some(word @ ("blocks" | "combine")), Some(found)) => {
                    let spans = words
                        .map(|word| span(line, word))
                        .collect::<Result<_, _>>()?;
                    found.lines.insert(line, (spans, word == "combine"));
                }
                _ => {}
            }
        }
        Ok(found)
    }

    fn begun<'a>(line: u32, mut words: impl Iterator<Item = &'a str>) -> Result<Self, Trouble> {
        let name = words.next().unwrap_or_default();
        let collective = Collective::named(name).ok_or_else(|| {
            Trouble::unread(
                line.into(),
                format!("castbench knows no collective `{name}`"),
            )
        })?;
        let (mut root, mut cut) = (None, 1);
        while let Some(word) = words.next() {
            let number = words.next().and_then(|number| number.parse::<u32>().ok());
            match (word, number) {
                ("root", Some(number)) => root = Some(number),
                ("cut", Some(number @ 1..)) => cut = number,
                _ => {
                    let explanation = "expected `// collective NAME`, `root` and a rank, `cut` and a number of parts";
                    return Err(Trouble::unread(line.into(), explanation));
                }
            }
        }
        Ok(Self {
            collective,
            root,
            cut: cut.into(),
            lines: HashMap::new(),
            chunks: Vec::new(),
            words: 0,
        })
    }

    /// Adds buffers and the task to a schedule; `lines` are those of a rank. Each rank has room for all blocks, or where that is too much
    /// only for those that it starts or ends with, sends or receives.
    ///
    /// # Errors
    /// [`Trouble::Wrong`] where another collective is asked for, [`Trouble::Unread`] for too many parts.
    pub fn judged(
        mut self,
        schedule: &mut Schedule,
        asked: Option<&'static Collective>,
        root: u32,
        lines: impl Fn(u32) -> Vec<u32>,
    ) -> Result<Self, Trouble> {
        agreed(asked, Some(self.collective))?;
        let too_large = || {
            Trouble::not_judged(
                "all ranks have too many parts of blocks for the length of the file",
            )
        };
        let task = stated(schedule.ranks, root, self.cut).ok_or_else(too_large)?;
        let mut task = Task::of_blocks(self.collective, task);
        if task.words == u32::MAX {
            return Err(too_large());
        }
        self.words = task.words;
        let whole = u64::from(task.words) * u64::from(schedule.ranks);
        for rank in 0..schedule.ranks {
            let memory = &mut schedule.memory;
            let span = if whole <= memory.most() {
                task.add_whole(memory, &["blocks"]).map(|spans| spans[0])
            } else {
                let own = lines(rank).into_iter();
                let own = own.filter_map(|line| self.lines.get(&line));
                // A number that is too large is refused where it stands.
                let parts: Vec<Span> = own
                    .flat_map(|(parts, _)| parts)
                    .filter(|part| part.first < task.words)
                    .copied()
                    .collect();
                task.add_some(memory, "blocks", parts.into_iter())
            };
            self.chunks.push(span.ok_or_else(too_large)?);
        }
        schedule.task = Some(task);
        Ok(self)
    }

    /// The parts of blocks that a line states.
    pub fn parts(&self, line: u32) -> Option<&[Span]> {
        self.lines.get(&line).map(|(parts, _)| &**parts)
    }

    /// The chunks of the message in a line of a rank, and whether they are combined.
    ///
    /// # Errors
    /// [`Trouble::Unread`] for a line without payload, and parts that do not exist.
    pub fn carried(
        &self,
        memory: &Memory,
        rank: u32,
        line: u32,
        sends: bool,
    ) -> Result<(Vec<Span>, bool), Trouble> {
        let unread = |explanation: String| Trouble::unread(line.into(), explanation);
        let Some((parts, is_combined)) = self.lines.get(&line) else {
            return Err(unread(
                "expected what the message carries behind it, as in `// blocks 0-3`".to_owned(),
            ));
        };
        if *is_combined && sends {
            return Err(unread(
                "a send does not combine; write `// blocks`".to_owned(),
            ));
        }
        let all = self.chunks[rank as usize];
        let beyond = |part: &Span| {
            unread(format!(
                "block {}: expected blocks below {}",
                part.first, self.words
            ))
        };
        let placed = |part: &Span| {
            let is_there = u64::from(part.first) + u64::from(part.count) <= self.words.into();
            let place = is_there.then(|| memory.place(all, part.first)).flatten();
            let first = place.and_then(|place| place.checked_sub(all.first));
            let placed = first.and_then(|first| all.part(first, part.count));
            placed.ok_or_else(|| beyond(part))
        };
        Ok((
            parts.iter().map(placed).collect::<Result<_, _>>()?,
            *is_combined,
        ))
    }
}

/// `3` or `0-3`.
fn span(line: u32, word: &str) -> Result<Span, Trouble> {
    let (first, last) = word.split_once('-').unwrap_or((word, word));
    let ends = first
        .parse::<u32>()
        .ok()
        .zip(last.parse::<u32>().ok())
        .filter(|(first, last)| first <= last);
    let span = ends.and_then(|(first, last)| {
        Some(Span {
            first,
            count: (last - first).checked_add(1)?,
        })
    });
    span.ok_or_else(|| {
        Trouble::unread(
            line.into(),
            format!("`{word}`: expected a number of a block, or a range as 0-3"),
        )
    })
}
