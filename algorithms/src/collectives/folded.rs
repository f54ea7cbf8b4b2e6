//! A power of two among K ranks.

use crate::plan::{Phase, Task, Words, narrow};
use crate::wide::Wide;

/// The ranks of a power of two among K, for algorithms that take no others: of the first 2r ranks each pair sends one
/// rank, `r = K - 2^p`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Folded {
    /// `floor(log2 K)`.
    pub p: u32,
    /// How many pairs there are.
    pub r: u64,
}

impl Folded {
    pub fn new(K: u64) -> Self {
        let p = K.max(1).ilog2();
        Self { p, r: K - (1 << p) }
    }

    /// The number among `0..2^p` of a rank; `None` for the rank of a pair that stays outside. In a pair, `is_odd` tells
    /// whether the odd rank takes part.
    pub fn number(self, rank: u64, is_odd: bool) -> Option<u64> {
        match rank {
            rank if rank >= 2 * self.r => Some(rank - self.r),
            rank if (rank % 2 == 1) == is_odd => Some(rank / 2),
            _ => None,
        }
    }

    /// The rank with this number.
    pub fn rank(self, number: u64, is_odd: bool) -> u64 {
        if number < self.r {
            2 * number + u64::from(is_odd)
        } else {
            number + self.r
        }
    }

    /// The even rank of each pair sends its words to the odd one, which combines them.
    pub fn to_odd<'a>(self, words: impl Fn(u64, u64) -> Words + 'a) -> Phase<'a> {
        let r = self.r;
        let to = move |rank: u64, _| (rank < 2 * r && rank.is_multiple_of(2)).then_some(rank + 1);
        Phase::some(r, 1, to, words).tag(0).combined()
    }

    /// In p rounds the ranks that take part exchange words with those whose numbers differ in the bit of the round.
    pub fn exchange<'a>(
        self,
        is_odd: bool,
        bit: impl Fn(u64) -> u64 + 'a,
        words: impl Fn(u64, u64) -> Words + 'a,
    ) -> Phase<'a> {
        let partner = move |rank, round| {
            self.number(rank, is_odd)
                .map(|number| self.rank(number ^ bit(round), is_odd))
        };
        let words = move |rank, round| words(self.number(rank, is_odd).unwrap_or(rank), round);
        Phase::some(
            u64::from(self.p) * Wide::from(1u64 << self.p),
            self.p.into(),
            partner,
            words,
        )
    }

    /// The ranks of pairs combine half of their words each, and the even rank gets both halves, in rounds 0 and 1. Then ranks that
    /// differ in a bit halve their windows, bit by bit.
    pub fn halving<'a>(self, task: &Task) -> Vec<Phase<'a>> {
        let (n, r) = (task.n, self.r);
        let halves =
            move |rank: u64, _| Words::Range(if rank % 2 == 1 { 0..n / 2 } else { n / 2..n });
        let back = move |rank: u64, _| (rank < 2 * r && rank % 2 == 1).then(|| rank - 1);
        let given = |number: u64, bit: u64| Words::Window(number ^ 1 << bit, narrow(bit + 1));
        vec![
            Phase::some(
                2 * r,
                1,
                move |rank, _| (rank < 2 * r).then_some(rank ^ 1),
                halves,
            )
            .tag(0)
            .combined(),
            Phase::some(r, 1, back, move |_, _| Words::Range(n / 2..n)).tag(1),
            self.exchange(false, |bit| 1 << bit, given)
                .tags(2)
                .combined(),
        ]
    }
}
