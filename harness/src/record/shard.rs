//! Shards: the cells of a sweep, dealt out round robin and evaluated independently.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::base::units::parse_count;

/// Most shards of one sweep.
pub const MAX_SHARDS: u64 = 1_000_000;

/// Every N-th cell of a sweep, as `3/16`: cell c, counted from 0, belongs to shard 1 + c mod N.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Shard {
    /// The shard, from 1.
    pub index: u64,
    /// The number of shards.
    pub of: u64,
}

impl Shard {
    /// All cells.
    pub const WHOLE: Self = Self { index: 1, of: 1 };

    /// The number of its cells among the first `cells` cells.
    pub const fn share(self, cells: u64) -> u64 {
        cells.saturating_sub(self.index - 1).div_ceil(self.of)
    }

    /// The number of the cell at this position of the shard, both from 0.
    pub const fn cell(self, position: u64) -> u64 {
        self.index - 1 + position * self.of
    }
}

#[derive(Deserialize)]
struct Unchecked {
    index: u64,
    of: u64,
}

impl TryFrom<Unchecked> for Shard {
    type Error = String;

    fn try_from(Unchecked { index, of }: Unchecked) -> Result<Self, String> {
        if index == 0 || index > of || of > MAX_SHARDS {
            return Err(format!(
                "expected I/N, as in 3/16: shard I of N, I from 1 to N, N at most {MAX_SHARDS}"
            ));
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
        let (index, of) = text
            .split_once('/')
            .ok_or("expected I/N, as in 3/16: shard I of N")?;
        Self::try_from(Unchecked {
            index: parse_count(index)?,
            of: parse_count(of)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each cell is in one shard, even with more shards than cells.
    #[test]
    fn shards_are_a_partition() {
        for (cells, of) in [(0, 1), (1, 1), (7, 1), (7, 2), (7, 3), (9, 3), (2, 5)] {
            let of_shard = |index| {
                let shard = Shard { index, of };
                (0..shard.share(cells)).map(move |position| shard.cell(position))
            };
            let mut dealt: Vec<u64> = (1..=of).flat_map(of_shard).collect();
            dealt.sort_unstable();
            assert!(dealt.into_iter().eq(0..cells), "{cells} cells, {of} shards");
        }
        let shards = (1..=3).map(|index| Shard { index, of: 3 }.share(u64::MAX));
        assert_eq!(shards.sum::<u64>(), u64::MAX);
    }

    #[test]
    fn a_shard_as_typed() {
        assert_eq!("3/16".parse(), Ok(Shard { index: 3, of: 16 }));
        assert_eq!(Shard { index: 3, of: 16 }.to_string(), "3/16");
        for bad in ["", "3", "0/3", "4/3", "1/0", "-1/3", "1/1000001", "1/2/3"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_shard_of_a_file_is_checked() {
        for bad in [
            "{\"index\":0,\"of\":3}",
            "{\"index\":4,\"of\":3}",
            "{\"index\":1,\"of\":18446744073709551615}",
        ] {
            assert!(serde_json::from_str::<Shard>(bad).is_err(), "{bad}");
        }
    }
}
