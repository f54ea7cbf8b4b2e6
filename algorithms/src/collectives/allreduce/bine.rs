//! Allreduce on a Bine butterfly: reduce-scatter, then allgather, of contiguous words.
//!
//! **Source.** De Sensi, Pasqualoni, Piarulli, Bonato, Ba, Turisini, Domke, Hoefler, "Bine trees: Enhancing collective operations
//! by optimizing communication locality", SC 2025: the algorithm for long vectors, whose blocks are renumbered
//! (`allreduce_bine_bdw_remap` in the authors' library).
//!
//! For `K = 2^p`. The partners are those of [`swing`]: in step s an even rank i exchanges with rank
//! `i + (1 - (-2)^(s+1))/3`, an odd one with `i - ..` (modulo K). Both hold the same window of words and halve it; the rank
//! whose number has a 0 in bit s keeps the first half (rounded down). The number of a rank is the Gray code of the negabinary
//! number i or `i - K` for odd i, `-i` or `K - i` for even i. In step s it changes in bit s, and in no lower bit. After p steps
//! each rank holds one combined block; an allgather follows, the same steps backwards. For other even K blocks are those of
//! Swing (`allreduce_bine_block_by_block_any_even`).
//!
//! **Cost** with `h(j) = ceil(n/2^j)` the sum over `1 <= j <= p` of `2 D(h(j)) + c h(j)` where no gap is longer than its hop. As in
//! Rabenseifner's allreduce, the largest message of each round goes along a chain: backwards from the rank with the number
//! of p ones, the rank before in step s has a 0 in bit s and the same lower bits, so it sends the second half of the
//! largest window. The allgather goes back along it. Where 2^p divides n all ranks do the same, and rounds are as far apart as
//! gaps require. Else, where a gap is longer than its hop, the times of all ranks are followed round by round, in time
//! O(K log K), for up to 2^22 messages. Below 2^p words some windows are empty; they are sent as one word.
//!
//! **When it wins.** Where near ranks are cheaper; here it costs what Rabenseifner's allreduce costs.
//!
//! **Departures.** Odd K are refused, as in the authors' code. For even K beside powers of two the authors send each block alone.

use crate::collectives::negabinary::{number, partner};
use crate::collectives::rounds::InRounds;
use crate::collectives::swing;
use crate::plan::{Phase, Plan, Words, narrow};

/// See the module.
pub const BINE: InRounds = InRounds {
    combines: true,
    gathers: true,
    times: |own, task, times| {
        let Ok(p) = task.power_of_two() else {
            return (swing::ALLREDUCE.times)(own, task, times);
        };
        // The steps, with the largest message in each.
        let half = |step: u32| task.hop(task.n.div_ceil(2 << step));
        for step in 0..p {
            times.exchange(half(step)?, 1);
        }
        for step in (0..p).rev() {
            times.exchange(half(step)?.without_combining(), 1);
        }
        Ok(())
    },
    plan: |own, task| {
        let K = task.K;
        if !K.is_power_of_two() {
            return (swing::ALLREDUCE.plan)(own, task);
        }
        let p = u64::from(K.ilog2());
        let to = move |rank, step| partner(K, rank, narrow(step));
        let given =
            move |rank, step: u64| Words::Window(number(K, rank) ^ 1 << step, narrow(step + 1));
        let kept = move |rank, step| Words::Window(number(K, rank), narrow(step + 1));
        let halving = Phase::new(task, p, to, given).combined();
        let back = move |round| p - 1 - round;
        let doubling = Phase::new(
            task,
            p,
            move |rank, round| to(rank, back(round)),
            move |rank, round| kept(rank, back(round)),
        );
        Ok(Plan::Rounds(vec![halving, doubling.tags(narrow(p))]))
    },
};
