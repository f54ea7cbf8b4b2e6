//! Partners at distances 1, 1, 3, 5, 11, ..: sums of a number of powers of -2.
//!
//! In step s an even rank i exchanges with rank `i + rho(s)`, an odd one with `i - rho(s)` (modulo K), where
//! `rho(s) = 1 - 2 + 4 - .. = (1 - (-2)^(s+1))/3`. There are `ceil(log2 K)` steps, for even K.

use std::array;
use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use crate::error::{Error, refuse_if};
use crate::log2::ceil_log2;
use crate::plan::{Hop, Phase, Task, Words, narrow};

/// The smallest and the largest message of each step, of a vector that is dealt out to K blocks.
///
/// # Errors
/// [`Error::Parameter`] for odd K, [`Error::Overflow`].
pub(super) fn hops(task: &Task) -> Result<Vec<[Hop; 2]>, Error> {
    let Task { K, n, .. } = *task;
    refuse_if!(K % 2 == 1 && K > 1, "K" = K => "expected an even number: ranks exchange in pairs");
    let hops = |step| {
        let blocks = reached(K, step) - reached(K, step + 1);
        let hop = |words| task.hop(blocks.checked_mul(words).ok_or(Error::Overflow)?);
        Ok([hop(n / K)?, hop(n.div_ceil(K))?])
    };
    (0..ceil_log2(K)).map(hops).collect()
}

/// A task whose vector has n words for each rank.
///
/// # Errors
/// [`Error::Overflow`].
pub(super) fn of_blocks(task: &Task) -> Result<Task, Error> {
    if task.is_counted() {
        return Ok(*task);
    }
    let n = task.n.checked_mul(task.K).ok_or(Error::Overflow)?;
    Ok(Task { n, ..*task })
}

/// The steps of a reduce-scatter of a vector that is dealt out to K blocks, and of an allgather of them.
pub(super) struct Butterfly {
    task: Task,
    offsets: Offsets,
    /// How far a partner is in each step: a division of 128 bits for each step, not for each message.
    far: [u64; 64],
}

impl Butterfly {
    pub fn new(task: &Task) -> Self {
        let (K, steps) = (task.K, ceil_log2(task.K));
        let far = array::from_fn(|step| match u32::try_from(step) {
            Ok(step) if step < steps => rho(K, step),
            _ => 0,
        });
        Self {
            task: *task,
            offsets: Offsets::default(),
            far,
        }
    }

    /// In each step a rank sends the blocks of the ranks that only its partner reaches later, which combines them.
    pub fn combining<'a>(&self) -> Phase<'a> {
        self.phase(|step| step, false).combined()
    }

    /// The steps backwards: a rank sends what its partner sent to it.
    pub fn finished<'a>(&self) -> Phase<'a> {
        let last = u64::from(ceil_log2(self.task.K)).saturating_sub(1);
        self.phase(move |round| last - round, true)
    }

    fn phase<'a>(&self, step: impl Fn(u64) -> u64 + Copy + 'a, is_back: bool) -> Phase<'a> {
        let (task, far, steps) = (self.task, self.far, ceil_log2(self.task.K).into());
        let to = move |rank, round| offset_by(task.K, rank, far[narrow(step(round)) as usize]);
        let sender = move |rank, round| if is_back { to(rank, round) } else { rank };
        let (offsets, counts) = (self.offsets.clone(), self.offsets.clone());
        Phase::new(&task, steps, to, move |rank, round| {
            offsets.words(task, sender(rank, round), narrow(step(round)))
        })
        .counted(move |rank, round| counts.count(&task, sender(rank, round), narrow(step(round))))
    }
}

/// A rank seen from another one: the offset is that from an even rank, and of the other sign from an odd one.
pub(super) fn offset_by(K: u64, rank: u64, offset: u64) -> u64 {
    if rank.is_multiple_of(2) {
        (rank + offset) % K
    } else {
        (rank + K - offset) % K
    }
}

/// `rho(step)` modulo K.
fn rho(K: u64, step: u32) -> u64 {
    let distance = (1 - (-2i128).pow(step + 1)) / 3;
    u64::try_from(distance.rem_euclid(K.into())).unwrap_or(0)
}

/// The ranks that a rank reaches from a step on: first itself, then those of the last step, of the step before it, ..
pub(super) fn reach(K: u64, rank: u64, step: u32) -> Vec<u64> {
    let Found { mut all, .. } = Found::new(K);
    all.truncate(narrow(reached(K, step)) as usize);
    all.iter_mut()
        .for_each(|offset| *offset = offset_by(K, rank, *offset));
    all
}

/// The rank with which a rank exchanges in a step.
pub(super) fn partner(K: u64, rank: u64, step: u32) -> u64 {
    offset_by(K, rank, rho(K, step))
}

/// A message of a tree over the partners, seen from an even root.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub step: u32,
    pub from: u64,
    pub to: u64,
}

/// The tree of an even root for even K: in these steps each rank that the root has reached reaches its partner, if that is new. In
/// either order all steps together reach all ranks.
pub(super) fn tree(K: u64, steps: impl Iterator<Item = u32>) -> Vec<Edge> {
    let mut is_known = vec![false; narrow(K) as usize];
    is_known[0] = true;
    let (mut known, mut edges) = (vec![0], Vec::new());
    for step in steps {
        for index in 0..known.len() {
            let (from, to) = (known[index], partner(K, known[index], step));
            if !std::mem::replace(&mut is_known[narrow(to) as usize], true) {
                known.push(to);
                edges.push(Edge { step, from, to });
            }
        }
    }
    edges
}

/// The ranks below each rank of such a tree, itself first.
pub(super) fn members(K: u64, edges: &[Edge]) -> Vec<Vec<u64>> {
    let mut members: Vec<Vec<u64>> = (0..K).map(|rank| vec![rank]).collect();
    for edge in edges.iter().rev() {
        let below = members[narrow(edge.to) as usize].clone();
        members[narrow(edge.from) as usize].extend(below);
    }
    members
}

/// Most ranks where no formula says what a rank reaches.
pub(super) const MOST: u64 = 1 << 16;

/// Whether K is even, and small enough for its [`tree`] unless it is a power of two.
///
/// # Errors
/// [`Error::Parameter`].
pub(super) fn check(K: u64) -> Result<(), Error> {
    refuse_if!(K % 2 == 1 && K > 1, "K" = K => "expected an even number: ranks exchange in pairs");
    refuse_if!(!K.is_power_of_two() && K > MOST, "K" = K =>
        "expected a power of two, or an even number up to {MOST}: the tree is made rank by rank");
    Ok(())
}

/// How many ranks a rank reaches from this step on.
pub(super) fn reached(K: u64, step: u32) -> u64 {
    let steps = ceil_log2(K);
    if step == steps {
        return 1;
    }
    // The greatest common divisor of an even number and a power of two.
    let common = 1 << K.trailing_zeros().min(step + 1);
    2 * (K / common).min(1 << (steps - 1 - step))
}

/// The ranks that an even rank reaches, by the last step in which it can send to them. They are found when they are needed.
#[derive(Clone, Default)]
struct Offsets(Rc<OnceCell<Found>>);

struct Found {
    /// Offset 0, then the offsets of the last step, of the step before it, ..
    all: Vec<u64>,
    /// The ends of the parts of `all`.
    ends: Vec<usize>,
    /// For each step how many of its offsets are below each number, twice around.
    below: Vec<Vec<u32>>,
}

impl Found {
    fn new(K: u64) -> Self {
        let mut is_known = vec![false; narrow(K) as usize];
        is_known[0] = true;
        let (mut all, mut ends) = (vec![0], vec![1]);
        for step in (0..ceil_log2(K)).rev() {
            let partner = rho(K, step);
            for index in 0..all.len() {
                // The partner is odd.
                let offset = (partner + K - all[index]) % K;
                if !std::mem::replace(&mut is_known[narrow(offset) as usize], true) {
                    all.push(offset);
                }
            }
            ends.push(all.len());
        }
        let mut found = Self {
            all,
            ends,
            below: Vec::new(),
        };
        found.below = (0..ceil_log2(K)).map(|step| found.below(K, step)).collect();
        found
    }

    /// The offsets of the blocks that are sent in a step.
    fn of_step(&self, step: u32) -> &[u64] {
        let last = self.ends.len() - 1 - step as usize;
        &self.all[self.ends[last - 1]..self.ends[last]]
    }

    fn below(&self, K: u64, step: u32) -> Vec<u32> {
        let mut sums = vec![0; 2 * narrow(K) as usize + 1];
        for &offset in self.of_step(step) {
            for around in [offset, offset + K] {
                sums[narrow(around) as usize + 1] = 1;
            }
        }
        let mut sum = 0;
        for below in &mut sums {
            sum += *below;
            *below = sum;
        }
        sums
    }
}

impl Offsets {
    fn found(&self, K: u64) -> &Found {
        self.0.get_or_init(|| Found::new(K))
    }

    /// The blocks of the ranks that a rank reaches in a step.
    fn words(&self, task: Task, rank: u64, step: u32) -> Words {
        let offsets = self.clone();
        let block = move |index: usize| {
            let offset = offsets.found(task.K).of_step(step)[index];
            block(&task, offset_by(task.K, rank, offset))
        };
        Words::several((0..self.found(task.K).of_step(step).len()).map(block))
    }

    /// How many words they have. Blocks below n mod K are longer.
    fn count(&self, task: &Task, rank: u64, step: u32) -> u64 {
        let (K, longer) = (task.K, task.n % task.K);
        let found = self.found(K);
        if task.is_counted() {
            let own = found.of_step(step).iter();
            let words = own.map(|&offset| block(task, offset_by(K, rank, offset)));
            return words.map(|words| words.end - words.start).sum();
        }
        let first = if rank.is_multiple_of(2) {
            K - rank
        } else {
            (rank + 1 + K - longer) % K
        } % K;
        let below = &found.below[step as usize];
        let long = below[narrow(first + longer) as usize] - below[narrow(first) as usize];
        found.of_step(step).len() as u64 * (task.n / K) + u64::from(long)
    }
}

/// The words of a block, of its own size or of a vector that is dealt out.
fn block(task: &Task, block: u64) -> Range<u64> {
    match task.is_counted() {
        true => task.words(block..block + 1),
        false => task.block(block, task.K),
    }
}

/// The number of a rank for `K = 2^p`: the Gray code of negabinary digits. In step s it changes in bit s, and in no lower bit.
pub(super) fn number(K: u64, rank: u64) -> u64 {
    let (value, other) = if rank.is_multiple_of(2) {
        (rank.wrapping_neg(), K - rank)
    } else {
        (rank, rank.wrapping_sub(K))
    };
    // One of two values that are equal modulo K has so few digits.
    let digits = Some(negabinary(value))
        .filter(|&digits| digits < K)
        .unwrap_or_else(|| negabinary(other));
    digits ^ digits >> 1
}

/// The digits of a number, in two's complement, to base -2.
pub(super) fn negabinary(value: u64) -> u64 {
    value.wrapping_add(ODD) ^ ODD
}

/// The number with these digits, in two's complement.
pub(super) fn from_negabinary(digits: u64) -> u64 {
    (digits ^ ODD).wrapping_sub(ODD)
}

/// The digits with a negative value.
pub(super) const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
