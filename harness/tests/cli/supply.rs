//! The libraries of castbench: the committed list matches `Cargo.lock`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A package of the lock file by name and version: its checksum and dependencies.
type Locked = BTreeMap<(String, String), (Option<String>, Vec<(String, String)>)>;

pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

pub fn toml_of(path: &str) -> toml::Table {
    fs::read_to_string(root().join(path))
        .unwrap()
        .parse()
        .unwrap()
}

pub fn text(value: &toml::Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// `Cargo.lock`. It has the version of a dependency only if there are several.
fn locked() -> Locked {
    let lock = toml_of("Cargo.lock");
    let packages = lock["package"].as_array().unwrap();
    let id = |package: &toml::Value| (text(&package["name"]), text(&package["version"]));
    let known: Vec<(String, String)> = packages.iter().map(id).collect();
    let named = |dependency: &toml::Value| {
        let mut words = dependency.as_str().unwrap().split(' ');
        let (name, version) = (words.next().unwrap(), words.next());
        let of = |package: &&(String, String)| {
            package.0 == name && version.is_none_or(|version| package.1 == version)
        };
        known.iter().find(of).unwrap().clone()
    };
    let described = packages.iter().map(|package| {
        let dependencies = package.get("dependencies").and_then(toml::Value::as_array);
        let dependencies = dependencies.into_iter().flatten().map(named).collect();
        (
            id(package),
            (package.get("checksum").map(text), dependencies),
        )
    });
    described.collect()
}

/// The packages that are published: the directory of each, and its `Cargo.toml`.
pub fn published() -> Vec<(String, toml::Table)> {
    members("default-members")
}

/// The packages of a list of the workspace.
fn members(list: &str) -> Vec<(String, toml::Table)> {
    let workspace = toml_of("Cargo.toml");
    let members = workspace["workspace"][list]
        .as_array()
        .unwrap()
        .iter()
        .map(text);
    // One member is a glob, see Cargo.toml.
    let members = members.map(|member| member.trim_end_matches('*').to_owned());
    members
        .map(|member| (member.clone(), toml_of(&format!("{member}/Cargo.toml"))))
        .collect()
}

/// The package of a dependency, which the workspace may rename.
fn package_of(key: &str, workspace: &toml::Table) -> String {
    let shared = &workspace["workspace"]["dependencies"][key];
    shared.get("package").map_or_else(|| key.to_owned(), text)
}

/// The packages in the binary. The lock file includes dev-dependencies of our crates; these are removed.
fn built_of(locked: &Locked) -> BTreeSet<(String, String)> {
    let mut open: Vec<(String, String)> = locked
        .keys()
        .filter(|(name, _)| name == "castbench")
        .cloned()
        .collect();
    let mut met = BTreeSet::new();
    let (members, workspace) = (published(), toml_of("Cargo.toml"));
    while let Some(package) = open.pop() {
        let (checksum, dependencies) = &locked[&package];
        let named =
            |(_, member): &&(String, toml::Table)| text(&member["package"]["name"]) == package.0;
        let ours = checksum
            .is_none()
            .then(|| &members.iter().find(named).unwrap().1);
        let counts = |name: &str| {
            let has = |table: &toml::Table| {
                table["dependencies"]
                    .as_table()
                    .unwrap()
                    .keys()
                    .any(|key| package_of(key, &workspace) == name)
            };
            ours.is_none_or(|ours| {
                let targets = ours
                    .get("target")
                    .and_then(toml::Value::as_table)
                    .into_iter()
                    .flat_map(toml::Table::values);
                has(ours) || targets.filter_map(toml::Value::as_table).any(has)
            })
        };
        for dependency in dependencies.iter().filter(|(name, _)| counts(name)) {
            if met.insert(dependency.clone()) {
                open.push(dependency.clone());
            }
        }
    }
    met
}

#[test]
fn the_bill_of_materials_is_the_one_of_the_lock_file() {
    let locked = locked();
    let expected: BTreeMap<(String, String), Option<String>> = built_of(&locked)
        .into_iter()
        .map(|package| (package.clone(), locked[&package].0.clone()))
        .collect();
    let bill = fs::read_to_string(root().join("reports/sbom.cdx.json")).unwrap();
    let bill: serde_json::Value = serde_json::from_str(&bill).unwrap();
    let components = bill["components"]
        .as_array()
        .unwrap()
        .iter()
        .map(|component| {
            let word = |key: &str| component[key].as_str().unwrap().to_owned();
            let checksum = component["hashes"][0]["content"]
                .as_str()
                .map(str::to_owned);
            ((word("name"), word("version")), checksum)
        });
    let listed: BTreeMap<(String, String), Option<String>> = components.collect();
    assert_eq!(listed, expected, "`just sbom` writes it anew");
    for component in bill["components"].as_array().unwrap() {
        let ours = component["hashes"].is_null();
        assert!(
            ours || component["licenses"][0]["expression"].is_string(),
            "{} states no licence",
            component["name"]
        );
    }
}

/// `unsafe` is denied for the whole workspace, no package opts out, and one file is excepted: it calls MPI.
#[test]
fn one_file_has_unsafe_code() {
    let workspace = toml_of("Cargo.toml");
    assert_eq!(
        workspace["workspace"]["lints"]["rust"]["unsafe_code"].as_str(),
        Some("deny")
    );
    for (member, package) in members("members") {
        assert_eq!(
            package["lints"]["workspace"].as_bool(),
            Some(true),
            "{member} takes the lints of the workspace"
        );
    }
    let mut excepted = Vec::new();
    let mut open: Vec<_> = ["algorithms", "harness", "python"]
        .map(|at| root().join(at))
        .into();
    while let Some(path) = open.pop() {
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            open.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if path.extension().is_some_and(|end| end == "rs")
            && fs::read_to_string(&path).unwrap().contains("unsafe_code")
        {
            excepted.push(path.strip_prefix(root()).unwrap().to_owned());
        }
    }
    excepted.retain(|path| !path.starts_with("harness/tests") && !path.starts_with("harness/fuzz"));
    assert_eq!(excepted, [Path::new("harness/measure/src/mpi/calls.rs")]);
}

/// Every Python package of the gate has digests, and nothing installs from a registry without them.
#[test]
fn the_gate_installs_python_packages_by_digest() {
    let read = |path: &str| {
        fs::read_to_string(root().join(path))
            .unwrap()
            .replace("\\\n", "")
    };
    let list = read(".ci/requirements.txt");
    let packages: Vec<&str> = list
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    assert!(packages.len() > 20);
    for package in packages {
        let (pinned, digests) = package
            .split_once(" --hash=sha256:")
            .unwrap_or((package, ""));
        assert!(pinned.contains("==") && digests.len() >= 64, "{package}");
    }
    for path in [".ci/run", "justfile", "CONTRIBUTING.md"] {
        let text = read(path);
        let installs = text.lines().filter(|line| {
            line.contains("pip") && line.contains("install ") && !line.contains("./python")
        });
        for line in installs
            .filter(|line| !line.contains("apt-get") && !line.contains("--no-deps target/wheels"))
        {
            let is_checked = line.contains("--require-hashes --no-deps --only-binary :all:")
                || line.contains("--no-index");
            assert!(is_checked, "{path}: {line}");
        }
    }
}

#[test]
fn every_exception_for_a_dependency_has_a_reason() {
    let rules = toml_of("deny.toml");
    for (table, list) in [("bans", "skip"), ("advisories", "ignore")] {
        for exception in rules[table][list].as_array().unwrap() {
            assert!(
                exception
                    .get("reason")
                    .is_some_and(|reason| !text(reason).is_empty()),
                "{table}: {exception}"
            );
        }
    }
}
