//! The busiest links of allreduces on tori, against what their papers state of the links.

use castbench_algorithms::catalogue;
use castbench_algorithms::cost::Limits;
use castbench_algorithms::network::routes::{Loads, traffic};
use castbench_algorithms::network::{Bound, Collective, Network};
use castbench_algorithms::problem::Setting;
use num_rational::Ratio;

/// The time of the busiest link over M, where a rank has two ports for each of these sides, and whether all links take it.
fn busiest(algorithm: &str, sides: &[u64]) -> (Ratio<u128>, bool) {
    let ranks: u64 = sides.iter().product();
    let (ports, entry) = (
        2 * sides.len() as u64,
        catalogue::find(algorithm).expect(algorithm),
    );
    let n = 12 * ports * ranks;
    let value = |(axis, example)| match axis {
        "K" => Some(ranks),
        "n" => Some(n),
        "k" => Some(ports),
        _ => example,
    };
    let keys = entry.axes().iter().map(|axis| axis.key);
    let values: Vec<_> = keys.zip(entry.example()).map(value).collect();
    let setting = Setting::default();
    let instance = entry.at(&setting, &values).expect("a point");
    let program = instance
        .program(&Limits::default(), None)
        .expect("defined here");
    let (_, program) = program.expect("messages");
    let network = network(sides);
    let places: Vec<usize> = (0..network.ranks()).collect();
    let loads = Loads::new(&network, &traffic(&program, &places));
    let mut links = 0..network.links().len();
    let is_even = links.all(|link| loads.time_of(link) == loads.time());
    (loads.time() / u128::from(n), is_even)
}

fn network(sides: &[u64]) -> Network {
    let sides: Vec<String> = sides.iter().map(u64::to_string).collect();
    Network::named(&format!("torus:{}", sides.join("x"))).expect("a torus")
}

fn least(sides: &[u64]) -> Ratio<u128> {
    Bound::new(&network(sides), Collective::Allreduce).time
}

/// All links carry as much, and no allreduce takes less.
#[test]
fn rings_along_all_dimensions_reach_the_bound() {
    for sides in [&[7][..], &[4, 4], &[8, 8], &[5, 5], &[4, 4, 4], &[3, 3, 3]] {
        assert_eq!(
            busiest("allreduce-bucket", sides),
            (least(sides), true),
            "{sides:?}"
        );
    }
    // Of a part that begins in rows of 8 they carry 7/8 of it, of one that begins in the others 7/8 of the quarter that is left.
    let rows = Ratio::new(7, 8) * (Ratio::from_integer(1) + Ratio::new(1, 4)) / 4 * 2;
    assert_eq!(busiest("allreduce-bucket", &[8, 4]), (rows, false));
}

/// Section 4 of the paper: a message at distance d loads d links. So in step s of a dimension a link carries what a rank sends to the
/// distances 1, 1, 3, 5, .. there, in each of the two directions half of the parts: 1.19 times the least in two dimensions, 1.03 in three and
/// 1.008 in four, on ever longer sides.
#[test]
fn swing_loads_links_by_its_distances() {
    let deficiency = |sides: &[u64]| {
        let dimensions = i32::try_from(sides.len()).unwrap();
        let mut factor = Ratio::from_integer(0u128);
        let mut share = Ratio::from_integer(1u128);
        let (mut distance, mut before) = (1u128, 0u128);
        for _ in 0..sides[0].ilog2() {
            // A step in each dimension, with half of the words that are left.
            for _ in 0..dimensions {
                share /= 2;
                factor += share * distance;
            }
            (before, distance) = (distance, distance + 2 * before);
        }
        // The least: all but a K-th part of the words.
        let ranks: u64 = sides.iter().product();
        factor / (Ratio::from_integer(1) - Ratio::new(1, u128::from(ranks)))
    };
    for (sides, ratio) in [
        (&[4, 4][..], Ratio::from_integer(1)),
        (&[8, 8], Ratio::new(23, 21)),
        (&[4, 4, 4], Ratio::from_integer(1)),
        (&[8], Ratio::new(9, 7)),
    ] {
        assert_eq!(deficiency(sides), ratio, "{sides:?}");
    }
    for sides in [
        &[4][..],
        &[8],
        &[16],
        &[4, 4],
        &[8, 8],
        &[16, 16],
        &[4, 4, 4],
        &[8, 8, 8],
    ] {
        let (time, is_even) = busiest("allreduce-swing-torus", sides);
        assert_eq!(time, least(sides) * deficiency(sides), "{sides:?}");
        assert!(is_even, "{sides:?}");
    }
    for (dimensions, most) in [(2, 1_200), (3, 1_037), (4, 1_008)] {
        let limit = deficiency(&vec![1 << 12; dimensions]) * 1000;
        assert_eq!(limit.round().to_integer(), most, "{dimensions} dimensions");
    }
}

/// Ranks send at distances 1, 3, 9, .. both ways: in each step as many messages cross a link as its distance says, of n words in all.
#[test]
fn trivance_sends_both_ways_at_distances_of_powers_of_three() {
    for (sides, words) in [
        (&[3][..], 1),
        (&[9], 4),
        (&[27], 13),
        (&[3, 3], 1),
        (&[9, 9], 4),
        (&[3, 3, 3], 1),
    ] {
        let found = busiest("allreduce-trivance", sides);
        assert_eq!(found, (Ratio::from_integer(words), true), "{sides:?}");
    }
}
