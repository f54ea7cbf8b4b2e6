//! `castbench regress`: a worse cost and a broken gate have different exit codes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::common::{castbench_in, expect, reseal, stdout};
use algorithms::catalogue::entries;
use castbench::config::Config;
use castbench::output::built_in::BuiltIn;
use castbench::output::sha256;
use castbench::record::file_name;
use serde_json::Value;

const GRIDS: &str = r#"
schema = 1

[[grid]]
name = "trees"
algorithms = ["fibonacci", "optimal"]
L = [6]
o = [2]
g = [4]
K = [9, 10, 12]

[[grid]]
name = "meshes"
algorithms = ["dual-path"]
n = [3]
K = [1, 2]
trials = 10
"#;

/// Runs a command and returns its exit code, stdout and stderr.
fn run(directory: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = castbench_in(directory, arguments);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap_or(-1),
        text(output.stdout),
        text(output.stderr),
    )
}

const REGRESS: [&str; 3] = ["regress", "--config", "c.toml"];

/// A directory with the configuration and its baseline.
fn with_baseline() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("c.toml"), GRIDS).unwrap();
    expect(
        directory.path(),
        "regress --config c.toml accept --reason 'the first'",
        0,
        "",
    );
    directory
}

/// Changes a file of the baseline as `accept` would, with its digest and the manifest's.
fn edit(directory: &Path, name: &str, from: &str, to: &str) {
    let baseline = directory.join("reports/baseline");
    let digest = || sha256(fs::File::open(baseline.join(name)).unwrap()).unwrap();
    let replace = |file: &str, from: &str, to: &str| {
        let text = fs::read_to_string(baseline.join(file)).unwrap();
        assert!(
            text.contains(from),
            "{file} does not contain {from}:\n{text}"
        );
        fs::write(baseline.join(file), text.replacen(from, to, 1)).unwrap();
    };
    let before = if name == "manifest.json" {
        None
    } else {
        Some(digest())
    };
    replace(name, from, to);
    if let Some(before) = before {
        replace("manifest.json", &before, &digest());
    }
    reseal(&baseline.join("manifest.json"));
}

const TREES: &str = "logp-multicast.csv";

#[test]
fn the_baseline_and_its_history() {
    let directory = with_baseline();
    let read =
        |name: &str| fs::read_to_string(directory.path().join("reports").join(name)).unwrap();
    insta::assert_snapshot!("baseline.csv", read("baseline/logp-multicast.csv"));
    insta::assert_snapshot!("baseline_mesh.csv", read("baseline/mesh-multicast.csv"));
    let history = read("history.csv");
    // Date and revision are those of the run.
    let rows: Vec<String> = history
        .lines()
        .map(|line| line.splitn(3, ',').nth(2).unwrap().to_owned())
        .collect();
    insta::assert_snapshot!("history.csv", rows.join("\n"));
    let (code, table, _) = run(directory.path(), &REGRESS);
    assert_eq!(code, 0);
    insta::assert_snapshot!("equal", table);
    // The same costs again: nothing to accept, no message.
    expect(
        directory.path(),
        "regress --config c.toml accept --reason again",
        0,
        "nothing to accept",
    );
    assert_eq!(read("history.csv"), history);
}

/// The gate: if any cost rose since the baseline, the exit code is 6.
#[test]
fn a_cost_that_got_worse_fails() {
    let directory = with_baseline();
    edit(
        directory.path(),
        TREES,
        "fibonacci,,,6,2,4,12,1,28,30",
        "fibonacci,,,6,2,4,12,1,28,29",
    );
    edit(
        directory.path(),
        TREES,
        "optimal,,,6,2,4,12,1,28,28",
        "optimal,,,6,2,4,12,1,28,41",
    );
    edit(
        directory.path(),
        TREES,
        "fibonacci,,,6,2,4,9,1,26,26",
        "fibonacci,,,6,2,4,9,1,26,14",
    );
    let (code, table, errors) = run(directory.path(), &REGRESS);
    assert_eq!(code, 6, "{errors}");
    assert!(
        errors.contains("the cost got worse at 2 points"),
        "{errors}"
    );
    insta::assert_snapshot!("worse", table);
    let printed = |format| {
        run(
            directory.path(),
            &[&REGRESS[..], &["--format", format]].concat(),
        )
    };
    insta::assert_snapshot!("worse.md", printed("markdown").1);
    let (code, text, _) = printed("json");
    let report: Value = serde_json::from_str(&text).unwrap();
    let rows = |key: &str| {
        report[key]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| format!("{row}\n"))
            .collect::<String>()
    };
    assert_eq!(
        (code, &report["verdict"], &report["changed_grids"]),
        (6, &"worse".into(), &Value::Array(Vec::new()))
    );
    insta::assert_snapshot!("worse.json", rows("algorithms") + &rows("changes"));
    let (_, table, _) = run(
        directory.path(),
        &[&REGRESS[..], &["--points", "1"]].concat(),
    );
    assert!(
        table.contains("2 more points with another cost") && !table.contains("optimal -L"),
        "{table}"
    );
    // After an acceptance with a reason, it is the baseline.
    let (code, ..) = run(
        directory.path(),
        &[&REGRESS[..], &["accept", "--reason", "a test"]].concat(),
    );
    assert_eq!((code, run(directory.path(), &REGRESS).0), (0, 0));
    let history = fs::read_to_string(directory.path().join("reports/history.csv")).unwrap();
    assert!(
        history.contains(",a test,fibonacci,1,3,2,0,2,"),
        "{history}"
    );
}

#[test]
fn what_is_better_or_new_passes_and_what_is_gone_does_not() {
    let directory = with_baseline();
    edit(
        directory.path(),
        TREES,
        "fibonacci,,,6,2,4,12,1,28,30",
        "fibonacci,,,6,2,4,12,1,28,31",
    );
    edit(directory.path(), TREES, "optimal,,,6,2,4,12,1,28,28\n", "");
    edit(
        directory.path(),
        "mesh-multicast.csv",
        "dual-path,3,3,1,2,2",
        "dual-path,3,3,1,9/4,9/4",
    );
    let (code, table, errors) = run(directory.path(), &REGRESS);
    assert_eq!(code, 0, "{errors}");
    insta::assert_snapshot!("better", table);
    edit(
        directory.path(),
        TREES,
        "optimal,,,6,2,4,9,1",
        "optimal,,,6,2,4,8,1,24,24\noptimal,,,6,2,4,9,1",
    );
    expect(
        directory.path(),
        "regress --config c.toml",
        8,
        "1 point cannot be compared",
    );
}

/// Other errors have other exit codes.
#[test]
fn what_cannot_be_compared_is_no_regression() {
    let (manifest, incomparable) = ("manifest.json", "3 points cannot be compared");
    let worse = |at: &Path| {
        edit(
            at,
            TREES,
            "fibonacci,,,6,2,4,12,1,28,30",
            "fibonacci,,,6,2,4,12,1,28,29",
        )
    };
    let config = |from: &str, to: &str, at: &Path| {
        fs::write(at.join("c.toml"), GRIDS.replacen(from, to, 1)).unwrap()
    };
    type Change<'a> = &'a dyn Fn(&Path);
    let cases: [(Change<'_>, i32, &str); 11] = [
        (
            &|at| fs::remove_dir_all(at.join("reports")).unwrap(),
            7,
            "there is no baseline in `reports/baseline`",
        ),
        (
            &|at| edit(at, manifest, "\"schema\": 2", "\"schema\": 3"),
            8,
            "its schema is 3, this castbench reads 2",
        ),
        (
            &|at| config("K = [9, 10, 12]", "K = [9, 10]", at),
            8,
            "grid `trees`: axis K had 9; 10; 12, has 9; 10",
        ),
        (
            &|at| edit(at, manifest, "\"optimal\": 1", "\"optimal\": 2"),
            8,
            incomparable,
        ),
        (
            &|at| edit(at, TREES, ",analytic\n", ",analytik\n"),
            8,
            "has no column `analytic`",
        ),
        (
            &|at| fs::write(at.join("reports/baseline").join(TREES), "").unwrap(),
            74,
            "it differs from the file that",
        ),
        (
            &|at| edit(at, TREES, "28,30", "28,x"),
            74,
            "`x` is not a value of column `analytic`",
        ),
        (
            &|at| edit(at, TREES, "28,30", "28,-3"),
            74,
            "`-3` is not a value of column `analytic`",
        ),
        (
            &|at| edit(at, manifest, "\"optimal\": 1", "\"optimum\": 1"),
            8,
            incomparable,
        ),
        (
            &|at| config("schema = 1", "schema = 7", at),
            3,
            "does not know schema 7",
        ),
        // Worse at one point and incomparable at others counts as worse.
        (
            &|at| {
                (
                    worse(at),
                    edit(at, manifest, "\"optimal\": 1", "\"optimal\": 2"),
                )
                    .1
            },
            6,
            "got worse at 1 point",
        ),
    ];
    for (change, expected, message) in cases {
        let directory = with_baseline();
        change(directory.path());
        expect(
            directory.path(),
            "regress --config c.toml",
            expected,
            message,
        );
    }
}

/// If grids changed, the points in common are compared, and every format names the axis.
#[test]
fn other_grids_are_compared_where_they_overlap() {
    let directory = with_baseline();
    let config = GRIDS.replacen("K = [9, 10, 12]", "K = [9, 10, 18]", 1);
    fs::write(directory.path().join("my c.toml"), config).unwrap();
    let regress = |more: &[&str]| {
        run(
            directory.path(),
            &[&["regress", "--config", "my c.toml"], more].concat(),
        )
    };
    let axis = "grid `trees`: axis K had 9; 10; 12, has 9; 10; 18";
    let (code, table, errors) = regress(&[]);
    assert_eq!(code, 8, "{errors}");
    assert!(
        errors.contains(axis) && errors.contains("6 points in common"),
        "{errors}"
    );
    assert!(
        errors.contains("castbench regress accept --config 'my c.toml' --reason"),
        "{errors}"
    );
    assert!(
        table.contains(axis) && !table.contains("gone  fibonacci"),
        "{table}"
    );
    let (code, text, _) = regress(&["--format", "json"]);
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (code, &report["verdict"]),
        (8, &Value::from("incomparable"))
    );
    let change = serde_json::json!({ "grid": "trees", "axis": "K", "before": "9; 10; 12", "now": "9; 10; 18" });
    assert_eq!(report["changed_grids"], Value::from(vec![change]));
    assert_eq!(
        (
            &report["algorithms"][0]["equal"],
            &report["algorithms"][0]["gone"]
        ),
        (&2.into(), &1.into())
    );
    let (code, text, _) = regress(&["--format", "markdown"]);
    assert!(
        code == 8 && text.contains("**castbench regress: incomparable**") && text.contains(axis),
        "{text}"
    );
    // A worse point counts although the grids differ.
    edit(
        directory.path(),
        TREES,
        "fibonacci,,,6,2,4,9,1,26,26",
        "fibonacci,,,6,2,4,9,1,26,25",
    );
    assert_eq!(regress(&[]).0, 6);
    // If nothing can be compared, the formats for programs state why.
    edit(
        directory.path(),
        "manifest.json",
        "\"schema\": 2",
        "\"schema\": 3",
    );
    let (code, text, _) = regress(&["--format", "json"]);
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (code, &report["verdict"]),
        (8, &Value::from("incomparable"))
    );
    assert!(
        report["reason"]
            .as_str()
            .unwrap()
            .contains("its schema is 3"),
        "{text}"
    );
    let (code, text, _) = regress(&["--format", "json", "--baseline", "none"]);
    assert!(
        code == 7 && text.contains("\"no_baseline\"") && text.contains("--baseline none"),
        "{text}"
    );
}

/// Every algorithm is in a grid of configs/regress.toml, and the committed baseline has its cost at some point.
#[test]
fn the_gate_leaves_out_no_algorithm() {
    let config = Config::select(None, BuiltIn::Regress, &[])
        .unwrap_or_else(|failure| panic!("{}", failure.message));
    let in_grids: BTreeSet<&str> = config
        .grids
        .iter()
        .flat_map(|grid| &grid.algorithms)
        .map(|entry| entry.name)
        .collect();
    let known: BTreeSet<&str> = entries().iter().map(|entry| entry.name).collect();
    assert_eq!(
        in_grids, known,
        "add each algorithm to a grid of configs/regress.toml"
    );
    let baseline = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../reports/baseline"));
    for entry in entries() {
        let costs = fs::read_to_string(baseline.join(file_name(entry.problem()))).unwrap();
        let has_cost = costs
            .lines()
            .any(|line| line.split(',').next() == Some(entry.name));
        assert!(
            has_cost,
            "{}: `castbench regress accept` adds its costs to reports/baseline",
            entry.name
        );
    }
}

/// A profile given by its path passes while its numbers are the same; a number that differs is named.
#[test]
fn a_profile_by_path_is_compared_by_its_numbers() {
    let directory = tempfile::tempdir().unwrap();
    let template = stdout(&["init", "machine"]);
    let name = template
        .lines()
        .find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))
        .unwrap();
    fs::write(directory.path().join("mine.toml"), &template).unwrap();
    let grid = "[[grid]]\nname = \"mine\"\nalgorithms = [\"flat\"]\nmachines = [\"mine.toml\"]\nbytes = [\"1KiB\"]\nK = [9]\n";
    fs::write(
        directory.path().join("c.toml"),
        format!("schema = 1\n{grid}"),
    )
    .unwrap();
    let regress = "regress --config c.toml";
    expect(
        directory.path(),
        &format!("{regress} accept --reason 'the first'"),
        0,
        "",
    );
    expect(directory.path(), regress, 0, "");
    // Neither the directory of the file nor the origin of a number decides a cost.
    fs::create_dir(directory.path().join("profiles")).unwrap();
    let moved = template.replacen(
        "L = \"1.5us\"",
        "L = { value = \"1.5us\", origin = \"measured again\" }",
        1,
    );
    assert_ne!(moved, template);
    fs::write(directory.path().join("profiles/moved.toml"), moved).unwrap();
    let grid = grid.replace("mine.toml", "profiles/moved.toml");
    fs::write(
        directory.path().join("c.toml"),
        format!("schema = 1\n{grid}"),
    )
    .unwrap();
    expect(directory.path(), regress, 0, "");
    for (gap, expected) in [(81, 8), (83, 6)] {
        let changed = template.replacen("82ps", &format!("{gap}ps"), 1);
        assert_ne!(changed, template);
        fs::write(directory.path().join("profiles/moved.toml"), changed).unwrap();
        let change =
            format!("axis machine had {name} with G = 82 ps/B, has {name} with G = {gap} ps/B");
        expect(directory.path(), regress, expected, &change);
    }
}

/// Missing costs cannot be accepted, and the baseline stays.
#[test]
fn nothing_is_accepted_without_reason_or_cost() {
    let directory = with_baseline();
    let state = || {
        let read =
            |name: &str| fs::read_to_string(directory.path().join("reports").join(name)).unwrap();
        (read("baseline/manifest.json"), read("history.csv"))
    };
    let before = state();
    for (reason, message) in [
        ("", "--reason"),
        (
            "--reason ' '",
            "expected one line without control characters",
        ),
        ("--reason 'a\nb'", "--reason"),
    ] {
        expect(
            directory.path(),
            &format!("regress --config c.toml accept {reason}"),
            2,
            message,
        );
    }
    let failing = GRIDS
        .replacen("L = [6]", "L = [6, 9223372036854775807]", 1)
        .replacen("o = [2]", "o = [0]", 1);
    fs::write(directory.path().join("c.toml"), failing).unwrap();
    expect(
        directory.path(),
        "regress --config c.toml accept --reason 'a test'",
        9,
        "",
    );
    assert_eq!(state(), before);
}

/// Baseline and history change together or not at all, and an unreadable history is not replaced.
#[test]
fn a_history_that_cannot_be_written_keeps_the_baseline() {
    for (name, contents) in [
        ("columns", "date,reason\n"),
        ("garbage", "garbage\n"),
        ("directory", ""),
    ] {
        let directory = with_baseline();
        edit(
            directory.path(),
            TREES,
            "fibonacci,,,6,2,4,12,1,28,30",
            "fibonacci,,,6,2,4,12,1,28,29",
        );
        let history = directory.path().join("reports/history.csv");
        fs::remove_file(&history).unwrap();
        if name == "directory" {
            fs::create_dir(&history).unwrap()
        } else {
            fs::write(&history, contents).unwrap()
        }
        expect(
            directory.path(),
            "regress --config c.toml accept --reason x",
            74,
            "",
        );
        assert_eq!(
            run(directory.path(), &REGRESS).0,
            6,
            "{name}: the baseline is the old one"
        );
        if name != "directory" {
            assert_eq!(fs::read_to_string(&history).unwrap(), contents, "{name}");
        }
    }
}

/// A larger grid without another cost is a ratio of 1 at the points of both, and an older history without the column is read.
#[test]
fn another_grid_is_no_change_of_cost() {
    let directory = with_baseline();
    let history = directory.path().join("reports/history.csv");
    let old: String = fs::read_to_string(&history)
        .unwrap()
        .lines()
        .map(|line| line.rsplit_once(',').unwrap().0.to_owned() + "\n")
        .collect();
    assert!(!old.contains("over_before"));
    fs::write(&history, old).unwrap();
    let grids = GRIDS.replacen("K = [9, 10, 12]", "K = [10, 12, 1000]", 1);
    assert_ne!(grids, GRIDS);
    fs::write(directory.path().join("c.toml"), grids).unwrap();
    let accept = "regress --config c.toml accept --reason another";
    expect(directory.path(), accept, 0, "");
    let rows = fs::read_to_string(&history).unwrap();
    let row = rows
        .lines()
        .find(|line| line.contains(",another,fibonacci,"))
        .unwrap();
    assert!(row.ends_with(",1.0"), "{row}");
}

/// The history states what an acceptance drops; stderr states what cannot be compared.
#[test]
fn an_acceptance_states_what_is_gone() {
    let directory = with_baseline();
    fs::write(
        directory.path().join("c.toml"),
        GRIDS.replacen("\"fibonacci\", ", "", 1),
    )
    .unwrap();
    let accept = "regress --config c.toml accept --reason dropped";
    expect(directory.path(), accept, 0, "");
    let history = fs::read_to_string(directory.path().join("reports/history.csv")).unwrap();
    assert!(
        history.contains(",dropped,fibonacci,1,0,3,0,0,"),
        "{history}"
    );
    fs::write(
        directory.path().join("reports/baseline").join(TREES),
        "<<<<<<<\n",
    )
    .unwrap();
    expect(directory.path(), accept, 0, "the old baseline is ignored");
}

#[test]
fn two_sweeps_are_compared() {
    let directory = tempfile::tempdir().unwrap();
    let sweep = |out: &str, grids: &str| {
        fs::write(directory.path().join("c.toml"), grids).unwrap();
        assert_eq!(
            run(directory.path(), &["sweep", "c.toml", "--out", out]).0,
            0
        );
    };
    sweep("a", GRIDS);
    sweep("b", &GRIDS.replace("K = [9, 10, 12]", "K = [10, 12, 18]"));
    sweep(
        "c",
        &GRIDS
            .replace("K = [9, 10, 12]", "K = [99]")
            .replace("n = [3]", "n = [4]"),
    );
    let (code, table, _) = run(
        directory.path(),
        &["regress", "--against", "a", "--from", "b"],
    );
    assert_eq!(code, 0);
    insta::assert_snapshot!("overlapping", table);
    let (code, text, _) = run(
        directory.path(),
        &[
            "regress",
            "--against",
            "a",
            "--from",
            "a",
            "--format",
            "json",
        ],
    );
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &report["verdict"]), (0, &Value::from("equal")));
    expect(
        directory.path(),
        "regress --against a --from c",
        8,
        "have no common point",
    );
    expect(
        directory.path(),
        "regress --against a --from nowhere",
        74,
        "it has no results",
    );
    let (code, text, _) = run(
        directory.path(),
        &[
            "regress",
            "--against",
            "a",
            "--from",
            "b",
            "--format",
            "json",
        ],
    );
    assert_eq!(
        (
            code,
            &serde_json::from_str::<Value>(&text).unwrap()["verdict"]
        ),
        (0, &Value::from("equal"))
    );
    let path = directory.path().join("b/logp-multicast.csv");
    let text = fs::read_to_string(&path).unwrap();
    let row = "fibonacci,none,none,,6,2,4,12,1,ok,time,28,28,<=,3";
    assert!(text.contains(row));
    fs::write(&path, text.replace(&format!("{row}0"), &format!("{row}1"))).unwrap();
    expect(
        directory.path(),
        "regress --against a --from b",
        74,
        "it differs from the file that manifest.json describes",
    );
    fs::remove_file(directory.path().join("b/manifest.json")).unwrap();
    expect(directory.path(), "regress --against a --from b", 6, "");
}

/// A cost without a formula is that of the execution; where that is too large, and what links of a network take, is not compared.
#[test]
fn executions_count_and_what_is_not_compared_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let grid = "schema = 1\n[limits]\nsimulate_up_to_nodes = 4\n[[grid]]\nname = 'a'\nalgorithms = ['allreduce-ring']\nmachines = ['lumi']\nbytes = ['64KiB']\n";
    fs::write(directory.join("c.toml"), format!("{grid}K = [4, 5]\n")).unwrap();
    let accept = "regress --config c.toml accept --reason 'the first'";
    expect(directory, accept, 0, "without an exact cost: no formula");
    let baseline = fs::read_to_string(directory.join("reports/baseline/allreduce.csv")).unwrap();
    assert_eq!(baseline.lines().count(), 2, "{baseline}");
    let (code, out, errors) = run(directory, &REGRESS);
    assert!(
        code == 0 && out.contains("allreduce-ring   1") && errors.contains("without an exact cost"),
        "{out}{errors}"
    );
    fs::write(directory.join("c.toml"), format!("{grid}K = [5]\n")).unwrap();
    expect(
        directory,
        "regress --config c.toml",
        4,
        "no point has an exact cost",
    );
    let on_ring = GRIDS
        .replace("K = [9, 10, 12]", "networks = ['ring:4']")
        .replace("[\"fibonacci\", \"optimal\"]", "[\"allreduce-ring\"]");
    fs::write(
        directory.join("c.toml"),
        on_ring.replace("g = [4]", "g = [4]\nn = [8]\nc = [1]"),
    )
    .unwrap();
    let accept = "regress --config c.toml --baseline other/baseline accept --reason 'the first'";
    expect(
        directory,
        accept,
        0,
        "1 point on networks: their costs are compared",
    );
}

/// Points that failed, or whose costs disagree, are named and not compared, on either side.
#[test]
fn points_without_a_cost_are_not_compared() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let send = r#"{"from": 0, "to": 1, "combine": true}"#;
    let back = r#"{"from": 1, "to": 0, "combine": true}"#;
    for (name, messages, formula, code) in [
        ("right", format!("{send}, {back}"), "", 0),
        ("differs", format!("{send}, {back}"), "formula = 'D(n)'", 5),
        ("wrong", send.to_owned(), "", 9),
    ] {
        fs::write(
            directory.join(format!("{name}.json")),
            format!(r#"{{"rounds": [[{messages}]]}}"#),
        )
        .unwrap();
        let algorithm = format!(
            "[[algorithm]]\nname = 'mine'\nproblem = 'allreduce'\nplan = '{name}.json'\n{formula}\n"
        );
        let grid = "[[grid]]\nname = 'g'\nalgorithms = ['mine', 'allreduce-ring']\nL = 6\no = 2\ng = 4\nK = 2\nn = 7\nc = 1\n";
        fs::write(
            directory.join("c.toml"),
            format!("schema = 1\n{algorithm}{grid}"),
        )
        .unwrap();
        expect(directory, &format!("sweep c.toml --out {name}"), code, "");
    }
    for (other, reason) in [
        ("differs", "formula and execution differ"),
        ("wrong", "rank 0 misses the contribution of rank 1"),
    ] {
        for (from, against) in [(other, "right"), ("right", other)] {
            let line = format!("regress --from {from} --against {against}");
            let text = expect(directory, &line, 8, "1 point cannot be compared");
            assert!(text.contains(reason), "{text}");
        }
    }
}

/// A point that fails hides no other.
#[test]
fn a_failed_point_leaves_the_others_to_compare() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    let plan = |kind: &str| {
        format!(
            r#"{{"then":[{{"algorithm":"reduce-{kind}"}},{{"algorithm":"broadcast-{kind}"}}]}}"#
        )
    };
    write(
        "c.toml",
        "schema = 1\n[[algorithm]]\nname = 'mine'\nproblem = 'allreduce'\nplan = 'p-{K}.json'\n\
         [[grid]]\nname = 'a'\nalgorithms = ['mine', 'allreduce-ring']\nL = 6\no = 2\ng = 4\nc = 1\nK = [2, 4]\nn = [6, 12]\n",
    );
    for name in ["p-2.json", "p-4.json"] {
        write(name, &plan("binomial"));
    }
    let line = "regress --config c.toml";
    expect(
        directory.path(),
        &format!("{line} accept --reason a"),
        0,
        "",
    );
    write("p-2.json", r#"{"rounds":[]}"#);
    let (code, table, errors) = run(directory.path(), &REGRESS);
    assert_eq!(code, 9, "{errors}");
    assert!(
        errors.contains("2 points could not be evaluated") && table.contains("mine"),
        "{table}{errors}"
    );
    write("p-4.json", &plan("chain"));
    expect(directory.path(), line, 6, "the cost got worse at 2 points");
    let printed = |format| {
        run(
            directory.path(),
            &[&REGRESS[..], &["--format", format]].concat(),
        )
        .1
    };
    let junit = printed("junit");
    assert!(
        junit.contains("2 points worse, 0 gone, 2 incomparable"),
        "{junit}"
    );
    assert!(printed("github").contains("not compared::2 points without a cost to compare"));
    expect(
        directory.path(),
        &format!("{line} accept --reason b"),
        9,
        "2 points could not be evaluated",
    );
}

/// Names of grids, and points that are new, leave all points of the baseline to compare.
#[test]
fn grids_with_all_points_of_the_baseline_are_comparable() {
    let directory = with_baseline();
    let more = "[[grid]]\nname = \"more\"\nalgorithms = [\"optimal\"]\nL = [6]\no = [2]\ng = [4]\nK = [13]\n";
    let text = GRIDS.replacen("\"trees\"", "\"renamed\"", 1) + more;
    fs::write(directory.path().join("c.toml"), text).unwrap();
    let (code, table, errors) = run(directory.path(), &REGRESS);
    assert_eq!(code, 0, "{table}{errors}");
}
