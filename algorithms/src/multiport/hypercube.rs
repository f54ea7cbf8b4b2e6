//! Hypercube: for `n = (k+1)^q`, the fewest possible rounds.
//!
//! **Source.** Not in the papers. For one port it is close to the q rotated binomial trees of Johnsson, Ho, "Optimum
//! broadcasting and personalized communication in hypercubes", IEEE Transactions on Computers 38(9), 1989.
//!
//! **Symbols.** `n = (k+1)^q` nodes, the source included; k ports; m messages; a node is a number of q digits to base
//! k + 1; a *line* in dimension j is the k + 1 nodes that differ in digit j only.
//!
//! **Algorithm.** Round t, from 1, uses the lines of dimension `j = (t-1) mod q`. Batch t of messages is
//! `(t-1)*k + d - 1` for the digits d from 1 to k, with the last message for all beyond it. In round t
//! 1. the root sends message d of batch t to its neighbour with digit d;
//! 2. a node with digit d > 0 in dimension j sends message d of batch t - q to the others of its line;
//! 3. another node looks for its first digit d > 0 in the dimensions cyclically after j, and sends message d of the
//!    batch that left the root when that dimension was last used, to the others of its line.
//!
//! So message d of a batch of dimension j spreads for q rounds among the nodes with digit d there, and from each of
//! these over its line in one more. Nothing is sent to the root, nor before it has left the root, and the last message
//! to a node once in a round only.
//!
//! **Cost.** `q + ceil((m-1)/k)` rounds, which is T* ([`bounds`](super::bounds)): no algorithm is faster.
//!
//! **When it wins.** Wherever it exists. Against k trees it gains most with few ports: the height is a logarithm to base k + 1 instead of k,
//! and the last message does not wait for its batch.

use super::RoundBroadcast;
use super::bounds::power_from;
use super::rounds::{Rounds, Transfer};
use crate::error::{Error, fit, refuse_if};

/// The broadcast on lines of k + 1 nodes. See the module.
pub struct Hypercube;

impl RoundBroadcast for Hypercube {
    /// ```
    /// use castbench_algorithms::internals::multiport::RoundBroadcast;
    /// use castbench_algorithms::internals::multiport::hypercube::Hypercube;
    /// assert_eq!(Hypercube.rounds(81, 2, 9)?, 4 + 4);
    /// assert!(Hypercube.rounds(80, 2, 9).is_err());
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn rounds(&self, n: u64, k: u64, m: u64) -> Result<u64, Error> {
        let q = dimensions(n, k)?;
        if q == 0 {
            return Ok(0);
        }
        fit(u128::from(q) + u128::from((m - 1).div_ceil(k)))
    }

    fn schedule(&self, n: u32, k: u32, m: u32) -> Result<Box<dyn Rounds>, Error> {
        let q = dimensions(n.into(), k.into())?;
        let (n, k, m) = (u64::from(n), u64::from(k), u64::from(m));
        Ok(Box::new(Lines {
            n,
            k,
            m,
            q: q.into(),
            cube: Cube::new(n, k),
            round: 0,
        }))
    }
}

/// q, if n is a power of k + 1.
fn dimensions(n: u64, k: u64) -> Result<u32, Error> {
    let base = u128::from(k) + 1;
    let (q, power) = power_from(base, n.into());
    refuse_if!(power != n.into(), "n" = n =>
        "expected a power of k + 1 = {base}; with other numbers of nodes use hypercube-balanced");
    Ok(q)
}

/// Nodes as numbers of q digits to base k + 1, and the dimension that each round uses.
pub(super) struct Cube {
    k: u64,
    /// `(k+1)^j` for each dimension j.
    units: Vec<u64>,
}

impl Cube {
    /// For a power n of k + 1.
    pub(super) fn new(n: u64, k: u64) -> Self {
        let units = std::iter::successors(Some(1), |unit| Some(unit * (k + 1)))
            .take_while(|&unit| unit < n)
            .collect();
        Self { k, units }
    }

    /// `(k+1)^j` for each dimension j.
    pub(super) fn units(&self) -> &[u64] {
        &self.units
    }

    /// q.
    pub(super) fn dimensions(&self) -> u64 {
        self.units.len() as u64
    }

    /// The unit of the digit that is used `ago` rounds, at most q, before `round`. There is at least one dimension.
    pub(super) fn unit(&self, round: u64, ago: u64) -> u64 {
        self.units[self.dimension(round, ago)]
    }

    fn dimension(&self, round: u64, ago: u64) -> usize {
        let dimension = (round + self.dimensions() - 1 - ago) % self.dimensions();
        usize::try_from(dimension).unwrap_or(0)
    }

    /// The digit of a node that counts this unit.
    pub(super) fn digit(&self, node: u64, unit: u64) -> u64 {
        node / unit % (self.k + 1)
    }

    /// What a node other than the root with digit 0 in the dimension of `round` sends: which message of its batch,
    /// from 1, and how many rounds ago the batch left the root.
    pub(super) fn passed_on(&self, round: u64, node: u64) -> (u64, u64) {
        let (before, after) = self.units.split_at(self.dimension(round, 0));
        let others = after.iter().skip(1).chain(before);
        let digits = others.map(|&unit| self.digit(node, unit));
        (1..self.dimensions())
            .rev()
            .zip(digits)
            .find(|(_, digit)| *digit > 0)
            .map_or((0, 0), |(ago, digit)| (digit, ago))
    }
}

struct Lines {
    n: u64,
    k: u64,
    m: u64,
    q: u64,
    cube: Cube,
    round: u64,
}

impl Lines {
    /// Message `digit` of the batch that left the root `ago` rounds before this one, if there is such a batch.
    fn message(&self, digit: u64, ago: u64) -> Option<u64> {
        let batches_before = (self.round - 1).checked_sub(ago)?;
        Some((batches_before * self.k + digit - 1).min(self.m - 1))
    }

    /// What the node with digit 0 in the dimension of this round sends to the one with `digit` there.
    fn sent_by_zero(&self, sender: u64, digit: u64) -> Option<u64> {
        if sender == 0 {
            return self.message(digit, 0);
        }
        let (digit, ago) = self.cube.passed_on(self.round, sender);
        self.message(digit, ago)
    }

    /// Appends what a node receives in this round.
    fn receive(&self, node: u64, unit: u64, sends: &mut Vec<Transfer>) {
        let own = self.cube.digit(node, unit);
        let line = node - own * unit;
        let mut push = |digit: u64, message: u64| {
            sends.extend(Transfer::new(line + digit * unit, node, message));
        };
        let last = self.m - 1;
        let zero = if own == 0 {
            None
        } else {
            self.sent_by_zero(line, own)
        };
        zero.into_iter().for_each(|message| push(0, message));
        for digit in (1..=self.k).filter(|&digit| digit != own) {
            let Some(message) = self.message(digit, self.q) else {
                break;
            };
            if message < last || zero != Some(last) {
                push(digit, message);
            }
            if message == last {
                // All digits above send it, too.
                break;
            }
        }
    }
}

impl Rounds for Lines {
    fn round(&mut self, sends: &mut Vec<Transfer>) -> bool {
        if self.q == 0 || self.round == self.q + (self.m - 1).div_ceil(self.k) {
            return false;
        }
        self.round += 1;
        let unit = self.cube.unit(self.round, 0);
        (1..self.n).for_each(|node| self.receive(node, unit, sends));
        true
    }
}
