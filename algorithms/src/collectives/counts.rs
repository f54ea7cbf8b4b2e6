//! The sizes of blocks as values of the axis `counts`: a name for each, and a number that depends on nothing but what it names.
//!
//! | name | sizes of the K blocks |
//! |---|---|
//! | `even` | n words each |
//! | `one-large` | the last block has half of the `K n` words, the others an equal share of the rest |
//! | `zipf:SEED` | shares of the `K n` words: 1, 1/2, 1/3, .., 1/K, in an order that the seed shuffles |
//! | `3,1,4` | 3n, n and 4n words |
//!
//! Shares of `zipf` are counted in parts of `2^-32`, rounded down, and the sums of shares from the first block on in words, rounded down. With f(x) for the
//! first number of splitmix64 from state x, a shuffle begins with `s = f(SEED)` and goes down from the last share i: s becomes `f(s)`, and
//! share i is swapped with share `s mod (i+1)`, counted from 0. Seeds are below `2^56`.
//!
//! In an alltoall each rank has these K sizes for the ranks that receive; a list of `K^2` counts has a row for each sender.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use super::{Blocks, Counts};
use crate::error::{Error, refuse_if};

/// Most blocks with sizes of their own.
pub const MAX_COUNTS: u64 = 1 << 22;

const ONE_LARGE: u64 = 1 << 56;
const ZIPF: u64 = 2 << 56;
const LIST: u64 = 3 << 56;
const DETAIL: u64 = (1 << 56) - 1;

/// What a list has as its name, and its counts; none where only its digest is known.
type Listed = (&'static str, Option<&'static [u64]>);

#[derive(Default)]
struct Known {
    lists: HashMap<u64, Listed>,
    /// By the value, and the number of ranks that decides shares.
    counts: HashMap<(u64, u64), &'static Counts>,
}

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

fn with<T>(used: impl FnOnce(&mut Known) -> T) -> T {
    used(&mut KNOWN.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The value of a name that is no list.
#[must_use]
pub fn named(name: &str) -> Option<u64> {
    match name {
        "even" => Some(0),
        "one-large" => Some(ONE_LARGE),
        _ => {
            let seed: Option<u64> = name.strip_prefix("zipf:")?.parse().ok();
            seed.filter(|&seed| seed <= DETAIL).map(|seed| ZIPF | seed)
        }
    }
}

/// The digest of a list.
#[must_use]
pub fn digest(counts: &[u64]) -> u64 {
    let seed = counts.len() as u64;
    counts
        .iter()
        .fold(seed, |state, &count| mixed(state ^ count))
        & DETAIL
}

/// Keeps a list under a name: its value. Without counts, the list that has the digest.
pub fn keep(name: &str, digest: u64, counts: Option<&[u64]>) -> u64 {
    let value = LIST | digest;
    with(|known| {
        let is_known = known
            .lists
            .get(&value)
            .is_some_and(|(_, counts)| counts.is_some());
        if !is_known {
            let counts = counts.map(|counts| &*counts.to_vec().leak());
            known.lists.insert(value, (name.to_owned().leak(), counts));
        }
    });
    value
}

/// The name of a value.
#[must_use]
pub fn spelled(value: u64) -> Cow<'static, str> {
    match value & !DETAIL {
        0 => "even".into(),
        ONE_LARGE => "one-large".into(),
        ZIPF => format!("zipf:{}", value & DETAIL).into(),
        _ => match with(|known| known.lists.get(&value).map(|(name, _)| *name)) {
            Some(name) => name.into(),
            None => format!("@{:014x}", value & DETAIL).into(),
        },
    }
}

/// The blocks of a task with K ranks that has `blocks` of them.
///
/// # Errors
/// [`Error::Parameter`] for counts that do not fit the ranks.
pub fn blocks(value: u64, K: u64, blocks: u128) -> Result<Blocks, Error> {
    if value == 0 {
        return Ok(Blocks::Equal);
    }
    let is_known = value == ONE_LARGE || [ZIPF, LIST].contains(&(value & !DETAIL));
    refuse_if!(!is_known, "counts" = value => "expected even, one-large, zipf:SEED or a list");
    let refused = |expected: String| Error::parameter("counts", spelled(value), expected);
    refuse_if!(blocks > MAX_COUNTS.into(), "K" = K =>
        "expected at most {MAX_COUNTS} blocks with sizes of their own, K of a collective and K^2 of an alltoall");
    let list = with(|known| known.lists.get(&value).copied());
    let list = match list {
        Some((_, None)) => {
            return Err(refused(
                "expected a file that is here, with these counts".into(),
            ));
        }
        Some((_, list)) => list,
        None if value & !DETAIL == LIST => {
            return Err(refused("expected a list that was given".into()));
        }
        None => None,
    };
    if let Some(list) = list {
        let found = list.len() as u128;
        if found != u128::from(K) && found != blocks {
            return Err(refused(format!("expected K = {K} counts, got {found}")));
        }
    }
    if let Some(counts) = with(|known| known.counts.get(&(value, K)).copied()) {
        return Ok(Blocks::Counted(counts));
    }
    let counts = match list {
        Some(list) => list.to_vec(),
        None if value == ONE_LARGE => (1..K).map(|_| 1).chain([(K - 1).max(1)]).collect(),
        None => zipf(value & DETAIL, K),
    };
    let counts = Counts::new(spelled(value).into_owned(), counts, list.is_none());
    let counts = counts.ok_or_else(|| refused("expected a sum that fits in 64 bits".into()))?;
    if counts.is_empty() {
        return Err(refused(
            "expected a count above 0: a collective has something to send".into(),
        ));
    }
    let counts = with(|known| {
        let counted = known.counts.entry((value, K));
        *counted.or_insert_with(|| Box::leak(Box::new(counts)))
    });
    Ok(Blocks::Counted(counts))
}

/// The words of all blocks of K ranks; none where they are equal, or there is not one for each rank.
pub fn total(value: u64, n: u64, K: u64) -> Option<u128> {
    match blocks(value, K, K.into()) {
        Ok(Blocks::Counted(counts)) => Some(counts.total(n, K)),
        _ => None,
    }
}

/// Shares of 1/1 to 1/K in 2^32 parts, shuffled.
fn zipf(seed: u64, K: u64) -> Vec<u64> {
    let mut shares: Vec<u64> = (1..=K).map(|rank| (1 << 32) / rank).collect();
    let mut state = mixed(seed);
    for index in (1..shares.len()).rev() {
        state = mixed(state);
        let other = state % (index as u64 + 1);
        shares.swap(index, crate::plan::narrow(other) as usize);
    }
    shares
}

/// A step of splitmix64.
fn mixed(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}
