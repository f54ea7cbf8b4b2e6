//! The command line: verbs, options and their help.

use std::ffi::OsString;

use clap::{CommandFactory as _, Parser, Subcommand};

use super::{
    audit, best, bound, calibrate, cost, export, figures, fit, generate, hosts, init, list, manual,
    measure, merge, predict, read, regress, report, rules, run, score, show, sweep, trace_mpi,
    tune, verify,
};
use crate::base::failure::{Failure, Result, exit_codes};
use crate::base::revision::build;
use crate::base::threads;

/// Exact and simulated costs of collective-communication algorithms, at one point or over grids.
#[derive(Debug, Parser)]
#[command(name = "castbench", version, long_version = build(), max_term_width = 100, after_help = exit_codes())]
#[command(propagate_version = false)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

impl Cli {
    /// The verb of arguments that do not come from the command line.
    ///
    /// # Errors
    /// Exit code 2, without the lines on usage and `--help`.
    pub fn verb<S: Into<OsString> + Clone>(arguments: impl IntoIterator<Item = S>) -> Result<Verb> {
        Self::try_parse_from(arguments)
            .map(|cli| cli.verb)
            .map_err(|error| {
                let text = error.render().to_string();
                let end = [
                    "\n\nUsage:",
                    "\n\nFor more information",
                    "\n\n  tip: to pass",
                ]
                .iter()
                .filter_map(|end| text.find(end))
                .min()
                .unwrap_or(text.len());
                let explanation = text[..end].trim_end();
                Failure::usage(explanation.strip_prefix("error: ").unwrap_or(explanation))
            })
    }
}

/// What castbench can do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List the algorithms by problem: name, what each does, paper and theorem
    List(list::List),
    /// State the cost of one algorithm, or of a schedule in a file, at one point: lower bound, published, analytic, simulated
    Cost(cost::Cost),
    /// Find the best algorithm for a machine by nodes and message size; write Open MPI rules, draw a decision map
    #[command(after_help = best::HELP)]
    Best(best::Best),
    /// State the least time of a collective on a network, and the cut or partition that proves it
    Bound(bound::Bound),
    /// Write the schedule of a collective that reaches its least time on a network: trees, as a plan, GOAL or MSCCL XML
    Generate(generate::Generate),
    /// Draw what an algorithm does at one point: trees, timelines, paths on the mesh, steps, rounds
    Show(show::Show),
    /// Evaluate every algorithm over the grids of a configuration and write CSV
    Sweep(sweep::Sweep),
    /// Merge the shards of a sweep
    Merge(merge::Merge),
    /// Draw the figures of a configuration, or one figure of any rows, from the CSV of a sweep
    Figures(Box<figures::Figures>),
    /// Sweep, then draw the figures
    Run(run::Run),
    /// Compare current costs with a baseline, or two sweeps, and fail if any got worse
    Regress(regress::Regress),
    /// Check the claims of the papers at every point of a grid; print which hold and the smallest counterexamples
    Audit(audit::Audit),
    /// Write one HTML page: the run, its figures, claims, costs and regression state
    Report(report::Report),
    /// Write an execution as CSV or Chrome trace, or a program as GOAL
    Export(export::Export),
    /// Judge a schedule in a file: its result, deadlocks, races, limits of runtimes, cost
    Verify(verify::Verify),
    /// Write decisions as the rules file of a library, or check what such a file selects
    Rules(rules::Rules),
    /// Read measured times from the outputs of OSU, IMB, nccl-tests, ReproMPI and PICO
    Read(read::Read),
    /// Run algorithms with real messages, one process per node, and time them
    Measure(measure::Measure),
    /// Measure L, o, g, G and O of a transport and write a machine profile
    Calibrate(calibrate::Calibrate),
    /// Count the messages and bytes between the ranks of a program under Open MPI, and compare them
    TraceMpi(trace_mpi::TraceMpi),
    /// Learn a machine from measured times of collectives
    Fit(fit::Fit),
    /// Predict the times of a collective's algorithms on a learnt machine, with intervals
    Predict(predict::Predict),
    /// Compare a learnt machine with measured times that it was not learnt from
    Score(score::ScoreArgs),
    /// Measure a library where it may pay, write rules for it, and show what they gain
    Tune(tune::Tune),
    /// Make, list or remove emulated hosts
    Hosts(hosts::Hosts),
    /// Print a file to start from: a machine profile or a configuration
    Init(init::Init),
    /// One node of a measured program; `measure` starts it
    #[command(hide = true)]
    Rank,
    /// Print the completion script of a shell
    #[command(hide = true)]
    Completions(manual::Completions),
    /// Print the manual page
    #[command(hide = true)]
    Man(manual::Man),
}

impl Verb {
    /// Runs it.
    ///
    /// # Errors
    /// Those of the verb, with its exit code.
    pub fn run(self) -> Result {
        match self {
            Self::List(arguments) => list::run(&arguments),
            Self::Cost(arguments) => cost::run(&arguments),
            Self::Best(arguments) => threads::within(|| best::run(&arguments)),
            Self::Bound(arguments) => bound::run(&arguments),
            Self::Generate(arguments) => generate::run(&arguments),
            Self::Show(arguments) => show::run(&arguments),
            Self::Sweep(arguments) => sweep::run(&arguments),
            Self::Merge(arguments) => merge::run(&arguments),
            Self::Figures(arguments) => figures::run(&arguments),
            Self::Run(arguments) => run::run(&arguments),
            Self::Regress(arguments) => regress::run(&arguments),
            Self::Audit(arguments) => threads::within(|| audit::run(&arguments)),
            Self::Report(arguments) => report::run(&arguments),
            Self::Export(arguments) => export::run(&arguments),
            Self::Verify(arguments) => verify::run(&arguments),
            Self::Rules(arguments) => threads::within(|| rules::run(&arguments)),
            Self::Read(arguments) => read::run(&arguments),
            Self::Measure(arguments) => measure::run(&arguments),
            Self::Calibrate(arguments) => calibrate::run(&arguments),
            Self::TraceMpi(arguments) => trace_mpi::run(&arguments),
            Self::Fit(arguments) => fit::run(&arguments),
            Self::Predict(arguments) => predict::run(&arguments),
            Self::Score(arguments) => threads::within(|| score::run(&arguments)),
            Self::Tune(arguments) => tune::run(&arguments),
            Self::Hosts(arguments) => hosts::run(&arguments),
            Self::Init(arguments) => init::run(&arguments),
            Self::Rank => measure::rank(),
            Self::Completions(arguments) => manual::completions(&arguments, Cli::command()),
            Self::Man(arguments) => manual::page(&arguments, Cli::command()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regress::audit::all_claims;
    use algorithms::internals::claims::Point;

    /// The command that shows a counterexample exists and takes the options of the axes.
    #[test]
    fn commands_of_claims_are_understood() {
        for claim in all_claims().unwrap() {
            let Some(command) = Point::at(&claim, 0).command() else {
                continue;
            };
            let parsed = Cli::try_parse_from(["castbench"].into_iter().chain(command.split(' ')));
            assert!(parsed.is_ok(), "{}: {command}: {parsed:?}", claim.id);
        }
    }
}
