//! Times of the worms of one sender, worm after worm, without a clock.

use std::collections::HashMap;

use super::{Timing, Worm};

/// When the last worm of a multicast arrives. Those of one sender stand together, behind the one that brings it the message.
pub(super) fn last_arrival(timing: Timing, ports: u64, worms: &[Worm]) -> u64 {
    let mut arrivals: HashMap<u32, u64> = HashMap::new();
    let mut last = 0;
    for own in worms.chunk_by(|one, next| one.path[0] == next.path[0]) {
        let ready = arrivals.get(&own[0].path[0]).copied().unwrap_or(0);
        let mut sender = Sender::new(timing, ports, ready, own.len());
        for worm in own {
            let arrival = sender.along(&worm.path);
            arrivals.extend(worm.path.last().map(|&end| (end, arrival)));
            last = last.max(arrival);
        }
    }
    last
}

/// When the ports of a sender, and the links of its own worms, are free.
struct Sender {
    timing: Timing,
    ports: Vec<u64>,
    /// By the node that a link enters: the paths form a tree, so one link enters each node.
    free: Vec<u64>,
}

impl Sender {
    /// A sender that has the message at `ready`. It uses at most one port per worm.
    fn new(timing: Timing, ports: u64, ready: u64, worms: usize) -> Self {
        let ports = usize::try_from(ports).map_or(worms, |ports| ports.min(worms));
        Self {
            timing,
            ports: vec![ready; ports.max(1)],
            free: Vec::new(),
        }
    }

    /// Sends the next worm along a path that never meets an earlier one again after it has left it, and no other worm. So it follows them on
    /// every shared link, and the recurrence holds. Returns when its tail arrives.
    fn along(&mut self, path: &[u32]) -> u64 {
        let Timing {
            startup,
            hop,
            flit,
            flits,
        } = self.timing;
        let port = self.next_port();
        let mut at = self.ports[port] + startup;
        // When the worm has moved on by each number of nodes.
        let mut moved = Vec::with_capacity(path.len());
        let last = path[1..].iter().copied().max().unwrap_or(0);
        self.free.resize(self.free.len().max(last as usize + 1), 0);
        for &node in &path[1..] {
            at = at.max(self.free[node as usize]) + hop;
            moved.push(at);
        }
        let hops = moved.len() as u64;
        let passed = |link: u64| match usize::try_from(link + flits - 1)
            .ok()
            .and_then(|steps| moved.get(steps))
        {
            Some(&time) => time,
            None => at + (link + flits - hops) * flit,
        };
        for (number, &node) in (1..).zip(&path[1..]) {
            self.free[node as usize] = passed(number);
        }
        self.ports[port] = passed(1);
        passed(hops)
    }

    /// The port that is free first.
    fn next_port(&self) -> usize {
        (0..self.ports.len())
            .min_by_key(|&port| (self.ports[port], port))
            .unwrap_or(0)
    }
}
