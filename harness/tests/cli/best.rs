//! `castbench best`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use algorithms::catalogue::{PROBLEMS, entries};
use algorithms::cost::Limits;
use algorithms::problem::{Setting, spelled};
use castbench::record::rounded;
use insta::assert_snapshot;
use serde_json::Value;

use crate::common::measured::{number, rows};
use crate::common::{Answer, ask, castbench, castbench_in, expect, printed, stdout, texts};

const SMALL: [&str; 7] = [
    "best",
    "--machine",
    "ethernet100-switched",
    "-K",
    "2..16..x2",
    "--bytes",
    "64,1KiB,64KiB,1MiB",
];

fn with(more: &[&str]) -> String {
    stdout(&[&SMALL[..], more].concat())
}

/// Blocks of several sizes are another function, whose decision reads their mean; one that castbench does not know is named.
#[test]
fn defaults_of_functions_with_a_size_for_each_rank() {
    let best = |rest: &str| {
        let line =
            format!("best --machine mare-nostrum-5 -K 4 --counts 0,0,1,0 {rest} --format json");
        let answer = ask(Path::new("."), &line);
        let cases: Value = serde_json::from_str(&answer.out).unwrap();
        let runs = cases[0]["library_runs"].as_str().unwrap_or_default();
        let is_unknown = answer.errors.contains("castbench does not know");
        (runs.to_owned(), is_unknown)
    };
    let unpriced = "best --problem allgather -L 6 -o 2 -g 4 -K 4 -n 8 --counts 1,2,3,4";
    let why = "does not price `default`, which Open MPI 4.1 runs for MPI_Allgatherv: a gather to rank 0, then a broadcast";
    expect(Path::new("."), unpriced, 0, why);
    let known = |rest: &str| {
        let (runs, is_unknown) = best(rest);
        assert!(!is_unknown, "{rest}");
        runs
    };
    assert_eq!(known("--problem allgather --bytes 1023"), "default");
    assert_eq!(known("--problem allgather --bytes 1024"), "neighbor");
    // MPICH compares all bytes, and UCC.
    let [small, large] = [
        "--problem allgather --bytes 524287",
        "--problem allgather --bytes 524288",
    ];
    assert_eq!(
        known(&format!("{small} --against mpich")),
        "recursive_doubling"
    );
    assert_eq!(known(&format!("{large} --against mpich")), "ring");
    assert_eq!(
        known("--problem allgather --bytes 4095 --against ucc"),
        "knomial"
    );
    assert_eq!(known("--problem alltoall --bytes 8"), "basic_linear");
    assert_eq!(
        known("--problem scatter --bytes 8 --against mpich"),
        "linear"
    );
    assert_eq!(best("--problem gather --bytes 8"), (String::new(), true));
}

/// A documented default is priced; one that castbench does not know is refused with the library, the function and the reason.
#[test]
fn defaults_of_libraries_that_are_no_mpi() {
    let best =
        |rest: &str| format!("best --machine ethernet100-switched -K 9 --bytes 64KiB {rest}");
    let runs = |rest: &str| {
        let line = format!("{} --format json", best(rest));
        let words: Vec<&str> = line.split(' ').collect();
        let cases: Value = serde_json::from_str(&stdout(&words)).unwrap();
        let text = |key: &str| cases[0][key].as_str().unwrap_or_default().to_owned();
        [text("library_algorithm"), text("library_runs")]
    };
    assert_eq!(
        runs("--problem broadcast --against nccl-2.27"),
        ["broadcast-chain", "ring"]
    );
    // Its ring cuts the message: it is not priced whole.
    let line =
        best("--problem broadcast --against nccl --algorithms broadcast-chain --format json");
    let cases: Value = serde_json::from_str(&stdout(&line.split(' ').collect::<Vec<_>>())).unwrap();
    assert_eq!(
        cases[0]["library_over_best_f64"].as_f64(),
        Some(1.0),
        "{cases}"
    );
    assert_eq!(
        runs("--problem allreduce --against ucc"),
        ["allreduce-scatter-allgather-4", "sra_knomial"]
    );
    assert_eq!(
        runs("--problem allgather --against ucc-main"),
        ["allgather-ring", "ring"]
    );
    let expect = |rest: &str, explanation: &str| {
        crate::common::expect(Path::new("."), &best(rest), 2, explanation);
    };
    // Of what NCCL chooses by computed times the best stands for it: of its own algorithms, not of all.
    assert_eq!(
        runs("--problem allreduce --against nccl-2.27"),
        ["allreduce-ring", "ring"]
    );
    let line = best("--problem allreduce --against nccl-2.27 --format json");
    let cases: Value = serde_json::from_str(&stdout(&line.split(' ').collect::<Vec<_>>())).unwrap();
    let absent = cases[0]["not_compared"].as_array().unwrap();
    let names: Vec<_> = absent
        .iter()
        .filter_map(|absent| absent.as_str()?.split(':').next())
        .collect();
    let different: BTreeSet<_> = names.iter().collect();
    assert_eq!(different.len(), names.len(), "{names:?}");
    let rules = best("--problem allreduce --against nccl --format rules");
    let rules = stdout(&rules.split(' ').collect::<Vec<_>>());
    assert!(rules.contains("65536,allreduce-ring,"), "{rules}");
    for (asked, named) in [
        (
            "gather --against nccl --only",
            "NCCL 2.27 has none of castbench's algorithms for MPI_Gather",
        ),
        (
            "scan --against ucc --only",
            "UCC main has none of castbench's algorithms for MPI_Scan",
        ),
    ] {
        expect(&format!("--problem {asked}"), named);
    }
    // Its algorithms are of another function than the first that solves the problem.
    let line = best("--problem reduce-scatter --against nccl --only --format json");
    let answer = crate::common::ask(Path::new("."), &line);
    let cases: Value = serde_json::from_str(&answer.out).unwrap();
    assert_eq!(cases[0]["algorithm"], "reduce-scatter-pat", "{cases}");
    let left = "MPI_Reduce_scatter, which is left out";
    assert!(answer.errors.contains(left), "{}", answer.errors);
    expect(
        "--problem alltoall --against rccl",
        "RCCL 2.27 chooses for MPI_Alltoall: it knows no algorithm of RCCL 2.27 there",
    );
    expect(
        "--problem broadcast --against openmpi-6.0",
        "Open MPI 6.0 chooses for MPI_Bcast: castbench has recorded",
    );
    let only = stdout(
        &format!(
            "{} --format csv",
            best("--problem allgather --against nccl --only")
        )
        .split(' ')
        .collect::<Vec<_>>(),
    );
    assert!(only.contains("allgather-pat"), "{only}");
}

#[test]
fn the_best_of_each_cell() {
    assert_snapshot!(with(&[]));
    let one = [
        "best",
        "--machine",
        "ethernet100-switched",
        "-K",
        "8",
        "--bytes",
        "64,1KiB,64KiB,1MiB",
    ];
    assert_snapshot!(
        "rules",
        stdout(&[&one[..], &["--format", "openmpi-rules"]].concat())
    );
}

/// Each best time is that of `castbench cost`, and no algorithm is faster with that segment size.
#[test]
fn the_best_is_what_it_costs() {
    let cells: Value = serde_json::from_str(&with(&[
        "--format", "json", "--within", "0", "--ports", "duplex",
    ]))
    .unwrap();
    let cells = cells.as_array().unwrap();
    assert_eq!(cells.len(), 16);
    for cell in cells {
        let number = |key: &str| cell[key].as_u64().unwrap();
        let (K, bytes, m) = (
            number("K_nodes").to_string(),
            number("message_bytes"),
            number("m_segments").to_string(),
        );
        let scatters = cell["algorithm"]
            .as_str()
            .unwrap()
            .starts_with("broadcast-scatter");
        let bytes = if scatters {
            bytes.next_multiple_of(number("K_nodes"))
        } else {
            bytes
        }
        .to_string();
        for algorithm in [
            cell["algorithm"].as_str().unwrap(),
            "broadcast-chain",
            "broadcast-halving",
        ] {
            let point = [
                "cost",
                algorithm,
                "--machine",
                "ethernet100-switched",
                "--bytes",
                &bytes,
                "-K",
                &K,
                "-m",
                &m,
            ];
            let others = ["--ports", "duplex", "--format", "json"];
            let cost: Value =
                serde_json::from_str(&stdout(&[&point[..], &others].concat())).unwrap();
            let time = cost["analytic"].as_u64().unwrap();
            if cell["algorithm"] == algorithm {
                assert_eq!(time, number("cost"), "{cell}");
                assert_eq!(cell["executed"], true, "{cell}");
            }
            assert!(
                time >= number("cost") && number("cost") >= number("lower_bound"),
                "{cell}"
            );
        }
        assert!(
            cell["library_over_best_f64"]
                .as_f64()
                .is_none_or(|ratio| ratio >= 1.0),
            "{cell}"
        );
    }
}

/// Every problem, at a point of its first algorithm: the best costs at most that algorithm and at least the bound.
#[test]
fn every_problem_has_a_best() {
    for problem in PROBLEMS {
        let entry = entries()
            .iter()
            .find(|entry| entry.problem() == problem)
            .unwrap();
        let options = entry
            .axes()
            .iter()
            .zip(entry.example())
            .filter_map(|(axis, value)| {
                let value = spelled(axis, value?).into_owned();
                (!axis.is_open).then(|| [axis.option(), value])
            });
        let options: Vec<String> = options.flatten().collect();
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let question = ["best", "--problem", problem.name, "--format", "json"];
        let cases: Value =
            serde_json::from_str(&stdout(&[&question[..], &options].concat())).unwrap();
        let cost = entry
            .evaluate(&Setting::default(), &entry.example(), &Limits::default())
            .unwrap();
        let cost = rounded(&cost.analytic.or_else(|| cost.simulated.cost()).unwrap()).unwrap();
        let of = |key: &str| match &cases[0][key] {
            Value::String(fraction) => {
                let (numerator, denominator) = fraction.split_once('/').unwrap();
                numerator.parse::<f64>().unwrap() / denominator.parse::<f64>().unwrap()
            }
            number => number.as_f64().unwrap(),
        };
        assert!(
            of("lower_bound") <= of("cost") && of("cost") <= cost,
            "{}: {cases}",
            problem.name
        );
        assert!(
            cases[0]["runner_up"].is_null() || of("runner_up_cost") >= of("cost"),
            "{cases}"
        );
    }
}

/// A map has any two axes, also machines and the parameters of one; a plane may have one cell.
#[test]
fn a_map_is_drawn() {
    let directory = tempfile::tempdir().unwrap();
    for axes in [
        "--machine ethernet100-switched,ethernet100-held -K 8 --bytes 1KiB,1MiB",
        "-L 1,8 -g 1,8 -o 1 -K 8 -n 16 --element 2",
    ] {
        expect(
            directory.path(),
            &format!("best --collective allreduce -c 1 --svg map.svg {axes}"),
            0,
            "",
        );
        let svg = fs::read_to_string(directory.path().join("map.svg")).unwrap();
        let titles: &[&str] = if axes.starts_with("-L") {
            &["gap g", "latency L", "element = 2 words"]
        } else {
            &["ethernet100-held", "machine"]
        };
        assert!(titles.iter().all(|title| svg.contains(title)), "{axes}");
    }
    let output = castbench_in(
        directory.path(),
        &[&SMALL[..], &["--svg", "map.svg", "--format", "csv"]].concat(),
    );
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let svg = fs::read_to_string(directory.path().join("map.svg")).unwrap();
    let drawn = texts(&svg).replace('\n', " ");
    assert!(
        drawn.contains("broadcast-chain")
            && drawn.contains("cost of MPI_Bcast of Open MPI 4.1 by default over the best"),
        "{drawn}"
    );
    let one = "best --machine ethernet100-switched -K 8 --bytes 1MiB --svg";
    expect(directory.path(), &format!("{one} one.svg"), 0, "");
    expect(
        directory.path(),
        &format!("{one} /proc/none/map.svg"),
        74,
        "cannot write to `/proc/none`",
    );
    let ratio = "best --machine ethernet100-switched -K 2,8 --bytes 1KiB,1MiB --over broadcast-flat --svg one.svg";
    expect(directory.path(), ratio, 0, "");
    let svg = fs::read_to_string(directory.path().join("one.svg")).unwrap();
    let drawn = texts(&svg).replace('\n', " ");
    assert!(
        drawn.contains("cost of broadcast-flat over the best") && !svg.contains("Open MPI"),
        "{svg}"
    );
}

/// A picture has the whole command, without its file, so that it can be drawn again.
#[test]
fn a_map_has_the_command_that_draws_it() {
    let directory = tempfile::tempdir().unwrap();
    let read = |file: &str| fs::read_to_string(directory.path().join(file)).unwrap();
    for command in [
        "best --collective allreduce -L 1,8 -g 1,8 -o 1 -K 8 -n 16 -c 1 --over allreduce-ring --width 88mm --no-title",
        "best --algorithms broadcast-binomial,broadcast-chain --machine ethernet100-switched -K 4,8 --along bytes --from 1 --to 4KiB",
        "best --machine ethernet100-switched -K 2,8 --bytes 1KiB --against mpich --only --within 5",
    ] {
        expect(directory.path(), &format!("{command} --svg a.svg"), 0, "");
        let first = read("a.svg");
        let metadata = first
            .split(['<', '>'])
            .skip_while(|tag| *tag != "metadata")
            .nth(1);
        let origin: Value = serde_json::from_str(metadata.unwrap()).unwrap();
        let arguments = origin["arguments"].as_array().unwrap().iter();
        let arguments: Vec<&str> = arguments.map(|word| word.as_str().unwrap()).collect();
        let again = [&arguments[..], &["--svg", "b.svg"]].concat();
        let output = castbench_in(directory.path(), &again);
        assert!(output.status.success(), "{arguments:?}");
        assert_eq!(read("b.svg"), first, "{arguments:?}");
    }
}

/// MPICH does not cut messages, and no piece is shorter than 256 B.
#[test]
fn what_a_library_does_not_do_is_not_offered() {
    let cells = |more: &[&str]| -> Vec<Value> {
        let question =
            "best --machine ethernet100-switched -K 3,8 --format json --within 0 --ports duplex";
        let question: Vec<&str> = question.split(' ').collect();
        serde_json::from_str(&stdout(&[&question[..], more].concat())).unwrap()
    };
    for cell in cells(&["--bytes", "1KiB,64KiB,1MiB", "--against", "mpich", "--only"]) {
        assert_eq!(cell["m_segments"].as_u64(), Some(1), "{cell}");
    }
    for cell in cells(&["--bytes", "257,500,1000,1025,100000"]) {
        let (bytes, piece) = (
            cell["message_bytes"].as_u64().unwrap(),
            cell["piece"].as_u64().unwrap(),
        );
        let in_blocks = cell["algorithm"]
            .as_str()
            .unwrap()
            .starts_with("broadcast-scatter");
        assert!(piece >= 256 || piece == bytes || in_blocks, "{cell}");
    }
    let chain = &cells(&["--bytes", "128KiB"])[0];
    assert_eq!(chain["library_algorithm"], "broadcast-chain", "{chain}");
}

#[test]
fn questions_that_make_no_sense() {
    let mut messages = String::new();
    for arguments in [
        "best",
        "best --machine nowhere",
        "best --machine ethernet100-switched -K 0",
        "best --machine ethernet100-switched --ports 0",
        "best --machine ethernet100-switched --within 101",
        "best --machine ethernet100-switched --format openmpi-rules --against mpich",
        "best --machine ethernet100-switched -K 18446744073709551615 --bytes 18446744073709551615",
        "best --machine ethernet100-switched --problem gossip",
        "best --problem logp-summation -L 5 -o 2 -g 4 -P 7 --operands 82 --only",
        "best --problem barrier -L 6 -o 2 -g 4 -m 3",
        "best --machine ethernet100-switched --format openmpi-rules -k 1,2",
        "best --machine ethernet100-switched -K 1..101 --bytes 1..101",
        "best --machine ethernet100-switched --format rules --explain",
        "best --machine ethernet100-switched --format rules -K 2,4 --svg map.svg",
        "best --problem k-port-broadcast -n 10 -k 2 -m 4 --explain",
        "best --problem broadcast -L 1,2 -o 1,2 -g 1,2 -K 8 -n 8 --svg map.svg",
        "best --problem barrier -L 6 -o 2 -g 4 -K 4,8 --svg map.svg --over halving",
    ] {
        let Answer { code, out, errors } = ask(Path::new("."), arguments);
        messages += &format!(
            "{arguments}\n    {} {}\n",
            code.unwrap(),
            errors.lines().next().unwrap_or_default()
        );
        assert_eq!(out, "");
    }
    assert_snapshot!(messages);
}

/// Outside the sizes for which a profile is valid there is a warning, and no rule.
#[test]
fn a_profile_holds_where_it_says() {
    let ask = |machine: &str, format: &str| {
        let question = [
            "best",
            "--machine",
            machine,
            "-K",
            "8",
            "--bytes",
            "1KiB,1MiB",
            "--format",
            format,
        ];
        let output = castbench(&question).output().unwrap();
        assert!(output.status.success());
        (
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (rules, explanation) = ask("loopback-2-cores", "openmpi-rules");
    let warning =
        "warning: profile `loopback-2-cores` is valid for messages of 1 B to 4 KiB, not of ";
    let is_warned = explanation.starts_with(warning)
        && explanation.contains("rules leave the sizes outside to the library");
    assert!(is_warned, "{explanation}");
    assert!(
        rules.contains(" 0 0 0 # as without rules: the profile is not valid for messages of "),
        "{rules}"
    );
    // Segments of a valid size are no guess, whatever the size of the message.
    let (cases, explanation) = ask("loopback-2-cores", "csv");
    let piece: Vec<u64> = rows(&cases)
        .iter()
        .map(|row| number(row, "piece"))
        .collect();
    assert_eq!(
        explanation.starts_with(warning),
        piece.iter().any(|&piece| piece > 4096),
        "{piece:?} {explanation}"
    );
    assert!(!explanation.contains("rules"), "{explanation}");
    // A profile without [valid] is valid everywhere.
    let (rules, explanation) = ask("ethernet100-switched", "openmpi-rules");
    assert!(
        !explanation.contains("is valid for") && !rules.contains("\n1048576 0 "),
        "{explanation}{rules}"
    );
}

/// For a calibrated profile, no measured segment size is over 5 % faster than the choice of `best` among the algorithms measured.
#[test]
fn the_choice_for_a_calibrated_machine_is_the_fastest_that_was_measured() {
    let profile = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/emulated100.toml");
    let summary = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../reports/measured-segments/summary.csv"
    );
    let measured = rows(&fs::read_to_string(summary).unwrap());
    let mut names: Vec<&str> = measured
        .iter()
        .map(|row| row["algorithm"].as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    let names = names.join(",");
    let question = [
        "best",
        "--algorithms",
        &names,
        "--machine",
        profile,
        "--ports",
        "duplex",
        "-K",
        "4,8,18",
        "--bytes",
        "1MiB",
        "--format",
        "csv",
    ];
    let choices = rows(&stdout(&question));
    assert_eq!(choices.len(), 3);
    for choice in choices {
        let of_K: Vec<_> = measured
            .iter()
            .filter(|row| row["K"] == choice["K_nodes"])
            .collect();
        let axes = format!("root=0 m={} ports=duplex k=1", choice["m_segments"]);
        let chosen = of_K
            .iter()
            .find(|row| row["algorithm"] == choice["algorithm"] && row["axes"] == axes);
        let chosen = number(
            chosen.unwrap_or_else(|| panic!("not measured: {choice:?}")),
            "median_ns",
        );
        let fastest = of_K
            .iter()
            .map(|row| number(row, "median_ns"))
            .min()
            .unwrap();
        assert!(
            chosen * 100 <= fastest * 105,
            "{choice:?}: {chosen} ns, the fastest takes {fastest} ns"
        );
    }
}

/// At each end of a stretch `best` names its algorithm; a range that is scanned and one that is searched by halving agree.
#[test]
fn crossovers_are_where_best_changes() {
    let question = "--problem broadcast --algorithms broadcast-binomial,broadcast-chain --machine ethernet100-switched -K 16";
    let ask = |line: String| -> Vec<Value> {
        serde_json::from_str(&stdout(&line.split(' ').collect::<Vec<_>>())).unwrap()
    };
    let ranges = |from: u64, to: u64| -> Vec<(u64, u64, String)> {
        let rows = ask(format!(
            "best {question} --along bytes --from {from} --to {to} --format json"
        ));
        let number = |row: &Value, key: &str| row[key].as_u64().unwrap();
        rows.iter()
            .map(|row| {
                (
                    number(row, "first"),
                    number(row, "last"),
                    row["best"].as_str().unwrap().into(),
                )
            })
            .collect()
    };
    let searched = ranges(1, 1 << 20);
    assert_eq!(
        (searched[0].0, searched[searched.len() - 1].1),
        (1, 1 << 20),
        "{searched:?}"
    );
    for (first, last, best) in &searched {
        for bytes in [first, last] {
            let cases = ask(format!("best {question} --bytes {bytes} --format json"));
            assert_eq!(
                cases[0]["algorithm"].as_str(),
                Some(best.as_str()),
                "{bytes}"
            );
        }
    }
    let change = searched[1].0;
    let scanned = ranges(change - 2000, change + 2000);
    // Where a segment more is cut, the costs cross back.
    assert!(scanned.len() > 2, "{scanned:?}");
    let firsts =
        |ranges: &[(u64, u64, String)]| ranges[1..].iter().map(|range| range.0).collect::<Vec<_>>();
    assert_eq!(firsts(&scanned), firsts(&searched), "{scanned:?}");
}

/// Each of several lines is the one of its K alone; the sentences and the figure say what the rows say.
#[test]
fn crossovers_over_another_axis() {
    let directory = tempfile::tempdir().unwrap();
    let question = "best --algorithms broadcast-binomial,broadcast-scatter-allgather --machine ethernet100-switched --ports duplex";
    let along = format!("{question} --along bytes --from 4000 --to 7000");
    let rows = cases(&format!("{along} -K 4,8 --format json"));
    let K_of = |row: &Value| {
        let row = row.as_object().unwrap();
        row.iter()
            .find(|(key, _)| key.starts_with('K'))
            .unwrap()
            .1
            .as_u64()
            .unwrap()
    };
    let firsts = |rows: &[&Value]| -> Vec<(u64, String)> {
        let first = |row: &&Value| (row["first"].as_u64().unwrap(), row["best"].to_string());
        rows.iter().map(first).collect()
    };
    let lines = [4, 8].map(|K| {
        let own: Vec<&Value> = rows.iter().filter(|row| K_of(row) == K).collect();
        let alone = cases(&format!("{along} -K {K} --format json"));
        let known = |row: &Value| row["executed"].as_bool().unwrap() && row["best_cost"].is_u64();
        assert!(own.iter().all(|row| known(row)), "{own:?}");
        let own = firsts(&own);
        assert_eq!(own, firsts(&alone.iter().collect::<Vec<_>>()));
        for (first, best) in &own[1..] {
            let at =
                |bytes: u64| cases(&format!("{question} -K {K} --bytes {bytes} --format json"));
            assert_eq!(at(*first)[0]["algorithm"].to_string(), *best);
            assert_ne!(at(first - 1)[0]["algorithm"].to_string(), *best);
        }
        own
    });
    let [low, high] = [0, 1].map(|line| lines[line].last().unwrap().clone());
    assert_eq!(low.1, "\"broadcast-scatter-allgather\"");
    assert!(
        low.0 < high.0 && lines[0].len() > lines[1].len(),
        "{lines:?}"
    );
    let text = printed(directory.path(), &format!("{along} -K 4,8 --explain")).unwrap();
    let for_good = format!(
        "- With duplex ports broadcast-scatter-allgather is the best for good from between {} B (K = 4) and {} B (K = 8) on, up to 7000 B.\n",
        low.0, high.0
    );
    let often = format!(
        "- The best changes most often, {} times, at K = 4.\n",
        lines[0].len() - 1
    );
    assert!(text.contains(&for_good) && text.contains(&often), "{text}");
    assert!(text.starts_with(" K   bytes from"), "{text}");
    // Where the last takeover is at the last value, nothing lies behind it.
    let last = low.0;
    let short = format!("{question} --along bytes --from 4000 --to {last} -K 4 --explain");
    let text = printed(directory.path(), &short).unwrap();
    let at_end =
        format!("broadcast-scatter-allgather is the best at {last} B, but not just below it.\n");
    assert!(text.contains(&at_end), "{text}");
    let draw = |more: &str, code, part: &str| {
        expect(directory.path(), &format!("{along} {more}"), code, part)
    };
    draw("-K 4,8 --svg map.svg", 0, "");
    let svg = fs::read_to_string(directory.path().join("map.svg")).unwrap();
    assert!(
        svg.contains("the best by K and bytes") && svg.contains(&for_good[2..for_good.len() - 1])
    );
    // One area, and one sign in the map, for each stretch that is wide enough; two in the legend.
    let signs = svg
        .lines()
        .filter(|line| ["A", "B"].contains(&line.trim()))
        .count();
    assert_eq!(signs, 4, "{svg}");
    draw("-K 4..6 --svg map.pdf --width 88mm", 0, "");
    let pdf = fs::read(directory.path().join("map.pdf")).unwrap();
    assert!(pdf.starts_with(b"%PDF"));
    let needs = "a figure along bytes needs one other axis with several values; ";
    draw("-K 4 --svg map.svg", 2, &format!("{needs}write -K 4,8"));
    let two = "-K 4,8 --root 0,1 --svg map.svg";
    draw(
        two,
        2,
        &format!("{needs}keep those of -K, and write one of --root"),
    );
    draw("-K 4 --width 88mm", 2, "nothing is drawn; add --svg FILE");
    draw(
        "-K 4 --explain --format csv",
        2,
        "adds sentences below a table",
    );
}

/// Without its ends an axis runs over the values that `best` compares by default.
#[test]
fn crossovers_without_ends() {
    let rows = cases(
        "best --problem allreduce --algorithms allreduce-ring -L 6 -o 2 -g 4 -c 1 -n 64 --along K --to 8 --format json",
    );
    let ends = ["first", "last"].map(|end| rows[0][end].as_u64());
    assert_eq!(ends, [Some(2), Some(8)]);
    let Answer { code, errors, .. } = ask(
        Path::new("."),
        "best --problem allreduce -L 6 -o 2 -g 4 -K 4 --along n",
    );
    assert!(
        code == Some(2) && errors.contains("write --from and --to"),
        "{errors}"
    );
}

/// Names have no range, and what is said instead can be written.
#[test]
fn crossovers_along_an_axis_without_order() {
    let refused = |line: &str, part: &str| expect(Path::new("."), line, 2, part);
    let listed = "its values have no order; list them with --ports, without --along";
    refused("best --along ports", listed);
    refused("best --along bytes", "--along bytes: needs --machine");
    let ports = "best --algorithms broadcast-flat -L 6 -o 2 -g 4 -K 4 -n 8 --ports strict,duplex";
    expect(Path::new("."), ports, 0, "");
}

/// The parts of each cost sum to it. The best comes first, then what is within the percentage or the runner-up, then the default.
#[test]
fn the_best_is_explained() {
    let rows = |more: &[&str]| -> Vec<Value> {
        let question = [
            "best",
            "--collective",
            "allreduce",
            "-L",
            "6",
            "-o",
            "2",
            "-g",
            "4",
            "-c",
            "1",
            "-n",
            "64",
        ];
        let question = [
            &question[..],
            &["-K", "16", "--explain", "--format", "json"],
            more,
        ]
        .concat();
        serde_json::from_str(&stdout(&question)).unwrap()
    };
    for more in [&["--ties", "10"][..], &["--ties", "0"]] {
        let rows = rows(more);
        let roles: Vec<&str> = rows
            .iter()
            .map(|row| row["role"].as_str().unwrap())
            .collect();
        assert_eq!(
            (roles[0], roles[roles.len() - 1]),
            ("best", "default"),
            "{rows:?}"
        );
        for row in &rows {
            let parts = ["latency", "overhead", "gap", "bandwidth", "combining"]
                .map(|part| row[part].as_u64().unwrap());
            assert_eq!(
                Some(parts.iter().sum::<u64>()),
                row["cost"].as_u64(),
                "{row}"
            );
            let is_near = row["over_best_f64"].as_f64().unwrap() <= 1.1;
            assert!(
                is_near || row["role"] == "default" || more[1] == "0",
                "{row}"
            );
        }
        let best_cost = rows[0]["cost"].as_u64().unwrap();
        assert!(rows.iter().all(|row| row["best_saves"].is_null() == (row["cost"].as_u64() == Some(best_cost))));
    }
}

fn cases(line: &str) -> Vec<Value> {
    serde_json::from_str(&stdout(&line.split(' ').collect::<Vec<_>>())).unwrap()
}

/// What is named best is what was compared: after segments are lengthened, nothing beside it costs less.
#[test]
fn nothing_beside_the_best_costs_less() {
    let directory = tempfile::tempdir().unwrap();
    let (mut state, mut asked) = (54_u64, 0);
    let mut next = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for question in 0..12 {
        let (L, o, g, G, H) = (
            next(90_000),
            1 + next(9000),
            next(20_000),
            next(90_000),
            next(3000),
        );
        let numbers = format!(
            "schema = 1\nname = \"m\"\nL = \"{L}ns\"\no = \"{o}ns\"\ng = \"{g}ns\"\nG = \"{G}ps\"\nH = \"{H}ps\"\n"
        );
        let machine = directory.path().join(format!("{question}.toml"));
        fs::write(&machine, &numbers).unwrap();
        let (K, bytes, within) = (2 + next(14), [3000, 700 + next(60_000), 1 << 20], next(30));
        let only = if question % 2 == 0 { " --only" } else { "" };
        let [one, two, three] = bytes;
        let cases = cases(&format!(
            "best --machine {} --problem broadcast -K {K},7 --bytes {one},{two},{three} --within {within} --ports strict{only} --format json",
            machine.display()
        ));
        for case in cases {
            let cost = case["cost"].as_u64().unwrap();
            for beside in ["runner_up_cost", "library_cost"] {
                assert!(
                    case[beside].as_u64().is_none_or(|other| other >= cost),
                    "{numbers}\n{case}"
                );
            }
            asked += 1;
        }
    }
    assert_eq!(asked, 72);
}

/// An algorithm that is not defined is named with its reason in every format, and a best among one says so.
#[test]
fn what_was_not_compared_is_named() {
    let why = "allreduce-bine: K = 7: expected an even number: ranks exchange in pairs";
    let question = "best --problem allreduce -L 6 -o 2 -g 4 -c 1 -K 7 -n 14 --algorithms allreduce-ring,allreduce-bine";
    let one = cases(&format!("{question} --format json"));
    assert_eq!(one[0]["not_compared"], serde_json::json!([why]));
    assert_eq!(one[0]["runner_up"], Value::Null);
    let csv = stdout(
        &format!("{question} --format csv")
            .split(' ')
            .collect::<Vec<_>>(),
    );
    assert_eq!(rows(&csv)[0]["not_compared"], why);
    for more in ["", " --explain", " --format markdown"] {
        let Answer { out, errors, code } = ask(Path::new("."), &format!("{question}{more}"));
        assert_eq!(code, Some(0), "{errors}");
        assert!(
            out.contains("allreduce-bine at 1 of 1 case: K = 7: expected an even number"),
            "{out}"
        );
        assert!(
            errors.contains("the best of 1 case is the only algorithm defined there"),
            "{errors}"
        );
    }
    let Answer { out, .. } = ask(Path::new("."), question);
    assert!(out.contains("none: the only one defined here"), "{out}");
    // Of one algorithm that was asked alone, nothing is missing.
    let Answer { out, errors, .. } = ask(Path::new("."), &question.replace(",allreduce-bine", ""));
    assert!(
        out.contains("none: the only one asked") && !errors.contains("only algorithm defined"),
        "{out}{errors}"
    );
}

/// Where all segments have one size, a message can be longer than asked, which is said.
#[test]
fn equal_segments_of_a_longer_message_are_said() {
    let split = "best --algorithms broadcast-split-binary -K 14 --ports strict";
    let words = format!("{split} -L 18 -o 4 -g 6 -n");
    let why = "note: the cost of broadcast-split-binary at 31 words is that of 32 words: all its segments have one size";
    expect(Path::new("."), &format!("{words} 31"), 0, why);
    let is_said = |line: &str| ask(Path::new("."), line).errors.contains("note: the cost");
    assert!(!is_said(&format!("{words} 32")));
    assert!(is_said(&format!("{split} --machine lumi --bytes 1000001")));
}

/// Decisions and maps name it, too.
#[test]
fn rules_and_maps_name_what_was_not_compared() {
    let directory = tempfile::tempdir().unwrap();
    let plane = "--problem broadcast --machine ethernet100-switched -K 2 --bytes 1,2";
    let Answer { out, .. } = ask(directory.path(), &format!("best {plane} --format rules"));
    let split = "# Not compared: broadcast-split-binary at ";
    assert!(out.lines().any(|line| line.starts_with(split)), "{out}");
    let map = "best --problem allreduce -L 6 -o 2 -g 4 -c 1 -K 4,7 -n 28,56 --over allreduce-bine --svg map.svg";
    expect(directory.path(), map, 0, "");
    let svg = fs::read_to_string(directory.path().join("map.svg")).unwrap();
    assert!(
        svg.contains("no cost, as K = 7: expected an even number"),
        "{svg}"
    );
    assert!(svg.contains("allreduce-bine at 2 of 4 cases, as "), "{svg}");
    // Ranges of K in which the best is defined for some of its values only.
    let ranges = "best --problem allreduce --algorithms allreduce-bine,allreduce-ring,allreduce-trivance -L 6 -o 2 -g 4 -c 1 -n 64,128 --along K --from 3 --to 32 --svg map.svg";
    expect(directory.path(), ranges, 0, "");
    let svg = fs::read_to_string(directory.path().join("map.svg")).unwrap();
    let drawn = texts(&svg);
    assert!(drawn.lines().any(|line| line == "A else B"), "{drawn}");
    let heading = "else: the best where those before it are not defined.";
    let absent = "Not compared: allreduce-bine at ";
    assert!(
        svg.contains(heading) && svg.contains(absent) && svg.contains("; allreduce-trivance at "),
        "{svg}"
    );
}

/// An algorithm that is best wherever it is defined is one row, which names what is best elsewhere.
#[test]
fn crossovers_with_an_algorithm_that_is_not_defined_everywhere_are_few() {
    let question =
        "--problem allreduce --algorithms allreduce-bine,allreduce-ring -L 6 -o 2 -g 4 -c 1 -n 64";
    let rows = cases(&format!(
        "best {question} --along K --from 3 --to 64 --format json"
    ));
    let best_at =
        |K: u64| cases(&format!("best {question} -K {K} --format json"))[0]["algorithm"].clone();
    let powers = [4, 8, 16, 32, 64];
    assert!(
        powers.iter().all(|&K| best_at(K) == "allreduce-bine"),
        "the premise"
    );
    let stretches: Vec<[&Value; 4]> = rows
        .iter()
        .map(|row| ["first", "last", "best", "instead"].map(|key| &row[key]))
        .collect();
    let ring = serde_json::json!(["allreduce-ring at 30 of 61 values"]);
    let none = serde_json::json!([]);
    assert_eq!(
        stretches,
        [
            [&3.into(), &3.into(), &"allreduce-ring".into(), &none],
            [&4.into(), &64.into(), &"allreduce-bine".into(), &ring]
        ]
    );
    let why = rows[1]["not_compared"][0].as_str().unwrap();
    assert_eq!(
        why,
        "allreduce-bine at 30 of 61 values, as K = 5: K = 5: expected an even number: ranks exchange in pairs"
    );
}

/// The default of a library is priced also where it is not one of the algorithms asked.
#[test]
fn a_default_that_was_not_asked_has_its_cost() {
    let question =
        "best --problem broadcast --machine ethernet100-switched -K 8 --bytes 1MiB --format json";
    let all = cases(question);
    let some = cases(&format!(
        "{question} --algorithms broadcast-fibonacci,broadcast-halving"
    ));
    assert!(all[0]["library_cost"].is_u64());
    assert_eq!(some[0]["library_cost"], all[0]["library_cost"]);
}

/// The time to combine a byte is that of a profile, unless it is given.
#[test]
fn a_fitted_profile_states_c() {
    let question = "best --problem allreduce --machine lumi -K 8 --bytes 1MiB --format json";
    let own = cases(question)[0]["c_per_word"].as_u64().unwrap();
    let profile = fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../configs/machines/lumi.toml"
    ))
    .unwrap();
    let (_, after) = profile.split_once("symbol = \"c_in\"").unwrap();
    let ns: f64 = after
        .split_once("value = ")
        .unwrap()
        .1
        .lines()
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(
        (own as f64 - 1000.0 * ns).abs() <= 0.51,
        "{own} ps, the profile says {ns} ns"
    );
    assert_eq!(cases(&format!("{question} -c 7"))[0]["c_per_word"], 7);
    let cost = [
        "cost",
        "allreduce-ring",
        "--machine",
        "lumi",
        "-K",
        "8",
        "--bytes",
        "1MiB",
        "--format",
        "json",
    ];
    let cost: Value = serde_json::from_str(&stdout(&cost)).unwrap();
    assert_eq!(cost["parameters"]["c"].as_u64(), Some(own));
}
