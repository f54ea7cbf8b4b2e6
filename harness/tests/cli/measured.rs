//! Measurements read back: summarised, predicted, drawn.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ::measure::statistics::Median;
use castbench::output::built_in::BuiltIn;
use castbench::space::machine::Machine;

use crate::common::measured::{number, rows};
use crate::common::{castbench_in, copy_measurements, expect, texts};
use crate::measure::{SMALL, measured, naming};

/// The summary is rebuilt from the measurements, with the measured configuration only.
#[test]
fn measurements_are_summarised_again() {
    let directory = tempfile::tempdir().unwrap();
    let printed = measured(directory.path(), SMALL, "m");
    let files = ["summary.csv", "manifest.json", "measurements.csv"];
    let read =
        || files.map(|name| fs::read_to_string(directory.path().join("m").join(name)).unwrap());
    let before = read();
    let again = "measure c.toml --out m --format csv --summarise";
    fs::write(directory.path().join("m/summary.csv"), "").unwrap();
    assert_eq!(crate::common::printed(directory.path(), again), Ok(printed));
    assert_eq!(read(), before);
    let refused = |code: i32, reason: &str| expect(directory.path(), again, code, reason);
    fs::write(
        directory.path().join("c.toml"),
        SMALL.replace("seed = 7", "seed = 8"),
    )
    .unwrap();
    refused(
        3,
        "differs from the configuration that `m` was measured with",
    );
    fs::write(directory.path().join("c.toml"), SMALL).unwrap();
    fs::write(
        directory.path().join("m/measurements.csv"),
        before[2].replace(",3,", ",4,"),
    )
    .unwrap();
    refused(74, "it differs from the file that manifest.json describes");
    assert_eq!(read()[..2], before[..2]);
}

/// All ranks are on this host, and three repetitions decide little: the caption says both.
#[test]
fn a_figure_says_where_its_model_does_not_apply() {
    let directory = tempfile::tempdir().unwrap();
    measured(directory.path(), SMALL, "m");
    let line = "figures --from m --y median --x K --problem logp-multicast --at bytes=1,hosts=1 --out x.svg --caption x.txt";
    expect(directory.path(), line, 0, "");
    let caption = fs::read_to_string(directory.path().join("x.txt")).unwrap();
    for part in [
        "with confidence intervals of 75.0 %",
        "all ranks share one host: LogP assumes a processor",
    ] {
        assert!(caption.contains(part), "{caption}");
    }
}

/// A directory without a measurement is neither created nor changed.
#[test]
fn no_summary_without_a_measurement() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("c.toml"), SMALL).unwrap();
    fs::create_dir(directory.path().join("other")).unwrap();
    for out in ["typo", "typo/deep", "other"] {
        let missing = format!("cannot read `{out}/manifest.json`: No such file");
        let errors = expect(
            directory.path(),
            &format!("measure c.toml --out {out} --summarise"),
            74,
            &missing,
        );
        assert!(
            errors.contains("the directory has no measurement, name the --out"),
            "{errors}"
        );
    }
    assert!(!directory.path().join("typo").exists());
    assert_eq!(
        fs::read_dir(directory.path().join("other"))
            .unwrap()
            .count(),
        0
    );
}

/// The committed summary matches the committed measurements. Fairly shared links predict each median within 3 %, and
/// within 2 % for 8 nodes, as does LogP where each node has its own host.
#[test]
fn committed_measurements_are_predicted() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let directory = tempfile::tempdir().unwrap();
    let read = |directory: &Path| {
        ["summary.csv", "manifest.json"]
            .map(|name| fs::read_to_string(directory.join(name)).unwrap())
    };
    let committed = root.join("reports/measured");
    for name in [
        "summary.csv",
        "manifest.json",
        "measurements.csv",
        "nodes.csv",
    ] {
        fs::copy(committed.join(name), directory.path().join(name)).unwrap();
    }
    let config = root
        .join("configs/measure-emulated.toml")
        .into_os_string()
        .into_string()
        .unwrap();
    let output = castbench_in(
        directory.path(),
        &[
            "measure",
            &config,
            "--out",
            ".",
            "--summarise",
            "--format",
            "csv",
        ],
    );
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(read(directory.path()), read(&committed));
    let summary = rows(&read(&committed)[0]);
    assert_eq!(summary.len(), 52);
    for row in &summary {
        let (median, predicted) = (number(row, "median_ns"), number(row, "link_sharing_ns"));
        let percent = if row["K"] == "8" { 2 } else { 3 };
        assert!(
            median.abs_diff(predicted) * 100 <= predicted * percent,
            "{row:?}"
        );
        assert!(
            row["hosts"] != row["K"] || predicted == number(row, "model_ns"),
            "{row:?}"
        );
    }
}

/// Sends of one node are `g + (s-1)G` apart. A line through the medians of the committed gaps gives g = 0 as in the
/// profile, and the profile's G within 0.3 %.
#[test]
fn the_profile_fits_the_gaps_that_were_measured() {
    let read = |name: &str| {
        let path =
            Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../reports/measured")).join(name);
        rows(&fs::read_to_string(path).unwrap())
    };
    let measurements = read("measurements.csv");
    let own_hosts = measurements
        .iter()
        .filter(|row| row["measurement"] == "own-hosts");
    let sizes: BTreeMap<u64, u64> = own_hosts
        .map(|row| (number(row, "number"), number(row, "bytes")))
        .collect();
    let mut received: BTreeMap<(u64, u64), Vec<u64>> = BTreeMap::new();
    for row in read("nodes.csv")
        .iter()
        .filter(|row| !row["sender"].is_empty())
    {
        received
            .entry((number(row, "number"), number(row, "sender")))
            .or_default()
            .push(number(row, "received_ns"));
    }
    let mut gaps: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for ((execution, _), mut times) in received {
        let Some(&bytes) = sizes.get(&execution) else {
            continue;
        };
        times.sort_unstable();
        gaps.entry(bytes)
            .or_default()
            .extend(times.windows(2).map(|pair| pair[1] - pair[0]));
    }
    let medians: Vec<(f64, f64)> = gaps
        .into_iter()
        .map(|(bytes, gaps)| {
            (
                bytes as f64 - 1.0,
                Median::from_times(gaps).unwrap().median as f64,
            )
        })
        .collect();
    let [(short, first), (long, second)] = medians[..] else {
        panic!("{medians:?}")
    };
    let machine = Machine::find("ethernet100-switched", Path::new(""))
        .ok()
        .flatten()
        .unwrap()
        .parameters();
    let slope = (second - first) / (long - short);
    assert!(
        (1e6 * slope / machine.G as f64 - 1.0).abs() < 0.003,
        "{slope} ns a byte"
    );
    assert!(
        machine.g == 0 && first < slope * short,
        "{} ns",
        first - slope * short
    );
}

/// Only measurements that match their manifest are drawn.
#[test]
fn measured_times_are_drawn() {
    let directory = tempfile::tempdir().unwrap();
    let figure = r#"
schema = 1
[[grid]]
name = "g"
algorithms = ["chain"]
L = [6]
o = [2]
g = [4]
K = [4]
[[figures.lines]]
file = "measured.svg"
title = "Measured"
measurements = "m"
x = "K"
algorithms = ["halving", "fibonacci"]
at = { bytes = "100kB" }
with = ["predicted"]
panels = [{ heading = "one host", at = { hosts = 1 } }]
"#;
    fs::write(directory.path().join("f.toml"), figure).unwrap();
    expect(directory.path(), "run f.toml", 0, "");
    let svg = directory.path().join("reports/figures/measured.svg");
    assert!(!svg.exists(), "nothing was measured");
    measured(directory.path(), SMALL, "reports/m");
    let refused =
        |code: i32, reason: &str| expect(directory.path(), "figures f.toml", code, reason);
    refused(0, "");
    let drawn = fs::read_to_string(&svg).unwrap();
    assert!(
        drawn.contains("one host") && drawn.contains("at least 3 repetitions"),
        "{drawn}"
    );
    assert!(
        !drawn.contains("max-min fairly"),
        "one host has no link: {drawn}"
    );
    fs::write(
        directory.path().join("f.toml"),
        figure.replace("hosts = 1", "hosts = 8"),
    )
    .unwrap();
    let missing =
        "`reports/m` has no rows of `halving`, `fibonacci` along K at bytes = 100000 B, hosts = 8";
    refused(4, &format!("{missing}; measure them"));
    fs::write(
        directory.path().join("f.toml"),
        figure.replace("bytes = \"100kB\"", ""),
    )
    .unwrap();
    refused(
        3,
        "several measurements of halving at K = 2 differ in bytes; hold that with `at`",
    );
}

/// A last panel has the predictions of all times over the measured ones, on which they lie. Errors have the same sign.
#[test]
fn errors_of_predictions_have_a_panel() {
    let directory = tempfile::tempdir().unwrap();
    let reports = directory.path().join("reports");
    copy_measurements(&reports.join("measured"));
    let figures = BuiltIn::Default.text();
    let (_, figure) = figures
        .split_once("file = \"figure-6-measured.svg\"")
        .unwrap();
    let (figure, _) = figure.split_once("[[figures.lines]]").unwrap();
    let grid =
        "[[grid]]\nname = \"g\"\nalgorithms = [\"chain\"]\nL = [6]\no = [2]\ng = [4]\nK = [4]\n";
    let config = format!("schema = 1\n{grid}[[figures.lines]]\nfile = \"f.svg\"{figure}");
    fs::write(directory.path().join("f.toml"), config).unwrap();
    expect(directory.path(), "run f.toml", 0, "");
    let drawn = |options: &str| {
        let line = format!("figures f.toml --out drawn {options}");
        expect(directory.path(), line.trim(), 0, "drew");
        fs::read_to_string(directory.path().join("drawn/f.svg")).unwrap()
    };
    let all = texts(&drawn(""));
    assert!(all.contains("8 hosts, round-robin") && all.contains("all: predicted / measured"));
    assert!(all.contains("largest error -33.6 %"), "{all}");
    let errors = drawn("--panels 6 --no-caption");
    let points = errors.matches("<circle").count();
    assert_eq!(
        points,
        15 + 1,
        "three points of halving for each of five panels, and its name"
    );
    assert!(!texts(&errors).contains("round-robin") && texts(&errors).contains("0.985"));
    let line = "figures f.toml --out drawn --panels 7";
    expect(directory.path(), line, 2, "--panels 7: it has 6 panels");
}

/// Any axis can be drawn along, points that differ in one axis are distinct, and the library is drawn beside the trees.
#[test]
fn measured_times_are_drawn_along_any_axis() {
    let directory = tempfile::tempdir().unwrap();
    let config = naming(
        SMALL,
        "algorithms = [\"broadcast-chain\"]\nports = [\"duplex\", \"strict\"]",
    )
    .replace("K = [2, 5]\nsource = 2\n", "K = [2, 3]\nm = [1, 4]\n");
    measured(directory.path(), &config.replace("\"1B\", ", ""), "m");
    let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/../reports");
    fs::create_dir(directory.path().join("swept")).unwrap();
    let drawn = |from: &str, options: &[&str]| {
        let one = ["figures", "--y", "median", "--out", "f.svg", "--from", from];
        let output = castbench_in(directory.path(), &[&one, options].concat());
        match output.status.code() {
            Some(0) => fs::read_to_string(directory.path().join("f.svg")).unwrap(),
            code => format!("{code:?} {}", String::from_utf8_lossy(&output.stderr)),
        }
    };
    let duplex = "hosts=1,ports=duplex";
    let along_m = drawn("m", &["--x", "m", "--by", "K", "--at", duplex]);
    let has_both =
        along_m.contains("\nK = 2, measured\n") && along_m.contains("\nK = 3, measured\n");
    assert!(
        has_both && along_m.contains("hosts = 1, ") && along_m.contains("m = 1, 4"),
        "{along_m}"
    );
    let ports = drawn("m", &["--x", "m", "--by", "K", "--at", "hosts=1"]);
    assert!(ports.contains("differ in ports; hold that"), "{ports}");
    let ports = drawn("m", &["--x", "m", "--by", "ports", "--at", "hosts=1,K=3"]);
    let has_both =
        ports.contains("ports = duplex, measured") && ports.contains("ports = strict, measured");
    assert!(has_both, "{ports}");
    let along_K = drawn("m", &["--x", "K", "--at", duplex]);
    assert!(
        along_K.contains("several measurements of broadcast-chain at K = 2 differ in m; hold that"),
        "{along_K}"
    );
    let apart = drawn("m", &["--x", "K"]);
    assert!(
        apart.starts_with("Some(4)") && apart.contains("hold `hosts` where nodes share hosts"),
        "{apart}"
    );
    let held = &["--x", "hold_ps_per_byte", "--at", "bytes=1MiB,K=8"];
    let held = drawn(&format!("{committed}/measured"), held);
    assert!(
        held.contains("No line is the fastest at every value of hold_ps_per_byte."),
        "{held}"
    );
    let hosts = &[
        "--x",
        "hosts",
        "--at",
        "bytes=1MiB,K=12,hold_ps_per_byte=0,mapping=neighbours",
    ];
    let hosts = drawn(&format!("{committed}/measured"), hosts);
    assert!(hosts.contains("hosts = 8, 12"), "{hosts}");
    let library = drawn(
        &format!("{committed}/measured-mpi"),
        &["--x", "K", "--at", "bytes=64KiB"],
    );
    assert!(
        library.contains("\nMPI_Bcast, measured\n") && library.contains("\nMPI_Ibcast, measured\n"),
        "{library}"
    );
    let nothing = drawn("swept", &["--x", "K"]);
    assert!(
        nothing.starts_with("Some(74)") && nothing.contains("the directory has no measurement"),
        "{nothing}"
    );
}

/// A figure of damaged measurements is refused, with what was found.
#[test]
fn damaged_measurements_are_reported() {
    const EDITED: &str = "it was edited: its digest does not match its content; summarise again";
    let directory = tempfile::tempdir().unwrap();
    let measured = directory.path().join("measured");
    copy_measurements(&measured);
    let read = |name: &str| fs::read_to_string(measured.join(name)).unwrap();
    let (manifest, summary) = (read("manifest.json"), read("summary.csv"));
    let draw =
        "figures --from measured --y median --x K --at bytes=1MiB,hold_ps_per_byte=0 --out x.svg";
    let explanation = |reason: &str| expect(directory.path(), draw, 74, reason);
    fs::write(
        measured.join("summary.csv"),
        summary.replace("268842986", "168842986"),
    )
    .unwrap();
    explanation("it differs from the file that manifest.json describes; summarise again");
    fs::remove_file(measured.join("summary.csv")).unwrap();
    explanation("cannot read `measured/summary.csv`");
    fs::write(measured.join("summary.csv"), &summary).unwrap();
    expect(
        directory.path(),
        "figures --from measured",
        74,
        "it belongs to a measurement, not to a sweep",
    );
    for (from, to, reason) in [
        (
            "\"schema\": 3",
            "\"schema\": 2",
            "its schema is 2, this castbench reads 3",
        ),
        ("summary.csv", "summary.txt", EDITED),
        ("\"own-hosts\"", "\"other\"", EDITED),
        ("\"started\"", "\"began\"", EDITED),
    ] {
        assert!(manifest.contains(from), "{from} is not in {manifest}");
        fs::write(measured.join("manifest.json"), manifest.replace(from, to)).unwrap();
        explanation(reason);
    }
    fs::remove_file(measured.join("manifest.json")).unwrap();
    explanation("no manifest.json in this directory lists it");
    fs::remove_file(measured.join("summary.csv")).unwrap();
    explanation("so the directory has no measurements");
}
