//! Emulated hosts.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::emulated::{apart, text};
use crate::common::measured::{LEVELS, rows};
use crate::common::{castbench, wait_for};

const EMULATED: &str = r#"
schema = 1
repetitions = 3
time_limit_seconds = 20
transport = "emulated"
[[measurement]]
name = "a"
algorithms = ["halving"]
K = [4]
bytes = ["20kB"]
machine = "ethernet100-switched"
"#;

fn measure(directory: &Path, config: &str) -> Command {
    fs::write(directory.join("c.toml"), config).unwrap();
    let mut command = castbench(&["measure", "c.toml", "--out", "m", "--format", "csv"]);
    command
        .current_dir(directory)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Processes with this directory in their command line.
fn processes_in(directory: &Path) -> usize {
    let directory = directory.to_str().unwrap().as_bytes();
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("environ")).ok());
    lines
        .filter(|line| {
            line.windows(directory.len())
                .any(|window| window == directory)
        })
        .count()
}

#[test]
#[ignore = "needs root, ip and tc of iproute2"]
fn hosts_are_created_measured_and_removed() {
    let directory = tempfile::tempdir().unwrap();
    let output = measure(directory.path(), EMULATED).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let nodes = fs::read_to_string(directory.path().join("m/nodes.csv")).unwrap();
    for host in [
        "castbench-h1",
        "castbench-h2",
        "castbench-h3",
        "castbench-h4",
    ] {
        assert_eq!(nodes.matches(host).count(), 3, "{nodes}");
    }
    let manifest = fs::read_to_string(directory.path().join("m/manifest.json")).unwrap();
    assert!(
        manifest.contains("\"rate_mbit\": 100")
            && manifest.contains("\"tcp_congestion_control\": \"reno\"")
    );
    assert!(!Path::new("/run/netns/castbench-net").exists());
}

/// Two ranks on each host: the placement, the columns and the prediction are those of the machine.
#[test]
#[ignore = "needs root, ip and tc of iproute2"]
fn ranks_of_a_node_share_an_emulated_host() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("m.toml"), LEVELS).unwrap();
    let config = EMULATED.replace(
        "halving",
        "allreduce-leaders:binomial+ring\", \"allreduce-ring",
    );
    let config = config.replace("ethernet100-switched\"", "m.toml\"\nranks_per_node = 2");
    for (placement, placed) in [("block", "1122"), ("round-robin", "1212")] {
        let profile = LEVELS.replace("nics", &format!("placement = \"{placement}\"\nnics"));
        fs::write(directory.path().join("m.toml"), profile).unwrap();
        let output = measure(directory.path(), &format!("{config}\n"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(
            !text(&output.stderr).contains("does not apply"),
            "{}",
            text(&output.stderr)
        );
        let cost = castbench(&[
            "cost",
            "allreduce-ring",
            "--machine",
            "m.toml@2",
            "-K",
            "4",
            "--bytes",
            "20kB",
        ])
        .args(["--format", "json"])
        .current_dir(directory.path())
        .output()
        .unwrap();
        let cost: serde_json::Value = serde_json::from_slice(&cost.stdout).unwrap();
        let summary = rows(&text(&output.stdout));
        assert_eq!(summary[0]["model_ns"], cost["simulated"].to_string());
        for row in &summary {
            let layout = ["hosts", "mapping", "machine", "link_sharing_ns"]
                .map(|column| row[column].as_str());
            assert_eq!(layout, ["2", placement, "cluster@2", ""]);
        }
        let nodes = rows(&fs::read_to_string(directory.path().join("m/nodes.csv")).unwrap());
        let hosts: String = nodes[..4]
            .iter()
            .map(|node| node["host"].trim_start_matches("castbench-h"))
            .collect();
        assert_eq!(hosts, placed);
        fs::remove_dir_all(directory.path().join("m")).unwrap();
    }
}

/// The kernel removes everything: a namespace ends with its processes.
#[test]
#[ignore = "needs root, ip and tc of iproute2"]
fn a_killed_coordinator_leaves_no_host() {
    let directory = tempfile::tempdir().unwrap();
    let config = EMULATED.replace("repetitions = 3", "repetitions = 100_000");
    let marker = directory.path().join("marker");
    let mut child = measure(directory.path(), &config)
        .env("CASTBENCH_TEST", &marker)
        .spawn()
        .unwrap();
    // The coordinator and four ranks.
    wait_for("the start of the ranks", || {
        (processes_in(&marker) >= 5).then_some(())
    });
    child.kill().unwrap();
    child.wait().unwrap();
    wait_for("the end of the ranks", || {
        (processes_in(&marker) == 0).then_some(())
    });
    assert!(!Path::new("/run/netns/castbench-net").exists());
}

#[test]
#[ignore = "needs root, ip and tc of iproute2"]
fn hosts_that_stay_are_removed_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let script = "ip netns add other; ip netns add castbench-helper; \"$0\" hosts status; \"$0\" hosts up --count 2 --rate-mbit 10; \
        \"$0\" hosts status --format csv; \"$0\" hosts up || echo refused; \"$0\" hosts down; \"$0\" hosts down; ip netns list";
    let Output {
        status,
        stdout,
        stderr,
    } = apart(directory.path(), script).output().unwrap();
    let (printed, errors) = (text(&stdout), text(&stderr));
    assert!(status.success(), "{errors}");
    assert!(
        printed.contains("castbench-h1,10.77.0.1,qdisc tbf") && printed.contains("rate 10Mbit"),
        "{printed}"
    );
    assert!(
        printed.contains("castbench-h2,10.77.0.2") && printed.contains("refused"),
        "{printed}"
    );
    assert!(
        errors.contains("removed 2 emulated hosts") && errors.contains("removed 0 emulated hosts"),
        "{errors}"
    );
    let left: Vec<&str> = printed.lines().rev().take(2).collect();
    assert!(
        left.contains(&"other") && left.contains(&"castbench-helper"),
        "{printed}"
    );
}

/// Hosts that stay work like any others, with a host list and a launch command.
#[test]
#[ignore = "needs root, ip and tc of iproute2"]
fn hosts_that_stay_can_be_measured_on() {
    let directory = tempfile::tempdir().unwrap();
    let tcp = "[tcp]\nlaunch = [\"ip\", \"netns\", \"exec\", \"{host}\"]\nhosts = [{ name = \"castbench-h1\", address = \
        \"10.77.0.1\" }, { name = \"castbench-h2\", address = \"10.77.0.2\" }]\n[[measurement]]";
    let config = EMULATED.replace("transport = \"emulated\"\n[[measurement]]", tcp);
    fs::write(directory.path().join("c.toml"), config).unwrap();
    let script = "\"$0\" hosts up --count 2; \"$0\" measure c.toml --out m; \"$0\" hosts down";
    let output = apart(directory.path(), script).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(
        fs::read_to_string(directory.path().join("m/nodes.csv"))
            .unwrap()
            .contains("castbench-h2")
    );
}

/// One of two concurrent `hosts up` succeeds, and the other leaves its hosts alone. A namespace with such a name that
/// castbench did not create stays.
#[test]
#[ignore = "needs root, ip and tc of iproute2"]
fn hosts_of_others_stay() {
    let directory = tempfile::tempdir().unwrap();
    let script = "for number in 1 2 3; do \
        \"$0\" hosts up --count 3 2>first & one=$!; \"$0\" hosts up --count 3 2>second & two=$!; \
        a=0; wait $one || a=$?; b=0; wait $two || b=$?; echo \"$a $b\" >>ended; \"$0\" hosts status --format csv >>status; \
        \"$0\" hosts down; done; \
        ip netns add castbench-h5; \"$0\" hosts down; ip netns list; \"$0\" hosts up --count 1 || echo refused; \
        \"$0\" hosts status; \"$0\" hosts exec castbench-h5 true || echo not run; \
        mkdir bin; printf '#!/bin/sh\\nexit 1\\n' >bin/ip; chmod +x bin/ip; PATH=$PWD/bin:$PATH \"$0\" hosts down || echo unknown";
    let Output {
        status,
        stdout,
        stderr,
    } = apart(directory.path(), script).output().unwrap();
    let (printed, errors) = (text(&stdout), text(&stderr));
    assert!(status.success(), "{errors}");
    let read = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
    assert!(
        read("ended")
            .lines()
            .all(|ended| ended == "0 10" || ended == "10 0"),
        "{}",
        read("ended")
    );
    assert_eq!(
        read("status").matches("\ncastbench-h3,10.77.0.3").count(),
        3,
        "{}",
        read("status")
    );
    assert!(errors.contains("removed 0 emulated hosts"), "{errors}");
    for state in [
        "is kept",
        "is there already",
        "is left out",
        "is no emulated host",
    ] {
        let told = format!("`castbench-h5` {state}: castbench did not make it; `ip netns del");
        assert!(errors.contains(&told), "{errors}");
    }
    // What cannot be entered may be castbench's own.
    assert_eq!(errors.matches("is kept").count(), 1, "{errors}");
    for answer in ["castbench-h5", "refused", "not run", "unknown"] {
        assert!(printed.contains(answer), "{printed}");
    }
}

/// Without root, in a user namespace, if the kernel allows that.
#[test]
#[ignore = "needs user namespaces, ip and tc of iproute2"]
fn no_root_is_needed() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("c.toml"), EMULATED).unwrap();
    let mut command = Command::new("unshare");
    command.args([
        "-Urn",
        env!("CARGO_BIN_EXE_castbench"),
        "measure",
        "c.toml",
        "--out",
        "m",
    ]);
    let output = command.current_dir(directory.path()).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// The words are one line for a shell on that host, as with `ssh`.
#[test]
#[ignore = "needs root, ip and tc of iproute2"]
fn a_command_runs_on_a_host_that_stays() {
    let directory = tempfile::tempdir().unwrap();
    let script = "\"$0\" hosts up --count 2; \"$0\" hosts exec castbench-h2 'uname -n;' ip -br addr show eth0 '| wc -l'; uname -n; \
        \"$0\" hosts exec castbench-h2 exit 7 || echo \"ended with $?\"; \
        \"$0\" hosts exec castbench-h3 true || echo \"ended with $?\"; \"$0\" hosts down";
    let Output {
        status,
        stdout,
        stderr,
    } = apart(directory.path(), script).output().unwrap();
    let (printed, errors) = (text(&stdout), text(&stderr));
    assert!(status.success(), "{errors}");
    let own = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    assert_eq!(
        printed,
        format!("castbench-h2\n1\n{own}\nended with 7\nended with 10\n")
    );
    assert!(
        errors.contains("there is no emulated host `castbench-h3`"),
        "{errors}"
    );
}
