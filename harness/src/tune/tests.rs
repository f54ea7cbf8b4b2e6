use crate::reference::libraries::{self, Function, Library};
use sha2::{Digest as _, Sha256};

use super::bench::{Bench, Run, WARM_UP};
use super::cells::{self, Cell, Choice};
use super::search::{Found, search};
use super::verdict::{Verdict, decisions, verdicts};
use crate::base::failure::{Code, Failure};
use crate::predict::features::PARAMETERS;
use crate::predict::fit::Parameters;
use crate::rules::{Table, Take};

/// A machine with known times: those of a program at these parameters, within 5 %, or one time for all.
struct Synthetic {
    parameters: Option<Parameters>,
    runs: u32,
    seconds: f64,
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
    fn run(&mut self, table: &Table, calls: &[Cell], repetitions: u32) -> Result<Run, Failure> {
        self.runs += 1;
        let time = |index: usize, cell: &Cell, repetition: u32| {
            let rule = table.select(cell.function, cell.call.K, cell.call.bytes);
            let choice = rule.and_then(|rule| rule.take.as_ref()).map(|take| {
                let ours = cell
                    .function
                    .numbered(Library::OpenMpi4, take.ours)
                    .unwrap()
                    .ours;
                Take {
                    ours,
                    segment: take.segment,
                }
            });
            let noise = Sha256::digest(format!("{} {index} {repetition}", self.runs))[0];
            self.truth(cell, choice) * (1.0 + f64::from(noise) / 255.0 * 0.05)
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
        let seconds = overhead
            + 0.05 * executions
            + own * f64::from(repetitions + WARM_UP) / f64::from(repetitions);
        self.seconds += seconds;
        Ok(Run {
            times,
            seconds,
            overhead,
        })
    }

    fn has_known_default(&self) -> bool {
        true
    }
}

fn calls() -> Vec<Cell> {
    let named = [
        "MPI_Bcast",
        "MPI_Allreduce",
        "MPI_Allgather",
        "MPI_Alltoall",
        "MPI_Reduce_scatter_block",
    ];
    let functions: Vec<&'static Function> = libraries::functions()
        .filter(|function| named.contains(&function.name))
        .collect();
    let sizes = [1 << 10, 1 << 14, 1 << 17, 1 << 20];
    cells::all(&functions, &[8], &sizes, |_, _| true)
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

/// Where the fastest algorithm of a cell saves a quarter, a rule saves nearly as much; no rule costs anything.
#[test]
fn wins_are_found_and_nothing_is_lost() {
    let cells = calls();
    let mut machine = ethernet();
    let (_, verdicts, text) = tuned(&mut machine, &cells, 300.0);
    assert!(machine.seconds < 300.0, "{}", machine.seconds);
    assert_eq!(verdicts.len(), cells.len());
    let mut wins = 0;
    for Verdict {
        cell,
        proposal,
        is_kept,
        ..
    } in &verdicts
    {
        let truth = |choice| machine.truth(cell, choice);
        let kept = truth(proposal.filter(|_| *is_kept).map(|(forced, _)| forced));
        let best = cell
            .candidates
            .iter()
            .map(|&forced| truth(Some(forced)))
            .fold(truth(None), f64::min);
        let explanation = format!(
            "{} {:?}: {kept} ns, {best} ns is possible",
            cell.function.name, cell.call
        );
        assert!(kept <= truth(None), "{explanation}");
        if best < 0.75 * truth(None) {
            wins += 1;
            assert!(kept < 1.1 * best, "{explanation}");
        }
    }
    assert!(wins > 4, "{wins}");
    let again = tuned(&mut ethernet(), &cells, 300.0);
    assert_eq!(again.2, text);
}

#[test]
fn equal_algorithms_stay_at_the_default() {
    let cells = calls();
    let mut machine = Synthetic {
        parameters: None,
        ..ethernet()
    };
    let (_, verdicts, text) = tuned(&mut machine, &cells, 300.0);
    assert!(verdicts.iter().all(|verdict| !verdict.is_kept));
    assert!(
        !Table::parse(&text)
            .unwrap()
            .rules
            .iter()
            .any(|rule| rule.take.is_some())
    );
}

#[test]
fn a_budget_is_kept_and_its_cost_is_printed() {
    let cells = calls();
    for budget in [30.0, 60.0] {
        let mut machine = ethernet();
        let (found, verdicts, _) = tuned(&mut machine, &cells, budget);
        assert!(
            machine.seconds < budget,
            "{} of {budget} s",
            machine.seconds
        );
        assert!(verdicts.len() < cells.len() && !found.left.is_empty());
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
    let functions: Vec<&'static Function> = libraries::functions()
        .filter(|function| ["MPI_Allreduce", "MPI_Bcast"].contains(&function.name))
        .collect();
    let [ranks, sizes] = [[8, 16], [1024, 4096]];
    let can_run = |cell: &Cell, choice: Choice| {
        choice.is_some() || cell.function.name != "MPI_Bcast" || cell.call.bytes < 4096
    };
    let cells = cells::all(&functions, &ranks, &sizes, can_run);
    assert_eq!(cells.len(), 6);
    let left = cells::left_out(&cells, &functions, 4);
    assert!(
        left.len() == 1 && left[0].starts_with("left out: 2 calls of MPI_Bcast, whose default"),
        "{left:?}"
    );
}
