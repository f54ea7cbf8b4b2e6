//! What is drawn of series: equal lines once, and lines only where values were computed.

use crate::draw::chart::style::Look;
use crate::draw::chart::{Join, Markers, Series};

/// A gap is longer than the usual step between two values by this factor.
const GAP: f64 = 4.0;

/// The series of a panel as they are drawn over the values `xs` of its axis.
pub fn drawn(all: Vec<Series>, xs: &[f64]) -> Vec<Series> {
    let gaps = gaps(xs);
    let parts = merged(all)
        .into_iter()
        .flat_map(|series| parts(series, xs, &gaps));
    parts.collect()
}

/// The neighbours among these values that are much farther apart than others, both as a difference and as a ratio: nothing was
/// computed in between.
pub fn gaps(xs: &[f64]) -> Vec<(f64, f64)> {
    let pairs = || xs.windows(2).map(|pair| (pair[0], pair[1]));
    let usual = |step: &dyn Fn((f64, f64)) -> f64| {
        let mut steps: Vec<f64> = pairs().map(step).collect();
        steps.sort_by(f64::total_cmp);
        steps.get(steps.len() / 2).copied().unwrap_or_default()
    };
    let difference = |(low, high): (f64, f64)| high - low;
    let ratio = |(low, high): (f64, f64)| (high / low).ln();
    let limits = [usual(&difference), usual(&ratio)].map(|step| step * GAP);
    // Between few values no step is usual.
    let is_gap = |pair: &(f64, f64)| {
        xs.len() > 3 && difference(*pair) > limits[0] && ratio(*pair) > limits[1]
    };
    pairs().filter(is_gap).collect()
}

/// Lines with the same points become one with all names, in the place and with the look of the last one.
fn merged(all: Vec<Series>) -> Vec<Series> {
    let mut drawn: Vec<(Series, Vec<String>)> = Vec::new();
    for mut series in all {
        let is_line =
            |own: &Series| matches!(own.line, Join::Solid | Join::Dashed) && !own.label.is_empty();
        let mut names = Vec::new();
        let equal = drawn
            .iter()
            .position(|(own, _)| is_line(own) && is_line(&series) && own.points == series.points);
        if let Some(index) = equal {
            let (own, before) = drawn.remove(index);
            names = before;
            // A reference is black: the colour of an algorithm says more.
            if series.look == Look::REFERENCE && own.look != Look::OTHER {
                series.look = own.look;
            }
        }
        names.push(series.label.clone());
        drawn.push((series, names));
    }
    let named = drawn.into_iter().map(|(series, names)| Series {
        label: name(&names),
        ..series
    });
    named.collect()
}

/// `a = b = published`: the names of equal lines. What is published of an algorithm follows its name.
fn name(names: &[String]) -> String {
    let base = |name: &str| {
        let bases = names.iter().filter(|base| !base.is_empty());
        let rest = bases.filter_map(|base| name.strip_prefix(&**base)?.strip_prefix(", "));
        rest.map(str::to_owned).next()
    };
    let (behind, first): (Vec<_>, Vec<_>) = names
        .iter()
        .map(|name| (name.clone(), base(name)))
        .partition(|(_, rest)| rest.is_some());
    let first = first.into_iter().map(|(name, _)| name);
    let all: Vec<String> = first
        .chain(behind.into_iter().filter_map(|(_, rest)| rest))
        .collect();
    all.join(" = ")
}

/// The parts of a line without the values that it lacks and without gaps; the last one has its name.
fn parts(series: Series, xs: &[f64], gaps: &[(f64, f64)]) -> Vec<Series> {
    if !matches!(series.line, Join::Solid | Join::Dashed) {
        return vec![series];
    }
    let is_apart = |low: f64, high: f64| {
        xs.iter().any(|x| low < *x && *x < high)
            || gaps.iter().any(|gap| low <= gap.0 && gap.1 <= high)
    };
    let parts = series
        .points
        .chunk_by(|one, other| !is_apart(one.0, other.0));
    let mut parts: Vec<Series> = parts
        .map(|points| Series {
            label: String::new(),
            points: points.to_vec(),
            // A line of one point would not be seen.
            markers: match (points.len(), series.markers) {
                (1, _) => Markers::Every(1),
                (_, markers) => markers,
            },
            ..series.clone()
        })
        .collect();
    if let Some(last) = parts.last_mut() {
        last.label = series.label;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(label: &str, look: Look, points: &[(f64, f64)]) -> Series {
        Series {
            label: label.to_owned(),
            look,
            points: points.to_vec(),
            markers: Markers::Every(1),
            line: Join::Solid,
        }
    }

    #[test]
    fn equal_lines_are_one_with_all_names() {
        let points = [(1.0, 1.0), (2.0, 3.0)];
        let all = vec![
            series("lower bound", Look::REFERENCE, &points),
            series("a, published", Look::SECOND, &points),
            series("other", Look::THIRD, &[(1.0, 1.0), (2.0, 4.0)]),
            series("a", Look::FIRST, &points),
        ];
        let drawn = drawn(all, &[1.0, 2.0]);
        let names: Vec<(&str, Look)> = drawn
            .iter()
            .map(|own| (own.label.as_str(), own.look))
            .collect();
        assert_eq!(
            names,
            [
                ("other", Look::THIRD),
                ("lower bound = a = published", Look::FIRST)
            ]
        );
    }

    #[test]
    fn nothing_is_joined_over_values_that_were_not_computed() {
        let counts: Vec<f64> = (1..=32).map(f64::from).chain([48.0]).collect();
        assert_eq!(gaps(&counts), [(32.0, 48.0)]);
        assert_eq!(
            gaps(&[2.0, 4.0, 8.0, 16.0, 1024.0, 4096.0]),
            [(16.0, 1024.0)]
        );
        for even in [
            &[8.0, 12.0, 18.0][..],
            &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0],
            &[1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 15.0, 16.0, 20.0],
            &[0.0, 1.0, 2.0, 3.0],
        ] {
            assert_eq!(gaps(even), [], "{even:?}");
        }
        let line: Vec<(f64, f64)> = counts
            .iter()
            .filter(|x| **x != 9.0)
            .map(|x| (*x, 1.0))
            .collect();
        let parts = drawn(vec![series("a", Look::FIRST, &line)], &counts);
        let ends: Vec<(f64, f64)> = parts
            .iter()
            .map(|own| (own.points[0].0, own.points[own.points.len() - 1].0))
            .collect();
        assert_eq!(ends, [(1.0, 8.0), (10.0, 32.0), (48.0, 48.0)]);
        let names: Vec<&str> = parts.iter().map(|own| own.label.as_str()).collect();
        assert_eq!(names, ["", "", "a"]);
    }
}
