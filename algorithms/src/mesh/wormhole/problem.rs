//! Routing with worms as a problem: axes, schemes, and one of them at one point.

use std::collections::HashMap;
use std::fmt;

use num_bigint::BigInt;
use num_rational::BigRational;

use super::simulator::{Hold, Simulator};
use super::u_mesh::UMesh;
use super::unicasts::Unicasts;
use super::{Scheme, Timing, Worm, WormholePoint, paths};
use crate::cost::{By, Evaluation, Exact, Limits, Simulated};
use crate::error::Error;
use crate::execution::{Emit, Event, Hints, Stage, What, Which};
use crate::mesh::draws::Draws;
use crate::mesh::labelling::Mesh;
use crate::mesh::{Sampling, axes, chosen, network, numbered, stage};
use crate::papers;
use crate::problem::{
    At, Axis, Case, Kind, Listing, Memo, Problem, Refused, Setting, Value, coordinates, listed,
    needed,
};
use crate::text::{grouped, plural};

const PORTS: Axis = Axis::new(
    "k",
    &["k_ports"],
    Kind::Count,
    "ports k",
    "ports: how many worms a node sends at once",
)
.or(1);

const MULTICASTS: Axis = Axis::new(
    "m",
    &["m_messages"],
    Kind::Count,
    "multicasts m at once",
    "multicasts that begin at once",
)
.or(1);

const fn timing(
    key: &'static str,
    long: &'static str,
    columns: &'static [&'static str],
    title: &'static str,
    meaning: &'static str,
) -> Axis {
    Axis {
        long: Some(long),
        ..Axis::new(key, columns, Kind::Time, title, meaning)
    }
}

const U_MESH_PAPER: &str =
    "McKinley, Xu, Esfahanian, Ni 1994, Unicast-based multicast in wormhole-routed networks";

/// m random multicasts to K destinations each on a mesh with wormhole switching.
pub const WORMHOLE_MULTICAST: Problem = Problem {
    fractions: true,
    limits: &[[
        "worms",
        "a mesh of 16,384 nodes; 10^8 destinations over all trials and multicasts; startup and flits 2^40, a hop 2^24",
        "refused, with the largest valid value",
    ]],
    ..Problem::new(
        [
            "wormhole-multicast",
            "Multicast on a mesh with wormhole switching",
        ],
        &[
            axes::SIDES,
            axes::DESTINATIONS,
            PORTS,
            MULTICASTS,
            timing(
                "t_s",
                "startup",
                &["startup_time"],
                "startup t_s, in time units",
                "startup of a message, t_s",
            ),
            timing(
                "t_h",
                "hop",
                &["hop_time"],
                "hop t_h, in time units",
                "time that a hop of the header takes, t_h",
            ),
            timing(
                "t_f",
                "flit",
                &["flit_time"],
                "flit t_f, in time units",
                "time that each further flit takes, t_f",
            ),
            Axis::new(
                "flits",
                &["message_flits"],
                Kind::Count,
                "flits of a message",
                "flits of a message, without its header",
            ),
            Axis {
                columns: &["draws"],
                default: Some(1000),
                samples: false,
                ..axes::TRIALS
            },
            Axis {
                columns: &["draw_seed"],
                samples: false,
                ..axes::SEED
            },
        ],
        &[&[
            ("n", 8),
            ("K", 16),
            ("t_s", 100),
            ("t_h", 2),
            ("t_f", 1),
            ("flits", 64),
        ]],
        &SCHEMES,
    )
};

/// The algorithms.
pub static SCHEMES: Listing<dyn Scheme, WormholePoint> = Listing {
    point,
    entries: listed! {
        "worm-u-mesh" => UMesh, (U_MESH_PAPER, "figure 8, theorem 2"):
            "halving over the nodes in dimension order, unicasts that on one port never meet";
        "worm-dual-path" => paths::DUAL_PATH, (papers::MULTI_PATH, "section 4"):
            "dual-path as worms: one up the snake, one down";
        "worm-multi-path" => paths::MULTI_PATH, (papers::MULTI_PATH, "section 4"): "multi-path as worms: up to four";
        "worm-fixed-path" => paths::FIXED_PATH, (papers::MULTI_PATH, "section 4"):
            "the snake itself as worms, up and down";
        "worm-column-path" => paths::COLUMN_PATH, (papers::COLUMN_PATH, "section 4"):
            "column-path as worms: up to two a column";
        "worm-unicast" => Unicasts, (papers::FOLKLORE, "separate addressing"):
            "the source sends to one destination after the other, the farthest first";
    },
};

fn point(_: &Setting, values: &[Value]) -> Result<WormholePoint, Error> {
    let [sides, K, k, m, t_s, t_h, t_f, flits, trials, seed] = coordinates(values)?;
    let mesh = Mesh::from_sides(needed("n", sides)?)?;
    let timing = Timing::new(
        needed("t_s", t_s)?,
        needed("t_h", t_h)?,
        needed("t_f", t_f)?,
        needed("flits", flits)?,
    )?;
    let sampling = Sampling::new(needed("trials", trials)?, needed("seed", seed)?)?;
    let (ports, multicasts) = (needed("k", k)?, needed("m", m)?);
    let point = WormholePoint {
        mesh,
        K: needed("K", K)?,
        ports,
        multicasts,
        timing,
        sampling,
    };
    point.check().map(|_| point)
}

impl Case for At<dyn Scheme, WormholePoint> {
    fn why_unknown(&self) -> &'static str {
        "worms of several senders may meet, and for that there is no formula, only the simulation"
    }

    fn describe(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let point = self.point;
        let WormholePoint {
            mesh,
            K,
            ports,
            multicasts,
            timing,
            sampling,
        } = point;
        let (K, k) = (plural(K, "destination"), plural(ports, "port"));
        let (m, trials) = (
            plural(multicasts, "multicast"),
            plural(sampling.trials, "draw"),
        );
        writeln!(
            out,
            "{m} at once to {K} each on the {mesh} mesh, {k} a node; the mean over {trials}"
        )?;
        let [t_s, t_h, t_f] = [timing.startup, timing.hop, timing.flit].map(grouped);
        let flits = plural(timing.flits, "flit");
        writeln!(
            out,
            "t_s = {t_s}, t_h = {t_h}, t_f = {t_f}: over H hops {flits} take t_s + H t_h + flits t_f"
        )
    }

    fn analytic(&self, _: &mut Memo) -> Result<Option<(Exact, By)>, Error> {
        let means = means(self.algorithm, &self.point, false)?;
        Ok(means.analytic.zip(means.by))
    }

    fn lower_bound(&self, _: &mut Memo) -> Result<Exact, Error> {
        // The bound depends on the draws and not on the scheme.
        Ok(means(&Unicasts, &self.point, false)?.lower_bound)
    }

    fn too_large(&self, limits: &Limits) -> Option<String> {
        let (scheme, point) = (self.algorithm, self.point);
        let worms = u128::from(point.sampling.trials) * u128::from(point.multicasts);
        let each =
            u32::try_from(point.K).map_or(u64::MAX, |K| scheme.most_hops(point.mesh, K).max(1));
        let (hops, most) = (worms.saturating_mul(u128::from(each)), limits.hops);
        (hops > u128::from(most)).then(|| {
            format!(
                "the worms of all trials may take {hops} hops, above the {most} that are simulated"
            )
        })
    }

    /// For each link three events in a queue: a header asks for it and crosses it, and a tail leaves it.
    fn work(&self) -> u64 {
        let (scheme, point) = (self.algorithm, self.point);
        let hops = u32::try_from(point.K).map_or(u64::MAX, |K| scheme.most_hops(point.mesh, K));
        let events = hops
            .saturating_mul(point.multicasts)
            .saturating_mul(3)
            .saturating_add(1);
        point
            .sampling
            .trials
            .saturating_mul(events)
            .saturating_mul(events.max(2).ilog2().into())
    }

    fn simulate(&self) -> Result<Simulated, Error> {
        Ok(means(self.algorithm, &self.point, true)?.simulated)
    }

    /// The first draw.
    fn execute(&self, which: &Which, emit: Emit<'_>) -> Result<Stage, Error> {
        let (scheme, point) = (self.algorithm, self.point);
        let WormholePoint {
            mesh,
            ports,
            multicasts,
            timing,
            sampling,
            ..
        } = point;
        let mut simulator = Simulator::new(mesh, timing, ports).keeping_holds();
        let mut draws = Draws::new(mesh, point.check()?, sampling.seed);
        let (mut worms, mut sources, mut receivers) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..multicasts {
            let drawn = draws.next();
            // Only the first can be given.
            let given = (number == 0 && *which != Which::default())
                .then(|| chosen(mesh, point.check()?, sampling.seed, which));
            let (source, destinations) =
                given.unwrap_or_else(|| Ok((drawn.0, drawn.1.to_vec())))?;
            let own = scheme.worms(mesh, source, &destinations);
            simulator.add(source, &destinations, &own)?;
            worms.extend(own);
            sources.push(source);
            receivers.extend(destinations);
        }
        simulator.run()?;
        emit_worms(mesh, timing, &worms, &simulator, emit);
        let source = sources.first().copied().filter(|_| sources.len() == 1);
        let stage = stage(mesh, source, &receivers);
        let [t_s, t_h, t_f] = [timing.startup, timing.hop, timing.flit].map(grouped);
        let (ports, flits) = (plural(ports, "port"), plural(timing.flits, "flit"));
        let note = format!(
            "t_s = {t_s}, t_h = {t_h}, t_f = {t_f}, {flits}, {ports} a node; times in time units"
        );
        Ok(Stage {
            hints: Hints {
                note,
                ..stage.hints
            },
            ..stage
        })
    }

    fn defined(&self) -> Result<(), Error> {
        Ok(())
    }

    /// In one pass, so that the multicasts are drawn once.
    fn evaluate(&self, limits: &Limits, _: &mut Memo) -> Result<Evaluation, Refused> {
        let (scheme, point) = (self.algorithm, self.point);
        let skipped = self.too_large(limits);
        let means = means(scheme, &point, skipped.is_none()).map_err(Refused::Broken)?;
        Ok(match skipped {
            Some(reason) => Evaluation {
                simulated: Simulated::Skipped(reason),
                ..means
            },
            None => means,
        })
    }
}

/// Emits the events of worms: a send for the startup, a crossing for each link from header to tail, and receives.
fn emit_worms(mesh: Mesh, timing: Timing, worms: &[Worm], simulator: &Simulator, emit: Emit<'_>) {
    let event = |start, end, what, worm: usize, [node, peer]: [u32; 2]| {
        let [node, peer] = [node, peer].map(|label| numbered(mesh, label));
        let (transfer, class) = (
            u32::try_from(worm).unwrap_or(u32::MAX),
            network(&worms[worm].path),
        );
        Event {
            start,
            end,
            node,
            what,
            port: 0,
            peer,
            transfer,
            item: 0,
            class,
            size: 0,
        }
    };
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    // A port is free again once the tail has left the first link.
    let mut left = vec![0; worms.len()];
    for hold in simulator.holds().iter().filter(|hold| {
        worms[hold.worm]
            .path
            .starts_with(&[hold.link.0, hold.link.1])
    }) {
        left[hold.worm] = hold.end;
    }
    let mut sends: Vec<(u64, usize)> = simulator
        .flights()
        .map(|flight| flight.begun)
        .zip(0..)
        .collect();
    sends.sort_unstable();
    let mut free: HashMap<u32, Vec<u64>> = HashMap::new();
    for (start, worm) in sends {
        let path = &worms[worm].path;
        let ports = free.entry(path[0]).or_default();
        let port = ports
            .iter()
            .position(|&free| free <= start)
            .unwrap_or(ports.len());
        ports.resize(ports.len().max(port + 1), 0);
        ports[port] = left[worm];
        let send = event(
            start,
            start + timing.startup,
            What::Send,
            worm,
            [path[0], path[path.len() - 1]],
        );
        emit(Event {
            port: count(port),
            ..send
        });
    }
    let mut received = vec![0; worms.len()];
    for &Hold {
        worm,
        link: (from, to),
        start,
        end,
    } in simulator.holds()
    {
        emit(event(start, end, What::Cross, worm, [from, to]));
        let Worm { path, receivers } = &worms[worm];
        // In the order in which the worm passes them.
        if receivers.get(received[worm]) == Some(&to) {
            received[worm] += 1;
            let port = mesh
                .neighbours(to)
                .position(|node| node == from)
                .unwrap_or_default();
            let receive = event(start + timing.hop, end, What::Receive, worm, [to, path[0]]);
            emit(Event {
                port: count(port),
                ..receive
            });
        }
    }
}

/// Means over the drawn multicasts: of the lower bound, of the formula (for single multicasts, where there is one) and, if `simulates`, of
/// the simulated time.
fn means(scheme: &dyn Scheme, point: &WormholePoint, simulates: bool) -> Result<Evaluation, Error> {
    let K = point.check()?;
    let &WormholePoint {
        mesh,
        ports,
        multicasts,
        timing,
        sampling,
        ..
    } = point;
    let mut draws = Draws::new(mesh, K, sampling.seed);
    let mut simulator = Simulator::new(mesh, timing, ports);
    let (mut bound, mut simulated) = (0u128, 0u128);
    let mut analytic = (multicasts == 1).then_some(0u128);
    for _ in 0..sampling.trials {
        simulator.clear();
        let mut farthest = 0;
        for _ in 0..multicasts {
            let (source, destinations) = draws.next();
            let hops = destinations
                .iter()
                .map(|&node| mesh.distance(source, node))
                .max();
            farthest = farthest.max(hops.map_or(0, |hops| timing.undisturbed(hops.into())));
            if analytic.is_none() && !simulates {
                continue;
            }
            let worms = scheme.worms(mesh, source, destinations);
            let time = scheme.time(timing, ports, &worms);
            analytic = analytic.zip(time).map(|(sum, time)| sum + u128::from(time));
            if simulates {
                simulator.add(source, destinations, &worms)?;
            }
        }
        bound += u128::from(farthest);
        if simulates {
            simulated += u128::from(simulator.run()?);
        }
    }
    let mean = |total: u128| {
        Exact::from(BigRational::new(
            BigInt::from(total),
            BigInt::from(sampling.trials),
        ))
    };
    Ok(Evaluation {
        lower_bound: mean(bound),
        published: Vec::new(),
        by: analytic.map(|_| By::Formula),
        most: None,
        analytic: analytic.map(mean),
        simulated: Simulated::ExactMean(mean(simulated)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Sampling;
    use crate::mesh::labelling::Mesh;
    use crate::mesh::wormhole::{Timing, Worm};
    use crate::violation::{Rule, Violation};

    /// Takes one time unit by its formula; sends no worm.
    struct Wrong;

    impl Scheme for Wrong {
        fn worms(&self, _: Mesh, _: u32, _: &[u32]) -> Vec<Worm> {
            Vec::new()
        }

        fn time(&self, _: Timing, _: u64, _: &[Worm]) -> Option<u64> {
            Some(1)
        }

        fn most_hops(&self, _: Mesh, _: u32) -> u64 {
            1
        }
    }

    #[test]
    fn rejected_worms_are_an_error() {
        let (mesh, timing) = (Mesh::new(3, 3).unwrap(), Timing::new(1, 1, 1, 1).unwrap());
        let sampling = Sampling { trials: 3, seed: 1 };
        let point = WormholePoint {
            mesh,
            K: 2,
            ports: 1,
            multicasts: 1,
            timing,
            sampling,
        };
        let wrong = At::<dyn Scheme, _> {
            algorithm: &Wrong,
            point,
        };
        let missed = wrong.costs(&Limits::default()).unwrap_err();
        let rule = missed
            .violation()
            .map(|violation: &Violation| violation.rule);
        assert_eq!(rule, Some(Rule::Missing), "{missed:?}");
    }
}
