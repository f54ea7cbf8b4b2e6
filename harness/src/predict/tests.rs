//! A machine that is known is learnt from the times that it would show.

use std::collections::BTreeMap;

use crate::reference::libraries::{Default, Library, Numbered};

use super::features::PARAMETERS;
use super::fit::Parameters;
use super::learned::{Learned, Notes, learn, uninformed};
use super::library::{self, Deciding};
use super::measured::{Label, Row, Size};
use super::names;
use super::profile::Profile;
use super::score;
use crate::output::diagnostics::Source;

/// Twice to four times off the prior.
fn machine() -> Parameters {
    let factors = [
        2.0, 1.3, 2.0, 0.5, 0.4, 0.5, 2.0, 2.5, 0.5, 1.5, 2.0, 1.5, 4.0, 30.0,
    ];
    let values = std::array::from_fn(|index| PARAMETERS[index].median * factors[index]);
    Parameters {
        values,
        eager: 4096.0,
    }
}

fn label(collective: &str, algorithm: &str) -> Label {
    Label {
        collective: collective.to_owned(),
        algorithm: algorithm.to_owned(),
    }
}

/// Times of all programs with errors of some percent, and defaults that take the slowest one.
fn measured(collectives: &[&str], nodes: &[u64]) -> Vec<Row> {
    let (machine, mut rows, mut error) = (machine(), Vec::new(), 0.5f64);
    for collective in collectives {
        for &ranks in nodes {
            for bytes in (9..28).step_by(6).map(|power| 1u64 << power) {
                let size = Size { ranks, bytes };
                let before = rows.len();
                for name in names::program_names(collective) {
                    let (program, call) = names::find(collective, &name, ranks, bytes).unwrap();
                    error = (error * 3.9 * (1.0 - error)).clamp(0.01, 0.99);
                    let ns = (machine.log_ns(program, &call) + 0.06 * (error - 0.5)).exp();
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "a time"
                    )]
                    rows.push(Row::new(label(collective, &name), size, ns as u64, None));
                }
                let slowest = rows[before..].iter().map(|row| row.ns).max().unwrap();
                rows.push(Row::new(
                    label(collective, "default_x"),
                    size,
                    slowest,
                    None,
                ));
            }
        }
    }
    rows
}

fn all() -> Vec<Row> {
    measured(&names::collectives(), &[4, 24])
}

#[test]
fn a_known_machine_is_recovered() {
    let rows = all();
    let (learned, notes) = learn(&rows);
    assert_eq!(
        (learned.parameters.eager, learned.rejected.len()),
        (4096.0, 0),
        "{:?}",
        learned.rejected
    );
    for ((parameter, found), known) in PARAMETERS
        .iter()
        .zip(learned.parameters.values)
        .zip(machine().values)
    {
        assert!(
            (found / known).ln().abs() < 0.25,
            "{}: {found} for {known}",
            parameter.symbol
        );
    }
    assert!(uninformed(&notes.deviations).is_empty());
    let cells = score::cells(&learned, &measured(&names::collectives(), &[16])).0;
    let of_all = score::summary(&cells).pop().unwrap();
    assert!(
        of_all.slowdown.geomean.unwrap() < 1.01 && of_all.default.geomean.unwrap() > 2.0,
        "{of_all:?}"
    );
    assert!(
        of_all.median_error < 0.05 && of_all.coverage > 0.95,
        "{of_all:?}"
    );
}

#[test]
fn what_the_data_do_not_tell_stays_as_before() {
    let short: Vec<Row> = measured(&["bcast"], &[8, 16])
        .into_iter()
        .filter(|row| row.size.bytes < 1024)
        .collect();
    let (learned, notes) = learn(&short);
    let uninformed = uninformed(&notes.deviations);
    assert!(
        ["c_in", "f_byte", "f_msg"]
            .iter()
            .all(|symbol| uninformed.contains(symbol)),
        "{uninformed:?}"
    );
    assert!(
        (learned.parameters.values[12] / PARAMETERS[12].median)
            .ln()
            .abs()
            < 0.1
    );
}

/// The least time in a row's cell of an algorithm with a program.
fn fastest(rows: &[Row], of: &Row) -> u64 {
    let same = rows
        .iter()
        .filter(|row| row.cell() == of.cell() && row.program.is_some());
    same.map(|row| row.ns).min().unwrap()
}

/// Its slowdown is below 1, because it is compared with the algorithms that have a program.
#[test]
fn a_default_that_no_algorithm_reaches_is_chosen() {
    let mut rows = measured(&["allreduce"], &[4, 8, 16]);
    for index in 0..rows.len() {
        if rows[index].is_default() {
            rows[index].ns = fastest(&rows, &rows[index]) * 7 / 10;
        }
    }
    let (test, train): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.size.ranks == 8);
    let of_all = score::summary(&score::cells(&learn(&train).0, &test).0)
        .pop()
        .unwrap();
    assert_eq!(
        (of_all.slowdown.geomean, of_all.slowdown.worst),
        (of_all.default.geomean, of_all.default.worst)
    );
    assert!(of_all.slowdown.worst.unwrap() < 0.71, "{of_all:?}");
}

/// A ring whose times are the default's, and a chain that is faster than its bytes.
#[test]
fn labels_that_cannot_be_true_are_rejected() {
    let mut rows = all();
    for index in 0..rows.len() {
        let best = fastest(&rows, &rows[index]);
        match (
            rows[index].label.collective.as_str(),
            rows[index].label.algorithm.as_str(),
        ) {
            ("allreduce", "ring" | "default_x") => rows[index].ns = best,
            ("bcast", "pipeline") if rows[index].size.bytes > 10_000_000 => rows[index].ns /= 20,
            _ => {}
        }
    }
    let rejected: Vec<Label> = learn(&rows).0.rejected.into_keys().collect();
    assert_eq!(
        rejected,
        [label("allreduce", "ring"), label("bcast", "pipeline")]
    );
}

#[test]
fn cells_that_were_learnt_from_are_never_scored() {
    let (train, all) = (
        measured(&["allreduce"], &[4, 16]),
        measured(&["allreduce", "bcast"], &[4, 8, 16]),
    );
    let learned = learn(&train).0;
    assert!(score::cells(&learned, &train).0.is_empty());
    let scores = score::summary(&score::cells(&learned, &all).0);
    let shown: Vec<(&str, bool, usize)> = scores
        .iter()
        .map(|score| (score.collective.as_str(), score.is_unseen, score.cells))
        .collect();
    assert_eq!(
        shown,
        [
            ("allreduce", false, 4),
            ("all", false, 4),
            ("bcast", true, 12),
            ("all unseen", true, 12)
        ]
    );
}

#[test]
fn a_profile_is_read_as_it_was_learnt() {
    let (learned, notes): (Learned, Notes) = learn(&measured(&["reduce"], &[4, 8]));
    let profile = Profile::new(&learned, &notes, &[], Some("nodes<16"), &BTreeMap::new())
        .toml()
        .unwrap();
    let read = Profile::parse(&Source::built_in("p.toml", &profile)).unwrap();
    assert_eq!(read.toml().unwrap(), profile);
    let row = &learned.rows[5];
    let time = |learned: &Learned| {
        learned
            .predict(&row.label, row.size, row.program)
            .unwrap()
            .ns()
    };
    assert_eq!(time(&read.learned()), time(&learned));
}

#[test]
fn names_of_libraries_are_known() {
    let program = |collective: &str, name: &str| {
        names::find(collective, name, 16, 1024)
            .map(|(program, call)| (program as usize, call.segment))
    };
    let same = |collective: &str, names: &[&str]| {
        let all: Vec<_> = names.iter().map(|name| program(collective, name)).collect();
        assert!(
            all.iter().all(|found| found.is_some() && *found == all[0]),
            "{collective}: {all:?}"
        );
    };
    same(
        "allreduce",
        &[
            "ring",
            "ring_ompi",
            "allreduce-ring",
            "Ring OpenMPI",
            "ring_over",
        ],
    );
    same(
        "reduce",
        &[
            "binomial",
            "binomial_mpich",
            "binomial_cray",
            "reduce-binomial",
        ],
    );
    assert_ne!(
        program("reduce", "binomial_ompi"),
        program("reduce", "binomial_mpich")
    );
    assert_eq!(
        program("allreduce", "bine_bdw_remap_segmented_over_16384")
            .unwrap()
            .1,
        Some(16384.0)
    );
    for unknown in [
        "ring_ompi_16384",
        "default_ompi",
        "hier_lat",
        "",
        "_",
        "16384",
    ] {
        assert_eq!(program("allreduce", unknown), None, "{unknown}");
    }
    let collectives = [
        "MPI_Allreduce",
        "all-reduce",
        "Reduce_scatter_block",
        "broadcast",
        "MPI_Barrier",
    ];
    assert_eq!(
        collectives.map(names::collective),
        [
            "allreduce",
            "allreduce",
            "reduce_scatter",
            "bcast",
            "barrier"
        ]
    );
}

/// On the known machine a decision takes the library's fastest algorithm, or leaves a default that is nearly as fast.
#[test]
fn decisions_for_a_library_are_those_of_the_known_machine() {
    let learned = learn(
        &all()
            .into_iter()
            .filter(|row| !row.is_default())
            .collect::<Vec<_>>(),
    )
    .0;
    let (names, library) = (BTreeMap::new(), Library::OpenMpi4);
    let deciding = Deciding {
        learned: &learned,
        names: &names,
        library,
        within_percent: 10,
    };
    let (mut taken, mut left) = (0, 0);
    for (collective, bytes) in names::collectives()
        .iter()
        .flat_map(|name| [14, 20, 24].map(|power| (*name, 1u64 << power)))
    {
        let size = Size { ranks: 16, bytes };
        let true_ns = |known: &Numbered| {
            let (program, call) =
                names::find(collective, &format!("{}_ompi", known.name), 16, bytes)?;
            Some(machine().log_ns(program, &call).exp())
        };
        for function in library::functions(collective) {
            let call = library::call(function, size).unwrap();
            let runs = |known: &&&Numbered| function.runs_as(known.number, 0, call) == known.number;
            let best = function
                .algorithms(Library::OpenMpi4)
                .iter()
                .filter(runs)
                .filter_map(|known| true_ns(known))
                .fold(f64::INFINITY, f64::min);
            let rules = deciding.rules(collective, 16, &[bytes]);
            let rule = rules
                .iter()
                .find(|rule| rule.function.name == function.name)
                .unwrap();
            match &rule.take {
                Some(take) => {
                    let ns = true_ns(function.numbered(library, take.ours).unwrap()).unwrap();
                    assert!(
                        ns < 1.06 * best,
                        "{}, {bytes} B: {take:?} takes {ns}, the best {best}",
                        function.name
                    );
                    taken += 1;
                }
                None => {
                    let Default::Known(own) = function.default(library, call) else {
                        continue;
                    };
                    let ns = true_ns(own).unwrap();
                    assert!(
                        ns < 1.18 * best,
                        "{}, {bytes} B: {} takes {ns}, the best {best}",
                        function.name,
                        own.name
                    );
                    left += 1;
                }
            }
        }
    }
    assert!(taken > 8 && left > 4, "{taken} {left}");
}

/// A measured default that takes the fastest algorithm stays, whatever castbench takes it for; one of another library says nothing.
#[test]
fn decisions_are_over_the_default_that_was_measured() {
    let names = BTreeMap::new();
    let taken = |default: &str| {
        let mut rows = measured(&["allreduce", "bcast"], &[4, 24]);
        for index in 0..rows.len() {
            if rows[index].is_default() {
                rows[index].ns = fastest(&rows, &rows[index]);
                rows[index].label.algorithm = default.to_owned();
            }
        }
        let learned = learn(&rows).0;
        let deciding = Deciding {
            learned: &learned,
            names: &names,
            library: Library::OpenMpi4,
            within_percent: 10,
        };
        let rules = ["allreduce", "bcast"]
            .map(|collective| deciding.rules(collective, 16, &[1 << 10, 1 << 24]));
        rules
            .concat()
            .iter()
            .filter(|rule| rule.take.is_some())
            .count()
    };
    assert_eq!(
        ["default", "default_ompi", "default_mpich"].map(taken),
        [0, 0, 4]
    );
}
