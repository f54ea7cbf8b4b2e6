//! Reads execution plans of MSCCL++: JSON.
//!
//! Its channels carry signals; data are written to and read from the memory of other ranks. An operation on packets waits for the
//! packets that it reads, so a chunk of scratch has one writer of packets. `pipeline` repeats its operations on parts of chunks, so they are
//! executed once. A switch reads from and writes to the memory of a group of ranks. Semaphores order the blocks of a rank, as far as
//! that is certain: where one block acquires. `tbg_info` gives an operation one part of its chunks, so chunks are cut into such parts.
//! Semantics: `execution_plan.cc` and `execution_kernel.hpp` of MSCCL++.

mod json;

use std::collections::{BTreeMap, HashMap};

use super::finding::{Finding, FindingKind, Trouble, agreed};
use super::keys;
use super::lines;
use super::memory::{Span, named, number};
use super::schedule::{Location, Schedule, Step};
use super::task::{Collective, Task};
use json::{Block, Chunks, ExecutionPlan, Gpu, Operation, PartOf, of_block, parts};

/// A step before the numbers of the steps that it waits for are known.
#[derive(Default)]
struct Draft {
    step: Step,
    reads: Vec<Span>,
    writes: Vec<Span>,
    /// The packets that it waits for.
    packets: Vec<Span>,
    /// Whether it writes packets, and not data alone.
    is_packed: bool,
    /// The barrier, and how many blocks it waits for, where the file says it.
    barrier: Option<(u32, Option<u32>)>,
    /// The semaphore that it acquires, or else releases.
    semaphore: Option<(u32, bool)>,
}

/// Reads a plan.
///
/// # Errors
/// [`Trouble::Unread`] for other files; [`Trouble::NotJudged`] for what is not read; [`Trouble::Wrong`] where an operation names a chunk,
/// a buffer or a channel that does not exist, or reads a packet that no operation writes.
///
/// Cost: linear in the length.
pub fn read(
    text: &str,
    asked: Option<&'static Collective>,
    root: u32,
) -> Result<Schedule, Trouble> {
    let plan: ExecutionPlan = serde_json::from_str(text).map_err(|error| {
        let (line, explanation) = (error.line() as u64, error.to_string());
        match explanation.strip_prefix("unknown field ") {
            Some(key) => {
                let key = key
                    .split_once("`,")
                    .map_or(key, |(key, _)| key)
                    .trim_start_matches('`')
                    .escape_debug();
                Trouble::NotJudged(Some(line), keys::unknown("the plan", &key))
            }
            None => Trouble::unread(
                line,
                format!("expected an execution plan of MSCCL++: {explanation}"),
            ),
        }
    })?;
    let lines = lines::operations(text);
    let parts = parts(&plan, &lines)?;
    let ranks = number(plan.gpus.len());
    let unread = |explanation: String| Trouble::file(explanation);
    if let Some((at, gpu)) = (0..).zip(&plan.gpus).find(|(at, gpu)| gpu.id != *at) {
        return Err(unread(format!(
            "gpu {} is at position {at}; expected gpus 0, 1, .. in order",
            gpu.id
        )));
    }
    for gpu in &plan.gpus {
        let mut blocks = (0..).zip(&gpu.threadblocks);
        if let Some((at, block)) = blocks.find(|(at, block)| block.id != *at) {
            return Err(unread(format!(
                "block {} of gpu {} is at position {at}; expected blocks 0, 1, .. in order: MSCCL++ takes the channels of a block by its \
                 id, and its operations by its position",
                block.id, gpu.id
            )));
        }
    }
    let Some(collective) = agreed(asked, Collective::named(&plan.collective))? else {
        return Err(Trouble::not_judged(format!(
            "castbench knows no collective `{}`; --collective names one",
            plan.collective.escape_debug()
        )));
    };
    let larger = plan
        .gpus
        .iter()
        .map(|gpu| gpu.input_chunks.max(gpu.output_chunks))
        .max()
        .unwrap_or(0);
    let cut = Task::new(collective, root, ranks, larger)
        .filter(|_| root < ranks)
        .and_then(|_| Task::new(collective, root, ranks, larger.checked_mul(parts)?));
    let mut task = cut.ok_or_else(|| {
        unread(format!(
            "{larger} chunks on {ranks} ranks are no {}",
            collective.name
        ))
    })?;
    let mut schedule = Schedule::new(ranks, text.len());
    (schedule.memory.parts, task.parts) = (parts, parts);
    if parts > 1 {
        schedule.notes.push(format!(
            "its groups of blocks cut chunks: judged for sizes that make {parts} equal parts of a chunk"
        ));
    }
    let faults = plan.faults();
    if !faults.is_empty() {
        let all = faults.join("; ");
        schedule
            .notes
            .push(format!("not loadable by MSCCL++: {all}"));
    }
    schedule.has_no_cost = true;
    let mut buffers = Vec::new();
    for gpu in &plan.gpus {
        let cut = |chunks: u32| u64::from(chunks) * u64::from(parts);
        let declared = [cut(gpu.input_chunks), cut(gpu.output_chunks)];
        for (side, (declared, needed)) in declared.into_iter().zip(task.needed()).enumerate() {
            if declared > 0 && declared != u64::from(needed) {
                let name = ["input_chunks", "output_chunks"][side];
                return Err(Finding::result(format!(
                    "{name} of rank {} is {}, where {} cuts it into {}: its chunks have another size than those of other ranks",
                    gpu.id,
                    declared / u64::from(parts),
                    collective.name,
                    needed / parts
                ))
                .into());
            }
        }
        let added = task
            .add(&mut schedule.memory, declared, plan.inplace)
            .zip(schedule.memory.add(gpu.id, "s", cut(gpu.scratch_chunks)));
        let ([input, output], scratch) = added
            .ok_or_else(|| unread("its buffers have too many chunks for its length".to_owned()))?;
        buffers.push([input, output, scratch]);
    }
    schedule.task = Some(task);
    schedule
        .notes
        .push("messages are one-sided: their cost is not known".to_owned());
    let steps =
        "the threads of a block are taken to be in step: whether a `nop` is missing is not judged";
    schedule.notes.push(steps.to_owned());
    let mut reader = Reader {
        plan: &plan,
        schedule,
        buffers,
        drafts: Vec::new(),
        lines: lines.into_iter(),
        at: Location::default(),
    };
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
    /// The lines of the operations that follow.
    lines: std::vec::IntoIter<u32>,
    at: Location,
}

impl Reader<'_> {
    fn missing(&self, what: impl Into<String>) -> Trouble {
        Finding::at(FindingKind::Missing, self.at, what).into()
    }

    fn operation(
        &mut self,
        gpu: &Gpu,
        block: &Block,
        operation: &Operation,
        step: u32,
    ) -> Result<(), Trouble> {
        self.at = Location {
            rank: gpu.id,
            block: block.id,
            step,
            line: self.lines.next().unwrap_or(0),
        };
        let spans = |side: &[Chunks]| {
            let all = side
                .iter()
                .map(|chunks| self.spans(gpu, block, operation, chunks));
            all.collect::<Result<Vec<_>, _>>().map(|all| all.concat())
        };
        let (sources, targets) = (spans(&operation.src_buff)?, spans(&operation.dst_buff)?);
        let name = operation.name.as_str();
        let mut drafts = Vec::new();
        let scratch = |at: usize| {
            operation
                .src_buff
                .get(at)
                .is_some_and(|chunks| chunks.r#type.as_deref() == Some("s"))
        };
        let packets = |at: usize| {
            if name.ends_with("pkt") && scratch(at) {
                vec![sources[at]]
            } else {
                Vec::new()
            }
        };
        match name {
            "nop" | "flush" => drafts.push(Draft::default()),
            "barrier" => {
                let comes = Draft {
                    barrier: Some((operation.barrier_id, operation.num_threadblocks)),
                    ..Draft::default()
                };
                drafts.extend([comes, Draft::default()]);
            }
            "pipeline" => {
                return operation
                    .ops
                    .iter()
                    .try_for_each(|inner| self.operation(gpu, block, inner, step));
            }
            "signal" | "rlxsignal" | "wait" | "rlxwait" => {}
            "sem_acquire" | "sem_release" => {
                drafts.extend(operation.semaphore_ids.iter().map(|&id| Draft {
                    semaphore: Some((id, name == "sem_acquire")),
                    ..Draft::default()
                }));
            }
            "put" | "pws" | "pwsf" | "get" | "copy" | "ppkt" | "rppkt" | "cpkt" | "upkt"
            | "gstore" | "gstorepkt" => {
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
                    drafts.push(Draft {
                        reads,
                        writes,
                        packets: packets(source),
                        ..Draft::default()
                    });
                }
            }
            "re" | "res" | "rre" | "rres" | "repkt" | "respkt" | "recpkt" | "recspkt" | "glres" => {
                let packets = (0..sources.len()).flat_map(packets).collect();
                drafts.push(Draft {
                    reads: sources,
                    writes: targets,
                    packets,
                    ..Draft::default()
                });
            }
            // Checked before.
            _ => {}
        }
        for draft in &mut drafts {
            draft.is_packed = name.ends_with("pkt") && !["upkt", "repkt"].contains(&name);
            let count = draft.reads.first().map_or(0, |span| span.count);
            (draft.step.number, draft.step.line) = (step, self.at.line);
            draft.step.count = count;
            if draft
                .reads
                .iter()
                .chain(&draft.writes)
                .any(|span| span.count != count)
            {
                return Err(self.missing(format!(
                    "`{name}` reads and writes different numbers of chunks"
                )));
            }
        }
        let (sends, receives) = (
            matches!(name, "signal" | "rlxsignal" | "pws" | "pwsf"),
            name.ends_with("wait"),
        );
        if sends || receives {
            for &id in &operation.channel_ids {
                let channel = self.channel(gpu, block, &operation.channel_type, id, sends)?;
                let signal = Step {
                    number: step,
                    line: self.at.line,
                    ..Step::default()
                }
                .on(channel, sends);
                drafts.push(Draft {
                    step: signal,
                    ..Draft::default()
                });
            }
        }
        if let Some((.., steps)) = self.drafts.last_mut() {
            steps.extend(drafts);
        }
        Ok(())
    }

    /// Chunks of a buffer of this rank, of another rank, or of each of a group behind a switch.
    fn spans(
        &self,
        gpu: &Gpu,
        block: &Block,
        operation: &Operation,
        chunks: &Chunks,
    ) -> Result<Vec<Span>, Trouble> {
        let Some(id) = chunks.switch_channel_id else {
            return self
                .span(gpu, block, operation, chunks)
                .map(|span| vec![span]);
        };
        let at = of_block(&block.channels, "switch", id);
        let mut groups = gpu
            .channels
            .iter()
            .filter(|found| found.channel_type == "switch")
            .flat_map(|found| {
                found
                    .rank_groups
                    .iter()
                    .map(|group| (&found.buffer_type, group))
            });
        let Some((buffer, group)) = at.and_then(|at| groups.nth(at)) else {
            return Err(self.missing(format!("names switch {id}, which its block lacks")));
        };
        group
            .ranks
            .iter()
            .map(|&rank| self.inside(rank, buffer, operation, chunks))
            .collect()
    }

    fn span(
        &self,
        gpu: &Gpu,
        block: &Block,
        operation: &Operation,
        chunks: &Chunks,
    ) -> Result<Span, Trouble> {
        let (rank, name) = match (chunks.buffer_id, &chunks.r#type) {
            (None, Some(name)) => (gpu.id, name),
            (Some(id), _) => {
                let at = of_block(&block.remote_buffer_refs, &operation.channel_type, id);
                let remote = at.and_then(|at| gpu.remote_buffers.get(at));
                let remote = remote.filter(|remote| {
                    let types = &remote.access_channel_types;
                    types.contains(&operation.channel_type)
                });
                let remote = remote.ok_or_else(|| {
                    self.missing(format!("names remote buffer {id}, which its block lacks"))
                })?;
                (remote.rank, &remote.r#type)
            }
            _ => return Err(self.missing("names no buffer")),
        };
        self.inside(rank, name, operation, chunks)
    }

    /// Chunks of a buffer of a rank, or the part of them that a block of a group has.
    fn inside(
        &self,
        rank: u32,
        name: &str,
        operation: &Operation,
        chunks: &Chunks,
    ) -> Result<Span, Trouble> {
        let Chunks { index, size, .. } = *chunks;
        let buffer = self
            .buffers
            .get(rank as usize)
            .and_then(|buffers| named(buffers, name));
        let buffer = buffer.ok_or_else(|| {
            self.missing(format!(
                "names buffer `{name}` of rank {rank}, which does not exist"
            ))
        })?;
        let parts = self.schedule.memory.parts;
        let reason = || {
            format!(
                "names {size} chunks of `{name}` from chunk {index} on; it has {}",
                buffer.count / parts
            )
        };
        let whole = index
            .checked_mul(parts)
            .zip(size.checked_mul(parts))
            .and_then(|(index, size)| buffer.part(index, size))
            .ok_or_else(|| self.missing(reason()))?;
        let Some(PartOf { tb_id, tbg_size }) = operation.tbg_info else {
            return Ok(whole);
        };
        let count = whole.count / tbg_size;
        (tb_id < tbg_size)
            .then(|| Span {
                first: whole.first + tb_id * count,
                count,
            })
            .ok_or_else(|| {
                self.missing(format!(
                    "`tbg_info` names block {tb_id} of a group of {tbg_size}"
                ))
            })
    }

    /// The k-th channel of a rank to another one meets the k-th channel of that one back.
    fn channel(
        &mut self,
        gpu: &Gpu,
        block: &Block,
        kind: &str,
        id: usize,
        sends: bool,
    ) -> Result<u32, Trouble> {
        let at = of_block(&block.channels, kind, id);
        let all: Vec<u32> = gpu
            .channels
            .iter()
            .filter(|found| found.channel_type == kind)
            .flat_map(|found| found.connected_to.iter().copied())
            .collect();
        let peer = at.and_then(|at| Some((all.get(at).copied()?, all.get(..at)?)));
        let Some((peer, before)) = peer.filter(|(peer, _)| (*peer as usize) < self.plan.gpus.len())
        else {
            return Err(self.missing(format!("names channel {id}, which its block lacks")));
        };
        // Types of channels are apart.
        let kind = ["memory", "port", "switch"]
            .iter()
            .position(|known| *known == kind)
            .unwrap_or(3);
        let nth = number(before.iter().filter(|&&other| other == peer).count() * 4 + kind);
        Ok(self.schedule.channel(gpu.id, peer, sends, nth))
    }

    /// Finds what packets and barriers wait for, and adds all steps.
    fn finish(mut self) -> Result<Schedule, Trouble> {
        // Steps get their numbers in the order of blocks.
        let mut writers: HashMap<u32, u32> = HashMap::new();
        let mut barriers: BTreeMap<_, Vec<(Location, u32)>> = BTreeMap::new();
        let mut semaphores: BTreeMap<(u32, u32), Uses> = BTreeMap::new();
        let mut step = 0;
        for (rank, block, drafts) in &mut self.drafts {
            let mut met: HashMap<u32, u32> = HashMap::new();
            for draft in drafts {
                let packed = draft.writes.iter().filter(|_| draft.is_packed);
                for cell in packed.flat_map(|span| span.cells()) {
                    writers.entry(number(cell)).or_insert(step);
                }
                let location = Location {
                    rank: *rank,
                    block: *block,
                    step: draft.step.number,
                    line: draft.step.line,
                };
                if let Some((id, blocks)) = draft.barrier {
                    let time = met.entry(id).or_default();
                    *time += 1;
                    barriers
                        .entry((*rank, id, *time, blocks))
                        .or_default()
                        .push((location, step));
                }
                if let Some((id, acquires)) = draft.semaphore {
                    semaphores.entry((*rank, id)).or_default()[usize::from(acquires)]
                        .push((location, step));
                }
                step += 1;
            }
        }
        let mut waits: HashMap<u32, Vec<u32>> = HashMap::new();
        for (&(_, id, _, blocks), meeting) in &barriers {
            check_barrier(id, blocks, meeting)?;
            let steps: Vec<u32> = meeting.iter().map(|(_, step)| *step).collect();
            // A barrier is passed by the step after it, when all have come to theirs; the first block tells the others.
            waits.entry(steps[0] + 1).or_default().extend(&steps[1..]);
            steps[1..]
                .iter()
                .for_each(|own| waits.entry(own + 1).or_default().push(steps[0] + 1));
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
                        let what = format!(
                            "waits for a packet in {cell}, which no operation writes as one"
                        );
                        let location = Location {
                            rank,
                            block,
                            step: draft.step.number,
                            line: draft.step.line,
                        };
                        return Err(Finding::at(FindingKind::Deadlock, location, what).into());
                    };
                    waits.push(writer);
                }
                self.schedule
                    .push(draft.step, [&draft.reads, &draft.writes], &waits);
                step += 1;
            }
        }
        Ok(self.schedule)
    }
}

/// Checks that as many blocks come to a barrier as it waits for.
fn check_barrier(id: u32, blocks: Option<u32>, meeting: &[(Location, u32)]) -> Result<(), Trouble> {
    let come = number(meeting.len());
    match blocks {
        Some(blocks) if blocks > come => {
            let what = format!("waits at barrier {id} for {blocks} blocks; {come} of them come");
            Err(Finding::at(FindingKind::Deadlock, meeting[0].0, what).into())
        }
        Some(blocks) if blocks < come => Err(Trouble::not_judged(format!(
            "barrier {id} waits for {blocks} blocks, and {come} come: which of them wait for each other is not certain"
        ))),
        _ => Ok(()),
    }
}

/// The steps that release a semaphore, and those that acquire it, with their locations.
type Uses = [Vec<(Location, u32)>; 2];

/// The steps that acquire a semaphore, each with those that have certainly released it before.
fn certain(
    id: u32,
    value: u32,
    [releases, acquires]: &Uses,
) -> Result<Vec<(u32, Vec<u32>)>, Trouble> {
    let is_one = |uses: &[(Location, u32)]| {
        uses.windows(2)
            .all(|pair| pair[0].0.block == pair[1].0.block)
    };
    if !is_one(acquires) {
        return Err(Trouble::not_judged(format!(
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
