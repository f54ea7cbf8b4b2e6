//! What is drawn of series: equal lines once, lines only where values were computed, and areas for lines that turn often.

use std::cmp::Ordering;

use crate::base::units::joined;
use crate::draw::chart::style::Look;
use crate::draw::chart::{Band, Join, Series};

/// A gap is longer than the usual step between two values by this factor.
const GAP: f64 = 4.0;

/// The series of a panel as they are drawn over the values `xs` of its axis.
pub fn drawn(all: Vec<Series>, xs: &[f64]) -> Vec<Series> {
    let gaps = gaps(xs);
    merged(all)
        .into_iter()
        .flat_map(|series| parts(series, xs, &gaps))
        .collect()
}

/// A line that turns more often is a thicket.
const MOST_TURNS: usize = 60;
/// The parts of a thicket.
const PARTS: usize = 50;

/// The area of a line that turns too often to be followed, from the least to the greatest of neighbouring points; the line
/// becomes their mean. Returns how many points are one, too.
pub fn thinned(series: &mut Series) -> Option<(Band, usize)> {
    let points = &series.points;
    let rises: Vec<Ordering> = points
        .windows(2)
        .map(|pair| pair[1].1.total_cmp(&pair[0].1))
        .filter(|order| *order != Ordering::Equal)
        .collect();
    let turns = rises.windows(2).filter(|pair| pair[0] != pair[1]).count();
    if turns <= MOST_TURNS || !series.is_joined() {
        return None;
    }
    let count = points.len().div_ceil(PARTS);
    let mut edges = Vec::new();
    let mut means = Vec::new();
    for part in points.chunks(count) {
        let ys = || part.iter().map(|point| point.1);
        let ends = (ys().fold(f64::INFINITY, f64::min), ys().fold(0.0, f64::max));
        // An area is level over its points.
        edges.extend([part[0], part[part.len() - 1]].map(|(x, _)| (x, ends.0, ends.1)));
        means.push((
            part[part.len() / 2].0,
            ys().sum::<f64>() / part.len() as f64,
        ));
    }
    series.points = means;
    series.markers = None;
    let look = series.look;
    Some((Band { edges, look }, count))
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
    pairs()
        .filter(|pair| xs.len() > 3 && difference(*pair) > limits[0] && ratio(*pair) > limits[1])
        .collect()
}

/// Lines with the same points become one with all names, in the place and with the look of the last one; so do points.
fn merged(all: Vec<Series>) -> Vec<Series> {
    let mut drawn: Vec<(Series, Vec<String>)> = Vec::new();
    for mut series in all {
        let is_line = |own: &Series| own.line != Join::None;
        // Equal algorithms are one curve already, where they are equal in all panels.
        let is_reference = |own: &Series| [Look::REFERENCE, Look::OTHER].contains(&own.look);
        let is_equal = |own: &Series| {
            [own, &series]
                .into_iter()
                .all(|own| own.line != Join::Interval && !own.label.is_empty())
                && is_line(own) == is_line(&series)
                && (is_reference(own)
                    || is_reference(&series)
                    || own.look.colour == series.look.colour)
                && own.points == series.points
        };
        let mut names = Vec::new();
        let equal = drawn.iter().position(|(own, _)| is_equal(own));
        if let Some(index) = equal {
            let (own, before) = drawn.remove(index);
            names = before;
            // A reference is black: the colour of an algorithm says more.
            if series.look == Look::REFERENCE && own.look != Look::OTHER
                || series.look == Look::OTHER && own.look == Look::REFERENCE
            {
                series.look = own.look;
            }
        }
        names.push(series.label.clone());
        drawn.push((series, names));
    }
    drawn
        .into_iter()
        .map(|(series, names)| Series {
            label: name(&names),
            ..series
        })
        .collect()
}

/// `a = b = published`: the names of equal lines, or `K = 2, 3` for values of one axis. What is published of an algorithm follows its
/// name.
fn name(names: &[String]) -> String {
    let base = |name: &str| {
        names
            .iter()
            .filter(|base| !base.is_empty())
            .filter_map(|base| name.strip_prefix(&**base)?.strip_prefix(", "))
            .map(str::to_owned)
            .next()
    };
    let behind = names.iter().filter_map(|name| base(name));
    let first = names.iter().filter(|name| base(name).is_none()).cloned();
    let all: Vec<String> = first.chain(behind).collect();
    let values: Option<Vec<_>> = all.iter().map(|name| name.split_once(" = ")).collect();
    match values.as_deref() {
        Some([(key, _), ..]) if values.iter().flatten().all(|(own, _)| own == key) => {
            let values = values.iter().flatten().map(|(_, value)| value);
            format!("{key} = {}", joined(", ", values))
        }
        _ => all.join(" = "),
    }
}

/// The parts of a line without the values that it lacks and without gaps; the last one has its name.
fn parts(series: Series, xs: &[f64], gaps: &[(f64, f64)]) -> Vec<Series> {
    if !series.is_joined() {
        return vec![series];
    }
    let is_apart = |low: f64, high: f64| {
        xs.iter().any(|x| low < *x && *x < high)
            || gaps.iter().any(|gap| low <= gap.0 && gap.1 <= high)
    };
    let mut parts: Vec<Series> = series
        .points
        .chunk_by(|one, other| !is_apart(one.0, other.0))
        .map(|points| Series {
            label: String::new(),
            points: points.to_vec(),
            // A line of one point would not be seen.
            markers: match (points.len(), series.markers) {
                (1, _) => Some(1),
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
            markers: Some(1),
            line: Join::Solid,
        }
    }

    #[test]
    fn equal_lines_are_one_with_all_names() {
        let points = [(1.0, 1.0), (2.0, 3.0)];
        let all = vec![
            series("lower bound", Look::REFERENCE, &points),
            series("a, published", Look::ALL[7], &points),
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
    fn a_thicket_is_an_area_with_its_mean() {
        let point = |x: u32| (f64::from(x), f64::from(1 + x % 2));
        let line = |last| series("a", Look::FIRST, &(0..last).map(point).collect::<Vec<_>>());
        assert!(thinned(&mut line(60)).is_none());
        let mut thicket = line(200);
        let (band, count) = thinned(&mut thicket).unwrap();
        assert_eq!(
            (count, thicket.points.len(), band.edges.len()),
            (4, 50, 100)
        );
        assert!(thicket.points.iter().all(|point| point.1 == 1.5));
        assert_eq!(band.edges[..2], [(0.0, 1.0, 2.0), (3.0, 1.0, 2.0)]);
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

    #[test]
    fn equal_lines_have_the_values_of_one_axis() {
        let named =
            |names: &[&str]| name(&names.iter().map(|&own| own.to_owned()).collect::<Vec<_>>());
        assert_eq!(named(&["K = 2", "K = 3"]), "K = 2, 3");
        assert_eq!(named(&["a, K = 2", "a, K = 3"]), "a, K = 2, 3");
        assert_eq!(named(&["a, K = 2", "b, K = 3"]), "a, K = 2 = b, K = 3");
        assert_eq!(named(&["a", "b", "a, published"]), "a = b = published");
    }
}
