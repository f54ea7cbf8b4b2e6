//! What an algorithm does, drawn: trees over time, paths on a mesh, timelines, steps and rounds.

use crate::chart::ChartError;

pub mod deliveries;
pub mod forest;
mod outline;
pub mod paths;
pub mod segments;
pub mod steps;
mod time_axis;
pub mod timelines;
pub mod tree;
pub mod worms;

/// Something that can be shown: as text by [`std::fmt::Display`], and as SVG.
pub trait Drawing: std::fmt::Display {
    /// What keeps a picture of it from being legible, with what would be, if anything does.
    fn too_large(&self) -> Option<String>;

    /// The picture.
    ///
    /// # Errors
    /// None that the drawing library does not have.
    fn to_svg(&self) -> Result<String, ChartError>;
}

/// Says that so many nodes are too many for a picture, if they are.
fn too_many_nodes(nodes: u32, most: u32) -> Option<String> {
    (nodes > most).then(|| format!("{nodes} nodes are too many to draw legibly; expected at most {most}"))
}

/// Size of a picture in whole pixels.
fn pixels(width: f64, height: f64) -> (u32, u32) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size in pixels")]
    let size = (width.ceil() as u32, height.ceil() as u32);
    size
}
