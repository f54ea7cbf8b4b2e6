//! The entries.

use super::{Algorithm, Entry};
use crate::logp::binary::Binary;
use crate::logp::chain::Chain;
use crate::logp::fibonacci::Fibonacci;
use crate::logp::flat::Flat;
use crate::logp::halving::Halving;
use crate::logp::halving_floor::HalvingFloor;
use crate::logp::k_nomial::KNomial;
use crate::logp::opt_tree::OptTree;
use crate::logp::optimal::Optimal;
use crate::logp::pipeline::scatter_allgather::ScatterAllgather;
use crate::logp::pipeline::split_binary::SplitBinary;
use crate::logp::pipeline::trees::Pipelined;
use crate::logp::summation::optimal::SummationOptimal;
use crate::logp::summation::paper::SummationPaper;
use crate::mesh::broadcast::Broadcast;
use crate::mesh::dual_path::DualPath;
use crate::mesh::gossip::coupled::Coupled;
use crate::mesh::gossip::optimal::Optimal as OptimalGossip;
use crate::mesh::gossip::two_phase::TwoPhase;
use crate::mesh::unicast::Unicast;
use crate::multiport::chain::PipelinedChain;
use crate::multiport::circulant::Circulant;
use crate::multiport::hypercube::Hypercube;
use crate::multiport::k_tree::KTree;
use crate::multiport::packed::PackedTrees;
use crate::multiport::repeated::Repeated;

pub(crate) const FIBONACCI_PAPER: &str = "Gu, Li, Liu 2002, Fibonacci series-based multicast algorithm";
pub(crate) const LOGP_PAPER: &str = "Shou, Chen 1997, Optimal broadcast and summation in the LogP model";
pub(crate) const DUAL_PATH_PAPER: &str = "Xie, Zhu, Kang, Wang 1996, A network-partition based multicasting method";
pub(crate) const GOSSIP_PAPER: &str = "Wang, Ying, The gossiping algorithm in square mesh";
pub(crate) const K_TREE_PAPER: &str =
    "Ding, Li, Algorithm and analysis of multiple messages broadcast in the multiport model";
const CIRCULANT_PAPER: &str = "Träff 2024, Optimal broadcast schedules in logarithmic time";
const OPT_TREE_PAPER: &str = "Park, Choi, Nupairoj, Ni 1996, Construction of optimal multicast trees";
const MPICH_PAPER: &str =
    "Thakur, Rabenseifner, Gropp 2005, Optimization of collective communication operations in MPICH";
pub(crate) const OWN: &str = "castbench";
const FOLKLORE: &str = "folklore";

/// The catalogue, in the order in which reports list it.
pub const ALGORITHMS: &[Entry] = &[
    Entry {
        name: "halving",
        summary: "the source hands half of the nodes to a relay",
        paper: FIBONACCI_PAPER,
        place: "section 3, equation (2)",
        revision: 1,
        step_ns: 100,
        algorithm: Algorithm::LogpMulticast(&Halving),
    },
    Entry {
        name: "fibonacci",
        summary: "the source keeps the larger part of a Fibonacci split",
        paper: FIBONACCI_PAPER,
        place: "algorithm 1, equations (3), (9), (11)",
        revision: 1,
        step_ns: 110,
        algorithm: Algorithm::LogpMulticast(&Fibonacci),
    },
    Entry {
        name: "optimal",
        summary: "everyone who holds the message sends it on",
        paper: LOGP_PAPER,
        place: "algorithm 1, theorems 2 to 4",
        revision: 1,
        step_ns: 110,
        algorithm: Algorithm::LogpMulticast(&Optimal),
    },
    Entry {
        name: "flat",
        summary: "the source sends to all",
        paper: FOLKLORE,
        place: "Open MPI: basic linear",
        revision: 1,
        step_ns: 45,
        algorithm: Algorithm::LogpMulticast(&Flat),
    },
    Entry {
        name: "chain",
        summary: "every node passes it to the next",
        paper: FOLKLORE,
        place: "Open MPI: chain",
        revision: 1,
        step_ns: 45,
        algorithm: Algorithm::LogpMulticast(&Chain),
    },
    Entry {
        name: "opt-tree",
        summary: "the split that is optimal for every size, in intervals",
        paper: OPT_TREE_PAPER,
        place: "logp::opt_tree",
        revision: 1,
        step_ns: 130,
        algorithm: Algorithm::LogpMulticast(&OptTree),
    },
    Entry {
        name: "halving-floor",
        summary: "halving, the smaller half to the relay",
        paper: FOLKLORE,
        place: "logp::halving_floor",
        revision: 1,
        step_ns: 100,
        algorithm: Algorithm::LogpMulticast(&HalvingFloor),
    },
    Entry {
        name: "binary",
        summary: "a complete binary tree",
        paper: FOLKLORE,
        place: "Open MPI: binary",
        revision: 1,
        step_ns: 90,
        algorithm: Algorithm::LogpMulticast(&Binary),
    },
    Entry {
        name: "binomial",
        summary: "every round doubles the holders",
        paper: FOLKLORE,
        place: "MPICH: binomial",
        revision: 1,
        step_ns: 100,
        algorithm: Algorithm::LogpMulticast(&KNomial::BINOMIAL),
    },
    Entry {
        name: "k-nomial-4",
        summary: "every round of three sends multiplies the holders by four",
        paper: FOLKLORE,
        place: "Open MPI: knomial, its default radix",
        revision: 1,
        step_ns: 100,
        algorithm: Algorithm::LogpMulticast(&KNomial::RADIX_4),
    },
    Entry {
        name: "k-nomial-8",
        summary: "every round of seven sends multiplies the holders by eight",
        paper: FOLKLORE,
        place: "Open MPI: knomial, radix 8",
        revision: 1,
        step_ns: 100,
        algorithm: Algorithm::LogpMulticast(&KNomial::RADIX_8),
    },
    Entry {
        name: "summation-paper",
        summary: "the broadcast tree reversed, cut in preorder",
        paper: LOGP_PAPER,
        place: "algorithm 2, theorems 5 and 6",
        revision: 1,
        step_ns: 400,
        algorithm: Algorithm::LogpSummation(&SummationPaper),
    },
    Entry {
        name: "summation-optimal",
        summary: "the most fruitful processors only, as late as they can send",
        paper: "Karp, Sahay, Santos, Schauser 1993, Optimal broadcast and summation in the LogP model",
        place: "section 5",
        revision: 1,
        step_ns: 400,
        algorithm: Algorithm::LogpSummation(&SummationOptimal),
    },
    Entry {
        name: "dual-path",
        summary: "one path up and one path down a Hamiltonian snake",
        paper: DUAL_PATH_PAPER,
        place: "algorithms 1 and 2, figure 3",
        revision: 1,
        step_ns: 7,
        algorithm: Algorithm::MeshMulticast(&DualPath),
    },
    Entry {
        name: "unicast",
        summary: "a separate message to every destination",
        paper: DUAL_PATH_PAPER,
        place: "section 4, figure 3",
        revision: 1,
        step_ns: 2,
        algorithm: Algorithm::MeshMulticast(&Unicast),
    },
    Entry {
        name: "broadcast",
        summary: "a spanning tree; who is no destination drops it",
        paper: DUAL_PATH_PAPER,
        place: "section 4",
        revision: 1,
        step_ns: 2,
        algorithm: Algorithm::MeshMulticast(&Broadcast),
    },
    Entry {
        name: "gossip-two-phase",
        summary: "rows and columns broadcast, then gossip what they got",
        paper: GOSSIP_PAPER,
        place: "section 3, figures 1 to 3",
        revision: 1,
        step_ns: 8,
        algorithm: Algorithm::MeshGossip(&TwoPhase),
    },
    Entry {
        name: "gossip-coupled",
        summary: "the same routes without phases, farthest to go first",
        paper: OWN,
        place: "mesh::gossip::coupled",
        revision: 1,
        step_ns: 30,
        algorithm: Algorithm::MeshGossip(&Coupled),
    },
    Entry {
        name: "gossip-optimal",
        summary: "a row, every other column, leaves between: no link is ever idle",
        paper: OWN,
        place: "mesh::gossip::optimal",
        revision: 1,
        step_ns: 75,
        algorithm: Algorithm::MeshGossip(&OptimalGossip),
    },
    Entry {
        name: "k-tree",
        summary: "k spanning trees, a message in k to each",
        paper: K_TREE_PAPER,
        place: "section 5, theorems 1 and 2; after Bar-Noy, Ho 1999",
        revision: 1,
        step_ns: 12,
        algorithm: Algorithm::KPortBroadcast(&KTree),
    },
    Entry {
        name: "k-tree-packed",
        summary: "k spanning trees of the least height that k can have",
        paper: OWN,
        place: "multiport::packed",
        revision: 1,
        step_ns: 12,
        algorithm: Algorithm::KPortBroadcast(&PackedTrees),
    },
    Entry {
        name: "circulant",
        summary: "one port: a circulant graph with ceil(log2 n) skips, round-optimal",
        paper: CIRCULANT_PAPER,
        place: "arXiv 2407.18004",
        revision: 1,
        step_ns: 18,
        algorithm: Algorithm::KPortBroadcast(&Circulant),
    },
    Entry {
        name: "hypercube",
        summary: "n = (k+1)^q: in turn along each digit of the nodes, round-optimal",
        paper: OWN,
        place: "multiport::hypercube",
        revision: 1,
        step_ns: 12,
        algorithm: Algorithm::KPortBroadcast(&Hypercube),
    },
    Entry {
        name: "repeated",
        summary: "the best broadcast of one message, m times",
        paper: FOLKLORE,
        place: "Ding, Li: theorem 1, m times",
        revision: 1,
        step_ns: 9,
        algorithm: Algorithm::KPortBroadcast(&Repeated),
    },
    Entry {
        name: "pipelined-chain",
        summary: "every node passes k messages a round to the next",
        paper: FOLKLORE,
        place: "Open MPI: pipeline",
        revision: 1,
        step_ns: 9,
        algorithm: Algorithm::KPortBroadcast(&PipelinedChain),
    },
    Entry {
        name: "segmented-chain",
        summary: "every node passes the segments to the next",
        paper: FOLKLORE,
        place: "Open MPI: pipeline",
        revision: 1,
        step_ns: 700,
        algorithm: Algorithm::PipelinedBroadcast(&Pipelined::CHAIN),
    },
    Entry {
        name: "segmented-flat",
        summary: "the source sends every segment to all",
        paper: FOLKLORE,
        place: "Open MPI: basic linear, in segments",
        revision: 1,
        step_ns: 350,
        algorithm: Algorithm::PipelinedBroadcast(&Pipelined::FLAT),
    },
    Entry {
        name: "segmented-binary",
        summary: "segments down a complete binary tree",
        paper: FOLKLORE,
        place: "Open MPI: binary",
        revision: 1,
        step_ns: 700,
        algorithm: Algorithm::PipelinedBroadcast(&Pipelined::BINARY),
    },
    Entry {
        name: "segmented-binomial",
        summary: "segments down a binomial tree",
        paper: FOLKLORE,
        place: "MPICH: binomial",
        revision: 1,
        step_ns: 700,
        algorithm: Algorithm::PipelinedBroadcast(&Pipelined::BINOMIAL),
    },
    Entry {
        name: "segmented-binomial-in-order",
        summary: "a binomial tree whose nodes send to the nearest, with the largest part, first",
        paper: FOLKLORE,
        place: "Open MPI: binomial",
        revision: 1,
        step_ns: 400,
        algorithm: Algorithm::PipelinedBroadcast(&Pipelined::BINOMIAL_IN_ORDER),
    },
    Entry {
        name: "segmented-k-nomial-4",
        summary: "segments down a k-nomial tree of radix 4",
        paper: FOLKLORE,
        place: "Open MPI: knomial",
        revision: 1,
        step_ns: 700,
        algorithm: Algorithm::PipelinedBroadcast(&Pipelined::K_NOMIAL_4),
    },
    Entry {
        name: "segmented-halving",
        summary: "segments down the halving tree",
        paper: OWN,
        place: "logp::pipeline::trees",
        revision: 1,
        step_ns: 700,
        algorithm: Algorithm::PipelinedBroadcast(&Pipelined::HALVING),
    },
    Entry {
        name: "segmented-fibonacci",
        summary: "segments down the Fibonacci tree",
        paper: OWN,
        place: "logp::pipeline::trees",
        revision: 1,
        step_ns: 700,
        algorithm: Algorithm::PipelinedBroadcast(&Pipelined::FIBONACCI),
    },
    Entry {
        name: "segmented-optimal",
        summary: "segments down the tree that is optimal for one of them",
        paper: OWN,
        place: "logp::pipeline::trees",
        revision: 1,
        step_ns: 700,
        algorithm: Algorithm::PipelinedBroadcast(&Pipelined::OPTIMAL),
    },
    Entry {
        name: "split-binary",
        summary: "half of the message down either side of a binary tree, then exchanged",
        paper: FOLKLORE,
        place: "Open MPI: split_binary",
        revision: 1,
        step_ns: 900,
        algorithm: Algorithm::PipelinedBroadcast(&SplitBinary),
    },
    Entry {
        name: "scatter-doubling",
        summary: "a block to every node, then recursive doubling",
        paper: MPICH_PAPER,
        place: "section 4.2",
        revision: 1,
        step_ns: 10,
        algorithm: Algorithm::PipelinedBroadcast(&ScatterAllgather::DOUBLING),
    },
    Entry {
        name: "scatter-ring",
        summary: "a block to every node, then around a ring",
        paper: MPICH_PAPER,
        place: "section 4.2",
        revision: 1,
        step_ns: 1500,
        algorithm: Algorithm::PipelinedBroadcast(&ScatterAllgather::RING),
    },
];
