//! Documentation that cannot rot: what the pages show is run, what they name exists, what there is they explain.

mod commands;
mod coverage;
mod examples;
mod links;
mod made;
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

/// Fails with all complaints at once, so that a page is mended in one go, and says how.
fn none(complaints: &[String], advice: &str) {
    assert!(complaints.is_empty(), "\n{}\n{advice}", complaints.join("\n"));
}
