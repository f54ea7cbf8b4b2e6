//! Damaged outputs of benchmarks: each reader takes their times or says what is wrong, and never panics.

use super::{Benchmark, Measurements, Stated};
use crate::verify::tests::{Random, damaged, inputs};

const COLTUNE: [(&str, &str); 2] = [
    ("detail.out", include_str!("seeds/detail.out")),
    ("3_4ranks_run0.out", include_str!("seeds/osu.txt")),
];
const OSU: [(&str, &str); 2] = [
    ("osu.txt", include_str!("seeds/osu.txt")),
    ("osu-pair.txt", include_str!("seeds/osu-pair.txt")),
];
const IMB: [(&str, &str); 1] = [("imb.txt", include_str!("seeds/imb.txt"))];
const NCCL: [(&str, &str); 4] = [
    ("nccl.txt", include_str!("seeds/nccl.txt")),
    ("nccl-old.txt", include_str!("seeds/nccl-old.txt")),
    ("nccl-1.json", include_str!("seeds/nccl-1.json")),
    ("nccl-3.json", include_str!("seeds/nccl-3.json")),
];
const REPROMPI: [(&str, &str); 3] = [
    ("reprompi-raw.txt", include_str!("seeds/reprompi-raw.txt")),
    (
        "reprompi-processes.txt",
        include_str!("seeds/reprompi-processes.txt"),
    ),
    (
        "reprompi-summary.txt",
        include_str!("seeds/reprompi-summary.txt"),
    ),
];
const PICO: [(&str, &str); 2] = [
    (
        "1024_reduce_scatter_ring_ompi_int32.csv",
        include_str!("seeds/1024_reduce_scatter_ring_ompi_int32.csv"),
    ),
    (
        "256_allreduce_bine_over.csv",
        include_str!("seeds/256_allreduce_bine_over.csv"),
    ),
];

/// Reads damaged texts: some still have all their times, some fewer, some none.
fn read(benchmark: Benchmark, seeds: &[(&str, &str)]) {
    let stated = Stated {
        element: (benchmark == Benchmark::Pico).then_some(4),
        nodes: Some(2),
        collective: (benchmark == Benchmark::Coltune).then_some("bcast"),
        algorithm: (benchmark != Benchmark::Coltune).then(|| "ring".to_owned()),
        ..Stated::default()
    };
    let (mut taken, mut refused) = (0, 0);
    for seed in 0..inputs() {
        let mut random = Random(seed);
        let (name, text) = seeds[random.below(seeds.len())];
        let text = damaged(text.as_bytes(), &mut random);
        let text = String::from_utf8_lossy(&text);
        let _ = Benchmark::recognise(name, &text);
        let mut all = Measurements::default();
        match benchmark.read(name, &text, &stated) {
            Ok(sheet) => taken += usize::from(all.add(benchmark, sheet, &stated).is_ok()),
            Err(wrong) => {
                let lines = text.lines().count() as u64 + 1;
                assert!(
                    !wrong.message.is_empty() && wrong.line.is_none_or(|line| line <= lines),
                    "{wrong}"
                );
                refused += 1;
            }
        }
        assert!(all.rows().all(|row| row.median_ns > 0 && row.key.ranks > 0));
    }
    assert!(taken > 0 && refused > 0, "{taken} taken, {refused} refused");
}

#[test]
fn damaged_tables_of_open_mpi_are_read_or_refused() {
    read(Benchmark::Coltune, &COLTUNE);
}

#[test]
fn damaged_osu_is_read_or_refused() {
    read(Benchmark::Osu, &OSU);
}

#[test]
fn damaged_imb_is_read_or_refused() {
    read(Benchmark::Imb, &IMB);
}

#[test]
fn damaged_nccl_is_read_or_refused() {
    read(Benchmark::Nccl, &NCCL);
}

#[test]
fn damaged_reprompi_is_read_or_refused() {
    read(Benchmark::Reprompi, &REPROMPI);
}

#[test]
fn damaged_pico_is_read_or_refused() {
    read(Benchmark::Pico, &PICO);
}

/// The name of a file says each benchmark apart.
#[test]
fn every_seed_is_recognized() {
    let all: [(_, &[_]); 6] = [
        (Benchmark::Coltune, &COLTUNE),
        (Benchmark::Osu, &OSU),
        (Benchmark::Imb, &IMB),
        (Benchmark::Nccl, &NCCL),
        (Benchmark::Reprompi, &REPROMPI),
        (Benchmark::Pico, &PICO),
    ];
    for (benchmark, (name, text)) in all
        .iter()
        .flat_map(|(of, seeds)| seeds.iter().map(move |seed| (of, seed)))
    {
        assert_eq!(Benchmark::recognise(name, text), Some(*benchmark), "{name}");
    }
    assert_eq!(Benchmark::recognise("notes.txt", "a text of ours\n"), None);
}

/// A row of nccl-tests with one side has the right one where the left one is blank; else it is cut.
#[test]
fn a_row_of_nccl_with_one_side_is_in_place_or_cut() {
    let text = NCCL[0].1;
    let (left, right) = (
        "  1282.93   26.15   39.23       0",
        "  1266.72   26.49   39.73       0",
    );
    let stated = Stated::default();
    let read = |text: &str| {
        let sheet = Benchmark::Nccl.read("nccl.txt", text, &stated)?;
        let key = sheet.cells.keys().find(|key| key.in_place.is_some());
        Ok(key.and_then(|key| key.in_place))
    };
    assert!(text.contains(&format!("{left}{right}")), "{text}");
    assert_eq!(read(text), Ok(Some(false)));
    let blank = text.replace(left, &" ".repeat(left.len()));
    let sheet = Benchmark::Nccl.read("nccl.txt", &blank, &stated).unwrap();
    assert!(sheet.cells.keys().any(|key| key.in_place == Some(true)));
    let wrong: super::Unread = read(&text.replace(right, "")).unwrap_err();
    assert!(
        wrong.line == Some(14) && wrong.message.contains("the row is cut"),
        "{wrong}"
    );
}

/// `detail.out` has a cell for each algorithm by Open MPI's name for its number, and runs have that of their name.
#[test]
fn tables_of_open_mpi_name_algorithms_by_numbers() {
    let stated = Stated {
        collective: Some("bcast"),
        ranks_per_node: Some(1),
        ..Stated::default()
    };
    let read = |name: &str, text: &str, stated: &Stated| {
        let sheet = Benchmark::Coltune.read(name, text, stated)?;
        let skipped = sheet.skipped.0;
        let mut all = Measurements::default();
        all.add(Benchmark::Coltune, sheet, stated).unwrap();
        Ok::<_, super::Unread>((all.rows().collect::<Vec<_>>(), skipped))
    };
    let (rows, skipped) = read("detail.out", COLTUNE[0].1, &stated).unwrap();
    let of = |ranks: u32, bytes: u64| -> Vec<(&str, u64, u32)> {
        let own = rows
            .iter()
            .filter(|row| row.key.ranks == ranks && row.key.bytes == bytes);
        own.map(|row| (row.key.algorithm.as_str(), row.median_ns, row.key.nodes))
            .collect()
    };
    assert_eq!((rows.len(), skipped), (13, 3));
    assert_eq!(
        of(4, 16384),
        [
            ("basic_linear_ompi", 7_968_810, 4),
            ("chain_ompi", 306_960, 4),
            ("default_ompi", 5_675_370, 4)
        ]
    );
    assert_eq!(of(2, 1).len(), 4);
    let old = "#Nnodes Message_size basic_linear tuned\n2 8 64.33(0.94) 107.78(0.61)\n";
    let (rows, _) = read("x", old, &stated).unwrap();
    assert_eq!(
        rows.iter()
            .map(|row| row.key.algorithm.as_str())
            .collect::<Vec<_>>(),
        ["basic_linear_ompi", "default_ompi"]
    );
    for (text, explanation) in [
        ("#Nranks Message_size 0 1\n2 1 5.0(0.1)\n", "the row is cut"),
        (
            "#Nranks Message_size 0 77\n2 1 5.0 6.0\n",
            "no algorithm 77 of bcast",
        ),
        (
            "#Nranks Message_size Best_Algorithm Best_Latency\n2 1 3 5.0\n",
            "name detail.out",
        ),
    ] {
        let wrong = read("x", text, &stated).unwrap_err();
        assert!(wrong.message.contains(explanation), "{wrong}");
    }
    let unstated = Stated {
        nodes: Some(2),
        ..Stated::default()
    };
    let sheet = Benchmark::Coltune.read("x", old, &unstated).unwrap();
    let wrong = Measurements::default().add(Benchmark::Coltune, sheet, &unstated);
    assert!(wrong.unwrap_err().contains("--collective"));
    let run = "# OSU MPI Broadcast Latency Test v7.4\n# Size       Avg Latency(us)\n8   3.5\n";
    let (rows, _) = read("3_4ranks_run0.out", run, &stated).unwrap();
    assert_eq!(
        (rows[0].key.algorithm.as_str(), rows[0].key.ranks),
        ("pipeline_ompi", 4)
    );
}
