//! Levels: places, parameters, and what is refused.

use super::*;

const FAR: LogGops = LogGops {
    L: 2000,
    o: 400,
    g: 300,
    G: 80_000,
    O: 10_000,
    H: 0,
};
const NEAR: LogGops = LogGops {
    L: 300,
    o: 100,
    g: 50,
    G: 20_000,
    O: 10_000,
    H: 0,
};
const INNERMOST: LogGops = LogGops { L: 100, ..NEAR };

fn levels(ranks: &[u64], placement: Placement) -> &'static Levels {
    let machines = if ranks.len() == 2 {
        vec![INNERMOST, NEAR]
    } else {
        vec![NEAR]
    };
    let inner = ranks
        .iter()
        .zip(machines)
        .map(|(&ranks, machine)| Level { ranks, machine });
    Levels::new(inner.collect(), FAR, placement, None).unwrap()
}

#[test]
fn ranks_meet_at_the_innermost_common_level() {
    let block = levels(&[2, 4], Placement::Block);
    assert_eq!(
        [1, 2, 3, 4, 7, 8].map(|to| block.between(12, 0, to)),
        [0, 1, 1, 2, 2, 2]
    );
    let turns = levels(&[2, 4], Placement::RoundRobin);
    // Three nodes: ranks 0, 3, 6, 9 on the first one.
    assert_eq!(
        [1, 2, 3, 6, 9].map(|to| turns.between(12, 0, to)),
        [2, 2, 0, 1, 1]
    );
    let listed = levels(&[2], Placement::List(vec![5, 0, 5, 0]));
    assert_eq!([1, 2, 3].map(|to| listed.between(4, 0, to)), [1, 0, 1]);
    assert_eq!(listed.between(4, 1, 3), 0);
    assert!(listed.check(4).is_ok() && listed.check(5).is_err());
}

#[test]
fn impossible_levels_are_refused() {
    let level = |ranks| Level {
        ranks,
        machine: NEAR,
    };
    for inner in [
        vec![level(0)],
        vec![level(4), level(6)],
        vec![level(4), level(0)],
    ] {
        assert!(Levels::new(inner, FAR, Placement::Block, None).is_err());
    }
    assert!(Levels::new(vec![level(2)], FAR, Placement::List(vec![1, 1, 1]), None).is_err());
}

#[test]
fn each_pair_has_its_latency() {
    let latency = |from: usize, to: usize| [[0, 10, 30], [20, 0, 10], [30, 10, 99]][from][to];
    let pairs = Levels::from_pairs(FAR, 3, latency).unwrap();
    assert_eq!(
        pairs.of_latencies(),
        Some(&[10, 20, 30].map(|L| LogGops { L, ..FAR })[..])
    );
    for (from, to) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
        let own = latency(from as usize, to as usize);
        assert_eq!(
            *pairs.at(pairs.between(3, from, to)),
            LogGops { L: own, ..FAR }
        );
    }
    let profile = Profile::Levels(pairs);
    assert_eq!(
        (
            profile.fastest().L,
            profile.network().L,
            profile.at(1).unwrap().L,
            profile.is_slowest_outside()
        ),
        (10, 30, 30, true)
    );
    assert_eq!((profile.of_ranks(3), pairs.ranks()), (profile, 1));
    assert!(pairs.check(3).is_ok() && pairs.check(4).is_err());
    let alike = Profile::Levels(Levels::from_pairs(FAR, 4, |_, _| 7).unwrap());
    assert_eq!(alike.of_ranks(3), Profile::Flat(LogGops { L: 7, ..FAR }));
    assert!(
        Levels::from_pairs(FAR, 1, |_, _| 7).is_err()
            && Levels::from_pairs(FAR, MAX_PAIRED + 1, |_, _| 7).is_err()
    );
    assert!(Levels::from_pairs(FAR, 257, |from, to| (257 * from + to) as u64).is_err());
}

#[test]
fn a_message_has_the_parameters_of_its_range() {
    let range = |from, machine, exchange| SizeRange {
        from,
        machine,
        exchange,
    };
    let ranges = vec![
        range(10, NEAR, 0),
        range(
            1000,
            LogGops {
                L: 350,
                g: 9,
                ..FAR
            },
            2_000_000,
        ),
    ];
    let levels = levels(&[4], Placement::Block);
    let ranged = levels
        .with_ranges(vec![Vec::new(), ranges.clone()])
        .unwrap();
    let at = |bytes, is_exchanged| ranged.of_message(1, bytes, is_exchanged).unwrap();
    assert_eq!(
        (at(0, false), at(9, true)),
        (FAR.at(1).unwrap(), FAR.at(9).unwrap())
    );
    assert_eq!(at(10, false), LogP::new(300, 100, 50).unwrap());
    // 50 bytes further: 1 ns on the wire, 0.5 of overhead.
    assert_eq!(at(60, true), LogP::new(301, 101, 51).unwrap());
    // 100 bytes further: 8 ns; an exchange takes 2 ns more for each of 1,099 bytes.
    assert_eq!(at(1100, false), LogP::new(358, 401, 17).unwrap());
    assert_eq!(
        at(1100, true),
        LogP::new(358 + 2198, 401, 17 + 2198).unwrap()
    );
    assert_eq!(ranged.of_message(0, 1100, true), NEAR.at(1100));
    let fast = Profile::Levels(ranged).fastest();
    for (level, bytes) in (1..3000).flat_map(|bytes| [(0, bytes), (1, bytes)]) {
        let (fast, own) = (
            fast.at(bytes).unwrap(),
            ranged.of_message(level, bytes, false).unwrap(),
        );
        assert!(
            fast.L() <= own.L() && fast.o() <= own.o() && fast.g() <= own.g(),
            "{bytes} B: {fast:?} {own:?}"
        );
    }
    let rates = ranged.rates(1);
    let (rate, early) = (rates.per_byte[0], rates.early[0]);
    for (level, bytes) in (1..3000).flat_map(|bytes| [(0, bytes), (1, bytes)]) {
        let own = ranged.of_message(level, bytes, false).unwrap();
        let least = i128::try_from(rate * u128::from(bytes)).unwrap();
        let fs = |ns: u64| i128::from(ns) * 1_000_000;
        assert!(
            least <= fs(own.g()) && least <= fs(own.D()) + early,
            "{bytes} B: {least} {own:?}"
        );
    }
    assert_eq!(rate, 9000);
    // 10 ns a byte at the port, but 4 KiB are received after 30 us instead of 41.
    let base = LogGops {
        L: 10_000,
        o: 10_000,
        g: 10,
        G: 10_000_000,
        O: 0,
        H: 0,
    };
    let burst = range(4096, LogGops { g: 40_960, ..base }, 0);
    let link = Levels::new(Vec::new(), base, Placement::Block, None)
        .unwrap()
        .with_ranges(vec![vec![burst]]);
    let rates = link.unwrap().rates(1);
    assert_eq!(
        (rates.per_byte[0], rates.early[0]),
        (10_000_000, 10_960_000_000)
    );
    let refused = [
        vec![range(0, FAR, 0)],
        vec![range(9, FAR, 0); 2],
        vec![range(9, LogGops { L: 0, o: 0, ..FAR }, 0)],
    ];
    assert!(
        refused
            .into_iter()
            .all(|ranges| levels.with_ranges(vec![Vec::new(), ranges]).is_err())
    );
}

#[test]
fn equal_machines_are_kept_once() {
    assert!(std::ptr::eq(
        levels(&[4], Placement::Block),
        levels(&[4], Placement::Block)
    ));
    assert!(!std::ptr::eq(
        levels(&[4], Placement::Block),
        levels(&[2], Placement::Block)
    ));
}

#[test]
fn few_ranks_are_on_one_level() {
    let profile = Profile::Levels(levels(&[4], Placement::Block));
    assert_eq!(profile.of_ranks(4), Profile::Flat(NEAR));
    assert_eq!(profile.of_ranks(5), profile);
    assert_eq!(
        Profile::Levels(levels(&[1], Placement::Block)).of_ranks(5),
        Profile::Flat(FAR)
    );
    assert_eq!(profile.fastest(), NEAR);
    assert!(profile.is_slowest_outside());
}

/// Ranks that share one level are a flat machine, whatever the placement is called.
#[test]
fn one_placement_is_one_machine() {
    let flat = |placement, K| Profile::Levels(levels(&[2, 4], placement)).of_ranks(K);
    for placement in [
        Placement::Block,
        Placement::RoundRobin,
        Placement::List(vec![3; 4]),
    ] {
        assert_eq!(
            flat(placement.clone(), 2),
            Profile::Flat(INNERMOST),
            "{placement:?}"
        );
        assert!(matches!(flat(placement, 4), Profile::Levels(_)));
    }
    assert_eq!(flat(Placement::List(vec![0, 4, 2]), 3), Profile::Flat(FAR));
    assert!(matches!(
        flat(Placement::List(vec![0, 4, 0]), 3),
        Profile::Levels(_)
    ));
    assert_eq!(
        Profile::Levels(levels(&[4], Placement::List(vec![0; 4]))).of_ranks(4),
        Profile::Flat(NEAR)
    );
}
