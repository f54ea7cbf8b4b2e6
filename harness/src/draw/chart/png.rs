//! A drawing as PNG, with the fonts of the system.

use resvg::tiny_skia::{Pixmap, Transform};

use super::{PageFit, fonts};
use crate::base::failure::{Code, Failure};

/// Draws an SVG of castbench; the file has this text under the keyword `castbench`.
///
/// # Errors
/// No font, or none with that name. Exit code 1: a bug.
pub fn from_svg(svg: &str, fit: &PageFit, text: &str) -> Result<Vec<u8>, Failure> {
    let tree = fonts::laid_out(svg, fit)?;
    let internal =
        |error: &dyn std::fmt::Display| Failure::new(Code::Internal, format_args!("PNG: {error}"));
    let scale = fit.resolution();
    let size = tree
        .size()
        .to_int_size()
        .scale_by(scale)
        .ok_or_else(|| internal(&"the drawing has no size"))?;
    let pixmap = Pixmap::new(size.width(), size.height());
    let mut pixmap = pixmap.ok_or_else(|| internal(&"the drawing is too large"))?;
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
