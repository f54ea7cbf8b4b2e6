//! When each processor has to be advanced: a priority queue for times that never fall.
//!
//! A radix heap (Ahuja, Mehlhorn, Orlin, Tarjan 1990). Time is divided into spans. An entry is in the bucket of the highest bit in
//! which its span differs from the one taken last; when a bucket is empty, the lowest one with entries is distributed again. An
//! entry moves at most once per bit. Entries of one span have no order.

/// Spans of time with a processor each.
pub(super) struct Queue {
    buckets: [Vec<(u64, u32)>; 65],
    last: u64,
    /// A bit for each processor, none set between calls.
    marks: Vec<u64>,
}

impl Queue {
    pub fn new(processors: u32) -> Self {
        Self {
            buckets: [const { Vec::new() }; 65],
            last: 0,
            marks: vec![0; processors.div_ceil(64) as usize],
        }
    }

    /// Adds an entry. Its span is not before the one that was taken last.
    #[inline]
    pub fn push(&mut self, span: u64, processor: u32) {
        debug_assert!(span >= self.last, "time runs backwards");
        self.buckets[self.bucket(span)].push((span, processor));
    }

    /// Goes to the next span that has entries, and replaces `processors` by them.
    pub fn next(&mut self, processors: &mut Vec<u32>) -> Option<u64> {
        processors.clear();
        let lowest = self.buckets.iter().position(|bucket| !bucket.is_empty())?;
        let mut entries = std::mem::take(&mut self.buckets[lowest]);
        self.last = entries.iter().map(|entry| entry.0).min()?;
        for (span, processor) in entries.drain(..) {
            if span == self.last {
                processors.push(processor);
            } else {
                let bucket = self.bucket(span);
                self.buckets[bucket].push((span, processor));
            }
        }
        // Reuse the memory.
        self.buckets[lowest] = entries;
        self.sort(processors);
        Some(self.last)
    }

    /// Sorts many processors and removes duplicates, so that their memory is read once from front to back. Few are not worth it.
    fn sort(&mut self, processors: &mut Vec<u32>) {
        if processors.len() < self.marks.len() {
            return;
        }
        for &processor in &*processors {
            self.marks[processor as usize >> 6] |= 1 << (processor & 63);
        }
        processors.clear();
        for (first, marks) in (0u32..).step_by(64).zip(&mut self.marks) {
            let mut left = std::mem::take(marks);
            while left != 0 {
                processors.push(first + left.trailing_zeros());
                left &= left - 1;
            }
        }
    }

    #[inline]
    fn bucket(&self, span: u64) -> usize {
        (u64::BITS - (span ^ self.last).leading_zeros()) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_come_in_order() {
        let mut queue = Queue::new(6000);
        let mut spans: Vec<u64> = (0..1000u64).map(|i| i * i % 977 * 1_000_003).collect();
        spans.extend([u64::MAX, 0, 1 << 63]);
        for (&span, processor) in spans.iter().zip(0..) {
            queue.push(span, processor);
        }
        let (mut taken, mut processors, mut steps) = (Vec::new(), Vec::new(), 0);
        while let Some(span) = queue.next(&mut processors) {
            taken.extend(processors.iter().map(|&processor| (span, processor)));
            steps += 1;
            // Some come while others are taken.
            if steps == 300 {
                queue.push(span, 5000);
                queue.push(span + 1, 5001);
                spans.resize(5000, span);
                spans.extend([span, span + 1]);
            }
        }
        assert!(taken.is_sorted_by_key(|entry| entry.0));
        assert_eq!(taken.len(), 1003 + 2);
        assert!(
            taken
                .iter()
                .all(|&(span, processor)| spans[processor as usize] == span)
        );
        taken.sort_unstable_by_key(|entry| entry.1);
        taken.dedup_by_key(|entry| entry.1);
        assert_eq!(taken.len(), 1003 + 2);
    }
}
