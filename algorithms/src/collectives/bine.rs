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
//! **Cost.** That of the binomial tree with as many ranks: it has the same shape, subtree sizes and order of messages.
//!
//! **When it wins.** Where near ranks are cheaper, on machines with levels and on networks; elsewhere it costs as much as the
//! binomial tree.
//!
//! **Departures.** Other K are refused, as in the authors' code. A vector can be cut into segments. A range of blocks that goes over
//! rank 0 is one message; the authors send two.

use crate::collectives::{Algorithm, Closed, Properties, negabinary};
use crate::error::Error;
use crate::plan::{self, Family, Load, Plan, Task};

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

impl Algorithm for Tree {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        task.power_of_two()?;
        self.binomial.formula(task)
    }

    fn holds_on_duplex(&self, task: &Task) -> bool {
        self.binomial.holds_on_duplex(task)
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        task.power_of_two()?;
        let K = task.K;
        let tree = if self.is_up {
            plan::Tree::up(self.load, move |number| family(K, number))
        } else {
            plan::Tree::down(self.load, move |number| family(K, number).reversed())
        };
        Ok(Plan::Tree(tree.starting(move |number| first(K, number))))
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
                let found = family(K, number).reversed();
                assert_eq!(found.parent, parents[usize::try_from(number).unwrap()]);
                let children = found.children.iter().map(|&(child, _)| child);
                assert_eq!(children.collect::<Vec<_>>(), *sends, "{number} of {K}");
            }
        }
    }
}
