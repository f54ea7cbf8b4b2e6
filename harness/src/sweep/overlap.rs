//! Finds grids that share points without comparing all pairs: a configuration may have hundreds of thousands of grids.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::hash::{Hash, Hasher};

use algorithms::problem::{Entry, Kind};

use crate::config::axis::Values;
use crate::grid::{Grid, Product};
use crate::machine::Machine;
use crate::units::grouped;

/// Most pairs of grids of one algorithm that are compared value by value.
const MAX_PAIRS: u128 = 20_000_000;

/// For each grid, earlier grids that share points of this algorithm with it: enough of them to cover all shared points.
///
/// Cost: `n log n` for n grids, and more only for pairs whose ranges overlap on every axis.
pub(super) fn earlier_grids<'a>(entry: Entry, grids: &[&'a Grid]) -> Result<Vec<Vec<&'a Grid>>, String> {
    let mut earlier = vec![Vec::new(); grids.len()];
    let mut kinds: HashMap<Vec<usize>, Vec<Spans>> = HashMap::new();
    let mut first: HashMap<Content<'_>, usize> = HashMap::new();
    for (number, grid) in grids.iter().enumerate() {
        let product = grid.over(entry);
        // The first of several equal grids has all their points, so only it is compared.
        match first.entry(Content::of(&product)) {
            Slot::Occupied(same) => earlier[number].push(grids[*same.get()]),
            Slot::Vacant(vacant) => {
                vacant.insert(number);
                let places = product.dimensions.iter().map(|dimension| dimension.place).collect();
                // Grids with machines have other axes than those without and share no points with them.
                kinds.entry(places).or_default().push(Spans { number, spans: spans(&product) });
            }
        }
    }
    // The order of the kinds has no effect, because grids of different kinds share no points.
    for spans in kinds.values_mut() {
        pairs(spans, |before, after| {
            if grids[before].common(entry, grids[after]).is_some() {
                earlier[after].push(grids[before]);
            }
        })
        .map_err(|pairs| {
            format!(
                "the grids with `{}` may share points in {} pairs of grids, more than the limit of {}; put the \
                 values into the axes of one grid, or split the configuration",
                entry.name,
                grouped(pairs),
                grouped(MAX_PAIRS)
            )
        })?;
    }
    Ok(earlier)
}

#[derive(PartialEq, Eq, Hash)]
struct Content<'a> {
    values: Vec<Cow<'a, Values>>,
    machines: Vec<Profile<'a>>,
}

/// A machine, found by its name and compared in full, because several files may use one name.
#[derive(PartialEq, Eq)]
struct Profile<'a>(&'a Machine);

impl Hash for Profile<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

impl<'a> Content<'a> {
    fn of(product: &Product<'a>) -> Self {
        let values = product.dimensions.iter().map(|dimension| dimension.values.clone()).collect();
        Self { values, machines: product.grid.machines.all().iter().map(Profile).collect() }
    }
}

/// The number of a grid, and its smallest and largest value in each dimension.
struct Spans {
    number: usize,
    spans: Vec<(u64, u64)>,
}

fn spans(product: &Product<'_>) -> Vec<(u64, u64)> {
    let axes = product.entry.axes();
    let spans = product.dimensions.iter().map(|dimension| match axes[dimension.place].kind {
        Kind::Profile => (0, 0),
        _ => dimension.values.bounds(),
    });
    spans.collect()
}

/// Calls `tell` for every pair of grids whose spans overlap in all dimensions, with the earlier grid first.
fn pairs(grids: &mut [Spans], mut tell: impl FnMut(usize, usize)) -> Result<(), u128> {
    let dimensions = grids.first().map_or(0, |grid| grid.spans.len());
    let meeting = |dimension: usize| {
        let mut starts: Vec<u64> = grids.iter().map(|grid| grid.spans[dimension].0).collect();
        starts.sort_unstable();
        let n = grids.len() as u128;
        // Counts the grids that start at or before the end of this one, and itself. Each overlapping pair is counted
        // once or twice.
        let upto: u128 =
            grids.iter().map(|grid| starts.partition_point(|&start| start <= grid.spans[dimension].1) as u128).sum();
        upto - n * (n + 1) / 2
    };
    let Some((fewest, best)) = (0..dimensions).map(|dimension| (meeting(dimension), dimension)).min() else {
        return Ok(());
    };
    if fewest > MAX_PAIRS {
        return Err(fewest);
    }
    grids.sort_by_key(|grid| (grid.spans[best].0, grid.number));
    for (place, one) in grids.iter().enumerate() {
        for other in grids[place + 1..].iter().take_while(|other| other.spans[best].0 <= one.spans[best].1) {
            let meet = |(one, other): (&(u64, u64), &(u64, u64))| one.0 <= other.1 && other.0 <= one.1;
            if one.spans.iter().zip(&other.spans).all(meet) {
                tell(one.number.min(other.number), one.number.max(other.number));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pair that overlaps in all dimensions is found once, and no others, whichever dimension is used.
    #[test]
    fn all_pairs_that_meet() {
        // Pseudorandom numbers.
        let mut state = 1u64;
        let mut next = |end: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % end
        };
        for (wide, deep) in [(100, 5), (5, 100), (30, 30), (1, 1)] {
            let mut grids: Vec<Spans> = (0..60)
                .map(|number| {
                    let mut span = |end| {
                        let from = next(end);
                        (from, from + next(8))
                    };
                    Spans { number, spans: vec![span(wide), span(deep)] }
                })
                .collect();
            let meet = |a: &Spans, b: &Spans| a.spans.iter().zip(&b.spans).all(|(a, b)| a.0 <= b.1 && b.0 <= a.1);
            let mut expected: Vec<(usize, usize)> = Vec::new();
            for after in &grids {
                expected.extend(
                    grids[..after.number].iter().filter(|one| meet(one, after)).map(|one| (one.number, after.number)),
                );
            }
            let mut found = Vec::new();
            pairs(&mut grids, |before, after| found.push((before, after))).unwrap();
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected);
            assert!(!found.is_empty());
        }
    }
}
