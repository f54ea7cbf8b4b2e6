//! A drawing as PNG, with the fonts of the system.

use super::Fit;
use crate::failure::{Code, Failure};

/// Whether this castbench can write PNG.
///
/// # Errors
/// Exit code 2 if it was built without the feature.
pub fn check_available() -> Result<(), Failure> {
    if cfg!(feature = "png") {
        return Ok(());
    }
    let told = "--out: this castbench was built without PNG; build it with `--features png`, or write a file .svg";
    Err(Failure::usage(told))
}

/// Draws an SVG of castbench.
///
/// # Errors
/// Exit code 2: castbench was built without PNG, or the system has no font. Exit code 1: a bug.
#[cfg(not(feature = "png"))]
pub fn of(_: &str, _: &Fit) -> Result<Vec<u8>, Failure> {
    check_available().and(Err(Failure::new(Code::Internal, "built without PNG")))
}

/// Draws an SVG of castbench.
///
/// # Errors
/// Exit code 2: the system has no font. Exit code 1: a bug.
#[cfg(feature = "png")]
pub fn of(svg: &str, fit: &Fit) -> Result<Vec<u8>, Failure> {
    use resvg::tiny_skia::{Pixmap, Transform};
    use resvg::usvg::{Options, Tree, fontdb};

    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_system_fonts();
    let families = super::style::FONTS.split(", ").map(|name| match name {
        "sans-serif" => fontdb::Family::SansSerif,
        name => fontdb::Family::Name(name),
    });
    let families: Vec<fontdb::Family<'_>> = families.collect();
    if fonts.query(&fontdb::Query { families: &families, ..Default::default() }).is_none() {
        // If no family is found, resvg omits all texts without an error.
        let any = fonts.faces().find_map(|face| Some(face.families.first()?.0.clone()));
        let any = any.ok_or_else(|| Failure::usage("--out: PNG needs a font and the system has none; install one, as the package fonts-dejavu-core, or write a file .svg"))?;
        fonts.set_sans_serif_family(any);
    }
    let internal = |error: &dyn std::fmt::Display| Failure::new(Code::Internal, format_args!("PNG: {error}"));
    let tree = Tree::from_str(svg, &options).map_err(|error| internal(&error))?;
    let scale = fit.resolution();
    let size = tree.size().to_int_size().scale_by(scale).ok_or_else(|| internal(&"the drawing has no size"))?;
    let pixmap = Pixmap::new(size.width(), size.height());
    let mut pixmap = pixmap.ok_or_else(|| internal(&"the drawing is too large"))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|error| internal(&error))
}
