//! The segments of a message.

use crate::plan::Task;

/// The shortest segment that is compared on a machine profile, in bytes.
const LEAST_SEGMENT: u64 = 256;

/// Numbers of segments to compare: of one segment, and of segments of each power of two.
pub fn numbers(size: u64, is_bytes: bool) -> impl Iterator<Item = u64> {
    let least = if is_bytes { LEAST_SEGMENT } else { 1 };
    let longest = size.checked_next_power_of_two().unwrap_or(1 << 63) / 2;
    let sizes = std::iter::successors(Some(longest), |size| Some(size / 2))
        .take_while(move |size| *size >= least);
    let cuts = sizes
        .map(move |segment| size.div_ceil(segment))
        .filter(move |m| size.div_ceil(*m) >= least);
    std::iter::once(1).chain(cuts)
}

/// Segments of one size; the last can be shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// How many there are.
    pub segments: u64,
    /// Words of each but the last.
    pub words: u64,
    /// Words of the last, from 1 to `words`.
    pub last: u64,
}

impl Cut {
    /// The segments of a task: at most m.
    #[must_use]
    pub fn of(task: &Task) -> Self {
        Self::new(task.n, task.n.div_ceil(task.m))
    }

    /// A message of n >= 1 words in segments of this number of words.
    #[must_use]
    pub fn new(n: u64, words: u64) -> Self {
        let words = words.clamp(1, n);
        let segments = n.div_ceil(words);
        Self {
            segments,
            words,
            last: n - (segments - 1) * words,
        }
    }

    /// Words of the segment with this number, from 0.
    #[must_use]
    pub fn size(self, segment: u64) -> u64 {
        if segment + 1 == self.segments {
            self.last
        } else {
            self.words
        }
    }
}

/// How the ports of a node are used by a tree whose nodes have up to `degree` children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lanes {
    /// Segment j takes lane `j mod lanes`.
    pub lanes: u64,
    /// Child x (from 0) takes port `x mod ports` of a lane.
    pub ports: u64,
}

impl Lanes {
    /// The most lanes with a port for each child, or one lane of fewer ports.
    pub fn new(k: u64, degree: u64) -> Self {
        let degree = degree.max(1);
        Self {
            lanes: (k / degree).max(1),
            ports: k.min(degree),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_segment_is_what_is_left() {
        let cut = |n: u64, m| Cut::new(n, n.div_ceil(m));
        assert_eq!(
            cut(10, 1),
            Cut {
                segments: 1,
                words: 10,
                last: 10
            }
        );
        assert_eq!(
            cut(10, 4),
            Cut {
                segments: 4,
                words: 3,
                last: 1
            }
        );
        // Six segments of two words would be more than 10 words.
        assert_eq!(
            cut(10, 6),
            Cut {
                segments: 5,
                words: 2,
                last: 2
            }
        );
        assert_eq!(
            cut(u64::MAX, u64::MAX),
            Cut {
                segments: u64::MAX,
                words: 1,
                last: 1
            }
        );
        for n in 1..60 {
            for m in 1..=n {
                let cut = cut(n, m);
                assert!(cut.segments <= m && (1..=cut.words).contains(&cut.last));
                assert_eq!(
                    (0..cut.segments)
                        .map(|segment| cut.size(segment))
                        .sum::<u64>(),
                    n
                );
            }
        }
    }

    #[test]
    fn ports_are_for_children_first() {
        assert_eq!(Lanes::new(1, 3), Lanes { lanes: 1, ports: 1 });
        assert_eq!(Lanes::new(2, 3), Lanes { lanes: 1, ports: 2 });
        assert_eq!(Lanes::new(7, 3), Lanes { lanes: 2, ports: 3 });
        assert_eq!(Lanes::new(4, 1), Lanes { lanes: 4, ports: 1 });
        assert_eq!(Lanes::new(4, 0), Lanes { lanes: 4, ports: 1 });
    }
}
