//! Recursive exchange with a radix: allreduce, allgather, reduce-scatter and barrier, and a broadcast and a reduce made of them.
//!
//! **Source.** UCC: `src/coll_patterns/recursive_knomial.h` and the algorithms `knomial`, `sra_knomial`, `sag_knomial` and `srg` of its
//! TL/UCP, radix 4 by default; MPICH 4.3: `recursive_multiplying`, `k_reduce_scatter_allgather` and `recexch_doubling`. Radix 2:
//! Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", International Journal of High
//! Performance Computing Applications 19(1), 2005.
//!
//! The number at the end of a name is the radix r: `allgather-recursive-exchange-2`. Let `S = q r^p` be the largest such number up to K
//! with `q < r`, and `e = K - S`. Of the first 2e ranks each odd one sends its words to the rank before, which takes part for both, and
//! gets the result from it at the end. The others are numbers of p digits to base r and one to base q, which is left out for q = 1. In the
//! round of a digit of base b, which has b or q values, a number sends a message to each of the `b - 1` numbers that differ in it, the next
//! larger value first, around, then receives from as many.
//!
//! | algorithm | a message of a round |
//! |---|---|
//! | `allreduce-recursive-multiplying-4`, `barrier-recursive-exchange-4` | all words, combined |
//! | `allgather-recursive-exchange-4` | all blocks that the sender holds; from the lowest digit on |
//! | `reduce-scatter-recursive-exchange-4` | the blocks of the receiver's side, combined; from the highest digit on |
//! | `allreduce-scatter-allgather-4` | a part of the window that both hold, combined; then the same rounds backwards with what ranks keep |
//! | `broadcast-scatter-k-nomial-4` | the parts of a window go from a number whose digits are 0 from this one on; then the second half of the allreduce |
//! | `reduce-k-nomial-gather-4` | the first half of the allreduce, then that scatter backwards |
//! | `scatter-k-nomial-4`, `gather-k-nomial-4` | the blocks of a subtree of the k-nomial tree, the largest first, or last |
//!
//! **Cost** where e = 0 and all messages of a round have one size. All ranks do the same at the same time, so one of them is followed: in a
//! round it sends `z = b - 1` messages and receives those that arrive as its own do. Where nothing is combined and `z max(o, g) <= L`, a
//! round takes `D(s) + (z-1) max(o, g)`. For other K and n the times of all ranks are followed, for up to 2^22 messages.
//!
//! **When it wins.** Short words over a long latency: `log_r K` rounds, each with one latency.
//!
//! **Departures.** UCC tries other radices for `sra_knomial` and `sag_knomial` where that leaves fewer ranks outside. A library posts the
//! messages of a round at once; here they are sent one after the other, as a port sends them.

use crate::collectives::{Algorithm, Closed, Properties};
use crate::cost::LARGEST;
use crate::error::Error;
use crate::plan::timeline::RankClock;
use crate::plan::{Family, Load, Phase, Plan, Task, Tree, Words, part};
use crate::wide::Wide;

/// The largest radix: one rank's messages of a round are followed one by one.
const MOST: u64 = 1 << 12;

/// See the module.
pub(super) struct KNomial {
    does: Does,
    radix: u64,
}

/// What ranks do in the rounds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    /// They combine all words.
    Allreduce,
    /// They combine windows, then exchange them.
    Windows,
    Allgather,
    ReduceScatter,
    Broadcast,
    Reduce,
    Scatter,
    Gather,
}

impl KNomial {
    pub const ALLREDUCE_4: Self = Self::new(Does::Allreduce);
    pub const WINDOWS_4: Self = Self::new(Does::Windows);
    pub const ALLGATHER_4: Self = Self::new(Does::Allgather);
    pub const REDUCE_SCATTER_4: Self = Self::new(Does::ReduceScatter);
    pub const BROADCAST_4: Self = Self::new(Does::Broadcast);
    pub const REDUCE_4: Self = Self::new(Does::Reduce);
    pub const SCATTER_4: Self = Self::new(Does::Scatter);
    pub const GATHER_4: Self = Self::new(Does::Gather);

    const fn new(does: Does) -> Self {
        Self { does, radix: 4 }
    }
}

/// The ranks that take part.
#[derive(Clone, Copy)]
struct Numbers {
    radix: u64,
    /// S.
    size: u64,
    /// e.
    outside: u64,
}

/// A round: the distance of numbers that differ by 1 in its digit, and how many values the digit has.
#[derive(Clone, Copy)]
struct Round {
    unit: u64,
    base: u64,
}

impl Round {
    /// The number to which a message goes.
    fn peer(self, number: u64, message: u64) -> u64 {
        let group = self.unit * self.base;
        let first = number / group * group;
        first + (number - first + (message + 1) * self.unit) % group
    }
}

impl Numbers {
    fn new(K: u64, radix: u64) -> Self {
        let mut power = 1;
        while power <= K / radix {
            power *= radix;
        }
        let size = K / power * power;
        Self {
            radix,
            size,
            outside: K - size,
        }
    }

    fn rounds(self) -> impl DoubleEndedIterator<Item = Round> {
        let units = std::iter::successors(Some(1u64), move |unit| unit.checked_mul(self.radix));
        let round = move |unit| Round {
            unit,
            base: self.radix.min(self.size / unit),
        };
        let rounds: Vec<Round> = units
            .map(round)
            .take_while(|round| round.base > 1)
            .collect();
        rounds.into_iter()
    }

    fn number(self, rank: u64) -> Option<u64> {
        match rank {
            rank if rank >= 2 * self.outside => Some(rank - self.outside),
            rank => rank.is_multiple_of(2).then_some(rank / 2),
        }
    }

    /// The rank with a number; also the first block of a number.
    fn rank(self, number: u64) -> u64 {
        number + number.min(self.outside)
    }

    /// The first block of the numbers that differ from one in digits below this round's only, and how many.
    fn blocks(self, round: Round, number: u64) -> (u64, u64) {
        let number = number / round.unit * round.unit;
        let first = self.rank(number);
        (first, self.rank(number + round.unit) - first)
    }

    /// The words of n that a number keeps after the round of this one and those before.
    fn window(self, n: u64, number: u64, last: Round) -> Words {
        let own = self.rounds().take_while(|round| round.unit <= last.unit);
        Words::Range(own.fold(0..n, |window, round| {
            let digit = number / round.unit % round.base;
            let part = part(window.end - window.start, digit, round.base);
            window.start + part.start..window.start + part.end
        }))
    }

    /// A round in which a number sends words to others: which, by its number and the receiver's.
    fn exchange<'a>(self, round: Round, words: impl Fn(u64, u64) -> Words + 'a) -> Phase<'a> {
        let each = round.base - 1;
        let to = move |rank, message| {
            let number = self.number(rank)?;
            Some(self.rank(round.peer(number, message)))
        };
        let words = move |rank, message| {
            let number = self.number(rank).unwrap_or_default();
            words(number, round.peer(number, message))
        };
        Phase::some(Wide::from(self.size) * Wide::from(each), each, to, words).in_round(each)
    }

    /// Ranks outside send words to those that take part for them.
    fn enter<'a>(self, words: impl Fn(u64) -> Words + 'a) -> Phase<'a> {
        let to = move |rank: u64, _| (self.number(rank).is_none()).then(|| rank - 1);
        Phase::some(self.outside, 1, to, move |rank, _| words(rank))
    }

    /// They get words from these.
    fn leave<'a>(self, words: impl Fn(u64) -> Words + 'a) -> Phase<'a> {
        let to = move |rank: u64, _| {
            let is_own = rank < 2 * self.outside && rank.is_multiple_of(2);
            is_own.then_some(rank + 1)
        };
        Phase::some(self.outside, 1, to, move |rank, _| words(rank))
    }

    /// A vector or windows of it are combined, round by round.
    fn combine<'a>(self, n: u64, is_whole: bool) -> Vec<Phase<'a>> {
        let exchange = move |round| {
            let words = move |_, peer| match is_whole {
                true => Words::Range(0..n),
                false => self.window(n, peer, round),
            };
            self.exchange(round, words).combined()
        };
        let mut phases = vec![self.enter(move |_| Words::Range(0..n)).combined()];
        phases.extend(self.rounds().map(exchange));
        phases
    }

    /// Windows become a vector again, from the last round to the first.
    fn expand<'a>(self, n: u64) -> Vec<Phase<'a>> {
        let exchange = move |round| {
            let words = move |number, _| self.window(n, number, round);
            self.exchange(round, words)
        };
        let mut phases: Vec<Phase> = self.rounds().rev().map(exchange).collect();
        phases.push(self.leave(move |_| Words::Range(0..n)));
        phases
    }

    /// Number 0 deals out the windows: in each round numbers that have one send it on in parts.
    fn scatter<'a>(self, n: u64) -> Vec<Phase<'a>> {
        let phase = move |round: Round| {
            let each = round.base - 1;
            let peer = move |number, message| number + (message + 1) * round.unit;
            let to = move |rank, message| {
                let number = self.number(rank).filter(|number| *number < round.unit)?;
                Some(self.rank(peer(number, message)))
            };
            let words = move |rank, message| {
                let number = self.number(rank).unwrap_or_default();
                self.window(n, peer(number, message), round)
            };
            Phase::some(round.unit * each, each, to, words).in_round(each)
        };
        self.rounds().map(phase).collect()
    }

    /// All ranks get all blocks.
    fn allgather<'a>(self, K: u64) -> Vec<Phase<'a>> {
        let exchange = move |round: Round| {
            let held = move |number, _| {
                let (first, count) = self.blocks(round, number);
                Words::Blocks(first, count)
            };
            self.exchange(round, held)
        };
        let mut phases = vec![self.enter(move |rank| Words::Blocks(rank, 1))];
        phases.extend(self.rounds().map(exchange));
        phases.push(self.leave(move |_| Words::Blocks(0, K)));
        phases
    }

    /// Each rank gets its block, combined.
    fn reduce_scatter<'a>(self, K: u64) -> Vec<Phase<'a>> {
        let exchange = move |round: Round| {
            let given = move |_, peer| {
                let (first, count) = self.blocks(round, peer);
                Words::Blocks(first, count)
            };
            self.exchange(round, given).combined()
        };
        let mut phases = vec![self.enter(move |_| Words::Blocks(0, K)).combined()];
        phases.extend(self.rounds().rev().map(exchange));
        phases.push(self.leave(move |rank| Words::Blocks(rank + 1, 1)));
        phases
    }
}

/// The k-nomial tree, and the blocks of its subtrees.
fn family(K: u64, number: u64, radix: u64) -> Family {
    let mut units = std::iter::successors(Some(1u64), |unit| unit.checked_mul(radix));
    let lowest = |unit: &u64| !(number / unit).is_multiple_of(radix);
    let unit = match number {
        0 => K,
        _ => units.find(lowest).unwrap_or(1),
    };
    let size = |first: u64, unit: u64| unit.min(K - first);
    Family {
        size: size(number, unit),
        children: Family::below_digits(K, number, radix)
            .map(|(child, unit)| (child, size(child, unit)))
            .collect(),
        ..Family::k_nomial(K, number, radix)
    }
}

/// Phases one after the other, each with a tag of its own.
fn tagged(phases: Vec<Phase<'_>>) -> Plan<'_> {
    let tags = (0..).zip(phases);
    Plan::Rounds(tags.map(|(tag, phase)| phase.tag(tag)).collect())
}

fn from_root(phases: Vec<Phase<'_>>) -> Plan<'_> {
    tagged(phases.into_iter().map(Phase::numbered_from_root).collect())
}

impl Algorithm for KNomial {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let (K, n) = (task.K, task.n);
        let numbers = Numbers::new(K, self.radix);
        let is_even = match self.does {
            Does::Allreduce | Does::Allgather | Does::ReduceScatter => true,
            Does::Windows => n.is_multiple_of(K),
            Does::Broadcast | Does::Reduce | Does::Scatter | Does::Gather => false,
        };
        if numbers.outside > 0 || !is_even {
            return Ok(Closed::Between([0, LARGEST]));
        }
        let mut rank = RankClock::default();
        let mut exchange = |round: Round, words: u64, is_combined: bool| {
            let mut hop = task.hop(words)?;
            if !is_combined {
                hop = hop.without_combining();
            }
            let arrivals: Vec<Wide> = (1..round.base).map(|_| rank.send(hop)).collect();
            arrivals
                .into_iter()
                .for_each(|arrival| rank.receive(hop, arrival));
            Ok::<(), Error>(())
        };
        let kept = |round: Round| n / (round.unit * round.base);
        match self.does {
            Does::Allreduce => numbers
                .rounds()
                .try_for_each(|round| exchange(round, n, true))?,
            Does::Allgather => {
                (numbers.rounds()).try_for_each(|round| exchange(round, round.unit * n, false))?
            }
            Does::ReduceScatter => (numbers.rounds().rev())
                .try_for_each(|round| exchange(round, round.unit * n, true))?,
            _ => {
                numbers
                    .rounds()
                    .try_for_each(|round| exchange(round, kept(round), true))?;
                (numbers.rounds().rev())
                    .try_for_each(|round| exchange(round, kept(round), false))?;
            }
        }
        Closed::exact(rank.ready)
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let Task { K, n, .. } = *task;
        let numbers = Numbers::new(K, self.radix);
        let tree = || {
            Plan::Tree(Tree::down(Load::Blocks, move |number| {
                family(K, number, self.radix)
            }))
        };
        let both = |mut first: Vec<_>, second: Vec<_>| {
            first.extend(second);
            first
        };
        Ok(match self.does {
            Does::Allgather => tagged(numbers.allgather(K)),
            Does::ReduceScatter => tagged(numbers.reduce_scatter(K)),
            Does::Allreduce => {
                let leave = numbers.leave(move |_| Words::Range(0..n));
                tagged(both(numbers.combine(n, true), vec![leave]))
            }
            Does::Windows => tagged(both(numbers.combine(n, false), numbers.expand(n))),
            Does::Broadcast => from_root(both(numbers.scatter(n), numbers.expand(n))),
            Does::Reduce => {
                let halves = [
                    from_root(numbers.combine(n, false)),
                    from_root(numbers.scatter(n)).reversed(false),
                ];
                Plan::in_turn(task, halves.into_iter().map(Ok))?
            }
            Does::Scatter => tree(),
            Does::Gather => tree().reversed(false),
        })
    }

    fn with_number(&self, radix: u64) -> Option<Box<dyn Algorithm>> {
        let does = self.does;
        (2..=MOST)
            .contains(&radix)
            .then(|| Box::new(Self { does, radix }) as _)
    }

    /// A number combines what comes from lower and from higher ones in turn.
    fn properties(&self) -> Properties {
        Properties {
            keeps_order: !matches!(
                self.does,
                Does::Allreduce | Does::Windows | Does::ReduceScatter | Does::Reduce
            ),
            ..Properties::PLAIN
        }
    }
}
