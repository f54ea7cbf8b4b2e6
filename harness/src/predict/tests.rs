//! A machine that is known is learnt from the times that it would show.

use std::collections::BTreeMap;

use algorithms::logp::{self, Level, Levels, LogGops, Placement};

use crate::libraries::{Default, Library, Numbered};

use super::calibration::{Correction, Distance, Trial, What, Without, correction};
use super::decision::Margin;
use super::features::{FLAT, PARAMETERS};
use super::fit::Parameters;
use super::learned::{Learned, learn};
use super::measured::{Label, Row, Size};
use super::names;
use super::pairs::Pairs;
use super::process::{Site, covariance};
use super::profile::Profile;
use super::score;
use crate::output::diagnostics::Source;
use crate::rules::learnt::{self, Deciding};
use crate::rules::tests::plugin;
use crate::rules::{Dialect, Table};

/// Twice to four times off the prior.
fn machine() -> Parameters {
    let factors = [
        2.0, 1.3, 2.0, 0.5, 0.4, 0.5, 2.0, 2.5, 0.5, 1.5, 2.0, 1.5, 4.0, 30.0, 0.6, 1.5, 2.0, 0.7,
        2.0, 3.0,
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

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time"
)]
fn whole(log_ns: f64) -> u64 {
    log_ns.exp() as u64
}

/// Times of all programs with one rank per node.
fn measured(collectives: &[&str], nodes: &[u64]) -> Vec<Row> {
    measured_with(1, collectives, nodes)
}

/// Times of all programs with errors of some percent, and defaults that take the slowest one.
fn measured_with(node: u64, collectives: &[&str], nodes: &[u64]) -> Vec<Row> {
    let (machine, mut rows, mut error) = (machine(), Vec::new(), 0.5f64);
    for collective in collectives {
        for ranks in nodes.iter().map(|nodes| nodes * node) {
            for bytes in (9..28).step_by(6).map(|power| 1u64 << power) {
                let size = Size { ranks, node, bytes };
                let before = rows.len();
                for name in names::program_names(collective) {
                    let Some((program, call)) = names::find(collective, &name, size) else {
                        continue;
                    };
                    error = (error * 3.9 * (1.0 - error)).clamp(0.01, 0.99);
                    let ns = whole(machine.log_ns(program, &call) + 0.06 * (error - 0.5));
                    rows.push(Row::new(label(collective, &name), size, ns, None));
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

/// With several ranks per node, too.
fn on_levels() -> Vec<Row> {
    let several = [4, 12].map(|node| measured_with(node, &names::collectives(), &[6]));
    [
        measured(&names::collectives(), &[4, 24, 60]),
        several.concat(),
    ]
    .concat()
}

/// What rules must promise by default.
const MARGIN: Margin = Margin {
    within: 10,
    confidence: 90,
};

#[test]
fn a_known_machine_is_recovered() {
    let (learned, _) = learn(&on_levels());
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
    assert!(learned.uninformed().is_empty());
    let held_out = [1, 12].map(|node| measured_with(node, &names::collectives(), &[16]));
    let cells = score::cells(&learned, &held_out.concat(), MARGIN).0;
    let of_all = of_all(&cells);
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
    let (learned, _) = learn(&short);
    let uninformed = learned.uninformed();
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

/// The scores of all cells with a collective that was learnt from.
fn of_all(cells: &[score::HeldOut]) -> score::Score {
    let mut scores = score::summary(cells);
    scores.retain(|score| score.collective == "all");
    scores.remove(0)
}

/// The choice is among what `predict` offers, which was learnt from; one algorithm with the default is a choice.
#[test]
fn a_choice_is_among_what_was_learnt() {
    let is_offered = |row: &Row| row.is_default() || row.label.algorithm == "ring";
    let mut train = measured(&["allreduce"], &[4, 8]);
    train.retain(is_offered);
    let learned = learn(&train).0;
    let test = measured(&["allreduce"], &[16]);
    let two: Vec<Row> = test.iter().filter(|row| is_offered(row)).cloned().collect();
    for rows in [&test, &two] {
        let cells = score::cells(&learned, rows, MARGIN).0;
        for choice in cells.iter().map(|cell| cell.choice.unwrap()) {
            let same = |row: &&Row| row.size.bytes == choice.bytes;
            let best = fastest(rows, rows.iter().find(same).unwrap()) as f64;
            let mut offered = two.iter().filter(same).map(|row| row.ns as f64 / best);
            assert!(offered.any(|ratio| (ratio - choice.ours).abs() < 1e-9));
        }
        assert!(cells.len() > 2);
    }
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
    let of_all = of_all(&score::cells(&learn(&train).0, &test, MARGIN).0);
    assert_eq!(
        (of_all.slowdown.geomean, of_all.slowdown.worst),
        (of_all.default.geomean, of_all.default.worst)
    );
    assert!(of_all.slowdown.worst.unwrap() < 0.71, "{of_all:?}");
}

/// Where the defaults of all other collectives are nearly the best, the one of a collective without a time is kept.
#[test]
fn a_default_stays_where_others_were_good() {
    let mut rows = measured(&["allreduce", "allgather", "bcast", "reduce"], &[4, 16]);
    for index in 0..rows.len() {
        if rows[index].is_default() {
            rows[index].ns = fastest(&rows, &rows[index]) * 101 / 100;
        }
    }
    let of = |rows: &[Row]| {
        let (test, train): (Vec<Row>, Vec<Row>) = rows
            .iter()
            .cloned()
            .partition(|row| row.label.collective == "reduce");
        score::summary(&score::cells(&learn(&train).0, &test, MARGIN).0).remove(0)
    };
    let kept = of(&rows);
    assert!(
        kept.is_unseen && kept.slowdown.worst.unwrap() < 1.011,
        "{kept:?}"
    );
    let left = of(&measured(
        &["allreduce", "allgather", "bcast", "reduce"],
        &[4, 16],
    ));
    assert!(left.slowdown.geomean < left.default.geomean, "{left:?}");
}

/// The root of a tree of blocks has them in the vector of the caller, and only its own block is copied. An array of 32 MiB is new in each call.
#[test]
fn trees_of_blocks_copy_one_block() {
    let index = |symbol: &str| PARAMETERS.iter().position(|known| known.symbol == symbol);
    let count = |collective: &str, name: &str, bytes: u64, symbol: &str| {
        let size = Size {
            ranks: 32,
            node: 1,
            bytes,
        };
        let (program, call) = names::find(collective, name, size).unwrap();
        machine().counts(program, &call).0[index(symbol).unwrap()]
    };
    for (collective, name) in [
        ("scatter", "binomial"),
        ("scatter", "bine"),
        ("gather", "binomial"),
        ("gather", "bine"),
    ] {
        let of = |bytes, symbol| count(collective, name, bytes, symbol);
        assert_eq!(of(1 << 20, "m_in"), f64::from(1 << 15));
        assert_eq!(of((1 << 26) - 64, "f_byte"), 0.0);
        assert_eq!(of(1 << 26, "f_byte"), f64::from(1 << 25));
    }
}

#[test]
fn calls_of_one_job_have_more_in_common() {
    let site = |nodes: f64| Site {
        collective: 0,
        algorithm: 0,
        log_bytes: 10.0,
        log_nodes: nodes.ln(),
        log_node: 0.0,
        shares: [0.0; PARAMETERS.len()],
        deviation: 0.2,
    };
    let [same, near] = [64.0, 65.0].map(|nodes| covariance(&site(64.0), &site(nodes)));
    assert!(near < 0.81 * same && near > 0.75 * same, "{near} {same}");
}

/// One time of 30 times too little is not learnt from, and is all that is not.
#[test]
fn a_time_that_no_other_agrees_with_is_left_out() {
    let mut rows = measured(&["allreduce", "bcast"], &[4, 8, 16]);
    assert_eq!(learn(&rows).0.surprising.len(), 0);
    let wrong = rows
        .iter()
        .position(|row| {
            row.label == label("allreduce", "recursive_doubling")
                && row.size.ranks == 8
                && row.size.bytes > 100_000
        })
        .unwrap();
    rows[wrong].ns /= 30;
    let (label, size, program) = (
        rows[wrong].label.clone(),
        rows[wrong].size,
        rows[wrong].program,
    );
    let (learned, _) = learn(&rows);
    let found: Vec<_> = learned.surprising.keys().cloned().collect();
    assert_eq!(found, [(label.clone(), size)]);
    assert!(learned.predict(&label, size, program).is_none());
    let near = Size {
        bytes: size.bytes + 1,
        ..size
    };
    let (program, call) = names::find("allreduce", "recursive_doubling", near).unwrap();
    let predicted = learned
        .predict(&label, near, Some((program, call)))
        .unwrap();
    let known = machine().log_ns(program, &call);
    assert!(
        (predicted.log_ns - known).abs() < 0.3,
        "{predicted:?} {known}"
    );
}

/// Times with several ranks per node say nothing of what a rank alone takes, where enough are known with one.
#[test]
fn ranks_of_a_node_do_not_change_what_one_takes() {
    let mut rows = all();
    let alone = learn(&rows).0.parameters;
    let several = measured_with(4, &["allgather"], &[6]);
    rows.extend(several.into_iter().map(|mut row| {
        row.ns *= 3;
        row
    }));
    let all = learn(&rows).0.parameters;
    assert_eq!(
        (alone.eager, &alone.values[..FLAT]),
        (all.eager, &all.values[..FLAT])
    );
    assert_ne!(alone.values[FLAT..], all.values[FLAT..]);
}

/// Rows whose default has the times of this algorithm.
fn with_default_of(mut rows: Vec<Row>, algorithm: &str) -> Vec<Row> {
    for index in 0..rows.len() {
        if rows[index].is_default() {
            let own = label("allreduce", algorithm);
            let is_same = |row: &&Row| row.label == own && row.cell() == rows[index].cell();
            rows[index].ns = rows.iter().find(is_same).unwrap().ns;
        }
    }
    rows
}

/// A default with the times of a ring in all cells takes those of a ring elsewhere, also where others are faster, and the ring saves nothing
/// over it. In a protocol of NCCL more bytes are sent than the vector has.
#[test]
fn a_default_runs_what_has_its_times() {
    for name in ["ring", "ring_ll_nccl"] {
        let mut rows = measured(&["allreduce"], &[4, 8, 16]);
        for index in 0..rows.len() {
            let Row { label, size, .. } = rows[index].clone();
            let of_protocol = names::find("allreduce", "ring_ll_nccl", size);
            if let Some((program, call)) = of_protocol.filter(|_| label.algorithm == "ring_nccl") {
                let ns = whole(machine().log_ns(program, &call));
                let own = self::label("allreduce", "ring_ll_nccl");
                rows.push(Row::new(own, size, ns, None));
            }
        }
        let rows = with_default_of(rows, name);
        let (learned, _) = learn(&rows);
        let size = Size {
            ranks: 12,
            ..rows[0].size
        };
        let (ring, default) = (label("allreduce", name), label("allreduce", "default_x"));
        let program = names::find("allreduce", name, size);
        let [ring_ns, default_ns] = [(&ring, program), (&default, None)]
            .map(|(label, program)| learned.predict(label, size, program).unwrap().log_ns);
        assert!(
            (ring_ns - default_ns).abs() < 1e-9,
            "{name}: {ring_ns} {default_ns}"
        );
        let saving = learned.saving((&ring, program), (&default, None), size);
        assert!(saving.unwrap().share().abs() < 1e-9, "{saving:?}");
    }
}

/// What was measured of a default alone is not known of algorithms: on 100 times the nodes, with more ranks per node, and in a collective of
/// which nothing else was measured, where its own times count.
#[test]
fn times_of_a_default_are_not_those_of_algorithms() {
    let mut rows = with_default_of(measured(&["allreduce"], &[4, 8]), "ring");
    let of_default = |rows: Vec<Row>| rows.into_iter().filter(Row::is_default);
    rows.extend(of_default(measured(&["allreduce"], &[512])));
    rows.extend(of_default(measured_with(4, &["allreduce"], &[8])));
    rows.extend(of_default(measured(&["bcast"], &[4, 8])));
    let learned = learn(&rows).0;
    let known = |collective: &str, name: &str, ranks, node| {
        let size = Size {
            ranks,
            node,
            bytes: 1 << 15,
        };
        let (own, default) = (label(collective, name), label(collective, "default_x"));
        let of = (&own, names::find(collective, name, size));
        let over = (&default, None);
        (
            learned.distance(collective, size),
            learned.known_saving(of, over, size).err(),
            learned.saving(of, over, size).unwrap().share(),
        )
    };
    let (distance, why, _) = known("allreduce", "rabenseifner", 512, 1);
    assert_eq!(distance, Distance::Beyond);
    assert!(why.unwrap().contains("16 times off"));
    let (distance, why, _) = known("allreduce", "rabenseifner", 32, 4);
    assert_eq!(distance, Distance::Node);
    assert!(why.unwrap().contains("an algorithm with 4 ranks"));
    let all = measured(&["bcast"], &[8]);
    let ns = |name: &str| {
        let is_it = |row: &&Row| row.label.algorithm == name && row.size.bytes == 1 << 15;
        all.iter().find(is_it).unwrap().ns as f64
    };
    for name in ["scatter_allgather", "linear", "binomial"] {
        let (distance, why, share) = known("bcast", name, 8, 1);
        assert_eq!(distance, Distance::Unseen);
        assert!(why.is_some());
        let saved = 1.0 - ns(name) / ns("default_x");
        assert!((share - saved).abs() < 0.4, "{name}: {share} for {saved}");
    }
}

/// NCCL's own choice for short vectors is a tree in LL, whose latency is below that of the model: that is no wrong label.
#[test]
fn a_protocol_may_be_faster_than_its_program() {
    let mut rows = measured(&["allreduce"], &[4, 8, 16]);
    for row in rows.clone().iter().filter(|row| row.is_default()) {
        let own = label("allreduce", "tree_ll_nccl");
        let faster = if row.size.bytes > 1 << 15 { 1 } else { 50 };
        rows.push(Row::new(own, row.size, row.ns / faster, None));
    }
    let rows = with_default_of(rows, "tree_ll_nccl");
    let rejected = learn(&rows).0.rejected;
    assert!(rejected.is_empty(), "{rejected:?}");
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
    assert!(score::cells(&learned, &train, MARGIN).0.is_empty());
    let scores = score::summary(&score::cells(&learned, &all, MARGIN).0);
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
            ("all unseen", true, 12),
            ("up to 2 x the nodes", false, 4),
            ("the default", false, 4)
        ]
    );
}

#[test]
fn a_profile_is_read_as_it_was_learnt() {
    let rows = [1, 4].map(|node| measured_with(node, &["reduce"], &[4, 8]));
    let (learned, _) = learn(&rows.concat());
    let profile = Profile::new(&learned, &[], Some("nodes<16"), &BTreeMap::new())
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
        let size = Size {
            ranks: 16,
            node: 1,
            bytes: 1024,
        };
        names::find(collective, name, size).map(|(program, call)| (program as usize, call.segment))
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
            "reduce_scatter_block",
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
        margin: MARGIN,
        other: None,
    };
    let (mut taken, mut left) = (0, 0);
    for (collective, bytes) in names::collectives()
        .iter()
        .flat_map(|name| [14, 20, 24].map(|power| (*name, 1u64 << power)))
    {
        let size = Size {
            ranks: 16,
            node: 1,
            bytes,
        };
        let true_ns = |known: &Numbered| {
            let (program, call) = names::find(collective, &format!("{}_ompi", known.name), size)?;
            Some(machine().log_ns(program, &call).exp())
        };
        {
            let function = learnt::function(collective).unwrap();
            let call = learnt::call(function, size).unwrap();
            let runs = |known: &&&Numbered| function.runs_as(known.number, 0, call) == known.number;
            let best = function
                .algorithms(Library::OpenMpi4)
                .iter()
                .filter(runs)
                .filter_map(|known| true_ns(known))
                .fold(f64::INFINITY, f64::min);
            let rules = deciding.rules(collective, &[size]);
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
    // Both kinds occur; how many depends on how sure a rule must be.
    assert!(taken > 4 && left > 4, "{taken} {left}");
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
        let size = |bytes| Size {
            ranks: 16,
            node: 1,
            bytes,
        };
        let deciding = Deciding {
            learned: &learned,
            names: &names,
            library: Library::OpenMpi4,
            margin: MARGIN,
            other: None,
        };
        let rules = ["allreduce", "bcast"]
            .map(|collective| deciding.rules(collective, &[1 << 10, 1 << 24].map(size)));
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

/// Of a machine of LogGOPS that is known as latency and bandwidth alone the times of algorithms are predicted: rounds of messages take as long
/// as there, and those inside a node as long as its level says. An interval holds both.
#[test]
fn pairs_tell_the_time_of_algorithms() {
    let network = LogGops {
        L: 2000,
        o: 300,
        g: 400,
        G: 100_000,
        O: 0,
        H: 0,
    };
    let node = Level {
        ranks: 8,
        machine: LogGops {
            L: 400,
            o: 100,
            g: 150,
            G: 50_000,
            ..network
        },
    };
    let levels = Levels::new(vec![node], network, Placement::Block, None).unwrap();
    let learned = Pairs::of_machine(&logp::Profile::Levels(levels))
        .unwrap()
        .profile()
        .learned();
    for (at, ranks, node) in [(network, 8u64, 1), (node.machine, 2, 2)] {
        let (others, rounds) = (ranks - 1, u64::from(ranks.ilog2()));
        for bytes in [64 << 10, 1 << 20] {
            let size = Size { ranks, node, bytes };
            // Inside a node memory, of which pairs say nothing, takes most of what combines.
            let all = [
                ("allreduce", "ring", 2 * others, ranks),
                ("allreduce", "recursive_doubling", rounds, 1),
                ("allgather", "ring", others, ranks),
                ("bcast", "binomial_mpich", rounds, 1),
                ("alltoall", "pairwise", others, ranks),
            ];
            for (collective, name, rounds, part) in all.into_iter().skip(2 * usize::from(node > 1))
            {
                let program = names::find(collective, name, size);
                let predicted = learned.predict(&label(collective, name), size, program);
                let [low, middle, high] = predicted.unwrap().ns();
                let ns = (rounds * at.at(bytes / part).unwrap().D()) as f64;
                let is_near = (0.4..2.0).contains(&(ns / middle));
                assert!(
                    is_near && (low..high).contains(&ns),
                    "{collective} {name} {size:?}: {low} {middle} {high} for {ns}"
                );
            }
        }
    }
}

/// With several ranks per node the model knows which messages leave the node, and how many at once.
#[test]
fn ranks_of_a_node_share_its_way_out() {
    let machine = machine();
    let ns = |collective: &str, name: &str, ranks, node| {
        let size = Size {
            ranks,
            node,
            bytes: 1 << 24,
        };
        let (program, call) = names::find(collective, name, size)?;
        Some(machine.log_ns(program, &call).exp())
    };
    for collective in names::collectives() {
        for name in names::program_names(collective) {
            let [alone, inside, shared] = [1, 32, 8].map(|node| ns(collective, &name, 32, node));
            // Algorithms for levels are none on one.
            assert_eq!(
                (alone.is_some(), inside.is_some()),
                (!name.contains('+'), !name.contains('+'))
            );
            assert!(
                shared.is_some_and(f64::is_finite) && (alone != inside || alone.is_none()),
                "{collective} {name}"
            );
        }
    }
    let ns = |collective, name, ranks, node| ns(collective, name, ranks, node).unwrap();
    // Lanes send a part of the vector each, leaders all of it.
    let of = |name| ns("allreduce", name, 64, 8);
    assert!(of("lanes_ring+ring") < 0.7 * of("leaders_binomial+ring"));
    // Halving sends its longest messages out of the node, Bine inside.
    let mut narrow = self::machine();
    narrow.values[17] *= 10.0;
    let ns = |name: &str| {
        let size = Size {
            ranks: 64,
            node: 8,
            bytes: 1 << 24,
        };
        let (program, call) = names::find("reduce_scatter", name, size).unwrap();
        narrow.log_ns(program, &call).exp()
    };
    assert!(ns("recursive_halving") > 1.5 * ns("bine_permute_remap"));
}

#[test]
fn what_was_not_measured_is_told_by_distance() {
    let mut rows = [
        measured(&["bcast"], &[8, 16]),
        measured_with(4, &["reduce"], &[8]),
    ]
    .concat();
    // A chain in chunks of one size is two lines, so a size that is left out is missed more than a number of nodes; the defaults are it.
    rows.retain(|row| !row.label.algorithm.ends_with("_nccl") && !row.is_default());
    let learned = learn(&rows).0;
    let at = |collective: &str, nodes: u64, node: u64| {
        let size = Size {
            ranks: nodes * node,
            node,
            bytes: 1 << 20,
        };
        let label = label(collective, "binomial");
        let program = names::find(collective, "binomial", size);
        let deviation = learned.predict(&label, size, program).unwrap().deviation;
        (learned.distance(collective, size), deviation)
    };
    let all = [
        at("bcast", 8, 1),
        at("bcast", 32, 1),
        at("bcast", 64, 1),
        at("bcast", 16, 8),
        at("gather", 8, 1),
    ];
    assert_eq!(
        all.map(|(distance, _)| distance),
        [
            Distance::Near,
            Distance::Nodes,
            Distance::Beyond,
            Distance::Node,
            Distance::Unseen
        ]
    );
    let deviations = all.map(|(_, deviation)| deviation);
    assert!(
        deviations[..4].is_sorted() && deviations[3] > 2.0 * deviations[1],
        "{deviations:?}"
    );
}

/// A bias of 0.2 and errors of twice their deviations, in a collective with many trials and in one with few.
#[test]
fn a_correction_follows_the_trials_of_its_group() {
    let trial = |number: usize, collective: usize| Trial {
        group: (collective, 1),
        predicted: if collective == 0 { 0.2 } else { 0.0 },
        deviation: 0.1,
        measured: if number.is_multiple_of(2) { 0.2 } else { -0.2 },
    };
    let trials = (0..400).map(|number| trial(number, usize::from(number >= 380)));
    let trials = [((What::Saving, Without::Size), trials.collect())].into();
    let of = |group, distance| correction(&trials, What::Saving, distance, group);
    let Correction { bias, wider } = of((0, 1), Distance::Near);
    assert!(
        (bias - 0.19).abs() < 0.02 && (wider - 1.3).abs() < 0.1,
        "{bias} {wider}"
    );
    assert!(of((1, 1), Distance::Near).bias < bias && of((1, 4), Distance::Node).wider >= 1.2);
    // No trial leaves a collective out.
    let before = of((0, 1), Distance::Unseen);
    assert!(before.bias == 0.0 && (before.wider - 1.5).abs() < 1e-3);
}

/// A measured name is of one algorithm of a library, that with the library first; the segments and protocols of names stay apart.
#[test]
fn names_are_of_one_algorithm_of_a_library() {
    fn found(library: Library, collective: &str, theirs: &str, all: &[&str]) -> String {
        let all = all.iter().map(|name| (*name, *name));
        let found = names::measured_as(library, collective, theirs, all);
        found.into_values().collect::<Vec<_>>().join(" ")
    }
    let (ompi, mpich) = (Library::OpenMpi4, Library::Mpich43);
    let halving = ["recursive_halving_ompi"];
    for (theirs, expected) in [("recursive_halving", halving[0]), ("butterfly", "")] {
        assert_eq!(found(ompi, "reduce_scatter", theirs, &halving), expected);
    }
    let rings = [
        "ring",
        "ring_mpich",
        "ring_ompi",
        "ring_cray",
        "segmented_ring_ompi",
    ];
    assert_eq!(found(ompi, "allreduce", "ring", &rings), "ring_ompi");
    assert_eq!(
        found(mpich, "allreduce", "ring", &["ring", "ring_cray"]),
        "ring"
    );
    assert_eq!(found(mpich, "alltoall", "scattered", &["linear"]), "linear");
    let pipelines = [
        "pipeline_ompi_1024",
        "pipeline",
        "pipeline_65536",
        "pipeline_ompi_65536",
    ];
    let cut = "pipeline pipeline_ompi_1024 pipeline_ompi_65536";
    assert_eq!(found(ompi, "bcast", "pipeline", &pipelines), cut);
    let protocols = ["ring_ll_nccl", "ring_simple_nccl", "ring_ll_rccl"];
    let of_nccl = "ring_simple_nccl ring_ll_nccl";
    assert_eq!(
        found(Library::Nccl, "allreduce", "ring", &protocols),
        of_nccl
    );
}

/// What the catalogue has of NCCL has a program, in every protocol.
#[test]
fn algorithms_of_nccl_have_programs() {
    let size = Size {
        ranks: 64,
        node: 4,
        bytes: 1 << 20,
    };
    let mut found = 0;
    for collective in names::collectives() {
        for library in [Library::Nccl, Library::Rccl] {
            let function = learnt::function_of(library, collective).unwrap();
            let family = names::family(library);
            for known in function.algorithms(library) {
                let call = |protocol: &str| {
                    let name = format!("{}{protocol}_{family}", known.name);
                    Some(names::find(collective, &name, size)?.1.bytes)
                };
                assert_eq!(call("").is_some(), !known.ours.is_empty(), "{}", known.name);
                if let Some(bytes) = call("") {
                    let expected = [1.0, 2.0, 16.0 / 15.0].map(|factor| Some(factor * bytes));
                    assert_eq!(["_simple", "_ll", "_ll128"].map(call), expected);
                    found += 1;
                }
            }
        }
    }
    assert!(found >= 16, "{found}");
    assert_eq!(
        names::find("allreduce", "ring_ll_ompi", size).map(|_| ()),
        None
    );
}

/// Beside a rule for short vectors the ring stays for long ones, where the default runs it: without a line NCCL would run them on one
/// channel. Without any rule there is no line.
#[test]
fn a_file_for_nccl_keeps_the_calls_beside_its_rules() {
    let mut rows = measured_with(4, &["allreduce"], &[2, 8, 16]);
    rows.retain(|row| row.is_default() || row.label.algorithm.ends_with("_nccl"));
    let rings = rows.iter().filter(|row| row.label.algorithm == "ring_nccl");
    let rings: BTreeMap<Size, u64> = rings.map(|row| (row.size, row.ns)).collect();
    for row in rows.iter_mut().filter(|row| row.is_default()) {
        row.label.algorithm = "default_nccl".to_owned();
        if row.size.bytes > 1 << 16 {
            row.ns = rings[&row.size];
        }
    }
    let (learned, names) = (learn(&rows).0, BTreeMap::new());
    let deciding = Deciding {
        learned: &learned,
        names: &names,
        library: Library::Nccl,
        margin: MARGIN,
        other: None,
    };
    let taken = |sizes: &[u64]| -> Vec<_> {
        let of = |&bytes| Size {
            ranks: 64,
            node: 4,
            bytes,
        };
        let sizes: Vec<Size> = sizes.iter().map(of).collect();
        let rules = deciding.rules("allreduce", &sizes).into_iter();
        rules
            .map(|rule| {
                (
                    rule.take.map(|take| take.ours),
                    rule.why.contains("one channel"),
                )
            })
            .collect()
    };
    assert_eq!(taken(&[1 << 27]), [(None, false)]);
    let tree = Some("allreduce-double-tree-chain");
    assert_eq!(
        taken(&[1 << 9, 1 << 27]),
        [(tree, false), (Some("allreduce-ring"), true)]
    );
}

/// The tree with LL is for short vectors, the ring for long ones, and a rule says so where its choice is measured to be slow.
#[test]
fn a_rule_for_nccl_takes_the_faster_one() {
    let mut rows = measured_with(4, &["allreduce"], &[2, 8, 16]);
    rows.retain(|row| row.is_default() || row.label.algorithm.ends_with("_nccl"));
    for row in rows.iter_mut().filter(|row| row.is_default()) {
        row.label.algorithm = "default_nccl".to_owned();
    }
    // Without a fence a message starts in a third of the time.
    let trees = rows
        .iter()
        .filter(|row| row.label.algorithm.starts_with("tree"));
    let with_flags = trees.map(|row| {
        let ns = if row.size.bytes < 1 << 16 {
            row.ns / 3
        } else {
            row.ns * 2
        };
        Row::new(label("allreduce", "tree_ll_nccl"), row.size, ns, None)
    });
    rows.extend(with_flags.collect::<Vec<_>>());
    let (learned, names) = (learn(&rows).0, BTreeMap::new());
    let deciding = Deciding {
        learned: &learned,
        names: &names,
        library: Library::Nccl,
        margin: MARGIN,
        other: None,
    };
    let sizes = [1 << 12, 1 << 27].map(|bytes| Size {
        ranks: 64,
        node: 4,
        bytes,
    });
    let rules = deciding.rules("allreduce", &sizes);
    // Between the two sizes NCCL would run a call without a rule on one channel.
    let bytes = rules.iter().map(|rule| rule.bytes);
    assert_eq!(
        bytes.collect::<Vec<_>>(),
        [[1 << 12, (1 << 27) - 1], [1 << 27; 2]]
    );
    let taken = rules.iter().filter_map(|rule| rule.take);
    assert_eq!(
        taken
            .map(|take| (take.ours, take.protocol))
            .collect::<Vec<_>>(),
        [
            ("allreduce-double-tree-chain", Some("ll")),
            ("allreduce-ring", None)
        ]
    );
    // NCCL's plugin reads the same from the file, which is written from the table as it is read back.
    let table = Table {
        notes: Vec::new(),
        rules,
    };
    let table = Table::parse(&table.text().unwrap()).unwrap();
    let file = Dialect::Nccl.write(&table, None).unwrap().text;
    for (size, [algorithm, protocol]) in sizes.iter().zip([["tree", "ll"], ["ring", "simple"]]) {
        let chosen = plugin(&file, "allreduce", size.bytes, [16, 64]);
        let expected = (algorithm.to_owned(), protocol.to_owned(), 0);
        assert_eq!(chosen, Some(expected), "{file}");
    }
}
