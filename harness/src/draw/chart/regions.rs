//! The regions of a map: cells of one look that touch.

use std::collections::{BTreeMap, BTreeSet};

use super::style::Look;
use super::svg::whole;

/// The look of each cell, by its row and its column.
pub type Regions = BTreeMap<Cell, Look>;

/// A row and a column.
type Cell = (u32, u32);

/// Rectangles that cover the cells of each look: first and last column, first and last row.
pub fn rectangles(cells: &Regions) -> Vec<([u32; 4], Look)> {
    let mut runs: Vec<([u32; 4], Look)> = Vec::new();
    for (&(row, column), &look) in cells {
        match runs.last_mut() {
            Some(([_, right, _, high], own))
                if *high == row && *right + 1 == column && *own == look =>
            {
                *right = column;
            }
            _ => runs.push(([column, column, row, row], look)),
        }
    }
    let mut all: Vec<([u32; 4], Look)> = Vec::new();
    // The rectangles that end in a row, by their columns.
    let mut ending: BTreeMap<([u32; 2], u32), usize> = BTreeMap::new();
    for ([left, right, row, _], look) in runs {
        let above = row.checked_sub(1);
        let index = above.and_then(|above| ending.remove(&([left, right], above)));
        let index = match index.filter(|index| all[*index].1 == look) {
            Some(index) => {
                all[index].0[3] = row;
                index
            }
            None => {
                all.push(([left, right, row, row], look));
                all.len() - 1
            }
        };
        ending.insert(([left, right], row), index);
    }
    all
}

/// The cells of each region.
pub fn regions(cells: &Regions) -> Vec<Vec<Cell>> {
    let mut known: BTreeSet<Cell> = BTreeSet::new();
    let mut all = Vec::new();
    for (&first, look) in cells {
        if !known.insert(first) {
            continue;
        }
        let mut region = vec![first];
        let mut next = 0;
        while let Some(&(row, column)) = region.get(next) {
            next += 1;
            for (down, right) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
                let beside = row
                    .checked_add_signed(down)
                    .zip(column.checked_add_signed(right));
                let Some(beside) = beside else { continue };
                if cells.get(&beside) == Some(look) && known.insert(beside) {
                    region.push(beside);
                }
            }
        }
        all.push(region);
    }
    all
}

/// Where a text of this width and height stands in a region, as a column and a row: as far from its edges as possible. None
/// where it has no room. `cell` is the width and height of a cell.
pub fn middle(region: &[Cell], cell: (f64, f64), room: (f64, f64)) -> Option<(f64, f64)> {
    let own: BTreeSet<Cell> = region.iter().copied().collect();
    let last = |from: Cell, (down, right): (i32, i32)| {
        let step = |at: &Cell| {
            let row = at.0.checked_add_signed(down)?;
            let next = (row, at.1.checked_add_signed(right)?);
            own.contains(&next).then_some(next)
        };
        std::iter::successors(Some(from), step)
            .last()
            .unwrap_or(from)
    };
    // First and last column of the run through a cell, then first and last row.
    let runs = |at: &Cell| {
        [
            last(*at, (0, -1)).1,
            last(*at, (0, 1)).1,
            last(*at, (-1, 0)).0,
            last(*at, (1, 0)).0,
        ]
        .map(f64::from)
    };
    let runs: BTreeMap<Cell, [f64; 4]> = own.iter().map(|at| (*at, runs(at))).collect();
    // What is free around a text there; none outside of the region.
    let spare = |(x, y): (f64, f64)| {
        let touched = |value: f64| [value - 0.5, value].map(|value| whole(value.max(0.0)));
        let cells = touched(y).into_iter();
        let cells = cells.flat_map(|row| touched(x).map(|column| (row, column)));
        let free = cells.map(|at| {
            let [left, right, low, high] = runs.get(&at)?;
            let across = (x - left).min(right - x) + 0.5;
            let along = (y - low).min(high - y) + 0.5;
            Some((across * cell.0 - room.0 / 2.0).min(along * cell.1 - room.1 / 2.0))
        });
        free.collect::<Option<Vec<f64>>>()
            .map(|free| free.into_iter().fold(f64::INFINITY, f64::min))
    };
    let places = runs.iter().flat_map(|(at, [left, right, low, high])| {
        let (x, y) = (f64::from(at.1), f64::from(at.0));
        let (across, along) = (f64::midpoint(*left, *right), f64::midpoint(*low, *high));
        [(x, y), (across, y), (x, along)]
    });
    let places = places.filter_map(|place| Some((place, spare(place)?)));
    let best = places.max_by(|one, other| one.1.total_cmp(&other.1))?;
    (best.1 >= 0.0).then_some(best.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(rows: &[&str]) -> Regions {
        let look = |sign| {
            if sign == 'a' {
                Look::FIRST
            } else {
                Look::SECOND
            }
        };
        let rows = (0..).zip(rows);
        let cells = rows.flat_map(|(row, text)| {
            (0..)
                .zip(text.chars())
                .map(move |(column, sign)| ((row, column), sign))
        });
        let cells = cells.filter(|(_, sign)| *sign != ' ');
        cells.map(|(at, sign)| (at, look(sign))).collect()
    }

    #[test]
    fn rectangles_cover_each_cell_once() {
        for (rows, count) in [
            (&["aab", "aab", "abb"][..], 4),
            (&["a a", "   ", "a b"], 4),
            (&["aaaa", "aaaa"], 1),
            (&["ab", "ba"], 4),
        ] {
            let cells = map(rows);
            let rectangles = rectangles(&cells);
            assert_eq!(rectangles.len(), count, "{rectangles:?}");
            let mut covered = Regions::new();
            for ([left, right, low, high], look) in rectangles {
                for at in
                    (low..=high).flat_map(|row| (left..=right).map(move |column| (row, column)))
                {
                    assert_eq!(covered.insert(at, look), None);
                }
            }
            assert_eq!(covered, cells);
        }
    }

    #[test]
    fn cells_that_touch_are_a_region() {
        let cells = map(&["aab", "baa", "b b"]);
        let mut sizes: Vec<usize> = regions(&cells).iter().map(Vec::len).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [1, 1, 2, 4]);
    }

    #[test]
    fn a_sign_stands_where_its_region_has_room() {
        let cells = map(&["abbbb", "bbbbb", "bbbbb"]);
        let regions = regions(&cells);
        let room = (8.0, 13.0);
        assert_eq!(middle(&regions[0], (14.0, 14.0), room), Some((0.0, 0.0)));
        assert_eq!(middle(&regions[0], (14.0, 12.0), room), None);
        // Three rows leave as much room around each of these.
        let (x, y) = middle(&regions[1], (14.0, 14.0), room).unwrap();
        assert!((1.0..=3.0).contains(&x), "{x}");
        assert_eq!(y.to_bits(), 1.0_f64.to_bits());
    }
}
