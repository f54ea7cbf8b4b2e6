use crate::libraries::{self, Default, Function, Library};
use sha2::{Digest as _, Sha256};

use super::bench::{Bench, Run, WARM_UP};
use super::cells::{self, Cell, Choice, Target};
use super::search::{Found, search};
use super::verdict::{Verdict, decisions, verdicts};
use crate::base::failure::{Code, Result};
use crate::predict::features::PARAMETERS;
use crate::predict::fit::Parameters;
use crate::rules::Table;

/// A machine with known times: those of a program at these parameters, within 5 %, or one time for all.
struct Synthetic {
    parameters: Option<Parameters>,
    runs: u32,
    seconds: f64,
    /// A run that takes ten seconds more than its calls.
    hiccup: Option<u32>,
    /// What a forced algorithm takes, as a share, while three executions are measured.
    flattered: f64,
}

/// A slow Ethernet on which an exchange takes twice a message.
fn ethernet() -> Synthetic {
    let mut values = PARAMETERS.map(|parameter| parameter.median);
    for (symbol, value) in [("L", 60_000.0), ("o", 20_000.0), ("G", 85.0), ("x", 85.0)] {
        let index = PARAMETERS
            .iter()
            .position(|parameter| parameter.symbol == symbol)
            .unwrap();
        values[index] = value;
    }
    Synthetic {
        parameters: Some(Parameters {
            values,
            eager: 65536.0,
        }),
        runs: 0,
        seconds: 0.0,
        hiccup: None,
        flattered: 1.0,
    }
}

impl Synthetic {
    /// The true time, ns.
    fn truth(&self, cell: &Cell, choice: Choice) -> f64 {
        let program = self.parameters.as_ref().zip(cell.known(choice).1);
        program.map_or(5e6, |(parameters, (program, call))| {
            parameters.log_ns(program, &call).exp()
        })
    }
}

impl Bench for Synthetic {
    fn run(&mut self, table: &Table, calls: &[Cell], repetitions: u32) -> Result<Run> {
        self.runs += 1;
        let time = |index: usize, cell: &Cell, repetition: u32| {
            let rule = table.select(cell.function, cell.call.K, cell.call.bytes);
            let choice = rule.and_then(|rule| rule.take);
            let share = match choice {
                Some(_) if repetitions == 3 => self.flattered,
                _ => 1.0,
            };
            let noise = Sha256::digest(format!("{} {index} {repetition}", self.runs))[0];
            share * self.truth(cell, choice) * (1.0 + f64::from(noise) / 255.0 * 0.05)
        };
        let of_call = |(index, cell): (usize, &Cell)| -> Vec<u64> {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "some seconds at most"
            )]
            (0..repetitions)
                .map(|repetition| time(index, cell, repetition) as u64)
                .collect()
        };
        let times: Vec<Vec<u64>> = calls.iter().enumerate().map(of_call).collect();
        let own: f64 = times.iter().flatten().map(|ns| *ns as f64 / 1e9).sum();
        let overhead = 2.0;
        let executions = calls.len() as f64 * f64::from(repetitions + WARM_UP);
        let hiccup = if self.hiccup == Some(self.runs) {
            10.0
        } else {
            0.0
        };
        let seconds = overhead
            + hiccup
            + 0.05 * executions
            + own * f64::from(repetitions + WARM_UP) / f64::from(repetitions);
        self.seconds += seconds;
        Ok(Run {
            times,
            seconds,
            overhead,
        })
    }
}

const OPEN_MPI: Target = Target {
    library: Library::OpenMpi4,
    has_known_default: true,
};

const SIZES: [u64; 4] = [1 << 10, 1 << 14, 1 << 17, 1 << 20];

fn functions(names: &[&str]) -> Vec<&'static Function> {
    libraries::functions()
        .filter(|function| names.contains(&function.name))
        .collect()
}

fn calls(target: Target, sizes: &[u64]) -> Vec<Cell> {
    let named = [
        "MPI_Bcast",
        "MPI_Allreduce",
        "MPI_Allgather",
        "MPI_Alltoall",
        "MPI_Reduce_scatter_block",
    ];
    cells::all(&functions(&named), [&[8], sizes], 1, target, |_, _| true).values
}

fn tuned<'a>(
    machine: &mut Synthetic,
    cells: &'a [Cell],
    budget: f64,
) -> (Found<'a>, Vec<Verdict>, String) {
    let found = search(machine, cells, budget).unwrap();
    let verdicts = verdicts(&found);
    let text = decisions(&verdicts, "a test").text().unwrap();
    (found, verdicts, text)
}

/// Checks that where the fastest algorithm of a call saves a quarter, a rule saves nearly as much, and that no rule costs anything;
/// returns how many such calls there are.
fn check(machine: &Synthetic, verdicts: &[Verdict]) -> usize {
    let mut wins = 0;
    for verdict in verdicts {
        let Verdict {
            cell,
            proposal,
            is_kept,
            why,
            ..
        } = verdict;
        let truth = |choice| machine.truth(cell, choice);
        let kept = truth(proposal.filter(|_| *is_kept).map(|(forced, _)| forced));
        let all = cell.candidates.iter().map(|&forced| truth(Some(forced)));
        let best = all.fold(truth(None), f64::min);
        let explanation = format!(
            "{} {:?}: {kept} ns, {best} ns is possible; {why}",
            cell.function.name, cell.call
        );
        assert!(kept <= truth(None) && !verdict.is_left, "{explanation}");
        if best < 0.75 * truth(None) {
            wins += 1;
            assert!(kept < 1.1 * best, "{explanation}");
        }
    }
    wins
}

#[test]
fn wins_are_found_and_nothing_is_lost() {
    let cells = calls(OPEN_MPI, &SIZES);
    let mut machine = ethernet();
    let (_, verdicts, text) = tuned(&mut machine, &cells, 300.0);
    assert!(machine.seconds < 300.0, "{}", machine.seconds);
    assert_eq!(verdicts.len(), cells.len());
    assert!(check(&machine, &verdicts) > 4);
    let again = tuned(&mut ethernet(), &cells, 300.0);
    assert_eq!(again.2, text);
}

/// A run that takes long for another reason does not end the search.
#[test]
fn costs_follow_the_last_runs() {
    let cells = calls(OPEN_MPI, &SIZES);
    for slow in 1..4 {
        let mut machine = Synthetic {
            hiccup: Some(slow),
            ..ethernet()
        };
        let (_, verdicts, _) = tuned(&mut machine, &cells, 300.0);
        assert!(check(&machine, &verdicts) > 4);
    }
}

/// MPICH's algorithms and its own choices.
#[test]
fn mpich_is_tuned() {
    let target = Target {
        library: Library::Mpich,
        has_known_default: true,
    };
    let cells = calls(target, &[1 << 10, 1 << 14, 1 << 19]);
    let of = |cell: &Cell| match cell.default {
        Default::Known(known) => known.ours,
        _ => "",
    };
    assert_eq!(
        [of(&cells[0]), of(&cells[2])].map(|name| !name.is_empty()),
        [true; 2]
    );
    let mut machine = ethernet();
    let (_, verdicts, _) = tuned(&mut machine, &cells, 300.0);
    assert!(check(&machine, &verdicts) > 0);
    let known = |verdict: &Verdict| {
        let kept = verdict.proposal.filter(|_| verdict.is_kept);
        kept.is_none_or(|(forced, _)| verdict.cell.function.has(Library::Mpich, forced.ours))
    };
    assert!(verdicts.iter().all(known));
    // MPICH stops where its recursive doubling of blocks is named for other numbers of ranks.
    let of_ranks = |K: u64| {
        let cells = cells::all(
            &functions(&["MPI_Allgather"]),
            [&[K], &[1 << 20]],
            1,
            target,
            |_, _| true,
        );
        let all = cells[0].candidates.iter();
        all.filter(|forced| forced.ours == "allgather-recursive-doubling")
            .count()
    };
    assert_eq!([of_ranks(8), of_ranks(6)], [1, 0]);
}

/// No rule stands for equal algorithms, nor for those that were faster in a few executions only.
#[test]
fn equal_algorithms_stay_at_the_default() {
    for flattered in [1.0, 0.7] {
        let cells = calls(OPEN_MPI, &SIZES);
        let mut machine = Synthetic {
            parameters: None,
            flattered,
            ..ethernet()
        };
        let (found, verdicts, text) = tuned(&mut machine, &cells, 300.0);
        assert!(flattered >= 1.0 || !found.trials.is_empty());
        assert!(verdicts.iter().all(|verdict| !verdict.is_kept));
        let table = Table::parse(&text).unwrap();
        assert!(!table.rules.iter().any(|rule| rule.take.is_some()));
        let said = if flattered < 1.0 {
            "is not faster"
        } else {
            "none saves 3 %"
        };
        assert!(
            verdicts.iter().any(|verdict| verdict.why.contains(said)),
            "{verdicts:?}"
        );
    }
}

/// A budget is kept, and used; every call that it leaves has the reason.
#[test]
fn a_budget_is_kept_and_used() {
    let cells = calls(OPEN_MPI, &SIZES);
    for budget in [45.0, 90.0, 150.0] {
        let mut machine = ethernet();
        let (_, verdicts, _) = tuned(&mut machine, &cells, budget);
        let took = machine.seconds;
        assert!(took < budget, "{took} of {budget} s");
        let left: Vec<&Verdict> = verdicts.iter().filter(|verdict| verdict.is_left).collect();
        assert!(
            !left.is_empty() && took > 0.5 * budget,
            "{took} of {budget} s, {} left",
            left.len()
        );
        let named = |verdict: &&Verdict| {
            verdict.why.starts_with("budget: ") && verdict.why.contains(" are left")
        };
        assert!(left.iter().all(named), "{left:?}");
    }
    let failure = search(&mut ethernet(), &cells, 5.0).unwrap_err();
    assert!(
        failure.code == Code::Measurement && failure.message.contains("longer --budget"),
        "{}",
        failure.message
    );
}

/// Calls whose default cannot run are no cells, and are named.
#[test]
fn calls_that_cannot_be_measured_are_named() {
    let functions = functions(&["MPI_Allreduce", "MPI_Bcast"]);
    let [ranks, sizes] = [[8, 16], [1024, 4096]];
    let can_run = |cell: &Cell, choice: Choice| {
        choice.is_some() || cell.function.name != "MPI_Bcast" || cell.call.bytes < 4096
    };
    let cells = cells::all(&functions, [&ranks, &sizes], 1, OPEN_MPI, can_run);
    assert_eq!(cells.len(), 6);
    let left = cells.absences.statements();
    assert!(
        left.len() == 1 && left[0].starts_with("MPI_Bcast at 2 of 8 calls, as -K 8 --bytes 4096: "),
        "{left:?}"
    );
}

/// The model sees the levels that the launcher makes; a call on a part of one node has none.
#[test]
fn ranks_of_a_node_are_those_of_the_model() {
    let cells = cells::all(
        &functions(&["MPI_Bcast"]),
        [&[4, 8, 32], &[1 << 10]],
        8,
        OPEN_MPI,
        |_, _| true,
    );
    let nodes: Vec<[u64; 2]> = cells
        .iter()
        .map(|cell| [cell.size().node, cell.size().nodes()])
        .collect();
    assert_eq!(nodes, [[4, 1], [8, 1], [8, 4]]);
}
