//! Tests of the documentation: shown output is current, named things exist, and everything is explained.

mod commands;
mod coverage;
mod examples;
mod gallery;
mod links;
mod made;
mod medians;
mod page;
mod recompute;
mod walk;

use std::path::Path;

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A file of the repository.
fn committed(path: &str) -> String {
    let path = Path::new(ROOT).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Fails with all complaints at once and the way to fix them.
pub fn none(complaints: &[String], advice: &str) {
    assert!(
        complaints.is_empty(),
        "\n{}\n{advice}",
        complaints.join("\n")
    );
}
