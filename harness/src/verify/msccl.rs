//! Reads MSCCL XML: algorithms for RCCL, for Microsoft's fork of NCCL, and for the scheduler of Azure.
//!
//! The grammar is that of the parsers of these: elements with attributes, and comments. Offsets and counts are in chunks. A thread block
//! sends to one peer and receives from one, on one channel; `depid` and `deps` name a step that it waits for, which signals the end
//! of its last step up to there with `hasdep`; a `nop` passes what it waits for on to the next step.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;

use quick_xml::events::Event;
use quick_xml::events::attributes::Attributes;
use quick_xml::reader::Reader;

use super::finding::{Finding, FindingKind, Trouble, agreed};
use super::keys;
use super::memory::{Span, named, number};
use super::order;
use super::schedule::{Location, Schedule, Step};
use super::task::{Collective, Task};
use crate::base::units::grouped;

/// What the attributes of an element say.
#[derive(Debug)]
struct Element<'a> {
    name: &'a str,
    /// Whether it ends, `</name>`, or has nothing inside, `<name/>`.
    ends: bool,
    is_empty: bool,
    attributes: Vec<(&'a str, &'a str)>,
    line: u32,
}

/// Reads the elements of a text one after the other: a document of all of them takes eight times the text.
struct Scanner<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    /// The line at an index of the text.
    line: u32,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            reader: Reader::from_str(text),
            line: 1,
            at: 0,
        }
    }

    /// The line at an index of the text, which is not before the last one asked.
    fn line(&mut self, index: u64) -> u32 {
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        let index = index.clamp(self.at, self.text.len());
        let passed = &self.text.as_bytes()[self.at..index];
        self.line += number(passed.iter().filter(|&&byte| byte == b'\n').count());
        self.at = index;
        self.line
    }

    fn element(&mut self) -> Result<Option<Element<'a>>, Trouble> {
        loop {
            let start = self.reader.buffer_position();
            let (ends, is_empty) = match self.reader.read_event() {
                Ok(Event::Start(_)) => (false, false),
                Ok(Event::Empty(_)) => (false, true),
                Ok(Event::End(_)) => (true, false),
                Ok(Event::Eof) => return Ok(None),
                Ok(_) => continue,
                Err(error) => {
                    let line = self.line(self.reader.error_position());
                    return Err(Trouble::unread(line.into(), format!("no XML: {error}")));
                }
            };
            let line = self.line(start);
            let start = self.at;
            let end = usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX);
            let tag = self.text.get(start..end);
            let tag = tag.unwrap_or_default().trim_start_matches(['<', '/']);
            let inside = tag.trim_end_matches(['/', '>']);
            let name = inside.split_ascii_whitespace().next().unwrap_or_default();
            let mut element = Element {
                name,
                ends,
                is_empty,
                attributes: Vec::with_capacity(10),
                line,
            };
            for attribute in Attributes::new(inside, name.len()) {
                // The value of a borrowed text is borrowed.
                let found = attribute.ok().and_then(|attribute| match attribute.value {
                    Cow::Borrowed(value) => Some((attribute.key.into_inner(), value)),
                    Cow::Owned(_) => None,
                });
                element.attributes.push(found.ok_or_else(|| {
                    element.error(format!(
                        "expected attributes of <{name}> as in `cnt=\"1\"`, each once"
                    ))
                })?);
            }
            return Ok(Some(element));
        }
    }
}

impl<'a> Element<'a> {
    fn error(&self, message: impl Into<String>) -> Trouble {
        Trouble::unread(self.line.into(), message)
    }

    /// Checks that castbench knows the element and its attributes.
    fn check(&self) -> Result<(), Trouble> {
        keys::check_xml(self.name, self.attributes.iter().map(|(name, _)| *name))
            .map_err(|reason| Trouble::line_not_judged(self.line, reason))
    }

    fn find(&self, name: &str) -> Option<&'a str> {
        self.attributes
            .iter()
            .find(|(own, _)| *own == name)
            .map(|(_, value)| *value)
    }

    fn text(&self, name: &str) -> Result<&'a str, Trouble> {
        self.find(name)
            .ok_or_else(|| self.error(format!("<{}> has no attribute `{name}`", self.name)))
    }

    fn number(&self, name: &str) -> Result<i32, Trouble> {
        let value = self.text(name)?;
        value.parse().map_err(|_| {
            self.error(format!(
                "{name}=\"{value}\": expected a whole number of 32 bits"
            ))
        })
    }

    fn count(&self, name: &str) -> Result<u32, Trouble> {
        let number = self.number(name)?;
        u32::try_from(number)
            .map_err(|_| self.error(format!("{name}=\"{number}\": expected a number from 0")))
    }
}

/// A step as the file has it.
#[derive(Debug, Clone, Copy)]
struct WireStep<'a> {
    kind: &'a str,
    source: (&'a str, i32),
    target: (&'a str, i32),
    count: u32,
    /// The block and the step that it waits for, or -1.
    depends: (i32, i32),
    signals: bool,
    line: u32,
}

impl<'a> WireStep<'a> {
    /// A chunk that the runtimes check and its rank does not declare, and how many it declares.
    fn outside(&self, gpu: &Gpu<'_>) -> Option<(&'a str, i32, u32)> {
        let checks = |kinds: &[&str]| kinds.contains(&self.kind);
        let source = checks(&["s", "rrs", "rrcs", "cpy", "re"]).then_some(self.source);
        let target = checks(&["r", "rcs", "rrcs", "cpy", "re"]).then_some(self.target);
        let mut ends = source.into_iter().chain(target);
        ends.find_map(|(name, offset)| {
            let at = ["i", "o", "s"].iter().position(|own| *own == name)?;
            let most = gpu.chunks[at];
            (i64::from(offset) >= i64::from(most)).then_some((name, offset, most))
        })
    }
}

#[derive(Debug)]
struct Block<'a> {
    send: i32,
    receive: i32,
    channel: u32,
    steps: Vec<WireStep<'a>>,
    /// The number of its first step in the schedule.
    first: u32,
}

/// A rank of a file.
#[derive(Debug)]
pub struct Gpu<'a> {
    chunks: [u32; 3],
    blocks: Vec<Block<'a>>,
}

/// Reads a file.
///
/// # Errors
/// [`Trouble::Unread`] for other files; [`Trouble::Wrong`] where a step names a buffer, block or rank that does not exist, or waits
/// for a step that does not signal.
///
/// Cost: linear in the length.
pub fn read(
    text: &str,
    asked: Option<&'static Collective>,
    root: u32,
) -> Result<Schedule, Trouble> {
    let mut schedule = Schedule::new(0, text.len());
    let layout = layout(&mut schedule, text, asked, root)?;
    limits(&layout, &mut schedule.notes);
    for ((rank, gpu), buffers) in (0..).zip(&layout.gpus).zip(&layout.buffers) {
        for (id, block) in (0..).zip(&gpu.blocks) {
            schedule.block(rank, id);
            // A step waits for what the `nop`s before it wait for, too.
            let mut waits = Vec::new();
            for (at, step) in (0..).zip(&block.steps) {
                let location = Location {
                    rank,
                    block: id,
                    step: at,
                    line: step.line,
                };
                if step.depends.0 >= 0 {
                    waits.push(gpu.waits_for(location, step.depends)?);
                }
                if step.kind == "nop" {
                    schedule.push(
                        Step {
                            number: at,
                            line: step.line,
                            ..Step::default()
                        },
                        [&[], &[]],
                        &[],
                    );
                } else {
                    add(
                        &mut schedule,
                        location,
                        block,
                        step,
                        buffers,
                        &std::mem::take(&mut waits),
                    )?;
                }
            }
        }
    }
    order::one_block_each(&schedule)?;
    Ok(schedule)
}

/// What a file says, and where its buffers are in a schedule.
#[derive(Debug)]
pub struct Layout<'a> {
    algorithm: Element<'a>,
    /// The ranks.
    pub gpus: Vec<Gpu<'a>>,
    buffers: Vec<[Span; 3]>,
}

impl Layout<'_> {
    /// The blocks and steps of a rank that send or receive.
    pub fn messages(&self, rank: usize) -> impl Iterator<Item = (usize, usize)> {
        let blocks = self
            .gpus
            .get(rank)
            .into_iter()
            .flat_map(|gpu| &gpu.blocks)
            .enumerate();
        let is_message = |kind: &str| !["cpy", "re", "nop"].contains(&kind);
        blocks.flat_map(move |(block, about)| {
            let steps = about
                .steps
                .iter()
                .enumerate()
                .filter(move |(_, step)| is_message(step.kind));
            steps.map(move |(step, _)| (block, step))
        })
    }

    /// The chunks that a step sends, or those that it receives.
    pub fn span(&self, rank: u32, block: usize, step: usize, sends: bool) -> Option<Span> {
        let line = self
            .gpus
            .get(rank as usize)?
            .blocks
            .get(block)?
            .steps
            .get(step)?;
        let (name, offset) = if sends && line.kind == "s" {
            line.source
        } else {
            line.target
        };
        named(&self.buffers[rank as usize], name)?.part(offset, line.count)
    }
}

/// Reads a file, and adds its ranks, its buffers and its task to a schedule, but no steps.
///
/// # Errors
/// A file that is not MSCCL XML, and another collective than is asked for.
pub fn layout<'a>(
    schedule: &mut Schedule,
    text: &'a str,
    asked: Option<&'static Collective>,
    root: u32,
) -> Result<Layout<'a>, Trouble> {
    let mut scanner = Scanner::new(text);
    let algorithm = scanner
        .element()?
        .filter(|element| element.name == "algo" && !element.ends);
    let Some(algorithm) = algorithm else {
        return Err(Trouble::unread(
            1,
            "expected an MSCCL algorithm, `<algo name=... ngpus=...>`",
        ));
    };
    algorithm.check()?;
    let ranks = algorithm.count("ngpus")?;
    let mut gpus = gpus(&mut scanner, ranks)?;
    if let Some(missing) = (0..ranks).find(|rank| !gpus.contains_key(rank)) {
        return Err(algorithm.error(format!(
            "ngpus=\"{ranks}\", but there is no <gpu id=\"{missing}\">"
        )));
    }
    let mut next = 0;
    for block in gpus.values_mut().flat_map(|gpu| &mut gpu.blocks) {
        block.first = next;
        next += number(block.steps.len());
    }
    let gpus: Vec<Gpu<'_>> = gpus.into_values().collect();
    let operator = algorithm.find("redop").unwrap_or("sum");
    if !["sum", "prod", "nop"].contains(&operator) {
        return Err(Trouble::line_not_judged(
            algorithm.line,
            format!("redop=\"{operator}\": only sums and products are judged"),
        ));
    }
    let mut task = task(&algorithm, ranks, asked, root, &mut schedule.not_judged)?;
    let in_place = algorithm
        .find("inplace")
        .is_some_and(|value| value.trim() != "0");
    let most = schedule.memory.most();
    let buffers = buffers(schedule, &gpus, task.as_mut(), in_place).ok_or_else(|| {
        algorithm.error(format!(
            "its buffers have more than {} chunks in all; write a schedule of fewer",
            grouped(most)
        ))
    })?;
    (schedule.ranks, schedule.task) = (ranks, task);
    Ok(Layout {
        algorithm,
        gpus,
        buffers,
    })
}

fn gpus<'a>(scanner: &mut Scanner<'a>, ranks: u32) -> Result<BTreeMap<u32, Gpu<'a>>, Trouble> {
    let mut gpus = BTreeMap::new();
    let (mut gpu, mut open): (Option<u32>, bool) = (None, false);
    while let Some(element) = scanner.element()? {
        element.check()?;
        match (element.name, element.ends) {
            ("algo", true) => return Ok(gpus),
            ("gpu", true) => gpu = None,
            ("tb", true) => open = false,
            ("gpu", false) => {
                let id = element.count("id")?;
                let chunks = [
                    element.count("i_chunks")?,
                    element.count("o_chunks")?,
                    element.count("s_chunks")?,
                ];
                if id >= ranks
                    || gpus
                        .insert(
                            id,
                            Gpu {
                                chunks,
                                blocks: Vec::new(),
                            },
                        )
                        .is_some()
                {
                    return Err(element.error(format!(
                        "<gpu id=\"{id}\">: expected each of 0..{ranks} once"
                    )));
                }
                (gpu, open) = (Some(id).filter(|_| !element.is_empty), false);
            }
            ("tb", false) => {
                let gpu = gpu.and_then(|id| gpus.get_mut(&id));
                let gpu = gpu.ok_or_else(|| element.error("<tb> outside of a <gpu>"))?;
                in_order(
                    &element,
                    "id",
                    gpu.blocks.len(),
                    "blocks 0, 1, .. of a <gpu>",
                )?;
                let (send, receive) = (element.number("send")?, element.number("recv")?);
                let channel = element.count("chan")?;
                gpu.blocks.push(Block {
                    send,
                    receive,
                    channel,
                    steps: Vec::new(),
                    first: 0,
                });
                open = !element.is_empty;
            }
            ("step", false) => {
                let block = gpu
                    .filter(|_| open)
                    .and_then(|id| gpus.get_mut(&id)?.blocks.last_mut());
                let block = block.ok_or_else(|| element.error("<step> outside of a <tb>"))?;
                in_order(&element, "s", block.steps.len(), "steps 0, 1, .. of a <tb>")?;
                block.steps.push(WireStep {
                    kind: element.text("type")?,
                    source: (element.text("srcbuf")?, element.number("srcoff")?),
                    target: (element.text("dstbuf")?, element.number("dstoff")?),
                    count: element.count("cnt")?,
                    depends: (element.number("depid")?, element.number("deps")?),
                    signals: element.number("hasdep")? != 0,
                    line: element.line,
                });
            }
            _ => {}
        }
    }
    Err(Trouble::unread(
        scanner.line.into(),
        "expected `</algo>` at the end; is the file truncated?",
    ))
}

/// Checks that an element has the number that comes next.
fn in_order(element: &Element<'_>, name: &str, next: usize, what: &str) -> Result<(), Trouble> {
    let id = element.count(name)?;
    if id as usize == next {
        Ok(())
    } else {
        Err(element.error(format!("{name}=\"{id}\": expected {what}, in order")))
    }
}

/// The task that the file names; none for a collective that castbench cannot judge.
fn task(
    algorithm: &Element<'_>,
    ranks: u32,
    asked: Option<&'static Collective>,
    root: u32,
    not_judged: &mut Option<String>,
) -> Result<Option<Task>, Trouble> {
    let name = algorithm.find("coll").unwrap_or_default();
    let Some(collective) = agreed(asked, Collective::named(name))? else {
        *not_judged = Some(format!(
            "coll=\"{name}\": the result is not judged; --collective names one"
        ));
        return Ok(None);
    };
    let stated = algorithm.find("root").map(|_| algorithm.count("root"));
    let root = stated.transpose()?.unwrap_or(root);
    if root >= ranks {
        return Err(Finding::result(format!(
            "there is no rank {root} to be the root: ngpus is {ranks}"
        ))
        .into());
    }
    let chunks = algorithm.count("nchunksperloop")?;
    let whole = format!(
        "nchunksperloop=\"{chunks}\": expected a multiple of the {ranks} ranks for {}",
        collective.name
    );
    Task::new(collective, root, ranks, chunks)
        .map(Some)
        .ok_or_else(|| algorithm.error(whole))
}

/// The buffers i, o and s of each rank.
fn buffers(
    schedule: &mut Schedule,
    gpus: &[Gpu<'_>],
    mut task: Option<&mut Task>,
    in_place: bool,
) -> Option<Vec<[Span; 3]>> {
    let memory = &mut schedule.memory;
    let of = |(rank, gpu): (u32, &Gpu<'_>)| {
        let [i, o, s] = gpu.chunks.map(u64::from);
        let [input, output] = match &mut task {
            Some(task) => task.add(memory, [i, o], in_place)?,
            None => [memory.add(rank, "i", i)?, memory.add(rank, "o", o)?],
        };
        Some([input, output, memory.add(rank, "s", s)?])
    };
    (0..).zip(gpus).map(of).collect()
}

/// Adds a step that is no `nop`.
fn add(
    schedule: &mut Schedule,
    location: Location,
    block: &Block<'_>,
    line: &WireStep<'_>,
    buffers: &[Span; 3],
    waits: &[u32],
) -> Result<(), Trouble> {
    let unread = |explanation: String| Trouble::unread(line.line.into(), explanation);
    // What each type does: it receives, sends, reads its source, reads its target, writes its target.
    let [receives, sends, source, sums, target] = match line.kind {
        "s" => [false, true, true, false, false],
        "r" => [true, false, false, false, true],
        "rcs" => [true, true, false, false, true],
        "rrs" => [true, true, true, false, false],
        "rrc" => [true, false, true, false, true],
        "rrcs" => [true, true, true, false, true],
        "cpy" => [false, false, true, false, true],
        "re" => [false, false, true, true, true],
        kind => {
            return Err(unread(format!(
                "type=\"{kind}\": expected s, r, rcs, rrs, rrc, rrcs, cpy, re or nop"
            )));
        }
    };
    let missing = |what: String| Trouble::Wrong(Finding::at(FindingKind::Missing, location, what));
    let span = |does: bool, (name, offset): (&str, i32)| {
        if !does {
            return Ok(None);
        }
        let buffer = named(buffers, name)
            .ok_or_else(|| unread(format!("buffer \"{name}\": expected i, o or s")))?;
        let count = line.count;
        buffer.part(offset, count).map(Some).ok_or_else(|| {
            missing(format!(
                "names {count} chunks of `{name}` from chunk {offset} on; it has {}",
                buffer.count
            ))
        })
    };
    let mut step = Step {
        number: location.step,
        line: line.line,
        count: line.count,
        ..Step::default()
    };
    let ends = [
        (receives, block.receive, "receives, but `recv`"),
        (sends, block.send, "sends, but `send`"),
    ];
    for (side, (_, peer, what)) in ends.into_iter().enumerate().filter(|(_, (does, ..))| *does) {
        let peer = u32::try_from(peer)
            .ok()
            .filter(|&peer| peer < schedule.ranks && peer != location.rank);
        let peer =
            peer.ok_or_else(|| missing(format!("{what} of its block names no other rank")))?;
        step = step.on(
            schedule.channel(location.rank, peer, side == 1, block.channel),
            side == 1,
        );
    }
    let [sums, source] = [span(sums, line.target)?, span(source, line.source)?];
    let reads: Vec<Span> = sums.into_iter().chain(source).collect();
    schedule.push(step, [&reads, span(target, line.target)?.as_slice()], waits);
    Ok(())
}

impl Gpu<'_> {
    /// The step that ends a wait: the first one from the named one on that signals.
    fn waits_for(&self, location: Location, (block, step): (i32, i32)) -> Result<u32, Trouble> {
        let found = usize::try_from(block)
            .ok()
            .and_then(|block| self.blocks.get(block));
        let at = usize::try_from(step).ok();
        let known = found.zip(at).filter(|(found, at)| *at < found.steps.len());
        let Some((found, at)) = known else {
            let what = format!("waits for step {step} of block {block}, which does not exist");
            return Err(Finding::at(FindingKind::Missing, location, what).into());
        };
        let signals = found.steps[at..]
            .iter()
            .position(|line| line.signals && line.kind != "nop");
        let after = signals.ok_or_else(|| {
            let what =
                format!("waits for step {step} of block {block}, which has no hasdep=\"1\" and so never signals");
            Finding::at(FindingKind::Deadlock, location, what)
        })?;
        Ok(found.first + number(at + after))
    }
}

/// Limits of a runtime: its name, and its most steps of a block, blocks of a rank, chunks of a step and elements of a file.
const RUNTIMES: [(&str, [u64; 4]); 2] = [
    ("RCCL", [64, 64, 71, 4096]),
    ("Microsoft's MSCCL", [256, 216, 72, u64::MAX]),
];

/// What the parser and the connections of both runtimes refuse or lack (`msccl_parser.cc`, `msccl_setup.cc` of RCCL).
fn refused(layout: &Layout<'_>) -> Vec<String> {
    let Layout {
        algorithm, gpus, ..
    } = layout;
    let find = |name: &str| algorithm.find(name);
    let of = |name| find(name).and_then(|value| value.parse::<u64>().ok());
    let protocol = find("proto")
        .filter(|name| !["Simple", "LL", "LL128"].contains(name))
        .map(|name| format!("proto=\"{name}\" is none of Simple, LL and LL128"));
    // 0 is no limit.
    let sizes = of("minBytes")
        .zip(of("maxBytes"))
        .filter(|&(least, most)| 0 < most && most < least)
        .map(|(least, most)| {
            format!("no size is from minBytes=\"{least}\" to maxBytes=\"{most}\"")
        });
    let blocks = (0..).zip(gpus).flat_map(|(rank, gpu)| {
        let blocks = (0..).zip(&gpu.blocks);
        blocks.map(move |(id, block)| {
            (
                Location {
                    rank,
                    block: id,
                    ..Location::default()
                },
                gpu,
                block,
            )
        })
    });
    let channel = find("nchannels").and_then(|text| {
        let is_open = |channel: u32| text.parse().is_ok_and(|count: u32| channel < count);
        let (at, _, block) = blocks
            .clone()
            .find(|(_, _, block)| !is_open(block.channel))?;
        let channel = block.channel;
        Some(format!(
            "block {} of rank {} uses channel {channel}, nchannels is {text}",
            at.block, at.rank
        ))
    });
    let mut steps =
        blocks.flat_map(|(at, gpu, block)| block.steps.iter().map(move |step| (at, gpu, step)));
    let chunk = steps.find_map(|(at, gpu, step)| {
        let (name, offset, most) = step.outside(gpu)?;
        Some(format!(
            "line {}: chunk {offset} of `{name}`, and {name}_chunks of rank {} is {most}",
            step.line, at.rank
        ))
    });
    [protocol, sizes, channel, chunk]
        .into_iter()
        .flatten()
        .collect()
}

/// States which runtimes cannot load the file.
fn limits(layout: &Layout<'_>, notes: &mut Vec<String>) {
    let gpus = &layout.gpus;
    let blocks = || gpus.iter().flat_map(|gpu| &gpu.blocks);
    let steps = || blocks().flat_map(|block| &block.steps);
    let wrong = refused(layout);
    let found = [
        (
            blocks().map(|block| block.steps.len() as u64).max(),
            "steps in a block",
        ),
        (
            gpus.iter().map(|gpu| gpu.blocks.len() as u64).max(),
            "blocks in a rank",
        ),
        (
            steps().map(|step| step.count.into()).max(),
            "chunks in a step",
        ),
        (
            Some((1 + gpus.len() + blocks().count() + steps().count()) as u64),
            "elements",
        ),
    ];
    for (name, most) in RUNTIMES {
        let needed = ["outofplace", "minBytes", "maxBytes"]
            .into_iter()
            .filter(|_| name == "RCCL");
        let needed = needed.filter(|needed| layout.algorithm.find(needed).is_none());
        let over = found.iter().zip(most).filter_map(|(&(found, what), most)| {
            found
                .filter(|&found| found > most)
                .map(|found| format!("{found} {what}, at most {most}"))
        });
        let reasons: Vec<String> = needed
            .map(|needed| format!("needs {needed}"))
            .chain(over)
            .chain(wrong.iter().cloned())
            .collect();
        if !reasons.is_empty() {
            notes.push(format!("not loadable by {name}: {}", reasons.join("; ")));
        }
    }
}
