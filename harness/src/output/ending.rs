//! The ends of the names of files that castbench writes.

use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, TypedValueParser};

use crate::base::units::joined;

/// The ends of all formats that castbench writes.
const ALL: [&str; 11] = [
    "csv", "goal", "html", "json", "md", "pdf", "png", "svg", "tex", "toml", "xml",
];

/// Refuses a name that ends as another format does; `own` are the ends of the format of this file. Any other end, as that of another
/// program, may be.
///
/// # Errors
/// What was expected.
pub fn check(file: &Path, own: &[&str]) -> Result<(), String> {
    let end = file.extension().unwrap_or_default();
    let end = end.to_string_lossy().to_lowercase();
    match own {
        _ if !ALL.contains(&&*end) || own.contains(&&*end) => Ok(()),
        [] => Err(format!(
            "expected another end than .{end}, which is a format of its own"
        )),
        [others @ .., last] => {
            let others = joined(", ", others.iter().map(|end| format!(".{end}")));
            let or = if others.is_empty() { "" } else { " or " };
            Err(format!(
                "expected a file name that ends in {others}{or}.{last}"
            ))
        }
    }
}

/// Reads the name of a file in a format, as [`check`] does.
pub fn named(own: &'static [&'static str]) -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| check(&path, own).map(|()| path))
}
