//! Counts the times at which nodes of the universal broadcast tree hold the message, row by row. A node a hops and b gaps below the
//! root holds it at its *label* `aD + bg'`; there are `C(a+b-1, b)` such nodes, and the root's label is 0.
//! [`optimal`](super::multicast::optimal) describes the tree. All functions need D >= 1 and g' >= 1.

/// How many nodes have a label of at most t, including the root: `N(t)`, or `cap` if that is less.
pub(super) fn reached(D: u64, gap: u64, t: u64, cap: u64) -> u64 {
    let mut total = 1u64;
    for row in rows(D, gap, t) {
        total = total.saturating_add(row.held_by(t, cap));
        if total >= cap {
            return cap;
        }
    }
    total
}

/// How much time the nodes below the root have left before t: the sum of `t - label` over their labels below t.
///
/// Fewer than 2^64 nodes may have such a label, which holds for any t up to the least with `N(t) >= K`.
///
/// Cost: O(m^2) for `m = t / max(D, g')`, independent of t otherwise.
pub(super) fn time_left(D: u64, gap: u64, t: u64) -> u128 {
    let before = t.saturating_sub(1);
    rows(D, gap, before).map(|row| row.time_left(t)).sum()
}

/// Most rows that begin up to `ceil(log2 K) * max(D, g')`, for K of 64 bits.
pub(super) const ROWS: usize = 66;

/// The nodes with the same number of hops from the root where `D > g'`, otherwise with the same number of gaps. So there are
/// `t / max(D, g')` rows up to a time t.
///
/// A node a >= 1 hops and b gaps down exists `C(a+b-1, b)` times. Row number i holds those of `a = i+1`, or of
/// `b = i`; either way its nodes arrive at `start`, `start + step`, ..., and `C(i+j, i)` of them at number j.
pub(super) struct Row {
    number: u64,
    start: u64,
    step: u64,
}

/// The rows that begin up to `end`, in order.
pub(super) fn rows(D: u64, gap: u64, end: u64) -> impl Iterator<Item = Row> {
    let starts = std::iter::successors(Some(D), move |start| start.checked_add(D.max(gap)));
    let step = D.min(gap);
    (0..)
        .zip(starts.take_while(move |&start| start <= end))
        .map(move |(number, start)| Row {
            number,
            start,
            step,
        })
}

impl Row {
    /// How many nodes of the row hold the message by `t`, or `cap`: the sum of `C(i+j, i)` over the arrivals so far.
    pub(super) fn held_by(&self, t: u64, cap: u64) -> u64 {
        match t.checked_sub(self.start) {
            None => 0,
            Some(since) => binomial(
                (since / self.step).saturating_add(self.number + 1),
                self.number + 1,
                cap,
            ),
        }
    }

    /// The sum of `t - label` over the labels before t, of which the row has at least one.
    ///
    /// Over the arrivals j = 0..=m before t the nodes number `C(i+m+1, i+1)`, and `j * C(i+j, i)` adds up to
    /// `(i+1) * C(i+m+1, i+2)`: Pascal's triangle along a diagonal, twice.
    fn time_left(&self, t: u64) -> u128 {
        let since = t - self.start;
        let (i, m) = (u128::from(self.number), u128::from((since - 1) / self.step));
        let nodes = u128::from(binomial(
            (since - 1) / self.step + self.number + 1,
            self.number + 1,
            u64::MAX,
        ));
        let steps = (i + 1) * (nodes * m / (i + 2));
        // At most nodes * since, which fits.
        nodes * u128::from(since) - steps * u128::from(self.step)
    }

    /// The first arrival after `t`: when, and of how many nodes.
    pub(super) fn next_after(&self, t: u64) -> (u64, u64) {
        match t.checked_sub(self.start) {
            None => (self.start, 1),
            Some(since) => {
                let number = since / self.step + 1;
                let time = (t - since % self.step).saturating_add(self.step);
                (
                    time,
                    binomial(number.saturating_add(self.number), self.number, u64::MAX),
                )
            }
        }
    }
}

/// Rows 0 to 67 of Pascal's triangle up to their middle: all rows that fit in 64 bits.
static PASCAL: [[u64; 34]; 68] = {
    let mut rows = [[0; 34]; 68];
    let mut n = 0;
    while n < rows.len() {
        rows[n][0] = 1;
        let mut k = 1;
        while k <= n / 2 {
            // Beyond the middle of the row before: its mirror image.
            let right = if k <= (n - 1) / 2 { k } else { n - 1 - k };
            rows[n][k] = rows[n - 1][k - 1] + rows[n - 1][right];
            k += 1;
        }
        n += 1;
    }
    rows
};

/// `C(n, k)` or `cap`, whichever is less.
pub(super) fn binomial(n: u64, k: u64, cap: u64) -> u64 {
    if k > n {
        return 0;
    }
    let k = k.min(n - k);
    if n < PASCAL.len() as u64 {
        #[expect(clippy::cast_possible_truncation, reason = "below 68 and below 34")]
        return PASCAL[n as usize][k as usize].min(cap);
    }
    let mut product = 1u64;
    for i in 1..=k {
        // C(n-k+i, i) grows with i, so it stays at the cap once it is there.
        let factor = n - k + i;
        let next = match product.checked_mul(factor) {
            Some(next) => next / i,
            None => match u64::try_from(u128::from(product) * u128::from(factor) / u128::from(i)) {
                Ok(next) => next,
                Err(_) => return cap,
            },
        };
        if next >= cap {
            return cap;
        }
        product = next;
    }
    product.min(cap)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `f_t` of theorem 2, case by case as Shou and Chen print it, with g' for g.
    fn theorem_2(D: usize, gap: usize, end: usize) -> Vec<u64> {
        let mut f: Vec<u64> = Vec::new();
        for t in 0..end {
            f.push(if t < D {
                1
            } else if t < gap {
                1 + (t / D) as u64
            } else if t >= gap.max(D) {
                f[t - gap].saturating_add(f[t - D])
            } else {
                1
            });
        }
        f
    }

    #[test]
    fn the_closed_form_solves_theorem_2() {
        for D in 1..15u8 {
            for gap in 1..20u8 {
                let table = theorem_2(D.into(), gap.into(), 200);
                for (t, &nodes) in table.iter().enumerate() {
                    assert_eq!(
                        reached(D.into(), gap.into(), t as u64, u64::MAX),
                        nodes,
                        "D={D} g'={gap} t={t}"
                    );
                }
            }
        }
    }

    #[test]
    fn binomials_by_addition() {
        let mut row = vec![1u64];
        for n in 1..130u64 {
            let inner = row.windows(2).map(|pair| pair[0].saturating_add(pair[1]));
            row = std::iter::once(1).chain(inner).chain([1]).collect();
            for (k, &value) in (0..).zip(&row) {
                assert_eq!(binomial(n, k, u64::MAX), value, "C({n}, {k})");
                assert_eq!(
                    binomial(n, k, 1000),
                    value.min(1000),
                    "C({n}, {k}) up to 1000"
                );
            }
        }
        assert_eq!(binomial(3, 4, 10), 0);
        assert_eq!(binomial(u64::MAX, 1, u64::MAX), u64::MAX);
    }

    /// Every label below the root up to `end`, by following every send.
    fn labels(D: u64, gap: u64, end: u64) -> Vec<u64> {
        let mut labels = Vec::new();
        let mut pending = vec![D];
        while let Some(label) = pending.pop() {
            if label <= end {
                labels.push(label);
                pending.extend([label + D, label + gap]);
            }
        }
        labels
    }

    #[test]
    fn time_left_by_listing_the_labels() {
        for D in 1..12 {
            for gap in 1..15 {
                let labels = labels(D, gap, 5 * D.max(gap).min(6));
                for t in 0..=5 * D.max(gap).min(6) {
                    let listed = labels
                        .iter()
                        .map(|&label| u128::from(t.saturating_sub(label)))
                        .sum();
                    assert_eq!(time_left(D, gap, t), listed, "D={D} g'={gap} t={t}");
                }
            }
        }
    }

    #[test]
    fn time_left_of_the_largest_times() {
        // One chain: labels 1 to 2^64 - 2 leave 2^64 - 2 down to 1.
        let most = u128::from(u64::MAX);
        assert_eq!(time_left(1, u64::MAX, u64::MAX), most * (most - 1) / 2);
        assert_eq!(time_left(u64::MAX - 1, 1, u64::MAX), 1);
        assert_eq!(time_left(u64::MAX, u64::MAX, u64::MAX), 0);
    }
}
