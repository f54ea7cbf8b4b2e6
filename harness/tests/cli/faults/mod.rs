//! Faults: kills, missing resources and obstacles. `table.rs` states for each what happens and names its tests;
//! docs/reference/faults.md shows that table.
#![cfg(unix)]

mod clock;
mod disk;
mod killed;
mod killed_at_calls;
mod paths;
mod strangers;
mod streams;
mod surroundings;
pub mod table;
mod twice;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::castbench;

/// The content of a directory by path: the bytes of a file, none for a directory.
pub type Tree = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// Reads a directory, without the first column of a history: the date may change while tests run.
pub fn tree(directory: &Path) -> Tree {
    fn read(directory: &Path, inside: &Path, tree: &mut Tree) {
        for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
            let (path, name) = (entry.path(), inside.join(entry.file_name()));
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                read(&path, &name, tree);
                tree.insert(name, None);
            } else if kind.is_symlink() && !path.is_file() {
                // A link to a directory or to nothing: its target.
                tree.insert(
                    name,
                    Some(
                        fs::read_link(&path)
                            .unwrap()
                            .into_os_string()
                            .into_encoded_bytes(),
                    ),
                );
            } else {
                let bytes = fs::read(&path).unwrap();
                let is_history = name.ends_with("history.csv");
                tree.insert(
                    name,
                    Some(if is_history {
                        without_days(&bytes)
                    } else {
                        bytes
                    }),
                );
            }
        }
    }
    let mut tree = Tree::new();
    read(directory, Path::new(""), &mut tree);
    tree
}

fn without_days(history: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(history);
    let lines = text
        .lines()
        .map(|line| line.split_once(',').map_or("", |(_, rest)| rest));
    lines.collect::<Vec<_>>().join("\n").into_bytes()
}

/// No differences.
pub const NONE: [&Path; 0] = [];

/// Copies a directory, with its dates.
pub fn copy(from: &Path, to: &Path) {
    let status = Command::new("cp")
        .arg("-a")
        .arg(from)
        .arg(to)
        .status()
        .unwrap();
    assert!(status.success());
}

/// Paths whose files differ between two trees or are in one only.
pub fn differences<'a>(a: &'a Tree, b: &'a Tree) -> Vec<&'a Path> {
    let mut paths: Vec<&Path> = a.keys().chain(b.keys()).map(PathBuf::as_path).collect();
    paths.sort();
    paths.dedup();
    paths.retain(|path| a.get(*path) != b.get(*path));
    paths
}

pub fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// `castbench` in a directory, with its temporary files in `tmp` there if that exists.
pub fn program(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = castbench(arguments);
    command
        .current_dir(directory)
        .env("TMPDIR", directory.join("tmp"));
    command
}

/// Runs it and checks that it succeeded.
pub fn succeed(directory: &Path, arguments: &[&str]) -> Output {
    let output = program(directory, arguments).output().unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        errors(&output)
    );
    output
}

/// Grids and figures of these tests: several files, little work.
pub const CONFIG: &str = r#"
schema = 1
[limits]
simulate_up_to_nodes = 30
[[grid]]
name = "trees"
L = [1, 5]
o = 2
g = [1, 4]
K = { from = 1, to = 30 }
[[grid]]
name = "gossip"
n = { from = 1, to = 6 }
[[figures.lines]]
file = "over-optimum.svg"
title = "trees"
x = "K"
over = "optimal"
algorithms = ["halving", "fibonacci", "flat", "chain"]
at = { L = 5, o = 2, g = 4 }
[[figures.winners]]
file = "winners.svg"
title = "who wins"
x = "K"
y = "g"
algorithms = ["halving", "fibonacci", "flat", "chain"]
at = { L = 5, o = 2 }
"#;

/// A quick measurement.
pub const MEASURED: &str = r#"
schema = 1
repetitions = 3
[[measurement]]
name = "a"
algorithms = ["halving"]
K = [2]
bytes = ["1kB"]
machine = "ethernet100-switched"
"#;

/// A verb that publishes several files, and how to test it.
pub struct Publication {
    /// For messages.
    pub name: &'static str,
    /// Prepares an empty directory.
    prepare: fn(&Path),
    /// The command that is disturbed.
    pub arguments: &'static [&'static str],
    /// The command after it.
    pub again: &'static [&'static str],
    /// A verb that reads the files, and its advice if they are not from one run.
    reader: (&'static [&'static str], &'static str),
}

const READ_SWEEP: (&[&str], &str) = (
    &["regress", "--against", "reports", "--from", "reports"],
    "sweep again",
);

fn with_config(directory: &Path) {
    fs::write(directory.join("c.toml"), CONFIG).unwrap();
    fs::create_dir(directory.join("tmp")).unwrap();
}

/// An old sweep of other points with one more file than the new one.
fn with_sweep(directory: &Path) {
    with_config(directory);
    succeed(
        directory,
        &[
            "sweep",
            "c.toml",
            "--set",
            "gossip.n=2",
            "--set",
            "trees.K=3..9",
        ],
    );
}

pub const SWEEP: Publication = Publication {
    name: "sweep",
    prepare: with_sweep,
    arguments: &["sweep", "c.toml", "--jobs", "2", "--checkpoint", "0"],
    again: &["sweep", "c.toml", "--resume"],
    reader: READ_SWEEP,
};

pub const MERGE: Publication = Publication {
    name: "merge",
    prepare: |directory| {
        with_sweep(directory);
        for shard in ["1/2", "2/2"] {
            let out = format!("shard-{}", &shard[..1]);
            succeed(
                directory,
                &["sweep", "c.toml", "--shard", shard, "--out", &out],
            );
        }
    },
    arguments: &["merge", "shard-1", "shard-2"],
    again: &["merge", "shard-1", "shard-2"],
    reader: READ_SWEEP,
};

pub const FIGURES: Publication = Publication {
    name: "figures",
    prepare: |directory| {
        with_config(directory);
        succeed(directory, &["run", "c.toml", "--set", "trees.K=3..9"]);
        succeed(directory, &["sweep", "c.toml"]);
    },
    arguments: &["figures", "c.toml"],
    again: &["figures", "c.toml"],
    reader: (
        &["report", "--config", "c.toml", "--out", "tmp/page"],
        "draw it again",
    ),
};

pub const ACCEPT: Publication = Publication {
    name: "regress accept",
    prepare: |directory| {
        with_config(directory);
        // Small: each of hundreds of acceptances evaluates it twice.
        let config = CONFIG.replace("to = 30 }", "to = 12 }");
        fs::write(directory.join("c.toml"), &config).unwrap();
        let small = config
            .replace("to = 12 }", "to = 9 }")
            .replace("[limits]\n", "");
        fs::write(
            directory.join("small.toml"),
            small.replace("simulate_up_to_nodes = 30\n", ""),
        )
        .unwrap();
        succeed(
            directory,
            &[
                "regress",
                "--config",
                "small.toml",
                "accept",
                "--reason",
                "the first",
            ],
        );
    },
    arguments: &[
        "regress",
        "--config",
        "c.toml",
        "accept",
        "--reason",
        "the second",
    ],
    again: &[
        "regress",
        "--config",
        "c.toml",
        "accept",
        "--reason",
        "the second",
    ],
    reader: (
        &["regress", "--config", "c.toml"],
        "accept the current costs as the baseline: castbench regress accept",
    ),
};

pub const PUBLICATIONS: [&Publication; 4] = [&SWEEP, &MERGE, &FIGURES, &ACCEPT];

/// An undisturbed publication for comparison.
pub struct Undisturbed {
    pub scratch: tempfile::TempDir,
    pub old: Tree,
    pub new: Tree,
    reader: (&'static [&'static str], &'static str),
}

impl Undisturbed {
    pub fn new(publication: &Publication) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let (old, new) = (scratch.path().join("old"), scratch.path().join("new"));
        fs::create_dir(&old).unwrap();
        (publication.prepare)(&old);
        copy(&old, &new);
        succeed(&new, publication.arguments);
        let (old, new) = (tree(&old), tree(&new));
        assert!(
            differences(&old, &new).len() >= 2,
            "{}: too little changes",
            publication.name
        );
        Self {
            scratch,
            old,
            new,
            reader: publication.reader,
        }
    }

    /// Restores the state before the publication.
    pub fn restore(&self) -> PathBuf {
        let work = self.scratch.path().join("work");
        if work.exists() {
            fs::remove_dir_all(&work).unwrap();
        }
        copy(&self.scratch.path().join("old"), &work);
        work
    }

    /// The promise of `docs/reference/faults.md`: each file is old or new and whole, and either all are from one run or
    /// a reader refuses them with advice. Only the history may be new alone, because it is written first.
    pub fn check(&self, work: &Path, when: &str) {
        let found = tree(work);
        let is_hidden = |path: &Path| {
            path.components()
                .any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."))
        };
        let is_seen = |path: &&Path| !is_hidden(path) && !path.starts_with("tmp");
        let (from_old, from_new) = (
            differences(&found, &self.old),
            differences(&found, &self.new),
        );
        let [from_old, from_new] =
            [from_old, from_new].map(|paths| paths.into_iter().filter(is_seen).collect::<Vec<_>>());
        for path in &from_old {
            assert!(
                !from_new.contains(path),
                "{when}: {} is neither old nor new",
                path.display()
            );
        }
        let is_mixed =
            from_old.iter().any(|path| !path.ends_with("history.csv")) && !from_new.is_empty();
        if is_mixed {
            let (arguments, advice) = self.reader;
            let output = program(work, arguments).output().unwrap();
            let explanation = errors(&output);
            assert_eq!(
                output.status.code(),
                Some(74),
                "{when}: new {from_old:?}, old {from_new:?}: {explanation}"
            );
            assert!(explanation.contains(advice), "{when}: {explanation}");
        }
    }
}
