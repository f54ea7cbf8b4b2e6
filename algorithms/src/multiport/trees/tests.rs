use std::collections::BTreeSet;

use super::super::simulator::tests::most_parallel;
use super::*;

const DEALS: [Deal; 2] = [Deal::InRow, Deal::Whole];

/// All n and k that are tested, with the deals that exist there.
fn sizes() -> impl Iterator<Item = (u32, u32, Deal)> {
    let pairs = (1..=300).flat_map(|n| (1..=16).map(move |k| (n, k)));
    let pairs = pairs.chain([
        (5000, 7),
        (4096, 64),
        (65, 64),
        (66, 64),
        (70, 64),
        (100_003, 7),
        (9, 1000),
    ]);
    pairs
        .flat_map(|(n, k)| DEALS.map(|deal| (n, k, deal)))
        .filter(|&(n, k, deal)| {
            deal == Deal::InRow || Deal::whole_if_possible(n.into(), k.into()) == Deal::Whole
        })
}

/// Parent and child of every edge of a tree, in the order of the sends.
fn edges(trees: &Trees, tree: u32) -> Vec<(u32, u32)> {
    let mut sends = Vec::new();
    (1..trees.levels).for_each(|depth| trees.send_level(tree, depth, 0, &mut sends));
    sends.iter().map(|send| (send.from, send.to)).collect()
}

/// The depth of each node by its parents, which come before it.
fn depths(trees: &Trees, tree: u32) -> Vec<u32> {
    let mut depths = vec![0; trees.nodes as usize];
    for (from, to) in edges(trees, tree) {
        depths[to as usize] = depths[from as usize] + 1;
    }
    depths
}

#[test]
fn the_trees_are_what_the_paper_asks_for() {
    for (n, k, deal) in sizes() {
        let what = format!("n={n} k={k} {deal:?}");
        let trees = all(n, k, deal);
        let mut given = vec![0; n as usize];
        let mut inner_in = vec![0; n as usize];
        for tree in 0..k {
            let edges = edges(&trees, tree);
            assert_eq!(
                edges.iter().filter(|edge| edge.0 == 0).count(),
                usize::from(n > 1),
                "{what}"
            );
            edges.iter().for_each(|edge| given[edge.0 as usize] += 1);
            let inner: BTreeSet<u32> = edges.iter().map(|edge| edge.0).collect();
            inner
                .into_iter()
                .for_each(|node| inner_in[node as usize] += 1);
            // Every node but the root is the child of exactly one node.
            let mut children: Vec<u32> = edges.iter().map(|edge| edge.1).collect();
            children.sort_unstable();
            assert!(children.into_iter().eq(1..n), "{what}");
        }
        let full = if n > 1 { k * ((n - 2) / k) } else { 0 };
        for node in 1..n as usize {
            assert!(
                given[node] <= k,
                "{what}: node {node} has {} children",
                given[node]
            );
            assert!(
                node > full as usize || inner_in[node] == 1,
                "{what}: node {node} is inner {} times",
                inner_in[node]
            );
        }
        if (n - 1) % k == 1 % k && n > 2 {
            assert_eq!(
                inner_in.iter().filter(|&&times| times == 0).count(),
                1,
                "{what}: one leaf in every tree"
            );
        }
    }
}

#[test]
fn heights_in_closed_form_are_those_of_the_trees() {
    for (n, k, deal) in sizes() {
        let trees = all(n, k, deal);
        let mut highest = 0;
        for tree in 0..k {
            let depths = depths(&trees, tree);
            // The last in level order is the deepest.
            let deepest = depths[trees.order[trees.index(tree, n - 1)] as usize];
            assert_eq!(depths.into_iter().max(), Some(deepest));
            highest = highest.max(deepest);
            let closed = height(n.into(), k.into(), u64::from(tree) + 1, deal);
            assert_eq!(
                closed,
                u64::from(highest),
                "n={n} k={k} {deal:?}, {tree} trees"
            );
        }
        assert_eq!(trees.height(), highest, "n={n} k={k} {deal:?}");
    }
}

#[test]
fn dealing_whole_saves_a_level_at_isolated_sizes() {
    let saved = |k: u64| -> Vec<u64> {
        let lower = |&n: &u64| {
            height(n, k, k, Deal::whole_if_possible(n, k)) < height(n, k, k, Deal::InRow)
        };
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
        let trees = all(n, k, deal);
        let distinct: BTreeSet<_> = (0..k).flat_map(|tree| edges(&trees, tree)).collect();
        let all_distinct = distinct.len() == (k * (n - 1)) as usize;
        // With n = k + 1 there are as many children of the root as trees, but in a row k - 1 nodes serve all.
        let expected = n >= k + 2 || n == k + 1 && (deal == Deal::Whole || k == 1) || n == 1;
        assert_eq!(all_distinct, expected, "n={n} k={k} {deal:?}");
        // More batches than levels: every link is busy in some round.
        let mut rounds = schedule(n, k, k * (trees.height() + 1), deal);
        assert_eq!(
            most_parallel(rounds.as_mut()) <= 1,
            expected,
            "n={n} k={k} {deal:?}"
        );
    }
}

#[test]
fn fewer_messages_than_ports_use_the_same_trees() {
    for (n, k) in [(40, 7), (6, 9), (23, 5)] {
        let (some, all) = (labels::build(n, k, 3, Deal::InRow), all(n, k, Deal::InRow));
        assert!(
            (0..3).all(|tree| edges(&some, tree) == edges(&all, tree)),
            "n={n} k={k}"
        );
    }
}

#[test]
fn extreme_parameters_have_an_answer() {
    const MOST: u64 = u64::MAX;
    assert_eq!(height(MOST, 1, 1, Deal::InRow), MOST - 1);
    assert_eq!(height(MOST, MOST, MOST, Deal::InRow), 3);
    assert_eq!(
        height(MOST, MOST, MOST, Deal::whole_if_possible(MOST, MOST)),
        3
    );
    assert_eq!(
        height(
            MOST,
            MOST - 1,
            MOST - 1,
            Deal::whole_if_possible(MOST, MOST - 1)
        ),
        2
    );
    assert_eq!(rounds(MOST, 2, MOST, Deal::InRow), Ok((1 << 63) - 1 + 64));
    assert_eq!(rounds(2, 1, MOST, Deal::InRow), Ok(MOST));
    assert_eq!(rounds(3, 1, MOST, Deal::InRow), Err(Error::Overflow));
    assert_eq!(rounds(1, MOST, MOST, Deal::InRow), Ok(0));
}
