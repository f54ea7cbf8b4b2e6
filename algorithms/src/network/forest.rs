//! Trees, and the routes that they are made of.

use super::flow::{Amount, narrow};
use super::graph::Link;

/// A way from a rank to another over links and switches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The rank that sends.
    pub from: usize,
    /// The rank that receives.
    pub to: usize,
    /// Indices of the links, in order.
    pub links: Vec<u32>,
}

/// A tree over all ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// The rank where data starts, or where results end.
    pub root: usize,
    /// Its share of M, over [`Schedule::parts`](super::Schedule::parts).
    pub weight: u128,
    /// Indices of routes, one for each rank but the root. A rank is nearer to the root than the routes that follow its own.
    pub routes: Vec<u32>,
}

/// An arc between nodes while trees are made: a route of some width.
#[derive(Debug, Clone)]
pub(super) struct Arc {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) width: Amount,
    pub(super) links: Vec<u32>,
}

impl Arc {
    /// The route over one link.
    pub(super) fn new(index: usize, link: &Link<Amount>) -> Self {
        Self {
            from: link.from,
            to: link.to,
            width: link.capacity,
            links: vec![narrow(index)],
        }
    }

    /// The arcs as a flow sees them.
    pub(super) fn links(arcs: &[Self]) -> Vec<Link<Amount>> {
        let link = |arc: &Self| Link {
            from: arc.from,
            to: arc.to,
            capacity: arc.width,
        };
        arcs.iter().map(link).collect()
    }
}

/// Trees and the arcs that they are made of.
pub(super) struct Forest {
    pub(super) arcs: Vec<Arc>,
    pub(super) trees: Vec<Tree>,
}
