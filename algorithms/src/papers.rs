//! The sources of the algorithms, as entries and claims name them.

pub(crate) const FIBONACCI: &str = "Gu, Li, Liu 2002, Fibonacci series-based multicast algorithm";
pub(crate) const LOGP: &str =
    "Shou, Chen 1997, The implementation of optimal broadcast and summation algorithms in the LogP model";
pub(crate) const DUAL_PATH: &str = "Xie, Zhu, Kang, Wang 1996, A network-partition based multicasting routing method";
pub(crate) const GOSSIP: &str = "Wang, Ying, The gossiping algorithm in square mesh";
pub(crate) const K_TREE: &str =
    "Ding, Li, Algorithm and analysis of multiple messages broadcast in the multiport model";
pub(crate) const MULTI_PATH: &str =
    "Lin, McKinley, Ni 1994, Deadlock-free multicast wormhole routing in 2-D mesh multicomputers";
pub(crate) const COLUMN_PATH: &str =
    "Boppana, Chalasani, Raghavendra 1998, Resource deadlocks and performance of wormhole multicast routing algorithms";
pub(crate) const CIRCULANT: &str = "Träff 2024, Optimal, non-pipelined reduce-scatter and allreduce algorithms";
pub(crate) const TWO_TREES: &str =
    "Sanders, Speck, Träff 2009, Two-tree algorithms for full bandwidth broadcast, reduction and scan";
pub(crate) const GUIDELINES: &str = "Träff, Gropp, Thakur 2010, Self-consistent MPI performance guidelines";
/// Described by castbench itself.
pub(crate) const OWN: &str = "castbench";
/// Older than any paper about it.
pub(crate) const FOLKLORE: &str = "folklore";
