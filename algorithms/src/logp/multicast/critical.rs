//! The critical path of an executed multicast: the sends that decide when it ends.
//!
//! A node holds the message some hops after the source began, and some gaps: before its n-th send a node waits n - 1 gaps. So the
//! sends on the way from the source to a node that holds the message last add up to the cost, and a multicast ends earlier
//! only if all such ways become shorter.

use super::schedule::Schedule;
use super::simulator::{Trace, Violation};
use crate::logp::LogP;

/// A way from the source to a node that holds the message last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CriticalPath {
    /// The nodes on it, from the source on. It ends at the lowest position of those that hold the message last.
    pub nodes: Vec<u32>,
    /// `orders[i]`: which send of `nodes[i]` leads to `nodes[i + 1]`, from 1.
    pub orders: Vec<u32>,
    /// How many gaps are waited on it.
    pub gaps: u64,
    /// How many nodes hold the message last, each at the end of a critical path.
    pub last: usize,
}

impl CriticalPath {
    /// The critical path of an execution. Of several it is the one to the lowest position.
    ///
    /// Cost: linear in nodes and messages.
    ///
    /// # Errors
    /// [`Violation::Finish`] where its hops and gaps do not add up to when the execution ended: a bug in one of the two.
    ///
    /// ```
    /// # use algorithms::logp::LogP;
    /// # use algorithms::logp::multicast::{critical::CriticalPath, schedule::Schedule, simulator::simulate};
    /// let (model, tree) = (LogP::new(6, 2, 4)?, Schedule::new(4, 1, &[(1, 3), (1, 2), (3, 4)]));
    /// let path = CriticalPath::of(model, &tree, &simulate(model, &tree)?)?;
    /// assert_eq!((path.nodes, path.gaps), (vec![1, 3, 4], 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(model: LogP, schedule: &Schedule, trace: &Trace) -> Result<Self, Violation> {
        let mut senders = vec![(0, 0); schedule.nodes() as usize];
        for node in 1..=schedule.nodes() {
            for (order, &target) in (1..).zip(schedule.targets(node)) {
                senders[target as usize - 1] = (node, order);
            }
        }
        let mut last = (1..=schedule.nodes()).filter(|&node| trace.held[node as usize - 1] == trace.finish);
        let mut nodes: Vec<u32> = last.next().into_iter().collect();
        let count = nodes.len() + last.count();
        let mut orders = Vec::new();
        while let Some(&node) = nodes.last() {
            let (sender, order) = senders[node as usize - 1];
            if order == 0 {
                break;
            }
            nodes.push(sender);
            orders.push(order);
        }
        nodes.reverse();
        orders.reverse();
        let gaps = orders.iter().map(|&order| u64::from(order - 1)).sum();
        let path = Self { nodes, orders, gaps, last: count };
        path.add_up(model, trace.finish)?;
        Ok(path)
    }

    /// How many hops it has, each of one L and two o.
    #[must_use]
    pub fn hops(&self) -> u64 {
        self.orders.len() as u64
    }

    fn add_up(&self, model: LogP, finish: u64) -> Result<(), Violation> {
        let (D, gap) = model.wide();
        // Both counts are below 2^32.
        let sum = u128::from(self.hops()) * D + u128::from(self.gaps) * gap;
        if sum == u128::from(finish) {
            return Ok(());
        }
        Err(Violation::Finish { executed: finish, audited: u64::try_from(sum).map_err(|_| Violation::TimeOverflow)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logp::multicast::simulator::simulate;

    #[test]
    fn of_several_the_one_to_the_lowest_position() {
        let model = LogP::new(6, 2, 4).unwrap();
        // 5 holds the message at 24, after two hops and a gap; 4 at 20, 3 at 14.
        let path = critical(model, &[(1, 2), (2, 4), (2, 5), (1, 3)]);
        assert_eq!((path.nodes.as_slice(), path.orders.as_slice()), ([1, 2, 5].as_slice(), [1, 2].as_slice()));
        assert_eq!((path.hops(), path.gaps, path.last), (2, 1, 1));
        // 5 and 4 hold it at 24, one behind the first receiver and one behind the second.
        let path = critical(model, &[(1, 2), (2, 3), (2, 5), (1, 6), (6, 4)]);
        assert_eq!((path.nodes.as_slice(), path.orders.as_slice()), ([1, 6, 4].as_slice(), [2, 1].as_slice()));
        assert_eq!((path.hops(), path.gaps, path.last), (2, 1, 2));
    }

    fn critical(model: LogP, sends: &[(u32, u32)]) -> CriticalPath {
        let schedule = Schedule::new(u32::try_from(sends.len()).unwrap() + 1, 1, sends);
        CriticalPath::of(model, &schedule, &simulate(model, &schedule).unwrap()).unwrap()
    }

    #[test]
    fn a_path_that_does_not_add_up_is_refused() {
        let model = LogP::new(6, 2, 4).unwrap();
        let schedule = Schedule::new(2, 1, &[(1, 2)]);
        let mut trace = simulate(model, &schedule).unwrap();
        trace.finish = 11;
        trace.held[1] = 11;
        let refused = CriticalPath::of(model, &schedule, &trace);
        assert_eq!(refused, Err(Violation::Finish { executed: 11, audited: 10 }));
    }

    #[test]
    fn a_node_alone_is_its_own_path() {
        let model = LogP::new(6, 2, 4).unwrap();
        let schedule = Schedule::new(1, 1, &[]);
        let path = CriticalPath::of(model, &schedule, &simulate(model, &schedule).unwrap()).unwrap();
        assert_eq!((path.nodes.as_slice(), path.hops(), path.gaps, path.last), ([1].as_slice(), 0, 0, 1));
    }
}
