//! Every claim of the papers checked at every point of its grid, against the literature and the exhaustive searches of
//! the other tests.

use std::collections::BTreeMap;

use castbench_algorithms::internals::claims::{Axis, Claim, Paper, Repeat, Tally, all, figures};
use castbench_algorithms::logp::LogGops;

fn tried(claim: &Claim) -> Tally {
    let tally = claim.judge(0..claim.grid_points()).unwrap_or_else(|bug| panic!("{bug}"));
    assert!(tally.points > 0, "{} speaks of no point of its grid", claim.id);
    tally
}

/// Claims by id. A snapshot has the points, the failures and the first failure of each, so that any change is seen.
fn tallies(name: &str, is_meant: impl Fn(&Claim) -> bool) -> BTreeMap<String, Tally> {
    let claims = all().into_iter().filter(is_meant);
    let tallies: BTreeMap<String, Tally> = claims.map(|claim| (claim.id.to_string(), tried(&claim))).collect();
    let lines = tallies.iter().map(|(id, tally)| {
        let Tally { points, failures, .. } = tally;
        format!("{id}: fails at {failures} of {points} points, first {}\n", tally.counterexample().unwrap_or("nowhere"))
    });
    insta::assert_snapshot!(name, lines.collect::<String>());
    tallies
}

/// The claims of one paper.
fn of(paper: Paper) -> BTreeMap<String, Tally> {
    tallies(paper.slug(), |claim| claim.paper == paper)
}

/// The ids of claims that hold, and of claims that fail.
fn verdicts(tallies: &BTreeMap<String, Tally>) -> [Vec<&str>; 2] {
    [true, false]
        .map(|holds| tallies.iter().filter(|(_, tally)| tally.holds() == holds).map(|(id, _)| id.as_str()).collect())
}

#[test]
fn gu_li_liu() {
    let tallies = of(Paper::Fibonacci);
    let [hold, fail] = verdicts(&tallies);
    assert_eq!(hold, ["fibonacci-3", "fibonacci-7", "fibonacci-8", "fibonacci-9", "fibonacci-threshold"]);
    assert_eq!(
        fail,
        [
            "fibonacci-10",
            "fibonacci-11",
            "fibonacci-2",
            "fibonacci-abstract",
            "fibonacci-increasing",
            "fibonacci-recurrence",
            "fibonacci-threshold-any-source"
        ]
    );
    // T(12) = 6 and T(13) = 5 at D = g = 1.
    let smallest = |id: &str| tallies[id].counterexample().unwrap().to_owned();
    let begins = |id: &str, text: &str| assert!(smallest(id).starts_with(text), "{id}: {}", smallest(id));
    begins("fibonacci-increasing", "L = 1, o = 0, g = 1, K = 13: T(K-1) = 6, T(K) = 5;");
    // (11) at two nodes: floor(0.72022) is 0. (10) has the wrong sign everywhere.
    begins("fibonacci-11", "L = 1, o = 0, g = 1, K = 2: cost 1, claimed <= 0;");
    assert_eq!(tallies["fibonacci-10"].failures, tallies["fibonacci-10"].points);
    // Without the floor: a hop of more than 0.72022 (g + L+2o).
    begins("fibonacci-abstract", "L = 1, o = 1, g = 1, K = 2: cost 3, claimed <= 2.88...;");
    // Two nodes hold the message at t = L+2o, the first time at which the restated recurrence can be wrong.
    assert_eq!(smallest("fibonacci-recurrence"), "L = 1, o = 0, g = 1, t = 1: N(t) = 2, claimed 1");
    // The only tie at the threshold: three nodes, the source in the middle, at each of the machines.
    let machines = (1..=30u64).map(|hop| (hop * 3884 / 10_000).min(12)).sum::<u64>();
    assert_eq!(tallies["fibonacci-threshold-any-source"].failures, machines);
}

/// If a hop takes four gaps, all three statements about the figures hold; if it takes one gap, none holds.
#[test]
fn figures_6_and_7() {
    for (hold_per_byte, holds) in [(300_000_000, true), (0, false)] {
        let machine = LogGops { L: 1_000, o: 0, g: 0, G: 100_000_000, O: 0, H: hold_per_byte };
        for (claim, letter) in figures("some", machine).into_iter().zip(["a", "b", "c"]) {
            assert_eq!(tried(&claim).holds(), holds, "{}, {hold_per_byte} fs a byte", claim.id);
            assert_eq!(claim.id, format!("figures-{letter}-some"));
            assert!(claim.statement.starts_with("on some: "), "{}", claim.statement);
            let Repeat::Options(text) = &claim.repeat else { panic!("{} has no options", claim.id) };
            assert_eq!(text, "cost fibonacci --machine some");
        }
    }
}

#[test]
fn shou_chen() {
    let tallies = of(Paper::Logp);
    let [hold, fail] = verdicts(&tallies);
    assert_eq!(
        hold,
        [
            "logp-theorem-2",
            "logp-theorem-3",
            "logp-theorem-4-lower",
            "logp-theorem-4-upper",
            "logp-theorem-5",
            "logp-theorem-6"
        ]
    );
    assert_eq!(
        fail,
        [
            "logp-algorithm-2-shares",
            "logp-any-parameters",
            "logp-lemma-1",
            "logp-optimal-operands",
            "logp-optimal-time"
        ]
    );
    // Counted by hand elsewhere, over the same grid.
    let short = &tallies["logp-optimal-operands"];
    assert_eq!((short.failures, short.points), (1816, 2268));
}

/// The tree of figure 2 of Shou and Chen: 3 operands too few at the root by lemma 1 as printed.
#[test]
fn lemma_1_in_the_example_of_its_paper() {
    let claims = all();
    let lemma = claims.iter().find(|claim| claim.id == "logp-lemma-1").unwrap();
    let example = (lemma.check)(&[5, 2, 4, 7]).unwrap();
    let found = "processor 0 with T_0 = 24 and 3 children adds 16 operands, claimed 13";
    assert_eq!(example, castbench_algorithms::internals::claims::Outcome::Fails(found.to_owned()));
}

#[test]
fn xie_zhu_kang_wang() {
    let tallies = of(Paper::DualPath);
    let [hold, fail] = verdicts(&tallies);
    assert_eq!(hold, ["dual-path-below-unicast", "dual-path-deadlock", "dual-path-labels", "dual-path-legs"]);
    assert_eq!(fail, ["dual-path-below-broadcast", "dual-path-redundancy", "dual-path-tournaments"]);
    // Ties with broadcast only if every node is a destination.
    let tie = &tallies["dual-path-below-broadcast"];
    assert_eq!(tie.failures, 1);
    let counterexample = tie.counterexample().unwrap();
    assert!(counterexample.contains("K = 63: dual-path 63 links, broadcast 63"), "{counterexample}");
    // Joined are all pairs of a mesh of one or two nodes.
    let tournaments = &tallies["dual-path-tournaments"];
    assert_eq!(tournaments.points - tournaments.failures, 3);
}

#[test]
fn wang_ying() {
    let tallies = of(Paper::Gossip);
    let [hold, fail] = verdicts(&tallies);
    assert_eq!(
        hold,
        [
            "gossip-lower-bound",
            "gossip-minimum",
            "gossip-phase-1",
            "gossip-phase-2",
            "gossip-phase-2-fewer",
            "gossip-total"
        ]
    );
    assert_eq!(fail, ["gossip-not-optimal"]);
    assert_eq!(tallies["gossip-not-optimal"].failures, 1);
}

#[test]
fn ding_li() {
    let tallies = of(Paper::KTree);
    let [hold, fail] = verdicts(&tallies);
    assert_eq!(
        hold,
        [
            "k-tree-height-divides",
            "k-tree-height-else",
            "k-tree-height-small",
            "k-tree-theorem-1",
            "k-tree-theorem-2-bound",
            "k-tree-total"
        ]
    );
    assert_eq!(fail, ["k-tree-delay", "k-tree-properties", "k-tree-theorem-2", "k-tree-time", "k-tree-time-shortest"]);
    // A round less than ceil(m/k) - 1 + h: two rounds at n = 4, k = 3, m = 1.
    let counterexample = tallies["k-tree-time"].counterexample().unwrap();
    assert!(counterexample.starts_with("n = 4, k = 3, m = 1: rounds 2, claimed 3;"), "{counterexample}");
}

/// In the model of Hockney, in which these papers count.
#[test]
fn papers_on_collectives() {
    let tallies = tallies("collectives", |claim| (Paper::Mpich..Paper::Guidelines).contains(&claim.paper));
    let [_, fail] = verdicts(&tallies);
    // Each of its blocks is a message, so a rank receives after the gaps of all its sends.
    assert_eq!(fail, ["sparbit-allgather"]);
}

/// Where a guideline fails the catalogue lacks an algorithm.
#[test]
fn traff_gropp_thakur() {
    let tallies = of(Paper::Guidelines);
    let [_, fail] = verdicts(&tallies);
    assert_eq!(fail, [""; 0]);
}

/// The claims of castbench with this prefix hold. One test per prefix, because they take long.
const SAID_INSTEAD: [&str; 8] = ["bound", "dual-path", "fibonacci", "gossip", "halving", "interval", "k-tree", "logp"];

fn said_instead(about: &str) {
    let tallies =
        tallies(&format!("instead-of-{about}"), |claim| claim.paper == Paper::Castbench && claim.id.starts_with(about));
    let [_, fail] = verdicts(&tallies).map(|ids| ids.join(" "));
    assert_eq!(fail, "");
}

#[test]
fn bounds_of_problems_without_a_paper() {
    said_instead("bound");
}

#[test]
fn claims_instead_of_dual_path() {
    said_instead("dual-path");
}

#[test]
fn claims_instead_of_fibonacci() {
    said_instead("fibonacci");
}

#[test]
fn claims_instead_of_gossip() {
    said_instead("gossip");
}

#[test]
fn claims_instead_of_halving() {
    said_instead("halving");
}

#[test]
fn claims_instead_of_interval() {
    said_instead("interval");
}

#[test]
fn claims_instead_of_k_tree() {
    said_instead("k-tree");
}

#[test]
fn claims_instead_of_logp() {
    said_instead("logp");
}

/// Each such claim is checked above, and replaces an existing claim.
#[test]
fn claims_of_castbench_replace_existing_claims() {
    let claims = all();
    for claim in &claims {
        assert!(claim.mends.is_none_or(|mended| claims.iter().any(|other| other.id == mended)), "{}", claim.id);
        let own = claim.paper == Paper::Castbench;
        assert!(own || claim.mends.is_none(), "{}", claim.id);
        assert!(claim.id != "halving-time" || claim.mends == Some("fibonacci-2"), "{:?}", claim.mends);
        assert!(!own || SAID_INSTEAD.iter().any(|about| claim.id.starts_with(about)), "{} is not tried", claim.id);
    }
}

#[test]
fn axes_have_a_short_form() {
    assert_eq!(Axis::range("K", 1, 400).to_string(), "K = 1..400");
    assert_eq!(Axis::range("m", 1, 1).to_string(), "m = 1");
    assert_eq!(Axis::few("K", &[8, 12, 18]).to_string(), "K = 8, 12, 18");
}

/// A claim's text is complete, its id begins with its paper or is castbench's own, and ids are unique.
#[test]
fn claims_are_well_formed() {
    let claims = all();
    let mut ids: Vec<&str> = claims.iter().map(|claim| claim.id.as_ref()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), claims.len());
    for claim in &claims {
        let own = claim.paper == Paper::Castbench;
        assert!(own || claim.id.starts_with(claim.paper.slug()), "{}", claim.id);
        for text in [claim.place.as_ref(), claim.statement.as_ref(), claim.note] {
            assert!(!text.is_empty() && !text.contains('\n') && !text.ends_with('.'), "{}: {text}", claim.id);
        }
    }
}
