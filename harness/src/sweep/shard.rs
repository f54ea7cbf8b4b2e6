//! Shards: a sweep cut into stretches of about the same work, to be run apart from each other.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::effort::Efforts;
use super::parts::{Part, Place, cells_between};
use crate::config::Config;
use crate::units::parse_count;

/// Most shards of one sweep.
pub const MAX_SHARDS: u64 = 1_000_000;

/// One of the stretches of a sweep, as `3/16`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Shard {
    /// Which one, from 1.
    pub index: u64,
    /// Of how many.
    pub of: u64,
}

/// A shard as a file says.
#[derive(Deserialize)]
struct Unchecked {
    index: u64,
    of: u64,
}

impl TryFrom<Unchecked> for Shard {
    type Error = String;

    fn try_from(Unchecked { index, of }: Unchecked) -> Result<Self, String> {
        if index == 0 || index > of || of > MAX_SHARDS {
            return Err(format!("expected I/N, as in 3/16: shard I of N, I from 1 to N, N at most {MAX_SHARDS}"));
        }
        Ok(Self { index, of })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (index, of) = text.split_once('/').ok_or("expected I/N, as in 3/16: shard I of N")?;
        Self::try_from(Unchecked { index: parse_count(index)?, of: parse_count(of)? })
    }
}

/// A shard and what it is thought to take.
pub struct Stretch {
    /// Which.
    pub shard: Shard,
    /// Its cells.
    pub cells: Range<Place>,
    /// Its estimated work, of [`Entry::effort`](algorithms::catalogue::Entry::effort).
    pub effort: u128,
}

impl Stretch {
    /// How many cells it has, a point of several grids counted in each.
    #[must_use]
    pub fn points(&self, parts: &[Part<'_>]) -> u64 {
        cells_between(parts, &self.cells)
    }
}

/// Where a sweep is cut into so many stretches of about the same estimated work, in the order of the cells.
///
/// Every castbench of the same version cuts in the same places: the estimate reads the configuration and no clock.
pub struct Cuts {
    pub(super) efforts: Efforts,
    of: u64,
}

impl Cuts {
    /// Estimates the work.
    #[must_use]
    pub fn new(parts: &[Part<'_>], config: &Config, of: u64) -> Self {
        Self { efforts: Efforts::of(parts, config), of }
    }

    /// The stretch of this index, from 1; without a cell where there are more stretches than cells.
    #[must_use]
    pub fn stretch(&self, index: u64) -> Stretch {
        let (start, end) = (self.place(index - 1), self.place(index));
        let effort = self.efforts.before(end).saturating_sub(self.efforts.before(start));
        Stretch { shard: Shard { index, of: self.of }, cells: start..end, effort }
    }

    /// The estimated work of one part in nanoseconds of a core, of [`Entry::effort`](algorithms::catalogue::Entry::effort).
    #[must_use]
    pub fn effort_of(&self, part: usize) -> u128 {
        self.efforts.of_part(part)
    }

    fn place(&self, index: u64) -> Place {
        let (total, of) = (self.efforts.total(), u128::from(self.of));
        // In two steps, for the product of total and index may not fit.
        let share = total / of * u128::from(index) + total % of * u128::from(index) / of;
        self.efforts.place(share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the number of shards, above that of the cells too, each cell is in exactly one of them, and none has much
    /// more work than its share.
    #[test]
    fn shards_are_a_partition_of_about_equal_parts() {
        let config = Config::load(None).unwrap_or_else(|failure| panic!("{}", failure.message));
        let parts = Part::all(&config).unwrap_or_else(|failure| panic!("{}", failure.message));
        let all = cells_between(&parts, &(Place::default()..Place { part: parts.len(), cell: 0 }));
        let effort_of = |part: &Part<'_>, number: u64| {
            let point = part.cell(number, config.seed)?.point().ok()?;
            Some(u128::from(part.entry.effort(&point, &config.limits)))
        };
        let cells = parts.iter().flat_map(|part| (0..part.cells()).map(move |number| (part, number)));
        let efforts: Vec<u128> = cells.map(|(part, number)| effort_of(part, number).unwrap_or(0)).collect();
        let (dearest, sum) = (efforts.iter().max().copied().unwrap(), efforts.iter().sum::<u128>());
        for of in [1, 2, 3, 16, 1000, 2 * all] {
            let cuts = Cuts::new(&parts, &config, of);
            let (mut next, mut points) = (Place::default(), 0);
            for index in 1..=of {
                let stretch = cuts.stretch(index);
                assert_eq!(stretch.cells.start, next);
                assert!(stretch.cells.end >= next);
                let own =
                    &efforts[usize::try_from(points).unwrap()..][..usize::try_from(stretch.points(&parts)).unwrap()];
                points += stretch.points(&parts);
                next = stretch.cells.end;
                // Cell by cell: a cell is not cut, and a tenth more for those that do not apply after all.
                let (own, share) = (own.iter().sum::<u128>(), sum / u128::from(of));
                assert!(own <= share + share / 10 + dearest, "{index}/{of}: {own}, {share}");
            }
            assert_eq!((next, points), (Place { part: parts.len(), cell: 0 }, all));
        }
    }

    #[test]
    fn a_shard_as_typed() {
        assert_eq!("3/16".parse(), Ok(Shard { index: 3, of: 16 }));
        assert_eq!(Shard { index: 3, of: 16 }.to_string(), "3/16");
        for bad in ["", "3", "0/3", "4/3", "1/0", "-1/3", "1/1000001", "1/2/3"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }

    /// A grid that nobody sweeps can still be planned.
    #[test]
    fn more_cells_than_anyone_evaluates() {
        let path = tempfile::NamedTempFile::new().unwrap();
        let text = "schema = 1\n[limits]\nmost_points = 18446744073709551615\n[[grid]]\nname = \"a\"\n\
                    algorithms = [\"flat\"]\nL = [6]\no = [2]\ng = [4]\nK = [9000000000000000000]\n\
                    source = { from = 1, to = 9000000000000000000 }\n";
        std::fs::write(path.path(), text).unwrap();
        let config = Config::load(Some(path.path())).unwrap_or_else(|failure| panic!("{}", failure.message));
        let parts = Part::all(&config).unwrap_or_else(|failure| panic!("{}", failure.message));
        let cuts = Cuts::new(&parts, &config, 3);
        let points: Vec<u64> = (1..=3).map(|index| cuts.stretch(index).points(&parts)).collect();
        assert_eq!(points.iter().sum::<u64>(), 9_000_000_000_000_000_000);
        assert!(points.iter().all(|&points| points.abs_diff(3_000_000_000_000_000_000) < 1 << 10), "{points:?}");
    }

    #[test]
    fn a_shard_of_a_file_is_checked() {
        for bad in ["{\"index\":0,\"of\":3}", "{\"index\":4,\"of\":3}", "{\"index\":1,\"of\":18446744073709551615}"] {
            assert!(serde_json::from_str::<Shard>(bad).is_err(), "{bad}");
        }
    }
}
