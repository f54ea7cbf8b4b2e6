//! The entries.

use super::{Algorithm, Entry, pipelined, worms};
use crate::logp::multicast::binary::Binary;
use crate::logp::multicast::chain::Chain;
use crate::logp::multicast::fibonacci::Fibonacci;
use crate::logp::multicast::flat::Flat;
use crate::logp::multicast::halving::Halving;
use crate::logp::multicast::halving_floor::HalvingFloor;
use crate::logp::multicast::k_nomial::KNomial;
use crate::logp::multicast::opt_tree::OptTree;
use crate::logp::multicast::optimal::Optimal;
use crate::logp::summation::optimal::SummationOptimal;
use crate::logp::summation::paper::SummationPaper;
use crate::mesh::gossip::coupled::Coupled;
use crate::mesh::gossip::optimal::Optimal as OptimalGossip;
use crate::mesh::gossip::two_phase::TwoPhase;
use crate::mesh::multicast::broadcast::Broadcast;
use crate::mesh::multicast::column_path::ColumnPath;
use crate::mesh::multicast::dual_path::DualPath;
use crate::mesh::multicast::fixed_path::FixedPath;
use crate::mesh::multicast::multi_path::MultiPath;
use crate::mesh::multicast::steiner::Steiner;
use crate::mesh::multicast::unicast::Unicast;
use crate::mesh::multicast::xy_tree::XyTree;
use crate::multiport::balanced::BalancedHypercube;
use crate::multiport::chain::PipelinedChain;
use crate::multiport::circulant::Circulant;
use crate::multiport::grouped::GroupedHypercube;
use crate::multiport::hypercube::Hypercube;
use crate::multiport::k_tree::KTree;
use crate::multiport::packed::PackedTrees;
use crate::multiport::repeated::Repeated;

pub(crate) const FIBONACCI_PAPER: &str = "Gu, Li, Liu 2002, Fibonacci series-based multicast algorithm";
pub(crate) const LOGP_PAPER: &str =
    "Shou, Chen 1997, The implementation of optimal broadcast and summation algorithms in the LogP model";
pub(crate) const DUAL_PATH_PAPER: &str =
    "Xie, Zhu, Kang, Wang 1996, A network-partition based multicasting routing method";
pub(crate) const GOSSIP_PAPER: &str = "Wang, Ying, The gossiping algorithm in square mesh";
pub(crate) const K_TREE_PAPER: &str =
    "Ding, Li, Algorithm and analysis of multiple messages broadcast in the multiport model";
pub(super) const MULTI_PATH_PAPER: &str =
    "Lin, McKinley, Ni 1994, Deadlock-free multicast wormhole routing in 2-D mesh multicomputers";
pub(super) const COLUMN_PATH_PAPER: &str =
    "Boppana, Chalasani, Raghavendra 1998, Resource deadlocks and performance of wormhole multicast routing algorithms";
const CIRCULANT_PAPER: &str = "Träff 2024, Optimal broadcast schedules in logarithmic time";
const OPT_TREE_PAPER: &str = "Park, Choi, Nupairoj, Ni 1996, Construction of optimal multicast trees";
pub(crate) const OWN: &str = "castbench";
pub(super) const FOLKLORE: &str = "folklore";

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
        place: "logp::multicast::opt_tree",
        revision: 1,
        step_ns: 130,
        algorithm: Algorithm::LogpMulticast(&OptTree),
    },
    Entry {
        name: "halving-floor",
        summary: "halving, the smaller half to the relay",
        paper: FOLKLORE,
        place: "logp::multicast::halving_floor",
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
        name: "multi-path",
        summary: "up to four paths: each half of dual-path split by rows",
        paper: MULTI_PATH_PAPER,
        place: "section 4",
        revision: 1,
        step_ns: 12,
        algorithm: Algorithm::MeshMulticast(&MultiPath),
    },
    Entry {
        name: "fixed-path",
        summary: "the Hamiltonian snake itself, up and down, without short cuts",
        paper: MULTI_PATH_PAPER,
        place: "section 4",
        revision: 1,
        step_ns: 1,
        algorithm: Algorithm::MeshMulticast(&FixedPath),
    },
    Entry {
        name: "column-path",
        summary: "for each column with destinations a path up and a path down it",
        paper: COLUMN_PATH_PAPER,
        place: "section 4",
        revision: 1,
        step_ns: 3,
        algorithm: Algorithm::MeshMulticast(&ColumnPath),
    },
    Entry {
        name: "xy-tree",
        summary: "along the source's row, then along the columns with destinations",
        paper: "Lin, Ni 1991, Deadlock-free multicast wormhole routing in multicomputer networks",
        place: "section 4, X-first tree",
        revision: 1,
        step_ns: 3,
        algorithm: Algorithm::MeshMulticast(&XyTree),
    },
    Entry {
        name: "steiner",
        summary: "the floor: a shortest tree up to 7 destinations, a greedy one beyond",
        paper: "Dreyfus, Wagner 1971, The Steiner problem in graphs",
        place: "beyond 7: Takahashi, Matsuyama 1980",
        revision: 1,
        step_ns: 400,
        algorithm: Algorithm::MeshMulticast(&Steiner),
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
        name: "hypercube-grouped",
        summary: "a hypercube of groups of nodes: at most one round above the bound",
        paper: OWN,
        place: "multiport::grouped",
        revision: 1,
        step_ns: 20,
        algorithm: Algorithm::KPortBroadcast(&GroupedHypercube),
    },
    Entry {
        name: "hypercube-balanced",
        summary: "a hypercube and a pool of nodes, who waits for what being planned: mostly round-optimal",
        paper: OWN,
        place: "multiport::balanced",
        revision: 1,
        step_ns: 40,
        algorithm: Algorithm::KPortBroadcast(&BalancedHypercube),
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
    pipelined::CHAIN,
    pipelined::FLAT,
    pipelined::BINARY,
    pipelined::BINOMIAL,
    pipelined::BINOMIAL_IN_ORDER,
    pipelined::K_NOMIAL_4,
    pipelined::HALVING,
    pipelined::FIBONACCI,
    pipelined::OPTIMAL,
    pipelined::SPLIT_BINARY,
    pipelined::SCATTER_DOUBLING,
    pipelined::SCATTER_RING,
    worms::U_MESH,
    worms::DUAL_PATH,
    worms::MULTI_PATH,
    worms::FIXED_PATH,
    worms::COLUMN_PATH,
    worms::UNICAST,
];
