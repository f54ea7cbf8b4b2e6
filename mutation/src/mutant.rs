//! What cargo-mutants would change, as `cargo mutants --list --json` tells it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

/// A place in a file as cargo-mutants counts it: line and column from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct Place {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

/// From the first character to behind the last one.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Span {
    /// The first character.
    pub start: Place,
    /// Behind the last one.
    pub end: Place,
}

/// Which kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Genre {
    /// Another operator between two operands.
    BinaryOperator,
    /// No `!` or `-`.
    UnaryOperator,
    /// A function that returns something at once.
    FnValue,
    /// A guard that always or never holds.
    MatchArmGuard,
    /// An arm that is not there.
    MatchArm,
    /// A field that its struct's base gives instead.
    StructField,
}

/// The function that is changed.
#[derive(Debug, Clone, Deserialize)]
pub struct Function {
    /// With the type that it is of.
    #[serde(rename = "function_name")]
    pub name: String,
    /// With its arrow; empty where nothing is returned.
    pub return_type: String,
}

/// One change of one file.
#[derive(Debug, Clone, Deserialize)]
pub struct Mutant {
    /// Relative to the workspace.
    pub file: String,
    /// Which kind of change.
    pub genre: Genre,
    /// Where it is, if in a function.
    pub function: Option<Function>,
    /// How cargo-mutants names it: file, line, column, what becomes what.
    pub name: String,
    /// What stands there instead of what is in `span`.
    pub replacement: String,
    /// What is replaced.
    pub span: Span,
}

impl Mutant {
    /// What is changed, without where: its name behind file, line and column.
    #[must_use]
    pub fn change(&self) -> &str {
        self.name.splitn(4, ':').nth(3).unwrap_or_default().trim_start()
    }

    /// Whether it returns something at once from a function whose type is opaque, where there can be one type only.
    #[must_use]
    pub fn returns_opaque(&self) -> bool {
        self.genre == Genre::FnValue
            && self.function.as_ref().is_some_and(|function| function.return_type.contains("impl "))
    }
}

/// All mutants of a package, in cargo-mutants' order; a mutant is known by its place here.
///
/// # Errors
/// Where cargo-mutants is not installed, or refuses.
pub fn list(workspace: &Path, package: &str) -> Result<Vec<Mutant>, String> {
    let listed = Command::new("cargo")
        .current_dir(workspace)
        .args(["mutants", "--list", "--json", "--package", package])
        .output();
    let output = listed.map_err(|error| format!("cargo cannot be started: {error}"))?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        return Err(format!("cargo mutants --list failed (cargo install cargo-mutants --locked has it):\n{told}"));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo mutants --list is not as expected: {error}"))
}

/// The numbers of the mutants of each file.
#[must_use]
pub fn by_file(mutants: &[Mutant]) -> BTreeMap<&str, Vec<usize>> {
    let mut files: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, mutant) in mutants.iter().enumerate() {
        files.entry(&mutant.file).or_default().push(number);
    }
    files
}
