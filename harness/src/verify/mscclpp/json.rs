//! The JSON of an execution plan of MSCCL++, and what can be said of it before it is a schedule.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::verify::finding::Trouble;

#[expect(
    dead_code,
    reason = "some keys change no result, no order and no message"
)]
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExecutionPlan {
    pub collective: String,
    #[serde(default)]
    pub protocol: String,
    #[serde(default)]
    pub inplace: bool,
    pub gpus: Vec<Gpu>,
    #[serde(default)]
    pub name: IgnoredAny,
    #[serde(default)]
    pub reuse_resources: IgnoredAny,
    #[serde(default)]
    pub use_double_scratch_buffer: IgnoredAny,
    pub num_threads_per_block: Option<u64>,
    pub buffer_alignment: Option<u64>,
    pub min_message_size: Option<u64>,
    pub max_message_size: Option<u64>,
}

impl ExecutionPlan {
    /// Why MSCCL++ cannot load or run the plan, though its operations are right.
    pub fn faults(&self) -> Vec<String> {
        let zero = |name: &str, value| (value == Some(0)).then(|| format!("{name} is 0"));
        let sizes = self.min_message_size.zip(self.max_message_size);
        let sizes = sizes
            .filter(|(least, most)| least > most)
            .map(|(least, most)| {
                format!("no size is from min_message_size {least} to max_message_size {most}")
            });
        let connects = |gpu: &Gpu, peer| {
            let mut peers = gpu.channels.iter().flat_map(|found| &found.connected_to);
            peers.any(|&own| own == peer)
        };
        let apart = self.gpus.iter().find_map(|gpu| {
            let is_apart = |remote: &&Remote| {
                let other = self.gpus.get(remote.rank as usize);
                !connects(gpu, remote.rank) && other.is_some_and(|other| !connects(other, gpu.id))
            };
            let remote = gpu.remote_buffers.iter().find(is_apart)?;
            Some(format!(
                "rank {} has a remote buffer of rank {}, and no channel connects them",
                gpu.id, remote.rank
            ))
        });
        let types = self.gpus.iter().flat_map(|gpu| {
            let blocks = gpu.threadblocks.iter();
            let ids =
                blocks.flat_map(|block| block.channels.iter().chain(&block.remote_buffer_refs));
            let own = gpu.channels.iter().map(|found| &found.channel_type);
            let remote = gpu
                .remote_buffers
                .iter()
                .flat_map(|remote| &remote.access_channel_types);
            own.chain(remote)
                .chain(ids.map(|found| &found.channel_type))
        });
        let unknown =
            |name: &&String| !["memory", "port", "switch", "none"].contains(&name.as_str());
        let mut types = types
            .filter(unknown)
            .map(|name| format!("`{}` is no type of channels", name.escape_debug()));
        let all = [
            zero("num_threads_per_block", self.num_threads_per_block),
            zero("buffer_alignment", self.buffer_alignment),
            sizes,
            apart,
            types.next(),
        ];
        all.into_iter().flatten().collect()
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gpu {
    pub id: u32,
    pub input_chunks: u32,
    pub output_chunks: u32,
    pub scratch_chunks: u32,
    #[serde(default)]
    pub channels: Vec<Channels>,
    #[serde(default)]
    pub remote_buffers: Vec<Remote>,
    #[serde(default)]
    pub semaphores: Vec<Semaphore>,
    pub threadblocks: Vec<Block>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Semaphore {
    pub init_value: u32,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Channels {
    pub channel_type: String,
    pub connected_to: Vec<u32>,
    #[serde(alias = "buff")]
    pub buffer_type: String,
    pub rank_groups: Vec<Group>,
}

#[expect(
    dead_code,
    reason = "some keys change no result, no order and no message"
)]
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    pub ranks: Vec<u32>,
    #[serde(default)]
    pub size: IgnoredAny,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remote {
    pub rank: u32,
    #[serde(alias = "buff")]
    pub r#type: String,
    #[serde(default)]
    pub access_channel_types: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    pub id: u32,
    pub ops: Vec<Operation>,
    #[serde(default)]
    pub channels: Vec<Ids>,
    #[serde(default)]
    pub remote_buffer_refs: Vec<Ids>,
}

/// Which channels or remote buffers of its rank a block names 0, 1, ..
#[expect(
    dead_code,
    reason = "some keys change no result, no order and no message"
)]
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ids {
    #[serde(alias = "access_channel_type")]
    pub channel_type: String,
    #[serde(alias = "remote_buffer_ids")]
    pub channel_ids: Vec<usize>,
    #[serde(default)]
    pub buff: IgnoredAny,
}

/// The number in its rank of what a block calls `id`.
pub fn of_block(ids: &[Ids], kind: &str, id: usize) -> Option<usize> {
    ids.iter()
        .filter(|found| found.channel_type == kind)
        .flat_map(|found| &found.channel_ids)
        .nth(id)
        .copied()
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Operation {
    pub name: String,
    pub src_buff: Vec<Chunks>,
    pub dst_buff: Vec<Chunks>,
    pub channel_ids: Vec<usize>,
    pub channel_type: String,
    pub barrier_id: u32,
    pub num_threadblocks: Option<u32>,
    pub semaphore_ids: Vec<u32>,
    pub reduce_op: Option<String>,
    pub tbg_info: Option<PartOf>,
    pub iter_context: Option<Iterations>,
    pub ops: Vec<Operation>,
}

/// The block of a group, all of which execute the same operation, each on one part of its chunks.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartOf {
    pub tb_id: u32,
    pub tbg_size: u32,
}

#[expect(
    dead_code,
    reason = "some keys change no result, no order and no message"
)]
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Iterations {
    pub num_chunks: u32,
    #[serde(default)]
    pub unit_size: IgnoredAny,
}

impl Operation {
    /// Its chunks, and those of the operations that it repeats.
    pub fn chunks(&self) -> impl Iterator<Item = &Chunks> {
        self.src_buff.iter().chain(&self.dst_buff)
    }

    /// Checks that castbench knows what the operation does; `lines` are those of the operation and of what follows.
    ///
    /// # Errors
    /// [`Trouble::NotJudged`] with what it does not know.
    pub fn check(
        &self,
        is_packed: bool,
        lines: &mut impl Iterator<Item = u32>,
    ) -> Result<(), Trouble> {
        let name = self.name.as_str();
        let line = lines.next().unwrap_or(0);
        let not_judged = |what: String| Err(Trouble::line_not_judged(line, what));
        if !OPERATIONS.contains(&name) {
            return not_judged(format!(
                "`{}` is not an operation that castbench reads",
                name.escape_debug()
            ));
        }
        if let Some(operator) = self
            .reduce_op
            .as_ref()
            .filter(|operator| *operator != "sum")
        {
            return not_judged(format!(
                "`reduce_op` is `{}`; only sums are judged",
                operator.escape_debug()
            ));
        }
        let mut pairs = self.src_buff.iter().zip(&self.dst_buff);
        if let Some((from, to)) = pairs.find(|(from, to)| name == "get" && from.index != to.index) {
            return not_judged(format!(
                "`get` reads from chunk {} on and writes from chunk {} on: the kernel of MSCCL++ exchanges the two, so it copies other \
                 chunks; a `get` with the same chunk in both is judged",
                from.index, to.index
            ));
        }
        if name.ends_with("pkt") && !is_packed {
            return not_judged(format!(
                "`{name}` needs twice the scratch that a plan has whose `protocol` is not LL"
            ));
        }
        for inner in &self.ops {
            let repeated = self.iter_context.as_ref().map(|context| context.num_chunks);
            if inner.chunks().any(|chunks| Some(chunks.size) != repeated) {
                return not_judged(
                    "a pipeline repeats operations on more or fewer chunks than its `num_chunks`"
                        .to_owned(),
                );
            }
            if inner.tbg_info.is_some_and(|group| group.tbg_size != 1) {
                return not_judged(
                    "a pipeline repeats an operation that has a `tbg_info`".to_owned(),
                );
            }
            inner.check(is_packed, lines)?;
        }
        Ok(())
    }
}

/// The operations that are read.
const OPERATIONS: [&str; 30] = [
    "nop",
    "flush",
    "barrier",
    "pipeline",
    "signal",
    "rlxsignal",
    "wait",
    "rlxwait",
    "sem_acquire",
    "sem_release",
    "put",
    "pws",
    "pwsf",
    "get",
    "copy",
    "ppkt",
    "rppkt",
    "cpkt",
    "upkt",
    "gstore",
    "gstorepkt",
    "re",
    "res",
    "rre",
    "rres",
    "repkt",
    "respkt",
    "recpkt",
    "recspkt",
    "glres",
];

/// The most parts into which a chunk is cut.
const MAX_PARTS: u32 = 4096;

/// Into how many parts each chunk is cut, so that every block of every group has whole parts.
///
/// # Errors
/// [`Trouble::NotJudged`] for what castbench does not read.
pub fn parts(plan: &ExecutionPlan, lines: &[u32]) -> Result<u32, Trouble> {
    let mut parts = 1u32;
    let mut lines = lines.iter().copied();
    let operations = plan
        .gpus
        .iter()
        .flat_map(|gpu| &gpu.threadblocks)
        .flat_map(|block| &block.ops);
    for operation in operations {
        operation.check(plan.protocol == "LL", &mut lines)?;
        let Some(PartOf { tbg_size, .. }) = operation.tbg_info else {
            continue;
        };
        for chunks in operation.chunks().filter(|_| tbg_size > 0) {
            let needed = tbg_size / common(tbg_size, chunks.size);
            parts = (parts / common(parts, needed)).saturating_mul(needed);
        }
        if tbg_size == 0 || parts > MAX_PARTS {
            return Err(Trouble::not_judged(format!(
                "`tbg_size` is {tbg_size}; chunks are cut into 1 to {MAX_PARTS} parts"
            )));
        }
    }
    Ok(parts)
}

/// The greatest common divisor.
fn common(one: u32, other: u32) -> u32 {
    if other == 0 {
        one.max(1)
    } else {
        common(other, one % other)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chunks {
    #[serde(alias = "buff")]
    pub r#type: Option<String>,
    pub buffer_id: Option<usize>,
    pub switch_channel_id: Option<usize>,
    pub index: u32,
    pub size: u32,
}
