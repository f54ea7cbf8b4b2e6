//! Times and counts above 64 bits, which no sum or product can overflow.
//!
//! Clocks add and multiply numbers of 64 bits. A result that does not fit in 128 bits is the largest number instead, and
//! stays it: there is no subtraction. So whatever is above 64 bits is an [`Error::Overflow`](crate::error::Error::Overflow) once it is a
//! [cost](crate::error::fit), and nothing else is.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul};

/// A time or a count. What does not fit in 128 bits is [`Wide::MAX`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wide(u128);

impl Wide {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// The largest one, which stands for all that are above it, too.
    pub const MAX: Self = Self(u128::MAX);

    /// How often `part` fits into it; `None` where it is nothing.
    pub(crate) fn checked_div(self, part: Self) -> Option<Self> {
        self.0.checked_div(part.0).map(Self)
    }

    /// How many parts of this size have room for it; `part` is at least 1.
    pub(crate) fn div_ceil(self, part: u64) -> Self {
        Self(self.0.div_ceil(part.into()))
    }

    /// What is left without `less`; `None` where that is more.
    pub(crate) fn checked_sub(self, less: Self) -> Option<Self> {
        self.0.checked_sub(less.0).map(Self)
    }
}

impl From<u64> for Wide {
    fn from(number: u64) -> Self {
        Self(number.into())
    }
}

impl From<u32> for Wide {
    fn from(number: u32) -> Self {
        Self(number.into())
    }
}

impl From<u128> for Wide {
    fn from(number: u128) -> Self {
        Self(number)
    }
}

impl From<Wide> for u128 {
    fn from(Wide(number): Wide) -> Self {
        number
    }
}

impl Add for Wide {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Add<u64> for Wide {
    type Output = Self;

    fn add(self, other: u64) -> Self {
        self + Self::from(other)
    }
}

impl AddAssign for Wide {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul for Wide {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self(self.0.saturating_mul(other.0))
    }
}

impl Mul<Wide> for u64 {
    type Output = Wide;

    fn mul(self, other: Wide) -> Wide {
        Wide::from(self) * other
    }
}

impl Sum for Wide {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::ZERO, Self::add)
    }
}

impl fmt::Display for Wide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn nothing_comes_back_from_the_largest() {
        let largest = Wide::from(u64::MAX) * Wide::from(u64::MAX) * Wide::from(2u64);
        assert_eq!(largest, Wide::MAX);
        assert_eq!(
            [largest + 1, 3 * largest, [largest; 3].into_iter().sum()],
            [Wide::MAX; 3]
        );
        assert_eq!(u64::try_from(largest), Err(Error::Overflow));
        assert_eq!(u64::try_from(2 * Wide::from(21u64)), Ok(42));
    }
}
