//! Allgather by recursive doubling.
//!
//! **Source.** Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", International
//! Journal of High Performance Computing Applications 19(1), 2005, section 4.1; MPICH: `MPIR_Allgather_intra_recursive_doubling`.
//!
//! In round j ranks whose numbers differ in bit j exchange the blocks that each holds: those of the ranks that differ from it in lower
//! bits only.
//!
//! **Other K than powers of two**, as in MPICH. In round j the last group of `2^(j+1)` ranks can lack some: let its upper half have only
//! u of `2^j` ranks. Then the first u ranks of its lower half get the upper half's blocks in the exchange, and pass them on in j more
//! rounds, i from j-1 down to 0: a rank that holds them sends them to the rank `2^i` further on in its group of `2^(i+1)` ranks, if
//! that one lacks them. At the start of such a round the first u ranks of each of these groups hold them.
//!
//! **Cost** for `K = 2^p` the sum over j of `D(2^j n)` where no gap is longer than its hop; else rounds are as far apart as gaps
//! require. For other K the ranks are followed round by round, for up to 2^22 messages.
//!
//! **When it wins.** Powers of two: `log2 K` rounds with the fewest words.
//!
//! **Departures.** None.

use crate::collectives::rounds::RoundTimes;
use crate::collectives::{Plain, Properties};
use crate::log2::ceil_log2;
use crate::plan::{Hop, Phase, Plan, Words};

/// The blocks of the ranks that differ from a number in the lowest bits only: the first one, and how many.
fn group(K: u64, number: u64, bits: u32) -> (u64, u64) {
    let first = number >> bits << bits;
    (first, (K - first).min(1 << bits))
}

/// How many numbers of the last group of `2^(bit+1)` are in its upper half: u, where the group is not complete and u is not 0.
fn upper(K: u64, bit: u32) -> Option<u64> {
    let last = u128::from(K) % (2 << bit);
    u64::try_from(last)
        .ok()?
        .checked_sub(1 << bit)
        .filter(|&upper| upper > 0)
}

/// In the exchange of a bit a number sends all that it holds to its partner, if it has one.
fn exchange<'a>(K: u64, bit: u32, words: fn(u64, u64) -> Words) -> Phase<'a> {
    let to = move |number: u64, _| Some(number ^ 1 << bit).filter(|&partner| partner < K);
    let held = move |number, _| {
        let (first, count) = group(K, number, bit);
        words(first, count)
    };
    let last = u128::from(K) % (2 << bit);
    let alone = if last <= 1 << bit {
        last
    } else {
        (2 << bit) - last
    };
    Phase::some(u128::from(K) - alone, 1, to, held)
}

/// After the exchange of a bit the upper half's blocks go on in the lower half of the last group, to numbers `2^lower` further on.
fn hand_on<'a>(
    K: u64,
    (bit, lower): (u32, u32),
    upper: u64,
    words: fn(u64, u64) -> Words,
) -> Phase<'a> {
    let first = K - upper - (1 << bit);
    let step = 1 << lower;
    let to = move |number: u64, _| {
        let own = number.checked_sub(first).filter(|own| own >> bit == 0)? % (2 * step);
        (own < step && own < upper && own + step >= upper).then(|| number + step)
    };
    let in_group = upper.min((2 * step).saturating_sub(upper));
    Phase::some((1 << bit) / (2 * step) * in_group, 1, to, move |_, _| {
        words(first + (1 << bit), upper)
    })
}

/// All rounds between numbers; `words` gives the words of blocks, of which the number is that of its rank.
pub(in crate::collectives) fn phases<'a>(K: u64, words: fn(u64, u64) -> Words) -> Vec<Phase<'a>> {
    let mut phases = Vec::new();
    for bit in 0..ceil_log2(K) {
        phases.push(exchange(K, bit, words));
        let upper = upper(K, bit);
        phases.extend(upper.into_iter().flat_map(|upper| {
            (0..bit)
                .rev()
                .map(move |lower| hand_on(K, (bit, lower), upper, words))
        }));
    }
    (0..)
        .zip(phases)
        .map(|(tag, phase)| phase.tag(tag))
        .collect()
}

/// See the module.
pub const RECURSIVE_DOUBLING: Plain = Plain {
    formula: |task| {
        let K = task.K;
        let mut rounds = RoundTimes::new(task, K.is_power_of_two());
        let hop = |blocks: u64| task.hop(blocks * task.n).map(Hop::without_combining);
        // The first ranks, of which there is a power of two, exchange with each other.
        for bit in 0..ceil_log2(K) {
            match 2 << bit <= u128::from(K) {
                true => rounds.exchange(hop(1 << bit)?, 1),
                false => rounds.exchange_at_most(hop(1 << bit)?, 1),
            }
            if let Some(upper) = upper(K, bit) {
                rounds.exchange_at_most(hop(upper)?, bit.into());
            }
        }
        rounds.closed()
    },
    holds_on_duplex: |_| true,
    plan: |task| Ok(Plan::Rounds(phases(task.K, Words::Blocks))),
    properties: Properties::PLAIN,
};
