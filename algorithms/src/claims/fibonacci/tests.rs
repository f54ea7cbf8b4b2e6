//! The failures that checks of holding claims never report elsewhere, and the paper's formulas by hand.

use super::*;

fn fails(found: &str) -> Verdict {
    Err(Objection::Fails(found.to_owned()))
}

#[test]
fn halving_is_held_to_its_formula_at_the_edges_alone() {
    assert_eq!(
        [
            halved(10, 10, true),
            halved(10, 10, false),
            halved(9, 10, false)
        ],
        [const { Ok(()) }; 3]
    );
    assert_eq!(halved(9, 10, true), fails("cost 9, formula 10"));
    assert_eq!(halved(11, 10, true), fails("cost 11, formula 10"));
    assert_eq!(halved(11, 10, false), fails("cost 11, formula 10"));
}

#[test]
fn the_bounds_before_9() {
    // A hop takes D and the gap is g.
    let machine = |D, g| LogP::new(D, 0, g).unwrap();
    // 2·14, and 2·14 + 10.
    assert_eq!([5, 6].map(|n| by_7_or_8(machine(10, 4), n)), [28, 38]);
    // 2·12, and 2·12 + 5; the gap where that is longer.
    assert_eq!([5, 6].map(|n| by_7_or_8(machine(5, 4), n)), [24, 29]);
    assert_eq!(by_7_or_8(machine(3, 4), 6), 28);
    assert_eq!([10, 5].map(|D| round(machine(D, 4))), [14, 12]);
}

/// For 100 nodes 1.44043·(6.64386 - 1.16096) is 7.898. With the correct sign it is 11.242, and 11.576 with the third.
#[test]
fn the_bounds_of_n() {
    assert!(is_below_10(7, 100) && !is_below_10(8, 100));
    assert!(is_below_10_mended(11, 100) && !is_below_10_mended(12, 100));
    assert_eq!(rounds_mended(100), 5);
    // For 8 nodes 2.649 and 6.327.
    assert!(is_below_10(2, 8) && !is_below_10(3, 8));
    assert!(is_below_10_mended(6, 8) && !is_below_10_mended(7, 8));
    assert_eq!(rounds_mended(8), 3);
    // For one node 1.672 without the third and 2.006 with it.
    assert!(is_below_10_mended(2, 1) && !is_below_10_mended(3, 1));
    assert_eq!(rounds_mended(1), 1);
}

/// 2500·0.3884 is 971.
#[test]
fn the_threshold_itself_is_not_above_it() {
    let machine = |g| LogP::new(2500, 0, g).unwrap();
    assert!(!is_above_threshold(machine(971)) && is_above_threshold(machine(972)));
}
