//! The formats of drawings.

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
}
