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

impl<C> Link<C> {
    pub(super) fn new(from: usize, to: usize, capacity: C) -> Self {
        Self { from, to, capacity }
    }
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
        self.hops_over([from], |_| true)
    }

    /// The least number of links from some nodes to each on ways that pass only certain nodes.
    pub(super) fn hops_over(
        &self,
        starts: impl IntoIterator<Item = usize>,
        passes: impl Fn(usize) -> bool,
    ) -> Vec<Option<u32>> {
        let mut hops = vec![None; self.starts.len() - 1];
        for (node, before) in self.search(starts, |_, node, is_start| is_start || passes(node)) {
            hops[node] = before.map_or(Some(0), |(_, last)| hops[last].map(|hops: u32| hops + 1));
        }
        hops
    }

    /// The nodes that some nodes reach, breadth first, each with the link to it and the node before it; those that they start from
    /// have none. Whether a search goes on over a link depends on its index, its node, and whether that is a start.
    pub(super) fn search(
        &self,
        starts: impl IntoIterator<Item = usize>,
        goes_on: impl Fn(usize, usize, bool) -> bool,
    ) -> Vec<(usize, Option<(usize, usize)>)> {
        let mut found: Vec<_> = starts.into_iter().map(|start| (start, None)).collect();
        let mut is_known = vec![false; self.starts.len() - 1];
        found.iter().for_each(|(start, _)| is_known[*start] = true);
        let mut next = 0;
        while let Some(&(node, before)) = found.get(next) {
            for &(link, other) in self.of(node) {
                if !is_known[other] && goes_on(link, node, before.is_none()) {
                    is_known[other] = true;
                    found.push((other, Some((link, node))));
                }
            }
            next += 1;
        }
        found
    }
}
