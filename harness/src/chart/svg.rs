//! The sheet that everything is drawn on, and what is done to it afterwards.
//!
//! The library places everything on whole pixels, which makes flat curves into staircases. So it draws
//! on a sheet [`FINE`] times as large, and the finished SVG is told its real size.

use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, IntoDrawingArea, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, IntoFont, RGBColor, TextStyle};

use super::ChartError;
use super::style::{FONTS, PAPER};

/// Pixels of the sheet for one of the picture.
pub const FINE: u32 = 8;

/// The area that a drawing is made on.
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
    // The library divides the size by 1.24 when it writes it.
    let font = (FONTS, f64::from(fine(size)) * 1.24).into_font();
    font.color(&colour).pos(Pos::new(horizontal, vertical))
}

/// The same in bold.
#[must_use]
pub fn bold(size: f64, colour: RGBColor, horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    let font = (FONTS, f64::from(fine(size)) * 1.24).into_font().style(FontStyle::Bold);
    font.color(&colour).pos(Pos::new(horizontal, vertical))
}

/// Draws a picture of `width x height` pixels. `description` is for readers who cannot see it.
///
/// # Errors
/// What the drawing says.
pub fn picture(
    (width, height): (u32, u32),
    title: &str,
    description: &str,
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
    let (wide, high) = (width * FINE, height * FINE);
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {wide} {high}\" \
         role=\"img\">\n<title>{}</title>\n<desc>{}</desc>{}\n",
        escape(title),
        escape(description),
        body.trim_end()
    ))
}

/// An error of the library.
pub fn drawing(error: impl std::fmt::Display) -> ChartError {
    ChartError::Drawing(error.to_string())
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
