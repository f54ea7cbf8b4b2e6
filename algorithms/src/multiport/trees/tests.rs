use std::collections::BTreeSet;

use super::super::simulator::tests::most_parallel;
use super::*;

const DEALS: [Deal; 2] = [Deal::InRow, Deal::Whole];

/// All n and k that are tested, with the deals that exist there.
fn sizes() -> impl Iterator<Item = (u32, u32, Deal)> {
    let pairs = (1..=300).flat_map(|n| (1..=16).map(move |k| (n, k)));
    let pairs = pairs.chain([(5000, 7), (4096, 64), (65, 64), (66, 64), (70, 64), (100_003, 7), (9, 1000)]);
    pairs
        .flat_map(|(n, k)| DEALS.map(|deal| (n, k, deal)))
        .filter(|&(n, k, deal)| deal == Deal::InRow || Deal::whole_if_possible(n.into(), k.into()) == Deal::Whole)
}

/// The depth of a node by its parents, one by one.
fn climb(trees: &Trees, tree: u32, node: u32) -> u32 {
    let parents = std::iter::successors(trees.parent(tree, node), |&above| trees.parent(tree, above));
    u32::try_from(parents.take(trees.nodes() as usize).count()).unwrap()
}

#[test]
fn the_trees_are_what_the_paper_asks_for() {
    for (n, k, deal) in sizes() {
        let what = format!("n={n} k={k} {deal:?}");
        let trees = all(n, k, deal).unwrap();
        assert_eq!((trees.trees(), trees.nodes()), (k, n), "{what}");
        let mut given = vec![0; n as usize];
        let mut inner_in = vec![0; n as usize];
        for tree in 0..k {
            assert_eq!(trees.parent(tree, 0), None, "{what}");
            assert_eq!(trees.children(tree, 0).len(), usize::from(n > 1), "{what}");
            for node in 0..n {
                let children = trees.children(tree, node);
                assert!(children.iter().all(|&child| trees.parent(tree, child) == Some(node)), "{what}");
                given[node as usize] += children.len();
                inner_in[node as usize] += usize::from(!children.is_empty());
            }
        }
        // Every node but the root is the child of exactly one node, and its parent is that node.
        assert_eq!(given.iter().sum::<usize>(), k as usize * (n as usize - 1), "{what}");
        let full = if n > 1 { k * ((n - 2) / k) } else { 0 };
        for node in 1..n as usize {
            assert!(given[node] <= k as usize, "{what}: node {node} has {} children", given[node]);
            assert!(
                node > full as usize || inner_in[node] == 1,
                "{what}: node {node} is inner {} times",
                inner_in[node]
            );
        }
        if (n - 1) % k == 1 % k && n > 2 {
            assert_eq!(inner_in.iter().filter(|&&times| times == 0).count(), 1, "{what}: one leaf in every tree");
        }
    }
}

#[test]
fn heights_in_closed_form_are_those_of_the_trees() {
    for (n, k, deal) in sizes() {
        let trees = all(n, k, deal).unwrap();
        let mut highest = 0;
        for tree in 0..k {
            let lowest = n - 1;
            // The last in level order is the deepest.
            let deepest = trees.order[trees.index(tree, lowest)];
            highest = highest.max(climb(&trees, tree, deepest));
            let closed = height(n.into(), k.into(), u64::from(tree) + 1, deal);
            assert_eq!(closed, u64::from(highest), "n={n} k={k} {deal:?}, {tree} trees");
        }
        assert_eq!(trees.height(), highest, "n={n} k={k} {deal:?}");
        if n <= 64 {
            for (tree, node) in (0..k).flat_map(|tree| (0..n).map(move |node| (tree, node))) {
                assert_eq!(trees.depth(tree, node), climb(&trees, tree, node), "n={n} k={k} tree {tree} node {node}");
            }
        }
    }
}

#[test]
fn dealing_whole_saves_a_level_at_isolated_sizes() {
    let saved = |k: u64| -> Vec<u64> {
        let lower = |&n: &u64| height(n, k, k, Deal::whole_if_possible(n, k)) < height(n, k, k, Deal::InRow);
        (2..=300).filter(lower).collect()
    };
    assert_eq!(saved(2), [0u64; 0]);
    assert_eq!(saved(3), [4, 13, 40, 121]);
    assert_eq!(saved(4), [5, 21, 85]);
    // Two sizes a level for k = 5: a = 2 and a = 4.
    assert_eq!(saved(5), [4, 6, 29, 31, 154, 156]);
}

#[test]
fn no_two_messages_over_one_link_in_a_round() {
    for (n, k, deal) in sizes().filter(|&(n, k, _)| n * k <= 5000) {
        let trees = all(n, k, deal).unwrap();
        let links = (0..k).flat_map(|tree| (1..n).map(move |node| (tree, node)));
        let distinct: BTreeSet<_> = links.map(|(tree, node)| (trees.parent(tree, node), node)).collect();
        let all_distinct = distinct.len() == (k * (n - 1)) as usize;
        // With n = k + 1 there are as many children of the root as trees, but in a row k - 1 nodes serve all.
        let expected = n >= k + 2 || n == k + 1 && (deal == Deal::Whole || k == 1) || n == 1;
        assert_eq!(all_distinct, expected, "n={n} k={k} {deal:?}");
        // More batches than levels: every link is busy in some round.
        let mut rounds = schedule(n, k, k * (trees.height() + 1), deal).unwrap();
        assert_eq!(most_parallel(rounds.as_mut()) <= 1, expected, "n={n} k={k} {deal:?}");
    }
}

#[test]
fn fewer_messages_than_ports_use_the_same_trees() {
    for (n, k) in [(40, 7), (6, 9), (23, 5)] {
        let (some, all) = (labels::build(n, k, 3, Deal::InRow), all(n, k, Deal::InRow).unwrap());
        for (tree, node) in (0..3).flat_map(|tree| (0..n).map(move |node| (tree, node))) {
            assert_eq!(some.children(tree, node), all.children(tree, node), "n={n} k={k}");
        }
    }
}

#[test]
fn extreme_parameters_have_an_answer() {
    const MOST: u64 = u64::MAX;
    assert_eq!(height(MOST, 1, 1, Deal::InRow), MOST - 1);
    assert_eq!(height(MOST, MOST, MOST, Deal::InRow), 3);
    assert_eq!(height(MOST, MOST, MOST, Deal::whole_if_possible(MOST, MOST)), 3);
    assert_eq!(height(MOST, MOST - 1, MOST - 1, Deal::whole_if_possible(MOST, MOST - 1)), 2);
    assert_eq!(rounds(MOST, 2, MOST, Deal::InRow), Ok((1 << 63) - 1 + 64));
    assert_eq!(rounds(2, 1, MOST, Deal::InRow), Ok(MOST));
    assert_eq!(rounds(3, 1, MOST, Deal::InRow), Err(Error::Overflow));
    assert_eq!(rounds(1, MOST, MOST, Deal::InRow), Ok(0));
    assert!(all(0, 3, Deal::InRow).is_none() && all(3, 0, Deal::InRow).is_none());
    assert!(all(u32::MAX, u32::MAX, Deal::InRow).is_none());
    assert!(schedule(u32::MAX, u32::MAX, u32::MAX, Deal::InRow).is_err());
}
