//! What goes wrong while `castbench measure` runs ends in bounded time, names rank and host, and leaves no process.

use std::fs;
use std::io::Read as _;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::common::castbench;

/// Longer than anything here may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The time limit of `config`, longer than a busy machine takes for anything but a fault.
const LIMIT: u64 = 5;

/// A configuration with so many repetitions and these lines in `[tcp]`.
fn config(repetitions: u32, tcp: &str) -> String {
    format!(
        "schema = 1\nrepetitions = {repetitions}\ntime_limit_seconds = {LIMIT}\n[tcp]\n{tcp}\n[[measurement]]\nname = \"a\"\n\
         algorithms = [\"halving\"]\nK = [4]\nbytes = [\"64KiB\"]\nmachine = \"ethernet100-switched\"\n"
    )
}

fn start(directory: &Path, config: &str) -> Child {
    fs::write(directory.join("c.toml"), config).unwrap();
    let mut command = castbench(&["measure", "c.toml", "--out", "m"]);
    command.current_dir(directory).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits for the end, but not forever.
fn end(mut child: Child) -> Output {
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("it did not end");
        }
        thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().unwrap()
}

/// What it said, after checking that a measurement failed.
fn failed(config: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let output = end(start(directory.path(), config));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(10), "{errors}");
    assert!(!directory.path().join("m/manifest.json").exists(), "nothing was measured, so nothing is written");
    errors
}

/// The ranks of a coordinator, once all run.
fn ranks(coordinator: u32) -> Vec<i32> {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        let processes =
            fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let own: Vec<i32> = processes.filter(|process| parent(*process) == Some(coordinator)).collect();
        if own.len() == 4 {
            return own;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("the ranks did not start");
}

/// The parent of a process, from the fourth field of its status.
fn parent(process: i32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    status.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

fn signal(process: i32, signal: Signal) {
    kill_process(Pid::from_raw(process).unwrap(), signal).unwrap();
}

/// Waits until none of these is there any more.
fn gone(processes: &[i32]) {
    let begin = Instant::now();
    let there = |process: &i32| test_kill_process(Pid::from_raw(*process).unwrap()).is_ok();
    while processes.iter().any(there) {
        assert!(begin.elapsed() < PATIENCE, "{processes:?} are still there");
        thread::sleep(Duration::from_millis(10));
    }
}

/// What was measured before is kept, and the manifest says how it ended.
fn kept(directory: &Path, status: &str) {
    let manifest = fs::read_to_string(directory.join("m/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["outcome"]["status"], status);
    let rows = measured(directory);
    assert_eq!(manifest["files"][0]["rows"], rows);
    assert!(rows > 0);
}

/// How many repetitions were kept.
fn measured(directory: &Path) -> u64 {
    let rows = fs::read_to_string(directory.join("m/measurements.csv")).unwrap_or_default();
    (rows.lines().count() as u64).saturating_sub(1)
}

/// Disturbs a measurement without end, given its process and its ranks, once something was measured. How it ended, without
/// leaving a rank.
fn disturbed(disturb: impl Fn(i32, &[i32])) -> (tempfile::TempDir, Vec<i32>, Output) {
    let mut pause = Duration::from_millis(250);
    loop {
        let directory = tempfile::tempdir().unwrap();
        let child = start(directory.path(), &config(100_000, ""));
        let own = ranks(child.id());
        thread::sleep(pause);
        disturb(i32::try_from(child.id()).unwrap(), &own);
        let output = end(child);
        gone(&own);
        // It keeps what was measured when it ends, and so does not say before whether there is anything.
        if measured(directory.path()) > 0 || pause > Duration::from_secs(10) {
            return (directory, own, output);
        }
        pause *= 2;
    }
}

#[test]
fn a_killed_rank_is_named() {
    let (directory, own, output) = disturbed(|_, ranks| signal(ranks[2], Signal::KILL));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(10), "{errors}");
    let expected = format!("on localhost (process {}): killed by signal 9", own[2]);
    assert!(errors.contains("halving, K = 4, 64 KiB") && errors.contains(&expected), "{errors}");
    kept(directory.path(), "failed");
}

#[test]
fn a_rank_that_stands_still_is_not_waited_for() {
    let (directory, own, output) = disturbed(|_, ranks| signal(ranks[1], Signal::STOP));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(10), "{errors}");
    // On a busy machine it may be one that waits for it, or for one that does.
    let is_named = own.iter().any(|process| errors.contains(&format!("on localhost (process {process})")));
    assert!(errors.contains("within") && is_named, "{errors}");
    kept(directory.path(), "failed");
}

#[test]
fn ctrl_c_keeps_what_was_measured() {
    let (directory, _, output) = disturbed(|coordinator, _| signal(coordinator, Signal::INT));
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
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

#[test]
fn a_port_in_use_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let errors = failed(&config(1, &format!("first_port = {port}")));
    assert!(errors.contains("rank 0 on localhost"), "{errors}");
    assert!(
        errors.contains(&format!("cannot listen on 127.0.0.1:{port}")) && errors.contains("first_port"),
        "{errors}"
    );
}

/// Two hosts, of which `bad` is started by this script; `$0` and `$@` are the program and its arguments.
fn with_bad_host(script: &str) -> String {
    let launch = format!("if [ {{host}} = bad ]; then {script}; else exec \"$0\" \"$@\"; fi");
    let hosts = "hosts = [{ name = \"good\", address = \"127.0.0.1\" }, { name = \"bad\", address = \"127.0.0.1\" }]";
    config(1, &format!("launch = [\"sh\", \"-c\", '''{launch}''']\n{hosts}"))
}

#[test]
fn a_host_that_cannot_be_reached_is_named() {
    let errors = failed(&with_bad_host("echo connect to host bad: No route to host >&2; exit 255"));
    assert!(errors.contains("on bad (process"), "{errors}");
    assert!(errors.contains("ended with exit code 255, too early; it said: connect to host bad: No route"), "{errors}");
    let errors =
        failed(&config(1, "launch = [\"no-such-launcher\"]\nhosts = [{ name = \"a\", address = \"127.0.0.1\" }]"));
    assert!(errors.contains("cannot start rank 0 on a with `no-such-launcher`"), "{errors}");
}

#[test]
fn a_host_that_says_nothing_is_named() {
    let errors = failed(&with_bad_host("exec sleep 1000"));
    assert!(errors.contains("on bad (process") && errors.contains("s of starting"), "{errors}");
    assert!(errors.contains(&format!("no answer within {} s", LIMIT + 2)), "{errors}");
}

#[test]
fn a_host_that_says_something_else_is_named() {
    let errors = failed(&with_bad_host("echo Welcome to bad; exec sleep 1000"));
    assert!(
        errors.contains("on bad (process") && errors.contains("expected an answer, not `Welcome to bad`"),
        "{errors}"
    );
}

#[test]
fn another_castbench_is_refused() {
    let errors = failed(&with_bad_host("\"$0\" \"$@\" | sed -u 's/\"build\":\"/&0.0.9 or /'"));
    assert!(errors.contains("on bad (process") && errors.contains("is castbench 0.0.9 or"), "{errors}");
}

#[test]
fn an_address_of_another_host_is_named() {
    // Reserved for documentation: no host has it.
    let errors = failed(&config(1, "launch = [\"env\"]\nhosts = [{ name = \"a\", address = \"192.0.2.1\" }]"));
    assert!(errors.contains(" on a (process ") && errors.contains("cannot listen on 192.0.2.1:0"), "{errors}");
}

/// Bytes that are not those that were sent are found, on every rank.
#[test]
fn a_wrong_digest_is_named() {
    let errors = failed(&with_bad_host("\"$0\" \"$@\" | sed -u 's/\"sha256\":\"../\"sha256\":\"xx/'"));
    assert!(errors.contains("rank 1 on bad (process"), "{errors}");
    assert!(errors.contains("received other bytes than were sent: SHA-256 xx"), "{errors}");
}

/// A stranger who finds the port of a rank neither gets in nor holds anyone up.
#[test]
fn a_stranger_does_not_disturb() {
    let directory = tempfile::tempdir().unwrap();
    let probe = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = probe.local_addr().unwrap().port();
    drop(probe);
    let child = start(directory.path(), &config(500, &format!("first_port = {port}")));
    let _own = ranks(child.id());
    for _ in 0..3 {
        // It may not listen yet, or not any more.
        if let Ok(mut stream) = std::net::TcpStream::connect(("127.0.0.1", port)) {
            let mut nonce = [0; 32];
            let _ = stream.read_exact(&mut nonce);
            let _ = std::io::Write::write_all(&mut stream, &[0; 72]);
        }
        thread::sleep(Duration::from_millis(50));
    }
    let output = end(child);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
