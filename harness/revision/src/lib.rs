//! The revision of the code. A build script would compile the whole package again after each commit; this macro only
//! compiles the small crate that uses it.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use proc_macro::TokenStream;

/// The record that `cargo package` leaves in a package: the commit, and whether the tree was dirty.
const PACKAGED: &str = ".cargo_vcs_info.json";

/// The git revision of the package that is compiled, as text: 12 digits, `-dirty` with uncommitted changes, or `unknown`.
#[proc_macro]
pub fn revision(_: TokenStream) -> TokenStream {
    let directory = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let directory = Path::new(&directory);
    let git = |arguments: &[&str]| git(directory, arguments);
    let (revision, log) = match fs::read_to_string(directory.join(PACKAGED)) {
        // Git would describe the repository that contains the registry's copy.
        Ok(record) => (packaged(&record), None),
        // A source archive may lie in another repository, which does not track this file.
        Err(_) => match git(&["ls-files", "Cargo.toml"]) {
            None => (None, None),
            Some(_) => {
                let described = git(&[
                    "describe",
                    "--always",
                    "--dirty",
                    "--abbrev=12",
                    "--exclude=*",
                ]);
                // A commit appends to the log of HEAD; a checkout does too. A change of an included file compiles again.
                let log =
                    git(&["rev-parse", "--absolute-git-dir"]).map(|git| format!("{git}/logs/HEAD"));
                (described, log.filter(|log| Path::new(log).exists()))
            }
        },
    };
    let revision = revision.as_deref().unwrap_or("unknown");
    let watched = log.map(|log| format!("const _: &[u8] = ::core::include_bytes!({log:?});"));
    let expression = format!("{{ {} {revision:?} }}", watched.unwrap_or_default());
    expression.parse().unwrap_or_default()
}

fn git(directory: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(directory)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
}

fn packaged(record: &str) -> Option<String> {
    let digits = record
        .split("\"sha1\"")
        .nth(1)?
        .split('"')
        .nth(1)?
        .get(..12)?;
    let dirty = if record.contains("\"dirty\": true") {
        "-dirty"
    } else {
        ""
    };
    Some(format!("{digits}{dirty}"))
}
