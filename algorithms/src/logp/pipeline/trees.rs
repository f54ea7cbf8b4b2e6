//! Pipelined trees: all segments of a message go down one tree.
//!
//! **Source.** The trees are those for a [single message](crate::logp::multicast). Open MPI's tuned collectives have them as `chain`,
//! `pipeline`, `binary`, `binomial` and `knomial` with a segment size. Sanders, Sibeyn, "A bandwidth latency tradeoff for broadcast
//! and reduction", Information Processing Letters 86(1), 2003, compare them; Pjesivac-Grbovic et al., "Performance analysis of MPI
//! collective operations", Cluster Computing 10(2), 2007, give their times under LogGP.
//!
//! **Cost.** By a recurrence over the sizes of parts (module `shape`). With c segments of one size and one port: the time of the tree
//! for one segment, plus (c-1) times `d*g'`, where d is the number of children of the busiest node. So a chain takes
//! `(K-1)*D + (c-1)*g'`, and flat `D + (c(K-1)-1)*g'`.
//!
//! **When it wins.** With one segment the optimal tree wins. Longer messages need nodes with fewer children: the binary tree, then the
//! chain, when `c*g'` exceeds its K hops.

use std::cell::RefCell;

use super::cut::{Cut, Hop, Instance, Lanes};
use super::shape::{self, TreeShape};
use super::{Broadcast, Machine};
use crate::engine::program::Program;
use crate::error::{Error, fit};
use crate::logp::LogP;
use crate::logp::multicast::Multicast;
use crate::logp::multicast::binary::Binary;
use crate::logp::multicast::chain::Chain;
use crate::logp::multicast::fibonacci::{self, Fibonacci};
use crate::logp::multicast::flat::Flat;
use crate::logp::multicast::halving::Halving;
use crate::logp::multicast::halving_floor::HalvingFloor;
use crate::logp::multicast::k_nomial::KNomial;
use crate::logp::multicast::opt_tree::OptTree;
use crate::logp::multicast::optimal::Neighbours;
use crate::logp::multicast::schedule::Schedule;

/// A tree, pipelined. See the module.
#[derive(Debug, Clone, Copy)]
pub struct Pipelined {
    tree: Tree,
}

#[derive(Debug, Clone, Copy)]
enum Tree {
    Chain,
    Flat,
    Binary,
    KNomial(KNomial),
    Bmtree,
    Halving,
    Fibonacci,
    Optimal,
}

impl Pipelined {
    /// Every node passes the segments to the next.
    pub const CHAIN: Self = Self { tree: Tree::Chain };
    /// The source sends every segment to all.
    pub const FLAT: Self = Self { tree: Tree::Flat };
    /// Down the complete binary tree.
    pub const BINARY: Self = Self { tree: Tree::Binary };
    /// Down the binomial tree.
    pub const BINOMIAL: Self = Self { tree: Tree::KNomial(KNomial::BINOMIAL) };
    /// Down the binomial tree in which a node's nearest child comes first and has the largest part.
    pub const BMTREE: Self = Self { tree: Tree::Bmtree };
    /// Down the k-nomial tree of radix 4.
    pub const K_NOMIAL_4: Self = Self { tree: Tree::KNomial(KNomial::RADIX_4) };
    /// Down the halving tree.
    pub const HALVING: Self = Self { tree: Tree::Halving };
    /// Down the Fibonacci tree.
    pub const FIBONACCI: Self = Self { tree: Tree::Fibonacci };
    /// Down the tree that is optimal for one whole segment on one port.
    pub const OPTIMAL: Self = Self { tree: Tree::Optimal };
}

impl Broadcast for Pipelined {
    fn crosses(&self) -> bool {
        false
    }

    fn time(&self, machine: Machine, instance: Instance) -> Result<u64, Error> {
        instance.check()?;
        let Instance { K, k, .. } = instance;
        let cut = instance.cut();
        let model = machine.at(cut.words)?;
        let (whole, last) = (Hop::new(machine, cut.words)?, Hop::new(machine, cut.last)?);
        let by = |shape: &dyn TreeShape| shape::time(shape, K, k, cut, whole, last);
        match self.tree {
            _ if K == 1 => Ok(0),
            Tree::Chain => fit(chain(K, k, cut, whole, last)),
            Tree::Flat => fit(flat(K, k, cut, whole, last)),
            Tree::Binary => by(&Binary),
            Tree::KNomial(tree) => by(&tree),
            // The nodes of odd number are the part of the first child, and so on in every part.
            Tree::Bmtree => by(&HalvingFloor),
            Tree::Halving => by(&Halving),
            Tree::Fibonacci => by(&Fibonacci),
            Tree::Optimal => by(&Optimal(model, RefCell::default())),
        }
    }

    /// The other trees have few kinds of parts on every machine.
    fn steps(&self, machine: Machine, instance: Instance, most: usize) -> usize {
        // `time` refuses other errors before it reads the tree.
        match (self.tree, instance.check().and_then(|()| machine.at(instance.cut().words))) {
            (Tree::Optimal, Ok(model)) => shape::steps(&Optimal(model, RefCell::default()), instance.K, most),
            _ => 0,
        }
    }

    fn program(&self, machine: Machine, instance: Instance) -> Result<Program, Error> {
        let cut = instance.cut();
        let schedule = self.schedule(machine, instance)?;
        Ok(super::program::from_tree(machine, &schedule, cut, instance.k)?)
    }

    fn tree(&self, machine: Machine, instance: Instance) -> Result<Option<Schedule>, Error> {
        self.schedule(machine, instance).map(Some)
    }
}

impl Pipelined {
    fn schedule(self, machine: Machine, instance: Instance) -> Result<Schedule, Error> {
        let model = machine.at(instance.cut().words)?;
        let nodes = super::narrow("K", instance.K)?;
        Ok(match self.tree {
            Tree::Chain => Chain.schedule(model, nodes, 1),
            Tree::Flat => Flat.schedule(model, nodes, 1),
            Tree::Binary => Binary.schedule(model, nodes, 1),
            Tree::KNomial(tree) => tree.schedule(model, nodes, 1),
            Tree::Bmtree => binomial_in_order(nodes),
            Tree::Halving => Halving.schedule(model, nodes, 1),
            Tree::Fibonacci => Fibonacci.schedule(model, nodes, 1),
            Tree::Optimal => OptTree.schedule(model, nodes, 1),
        })
    }
}

/// Node v, from 0, sends to `v + 2^i` for every `2^i` above v, in this order: the binomial tree of Open MPI.
fn binomial_in_order(nodes: u32) -> Schedule {
    let mut sends = Vec::new();
    for node in 0..nodes {
        let steps = (0..u32::BITS).map(|bit| 1 << bit).filter(|step| *step > node);
        let receivers = steps.map_while(|step| node.checked_add(step).filter(|receiver| *receiver < nodes));
        sends.extend(receivers.map(|receiver| (node + 1, receiver + 1)));
    }
    Schedule::from_sends(nodes, 1, &sends)
}

/// Whole segments on the fullest lane, and segments on the lane of the last.
fn on_lanes(cut: Cut, lanes: u64) -> (u128, u128) {
    let whole = if cut.last == cut.words { cut.segments } else { cut.segments - 1 };
    (whole.div_ceil(lanes).into(), ((cut.segments - 1) / lanes + 1).into())
}

/// The solution of [`shape`]'s recurrence for K >= 2 nodes in a chain.
fn chain(K: u64, k: u64, cut: Cut, whole: Hop, last: Hop) -> u128 {
    let (whole_on_lane, with_last) = on_lanes(cut, Lanes::new(k, 1).lanes);
    let hops = |hops: u64, of: u128| u128::from(hops).saturating_mul(of);
    let gaps = |segments: u128| (segments - 1).saturating_mul(whole.gap);
    // There is a whole segment, and its hop is at least as long as that of the last one. So the last one waits longest at the last
    // relay; if it is whole, both times are equal.
    let time = hops(K - 1, whole.D).saturating_add(gaps(whole_on_lane));
    time.max(hops(K - 2, whole.D).saturating_add(gaps(with_last)).saturating_add(last.D))
}

/// The solution of [`shape`]'s recurrence for K >= 2 nodes, one of which sends to all.
fn flat(K: u64, k: u64, cut: Cut, whole: Hop, last: Hop) -> u128 {
    let Lanes { lanes, ports } = Lanes::new(k, K - 1);
    let (whole_on_lane, with_last) = on_lanes(cut, lanes);
    // Children of the busiest port.
    let most = u128::from((K - 1).div_ceil(ports));
    let gaps = |sends: u128| whole.gap.saturating_mul(sends);
    // There is a whole segment; if the last one is whole, both times are equal.
    let time = whole.D.saturating_add(gaps(whole_on_lane.saturating_mul(most) - 1));
    let before = gaps((with_last - 1).saturating_mul(most));
    time.max(before.saturating_add(last.gap.saturating_mul(most - 1)).saturating_add(last.D))
}

impl TreeShape for Binary {
    fn parts(&self, size: u64, give: &mut dyn FnMut(u64, u64) -> bool) -> Result<(), Error> {
        let _ = give((size - 1).div_ceil(2), 1) && size > 2 && give((size - 1) / 2, 1);
        Ok(())
    }
}

impl TreeShape for KNomial {
    fn parts(&self, size: u64, give: &mut dyn FnMut(u64, u64) -> bool) -> Result<(), Error> {
        let (mut part, mut digit) = self.highest_digit(size);
        let sends = (size - 1) / part;
        let mut more = (sends == 1 || give(part, sends - 1)) && give(size - sends * part, 1);
        while more && digit > 0 {
            digit -= 1;
            part /= self.radix();
            more = give(part, self.radix() - 1);
        }
        Ok(())
    }
}

impl TreeShape for HalvingFloor {
    fn parts(&self, mut size: u64, give: &mut dyn FnMut(u64, u64) -> bool) -> Result<(), Error> {
        while size > 1 && give(size / 2, 1) {
            size -= size / 2;
        }
        Ok(())
    }
}

impl TreeShape for Halving {
    /// From an edge, where all relays are.
    fn parts(&self, mut size: u64, give: &mut dyn FnMut(u64, u64) -> bool) -> Result<(), Error> {
        // Of three nodes the source is at an edge, and so it is of the two that are left.
        while size > 1 && give(size.div_ceil(2), 1) {
            size /= 2;
        }
        Ok(())
    }
}

impl TreeShape for Fibonacci {
    fn parts(&self, mut size: u64, give: &mut dyn FnMut(u64, u64) -> bool) -> Result<(), Error> {
        while size > 1 && give(fibonacci::small_part(size), 1) {
            size -= fibonacci::small_part(size);
        }
        Ok(())
    }
}

/// OPT-tree on a machine, with the times known so far.
struct Optimal(LogP, RefCell<Neighbours>);

impl TreeShape for Optimal {
    fn parts(&self, mut size: u64, give: &mut dyn FnMut(u64, u64) -> bool) -> Result<(), Error> {
        let mut neighbours = self.1.borrow_mut();
        while size > 1 {
            let given = neighbours.given_away(self.0, size)?;
            if !give(given, 1) {
                break;
            }
            size -= given;
        }
        Ok(())
    }
}
