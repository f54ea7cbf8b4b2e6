//! Reduce-scatter by recursive halving.
//!
//! **Source.** Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", International
//! Journal of High Performance Computing Applications 19(1), 2005, section 4.3.
//!
//! For `K = 2^p`: in round j, from p-1 down to 0, ranks whose numbers differ in bit j halve the blocks for which both are
//! responsible: each sends the half of the other one and combines its own. For other K, with `r = K - 2^p`, the first r even
//! ranks send all blocks to the next rank, which takes part for both and is responsible for the blocks of both; at the end it sends
//! the even rank its block.
//!
//! **Cost** for r = 0 the sum over j of `D(2^j n) + c 2^j n` where no gap is longer than its hop. In general the longest path
//! through the operations of all ranks. A path begins at one number and in each round stays at a number or goes on to the one
//! that differs in bit j. The words of a round depend on how the bits of a number from j up compare to those of r. How all bits
//! compare decides whether a number receives all words before the rounds, and sends a block after. So paths are
//! followed together whose first and present numbers compare to r in the same ways, bit by bit: O(log K).
//!
//! **When it wins.** Powers of two: `log2 K` rounds with the fewest words.
//!
//! **Departures.** None.

use crate::collectives::numbers::Numbers;
use crate::collectives::{Closed, Plain, Properties};
use crate::plan::timeline::RankClock;
use crate::plan::{Hop, Plan, Words};
use crate::wide::Wide;

/// How the bits of a number compare to those of r, from the highest one to some bit.
const BELOW: usize = 0;
const EQUAL: usize = 1;
const ABOVE: usize = 2;

/// What it is with one more bit.
fn compared(before: usize, bit: u64, of_r: u64) -> usize {
    match before {
        EQUAL if bit < of_r => BELOW,
        EQUAL if bit > of_r => ABOVE,
        _ => before,
    }
}

/// The latest times of present numbers by how they compare to r. A path that begins with what its first number receives before the
/// rounds has a first number whose bits are equal to those of r, or below; any other path has any first number.
#[derive(Debug, Clone, Copy, Default)]
struct Paths {
    received: [[Option<RankClock>; 3]; 2],
    others: [Option<RankClock>; 3],
}

/// The words of a round by how the number compares to r that keeps them, and the bit of r.
struct Round {
    kept: [Hop; 3],
    of_r: u64,
}

impl Round {
    /// Goes on from some numbers whose next bit is this one.
    fn follow(
        &self,
        before: &[Option<RankClock>; 3],
        bit: u64,
        after: &mut [Option<RankClock>; 3],
    ) {
        for (number, line) in (0..).zip(before) {
            let Some(mut stays) = *line else { continue };
            let [own, other] = [bit, 1 - bit].map(|bit| compared(number, bit, self.of_r));
            let mut goes_on = RankClock::default();
            goes_on.receive(self.kept[other], stays.send(self.kept[other]));
            stays.receive(self.kept[own], Wide::ZERO);
            for (number, line) in [(own, stays), (other, goes_on)] {
                after[number] = Some(after[number].map_or(line, |known| known.later(line)));
            }
        }
    }

    fn all(&self, before: &Paths) -> Paths {
        let mut after = Paths::default();
        for bit in [0, 1] {
            self.follow(&before.others, bit, &mut after.others);
            for first in [BELOW, EQUAL] {
                if let Some(after) = after.received.get_mut(compared(first, bit, self.of_r)) {
                    self.follow(&before.received[first], bit, after);
                }
            }
        }
        after
    }
}

/// See the module.
pub const RECURSIVE_HALVING: Plain = Plain {
    formula: |task| {
        let numbers = Numbers::in_pairs(task.K, false);
        let (p, r) = (numbers.bits(), numbers.outside);
        let mut paths = Paths::default();
        paths.others[EQUAL] = Some(RankClock::default());
        if r > 0 {
            let all = task.hop(task.K * task.n)?;
            let mut received = RankClock::default();
            received.receive(all, all.o + all.L);
            paths.received[EQUAL][EQUAL] = Some(received);
        }
        for bit in (0..p).rev() {
            let blocks = [2 << bit, (1 << bit) + r % (1 << bit), 1 << bit];
            let [below, equal, above] = blocks.map(|blocks: u64| task.hop(blocks * task.n));
            paths = Round {
                kept: [below?, equal?, above?],
                of_r: r >> bit & 1,
            }
            .all(&paths);
        }
        let block = task.hop(task.n)?.without_combining();
        let end = |number, line: RankClock| {
            if number == BELOW {
                line.hand_on(block)
            } else {
                line.ready
            }
        };
        let lines = (0..)
            .zip(paths.received[BELOW])
            .chain((0..).zip(paths.others));
        Closed::exact(
            lines
                .filter_map(|(number, line)| line.map(|line| end(number, line)))
                .max()
                .unwrap_or_default(),
        )
    },
    holds_on_duplex: |_| false,
    plan: |task| {
        let (K, numbers) = (task.K, Numbers::in_pairs(task.K, false));
        let p = numbers.bits();
        let unit = move |round: u64| 1u64 << (u64::from(p) - 1 - round);
        let given = move |number, round| numbers.blocks(unit(round), number ^ unit(round));
        let leave = numbers.leave(|rank| Words::Blocks(rank ^ 1, 1));
        Ok(Plan::Rounds(vec![
            numbers.enter(move |_| Words::Blocks(0, K)).combined(),
            numbers.exchange_bits(unit, given).tags(1).combined(),
            leave.tag(p + 1),
        ]))
    },
    // Far ranks are combined first.
    properties: Properties {
        keeps_order: false,
        ..Properties::PLAIN
    },
};
