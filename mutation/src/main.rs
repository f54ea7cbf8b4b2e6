//! `cargo run --release --package mutation`: changes `algorithms` in every way that cargo-mutants knows and sees whether a
//! test notices.

mod explained;
mod mutant;
mod outcomes;
mod run;
mod tree;
mod weave;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;

use clap::Parser;
use rayon::prelude::*;

use explained::Explained;
use mutant::Mutant;
use outcomes::Outcomes;
use run::{Outcome, Trial};
use tree::Tree;

/// What to try.
#[derive(Parser)]
struct Arguments {
    /// The package whose sources are changed and whose tests should notice.
    #[arg(long, default_value = "algorithms")]
    package: String,
    /// Only mutants whose names hold this, as `src/mesh/` or `in Lattice::of`.
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// Those, too, that had this outcome before, as `undecided` with a larger budget, but for those that are explained and
    /// no more than that.
    #[arg(long, value_name = "OUTCOME")]
    again: Vec<String>,
    /// For how many seconds of tests a mutant is tried.
    #[arg(long, default_value_t = 1e9)]
    budget: f64,
    /// Where the changed tree is built; kept, so that the next time is faster.
    #[arg(long, default_value = "target/mutation")]
    scratch: PathBuf,
    /// A line for each mutant is appended here; what is in it already is not tried again, but for `--again`.
    #[arg(long, default_value = "target/mutation/outcomes.tsv")]
    output: PathBuf,
    /// Why those survive that may.
    #[arg(long, default_value = "mutation/explained.toml")]
    explained: PathBuf,
    /// Every so many of the mutants.
    #[arg(long, default_value_t = 1)]
    every: usize,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(1)
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let workspace = std::env::current_dir().map_err(|error| error.to_string())?;
    let scratch = workspace.join(&arguments.scratch);
    std::fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    let explained = Explained::load(&arguments.explained)?;
    let mutants = mutant::list(&workspace, &arguments.package)?;
    eprintln!("{} mutants", mutants.len());
    let outcomes = Outcomes::open(&arguments.output)?;
    let is_only = |mutant: &Mutant| {
        arguments.only.is_empty() || arguments.only.iter().any(|text| mutant.name.contains(text.as_str()))
    };
    let survivors = outcomes.survivors(&mutants);
    let is_open = |mutant: &Mutant| {
        let is_again = |outcome| arguments.again.contains(&outcome) && !explained.settles(mutant, &survivors);
        outcomes.of(mutant).is_none_or(is_again)
    };
    let wanted: Vec<usize> = (0..mutants.len())
        .filter(|number| is_only(&mutants[*number]) && is_open(&mutants[*number]))
        .step_by(arguments.every)
        .collect();
    eprintln!("{} to try", wanted.len());
    if !wanted.is_empty() {
        try_all(&wanted, &mutants, &workspace, &scratch, (arguments, &outcomes))?;
    }
    let (table, open) = outcomes.summary(&mutants, &explained);
    print!("{table}");
    Ok(if open == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Builds all mutants and tries those that are wanted.
fn try_all(
    wanted: &[usize],
    mutants: &[Mutant],
    workspace: &Path,
    scratch: &Path,
    (arguments, outcomes): (&Arguments, &Outcomes),
) -> Result<(), String> {
    let tree = Tree::with_all(workspace, &arguments.package, mutants, scratch)?;
    let directory = tree.root.join(&tree.package);
    let tests = run::reach(&tree.tests()?, &directory, scratch)?;
    let trial =
        Trial { tests: &tests, mutants, directory: &directory, budget: arguments.budget, caught: Mutex::default() };
    wanted.par_iter().with_max_len(1).try_for_each(|number| {
        let outcome = if tree.unviable.contains(number) {
            Outcome::Unviable
        } else if tree.unplaced.contains(number) {
            Outcome::Unplaced
        } else {
            trial.of(*number)
        };
        outcomes.write(&mutants[*number], &outcome)
    })
}
