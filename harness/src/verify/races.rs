//! Whether pairs of steps have a certain order: happens-before, by the order of a block, by waits and by messages.
//!
//! A clock of a block has, for each block that is the earlier one of some pair, the last of its steps that is certainly over. Clocks
//! of all of these at once are large, so they are computed for a few blocks at a time.

use std::collections::VecDeque;

use super::memory::NONE;
use super::order::Order;
use super::schedule::Schedule;

/// The most numbers of all clocks at one time.
const MAX_CLOCKS: usize = 1 << 21;
/// The most blocks at one time.
const MAX_LANES: usize = 64;

/// The first of the pairs whose order is not certain.
///
/// Cost: steps x blocks that are the earlier one of a pair.
pub fn first(schedule: &Schedule, order: &Order, pairs: &[[u32; 2]]) -> Option<[u32; 2]> {
    let block = |step: u32| schedule.steps[step as usize].block;
    let mut sources: Vec<u32> = pairs.iter().map(|[earlier, _]| block(*earlier)).collect();
    sources.sort_unstable();
    sources.dedup();
    let mut waited = vec![NONE; schedule.steps.len()];
    let waits = schedule.steps.iter().flat_map(|step| schedule.waits(step));
    let mut slots = 0;
    for &step in waits {
        if waited[step as usize] == NONE {
            waited[step as usize] = slots;
            slots += 1;
        }
    }
    let clocks = schedule.blocks.len() + slots as usize + order.in_flight as usize;
    let lanes = (MAX_CLOCKS / clocks.max(1))
        .clamp(1, MAX_LANES)
        .min(sources.len());
    // Pairs stay in the order of their later steps.
    let batch = |pair: &[u32; 2]| sources.binary_search(&block(pair[0])).unwrap_or(0) / lanes;
    let mut batches = vec![Vec::new(); sources.len().div_ceil(lanes.max(1))];
    pairs
        .iter()
        .for_each(|pair| batches[batch(pair)].push(*pair));
    let mut found: Option<(usize, [u32; 2])> = None;
    for (sources, pairs) in sources.chunks(lanes.max(1)).zip(&batches) {
        let clocks = Clocks::new(schedule, sources, lanes, (&waited, slots as usize));
        let most = found.map_or(order.steps.len(), |(at, _)| at);
        found = clocks.first(&order.steps[..most], pairs).or(found);
    }
    found.map(|(_, pair)| pair)
}

struct Clocks<'a> {
    schedule: &'a Schedule,
    lanes: usize,
    /// The lane of each block, or [`NONE`].
    lane: Vec<u32>,
    /// The clock of each block, of each step that another one waits for, and of messages on their way.
    blocks: Vec<u32>,
    steps: Vec<u32>,
    messages: Vec<VecDeque<u32>>,
    waited: &'a [u32],
}

impl<'a> Clocks<'a> {
    fn new(
        schedule: &'a Schedule,
        sources: &[u32],
        lanes: usize,
        (waited, slots): (&'a [u32], usize),
    ) -> Self {
        let mut lane = vec![NONE; schedule.blocks.len()];
        sources
            .iter()
            .zip(0..)
            .for_each(|(&source, at)| lane[source as usize] = at);
        Self {
            schedule,
            lanes,
            lane,
            blocks: vec![0; schedule.blocks.len() * lanes],
            steps: vec![0; slots * lanes],
            messages: vec![VecDeque::new(); schedule.channels.len()],
            waited,
        }
    }

    /// The first pair without an order, and where its later step is in the order of execution.
    fn first(mut self, order: &[u32], pairs: &[[u32; 2]]) -> Option<(usize, [u32; 2])> {
        let lanes = self.lanes;
        let mut pairs = pairs.iter().peekable();
        for (index, &at) in order.iter().enumerate() {
            let step = &self.schedule.steps[at as usize];
            let block = step.block as usize;
            let own = &mut self.blocks[block * lanes..][..lanes];
            for &other in self.schedule.waits(step) {
                let slot = self.waited[other as usize] as usize;
                own.iter_mut()
                    .zip(&self.steps[slot * lanes..])
                    .for_each(|(own, &other)| *own = (*own).max(other));
            }
            if let Some(channel) = step.receive {
                let message = self.messages[channel as usize].drain(..lanes);
                own.iter_mut()
                    .zip(message)
                    .for_each(|(own, other)| *own = (*own).max(other));
            }
            while let Some(&pair) = pairs.next_if(|pair| pair[1] == at) {
                let source = self.schedule.steps[pair[0] as usize].block;
                if own[self.lane[source as usize] as usize] <= pair[0] {
                    return Some((index, pair));
                }
            }
            if self.lane[block] != NONE {
                own[self.lane[block] as usize] = at + 1;
            }
            let slot = self.waited[at as usize];
            if slot != NONE {
                self.steps[slot as usize * lanes..][..lanes].copy_from_slice(own);
            }
            if let Some(channel) = step.send {
                self.messages[channel as usize].extend(own.iter());
            }
        }
        None
    }
}
