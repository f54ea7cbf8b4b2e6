//! Which operations could begin but for what they occupy: sets of numbers, of which the least in a range is wanted.
//!
//! A bit for each number, above it a bit for each 64 of them that says whether there is any, and so on. To add, to take
//! away and to find the least takes a step for each level, of which there are five for 2^30 numbers; where a range lies
//! within a word or two, as that of a processor with few operations does, finding it does not go up at all.

/// Sets of numbers, `SETS` of them, side by side: whoever looks at one looks at the others.
pub(super) struct Ready<const SETS: usize> {
    levels: Vec<Vec<[u64; SETS]>>,
}

impl<const SETS: usize> Ready<SETS> {
    /// Empty sets of numbers below this one.
    pub fn new(numbers: usize) -> Self {
        let mut levels = Vec::new();
        let mut words = numbers;
        while words > 1 || levels.is_empty() {
            words = words.div_ceil(64);
            levels.push(vec![[0; SETS]; words]);
        }
        Self { levels }
    }

    /// Adds a number.
    #[inline]
    pub fn insert(&mut self, set: usize, number: u32) {
        let mut place = number as usize;
        for level in &mut self.levels {
            let word = &mut level[place >> 6][set];
            let before = *word;
            *word |= 1 << (place & 63);
            if before != 0 {
                break;
            }
            place >>= 6;
        }
    }

    /// Takes a number away.
    #[inline]
    pub fn remove(&mut self, set: usize, number: u32) {
        let mut place = number as usize;
        for level in &mut self.levels {
            let word = &mut level[place >> 6][set];
            *word &= !(1 << (place & 63));
            if *word != 0 {
                break;
            }
            place >>= 6;
        }
    }

    /// The least number in a range.
    #[inline]
    pub fn least(&self, set: usize, start: u32, end: u32) -> Option<u32> {
        let (mut place, mut last) = (start as usize, (end as usize).checked_sub(1)?);
        for (height, level) in self.levels.iter().enumerate() {
            if place > last {
                return None;
            }
            let word = level[place >> 6][set] & (u64::MAX << (place & 63));
            if word != 0 {
                return self.descend(set, height, place & !63 | word.trailing_zeros() as usize, end);
            }
            place = (place >> 6) + 1;
            last >>= 6;
        }
        None
    }

    /// The least number below a bit that is set at that height, if it is less than `end`.
    #[inline]
    fn descend(&self, set: usize, height: usize, mut place: usize, end: u32) -> Option<u32> {
        for level in self.levels[..height].iter().rev() {
            place = place << 6 | level[place][set].trailing_zeros() as usize;
        }
        // Numbers are below 2^32.
        u32::try_from(place).ok().filter(|&number| number < end)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_least_of_a_range_is_that_of_a_sorted_set() {
        for numbers in [1u32, 63, 64, 65, 4096, 4097, 300_000] {
            let (mut ready, mut sorted) = (Ready::<2>::new(numbers as usize), BTreeSet::new());
            let mut random = 1u32;
            let mut below = |bound: u32| {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                u32::try_from((u64::from(random) * u64::from(bound)) >> 32).unwrap()
            };
            for _ in 0..3000 {
                let number = below(numbers);
                if below(3) == 0 {
                    ready.remove(1, number);
                    sorted.remove(&number);
                } else {
                    ready.insert(1, number);
                    sorted.insert(number);
                }
                let start = below(numbers);
                let end = start + below(numbers - start + 1);
                for (start, end) in [(start, end), (0, numbers), (number, number + 1), (start, start)] {
                    assert_eq!(ready.least(1, start, end), sorted.range(start..end).next().copied());
                    assert_eq!(ready.least(0, start, end), None);
                }
            }
        }
    }
}
