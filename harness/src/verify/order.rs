//! Executes a schedule as far as it goes: every block runs until it waits.
//!
//! A block waits for a message, for steps of other blocks or, where channels have room for few messages, for room. Blocks wait for
//! nothing else, so whether all steps run does not depend on the order in which blocks run.

use super::Finding;
use super::finding::FindingKind;
use super::memory::number;
use super::schedule::Schedule;
use crate::base::units::joined;

/// An order in which all steps can run.
#[derive(Debug, Clone)]
pub struct Order {
    /// The steps.
    pub steps: Vec<u32>,
    /// The most messages that were on their way at one time.
    pub in_flight: u32,
}

/// The most blocks of a circle that a message names.
const MAX_CIRCLE: usize = 8;

/// What a block waits for.
#[derive(Debug, Clone, Copy)]
enum Wait {
    Step(u32),
    /// A channel: 0 for a message, which a send ends, or 1 for room, which a receive makes.
    Channel(u32, usize),
}

struct Run<'a> {
    schedule: &'a Schedule,
    room: u32,
    /// The next step of each block.
    next: Vec<u32>,
    /// How many messages were sent and received on each channel.
    counts: Vec<[u32; 2]>,
    /// The block that waits for a message of each channel, and the one that waits for room.
    at_channel: Vec<[Option<u32>; 2]>,
    /// The blocks that wait for a step of each block.
    at_block: Vec<Vec<u32>>,
    ready: Vec<u32>,
    /// Two steps that waited for one channel at once, and whether they send.
    conflict: Option<(u32, u32, bool)>,
}

/// Finds an order.
///
/// # Errors
/// The first thing wrong: a message that no step takes, blocks that wait forever, two blocks that wait for one channel.
pub fn order(schedule: &Schedule) -> Result<Order, Finding> {
    let mut run = Run::new(schedule, u32::MAX);
    let mut order = Order {
        steps: Vec::with_capacity(schedule.steps.len()),
        in_flight: 0,
    };
    run.all(&mut order);
    if let Some((earlier, later, sends)) = run.conflict {
        return Err(swapped(schedule, earlier, later, sends));
    }
    run.stuck().map_or(Ok(order), Err)
}

/// The least number of messages for which every channel must have room, if it is at most `most`.
///
/// Cost: an execution for each number.
pub fn least_room(schedule: &Schedule, most: u32) -> Option<u32> {
    (1..=most).find(|&room| {
        let mut run = Run::new(schedule, room);
        run.all(&mut Order {
            steps: Vec::new(),
            in_flight: 0,
        });
        run.waiting().is_none()
    })
}

/// Checks that one block sends on a channel and one receives, as runtimes that count messages by block require.
///
/// # Errors
/// The first step of another block.
pub fn one_block_each(schedule: &Schedule) -> Result<(), Finding> {
    let mut last = vec![[None; 2]; schedule.channels.len()];
    for (at, step) in (0..).zip(&schedule.steps) {
        for (side, channel) in step.channels() {
            let before: Option<u32> = last[channel as usize][side].replace(at);
            if let Some(before) =
                before.filter(|&before| schedule.steps[before as usize].block != step.block)
            {
                return Err(swapped(schedule, before, at, side == 0));
            }
        }
    }
    Ok(())
}

/// Two steps of different blocks that use a channel without a certain order.
pub fn swapped(schedule: &Schedule, earlier: u32, later: u32, sends: bool) -> Finding {
    let step = &schedule.steps[later as usize];
    let channel = if sends { step.send } else { step.receive };
    let channel = &schedule.channels[channel.unwrap_or_default() as usize];
    let (does, peer) = if sends {
        ("sends to", channel.to)
    } else {
        ("receives from", channel.from)
    };
    let message = format!(
        "{does} rank {peer} on channel {}, as block {} does; their messages can change places. Give each block a channel",
        channel.number,
        schedule.location(earlier).block
    );
    Finding::at(FindingKind::Channel, schedule.location(later), message)
}

impl<'a> Run<'a> {
    fn new(schedule: &'a Schedule, room: u32) -> Self {
        let (blocks, channels) = (schedule.blocks.len(), schedule.channels.len());
        Self {
            schedule,
            room,
            next: schedule.blocks.iter().map(|block| block.steps.0).collect(),
            counts: vec![[0; 2]; channels],
            at_channel: vec![[None; 2]; channels],
            at_block: vec![Vec::new(); blocks],
            ready: (0..number(blocks)).rev().collect(),
            conflict: None,
        }
    }

    fn all(&mut self, order: &mut Order) {
        let mut in_flight = 0;
        while let Some(block) = self.ready.pop() {
            while let Some(at) = self.begin(block) {
                let step = &self.schedule.steps[at as usize];
                self.next[block as usize] += 1;
                order.steps.push(at);
                if let Some(channel) = step.receive {
                    self.counts[channel as usize][1] += 1;
                    in_flight -= 1;
                    self.ready
                        .extend(self.at_channel[channel as usize][1].take());
                }
                let mut receiver = None;
                if let Some(channel) = step.send {
                    self.counts[channel as usize][0] += 1;
                    in_flight += 1;
                    order.in_flight = order.in_flight.max(in_flight);
                    receiver = self.at_channel[channel as usize][0].take();
                }
                // The receiver runs first, so that few messages are on their way.
                self.ready
                    .extend(receiver.into_iter().flat_map(|receiver| [block, receiver]));
                self.ready
                    .extend(self.at_block[block as usize].drain(..).rev());
                if receiver.is_some() {
                    break;
                }
            }
        }
    }

    /// The next step of a block, if it can begin; otherwise the block is woken when it may.
    fn begin(&mut self, block: u32) -> Option<u32> {
        let at = self.next[block as usize];
        if at == self.schedule.blocks[block as usize].steps.1 {
            return None;
        }
        match self.wait(at) {
            None => return Some(at),
            Some(Wait::Channel(channel, side)) => {
                if let Some(other) = self.at_channel[channel as usize][side].replace(block) {
                    self.conflict = Some((self.next[other as usize], at, side == 1));
                }
            }
            Some(Wait::Step(step)) => {
                let of = self.schedule.steps[step as usize].block;
                self.at_block[of as usize].push(block);
            }
        }
        None
    }

    fn wait(&self, at: u32) -> Option<Wait> {
        let step = &self.schedule.steps[at as usize];
        let is_open =
            |&&other: &&u32| self.next[self.schedule.steps[other as usize].block as usize] <= other;
        if let Some(&other) = self.schedule.waits(step).iter().find(is_open) {
            return Some(Wait::Step(other));
        }
        let under_way =
            |channel: &u32| self.counts[*channel as usize][0] - self.counts[*channel as usize][1];
        let message = step
            .receive
            .filter(|channel| under_way(channel) == 0)
            .map(|channel| Wait::Channel(channel, 0));
        let full = step.send.filter(|channel| under_way(channel) >= self.room);
        message.or_else(|| full.map(|channel| Wait::Channel(channel, 1)))
    }

    /// The first block that is not done.
    fn waiting(&self) -> Option<u32> {
        self.schedule
            .blocks
            .iter()
            .zip(&self.next)
            .into_iter()
            .position(|(block, &next)| next < block.steps.1)
            .map(number)
    }

    /// Why not all steps ran, or a message was left.
    fn stuck(&self) -> Option<Finding> {
        let schedule = self.schedule;
        let Some(first) = self.waiting() else {
            return self.left();
        };
        // Follow what waits for what to a block that waits for one that is done, or around a circle.
        let mut met = vec![None; schedule.blocks.len()];
        let (mut block, mut path) = (first, Vec::new());
        loop {
            let at = self.next[block as usize];
            let wait = self.wait(at)?;
            let finding = |message| {
                Some(Finding::at(
                    FindingKind::Deadlock,
                    schedule.location(at),
                    message,
                ))
            };
            let Some(other) = self.waits_for(wait) else {
                return finding(self.describe(wait) + ", which never comes");
            };
            if let Some(begin) = met[block as usize].replace(path.len()) {
                let circle = path[begin..]
                    .iter()
                    .take(MAX_CIRCLE)
                    .map(|&at| format!("({})", schedule.location(at)));
                let more = if path.len() - begin > MAX_CIRCLE {
                    " for ..."
                } else {
                    ""
                };
                let circle = joined(" for ", circle);
                return finding(format!(
                    "{}, and so in a circle: {circle}{more}",
                    self.describe(wait)
                ));
            }
            path.push(at);
            block = other;
        }
    }

    /// The block that could end a wait; none if that is done.
    fn waits_for(&self, wait: Wait) -> Option<u32> {
        let (channel, side) = match wait {
            Wait::Step(step) => return Some(self.schedule.steps[step as usize].block),
            Wait::Channel(channel, side) => (channel, side),
        };
        let on = |at: &u32| {
            self.schedule.steps[*at as usize]
                .channels()
                .any(|used| used == (side, channel))
        };
        let mut open = (0..).zip(&self.schedule.blocks).filter(|(block, about)| {
            let rank = &self.schedule.channels[channel as usize];
            about.rank == [rank.from, rank.to][side]
                && (self.next[*block as usize]..about.steps.1).any(|at| on(&at))
        });
        open.next().map(|(block, _)| block)
    }

    fn describe(&self, wait: Wait) -> String {
        match wait {
            Wait::Step(step) => format!(
                "waits for step {} of block {}",
                self.schedule.steps[step as usize].number,
                self.schedule.location(step).block
            ),
            Wait::Channel(channel, side) => {
                let about = &self.schedule.channels[channel as usize];
                let message = self.counts[channel as usize][1] + 1;
                match side {
                    0 => format!(
                        "waits for message {message} from rank {} on channel {}",
                        about.from, about.number
                    ),
                    _ => format!(
                        "waits for room on channel {} to rank {}",
                        about.number, about.to
                    ),
                }
            }
        }
    }

    /// A message that no step takes.
    fn left(&self) -> Option<Finding> {
        let channel = number(
            self.counts
                .iter()
                .position(|[sent, received]| sent > received)?,
        );
        let [_, received] = self.counts[channel as usize];
        let sends = (0..)
            .zip(&self.schedule.steps)
            .filter(|(_, step)| step.send == Some(channel));
        let (at, _) = sends.into_iter().nth(received as usize)?;
        let about = &self.schedule.channels[channel as usize];
        let message = format!(
            "sends message {} to rank {} on channel {}, which takes {received}",
            received + 1,
            about.to,
            about.number
        );
        Some(Finding::at(
            FindingKind::Unmatched,
            self.schedule.location(at),
            message,
        ))
    }
}
