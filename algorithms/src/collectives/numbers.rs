//! Which of K ranks take part where algorithms take a power of a radix, or a multiple of one, and the rounds of their digits.

use crate::plan::{Phase, Task, Words, narrow};
use crate::wide::Wide;

/// Which ranks take no part in the rounds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outside {
    /// One of each pair: the odd one, or the even one.
    Pairs { are_odd: bool },
    /// All of a group but the last.
    Groups,
    /// The last ones.
    Wrapped,
}

/// The ranks that take part.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    pub radix: u64,
    /// How many take part.
    pub size: u64,
    /// How many stay outside.
    pub outside: u64,
    rule: Outside,
}

/// A round: the distance of numbers that differ by 1 in its digit, and how many values the digit has.
#[derive(Clone, Copy)]
pub(super) struct Round {
    pub unit: u64,
    pub base: u64,
}

impl Round {
    /// The number to which a message goes.
    pub fn peer(self, number: u64, message: u64) -> u64 {
        let group = self.unit * self.base;
        let first = number / group * group;
        first + (number - first + (message + 1) * self.unit) % group
    }
}

impl Numbers {
    pub fn new(K: u64, radix: u64, rule: Outside) -> Self {
        let radix = match rule {
            Outside::Groups => radix.min(K.max(2)),
            _ => radix,
        };
        let mut power = 1;
        while power <= K / radix {
            power *= radix;
        }
        let size = match rule {
            Outside::Pairs { .. } => K / power * power,
            _ => power,
        };
        Self {
            radix,
            size,
            outside: K - size,
            rule,
        }
    }

    /// How many whole groups have ranks outside.
    fn groups(self) -> u64 {
        self.outside / (self.radix - 1)
    }

    pub fn rounds(self) -> impl DoubleEndedIterator<Item = Round> {
        let units = std::iter::successors(Some(1u64), move |unit| unit.checked_mul(self.radix));
        let round = move |unit| Round {
            unit,
            base: self.radix.min(self.size / unit),
        };
        let rounds: Vec<Round> = units
            .map(round)
            .take_while(|round| round.base > 1)
            .collect();
        rounds.into_iter()
    }

    /// The number of a rank; `None` of one that stays outside.
    pub fn number(self, rank: u64) -> Option<u64> {
        let first = |ranks: u64, takes_part: bool, of: u64| match rank {
            rank if rank >= ranks => Some(rank - self.outside),
            rank => takes_part.then_some(rank / of),
        };
        let k = self.radix;
        match self.rule {
            Outside::Pairs { are_odd } => {
                first(2 * self.outside, rank.is_multiple_of(2) == are_odd, 2)
            }
            Outside::Groups => first(self.outside + self.groups(), rank % k == k - 1, k),
            Outside::Wrapped => (rank < self.size).then_some(rank),
        }
    }

    /// The rank with a number.
    pub fn rank(self, number: u64) -> u64 {
        match self.rule {
            Outside::Pairs { are_odd } => {
                let is_odd = !are_odd && number < self.outside;
                number + number.min(self.outside) + u64::from(is_odd)
            }
            Outside::Groups if number < self.groups() => (number + 1) * self.radix - 1,
            Outside::Groups => number + self.outside,
            Outside::Wrapped => number,
        }
    }

    /// The first block of a number, where ranks are not wrapped.
    pub fn first(self, number: u64) -> u64 {
        match self.rule {
            Outside::Groups if number > 0 => self.rank(number - 1) + 1,
            Outside::Groups => 0,
            Outside::Pairs { .. } => number + number.min(self.outside),
            Outside::Wrapped => number,
        }
    }

    /// The rank that takes part for one outside, and the index of this one among those.
    fn proxy(self, rank: u64) -> (u64, u64) {
        match self.rule {
            Outside::Pairs { .. } => (rank ^ 1, 0),
            Outside::Groups => {
                let last = (rank / self.radix + 1) * self.radix - 1;
                let proxy = last.min(self.outside + self.groups());
                (proxy, proxy - 1 - rank)
            }
            Outside::Wrapped => (rank % self.size, rank / self.size - 1),
        }
    }

    /// For how many ranks outside one takes part at most.
    fn most_outsiders(self) -> u64 {
        match self.rule {
            Outside::Pairs { .. } => 1,
            Outside::Groups => self.radix - 1,
            Outside::Wrapped => self.outside.div_ceil(self.size),
        }
    }

    /// One of the ranks outside for which a rank takes part.
    fn outsider(self, rank: u64, index: u64) -> Option<u64> {
        let number = self.number(rank)?;
        match self.rule {
            Outside::Pairs { .. } => (index == 0 && number < self.outside).then_some(rank ^ 1),
            Outside::Groups => (index < rank - self.first(number)).then(|| rank - 1 - index),
            Outside::Wrapped => {
                let outsider = rank + (index + 1) * self.size;
                (outsider < self.size + self.outside).then_some(outsider)
            }
        }
    }

    /// The largest power of two up to K. The others are in pairs: the even ranks of these stay outside, or the odd ones.
    pub fn in_pairs(K: u64, are_odd: bool) -> Self {
        let size = 1 << K.ilog2();
        Self {
            radix: 2,
            size,
            outside: K - size,
            rule: Outside::Pairs { are_odd },
        }
    }

    /// The bits of a number, of a power of two.
    pub fn bits(self) -> u32 {
        self.size.ilog2()
    }

    /// The blocks of the numbers that differ from one in digits below this unit's only.
    pub fn blocks(self, unit: u64, number: u64) -> Words {
        let number = number / unit * unit;
        let first = self.first(number);
        Words::Blocks(first, self.first(number + unit) - first)
    }

    /// A round in which a number sends words to others: which, by its number and the receiver's.
    pub fn exchange<'a>(self, round: Round, words: impl Fn(u64, u64) -> Words + 'a) -> Phase<'a> {
        let each = round.base - 1;
        let to = move |rank, message| {
            let number = self.number(rank)?;
            Some(self.rank(round.peer(number, message)))
        };
        let words = move |rank, message| {
            let number = self.number(rank).unwrap_or_default();
            words(number, round.peer(number, message))
        };
        Phase::some(Wide::from(self.size) * Wide::from(each), each, to, words).in_round(each)
    }

    /// Ranks outside send words to those that take part for them.
    pub fn enter<'a>(self, words: impl Fn(u64) -> Words + 'a) -> Phase<'a> {
        let to = move |rank, message| {
            let is_outside = self.number(rank).is_none();
            let (proxy, _) = is_outside
                .then(|| self.proxy(rank))
                .filter(|(_, index)| *index == message)?;
            Some(proxy)
        };
        Phase::some(self.outside, self.most_outsiders(), to, move |rank, _| {
            words(rank)
        })
    }

    /// They get words from these.
    pub fn leave<'a>(self, words: impl Fn(u64) -> Words + 'a) -> Phase<'a> {
        let to = move |rank, index| self.outsider(rank, index);
        Phase::some(self.outside, self.most_outsiders(), to, move |rank, _| {
            words(rank)
        })
    }

    /// In a round for each bit of a number, words go to the number that differs in it.
    pub fn exchange_bits<'a>(
        self,
        bit: impl Fn(u64) -> u64 + 'a,
        words: impl Fn(u64, u64) -> Words + 'a,
    ) -> Phase<'a> {
        let partner = move |rank, round| {
            self.number(rank)
                .map(|number| self.rank(number ^ bit(round)))
        };
        let words = move |rank, round| words(self.number(rank).unwrap_or(rank), round);
        Phase::some(
            u64::from(self.bits()) * Wide::from(self.size),
            self.bits().into(),
            partner,
            words,
        )
    }

    /// The ranks of pairs combine half of their words each, and the even rank gets both halves, in rounds 0 and 1. Then ranks that
    /// differ in a bit halve their windows, bit by bit.
    pub fn halving<'a>(self, task: &Task) -> Vec<Phase<'a>> {
        let (n, r) = (task.n, self.outside);
        let halves =
            move |rank: u64, _| Words::Range(if rank % 2 == 1 { 0..n / 2 } else { n / 2..n });
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
            self.enter(move |_| Words::Range(n / 2..n)).tag(1),
            self.exchange_bits(|bit| 1 << bit, given).tags(2).combined(),
        ]
    }
}
