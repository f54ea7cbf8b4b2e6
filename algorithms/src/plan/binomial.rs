//! The binomial tree of K numbers.
//!
//! The parent of a number is the number without its lowest bit. Its children have one more bit, below its lowest. The
//! subtree of a number is a range that begins with it.

/// How many numbers are in a subtree.
pub(crate) fn size(K: u64, number: u64) -> u64 {
    if number == 0 {
        K
    } else {
        (number & number.wrapping_neg()).min(K - number)
    }
}

/// The subtrees on the path from the root to its last child, to the last child of that one, and so on, the smallest first:
/// the exponent of the power of two that a subtree exceeds, and the size of the last subtree within it, which may be
/// incomplete. The other subtrees within it are complete, of all smaller powers of two.
pub(crate) fn incomplete(K: u64) -> impl Iterator<Item = (u32, u64)> {
    let others = K - 1;
    let bits = u64::BITS - others.leading_zeros();
    (0..bits)
        .filter(move |bit| others >> bit & 1 == 1)
        .map(move |bit| (bit, (others & ((1 << bit) - 1)) + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Family;

    #[test]
    fn subtrees_are_ranges() {
        for K in 1..200 {
            for number in 0..K {
                let mut next = number + 1;
                for (child, below) in Family::binomial(K, number).children {
                    let family = Family::binomial(K, child);
                    assert_eq!((child, family.parent), (next, Some(number)), "K={K}");
                    assert_eq!([family.size, below], [size(K, child); 2], "K={K}");
                    next += below;
                }
                assert_eq!(next, number + size(K, number), "K={K}");
            }
            let mut of = K;
            for (bit, last) in incomplete(K).collect::<Vec<_>>().into_iter().rev() {
                assert_eq!(last + (1 << bit), of, "K={K}");
                of = last;
            }
            assert_eq!(of, 1);
        }
    }
}
