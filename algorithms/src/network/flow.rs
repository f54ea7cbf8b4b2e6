//! Largest flows and smallest cuts, in integers.
//!
//! Dinic, "Algorithm for solution of a problem of maximum flow in networks with power estimation", 1970: phases of shortest
//! augmenting paths. A flow leads from one node to the nearest of many goals, so a search that starts at a node whose goals are
//! near stays near. A flow can be undone, or kept for the next one.

use num_traits::PrimInt;

use super::graph::Link;

/// Capacities and flows: capacities of 62 bits times counts of nodes.
pub(super) type Amount = i128;

/// More than any flow.
pub(super) const ENDLESS: Amount = Amount::MAX / 4;

/// A directed graph with capacities, what is left of them, and buffers. Where amounts fit in 64 bits it takes half the memory.
pub(super) struct Flow<A = Amount> {
    /// Where the arcs of each node start.
    starts: Vec<u32>,
    /// Arcs in order of their nodes; each one has a twin that leads back.
    arcs: Vec<Arc<A>>,
    /// For each arc that was given, in order: its index in `arcs`.
    given: Vec<u32>,
    /// What the flow since the last [`Flow::keep`] took from each arc, in order, and whether that opened its twin.
    taken: Vec<(u32, A, bool)>,
    /// 0: not seen; otherwise 1 + arcs from the start of the flow.
    levels: Vec<u32>,
    /// Nodes that were seen by the last search, in order.
    seen: Vec<u32>,
    /// The next arc to follow from each node that was seen, among its arcs.
    next: Vec<u32>,
    /// For each node the arcs that are not full; empty if all arcs are looked at.
    open: Vec<Vec<u32>>,
}

#[derive(Clone, Copy)]
struct Arc<A> {
    to: u32,
    twin: u32,
    left: A,
}

/// Graphs have fewer than 2^32 nodes, arcs and routes, which networks bound.
pub(super) fn narrow(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// An amount in the width of a flow; [`ENDLESS`] is a quarter of its range.
fn fit<A: PrimInt>(amount: Amount) -> A {
    A::from(amount).unwrap_or(A::max_value() >> 2)
}

/// An amount of a flow.
fn wide<A: PrimInt>(amount: A) -> Amount {
    amount.to_i128().unwrap_or(ENDLESS)
}

impl<A: PrimInt> Flow<A> {
    pub(super) fn new(nodes: usize, pipes: &[Link<Amount>]) -> Self {
        let mut starts = vec![0_u32; nodes + 1];
        for pipe in pipes {
            starts[pipe.from + 1] += 1;
            starts[pipe.to + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let empty = Arc {
            to: 0,
            twin: 0,
            left: A::zero(),
        };
        let mut arcs = vec![empty; 2 * pipes.len()];
        let mut take = |node: usize| {
            next[node] += 1;
            next[node] - 1
        };
        let mut given = Vec::with_capacity(pipes.len());
        for pipe in pipes {
            let (there, back) = (take(pipe.from), take(pipe.to));
            arcs[there as usize] = Arc {
                to: narrow(pipe.to),
                twin: back,
                left: fit(pipe.capacity),
            };
            arcs[back as usize] = Arc {
                to: narrow(pipe.from),
                twin: there,
                left: A::zero(),
            };
            given.push(there);
        }
        Self {
            starts,
            arcs,
            given,
            taken: Vec::new(),
            levels: vec![0; nodes],
            seen: Vec::new(),
            next: vec![0; nodes],
            open: Vec::new(),
        }
    }

    /// Keeps lists of arcs that are not full, for nodes with many arcs of which few are open. Each flow has to be undone.
    pub(super) fn with_lists(mut self) -> Self {
        let open = |arc: &u32| self.arcs[*arc as usize].left > A::zero();
        let of = |node: usize| {
            (self.starts[node]..self.starts[node + 1])
                .filter(open)
                .collect()
        };
        self.open = (0..self.levels.len()).map(of).collect();
        self
    }

    /// The arc with this number among those of a node.
    fn arc(&self, node: usize, number: u32) -> Option<u32> {
        match self.open.get(node) {
            None => Some(self.starts[node] + number).filter(|arc| *arc < self.starts[node + 1]),
            Some(open) => open.get(number as usize).copied(),
        }
    }

    /// Lists an arc, or takes it out.
    fn list(&mut self, arc: u32) {
        let Arc { twin, left, .. } = self.arcs[arc as usize];
        let node = self.arcs[twin as usize].to as usize;
        let Some(open) = self.open.get_mut(node) else {
            return;
        };
        match (open.iter().position(|own| *own == arc), left > A::zero()) {
            (None, true) => open.push(arc),
            (Some(at), false) => drop(open.remove(at)),
            _ => {}
        }
    }

    /// Moves flow over an arc.
    fn push(&mut self, arc: u32, amount: A) {
        let Arc { to, twin, .. } = self.arcs[arc as usize];
        let there = &mut self.arcs[arc as usize].left;
        *there = *there - amount;
        let back = &mut self.arcs[twin as usize].left;
        let opens = back.is_zero();
        *back = *back + amount;
        if let Some(open) = self.open.get_mut(to as usize).filter(|_| opens) {
            open.push(twin);
        }
        self.taken.push((arc, amount, opens));
    }

    /// Sets what an arc has left, and forgets the flow over it.
    pub(super) fn set(&mut self, pipe: usize, capacity: Amount) {
        let there = self.given[pipe] as usize;
        let back = self.arcs[there].twin as usize;
        self.arcs[there].left = fit(capacity);
        self.arcs[back].left = A::zero();
        self.list(self.given[pipe]);
        self.list(self.arcs[there].twin);
    }

    /// Lets so much through an arc, and so much back.
    pub(super) fn set_both(&mut self, pipe: usize, there: Amount, back: Amount) {
        self.set(pipe, there);
        let twin = self.arcs[self.given[pipe] as usize].twin;
        self.arcs[twin as usize].left = fit(back);
    }

    /// What an arc lets through, and what back.
    pub(super) fn left(&self, pipe: usize) -> [Amount; 2] {
        let Arc { left, twin, .. } = self.arcs[self.given[pipe] as usize];
        [left, self.arcs[twin as usize].left].map(wide)
    }

    /// Keeps the flow: later ones start from it.
    pub(super) fn keep(&mut self) {
        self.taken.clear();
    }

    /// Takes the flow back to the last [`Flow::keep`].
    pub(super) fn undo(&mut self) {
        while let Some((arc, amount, opened)) = self.taken.pop() {
            let Arc { to, twin, .. } = self.arcs[arc as usize];
            let there = &mut self.arcs[arc as usize].left;
            *there = *there + amount;
            let back = &mut self.arcs[twin as usize].left;
            *back = *back - amount;
            if let Some(open) = self.open.get_mut(to as usize).filter(|_| opened) {
                open.pop();
            }
        }
    }

    /// The largest flow from a node to the goals, but at most `limit`. The start is no goal.
    pub(super) fn run(&mut self, start: usize, is_goal: &[bool], limit: Amount) -> Amount {
        let (mut flow, limit) = (A::zero(), fit(limit));
        while flow < limit && self.search(start, is_goal) {
            flow = flow + self.augment(start, is_goal, limit - flow);
        }
        wide(flow)
    }

    /// The nodes that the start still reached when [`Flow::run`] found no more: the smallest cut with the fewest nodes.
    pub(super) fn reached(&self) -> impl Iterator<Item = usize> + '_ {
        self.seen.iter().map(|node| *node as usize)
    }

    /// Sets the levels of all nodes that are nearer than the nearest goal; whether there is one.
    fn search(&mut self, start: usize, is_goal: &[bool]) -> bool {
        for node in self.seen.drain(..) {
            self.levels[node as usize] = 0;
        }
        self.seen.push(narrow(start));
        self.levels[start] = 1;
        let (mut index, mut last) = (0, u32::MAX);
        while let Some(&node) = self.seen.get(index) {
            index += 1;
            let level = self.levels[node as usize] + 1;
            self.next[node as usize] = 0;
            if level > last {
                continue;
            }
            for number in 0.. {
                let Some(arc) = self.arc(node as usize, number) else {
                    break;
                };
                let Arc { to, left, .. } = self.arcs[arc as usize];
                if left > A::zero() && self.levels[to as usize] == 0 {
                    self.levels[to as usize] = level;
                    self.seen.push(to);
                    if is_goal[to as usize] {
                        last = level;
                    }
                }
            }
        }
        last < u32::MAX
    }

    /// Fills shortest paths until each has a full arc.
    fn augment(&mut self, start: usize, is_goal: &[bool], limit: A) -> A {
        let (mut path, mut flow, mut node): (Vec<u32>, _, _) = (Vec::new(), A::zero(), start);
        while flow < limit {
            if is_goal[node] {
                let width = path.iter().map(|arc| self.arcs[*arc as usize].left);
                let amount = width.fold(limit - flow, A::min);
                let mut first_full = path.len();
                for (index, &arc) in path.iter().enumerate().rev() {
                    self.push(arc, amount);
                    if self.arcs[arc as usize].left.is_zero() {
                        first_full = index;
                    }
                }
                flow = flow + amount;
                path.truncate(first_full);
                node = self.end(&path, start);
                continue;
            }
            let Some(arc) = self.arc(node, self.next[node]) else {
                // No goal is ahead of this node.
                if path.pop().is_none() {
                    break;
                }
                node = self.end(&path, start);
                self.next[node] += 1;
                continue;
            };
            let Arc { to, left, .. } = self.arcs[arc as usize];
            if left > A::zero() && self.levels[to as usize] == self.levels[node] + 1 {
                path.push(arc);
                node = to as usize;
            } else {
                self.next[node] += 1;
            }
        }
        flow
    }

    /// Where a path from a start ends.
    fn end(&self, path: &[u32], start: usize) -> usize {
        path.last()
            .map_or(start, |arc| self.arcs[*arc as usize].to as usize)
    }
}
