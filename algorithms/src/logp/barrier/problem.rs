//! Barrier under LogP as a problem: its axes, its algorithms, and one of them at one point.

use std::fmt;

use super::dissemination::Dissemination;
use super::linear::Linear;
use super::{Barrier, simulator};
use crate::cost::{Exact, Limits, Simulated};
use crate::engine::Machine;
use crate::error::Error;
use crate::execution::{self, Event, Hints, Stage, View, Which};
use crate::logp::multicast::optimal;
use crate::logp::{LogP, axes};
use crate::papers;
use crate::problem::{Axis, Carrier, Listed, Problem, Run, Setting, Unit, Value, coordinates, needed};
use crate::text::{grouped, plural};

/// A barrier of K ranks under LogP.
#[derive(Debug)]
pub struct LogpBarrier;

/// How many ranks on which machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// The machine.
    pub model: LogP,
    /// Ranks; at least 1.
    pub K: u64,
}

/// Most ranks of a barrier that is executed: which ranks each knows to have entered takes K^2 bits, twice.
const MAX_EXECUTED: u64 = 1 << 13;

const DISSEMINATION_PAPER: &str = "Hensgen, Finkel, Manber 1988, Two algorithms for barrier synchronization";

impl Problem for LogpBarrier {
    const NAME: &'static str = "logp-barrier";
    const TITLE: &'static str = "Barrier under LogP";
    const AXES: &'static [Axis] =
        &[axes::L, axes::O, axes::G, Axis { title: "ranks K", meaning: "ranks", ..axes::NODES }];
    const UNIT: Unit = Unit::Time;
    const EXAMPLES: &'static [&'static [Value]] = &[&[Some(6), Some(2), Some(4), Some(18)]];
    const ENTRIES: &'static [Listed<dyn Barrier>] = &[
        Listed::new(
            "barrier-dissemination",
            "in round r every rank tells the rank 2^r further on what it knows",
            (DISSEMINATION_PAPER, "section 3"),
            &Dissemination,
        ),
        Listed::new(
            "barrier-linear",
            "every rank reports to rank 0, which releases every rank",
            (papers::FOLKLORE, "Open MPI: basic linear"),
            &Linear,
        ),
    ];

    type Point = Point;
    type Algorithm = dyn Barrier;
    type Memo = ();

    fn point(_: &Setting, values: &[Value]) -> Result<Point, Error> {
        let [L, o, g, K] = coordinates(values)?;
        let model = LogP::new(needed("L", L)?, needed("o", o)?, needed("g", g)?)?;
        match needed("K", K)? {
            0 => Err(Error::parameter("K", 0, "expected at least 1; a barrier of 1 rank waits for none")),
            K => Ok(Point { model, K }),
        }
    }

    fn describe(Point { model, K }: Point, out: &mut dyn fmt::Write) -> fmt::Result {
        writeln!(out, "{}, all of which enter at time 0", plural(K, "rank"))?;
        let [L, o, g, D, gap] = [model.L(), model.o(), model.g(), model.D(), model.gap()].map(grouped);
        writeln!(out, "L = {L}, o = {o}, g = {g}: a hop D = L+2o = {D}, sends g' = max(g, o) = {gap} apart")
    }

    fn analytic(algorithm: &dyn Barrier, point: Point, (): &mut ()) -> Result<Option<Exact>, Error> {
        algorithm.time(point.model, point.K).map(|time| Some(Exact::Integer(time)))
    }

    /// That a rank has entered must reach all others, which no multicast does sooner.
    fn lower_bound(point: Point, (): &mut ()) -> Result<Exact, Error> {
        optimal::time(point.model, point.K).map(Exact::Integer)
    }

    fn too_large(_: &dyn Barrier, Point { K, .. }: Point, limits: &Limits) -> Option<String> {
        let most = limits.nodes.min(MAX_EXECUTED);
        (K > most).then(|| format!("K = {K} is above the {most} ranks that are simulated"))
    }

    /// A message to and from every rank, or one for each power of two.
    fn work(_: &dyn Barrier, Point { K, .. }: Point) -> u64 {
        K.saturating_mul((u64::BITS - K.leading_zeros()).into())
    }

    fn simulate(algorithm: &dyn Barrier, Point { model, K }: Point) -> Result<Simulated, Error> {
        // `too_large` has refused what needs more than 32 bits.
        let program = algorithm.program(u32::try_from(K).map_err(|_| Error::Overflow)?, 1)?;
        Ok(Simulated::Exact(simulator::simulate(model, &program)?))
    }

    fn program(algorithm: &dyn Barrier, point: Point, carrier: Carrier) -> Option<Result<Run, Error>> {
        let program =
            u32::try_from(point.K).map_err(|_| Error::Overflow).and_then(|K| Ok(algorithm.program(K, carrier.bytes)?));
        Some(program.map(|program| (carrier.machine(point.model), program)))
    }

    fn execute(algorithm: &dyn Barrier, point: Point, _: &Which, emit: &mut dyn FnMut(Event)) -> Result<Stage, Error> {
        let K = u32::try_from(point.K).map_err(|_| Error::Overflow)?;
        let program = algorithm.program(K, 1)?;
        simulator::simulate(point.model, &program)?;
        let finish = execution::of_program(Machine::LogP(point.model), &program, |_, event| event, emit)?;
        let [L, o, g, finish] = [point.model.L(), point.model.o(), point.model.g(), finish].map(grouped);
        let subtitle = format!("L = {L}, o = {o}, g = {g}; the last rank leaves at {finish}");
        let hints = Hints { noun: "rank", ..Hints::new(View::Timelines, plural(point.K, "rank"), subtitle) };
        Ok(Stage { item: "round", ..Stage::of(K, Self::UNIT) }.drawn(hints))
    }

    fn defined(_: &dyn Barrier, _: Point) -> Result<(), Error> {
        Ok(())
    }
}
