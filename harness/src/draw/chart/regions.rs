//! The areas of a map, from left to right: those of one look that touch are one region, with one sign.

use std::collections::BTreeMap;

use super::MapCell;
use super::style::{Look, Point};
use crate::base::units::together;

fn is_same(one: f64, other: f64) -> bool {
    one.total_cmp(&other).is_eq()
}

/// The areas in columns from left to right; those of one look that touch in a column are one.
pub fn columns(cells: &[MapCell]) -> Vec<MapCell> {
    let mut cells = cells.to_vec();
    cells.sort_by(|one, other| {
        let by = |of: fn(&MapCell) -> f64| of(one).total_cmp(&of(other));
        by(|cell| cell.x[0]).then(by(|cell| cell.y[0]))
    });
    let mut columns: Vec<MapCell> = Vec::new();
    for cell in cells {
        match columns.last_mut() {
            Some(below) if is_over(below, &cell) && below.look == cell.look => {
                below.y[1] = cell.y[1];
            }
            _ => columns.push(cell),
        }
    }
    columns
}

/// Whether the second area touches the first one from above, in its column.
fn is_over(below: &MapCell, cell: &MapCell) -> bool {
    is_same(below.x[0], cell.x[0]) && is_same(below.y[1], cell.y[0])
}

/// Rectangles that cover the areas of columns: areas of one look and height beside each other are one.
pub fn rectangles(columns: &[MapCell]) -> Vec<MapCell> {
    let mut all: Vec<MapCell> = Vec::new();
    for cell in columns {
        match all.iter_mut().find(|own| {
            let is_high = is_same(own.y[0], cell.y[0]) && is_same(own.y[1], cell.y[1]);
            is_high && own.look == cell.look && is_same(own.x[1], cell.x[0])
        }) {
            Some(own) => own.x[1] = cell.x[1],
            None => all.push(*cell),
        }
    }
    all
}

/// Pairs of areas beside each other in two columns, by their numbers, and the range of y that they share.
pub fn beside(columns: &[MapCell]) -> impl Iterator<Item = (usize, usize, [f64; 2])> {
    columns.iter().enumerate().flat_map(move |(left, own)| {
        let first = columns.partition_point(|other| other.x[0].total_cmp(&own.x[1]).is_lt());
        let right = (first..columns.len()).take_while(|&at| is_same(own.x[1], columns[at].x[0]));
        right.filter_map(move |right| Some((left, right, shared(own.y, columns[right].y)?)))
    })
}

fn shared(one: [f64; 2], other: [f64; 2]) -> Option<[f64; 2]> {
    let both = [one[0].max(other[0]), one[1].min(other[1])];
    (both[0] < both[1]).then_some(both)
}

/// Where the signs of regions stand, as far from their edges as possible; a region without room for its sign has none. `room`
/// is the width and the height of a sign.
pub fn signs(cells: &[MapCell], room: impl Fn(Look) -> Point) -> Vec<(Look, Point)> {
    // Of each area those of its look right of it.
    let mut right: Vec<Vec<usize>> = vec![Vec::new(); cells.len()];
    let mut region: Vec<usize> = (0..cells.len()).collect();
    let root = |region: &[usize], mut of: usize| {
        while region[of] != of {
            of = region[of];
        }
        of
    };
    for (one, other, _) in beside(cells) {
        if cells[one].look == cells[other].look {
            right[one].push(other);
            let [one, other] = [one, other].map(|of| root(&region, of));
            region[one.max(other)] = one.min(other);
        }
    }
    // The room around the sign, the width there, the look and the place, by region.
    let mut best: BTreeMap<usize, ([f64; 2], Look, Point)> = BTreeMap::new();
    for start in 0..cells.len() {
        let own = root(&region, start);
        let look = cells[start].look;
        let (wide, high) = room(look);
        let mut end = start;
        let mut y = cells[start].y;
        loop {
            let x = [cells[start].x[0], cells[end].x[1]];
            let spare = (x[1] - x[0] - wide).min(y[1] - y[0] - high);
            let found = ([spare, x[1] - x[0]], look, (middle(x), middle(y)));
            if spare >= 0.0 && best.get(&own).is_none_or(|(known, ..)| *known < found.0) {
                best.insert(own, found);
            }
            let next = right[end].iter();
            let next = next
                .filter_map(|next| Some((*next, shared(y, cells[*next].y)?)))
                .max_by(|(_, one), (_, other)| (one[1] - one[0]).total_cmp(&(other[1] - other[0])));
            match next.filter(|(_, shared)| shared[1] - shared[0] >= high) {
                Some(next) => (end, y) = next,
                None => break,
            }
        }
    }
    best.into_values().map(|(_, look, at)| (look, at)).collect()
}

/// The looks without a sign, each with the middle of its largest area.
pub fn unsigned(cells: &[MapCell], signs: &[(Look, Point)]) -> Vec<(Look, Point)> {
    let size = |cell: &MapCell| (cell.x[1] - cell.x[0]) * (cell.y[1] - cell.y[0]);
    let rest = cells
        .iter()
        .filter(|cell| signs.iter().all(|(look, _)| *look != cell.look));
    together(rest.map(|cell| (cell.look, cell)))
        .into_iter()
        .filter_map(|(look, cells)| {
            let cell = cells
                .into_iter()
                .max_by(|one, other| size(one).total_cmp(&size(other)))?;
            Some((look, (middle(cell.x), middle(cell.y))))
        })
        .collect()
}

fn middle([low, high]: [f64; 2]) -> f64 {
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(rows: &[&str]) -> Vec<MapCell> {
        let look = |sign| match sign {
            'a' => Look::FIRST,
            _ => Look::SECOND,
        };
        let rows = (0..).map(f64::from).zip(rows);
        let cells = rows.flat_map(|(row, text)| {
            let signs = (0..).map(f64::from).zip(text.chars());
            signs.map(move |(column, sign)| ((column, row), sign))
        });
        let cells = cells.filter(|(_, sign)| *sign != ' ');
        let cells: Vec<MapCell> = cells
            .map(|((x, y), sign)| {
                let [x, y] = [x, y].map(|centre| [centre - 0.5, centre + 0.5]);
                MapCell {
                    x,
                    y,
                    look: look(sign),
                }
            })
            .collect();
        columns(&cells)
    }

    #[test]
    fn rectangles_cover_each_area_once() {
        for (rows, count) in [
            (&["aab", "aab", "abb"][..], 4),
            (&["a a", "   ", "a b"], 4),
            (&["aaaa", "aaaa"], 1),
            (&["ab", "ba"], 4),
        ] {
            let rectangles = rectangles(&map(rows));
            assert_eq!(rectangles.len(), count, "{rows:?}");
            let size = |cell: &MapCell| (cell.x[1] - cell.x[0]) * (cell.y[1] - cell.y[0]);
            let cells = rows.concat().replace(' ', "").len();
            let covered: f64 = rectangles.iter().map(size).sum();
            assert!((covered - cells as f64).abs() < 1e-9, "{rows:?}");
        }
    }

    #[test]
    fn a_sign_stands_once_in_a_region_where_it_has_room() {
        let columns = map(&["abbbb", "bbbbb", "bbbbb"]);
        let signs_of = |wide, high| signs(&columns, |_| (wide, high));
        assert_eq!(
            signs_of(0.5, 1.0),
            [(Look::FIRST, (0.0, 0.0)), (Look::SECOND, (2.5, 1.0))]
        );
        assert_eq!(signs_of(0.5, 1.1), [(Look::SECOND, (2.5, 1.0))]);
        assert_eq!(signs_of(4.5, 2.5), []);
        assert_eq!(
            unsigned(&columns, &signs_of(0.5, 1.1)),
            [(Look::FIRST, (0.0, 0.0))]
        );
        assert_eq!(signs_of(4.5, 1.5), [(Look::SECOND, (2.0, 1.5))]);
        // Areas that touch at a corner alone are two regions.
        assert_eq!(signs(&map(&["ab", "ba"]), |_| (0.5, 0.5)).len(), 4);
    }
}
