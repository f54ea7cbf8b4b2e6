//! No panic is reachable from the command line: thousands of random argument lists must end as documented.
//!
//! `CASTBENCH_SEED` and `CASTBENCH_LISTS` set the seed and the number of lists. `measure`, `calibrate`, `hosts` and
//! `trace-mpi` are only parsed, because they open ports, start processes and create network namespaces; their own tests
//! run them.

mod lists;
mod words;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use castbench::verbs::cli::Cli;
use clap::CommandFactory as _;

use crate::common::{castbench_in, copy_measurements, ends, with_small_config};
use lists::{List, Maker};

/// All exit codes but 1 and 5, which are bugs by definition.
const EXPECTED: [i32; 11] = [0, 2, 3, 4, 6, 7, 8, 9, 10, 11, 74];

/// Seconds of processor time; a list that takes more counts as hanging.
const MAX_SECONDS: u64 = 100;

/// KiB of address space, including that of threads. A failed allocation aborts.
const MAX_MEMORY: u64 = 6 << 20;

const PARSED_ONLY: [&str; 4] = ["measure", "calibrate", "hosts", "trace-mpi"];

/// The directory in which a list runs: `outer/work`, beside an empty home and an empty temporary directory.
struct Scratch {
    root: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Self {
        let scratch = Self {
            root: tempfile::tempdir().unwrap(),
        };
        let work = scratch.work();
        fs::create_dir_all(work.parent().unwrap()).unwrap();
        for directory in ["home", "tmp"] {
            fs::create_dir(scratch.root.path().join(directory)).unwrap();
        }
        let made = with_small_config();
        fs::rename(made.path(), &work).unwrap();
        // A configuration that is quick with any `--set`.
        let small = fs::read_to_string(work.join("small.toml")).unwrap();
        fs::write(
            work.join("small.toml"),
            small.replace("[limits]\n", "[limits]\nmost_points = 30000\n"),
        )
        .unwrap();
        fs::write(work.join("binary"), b"\x00\xff\xfe\x80rank \x00").unwrap();
        std::os::unix::fs::symlink("nowhere/at all", work.join("dangling")).unwrap();
        copy_measurements(&work.join("measured"));
        for line in [
            "sweep small.toml --out swept",
            "sweep small.toml --out shard-1 --shard 1/2",
            "sweep small.toml --out shard-2 --shard 2/2",
            "export goal optimal -L 6 -o 2 -g 4 -K 18 --out optimal.goal",
            "export goal summation-optimal -L 5 -o 2 -g 4 -P 7 --operands 82 --out sum.goal",
        ] {
            let output = castbench_in(&work, &line.split(' ').collect::<Vec<_>>());
            assert!(
                output.status.success(),
                "castbench {line}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        scratch
    }

    fn work(&self) -> PathBuf {
        self.root.path().join("outer/work")
    }

    /// An error if something was written outside `outer`.
    fn strays(&self) -> Option<String> {
        let names = |directory: &Path| -> BTreeSet<OsString> {
            fs::read_dir(directory)
                .unwrap()
                .map(|entry| entry.unwrap().file_name())
                .collect()
        };
        let root = self.root.path();
        let around = names(root) == ["home", "outer", "tmp"].map(OsString::from).into();
        let clean =
            around && names(&root.join("home")).is_empty() && names(&root.join("tmp")).is_empty();
        (!clean).then(|| {
            format!(
                "something was written beside the scratch directory {}",
                root.display()
            )
        })
    }

    /// The exit code of a list, none if it is only parsed; or an error if it does not end as documented.
    fn end(&self, list: &List) -> Result<Option<i32>, String> {
        let verb = list
            .arguments
            .first()
            .and_then(|verb| verb.to_str())
            .unwrap_or_default();
        if PARSED_ONLY.contains(&verb) {
            // A panic ends the test.
            let _ = Cli::command().try_get_matches_from(
                std::iter::once(&OsString::from("castbench")).chain(&list.arguments),
            );
            return Ok(None);
        }
        let (out, errors) = (
            self.root.path().join("outer/stdout"),
            self.root.path().join("outer/stderr"),
        );
        let limits = format!("ulimit -t {MAX_SECONDS}; ulimit -v {MAX_MEMORY}; exec \"$0\" \"$@\"");
        let mut child = Command::new("sh")
            .args(["-c", &limits, env!("CARGO_BIN_EXE_castbench")])
            .args(&list.arguments)
            .current_dir(self.work())
            .env("HOME", self.root.path().join("home"))
            .env("TMPDIR", self.root.path().join("tmp"))
            .env("RUST_BACKTRACE", "1")
            .envs(list.environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(fs::File::create(&out).unwrap())
            .stderr(fs::File::create(&errors).unwrap())
            .spawn()
            .unwrap();
        let ended = ends(&mut child);
        let status = child.wait().unwrap();
        if !ended {
            return Err("it hangs".to_owned());
        }
        let printed = String::from_utf8_lossy(&fs::read(&errors).unwrap()).into_owned();
        let explanation = |what: String| Err(format!("{what}; it printed\n{printed}"));
        match status.code() {
            None => explanation(format!("killed by signal {:?}", status.signal())),
            Some(_) if printed.contains("panicked") || printed.contains("RUST_BACKTRACE") => {
                explanation("it panicked".to_owned())
            }
            Some(code) if !EXPECTED.contains(&code) => explanation(format!("exit code {code}")),
            Some(code)
                if code != 0
                    && printed.trim().is_empty()
                    && fs::metadata(&out).unwrap().len() == 0 =>
            {
                explanation(format!("exit code {code} without a word"))
            }
            Some(code) => self.strays().map_or(Ok(Some(code)), Err),
        }
    }

    /// A shorter list that fails too.
    fn shrink(&self, mut list: List) -> List {
        let mut index = 0;
        while index < list.arguments.len() + list.environment.len() {
            let mut shorter = list.clone();
            if index < list.arguments.len() {
                shorter.arguments.remove(index);
            } else {
                shorter.environment.remove(index - list.arguments.len());
            }
            if self.end(&shorter).is_err() {
                list = shorter;
            } else {
                index += 1;
            }
        }
        list
    }
}

/// The list as a shell command.
fn line(list: &List) -> String {
    let quoted = |word: &str| format!("'{}'", word.replace('\'', "'\\''"));
    let environment = list
        .environment
        .iter()
        .map(|(name, value)| format!("{name}={}", quoted(value)));
    let arguments = list
        .arguments
        .iter()
        .map(|word| quoted(&word.to_string_lossy()));
    environment
        .chain(["castbench".to_owned()])
        .chain(arguments)
        .collect::<Vec<_>>()
        .join(" ")
}

fn number_of(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |value| value.parse().unwrap())
}

#[test]
fn every_list_of_arguments_ends_as_documented() {
    let (seed, lists) = (
        number_of("CASTBENCH_SEED", 1),
        number_of("CASTBENCH_LISTS", 2000),
    );
    let root = Cli::command();
    let threads = 2;
    let ended: Vec<Result<Option<i32>, String>> = std::thread::scope(|scope| {
        let work = |first: u64| {
            let (root, mut scratch, mut ended) = (&root, Scratch::new(), Vec::new());
            for (tried, number) in (first..lists).step_by(threads).enumerate() {
                // Lists see the files of earlier ones, but the directory is renewed from time to time.
                if tried % 500 == 499 {
                    scratch = Scratch::new();
                }
                let list = Maker::new(root, seed, number).list();
                let end = scratch.end(&list).map_err(|wrong| {
                    // Run again in a new directory, and shortened.
                    scratch = Scratch::new();
                    let short = scratch.shrink(list.clone());
                    scratch = Scratch::new();
                    let explanation = format!(
                        "list {number}: {}\n{wrong}\nat first:\n{}",
                        line(&short),
                        line(&list)
                    );
                    eprintln!("{explanation}\n");
                    explanation
                });
                ended.push(end);
            }
            ended
        };
        let workers: Vec<_> = (0..threads as u64)
            .map(|first| scope.spawn(move || work(first)))
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap())
            .collect()
    });
    let failures: Vec<&String> = ended.iter().filter_map(|end| end.as_ref().err()).collect();
    assert!(
        failures.is_empty(),
        "{} of {lists} lists:\n\n{failures:#?}",
        failures.len()
    );
    // If all lists were refused at once, the test would find nothing. A new verb or option shuffles them all, so that only a small
    // share is certain.
    let count = |code: i32| {
        ended
            .iter()
            .filter(|end| matches!(end, Ok(Some(found)) if *found == code))
            .count()
    };
    let tally: Vec<(i32, usize)> = EXPECTED.map(|code| (code, count(code))).into();
    println!("exit codes of {lists} lists: {tally:?}");
    assert!(
        count(0) * 50 > ended.len() && count(2) * 50 > ended.len(),
        "{tally:?}"
    );
}
