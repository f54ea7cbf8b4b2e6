//! The formats of drawings.

use std::path::Path;

use super::{PageFit, pdf, png};
use crate::base::failure::Failure;

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
    #[must_use]
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
    pub fn named(option: &str, file: &Path) -> Result<Self, Failure> {
        let expected = "expected a file name that ends in .svg, .png or .pdf";
        Self::from_name(&file.to_string_lossy())
            .ok_or_else(|| Failure::usage(format_args!("{option} {}: {expected}", file.display())))
    }

    /// An SVG of castbench in this format; PNG and PDF state the text, too.
    ///
    /// # Errors
    /// Exit code 2 where the system cannot write the format.
    pub fn bytes(self, svg: &str, fit: &PageFit, text: &str) -> Result<Vec<u8>, Failure> {
        match self {
            Self::Svg => Ok(svg.as_bytes().to_vec()),
            Self::Png => png::from_svg(svg, fit, text),
            Self::Pdf => pdf::from_svg(svg, fit, text),
        }
    }
}
