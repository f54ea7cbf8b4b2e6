//! A copy of the workspace with the mutants in it, built.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::mutant::{self, Mutant};
use crate::weave;

/// The copy, and which mutants are not in it.
pub struct Tree {
    /// The copy of the workspace.
    pub root: PathBuf,
    /// Where cargo builds it.
    pub target: PathBuf,
    /// The mutated package.
    pub package: String,
    /// Mutants with which it does not compile.
    pub unviable: BTreeSet<usize>,
    /// Mutants that stand where nothing can be asked while the program runs, as in constants.
    pub unplaced: BTreeSet<usize>,
}

impl Tree {
    /// Copies what git knows of a workspace, weaves the mutants into the package and leaves out, again and again, those
    /// that do not compile.
    ///
    /// # Errors
    /// Where a file cannot be copied, or the package does not compile for another reason than a mutant.
    pub fn with_all(workspace: &Path, package: &str, mutants: &[Mutant], scratch: &Path) -> Result<Self, String> {
        let root = scratch.join("tree");
        copy(workspace, &root, package, mutants)?;
        // Whoever asks for the same mutants once more finds them built.
        let names: Vec<&str> = mutants.iter().map(|mutant| mutant.name.as_str()).collect();
        let kept = scratch.join("unviable.json");
        let known = fs::read_to_string(&kept).ok().and_then(|text| serde_json::from_str(&text).ok());
        let known: Option<(Vec<String>, BTreeSet<usize>)> = known;
        let unviable = known.filter(|known| known.0 == names).map(|known| known.1).unwrap_or_default();
        let unplaced = BTreeSet::new();
        let mut tree = Self { root, target: scratch.join("target"), package: package.to_owned(), unviable, unplaced };
        for round in 1.. {
            tree.weave(workspace, mutants)?;
            let failing = tree.failing()?;
            eprintln!("round {round}: {} mutants do not compile", failing.len());
            if failing.is_empty() {
                break;
            }
            tree.unviable.extend(failing);
        }
        let text = serde_json::to_string(&(names, &tree.unviable)).map_err(|error| error.to_string())?;
        write(&kept, text.as_bytes())?;
        Ok(tree)
    }

    fn weave(&mut self, workspace: &Path, mutants: &[Mutant]) -> Result<(), String> {
        for (file, numbers) in mutant::by_file(mutants) {
            let text = fs::read_to_string(workspace.join(file)).map_err(|error| format!("{file}: {error}"))?;
            let viable = numbers.into_iter().filter(|number| !self.unviable.contains(number));
            let viable: Vec<(usize, &Mutant)> = viable.map(|number| (number, &mutants[number])).collect();
            let (woven, missing) = weave::weave(&text, &viable).map_err(|error| format!("{file}: {error}"))?;
            self.unplaced.extend(missing);
            write(&self.root.join(file), woven.as_bytes())?;
        }
        let library = self.root.join(&self.package).join("src/lib.rs");
        let text = fs::read_to_string(workspace.join(&self.package).join("src/lib.rs"));
        let text = text.map_err(|error| format!("{}: {error}", library.display()))?;
        write(&library, (text + weave::SWITCH).as_bytes())
    }

    /// The mutants in whose branches the compiler finds errors.
    fn failing(&self) -> Result<BTreeSet<usize>, String> {
        let mut failing = BTreeSet::new();
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        let messages = self.cargo(&["check", "--locked", "--package", &self.package])?;
        for message in messages.iter().map(|message| &message["message"]).filter(|message| message["level"] == "error")
        {
            let spans = message["spans"].as_array().into_iter().flatten();
            for span in spans.filter(|span| span["is_primary"] == true) {
                let file = span["file_name"].as_str().unwrap_or_default();
                let text = files
                    .entry(file.to_owned())
                    .or_insert_with(|| fs::read_to_string(self.root.join(file)).unwrap_or_default());
                let byte = span["byte_start"].as_u64().and_then(|byte| usize::try_from(byte).ok()).unwrap_or(0);
                match weave::mutant_at(text, byte) {
                    Some(number) => failing.insert(number),
                    None => return Err(message["rendered"].as_str().unwrap_or("an error without text").to_owned()),
                };
            }
        }
        Ok(failing)
    }

    /// The executables of the package's tests.
    ///
    /// # Errors
    /// Where they do not build.
    pub fn tests(&self) -> Result<Vec<PathBuf>, String> {
        let messages = self.cargo(&["test", "--release", "--locked", "--no-run", "--package", &self.package])?;
        let made = messages.iter().filter(|message| message["profile"]["test"] == true);
        let tests: Vec<PathBuf> = made.filter_map(|made| made["executable"].as_str().map(PathBuf::from)).collect();
        if tests.is_empty() { Err("the tests do not build".to_owned()) } else { Ok(tests) }
    }

    fn cargo(&self, arguments: &[&str]) -> Result<Vec<Value>, String> {
        let output = Command::new("cargo")
            .args(arguments)
            .args(["--message-format=json", "--quiet"])
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", &self.target)
            .stderr(Stdio::null())
            .output()
            .map_err(|error| format!("cargo cannot be started: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }
}

/// Writes what is not there already: cargo builds anew what was written anew.
fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if fs::read(path).is_ok_and(|known| known == bytes) {
        return Ok(());
    }
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| fs::write(path, bytes)).map_err(|error| format!("{}: {error}", path.display()))
}

/// Copies what git knows but for what mutants are woven into.
fn copy(workspace: &Path, to: &Path, package: &str, mutants: &[Mutant]) -> Result<(), String> {
    let woven = mutant::by_file(mutants);
    let output = Command::new("git").args(["ls-files", "-z"]).current_dir(workspace).output();
    let output = output.map_err(|error| format!("git cannot be started: {error}"))?;
    let names = String::from_utf8_lossy(&output.stdout);
    let root = format!("{package}/src/lib.rs");
    let plain = |name: &&str| !name.is_empty() && !woven.contains_key(name) && *name != root;
    for name in names.split('\0').filter(plain).filter(|name| workspace.join(name).is_file()) {
        let target = to.join(name);
        write(&target, &fs::read(workspace.join(name)).map_err(|error| format!("{name}: {error}"))?)?;
    }
    Ok(())
}
