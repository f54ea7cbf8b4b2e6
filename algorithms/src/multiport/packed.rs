//! k trees of the least possible height.
//!
//! **Source.** Not in the papers: the trees of [`k_tree`](super::k_tree), with another distribution of the spare nodes.
//!
//! **Symbols.** n nodes, the source included; k ports; m messages; `n - 2 = q*k + a` with a < k; H the height of a
//! complete k-ary tree of n - 1 nodes.
//!
//! **Algorithm.** Each tree has q nodes of its own with k children each; a + 1 nodes are spare, and a tree needs a more
//! children. It gets all of them from one spare node, which has k to give and so serves `floor(k/a)` trees. Where that is not enough for k
//! trees, `(a+1)*floor(k/a) < k`, they are distributed in a row as in the k-tree algorithm.
//!
//! **Cost.** `ceil(m/k) - 1 + h` rounds, `m(n-1)` sends. `h = 1 + H`, plus one where the complete tree lacks less than
//! k nodes of a full one, `(a+1)*floor(k/a) < k`, and the last batch of messages uses a tree with two spare inner
//! nodes, `(m-1) mod k >= floor(k/a)`.
//!
//! **When it wins.** Against the k-tree algorithm by one round, at the few n that nearly fill a level (k = 3: 4, 13,
//! 40, 121; k = 4: 5, 21, 85). Elsewhere both take the same time.
//!
//! **Why no k trees are lower.** A tree in which the root has one child has height 1 + H at least. Suppose k trees of
//! exactly that height where a > 0 and the full tree has fewer than k more nodes, which is then k - a.
//! 1. A child missing above the last level takes more than k nodes with it. So only leaves are missing, every tree has
//!    q + 1 inner nodes, and each of these has a children at least.
//! 2. Let S be the nodes that are inner in more than one tree, `s_j` the number of them in tree j, and p the sum of the
//!    `s_j`. The n - 1 nodes are inner `k(q+1)` times, so `p - |S| >= k(q+1) - (n-1) = k - a - 1`. With
//!    `|S| = a + 1 + f` that is `p >= k + f`; so e, the sum of `s_j - 1` over the trees with `s_j > 0`, is f at least.
//! 3. In tree j the nodes of S lack k - a children of `s_j*k` at most: they have `(s_j - 1)(k - a)` beyond a each.
//!    A node with X children beyond a in each of its trees has `floor((k-X)/a)` trees at most. With `k = u*a + r` that
//!    is u, less `ceil((X-r)/a)` where X > r. Take trees with `s_j > 1` that are connected by common nodes, and the sum
//!    e' of their `s_j - 1`. They have at most e' + 1 nodes of S, which lose `(e'(k-a) - (e'+1)r) / a` rounded up, so
//!    `e'(u-1)`. All of S lose `e(u-1)` at least.
//! 4. Then `p <= (a+1+f)u - max(f, 0)*(u-1)`, which is less than k + f for `(a+1)u < k`. There are no such trees.

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use crate::multiport::trees::{self, Deal};

    /// The numbers of children that nodes 1 to n - 1 can have in a tree, the root having one, by the height of the
    /// tree. All trees are enumerated: node `first` is the root's child, the others are children of any other node.
    fn all_trees(n: usize) -> BTreeMap<u64, BTreeSet<Vec<u64>>> {
        let nodes = n - 1;
        let mut found: BTreeMap<u64, BTreeSet<Vec<u64>>> = BTreeMap::new();
        for first in 0..nodes {
            for code in 0..nodes.pow(u32::try_from(nodes - 1).unwrap()) {
                let mut digits = code;
                let mut parent = vec![first; nodes];
                for node in (0..nodes).filter(|&node| node != first) {
                    parent[node] = digits % nodes;
                    digits /= nodes;
                }
                let depth = |node: usize| {
                    let climb =
                        std::iter::successors(Some(node), |&at| (at != first).then(|| parent[at]));
                    climb.take(n).count() as u64
                };
                let height = (0..nodes).map(depth).max().unwrap();
                if height == n as u64 {
                    // A ring, or the one tree that needs every level: a path has n - 1.
                    continue;
                }
                let mut children = vec![0; nodes];
                (0..nodes)
                    .filter(|&node| node != first)
                    .for_each(|node| children[parent[node]] += 1);
                found.entry(height).or_default().insert(children);
            }
        }
        found
    }

    /// Whether `left` of the trees, ascending from `least` on, give no node more children than it has `room` for.
    fn fit_together(
        trees: &[&Vec<u64>],
        least: usize,
        room: &[u64],
        left: u64,
        failed: &mut BTreeSet<(usize, Vec<u64>)>,
    ) -> bool {
        if left == 0 {
            return true;
        }
        if failed.contains(&(least, room.to_vec())) {
            return false;
        }
        let fits = (least..trees.len()).any(|next| {
            let rest: Option<Vec<u64>> = room
                .iter()
                .zip(trees[next])
                .map(|(room, children)| room.checked_sub(*children))
                .collect();
            rest.is_some_and(|rest| fit_together(trees, next, &rest, left - 1, failed))
        });
        if !fits {
            failed.insert((least, room.to_vec()));
        }
        fits
    }

    #[test]
    fn no_k_trees_are_lower() {
        for n in 2..=7u64 {
            let trees = all_trees(usize::try_from(n).unwrap());
            for k in 1..=9 {
                let possible = |&height: &u64| {
                    let low: Vec<_> = trees
                        .range(..=height)
                        .flat_map(|(_, trees)| trees)
                        .collect();
                    fit_together(
                        &low,
                        0,
                        &vec![k; usize::try_from(n).unwrap() - 1],
                        k,
                        &mut BTreeSet::new(),
                    )
                };
                let least = (1..n).find(possible).unwrap();
                let reached = trees::height(n, k, k, Deal::whole_if_possible(n, k));
                assert_eq!(reached, least, "n={n} k={k}");
            }
        }
    }

    #[test]
    fn the_spare_nodes_serve_whole_trees_where_they_can() {
        // n - 2 = 3: the four spare nodes serve one tree each, of five; then two each, of eight.
        assert_eq!(Deal::whole_if_possible(5, 5), Deal::InRow);
        assert_eq!(Deal::whole_if_possible(5, 8), Deal::Whole);
        assert_eq!(Deal::whole_if_possible(u64::MAX, u64::MAX), Deal::InRow);
        assert_eq!(Deal::whole_if_possible(u64::MAX, u64::MAX - 1), Deal::Whole);
        assert_eq!(Deal::whole_if_possible(1, 3), Deal::Whole);
    }
}
