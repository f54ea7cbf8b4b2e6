//! What an algorithm does, drawn: a multicast tree over time, the paths of a multicast on a mesh.

pub mod paths;
pub mod tree;
