//! The audit: every claim of the papers checked at every point of its grid, in parallel.

use algorithms::internals::claims::{self, Claim, Paper, Tally, Unchecked};

use crate::base::failure::{Code, Failure, Result};
use crate::base::threads;
use crate::base::units::grouped;
use crate::print::column::tabled;
use crate::space::machine::Machine;

tabled! {
    /// A claim and its verdict.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AuditRow {
        /// name of the claim
        pub id: String,
        /// paper of the claim
        pub paper: String,
        /// where in the paper
        pub place: String,
        /// the statement
        pub statement: String,
        /// `holds` or `fails`
        pub verdict: String,
        /// number of points that it covers
        pub points: u64,
        /// number of points at which it fails
        pub failures: u64,
        /// the first of these, and a command that shows it
        pub counterexample: Option<String>,
        /// why it fails, what holds instead, the grid
        pub note: String,
    }
}

impl AuditRow {
    /// Whether the claim is true at all points.
    pub fn holds(&self) -> bool {
        self.failures == 0
    }

    /// Whether the claim is castbench's own; if such a claim fails, that is a bug.
    pub fn is_own(&self) -> bool {
        self.paper == Paper::Castbench.title()
    }
}

/// All claims in the order of reports: paper by paper, castbench's own at the end. Claims about measured times appear
/// once for each built-in machine that is no learnt one: these have other parameters for long messages.
///
/// # Errors
/// None in a tested build: the profiles are part of the program.
pub fn all_claims() -> Result<Vec<Claim>> {
    let mut claims = claims::all();
    for machine in Machine::not_learnt()? {
        claims.extend(claims::figures(&machine.name, machine.parameters()));
    }
    // A stable sort keeps the order within a paper.
    claims.sort_by_key(|claim| claim.paper);
    Ok(claims)
}

/// Checks the selected claims on all points of their grids. `tick` receives the number of points of each part.
///
/// # Errors
/// Exit code 5 where the formula and the execution of a point differ or a point has no answer, both bugs.
pub fn audit(
    all: &[Claim],
    select: impl Fn(&Claim) -> bool,
    tick: impl Fn(u64) + Sync,
) -> Result<Vec<AuditRow>> {
    let selected = all.iter().filter(|claim| select(claim));
    selected
        .map(|claim| {
            let tally = judge(claim, &tick).map_err(|bug| Failure::new(Code::Disagreement, bug))?;
            Ok(row(
                claim,
                &tally,
                all.iter()
                    .filter(|other| other.mends == Some(claim.id.as_ref())),
            ))
        })
        .collect()
}

/// The most parts of a grid: enough that none is long, few enough that a task is worth its overhead.
const PARTS: u64 = 256;

fn judge(claim: &Claim, tick: &(impl Fn(u64) + Sync)) -> Result<Tally, Unchecked> {
    let points = claim.grid_points();
    let length = points.div_ceil(PARTS).max(1);
    let parts = threads::in_order(0..points.div_ceil(length), |part| {
        let range = part * length..points.min((part + 1) * length);
        let count = range.end - range.start;
        claim.judge(range).inspect(|_| tick(count))
    })?;
    Ok(parts.into_iter().fold(Tally::default(), Tally::merge))
}

fn row<'a>(claim: &Claim, tally: &Tally, mending: impl Iterator<Item = &'a Claim>) -> AuditRow {
    let mut note = claim.note.to_owned();
    for other in mending {
        let word = if tally.holds() { "Sharper" } else { "Instead" };
        note += &format!(". {word} ({}): {}", other.id, other.statement);
    }
    note += &format!(". Grid: {}", claim.grid);
    if tally.points < claim.grid_points() {
        let (own, all) = (grouped(tally.points), grouped(claim.grid_points()));
        note += &format!("; it speaks of {own} of these {all} points");
    }
    AuditRow {
        id: claim.id.to_string(),
        paper: claim.paper.title().to_owned(),
        place: match claim.mends {
            Some(mended) => format!("on {mended}; {}", claim.section),
            None => claim.section.to_string(),
        },
        statement: claim.statement.to_string(),
        verdict: (if tally.holds() { "holds" } else { "fails" }).to_owned(),
        points: tally.points,
        failures: tally.failures,
        counterexample: tally.counterexample().map(str::to_owned),
        note,
    }
}

#[cfg(test)]
mod tests {
    use algorithms::internals::claims::{Objection, Point};

    use super::*;

    /// "n is not a multiple of 7" has many counterexamples in a grid that is cut into parts.
    fn planted() -> Claim {
        let check = |_: &Point<'_>, [n]: [u64; 1]| {
            let found = format!("{n} = 7·{}", n / 7);
            (!n.is_multiple_of(7))
                .then_some(())
                .ok_or(Objection::Fails(found))
        };
        Claim {
            id: "planted".into(),
            statement: "n is no multiple of 7".into(),
            note: "it was planted",
            ..Claim::new(Paper::Castbench, "here", "n = 500..10499", check)
        }
    }

    #[test]
    fn parts_checked_in_parallel_give_the_smallest_counterexample() {
        let mended = Claim {
            mends: Some("planted"),
            id: "mended".into(),
            check: Box::new(|_| Ok(())),
            ..planted()
        };
        let rows = audit(&[planted(), mended], |_| true, |_| ()).unwrap();
        assert_eq!(
            (rows[0].points, rows[0].failures, &*rows[0].verdict),
            (10_000, 1428, "fails")
        );
        assert_eq!(
            rows[0].counterexample.as_deref(),
            Some("n = 504: 504 = 7·72")
        );
        assert_eq!(
            rows[0].note,
            "it was planted. Instead (mended): n is no multiple of 7. Grid: n = 500..10499"
        );
        assert_eq!(
            (rows[1].verdict.as_str(), rows[1].place.as_str()),
            ("holds", "on planted; here")
        );
        assert!(rows[1].is_own());
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            assert_eq!(
                pool.install(|| audit(&[planted()], |_| true, |_| ()))
                    .unwrap()[0]
                    .counterexample,
                rows[0].counterexample
            );
        }
    }

    #[test]
    fn ids_are_unique_and_mended_ones_exist() {
        let claims = all_claims().unwrap();
        let mut ids: Vec<&str> = claims.iter().map(|claim| claim.id.as_ref()).collect();
        assert!(
            claims
                .iter()
                .all(|claim| claim.mends.is_none_or(|mended| ids.contains(&mended)))
        );
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }
}
