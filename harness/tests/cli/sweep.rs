//! `castbench sweep` and `run`: the same bytes for any number of threads, and a correct manifest.

use std::fs;
use std::path::Path;

use crate::common::{ask, castbench_in, expect, with_small_config};
use castbench::output::sha256;
use serde_json::Value;

fn sweep(directory: &Path, extra: &[&str]) {
    let output = castbench_in(directory, &[&["sweep", "small.toml"], extra].concat());
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.stdout.is_empty());
}

const FILES: [&str; 8] = [
    "logp-multicast.csv",
    "logp-summation.csv",
    "mesh-multicast.csv",
    "mesh-gossip.csv",
    "k-port-broadcast.csv",
    "broadcast.csv",
    "findings.csv",
    "manifest.json",
];

/// Rows of every status, of machines and of overlapping grids. The baseline has the costs.
#[test]
fn the_rows() {
    const FEW: &str = r#"algorithms = ["halving", "summation-paper", "dual-path", "gossip-coupled", "k-tree", "circulant"]"#;
    let directory = with_small_config();
    let config = fs::read_to_string(directory.path().join("small.toml")).unwrap();
    let config = config.replacen(
        "L = [0, 6]\no = [0, 2]",
        &format!("{FEW}\nL = [0, 6]\no = [0, 2]"),
        1,
    );
    let config = config.replace("o = [2]", "algorithms = [\"halving\"]\no = [2]");
    fs::write(directory.path().join("small.toml"), config).unwrap();
    sweep(
        directory.path(),
        &[
            "--out",
            ".",
            "--set",
            "first.o=2",
            "--set",
            "first.K=0,9,18",
        ],
    );
    let mut rows = String::new();
    for file in FILES
        .iter()
        .filter(|file| file.ends_with(".csv") && **file != "broadcast.csv")
    {
        rows += &format!(
            "{file}\n{}",
            fs::read_to_string(directory.path().join(file)).unwrap()
        );
    }
    insta::assert_snapshot!(rows);
}

#[test]
fn the_manifest_describes_the_files() {
    let directory = with_small_config();
    sweep(directory.path(), &["--out", "out", "--set", "first.K=3,4"]);
    let out = directory.path().join("out");
    let manifest: Value =
        serde_json::from_slice(&fs::read(out.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(
        (&manifest["schema"], &manifest["status"]),
        (&2.into(), &"complete".into())
    );
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    // No algorithm of a user.
    assert!(manifest["configuration"]["algorithms"].is_null());
    assert_eq!(manifest["configuration"]["seed"], 7);
    assert_eq!(
        manifest["configuration"]["grids"][0]["axes"]["K"],
        serde_json::json!([3, 4])
    );
    assert_eq!(
        manifest["configuration"]["grids"][2]["machines"][1]["name"],
        "mine"
    );
    let files = manifest["files"].as_array().unwrap();
    let mut rows = 0;
    for file in files {
        let bytes = fs::read(out.join(file["name"].as_str().unwrap())).unwrap();
        assert_eq!(file["sha256"], sha256(bytes.as_slice()).unwrap());
        let lines = bytes.iter().filter(|&&byte| byte == b'\n').count() as u64;
        assert_eq!(file["rows"], lines - 1);
        rows += if file["name"] == "findings.csv" {
            0
        } else {
            lines - 1
        };
    }
    let points = |name: &str| manifest["points"][name].as_u64().unwrap();
    assert_eq!(
        points("ok") + points("not_applicable") + points("failed") + points("disagree"),
        rows
    );
    assert!(points("not_applicable") > 0 && points("simulated") < points("ok"));
    let mut names: Vec<String> = fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let mut expected: Vec<&str> = files
        .iter()
        .map(|file| file["name"].as_str().unwrap())
        .collect();
    expected.push("manifest.json");
    expected.sort_unstable();
    assert_eq!(names, expected);
}

#[test]
fn a_figure_without_rows_says_which() {
    let directory = with_small_config();
    sweep(directory.path(), &[]);
    let config = "schema = 1\n[[figures.winners]]\nfile = \"f.svg\"\ntitle = \"t\"\nx = \"K\"\ny = \"g\"\n\
                  algorithms = [\"halving\", \"flat\"]\nat = { L = 5, o = 5 }\n";
    fs::write(directory.path().join("c.toml"), config).unwrap();
    let missing =
        "figure f.svg: the sweep in `reports` has no rows of all of halving, flat at L = 5, o = 5";
    expect(directory.path(), "figures c.toml", 4, missing);
    assert!(!directory.path().join("reports/figures").exists());
}

/// A change of the results.
type Change<'a> = &'a dyn Fn(&Path);

/// `figures` in a directory with the small sweep after a change.
fn figures_after(change: impl FnOnce(&Path)) -> (Option<i32>, String) {
    let directory = with_small_config();
    sweep(directory.path(), &[]);
    let config = "schema = 1\n[[figures.lines]]\nfile = \"f.svg\"\ntitle = \"t\"\nx = \"K\"\nover = \"lower_bound\"\nalgorithms = [\"halving\", \"flat\"]\n\
                  at = { L = 6, o = 2, g = 4 }\n";
    fs::write(directory.path().join("c.toml"), config).unwrap();
    change(&directory.path().join("reports"));
    let answer = ask(directory.path(), "figures c.toml");
    assert_eq!(
        directory.path().join("reports/figures").exists(),
        answer.code == Some(0)
    );
    (answer.code, answer.errors)
}

fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from));
    fs::write(path, text.replace(from, to)).unwrap();
}

/// Figures are drawn only from unchanged results of one run.
#[test]
fn figures_refuse_results_that_are_not_what_they_say() {
    let csv = "logp-multicast.csv";
    let cases: [(Change<'_>, &str); 9] = [
        (
            &|dir| edit(&dir.join(csv), "halving,", "halvinG,"),
            "it differs from the file that manifest.json describes",
        ),
        (
            &|dir| edit(&dir.join("manifest.json"), "\"complete\"", "\"shard\""),
            "its digest does not match its content",
        ),
        (
            &|dir| {
                edit(&dir.join("manifest.json"), "\"complete\"", "\"shard\"");
                crate::common::reseal(&dir.join("manifest.json"));
            },
            "it is one shard of a sweep",
        ),
        (
            &|dir| edit(&dir.join("manifest.json"), "\"schema\": 2", "\"schema\": 3"),
            "its schema is 3, this castbench reads 2",
        ),
        (
            &|dir| fs::write(dir.join("manifest.json"), "{").unwrap(),
            "it is not a manifest of castbench",
        ),
        (
            &|dir| fs::remove_file(dir.join(csv)).unwrap(),
            "No such file",
        ),
        (
            &|dir| without_manifest(dir, "analytic", "analytyc"),
            "it has no column `analytic`",
        ),
        (
            &|dir| without_manifest(dir, "4,12,1,ok,time,28,40,", "4,12,1,ok,time,x,40,"),
            "`x` is not a value of column `lower_bound`",
        ),
        (
            &|dir| without_manifest(dir, "4,12,1,ok,time,28,40,=,40", "4,12,1,ok,time,28,40,=,1"),
            "lies outside the axis",
        ),
    ];
    for (change, message) in cases {
        let (code, errors) = figures_after(change);
        assert_eq!(code, Some(74), "{message}: {errors}");
        assert!(errors.contains(message), "{message}: {errors}");
    }
    assert_eq!(figures_after(|_| ()).0, Some(0));
    // CSV files without a manifest can be drawn.
    assert_eq!(
        figures_after(|dir| fs::remove_file(dir.join("manifest.json")).unwrap()).0,
        Some(0)
    );
}

fn without_manifest(directory: &Path, from: &str, to: &str) {
    fs::remove_file(directory.join("manifest.json")).unwrap();
    edit(&directory.join("logp-multicast.csv"), from, to);
}

/// A sweep without meshes removes the mesh rows of the sweep before it.
#[test]
fn a_new_sweep_does_not_mix_with_an_old_one() {
    let directory = with_small_config();
    sweep(directory.path(), &[]);
    let config = "schema = 1\n[[grid]]\nname = \"a\"\nalgorithms = [\"flat\"]\nL = [6]\no = [2]\ng = [4]\nK = [3]\n\
                  [[figures.lines]]\nfile = \"f.svg\"\ntitle = \"t\"\nx = \"K\"\nalgorithms = [\"unicast\"]\nat = { n = 4 }\n";
    fs::write(directory.path().join("c.toml"), config).unwrap();
    expect(directory.path(), "sweep c.toml", 0, "");
    expect(
        directory.path(),
        "figures c.toml",
        4,
        "has no rows of `unicast` along K at n = 4x4",
    );
    assert!(!directory.path().join("reports/mesh-multicast.csv").exists());
    // No formula was published for this tree, so there is only a header.
    let findings = fs::read_to_string(directory.path().join("reports/findings.csv")).unwrap();
    assert_eq!(findings.lines().count(), 1);
}
