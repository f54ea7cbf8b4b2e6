//! What the ports of a machine with levels force: how many bytes must enter and leave each group of ranks, and by which ports.
//!
//! **Groups.** A rank is a group with index 0, a group of level j one with index j + 1, and all ranks are the last one. A message that
//! leaves a group with index i is one of level i or further out.
//!
//! **Ports of ranks.** Let `X_i` be bytes that must leave the groups with index i inside a set S of ranks with P ports, and `r_i` the least
//! time of a byte at a port in messages of level i or further out, so that `r_i <= r_(i+1)`. Of the bytes that ranks of S send, `X_j` or
//! more are of level j or further out, for each j. So the ports are busy with messages of level i or further out for
//! `B_i = r_i X_i + sum over j > i of (r_j - r_(j-1)) X_j` or longer, and one of them for `B_i / P`. Its last message of these is received
//! `c_i` sooner than its bytes take the port, at most; c is the largest difference of both times over all sizes. So `T >= B_i / P - c_i`.
//! The same holds of bytes that enter: a port receives the first message after its latency, each further one its bytes later.
//!
//! **Nics.** Messages through the network take J nics, each byte R. In `T' = T + c_i` nics carry `J T' / R` bytes at most. The ranks'
//! ports carry the others: for each m below the network `P T' >= sum over j <= m of (r_j - r_(j-1)) (X_j - J T'/R)`, with 0 for `r_(i-1)`. The factors
//! add up to `r_m`, so `T' >= S R / (P R + J r_m)` with the same sum S over all `X_j`. Of the network alone `T >= R X / J - c`.
//!
//! **All ranks.** The sums over all groups count, or what a collective knows of all of them together: an allreduce sends each word
//! `2(N-1)` times between N groups.
//!
//! **Latency.** If the ranks of a group share all they know at once, a word still has to reach N groups, whose ports begin at most one
//! send each in a turn.

use super::Levels;
use super::rates::Rates;
use crate::error::Error;
use crate::logp::LogGops;
use crate::logp::LogP;
use crate::logp::multicast::several_ports::one_message;

/// Most ranks that are followed.
const MAX_RANKS: u64 = 1 << 22;

/// Ranks of one group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Set {
    /// How many.
    pub ranks: u64,
    /// The least of them.
    pub first: u64,
    /// The largest of them.
    pub last: u64,
    /// Whether the root is one of them.
    pub has_root: bool,
}

impl Set {
    fn add(&mut self, other: Self) {
        let (first, last) = (self.first.min(other.first), self.last.max(other.last));
        *self = Self {
            ranks: self.ranks + other.ranks,
            first,
            last,
            has_root: self.has_root || other.has_root,
        };
    }
}

/// What has to be moved.
pub(crate) struct Load<'a> {
    /// Ranks.
    pub K: u64,
    /// The root.
    pub root: u64,
    /// Ports of a rank in each direction.
    pub k: u64,
    /// Whether they share the processor of their rank, so that one of them sends at a time.
    pub is_shared: bool,
    /// The bytes of the shortest messages.
    pub least: u64,
    /// The bytes that must enter, and leave, a set of ranks.
    pub crossing: &'a dyn Fn(&Set) -> [u128; 2],
    /// The bytes that must be sent between this number of groups, all together.
    pub between: &'a dyn Fn(u64) -> u128,
}

/// The groups of one level as ranks of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Contracted {
    /// How many groups.
    pub groups: u64,
    /// The most ports of one.
    pub ports: u64,
    /// A machine on which no message between them takes longer.
    pub machine: LogGops,
    /// In which time each port begins one send of the shortest message.
    pub turn: u64,
}

impl Contracted {
    /// The time in which the shortest message reaches all groups.
    ///
    /// # Errors
    /// Errors of [`one_message`].
    pub fn latency(&self) -> Result<u64, Error> {
        let LogGops { L, o, .. } = self.machine;
        one_message(
            LogP::new(L.saturating_add(o.saturating_mul(2)), 0, self.turn)?,
            self.groups,
            self.ports,
        )
    }
}

/// A group whose ranks are followed.
struct Group {
    set: Set,
    nics: u64,
    /// The bytes that enter and leave the groups inside, by their index.
    inside: Vec<[u128; 2]>,
}

/// The state while the ranks of a machine are followed, seat by seat.
struct Walk<'a> {
    levels: &'a Levels,
    load: &'a Load<'a>,
    rates: Rates,
    /// The open group of each index; none for ranks.
    open: Vec<Option<Group>>,
    /// For each index how many groups there are, and the most ranks of one.
    found: Vec<(u64, u64)>,
    /// The seat of the last rank.
    last: Option<u64>,
    /// What the last rank moves.
    moved: [u128; 2],
    best: u64,
}

impl Levels {
    /// The ranks of K in the order of their seats, each with its seat.
    fn in_order(&self, K: u64) -> Box<dyn Iterator<Item = (u64, u64)> + '_> {
        use super::Placement::{Block, List, RoundRobin};
        match &self.placement {
            Block => Box::new((0..K).map(|rank| (rank, rank))),
            RoundRobin => {
                let ranks = self.ranks();
                let nodes = K.div_ceil(ranks).max(1);
                let of_node = move |node: u64| {
                    (node..K)
                        .step_by(usize::try_from(nodes).unwrap_or(usize::MAX))
                        .zip(node * ranks..)
                };
                Box::new((0..nodes).flat_map(of_node))
            }
            List(_) => {
                let mut seats: Vec<(u64, u64)> = self.seats.iter().copied().zip(0..K).collect();
                seats.sort_unstable();
                Box::new(seats.into_iter().map(|(seat, rank)| (rank, seat)))
            }
        }
    }

    /// A time that no program beats that moves the load, and the groups of each index as ranks of a machine. None for more than
    /// 2^22 ranks.
    pub(crate) fn loaded(&self, load: &Load<'_>) -> Option<(u64, Vec<Contracted>)> {
        if load.K > MAX_RANKS || self.check(load.K).is_err() {
            return None;
        }
        let groups = self.inner.len() + 2;
        let (open, found) = ((0..groups).map(|_| None).collect(), vec![(0, 0); groups]);
        let rates = self.rates(load.least);
        let mut walk = Walk {
            levels: self,
            load,
            rates,
            open,
            found,
            last: None,
            moved: [0; 2],
            best: 0,
        };
        for (rank, seat) in self.in_order(load.K) {
            walk.step(rank, seat);
        }
        (1..groups).for_each(|index| walk.close(index));
        let contracted =
            (0..=self.inner.len()).map(|level| self.contracted(level, walk.found[level], load));
        Some((walk.best, contracted.collect()))
    }

    /// The groups with an index as ranks: messages between them are of the level with this number or further out. With nics each rank has a
    /// port more, and messages of several ranks that take one nic do not share a processor.
    fn contracted(&self, level: usize, (groups, most): (u64, u64), load: &Load<'_>) -> Contracted {
        let k = load.k;
        let sharing = if load.is_shared { k } else { 1 };
        let machine = self.fastest_from(level);
        let LogGops { L, o, g, O, H, .. } = machine;
        let Some(nics) = self.nics else {
            return Contracted {
                groups,
                ports: most.saturating_mul(k),
                machine,
                turn: g.max(sharing.saturating_mul(o)),
            };
        };
        let machine = LogGops {
            L: L.saturating_add(o.saturating_mul(2)),
            o: 0,
            O: 0,
            H: H.saturating_add(O.saturating_mul(2)),
            ..machine
        };
        if level == self.inner.len() {
            Contracted {
                groups,
                ports: most.min(nics),
                machine,
                turn: g,
            }
        } else {
            Contracted {
                groups,
                ports: most.saturating_mul(2),
                machine,
                turn: g.max(o.saturating_mul(2)),
            }
        }
    }
}

impl Walk<'_> {
    fn step(&mut self, rank: u64, seat: u64) {
        let inner = &self.levels.inner;
        let has_left = |last: u64| {
            inner
                .iter()
                .rposition(|level| last / level.ranks != seat / level.ranks)
        };
        let left = self.last.and_then(has_left).map_or(0, |level| level + 1);
        self.last = Some(seat);
        (1..=left).for_each(|index| self.close(index));
        let set = Set {
            ranks: 1,
            first: rank,
            last: rank,
            has_root: rank == self.load.root,
        };
        let moved = (self.load.crossing)(&set);
        if moved != self.moved {
            self.moved = moved;
            self.best = self.best.max(self.forced(&[moved], self.load.k, 1));
        }
        self.add(1, set, 1, &[moved]);
    }

    /// A group inside the open one with this index ends; it opens one where none is.
    fn add(&mut self, index: usize, set: Set, nics: u64, bytes: &[[u128; 2]]) {
        let (groups, most) = &mut self.found[index - 1];
        (*groups, *most) = (*groups + 1, set.ranks.max(*most));
        let Some(group) = &mut self.open[index] else {
            self.open[index] = Some(Group {
                set,
                nics,
                inside: bytes.to_vec(),
            });
            return;
        };
        group.set.add(set);
        group.nics += nics;
        for (all, bytes) in group.inside.iter_mut().zip(bytes) {
            *all = [
                all[0].saturating_add(bytes[0]),
                all[1].saturating_add(bytes[1]),
            ];
        }
    }

    fn close(&mut self, index: usize) {
        let Some(Group {
            set,
            nics,
            mut inside,
        }) = self.open[index].take()
        else {
            return;
        };
        let network = self.levels.inner.len();
        if index > network {
            for (all, (groups, _)) in inside.iter_mut().zip(&self.found) {
                let between = (self.load.between)(*groups);
                *all = all.map(|bytes| bytes.max(between));
            }
        } else {
            inside.push((self.load.crossing)(&set));
        }
        let nics = if index > network {
            nics
        } else {
            self.levels.nics.map_or(0, |most| most.min(set.ranks))
        };
        self.best =
            self.best
                .max(self.forced(&inside, set.ranks.saturating_mul(self.load.k), nics));
        if index <= network {
            self.add(index + 1, set, nics, &inside);
        }
    }

    /// The time that these bytes force, by the index of the groups that they enter and leave; see the module.
    fn forced(&self, bytes: &[[u128; 2]], ports: u64, nics: u64) -> u64 {
        let times = (0..2).flat_map(|direction| {
            let mut bytes: Vec<u128> = bytes.iter().map(|bytes| bytes[direction]).collect();
            for index in (1..bytes.len()).rev() {
                bytes[index - 1] = bytes[index - 1].max(bytes[index]);
            }
            (0..bytes.len()).map(move |from| self.forced_from(from, &bytes, [ports, nics]))
        });
        times.max().unwrap_or(0)
    }

    /// The time that messages of a level and those further out force.
    fn forced_from(&self, from: usize, bytes: &[u128], [ports, nics]: [u64; 2]) -> u64 {
        let (rate, network) = (&self.rates.per_byte, self.levels.inner.len());
        let [ports, nics] = [ports, nics].map(u128::from);
        let has_nics = self.levels.nics.is_some();
        let (mut busy, mut before, mut most) = (0u128, 0, 0);
        for index in from..bytes.len() {
            if has_nics && index == network {
                break;
            }
            busy = busy.saturating_add((rate[index] - before).saturating_mul(bytes[index]));
            before = rate[index];
            let held = if has_nics {
                let shared = ports
                    .checked_mul(rate[network])
                    .zip(nics.checked_mul(rate[index]));
                let shared = shared.and_then(|(own, nics)| own.checked_add(nics));
                busy.checked_mul(rate[network])
                    .zip(shared)
                    .and_then(|(busy, shared)| busy.checked_div(shared))
            } else {
                busy.checked_div(ports)
            };
            most = most.max(held.unwrap_or(0));
        }
        if has_nics && from == network {
            most = rate[network]
                .saturating_mul(bytes[network])
                .checked_div(nics)
                .unwrap_or(0);
        }
        // Of bytes that nothing moves there is no last message.
        if bytes[from] == 0 {
            return 0;
        }
        let time = i128::try_from(most)
            .unwrap_or(i128::MAX)
            .saturating_sub(self.rates.early[from]);
        u64::try_from(time.max(0).unsigned_abs().div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }
}
