//! What happens when: a priority queue for times that never fall.
//!
//! A radix heap (Ahuja, Mehlhorn, Orlin, Tarjan 1990). An entry lies in the bucket of the highest bit in which its time
//! differs from that of the last one taken; when the lowest buckets are empty, the next one is distributed anew. An
//! entry moves at most once for each bit, whatever the times are. Those of one time are taken by processor, which makes
//! the order total, and lets the memory of neighbours be fetched together.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Numbers or times of which the least is wanted. Mostly there is one at most, which is kept in place.
#[derive(Debug, Clone)]
pub(super) struct Least<T> {
    least: Option<T>,
    rest: BinaryHeap<Reverse<T>>,
}

impl<T: Ord + Copy> Least<T> {
    pub fn new() -> Self {
        Self { least: None, rest: BinaryHeap::new() }
    }

    pub fn peek(&self) -> Option<T> {
        self.least
    }

    pub fn push(&mut self, value: T) {
        match self.least {
            None => self.least = Some(value),
            Some(least) => {
                self.rest.push(Reverse(value.max(least)));
                self.least = Some(value.min(least));
            }
        }
    }

    pub fn pop(&mut self) -> Option<T> {
        let least = self.least;
        self.least = self.rest.pop().map(|Reverse(next)| next);
        least
    }
}

/// Times with a processor each.
pub(super) struct Queue {
    buckets: [Vec<(u64, u32)>; 65],
    last: u64,
    length: usize,
}

impl Queue {
    pub fn new() -> Self {
        Self { buckets: [const { Vec::new() }; 65], last: 0, length: 0 }
    }

    /// Adds an entry. Its time is not before that of the last one taken.
    pub fn push(&mut self, time: u64, processor: u32) {
        debug_assert!(time >= self.last, "time runs backwards");
        self.buckets[self.bucket(time)].push((time, processor));
        self.length += 1;
    }

    /// Takes an entry with the least time. Of several, those that were there when the first of them was taken come by
    /// processor, after those that came since.
    pub fn pop(&mut self) -> Option<(u64, u32)> {
        if self.length == 0 {
            return None;
        }
        if self.buckets[0].is_empty() {
            let lowest = self.buckets.iter().position(|bucket| !bucket.is_empty())?;
            let mut entries = std::mem::take(&mut self.buckets[lowest]);
            self.last = entries.iter().map(|entry| entry.0).min()?;
            for entry in entries.drain(..) {
                let bucket = self.bucket(entry.0);
                self.buckets[bucket].push(entry);
            }
            // Its room is used again.
            self.buckets[lowest] = entries;
            self.buckets[0].sort_unstable_by_key(|&(_, processor)| Reverse(processor));
        }
        self.length -= 1;
        self.buckets[0].pop()
    }

    fn bucket(&self, time: u64) -> usize {
        (u64::BITS - (time ^ self.last).leading_zeros()) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_comes_first() {
        let mut least = Least::new();
        let mut values: Vec<u32> = (0..100).map(|i| i * 37 % 101).collect();
        for &value in &values {
            least.push(value);
        }
        values.sort_unstable();
        assert_eq!(least.peek(), values.first().copied());
        assert_eq!(std::iter::from_fn(|| least.pop()).collect::<Vec<_>>(), values);
        assert_eq!(least.peek(), None);
    }

    #[test]
    fn times_come_in_order() {
        let mut queue = Queue::new();
        let mut times: Vec<u64> = (0..1000u64).map(|i| i * i % 977 * 1_000_003).collect();
        times.extend([u64::MAX, 0, 1 << 63]);
        for (&time, processor) in times.iter().zip(0..) {
            queue.push(time, processor);
        }
        times.sort_unstable();
        // Some come while others are taken.
        let mut taken = Vec::new();
        while let Some((time, _)) = queue.pop() {
            taken.push(time);
            if taken.len() == 500 {
                queue.push(time, 0);
                times.insert(500, time);
            }
        }
        assert_eq!(taken, times);
    }
}
