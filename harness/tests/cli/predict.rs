//! `castbench fit`, `predict` and `score`: from a table of measurements to a choice and its score.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use serde_json::Value;

use crate::common::{ask, expect, transcript};

/// Two algorithms of an allreduce and its default, on machines of latency 2 us and 10 GB/s.
fn table(directory: &Path) {
    let mut text = "nodes,ranks,collective,bytes,algorithm,median_ns,samples\n".to_owned();
    for nodes in [4u64, 8, 16, 32] {
        for bytes in (10..24).step_by(2).map(|power| 1u64 << power) {
            let rounds = u64::from(nodes.ilog2());
            let doubling = rounds * (2_300 + bytes / 6);
            let ring = 2 * (nodes - 1) * (2_300 + bytes / nodes / 8);
            for (name, ns) in
                [("recursive_doubling_ompi", doubling), ("ring_ompi", ring), ("default_ompi", ring), ("mine", ring)]
            {
                writeln!(text, "{nodes},{nodes},allreduce,{bytes},{name},{ns},100").unwrap();
            }
        }
    }
    text += "2,8,allreduce,1024,ring_ompi,5000,100\n";
    fs::write(directory.join("data.csv"), text).unwrap();
}

#[test]
fn a_machine_is_learnt_and_scored() {
    let directory = tempfile::tempdir().unwrap();
    table(directory.path());
    assert_snapshot!(transcript(
        directory.path(),
        &[
            "fit data.csv --train 'nodes!=16' --out p.toml",
            "predict allreduce --profile p.toml --nodes 16 --bytes 1MiB",
            "predict MPI_Gather --profile p.toml --nodes 16 --bytes 1MiB",
            "score data.csv --profile p.toml --format csv",
            "score data.csv --leave-out sizes --test 'bytes<=1MiB' --format markdown",
        ]
    ));
    let json = ask(directory.path(), "score data.csv --profile p.toml --format json").out;
    let scores: Value = serde_json::from_str(&json).unwrap();
    for score in scores.as_array().unwrap() {
        for kind in ["slowdown", "default", "nearest", "over_all"] {
            assert!(["geomean", "p90", "worst"].iter().all(|part| score[kind][part].is_f64()), "{score}");
        }
        assert_eq!((score["unseen"].as_bool(), score["cells"].as_u64()), (Some(false), Some(7)));
        assert!(score["median_error"].is_f64() && score["coverage"].is_f64() && score["collective"].is_string());
    }
}

#[test]
fn a_profile_has_the_same_bytes_each_time() {
    let directory = tempfile::tempdir().unwrap();
    table(directory.path());
    let read = |name: &str, line: &str| {
        expect(directory.path(), line, 0, "");
        fs::read(directory.path().join(name)).unwrap()
    };
    let [one, two] =
        ["a.toml", "b.toml"].map(|name| read(name, &format!("fit data.csv --train 'draw<16' --seed 3 --out {name}")));
    assert_eq!(one, two);
}

#[test]
fn wrong_input_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    table(directory.path());
    for (name, text) in [
        ("short.csv", "nodes,collective,bytes,algorithm\n4,allreduce,8,ring_ompi\n"),
        ("word.csv", "nodes,ranks,collective,bytes,algorithm,median_ns\n4,four,allreduce,8,ring_ompi,5\n"),
        ("zero.csv", "nodes,ranks,collective,bytes,algorithm,median_ns\n4,4,allreduce,8,ring_ompi,0\n"),
        ("huge.csv", "nodes,ranks,collective,bytes,algorithm,median_ns\n99999,99999,allreduce,8,ring_ompi,5\n"),
        ("uneven.csv", "nodes,ranks,collective,bytes,algorithm,median_ns\n4,4\n"),
        ("nodes.csv", "nodes,ranks,collective,bytes,algorithm,median_ns\n4,16,allreduce,8,ring_ompi,5\n"),
        ("one.csv", "nodes,ranks,collective,bytes,algorithm,median_ns\n4,4,allreduce,8,ring_ompi,9000\n"),
        ("not.toml", "schema = 1\n"),
    ] {
        fs::write(directory.path().join(name), text).unwrap();
    }
    // The page of predictions has a profile as CSV.
    expect(directory.path(), "fit one.csv --out p.toml", 0, "");
    for (map, why) in [("other=ring_ompi", "no row with one rank"), ("mine=nothing", "castbench has no program")] {
        let warning = format!("warning: --map {map}: {why}");
        expect(directory.path(), &format!("fit data.csv --map {map} --out q.toml"), 0, &warning);
        fs::remove_file(directory.path().join("q.toml")).unwrap();
    }
    assert_snapshot!(transcript(
        directory.path(),
        &[
            "fit missing.csv --out p.toml",
            "fit short.csv --out p.toml",
            "fit word.csv --out p.toml",
            "fit zero.csv --out p.toml",
            "fit huge.csv --out p.toml",
            "fit uneven.csv --out p.toml",
            "fit nodes.csv --out p.toml",
            "fit data.csv --train node==4 --out p.toml",
            "fit data.csv --train 'nodes>99' --out p.toml",
            "fit data.csv --map ring --out p.toml",
            "predict allreduce --profile ethernet100-switched --nodes 8 --bytes 8",
            "score one.csv --profile p.toml",
            "score one.csv --leave-out nodes",
            "score data.csv --profile not.toml",
            "predict allreduce --profile p.toml --nodes 1 --bytes 8",
            "predict allreduce --profile p.toml --nodes 8 --bytes 8 --algorithms rings",
            "predict allredcue --profile p.toml --nodes 8 --bytes 8",
        ]
    ));
}

/// Pairs of 2 us and 10 GB/s, the slowest at half of that, between 16 nodes of two environments.
#[test]
fn latency_and_bandwidth_bound_an_allreduce() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, titles: &str, row: &dyn Fn(u64) -> String| {
        let rows = ["one", "two"].iter().flat_map(|label| [0u64, 8, 1024, 1 << 20].map(|bytes| (*label, bytes)));
        let rows: String = rows.map(|(label, bytes)| format!("{label},16,{bytes},{}\n", row(bytes))).collect();
        fs::write(directory.path().join(name), format!("environment,nodes,bytes,{titles}\n{rows}")).unwrap();
    };
    let us = |bytes: u64| 2.0 + bytes as f64 / 1e4;
    write("latency.csv", "median_latency_us,min,max", &|bytes| format!("{0},{0},{1}", us(bytes), 2.0 * us(bytes)));
    write("bw.csv", "median_bandwidth_mb_s,min,max", &|bytes| {
        format!("{0},{1},{0}", 1e4 * bytes as f64 / (2e4 + bytes as f64), 1 + bytes / 9)
    });
    write("allreduce.csv", "median_avg_latency_us", &|bytes| format!("{}", 60.0 + bytes as f64 / 100.0));
    assert_snapshot!(transcript(
        directory.path(),
        &[
            "fit latency.csv bw.csv --out pairs.toml",
            "fit latency.csv --train environment==one --out pairs.toml",
            "fit latency.csv bw.csv --train environment==one --out pairs.toml",
            "predict allreduce --profile pairs.toml --nodes 16 --ranks-per-node 8 --bytes 1KiB",
            "predict bcast --profile pairs.toml --nodes 16 --ranks-per-node 8 --bytes 1KiB",
            "predict allreduce --profile pairs.toml --nodes 16 --bytes 1KiB --algorithms ring_ompi",
            "score allreduce.csv --profile pairs.toml --ranks-per-node 8 --test environment==one --format csv",
        ]
    ));
}

/// The figures beside the measured collectives are those that `score` draws, and the learnt machines those that `fit` writes.
#[test]
fn committed_scores_and_machines_are_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let directory = tempfile::tempdir().unwrap();
    for name in ["lumi", "mare-nostrum-5"] {
        let data = format!("reports/collectives/{name}.csv");
        let [figure, profile] = ["svg", "toml"].map(|kind| directory.path().join(format!("{name}.{kind}")));
        let [drawn, written] = [&figure, &profile].map(|path| path.to_str().unwrap());
        expect(&root, &format!("score {data} --leave-out nodes --svg '{drawn}'"), 0, "");
        expect(&root, &format!("fit {data} --out '{written}'"), 0, "");
        let committed = [format!("reports/collectives/{name}.svg"), format!("configs/machines/{name}.toml")];
        for (made, committed) in [figure, profile].iter().zip(committed) {
            let is_same = fs::read(made).unwrap() == fs::read(root.join(&committed)).unwrap();
            assert!(is_same, "{committed} is not what castbench makes of {data}; if the change is intended, commit it");
        }
    }
}
