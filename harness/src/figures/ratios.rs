//! The shades of a map of ratios: by which factor one choice costs more than the best.

use plotters::style::RGBColor;

use crate::chart::style::{Look, Marker};

/// The largest ratio of each shade, its name, and its colour from light to dark.
const SHADES: [(f64, &str, RGBColor); 6] = [
    (1.02, "up to 1.02 times", RGBColor(0xf2, 0xf0, 0xf7)),
    (1.25, "up to 1.25 times", RGBColor(0xda, 0xda, 0xeb)),
    (2.0, "up to 2 times", RGBColor(0xbc, 0xbd, 0xdc)),
    (4.0, "up to 4 times", RGBColor(0x9e, 0x9a, 0xc8)),
    (16.0, "up to 16 times", RGBColor(0x75, 0x6b, 0xb1)),
    (f64::INFINITY, "more", RGBColor(0x3f, 0x00, 0x7d)),
];

/// The cost of one choice over the best, in each case of a map.
pub struct Ratios {
    /// None in a case where the choice has no cost.
    values: Vec<Option<f64>>,
    /// What the legend says of these cases.
    absent: String,
}

impl Ratios {
    /// These ratios, at least 1; `absent` is what the legend says of a case without one.
    pub fn new(values: Vec<Option<f64>>, absent: &str) -> Self {
        Self {
            values,
            absent: absent.to_owned(),
        }
    }

    /// The look of each case: a shade with a letter, so that a reader needs no colours.
    pub fn looks(&self) -> Vec<Look> {
        self.values
            .iter()
            .map(|ratio| ratio.map_or(absent(), shade))
            .collect()
    }

    /// The names of the shades that occur.
    pub fn legend(&self) -> Vec<(String, Look)> {
        let looks = self.looks();
        let all = shades()
            .map(|(_, name, look)| (name, look))
            .chain([(self.absent.as_str(), absent())]);
        all.filter(|(_, look)| looks.contains(look))
            .map(|(name, look)| (name.to_owned(), look))
            .collect()
    }

    /// The median and the largest ratio in words; none if no case has one.
    pub fn summary(&self) -> Option<String> {
        let mut ratios: Vec<f64> = self.values.iter().copied().flatten().collect();
        ratios.sort_by(f64::total_cmp);
        let (middle, largest) = (ratios.get(ratios.len() / 2)?, ratios.last()?);
        Some(format!(
            "median {middle:.2} times the best, largest {largest:.2} times"
        ))
    }
}

fn shades() -> impl Iterator<Item = (f64, &'static str, Look)> {
    let look = |((most, name, colour), letter)| {
        (
            most,
            name,
            Look {
                colour,
                marker: Marker::Letter(letter),
            },
        )
    };
    SHADES.into_iter().zip('a'..).map(look)
}

fn shade(ratio: f64) -> Look {
    shades()
        .find(|(most, ..)| ratio <= *most)
        .map_or(Look::OTHER, |(.., look)| look)
}

/// The look of a case without a ratio.
fn absent() -> Look {
    Look {
        marker: Marker::Letter('?'),
        ..Look::NEUTRAL
    }
}
