//! How a chart fits a printed page.

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::style::{FONTS, LABEL};
use super::svg::MARGIN;

/// Size and parts of a drawn chart, as a table of a configuration and the command line have them. By default it has its
/// natural size and all parts. Widths are in millimetres, sizes of letters in points.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, Args)]
#[serde(default, deny_unknown_fields)]
pub struct PageFit {
    /// Width of the figures, as in 88mm, 18cm or 3.5in; labels have 8pt. A PNG then has 600 pixels per inch
    #[serde(deserialize_with = "wire::width", serialize_with = "wire::millimetres")]
    #[arg(long, value_name = "LENGTH", value_parser = parse_width)]
    pub width: Option<f64>,
    /// Greatest height of the figures, as in 120mm [default: four thirds of the width, at most 150mm, and 240mm where panels need it]
    #[serde(deserialize_with = "wire::width", serialize_with = "wire::millimetres")]
    #[arg(long, value_name = "LENGTH", value_parser = parse_width)]
    pub height: Option<f64>,
    /// Size of labels and captions, as in 7pt
    #[serde(deserialize_with = "wire::font_size", serialize_with = "wire::points")]
    #[arg(long, value_name = "SIZE", value_parser = parse_font_size)]
    pub font_size: Option<f64>,
    /// Family of the letters, as 'DejaVu Serif'; a PNG and a PDF need it on the system, an SVG only names it
    #[serde(deserialize_with = "wire::family")]
    #[arg(long, value_name = "NAME", value_parser = parse_family)]
    pub font: Option<String>,
    /// Where the names of series stand: with each panel, or once below all [default: once below several panels]
    #[arg(long, value_name = "PLACE", value_enum)]
    pub legend: Option<Legend>,
    /// Only these panels of each figure, by their numbers, as in 1,3
    #[serde(skip_deserializing)]
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..))]
    pub panels: Vec<u16>,
    /// Draw neither title nor parameters; print them
    #[serde(rename(deserialize = "title"), deserialize_with = "wire::negated")]
    #[arg(long, num_args = 0, default_missing_value = "true")]
    pub no_title: Option<bool>,
    /// Draw no caption; print it
    #[serde(rename(deserialize = "caption"), deserialize_with = "wire::negated")]
    #[arg(long, num_args = 0, default_missing_value = "true")]
    pub no_caption: Option<bool>,
}

/// Where the names of series stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Legend {
    /// With each panel.
    Each,
    /// Once, below all panels.
    Once,
}

/// Millimetres of an inch.
const INCH: f64 = 25.4;
/// Points of an inch.
const POINTS: f64 = 72.0;
/// Height of a printed figure, as a part of its width.
const HIGH: f64 = 4.0 / 3.0;
/// Greatest height of a printed figure whose panels do not need more, in millimetres.
const USUAL: f64 = 150.0;
/// Greatest height of a printed figure, in millimetres: a page of A4 without its margins.
const MOST: f64 = 240.0;
/// Margin of a picture of a given width.
const PAGE_MARGIN: f64 = 3.0;
/// Size of labels where only a width is given, in points.
const USUAL_FONT: f64 = 8.0;

impl PageFit {
    /// This size and these parts, and those of `below` where this one says nothing.
    pub fn over(&self, below: &Self) -> Self {
        Self {
            width: self.width.or(below.width),
            height: self.height.or(below.height),
            font_size: self.font_size.or(below.font_size),
            font: self.font.clone().or_else(|| below.font.clone()),
            legend: self.legend.or(below.legend),
            panels: self.panels.clone(),
            no_title: self.no_title.or(below.no_title),
            no_caption: self.no_caption.or(below.no_caption),
        }
    }

    /// The width in millimetres; none for the natural size.
    fn wide(&self) -> Option<f64> {
        self.width.or(self.height.map(|height| height / HIGH))
    }

    /// Millimetres per pixel of the picture; none for the natural size.
    pub fn scale(&self) -> Option<f64> {
        let size = self.font_size.or(self.wide().map(|_| USUAL_FONT))?;
        Some(size / POINTS * INCH / LABEL)
    }

    /// Pixels of a PNG per pixel of the drawing: 192 per inch on a screen, 600 on paper.
    pub fn resolution(&self) -> f32 {
        if self.scale().is_none() {
            2.0
        } else {
            600.0 / 96.0
        }
    }

    /// The margin around a picture.
    pub fn margin(&self) -> f64 {
        self.wide().map_or(MARGIN, |_| PAGE_MARGIN)
    }

    /// Pixels between the margins of a picture of a given width.
    pub fn inner(&self) -> Option<f64> {
        let wide = (self.wide()? / self.scale()?).round();
        Some(wide - 2.0 * self.margin())
    }

    /// The height that a printed picture should not exceed, in pixels, and the one that it must not.
    pub fn heights(&self) -> [f64; 2] {
        let usual = (self.wide().unwrap_or(MOST) * HIGH).min(USUAL);
        let limits = self.height.map_or([usual, MOST], |height| [height; 2]);
        // A picture has whole pixels, at most two more than its parts.
        limits.map(|limit| (limit / self.scale().unwrap_or(1.0)).floor() - 2.0)
    }

    /// The fonts of a picture's letters, as CSS.
    pub fn families(&self) -> String {
        self.font
            .iter()
            .map(|name| format!("'{name}', "))
            .collect::<String>()
            + FONTS
    }

    /// Width or height of a picture as its header states it.
    pub fn length(&self, pixels: u32, all: u32) -> String {
        match (self.wide(), self.scale()) {
            // The width is as asked, the labels within half a pixel of it.
            (Some(width), _) => format!("{:.2}mm", width * f64::from(pixels) / f64::from(all)),
            (None, Some(scale)) => format!("{:.2}mm", scale * f64::from(pixels)),
            (None, None) => pixels.to_string(),
        }
    }
}

/// The texts of a configuration, read as those of the command line, and written as options.
mod wire {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::{Serialize, Serializer};

    pub fn millimetres<S: Serializer>(width: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
        width.map(|width| format!("{width}mm")).serialize(to)
    }

    pub fn points<S: Serializer>(size: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
        size.map(|size| format!("{size}pt")).serialize(to)
    }

    pub fn negated<'de, D: Deserializer<'de>>(from: D) -> Result<Option<bool>, D::Error> {
        bool::deserialize(from).map(|is_drawn| Some(!is_drawn))
    }

    pub fn width<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
        text(from, super::parse_width)
    }

    pub fn font_size<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
        text(from, super::parse_font_size)
    }

    pub fn family<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
        text(from, super::parse_family)
    }

    fn text<'de, D: Deserializer<'de>, T>(
        from: D,
        parse: fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, D::Error> {
        parse(&String::deserialize(from)?)
            .map(Some)
            .map_err(Error::custom)
    }
}

/// Reads a width: `88mm`, `8.8cm` or `3.5in`.
///
/// # Errors
/// What was expected.
pub fn parse_width(text: &str) -> Result<f64, String> {
    length(
        text,
        &[("mm", 1.0), ("cm", 10.0), ("in", INCH)],
        20.0..=1000.0,
    )
    .ok_or_else(|| "expected 20mm to 1000mm, as in 88mm, 18cm or 3.5in".to_owned())
}

/// Reads the size of a font: `8pt`.
///
/// # Errors
/// What was expected.
pub fn parse_font_size(text: &str) -> Result<f64, String> {
    length(text, &[("pt", 1.0)], 4.0..=72.0)
        .ok_or_else(|| "expected 4pt to 72pt, as in 8pt".to_owned())
}

/// Reads the name of a font's family: `DejaVu Serif`.
///
/// # Errors
/// What was expected.
pub fn parse_family(text: &str) -> Result<String, String> {
    let is_plain = text
        .chars()
        .all(|sign| sign.is_alphanumeric() || " -_.".contains(sign));
    let is_name = is_plain && text.trim() == text && (1..=80).contains(&text.len());
    is_name.then(|| text.to_owned()).ok_or_else(|| {
        "expected the name of a family, of letters, digits, spaces and - _ . only, as in `DejaVu Serif`".to_owned()
    })
}

fn length(text: &str, units: &[(&str, f64)], range: std::ops::RangeInclusive<f64>) -> Option<f64> {
    let (number, unit) = units
        .iter()
        .find_map(|(name, unit)| Some((text.strip_suffix(name)?.trim(), unit)))?;
    let is_plain = number
        .chars()
        .all(|sign| sign.is_ascii_digit() || sign == '.');
    let length = number.parse::<f64>().ok().filter(|_| is_plain)? * unit;
    range.contains(&length).then_some(length)
}
