//! MSCCL schedules to test with: written as XML, executed on numbers in random orders apart from the code under test, and
//! damaged.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "schedules of tests are small, and their mutations may name any number"
)]

use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;

use super::finding::Trouble;

#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub kind: String,
    pub source: (char, i64),
    pub target: (char, i64),
    pub count: i64,
    pub depends: (i64, i64),
    pub signals: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    pub send: i64,
    pub receive: i64,
    pub channel: i64,
    pub steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub collective: String,
    pub in_place: bool,
    pub chunks: usize,
    /// Chunks of i, o and s, and blocks.
    pub gpus: Vec<([usize; 3], Vec<Block>)>,
}

/// Numbers that look random: splitmix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, most: usize) -> usize {
        (self.next() % most.max(1) as u64) as usize
    }
}

pub fn step(kind: &str, source: (char, usize), target: (char, usize)) -> Step {
    let [source, target] = [source, target].map(|(buffer, at)| (buffer, at as i64));
    Step {
        kind: kind.to_owned(),
        source,
        target,
        count: 1,
        depends: (-1, -1),
        signals: false,
    }
}

impl Step {
    pub fn after(self, block: usize, step: usize) -> Self {
        Self {
            depends: (block as i64, step as i64),
            ..self
        }
    }

    pub fn signals(self) -> Self {
        Self {
            signals: true,
            ..self
        }
    }
}

impl Model {
    pub fn xml(&self) -> String {
        let Self {
            collective,
            in_place,
            chunks,
            gpus,
        } = self;
        let (ranks, location) = (gpus.len(), u8::from(*in_place));
        let mut text = format!(
            "<algo name=\"test\" proto=\"LL\" nchannels=\"1\" nchunksperloop=\"{chunks}\" ngpus=\"{ranks}\" coll=\"{collective}\" \
             inplace=\"{location}\" outofplace=\"{}\" minBytes=\"0\" maxBytes=\"0\">\n",
            1 - location
        );
        for (rank, ([i, o, s], blocks)) in gpus.iter().enumerate() {
            writeln!(
                text,
                " <gpu id=\"{rank}\" i_chunks=\"{i}\" o_chunks=\"{o}\" s_chunks=\"{s}\">"
            )
            .unwrap();
            for (
                id,
                Block {
                    send,
                    receive,
                    channel,
                    steps,
                },
            ) in blocks.iter().enumerate()
            {
                writeln!(
                    text,
                    "  <tb id=\"{id}\" send=\"{send}\" recv=\"{receive}\" chan=\"{channel}\">"
                )
                .unwrap();
                for (number, step) in steps.iter().enumerate() {
                    let Step {
                        kind,
                        source,
                        target,
                        count,
                        depends,
                        signals,
                    } = step;
                    writeln!(
                        text,
                        "   <step s=\"{number}\" type=\"{kind}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" \
                         cnt=\"{count}\" depid=\"{}\" deps=\"{}\" hasdep=\"{}\"/>",
                        source.0,
                        source.1,
                        target.0,
                        target.1,
                        depends.0,
                        depends.1,
                        u8::from(*signals)
                    )
                    .unwrap();
                }
                text += "  </tb>\n";
            }
            text += " </gpu>\n";
        }
        text + "</algo>\n"
    }

    /// A model of a file with one element on each line.
    pub fn parse(text: &str) -> Self {
        let mut model = Self {
            collective: String::new(),
            in_place: false,
            chunks: 0,
            gpus: Vec::new(),
        };
        for line in text.lines() {
            let words: Vec<&str> = line.split('"').collect();
            let found = |name: &str| {
                words.chunks(2).find_map(|pair| {
                    (pair[0].trim().trim_end_matches('=').rsplit(' ').next()? == name)
                        .then(|| pair[1])
                })
            };
            let number = |name: &str| found(name).map_or(-1, |value| value.parse::<i64>().unwrap());
            let size = |name: &str| usize::try_from(number(name)).unwrap();
            let buffer = |name: &str| found(name).unwrap().chars().next().unwrap();
            if line.trim().starts_with("<algo") {
                model.collective = found("coll").unwrap().to_owned();
                model.in_place = number("inplace") == 1;
                model.chunks = size("nchunksperloop");
            } else if line.trim().starts_with("<gpu") {
                model
                    .gpus
                    .push((["i_chunks", "o_chunks", "s_chunks"].map(size), Vec::new()));
            } else if line.trim().starts_with("<tb") {
                let [send, receive, channel] = ["send", "recv", "chan"].map(number);
                model.gpus.last_mut().unwrap().1.push(Block {
                    send,
                    receive,
                    channel,
                    steps: Vec::new(),
                });
            } else if line.trim().starts_with("<step") {
                let step = Step {
                    kind: found("type").unwrap().to_owned(),
                    source: (buffer("srcbuf"), number("srcoff")),
                    target: (buffer("dstbuf"), number("dstoff")),
                    count: number("cnt"),
                    depends: (number("depid"), number("deps")),
                    signals: number("hasdep") == 1,
                };
                model
                    .gpus
                    .last_mut()
                    .unwrap()
                    .1
                    .last_mut()
                    .unwrap()
                    .steps
                    .push(step);
            }
        }
        model
    }

    /// Executes it on numbers, in a random order; whether it ends with the right result.
    pub fn is_right(&self, random: &mut Random) -> bool {
        let mut run = Run::new(self);
        while let Some((rank, block)) = run.any_ready(random) {
            if run.step(rank, block).is_none() {
                return false;
            }
        }
        run.is_over() && run.has_result()
    }
}

/// The number that a chunk of an input stands for.
fn weight(rank: usize, chunk: usize) -> u64 {
    Random((rank as u64) << 32 | chunk as u64).next()
}

/// Chunks, and where i, o and s begin and how many they have.
type Memory = (Vec<Option<u64>>, [(usize, usize); 3]);

struct Run<'a> {
    model: &'a Model,
    /// The memory of each rank.
    memory: Vec<Memory>,
    next: Vec<Vec<usize>>,
    /// The last step of each block that signalled.
    signalled: Vec<Vec<i64>>,
    messages: HashMap<(usize, usize, i64), VecDeque<Vec<u64>>>,
}

impl<'a> Run<'a> {
    fn new(model: &'a Model) -> Self {
        let ranks = model.gpus.len();
        let share = match model.collective.as_str() {
            "allreduce" | "broadcast" | "reduce" => [1, 1],
            "allgather" => [1, ranks],
            "reducescatter" => [ranks, 1],
            _ => [ranks, ranks],
        };
        let unit = model.chunks / share[0].max(share[1]);
        let memory = model.gpus.iter().enumerate().map(|(rank, (declared, _))| {
            let [i, o] = [0, 1].map(|side| declared[side].max(share[side] * unit));
            let locations = match (model.in_place, model.collective.as_str()) {
                (false, _) => [(0, i), (i, o), (i + o, declared[2])],
                (true, "allgather") => [(rank * unit, o - rank * unit), (0, o), (o, declared[2])],
                (true, "reducescatter") => {
                    [(0, i), (rank * unit, i - rank * unit), (i, declared[2])]
                }
                (true, _) => [(0, i.max(o)), (0, i.max(o)), (i.max(o), declared[2])],
            };
            let mut cells = vec![None; i + o + declared[2]];
            (0..share[0] * unit)
                .for_each(|chunk| cells[locations[0].0 + chunk] = Some(weight(rank, chunk)));
            (cells, locations)
        });
        let zeros = |start: i64| {
            model
                .gpus
                .iter()
                .map(|gpu| vec![start; gpu.1.len()])
                .collect::<Vec<_>>()
        };
        Self {
            model,
            memory: memory.collect(),
            next: model.gpus.iter().map(|gpu| vec![0; gpu.1.len()]).collect(),
            signalled: zeros(-1),
            messages: HashMap::new(),
        }
    }

    fn any_ready(&self, random: &mut Random) -> Option<(usize, usize)> {
        let blocks: Vec<(usize, usize)> = (0..self.next.len())
            .flat_map(|rank| (0..self.next[rank].len()).map(move |block| (rank, block)))
            .collect();
        let first = random.below(blocks.len());
        (0..blocks.len())
            .map(|at| blocks[(first + at) % blocks.len()])
            .find(|&(rank, block)| self.is_ready(rank, block))
    }

    fn is_ready(&self, rank: usize, block: usize) -> bool {
        let about = &self.model.gpus[rank].1[block];
        // A nop belongs to the next step.
        let rest = &about.steps[self.next[rank][block]..];
        let Some(last) = rest.iter().position(|step| step.kind != "nop") else {
            return false;
        };
        let waits = rest[..=last].iter().any(|step| {
            let (other, wanted) = step.depends;
            other >= 0
                && self.signalled[rank]
                    .get(other as usize)
                    .is_none_or(|&done| done < wanted)
        });
        let receives = rest[last].kind.starts_with('r') && rest[last].kind != "re";
        let channel = (about.receive as usize, rank, about.channel);
        !waits
            && (!receives
                || self
                    .messages
                    .get(&channel)
                    .is_some_and(|messages| !messages.is_empty()))
    }

    /// Executes a step; none if it cannot be executed.
    fn step(&mut self, rank: usize, block: usize) -> Option<()> {
        let about = &self.model.gpus[rank].1[block];
        while about.steps[self.next[rank][block]].kind == "nop" {
            self.next[rank][block] += 1;
        }
        let number = self.next[rank][block];
        let step = &about.steps[number];
        self.next[rank][block] += 1;
        let count = usize::try_from(step.count).ok()?;
        let cells = |(buffer, at): (char, i64), memory: &Memory| {
            let (start, length) = memory.1["ios".find(buffer)?];
            let at = usize::try_from(at).ok()?;
            (at + count <= length).then(|| start + at..start + at + count)
        };
        let mut value = vec![0u64; count];
        let mut add = |values: Vec<u64>| {
            value
                .iter_mut()
                .zip(values)
                .for_each(|(value, more)| *value = value.wrapping_add(more))
        };
        if step.kind.starts_with('r') && step.kind != "re" {
            let message = self
                .messages
                .get_mut(&(about.receive as usize, rank, about.channel))?
                .pop_front()?;
            if message.len() != count {
                return None;
            }
            add(message);
        }
        let held = |range: std::ops::Range<usize>| {
            self.memory[rank].0[range]
                .iter()
                .copied()
                .collect::<Option<Vec<u64>>>()
        };
        if !matches!(step.kind.as_str(), "r" | "rcs") {
            add(held(cells(step.source, &self.memory[rank])?)?);
        }
        if step.kind == "re" {
            add(held(cells(step.target, &self.memory[rank])?)?);
        }
        if !matches!(step.kind.as_str(), "s" | "rrs") {
            let range = cells(step.target, &self.memory[rank])?;
            range
                .zip(&value)
                .for_each(|(cell, &value)| self.memory[rank].0[cell] = Some(value));
        }
        if matches!(step.kind.as_str(), "s" | "rcs" | "rrs" | "rrcs") {
            let to = usize::try_from(about.send)
                .ok()
                .filter(|&to| to < self.model.gpus.len() && to != rank)?;
            self.messages
                .entry((rank, to, about.channel))
                .or_default()
                .push_back(value);
        }
        if step.signals {
            self.signalled[rank][block] = number as i64;
        }
        Some(())
    }

    fn is_over(&self) -> bool {
        let all = self.model.gpus.iter().zip(&self.next);
        let done = all.into_iter().all(|((_, blocks), next)| {
            blocks
                .iter()
                .zip(next)
                .all(|(block, &next)| block.steps[next..].iter().all(|step| step.kind == "nop"))
        });
        done && self.messages.values().all(VecDeque::is_empty)
    }

    fn has_result(&self) -> bool {
        let ranks = self.model.gpus.len();
        let sum =
            |chunk: usize| (0..ranks).fold(0u64, |sum, rank| sum.wrapping_add(weight(rank, chunk)));
        let unit = self.model.chunks / ranks;
        self.memory
            .iter()
            .enumerate()
            .all(|(rank, (cells, locations))| {
                let has = |at: usize, value: u64| cells[locations[1].0 + at] == Some(value);
                match self.model.collective.as_str() {
                    "allreduce" => (0..self.model.chunks).all(|chunk| has(chunk, sum(chunk))),
                    "reduce" => {
                        rank > 0 || (0..self.model.chunks).all(|chunk| has(chunk, sum(chunk)))
                    }
                    "broadcast" => (0..self.model.chunks).all(|chunk| has(chunk, weight(0, chunk))),
                    "reducescatter" => (0..unit).all(|chunk| has(chunk, sum(rank * unit + chunk))),
                    "allgather" => {
                        (0..self.model.chunks).all(|at| has(at, weight(at / unit, at % unit)))
                    }
                    _ => (0..self.model.chunks)
                        .all(|at| has(at, weight(at / unit, rank * unit + at % unit))),
                }
            })
    }
}

/// An allreduce around a ring; the messages of a rank are sent and received by one block, or by two that wait for each other.
pub fn ring(ranks: usize, blocks: usize) -> Model {
    let gpus = (0..ranks).map(|rank| {
        let [next, last] = [(rank + 1) % ranks, (rank + ranks - 1) % ranks].map(|rank| rank as i64);
        let mut sends = Vec::new();
        let mut receives = Vec::new();
        for round in 0..2 * (ranks - 1) {
            let [sent, taken] = [round, round + 1].map(|back| (rank + 2 * ranks - back) % ranks);
            sends.push(step("s", ('i', sent), ('i', sent)));
            receives.push(step(
                if round < ranks - 1 { "rrc" } else { "r" },
                ('i', taken),
                ('i', taken),
            ));
        }
        let blocks = if blocks == 1 {
            let steps = sends
                .into_iter()
                .zip(receives)
                .flat_map(|(send, receive)| [send, receive])
                .collect();
            vec![Block {
                send: next,
                receive: last,
                channel: 0,
                steps,
            }]
        } else {
            let sends = sends.into_iter().enumerate();
            let sends = sends.map(|(at, step)| {
                if at == 0 {
                    step.signals()
                } else {
                    step.after(1, at - 1).signals()
                }
            });
            // A chunk is overwritten in the second half, after it was sent.
            let receives = receives.into_iter().enumerate();
            let receives = receives.map(|(at, step)| {
                if at < ranks - 1 {
                    step.signals()
                } else {
                    step.after(0, at + 1 - ranks).signals()
                }
            });
            vec![
                Block {
                    send: next,
                    receive: -1,
                    channel: 0,
                    steps: sends.collect(),
                },
                Block {
                    send: -1,
                    receive: last,
                    channel: 0,
                    steps: receives.collect(),
                },
            ]
        };
        ([ranks, 0, 0], blocks)
    });
    Model {
        collective: "allreduce".to_owned(),
        in_place: true,
        chunks: ranks,
        gpus: gpus.collect(),
    }
}

/// An alltoall of direct messages, or an allgather of them; two chunks for each pair in one step.
pub fn direct(ranks: usize, collective: &str) -> Model {
    let is_all = collective == "alltoall";
    let gpus = (0..ranks).map(|rank| {
        let own = if is_all { 2 * rank } else { 0 };
        let copy = Step {
            count: 2,
            ..step("cpy", ('i', own), ('o', 2 * rank))
        };
        let mut blocks = vec![Block {
            send: -1,
            receive: -1,
            channel: 0,
            steps: vec![copy],
        }];
        for peer in (0..ranks).filter(|&peer| peer != rank) {
            let from = if is_all { 2 * peer } else { 0 };
            let send = Step {
                count: 2,
                ..step("s", ('i', from), ('o', 2 * rank))
            };
            let receive = Step {
                count: 2,
                ..step("r", ('i', 0), ('o', 2 * peer))
            };
            blocks.push(Block {
                send: peer as i64,
                receive: peer as i64,
                channel: 0,
                steps: vec![send, receive],
            });
        }
        ([if is_all { 2 * ranks } else { 2 }, 2 * ranks, 0], blocks)
    });
    Model {
        collective: collective.to_owned(),
        in_place: false,
        chunks: 2 * ranks,
        gpus: gpus.collect(),
    }
}

/// A reduce-scatter: each rank gets the others' chunks in scratch, and adds them after two waits.
pub fn scratch(ranks: usize) -> Model {
    let gpus = (0..ranks).map(|rank| {
        let peers: Vec<usize> = (0..ranks).filter(|&peer| peer != rank).collect();
        let mut blocks: Vec<Block> = peers
            .iter()
            .enumerate()
            .map(|(slot, &peer)| {
                let steps = vec![
                    step("s", ('i', peer), ('s', 0)),
                    step("r", ('i', 0), ('s', slot)).signals(),
                ];
                Block {
                    send: peer as i64,
                    receive: peer as i64,
                    channel: 0,
                    steps,
                }
            })
            .collect();
        let mut steps = vec![step("cpy", ('i', rank), ('o', 0))];
        steps.extend((1..peers.len()).map(|block| step("nop", ('i', 0), ('i', 0)).after(block, 1)));
        steps.push(step("re", ('s', 0), ('o', 0)).after(0, 1));
        steps.extend((1..peers.len()).map(|slot| step("re", ('s', slot), ('o', 0))));
        blocks.push(Block {
            send: -1,
            receive: -1,
            channel: 0,
            steps,
        });
        ([ranks, 1, ranks - 1], blocks)
    });
    Model {
        collective: "reducescatter".to_owned(),
        in_place: false,
        chunks: ranks,
        gpus: gpus.collect(),
    }
}

/// An allreduce along a chain and back, with fused steps.
pub fn chain(ranks: usize) -> Model {
    let gpus = (0..ranks).map(|rank| {
        let [up, down] = [
            rank as i64 - 1,
            if rank + 1 < ranks {
                rank as i64 + 1
            } else {
                -1
            },
        ];
        let own = |kind: &str| step(kind, ('i', 0), ('i', 0));
        let blocks = match (up, down) {
            (-1, _) => vec![Block {
                send: down,
                receive: down,
                channel: 0,
                steps: vec![own("s"), own("r")],
            }],
            (_, -1) => vec![Block {
                send: up,
                receive: up,
                channel: 0,
                steps: vec![own("rrcs")],
            }],
            _ => vec![
                Block {
                    send: down,
                    receive: up,
                    channel: 0,
                    steps: vec![own("rrs").signals()],
                },
                Block {
                    send: up,
                    receive: down,
                    channel: 0,
                    steps: vec![own("rcs").after(0, 0)],
                },
            ],
        };
        ([1, 0, 0], blocks)
    });
    Model {
        collective: "allreduce".to_owned(),
        in_place: true,
        chunks: 1,
        gpus: gpus.collect(),
    }
}

/// The schedules that tests mutate.
pub fn all() -> Vec<(&'static str, Model)> {
    vec![
        ("ring", ring(4, 1)),
        ("ring of two blocks", ring(4, 2)),
        ("alltoall", direct(4, "alltoall")),
        ("allgather", direct(3, "allgather")),
        ("scratch", scratch(4)),
        ("chain", chain(4)),
    ]
}

/// How many inputs of each reader; the environment can ask for more.
pub(crate) fn inputs() -> u64 {
    std::env::var("CASTBENCH_DAMAGED")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(2_000)
}

/// Words that mean something, and numbers at edges.
const WORDS: [&str; 28] = [
    "0",
    "1",
    "-1",
    "2",
    "7",
    "63",
    "2147483647",
    "-2147483648",
    "4294967295",
    "18446744073709551615",
    "1048576",
    "\"",
    "<",
    ">",
    "/>",
    "<tb ",
    "</gpu>",
    "{",
    "}",
    "[",
    "]",
    ",",
    "requires",
    "nop",
    "// blocks 0-1",
    "// combine 1",
    "sem_acquire",
    "\"cut\": 2, ",
];

/// A text with a few numbers, words or lines changed.
pub(crate) fn damaged(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(text.len());
        match random.below(6) {
            0 => text[at] = random.next() as u8,
            1 => text.truncate(at),
            2 => {
                // Another number.
                let is_digit = |byte: &u8| byte.is_ascii_digit();
                let start = at + text[at..].iter().position(is_digit).unwrap_or(0);
                let end = start
                    + text[start..]
                        .iter()
                        .position(|byte| !is_digit(byte))
                        .unwrap_or(0);
                text.splice(start..end, WORDS[random.below(12)].bytes());
            }
            3 => _ = text.splice(at..at, WORDS[random.below(WORDS.len())].bytes()),
            _ => {
                // A line is dropped, repeated, or moved.
                let mut lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
                let [from, to] = [random.below(lines.len()), random.below(lines.len())];
                match random.below(3) {
                    0 => _ = lines.remove(from),
                    1 => lines.insert(to, lines[from]),
                    _ => lines.swap(from, to),
                }
                text = lines.concat();
            }
        }
        if text.is_empty() {
            break;
        }
    }
    text
}

/// A verdict as text.
pub(crate) fn verdict_text<T>(verdict: Result<T, Trouble>) -> String {
    match verdict {
        Ok(_) => "right".to_owned(),
        Err(Trouble::Wrong(finding)) => format!("{}: {finding}", finding.kind.name()),
        Err(Trouble::NotJudged(None, reason)) => format!("not judged: {reason}"),
        Err(Trouble::NotJudged(Some(line), reason)) => format!("not judged: line {line}: {reason}"),
        Err(Trouble::Unread(line, verdict_text)) => {
            format!("not read, at {line:?}: {verdict_text}")
        }
    }
}
