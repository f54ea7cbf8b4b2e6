//! `castbench measure` and `castbench calibrate` over loopback. No test asserts a measured time.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::common::measured::{LEVELS, PROGRAMS, check_programs, number, rows};
use crate::common::{Answer, ask, castbench_in, expect, on_one_line, printed, stdout};
use ::measure::statistics::Median;
use insta::assert_snapshot;
use serde_json::Value;

pub const SMALL: &str = r#"
schema = 1
seed = 7
repetitions = 3
warm_up = 1
time_limit_seconds = 20
[[measurement]]
name = "small"
algorithms = ["halving", "fibonacci", "optimal", "flat", "chain", "opt-tree", "halving-floor", "binary", "binomial", "k-nomial-4", "k-nomial-8"]
K = [2, 5]
source = 2
bytes = ["1B", "100kB"]
machine = "ethernet100-switched"
"#;

/// A configuration with its algorithms replaced.
pub fn naming(config: &str, algorithms: &str) -> String {
    let line = config
        .lines()
        .find(|line| line.starts_with("algorithms"))
        .unwrap();
    config.replace(line, algorithms)
}

/// Measures a configuration into `out` of the directory, and returns the output.
pub fn measured(directory: &Path, config: &str, out: &str) -> String {
    fs::write(directory.join("c.toml"), config).unwrap();
    let output = castbench_in(
        directory,
        &["measure", "c.toml", "--out", out, "--format", "csv"],
    );
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_tree_delivers_over_loopback() {
    let directory = tempfile::tempdir().unwrap();
    let summary = measured(directory.path(), SMALL, "m");
    let read = |name: &str| fs::read_to_string(directory.path().join("m").join(name)).unwrap();
    assert_eq!(summary, read("summary.csv"));
    // Eleven trees, two K, two sizes.
    let (summary, measurements, nodes) = (
        rows(&summary),
        rows(&read("measurements.csv")),
        rows(&read("nodes.csv")),
    );
    assert_eq!(
        (summary.len(), measurements.len(), nodes.len()),
        (44, 132, 66 * 2 + 66 * 5)
    );
    for row in &measurements {
        let own: Vec<_> = nodes
            .iter()
            .filter(|node| node["number"] == row["number"])
            .collect();
        assert_eq!(own.len() as u64, number(row, "K"));
        let last = own.iter().map(|node| number(node, "held_ns")).max();
        assert_eq!(last, Some(number(row, "completion_ns")));
        for node in &own {
            let is_source = number(node, "node") == 2;
            assert_eq!(node["sender"].is_empty(), is_source, "{node:?}");
            assert_eq!(number(node, "received_ns") == 0, is_source, "{node:?}");
            assert_eq!(node["host"], "localhost");
            // No node has the message before its sender.
            let sender = own.iter().find(|other| other["node"] == node["sender"]);
            assert!(
                sender.is_none_or(|sender| number(sender, "held_ns") < number(node, "received_ns"))
            );
        }
    }
    for row in &summary {
        let times = measurements.iter().filter(|other| {
            ["algorithm", "K", "bytes"]
                .iter()
                .all(|key| other[*key] == row[*key])
        });
        let mut times: Vec<u64> = times.map(|row| number(row, "completion_ns")).collect();
        times.sort_unstable();
        assert_eq!(times.len() as u64, number(row, "repetitions"));
        let written = ["least_ns", "low_ns", "median_ns", "high_ns", "greatest_ns"]
            .map(|column| number(row, column));
        assert_eq!(written, [times[0], times[0], times[1], times[2], times[2]]);
        assert_eq!(row["coverage_f64"], "0.75");
    }
}

/// Every problem in which processors send messages is measured, with the predicted time of the same program.
#[test]
fn programs_of_every_problem_run_over_loopback() {
    let directory = tempfile::tempdir().unwrap();
    let summary = measured(directory.path(), PROGRAMS, "m");
    check_programs(&directory.path().join("m"));
    for row in rows(&summary) {
        let [algorithm, bytes, K] = ["algorithm", "bytes", "K"].map(|column| row[column].as_str());
        let on = [
            "--machine",
            "ethernet100-switched",
            "--bytes",
            bytes,
            "--format",
            "json",
        ];
        let model = stdout(&[&["cost", "halving", "-K", "2"], &on[..]].concat());
        let model: Value = serde_json::from_str(&model).unwrap();
        let [L, o, g] = ["L", "o", "g"].map(|key| model["parameters"][key].to_string());
        let plain = ["-L", &L, "-o", &o, "-g", &g, "--format", "json"];
        let axes = match algorithm {
            "halving" => [&["-K", K], &on[..]].concat(),
            "barrier-dissemination" => [&["-K", K], &plain[..]].concat(),
            "summation-optimal" => [&["-P", K, "--operands", "100000"], &plain[..]].concat(),
            _ => [&["-K", K, "-m", "4"], &on[..]].concat(),
        };
        let cost: Value =
            serde_json::from_str(&stdout(&[&["cost", algorithm], &axes[..]].concat())).unwrap();
        // What is measured includes blocks that a node holds already.
        let cost = cost["ended"].as_u64().or(cost["simulated"].as_u64());
        assert_eq!(cost, Some(number(&row, "model_ns")), "{row:?}");
        assert_eq!(
            row["link_sharing_ns"], "",
            "there is no link on one host: {row:?}"
        );
    }
    let again = castbench_in(
        directory.path(),
        &[
            "measure",
            "c.toml",
            "--out",
            "m",
            "--format",
            "csv",
            "--summarise",
        ],
    );
    assert_eq!(String::from_utf8_lossy(&again.stdout), summary);
}

#[test]
fn the_seed_determines_the_order() {
    let directory = tempfile::tempdir().unwrap();
    let order = |out: &str| {
        let text = fs::read_to_string(directory.path().join(out).join("measurements.csv")).unwrap();
        let keys = ["number", "algorithm", "K", "bytes", "repetition"];
        rows(&text)
            .iter()
            .map(|row| keys.map(|key| row[key].clone()))
            .collect::<Vec<_>>()
    };
    measured(directory.path(), SMALL, "one");
    measured(directory.path(), SMALL, "two");
    measured(
        directory.path(),
        &SMALL.replace("seed = 7", "seed = 8"),
        "three",
    );
    assert_eq!(order("one"), order("two"));
    assert_ne!(order("one"), order("three"));
    let manifest = fs::read_to_string(directory.path().join("one/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["outcome"]["status"], "complete");
    assert_eq!(manifest["configuration"]["transport"]["kind"], "loopback");
    assert!(manifest["hosts"][0]["facts"]["cores"].as_u64().unwrap() > 0);
    for file in manifest["files"].as_array().unwrap() {
        let contents = fs::read(
            directory
                .path()
                .join("one")
                .join(file["name"].as_str().unwrap()),
        )
        .unwrap();
        assert_eq!(
            castbench::output::sha256(&contents[..]).unwrap(),
            file["sha256"].as_str().unwrap()
        );
    }
}

/// Every node waits for the relay delay, and the model includes it.
#[test]
fn a_relay_delay_holds_every_message() {
    let directory = tempfile::tempdir().unwrap();
    let config = SMALL.replace(
        "bytes = [\"1B\", \"100kB\"]",
        "bytes = [\"100kB\"]\nhold_ps_per_byte = [0, 30_000]",
    );
    let summary = rows(&measured(directory.path(), &config, "m"));
    let nodes = rows(&fs::read_to_string(directory.path().join("m/nodes.csv")).unwrap());
    let measurements =
        rows(&fs::read_to_string(directory.path().join("m/measurements.csv")).unwrap());
    for row in &measurements {
        let delay = number(row, "hold_ps_per_byte") * 99_999 / 1000;
        for node in nodes
            .iter()
            .filter(|node| node["number"] == row["number"] && !node["sender"].is_empty())
        {
            let held = number(node, "held_ns") - number(node, "received_ns");
            assert!(
                if delay == 0 { held == 0 } else { held >= delay },
                "{row:?} {node:?}"
            );
        }
    }
    let model = |hold: &str| {
        let found = summary.iter().find(|row| {
            row["algorithm"] == "chain" && row["K"] == "2" && row["hold_ps_per_byte"] == hold
        });
        number(found.unwrap(), "model_ns")
    };
    assert_eq!(model("30000") - model("0"), 2_999_970);
}

/// Three hosts that are all this one.
const HOSTS: &str = r#"
[tcp]
launch = ["env", "CASTBENCH_TEST_HOST={host}"]
hosts = [{ name = "a", address = "127.0.0.1" }, { name = "b", address = "127.0.0.2" }, { name = "c", address = "127.0.0.3" }]
[[measurement]]
"#;

/// The launch command starts the hosts of a list; here it runs on this host.
#[test]
fn ranks_are_placed_on_the_hosts_of_a_list() {
    let directory = tempfile::tempdir().unwrap();
    let config = SMALL.replace("[[measurement]]", HOSTS);
    let config = config.replace(
        "source = 2",
        "source = 2\nhosts = 2\nmapping = [\"round-robin\", \"neighbours\"]",
    );
    let config = naming(&config, "algorithms = [\"chain\"]");
    let summary = rows(&measured(directory.path(), &config, "m"));
    // Two nodes on two hosts have a single placement.
    assert_eq!(summary.len(), 2 + 4);
    for row in &summary {
        // From 2 to 5 and on to 1, two steps of aaabb are between hosts, and all but the last of ababa.
        let links = match (number(row, "K"), row["mapping"].as_str()) {
            (2, _) => 1,
            (_, "neighbours") => 2,
            _ => 3,
        };
        let wire = ((number(row, "bytes") - 1) * 84_973).div_ceil(1000);
        let predicted = 180_000 * (number(row, "K") - 1) + links * wire;
        assert_eq!(number(row, "link_sharing_ns"), predicted, "{row:?}");
    }
    let measurements =
        rows(&fs::read_to_string(directory.path().join("m/measurements.csv")).unwrap());
    let nodes = rows(&fs::read_to_string(directory.path().join("m/nodes.csv")).unwrap());
    for row in measurements.iter().filter(|row| row["K"] == "5") {
        let own = nodes.iter().filter(|node| node["number"] == row["number"]);
        let placed: String = own.map(|node| node["host"].as_str()).collect();
        assert_eq!(
            placed,
            if row["mapping"] == "neighbours" {
                "aaabb"
            } else {
                "ababa"
            }
        );
    }
}

/// A list of nodes places ranks on the hosts of a list; without levels, `ranks_per_node` does.
#[test]
fn ranks_stand_on_the_nodes_of_a_machine() {
    let directory = tempfile::tempdir().unwrap();
    let config = SMALL
        .replace("[[measurement]]", HOSTS)
        .replace("K = [2, 5]\nsource = 2", "K = [5]");
    let config = naming(&config, "algorithms = [\"broadcast-binomial\"]");
    let listed = LEVELS.replace("nics", "placement = [7, 2, 7, 9, 2]\nnics");
    for (profile, machine, mapping, placed) in [
        (listed.as_str(), "m.toml\"", "list", "babca"),
        (LEVELS, "m.toml@3\"", "block", "aaabb"),
        (
            LEVELS,
            "ethernet100-switched\"\nranks_per_node = 2",
            "block",
            "aabbc",
        ),
        (
            LEVELS,
            "ethernet100-switched\"\nmapping = [\"round-robin\"]\nranks_per_node = 3",
            "round-robin",
            "ababa",
        ),
    ] {
        fs::write(directory.path().join("m.toml"), profile).unwrap();
        let summary = measured(
            directory.path(),
            &config.replace("ethernet100-switched\"", machine),
            mapping,
        );
        assert!(
            rows(&summary).iter().all(|row| row["mapping"] == mapping),
            "{summary}"
        );
        // Only a machine without levels needs a rule for nodes that share a link.
        let is_flat = machine.starts_with("ethernet");
        assert!(
            rows(&summary)
                .iter()
                .all(|row| row["link_sharing_ns"].is_empty() != is_flat),
            "{summary}"
        );
        let nodes =
            rows(&fs::read_to_string(directory.path().join(mapping).join("nodes.csv")).unwrap());
        assert_eq!(
            nodes[..5]
                .iter()
                .map(|node| node["host"].as_str())
                .collect::<String>(),
            placed
        );
        fs::remove_dir_all(directory.path().join(mapping)).unwrap();
    }
}

/// A machine and a measurement that place ranks differently; the message names both.
#[test]
fn a_layout_that_contradicts_the_machine_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("m.toml"), LEVELS).unwrap();
    fs::write(
        directory.path().join("own.toml"),
        LEVELS.replace("nics = 1\n", ""),
    )
    .unwrap();
    let config = naming(SMALL, "algorithms = [\"allreduce-ring\"]").replace("source = 2\n", "");
    let (machine, emulated) = (
        "machine = \"m.toml\"",
        "transport = \"emulated\"\n[[measurement]]",
    );
    let mut all = String::new();
    for (from, to) in [
        (machine, "machine = \"m.toml\"".to_owned()),
        (machine, format!("{machine}\nhosts = 2")),
        (machine, format!("{machine}\nmapping = [\"block\"]")),
        (machine, format!("{machine}\nhold_ps_per_byte = [5]")),
        (machine, format!("{machine}\nranks_per_node = 0")),
        (
            machine,
            "machine = \"ethernet100-switched\"\nranks_per_node = 2".to_owned(),
        ),
        (
            machine,
            "machine = \"ethernet100-switched\"\nranks_per_node = 2\nhosts = 3".to_owned(),
        ),
        ("allreduce-ring", "halving".to_owned()),
        (
            "\"allreduce-ring\"]",
            "\"allreduce-ring\", \"summation-optimal\"]\nP = [4]\noperands = [9]".to_owned(),
        ),
        ("allreduce-ring", "broadcast-flat:posted".to_owned()),
        (
            "[[measurement]]",
            emulated.replace("[[", "# `nics` are not 1\n[["),
        ),
    ] {
        let machine = if to.contains("nics") {
            "own.toml"
        } else {
            "m.toml"
        };
        let config = config
            .replace("ethernet100-switched", "m.toml")
            .replace(from, &to)
            .replace("m.toml", machine);
        fs::write(directory.path().join("c.toml"), config).unwrap();
        let refused = ask(directory.path(), "measure c.toml");
        let (to, code) = (to.replace('\n', "; "), refused.code.unwrap_or(-1));
        let _ = writeln!(all, "{to}\n    {code} {}", on_one_line(&refused.errors));
    }
    assert_snapshot!(all);
}

/// The clocks of different hosts are compared before each multicast; the rows have the accuracy.
#[test]
fn clocks_of_different_hosts_are_compared() {
    let directory = tempfile::tempdir().unwrap();
    let far = r#"
[tcp]
launch = ["sh", "-c", '"$0" "$@" | sed -u "s/\"clock\":\"/&{host}/"']
hosts = [{ name = "a", address = "127.0.0.1" }, { name = "b", address = "127.0.0.1" }]
"#;
    let config = SMALL
        .replace("[[measurement]]", &format!("{far}[[measurement]]"))
        .replace("ethernet100-switched", "loopback-2-cores");
    measured(directory.path(), &config, "m");
    // What the predictions assume and do not have is said each time.
    let told = ask(directory.path(), "measure c.toml --out m --summarise").errors;
    for part in [
        "warning: profile `loopback-2-cores` is valid for messages of 1 B to 4 KiB, not of 100000 B: its times are guesses, at 22 points",
        "note: a (127.0.0.1) and b (127.0.0.1) are one host",
        "* the model does not apply to 44 points",
    ] {
        assert!(told.contains(part), "{told}");
    }
    let measurements =
        rows(&fs::read_to_string(directory.path().join("m/measurements.csv")).unwrap());
    assert_eq!(measurements.len(), 132);
    assert!(
        measurements
            .iter()
            .all(|row| number(row, "clock_error_ns") > 0)
    );
    measured(directory.path(), SMALL, "one-clock");
    let measurements =
        rows(&fs::read_to_string(directory.path().join("one-clock/measurements.csv")).unwrap());
    assert!(
        measurements
            .iter()
            .all(|row| number(row, "clock_error_ns") == 0)
    );
}

/// Calibration writes a profile that every verb accepts.
#[test]
fn a_calibrated_machine_is_a_machine() {
    let directory = tempfile::tempdir().unwrap();
    for sends in ["acknowledged", "streamed"] {
        let calibrate = format!(
            "calibrate --name {sends} --out p --repetitions 2 --sends {sends} --format json"
        );
        let Answer { code, out, errors } = ask(directory.path(), &calibrate);
        assert_eq!(code, Some(0), "{errors}");
        let sizes: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(sizes.as_array().unwrap().len(), 14);
        let table =
            rows(&fs::read_to_string(directory.path().join(format!("p/{sends}.csv"))).unwrap());
        assert_eq!(table.len(), 14);
        // Five processes of this host: whether they share a port is not asserted, only that it is stated, also in the profile.
        assert_eq!(
            table
                .iter()
                .filter(|row| !row["incast_ns"].is_empty() && !row["fan_out_ns"].is_empty())
                .count(),
            3
        );
        let profile = fs::read_to_string(directory.path().join(format!("p/{sends}.toml"))).unwrap();
        for statement in ["fan-out to 4 ranks takes ", "incast from 4 ranks takes "] {
            assert!(
                errors.contains(statement) && profile.contains(statement),
                "{errors}"
            );
        }
        // The intervals of two repetitions decide nothing.
        assert!(
            profile.contains("basis = \"unreliable\"")
                && errors.contains("TOO FEW REPETITIONS: the interval of 2 decides nothing")
                && !errors.contains("NOT AS THE MODEL"),
            "{errors}\n{profile}"
        );
        // The rule of ports, or why it cannot be told; with it the medians of the short messages, 1 to 64 B.
        let has_rule = profile
            .lines()
            .any(|line| line.starts_with("ports = ") || line == "[ports]");
        assert_ne!(
            has_rule,
            errors.contains("the profile has no `ports`: "),
            "{errors}\n{profile}"
        );
        assert_eq!(
            table
                .iter()
                .filter(|row| !row["both_ways_ns"].is_empty())
                .count(),
            4
        );
        let cost = format!("cost halving --machine p/{sends}.toml --bytes 1MiB -K 8 --format json");
        let cost: Value = serde_json::from_str(&printed(directory.path(), &cost).unwrap()).unwrap();
        // Three hops of 1 MiB, or one hop after two gaps: an acknowledged send takes longer than a hop.
        let row = table.iter().find(|row| row["bytes"] == "1048576").unwrap();
        let [hop, gap] = ["profile_hop_ns", "profile_gap_ns"].map(|column| number(row, column));
        assert_eq!(cost["analytic"].as_u64(), Some(hop + 2 * hop.max(gap)));
    }
}

/// The committed files are from one complete run, and the summary follows from the rows.
#[test]
fn the_committed_measurements_belong_together() {
    let reports = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../reports"));
    let names = [
        "measured",
        "measured-mpi",
        "measured-mpi-spinning",
        "measured-segments",
    ];
    for directory in names.map(|name| reports.join(name)) {
        let read = |name: &str| fs::read_to_string(directory.join(name)).unwrap();
        let manifest: Value = serde_json::from_str(&read("manifest.json")).unwrap();
        assert_eq!(manifest["outcome"]["status"], "complete");
        let files = manifest["files"].as_array().unwrap();
        assert_eq!(files.len(), 3);
        for file in files {
            let contents = read(file["name"].as_str().unwrap());
            assert_eq!(
                castbench::output::sha256(contents.as_bytes()).unwrap(),
                file["sha256"].as_str().unwrap()
            );
        }
        let measurements = rows(&read("measurements.csv"));
        let point = [
            "measurement",
            "algorithm",
            "K",
            "axes",
            "bytes",
            "hosts",
            "mapping",
            "hold_ps_per_byte",
        ];
        for row in rows(&read("summary.csv")) {
            let own = measurements
                .iter()
                .filter(|other| point.iter().all(|key| other.get(*key) == row.get(*key)));
            let median =
                Median::from_times(own.map(|row| number(row, "completion_ns")).collect()).unwrap();
            let written = ["median_ns", "low_ns", "high_ns"].map(|column| number(&row, column));
            assert_eq!(written, [median.median, median.low, median.high], "{row:?}");
        }
    }
}

/// A refusal names the file, the line and the fix; nothing is started, and no file remains.
#[test]
fn in_the_configuration() {
    let head = "schema = 1\n";
    let one = "[[measurement]]\nname = \"a\"\nalgorithms = [\"halving\"]\nK = [2]\nbytes = [\"1B\"]\nmachine = \"ethernet100-switched\"\n";
    let with = |line: &str| match line.starts_with("algorithms") {
        true => format!("{head}{}\n", naming(one, line)),
        false => format!("{head}{one}{line}\n"),
    };
    let configs = [
        head.to_owned(),
        format!("{head}transport = \"carrier-pigeon\"\n{one}"),
        format!("{head}transport = \"tcp\"\n[emulated]\nrate_mbit = 10\n{one}"),
        format!("{head}transport = \"emulated\"\n[tcp]\nfirst_port = 1000\n{one}"),
        format!("{head}transport = \"emulated\"\n[emulated]\nrate_mbit = 0\n{one}"),
        format!("{head}repetitions = 0\n{one}"),
        format!("{head}time_limit_seconds = 0\n{one}"),
        format!("{head}[tcp]\nlaunch = [\"ssh\"]\n{one}"),
        format!("{head}[tcp]\nhosts = []\n{one}"),
        format!("{head}[tcp]\nhosts = [{{ name = \"a\", address = \"0.0.0.0\" }}]\n{one}"),
        format!("{head}[tcp]\nhosts = [{{ name = \"a\", address = \"node1\" }}]\n{one}"),
        format!("{head}[tcp]\nfirst_port = 70_000\n{one}"),
        format!("{head}{one}{one}"),
        with("hosts = 4"),
        with("source = 3"),
        with("algorithms = [\"dual-path\"]"),
        with("algorithms = []"),
        with("mapping = [\"random\"]"),
        with("algorithms = [\"halving\"]\nm = [4]"),
        with("algorithms = [\"broadcast-chain\"]\nports = [\"duplex\"]\nm = [4]\nk = [2]")
            .replace("1B", "1KiB"),
        with("algorithms = [\"summation-optimal\"]\nP = [300]\noperands = [1000]")
            .replace("K = [2]", ""),
        with("algorithms = [\"summation-optimal\"]\nP = [1]\noperands = [1000]")
            .replace("K = [2]", ""),
        with("algorithms = [\"barrier-linear\"]")
            .replace("K = [2]", "K = [250]")
            .replace("1B", "16MiB"),
        with("algorithms = [\"broadcast-chain\"]\nports = [\"duplex\"]\nm = [100_000]")
            .replace("K = [2]", "K = [40]")
            .replace("1B", "1MiB"),
        with("hold_ps_per_byte = [18_446_744_073_709_551_615]").replace("1B", "1MiB"),
        with("hold_ps_per_byte = { from = 1, to = 18_446_744_073_709_551_615 }"),
        with("hold_ps_per_byte = { from = 1, to = 9_999 }").replace("K = [2]", "K = [2, 3]"),
        with("speed = 3"),
        with("").replace("K = [2]", "K = [251]"),
        with("").replace("\"1B\"", "\"2GiB\""),
        with("").replace("[\"1B\"]", "[]"),
    ];
    let mut all = String::new();
    for config in configs {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("c.toml"), &config).unwrap();
        let refused = ask(directory.path(), "measure c.toml");
        assert_eq!(
            fs::read_dir(directory.path()).unwrap().count(),
            1,
            "{config}"
        );
        let (config, code) = (
            config.trim_end().replace('\n', "; "),
            refused.code.unwrap_or(-1),
        );
        let _ = writeln!(all, "{config}\n    {code} {}", on_one_line(&refused.errors));
    }
    assert_snapshot!(all);
}

#[test]
fn on_the_command_line() {
    let mut all = String::new();
    let directory = tempfile::tempdir().unwrap();
    for line in [
        "measure missing.toml",
        "calibrate --name a/b",
        "calibrate --repetitions 0",
        "calibrate --sends sometimes",
        "hosts up --count 0",
        "hosts up --count 251",
        "hosts up --rate-mbit 0",
    ] {
        let refused = ask(directory.path(), line);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0, "{line}");
        let _ = writeln!(
            all,
            "{line}\n    {} {}",
            refused.code.unwrap_or(-1),
            on_one_line(&refused.errors)
        );
    }
    assert_snapshot!(all);
}

/// A switch is no rank.
#[test]
fn what_a_switch_does_is_not_measured() {
    let directory = tempfile::tempdir().unwrap();
    let text = naming(SMALL, "algorithms = [\"allreduce-switch\"]");
    fs::write(directory.path().join("c.toml"), text).unwrap();
    let errors = expect(
        directory.path(),
        "measure c.toml --out m",
        3,
        "`allreduce-switch` cannot be measured",
    );
    assert!(!errors.contains("broadcast-switch"), "{errors}");
}
