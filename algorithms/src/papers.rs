//! The sources of the algorithms, as entries and claims name them.

pub(crate) const FIBONACCI: &str = "Gu, Li, Liu 2002, Fibonacci series-based multicast algorithm";
pub(crate) const LOGP: &str = "Shou, Chen 1997, The implementation of optimal broadcast and summation algorithms in the LogP model";
pub(crate) const DUAL_PATH: &str =
    "Xie, Zhu, Kang, Wang 1996, A network-partition based multicasting routing method";
pub(crate) const GOSSIP: &str = "Wang, Ying, The gossiping algorithm in square mesh";
pub(crate) const K_TREE: &str =
    "Ding, Li, Algorithm and analysis of multiple messages broadcast in the multiport model";
pub(crate) const MULTI_PATH: &str =
    "Lin, McKinley, Ni 1994, Deadlock-free multicast wormhole routing in 2-D mesh multicomputers";
pub(crate) const COLUMN_PATH: &str = "Boppana, Chalasani, Raghavendra 1998, Resource deadlocks and performance of wormhole multicast routing algorithms";
pub(crate) const N_BLOCKS: &str = "Träff 2024, Optimal broadcast schedules in logarithmic time";
pub(crate) const CIRCULANT: &str =
    "Träff 2024, Optimal, non-pipelined reduce-scatter and allreduce algorithms";
pub(crate) const LEADERS: &str = "Karonis et al. 2000, Exploiting hierarchy in parallel computer networks to optimize collective operation performance";
pub(crate) const LANES: &str =
    "Träff and Hunold 2020, Decomposing MPI collectives for exploiting multi-lane communication";
pub(crate) const TWO_TREES: &str = "Sanders, Speck, Träff 2009, Two-tree algorithms for full bandwidth broadcast, reduction and scan";
pub(crate) const MPICH: &str = "Thakur, Rabenseifner, Gropp 2005, Optimization of collective communication operations in MPICH";
pub(crate) const RABENSEIFNER: &str =
    "Rabenseifner 2004, Optimization of collective reduction operations";
pub(crate) const BRUCK: &str =
    "Bruck, Ho, Kipnis, Upfal, Weathersby 1997, Efficient algorithms for all-to-all communications";
pub(crate) const RING: &str =
    "Patarasuk, Yuan 2009, Bandwidth optimal all-reduce algorithms for clusters of workstations";
pub(crate) const SWING: &str = "De Sensi, Bonato, Saam, Hoefler 2024, Swing: Short-cutting rings for higher bandwidth allreduce";
pub(crate) const BUCKET: &str =
    "Sack, Gropp 2015, Collective algorithms for multiported torus networks";
pub(crate) const TRIVANCE: &str = "Juerss, Addanki, Schmid 2026, Trivance: Latency-optimal allreduce by shortcutting multiport networks";
pub(crate) const BINE: &str = "De Sensi et al. 2025, Bine trees: Enhancing collective operations by optimizing communication locality";
pub(crate) const PAT: &str =
    "Jeaugey 2025, PAT: a new algorithm for all-gather and reduce-scatter operations at scale";
pub(crate) const SHARP: &str = "Graham et al. 2016, Scalable hierarchical aggregation protocol (SHArP): A hardware architecture for efficient data reduction";
pub(crate) const BUTTERFLY: &str =
    "Träff 2005, An improved algorithm for (non-commutative) reduce-scatter with an application";
pub(crate) const NEIGHBOURS: &str = "Chen, Zhang, Zhang, Yuan 2005, Performance evaluation of allgather algorithms on terascale Linux";
pub(crate) const SPARBIT: &str = "Loch, Koslovski 2021, Sparbit: a new logarithmic-cost and data locality-aware MPI Allgather algorithm";
pub(crate) const DISSEMINATION: &str =
    "Hensgen, Finkel, Manber 1988, Two algorithms for barrier synchronization";
pub(crate) const GUIDELINES: &str =
    "Träff, Gropp, Thakur 2010, Self-consistent MPI performance guidelines";
pub(crate) const BINOMIAL: &str =
    "Johnsson, Ho 1989, Optimum broadcasting and personalized communication in hypercubes";
/// Described by castbench itself.
pub(crate) const OWN: &str = "castbench";
/// Older than any paper about it.
pub(crate) const FOLKLORE: &str = "folklore";
