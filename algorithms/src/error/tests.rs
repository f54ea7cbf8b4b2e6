//! Every way in which an algorithm can have no answer, by algorithms that are wrong in that way: what a simulator refuses is
//! the error of its kind wherever an algorithm is evaluated.

use num_rational::BigRational;

use super::*;
use crate::catalogue::{ALGORITHMS, Point};
use crate::cost::Limits;
use crate::engine::program::{Builder, MAX_OPERATIONS, Operation, Program};
use crate::engine::{Failure, Fault};
use crate::logp::multicast::optimal::Neighbours;
use crate::logp::multicast::schedule;
use crate::logp::multicast::simulator::Violation;
use crate::logp::pipeline::{self, Instance, Machine, trees::Pipelined};
use crate::logp::summation::simulator as summation;
use crate::logp::{self, LogP};
use crate::mesh::gossip::simulator::Violation as GossipViolation;
use crate::mesh::gossip::{self, Gossip};
use crate::mesh::labelling::Mesh;
use crate::mesh::multicast::walk::{self, Routes};
use crate::mesh::wormhole::simulator::Violation as WormViolation;
use crate::mesh::wormhole::{self, Scheme, Setting, Timing, Worm};
use crate::mesh::{self, Sampling};
use crate::multiport;
use crate::multiport::{Broadcast, Rounds};

/// Says that everything takes one unit, and does something that is no solution.
struct Wrong;

impl logp::multicast::Multicast for Wrong {
    fn time(&self, _: LogP, _: u64, _: u64) -> Result<u64, Error> {
        Ok(1)
    }

    fn schedule(&self, _: LogP, K: u32, source: u32) -> schedule::Schedule {
        schedule::Schedule::new(K, source, &[])
    }
}

impl logp::summation::Summation for Wrong {
    fn time(&self, _: LogP, _: u64, _: u64) -> Result<u64, Error> {
        Ok(1)
    }

    fn schedule(&self, _: LogP, _: u32, operands: u64) -> Result<logp::summation::schedule::Schedule, Error> {
        let mut schedule = logp::summation::schedule::Schedule::default();
        schedule.push(operands, []);
        Ok(schedule)
    }
}

impl mesh::multicast::Multicast for Wrong {
    fn expected_links(&self, _: Mesh, _: u32) -> Option<BigRational> {
        None
    }

    fn most_links(&self, _: Mesh, _: u32) -> u64 {
        1
    }

    /// One more than there are.
    fn links(&self, mesh: Mesh, source: u32, destinations: &[u32]) -> u64 {
        mesh::multicast::unicast::Unicast.links(mesh, source, destinations) + 1
    }

    fn route(&self, mesh: Mesh, source: u32, destinations: &[u32], routes: &mut Routes) {
        mesh::multicast::unicast::Unicast.route(mesh, source, destinations, routes);
    }
}

impl Gossip for Wrong {
    fn steps(&self, _: u32) -> Result<u64, Error> {
        Ok(1)
    }

    fn schedule(&self, _: u32) -> Result<Box<dyn gossip::Steps>, Error> {
        const NOTHING: &[Vec<gossip::Transfer>] = &[];
        Ok(Box::new(NOTHING.iter()))
    }
}

struct NoRound;

impl Rounds for NoRound {
    fn round(&mut self, _: &mut Vec<multiport::Transfer>) -> bool {
        false
    }
}

impl Broadcast for Wrong {
    fn rounds(&self, _: u64, _: u64, _: u64) -> Result<u64, Error> {
        Ok(1)
    }

    fn schedule(&self, _: u32, _: u32, _: u32) -> Result<Box<dyn Rounds>, Error> {
        Ok(Box::new(NoRound))
    }
}

impl pipeline::Broadcast for Wrong {
    fn time(&self, _: Machine, _: Instance) -> Result<u64, Error> {
        Ok(1)
    }

    /// Each of two waits for the other's message.
    fn program(&self, _: Machine, _: Instance) -> Result<Program, Error> {
        let mut builder = Builder::new(2)?;
        for (processor, other) in [(0, 1), (1, 0)] {
            builder.begin(processor)?;
            builder.push(Operation::Receive { from: other, tag: 0, bytes: 1 })?;
            builder.push(Operation::Send { to: other, tag: 0, bytes: 1 })?;
        }
        Ok(builder.in_order()?)
    }
}

impl Scheme for Wrong {
    fn worms(&self, _: Mesh, _: u32, _: &[u32]) -> Vec<Worm> {
        Vec::new()
    }

    fn time(&self, _: Mesh, _: Timing, _: u64, _: u32, _: &[u32]) -> Option<u64> {
        Some(1)
    }

    fn most_hops(&self, _: Mesh, _: u32) -> u64 {
        1
    }
}

fn model() -> LogP {
    LogP::new(6, 2, 4).unwrap()
}

fn violation<T, V: std::error::Error + 'static>(found: &Result<T, Error>) -> Option<&V> {
    found.as_ref().err().and_then(Error::violation)
}

const SAMPLING: Sampling = Sampling { trials: 3, seed: 1 };

#[test]
fn what_a_simulator_refuses_is_an_error_of_its_kind() {
    let limits = Limits::default();
    let unreached = Violation::Unreached { count: 2, nodes: 3, first: 2 };
    assert_eq!(logp::multicast::evaluate(&Wrong, model(), 3, 1, &limits), Err(Error::from(unreached)));
    let left = summation::Violation::NotAdded { processor: 0, left: 4 };
    assert_eq!(logp::summation::evaluate(&Wrong, model(), 1, 5, &limits), Err(Error::from(left)));
    let missing = GossipViolation::Missing { count: 12, node: 1, message: 0 };
    assert_eq!(gossip::evaluate(&Wrong, 2, &limits), Err(Error::from(missing)));
    let missing = multiport::simulator::Violation::Missing { message: 0, count: 2, nodes: 3, first: 1 };
    assert_eq!(multiport::evaluate(&Wrong, 3, 1, 1, &limits), Err(Error::from(missing)));
    let instance = Instance { K: 2, n: 1, k: 1, m: 1 };
    let stuck = pipeline::evaluate(&Wrong, Machine::LogP(model()), instance, &limits);
    assert!(matches!(violation(&stuck), Some(Fault::Deadlock { blocked: 2, .. })), "{stuck:?}");
    let mesh = Mesh::new(3, 3).unwrap();
    let counted = mesh::multicast::evaluate(&Wrong, mesh, 2, SAMPLING, &limits);
    assert!(
        matches!(violation(&counted), Some(walk::Violation::Count { walked, formula, .. }) if walked + 1 == *formula),
        "{counted:?}"
    );
    let timing = Timing::new(1, 1, 1, 1).unwrap();
    let setting = Setting { mesh, K: 2, ports: 1, multicasts: 1, timing, sampling: SAMPLING };
    let nobody = wormhole::evaluate(&Wrong, &setting, &limits);
    assert!(matches!(violation(&nobody), Some(WormViolation::Destinations(_))), "{nobody:?}");
}

/// A cost that does not fit is one error, whichever simulator meets it first.
#[test]
fn what_does_not_fit_is_an_overflow() {
    assert_eq!(Error::from(Violation::TimeOverflow), Error::Overflow);
    assert_eq!(Error::from(summation::Violation::TimeOverflow), Error::Overflow);
    let overflow = || Fault::TimeOverflow { operation: 1, processor: 0 };
    assert_eq!(Error::from(overflow()), Error::Overflow);
    assert_eq!(Error::from(Failure::Program(overflow())), Error::Overflow);
    let refused = Error::parameter("s", 1, "expected 2");
    assert_eq!(Error::from(Failure::Machine(refused.clone())), refused);
    assert_eq!((fit(u128::from(u64::MAX)), fit(1 << 64)), (Ok(u64::MAX), Err(Error::Overflow)));
}

#[test]
fn what_the_engine_cannot_number_is_refused() {
    let processors = Builder::new(MAX_OPERATIONS + 1).err();
    assert_eq!(processors, Some(Fault::TooLarge { what: "processors", most: MAX_OPERATIONS.into() }));
    // 300 children on as many ports: the engine tells 256 apart.
    let instance = Instance { K: 400, n: 1, k: 300, m: 1 };
    let ports = pipeline::Broadcast::program(&Pipelined::FLAT, Machine::LogP(model()), instance).err();
    let most = pipeline::MAX_PORTS;
    assert_eq!(ports, Some(Error::from(Fault::TooLarge { what: "ports of a node", most })));
}

/// At a point of another problem nobody answers, in whichever way he is asked.
#[test]
fn a_point_of_another_problem_is_refused() {
    let mesh = Mesh::new(2, 2).unwrap();
    let timing = Timing::new(1, 1, 1, 1).unwrap();
    let points = [
        Point::LogpMulticast { model: model(), K: 4, source: 1 },
        Point::LogpSummation { model: model(), P: 2, operands: 40 },
        Point::MeshMulticast { mesh, K: 2, sampling: SAMPLING },
        Point::MeshGossip { n: 2 },
        Point::KPortBroadcast { n: 4, k: 1, m: 2 },
        Point::PipelinedBroadcast { machine: Machine::LogP(model()), instance: Instance { K: 4, n: 4, k: 1, m: 4 } },
        Point::WormholeMulticast(Setting { mesh, K: 2, ports: 1, multicasts: 1, timing, sampling: SAMPLING }),
    ];
    for entry in ALGORITHMS {
        let mut answered = 0;
        for point in &points {
            let found = entry.evaluate(point, &Limits::default());
            if found.is_ok() {
                answered += 1;
                assert!(entry.simulates(point, &Limits::default()), "{} at {point:?}", entry.name);
                continue;
            }
            let wrong = Error::WrongProblem { algorithm: entry.name };
            assert_eq!(found, Err(wrong.clone()), "{} at {point:?}", entry.name);
            assert_eq!(entry.analytic(point, &mut Neighbours::default()), Err(wrong), "{} at {point:?}", entry.name);
            assert!(!entry.simulates(point, &Limits::default()), "{} at {point:?}", entry.name);
        }
        assert_eq!(answered, 1, "{}", entry.name);
    }
}

/// Where the symbol is a formula, the error names the key of one axis beside it.
#[test]
fn every_refused_parameter_blames_an_axis() {
    let blamed = |error| match error {
        Error::Parameter { symbol, axis, .. } => (symbol, axis),
        other => panic!("{other}"),
    };
    assert_eq!(blamed(LogP::new(0, 0, 4).unwrap_err()), ("L + 2o", "L"));
    assert_eq!(blamed(LogP::new(u64::MAX, 1, 4).unwrap_err()), ("L + 2o", "L"));
    assert_eq!(blamed(Mesh::new(0, 3).unwrap_err()), ("mesh", "n"));
    assert_eq!(blamed("8".parse::<Mesh>().unwrap_err()), ("mesh", "n"));
    let chain = crate::multiport::chain::PipelinedChain;
    assert_eq!(blamed(chain.schedule(1 << 20, 64, 64).err().unwrap()), ("n*min(k, m)", "n"));
    assert_eq!(blamed(gossip::check_side(0).unwrap_err()), ("n", "n"));
}
