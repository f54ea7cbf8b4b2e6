//! Broadcast with duplex ports, and the names that it had as a problem of its own: they stay valid in command lines, configurations,
//! baselines and results.

use std::fmt;

use super::cut::{self, Instance};
use super::program::MAX_PORTS;
use super::split_binary::SplitBinary;
use super::{Broadcast, bounds, simulator};
use crate::collectives::broadcast::Tree;
use crate::cost::{Exact, LARGEST, Limits, Simulated};
use crate::engine::Machine;
use crate::error::{Error, refuse_if};
use crate::execution::{self, Emit, Hints, Stage, View, Which};
use crate::logp::{Levels, LogP, Profile, axes};
use crate::papers;
use crate::problem::{
    Axis, Carrier, Kind, Listed, Problem, Run, Scope, Setting, Unit, Value, coordinates, listed,
    needed,
};
use crate::text::{grouped, plural, size};

/// One message of n words in m segments from one node to all of K under LogP, with k ports each.
#[derive(Debug)]
pub struct PipelinedBroadcast;

/// The instance and its machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PipelinedPoint {
    /// The machine.
    pub machine: Machine,
    /// Nodes, words, ports and segments; each at least 1.
    pub instance: Instance,
}

const WORDS: Axis = Axis {
    scope: Scope::Model,
    ..Axis::new(
        "n",
        &["n_words"],
        Kind::Count,
        "words n",
        "words of the message",
    )
};

const PORTS: Axis = Axis::new(
    "k",
    &["k_ports"],
    Kind::Count,
    "ports k",
    "ports: how many sends of a node run at once",
)
.or(1);

const SEGMENTS: Axis = Axis {
    is_open: true,
    ..Axis::new(
        "m",
        &["m_segments"],
        Kind::Count,
        "segments m",
        "into how many segments the message is cut, at most",
    )
};

/// Where the algorithms of former names are described.
const FORMER: (&str, &str) = (papers::FOLKLORE, "a former name");

/// Whether duplex ports are defined on a machine.
///
/// # Errors
/// [`Error::Parameter`] where ranks share nics.
pub fn check(profile: Profile) -> Result<(), Error> {
    if profile
        .levels()
        .is_some_and(|levels| levels.nics().is_some())
    {
        let expected =
            "expected one without `nics`: ranks share them over strict ports, one for each rank";
        return Err(Error::parameter(
            "machine",
            "a machine with `nics`",
            expected,
        ));
    }
    Ok(())
}

impl Problem for PipelinedBroadcast {
    const NAME: &'static str = "pipelined-broadcast";
    const NOW: Option<[&'static str; 3]> = Some(["broadcast", "ports", "duplex"]);
    const TITLE: &'static str = "Broadcast of one message in m segments under LogP";
    const AXES: &'static [Axis] = &[
        axes::MACHINE,
        axes::BYTES,
        axes::L,
        axes::O,
        axes::G,
        axes::NODES,
        WORDS,
        PORTS,
        SEGMENTS,
    ];
    const UNIT: Unit = Unit::Time;
    const FIRST: u32 = 1;
    const LIMITS: &'static [[&'static str; 3]] = &[
        [
            "pipelined broadcasts",
            "K, n, k and m = 2^64 - 1",
            "the cost does not fit in 64 bits",
        ],
        [
            "segmented-optimal",
            "a hop of a segment of about 100 gaps",
            "refused after one or two seconds if the tree has more than 2^20 kinds of subtrees",
        ],
        [
            "simulation in segments, with any options",
            "2^22 deliveries",
            "no simulated cost; the answer says why",
        ],
    ];
    const EXAMPLES: &'static [&'static [Value]] = &[
        &[
            None,
            None,
            Some(6),
            Some(2),
            Some(4),
            Some(8),
            Some(64),
            Some(1),
            Some(16),
        ],
        &[
            None,
            None,
            Some(6),
            Some(2),
            Some(4),
            Some(8),
            Some(64),
            Some(1),
            Some(1),
        ],
    ];
    const ENTRIES: &'static [Listed<dyn Broadcast>] = listed! {
        "segmented-chain" => Tree::CHAIN, FORMER: "broadcast-chain with duplex ports";
        "segmented-flat" => Tree::FLAT, FORMER: "broadcast-flat with duplex ports";
        "segmented-binary" => Tree::BINARY, FORMER: "broadcast-binary with duplex ports";
        "segmented-binomial" => Tree::BINOMIAL, FORMER: "broadcast-binomial with duplex ports";
        "segmented-bmtree" => Tree::BMTREE, FORMER: "broadcast-bmtree with duplex ports";
        "segmented-k-nomial-4" => Tree::K_NOMIAL_4, FORMER: "broadcast-k-nomial-4 with duplex ports";
        "segmented-halving" => Tree::HALVING, FORMER: "broadcast-halving with duplex ports";
        "segmented-fibonacci" => Tree::FIBONACCI, FORMER: "broadcast-fibonacci with duplex ports";
        "segmented-optimal" => Tree::OPTIMAL, FORMER: "broadcast-optimal with duplex ports";
        "split-binary" => SplitBinary, FORMER: "broadcast-split-binary with duplex ports";
    };

    type Point = PipelinedPoint;
    type Algorithm = dyn Broadcast;
    type Memo = ();

    fn point(setting: &Setting, values: &[Value]) -> Result<PipelinedPoint, Error> {
        let [machine, bytes, L, o, g, K, n, k, m] = coordinates(values)?;
        let size = if machine.is_some() {
            needed("bytes", bytes)?
        } else {
            needed("n", n)?
        };
        let instance = Instance {
            K: needed("K", K)?,
            n: size,
            k: needed("k", k)?,
            m: needed("m", m)?,
        };
        instance.check()?;
        let machine = match machine {
            Some(machine) => {
                let profile = setting.profile(machine)?.of_ranks(instance.K);
                profile
                    .levels()
                    .map_or(Ok(()), |levels| levels.check(instance.K))?;
                check(profile)?;
                Machine::LogGops(profile)
            }
            None => Machine::Words(LogP::new(
                needed("L", L)?,
                needed("o", o)?,
                needed("g", g)?,
            )?),
        };
        Ok(PipelinedPoint { machine, instance })
    }

    fn model(PipelinedPoint { machine, instance }: PipelinedPoint) -> Option<LogP> {
        machine.profile_at(instance.n)
    }

    fn describe(
        PipelinedPoint { machine, instance }: PipelinedPoint,
        out: &mut dyn fmt::Write,
    ) -> fmt::Result {
        let Instance { K, n, k, .. } = instance;
        let cut = instance.cut();
        let in_bytes = matches!(machine, Machine::LogGops(_));
        let size = |words: u64| {
            if in_bytes {
                size(words)
            } else {
                plural(words, "word")
            }
        };
        writeln!(
            out,
            "{} to {} (the source counts), {} each",
            size(n),
            plural(K, "node"),
            plural(k, "port")
        )?;
        let rest = if cut.last < cut.words {
            format!(", the last of {}", size(cut.last))
        } else {
            String::new()
        };
        writeln!(
            out,
            "{} of {}{rest}",
            plural(cut.segments, "segment"),
            size(cut.words)
        )?;
        let Ok(model) = machine.at(cut.words) else {
            return Ok(());
        };
        let [D, gap] = [model.D(), model.gap()].map(grouped);
        writeln!(
            out,
            "a segment's hop takes {D}, two of them leave a port {gap} apart"
        )
    }

    fn analytic(
        algorithm: &dyn Broadcast,
        point: PipelinedPoint,
        (): &mut (),
    ) -> Result<Option<Exact>, Error> {
        let levels = point.machine.levels();
        refuse_if!(algorithm.crosses() && levels.is_some_and(Levels::has_exchange), "machine" = "a machine with `x`" =>
            "expected one without `x`, or an algorithm whose messages do not cross: x is defined for strict ports");
        // Formulas hold where all nodes are equally near.
        let is_flat = levels.is_none();
        algorithm
            .time(point.machine, point.instance)
            .map(|time| is_flat.then_some(Exact::Integer(time)))
    }

    fn why_unknown(_: &dyn Broadcast, _: PipelinedPoint) -> &'static str {
        "no formula holds where messages see several machines; only an execution is exact"
    }

    fn bounds(
        _: &dyn Broadcast,
        PipelinedPoint { machine, instance }: PipelinedPoint,
    ) -> Option<[u64; 2]> {
        bounds::least_time(machine, instance)
            .ok()
            .map(|least| [least, LARGEST])
    }

    fn lower_bound(
        PipelinedPoint { machine, instance }: PipelinedPoint,
        (): &mut (),
    ) -> Result<Exact, Error> {
        bounds::least_time(machine, instance).map(Exact::Integer)
    }

    fn bound_name(point: PipelinedPoint) -> Option<&'static str> {
        Some(bounds::named(point.instance.n))
    }

    fn is_free(PipelinedPoint { machine, .. }: PipelinedPoint) -> bool {
        machine.is_free()
    }

    fn too_large(_: &dyn Broadcast, point: PipelinedPoint, limits: &Limits) -> Option<String> {
        too_large(point.instance, limits)
    }

    /// Every delivery is a send and a receive, which are sorted.
    fn work(_: &dyn Broadcast, PipelinedPoint { instance, .. }: PipelinedPoint) -> u64 {
        let operations = instance
            .cut()
            .segments
            .saturating_mul(instance.K)
            .saturating_mul(2);
        operations.saturating_mul(operations.max(2).ilog2().into())
    }

    fn simulate(algorithm: &dyn Broadcast, point: PipelinedPoint) -> Result<Simulated, Error> {
        let PipelinedPoint { machine, instance } = point;
        Ok(Simulated::Exact(simulator::simulate(
            machine,
            instance,
            algorithm.program(machine, instance)?,
        )?))
    }

    /// The whole message and segments of each power of two, at least 256 bytes or a word.
    fn cuts(_: &dyn Broadcast, values: &[Value]) -> Vec<Box<[Value]>> {
        let Ok([machine, bytes, L, o, g, K, n, k, m]) = coordinates(values) else {
            return Vec::new();
        };
        let (Some(size), None) = (bytes.or(n), m) else {
            return vec![values.into()];
        };
        let of = |size: u64, m: u64| -> Box<[Value]> {
            let [bytes, n] = [bytes, n].map(|own| own.map(|_| size));
            Box::new([machine, bytes, L, o, g, K, n, k, Some(m)])
        };
        cut::numbers(size, machine.is_some())
            .map(|m| of(size, m))
            .collect()
    }

    fn piece(_: &dyn Broadcast, point: PipelinedPoint) -> Option<u64> {
        Some(point.instance.cut().words)
    }

    /// Segments, and halves where they are exchanged.
    fn sizes(
        algorithm: &dyn Broadcast,
        PipelinedPoint { instance, .. }: PipelinedPoint,
    ) -> Option<[u64; 2]> {
        let cut = instance.cut();
        let half = instance.n - cut.segments / 2 * cut.words;
        Some([
            cut.last,
            if algorithm.crosses() {
                half.max(cut.words)
            } else {
                cut.words
            },
        ])
    }

    fn program(
        algorithm: &dyn Broadcast,
        point: PipelinedPoint,
        _: Carrier,
    ) -> Option<Result<Run, Error>> {
        let PipelinedPoint { machine, instance } = point;
        Some(
            algorithm
                .program(machine, instance)
                .map(|program| (machine, program)),
        )
    }

    fn execute(
        algorithm: &dyn Broadcast,
        point: PipelinedPoint,
        _: &Which,
        emit: Emit<'_>,
    ) -> Result<Stage, Error> {
        let PipelinedPoint { machine, instance } = point;
        let program = algorithm.program(machine, instance)?;
        let finish = execution::of_program(machine, &program, &|_, event| event, emit)?;
        let stage = Stage {
            source: Some(0),
            item: "segment",
            ..Stage::new(program.processors(), Self::UNIT)
        };
        Ok(stage.drawn(hints(point, finish)))
    }

    fn steps(algorithm: &dyn Broadcast, point: PipelinedPoint, most: usize) -> usize {
        algorithm.steps(point.machine, point.instance, most)
    }
}

fn hints(PipelinedPoint { machine, instance }: PipelinedPoint, finish: u64) -> Hints {
    let (size, on) = match machine {
        Machine::LogGops(_) => (size(instance.n), "times in ns".to_owned()),
        Machine::Words(model) | Machine::LogP(model) => {
            let [L, o, g] = [model.L(), model.o(), model.g()].map(grouped);
            (
                plural(instance.n, "word"),
                format!("L = {L}, o = {o}, g = {g}"),
            )
        }
    };
    let segments = plural(instance.cut().segments, "segment");
    let title = format!(
        "{size} in {segments} to {}, {} each",
        plural(instance.K, "node"),
        plural(instance.k, "port")
    );
    Hints::new(
        View::Messages,
        title,
        format!("{on}; it ends at {}", grouped(finish)),
    )
}

/// Most deliveries of a broadcast that is executed, whatever the limits: about 140 bytes each.
const MAX_DELIVERIES: u64 = 1 << 22;

/// Why a broadcast is not executed, if it is too large.
fn too_large(instance: Instance, limits: &Limits) -> Option<String> {
    let Instance { K, k, .. } = instance;
    let above = |what: String, most: u64, of: &str| {
        Some(format!(
            "{what} is above the {most} {of} that are simulated"
        ))
    };
    let most = limits.nodes.min(Limits::MAX_NODES);
    if K > most {
        return above(format!("K = {K}"), most, "nodes");
    }
    // A single source delivers nothing, but holds all segments.
    let (product, receivers) = if K > 1 { ("c*(K-1)", K - 1) } else { ("c", 1) };
    let deliveries = u128::from(instance.cut().segments) * u128::from(receivers);
    let most = limits.hops.min(MAX_DELIVERIES);
    if deliveries > most.into() {
        return above(format!("{product} = {deliveries}"), most, "deliveries");
    }
    if u128::from(k).min(deliveries) > MAX_PORTS.into() {
        return above(format!("k = {k}"), MAX_PORTS, "ports");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Fault;
    use crate::engine::builder::Builder;
    use crate::engine::program::{Operation, Program};
    use crate::logp::multicast::schedule::Schedule;
    use crate::logp::{Level, Levels, LogGops, Placement, Profile};

    /// Takes one time unit by its formula; each of its two processors waits for the other's message.
    struct Wrong;

    impl Broadcast for Wrong {
        fn time(&self, _: Machine, _: Instance) -> Result<u64, Error> {
            Ok(1)
        }

        fn program(&self, _: Machine, _: Instance) -> Result<Program, Error> {
            let mut builder = Builder::new(2)?;
            for (processor, other) in [(0, 1), (1, 0)] {
                builder.begin(processor)?;
                builder.push(Operation::Receive {
                    from: other,
                    tag: 0,
                    bytes: 1,
                })?;
                builder.push(Operation::Send {
                    to: other,
                    tag: 0,
                    bytes: 1,
                })?;
            }
            Ok(builder.in_order()?)
        }
    }

    fn machine() -> Machine {
        Machine::LogP(LogP::new(6, 2, 4).unwrap())
    }

    #[test]
    fn rejected_programs_are_an_error() {
        let point = PipelinedPoint {
            machine: machine(),
            instance: Instance {
                K: 2,
                n: 1,
                k: 1,
                m: 1,
            },
        };
        let stuck = PipelinedBroadcast::at(&Wrong, point, &Limits::default()).unwrap_err();
        assert!(
            matches!(stuck.violation(), Some(Fault::Deadlock { blocked: 2, .. })),
            "{stuck:?}"
        );
    }

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

    fn of_two_levels(inner: LogGops, placement: Placement) -> Machine {
        let inner = vec![Level {
            ranks: 3,
            machine: inner,
        }];
        Machine::LogGops(Profile::Levels(
            Levels::new(inner, FAR, placement, None).unwrap(),
        ))
    }

    fn instances() -> impl Iterator<Item = Instance> {
        (1..=11).flat_map(|K| {
            [1, K, 5].map(|m| Instance {
                K,
                n: 2 * K * 5 * 7,
                k: 1,
                m,
            })
        })
    }

    #[test]
    fn equal_levels_cost_what_the_formulas_say() {
        for (listed, instance) in PipelinedBroadcast::ENTRIES
            .iter()
            .flat_map(|listed| instances().map(move |instance| (listed, instance)))
        {
            let Ok(time) = listed
                .algorithm
                .time(Machine::LogGops(FAR.into()), instance)
            else {
                continue;
            };
            let point = PipelinedPoint {
                machine: of_two_levels(FAR, Placement::RoundRobin),
                instance,
            };
            let found =
                PipelinedBroadcast::at(listed.algorithm, point, &Limits::default()).unwrap();
            assert_eq!(
                found.simulated,
                Simulated::Exact(time),
                "{} {instance:?}",
                listed.name
            );
        }
    }

    /// When the last node holds the last segment of a tree: a node sends each as soon as it holds it, a gap after the one before.
    fn followed(machine: Machine, instance: Instance, tree: &Schedule) -> u64 {
        let (cut, nodes) = (instance.cut(), tree.nodes());
        let mut held = vec![vec![0; usize::try_from(cut.segments).unwrap()]; nodes as usize + 1];
        let mut order = vec![tree.source()];
        while let Some(node) = order.pop() {
            let mut free = 0;
            for segment in 0..cut.segments {
                for &child in tree.targets(node) {
                    let index = usize::try_from(segment).unwrap();
                    let levels = machine.levels().unwrap();
                    let level = levels.between(nodes.into(), node - 1, child - 1);
                    let model = levels.at(level).at(cut.size(segment)).unwrap();
                    let start = held[node as usize][index].max(free);
                    free = start + model.gap();
                    held[child as usize][index] = start + model.D();
                }
            }
            order.extend(tree.targets(node));
        }
        held.into_iter().flatten().max().unwrap()
    }

    /// The tree that the sends of a program form.
    fn tree(broadcast: &dyn Broadcast, machine: Machine, instance: Instance) -> Option<Schedule> {
        let program =
            (!broadcast.crosses()).then(|| broadcast.program(machine, instance).unwrap())?;
        let sends = (0..program.processors())
            .flat_map(|from| program.range(from).map(move |send| (from, send)));
        let of_first = sends.filter_map(|(from, send)| match program.operation(send) {
            Operation::Send { to, tag: 0, .. } => Some((from + 1, to + 1)),
            _ => None,
        });
        Some(Schedule::from_sends(
            program.processors(),
            1,
            &of_first.collect::<Vec<_>>(),
        ))
    }

    #[test]
    fn trees_on_levels_by_following_every_send() {
        for placement in [Placement::Block, Placement::RoundRobin] {
            let machine = of_two_levels(NEAR, placement);
            for (listed, instance) in PipelinedBroadcast::ENTRIES
                .iter()
                .flat_map(|listed| instances().map(move |instance| (listed, instance)))
            {
                let Some(tree) = tree(listed.algorithm, machine, instance) else {
                    continue;
                };
                let found = PipelinedBroadcast::at(
                    listed.algorithm,
                    PipelinedPoint { machine, instance },
                    &Limits::default(),
                );
                let expected = Simulated::Exact(followed(machine, instance, &tree));
                assert_eq!(
                    found.unwrap().simulated,
                    expected,
                    "{} {instance:?}",
                    listed.name
                );
            }
        }
    }

    /// 300 children on as many ports: the engine has 256.
    #[test]
    fn ports_that_the_engine_cannot_number_are_refused() {
        let ports = Tree::FLAT
            .program(
                machine(),
                Instance {
                    K: 400,
                    n: 1,
                    k: 300,
                    m: 1,
                },
            )
            .err();
        assert_eq!(
            ports,
            Some(
                Fault::TooLarge {
                    what: "ports of a node",
                    most: MAX_PORTS
                }
                .into()
            )
        );
    }
}
