//! The sheet on which everything is drawn, and the SVG made from it.
//!
//! Plotters rounds to whole pixels, which turns flat curves into staircases. The sheet is therefore [`FINE`] times as
//! large, and the SVG header states the real size. Plotters writes into a string, which cannot fail.

use std::fmt::Display;

use plotters::coord::Shift;
use plotters::prelude::{
    Circle, DrawingArea, IntoDrawingArea, PathElement, Polygon, Rectangle, SVGBackend,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, IntoFont, RGBColor, ShapeStyle, TextStyle};

use super::PageFit;
use super::style::{FAINT_INK, FONTS, INK, PAPER, Point};
use crate::print::markup;

/// Pixels of the sheet per pixel of the picture.
pub const FINE: u32 = 8;

/// The area of a picture. Positions and lengths are in pixels of the picture.
pub struct Sheet<'a> {
    /// The area of the library, in pixels of the sheet.
    pub area: DrawingArea<SVGBackend<'a>, Shift>,
}

/// Pixels of the picture in pixels of the sheet.
pub fn fine(pixels: f64) -> i32 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a pixel; the conversion saturates"
    )]
    let fine = (pixels * f64::from(FINE)).round() as i32;
    fine
}

fn at((x, y): Point) -> (i32, i32) {
    (fine(x), fine(y))
}

/// Where a text stands at its position.
pub type Anchor = (HPos, VPos);
/// From the position to the right.
pub const LEFT: Anchor = (HPos::Left, VPos::Center);
/// Around the position.
pub const CENTRE: Anchor = (HPos::Center, VPos::Center);
/// Up to the position.
pub const RIGHT: Anchor = (HPos::Right, VPos::Center);
/// From the position to the right and down.
pub const TOP_LEFT: Anchor = (HPos::Left, VPos::Top);
/// From the position to the right and up.
pub const BOTTOM_LEFT: Anchor = (HPos::Left, VPos::Bottom);
/// Below the position.
pub const BELOW: Anchor = (HPos::Center, VPos::Top);
/// Above the position.
pub const ABOVE: Anchor = (HPos::Center, VPos::Bottom);

/// A text style; `size` is that of the letters.
pub fn text(size: f64, colour: RGBColor, (horizontal, vertical): Anchor) -> TextStyle<'static> {
    // Plotters divides the size by 1.24 when it writes it.
    (FONTS, f64::from(fine(size)) * 1.24)
        .into_font()
        .color(&colour)
        .pos(Pos::new(horizontal, vertical))
}

/// A bold text style.
pub fn bold(size: f64, colour: RGBColor, anchor: Anchor) -> TextStyle<'static> {
    let style = text(size, colour, anchor);
    TextStyle {
        font: style.font.style(FontStyle::Bold),
        ..style
    }
}

/// A stroke of this width.
pub fn stroke(colour: RGBColor, width: f64) -> ShapeStyle {
    ShapeStyle {
        color: colour.to_rgba(),
        filled: false,
        stroke_width: fine(width).unsigned_abs(),
    }
}

impl Sheet<'_> {
    /// A line through these points.
    pub fn line(&self, points: &[Point], colour: RGBColor, width: f64) {
        let points: Vec<_> = points.iter().copied().map(at).collect();
        _ = self
            .area
            .draw(&PathElement::new(points, stroke(colour, width)));
    }

    /// A circle: a disc or a ring.
    pub fn circle(&self, centre: Point, radius: f64, style: impl Into<ShapeStyle>) {
        _ = self
            .area
            .draw(&Circle::new(at(centre), fine(radius), style));
    }

    /// A disc with an outline of this colour and width.
    pub fn disc(&self, centre: Point, radius: f64, fill: RGBColor, (ink, width): (RGBColor, f64)) {
        self.circle(centre, radius, fill.filled());
        self.circle(centre, radius, stroke(ink, width));
    }

    /// A rectangle between two corners, with an outline of this colour and width if there is one.
    pub fn rectangle(
        &self,
        corners: [Point; 2],
        fill: impl Color,
        outline: Option<(RGBColor, f64)>,
    ) {
        let outline = outline.map(|(ink, width)| stroke(ink, width));
        for style in [Some(fill.filled()), outline].into_iter().flatten() {
            _ = self.area.draw(&Rectangle::new(corners.map(at), style));
        }
    }

    /// The head of an arrow with this tip, along a direction of length 1.
    pub fn arrow(&self, tip: Point, along: Point, [length, half]: [f64; 2], colour: RGBColor) {
        let wing = |side| moved(tip, along, -length, side);
        self.polygon([tip, wing(half), wing(-half)], colour);
    }

    /// A filled area with these corners.
    pub fn polygon(&self, corners: impl IntoIterator<Item = Point>, fill: RGBColor) {
        let corners: Vec<_> = corners.into_iter().map(at).collect();
        _ = self.area.draw(&Polygon::new(corners, fill.filled()));
    }

    /// Writes at a point.
    pub fn write(&self, content: impl Display, position: Point, style: TextStyle<'_>) {
        let content = content.to_string();
        _ = self.area.draw_text(&content, &style, at(position));
    }

    /// Writes lines one below the other, the first at a point.
    pub fn lines(
        &self,
        lines: &[impl Display],
        (x, y): Point,
        distance: f64,
        style: TextStyle<'_>,
    ) {
        for (number, line) in lines.iter().enumerate() {
            self.write(line, (x, y + number as f64 * distance), style.clone());
        }
    }

    /// Names in a row, each behind a sample of this width, with letters of `size` and with `gap` between them. Returns
    /// where the next one would stand.
    pub fn legend<N: AsRef<str>, T>(
        &self,
        (mut x, y): Point,
        [wide, gap, size]: [f64; 3],
        names: impl IntoIterator<Item = (N, T)>,
        sample: impl Fn(f64, T),
    ) -> f64 {
        for (name, own) in names {
            sample(x, own);
            self.write(name.as_ref(), (x + wide + 6.0, y), text(size, INK, LEFT));
            x += wide + 6.0 + text_width(name.as_ref(), size) + gap;
        }
        x
    }
}

/// The direction from a point to another, of length 1.
pub fn direction([from, to]: [Point; 2]) -> Point {
    let dx = to.0 - from.0;
    let dy = to.1 - from.1;
    let length = dx.hypot(dy).max(1.0);
    (dx / length, dy / length)
}

/// A point moved so far along a direction, and so far to the right of it.
pub fn moved(point: Point, (dx, dy): Point, along: f64, aside: f64) -> Point {
    (
        point.0 + dx * along - dy * aside,
        point.1 + dy * along + dx * aside,
    )
}

/// The middle between two points.
pub fn middle([from, to]: [Point; 2]) -> Point {
    (f64::midpoint(from.0, to.0), f64::midpoint(from.1, to.1))
}

/// How wide characters of DejaVu Sans are, the widest of [`FONTS`], over the size. Others are at most as wide as high.
const WIDTHS: [(f64, &str); 13] = [
    (0.3, "'IJijl"),
    (0.32, " ,.\u{a0}"),
    (0.34, "/:;\\|"),
    (0.37, "-f"),
    (0.42, "!()[]rt"),
    (0.5, "\"*_`"),
    (0.54, "?sz"),
    (0.58, "FLck"),
    (0.62, "PTYaeovxy"),
    (0.64, "$0123456789ESbdghnpqu{}"),
    (0.7, "ABCKRVXZ"),
    (0.79, "&DGHNOQU"),
    (0.84, "#+<=>^w~"),
];

/// The width of a line of text in pixels of the picture. The system may have no font, so it is not asked.
pub fn text_width(content: &str, size: f64) -> f64 {
    content
        .chars()
        .map(|sign| {
            let own = WIDTHS.iter().find(|(_, signs)| signs.contains(sign));
            own.map_or(1.0, |own| own.0)
        })
        .sum::<f64>()
        * size
}

/// The width of the widest of these lines; 0 without any.
pub fn widest(lines: impl IntoIterator<Item: AsRef<str>>, size: f64) -> f64 {
    lines
        .into_iter()
        .map(|line| text_width(line.as_ref(), size))
        .fold(0.0, f64::max)
}

/// A text in lines of at most this width where its words allow it, broken neither before a percent sign nor around an equals sign.
pub fn wrapped(text: &str, width: f64, size: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text
        .replace(" %", "\u{a0}%")
        .replace(" = ", "\u{a0}=\u{a0}")
        .split(' ')
        .filter(|word| !word.is_empty())
    {
        let longer = lines.last().map(|line| format!("{line} {word}"));
        match longer.filter(|line| text_width(line, size) <= width) {
            Some(longer) => {
                lines.pop();
                lines.push(longer);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
        .iter()
        .map(|line| line.replace('\u{a0}', " "))
        .collect()
}

/// A text in the fewest lines of at most this width. The last is not much shorter, where shorter ones avoid that.
pub fn balanced(text: &str, width: f64, size: f64) -> Vec<String> {
    let lines = wrapped(text, width, size);
    let narrower = (0..20).map(|part| wrapped(text, width * (1.0 - f64::from(part) / 40.0), size));
    narrower
        .take_while(|narrower| narrower.len() == lines.len())
        .find(|lines| {
            lines
                .last()
                .is_none_or(|last| text_width(last, size) >= LAST_LINE * width)
        })
        .unwrap_or(lines)
}

/// The least part of a line that the last one of a text fills.
const LAST_LINE: f64 = 0.25;

/// The margin around every picture.
pub const MARGIN: f64 = 18.0;
/// Where the heading ends and the drawing may begin.
pub const HEADING: f64 = MARGIN + TITLE + 12.0 + SUBTITLE;
/// Size of the letters below the title.
pub const SUBTITLE: f64 = 14.0;
/// Size of the letters of the title.
pub const TITLE: f64 = 20.0;

/// Pixels of the picture, whole.
pub fn whole(pixels: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small positive number of pixels"
    )]
    let whole = pixels.ceil() as u32;
    whole
}

/// Draws a picture of `width x height` pixels with title and subtitle. `explanation` is added to the accessible description.
pub fn picture(
    (width, height): (f64, f64),
    (title, subtitle): (&str, &str),
    explanation: &str,
    draw: impl FnOnce(&Sheet<'_>),
) -> String {
    sheet(
        (whole(width), whole(height)),
        &PageFit::default(),
        (title, subtitle),
        explanation,
        |sheet| {
            sheet.write(title, (MARGIN, MARGIN), text(TITLE, INK, TOP_LEFT));
            sheet.write(
                subtitle,
                (MARGIN, HEADING - SUBTITLE),
                text(SUBTITLE, FAINT_INK, TOP_LEFT),
            );
            draw(sheet);
        },
    )
}

/// Draws a picture that has its title and subtitle in the accessible description only.
pub fn sheet(
    (width, height): (u32, u32),
    fit: &PageFit,
    (title, subtitle): (&str, &str),
    explanation: &str,
    draw: impl FnOnce(&Sheet<'_>),
) -> String {
    let mut svg = String::new();
    {
        let area =
            SVGBackend::with_string(&mut svg, (width * FINE, height * FINE)).into_drawing_area();
        let sheet = Sheet { area };
        _ = sheet.area.fill(&PAPER);
        draw(&sheet);
    }
    let body = svg.split_once('>').map_or("", |(_, body)| body);
    let [usual, asked] =
        [FONTS, &fit.families()].map(|families| format!("font-family=\"{families}\""));
    let body = body.replace(&usual, &asked);
    let [shown_width, shown_height] = [width, height].map(|pixels| fit.length(pixels, width));
    let wide = width * FINE;
    let high = height * FINE;
    markup::well_formed(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{shown_width}\" height=\"{shown_height}\" \
         viewBox=\"0 0 {wide} {high}\" role=\"img\">\n<title>{}</title>\n<desc>{}</desc>{}\n",
        markup::escaped(title),
        markup::escaped(&description(subtitle, explanation)),
        body.trim_end()
    ))
}

/// The accessible description; the subtitle becomes a sentence.
fn description(subtitle: &str, explanation: &str) -> String {
    let stop = if subtitle.is_empty() || explanation.is_empty() || subtitle.ends_with('.') {
        ""
    } else {
        "."
    };
    format!("{subtitle}{stop} {explanation}").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use resvg::usvg::fontdb::{Database, Family, Query};
    use skrifa::instance::{LocationRef, Size};
    use skrifa::{FontRef, MetadataProvider as _};

    use super::*;

    #[test]
    fn widths_are_those_of_the_font() {
        let mut fonts = Database::new();
        fonts.load_system_fonts();
        let families = &[Family::Name("DejaVu Sans")];
        let query = Query {
            families,
            ..Query::default()
        };
        // The system may have another font only.
        let Some(id) = fonts.query(&query) else {
            return;
        };
        let read = |data: &[u8], index| {
            let font = FontRef::from_index(data, index).unwrap();
            let metrics = font.glyph_metrics(Size::new(1.0), LocationRef::default());
            let real = |sign| {
                let glyph = font.charmap().map(sign).unwrap();
                f64::from(metrics.advance_width(glyph).unwrap())
            };
            for sign in ' '..='~' {
                let spare = text_width(&sign.to_string(), 1.0) - real(sign);
                assert!((-1e-6..0.14).contains(&spare), "{sign}: {spare}");
            }
            let text = "Broadcast of 4096 words to 64 nodes in m segments";
            let ratio = text_width(text, 1.0) / text.chars().map(real).sum::<f64>();
            assert!((1.0..1.03).contains(&ratio), "{ratio}");
        };
        fonts.with_face_data(id, read).unwrap();
    }
}
