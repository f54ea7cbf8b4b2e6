//! Which nodes of the hypercube wait for which slots.

mod flow;

use super::super::bounds::power_from;
use super::super::hypercube::Cube;
use super::super::trees::Deal;
use flow::{Seat, Slots};

/// Up to this `n*k` a plan is made; beyond, this is the grouped hypercube.
pub const MAX_PLANNED: u64 = 1 << 12;

/// How many ways to cut k into sizes are tried.
const MAX_CUTS: usize = 32;

/// Who holds and who waits.
pub(super) struct Plan {
    pub(super) cube: Cube,
    /// N.
    pub(super) places: u64,
    /// The class of each slot.
    pub(super) class: Vec<u64>,
    /// By how many slots the classes of the batches after b are turned.
    pub(super) turn: u64,
    /// The nodes of the pool that hold each slot, from 0, and to how many nodes they send it.
    pub(super) holders: Vec<Vec<(u64, u64)>>,
    /// For each dimension and each place but the root, the slots that it waits for.
    waits: Vec<Vec<Slots>>,
}

impl Plan {
    /// A plan, if one is needed and found.
    pub(super) fn find(n: u64, k: u64, m: u64) -> Option<Self> {
        if k < 2 || n.checked_sub(2)? < k || n.checked_mul(k)? > MAX_PLANNED {
            return None;
        }
        let base = u128::from(k) + 1;
        let (q, power) = power_from(base, n.into());
        let ending = (m - 1) % k + 1;
        if power == n.into() || ending < 2 || u128::from(ending) * u128::from(n - 1) > power - 1 {
            return None;
        }
        let places = u64::try_from(power / base).ok()?;
        let cube = Cube::new(places, k);
        // The dimension of the last round, b + p.
        let last = (m.div_ceil(k) + u64::from(q - 1) - 1) % u64::from(q - 1);
        let mut sizes = vec![1; index(ending)];
        sizes[0] = k - ending + 1;
        let most = power - 1 - u128::from(ending) * u128::from(places - 1);
        let draft = Draft { cube, places, pool: n - places, k, last, most };
        for _ in 0..MAX_CUTS {
            if let Some((turn, waits)) = draft.with_sizes(&sizes) {
                let (class, holders) = cut(&sizes, draft.pool);
                return Some(Self { cube: draft.cube, places, class, turn, holders, waits });
            }
            if !next_sizes(&mut sizes) {
                break;
            }
        }
        None
    }

    /// Whether a place waits for a slot that goes through the hypercube in this dimension.
    pub(super) fn waits(&self, dimension: u64, place: u64, slot: u64) -> bool {
        self.waits[index(dimension)][index(place - 1)] >> slot & 1 == 1
    }
}

/// The next way to cut the same sum into as many sizes, each at most the one before it; the first is the most uneven.
fn next_sizes(sizes: &mut [u64]) -> bool {
    // The last size that may lose one to those behind it.
    for place in (0..sizes.len().saturating_sub(1)).rev() {
        let (limit, behind) = (sizes[place] - 1, sizes[place + 1..].len() as u64);
        let mut rest = sizes[place + 1..].iter().sum::<u64>() + 1;
        if limit == 0 || rest > behind * limit {
            continue;
        }
        sizes[place] = limit;
        for (index, size) in (0..behind).zip(&mut sizes[place + 1..]) {
            *size = limit.min(rest - (behind - 1 - index));
            rest -= *size;
        }
        return true;
    }
    false
}

/// The class of each slot and who of the pool holds it: within a class of s slots every node has s sends.
fn cut(sizes: &[u64], pool: u64) -> (Vec<u64>, Vec<Vec<(u64, u64)>>) {
    let (mut class, mut holders) = (Vec::new(), Vec::new());
    for (number, &size) in (0..).zip(sizes) {
        let (whole, shared) = ((pool - 1) / size, (pool - 1) % size + 1);
        let deal = Deal::whole_if_possible(shared + 1, size);
        for slot in 0..size {
            let mut own: Vec<(u64, u64)> = (0..whole).map(|turn| (turn * size + slot, size)).collect();
            let (first, sends, rest) = deal.parts(size, shared - 1, slot);
            own.push((whole * size + first, sends));
            if rest > 0 {
                own.push((whole * size + first + 1, rest));
            } else if deal == Deal::InRow && slot == 0 {
                // In a row the first node sends nothing, but is to have a slot as all others.
                own.push((whole * size, 0));
            }
            class.push(number);
            holders.push(own);
        }
    }
    (class, holders)
}

/// What a plan is made for.
struct Draft {
    cube: Cube,
    places: u64,
    pool: u64,
    k: u64,
    /// The dimension of the last round.
    last: u64,
    /// Most slots that the pool may hold if each place is to keep r', the one that it passes on included.
    most: u128,
}

impl Draft {
    /// A turn and who waits, if there is a plan for classes of these sizes.
    fn with_sizes(&self, sizes: &[u64]) -> Option<(u64, Vec<Vec<Slots>>)> {
        let (class, holders) = cut(sizes, self.pool);
        let waiting: Vec<usize> = holders.iter().map(|holders| holders.len() - 1).collect();
        if holders.iter().map(|holders| holders.len() as u128).sum::<u128>() > self.most {
            return None;
        }
        (0..self.k).find_map(|turn| {
            let ending = flow::waiting(&class, &waiting, self.at_the_end(&class, sizes, turn))?;
            let each = |dimension: u64| {
                if dimension == self.last {
                    return Some(ending.clone());
                }
                let seats = ending.iter().zip(1..).map(|(slots, place)| Seat {
                    most: slots.count_ones(),
                    room: sizes.to_vec(),
                    open: self.open(dimension, place),
                });
                flow::waiting(&class, &waiting, seats.collect())
            };
            Some((turn, (0..self.cube.dimensions()).map(each).collect::<Option<_>>()?))
        })
    }

    /// What each place can wait for in the dimension of the last round, and yet have a slot of each class after it.
    fn at_the_end(&self, class: &[u64], sizes: &[u64], turn: u64) -> Vec<Seat> {
        let seat = |place: u64| {
            // If all its other digits are 0, this is the one of this dimension, and the next batch's.
            let (passes, _) = self.cube.passed_on(self.last + 1, place);
            let passed = class[index((passes - 1 + turn) % self.k)];
            let room = (0..).zip(sizes).map(|(number, size)| size - u64::from(number != passed)).collect();
            // One of its slots it passes on itself in some dimension.
            let most = u32::try_from(self.k - 1).unwrap_or(u32::MAX);
            Seat { most, room, open: self.open(self.last, place) }
        };
        (1..self.places).map(seat).collect()
    }

    /// The slots that a place does not pass on itself when they go through the hypercube in a dimension.
    fn open(&self, dimension: u64, place: u64) -> Slots {
        let own = self.cube.digit(place, self.cube.unit(dimension + 1, 0));
        ((1 << self.k) - 1) & !((1 << own) >> 1)
    }
}

/// A number that counts something in memory.
fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_cut_comes_once() {
        let mut sizes = vec![5, 1, 1, 1];
        let mut all = vec![sizes.clone()];
        while next_sizes(&mut sizes) {
            all.push(sizes.clone());
        }
        assert_eq!(all, [[5, 1, 1, 1], [4, 2, 1, 1], [3, 3, 1, 1], [3, 2, 2, 1], [2, 2, 2, 2]]);
    }

    /// Every node of the pool has a slot of each class, and each slot is sent to all of the pool but one.
    #[test]
    fn the_pool_shares_every_class() {
        for pool in 1..=40 {
            for sizes in [vec![1, 1], vec![7], vec![5, 2, 1], vec![13, 8, 3]] {
                let (class, holders) = cut(&sizes, pool);
                let mut sends = vec![0; index(pool)];
                let mut has = vec![0u64; index(pool)];
                for (class, holders) in class.iter().zip(&holders) {
                    assert_eq!(holders.iter().map(|(_, sends)| sends).sum::<u64>(), pool - 1, "{pool} {sizes:?}");
                    for &(holder, copies) in holders {
                        sends[index(holder)] += copies;
                        has[index(holder)] |= 1 << class;
                    }
                }
                assert!(sends.iter().all(|&sends| sends <= sizes.iter().sum()), "{pool} {sizes:?}");
                assert!(has.iter().all(|&has| has + 1 == 1 << sizes.len()), "{pool} {sizes:?}");
            }
        }
    }
}
