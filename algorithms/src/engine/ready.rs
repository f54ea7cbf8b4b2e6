//! Ready operations: sets of numbers with a query for the least number in a range.
//!
//! There is one bit per number. The bits of a processor with up to 64 operations are read at once ([`Window`]). For larger ones,
//! [`Levels`] have a bit above every 64 bits that says whether any is set, and so on. Adding, removing and finding the least take
//! one step per level: five for 2^30 numbers.

use std::ops::Range;

/// `SETS` sets of numbers, interleaved because they are read together. The ranges of processors do not overlap.
pub(super) struct Ready<const SETS: usize> {
    words: Vec<[u64; SETS]>,
    /// For processors with many operations; empty if there are none.
    levels: Levels<SETS>,
}

/// What is in a short range of each set: bit i for the i-th number of the range.
pub(super) type Window<const SETS: usize> = [u64; SETS];

/// Whether the numbers of a range are read at once.
#[inline]
pub(super) fn is_short(range: &Range<u32>) -> bool {
    range.end - range.start <= 64
}

impl<const SETS: usize> Ready<SETS> {
    /// Empty sets of numbers below this one, which lie in those ranges.
    pub fn new(numbers: usize, mut ranges: impl Iterator<Item = Range<u32>>) -> Self {
        let all_short = ranges.all(|range| is_short(&range));
        // One more, so that every window lies in two words.
        Self {
            words: vec![[0; SETS]; numbers / 64 + 2],
            levels: Levels::new(if all_short { 0 } else { numbers }),
        }
    }

    /// Adds a number of a range.
    #[inline]
    pub fn insert(&mut self, range: &Range<u32>, set: usize, number: u32) {
        if is_short(range) {
            self.words[number as usize >> 6][set] |= 1 << (number & 63);
        } else {
            self.levels.insert(set, number);
        }
    }

    /// Removes a number of a range.
    #[inline]
    pub fn remove(&mut self, range: &Range<u32>, set: usize, number: u32) {
        if is_short(range) {
            self.words[number as usize >> 6][set] &= !(1 << (number & 63));
        } else {
            self.levels.remove(set, number);
        }
    }

    /// The numbers of a short range.
    #[inline]
    pub fn window(&self, range: &Range<u32>) -> Window<SETS> {
        let index = range.start as usize >> 6;
        let (low, high) = (&self.words[index], &self.words[index + 1]);
        let shift = range.start & 63;
        let length = range.end - range.start;
        let mask = if length == 0 {
            0
        } else {
            u64::MAX >> (64 - length)
        };
        std::array::from_fn(|set| (low[set] >> shift | high[set] << 1 << (63 - shift)) & mask)
    }

    /// The numbers of a range, in order.
    pub fn all(&self, set: usize, range: Range<u32>) -> impl Iterator<Item = u32> + '_ {
        let first = range.start;
        let least = move |start: u32| {
            if !is_short(&range) {
                return self.least(set, start..range.end);
            }
            let left = self.window(&range)[set]
                .checked_shr(start - range.start)
                .unwrap_or(0);
            (left != 0).then(|| start + left.trailing_zeros())
        };
        let mut next = first;
        std::iter::from_fn(move || {
            let found = least(next)?;
            next = found + 1;
            Some(found)
        })
    }

    /// The least number in a part of a long range.
    #[inline]
    pub fn least(&self, set: usize, part: Range<u32>) -> Option<u32> {
        self.levels.least(set, part.start, part.end)
    }
}

/// Bits, and levels above them that say whether any is set.
struct Levels<const SETS: usize> {
    levels: Vec<Vec<[u64; SETS]>>,
}

impl<const SETS: usize> Levels<SETS> {
    /// Empty sets of numbers below this one.
    fn new(numbers: usize) -> Self {
        let mut levels = Vec::new();
        let mut words = numbers;
        while words > 1 || levels.is_empty() {
            words = words.div_ceil(64);
            levels.push(vec![[0; SETS]; words]);
        }
        Self { levels }
    }

    /// Adds a number.
    fn insert(&mut self, set: usize, number: u32) {
        let mut index = number as usize;
        for level in &mut self.levels {
            let word = &mut level[index >> 6][set];
            let before = *word;
            *word |= 1 << (index & 63);
            if before != 0 {
                break;
            }
            index >>= 6;
        }
    }

    /// Removes a number.
    fn remove(&mut self, set: usize, number: u32) {
        let mut index = number as usize;
        for level in &mut self.levels {
            let word = &mut level[index >> 6][set];
            *word &= !(1 << (index & 63));
            if *word != 0 {
                break;
            }
            index >>= 6;
        }
    }

    /// The least number in a range.
    fn least(&self, set: usize, start: u32, end: u32) -> Option<u32> {
        let (mut index, mut last) = (start as usize, (end as usize).checked_sub(1)?);
        for (height, level) in self.levels.iter().enumerate() {
            if index > last {
                return None;
            }
            let word = level[index >> 6][set] & (u64::MAX << (index & 63));
            if word != 0 {
                return self.descend(
                    set,
                    height,
                    index & !63 | word.trailing_zeros() as usize,
                    end,
                );
            }
            index = (index >> 6) + 1;
            last >>= 6;
        }
        None
    }

    /// The least number below a bit that is set at that height, if it is less than `end`.
    fn descend(&self, set: usize, height: usize, mut index: usize, end: u32) -> Option<u32> {
        for level in self.levels[..height].iter().rev() {
            index = index << 6 | level[index][set].trailing_zeros() as usize;
        }
        // Numbers are below 2^32.
        u32::try_from(index).ok().filter(|&number| number < end)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_least_of_a_range_is_that_of_a_sorted_set() {
        for numbers in [1u32, 63, 64, 65, 4096, 4097, 300_000] {
            let (mut levels, mut sorted) = (Levels::<2>::new(numbers as usize), BTreeSet::new());
            let mut random = 1u32;
            let mut below = |bound: u32| {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                u32::try_from((u64::from(random) * u64::from(bound)) >> 32).unwrap()
            };
            for _ in 0..3000 {
                let number = below(numbers);
                if below(3) == 0 {
                    levels.remove(1, number);
                    sorted.remove(&number);
                } else {
                    levels.insert(1, number);
                    sorted.insert(number);
                }
                let start = below(numbers);
                let end = start + below(numbers - start + 1);
                for (start, end) in [
                    (start, end),
                    (0, numbers),
                    (number, number + 1),
                    (start, start),
                ] {
                    assert_eq!(
                        levels.least(1, start, end),
                        sorted.range(start..end).next().copied()
                    );
                    assert_eq!(levels.least(0, start, end), None);
                }
            }
        }
    }

    #[test]
    fn a_window_shows_its_range_alone() {
        let ranges = [
            0..60,
            60..124,
            124..124,
            124..125,
            125..128,
            128..192,
            192..200,
        ];
        let mut ready = Ready::<2>::new(200, ranges.iter().cloned());
        let is_in = |number: u32| number.is_multiple_of(3) || number % 7 == 2;
        for range in &ranges {
            range
                .clone()
                .for_each(|number| ready.insert(range, 1, number));
        }
        for range in &ranges {
            range
                .clone()
                .filter(|&number| !is_in(number))
                .for_each(|number| ready.remove(range, 1, number));
        }
        for range in &ranges {
            let bits = range
                .clone()
                .filter(|&number| is_in(number))
                .map(|number| 1u64 << (number - range.start));
            assert_eq!(ready.window(range), [0, bits.sum()]);
        }
    }
}
