//! Bine trees: binomial trees whose ranks are numbered so that subtrees are near.
//!
//! **Source.** De Sensi, Pasqualoni, Piarulli, Bonato, Ba, Turisini, Domke, Hoefler, "Bine trees: Enhancing collective operations
//! by optimizing communication locality", SC 2025 (arXiv 2508.17311): trees of halving distance (`bine_bcast_small`,
//! `bine_reduce_small`, `bine_gather_any`, `bine_scatter_any` in the authors' library).
//!
//! For `K = 2^p`. Let v be how far a rank is behind the root, modulo K, and d its lowest p digits to base -2. The root sends first to
//! the rank whose p digits are all different from its own, then to that whose lowest p-1 digits are, and so on. A rank v receives from
//! the rank whose lowest t digits differ from its own, t the largest number of equal digits at the end of d, and goes on with t-1
//! digits. The Gray code of d, `d xor floor(d/2)`, changes in bit t-1 alone where the lowest t digits change. So the tree is the
//! binomial one of the Gray codes: the parent is the code without its lowest bit. Ranks of a subtree differ in its lowest
//! digits, whose values are a range: a subtree is a range of ranks (modulo K).
//!
//! For other even K, in the steps of [`allgather-bine`](crate::collectives::allgather), from the farthest partners on, each rank that has
//! words sends them to its partner, if that has none: the way of the root's block there. A subtree then need not be a range.
//!
//! **Cost.** For `K = 2^p` that of the binomial tree with as many ranks: it has the same shape, subtree sizes and order of messages. For
//! other K the times of all ranks: of a vector with its first and last segments, as for other trees, O(K); of blocks message by message,
//! for up to 2^22.
//!
//! **When it wins.** Where near ranks are cheaper, on machines with levels and on networks; elsewhere it costs as much as the
//! binomial tree.
//!
//! **Departures.** Odd K are refused; the authors' code has trees for powers of two only. A vector can be cut into segments. A range of blocks that goes over
//! rank 0 is one message; the authors send two.

use crate::collectives::directions::{along, directed};
use crate::collectives::{Algorithm, Closed, Properties, negabinary};
use crate::cost::LARGEST;
use crate::error::Error;
use crate::log2::ceil_log2;
use crate::plan::{Family, Load, Plan, Task, Words, narrow};

/// See the module.
pub struct Tree {
    /// The algorithm with the binomial tree.
    binomial: &'static dyn Algorithm,
    load: Load,
    is_up: bool,
}

impl Tree {
    /// Segments or blocks go up, the smallest subtree first, or down, the largest first, as with this binomial tree.
    pub const fn new(binomial: &'static dyn Algorithm, load: Load, is_up: bool) -> Self {
        Self {
            binomial,
            load,
            is_up,
        }
    }
}

/// The Gray code of a number of K from the root.
fn code(K: u64, number: u64) -> u64 {
    let digits = negabinary::negabinary(number) & (K - 1);
    digits ^ digits >> 1
}

/// The number with these digits.
fn from_digits(K: u64, digits: u64) -> u64 {
    negabinary::from_negabinary(digits) & (K - 1)
}

fn from_code(K: u64, code: u64) -> u64 {
    let shifts = (0..6).map(|power| 1 << power);
    from_digits(
        K,
        shifts.fold(code, |digits, shift: u32| digits ^ digits >> shift),
    )
}

/// The first number of a subtree: the lowest value of the digits that differ within it.
fn first(K: u64, number: u64) -> u64 {
    let free = (code(K, number) | K).trailing_zeros();
    let below = (1 << free) - 1;
    let digits = negabinary::negabinary(number);
    from_digits(K, digits & !below | negabinary::ODD & below)
}

fn family(K: u64, number: u64) -> Family {
    let Family {
        parent,
        size,
        children,
    } = Family::binomial(K, code(K, number));
    let children = children.into_iter();
    Family {
        parent: parent.map(|parent| from_code(K, parent)),
        size,
        children: children
            .map(|(child, size)| (from_code(K, child), size))
            .collect(),
    }
}

/// The families of all numbers for even K, the farthest child first.
fn families(K: u64, edges: &[negabinary::Edge]) -> Vec<Family> {
    let alone = Family {
        size: 1,
        ..Family::default()
    };
    let mut families = vec![alone; narrow(K) as usize];
    for edge in edges.iter().rev() {
        let below = &mut families[narrow(edge.to) as usize];
        below.parent = Some(edge.from);
        let size = below.size;
        let family = &mut families[narrow(edge.from) as usize];
        family.size += size;
        family.children.insert(0, (edge.to, size));
    }
    families
}

impl Algorithm for Tree {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        negabinary::check(task.K)?;
        if task.K.is_power_of_two() {
            return self.binomial.formula(task);
        }
        if self.load != Load::Vector || task.machine.levels().is_some() {
            return Ok(Closed::Between([0, LARGEST]));
        }
        let K = task.K;
        let families = families(K, &negabinary::tree(K, (0..ceil_log2(K)).rev()));
        along(task, self.is_up, &families)
    }

    fn holds_on_duplex(&self, task: &Task) -> bool {
        self.binomial.holds_on_duplex(task)
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        negabinary::check(task.K)?;
        let K = task.K;
        // The farthest child first.
        Ok(Plan::Tree(if K.is_power_of_two() {
            let family = move |number| family(K, number).reversed();
            let tree = directed(self.load, self.is_up, family);
            let root = task.root;
            tree.with_words(move |number, size| Words::Blocks(root + first(K, number), size))
        } else {
            let edges = negabinary::tree(K, (0..ceil_log2(K)).rev());
            let (families, members) = (families(K, &edges), negabinary::members(K, &edges));
            let family = move |number| families[narrow(number) as usize].clone();
            let tree = directed(self.load, self.is_up, family);
            let task = *task;
            tree.with_words(move |number, _| {
                let members = members[narrow(number) as usize].clone().into_iter();
                let ranks = members.map(move |member| u64::from(task.rank(member)));
                Words::several(ranks.map(move |rank| task.words(rank..rank + 1)))
            })
        }))
    }

    fn properties(&self) -> Properties {
        self.binomial.properties()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The partner in the step of a bit, as the authors' library computes it: all digits up to this one change.
    fn partner(K: u64, number: u64, bit: u32) -> u64 {
        from_digits(K, negabinary::negabinary(number) ^ ((2 << bit) - 1))
    }

    #[test]
    fn either_order_of_steps_reaches_all_ranks() {
        for K in (2..1500).step_by(2).chain([65_534, 65_536]) {
            let edges = [
                negabinary::tree(K, 0..ceil_log2(K)),
                negabinary::tree(K, (0..ceil_log2(K)).rev()),
            ];
            assert_eq!(edges.map(|edges| edges.len() as u64), [K - 1; 2], "{K}");
        }
    }

    #[test]
    fn trees_are_those_of_the_authors() {
        for p in 0..8 {
            let K = 1 << p;
            // From the highest bit on all that have the words send to their partners.
            let mut sends = vec![Vec::new(); 1 << p];
            let (mut parents, mut held) = (vec![None; 1 << p], vec![0]);
            for bit in (0..p).rev() {
                for from in held.clone() {
                    let to = partner(K, from, bit);
                    sends[usize::try_from(from).unwrap()].push(to);
                    parents[usize::try_from(to).unwrap()] = Some(from);
                    held.push(to);
                }
            }
            for (number, sends) in (0..K).zip(&sends) {
                let edges = negabinary::tree(K, (0..p).rev());
                let found = family(K, number).reversed();
                let grown = &families(K, &edges)[usize::try_from(number).unwrap()];
                assert_eq!(
                    (found.parent, found.size, &found.children),
                    (grown.parent, grown.size, &grown.children)
                );
                assert_eq!(found.parent, parents[usize::try_from(number).unwrap()]);
                let children = found.children.iter().map(|&(child, _)| child);
                assert_eq!(children.collect::<Vec<_>>(), *sends, "{number} of {K}");
            }
        }
    }
}
