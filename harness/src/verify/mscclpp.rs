//! Reads execution plans of MSCCL++: JSON.
//!
//! Its channels carry signals; data are written to and read from the memory of other ranks. An operation on packets waits for the
//! packets that it reads, so a chunk of scratch has one writer of packets. `pipeline` repeats its operations on parts of chunks, so they are
//! executed once. A switch reads from and writes to the memory of a group of ranks. Semaphores order the blocks of a rank, as far as
//! that is certain: where one block acquires.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::finding::{Finding, FindingKind, Trouble, agreed};
use super::memory::{Span, named, number};
use super::schedule::{Location, Schedule, Step};
use super::task::{Collective, Task};

#[derive(Debug, Deserialize)]
struct ExecutionPlan {
    collective: String,
    #[serde(default)]
    inplace: bool,
    gpus: Vec<Gpu>,
}

#[derive(Debug, Deserialize)]
struct Gpu {
    id: u32,
    input_chunks: u32,
    output_chunks: u32,
    scratch_chunks: u32,
    #[serde(default)]
    channels: Vec<Channels>,
    #[serde(default)]
    remote_buffers: Vec<Remote>,
    #[serde(default)]
    semaphores: Vec<Semaphore>,
    threadblocks: Vec<Block>,
}

#[derive(Debug, Deserialize)]
struct Semaphore {
    init_value: u32,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Channels {
    channel_type: String,
    connected_to: Vec<u32>,
    buffer_type: String,
    rank_groups: Vec<Group>,
}

#[derive(Debug, Deserialize)]
struct Group {
    ranks: Vec<u32>,
}

#[derive(Debug, Deserialize)]
struct Remote {
    rank: u32,
    r#type: String,
}

#[derive(Debug, Deserialize)]
struct Block {
    id: u32,
    ops: Vec<Operation>,
    #[serde(default)]
    channels: Vec<Ids>,
    #[serde(default)]
    remote_buffer_refs: Vec<Ids>,
}

/// Which channels or remote buffers of its rank a block names 0, 1, ..
#[derive(Debug, Deserialize)]
struct Ids {
    #[serde(alias = "access_channel_type")]
    channel_type: String,
    #[serde(alias = "remote_buffer_ids")]
    channel_ids: Vec<usize>,
}

/// The number in its rank of what a block calls `id`.
fn of_block(ids: &[Ids], kind: &str, id: usize) -> Option<usize> {
    ids.iter().find(|found| found.channel_type == kind)?.channel_ids.get(id).copied()
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Operation {
    name: String,
    src_buff: Vec<Chunks>,
    dst_buff: Vec<Chunks>,
    channel_ids: Vec<usize>,
    channel_type: String,
    barrier_id: u32,
    semaphore_ids: Vec<u32>,
    ops: Vec<Operation>,
}

#[derive(Debug, Deserialize)]
struct Chunks {
    r#type: Option<String>,
    buffer_id: Option<usize>,
    switch_channel_id: Option<usize>,
    index: u32,
    size: u32,
}

/// A step before the numbers of the steps that it waits for are known.
#[derive(Default)]
struct Draft {
    step: Step,
    reads: Vec<Span>,
    writes: Vec<Span>,
    /// The packets that it waits for.
    packets: Vec<Span>,
    barrier: Option<u32>,
    /// The semaphore that it acquires, or else releases.
    semaphore: Option<(u32, bool)>,
}

/// Reads a plan.
///
/// # Errors
/// [`Trouble::Unread`] for other files and for operations that are not read; [`Trouble::Wrong`] where an operation names a chunk,
/// a buffer or a channel that does not exist, or reads a packet that no operation writes.
///
/// Cost: linear in the length.
pub fn read(text: &str, asked: Option<Collective>, root: u32) -> Result<Schedule, Trouble> {
    let plan: ExecutionPlan = serde_json::from_str(text).map_err(|error| {
        Trouble::unread(error.line() as u64, format!("expected an execution plan of MSCCL++: {error}"))
    })?;
    let ranks = number(plan.gpus.len());
    let unread = |explanation: String| Trouble::file(explanation);
    if let Some((at, gpu)) = (0..).zip(&plan.gpus).find(|(at, gpu)| gpu.id != *at) {
        return Err(unread(format!("gpu {} is at position {at}; expected gpus 0, 1, .. in order", gpu.id)));
    }
    let Some(collective) = agreed(asked, Collective::named(&plan.collective))? else {
        return Err(unread(format!("castbench knows no collective `{}`; --collective names one", plan.collective)));
    };
    let larger = plan.gpus.iter().map(|gpu| gpu.input_chunks.max(gpu.output_chunks)).max().unwrap_or(0);
    let task = Task::new(collective, root, ranks, larger).filter(|_| root < ranks);
    let mut task =
        task.ok_or_else(|| unread(format!("{larger} chunks on {ranks} ranks are no {}", collective.name)))?;
    let mut schedule = Schedule::new(ranks, text.len());
    schedule.has_no_cost = true;
    let mut buffers = Vec::new();
    for gpu in &plan.gpus {
        let declared = [gpu.input_chunks.into(), gpu.output_chunks.into()];
        let added = task.add(&mut schedule.memory, declared, plan.inplace);
        let added = added.zip(schedule.memory.add(gpu.id, "s", gpu.scratch_chunks.into()));
        let ([input, output], scratch) =
            added.ok_or_else(|| unread("its buffers have too many chunks for its length".to_owned()))?;
        buffers.push([input, output, scratch]);
    }
    schedule.task = Some(task);
    schedule.notes.push("messages are one-sided: their cost is not known".to_owned());
    let mut reader = Reader { plan: &plan, schedule, buffers, drafts: Vec::new(), at: Location::default() };
    for gpu in &plan.gpus {
        for block in &gpu.threadblocks {
            reader.drafts.push((gpu.id, block.id, Vec::new()));
            for (step, operation) in (0..).zip(&block.ops) {
                reader.operation(gpu, block, operation, step)?;
            }
        }
    }
    reader.finish()
}

struct Reader<'a> {
    plan: &'a ExecutionPlan,
    schedule: Schedule,
    buffers: Vec<[Span; 3]>,
    /// Rank and number of each block, and its steps.
    drafts: Vec<(u32, u32, Vec<Draft>)>,
    at: Location,
}

impl Reader<'_> {
    fn missing(&self, what: impl Into<String>) -> Trouble {
        Finding::at(FindingKind::Missing, self.at, what).into()
    }

    fn operation(&mut self, gpu: &Gpu, block: &Block, operation: &Operation, step: u32) -> Result<(), Trouble> {
        self.at = Location { rank: gpu.id, block: block.id, step, line: 0 };
        let spans = |side: &[Chunks]| {
            let all = side.iter().map(|chunks| self.spans(gpu, block, operation, chunks));
            all.collect::<Result<Vec<_>, _>>().map(|all| all.concat())
        };
        let (sources, targets) = (spans(&operation.src_buff)?, spans(&operation.dst_buff)?);
        let name = operation.name.as_str();
        let mut drafts = Vec::new();
        let scratch =
            |at: usize| operation.src_buff.get(at).is_some_and(|chunks| chunks.r#type.as_deref() == Some("s"));
        let packets = |at: usize| if name.ends_with("pkt") && scratch(at) { vec![sources[at]] } else { Vec::new() };
        match name {
            "nop" | "flush" => drafts.push(Draft::default()),
            "barrier" => {
                let comes = Draft { barrier: Some(operation.barrier_id), ..Draft::default() };
                drafts.extend([comes, Draft::default()]);
            }
            "pipeline" => return operation.ops.iter().try_for_each(|inner| self.operation(gpu, block, inner, step)),
            "signal" | "rlxsignal" | "wait" | "rlxwait" => {}
            "sem_acquire" | "sem_release" => {
                let used = |&id: &u32| Draft { semaphore: Some((id, name == "sem_acquire")), ..Draft::default() };
                drafts.extend(operation.semaphore_ids.iter().map(used));
            }
            "put" | "pws" | "pwsf" | "get" | "copy" | "ppkt" | "rppkt" | "cpkt" | "upkt" | "gstore" | "gstorepkt" => {
                if sources.is_empty() || targets.len() % sources.len() != 0 {
                    return Err(self.missing(format!(
                        "`{name}` has {} sources and {} targets",
                        sources.len(),
                        targets.len()
                    )));
                }
                for (at, &target) in targets.iter().enumerate() {
                    let source = at % sources.len();
                    let (reads, writes) = (vec![sources[source]], vec![target]);
                    drafts.push(Draft { reads, writes, packets: packets(source), ..Draft::default() });
                }
            }
            "re" | "res" | "rre" | "rres" | "repkt" | "respkt" | "recpkt" | "recspkt" | "glres" => {
                let packets = (0..sources.len()).flat_map(packets).collect();
                drafts.push(Draft { reads: sources, writes: targets, packets, ..Draft::default() });
            }
            _ => {
                return Err(Trouble::Unread(
                    None,
                    format!("{}: `{name}` is not an operation that castbench reads", self.at),
                ));
            }
        }
        for draft in &mut drafts {
            let count = draft.reads.first().map_or(0, |span| span.count);
            (draft.step.number, draft.step.count) = (step, count);
            if draft.reads.iter().chain(&draft.writes).any(|span| span.count != count) {
                return Err(self.missing(format!("`{name}` reads and writes different numbers of chunks")));
            }
        }
        let (sends, receives) = (matches!(name, "signal" | "rlxsignal" | "pws" | "pwsf"), name.ends_with("wait"));
        if sends || receives {
            for &id in &operation.channel_ids {
                let channel = self.channel(gpu, block, &operation.channel_type, id, sends)?;
                let signal = Step { number: step, ..Step::default() }.on(channel, sends);
                drafts.push(Draft { step: signal, ..Draft::default() });
            }
        }
        if let Some((.., steps)) = self.drafts.last_mut() {
            steps.extend(drafts);
        }
        Ok(())
    }

    /// Chunks of a buffer of this rank, of another rank, or of each of a group behind a switch.
    fn spans(&self, gpu: &Gpu, block: &Block, operation: &Operation, chunks: &Chunks) -> Result<Vec<Span>, Trouble> {
        let Some(id) = chunks.switch_channel_id else {
            return self.span(gpu, block, operation, chunks).map(|span| vec![span]);
        };
        let at = of_block(&block.channels, "switch", id);
        let channels = gpu.channels.iter().filter(|found| found.channel_type == "switch");
        let mut groups = channels.flat_map(|found| found.rank_groups.iter().map(|group| (&found.buffer_type, group)));
        let Some((buffer, group)) = at.and_then(|at| groups.nth(at)) else {
            return Err(self.missing(format!("names switch {id}, which its block lacks")));
        };
        group.ranks.iter().map(|&rank| self.inside(rank, buffer, chunks)).collect()
    }

    fn span(&self, gpu: &Gpu, block: &Block, operation: &Operation, chunks: &Chunks) -> Result<Span, Trouble> {
        let (rank, name) = match (chunks.buffer_id, &chunks.r#type) {
            (None, Some(name)) => (gpu.id, name),
            (Some(id), _) => {
                let at = of_block(&block.remote_buffer_refs, &operation.channel_type, id);
                let remote = at.and_then(|at| gpu.remote_buffers.get(at));
                let remote =
                    remote.ok_or_else(|| self.missing(format!("names remote buffer {id}, which its block lacks")))?;
                (remote.rank, &remote.r#type)
            }
            _ => return Err(self.missing("names no buffer")),
        };
        self.inside(rank, name, chunks)
    }

    /// Chunks of a buffer of a rank.
    fn inside(&self, rank: u32, name: &str, chunks: &Chunks) -> Result<Span, Trouble> {
        let Chunks { index, size, .. } = *chunks;
        let buffer = self.buffers.get(rank as usize).and_then(|buffers| named(buffers, name));
        let buffer = buffer
            .ok_or_else(|| self.missing(format!("names buffer `{name}` of rank {rank}, which does not exist")))?;
        let reason = || format!("names {size} chunks of `{name}` from chunk {index} on; it has {}", buffer.count);
        buffer.part(index, size).ok_or_else(|| self.missing(reason()))
    }

    /// The k-th channel of a rank to another one meets the k-th channel of that one back.
    fn channel(&mut self, gpu: &Gpu, block: &Block, kind: &str, id: usize, sends: bool) -> Result<u32, Trouble> {
        let at = of_block(&block.channels, kind, id);
        let all = gpu.channels.iter().find(|found| found.channel_type == kind);
        let peer =
            all.zip(at).and_then(|(all, at)| Some((all.connected_to.get(at).copied()?, all.connected_to.get(..at)?)));
        let Some((peer, before)) = peer.filter(|(peer, _)| (*peer as usize) < self.plan.gpus.len()) else {
            return Err(self.missing(format!("names channel {id}, which its block lacks")));
        };
        // Types of channels are apart.
        let kind = ["memory", "port", "switch"].iter().position(|known| *known == kind).unwrap_or(3);
        let nth = number(before.iter().filter(|&&other| other == peer).count() * 4 + kind);
        Ok(self.schedule.channel(gpu.id, peer, sends, nth))
    }

    /// Finds what packets and barriers wait for, and adds all steps.
    fn finish(mut self) -> Result<Schedule, Trouble> {
        // Steps get their numbers in the order of blocks.
        let (mut writers, mut barriers): (HashMap<u32, u32>, HashMap<_, Vec<u32>>) = Default::default();
        let mut semaphores: BTreeMap<(u32, u32), Uses> = BTreeMap::new();
        let mut step = 0;
        for (rank, block, drafts) in &mut self.drafts {
            let mut met: HashMap<u32, u32> = HashMap::new();
            for draft in drafts {
                for cell in draft.writes.iter().flat_map(|span| span.cells()) {
                    writers.entry(number(cell)).or_insert(step);
                }
                if let Some(id) = draft.barrier {
                    let time = met.entry(id).or_default();
                    *time += 1;
                    barriers.entry((*rank, id, *time)).or_default().push(step);
                }
                if let Some((id, acquires)) = draft.semaphore {
                    let location = Location { rank: *rank, block: *block, step: draft.step.number, line: 0 };
                    semaphores.entry((*rank, id)).or_default()[usize::from(acquires)].push((location, step));
                }
                step += 1;
            }
        }
        let mut waits: HashMap<u32, Vec<u32>> = HashMap::new();
        for steps in barriers.values() {
            // A barrier is passed by the step after it, when all have come to theirs; the first block tells the others.
            waits.entry(steps[0] + 1).or_default().extend(&steps[1..]);
            steps[1..].iter().for_each(|own| waits.entry(own + 1).or_default().push(steps[0] + 1));
        }
        for ((rank, id), uses) in semaphores {
            let semaphore = self.plan.gpus[rank as usize].semaphores.get(id as usize);
            let value = semaphore.map_or(0, |semaphore| semaphore.init_value);
            for (later, earlier) in certain(id, value, &uses)? {
                waits.entry(later).or_default().extend(earlier);
            }
        }
        let mut step = 0;
        for (rank, block, drafts) in std::mem::take(&mut self.drafts) {
            self.schedule.block(rank, block);
            for draft in drafts {
                let mut waits = waits.remove(&step).unwrap_or_default();
                for cell in draft.packets.iter().flat_map(|span| span.cells()) {
                    let Some(&writer) = writers.get(&number(cell)) else {
                        let cell = self.schedule.memory.name(number(cell));
                        let what = format!("waits for a packet in {cell}, which no operation writes");
                        let location = Location { rank, block, step: draft.step.number, line: 0 };
                        return Err(Finding::at(FindingKind::Deadlock, location, what).into());
                    };
                    waits.push(writer);
                }
                self.schedule.push(draft.step, [&draft.reads, &draft.writes], &waits);
                step += 1;
            }
        }
        Ok(self.schedule)
    }
}

/// The steps that release a semaphore, and those that acquire it, with their locations.
type Uses = [Vec<(Location, u32)>; 2];

/// The steps that acquire a semaphore, each with those that have certainly released it before.
fn certain(id: u32, value: u32, [releases, acquires]: &Uses) -> Result<Vec<(u32, Vec<u32>)>, Trouble> {
    let is_one = |uses: &[(Location, u32)]| uses.windows(2).all(|pair| pair[0].0.block == pair[1].0.block);
    if !is_one(acquires) {
        return Err(Trouble::file(format!(
            "semaphore {id}: several blocks acquire it, so which one waits for which is not certain"
        )));
    }
    // Each acquire but the first ones takes a release.
    let mut waits = Vec::new();
    for (taken, &(location, step)) in (1..).zip(acquires.iter().skip(value as usize)) {
        if taken > releases.len() {
            let what = format!("acquires semaphore {id}, which is never released again");
            return Err(Finding::at(FindingKind::Deadlock, location, what).into());
        }
        // Of several blocks any can be first, until all have released.
        let certain = match is_one(releases) {
            true => &releases[taken - 1..taken],
            false if taken == releases.len() => releases,
            false => &[],
        };
        waits.push((step, certain.iter().map(|(_, step)| *step).collect()));
    }
    Ok(waits)
}
