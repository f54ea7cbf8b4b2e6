//! CSV that castbench wrote, and that somebody may have changed: sweeps and baselines by problem, the history, summaries of
//! measurements.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use algorithms::catalogue::Problem;
use harness::config::Config;
use harness::failure::{Code, Failure};
use harness::figures;
use harness::measure::record::SummaryRow;
use harness::measure::results::listed;
use harness::output::{csv_bytes, sha256};
use harness::record::manifest::FileEntry;
use harness::record::results::Sweep;
use harness::record::{columns, file_name};
use harness::regress::Comparison;
use harness::regress::costs::{Costs, OverBound};
use harness::regress::history;
use tempfile::TempDir;

use crate::promise::{kept, refused};

/// A directory for each kind of file, so that no reader takes the text for a file of another problem.
struct Places {
    root: TempDir,
}

impl Places {
    fn new() -> std::io::Result<Self> {
        let root = tempfile::tempdir()?;
        for problem in Problem::ALL {
            fs::create_dir(root.path().join(problem.slug()))?;
        }
        Ok(Self { root })
    }

    fn problem(&self, problem: Problem) -> PathBuf {
        self.root.path().join(problem.slug())
    }
}

fn write(path: &Path, contents: &[u8]) {
    fs::write(path, contents).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Reads the bytes as each file that castbench writes as CSV. Rows are the same when they are written and read again, costs
/// are equal to themselves, and one figure of the default configuration, by the number of bytes, is drawn of them or refused.
pub fn run(input: &[u8]) {
    let places = Places::new().unwrap_or_else(|error| panic!("no place for files: {error}"));
    for problem in Problem::ALL {
        let directory = places.problem(problem);
        let path = directory.join(file_name(problem));
        write(&path, input);
        costs(&directory, problem);
        if sweep(&directory, problem) {
            drawn(&directory, input.len());
        }
    }
    history(places.root.path(), input);
    summary(places.root.path(), input);
}

/// What `regress` and `compare` read.
fn costs(directory: &Path, problem: Problem) {
    let read = || Costs::read(directory, problem).map(Option::unwrap_or_default);
    let costs = match read() {
        Ok(costs) => costs,
        Err(failure) => return refused(&failure, &[Code::Output, Code::Incomparable], &[problem.slug()]),
    };
    let mut comparison = Comparison::default();
    comparison.add(&costs, &kept(read()), &BTreeSet::new());
    let comparison = comparison.sorted();
    assert!(comparison.changes.is_empty(), "costs differ from themselves");
    assert_eq!(comparison.word(), "equal");
    for points in costs.algorithms.values() {
        let over = OverBound::of(points);
        assert!(over.at_bound <= points.len() as u64);
        for point in points.keys() {
            assert_eq!(point.values().count(), costs.columns.len(), "{point:?} has other columns");
            assert!(!point.options(&costs.columns).contains('\u{1f}'));
        }
    }
}

/// What figures and the page read; whether it could be.
fn sweep(directory: &Path, problem: Problem) -> bool {
    let read = || Sweep::open(directory).and_then(|sweep| sweep.rows(problem, |_| true));
    let rows = match read() {
        Ok(rows) => rows,
        Err(failure) => {
            refused(&failure, &[Code::Output], &[problem.slug()]);
            return false;
        }
    };
    let written = kept(csv_bytes(&rows));
    if rows.is_empty() {
        return false;
    }
    let path = directory.join(file_name(problem));
    write(&path, &written);
    assert_eq!(kept(csv_bytes(&kept(read()))), written, "rows change when they are written and read");
    true
}

static DEFAULT: LazyLock<Config> = LazyLock::new(|| kept(Config::load(None)));

/// Draws one of the figures; to draw all takes long.
fn drawn(directory: &Path, number: usize) {
    let figure = &DEFAULT.figures[number % DEFAULT.figures.len()];
    match figures::drawn(&[figure], directory) {
        Ok(drawn) => assert!(drawn.iter().all(|(_, svg)| svg.contains("</svg>"))),
        // It has no rows of it, or rows that cannot be drawn.
        Err(failure) => refused(&failure, &[Code::Nothing, Code::Output], &[&directory.display().to_string()]),
    }
}

fn history(directory: &Path, input: &[u8]) {
    write(&history::path(directory), input);
    match history::read(directory) {
        Ok(rows) if rows.is_empty() => {}
        Ok(rows) => {
            write(&history::path(directory), &kept(csv_bytes(&rows)));
            assert_eq!(rows, kept(history::read(directory)), "the history changes when it is written and read");
            // A sweep without rows beside it, for figures are drawn beside one.
            let header = kept(columns(Problem::MeshGossip).map_err(|error| Failure::new(Code::Internal, error)));
            write(&directory.join(file_name(Problem::MeshGossip)), header.join(",").as_bytes());
            let number = DEFAULT.figures.iter().position(|figure| figure.is_history());
            drawn(directory, number.unwrap_or_else(|| panic!("no figure of the history")));
        }
        Err(failure) => refused(&failure, &[Code::Output], &["history.csv"]),
    }
}

fn summary(directory: &Path, input: &[u8]) {
    const FILE: &str = "summary.csv";
    let read = |contents: &[u8]| {
        write(&directory.join(FILE), contents);
        let sha256 = sha256(contents).unwrap_or_else(|error| panic!("{error}"));
        listed::<SummaryRow>(&[FileEntry { name: FILE.to_owned(), rows: 0, sha256 }], directory, FILE, "measure again")
    };
    match read(input) {
        Ok(rows) if rows.is_empty() => {}
        Ok(rows) => {
            let written = kept(csv_bytes(&rows));
            assert_eq!(kept(csv_bytes(&kept(read(&written)))), written, "measurements change when written and read");
        }
        Err(failure) => refused(&failure, &[Code::Output], &[FILE]),
    }
}
