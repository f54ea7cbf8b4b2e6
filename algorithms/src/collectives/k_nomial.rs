//! Recursive exchange with a radix: allreduce, allgather, reduce-scatter and barrier, and a broadcast and a reduce made of them.
//!
//! **Source.** UCC: `src/coll_patterns/recursive_knomial.h` and the algorithms `knomial`, `sra_knomial`, `sag_knomial` and `srg` of its
//! TL/UCP, radix 4 by default; MPICH 4.3, radix 2 by default: `src/mpi/coll/algorithms/recexchalgo` and the algorithms `recexch`,
//! `recexch_doubling`, `recexch_halving`, `k_reduce_scatter_allgather` and `recursive_multiplying`. Radix 2: Thakur, Rabenseifner, Gropp,
//! "Optimization of collective communication operations in MPICH", International Journal of High Performance Computing Applications
//! 19(1), 2005.
//!
//! The number at the end of a name is the radix r: `allgather-recursive-exchange-2`. Let `S = q r^p` be the largest such number up to K
//! with `q < r`, and `e = K - S`. Of the first 2e ranks each odd one sends its words to the rank before, which takes part for both, and
//! gets the result from it at the end, of an allgather all K blocks. The others are numbers of p digits to base r and one to base q, which is left out for q = 1. In the
//! round of a digit of base b, which has b or q values, a number sends a message to each of the `b - 1` numbers that differ in it, the next
//! larger value first, around, then receives from as many, the next smaller value first. The lowest digit is first unless the table says otherwise, and parts of a window
//! are cut so that the first ones are one word longer.
//!
//! With `recexch` or `wrapped` in the name S is the largest power `r^p` up to K. With `recexch` in their names, where r is K at most, the first
//! `floor(e r / (r-1))` ranks stand in groups of r. The last rank of a group takes part for the others of it, and the first rank behind
//! all groups for those of a last group that is not full; e ranks stay outside in all. With `wrapped` rank i takes part for the ranks
//! `i + S, i + 2S, ...`. Messages with those for which a rank takes part are in this order, with `recexch` from the highest rank down.
//!
//! | algorithm | a message of a round |
//! |---|---|
//! | `allreduce-recursive-multiplying-4`, `barrier-recursive-exchange-4` | all words, combined |
//! | `allgather-recursive-exchange-4` | all blocks that the sender holds; from the lowest digit on |
//! | `reduce-scatter-recursive-exchange-4` | the blocks of the receiver's side, combined; from the highest digit on |
//! | `allreduce-scatter-allgather-4` | a part of the window that both hold, combined; then the same rounds backwards with what ranks keep |
//! | `broadcast-scatter-k-nomial-4` | the parts of a window go from a number whose digits are 0 from this one on; then the second half of the allreduce |
//! | `reduce-k-nomial-gather-4` | the first half of the allreduce, then that scatter backwards |
//! | `allgather-recexch-halving-4` | two numbers with opposite digits exchange their blocks; then all that the sender holds by these messages, from the highest digit on |
//! | `scatter-k-nomial-4`, `gather-k-nomial-4` | the blocks of a subtree of the k-nomial tree, the largest first; a gather backwards |
//!
//! **Cost** where e = 0 and all messages of a round have one size. All ranks do the same at the same time, so one of them is followed: in a
//! round it sends `z = b - 1` messages and receives those that arrive as its own do. Where nothing is combined and `z max(o, g) <= L`, a
//! round takes `D(s) + (z-1) max(o, g)`. For other K and n the times of all ranks are followed, for up to 2^22 messages.
//!
//! **When it wins.** Short words over a long latency: `log_r K` rounds, each with one latency.
//!
//! **Departures.** UCC tries other radices for `sra_knomial` and `sag_knomial` where that leaves fewer ranks outside. A library posts the
//! messages of a round at once, MPICH in ascending order; here they are sent one after the other, as a port sends them.

use crate::collectives::numbers::{Numbers, Outside, Round};
use crate::collectives::trees::RADICES;
use crate::collectives::{Algorithm, Closed, Properties};
use crate::cost::LARGEST;
use crate::error::Error;
use crate::plan::timeline::RankClock;
use crate::plan::{Family, Load, Phase, Plan, Task, Tree, Words, part};
use crate::wide::Wide;

/// See the module.
pub(super) struct KNomial {
    does: Does,
    radix: u64,
    outside: Outside,
}

/// What ranks do in the rounds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    /// They combine all words.
    Allreduce,
    /// They combine windows, then exchange them.
    Windows,
    Allgather,
    /// From the farthest number to the nearest.
    AllgatherHalving,
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

    pub const RECEXCH_ALLREDUCE_4: Self = Self::beside(Does::Allreduce, Outside::Groups);
    pub const RECEXCH_WINDOWS_4: Self = Self::beside(Does::Windows, Outside::Groups);
    pub const RECEXCH_ALLGATHER_4: Self = Self::beside(Does::Allgather, Outside::Groups);
    pub const RECEXCH_HALVING_4: Self = Self::beside(Does::AllgatherHalving, Outside::Groups);
    pub const WRAPPED_ALLREDUCE_4: Self = Self::beside(Does::Allreduce, Outside::Wrapped);

    const fn new(does: Does) -> Self {
        Self::beside(does, Outside::Pairs { are_odd: true })
    }

    const fn beside(does: Does, outside: Outside) -> Self {
        Self {
            does,
            radix: 4,
            outside,
        }
    }

    fn numbers(&self, K: u64) -> Numbers {
        Numbers::new(K, self.radix, self.outside)
    }
}

impl Numbers {
    /// A number with its digits in the opposite order.
    fn opposite(self, mut number: u64) -> u64 {
        let digits = self.rounds().map(|_| {
            let digit = number % self.radix;
            number /= self.radix;
            digit
        });
        digits.fold(0, |opposite, digit| opposite * self.radix + digit)
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
    fn allgather<'a>(self, K: u64, is_halving: bool) -> Vec<Phase<'a>> {
        let nearest = move |round: Round| {
            self.exchange(round, move |number, _| self.blocks(round.unit, number))
        };
        // The blocks that a number holds are as many as in the same round from the nearest on.
        let farthest = move |(round, held): (Round, Round)| {
            let held = move |number, _| self.blocks(held.unit, self.opposite(number));
            self.exchange(round, held)
        };
        let mut phases = vec![self.enter(move |rank| Words::Blocks(rank, 1))];
        if is_halving {
            let to = move |rank, _| {
                let number = self.number(rank)?;
                let opposite = self.opposite(number);
                (opposite != number).then(|| self.rank(opposite))
            };
            let words = move |rank, _| self.blocks(1, self.number(rank).unwrap_or_default());
            // The first half of the digits of a number that is its own opposite decides the others.
            let own_opposite = self
                .rounds()
                .step_by(2)
                .fold(1, |all, round| all * round.base);
            phases.push(Phase::some(self.size - own_opposite, 1, to, words));
            phases.extend(self.rounds().rev().zip(self.rounds()).map(farthest));
        } else {
            phases.extend(self.rounds().map(nearest));
        }
        phases.push(self.leave(move |_| Words::Blocks(0, K)));
        phases
    }

    /// Each rank gets its block, combined.
    fn reduce_scatter<'a>(self, K: u64) -> Vec<Phase<'a>> {
        let exchange = move |round: Round| {
            let given = move |_, peer| self.blocks(round.unit, peer);
            self.exchange(round, given).combined()
        };
        let mut phases = vec![self.enter(move |_| Words::Blocks(0, K)).combined()];
        phases.extend(self.rounds().rev().map(exchange));
        phases.push(self.leave(move |rank| Words::Blocks(rank + 1, 1)));
        phases
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
        let numbers = self.numbers(K);
        let is_even = match self.does {
            Does::Allreduce | Does::Allgather | Does::ReduceScatter => true,
            Does::Windows => n.is_multiple_of(K),
            _ => false,
        };
        if numbers.outside > 0 || !is_even {
            return Ok(Closed::Between([0, LARGEST]));
        }
        let mut rank = RankClock::default();
        let mut exchange = |round: Round, words: u64, is_combined: bool| {
            let hop = task.hop(words)?.combining(is_combined);
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
        let numbers = self.numbers(K);
        let tree = || {
            Plan::Tree(Tree::down(Load::Blocks, move |number| {
                Family::k_nomial(K, number, self.radix)
            }))
        };
        let both = |mut first: Vec<_>, second: Vec<_>| {
            first.extend(second);
            first
        };
        Ok(match self.does {
            Does::Allgather => tagged(numbers.allgather(K, false)),
            Does::AllgatherHalving => tagged(numbers.allgather(K, true)),
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
        let numbered = Self { radix, ..*self };
        RADICES.contains(&radix).then(|| Box::new(numbered) as _)
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
