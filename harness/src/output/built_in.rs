//! The configurations that the program contains.

use super::diagnostics::Source;

/// A built-in configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuiltIn {
    /// configs/default.toml.
    Default,
    /// configs/regress.toml.
    Regress,
    /// configs/measure.toml.
    Measure,
}

impl BuiltIn {
    const fn file(self) -> (&'static str, &'static str) {
        match self {
            Self::Default => (
                "configs/default.toml (built in)",
                include_str!("../../configs/default.toml"),
            ),
            Self::Regress => (
                "configs/regress.toml (built in)",
                include_str!("../../configs/regress.toml"),
            ),
            Self::Measure => (
                "configs/measure.toml (built in)",
                include_str!("../../configs/measure.toml"),
            ),
        }
    }

    /// The text of the document.
    pub fn text(self) -> &'static str {
        self.file().1
    }

    pub(crate) fn source(self) -> Source {
        let (name, text) = self.file();
        Source::built_in(name, text)
    }
}
