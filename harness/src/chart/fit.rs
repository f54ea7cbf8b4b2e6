//! How a chart fits a printed page.

use super::render::LABEL;

/// Size and parts of a drawn chart. By default it has its natural size and all parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// Width in millimetres.
    pub width: Option<f64>,
    /// Size of the labels in points.
    pub font: Option<f64>,
    /// Whether the title and the parameters below it are drawn.
    pub title: bool,
    /// Whether the caption is drawn.
    pub caption: bool,
}

impl Default for Fit {
    fn default() -> Self {
        Self { width: None, font: None, title: true, caption: true }
    }
}

/// Millimetres of an inch.
const INCH: f64 = 25.4;
/// Points of an inch.
const POINTS: f64 = 72.0;
/// Size of labels where only a width is given, in points.
const USUAL_FONT: f64 = 8.0;

impl Fit {
    /// Millimetres per pixel of the picture; none for the natural size.
    pub(super) fn scale(&self) -> Option<f64> {
        let font = self.font.or(self.width.map(|_| USUAL_FONT))?;
        Some(font / POINTS * INCH / LABEL)
    }

    /// Pixels of a PNG per pixel of the drawing: 192 per inch on a screen, 600 on paper.
    #[cfg(feature = "png")]
    pub(super) fn resolution(&self) -> f32 {
        if self.scale().is_none() { 2.0 } else { 600.0 / 96.0 }
    }

    /// Pixels of the picture in the given width.
    pub(super) fn pixels(&self) -> Option<f64> {
        Some((self.width? / self.scale()?).round())
    }

    /// Width or height of a picture as its header states it.
    pub(super) fn length(&self, pixels: u32, all: u32) -> String {
        match (self.width, self.scale()) {
            // The width is as asked, the labels within half a pixel of it.
            (Some(width), _) => format!("{:.2}mm", width * f64::from(pixels) / f64::from(all)),
            (None, Some(scale)) => format!("{:.2}mm", scale * f64::from(pixels)),
            (None, None) => pixels.to_string(),
        }
    }
}

/// Reads a width: `88mm`, `8.8cm` or `3.5in`.
///
/// # Errors
/// What was expected.
pub fn parse_width(text: &str) -> Result<f64, String> {
    length(text, &[("mm", 1.0), ("cm", 10.0), ("in", INCH)], 20.0..=1000.0)
        .ok_or_else(|| "expected 20mm to 1000mm, as in 88mm, 18cm or 3.5in".to_owned())
}

/// Reads the size of a font: `8pt`.
///
/// # Errors
/// What was expected.
pub fn parse_font_size(text: &str) -> Result<f64, String> {
    length(text, &[("pt", 1.0)], 4.0..=72.0).ok_or_else(|| "expected 4pt to 72pt, as in 8pt".to_owned())
}

fn length(text: &str, units: &[(&str, f64)], range: std::ops::RangeInclusive<f64>) -> Option<f64> {
    let (number, unit) = units.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?.trim(), unit)))?;
    let is_plain = number.chars().all(|sign| sign.is_ascii_digit() || sign == '.');
    let length = number.parse::<f64>().ok().filter(|_| is_plain)? * unit;
    range.contains(&length).then_some(length)
}
