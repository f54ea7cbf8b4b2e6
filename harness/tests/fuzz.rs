//! Replays what fuzzing left behind through the functions that libFuzzer calls, without libFuzzer: the corpus, and each
//! input that once broke a promise. What the functions hold castbench to is in `harness/fuzz/src`; they panic.

use std::path::{Path, PathBuf};

use castbench::config::Config;
use castbench::config::diagnostics::Source;
use castbench::sweep::Part;
use fuzz::TARGETS;

/// The files of a directory, by name.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz")
}

/// The names of inputs are shown with `--nocapture`, so that one that hangs is known.
#[test]
fn corpus_and_regressions_are_replayed() {
    for (name, target) in TARGETS {
        for kind in ["corpus", "regressions"] {
            let inputs = files(&root().join(kind).join(name));
            assert!(kind == "regressions" || inputs.len() > 10, "{kind}/{name} is lost");
            for input in inputs {
                println!("{}", input.display());
                target(&std::fs::read(&input).unwrap());
            }
        }
    }
}

/// No input of a target that is gone lies about, and no target is without its program.
#[test]
fn every_directory_is_a_target() {
    let names: Vec<PathBuf> = TARGETS.iter().map(|(name, _)| PathBuf::from(name)).collect();
    for place in ["corpus", "regressions", "fuzz_targets"] {
        let found: Vec<PathBuf> =
            files(&root().join(place)).iter().map(|path| path.file_stem().unwrap().into()).collect();
        assert_eq!(found, names, "{place}");
    }
}

/// Each part once held a list of the grids before it: with 20 000 grids 1.6 GB, more than this test is given.
#[test]
fn many_grids_take_memory_in_proportion() {
    let grids = 20_000;
    let grid =
        |number| format!("[[grid]]\nname = 'g{number}'\nalgorithms = ['chain']\nL = 1\no = 1\ng = 1\nK = {number}\n");
    let text: String = std::iter::once("schema = 1\n".to_owned()).chain((1..=grids).map(grid)).collect();
    let config = Config::of(&Source::built_in("many.toml", &text)).unwrap();
    let parts = Part::all(&config).unwrap();
    assert_eq!(parts.iter().map(Part::cells).sum::<u64>(), grids);
}
