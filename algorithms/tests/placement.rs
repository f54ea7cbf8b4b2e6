//! Machines with levels: composed algorithms follow one order of nodes, and few algorithms read the machine.

#![expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]

use castbench_algorithms::catalogue::{self, entries};
use castbench_algorithms::internals::execution::{Event, What, Which};
use castbench_algorithms::logp::{Level, Levels, LogGops, Placement, Profile};
use castbench_algorithms::problem::{Setting, Value};

/// The receivers of each rank, in the order of its sends; `None` where the algorithm is not defined.
fn receivers(
    name: &str,
    levels: &'static Levels,
    [K, bytes, root]: [u64; 3],
) -> Option<Vec<Vec<u32>>> {
    let entry = catalogue::find(name).unwrap();
    let value = |key| match key {
        "machine" | "c" | "ports" => Some(0),
        "bytes" => Some(bytes),
        "K" => Some(K),
        "root" => Some(root),
        "m" | "k" | "element" => Some(1),
        "r" => Some(2),
        _ => None,
    };
    let axes = entry.problem().axes;
    let values: Vec<Value> = axes.iter().map(|axis| value(axis.key)).collect();
    let setting = Setting {
        profiles: vec![Profile::Levels(levels)],
    };
    let mut all = vec![Vec::new(); usize::try_from(K).unwrap()];
    let mut record = |event: Event| {
        if event.what == What::Send {
            all[event.node as usize].push((event.transfer, event.peer));
        }
    };
    let instance = entry.at(&setting, &values).ok()?;
    instance.admit().ok()?;
    instance.execute(&Which::default(), &mut record).unwrap();
    let in_order = |mut sends: Vec<(u32, u32)>| {
        sends.sort_unstable();
        sends.into_iter().map(|(_, peer)| peer).collect()
    };
    Some(all.into_iter().map(in_order).collect())
}

/// A machine whose nodes have these ranks, whatever their numbers.
fn placed(nodes: &[(u32, &[usize])]) -> &'static Levels {
    let mut list = vec![0; nodes.iter().map(|(_, ranks)| ranks.len()).sum()];
    for (number, ranks) in nodes {
        ranks.iter().for_each(|&rank| list[rank] = *number);
    }
    let machine = |L| LogGops {
        L,
        o: 10,
        g: 20,
        G: 1_000_000,
        O: 0,
        H: 0,
    };
    let inner = vec![Level {
        ranks: nodes[0].1.len() as u64,
        machine: machine(100),
    }];
    Levels::new(inner, machine(2_000), Placement::List(list), None).unwrap()
}

/// Nodes are in the order of their lowest ranks, not of their numbers: the leaders are 0, 1, 2, 4, 5, so that 0 folds into 1.
#[test]
fn leaders_are_in_the_order_of_their_ranks() {
    let nodes: [(u32, &[usize]); 5] = [
        (4, &[0, 3]),
        (2, &[1, 9]),
        (3, &[2, 6]),
        (0, &[4, 8]),
        (1, &[5, 7]),
    ];
    let name = "allreduce-leaders:flat+recursive-doubling";
    let found = receivers(name, placed(&nodes), [10, 16, 0]).unwrap();
    let expected: [&[u32]; 10] = [
        // Into the second leader; within its node at the end.
        &[1, 3],
        // With the third and the fourth leader, back to the first one, then in its node.
        &[2, 4, 0, 9],
        &[1, 5, 6],
        &[0],
        &[5, 1, 8],
        &[4, 2, 7],
        &[2],
        &[5],
        &[4],
        &[1],
    ];
    assert_eq!(found, expected);
}

/// Lanes begin at the node of the root, and go on in the order of the lowest ranks; ranks of a node ascend. Within nodes messages without
/// words are sent, but a lane without words sends nothing.
#[test]
fn lanes_are_in_the_order_of_their_ranks() {
    let nodes: [(u32, &[usize]); 3] = [(2, &[0, 4, 7]), (0, &[1, 2, 8]), (1, &[3, 5, 6])];
    let name = "broadcast-lanes:linear+flat+ring";
    let of = |bytes| receivers(name, placed(&nodes), [9, bytes, 2]).unwrap();
    // Root 2 is the second of the node that is second: its lane is 4, 2, 5, from it on 2, 5, 4.
    let expected = |third: &[u32]| -> Vec<Vec<u32>> {
        vec![
            vec![4, 4],
            vec![3, 0, 2, 2],
            vec![1, 8, 5, 4, 8, 8],
            vec![5, 5],
            vec![7, 7],
            vec![6, 6],
            vec![3, 3],
            vec![0, 0],
            [third, &[1, 1]].concat(),
        ]
    };
    assert_eq!(of(9), expected(&[6, 7]));
    assert_eq!(of(2), expected(&[]));
}

/// A machine with nodes of 6 ranks, on which ports are free soon, or late.
fn paced([near, far]: [u64; 2]) -> &'static Levels {
    let machine = |g| LogGops {
        L: 1_000,
        o: 0,
        g,
        G: 1_000,
        O: 0,
        H: 0,
    };
    let inner = vec![Level {
        ranks: 6,
        machine: machine(near),
    }];
    Levels::new(inner, machine(far), Placement::Block, None).unwrap()
}

/// No algorithm sends to other ranks on another machine, unless its name says so: `-optimal` and `-composed` read the network, `-wave`
/// all levels. `-chain` of trees reads which ranks are on one node, no times.
#[test]
fn few_algorithms_read_the_machine() {
    let mut readers = Vec::new();
    for entry in entries() {
        let has_machine = entry
            .problem()
            .axes
            .iter()
            .any(|axis| axis.key == "machine");
        if !has_machine {
            continue;
        }
        let of = |gaps| receivers(entry.name, paced(gaps), [12, 48, 0]);
        let reads_levels = entry.name.ends_with("-wave");
        let is_same = of([10, 10]) == of([5_000, 10]);
        assert_eq!(is_same, !reads_levels, "{}", entry.name);
        if of([10, 10]) != of([10, 5_000]) {
            readers.push(entry.name);
        }
    }
    let is_named = |name: &&str| {
        ["-optimal", "-wave"].iter().any(|end| name.ends_with(end)) || name.contains("-composed")
    };
    assert!(readers.iter().all(is_named), "{readers:?}");
    assert!(readers.contains(&"broadcast-optimal"), "{readers:?}");
}

/// Within a composed algorithm, the part in nodes reads the level of nodes, and the part between them the network.
#[test]
fn parts_read_their_own_level() {
    let of = |name, gaps| receivers(name, paced(gaps), [36, 48, 0]).unwrap();
    let inside = |gaps| of("broadcast-leaders:optimal+flat", gaps);
    let between = |gaps| of("broadcast-leaders:flat+optimal", gaps);
    assert_eq!(inside([10, 10]), inside([10, 5_000]));
    assert_ne!(inside([10, 10]), inside([5_000, 10]));
    assert_eq!(between([10, 10]), between([5_000, 10]));
    assert_ne!(between([10, 10]), between([10, 5_000]));
}
