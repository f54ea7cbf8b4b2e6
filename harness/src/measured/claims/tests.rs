//! Artificial rows with known verdicts.

use super::*;
use crate::measured::plan::held;
use crate::measured::record::SummaryRow;
use crate::measured::record::made_up::row;
use algorithms::logp::LogGops;

/// A gap of 1000 ns at 1001 bytes, and a hop of 2 ns more.
const MACHINE: LogGops = LogGops { L: 2, o: 0, g: 0, G: 1_000_000, O: 0, H: 0 };

fn point(row: SummaryRow) -> MeasuredPoint {
    let machine = held(MACHINE, row.hold_ps_per_byte).unwrap();
    let model = machine.at(row.bytes).unwrap();
    MeasuredPoint { row, machine, model, has_levels: false }
}

fn times(times: &[(u32, u64, u64)]) -> Vec<SummaryRow> {
    times.iter().flat_map(|&(K, halving, other)| [row("halving", K, halving), row("fibonacci", K, other)]).collect()
}

fn judged(rows: Vec<SummaryRow>) -> [Vec<Case>; 3] {
    let points: Vec<MeasuredPoint> = rows.into_iter().map(point).collect();
    CHECKS.map(|check| cases(&points, check))
}

/// The verdict of the only case, with its points, failures and undecided points.
fn only(cases: &[Case]) -> (Verdict, u64, u64, u64) {
    assert_eq!(cases.len(), 1, "{cases:?}");
    (cases[0].verdict, cases[0].points, cases[0].failures, cases[0].not_decided)
}

#[test]
fn all_three_hold() {
    let [a, b, c] = judged(times(&[(8, 200, 100), (12, 300, 150), (18, 400, 200)]));
    assert_eq!(only(&a), (Verdict::Holds, 2, 0, 0));
    assert_eq!(only(&b), (Verdict::Holds, 3, 0, 0));
    assert_eq!(only(&c), (Verdict::Holds, 2, 0, 0));
    assert_eq!((b[0].K.as_slice(), b[0].found()), (&[8, 12, 18][..], None));
}

#[test]
fn the_first_counterexample_has_its_numbers() {
    let [a, b, c] = judged(times(&[(8, 100, 200), (12, 150, 300), (18, 150, 250)]));
    assert_eq!(only(&b), (Verdict::Fails, 3, 3, 0));
    let first = b[0].counterexample.as_ref().unwrap();
    assert_eq!(first.K, 8);
    assert_eq!(first.found, "halving 0.000 [0.000, 0.000] ms, Fibonacci 0.000 [0.000, 0.000] ms");
    let numbers: Vec<_> = first.times.iter().map(|time| (time.low_ns, time.median_ns, time.high_ns)).collect();
    assert_eq!(numbers, [(99, 100, 101), (199, 200, 201)]);
    // Halving is as fast with 18 as with 12, which is not decided; Fibonacci is faster, which is a counterexample.
    assert_eq!(only(&a), (Verdict::Fails, 2, 1, 0));
    assert_eq!(a[0].counterexample.as_ref().map(|found| found.K), Some(18));
    // -100, -150, -100.
    assert_eq!(only(&c), (Verdict::Fails, 2, 1, 0));
    assert_eq!(c[0].counterexample.as_ref().map(|found| (found.K, found.times.len())), Some((12, 4)));
}

/// The medians differ, but the intervals overlap.
#[test]
fn where_intervals_overlap_nothing_is_decided() {
    let [_, b, c] = judged(times(&[(8, 102, 100), (12, 103, 100)]));
    assert_eq!(only(&b), (Verdict::NotDecided, 2, 0, 1));
    assert_eq!(b[0].first_not_decided.as_ref().map(|found| found.K), Some(8));
    // Differences of 2 and 3, each within 2, overlap, though no pair of times does.
    assert_eq!(only(&c), (Verdict::NotDecided, 1, 0, 1));
    // One failure is enough, even if other points are not decided.
    let [_, b, _] = judged(times(&[(8, 102, 100), (12, 90, 100)]));
    assert_eq!(only(&b), (Verdict::Fails, 2, 1, 1));
    assert!(b[0].found().unwrap().starts_with("at 1 of 2 points, first K = 12: "), "{:?}", b[0].found());
    // The difference of differences must exceed four nanoseconds.
    for (more, verdict) in [(104, Verdict::NotDecided), (105, Verdict::Holds)] {
        assert_eq!(judged(times(&[(8, 200, 100), (12, 100 + more, 100)]))[2][0].verdict, verdict, "{more}");
    }
}

#[test]
fn too_few_repetitions_decide_nothing() {
    let mut rows = times(&[(8, 200, 100), (12, 300, 150)]);
    rows[0].coverage_f64 = 0.0;
    let [a, b, c] = judged(rows);
    assert_eq!([&a, &b, &c].map(|cases| cases[0].verdict), [Verdict::NotDecided; 3]);
    assert_eq!(b[0].not_decided, 1);
    assert!(c[0].first_not_decided.as_ref().unwrap().found.ends_with("at K = 8 0.000 ms from too few repetitions"));
}

#[test]
fn a_missing_tree_is_not_a_win() {
    let mut rows = times(&[(8, 200, 100), (12, 300, 150), (18, 400, 200)]);
    rows.remove(3);
    let [a, b, c] = judged(rows);
    assert_eq!(only(&b), (Verdict::NotDecided, 3, 0, 1));
    let first = b[0].first_not_decided.as_ref().unwrap();
    assert_eq!((first.K, first.found.as_str(), first.times.len()), (12, "Fibonacci was not measured at K = 12", 0));
    // 18 is not compared with 8 instead.
    assert_eq!(only(&c), (Verdict::NotDecided, 2, 0, 2));
    assert_eq!(only(&a), (Verdict::NotDecided, 2, 0, 1));
    // If one of the two was never measured, there is no claim.
    let halving = [8, 12].map(|K| row("halving", K, 100)).to_vec();
    assert!(judged(halving).iter().all(Vec::is_empty));
}

/// One K shows no growth, and the claims cover no other tree.
#[test]
fn what_says_nothing_is_not_counted() {
    let mut rows = times(&[(8, 200, 100)]);
    rows.push(row("optimal", 12, 1));
    let [a, b, c] = judged(rows);
    assert_eq!((a.len(), only(&b).0, c.len()), (0, Verdict::Holds, 0));
}

/// `D/g` follows from machine, size and relay delay; each setting and size is a case.
#[test]
fn cases_are_told_apart() {
    let own = times(&[(8, 200, 100), (12, 300, 150)]);
    let held = own.iter().cloned().map(|row| SummaryRow { hold_ps_per_byte: 998, ..row });
    let shared = own[2..].iter().cloned().map(|row| SummaryRow { hosts: 8, mapping: "neighbours".to_owned(), ..row });
    let long = own.iter().cloned().map(|row| SummaryRow { bytes: 2001, ..row });
    let rows = own.iter().cloned().chain(held).chain(shared).chain(long).collect();
    let [_, b, c] = judged(rows);
    let told: Vec<(String, String, Vec<u32>)> =
        b.iter().map(|case| (case.D_over_g(), case.describe(), case.K.clone())).collect();
    let expected = [
        ("1.00", "D/g = 1.00, 1001 B, own hosts", [8, 12]),
        ("1.00", "D/g = 1.00, 2001 B, own hosts", [8, 12]),
        ("2.00", "D/g = 2.00, 1001 B, own hosts, relay delay 998 ps/B", [8, 12]),
        // Each of 8 nodes has one of the 8 hosts, whatever the mapping of more nodes.
        ("1.00", "D/g = 1.00, 1001 B, 8 hosts, neighbours", [8, 12]),
    ]
    .map(|(ratio, text, K)| (ratio.to_owned(), text.to_owned(), K.to_vec()));
    assert_eq!(told[..3], expected[..3]);
    assert_eq!(told[3], expected[3]);
    assert_eq!((b[2].D_ns, b[2].g_ns), (2000, 1000));
    assert_eq!(c.len(), 4);
    assert_eq!(by_ratio(&b), "holds at D/g = 1.00, 2.00");
}

/// A time that does not grow with the size is a counterexample of (a).
#[test]
fn sizes_are_compared() {
    let rows = times(&[(8, 200, 100)]);
    let long =
        rows.iter().cloned().map(|row| SummaryRow { bytes: 2001, median_ns: 90, low_ns: 89, high_ns: 91, ..row });
    let [a, ..] = judged(rows.iter().cloned().chain(long).collect());
    assert_eq!((only(&a), a[0].bytes), ((Verdict::Fails, 1, 1, 0), 2001));
    assert!(a[0].counterexample.as_ref().unwrap().found.contains(", for 1001 B "));
}

/// A point that was measured twice has two times, and both must agree.
#[test]
fn both_times_of_a_point_have_a_say() {
    let mut rows = times(&[(8, 200, 100)]);
    rows.push(SummaryRow { measurement: "again".to_owned(), ..row("fibonacci", 8, 200) });
    assert_eq!(only(&judged(rows)[1]), (Verdict::NotDecided, 1, 0, 1));
}
