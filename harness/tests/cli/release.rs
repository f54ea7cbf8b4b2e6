//! The packages: their files, licences, and the versions that several files state.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use super::supply::{published, root, text, toml_of};
use crate::common::stdout;

const LICENCES: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];

/// The files of a package, without those that cargo adds.
fn packaged(name: &str) -> BTreeSet<String> {
    let list = [
        "package",
        "--list",
        "--allow-dirty",
        "--offline",
        "--package",
        name,
    ];
    let output = Command::new(env!("CARGO"))
        .args(list)
        .current_dir(root())
        .output()
        .expect("cargo can be started");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let listed = String::from_utf8(output.stdout).unwrap();
    let added = [
        ".cargo_vcs_info.json",
        "Cargo.lock",
        "Cargo.toml",
        "Cargo.toml.orig",
    ];
    listed
        .lines()
        .map(|path| path.replace('\\', "/"))
        .filter(|path| !added.contains(&path.as_str()))
        .collect()
}

#[test]
fn packages_hold_source_and_licences_only() {
    for (_, member) in published() {
        let name = text(&member["package"]["name"]);
        let files = packaged(&name);
        let mut expected: BTreeSet<&str> = ["README.md"].into_iter().chain(LICENCES).collect();
        if name == "castbench" {
            // Files that are built into the program, and others.
            expected.extend([
                "configs/default.toml",
                "configs/machines/ethernet100-held.toml",
            ]);
        }
        let missing: Vec<_> = expected
            .iter()
            .filter(|path| !files.contains(**path))
            .collect();
        assert!(missing.is_empty(), "{name} lacks {missing:?}");
        let is_expected = |path: &str| {
            expected.contains(path)
                || path.starts_with("src/") && !path.contains("/snapshots/")
                || path.starts_with("configs/") && path.ends_with(".toml")
        };
        let others: Vec<_> = files.iter().filter(|path| !is_expected(path)).collect();
        assert!(others.is_empty(), "{name} has {others:?}");
    }
}

#[test]
fn packages_carry_both_licences() {
    for (member, _) in published() {
        for licence in LICENCES {
            let [own, common] =
                [root().join(&member).join(licence), root().join(licence)].map(fs::read);
            assert_eq!(own.unwrap(), common.unwrap(), "{member}/{licence}");
        }
    }
}

/// Files that cargo does not read also state the version and the oldest compiler.
#[test]
fn versions_agree() {
    let workspace = toml_of("Cargo.toml");
    let package = &workspace["workspace"]["package"];
    let (version, rust) = (text(&package["version"]), text(&package["rust-version"]));
    let shared = workspace["workspace"]["dependencies"].as_table().unwrap();
    for (key, own) in shared
        .iter()
        .filter(|(_, dependency)| dependency.get("path").is_some())
    {
        assert_eq!(text(&own["version"]), version, "the dependency {key}");
    }
    let recipe = "packaging/spack/package.py";
    let stated = [
        ("CITATION.cff", format!("\nversion: {version}\n")),
        (recipe, format!("version(\"{version}\"")),
        (recipe, format!("\"rust@{rust}:\"")),
    ];
    for (path, line) in stated {
        assert!(
            fs::read_to_string(root().join(path))
                .unwrap()
                .contains(&line),
            "{path} lacks {line:?}"
        );
    }
}

/// A commit changes the revision, and must compile only the binary again. A built library would have it in its code.
#[test]
fn the_binary_states_the_revision_and_the_library_does_not_know_it() {
    let printed = stdout(&["--version"]);
    let revision = printed
        .trim()
        .strip_prefix(concat!("castbench ", env!("CARGO_PKG_VERSION"), " ("))
        .unwrap();
    let revision = revision.strip_suffix(')').unwrap();
    let digits = revision.strip_suffix("-dirty").unwrap_or(revision);
    let is_digits = digits.len() == 12 && digits.chars().all(|digit| digit.is_ascii_hexdigit());
    assert!(is_digits || revision == "unknown", "{revision}");
    // The repository is known where the tests are in one.
    assert_eq!(is_digits, root().join(".git").exists(), "{revision}");
    assert_eq!(castbench::base::revision::revision(), "unknown");
}
