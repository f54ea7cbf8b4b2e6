//! The answer for programs: JSON.

use algorithms::catalogue::{Entry, Point};
use algorithms::cost::{Evaluation, Exact, Simulated};
use algorithms::logp::LogP;
use algorithms::logp::pipeline::{self, Instance};
use algorithms::mesh::wormhole::Setting;
use serde::{Serialize, Serializer};

use super::machine_of;
use crate::failure::{Code, Failure};
use crate::grid::Cell;

/// What `--format json` prints: these keys and no others.
#[derive(Serialize)]
struct Json<'a> {
    algorithm: &'a str,
    parameters: Parameters<'a>,
    lower_bound: JsonExact,
    published: Option<u128>,
    analytic: Option<JsonExact>,
    simulated: Option<JsonExact>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Parameters<'a> {
    Tree(Tree<'a>),
    Summation {
        L: u64,
        o: u64,
        g: u64,
        P: u64,
        operands: u64,
    },
    Mesh {
        mesh: String,
        K: u64,
        trials: u64,
        seed: u64,
    },
    Gossip {
        n: u64,
    },
    KPort {
        n: u64,
        k: u64,
        m: u64,
    },
    Pipelined {
        #[serde(skip_serializing_if = "Option::is_none")]
        machine: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        bytes: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        L: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        o: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        g: Option<u64>,
        K: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        n: Option<u64>,
        k: u64,
        m: u64,
    },
    Wormhole {
        mesh: String,
        K: u64,
        k: u64,
        m: u64,
        t_s: u64,
        t_h: u64,
        t_f: u64,
        flits: u64,
        trials: u64,
        seed: u64,
    },
}

/// The point of a multicast tree.
#[derive(Serialize)]
pub(in crate::verbs) struct Tree<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::verbs) machine: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::verbs) bytes: Option<u64>,
    pub(in crate::verbs) L: u64,
    pub(in crate::verbs) o: u64,
    pub(in crate::verbs) g: u64,
    pub(in crate::verbs) K: u64,
    pub(in crate::verbs) source: u64,
}

impl<'a> Tree<'a> {
    /// With the machine that gave the model, and the size of the message on it.
    pub(in crate::verbs) fn new(machine: Option<(&'a str, u64)>, model: LogP, K: u64, source: u64) -> Self {
        let (machine, bytes) = machine.unzip();
        Self { machine, bytes, L: model.L(), o: model.o(), g: model.g(), K, source }
    }
}

/// An integer as a number, a fraction as a string.
struct JsonExact(Exact);

impl Serialize for JsonExact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Exact::Integer(value) => serializer.serialize_u64(*value),
            fraction @ Exact::Rational(_) => serializer.collect_str(fraction),
        }
    }
}

pub(super) fn json(entry: &Entry, cell: &Cell<'_>, point: &Point, evaluation: &Evaluation) -> Result<String, Failure> {
    let parameters = match *point {
        Point::LogpMulticast { model, K, source } => Parameters::Tree(Tree::new(machine_of(cell), model, K, source)),
        Point::LogpSummation { model, P, operands } => {
            Parameters::Summation { L: model.L(), o: model.o(), g: model.g(), P, operands }
        }
        Point::MeshMulticast { mesh, K, sampling } => {
            Parameters::Mesh { mesh: mesh.to_string(), K, trials: sampling.trials, seed: sampling.seed }
        }
        Point::MeshGossip { n } => Parameters::Gossip { n },
        Point::KPortBroadcast { n, k, m } => Parameters::KPort { n, k, m },
        Point::PipelinedBroadcast { machine, instance: Instance { K, n, k, m } } => {
            let named = machine_of(cell);
            let model = match machine {
                pipeline::Machine::Words(model) | pipeline::Machine::LogP(model) => Some(model),
                pipeline::Machine::LogGops(_) => None,
            };
            Parameters::Pipelined {
                machine: named.map(|named| named.0),
                bytes: named.map(|named| named.1),
                L: model.map(|model| model.L()),
                o: model.map(|model| model.o()),
                g: model.map(|model| model.g()),
                K,
                n: model.map(|_| n),
                k,
                m,
            }
        }
        Point::WormholeMulticast(Setting { mesh, K, ports, multicasts, timing, sampling }) => Parameters::Wormhole {
            mesh: mesh.to_string(),
            K,
            k: ports,
            m: multicasts,
            t_s: timing.startup(),
            t_h: timing.hop(),
            t_f: timing.flit(),
            flits: timing.flits(),
            trials: sampling.trials,
            seed: sampling.seed,
        },
    };
    let object = Json {
        algorithm: entry.name,
        parameters,
        lower_bound: JsonExact(evaluation.lower_bound.clone()),
        published: evaluation.headline().map(|claim| claim.value),
        analytic: evaluation.analytic.clone().map(JsonExact),
        simulated: match &evaluation.simulated {
            Simulated::Exact(cost) => Some(JsonExact(Exact::Integer(*cost))),
            Simulated::Mean(sample) => Some(JsonExact(Exact::from(sample.mean()))),
            Simulated::ExactMean(mean) => Some(JsonExact(mean.clone())),
            Simulated::Skipped(_) => None,
        },
    };
    serde_json::to_string(&object).map_err(|error| Failure::new(Code::Internal, error))
}
