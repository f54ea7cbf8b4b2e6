//! Trees of the least height: each rank gets everything from ranks that are nearer to the root.
//!
//! Whatever each rank chooses among the arcs from nearer ranks, the choices of all ranks are a tree. So ranks choose alone: all
//! roots' demands flow to the arcs that enter a rank, each only to arcs from ranks nearer to it. If that flow exists at each rank,
//! trees exist.

use super::cuts::Demand;
use super::flow::{Amount, Flow, narrow};
use super::forest::{Arc, Forest, Tree};
use super::graph::{Link, Near};

/// How much of a root's demand a rank takes over an arc.
struct Taken {
    arc: u32,
    amount: Amount,
}

/// Trees by levels, or `None` where some rank needs more than nearer ranks can send. Arcs lead from rank to rank.
pub(super) fn by_levels(ranks: usize, arcs: &[Arc], demand: &Demand) -> Option<Forest> {
    let links = Arc::links(arcs);
    let (out, into) = (
        Near::new(ranks, &links, false),
        Near::new(ranks, &links, true),
    );
    let roots: Vec<_> = (0..ranks)
        .filter(|root| demand.weights[*root] > 0)
        .collect();
    let hops: Vec<_> = roots.iter().map(|root| out.hops(*root)).collect();
    let mut taken: Vec<Vec<Vec<Taken>>> = Vec::with_capacity(ranks);
    for rank in 0..ranks {
        // Nodes: roots, then arcs, then the ends.
        let near = into.of(rank);
        let (start, goal) = (roots.len() + near.len(), roots.len() + near.len() + 1);
        let mut pipes = Vec::new();
        for (index, root) in roots.iter().enumerate() {
            let needed = if *root == rank {
                0
            } else {
                demand.weights[*root]
            };
            let capacity = |from: usize| {
                let is_nearer = hops[index][from] < hops[index][rank];
                if is_nearer { needed } else { 0 }
            };
            pipes.push(Link::new(start, index, needed));
            let choices = near
                .iter()
                .enumerate()
                .filter(|(_, (_, from))| capacity(*from) > 0);
            pipes.extend(choices.map(|(arc, _)| Link::new(index, roots.len() + arc, needed)));
        }
        pipes.extend(
            near.iter()
                .enumerate()
                .map(|(arc, (index, _))| Link::new(roots.len() + arc, goal, arcs[*index].width)),
        );
        let mut flow = Flow::<Amount>::new(goal + 1, &pipes);
        let mut is_goal = vec![false; goal + 1];
        is_goal[goal] = true;
        let all: Amount = pipes
            .iter()
            .filter(|pipe| pipe.from == start)
            .map(|pipe| pipe.capacity)
            .sum();
        if flow.run(start, &is_goal, all) < all {
            return None;
        }
        let mut of_roots: Vec<Vec<Taken>> = roots.iter().map(|_| Vec::new()).collect();
        for (index, pipe) in pipes
            .iter()
            .enumerate()
            .filter(|(_, pipe)| pipe.from < roots.len())
        {
            let [_, amount] = flow.left(index);
            let (arc, _) = near[pipe.to - roots.len()];
            let arc = narrow(arc);
            of_roots[pipe.from].extend((amount > 0).then_some(Taken { arc, amount }));
        }
        taken.push(of_roots);
    }
    let mut trees = Vec::new();
    for (index, &root) in roots.iter().enumerate() {
        let mut order: Vec<_> = (0..ranks).filter(|rank| *rank != root).collect();
        order.sort_by_key(|rank| hops[index][*rank]);
        let choices: Vec<_> = order.iter().map(|rank| &taken[*rank][index][..]).collect();
        cut_into_trees(root, demand.weights[root], &choices, &mut trees);
    }
    Some(Forest {
        arcs: arcs.to_vec(),
        trees,
    })
}

/// Lays the arcs of each rank side by side along the demand: wherever one ends, another tree begins.
fn cut_into_trees(root: usize, demand: Amount, choices: &[&[Taken]], trees: &mut Vec<Tree>) {
    let mut next: Vec<_> = choices.iter().map(|taken| (0, taken[0].amount)).collect();
    let mut done = 0;
    while done < demand {
        let end = next.iter().map(|(_, end)| *end).min().unwrap_or(demand);
        trees.push(Tree {
            root,
            weight: (end - done).unsigned_abs(),
            routes: choices
                .iter()
                .zip(&next)
                .map(|(taken, (index, _))| taken[*index].arc)
                .collect(),
        });
        for (taken, (index, upto)) in choices.iter().zip(&mut next) {
            if *upto == end && end < demand {
                *index += 1;
                *upto += taken[*index].amount;
            }
        }
        done = end;
    }
}
