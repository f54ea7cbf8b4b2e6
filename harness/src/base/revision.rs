//! The revision from which the program is built. The binary states it when it starts: a commit must not compile this library again.

use std::sync::OnceLock;

static REVISION: OnceLock<&str> = OnceLock::new();

/// States the revision; the first call counts.
pub fn set(revision: &'static str) {
    REVISION.get_or_init(|| revision);
}

/// The stated revision, or `unknown`.
pub fn revision() -> &'static str {
    REVISION.get().copied().unwrap_or("unknown")
}

/// The version and the revision, as in `0.1.0 (26b5dd9b3a4c)`.
pub fn build() -> &'static str {
    static BUILD: OnceLock<String> = OnceLock::new();
    BUILD.get_or_init(|| format!("{} ({})", env!("CARGO_PKG_VERSION"), revision()))
}
