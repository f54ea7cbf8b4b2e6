//! Faults during `castbench measure`: it ends in bounded time, names rank and host, and leaves no process.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::thread;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::common::{castbench, end, wait_for};

/// The time limit of these measurements in seconds. A running rank answers within it on a busy machine; tests of ranks
/// that do not answer wait for it.
const LIMIT: u64 = 10;

/// A configuration with these repetitions and these lines in `[tcp]`.
fn config(repetitions: u32, tcp: &str) -> String {
    format!(
        "schema = 1\nrepetitions = {repetitions}\ntime_limit_seconds = {LIMIT}\n[tcp]\n{tcp}\n[[measurement]]\nname = \"a\"\n\
         algorithms = [\"halving\"]\nK = [4]\nbytes = [\"64KiB\"]\nmachine = \"ethernet100-switched\"\n"
    )
}

fn start(directory: &Path, config: &str) -> Child {
    fs::write(directory.join("c.toml"), config).unwrap();
    let mut command = castbench(&["measure", "c.toml", "--out", "m"]);
    command
        .current_dir(directory)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The ranks of a coordinator, once all are running.
fn ranks(coordinator: u32) -> Vec<i32> {
    wait_for("the start of the ranks", || {
        let processes = fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let own: Vec<i32> = processes
            .filter(|process| parent(*process) == Some(coordinator))
            .collect();
        (own.len() == 4).then_some(own)
    })
}

/// The parent of a process, from the fourth field of its status.
fn parent(process: i32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    status
        .rsplit_once(')')?
        .1
        .split_whitespace()
        .nth(1)?
        .parse()
        .ok()
}

fn signal(process: i32, signal: Signal) {
    kill_process(Pid::from_raw(process).unwrap(), signal).unwrap();
}

/// Waits until all of these have ended.
fn gone(processes: &[i32]) {
    let there = |process: &i32| test_kill_process(Pid::from_raw(*process).unwrap()).is_ok();
    wait_for("the end of the ranks", || {
        (!processes.iter().any(there)).then_some(())
    });
}

/// The bytes that a process has written so far to files and connections.
fn written(process: i32) -> u64 {
    let counts = fs::read_to_string(format!("/proc/{process}/io")).unwrap_or_default();
    counts
        .lines()
        .find_map(|line| line.strip_prefix("wchar: ")?.parse().ok())
        .unwrap_or(0)
}

/// Finished measurements are kept, and the manifest states how it ended.
fn kept(directory: &Path, status: &str) {
    let manifest = fs::read_to_string(directory.join("m/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["outcome"]["status"], status);
    let rows = measured(directory);
    assert_eq!(manifest["files"][0]["rows"], rows);
    assert!(rows > 0);
}

/// The number of repetitions kept.
fn measured(directory: &Path) -> u64 {
    let rows = fs::read_to_string(directory.join("m/measurements.csv")).unwrap_or_default();
    (rows.lines().count() as u64).saturating_sub(1)
}

/// Disturbs an endless measurement, given its process and its ranks, after some executions. Returns its output; no rank
/// may remain.
fn disturbed(disturb: impl Fn(i32, &[i32])) -> (tempfile::TempDir, Vec<i32>, Output) {
    let directory = tempfile::tempdir().unwrap();
    let child = start(directory.path(), &config(100_000, ""));
    let own = ranks(child.id());
    // Measurements are written at the end. An execution sends three messages of 64 KiB; the first ones are not
    // repetitions.
    let executions = || own.iter().map(|rank| written(*rank)).sum::<u64>() / (3 << 16);
    wait_for("the twentieth execution", || {
        (executions() > 20).then_some(())
    });
    disturb(i32::try_from(child.id()).unwrap(), &own);
    let output = end(child);
    gone(&own);
    (directory, own, output)
}

/// The killed rank is named, not a rank that waits for it.
#[test]
fn a_killed_rank_is_named() {
    let (directory, own, output) = disturbed(|_, ranks| signal(ranks[2], Signal::KILL));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(10), "{errors}");
    let expected = format!("on localhost (process {}): killed by signal 9", own[2]);
    assert!(
        errors.contains("halving, K = 4, 64 KiB") && errors.contains(&expected),
        "{errors}"
    );
    kept(directory.path(), "failed");
}

/// Starts one rank so that it stops at a moment: before its nth reading of an order, or after it answers for the nth
/// time. The file `still` then has its process.
const STAND_STILL: &str = r#"
host=$1 still=$2 direction=$3 moment=$4 nth=$5; shift 5
[ "$host" = "$still" ] || exec "$@"
mkfifo orders answers
"$@" <orders >answers & rank=$!
exec 3>orders 4<answers 5<&0
pass() {
    seen=0
    while IFS= read -r line; do
        case "$1 $line" in "$direction "*"\"$moment\""*) seen=$((seen + 1)) ;; esac
        if [ "$seen" = "$nth" ]; then nth=0; kill -STOP $rank; echo $rank >still; fi
        printf '%s\n' "$line"
    done
}
pass order <&5 >&3 & exec 3>&-
pass answer <&4
"#;

/// The messages of a measurement along a tree in which this rank stops at this moment.
fn with_still_rank(
    algorithm: &str,
    rank: usize,
    direction: &str,
    moment: &str,
    nth: u32,
) -> String {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("rank.sh"), STAND_STILL).unwrap();
    let host = |number: usize| format!("{{ name = \"h{number}\", address = \"127.0.0.1\" }}");
    let hosts = [0, 1, 2, 3].map(host).join(", ");
    let still = format!("\"h{rank}\", \"{direction}\", \"{moment}\", \"{nth}\"");
    let tcp = format!("launch = [\"sh\", \"rank.sh\", \"{{host}}\", {still}]\nhosts = [{hosts}]");
    let config = config(100_000, &tcp).replace("\"halving\"", &format!("\"{algorithm}\""));
    let output = end(start(directory.path(), &config));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(10), "{errors}");
    // The rank stays stopped until its parent is gone. Then the kernel ends it with its process group, or this does.
    let process = fs::read_to_string(directory.path().join("still"))
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    let _ = kill_process(Pid::from_raw(process).unwrap(), Signal::KILL);
    gone(&[process]);
    errors
}

/// A rank that stops at any moment is named first and alone, whether the coordinator or other ranks wait for it.
#[test]
fn a_rank_stopped_at_any_moment_is_named() {
    let moments = [
        ("order", "join", 1),
        // Before it is ready: for the other ranks, for the first task, and for a task whose connections exist.
        ("order", "peers", 1),
        ("order", "prepare", 1),
        ("order", "prepare", 4),
        // While it waits for an order or for a message, and between two tasks.
        ("answer", "ready", 2),
        ("answer", "ready", 5),
        ("order", "verify", 3),
    ];
    // Along `flat`, ranks 2 and 3 wait for rank 0, which waits for the coordinator.
    let ranks = [("flat", 1), ("chain", 2)];
    let cases = moments
        .into_iter()
        .flat_map(|moment| ranks.map(|rank| (rank, moment)));
    thread::scope(|scope| {
        let running: Vec<_> = cases
            .map(|case @ ((algorithm, rank), (direction, moment, nth))| {
                let run = move || with_still_rank(algorithm, rank, direction, moment, nth);
                (case, scope.spawn(run))
            })
            .collect();
        for (case @ ((_, rank), (_, moment, _)), running) in running {
            let errors = running.join().unwrap();
            let first = errors
                .split_once(" on h")
                .and_then(|(before, _)| before.rsplit_once("rank "));
            assert_eq!(
                first.map(|(_, named)| named),
                Some(&*rank.to_string()),
                "{case:?}: {errors}"
            );
            let why = if moment == "join" {
                "s of starting"
            } else {
                "did not respond: no sign of life within"
            };
            assert!(
                errors.contains(why) && !errors.contains("nor did"),
                "{case:?}: {errors}"
            );
        }
    });
}

#[test]
fn ctrl_c_keeps_what_was_measured() {
    let (directory, _, output) = disturbed(|coordinator, _| signal(coordinator, Signal::INT));
    assert_eq!(
        output.status.code(),
        Some(130),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    kept(directory.path(), "interrupted");
}

#[test]
fn no_rank_outlives_a_killed_coordinator() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = start(directory.path(), &config(100_000, ""));
    let own = ranks(child.id());
    child.kill().unwrap();
    child.wait().unwrap();
    gone(&own);
}

/// A measurement that cannot begin, or whose bytes are wrong, names the rank, the host and the reason. Of two hosts, a
/// script starts the one called `bad`; `$0` and `$@` are the program and its arguments.
#[test]
fn what_a_host_does_wrong_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let alone = |launch, address| {
        format!("launch = [{launch:?}]\nhosts = [{{ name = \"a\", address = {address:?} }}]")
    };
    let bad = |script| {
        let launch = format!("if [ {{host}} = bad ]; then {script}; else exec \"$0\" \"$@\"; fi");
        let hosts = ["good", "bad"]
            .map(|name| format!("{{ name = {name:?}, address = \"127.0.0.1\" }}"))
            .join(", ");
        format!("launch = [\"sh\", \"-c\", '''{launch}''']\nhosts = [{hosts}]")
    };
    let cases: [(String, &[&str]); 8] = [
        (
            format!("first_port = {port}"),
            &[
                // The ports behind it may be in use, too.
                " on localhost",
                "cannot listen on 127.0.0.1:",
                "first_port",
            ],
        ),
        (
            bad("echo connect to host bad: No route to host >&2; exit 255"),
            &[
                "on bad (process",
                "too early with exit code 255; its error output: connect to host bad: No route",
            ],
        ),
        (
            alone("no-such-launcher", "127.0.0.1"),
            &["cannot start rank 0 on a with `no-such-launcher`"],
        ),
        (
            bad("exec sleep 1000"),
            &[
                "on bad (process",
                "s of starting",
                &format!("no answer within {} s", LIMIT + 2),
            ],
        ),
        (
            bad("echo Welcome to bad; exec sleep 1000"),
            &[
                "on bad (process",
                "expected an answer, not `Welcome to bad`",
            ],
        ),
        (
            bad("\"$0\" \"$@\" | sed -u 's/\"build\":\"/&0.0.9 or /'"),
            &["on bad (process", "is castbench 0.0.9 or"],
        ),
        // An address reserved for documentation, so no host has it.
        (
            alone("env", "192.0.2.1"),
            &[" on a (process ", "cannot listen on 192.0.2.1:0"],
        ),
        // Every rank detects bytes that differ from those sent.
        (
            bad("\"$0\" \"$@\" | sed -u 's/\"sha256\":\"../\"sha256\":\"xx/'"),
            &["rank 1 on bad (process", "received wrong bytes: SHA-256 xx"],
        ),
    ];
    for (tcp, parts) in cases {
        let directory = tempfile::tempdir().unwrap();
        let output = end(start(directory.path(), &config(1, &tcp)));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(10), "{tcp}: {errors}");
        assert!(
            parts.iter().all(|part| errors.contains(part)),
            "{tcp}: {errors}"
        );
        assert!(
            !directory.path().join("m/manifest.json").exists(),
            "nothing was measured, so nothing is written"
        );
    }
}
