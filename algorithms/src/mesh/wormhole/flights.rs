//! Times of the worms of one sender, worm after worm, without a clock.

use super::Timing;

/// When the ports of a sender are free, and from when on the links that its own worms took.
pub(super) struct Sender {
    timing: Timing,
    ports: Vec<u64>,
    /// By the node that a link enters: its paths are a tree, so no other link of theirs enters that node.
    free: Vec<u64>,
}

impl Sender {
    /// A sender that has the message at `ready`. Of more ports than worms the rest is never used.
    pub(super) fn new(timing: Timing, ports: u64, ready: u64, worms: usize) -> Self {
        let ports = usize::try_from(ports).map_or(worms, |ports| ports.min(worms));
        Self { timing, ports: vec![ready; ports.max(1)], free: Vec::new() }
    }

    /// Sends the next worm along a path that leaves all earlier ones for good where it leaves them, and meets no other:
    /// then it is behind them on every link they share, and the recurrence holds. Returns when its tail is there.
    pub(super) fn along(&mut self, path: &[u32]) -> u64 {
        let Timing { startup, hop, flit, flits } = self.timing;
        let port = self.next_port();
        let mut at = self.ports[port] + startup;
        // When the worm has moved up by so many nodes.
        let mut moved = Vec::with_capacity(path.len());
        let last = path[1..].iter().copied().max().unwrap_or(0);
        self.free.resize(self.free.len().max(last as usize + 1), 0);
        for &node in &path[1..] {
            at = at.max(self.free[node as usize]) + hop;
            moved.push(at);
        }
        let hops = moved.len() as u64;
        let passed = |link: u64| match usize::try_from(link + flits - 1).ok().and_then(|steps| moved.get(steps)) {
            Some(&time) => time,
            None => at + (link + flits - hops) * flit,
        };
        for (number, &node) in (1..).zip(&path[1..]) {
            self.free[node as usize] = passed(number);
        }
        self.ports[port] = passed(1);
        passed(hops)
    }

    /// Sends the next worm over so many hops where no other worm ever is. Returns when its tail is there.
    pub(super) fn apart(&mut self, hops: u64) -> u64 {
        let Timing { startup, hop, flit, flits } = self.timing;
        let port = self.next_port();
        let begun = self.ports[port] + startup;
        // The tail has left once the header, and then the flits, have moved up by one more than there are flits.
        let by_header = hops.min(flits + 1);
        self.ports[port] = begun + by_header * hop + (flits + 1 - by_header) * flit;
        begun + hops * hop + flits * flit
    }

    /// The port that is free first.
    fn next_port(&self) -> usize {
        (0..self.ports.len()).min_by_key(|&port| (self.ports[port], port)).unwrap_or(0)
    }
}
