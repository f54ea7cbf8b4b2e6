//! The grid of a claim: the product of its axes, point by point in one order.

/// A symbol and its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// The symbol, as in the paper.
    pub symbol: &'static str,
    /// The first and the last value of each range, ascending.
    ranges: Vec<[u64; 2]>,
}

impl Axis {
    /// The axis of a text: `K = 1..400` or `K = 8, 12, 18`.
    pub(super) fn parse(text: &'static str) -> Self {
        let (symbol, values) = text.split_once(" = ").unwrap_or((text, "0"));
        let ranges = values.split(", ").map(|range| {
            let (first, last) = range.split_once("..").unwrap_or((range, range));
            [first, last].map(|number| number.parse().unwrap_or(0))
        });
        Self {
            symbol,
            ranges: ranges.collect(),
        }
    }

    /// How many values there are.
    pub(super) fn count(&self) -> u64 {
        self.ranges
            .iter()
            .map(|[first, last]| last - first + 1)
            .sum()
    }

    /// The value with this number, from 0.
    pub(super) fn value(&self, mut number: u64) -> u64 {
        for [first, last] in &self.ranges {
            if number <= last - first {
                return first + number;
            }
            number -= last - first + 1;
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_single_values() {
        let axis = Axis::parse("K = 1..3, 8, 12");
        assert_eq!((axis.symbol, axis.count()), ("K", 5));
        assert_eq!(
            [0, 1, 2, 3, 4].map(|number| axis.value(number)),
            [1, 2, 3, 8, 12]
        );
    }

    /// A number that cannot be read would be 0.
    #[test]
    fn every_grid_is_read_as_it_is_written() {
        for claim in crate::claims::all() {
            let axes = claim.axes.iter().map(|axis| {
                let range = |&[first, last]: &[u64; 2]| {
                    assert!(first <= last, "{}", claim.id);
                    if first == last {
                        first.to_string()
                    } else {
                        format!("{first}..{last}")
                    }
                };
                let ranges: Vec<String> = axis.ranges.iter().map(range).collect();
                format!("{} = {}", axis.symbol, ranges.join(", "))
            });
            assert_eq!(
                axes.collect::<Vec<_>>().join("; "),
                claim.grid,
                "{}",
                claim.id
            );
        }
    }
}
