//! The names of series: at the ends of their lines, below a plot, or once below all plots.

use super::marks::{Plot, frame, marker, place, spread};
use super::style::{INK, LABEL, Look, Marker, Point};
use super::svg::{LEFT, Sheet, text, widest, wrapped};
use super::{Panel, Series};

/// A name and its look.
pub type Name = (String, Look);

/// A name with its look.
pub struct Placed<'a> {
    /// Where its marker is.
    at: Point,
    name: &'a Name,
    /// The lines in which its name is written.
    lines: Vec<String>,
    /// The end of its line, from which a stroke leads to it: a marker would read as a point.
    from: Option<Point>,
}

/// Least distance between two names.
pub const DISTANCE: f64 = 17.0;
/// Between a plot and the names below it.
pub const ABOVE: f64 = 14.0;
/// From a marker to the end of the dashes beside it.
const SAMPLE: f64 = 8.5;
/// From a marker to its name.
const BEHIND: f64 = 12.0;

/// Where the names of the series are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Beside the plot, at the ends of their lines.
    Beside,
    /// Below the plot, because there is no room beside it.
    Below,
    /// Below all panels, each name once.
    Once,
}

/// How wide the names beside a plot are.
pub fn width(legend: &[Name]) -> f64 {
    match legend {
        [] => 14.0,
        _ => widest(legend.iter().map(|(name, _)| name), LABEL) + 44.0,
    }
}

/// How high names in lines of this width are, with the room above them; 0 without names.
pub fn high(legend: &[Name], wide: f64) -> f64 {
    match flowing(legend, (0.0, 0.0), wide).1 {
        0.0 => 0.0,
        lines => ABOVE + lines * DISTANCE,
    }
}

/// Names each series at the end of its line, and moves names apart that would overlap. Looks without a line are listed
/// from the top.
pub fn beside<'a>(panel: &'a Panel, plot: &Plot<'_, '_>) -> Vec<Placed<'a>> {
    let [(_, top), (right, bottom)] = frame(plot);
    let last = panel
        .series
        .iter()
        .filter_map(|series| series.points.last())
        .map(|end| end.0)
        .fold(f64::NEG_INFINITY, f64::max);
    let end_of = |name: &str| {
        let series = panel.series.iter().find(|series| series.label == *name)?;
        let is_joined = series.is_joined();
        let end = series.points.last()?;
        let y = place(plot, *end).1;
        Some((y, is_joined || end.0 >= last))
    };
    // The names of a map stand at even distances.
    let gaps = panel.legend.len().saturating_sub(1).max(1);
    let distance = ((bottom - top - 10.0) / gaps as f64).clamp(DISTANCE, 22.0);
    let label = |(number, name): (usize, &'a Name)| {
        let end = end_of(&name.0);
        let listed = match name.1.marker {
            // Beside its axis.
            Marker::Rug => bottom,
            _ => top + 10.0 + number as f64 * distance,
        };
        let y = end.map_or(listed, |(y, _)| y);
        let from = end.filter(|(_, is_led)| *is_led);
        Placed {
            at: (right + 22.0, y.clamp(top, bottom)),
            name,
            lines: vec![name.0.clone()],
            from: from.map(|(y, _)| (right + 3.0, y)),
        }
    };
    let mut labels: Vec<Placed<'a>> = panel.legend.iter().enumerate().map(label).collect();
    labels.sort_by(|one, other| one.at.1.total_cmp(&other.at.1));
    let mut heights: Vec<f64> = labels.iter().map(|label| label.at.1).collect();
    spread(&mut heights, DISTANCE, bottom);
    for (label, height) in labels.iter_mut().zip(heights) {
        label.at.1 = height;
    }
    labels
}

/// Names in lines from this point, one behind the other, and how many lines there are. A name that is wider than a line is
/// broken before an equals sign.
pub fn flowing(legend: &[Name], (left, top): Point, wide: f64) -> (Vec<Placed<'_>>, f64) {
    let mut x = 0.0;
    let mut line = 0.0;
    let mut placed = Vec::new();
    for name in legend {
        let room = wide - 10.0 - BEHIND;
        let lines = wrapped(&name.0.replace(" = ", " =\u{a0}"), room, LABEL);
        let own = widest(&lines, LABEL) + 2.0 * BEHIND + 8.0;
        if x > 0.0 && x + own - 10.0 > wide {
            (x, line) = (0.0, line + 1.0);
        }
        let at = (left + 10.0 + x, top + line * DISTANCE);
        x += own;
        line += lines.len().saturating_sub(1) as f64;
        placed.push(Placed {
            at,
            name,
            lines,
            from: None,
        });
    }
    (placed, if legend.is_empty() { 0.0 } else { line + 1.0 })
}

/// Draws names, each with the marker or the dashes of its series.
pub fn draw(panels: &[Panel], sheet: &Sheet<'_>, names: Vec<Placed<'_>>) {
    for Placed {
        at,
        name,
        lines,
        from,
    } in names
    {
        let (left, y) = at;
        let (name, look) = name;
        let all = panels.iter().flat_map(|panel| &panel.series);
        let is_own = |series: &&Series| series.label == *name;
        let own: Vec<&Series> = all.clone().filter(is_own).collect();
        // Points without a name are those of the line in their colour.
        let is_marked = all
            .filter(|series| series.markers.is_some())
            .any(|series| is_own(&series) || series.label.is_empty() && series.look == *look);
        let is_bare = !own.is_empty() && !is_marked;
        if let Some((x, end)) = from {
            let knee = (x + 4.0, end);
            sheet.line(
                &[(x, end), knee, (left + 5.0, y), (left + 9.0, y)],
                look.colour,
                1.2,
            );
        } else {
            let dashes = own.iter().find_map(|series| series.dashes());
            let whole = is_bare.then_some([2.0 * SAMPLE, 0.0]);
            if let Some([dash, gap]) = dashes.or(whole) {
                let end = left + SAMPLE;
                let mut from = left - SAMPLE;
                while from < end {
                    sheet.line(&[(from, y), (end.min(from + dash), y)], look.colour, 1.8);
                    from += dash + gap;
                }
            }
            if !is_bare {
                marker(*look, (left, y), 1.0, sheet);
            }
        }
        let style = text(LABEL, INK, LEFT);
        sheet.lines(&lines, (left + BEHIND, y), DISTANCE, style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_their_distance() {
        let mut heights = [10.0, 11.0, 90.0, 95.0];
        spread(&mut heights, DISTANCE, 100.0);
        assert!(
            heights
                .windows(2)
                .all(|pair| pair[1] - pair[0] >= DISTANCE - 1e-9),
            "{heights:?}"
        );
        assert!(heights[3] <= 100.0 && heights[0] >= 0.0);
    }

    #[test]
    fn names_flow_into_lines() {
        let names: Vec<Name> = ["a", "a long name", "b", "c"]
            .map(|name| (name.to_owned(), Look::FIRST))
            .into();
        let (placed, lines) = flowing(&names, (0.0, 0.0), 150.0);
        let at: Vec<f64> = placed.iter().map(|placed| placed.at.1).collect();
        assert_eq!((at, lines), (vec![0.0, 0.0, DISTANCE, DISTANCE], 2.0));
        let long = [(
            "lower bound = circulant = published".to_owned(),
            Look::FIRST,
        )];
        let (placed, lines) = flowing(&long, (0.0, 0.0), 150.0);
        let parts = ["lower bound", "= circulant", "= published"].map(str::to_owned);
        assert_eq!((&placed[0].lines[..], lines), (&parts[..], 3.0));
        assert_eq!(flowing(&[], (0.0, 0.0), 200.0).1, 0.0);
    }
}
