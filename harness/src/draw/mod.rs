//! What an algorithm does, drawn: a multicast tree over time, the paths of a multicast on a mesh.

use crate::chart::ChartError;

pub mod paths;
pub mod tree;

/// Something that can be shown: as text by [`std::fmt::Display`], and as SVG.
pub trait Drawing: std::fmt::Display {
    /// How many nodes it shows.
    fn nodes(&self) -> u32;

    /// The picture.
    ///
    /// # Errors
    /// None that the drawing library does not have.
    fn to_svg(&self) -> Result<String, ChartError>;
}
