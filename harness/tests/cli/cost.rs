//! `castbench cost` and `list`.

use std::fmt::Write as _;
use std::path::Path;

use algorithms::catalogue::PROBLEMS;

use crate::common::{castbench, expect, printed, stdout};
use insta::assert_snapshot;

/// The contract of the JSON: its keys; integers are numbers, fractions text, missing values null. `published_costs` is left out where it is empty.
#[test]
fn json_for_programs() {
    let json = |arguments: &[&str]| stdout(&[&["cost"], arguments, &["--format", "json"]].concat());
    assert_snapshot!(json(&["halving", "-L", "6", "-o", "2", "-g", "4", "-K", "33", "--source", "9"]), @r#"{"algorithm":"halving","parameters":{"L":6,"o":2,"g":4,"K":33,"source":9},"lower_bound":38,"published":60,"published_costs":[{"formula":"ceil(log2 K)·(L+2o)","relation":"=","value":60,"source":"(2)"}],"analytic":60,"analytic_by":"formula","simulated":60}"#);
    assert_snapshot!(json(&["flat", "-L", "6", "-o", "2", "-g", "4", "-K", "100", "--simulate-up-to", "99"]), @r#"{"algorithm":"flat","parameters":{"L":6,"o":2,"g":4,"K":100,"source":1},"lower_bound":50,"published":null,"analytic":402,"analytic_by":"formula","simulated":null}"#);
    assert_snapshot!(json(&["dual-path", "-n", "8", "-K", "2", "--trials", "10"]), @r#"{"algorithm":"dual-path","parameters":{"mesh":"8x8","K":2,"trials":10,"seed":1},"lower_bound":8,"published":null,"analytic":"290/31","analytic_by":"formula","simulated":"113/10"}"#);
    assert_snapshot!(json(&["unicast", "--mesh", "8x8", "-K", "48", "--trials", "2"]), @r#"{"algorithm":"unicast","parameters":{"mesh":"8x8","K":48,"trials":2,"seed":1},"lower_bound":48,"published":null,"analytic":256,"analytic_by":"formula","simulated":259}"#);
    assert_snapshot!(json(&["chain", "--machine", "ethernet100-held", "--bytes", "4MiB", "-K", "3"]), @r#"{"algorithm":"chain","parameters":{"machine":"ethernet100-held","bytes":4194304,"L":712985018,"o":0,"g":356402509,"K":3,"source":1},"lower_bound":1069387527,"published":null,"analytic":1425970036,"analytic_by":"formula","simulated":1425970036}"#);
}

/// What a paper states is a number where the model is that of the paper: α = L - g = 6, β = 4, 3 blocks of 5 words from the others.
#[test]
fn published_costs_are_values() {
    let ring = |more: &str| {
        let words = format!("cost allgather-ring -L 10 -g 4 -K 4 -n 5 {more}");
        stdout(&words.split_whitespace().collect::<Vec<_>>())
    };
    let json: serde_json::Value = serde_json::from_str(&ring("-o 0 --format json")).unwrap();
    assert_eq!(json["published"], 3 * 6 + 15 * 4);
    assert_eq!(json["analytic"], json["published"]);
    let stated = &json["published_costs"][0];
    assert_eq!(stated["value"], json["published"]);
    assert_eq!(stated["relation"], "=");
    assert_eq!(stated["source"], "section 4.1");
    assert!(ring("-o 0 --format csv").contains(",78,=,78,formula,78,"));
    assert!(ring("-o 0").contains("cost = 78 time units: section 4.1, (K-1)α + (K-1)n·β; holds"));
    // The paper has no overhead.
    assert!(ring("-o 1 --format json").contains(r#""published":null,"analytic""#));
    assert!(ring("-o 1").contains("checks it where o = 0"));
}

/// Two messages fill the network to the root, so the last of three senders waits.
#[test]
fn within_the_capacity_of_the_network() {
    let gather = [
        "cost",
        "gather-linear",
        "-L",
        "6",
        "-o",
        "2",
        "-g",
        "4",
        "-K",
        "4",
        "-n",
        "1",
        "--capacity",
    ];
    let answer = stdout(&gather);
    let line = "  capacity     18 time units until every operation has ended, 1 processor later, by 6 time units at most\n";
    assert!(answer.contains(line), "{answer}");
    let json = stdout(&[&gather[..], &["--format", "json"]].concat());
    assert!(
        json.contains(r#""capacity":{"finish":18,"delayed":1,"longest_delay":6}"#),
        "{json}"
    );
    let here = Path::new(".");
    expect(
        here,
        &format!("{} --format csv", gather.join(" ")),
        2,
        "write --format json",
    );
    expect(
        here,
        "cost unicast --mesh 5x3 -K 2 --capacity",
        2,
        "send messages to each other; remove the option",
    );
}

/// Answers as text, and as the row of a sweep. The README has a tree within simulation.
#[test]
fn as_text_and_row() {
    let mut answers = String::new();
    for line in [
        "optimal -L 6 -o 2 -g 4 -K 1_000_000_000_000_000_000",
        "halving --machine ethernet100-switched --bytes 1MiB -K 8",
        "allreduce-ring -L 6 -o 2 -g 4 -K 16 -n 1024",
        "unicast --mesh 5x3 -K 2 --trials 50",
        "summation-paper -L 5 -o 2 -g 4 -P 7 --operands 82",
        "gossip-two-phase -n 8",
        "k-tree -n 100 -k 3 -m 17",
        "broadcast-split-binary --ports duplex -L 6 -o 2 -g 4 -K 7 -n 65 -k 2 -m 8",
        "broadcast-scatter-ring --ports duplex --machine ethernet100-held --bytes 1MiB -K 8",
        "steiner --mesh 8x8 -K 9 --trials 100",
        "worm-u-mesh --mesh 8x8 -K 16 --startup 100 --hop 2 --flit 1 --flits 64 --trials 100",
    ] {
        let arguments: Vec<&str> = ["cost"].into_iter().chain(line.split(' ')).collect();
        let csv = stdout(&[arguments.as_slice(), &["--format", "csv"]].concat());
        let _ = writeln!(answers, "$ castbench cost {line}");
        let text = stdout(&arguments);
        let lines = text
            .lines()
            .chain(csv.lines().skip(1))
            .filter(|line| !line.is_empty());
        lines.for_each(|line| answers += &format!("{line}\n"));
    }
    assert_snapshot!(answers);
}

/// Conventions for edge cases: nothing to send or to add costs 0; a processor that cannot receive partial sums every g
/// receives them every o + 1.
#[test]
fn conventions() {
    for (line, expected) in [
        ("gossip-two-phase -n 1", 0),
        ("gossip-coupled -n 1", 0),
        ("k-tree-packed -n 1 -k 3 -m 17", 0),
        ("circulant -n 1 -k 1 -m 17", 0),
        ("summation-optimal -L 5 -o 2 -g 4 -P 7 --operands 1", 0),
        ("summation-optimal -L 5 -o 2 -g 4 -P 1 --operands 82", 81),
    ] {
        let json = stdout(
            &["cost"]
                .into_iter()
                .chain(line.split(' '))
                .chain(["--format", "json"])
                .collect::<Vec<_>>(),
        );
        let expected =
            format!(r#""analytic":{expected},"analytic_by":"formula","simulated":{expected}"#);
        assert!(json.contains(&expected), "{line}: {json}");
    }
    let time = |g: &str| {
        stdout(&[
            "cost",
            "summation-optimal",
            "-L",
            "5",
            "-o",
            "2",
            "-g",
            g,
            "-P",
            "7",
            "--operands",
            "82",
        ])
    };
    let last = |text: String| text.lines().last().unwrap_or_default().to_owned();
    assert_eq!(last(time("1")), last(time("3")));
}

#[test]
fn the_catalogue() {
    let text = stdout(&["list"]);
    for problem in PROBLEMS {
        assert!(
            text.contains(&format!("\n{}: ", problem.name)) || text.starts_with(problem.name),
            "{text}"
        );
    }
    let csv = stdout(&["list", "--format", "csv"]);
    let known = algorithms::catalogue::entries().len();
    assert_eq!(csv.lines().count(), 1 + known);
    let json: serde_json::Value =
        serde_json::from_str(&stdout(&["list", "--format", "json"])).unwrap();
    assert_eq!(json[0]["algorithm"], "halving");
}

/// A default or a machine that makes costs mean little is named in one line on stderr.
#[test]
fn costs_that_mean_little_have_a_warning() {
    let warned = |verb: &str, point: &str| {
        let output = castbench(&verb.split(' ').chain(point.split(' ')).collect::<Vec<_>>())
            .output()
            .unwrap();
        assert!(
            output.status.success() && !output.stdout.is_empty(),
            "{verb} {point}"
        );
        // What decides the rule of ports is no warning.
        let errors = String::from_utf8(output.stderr).unwrap();
        errors.replace("strict ports, the default\n", "")
    };
    let reduction = "allreduce-ring -L 6 -o 2 -g 4 -K 8 -n 64";
    let free = "--machine ethernet100-switched --bytes 1MiB -K 8";
    for verb in [
        "cost",
        "cost --format json",
        "show",
        "cost --slopes",
        "export csv",
        "export goal",
        "export trace",
    ] {
        let expected = "warning: combining takes no time here, which favours algorithms that combine more; add -c: time to \
                        combine two words\n";
        assert_eq!(warned(verb, reduction), expected, "{verb}");
        for explanation in ["-c 0", "-c 1"] {
            assert_eq!(
                warned(verb, &format!("{reduction} {explanation}")),
                "",
                "{verb}"
            );
        }
        let expected = "warning: o = g = 0 on `ethernet100-switched`: short messages leave at once, in any number, so their \
                        costs are too low; `castbench calibrate` measures o and g\n";
        assert_eq!(
            warned(verb, &format!("allgather-ring {free}")),
            expected,
            "{verb}"
        );
        // A multicast sends one message of 1 MiB, and that has a gap.
        assert_eq!(warned(verb, &format!("halving {free}")), "", "{verb}");
    }
    let both = warned("cost", &format!("exscan-direct {free}"));
    assert_eq!(both.matches("warning: ").count(), 2, "{both}");
    assert!(
        both.contains("add -c: picoseconds to combine a byte"),
        "{both}"
    );
    assert!(warned("cost", "flat -L 6 -o 0 -g 0 -K 8").ends_with("; give -o or -g\n"));
    for point in [
        "barrier-tree -L 6 -o 0 -g 1 -K 8",
        "gather-linear -L 6 -o 2 -g 4 -K 8 -n 64",
    ] {
        assert_eq!(warned("cost", point), "", "{point}");
    }
}

#[test]
fn lists_for_people_fit_a_terminal() {
    for line in [
        "list",
        "list allreduce",
        "list --machines",
        "list --columns",
        "list --keys",
        "list --limits",
    ] {
        let text = stdout(&line.split(' ').collect::<Vec<_>>());
        let wide = text.lines().find(|line| line.chars().count() > 101);
        assert!(wide.is_none(), "{line}: {wide:?}");
    }
}

#[test]
fn one_problem_is_listed_by_its_name() {
    let named = stdout(&["list", "reduce", "--format", "csv"]);
    assert_eq!(
        named,
        stdout(&["list", "--problem", "reduce", "--format", "csv"])
    );
    assert!(
        named
            .lines()
            .skip(1)
            .all(|line| line.starts_with("reduce-")),
        "{named}"
    );
    let text = stdout(&["list", "allreduce"]);
    assert!(
        text.starts_with("allreduce: ")
            && text.contains("Patarasuk")
            && !text.contains(" reduce-scatter-"),
        "{text}"
    );
    let here = Path::new(".");
    let machines = "there is no machine `loopback`; the machines are celeron333-pvm, ";
    expect(
        here,
        "list alreduce",
        2,
        "there is no problem `alreduce`; did you mean `allreduce`, `reduce` or `reduce-scatter`?",
    );
    expect(here, "list --machines loopback", 2, machines);
}

#[test]
fn a_machine_states_where_it_is_valid() {
    let text = stdout(&["list", "--machines", "loopback-2-cores"]);
    assert!(
        text.starts_with(
            "loopback-2-cores: measured; valid for messages of 1 B to 4 KiB, within 21 %\n"
        ),
        "{text}"
    );
    let csv = stdout(&["list", "--machines", "--format", "csv"]);
    let valid = csv
        .lines()
        .filter(|line| line.ends_with(",1 B to 4 KiB,21"))
        .count();
    assert_eq!(
        (csv.lines().next(), valid),
        (
            Some("machine,basis,symbol,value,origin,valid,within_percent"),
            6
        )
    );
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/emulated100.toml");
    assert!(
        stdout(&["list", "--machines", file])
            .contains("valid for messages of 8 KiB to 4 MiB, within 10 %")
    );
}

#[test]
fn help_states_the_exit_codes_and_what_K_counts() {
    let help = stdout(&["--help"]);
    for code in ["0 ", "1 ", "2 ", "3 ", "4 ", "5 ", "9 ", "74 ", "130 "] {
        assert!(
            help.lines().any(|line| line.trim_start().starts_with(code)),
            "{code}"
        );
    }
    let help = stdout(&["cost", "--help"]);
    assert!(
        help.contains("For trees K counts the source, for meshes only the destinations"),
        "{help}"
    );
}

#[test]
fn scripts_and_pages_are_printed() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(stdout(&["completions", shell]).contains("castbench"));
    }
    assert!(stdout(&["man"]).contains(".TH castbench 1"));
    assert!(stdout(&["man", "sweep"]).contains("jobs"));
    assert_eq!(
        castbench(&["man", "nonsense"])
            .output()
            .unwrap()
            .status
            .code(),
        Some(2)
    );
}

/// A message of all words would take longer than 64 bits hold, and none is sent.
#[test]
fn a_rank_alone_costs_0() {
    for name in ["allreduce-ring", "alltoall-pairwise", "scan-linear"] {
        let line = format!("cost {name} -L 6 -o 2 -g 4 -K 1 -n 18446744073709551615");
        let out = printed(Path::new("."), &line).unwrap();
        assert!(out.contains("analytic     0 time units"), "{out}");
    }
}

/// Without a machine an element is a number of words, which have no unit.
#[test]
fn units_are_those_of_a_size() {
    let directory = tempfile::tempdir().unwrap();
    let point = "cost reduce-chain -L 6 -o 2 -g 4 -K 2 -n 1024 -c 1";
    for element in ["8B", "1KiB"] {
        let line = format!("{point} --element {element}");
        expect(directory.path(), &line, 2, "a unit needs a machine profile");
    }
    expect(directory.path(), &format!("{point} --element 8"), 0, "");
    for unit in ["KB", "K"] {
        let line = format!("cost reduce-chain --machine lumi -K 2 --bytes 1{unit}");
        expect(
            directory.path(),
            &line,
            2,
            &format!("`{unit}` is none of the units B, kB to EB"),
        );
    }
}
