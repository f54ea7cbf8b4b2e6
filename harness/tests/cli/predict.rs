//! `castbench fit`, `predict` and `score`: from a table of measurements to a choice and its score.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use serde_json::Value;

use crate::common::{ask, expect, printed, transcript};

/// Two algorithms of an allreduce and its default, on machines of latency 2 us and 10 GB/s.
fn table(directory: &Path) {
    let mut text = "nodes,ranks,collective,bytes,algorithm,median_ns,samples\n".to_owned();
    for nodes in [4u64, 8, 16, 32] {
        for bytes in (10..24).step_by(2).map(|power| 1u64 << power) {
            let rounds = u64::from(nodes.ilog2());
            let doubling = rounds * (2_300 + bytes / 6);
            let ring = 2 * (nodes - 1) * (2_300 + bytes / nodes / 8);
            for (name, ns) in [
                ("recursive_doubling_ompi", doubling),
                ("ring_ompi", ring),
                ("default_ompi", ring),
                ("mine", ring),
            ] {
                writeln!(text, "{nodes},{nodes},allreduce,{bytes},{name},{ns},100").unwrap();
            }
        }
    }
    text += "5,8,allreduce,1024,ring_ompi,5000,100\n";
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
            "predict allreduce --profile p.toml --nodes 16 --ranks-per-node 4 --bytes 1KiB,1MiB",
            "predict allreduce --profile p.toml --nodes 128 --bytes 1MiB --format csv",
            "predict allgather --profile p.toml --nodes 5,6 --bytes 1KiB --algorithms ring,neighbor,han",
        ]
    ));
    let json = ask(
        directory.path(),
        "score data.csv --profile p.toml --format json --svg s.pdf",
    )
    .out;
    let drawn = fs::read(directory.path().join("s.pdf")).unwrap();
    assert!(drawn.starts_with(b"%PDF"));
    let scores: Value = serde_json::from_str(&json).unwrap();
    // Of defaults nothing is chosen.
    let of_choices = |score: &&Value| score["collective"] != "the default";
    for score in scores.as_array().unwrap().iter().filter(of_choices) {
        for kind in ["slowdown", "default", "nearest", "over_all", "rules"] {
            assert!(
                ["geomean", "p90", "worst"]
                    .iter()
                    .all(|part| score[kind][part].is_f64()),
                "{score}"
            );
        }
        assert_eq!(
            (score["unseen"].as_bool(), score["cells"].as_u64()),
            (Some(false), Some(7))
        );
        assert!(
            score["median_error"].is_f64()
                && score["coverage"].is_f64()
                && score["collective"].is_string()
        );
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
    let [one, two] = ["a.toml", "b.toml"].map(|name| {
        read(
            name,
            &format!("fit data.csv --train 'draw<16' --seed 3 --out {name}"),
        )
    });
    assert_eq!(one, two);
}

#[test]
fn wrong_input_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    table(directory.path());
    for (name, text) in [
        (
            "short.csv",
            "nodes,collective,bytes,algorithm\n4,allreduce,8,ring_ompi\n",
        ),
        (
            "word.csv",
            "nodes,ranks,collective,bytes,algorithm,median_ns\n4,four,allreduce,8,ring_ompi,5\n",
        ),
        (
            "zero.csv",
            "nodes,ranks,collective,bytes,algorithm,median_ns\n4,4,allreduce,8,ring_ompi,0\n",
        ),
        (
            "huge.csv",
            "nodes,ranks,collective,bytes,algorithm,median_ns\n99999,99999,allreduce,8,ring_ompi,5\n",
        ),
        (
            "uneven.csv",
            "nodes,ranks,collective,bytes,algorithm,median_ns\n4,4\n",
        ),
        (
            "nodes.csv",
            "nodes,ranks,collective,bytes,algorithm,median_ns\n4,6,allreduce,8,ring_ompi,5\n",
        ),
        (
            "one.csv",
            "nodes,ranks,collective,bytes,algorithm,median_ns\n4,4,allreduce,8,ring_ompi,9000\n",
        ),
        ("not.toml", "schema = 1\n"),
    ] {
        fs::write(directory.path().join(name), text).unwrap();
    }
    // The page of predictions has a profile as CSV.
    expect(directory.path(), "fit one.csv --out p.toml", 0, "");
    let profile = fs::read_to_string(directory.path().join("p.toml")).unwrap();
    let of_bytes = profile.replacen("unit = \"ns/B\"", "unit = \"us/B\"", 1);
    fs::write(directory.path().join("units.toml"), of_bytes).unwrap();
    let question = "predict allreduce --nodes 8 --bytes 8 --profile";
    for (line, code, why) in [
        (
            format!("{question} units.toml"),
            3,
            "in us/B: expected ns/B",
        ),
        (
            format!("{question} p.toml --algorithms ring_ompi --rules r.csv"),
            2,
            "--rules decides among all algorithms of the library",
        ),
        (
            "score data.csv --leave-out nodes --ranks-per-node 4".to_owned(),
            2,
            "--ranks-per-node: a table of collectives states the ranks",
        ),
    ] {
        expect(directory.path(), &line, code, why);
    }
    for (map, why) in [
        ("other=ring_ompi", "no row has the algorithm"),
        ("mine=nothing", "castbench has no program"),
    ] {
        let warning = format!("warning: --map {map}: {why}");
        expect(
            directory.path(),
            &format!("fit data.csv --map {map} --out q.toml"),
            0,
            &warning,
        );
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

const TITLES: &str = "nodes,ranks,collective,bytes,algorithm,median_ns";

/// Each table, and the end of the message that refuses it.
#[test]
fn tables_that_are_cut_or_ambiguous_are_refused() {
    let row = "4,4,allreduce,1024,ring_ompi,9000\n";
    let tables = [
        (String::new(), "t.csv: it is empty"),
        (format!("{TITLES}\n"), "t.csv: it has no row"),
        (
            format!("{TITLES}\n{row}4,4,allreduce,2048,ring_ompi,90"),
            "t.csv:3: the line has no end",
        ),
        (
            format!("nodes,{TITLES}\n4,{row}"),
            "t.csv:1: two columns are named \"nodes\"",
        ),
        (
            format!("{TITLES}\n{row}4,4,MPI_Allreduce,1024,ring_ompi,100\n"),
            "t.csv:3: the cell of line 2 again",
        ),
        (
            format!("{TITLES}\n4,4,allreduce,1024,\"ring\n::error::x\",9000\n"),
            "t.csv:2: \"algorithm\" has control characters",
        ),
        (
            format!("{TITLES}\n4,4,allreduce,1024,ring\u{202e}_ompi,9000\n"),
            "t.csv:2: \"algorithm\" has control characters",
        ),
        (
            format!("{TITLES}\n8,4,allreduce,1024,ring_ompi,9000\n"),
            "t.csv:2: 8 nodes cannot have 4 ranks",
        ),
        (
            format!("{TITLES},ranks_per_node\n4,4,allreduce,1024,ring_ompi,9000,2\n"),
            "4 nodes with 2 ranks each cannot have 4",
        ),
        (
            format!("{TITLES}\n2.5,4,allreduce,1024,ring_ompi,9000\n"),
            "nodes = `2.5`: expected a whole number",
        ),
        (
            format!(
                "{TITLES},statistic\n4,4,allreduce,1024,ring_ompi,9000,mean\n4,4,allreduce,1024,ring_ompi,99000,slowest-mean\n"
            ),
            "t.csv:3: allreduce ring_ompi of 1024 bytes on 4 ranks is in t.csv:2, too; they differ in statistic: keep one, as with --train 'statistic==slowest-mean'",
        ),
    ];
    let directory = tempfile::tempdir().unwrap();
    // Lines end in another way on Windows.
    let text = format!("{TITLES}\n{row}4,four,allreduce,8,ring_ompi,9\n").replace('\n', "\r\n");
    fs::write(directory.path().join("t.csv"), text).unwrap();
    expect(
        directory.path(),
        "fit t.csv --out p.toml",
        3,
        "t.csv:3: ranks = `four`",
    );
    let text = format!("{TITLES},backend\n4,{row}")
        .replace("4,4,4", "4,4")
        .replace("9000\n", "9000,MPI-CUDA\n");
    let text = text + "4,4,allreduce,1024,ring_ompi,8000,\n";
    fs::write(directory.path().join("t.csv"), text).unwrap();
    let one = "--train 'backend==\"\"'";
    expect(directory.path(), "fit t.csv --out p.toml", 3, one);
    expect(
        directory.path(),
        &format!("fit t.csv {one} --out b.toml"),
        0,
        "",
    );
    for (text, explanation) in tables {
        fs::write(directory.path().join("t.csv"), &text).unwrap();
        let errors = expect(directory.path(), "fit t.csv --out p.toml", 3, explanation);
        assert!(!errors.contains("\n::error"), "{errors}");
        for line in [
            "score t.csv --leave-out nodes",
            "rules check o.rules --for openmpi --measured t.csv",
        ] {
            fs::write(directory.path().join("o.rules"), "1\n2\n1\n1\n1\n0 0 0 0\n").unwrap();
            expect(
                directory.path(),
                line,
                3,
                explanation.split("--train").next().unwrap(),
            );
        }
    }
    let pairs = [
        "nodes,bytes,median_latency_us,max\n2.5,1,1,2\n",
        "nodes,bytes,median_latency_us,max\n2,1,1,2\n2,1,5,9\n",
    ];
    for (text, explanation) in pairs.iter().zip([
        "expected a whole number",
        "t.csv:3: a second row of these nodes and bytes",
    ]) {
        fs::write(directory.path().join("t.csv"), text).unwrap();
        expect(directory.path(), "fit t.csv --out p.toml", 3, explanation);
    }
}

/// What `score` compares with no program, it says, as `fit` does.
#[test]
fn score_names_the_rows_that_it_leaves_out() {
    let directory = tempfile::tempdir().unwrap();
    let mut text = format!("{TITLES}\n");
    for nodes in [4, 8] {
        for bytes in [1024, 4096, 16384, 65536, 262_144, 1_048_576] {
            for algorithm in ["ring_ompi", "recursive_doubling_ompi", "mine"] {
                let ns = 9000 + bytes / 4;
                text += &format!("{nodes},{nodes},allreduce,{bytes},{algorithm},{ns}\n");
            }
        }
    }
    text += "4,6,allreduce,1024,ring_ompi,9000\n";
    fs::write(directory.path().join("t.csv"), text).unwrap();
    let fit = "fit t.csv --train nodes==4 --out p.toml";
    for line in [
        fit,
        "score t.csv --profile p.toml",
        "score t.csv --leave-out nodes",
    ] {
        let errors = expect(directory.path(), line, 0, "not modelled: allreduce mine;");
        assert!(
            errors.contains("left out: 1 row with one rank, no bytes or unequal nodes"),
            "{line}: {errors}"
        );
    }
}

/// Whole numbers as other programs write them, an index, names of MPI, and three runs, of which the middle one counts.
#[test]
fn tables_of_other_programs_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let text = format!(
        ",{TITLES},run\n0,4.0,4,MPI_Allreduce,1024,ring_ompi,9000.0,1\n1,4,4,all_reduce,1024,ring_ompi,1e4,2\n2,4,4,ALLREDUCE,1024,ring_ompi,70000,3\n"
    );
    fs::write(directory.path().join("t.csv"), text).unwrap();
    expect(
        directory.path(),
        "fit t.csv --out p.toml",
        0,
        "2 rows more of cells with several runs: the median",
    );
    let profile = fs::read_to_string(directory.path().join("p.toml")).unwrap();
    let times = profile
        .split("[[measured]]")
        .nth(1)
        .unwrap()
        .replace([' ', '\n'], "");
    assert!(
        times.ends_with("times=[[4,1024,10000]]") || times.ends_with("times=[[4,1024,10000,],]"),
        "{times}"
    );
    // Of two runs the mean counts. Rows of two kinds are named, and a value of which there is none.
    let text = format!(
        "{TITLES},run,statistic\n4,4,bcast,1024,linear_ompi,8000,1,mean\n4,4,bcast,1024,linear_ompi,9000,2,mean\n4,4,bcast,1024,chain,9000,1,slowest-mean\n"
    );
    fs::write(directory.path().join("two.csv"), text).unwrap();
    let line = "fit two.csv --train collective!=broadcast --out two.toml";
    let said = expect(directory.path(), line, 0, "no row has `broadcast`");
    assert!(
        said.contains("of the column `statistic`: mean, slowest-mean"),
        "{said}"
    );
    let profile = fs::read_to_string(directory.path().join("two.toml")).unwrap();
    assert!(profile.contains("8500"), "{profile}");
}

/// A time of a thirtieth is named and not compared, and so is a size that no time is near.
#[test]
fn a_surprising_time_is_named() {
    let directory = tempfile::tempdir().unwrap();
    table(directory.path());
    let path = directory.path().join("data.csv");
    let known = fs::read_to_string(&path).unwrap();
    let row = "16,16,allreduce,65536,recursive_doubling_ompi,";
    assert!(known.contains(&format!("{row}52888,")));
    let wrong = known.replace(&format!("{row}52888,"), &format!("{row}1762,"));
    fs::write(path, wrong).unwrap();
    let asked = |line: &str, part: &str| expect(directory.path(), line, 0, part);
    asked(
        "fit data.csv --out p.toml",
        "nothing is learnt from allreduce recursive_doubling_ompi of 64 KiB on 16 nodes: it is 0.0",
    );
    let predict = "predict allreduce --profile p.toml --nodes 16 --bytes";
    asked(
        &format!("{predict} 64KiB"),
        "not compared: recursive_doubling_ompi at 1 of 1 cell: its own time",
    );
    asked(
        "fit data.csv --train nodes==16 --out one.toml",
        "learnt from",
    );
    asked(
        "predict allreduce --profile one.toml --nodes 8 --bytes 64KiB",
        "allreduce was learnt on 16 nodes alone",
    );
    asked(
        &format!("{predict} 64MiB"),
        "64 MiB is far from the 1 KiB to 4 MiB of which allreduce was learnt",
    );
}

/// Of one rank on each of 2 nodes: 1 GB in 1 ms.
#[test]
fn a_rate_that_no_node_has_is_named() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(
        directory.path().join("t.csv"),
        format!("{TITLES}\n2,2,allreduce,1000000000,ring_ompi,1000000\n"),
    )
    .unwrap();
    expect(
        directory.path(),
        "fit t.csv --out p.toml",
        0,
        "GB/s that a node allows, the most 1000 GB/s: t.csv:2;",
    );
}

/// Pairs of 2 us and 10 GB/s, the slowest at half of that, between 16 nodes of two environments.
#[test]
fn latency_and_bandwidth_bound_an_allreduce() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, titles: &str, row: &dyn Fn(u64) -> String| {
        let rows = ["one", "two"]
            .iter()
            .flat_map(|label| [0u64, 8, 1024, 1 << 20].map(|bytes| (*label, bytes)));
        let rows: String = rows
            .map(|(label, bytes)| format!("{label},16,{bytes},{}\n", row(bytes)))
            .collect();
        fs::write(
            directory.path().join(name),
            format!("environment,nodes,bytes,{titles}\n{rows}"),
        )
        .unwrap();
    };
    let us = |bytes: u64| 2.0 + bytes as f64 / 1e4;
    write("latency.csv", "median_latency_us,min,max", &|bytes| {
        format!("{0},{0},{1}", us(bytes), 2.0 * us(bytes))
    });
    write("bw.csv", "median_bandwidth_mb_s,min,max", &|bytes| {
        format!(
            "{0},{1},{0}",
            1e4 * bytes as f64 / (2e4 + bytes as f64),
            1 + bytes / 9
        )
    });
    write("allreduce.csv", "median_avg_latency_us", &|bytes| {
        format!("{}", 60.0 + bytes as f64 / 100.0)
    });
    let machine = printed(directory.path(), "init machine").unwrap();
    fs::write(directory.path().join("machine.toml"), machine).unwrap();
    assert_snapshot!(transcript(
        directory.path(),
        &[
            "fit latency.csv bw.csv --out pairs.toml",
            "fit latency.csv --train environment==one --out pairs.toml",
            "fit latency.csv bw.csv --train environment==one --out pairs.toml",
            "predict allreduce --profile pairs.toml --nodes 16 --ranks-per-node 8 --bytes 1KiB",
            "predict bcast --profile pairs.toml --nodes 16 --ranks-per-node 8 --bytes 1KiB",
            "predict allreduce --profile pairs.toml --nodes 16 --bytes 1KiB --algorithms ring_ompi",
            "predict allreduce --profile machine.toml --nodes 16 --bytes 1KiB",
            "predict bcast,alltoall --profile machine.toml --nodes 16 --bytes 1KiB,1MiB",
            "predict bcast --profile pairs.toml --nodes 16 --bytes 1KiB --rules rules.csv",
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
        let [figure, profile] =
            ["svg", "toml"].map(|kind| directory.path().join(format!("{name}.{kind}")));
        let [drawn, written] = [&figure, &profile].map(|path| path.to_str().unwrap());
        expect(
            &root,
            &format!("score {data} --leave-out nodes --svg '{drawn}'"),
            0,
            "",
        );
        expect(&root, &format!("fit {data} --out '{written}'"), 0, "");
        let committed = [
            format!("reports/collectives/{name}.svg"),
            format!("configs/machines/{name}.toml"),
        ];
        for (made, committed) in [figure, profile].iter().zip(committed) {
            let is_same = fs::read(made).unwrap() == fs::read(root.join(&committed)).unwrap();
            assert!(
                is_same,
                "{committed} is not what castbench makes of {data}; if the change is intended, commit it"
            );
        }
    }
}

/// What the default is must be certain: two names for it, and one that is not known, are refused; --map gives it a known one.
#[test]
fn a_default_has_one_known_name() {
    let directory = tempfile::tempdir().unwrap();
    table(directory.path());
    let known = fs::read_to_string(directory.path().join("data.csv")).unwrap();
    let lines = |from: &str, to: &str| known.replace(from, to);
    let ucc = "8,8,allreduce,1024,default_ucc,5000,100\n";
    fs::write(directory.path().join("two.csv"), known.clone() + ucc).unwrap();
    let other = lines("default_ompi", "ompi_default");
    fs::write(directory.path().join("other.csv"), other).unwrap();
    for (line, code, why) in [
        (
            "fit two.csv --out p.toml",
            2,
            "both `default_ompi` and `default_ucc`",
        ),
        ("score two.csv --leave-out sizes", 2, "keep one"),
        (
            "fit two.csv --train algorithm!=default_ucc --out p.toml",
            0,
            "",
        ),
        (
            "fit other.csv --out p.toml",
            2,
            "write --map ompi_default=default_ompi",
        ),
        (
            "score other.csv --profile p.toml",
            2,
            "--test 'algorithm!=ompi_default'",
        ),
        (
            "fit other.csv --map ompi_default=default_ompi --out q.toml",
            0,
            "wrote",
        ),
    ] {
        expect(directory.path(), line, code, why);
    }
    let predicted = |profile: &str| {
        let line = "predict allreduce --nodes 16 --bytes 1MiB --format csv --profile";
        ask(directory.path(), &format!("{line} {profile}")).out
    };
    assert_eq!(predicted("p.toml"), predicted("q.toml"));
}

/// The default of another version says nothing, nor does that of a collective that was not measured; a call without a byte for each rank is
/// none.
#[test]
fn a_rule_needs_the_default_of_its_library() {
    let directory = tempfile::tempdir().unwrap();
    table(directory.path());
    let known = fs::read_to_string(directory.path().join("data.csv")).unwrap();
    let named = known
        .replace(",samples\n", ",library\n")
        .replace(",100\n", ",Open MPI 4.1.4\n");
    fs::write(directory.path().join("named.csv"), named).unwrap();
    expect(directory.path(), "fit named.csv --out p.toml", 0, "");
    let taken = |more: &str, why: &str| {
        let line = format!("--profile p.toml --nodes 16 --rules r.csv --bytes 1KiB,4KiB {more}");
        expect(directory.path(), &format!("predict {line}"), 0, why);
        let rules = fs::read_to_string(directory.path().join("r.csv")).unwrap();
        rules.matches(",allreduce-recursive-doubling,").count()
    };
    assert_eq!(taken("allreduce", "wrote"), 2);
    let other = "allreduce --against openmpi-5.0";
    let why = "the measurements are of Open MPI 4.1.4, not of Open MPI 5.0";
    assert_eq!(taken(other, why), 0);
    assert_eq!(taken(&format!("{other} --same-library"), "wrote"), 2);
    let unseen = "bcast --profile p.toml --nodes 16 --bytes 8MiB --rules r.csv";
    expect(
        directory.path(),
        &format!("predict {unseen}"),
        0,
        "0 with an algorithm",
    );
    let empty = "predict allgather --profile p.toml --nodes 16";
    let left = "a block has less than 1 B";
    expect(directory.path(), &format!("{empty} --bytes 8,64"), 0, left);
    expect(
        directory.path(),
        &format!("{empty} --bytes 8"),
        2,
        "at least 1 B for each rank",
    );
}

/// A rule states the segments of the times that it is decided by, and is compared with those times: 64 KiB are best for 4 MiB, and Open
/// MPI sends the whole message from rank to rank where a rule states no segment.
#[test]
fn a_rule_keeps_the_segments_of_its_times() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let mut text = "nodes,ranks,collective,bytes,algorithm,median_ns\n".to_owned();
    for nodes in [4u64, 8, 16] {
        for bytes in (14..24).step_by(2).map(|power| 1u64 << power) {
            let binomial = u64::from(nodes.ilog2()) * (2_300 + bytes / 10);
            writeln!(
                text,
                "{nodes},{nodes},bcast,{bytes},binomial_ompi,{binomial}"
            )
            .unwrap();
            writeln!(
                text,
                "{nodes},{nodes},bcast,{bytes},default_ompi,{}",
                2 * binomial
            )
            .unwrap();
            for segment in [1u64 << 10, 1 << 16] {
                let piece = segment.min(bytes);
                let ns = (nodes - 2 + bytes / piece) * (2_300 + piece / 10);
                writeln!(
                    text,
                    "{nodes},{nodes},bcast,{bytes},pipeline_ompi_{segment},{ns}"
                )
                .unwrap();
            }
        }
    }
    fs::write(directory.join("data.csv"), text).unwrap();
    for line in [
        "fit data.csv --out p.toml",
        "predict bcast --profile p.toml --nodes 8 --bytes 4MiB --rules r.csv",
        "rules write r.csv --for openmpi --out my.rules",
    ] {
        expect(directory, line, 0, "");
    }
    let decided = fs::read_to_string(directory.join("r.csv")).unwrap();
    assert!(decided.contains(",broadcast-chain,65536,"), "{decided}");
    let line = "rules check my.rules --for openmpi --measured data.csv --format csv";
    let found = printed(directory, line).unwrap();
    let row = "MPI_Bcast,8,1,,4194304,pipeline,65536,619710,2530380,pipeline_65536,619710,1.0\n";
    assert!(found.contains(row), "{found}");
    // A chain of Open MPI has a fan-out, which no decision states.
    let known = fs::read_to_string(directory.join("data.csv")).unwrap();
    fs::write(
        directory.join("chain.csv"),
        known.replace("pipeline_ompi_65536", "chain_ompi"),
    )
    .unwrap();
    expect(directory, "fit chain.csv --out c.toml", 0, "");
    let line = "predict bcast --profile c.toml --nodes 8 --bytes 4MiB --rules r.csv";
    expect(
        directory,
        line,
        0,
        "not decided: bcast chain_ompi of Open MPI 4.1",
    );
    // MPICH and UCC have no segments to state.
    let mpich = "predict bcast --profile p.toml --nodes 8 --bytes 4MiB --rules r.csv --against";
    for library in ["mpich-4.3", "ucc-main"] {
        expect(
            directory,
            &format!("{mpich} {library}"),
            0,
            "0 with an algorithm",
        );
    }
}

/// The times of the library's ring count for its rules, not those of another ring three times as fast.
#[test]
fn a_rule_is_decided_by_the_times_of_its_library() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    table(directory);
    let known = fs::read_to_string(directory.join("data.csv")).unwrap();
    let faster = |line: &str| {
        let [before, ns] = line
            .split_once(",mine,")
            .map(|(before, rest)| [before, rest])?;
        let ns: u64 = ns.trim_end_matches(",100").parse().unwrap();
        Some(format!("{before},ring,{},100", ns / 3))
    };
    let lines = known
        .lines()
        .map(|line| faster(line).unwrap_or_else(|| line.to_owned()) + "\n");
    fs::write(directory.join("data.csv"), lines.collect::<String>()).unwrap();
    expect(directory, "fit data.csv --out p.toml", 0, "");
    let line = "predict allreduce --profile p.toml --nodes 16 --bytes 4MiB --rules r.csv";
    expect(directory, line, 0, "0 with an algorithm");
    fs::write(directory.join("my.rules"), "1\n2\n1\n1\n1\n0 4 0 0\n").unwrap();
    let line = "rules check my.rules --for openmpi --measured data.csv --format csv";
    let found = printed(directory, line).unwrap();
    let row = "MPI_Allreduce,16,1,,4194304,ring,0,1052040,1052040,its own choice,1052040,1.0\n";
    assert!(found.contains(row), "{found}");
}

/// The default of Intel MPI or of Cray's MPICH is not that of MPICH; rules for Intel MPI are decided by its own times.
#[test]
fn libraries_made_of_mpich_are_other_libraries() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    table(directory);
    let known = fs::read_to_string(directory.join("data.csv")).unwrap();
    for (own, library, rules) in [
        ("_cray", "mpich-4.3", 0),
        ("_intel", "mpich-4.3", 0),
        ("_intel", "intel-2021.12", 2),
        ("_mvapich2", "mpich-4.3", 0),
        ("_mpich", "mpich-4.3", 2),
    ] {
        fs::write(directory.join("own.csv"), known.replace("_ompi", own)).unwrap();
        expect(directory, "fit own.csv --out p.toml", 0, "");
        let line = format!(
            "predict allreduce --profile p.toml --nodes 16 --bytes 1KiB,4KiB --rules r.csv --against {library}"
        );
        expect(directory, &line, 0, &format!("{rules} with an algorithm"));
    }
    let line = "predict allreduce --profile lumi --nodes 16 --bytes 1KiB --rules r.csv --against mpich-4.0";
    expect(directory, line, 0, "the measurements are of Cray MPICH");
}

/// `MPI_Reduce_scatter` and `MPI_Reduce_scatter_block` are two functions: a table has the cells of both, and a rule is for the measured one.
#[test]
fn rules_are_for_the_function_that_was_measured() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    table(directory);
    let known = fs::read_to_string(directory.join("data.csv")).unwrap();
    let known = known.replace("recursive_doubling_ompi", "recursive_halving_ompi");
    let of = |name: &str| known.replace(",allreduce,", &format!(",{name},"));
    let (own, block) = (of("reduce_scatter"), of("reduce_scatter_block"));
    let (_, rows) = block.split_once('\n').unwrap();
    let line = "fit data.csv --out p.toml";
    for (text, [plain, blocks]) in [(own.clone(), [2, 0]), (own + rows, [2, 2])] {
        fs::write(directory.join("data.csv"), text).unwrap();
        expect(directory, line, 0, "");
        for (name, count) in [("reduce_scatter", plain), ("reduce_scatter_block", blocks)] {
            let line = format!(
                "predict {name} --profile p.toml --nodes 16 --bytes 1KiB,4KiB --rules r.csv"
            );
            expect(directory, &line, 0, &format!("{count} with an algorithm"));
            let rules = fs::read_to_string(directory.join("r.csv"))
                .unwrap()
                .to_lowercase();
            assert!(rules.contains(&format!("mpi_{name},")), "{rules}");
        }
    }
}
