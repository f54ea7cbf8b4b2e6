//! Counts the instructions of every bench and compares them with the committed baseline, or rewrites it.
//!
//! `just bench-ci`, `just bench-accept`

use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};
use speed::baseline::Counts;
use speed::callgrind::{RUN, measured_evaluation};
use speed::cases::Case;
use speed::compare::{Comparison, Row, Verdict};

/// Exit codes, those of `castbench regress` where they mean the same.
const BROKEN: u8 = 1;
const WORSE: u8 = 6;
const NO_BASELINE: u8 = 7;
const NOT_COMPARABLE: u8 = 8;

/// Count the instructions of every algorithm of the catalogue under callgrind.
#[derive(Parser)]
#[command(
    after_help = "Exit codes: 0 fine, 1 a bench is broken, 6 worse, 7 no baseline, 8 counted under other conditions"
)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
    /// The committed counts.
    #[arg(long, global = true, value_name = "FILE", default_value = "reports/baseline/instructions.csv")]
    baseline: PathBuf,
}

#[derive(Subcommand)]
enum Verb {
    /// Count, and compare with the baseline.
    Compare {
        /// A bench that takes more instructions by more than this is worse; code that is placed or inlined otherwise, for
        /// a change elsewhere, was seen to move one by 0.03 %.
        #[arg(long, value_name = "PERCENT", default_value_t = 1)]
        tolerance: u64,
    },
    /// Count, and make that the baseline.
    Accept,
}

fn main() -> ExitCode {
    // `run BENCH` is what callgrind counts: whatever is allocated before decides how buffers grow, up to 3 % of a count,
    // so it comes before the command line is parsed.
    let mut words = env::args().skip(1);
    if words.next().as_deref() == Some(RUN) {
        return run(&words.next().unwrap_or_default());
    }
    let arguments = Arguments::parse();
    let done = match &arguments.verb {
        Verb::Compare { tolerance } => compare(&arguments.baseline, *tolerance),
        Verb::Accept => accept(&arguments.baseline),
    };
    done.unwrap_or_else(|(code, message)| {
        eprintln!("error: {message}");
        ExitCode::from(code)
    })
}

/// An exit code, or one with a message.
type Outcome = Result<ExitCode, (u8, String)>;

fn broken(message: String) -> (u8, String) {
    (BROKEN, message)
}

fn take() -> Result<Counts, (u8, String)> {
    if cfg!(debug_assertions) {
        return Err(broken("this is a debug build, which nobody runs; add --release".into()));
    }
    let program = env::current_exe().map_err(|error| broken(format!("this program has no path: {error}")))?;
    Counts::take(&program).map_err(broken)
}

fn compare(baseline: &Path, tolerance: u64) -> Outcome {
    let hint = "`just bench-accept` makes one";
    let text = fs::read_to_string(baseline)
        .map_err(|error| (NO_BASELINE, format!("no baseline {}: {error}; {hint}", baseline.display())))?;
    let before = Counts::from_text(&text)
        .map_err(|error| (NO_BASELINE, format!("{} is no baseline: {error}; {hint}", baseline.display())))?;
    let comparison = Comparison::new(&before, &take()?, tolerance);
    writeln!(io::stdout(), "{}", table(&comparison.rows)).map_err(|error| broken(format!("stdout: {error}")))?;
    if !comparison.differences.is_empty() {
        eprintln!(
            "not comparable with {}: {}. Nothing is judged; to compare, count the old revision here with \
             `just bench-accept`, too",
            baseline.display(),
            comparison.differences.join("; ")
        );
        return Ok(ExitCode::from(NOT_COMPARABLE));
    }
    let summary: Vec<_> =
        [Verdict::Worse, Verdict::Better, Verdict::New, Verdict::Gone, Verdict::Close, Verdict::Equal]
            .map(|verdict| format!("{} {verdict}", comparison.count(verdict)))
            .into();
    eprintln!("{}; tolerance {tolerance} %", summary.join(", "));
    let unchanged = comparison.count(Verdict::Close) + comparison.count(Verdict::Equal);
    if unchanged < comparison.rows.len() {
        eprintln!("`just bench-accept` makes these the new baseline; commit it with the change that caused it");
    }
    Ok(ExitCode::from(if comparison.count(Verdict::Worse) > 0 { WORSE } else { 0 }))
}

fn accept(baseline: &Path) -> Outcome {
    let counts = take()?;
    harness::output::write(baseline, counts.to_text().as_bytes()).map_err(|failure| broken(failure.message))?;
    eprintln!("{} counts in {}", counts.instructions.len(), baseline.display());
    Ok(ExitCode::SUCCESS)
}

fn run(bench: &str) -> ExitCode {
    match Case::find(bench).and_then(|case| measured_evaluation(&case)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(BROKEN)
        }
    }
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')));
    table.set_header(["bench", "before", "now", "ratio", "verdict"]);
    for row in rows {
        let number = |count: Option<u64>| count.map(|count| count.to_string()).unwrap_or_default();
        let ratio = match (row.before, row.now) {
            // For people: the verdict is exact.
            (Some(before), Some(now)) => format!("{:.4}", now as f64 / before as f64),
            _ => String::new(),
        };
        table.add_row([row.bench.clone(), number(row.before), number(row.now), ratio, row.verdict.to_string()]);
    }
    for index in 1..=3 {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}
