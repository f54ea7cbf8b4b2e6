//! What a rank holds of a word: whose contributions, and whether they were combined in the order of the ranks.

use std::collections::HashMap;
use std::rc::Rc;

/// Contributions of ranks to one word. Ranks that follow one another, also from the last to the first, take no memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Contributions {
    /// Nothing.
    Absent,
    /// `len` ranks from `first` on.
    Arc {
        /// The first one.
        first: u32,
        /// How many.
        len: u32,
        /// Whether they were combined in the order of the ranks.
        in_order: bool,
    },
    /// Other ranks: the index of the set in [`ContributionSets`].
    Set(u32),
}

/// Why two parts cannot be combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clash {
    /// One of them is absent.
    Absent,
    /// Both have the contribution of this rank, and may not.
    Twice(u32),
    /// The sets of contributions would take more than [`MAX_BYTES`].
    TooLarge,
}

/// Most bytes of all sets of contributions.
const MAX_BYTES: usize = 1 << 28;

/// The parts of K ranks.
#[derive(Debug)]
pub struct ContributionSets {
    K: u32,
    /// Whether a contribution may be combined twice.
    is_idempotent: bool,
    /// A bit for each rank.
    sets: Vec<Rc<[u64]>>,
    /// Where each set stands.
    known: HashMap<Rc<[u64]>, u32>,
}

impl ContributionSets {
    /// No sets yet.
    #[must_use]
    pub fn new(K: u32, is_idempotent: bool) -> Self {
        Self {
            K,
            is_idempotent,
            sets: Vec::new(),
            known: HashMap::new(),
        }
    }

    /// The contribution of one rank.
    pub fn one(rank: u32) -> Contributions {
        Contributions::Arc {
            first: rank,
            len: 1,
            in_order: true,
        }
    }

    /// How far a rank is behind another one, around the ring of ranks.
    fn behind(&self, rank: u32, other: u32) -> u32 {
        if rank >= other {
            rank - other
        } else {
            self.K - (other - rank)
        }
    }

    /// Whether a part has the contribution of a rank.
    pub fn has(&self, part: Contributions, rank: u32) -> bool {
        match part {
            Contributions::Absent => false,
            Contributions::Arc { first, len, .. } => self.behind(rank, first) < len,
            Contributions::Set(set) => {
                self.sets[set as usize][rank as usize / 64] >> (rank % 64) & 1 == 1
            }
        }
    }

    /// The first rank of a part.
    #[must_use]
    pub fn first(&self, part: Contributions) -> Option<u32> {
        match part {
            Contributions::Arc { first, .. } => Some(first),
            _ => (0..self.K).find(|&rank| self.has(part, rank)),
        }
    }

    /// Whether a part was combined in the order of the ranks.
    #[must_use]
    pub fn is_in_order(part: Contributions) -> bool {
        matches!(part, Contributions::Arc { in_order: true, .. })
    }

    /// The first rank, from 0 on, that only one of a part and of `len` ranks from `first` on has.
    pub fn difference(&self, part: Contributions, (first, len): (u32, u32)) -> Option<u32> {
        if let Contributions::Arc {
            first: own,
            len: own_len,
            ..
        } = part
            && own_len == len
            && (own == first || len == self.K)
        {
            return None;
        }
        (0..self.K).find(|&rank| self.has(part, rank) != (self.behind(rank, first) < len))
    }

    /// What the operator makes of two parts in this order.
    ///
    /// # Errors
    /// Why they cannot be combined.
    pub fn combine(
        &mut self,
        left: Contributions,
        right: Contributions,
    ) -> Result<Contributions, Clash> {
        if left == Contributions::Absent || right == Contributions::Absent {
            return Err(Clash::Absent);
        }
        let (
            Contributions::Arc {
                first: a,
                len: a_len,
                in_order: a_order,
            },
            Contributions::Arc {
                first: b,
                len: b_len,
                in_order: b_order,
            },
        ) = (left, right)
        else {
            return self.unite(left, right);
        };
        let (b_behind, a_behind) = (self.behind(b, a), self.behind(a, b));
        match (b_behind < a_len, a_behind < b_len) {
            (false, false) => {}
            (true, _) if self.is_idempotent => return Ok(self.arc(a, a_len.max(b_behind + b_len))),
            (_, true) if self.is_idempotent => return Ok(self.arc(b, b_len.max(a_behind + a_len))),
            (true, _) => return Err(Clash::Twice(b)),
            (_, true) => return Err(Clash::Twice(a)),
        }
        let len = a_len + b_len;
        if b_behind == a_len {
            let in_order = a_order && b_order && a < b;
            return Ok(Contributions::Arc {
                first: a,
                len,
                in_order,
            });
        }
        if a_behind == b_len {
            return Ok(Contributions::Arc {
                first: b,
                len,
                in_order: false,
            });
        }
        self.unite(left, right)
    }

    /// The ranks of two arcs that overlap: `len` ranks from the first one on, in an order that is not that of the ranks.
    fn arc(&self, first: u32, len: u32) -> Contributions {
        Contributions::Arc {
            first,
            len: len.min(self.K),
            in_order: false,
        }
    }

    /// A bit for each rank of a part.
    fn bits(&self, part: Contributions) -> Vec<u64> {
        let mut bits = vec![0; (self.K as usize).div_ceil(64)];
        match part {
            Contributions::Absent => {}
            Contributions::Arc { first, len, .. } => {
                for rank in (first..first + len)
                    .map(|rank| if rank < self.K { rank } else { rank - self.K })
                {
                    bits[rank as usize / 64] |= 1 << (rank % 64);
                }
            }
            Contributions::Set(set) => bits.copy_from_slice(&self.sets[set as usize]),
        }
        bits
    }

    /// The ranks of both parts, as a set.
    fn unite(&mut self, left: Contributions, right: Contributions) -> Result<Contributions, Clash> {
        let (mut set, right) = (self.bits(left), self.bits(right));
        for (index, (own, other)) in (0..).zip(set.iter_mut().zip(right)) {
            if *own & other != 0 && !self.is_idempotent {
                return Err(Clash::Twice(index * 64 + (*own & other).trailing_zeros()));
            }
            *own |= other;
        }
        // All ranks take no memory, and are not looked at one by one.
        if set.iter().map(|bits| bits.count_ones()).sum::<u32>() == self.K {
            return Ok(self.arc(0, self.K));
        }
        if self.sets.len() * size_of_val(&*set) > MAX_BYTES {
            return Err(Clash::TooLarge);
        }
        let set: Rc<[u64]> = set.into();
        let index = self.known.entry(Rc::clone(&set)).or_insert_with(|| {
            self.sets.push(set);
            u32::try_from(self.sets.len() - 1).unwrap_or(u32::MAX)
        });
        Ok(Contributions::Set(*index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn combined(parts: &mut ContributionSets, ranks: &[u32]) -> Result<Contributions, Clash> {
        let mut ranks = ranks.iter().map(|&rank| ContributionSets::one(rank));
        let first = ranks.next().unwrap();
        ranks.try_fold(first, |left, right| parts.combine(left, right))
    }

    /// Every sequence of up to five of five ranks, against sets and a comparison of neighbours.
    #[test]
    fn parts_are_the_ranks_that_were_combined() {
        let mut sequences: Vec<Vec<u32>> = vec![vec![]];
        for _ in 0..5 {
            let longer = sequences
                .iter()
                .flat_map(|ranks| (0..5).map(move |rank| [&ranks[..], &[rank]].concat()));
            sequences = sequences.iter().cloned().chain(longer).collect();
            sequences.sort();
            sequences.dedup();
        }
        for ranks in sequences.iter().filter(|ranks| !ranks.is_empty()) {
            let mut parts = ContributionSets::new(5, true);
            let part = combined(&mut parts, ranks).unwrap();
            assert!(
                (0..5).all(|rank| parts.has(part, rank) == ranks.contains(&rank)),
                "{ranks:?}"
            );
            let mut parts = ContributionSets::new(5, false);
            let part = combined(&mut parts, ranks);
            let twice = (0..ranks.len()).find(|&index| ranks[..index].contains(&ranks[index]));
            if let Some(index) = twice {
                assert_eq!(part, Err(Clash::Twice(ranks[index])), "{ranks:?}");
                continue;
            }
            let part = part.unwrap();
            assert!(
                (0..5).all(|rank| parts.has(part, rank) == ranks.contains(&rank)),
                "{ranks:?}"
            );
            let in_order = ranks.windows(2).all(|pair| pair[0] + 1 == pair[1]);
            assert_eq!(ContributionSets::is_in_order(part), in_order, "{ranks:?}");
        }
    }

    #[test]
    fn the_first_difference_is_named() {
        let mut parts = ContributionSets::new(5, false);
        let part = combined(&mut parts, &[4, 0, 1]).unwrap();
        assert_eq!(parts.difference(part, (4, 3)), None);
        assert_eq!(parts.difference(part, (0, 5)), Some(2));
        assert_eq!(parts.difference(part, (0, 2)), Some(4));
        assert_eq!(parts.difference(Contributions::Absent, (3, 1)), Some(3));
        let set = combined(&mut parts, &[0, 2]).unwrap();
        assert_eq!(
            (set, parts.difference(set, (0, 1))),
            (Contributions::Set(0), Some(2))
        );
        // All ranks are the same arc wherever it begins.
        let all = combined(&mut parts, &[3, 4, 0, 1, 2]).unwrap();
        assert_eq!(parts.difference(all, (0, 5)), None);
    }
}
