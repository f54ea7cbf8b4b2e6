//! The formats of drawings.

use std::path::Path;

use resvg::tiny_skia::{Pixmap, Transform};

use super::{PageFit, fonts, pdf};
use crate::base::failure::Result;

/// A format, known by the end of a file's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFormat {
    /// What castbench draws; the other formats are made from it.
    Svg,
    /// Pixels.
    Png,
    /// Vectors and texts with their fonts.
    Pdf,
}

impl ImageFormat {
    /// The format of a file with this name; none for another end than `.svg`, `.png` and `.pdf`.
    pub fn from_name(file: &str) -> Option<Self> {
        let formats = [
            (".svg", Self::Svg),
            (".png", Self::Png),
            (".pdf", Self::Pdf),
        ];
        formats
            .into_iter()
            .find_map(|(end, format)| file.ends_with(end).then_some(format))
    }

    /// The format of the file that an option names.
    ///
    /// # Errors
    /// Exit code 2 for another end of its name.
    pub fn named(option: &str, file: &Path) -> Result<Self> {
        let expected = "expected a file name that ends in .svg, .png or .pdf";
        Self::from_name(&file.to_string_lossy())
            .ok_or_else(|| failure!(Usage, "{option} {}: {expected}", file.display()))
    }

    /// An SVG of castbench in this format; PNG and PDF state the text, too.
    ///
    /// # Errors
    /// Exit code 2 where the system cannot write the format.
    pub fn bytes(self, svg: &str, fit: &PageFit, text: &str) -> Result<Vec<u8>> {
        match self {
            Self::Svg => Ok(svg.as_bytes().to_vec()),
            Self::Png => png(svg, fit, text),
            Self::Pdf => pdf::from_svg(svg, fit, text),
        }
    }
}

/// An SVG of castbench as PNG, with the fonts of the system; the file has this text under the keyword `castbench`.
///
/// # Errors
/// No font, or none with that name. Exit code 1: a bug.
fn png(svg: &str, fit: &PageFit, text: &str) -> Result<Vec<u8>> {
    let tree = fonts::laid_out(svg, fit)?;
    let internal = |error: &dyn std::fmt::Display| failure!(Internal, "PNG: {error}");
    let scale = fit.resolution();
    let size = tree
        .size()
        .to_int_size()
        .scale_by(scale)
        .ok_or_else(|| internal(&"the drawing has no size"))?;
    let mut pixmap = Pixmap::new(size.width(), size.height())
        .ok_or_else(|| internal(&"the drawing is too large"))?;
    resvg::render(
        &tree,
        Transform::from_scale(scale, scale),
        &mut pixmap.as_mut(),
    );
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, size.width(), size.height());
    encoder.set_color(png::ColorType::Rgba);
    let pixels = pixmap.take_demultiplied();
    encoder
        .add_itxt_chunk("castbench".to_owned(), text.to_owned())
        .and_then(|()| encoder.write_header()?.write_image_data(&pixels))
        .map_err(|error| internal(&error))?;
    Ok(file)
}
