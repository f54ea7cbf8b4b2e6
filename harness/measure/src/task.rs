//! One multicast, and from its schedule, as the simulator executes it, to what each rank does.

use std::collections::BTreeSet;

use algorithms::logp::multicast::schedule::Schedule;

use super::wire::Part;

/// A multicast that is measured some times.
#[derive(Debug, Clone)]
pub struct Multicast {
    /// What it is called in messages.
    pub label: String,
    /// How it is carried out.
    pub way: Way,
    /// Length of the message.
    pub bytes: u64,
    /// How long a receiver holds the message before it counts as received, ns.
    pub hold_ns: u64,
    /// The host of each rank, one for every node.
    pub placement: Vec<u32>,
}

/// How a multicast is carried out.
#[derive(Debug, Clone)]
pub enum Way {
    /// Message by message.
    Tree(Schedule),
    /// By a function of the MPI library.
    Library {
        /// Which one.
        function: Library,
        /// The rank that the message starts from.
        source: u32,
    },
}

/// A broadcast that the MPI library brings with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    /// The one that waits, in whatever way the library does.
    Bcast,
    /// The one that is begun, and asked after until it is done.
    Ibcast,
}

impl Library {
    /// All.
    pub const ALL: [Self; 2] = [Self::Bcast, Self::Ibcast];

    /// The name of the standard.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bcast => "MPI_Bcast",
            Self::Ibcast => "MPI_Ibcast",
        }
    }
}

impl Multicast {
    /// How many ranks take part.
    #[must_use]
    pub fn ranks(&self) -> u32 {
        u32::try_from(self.placement.len()).unwrap_or(u32::MAX)
    }

    /// How many hosts they are placed on.
    #[must_use]
    pub fn hosts(&self) -> u32 {
        let hosts: BTreeSet<u32> = self.placement.iter().copied().collect();
        u32::try_from(hosts.len()).unwrap_or(u32::MAX)
    }

    /// The rank that the message starts from. Rank r is node r + 1 of a schedule.
    #[must_use]
    pub fn source(&self) -> u32 {
        match &self.way {
            Way::Tree(schedule) => schedule.source() - 1,
            Way::Library { source, .. } => *source,
        }
    }

    /// The part of each rank, the `number`-th multicast of a run, its bytes made from the seed.
    ///
    /// # Errors
    /// Which node is no part of a tree that starts at the source, or that there is no tree, in words.
    pub fn parts(&self, number: u64, seed: u64) -> Result<Vec<Part>, String> {
        let Way::Tree(schedule) = &self.way else { return Err("only MPI can do this".to_owned()) };
        let nodes = schedule.nodes();
        if nodes != self.ranks() {
            return Err(format!("{nodes} nodes for {} ranks", self.ranks()));
        }
        let mut senders: Vec<Option<u32>> = vec![None; nodes as usize];
        for sender in 1..=nodes {
            for &receiver in schedule.targets(sender) {
                let place = (receiver as usize).checked_sub(1).and_then(|index| senders.get_mut(index));
                match place {
                    Some(place @ None) => *place = Some(sender - 1),
                    _ => return Err(format!("node {sender} sends to {receiver}, which is no node or has a sender")),
                }
            }
        }
        for (rank, sender) in (0..).zip(&senders) {
            if sender.is_some() == (rank == self.source()) {
                return Err(format!("node {} is the source and receives, or is not and does not", rank + 1));
            }
        }
        let part = |(rank, sender): (u32, Option<u32>)| Part {
            number,
            bytes: self.bytes,
            sender,
            receivers: schedule.targets(rank + 1).iter().map(|receiver| receiver - 1).collect(),
            hold_ns: self.hold_ns,
            seed,
        };
        Ok((0..).zip(senders).map(part).collect())
    }
}

#[cfg(test)]
mod tests {
    use algorithms::logp::LogP;
    use algorithms::logp::multicast::Multicast as Tree;
    use algorithms::logp::multicast::{
        binary::Binary, chain::Chain, fibonacci::Fibonacci, flat::Flat, halving::Halving, halving_floor::HalvingFloor,
        k_nomial::KNomial, opt_tree::OptTree, optimal::Optimal,
    };

    use super::*;

    fn parts(schedule: Schedule) -> Result<Vec<Part>, String> {
        let placement = vec![0; schedule.nodes() as usize];
        Multicast { label: String::new(), way: Way::Tree(schedule), bytes: 8, hold_ns: 0, placement }.parts(1, 1)
    }

    /// Every rank but the source has one sender, which sends to it, and follows from the source.
    #[test]
    fn the_parts_of_every_tree_fit_together() {
        let model = LogP::new(6, 2, 4).unwrap();
        let trees: [&dyn Tree; 11] = [
            &Binary,
            &Chain,
            &Fibonacci,
            &Flat,
            &Halving,
            &HalvingFloor,
            &KNomial::BINOMIAL,
            &KNomial::RADIX_4,
            &KNomial::RADIX_8,
            &OptTree,
            &Optimal,
        ];
        for (index, tree) in trees.into_iter().enumerate() {
            for (K, source) in [(1, 1), (2, 2), (8, 1), (18, 1), (18, 7)] {
                let parts = parts(tree.schedule(model, K, source)).unwrap();
                assert_eq!(parts.len(), K as usize);
                for (rank, part) in (0..).zip(&parts) {
                    let Some(sender) = part.sender else { continue };
                    assert!(parts[sender as usize].receivers.contains(&rank), "tree {index}, K = {K}");
                }
                let mut reached = vec![source - 1];
                let mut next = 0;
                while let Some(&rank) = reached.get(next) {
                    reached.extend(&parts[rank as usize].receivers);
                    next += 1;
                }
                assert_eq!(reached.len(), K as usize, "tree {index}, K = {K}");
            }
        }
    }

    #[test]
    fn other_graphs_than_trees_are_refused() {
        for (nodes, sends) in
            [(3, vec![(1, 2)]), (3, vec![(1, 2), (1, 2)]), (2, vec![(1, 3)]), (2, vec![(1, 2), (2, 1)])]
        {
            assert!(parts(Schedule::new(nodes, 1, &sends)).is_err(), "{sends:?}");
        }
    }
}
