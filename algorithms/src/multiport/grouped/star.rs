//! Up to k + 1 nodes: the root distributes each batch to the others, which exchange it.

use super::super::rounds::{Rounds, Transfer};
use super::super::trees::Deal;

/// How many rounds it takes, for `2 <= n <= k + 1`.
pub(super) fn rounds(n: u64, k: u64, m: u64) -> u128 {
    u128::from(m.div_ceil(k)) + u128::from(!ends_at_once(n, k, m))
}

/// Whether the root can send the last batch to all others in a round.
fn ends_at_once(n: u64, k: u64, m: u64) -> bool {
    (m - 1) % k < k / (n - 1)
}

/// The rounds of m messages, for n up to k + 1.
pub(super) fn schedule(n: u64, k: u64, m: u64) -> Box<dyn Rounds> {
    let last = if n == 1 {
        0
    } else {
        m.div_ceil(k) + u64::from(!ends_at_once(n, k, m))
    };
    // The messages of a batch, counted from 1, and the node that the root sends each to.
    let batch = move |batch: u64| {
        let first = batch.saturating_sub(1) * k;
        let end = if batch == 0 { 0 } else { m.min(first + k) };
        (first..end)
            .map(move |message| (message, 1 + Deal::Whole.parts(k, n - 2, message - first).0))
    };
    let mut round = 0;
    Box::new(move |sends: &mut Vec<Transfer>| {
        if round == last {
            return false;
        }
        round += 1;
        let mut push = |from: u64, to: u64, message: u64| {
            sends.extend(Transfer::new(from, to, message));
        };
        for (message, dealt_to) in batch(round) {
            if round == last {
                (1..n).for_each(|to| push(0, to, message));
            } else {
                push(0, dealt_to, message);
            }
        }
        for (message, holder) in batch(round - 1) {
            (1..n)
                .filter(|&to| to != holder)
                .for_each(|to| push(holder, to, message));
        }
        true
    })
}
