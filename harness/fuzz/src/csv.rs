//! CSV files of castbench, possibly edited: sweeps and baselines by problem, the history, summaries of measurements.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use algorithms::catalogue::PROBLEMS;
use algorithms::problem::Problem;
use castbench::base::failure::Code;
use castbench::config::Config;
use castbench::draw::chart::PageFit;
use castbench::figures::{self, Spec};
use castbench::output::sha256;
use castbench::print::column::{self, Tabled as _};
use castbench::print::listed;
use castbench::record::history::{self, HistoryRow};
use castbench::record::manifest::FileEntry;
use castbench::record::measurement::SummaryRow;
use castbench::record::results::Sweep;
use castbench::record::row::{self, header};
use castbench::record::{Row, file_name};
use castbench::regress::Comparison;
use castbench::regress::costs::{Costs, OverBound};
use tempfile::TempDir;

use crate::promise::{kept, refused};

/// A directory for each kind of file, so that no reader takes the text as a file of another problem.
struct Directories {
    root: TempDir,
}

impl Directories {
    fn new() -> std::io::Result<Self> {
        let root = tempfile::tempdir()?;
        for problem in PROBLEMS {
            fs::create_dir(root.path().join(problem.name))?;
        }
        Ok(Self { root })
    }

    fn problem(&self, problem: &Problem) -> PathBuf {
        self.root.path().join(problem.name)
    }
}

fn write(path: &Path, contents: &[u8]) {
    fs::write(path, contents).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Reads the bytes as each CSV file of castbench. Rows written and read again are equal, costs equal themselves, and
/// one figure of the default configuration is drawn or refused.
pub fn run(input: &[u8]) {
    let directories =
        Directories::new().unwrap_or_else(|error| panic!("no directory for files: {error}"));
    for problem in PROBLEMS {
        let directory = directories.problem(problem);
        let path = directory.join(file_name(problem));
        write(&path, input);
        costs(&directory, problem);
        if sweep(&directory, problem) {
            drawn(&directory, input.len());
        }
    }
    history(directories.root.path(), input);
    summary(directories.root.path(), input);
}

/// The readers of `regress` and `compare`.
fn costs(directory: &Path, problem: &'static Problem) {
    let read = || Costs::read(directory, problem).map(Option::unwrap_or_default);
    let costs = match read() {
        Ok(costs) => costs,
        Err(failure) => {
            return refused(
                &failure,
                &[Code::Output, Code::Incomparable],
                &[problem.name],
            );
        }
    };
    let mut comparison = Comparison::default();
    comparison.add(&costs, &kept(read()), &BTreeSet::new());
    let comparison = comparison.sorted();
    assert!(
        comparison.changes.is_empty(),
        "costs differ from themselves"
    );
    assert_eq!(comparison.word(), "equal");
    for points in costs.algorithms.values() {
        let over = OverBound::new(points);
        assert!(over.at_bound <= points.len() as u64);
        for point in points.keys() {
            let options = point.options(problem);
            assert!(options.is_empty() || options.starts_with('-'), "{options}");
        }
    }
}

/// The readers of figures and the page; whether they accept the file.
fn sweep(directory: &Path, problem: &'static Problem) -> bool {
    let read = || Sweep::open(directory).and_then(|sweep| sweep.rows(problem, |_| true));
    let rows = match read() {
        Ok(rows) => rows,
        Err(failure) => {
            refused(&failure, &[Code::Output], &[problem.name]);
            return false;
        }
    };
    if rows.is_empty() {
        return false;
    }
    let written = written(problem, &rows);
    let path = directory.join(file_name(problem));
    write(&path, &written);
    assert_eq!(
        self::written(problem, &kept(read())),
        written,
        "rows change when they are written and read"
    );
    true
}

/// The file with these rows.
fn written(problem: &Problem, rows: &[Row]) -> Vec<u8> {
    kept(column::csv(&row::columns(problem), rows))
}

static DEFAULT: LazyLock<Vec<Spec>> =
    LazyLock::new(|| kept(Config::load(None).and_then(|config| figures::of(&config))));

/// Draws one of the figures, because all take long.
fn drawn(directory: &Path, number: usize) {
    let figure = &DEFAULT[number % DEFAULT.len()];
    let sweep = Sweep::open(directory);
    match sweep.and_then(|sweep| figures::drawn(&[figure], &sweep, &PageFit::default())) {
        Ok(drawn) => assert!(drawn.iter().all(|(_, picture)| {
            picture
                .as_ref()
                .is_ok_and(|picture| picture.svg.contains("</svg>"))
        })),
        // There are no rows of the figure, or rows that cannot be drawn.
        Err(failure) => refused(
            &failure,
            &[Code::Nothing, Code::Output],
            &[&directory.display().to_string()],
        ),
    }
}

fn history(directory: &Path, input: &[u8]) {
    write(&history::path(directory), input);
    match history::read(directory) {
        Ok(rows) if rows.is_empty() => {}
        Ok(rows) => {
            write(
                &history::path(directory),
                &kept(column::csv(&HistoryRow::columns(), &rows)),
            );
            // Writing changes formulas to texts, once.
            let rows = kept(history::read(directory));
            write(
                &history::path(directory),
                &kept(column::csv(&HistoryRow::columns(), &rows)),
            );
            assert_eq!(
                rows,
                kept(history::read(directory)),
                "the history changes when it is written and read"
            );
            // An empty sweep, because figures need one.
            let problem = &PROBLEMS[0];
            write(
                &directory.join(file_name(problem)),
                header(problem).join(",").as_bytes(),
            );
            let number = DEFAULT.iter().position(|figure| figure.is_history());
            drawn(
                directory,
                number.unwrap_or_else(|| panic!("no figure of the history")),
            );
        }
        Err(failure) => refused(&failure, &[Code::Output], &["history.csv"]),
    }
}

fn summary(directory: &Path, input: &[u8]) {
    const FILE: &str = "summary.csv";
    let read = |contents: &[u8]| {
        write(&directory.join(FILE), contents);
        let sha256 = sha256(contents).unwrap_or_else(|error| panic!("{error}"));
        listed::rows::<SummaryRow>(
            &[FileEntry {
                name: FILE.to_owned(),
                rows: 0,
                sha256,
            }],
            directory,
            FILE,
            "measure again",
        )
    };
    match read(input) {
        Ok(rows) if rows.is_empty() => {}
        Ok(rows) => {
            let written = |rows: &[SummaryRow]| kept(column::csv(&SummaryRow::columns(), rows));
            let text = written(&rows);
            assert_eq!(
                written(&kept(read(&text))),
                text,
                "measurements change when written and read"
            );
        }
        Err(failure) => refused(&failure, &[Code::Output], &[FILE]),
    }
}
