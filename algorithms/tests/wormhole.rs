//! The wormhole schemes of the catalogue: closed forms, theorems on large meshes, refusals. `search/worms.rs` and
//! `mutations/worms.rs` compare the simulation with formulas and with one of single flits.

#![expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]

use castbench_algorithms::cost::{Limits, Simulated};
use castbench_algorithms::internals::mesh::labelling::Mesh;
use castbench_algorithms::internals::mesh::wormhole::problem::SCHEMES;
use castbench_algorithms::internals::mesh::wormhole::simulator::Simulator;
use castbench_algorithms::internals::mesh::wormhole::{
    MAX_DRAWN, Scheme, Timing, Worm, WormholePoint,
};
use castbench_algorithms::internals::mesh::{Sampling, draw};
use castbench_algorithms::internals::problem::{At, Case};
use castbench_algorithms::internals::violation::Rule;

/// Every scheme of the catalogue, by name.
fn schemes() -> impl Iterator<Item = (&'static str, &'static dyn Scheme)> {
    SCHEMES
        .entries
        .iter()
        .map(|entry| (entry.name, entry.algorithm))
}

fn timing(t_s: u64, t_h: u64, t_f: u64, flits: u64) -> Timing {
    Timing::new(t_s, t_h, t_f, flits).unwrap()
}

/// Without a startup, with long and short messages, with a header as fast as a flit.
fn timings() -> [Timing; 6] {
    [
        timing(0, 1, 1, 1),
        timing(0, 5, 1, 3),
        timing(100, 2, 1, 64),
        timing(3, 7, 7, 2),
        timing(1, 3, 2, 20),
        timing(40, 9, 2, 1),
    ]
}

/// Simulates one multicast: its time, and how long headers waited for links.
fn simulate(
    mesh: Mesh,
    timing: Timing,
    ports: u64,
    source: u32,
    to: &[u32],
    worms: &[Worm],
) -> (u64, u64) {
    let mut simulator = Simulator::new(mesh, timing, ports);
    simulator.add(source, to, worms).unwrap();
    let time = simulator.run().unwrap();
    (time, simulator.flights().map(|flight| flight.waited).sum())
}

#[test]
fn no_u_mesh_worm_waits_on_large_meshes() {
    let u_mesh = SCHEMES.find("worm-u-mesh").unwrap();
    for (w, h) in [(8, 8), (16, 5), (3, 40)] {
        let mesh = Mesh::new(w, h).unwrap();
        for seed in 0..300 {
            let K = 1 + u32::try_from(seed).unwrap() % (mesh.nodes() - 1);
            let (source, to) = draw(mesh, K, seed);
            let worms = u_mesh.worms(mesh, source, &to);
            assert_eq!(worms.len(), to.len());
            for timing in timings() {
                assert_eq!(
                    simulate(mesh, timing, 1, source, &to, &worms).1,
                    0,
                    "{mesh} seed {seed} {timing:?}"
                );
            }
        }
    }
}

/// The theorem holds for one port. With five ports a first worm of its sender waits, which no worm of the same sender
/// can block.
#[test]
fn with_several_ports_u_mesh_worms_of_different_senders_meet() {
    let u_mesh = SCHEMES.find("worm-u-mesh").unwrap();
    let mesh = Mesh::new(8, 8).unwrap();
    let meets = |seed: u64| {
        let (source, to) = draw(mesh, 24, seed);
        let worms = u_mesh.worms(mesh, source, &to);
        let mut simulator = Simulator::new(mesh, timing(0, 3, 1, 16), 5);
        simulator.add(source, &to, &worms).unwrap();
        simulator.run().unwrap();
        let is_first = |number: usize| {
            worms[..number]
                .iter()
                .all(|worm| worm.path[0] != worms[number].path[0])
        };
        simulator
            .flights()
            .enumerate()
            .any(|(number, flight)| flight.waited > 0 && is_first(number))
    };
    assert!((0..1000).any(meets));
}

/// To one destination, alone, nothing is faster than one worm: bound, formula and simulation are one number.
#[test]
fn a_single_worm_meets_the_bound() {
    let point = WormholePoint {
        mesh: Mesh::new(5, 4).unwrap(),
        K: 1,
        ports: 1,
        multicasts: 1,
        timing: timing(100, 3, 2, 32),
        sampling: Sampling {
            trials: 50,
            seed: 3,
        },
    };
    for entry in SCHEMES.entries {
        let evaluation = At {
            algorithm: entry.algorithm,
            point,
        }
        .costs(&Limits::default())
        .unwrap();
        let Simulated::ExactMean(simulated) = evaluation.simulated else {
            panic!("{} is simulated", entry.name)
        };
        assert_eq!(
            evaluation.analytic,
            Some(simulated.clone()),
            "{}",
            entry.name
        );
        assert_eq!(
            evaluation.lower_bound == simulated,
            entry.name != "worm-fixed-path",
            "{}",
            entry.name
        );
    }
    assert_eq!(timing(100, 3, 2, 32).undisturbed(7), 100 + 7 * 3 + 32 * 2);
}

/// Beyond the limit of drawn nodes, the message states how many multicasts or draws are allowed.
#[test]
fn too_many_draws_are_refused() {
    let check = |K, multicasts, trials| {
        let mesh = Mesh::new(8, 8).unwrap();
        let sampling = Sampling { trials, seed: 1 };
        WormholePoint {
            mesh,
            K,
            ports: 1,
            multicasts,
            timing: timing(1, 1, 1, 1),
            sampling,
        }
        .check()
    };
    assert_eq!(check(3, 5, MAX_DRAWN / 20), Ok(3));
    let refused = |K, multicasts, trials| check(K, multicasts, trials).unwrap_err().to_string();
    assert_eq!(
        refused(3, 5, MAX_DRAWN / 20 + 1),
        "m = 5: expected at most 4 multicasts at once"
    );
    assert_eq!(check(3, 4, MAX_DRAWN / 20 + 1), Ok(3));
    assert_eq!(
        refused(3, 1, MAX_DRAWN / 4 + 1),
        "trials = 25000001: expected at most 25000000 draws of K + 1 nodes"
    );
    assert_eq!(
        refused(3, u64::MAX, u64::MAX),
        format!(
            "trials = {}: expected at most 25000000 draws of K + 1 nodes",
            u64::MAX
        )
    );
}

/// Times against simple closed forms.
#[test]
fn closed_forms() {
    let mesh = Mesh::new(8, 8).unwrap();
    let timing = timing(100, 3, 1, 32);
    let time = |name: &str, ports, to: &[u32]| {
        let scheme = SCHEMES.find(name).unwrap();
        let worms = scheme.worms(mesh, 20, to);
        scheme.time(timing, ports, &worms).unwrap()
    };
    // One destination: every scheme sends one worm.
    for (name, _) in schemes().filter(|(name, _)| *name != "worm-fixed-path") {
        let hops = u64::from(mesh.distance(20, 50));
        assert_eq!(time(name, 1, &[50]), 100 + 3 * hops + 32, "{name}");
    }
    // All of them: dual-path takes 43 hops up; with one port then the 20 down, when the tail of 32 flits has left after
    // 33 hops.
    let all: Vec<u32> = (0..64).filter(|&label| label != 20).collect();
    assert_eq!(time("worm-dual-path", 2, &all), 100 + 3 * 43 + 32);
    assert_eq!(
        time("worm-dual-path", 1, &all),
        (100 + 3 * 33) + 100 + 3 * 20 + 32
    );
    // U-mesh: six steps of a startup and a message each, and the hops between.
    let steps = time("worm-u-mesh", 1, &all);
    assert!(
        (6 * (100 + 32 + 3)..=6 * (100 + 32 + 3 * 14)).contains(&steps),
        "{steps}"
    );
}

#[test]
fn broken_worms_are_refused() {
    let mesh = Mesh::new(3, 3).unwrap();
    let refused = |source: u32, to: &[u32], worms: &[(&[u32], &[u32])]| {
        let worms: Vec<Worm> = worms
            .iter()
            .map(|(path, receivers)| Worm {
                path: path.to_vec(),
                receivers: receivers.to_vec(),
            })
            .collect();
        let mut simulator = Simulator::new(mesh, timing(1, 1, 1, 1), 1);
        simulator
            .add(source, to, &worms)
            .and_then(|()| simulator.run())
            .unwrap_err()
    };
    let no_link = |from, to| {
        let text = format_args!("worm 0 has no path: no link leads from node {from} to node {to}");
        Rule::NoLink.broken(text)
    };
    assert_eq!(refused(0, &[2], &[(&[0, 2], &[2])]), no_link(0, 2));
    assert_eq!(refused(0, &[2], &[(&[0], &[])]), no_link(0, 0));
    assert_eq!(refused(0, &[9], &[(&[8, 9], &[9])]), no_link(8, 9));
    let receivers = Rule::Receivers.broken(
        "worm 0 does not pass its receivers in their order up to its end, each for the first time",
    );
    assert_eq!(refused(0, &[1], &[(&[0, 1, 2], &[1])]), receivers);
    assert_eq!(refused(0, &[1, 2], &[(&[0, 1, 2], &[2, 1])]), receivers);
    // Node 1 is passed before node 2, and could have copied the message then.
    assert_eq!(refused(0, &[1, 2], &[(&[0, 1, 2, 1], &[2, 1])]), receivers);
    let missed = |node: u32| {
        let text = format_args!(
            "the receivers are not the destinations: node {node} is only one of the two"
        );
        Rule::Missing.broken(text)
    };
    assert_eq!(refused(0, &[2], &[(&[0, 1, 2], &[1, 2])]), missed(1));
    assert_eq!(refused(0, &[2, 3], &[(&[0, 1, 2], &[2])]), missed(3));
    let twice: &[(&[u32], &[u32])] = &[(&[0, 1], &[1]), (&[2, 1], &[1])];
    assert_eq!(refused(0, &[1, 2], twice), missed(1));
    let unheld: &[(&[u32], &[u32])] = &[(&[0, 1], &[1]), (&[2, 3], &[3]), (&[3, 2], &[2])];
    let not_held = Rule::NotHeld.broken("node 2 never holds the message that worm 1 should carry");
    assert_eq!(refused(0, &[1, 2, 3], unheld), not_held);
}

#[test]
fn bad_parameters_are_refused() {
    for (t_s, t_h, t_f, flits) in [
        (0, 1, 0, 1),
        (0, 1, 2, 1),
        (0, 2, 1, 0),
        (1 << 41, 1, 1, 1),
        (0, 1 << 25, 1, 1),
        (0, 1, 1, 1 << 41),
    ] {
        assert!(
            Timing::new(t_s, t_h, t_f, flits).is_err(),
            "{t_s} {t_h} {t_f} {flits}"
        );
    }
}
