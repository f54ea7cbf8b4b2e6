//! The common values of two axes, computed without enumerating a range.

use super::Values;

impl Values {
    /// The common values, if any. Cost: linear in the shorter list, or one greatest common divisor.
    #[must_use]
    pub fn common(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Range { from, to, step }, Self::Range { from: other_from, to: other_to, step: other_step }) => {
                common_progression((*from, *to, *step), (*other_from, *other_to, *other_step))
            }
            // The shorter list is searched.
            _ => {
                let is_list = |values: &Self| matches!(values, Self::List(_));
                let swap = !is_list(self) || is_list(other) && other.count() < self.count();
                let (list, sieve) = if swap { (other, self) } else { (self, other) };
                let values = (0..list.count()).map(|index| list.get(index));
                let common: Vec<u64> = values.filter(|&value| sieve.contains(value)).collect();
                (!common.is_empty()).then_some(Self::List(common))
            }
        }
    }
}

/// A range as `from`, `to`, `step`.
type Progression = (u64, u64, u64);

/// The common values of two ranges, which form a range.
fn common_progression(one: Progression, other: Progression) -> Option<Values> {
    let ((from, to, step), (other_from, other_to, other_step)) = (one, other);
    let (from, to) = (from.max(other_from), to.min(other_to));
    if from > to {
        return None;
    }
    // The first value of each that is at least `from`.
    let first =
        |start: u64, step: u64| u128::from(start) + u128::from((from - start).div_ceil(step)) * u128::from(step);
    let (a, b) = (first(one.0, step), first(other.0, other_step));
    let (step, other_step) = (u128::from(step), u128::from(other_step));
    let divisor = gcd(step, other_step);
    if a % divisor != b % divisor {
        return None;
    }
    // `a + steps * step` must equal `b` modulo the other step.
    let modulus = other_step / divisor;
    let wanted = (b % other_step + other_step - a % other_step) % other_step / divisor;
    let steps = wanted * inverse(step / divisor % modulus, modulus) % modulus;
    let start = u64::try_from(a + steps * step).ok().filter(|&start| start <= to)?;
    let period = step / divisor * other_step;
    Some(match u64::try_from(period) {
        Ok(step) => Values::Range { from: start, to, step },
        Err(_) => Values::one(start),
    })
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// `x` with `a * x = 1` modulo `modulus`, for coprime `a` and `modulus`; 0 modulo 1. All are below 2^64.
fn inverse(a: u128, modulus: u128) -> u128 {
    let (mut old, mut new) = ((modulus, 0), (a, 1 % modulus));
    while new.0 != 0 {
        let times = old.0 / new.0;
        let next = (old.0 % new.0, (old.1 + modulus - times * new.1 % modulus) % modulus);
        (old, new) = (new, next);
    }
    old.1 % modulus
}

#[cfg(test)]
mod tests {
    use algorithms::problem::Kind;

    use super::*;

    fn of(text: &str) -> Values {
        Values::parse(text, Kind::Count).unwrap()
    }

    fn values(text: &str) -> Vec<u64> {
        of(text).iter().collect()
    }

    #[test]
    fn what_axes_have_in_common() {
        let axes = ["7", "18,8,12,8", "0..60", "1..60..7", "3..59..4", "9..60..6", "4..40..9", "3..50..x2", "70..80"];
        for one in axes {
            for other in axes {
                let common = of(one).common(&of(other));
                let common: Vec<u64> = common.iter().flat_map(Values::iter).collect();
                let expected: Vec<u64> =
                    values(one).into_iter().filter(|value| values(other).contains(value)).collect();
                assert_eq!(common, expected, "{one} and {other}");
            }
        }
        let common = |one: &str, other: &str| of(one).common(&of(other));
        let (most, half) = (u64::MAX, u64::MAX / 2);
        let whole = format!("1..{most}");
        assert_eq!(common(&whole, &whole).unwrap().bounds(), (1, most));
        // Steps whose least common multiple needs 128 bits.
        assert_eq!(common(&format!("0..{most}..{half}"), &format!("0..{most}..{}", half - 1)), Some(Values::one(0)));
        assert_eq!(
            common(&format!("1..{most}..{half}"), &format!("2..{most}..{}", half - 1)).unwrap().get(0),
            half + 1
        );
        assert_eq!(common(&format!("0..{most}..2"), &format!("1..{most}..2")), None);
    }
}
