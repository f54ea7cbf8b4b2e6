//! Rabenseifner's reduce: recursive halving, then a gather up a binomial tree.
//!
//! **Source.** Rabenseifner, "Optimization of collective reduction operations", ICCS 2004; MPICH: reduce-scatter and gather
//! (`MPIR_Reduce_intra_reduce_scatter_gather`); Open MPI: `redscat_gather`.
//!
//! For `K = 2^p`: recursive halving as in [`allreduce-rabenseifner`](crate::collectives::allreduce::rabenseifner). In round
//! j, from 0 to p-1, ranks whose numbers differ in bit j halve their window of words; the lower rank keeps the first half
//! (rounded down). Then in round j, from p-1 down to 0, a rank whose bit j is not that of the root sends its window to the
//! rank with the other bit j, and is done.
//!
//! For other K, with `r = K - 2^p`, the first 2r ranks form pairs, and the even rank takes part for both, as there. If the
//! root is an odd rank of a pair, it replaces rank 0 after the halving, and gets its window.
//!
//! **Cost.** The time of the last operation is a longest path. Its edges are messages, `o + L`; one operation of a rank to the
//! next, `o` or `o + cs`; and gaps `g(s)` between two sends or two receives of a rank. In round j of the halving a path is
//! at a rank whose bits below j are those of some y, and whose other bits are those of some x where it began. In round j
//! of the gather it is at a rank whose bits above j are those of the root, and whose other bits are those of y. Windows
//! depend on the bits of y alone, and have two sizes in each round. So the longest path is found bit by bit, from bit 0 on,
//! in both phases at the same time: by the size of the window, by whether the path is at the end of an operation or waits
//! for a gap, and by whether x < r, where the path begins when the even rank has the words of its pair. `O(log K)`.
//!
//! Where `r = 0` and 2^p divides n all ranks do the same until the gather, and rounds are followed one by one. Where
//! moreover the overhead is the same for all sizes and no gap is longer than its hop, the cost is the sum over `1 <= j <= p` of
//! `2 D(h) + ch` with `h = n/2^j`.
//!
//! **When it wins.** Long vectors on many ranks: a rank sends and combines fewer than 2n words.
//!
//! **Departures.** For `n < 2^p` Open MPI takes `reduce-flat` and MPICH a binomial tree; here some blocks are empty then.

use crate::collectives::numbers::Numbers;
use crate::collectives::rounds::RoundTimes;
use crate::collectives::{Closed, Plain, Properties};
use crate::error::{Error, fit};
use crate::plan::{Hop, Phase, Plan, Task, Words, narrow};
use crate::wide::Wide;

/// Ranks that take part, by their numbers below `2^p`.
#[derive(Clone, Copy)]
struct Roles {
    numbers: Numbers,
    /// The number of the root in the gather.
    root: u64,
    /// Whether the root replaces rank 0.
    is_odd: bool,
}

impl Roles {
    fn new(task: &Task) -> Self {
        let numbers = Numbers::in_pairs(task.K, true);
        let number = numbers.number(task.root);
        Self {
            numbers,
            root: number.unwrap_or(0),
            is_odd: number.is_none(),
        }
    }

    /// The number of a rank in the gather.
    fn number(self, task: &Task, rank: u64) -> Option<u64> {
        match self.is_odd {
            true if rank == task.root => Some(0),
            true if rank == 0 => None,
            _ => self.numbers.number(rank),
        }
    }

    /// The rank with this number in the gather.
    fn gatherer(self, task: &Task, number: u64) -> u32 {
        narrow(if self.is_odd && number == 0 {
            task.root
        } else {
            self.numbers.rank(number)
        })
    }
}

/// Whether a path is at a rank that is ready for its next operation.
const READY: usize = 0;
/// Or at the start of a receive, and waits for the gap before the next one.
const RECEIVED: usize = 1;
/// Or waits for the gap after a send.
const SENT: usize = 2;

/// The lengths of the ways to each of the three; `None` where there is none.
type Ways = [Option<Wide>; 3];

/// From the end of one round of halving to the end of the next, at a rank that keeps and gives such windows, or from its
/// partner.
fn halving(from: usize, moves: bool, [kept, given]: [Hop; 2]) -> Ways {
    let received = match (from, moves) {
        (READY, false) => given.o,
        (READY, true) => kept.o + kept.L,
        (RECEIVED, false) => kept.g,
        _ => return [None; 3],
    };
    let sent = (from == READY && !moves).then_some(given.g);
    [Some(received + kept.o + kept.q), Some(received), sent]
}

/// The lengths of the ways through the gather's round with this bit to its end, from the end of the round before. The path
/// is at a rank that keeps its window and receives the one that it has given, or sends its window.
fn gathering(to: usize, sends: bool, [kept, given]: [Hop; 2]) -> Ways {
    let message = if sends { kept } else { given };
    let end = if to == READY { message.o } else { Wide::ZERO };
    match (to, sends) {
        (SENT, true) => [None; 3],
        (SENT, false) => [None, None, Some(Wide::ZERO)],
        (_, true) => {
            [READY, RECEIVED, SENT].map(|from| (from != RECEIVED).then_some(kept.o + kept.L + end))
        }
        (_, false) => [Some(end), Some(given.g + end), None],
    }
}

/// What is known of the paths with the same low bits of x and y.
#[derive(Debug, Clone, Copy)]
struct Ends {
    /// The window of y.
    window: u64,
    /// For paths that begin at a rank of a pair: whether these bits of x are below those of r.
    below: Option<bool>,
    /// Whether y has none of these bits.
    is_zero: bool,
    /// Where the halving is, after the round with the last of these bits.
    halved: usize,
    /// From where the gather goes on in the round with the last of these bits.
    gathers: usize,
}

/// The longest paths by their ends: for two windows, three cases of x, two of y, and nine of both phases.
struct Paths {
    /// The smaller window.
    least: u64,
    longest: [Option<(Ends, Wide)>; 108],
}

impl Paths {
    fn new(least: u64) -> Self {
        Self {
            least,
            longest: [None; 108],
        }
    }

    fn add(&mut self, ends: Ends, length: Wide) {
        let start = ends.below.map_or(0, |below| 1 + usize::from(below));
        let index = usize::from(ends.window > self.least) * 3 + start;
        let index = ((index * 2 + usize::from(ends.is_zero)) * 3 + ends.halved) * 3 + ends.gathers;
        let longest = &mut self.longest[index];
        if longest.is_none_or(|(_, longest)| longest < length) {
            *longest = Some((ends, length));
        }
    }

    fn iter(&self) -> impl Iterator<Item = &(Ends, Wide)> {
        self.longest.iter().flatten()
    }
}

/// Before the first bit: all ranks begin at 0, those of pairs later.
fn begin(task: &Task, r: u64) -> Result<Paths, Error> {
    let start = Ends {
        window: task.n,
        below: None,
        is_zero: true,
        halved: READY,
        gathers: READY,
    };
    let mut paths = Paths::new(task.n);
    paths.add(start, Wide::ZERO);
    if r > 0 {
        let [ready, send, received] = Numbers::folded(task)?;
        let start = Ends {
            below: Some(false),
            ..start
        };
        paths.add(start, ready.max(send));
        paths.add(
            Ends {
                halved: RECEIVED,
                ..start
            },
            received,
        );
    }
    Ok(paths)
}

/// Where all ranks do the same until the gather.
fn even(task: &Task, p: u32) -> Result<u64, Error> {
    let mut rounds = RoundTimes::new(task, true);
    for bit in 1..=p {
        rounds.exchange(task.hop(task.n >> bit)?, 1);
    }
    for bit in (1..=p).rev() {
        rounds.gather(task.hop(task.n >> bit)?);
    }
    rounds.end().map_or(Err(Error::Overflow), fit)
}

impl Roles {
    /// The paths with one more bit.
    fn round(self, task: &Task, bit: u32, paths: &Paths) -> Result<Paths, Error> {
        let (p, r) = (self.numbers.bits(), self.numbers.outside);
        let least = task.n >> (bit + 1);
        let hops = [task.hop(least)?, task.hop(least + 1)?];
        let [root, pairs] = [self.root, r].map(|number| number >> bit & 1 == 1);
        let mut longer = Paths::new(least);
        for (ends, length) in paths.iter() {
            for (x, y) in [(false, false), (false, true), (true, false), (true, true)] {
                let (low, high) = (ends.window / 2, ends.window.div_ceil(2));
                let windows = if y { [high, low] } else { [low, high] };
                let sizes = windows.map(|window| hops[usize::from(window > least)]);
                let forth = halving(ends.halved, x != y, sizes);
                let back = gathering(ends.gathers, y != root, sizes);
                let below = ends
                    .below
                    .map(|below| if x == pairs { below } else { pairs });
                let is_zero = ends.is_zero && !y;
                for (halved, forth) in forth.into_iter().enumerate() {
                    for (gathers, back) in back.into_iter().enumerate() {
                        let Some(more) = forth.zip(back).map(|(forth, back)| forth + back) else {
                            continue;
                        };
                        // Before the next round of halving it makes no difference what a rank waited for.
                        let halved = if halved == SENT && bit + 1 < p {
                            READY
                        } else {
                            halved
                        };
                        longer.add(
                            Ends {
                                window: windows[0],
                                below,
                                is_zero,
                                halved,
                                gathers,
                            },
                            *length + more,
                        );
                    }
                }
            }
        }
        Ok(longer)
    }

    /// The longest path that goes on in the gather as the halving ended; after the message from rank 0 to an odd root.
    fn end(self, task: &Task, paths: &Paths) -> Result<Wide, Error> {
        let mut time = Wide::ZERO;
        for (ends, length) in paths.iter().filter(|(ends, _)| ends.below != Some(false)) {
            if !(self.is_odd && ends.is_zero) {
                time = time.max(if ends.halved == ends.gathers {
                    *length
                } else {
                    Wide::ZERO
                });
            } else if ends.halved != RECEIVED && ends.gathers != SENT {
                let hop = task.hop(ends.window)?;
                time = time.max(
                    *length
                        + hop.o
                        + hop.L
                        + if ends.gathers == READY {
                            hop.o
                        } else {
                            Wide::ZERO
                        },
                );
            }
        }
        Ok(time)
    }
}

/// See the module.
pub const RABENSEIFNER: Plain = Plain {
    formula: |task| {
        let roles = Roles::new(task);
        let (p, r) = (roles.numbers.bits(), roles.numbers.outside);
        if p == 0 {
            return Ok(Closed::Exact(0));
        }
        if r == 0 && task.n.is_multiple_of(task.K) {
            return even(task, p).map(Closed::Exact);
        }
        let mut paths = begin(task, r)?;
        for bit in 0..p {
            paths = roles.round(task, bit, &paths)?;
        }
        Closed::exact(roles.end(task, &paths)?)
    },
    holds_on_duplex: |_| false,
    plan: |task| {
        let (task, roles) = (*task, Roles::new(task));
        let (p, is_odd, root) = (roles.numbers.bits(), roles.is_odd, roles.root);
        let mut phases = roles.numbers.halving(&task);
        let to_root = move |rank, _| (is_odd && rank == 0).then_some(task.root);
        let handed_on = Phase::some(u64::from(is_odd), 1, to_root, move |_, _| {
            Words::Window(0, p)
        });
        let bit = move |round: u64| u64::from(p) - 1 - round;
        // A rank sends in the round of the highest bit in which it differs from the root.
        let to = move |rank, round| {
            let number = roles
                .number(&task, rank)
                .filter(|number| (number ^ root) >> bit(round) == 1)?;
            Some(roles.gatherer(&task, number ^ (1u64 << bit(round))).into())
        };
        let kept = move |rank, round| {
            Words::Window(
                roles.number(&task, rank).unwrap_or(0),
                narrow(bit(round) + 1),
            )
        };
        let gather = Phase::some((1u64 << p) - 1, p.into(), to, kept).tags(p + 3);
        phases.extend([handed_on.tag(p + 2), gather]);
        Ok(Plan::Rounds(phases))
    },
    properties: Properties::PLAIN,
};
