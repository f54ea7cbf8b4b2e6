//! Allreduce: every rank gets the combination of all ranks' words.

mod bine;
mod circulant;
pub mod library;
pub(super) mod rabenseifner;
mod recursive_doubling;
mod ring;
mod segmented_ring;
mod swing;

use super::alltoall::Linear;
use super::folded::Folded;
use super::parameters::Parameters;
use super::sequence::Sequence;
use super::{Algorithm, Bound, Collective, Goal, allgather, bounds, broadcast, reduce, reduce_scatter};
use crate::error::Error;
use crate::mpi::Function;
use crate::papers;
use crate::plan::Task;
use crate::problem::{Listed, Value};
use crate::wide::Wide;
pub use bine::Bine;
pub use circulant::Circulant;
pub use rabenseifner::Rabenseifner;
pub use recursive_doubling::RecursiveDoubling;
pub use ring::Ring;
pub use segmented_ring::SegmentedRing;
pub use swing::Swing;

/// Every rank gets the combination of all ranks' words.
#[derive(Debug, Default)]
pub struct Allreduce;

impl Goal for Allreduce {
    fn ends_with(&self, task: &Task, _: u64, _: u64) -> Option<(u64, u64)> {
        Some((0, task.K))
    }
}
/// Every rank sends to rank 0, and receives from it.
const FLAT: Sequence = Sequence::at_rank_0(&[&reduce::Flat], &[&broadcast::Flat], true);
/// Up a binomial tree, and down one.
const BINOMIAL: Sequence = Sequence::at_rank_0(&[&reduce::Binomial], &[&broadcast::Tree::BMTREE], true);
/// Up two binary trees in turn, and down.
pub const DOUBLE_TREE: Sequence = Sequence::at_rank_0(&[&reduce::DoubleTree], &[&broadcast::DoubleTree], false);
/// A reduce-scatter, then an allgather.
const COMPOSED: Sequence = Sequence::on_blocks([reduce_scatter::ANY, allgather::ANY], false);

impl Collective for Allreduce {
    const NAME: &'static str = "allreduce";
    const TITLE: &'static str = "Allreduce under LogGOPS";
    const MPI: Option<&'static Function> = Some(&library::ALLREDUCE);
    const EXAMPLES: &'static [&'static [Value]] =
        &[&[None, None, Some(6), Some(2), Some(4), Some(8), Some(1024), Some(1), Some(1), Some(1)]];
    /// Those of all collectives, whose first problem this is.
    const LIMITS: &'static [[&'static str; 3]] = &[
        ["collectives", "2^64 - 1 words of all ranks", "refused: the judge numbers all words"],
        [
            "collectives whose ranks are followed to find the cost",
            "2^22 messages; the model page says where ranks are followed",
            "no exact cost; bounds on both sides, in the column `note` of a sweep",
        ],
        [
            "simulation of collectives, with any options",
            "2^22 messages, 2^24 blocks of all ranks",
            "no simulated cost; the answer says why",
        ],
    ];
    const PARAMETERS: Parameters = Parameters::SEGMENTED;
    const ENTRIES: &'static [Listed<dyn Algorithm>] = &[
        Listed::new(
            "allreduce-recursive-doubling",
            "in round r ranks whose numbers differ in bit r exchange and combine all words",
            (papers::MPICH, "section 4.5"),
            &RecursiveDoubling,
        ),
        Listed::new(
            "allreduce-ring",
            "blocks go around a ring twice, combined the first time",
            (papers::RING, "section 3"),
            &Ring,
        ),
        Listed::new(
            "allreduce-rabenseifner",
            "recursive halving to one combined block a rank, then recursive doubling to all blocks",
            (papers::RABENSEIFNER, "section 2.2"),
            &Rabenseifner,
        ),
        Listed::new(
            "allreduce-circulant",
            "reduce-scatter and allgather over skips of ceil(K/2^j) ranks",
            (papers::CIRCULANT, "allreduce"),
            &Circulant,
        ),
        Listed::new(
            "allreduce-swing",
            "reduce-scatter and allgather between ranks at distances 1, 1, 3, 5, 11, ..",
            (papers::SWING, "for long vectors"),
            &Swing,
        ),
        Listed::new(
            "allreduce-bine",
            "the partners of Swing halve windows of words, then exchange them",
            (papers::BINE, "long vectors"),
            &Bine,
        ),
        Listed::new(
            "allreduce-segmented-ring",
            "blocks go around a ring in segments and are combined, then whole",
            (papers::FOLKLORE, "Open MPI: segmented_ring"),
            &SegmentedRing,
        ),
        Listed::new(
            "allreduce-reduce-broadcast",
            "a reduce up a binomial tree, then a broadcast down it",
            (papers::FOLKLORE, "Open MPI: nonoverlapping"),
            &BINOMIAL,
        ),
        Listed::new(
            "allreduce-double-tree",
            "segments go up two binary trees in turn and are combined, then down the same trees",
            (papers::TWO_TREES, "reduction, then broadcast"),
            &DOUBLE_TREE,
        ),
        Listed::new(
            "allreduce-flat",
            "every rank sends to rank 0, and gets the result from it",
            (papers::FOLKLORE, "Open MPI: basic linear"),
            &FLAT,
        ),
        Listed::new(
            "allreduce-composed",
            "a reduce-scatter, then an allgather, each linear or on a circulant graph, whichever costs less",
            (papers::GUIDELINES, "Allreduce(n) <= Reduce_scatter(n) + Allgather(n)"),
            &COMPOSED,
        ),
        Listed::new(
            "allreduce-linear",
            "every rank sends all words to all others, then receives and combines theirs",
            (papers::FOLKLORE, "collectives::alltoall::linear"),
            &Linear::ALLREDUCE,
        ),
    ];

    /// Ranks send at least `2(K-1)n` words in all, so one of them sends `ceil(2(K-1)n/K)` (Patarasuk, Yuan 2009). For each
    /// word: before some rank first holds the combination, each of the K-1 others has sent a message that leads there;
    /// after that, each of them receives one more. One rank makes `ceil((K-1)n/K)` of `(K-1)n` combinations.
    fn lower_bound(task: &Task) -> Result<Bound, Error> {
        let share = (Wide::from(task.n) * Wide::from(task.K - 1)).div_ceil(task.K);
        let sent = (2 * Wide::from(task.n) * Wide::from(task.K - 1)).div_ceil(task.K);
        bounds::least_time(task, sent, share)
    }
}
