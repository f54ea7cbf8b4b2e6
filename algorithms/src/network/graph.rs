//! Links, neighbours and hops.

/// A directed link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link<C = u64> {
    /// The node that sends.
    pub from: usize,
    /// The node that receives.
    pub to: usize,
    /// What it carries in a unit of time. An integer is a multiple of one over [`Network::denominator`](super::Network::denominator).
    pub capacity: C,
}

/// The links of each node.
pub(super) struct Near {
    /// Where the links of each node start in `links`.
    starts: Vec<usize>,
    /// Index of a link, and its other end.
    links: Vec<(usize, usize)>,
}

impl Near {
    /// The links that leave each node, or with `is_reversed` those that enter it.
    pub(super) fn new<C>(nodes: usize, links: &[Link<C>], is_reversed: bool) -> Self {
        let ends = |link: &Link<C>| match is_reversed {
            false => (link.from, link.to),
            true => (link.to, link.from),
        };
        let mut starts = vec![0; nodes + 1];
        for link in links {
            starts[ends(link).0 + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let (mut next, mut near) = (starts.clone(), vec![(0, 0); links.len()]);
        for (index, link) in links.iter().enumerate() {
            let (here, there) = ends(link);
            near[next[here]] = (index, there);
            next[here] += 1;
        }
        Self {
            starts,
            links: near,
        }
    }

    /// The links of a node: index and other end.
    pub(super) fn of(&self, node: usize) -> &[(usize, usize)] {
        &self.links[self.starts[node]..self.starts[node + 1]]
    }

    /// The least number of links from a node to each.
    pub(super) fn hops(&self, from: usize) -> Vec<Option<u32>> {
        self.hops_over(from, |_| true)
    }

    /// The least number of links from a node to each on ways that pass only certain nodes.
    pub(super) fn hops_over(
        &self,
        from: usize,
        passes: impl Fn(usize) -> bool,
    ) -> Vec<Option<u32>> {
        let mut hops = vec![None; self.starts.len() - 1];
        hops[from] = Some(0);
        let mut queue = std::collections::VecDeque::from([(from, 0)]);
        while let Some((node, far)) = queue.pop_front() {
            for &(_, other) in self.of(node) {
                if hops[other].is_none() {
                    hops[other] = Some(far + 1);
                    if passes(other) {
                        queue.push_back((other, far + 1));
                    }
                }
            }
        }
        hops
    }
}
