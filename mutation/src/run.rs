//! Which tests reach which mutants, and which of them notice.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::time::Instant;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::mutant::Mutant;

/// One test.
#[derive(Serialize, Deserialize)]
pub struct Test {
    executable: PathBuf,
    /// As its harness names it, behind the name of its executable.
    pub name: String,
    /// What it takes without a mutant, in seconds.
    pub seconds: f64,
    reached: BTreeSet<usize>,
}

impl Test {
    /// Whether it asked for this mutant while it was recorded.
    fn reaches(&self, number: usize) -> bool {
        self.reached.contains(&number)
    }
}

/// What became of a mutant.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// A test failed.
    Caught(String),
    /// A test took ten times as long as without the mutant, and five seconds.
    Hung(String),
    /// All tests that reach it passed: so many.
    Survived(usize),
    /// Tests that reach it passed until the time was up: so many of so many.
    Undecided(usize, usize),
    /// No test reaches it.
    Unreached,
    /// It does not compile.
    Unviable,
    /// It stands where nothing can be asked while the program runs.
    Unplaced,
}

impl Outcome {
    /// In a word, and by which test, or after how many.
    pub fn told(&self) -> (&'static str, String) {
        match self {
            Self::Caught(test) => ("caught", test.clone()),
            Self::Hung(test) => ("hung", test.clone()),
            Self::Survived(tests) => ("survived", format!("{tests} tests")),
            Self::Undecided(tried, of) => ("undecided", format!("{tried} of {of} tests")),
            Self::Unreached => ("unreached", String::new()),
            Self::Unviable => ("unviable", String::new()),
            Self::Unplaced => ("unplaced", String::new()),
        }
    }
}

/// Runs all tests once without a mutant and records what they reach, but for those of executables of which that was recorded.
///
/// # Errors
/// Where a test fails without a mutant.
pub fn reach(executables: &[PathBuf], directory: &Path, scratch: &Path) -> Result<Vec<Test>, String> {
    let kept = scratch.join("reached.json");
    let known = fs::read_to_string(&kept).ok().and_then(|text| serde_json::from_str::<Vec<Test>>(&text).ok());
    let is_newer = |executable: &PathBuf| {
        let modified = |path: &Path| fs::metadata(path).and_then(|of| of.modified()).ok();
        known.is_none() || modified(executable) > modified(&kept)
    };
    let (new, old): (Vec<&PathBuf>, Vec<&PathBuf>) = executables.iter().partition(|executable| is_newer(executable));
    let mut tests = Vec::new();
    for executable in new {
        let listed = Command::new(executable).args(["--list", "--format", "terse"]).current_dir(directory).output();
        let listed = listed.map_err(|error| format!("{}: {error}", executable.display()))?;
        for name in String::from_utf8_lossy(&listed.stdout).lines().filter_map(|line| line.strip_suffix(": test")) {
            tests.push((executable.clone(), name.to_owned()));
        }
    }
    eprintln!("{} tests to record", tests.len());
    let recorded = tests.into_par_iter().enumerate().map(|(number, (executable, name))| {
        let record = scratch.join(format!("reached-{number}"));
        let _ = fs::remove_file(&record);
        let run = |seconds: u32, variable: &str, value: &OsStr| {
            Command::new("timeout")
                .args(["--signal=KILL", &seconds.to_string()])
                .arg(&executable)
                .args(["--exact", &name, "--test-threads=1"])
                .current_dir(directory)
                .env(variable, value)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
        };
        // What was reached until then is what it reaches.
        if run(RECORDED, "MUTANT_REACHED", record.as_os_str()).is_ok_and(|status| !status.success() && !killed(status))
        {
            return Err(format!("{name} fails without a mutant"));
        }
        // Recording takes most of the time; here a mutant is on that there is not.
        let start = Instant::now();
        let status = run(TIMED, "MUTANT", OsStr::new("4000000000"));
        let seconds = start.elapsed().as_secs_f64();
        if !status.is_ok_and(|status| status.success()) {
            return Err(format!("{name} fails without a mutant, or takes more than {TIMED} seconds"));
        }
        let reached = fs::read_to_string(&record).unwrap_or_default();
        let reached = reached.lines().filter_map(|line| line.parse().ok()).collect();
        let stem = executable.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let stem = stem.rsplit_once('-').map_or(stem.clone(), |(stem, _)| stem.to_owned());
        Ok(Test { executable, name: format!("{stem}::{name}"), seconds, reached })
    });
    let mut recorded: Vec<Test> = recorded.collect::<Result<_, String>>()?;
    recorded.extend(known.unwrap_or_default().into_iter().filter(|test| old.contains(&&test.executable)));
    let text = serde_json::to_string(&recorded).map_err(|error| error.to_string())?;
    fs::write(&kept, text).map_err(|error| format!("{}: {error}", kept.display()))?;
    Ok(recorded)
}

/// Seconds for which it is recorded what a test reaches.
const RECORDED: u32 = 60;

/// Seconds after which a test is too long to be tried at all.
const TIMED: u32 = 300;

fn killed(status: ExitStatus) -> bool {
    status.code().is_none_or(|code| code == 137)
}

/// Tries mutants one by one, the tests that caught others of their file first.
pub struct Trial<'a> {
    /// All tests.
    pub tests: &'a [Test],
    /// All mutants.
    pub mutants: &'a [Mutant],
    /// Where the tests run.
    pub directory: &'a Path,
    /// For how many seconds of tests a mutant is tried.
    pub budget: f64,
    /// How many mutants of a file a test caught.
    pub caught: Mutex<BTreeMap<(usize, String), u32>>,
}

impl Trial<'_> {
    /// What becomes of a mutant.
    pub fn of(&self, number: usize) -> Outcome {
        let mut reaching: Vec<usize> = (0..self.tests.len()).filter(|test| self.tests[*test].reaches(number)).collect();
        if reaching.is_empty() {
            return Outcome::Unreached;
        }
        let file = &self.mutants[number].file;
        let weight = |test: usize| {
            let caught = self.caught.lock().expect("no panic").get(&(test, file.clone())).copied().unwrap_or(0);
            (self.tests[test].seconds + 0.005) / f64::from(1 + caught)
        };
        let weights: BTreeMap<usize, f64> = reaching.iter().map(|test| (*test, weight(*test))).collect();
        reaching.sort_by(|a, b| weights[a].total_cmp(&weights[b]));
        let mut spent = 0.0;
        for (tried, test) in reaching.iter().enumerate() {
            let Test { executable, name, seconds, .. } = &self.tests[*test];
            spent += seconds;
            if spent > self.budget {
                return Outcome::Undecided(tried, reaching.len());
            }
            let limit = format!("{:.1}", 10.0 * seconds + 5.0);
            let bare = name.split_once("::").map_or("", |(_, bare)| bare);
            let status = Command::new("timeout")
                .args(["--signal=KILL", &limit, "prlimit", "--as=3000000000"])
                .arg(executable)
                .args(["--exact", bare, "--test-threads=1"])
                .env("MUTANT", number.to_string())
                .env("PROPTEST_MAX_SHRINK_ITERS", "0")
                .current_dir(self.directory)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            let hung = status.as_ref().is_ok_and(|status| killed(*status));
            if !status.is_ok_and(|status| status.success()) {
                *self.caught.lock().expect("no panic").entry((*test, file.clone())).or_default() += 1;
                return if hung { Outcome::Hung(name.clone()) } else { Outcome::Caught(name.clone()) };
            }
        }
        Outcome::Survived(reaching.len())
    }
}
