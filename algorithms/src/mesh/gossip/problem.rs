//! Gossip on a mesh as a problem: axes, algorithms, and one of them at one point.

use std::fmt;

use super::coupled::Coupled;
use super::optimal::Optimal;
use super::two_phase::TwoPhase;
use super::{Gossip, Transfer, check_side, lower_bound, simulator, theorem_1};
use crate::cost::{By, Exact, Limits, Published, Simulated};
use crate::error::Error;
use crate::execution::{Emit, Event, Hints, Stage, View, What, Which};
use crate::papers;
use crate::problem::{
    At, Axis, Case, Kind, Listing, Memo, Problem, Setting, Unit, Value, coordinates, listed, needed,
};

const SIDE: Axis = Axis::new(
    "n",
    &["n_side_nodes"],
    Kind::Count,
    "side n of the mesh",
    "side of the square mesh",
);

/// A message from every node to every other on an n x n mesh of half-duplex links.
pub const MESH_GOSSIP: Problem = Problem {
    unit: Unit::Steps,
    limits: &[
        [
            "gossip-two-phase",
            "n = 2^32 - 1",
            "refused: a side has 32 bits",
        ],
        [
            "gossip-coupled, gossip-optimal",
            "n = 128",
            "refused: the number of steps was checked by execution up to n = 128 and is not proved beyond",
        ],
    ],
    ..Problem::new(
        [
            "mesh-gossip",
            "Gossip on an n x n mesh of half-duplex links",
        ],
        &[SIDE],
        &[&[("n", 8)]],
        &GOSSIPS,
    )
};

/// The algorithms.
pub static GOSSIPS: Listing<dyn Gossip, u32> = Listing {
    point,
    entries: listed! {
        "gossip-two-phase" => TwoPhase, (papers::GOSSIP, "section 3, figures 1 to 3"):
            "rows and columns broadcast, then gossip what they got";
        "gossip-coupled" => Coupled, (papers::OWN, "mesh::gossip::coupled"):
            "the same routes without phases, farthest to go first";
        "gossip-optimal" => Optimal, (papers::OWN, "mesh::gossip::optimal"):
            "a row, every other column, leaves between: no link is ever idle";
    },
};

fn point(_: &Setting, values: &[Value]) -> Result<u32, Error> {
    let [n] = coordinates(values)?;
    check_side(needed("n", n)?)
}

impl Case for At<dyn Gossip, u32> {
    fn describe(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let n = self.point;
        writeln!(
            out,
            "{n}x{n} mesh, half-duplex links: one message in one direction per link and step"
        )
    }

    fn analytic(&self, _: &mut Memo) -> Result<Option<(Exact, By)>, Error> {
        let steps = self.algorithm.steps(self.point)?;
        Ok(Some((Exact::Integer(steps), By::Formula)))
    }

    fn lower_bound(&self, _: &mut Memo) -> Result<Exact, Error> {
        Ok(Exact::Integer(lower_bound(self.point)))
    }

    fn published(&self) -> Vec<Published> {
        let (algorithm, n) = (self.algorithm, self.point);
        algorithm
            .published(n)
            .into_iter()
            .chain(theorem_1(n))
            .collect()
    }

    fn too_large(&self, limits: &Limits) -> Option<String> {
        let (algorithm, n) = (self.algorithm, self.point);
        let nodes = u128::from(n) * u128::from(n);
        let transfers = nodes * nodes.saturating_sub(1);
        let most = algorithm.most_side();
        if n > most {
            Some(format!(
                "n = {n} is above the side of {most} up to which this gossip is simulated"
            ))
        } else if transfers > u128::from(limits.hops) {
            Some(format!(
                "gossip at n = {n} takes {transfers} transfers, above the {} that are simulated",
                limits.hops
            ))
        } else {
            None
        }
    }

    /// Every transfer is executed.
    fn work(&self) -> u64 {
        u64::from(self.point).saturating_pow(4).saturating_mul(2)
    }

    fn execute(&self, _: &Which, emit: Emit<'_>) -> Result<Stage, Error> {
        let (algorithm, n) = (self.algorithm, self.point);
        let mut transfers = 0..;
        simulator::observe(n, algorithm.schedule(n)?.as_mut(), |step, sent| {
            let (what, start, end) = (What::Cross, step - 1, step);
            for (
                &Transfer {
                    from: node,
                    to: peer,
                    message: item,
                },
                transfer,
            ) in sent.iter().zip(&mut transfers)
            {
                emit(Event {
                    start,
                    end,
                    node,
                    what,
                    port: 0,
                    peer,
                    transfer,
                    item,
                    class: 0,
                    size: 0,
                });
            }
        })?;
        // `too_large` has refused a side whose square needs more than 32 bits.
        let nodes = n.saturating_mul(n);
        let stage = Stage {
            mesh: Some((n, n)),
            item: "message",
            items: nodes,
            ..Stage::new(nodes)
        };
        let subtitle = format!("node (x, y) and its message have number {n}y + x");
        Ok(stage.drawn(Hints::new(
            View::Steps,
            format!("gossip on the {n}x{n} mesh"),
            subtitle,
        )))
    }

    fn simulate(&self) -> Result<Simulated, Error> {
        let (algorithm, n) = (self.algorithm, self.point);
        Ok(Simulated::Exact(
            simulator::simulate(n, algorithm.schedule(n)?.as_mut())?.last,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::{Agreement, Evaluation};
    use crate::mesh::gossip::coupled::Coupled;
    use crate::mesh::gossip::optimal::Optimal;
    use crate::mesh::gossip::two_phase::TwoPhase;
    use crate::mesh::gossip::{MAX_CHECKED, Rounds, Transfer};
    use crate::violation::Rule;

    #[test]
    fn bad_sides_are_refused() {
        assert!(matches!(
            check_side(0),
            Err(Error::Parameter { symbol: "n", .. })
        ));
        assert!(matches!(
            check_side(1 << 32),
            Err(Error::Parameter { symbol: "n", .. })
        ));
        assert_eq!(check_side(u64::from(u32::MAX)), Ok(u32::MAX));
        for algorithm in [&TwoPhase as &dyn Gossip, &Coupled, &Optimal] {
            assert!(evaluate(algorithm, 0, &Limits::default()).is_err());
        }
    }

    #[test]
    fn a_cost_is_stated_as_far_as_it_is_known() {
        let none = Limits {
            nodes: 0,
            hops: u64::MAX,
        };
        let n = u128::from(u32::MAX);
        let evaluation = evaluate(&TwoPhase, u64::from(u32::MAX), &none).unwrap();
        assert_eq!(
            evaluation.analytic.unwrap().to_string(),
            ((n * n + 3 * n - 4) / 2).to_string()
        );
        assert_eq!(
            evaluation.lower_bound.to_string(),
            (n * (n + 1) / 2).to_string()
        );
        for (algorithm, steps) in [
            (&Coupled as &dyn Gossip, 128 * 129 / 2 + 63),
            (&Optimal, 128 * 129 / 2),
        ] {
            assert_eq!(algorithm.steps(MAX_CHECKED), Ok(steps));
            assert!(matches!(
                algorithm.steps(MAX_CHECKED + 1),
                Err(Error::Parameter { symbol: "n", .. })
            ));
        }
    }

    #[test]
    fn a_point_is_simulated_up_to_the_limit() {
        // 16 * 15 transfers at n = 4.
        for (hops, simulated) in [(239, false), (240, true)] {
            let limits = Limits { nodes: 0, hops };
            assert_eq!(is_simulated(&TwoPhase, 4, &limits), simulated);
            let agreement = evaluate(&TwoPhase, 4, &limits).unwrap().agreement();
            assert_eq!(
                agreement,
                if simulated {
                    Agreement::Agree
                } else {
                    Agreement::NotCompared
                }
            );
        }
        let limits = Limits {
            nodes: 0,
            hops: u64::MAX,
        };
        assert!(is_simulated(&TwoPhase, 256, &limits) && !is_simulated(&TwoPhase, 257, &limits));
        assert!(is_simulated(&Optimal, 128, &limits) && !is_simulated(&Optimal, 129, &limits));
        assert!(
            !is_simulated(&TwoPhase, 0, &limits) && !is_simulated(&TwoPhase, u64::MAX, &limits)
        );
    }

    /// Takes one step by its formula; its schedule has none.
    struct Wrong;

    impl Gossip for Wrong {
        fn steps(&self, _: u32) -> Result<u64, Error> {
            Ok(1)
        }

        fn schedule(&self, _: u32) -> Result<Box<dyn Rounds>, Error> {
            const NOTHING: &[Vec<Transfer>] = &[];
            Ok(Box::new(NOTHING.iter()))
        }
    }

    #[test]
    fn a_rejected_schedule_is_an_error() {
        let missing = Rule::Missing.broken("3 of 4 nodes never get message 0, node 1 among them");
        assert_eq!(evaluate(&Wrong, 2, &Limits::default()), Err(missing.into()));
    }

    fn evaluate(
        algorithm: &'static dyn Gossip,
        n: u64,
        limits: &Limits,
    ) -> Result<Evaluation, Error> {
        let point = check_side(n)?;
        At { algorithm, point }.costs(limits)
    }

    fn is_simulated(algorithm: &'static dyn Gossip, n: u64, limits: &Limits) -> bool {
        check_side(n).is_ok_and(|point| At { algorithm, point }.too_large(limits).is_none())
    }
}
