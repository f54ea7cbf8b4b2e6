//! Neighbours among fractions of bounded size, by the Stern-Brocot tree.
//!
//! **Source.** Graham, Knuth, Patashnik, "Concrete Mathematics", 2nd edition 1994, section 4.5.

use num_integer::Integer;

use crate::error::Error;

/// A ratio `num/den` that is not negative, in lowest terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fraction {
    pub num: u64,
    pub den: u64,
}

/// The bound of a fraction.
#[derive(Debug, Clone, Copy)]
pub(super) enum Most {
    Numerator(u64),
    Denominator(u64),
}

impl Fraction {
    /// `num/den` in lowest terms, for `den > 0`.
    pub(super) fn new(num: u64, den: u64) -> Self {
        let divisor = num.gcd(&den);
        Self { num: num / divisor, den: den / divisor }
    }

    /// The reciprocal, for `num > 0`.
    pub(super) fn inverse(self) -> Self {
        Self { num: self.den, den: self.num }
    }

    pub(super) fn is_below(self, other: Self) -> bool {
        u128::from(self.num) * u128::from(other.den) < u128::from(other.num) * u128::from(self.den)
    }

    /// A fraction between this one and a greater one, which may be `1/0`.
    ///
    /// # Errors
    /// [`Error::Overflow`] where it does not fit in 64 bits.
    pub(super) fn mediant(self, other: Self) -> Result<Self, Error> {
        let sum = |a: u64, b: u64| a.checked_add(b).ok_or(Error::Overflow);
        Ok(Self { num: sum(self.num, other.num)?, den: sum(self.den, other.den)? })
    }

    /// The least fraction above this one whose numerator, or denominator, is at most this number.
    ///
    /// None where there is none (no numerator up to 3 takes a fraction above 3), or no least one (numerators above 0), or
    /// where products of the numbers do not fit in 127 bits.
    ///
    /// Cost: O(log), a step for each quotient of the continued fraction.
    pub(super) fn next_above(self, most: Most) -> Option<Self> {
        let (limit, is_numerator) = match most {
            Most::Numerator(limit) => (i128::from(limit), true),
            Most::Denominator(0) => return None,
            Most::Denominator(limit) => (i128::from(limit), false),
        };
        let bounded = |(num, den): (i128, i128)| if is_numerator { num } else { den };
        // How far below this fraction a pair of the tree is, scaled by the common denominator.
        let below = |(num, den): (i128, i128)| {
            i128::from(self.num).checked_mul(den)?.checked_sub(num.checked_mul(i128::from(self.den))?)
        };
        let room = |from: (i128, i128), step: (i128, i128)| match bounded(step) {
            0 => i128::MAX,
            each => (limit - bounded(from)) / each,
        };
        let moved = |from: (i128, i128), step: (i128, i128), times: i128| {
            Some((from.0.checked_add(step.0.checked_mul(times)?)?, from.1.checked_add(step.1.checked_mul(times)?)?))
        };
        // Neighbours around this fraction: `low` is no greater than it, `high` is above. Between them lie only
        // fractions at least as large as their mediant in numerator and denominator.
        let (mut low, mut high) = ((0, 1), (1, 0));
        while bounded(low) + bounded(high) <= limit {
            let above = -below(high)?;
            low = moved(low, high, (below(low)? / above).min(room(low, high)))?;
            let steps = (above - 1).checked_div(below(low)?).unwrap_or(i128::MAX);
            high = moved(high, low, steps.min(room(high, low)))?;
        }
        if high.1 == 0 {
            return None;
        }
        Some(Self { num: u64::try_from(high.0).ok()?, den: u64::try_from(high.1).ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_fraction_by_trying_all() {
        let all = |num: u64, den: u64| -> Vec<Fraction> {
            (1..=den).flat_map(|den| (0..=num).map(move |num| Fraction::new(num, den))).collect()
        };
        let (wide, long) = (all(500, 14), all(14, 200));
        let least = |from: Fraction, among: &[Fraction], keep: &dyn Fn(&Fraction) -> bool| {
            let above = among.iter().copied().filter(|&each| from.is_below(each) && keep(&each));
            above.reduce(|least, each| if each.is_below(least) { each } else { least })
        };
        for from in (1..=12).flat_map(|den| (0..=30).map(move |num| Fraction::new(num, den))) {
            for most in 0..=14 {
                let expected = least(from, &wide, &|each| each.den <= most);
                assert_eq!(from.next_above(Most::Denominator(most)), expected, "{from:?}, denominators to {most}");
                if from.num > 0 {
                    let expected = least(from, &long, &|each| each.num <= most);
                    assert_eq!(from.next_above(Most::Numerator(most)), expected, "{from:?}, numerators to {most}");
                }
            }
        }
        // The fractions 1/d have no least one.
        assert_eq!(Fraction::new(0, 1).next_above(Most::Numerator(5)), None);
    }

    #[test]
    fn large_fractions_do_not_wrap() {
        let most = u64::MAX;
        assert_eq!(Fraction::new(most, 1).next_above(Most::Numerator(most)), None);
        assert_eq!(Fraction::new(most, 1).next_above(Most::Denominator(1)), None);
        assert_eq!(Fraction::new(most - 1, most).next_above(Most::Denominator(most)), None);
        let (num, den) = (u64::from(u32::MAX), 1 << 32);
        let next = Fraction { num, den }.next_above(Most::Denominator(most));
        assert!(
            next.is_some_and(
                |next| u128::from(next.num) * u128::from(den) == u128::from(next.den) * u128::from(num) + 1
            )
        );
    }
}
