//! Reads MSCCL XML: algorithms for RCCL, for Microsoft's fork of NCCL, and for the scheduler of Azure.
//!
//! The grammar is that of the parsers of these: elements with attributes, and comments. Offsets and counts are in chunks. A thread block
//! sends to one peer and receives from one, on one channel; `depid` and `deps` name a step that it waits for, which signals the end
//! of its last step up to there with `hasdep`; a `nop` passes what it waits for on to the next step.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use super::finding::{Finding, FindingKind, Trouble, agreed};
use super::memory::Span;
use super::order;
use super::schedule::{Channel, Location, New, Schedule};
use super::task::{Collective, Task};
use crate::units::grouped;

/// What the attributes of an element say.
#[derive(Debug, Clone, Default)]
struct Element<'a> {
    name: &'a str,
    /// Whether it ends, `</name>`, or has nothing inside, `<name/>`.
    ends: bool,
    is_empty: bool,
    attributes: &'a str,
    line: u64,
}

struct Scanner<'a> {
    text: &'a str,
    line: u64,
}

impl<'a> Scanner<'a> {
    /// Skips what is in front of a mark, and the mark.
    fn through(&mut self, mark: &str) -> Result<&'a str, Trouble> {
        let Some((before, after)) = self.text.split_once(mark) else {
            return Err(Trouble::unread(
                self.line,
                format!("expected `{mark}` before the end of the file; is it truncated?"),
            ));
        };
        self.text = after;
        self.line += before.bytes().filter(|&byte| byte == b'\n').count() as u64;
        Ok(before)
    }

    fn element(&mut self) -> Result<Option<Element<'a>>, Trouble> {
        loop {
            if self.text.trim_start().is_empty() {
                return Ok(None);
            }
            self.through("<")?;
            if self.text.starts_with("!--") {
                self.through("-->")?;
                continue;
            }
            let line = self.line;
            let inside = self.through(">")?;
            if inside.starts_with(['?', '!']) {
                continue;
            }
            let (inside, ends) = inside.strip_prefix('/').map_or((inside, false), |inside| (inside, true));
            let (inside, is_empty) = inside.strip_suffix('/').map_or((inside, false), |inside| (inside, true));
            let (name, attributes) = inside.split_once(|sign: char| sign.is_ascii_whitespace()).unwrap_or((inside, ""));
            return Ok(Some(Element { name, ends, is_empty, attributes, line }));
        }
    }
}

impl<'a> Element<'a> {
    fn error(&self, message: impl Into<String>) -> Trouble {
        Trouble::unread(self.line, message)
    }

    /// Calls `take` with each attribute.
    fn attributes(&self, mut take: impl FnMut(&'a str, &'a str) -> Result<(), Trouble>) -> Result<(), Trouble> {
        let mut rest = self.attributes.trim_ascii();
        while !rest.is_empty() {
            let parts = rest.split_once('=').and_then(|(name, rest)| {
                let rest = rest.trim_ascii_start();
                let quote = rest.chars().next().filter(|sign| matches!(sign, '"' | '\''))?;
                let (value, rest) = rest[1..].split_once(quote)?;
                Some((name.trim_ascii(), value, rest.trim_ascii_start()))
            });
            let Some((name, value, after)) = parts else {
                return Err(self.error(format!("expected attributes of <{}> as in `cnt=\"1\"`", self.name)));
            };
            take(name, value)?;
            rest = after;
        }
        Ok(())
    }

    fn text(&self, wanted: &str) -> Result<Option<&'a str>, Trouble> {
        let mut found = None;
        self.attributes(|name, value| {
            if name == wanted {
                found = Some(value);
            }
            Ok(())
        })?;
        Ok(found)
    }

    fn number(&self, name: &str, value: &str) -> Result<i64, Trouble> {
        let number = value.parse().ok().filter(|number: &i64| i32::try_from(*number).is_ok());
        number.ok_or_else(|| self.error(format!("{name}=\"{value}\": expected a whole number of 32 bits")))
    }

    fn count(&self, name: &str) -> Result<u32, Trouble> {
        let Some(value) = self.text(name)? else {
            return Err(self.error(format!("<{}> has no attribute `{name}`", self.name)));
        };
        let number = self.number(name, value)?;
        u32::try_from(number).map_err(|_| self.error(format!("{name}=\"{value}\": expected a number from 0")))
    }
}

/// A step as the file has it.
#[derive(Debug, Clone, Copy)]
struct WireStep<'a> {
    kind: &'a str,
    number: i64,
    source: (&'a str, i64),
    target: (&'a str, i64),
    count: i64,
    /// The block and the step that it waits for, or -1.
    depends: (i64, i64),
    signals: bool,
    line: u64,
}

#[derive(Debug)]
struct Block<'a> {
    id: u32,
    send: i64,
    receive: i64,
    channel: u32,
    steps: Vec<WireStep<'a>>,
}

/// A rank of a file.
#[derive(Debug, Default)]
pub struct Gpu<'a> {
    chunks: [u32; 3],
    blocks: Vec<Block<'a>>,
    is_there: bool,
}

/// Reads a file.
///
/// # Errors
/// [`Trouble::Unread`] for other files; [`Trouble::Wrong`] where a step names a buffer, block or rank that does not exist, or waits
/// for a step that does not signal.
///
/// Cost: linear in the length.
pub fn read(text: &str, asked: Option<Collective>, root: u32) -> Result<Schedule, Trouble> {
    let mut schedule = Schedule::new(0, text.len());
    let layout = layout(&mut schedule, text, asked, root)?;
    limits(&layout, &mut schedule.notes)?;
    let mut writer = Writer { schedule, firsts: HashMap::new(), forward: Vec::new() };
    writer.number(&layout.gpus);
    for ((rank, gpu), buffers) in (0..).zip(&layout.gpus).zip(&layout.buffers) {
        for block in &gpu.blocks {
            writer.block(rank, gpu, block, buffers)?;
        }
    }
    order::one_block_each(&writer.schedule)?;
    Ok(writer.schedule)
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
    /// The chunks that a step sends, or those that it receives.
    #[must_use]
    pub fn span(&self, rank: u32, block: usize, step: usize, sends: bool) -> Option<Span> {
        let line = self.gpus.get(rank as usize)?.blocks.get(block)?.steps.get(step)?;
        let (name, offset) = if sends && line.kind == "s" { line.source } else { line.target };
        let buffer = &self.buffers[rank as usize][["i", "o", "s"].iter().position(|known| *known == name)?];
        inside(buffer, offset, u32::try_from(line.count).ok()?)
    }
}

/// Chunks of a buffer, if it has them.
fn inside(buffer: &Span, offset: i64, count: u32) -> Option<Span> {
    let first =
        u32::try_from(offset).ok().filter(|&first| u64::from(first) + u64::from(count) <= buffer.count.into())?;
    Some(Span { first: buffer.first + first, count })
}

/// Reads a file, and adds its ranks, its buffers and its task to a schedule, but no steps.
///
/// # Errors
/// A file that is not MSCCL XML, and another collective than is asked for.
pub fn layout<'a>(
    schedule: &mut Schedule,
    text: &'a str,
    asked: Option<Collective>,
    root: u32,
) -> Result<Layout<'a>, Trouble> {
    let mut scanner = Scanner { text, line: 1 };
    let algorithm = scanner.element()?.filter(|element| element.name == "algo" && !element.ends);
    let Some(algorithm) = algorithm else {
        return Err(Trouble::unread(1, "expected an MSCCL algorithm, `<algo name=... ngpus=...>`"));
    };
    let ranks = algorithm.count("ngpus")?;
    if u64::from(ranks) * 9 > text.len() as u64 {
        return Err(algorithm.error(format!("ngpus=\"{ranks}\": the file is too short for as many <gpu>")));
    }
    let gpus = gpus(&mut scanner, ranks)?;
    if let Some(missing) = gpus.iter().position(|gpu| !gpu.is_there) {
        return Err(algorithm.error(format!("ngpus=\"{ranks}\", but there is no <gpu id=\"{missing}\">")));
    }
    let mut task = task(&algorithm, ranks, asked, root, &mut schedule.notes)?;
    let in_place = algorithm.text("inplace")?.is_some_and(|value| value.trim() != "0");
    let most = schedule.memory.most();
    let buffers = buffers(schedule, &gpus, task.as_mut(), in_place).ok_or_else(|| {
        algorithm
            .error(format!("its buffers have more than {} chunks in all; write a schedule of fewer", grouped(most)))
    })?;
    (schedule.ranks, schedule.task) = (ranks, task);
    Ok(Layout { algorithm, gpus, buffers })
}

fn gpus<'a>(scanner: &mut Scanner<'a>, ranks: u32) -> Result<Vec<Gpu<'a>>, Trouble> {
    let mut gpus: Vec<Gpu<'a>> = (0..ranks).map(|_| Gpu::default()).collect();
    let (mut gpu, mut open): (Option<usize>, bool) = (None, false);
    while let Some(element) = scanner.element()? {
        match (element.name, element.ends) {
            ("algo", true) => return Ok(gpus),
            ("gpu", true) => gpu = None,
            ("tb", true) => open = false,
            ("gpu", false) => {
                let id = element.count("id")? as usize;
                let Some(found) = gpus.get_mut(id).filter(|found| !found.is_there) else {
                    return Err(element.error(format!("<gpu id=\"{id}\">: expected each of 0..{ranks} once")));
                };
                found.is_there = true;
                found.chunks = [element.count("i_chunks")?, element.count("o_chunks")?, element.count("s_chunks")?];
                gpu = Some(id).filter(|_| !element.is_empty);
                open = false;
            }
            ("tb", false) => {
                let Some(gpu) = gpu else { return Err(element.error("<tb> outside of a <gpu>")) };
                let number = |name: &str| match element.text(name)? {
                    Some(value) => element.number(name, value),
                    None => Err(element.error(format!("<tb> has no attribute `{name}`"))),
                };
                let (id, channel) = (element.count("id")?, element.count("chan")?);
                let (send, receive) = (number("send")?, number("recv")?);
                if gpus[gpu].blocks.last().map_or(0, |last| last.id + 1) != id {
                    return Err(
                        element.error(format!("<tb id=\"{id}\">: expected blocks 0, 1, .. of a <gpu>, in order"))
                    );
                }
                gpus[gpu].blocks.push(Block { id, send, receive, channel, steps: Vec::new() });
                open = !element.is_empty;
            }
            ("step", false) => {
                let block = gpu.filter(|_| open).and_then(|gpu| gpus[gpu].blocks.last_mut());
                let Some(block) = block else { return Err(element.error("<step> outside of a <tb>")) };
                let line = line(&element)?;
                if usize::try_from(line.number) != Ok(block.steps.len()) {
                    return Err(
                        element.error(format!("s=\"{}\": expected steps 0, 1, .. of a <tb>, in order", line.number))
                    );
                }
                block.steps.push(line);
            }
            _ => {}
        }
    }
    Err(Trouble::unread(scanner.line, "expected `</algo>` at the end; is the file truncated?"))
}

fn line<'a>(element: &Element<'a>) -> Result<WireStep<'a>, Trouble> {
    let mut step = WireStep {
        kind: "",
        number: -1,
        source: ("", -1),
        target: ("", -1),
        count: -1,
        depends: (-1, -1),
        signals: false,
        line: element.line,
    };
    let mut met = 0;
    element.attributes(|name, value| {
        let number = || element.number(name, value);
        met += 1;
        match name {
            "s" => step.number = number()?,
            "type" => step.kind = value,
            "srcbuf" => step.source.0 = value,
            "srcoff" => step.source.1 = number()?,
            "dstbuf" => step.target.0 = value,
            "dstoff" => step.target.1 = number()?,
            "cnt" => step.count = number()?,
            "depid" => step.depends.0 = number()?,
            "deps" => step.depends.1 = number()?,
            "hasdep" => step.signals = number()? != 0,
            _ => met -= 1,
        }
        Ok(())
    })?;
    if met < 10 {
        let names = "s, type, srcbuf, srcoff, dstbuf, dstoff, cnt, depid, deps and hasdep";
        return Err(element.error(format!("expected a <step> with {names}")));
    }
    Ok(step)
}

/// The task that the file names; none for a collective that castbench cannot judge.
fn task(
    algorithm: &Element<'_>,
    ranks: u32,
    asked: Option<Collective>,
    root: u32,
    notes: &mut Vec<String>,
) -> Result<Option<Task>, Trouble> {
    let name = algorithm.text("coll")?.unwrap_or_default();
    let Some(collective) = agreed(asked, Collective::named(name))? else {
        notes.push(format!("coll=\"{name}\": the result is not judged; --collective names one"));
        return Ok(None);
    };
    if root >= ranks {
        return Err(Finding::result(format!("there is no rank {root} to be the root: ngpus is {ranks}")).into());
    }
    let chunks = algorithm.count("nchunksperloop")?;
    let whole =
        format!("nchunksperloop=\"{chunks}\": expected a multiple of the {ranks} ranks for {}", collective.name);
    Task::new(collective, root, ranks, chunks).map(Some).ok_or_else(|| algorithm.error(whole))
}

/// The buffers i, o and s of each rank.
fn buffers(
    schedule: &mut Schedule,
    gpus: &[Gpu<'_>],
    task: Option<&mut Task>,
    in_place: bool,
) -> Option<Vec<[Span; 3]>> {
    let mut all = Vec::with_capacity(gpus.len());
    let mut task = task;
    for (rank, gpu) in (0..).zip(gpus) {
        let [i, o, s] = gpu.chunks.map(u64::from);
        let [input, output] = match &mut task {
            Some(task) => task.add(&mut schedule.memory, [i, o], in_place)?,
            None => [schedule.memory.add(rank, "i", i)?, schedule.memory.add(rank, "o", o)?],
        };
        all.push([input, output, schedule.memory.add(rank, "s", s)?]);
    }
    Some(all)
}

struct Writer {
    schedule: Schedule,
    /// The first step of each block.
    firsts: HashMap<(u32, u32), u32>,
    /// What the `nop`s before a step wait for.
    forward: Vec<u32>,
}

impl Writer {
    /// Numbers the steps of all blocks, which later blocks can wait for.
    fn number(&mut self, gpus: &[Gpu<'_>]) {
        let mut next = 0;
        for (rank, gpu) in (0..).zip(gpus) {
            for block in &gpu.blocks {
                self.firsts.insert((rank, block.id), next);
                next += super::memory::number(block.steps.len());
            }
        }
    }

    fn block(&mut self, rank: u32, gpu: &Gpu<'_>, block: &Block<'_>, buffers: &[Span; 3]) -> Result<(), Trouble> {
        self.schedule.block(rank, block.id);
        self.forward.clear();
        let channel = |peer: i64, sends: bool| {
            let peer = u32::try_from(peer).ok().filter(|&peer| peer < self.schedule.ranks && peer != rank)?;
            let [from, to] = if sends { [rank, peer] } else { [peer, rank] };
            Some(Channel { from, to, number: block.channel })
        };
        let channels = [channel(block.receive, false), channel(block.send, true)];
        for line in &block.steps {
            let step = u32::try_from(line.number).unwrap_or(0);
            let location = Location { rank, block: block.id, step, line: u32::try_from(line.line).unwrap_or(0) };
            self.step(location, gpu, line, channels, buffers)?;
        }
        Ok(())
    }

    fn step(
        &mut self,
        location: Location,
        gpu: &Gpu<'_>,
        line: &WireStep<'_>,
        channels: [Option<Channel>; 2],
        buffers: &[Span; 3],
    ) -> Result<(), Trouble> {
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
            "nop" => [false; 5],
            kind => {
                return Err(Trouble::unread(
                    line.line,
                    format!("type=\"{kind}\": expected s, r, rcs, rrs, rrc, rrcs, cpy, re or nop"),
                ));
            }
        };
        let count =
            u32::try_from(line.count).map_err(|_| Trouble::unread(line.line, "cnt: expected a number from 0"))?;
        if line.depends.0 >= 0 {
            let step = self.waits_for(location, gpu, line.depends)?;
            self.forward.push(step);
        }
        if line.kind == "nop" {
            self.schedule.push(New { number: location.step, line: location.line, ..New::default() });
            return Ok(());
        }
        let missing = |what: String| Trouble::Wrong(Finding::at(FindingKind::Missing, location, what));
        let span = |(name, offset): (&str, i64)| {
            let known = ["i", "o", "s"].iter().position(|known| *known == name);
            let buffer = known
                .map(|at| buffers[at])
                .ok_or_else(|| Trouble::unread(line.line, format!("buffer \"{name}\": expected i, o or s")))?;
            inside(&buffer, offset, count).ok_or_else(|| {
                missing(format!("names {count} chunks of `{name}` from chunk {offset} on; it has {}", buffer.count))
            })
        };
        let mut ends = [None; 2];
        for (at, _) in [receives, sends].into_iter().enumerate().filter(|(_, does)| *does) {
            let what = ["receives, but `recv` of its block", "sends, but `send` of its block"][at];
            let channel = channels[at].ok_or_else(|| missing(format!("{what} names no other rank")))?;
            ends[at] = Some(self.schedule.channel(channel));
        }
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        if sums {
            reads.push(span(line.target)?);
        }
        if source {
            reads.push(span(line.source)?);
        }
        if target {
            writes.push(span(line.target)?);
        }
        let waits = std::mem::take(&mut self.forward);
        self.schedule.push(New {
            number: location.step,
            line: location.line,
            receive: ends[0],
            send: ends[1],
            count,
            reads: &reads,
            writes: &writes,
            waits: &waits,
            ..New::default()
        });
        Ok(())
    }

    /// The step that ends a wait: the first one from the named one on that signals.
    fn waits_for(&self, location: Location, gpu: &Gpu<'_>, (block, step): (i64, i64)) -> Result<u32, Trouble> {
        let found = usize::try_from(block).ok().and_then(|block| gpu.blocks.get(block));
        let at = usize::try_from(step).ok();
        let known = found.zip(at).filter(|(found, at)| *at < found.steps.len());
        let Some((found, step)) = known else {
            let what = format!("waits for step {step} of block {block}, which does not exist");
            return Err(Finding::at(FindingKind::Missing, location, what).into());
        };
        let signals = found.steps[step..].iter().position(|line| line.signals && line.kind != "nop");
        let Some(after) = signals else {
            let what =
                format!("waits for step {step} of block {block}, which has no hasdep=\"1\" and so never signals");
            return Err(Finding::at(FindingKind::Deadlock, location, what).into());
        };
        let first = self.firsts.get(&(location.rank, found.id)).copied().unwrap_or(0);
        Ok(first + super::memory::number(step + after))
    }
}

/// Limits of a runtime: its name, and its most steps of a block, blocks of a rank, chunks of a step and elements of a file.
const RUNTIMES: [(&str, usize, usize, i64, usize); 2] =
    [("RCCL", 64, 64, 71, 4096), ("Microsoft's MSCCL", 256, 216, 72, usize::MAX)];

/// States which runtimes cannot load the file.
fn limits(layout: &Layout<'_>, notes: &mut Vec<String>) -> Result<(), Trouble> {
    let Layout { algorithm, gpus, .. } = layout;
    let blocks = || gpus.iter().flat_map(|gpu| &gpu.blocks);
    let steps = || blocks().flat_map(|block| &block.steps);
    let most_steps = blocks().map(|block| block.steps.len()).max().unwrap_or(0);
    let most_blocks = gpus.iter().map(|gpu| gpu.blocks.len()).max().unwrap_or(0);
    let most_chunks = steps().map(|step| step.count).max().unwrap_or(0);
    let elements = 1 + gpus.len() + blocks().count() + steps().count();
    for (name, max_steps, max_blocks, max_chunks, max_elements) in RUNTIMES {
        let mut reasons = Vec::new();
        if name == "RCCL" {
            for needed in ["outofplace", "minBytes", "maxBytes"] {
                if algorithm.text(needed)?.is_none() {
                    reasons.push(format!("needs {needed}"));
                }
            }
        }
        let mut over = |found: i128, most: i128, what: &str| {
            if found > most {
                reasons.push(format!("{found} {what}, at most {most}"));
            }
        };
        over(most_steps as i128, max_steps as i128, "steps in a block");
        over(most_blocks as i128, max_blocks as i128, "blocks in a rank");
        over(most_chunks.into(), max_chunks.into(), "chunks in a step");
        over(elements as i128, max_elements as i128, "elements");
        if !reasons.is_empty() {
            notes.push(format!("not loadable by {name}: {}", reasons.join("; ")));
        }
    }
    Ok(())
}
