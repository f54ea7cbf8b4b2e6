//! The fonts of the system, for drawings that contain letters and not only their codes.

use resvg::usvg::{Options, Tree, fontdb};

use super::{PageFit, style};
use crate::base::failure::Result;
use crate::base::near;

/// An SVG of castbench with its texts laid out in the fonts of the system.
///
/// # Errors
/// Exit code 2: the system has no font, or not the one asked for. Exit code 1: a bug.
pub fn laid_out(svg: &str, fit: &PageFit) -> Result<Tree> {
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_system_fonts();
    let has = |family| {
        fonts
            .query(&fontdb::Query {
                families: &[family],
                ..Default::default()
            })
            .is_some()
    };
    if let Some(name) = fit
        .font
        .as_deref()
        .filter(|name| !has(fontdb::Family::Name(name)))
    {
        let families = fonts
            .faces()
            .flat_map(|face| &face.families)
            .map(|(family, _)| family.as_str());
        let advice = near::advice(name, families, "fc-list : family");
        bail!(
            "--font {name}: the system has no such font, and PNG and PDF need it; {advice}; a file .svg only names it"
        );
    }
    let is_any = style::FONTS.split(", ").any(|name| match name {
        "sans-serif" => has(fontdb::Family::SansSerif),
        name => has(fontdb::Family::Name(name)),
    });
    if fit.font.is_none() && !is_any {
        // If no family is found, resvg omits all texts without an error.
        let any = fonts
            .faces()
            .find_map(|face| Some(face.families.first()?.0.clone())).ok_or_else(|| failure!(Usage, "PNG and PDF need a font and the system has none; install one, as the package fonts-dejavu-core, or write a file .svg"))?;
        fonts.set_sans_serif_family(any);
    }
    Tree::from_str(svg, &options).map_err(|error| failure!(Internal, "the drawing: {error}"))
}
