//! Ready operations: a set of numbers with a query for the least number in a range.
//!
//! There is one bit per number, and a bit above every 64 bits that says whether any is set, and so on. Adding, removing and finding
//! the least take one step per level: five for 2^30 numbers.

use std::ops::Range;

/// A set of numbers, level by level.
pub(super) struct Ready {
    levels: Vec<Vec<u64>>,
}

impl Ready {
    /// An empty set of numbers below this one.
    pub fn new(numbers: usize) -> Self {
        let mut levels = Vec::new();
        let mut words = numbers;
        while words > 1 || levels.is_empty() {
            words = words.div_ceil(64);
            levels.push(vec![0; words]);
        }
        Self { levels }
    }

    /// Adds a number.
    #[inline]
    pub fn insert(&mut self, number: u32) {
        let mut index = number as usize;
        for level in &mut self.levels {
            let before = level[index >> 6];
            level[index >> 6] |= 1 << (index & 63);
            if before != 0 {
                break;
            }
            index >>= 6;
        }
    }

    /// Removes a number.
    #[inline]
    pub fn remove(&mut self, number: u32) {
        let mut index = number as usize;
        for level in &mut self.levels {
            level[index >> 6] &= !(1 << (index & 63));
            if level[index >> 6] != 0 {
                break;
            }
            index >>= 6;
        }
    }

    /// The least number in a range.
    #[inline]
    pub fn least(&self, range: Range<u32>) -> Option<u32> {
        let (mut index, mut last) = (range.start as usize, (range.end as usize).checked_sub(1)?);
        for (height, level) in self.levels.iter().enumerate() {
            if index > last {
                return None;
            }
            let word = level[index >> 6] & (u64::MAX << (index & 63));
            if word != 0 {
                let index = index & !63 | word.trailing_zeros() as usize;
                let below = self.levels[..height].iter().rev();
                let index = below.fold(index, |index, level| index << 6 | level[index].trailing_zeros() as usize);
                // Numbers are below 2^32.
                return u32::try_from(index).ok().filter(|&number| number < range.end);
            }
            index = (index >> 6) + 1;
            last >>= 6;
        }
        None
    }

    /// The numbers of a range, in order.
    pub fn all(&self, range: Range<u32>) -> impl Iterator<Item = u32> + '_ {
        let end = range.end;
        std::iter::successors(self.least(range), move |&last| self.least(last + 1..end))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_least_of_a_range_is_that_of_a_sorted_set() {
        for numbers in [1u32, 63, 64, 65, 4096, 4097, 300_000] {
            let (mut ready, mut sorted) = (Ready::new(numbers as usize), BTreeSet::new());
            let mut random = 1u32;
            let mut below = |bound: u32| {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                u32::try_from((u64::from(random) * u64::from(bound)) >> 32).unwrap()
            };
            for _ in 0..3000 {
                let number = below(numbers);
                if below(3) == 0 {
                    ready.remove(number);
                    sorted.remove(&number);
                } else {
                    ready.insert(number);
                    sorted.insert(number);
                }
                let start = below(numbers);
                let end = start + below(numbers - start + 1);
                for (start, end) in [(start, end), (0, numbers), (number, number + 1), (start, start)] {
                    assert_eq!(ready.least(start..end), sorted.range(start..end).next().copied());
                }
                assert!(ready.all(start..end.min(start + 99)).eq(sorted.range(start..end.min(start + 99)).copied()));
            }
        }
    }
}
