//! Every claim of the papers checked at every point of its grid, against the literature and the exhaustive searches of
//! the other tests.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;

use castbench_algorithms::internals::claims::{
    Claim, Objection, Paper, Point, Tally, all, figures,
};
use castbench_algorithms::logp::LogGops;

/// Some claims take long.
const THREADS: usize = 8;

fn tried(claim: &Claim) -> Tally {
    let tally = claim
        .judge(0..claim.grid_points())
        .unwrap_or_else(|bug| panic!("{bug}"));
    assert!(
        tally.points > 0,
        "{} speaks of no point of its grid",
        claim.id
    );
    tally
}

/// The points, the failures and the first failure of each claim, so that any change is seen. Claims of papers on collectives
/// are in the model of Hockney. Sparbit fails because each of its blocks is a message, so a rank receives after the gaps of
/// all its sends. Where a guideline fails the catalogue lacks an algorithm. What castbench states itself holds everywhere.
#[test]
fn every_claim_at_every_point() {
    let lines = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for first in 0..THREADS {
            let lines = &lines;
            scope.spawn(move || {
                for claim in all().iter().skip(first).step_by(THREADS) {
                    let tally = tried(claim);
                    assert!(
                        claim.paper != Paper::Castbench || tally.holds(),
                        "{}: {tally:?}",
                        claim.id
                    );
                    let Tally {
                        points, failures, ..
                    } = tally;
                    let found = tally.counterexample().unwrap_or("nowhere");
                    let line = format!(
                        "{}: fails at {failures} of {points} points, first {found}\n",
                        claim.id
                    );
                    lines.lock().unwrap().insert(claim.id.to_string(), line);
                }
            });
        }
    });
    insta::assert_snapshot!(
        lines
            .into_inner()
            .unwrap()
            .into_values()
            .collect::<String>()
    );
}

/// Counterexamples by hand. The only tie at the threshold is three nodes, the source in the middle, at each machine; all
/// pairs of a mesh are joined only on one or two nodes.
#[test]
fn counterexamples_by_hand() {
    let claims = all();
    let of = |id: &str| tried(claims.iter().find(|claim| claim.id == id).unwrap());
    let machines = (1..=30u64)
        .map(|hop| (hop * 3884 / 10_000).min(12))
        .sum::<u64>();
    assert_eq!(of("fibonacci-threshold-any-source").failures, machines);
    let wrong_sign = of("fibonacci-10");
    assert_eq!(wrong_sign.failures, wrong_sign.points);
    let tournaments = of("dual-path-tournaments");
    assert_eq!(tournaments.points - tournaments.failures, 3);
}

/// If a hop takes four gaps, all three statements about the figures hold; if it takes one gap, none holds.
#[test]
fn figures_6_and_7() {
    for (hold_per_byte, holds) in [(300_000_000, true), (0, false)] {
        let machine = LogGops {
            L: 1_000,
            o: 0,
            g: 0,
            G: 100_000_000,
            O: 0,
            H: hold_per_byte,
        };
        for (claim, letter) in figures("some", machine).into_iter().zip(["a", "b", "c"]) {
            assert_eq!(
                tried(&claim).holds(),
                holds,
                "{}, {hold_per_byte} fs a byte",
                claim.id
            );
            assert_eq!(claim.id, format!("figures-{letter}-some"));
            assert!(
                claim.statement.starts_with("on some: "),
                "{}",
                claim.statement
            );
            assert_eq!(claim.shown, "cost fibonacci --machine some");
        }
    }
}

/// The tree of figure 2 of Shou and Chen: 3 operands too few at the root by lemma 1 as printed.
#[test]
fn lemma_1_in_the_example_of_its_paper() {
    let claims = all();
    let lemma = claims
        .iter()
        .find(|claim| claim.id == "logp-lemma-1")
        .unwrap();
    let example = (lemma.check)(&Point::new(lemma, [5, 2, 4, 7]));
    let found = "processor 0 with T_0 = 24 and 3 children adds 16 operands, claimed 13";
    assert_eq!(example, Err(Objection::Fails(found.to_owned())));
}

/// What castbench states itself replaces an existing claim.
#[test]
fn claims_of_castbench_replace_existing_claims() {
    let claims = all();
    for claim in &claims {
        assert!(
            claim
                .mends
                .is_none_or(|mended| claims.iter().any(|other| other.id == mended)),
            "{}",
            claim.id
        );
        let own = claim.paper == Paper::Castbench;
        assert!(own || claim.mends.is_none(), "{}", claim.id);
        assert!(
            claim.id != "halving-time" || claim.mends == Some("fibonacci-2"),
            "{:?}",
            claim.mends
        );
    }
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
        assert!(
            own || claim.id.starts_with(claim.paper.slug()),
            "{}",
            claim.id
        );
        for text in [claim.section, claim.statement.as_ref(), claim.note] {
            assert!(
                !text.is_empty() && !text.contains('\n') && !text.ends_with('.'),
                "{}: {text}",
                claim.id
            );
        }
    }
}
