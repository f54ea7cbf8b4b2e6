//! The sheet on which everything is drawn, and the SVG made from it.
//!
//! Plotters rounds to whole pixels, which turns flat curves into staircases. The sheet is therefore [`FINE`] times as
//! large, and the SVG header states the real size.

use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, IntoDrawingArea, PathElement, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, IntoFont, RGBColor, ShapeStyle, TextStyle};

use super::style::{FAINT_INK, FONTS, INK, PAPER};
use super::{ChartError, Fit};
use crate::markup;

/// Pixels of the sheet per pixel of the picture.
pub const FINE: u32 = 8;

/// The area of a drawing.
pub type Sheet<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Pixels of the picture in pixels of the sheet.
#[must_use]
pub fn fine(pixels: f64) -> i32 {
    #[expect(clippy::cast_possible_truncation, reason = "a pixel; the conversion saturates")]
    let fine = (pixels * f64::from(FINE)).round() as i32;
    fine
}

/// A text style; `size` is that of the letters in pixels of the picture.
#[must_use]
pub fn text(size: f64, colour: RGBColor, horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    // Plotters divides the size by 1.24 when it writes it.
    let font = (FONTS, f64::from(fine(size)) * 1.24).into_font();
    font.color(&colour).pos(Pos::new(horizontal, vertical))
}

/// A bold text style; `size` is that of the letters in pixels of the picture.
#[must_use]
pub fn bold(size: f64, colour: RGBColor, horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    let font = (FONTS, f64::from(fine(size)) * 1.24).into_font().style(FontStyle::Bold);
    font.color(&colour).pos(Pos::new(horizontal, vertical))
}

/// A stroke of this width in pixels of the picture.
#[must_use]
pub fn stroke(colour: RGBColor, width: f64) -> ShapeStyle {
    ShapeStyle { color: colour.to_rgba(), filled: false, stroke_width: fine(width).unsigned_abs() }
}

/// Draws a line through points of the picture.
///
/// # Errors
/// A row that cannot be written.
pub fn line(sheet: &Sheet<'_>, points: &[(f64, f64)], colour: RGBColor, width: f64) -> Result<(), ChartError> {
    let points: Vec<_> = points.iter().map(|&(x, y)| (fine(x), fine(y))).collect();
    sheet.draw(&PathElement::new(points, stroke(colour, width))).map_err(drawing)
}

/// Writes at a point of the picture.
///
/// # Errors
/// A row that cannot be written.
pub fn write(sheet: &Sheet<'_>, content: &str, at: (f64, f64), style: &TextStyle<'_>) -> Result<(), ChartError> {
    sheet.draw_text(content, style, (fine(at.0), fine(at.1))).map_err(drawing)
}

/// The approximate width of a line of text in pixels of the picture. Plotters' own estimate is far off.
#[must_use]
pub fn text_width(content: &str, size: f64) -> f64 {
    content.chars().count() as f64 * size * 0.6
}

/// The margin around every picture.
pub const MARGIN: f64 = 18.0;
/// Where the heading ends and the drawing may begin.
pub const HEADING: f64 = MARGIN + TITLE + 12.0 + SUBTITLE;
/// Size of the letters below the title.
pub const SUBTITLE: f64 = 14.0;
/// Size of the letters of the title.
pub const TITLE: f64 = 20.0;

/// Draws a picture of `width x height` pixels with title and subtitle. `explanation` is added to the accessible description.
///
/// # Errors
/// The errors of `draw`.
pub fn picture(
    (width, height): (u32, u32),
    (title, subtitle): (&str, &str),
    explanation: &str,
    draw: impl FnOnce(&Sheet<'_>) -> Result<(), ChartError>,
) -> Result<String, ChartError> {
    sheet((width, height), &Fit::default(), (title, subtitle), explanation, |sheet| {
        write(sheet, title, (MARGIN, MARGIN), &text(TITLE, INK, HPos::Left, VPos::Top))?;
        let below = (MARGIN, HEADING - SUBTITLE);
        write(sheet, subtitle, below, &text(SUBTITLE, FAINT_INK, HPos::Left, VPos::Top))?;
        draw(sheet)
    })
}

/// Draws a picture that has its title and subtitle in the accessible description only.
///
/// # Errors
/// The errors of `draw`.
pub fn sheet(
    (width, height): (u32, u32),
    fit: &Fit,
    (title, subtitle): (&str, &str),
    explanation: &str,
    draw: impl FnOnce(&Sheet<'_>) -> Result<(), ChartError>,
) -> Result<String, ChartError> {
    let mut svg = String::new();
    {
        let sheet = SVGBackend::with_string(&mut svg, (width * FINE, height * FINE)).into_drawing_area();
        sheet.fill(&PAPER).map_err(drawing)?;
        draw(&sheet)?;
        sheet.present().map_err(drawing)?;
    }
    let body = svg.split_once('>').map_or("", |(_, body)| body);
    let [usual, asked] = [FONTS, &fit.families()].map(|families| format!("font-family=\"{families}\""));
    let body = body.replace(&usual, &asked);
    let [shown_width, shown_height] = [width, height].map(|pixels| fit.length(pixels, width));
    let (wide, high) = (width * FINE, height * FINE);
    Ok(markup::well_formed(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{shown_width}\" height=\"{shown_height}\" \
         viewBox=\"0 0 {wide} {high}\" role=\"img\">\n<title>{}</title>\n<desc>{}</desc>{}\n",
        markup::escaped(title),
        markup::escaped(&description(subtitle, explanation)),
        body.trim_end()
    )))
}

/// The accessible description; the subtitle becomes a sentence.
fn description(subtitle: &str, explanation: &str) -> String {
    let stop = if subtitle.is_empty() || explanation.is_empty() || subtitle.ends_with('.') { "" } else { "." };
    format!("{subtitle}{stop} {explanation}").trim().to_owned()
}

/// An error of the library.
pub fn drawing(error: impl std::fmt::Display) -> ChartError {
    ChartError::Drawing(error.to_string())
}
