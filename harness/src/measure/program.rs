//! From the schedule of a multicast, as the simulator executes it, to what each rank does.

use algorithms::logp::multicast::schedule::Schedule;

use super::wire::Part;

/// One multicast, before it is dealt out.
#[derive(Debug, Clone, Copy)]
pub struct Multicast<'a> {
    /// Counted over the run.
    pub number: u64,
    /// Who sends to whom, in which order.
    pub schedule: &'a Schedule,
    /// Length of the message.
    pub bytes: u64,
    /// How long a receiver holds the message before it counts as received, ns.
    pub hold_ns: u64,
    /// What the bytes are made from.
    pub seed: u64,
}

impl Multicast<'_> {
    /// The rank that the message starts from. Rank r is node r + 1 of the schedule.
    #[must_use]
    pub fn source(&self) -> u32 {
        self.schedule.source() - 1
    }

    /// The part of each rank.
    ///
    /// # Errors
    /// Which node is no part of a tree that starts at the source, in words.
    pub fn parts(&self) -> Result<Vec<Part>, String> {
        let nodes = self.schedule.nodes();
        let mut senders: Vec<Option<u32>> = vec![None; nodes as usize];
        for sender in 1..=nodes {
            for &receiver in self.schedule.targets(sender) {
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
            number: self.number,
            bytes: self.bytes,
            sender,
            receivers: self.schedule.targets(rank + 1).iter().map(|receiver| receiver - 1).collect(),
            hold_ns: self.hold_ns,
            seed: self.seed,
        };
        Ok((0..).zip(senders).map(part).collect())
    }
}

#[cfg(test)]
mod tests {
    use algorithms::catalogue::{ALGORITHMS, Algorithm};
    use algorithms::logp::LogP;

    use super::*;

    fn parts(schedule: &Schedule) -> Result<Vec<Part>, String> {
        Multicast { number: 1, schedule, bytes: 8, hold_ns: 0, seed: 1 }.parts()
    }

    /// Every rank but the source has one sender, which sends to it, and follows from the source.
    #[test]
    fn the_parts_of_every_tree_fit_together() {
        let model = LogP::new(6, 2, 4).unwrap();
        for entry in ALGORITHMS {
            let Algorithm::LogpMulticast(algorithm) = entry.algorithm else { continue };
            for (K, source) in [(1, 1), (2, 2), (8, 1), (18, 1), (18, 7)] {
                let parts = parts(&algorithm.schedule(model, K, source)).unwrap();
                assert_eq!(parts.len(), K as usize);
                for (rank, part) in (0..).zip(&parts) {
                    let Some(sender) = part.sender else { continue };
                    assert!(parts[sender as usize].receivers.contains(&rank), "{} K={K}", entry.name);
                }
                let mut reached = vec![source - 1];
                let mut next = 0;
                while let Some(&rank) = reached.get(next) {
                    reached.extend(&parts[rank as usize].receivers);
                    next += 1;
                }
                assert_eq!(reached.len(), K as usize, "{} K={K}", entry.name);
            }
        }
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        for (nodes, sends) in
            [(3, vec![(1, 2)]), (3, vec![(1, 2), (1, 2)]), (2, vec![(1, 3)]), (2, vec![(1, 2), (2, 1)])]
        {
            assert!(parts(&Schedule::new(nodes, 1, &sends)).is_err(), "{sends:?}");
        }
    }
}
