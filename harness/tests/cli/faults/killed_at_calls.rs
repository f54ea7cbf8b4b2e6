//! SIGKILL at every system call that creates, moves, removes or syncs a file, with strace. `figures` and `regress accept`
//! compute all again in seconds; `killed.rs` kills them at random moments.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{
    ACCEPT, MEASURED, MERGE, NONE, Publication, SWEEP, Undisturbed, differences, errors, program, succeed, tree,
};

/// Calls of the same kind have several names; the C library and the processor determine which are made.
const CALLS: [&str; 14] = [
    "?rename",
    "?renameat",
    "?renameat2",
    "?link",
    "?linkat",
    "?unlink",
    "?unlinkat",
    "?rmdir",
    "?mkdir",
    "?mkdirat",
    "fsync",
    "fdatasync",
    "ftruncate",
    "flock",
];

/// No verb makes more calls.
const MAX_CALLS: u32 = 200;

/// The threads whose calls are counted. strace counts per thread, so the first of two threads would hide the other's.
#[derive(Clone, Copy)]
enum Of<'a> {
    /// The first thread, which publishes.
    Main,
    /// Calls of any thread that name this file.
    File(&'a str),
    /// All threads, only one of which makes such calls.
    Any,
}

/// `castbench`, killed at this call.
fn traced(directory: &Path, arguments: &[&str], of: Of<'_>, calls: &str, number: u32) -> Command {
    let inner = program(directory, arguments);
    let mut command = Command::new("strace");
    command.args(["-qq", "-o", "/dev/null", "-e", &format!("trace={calls}")]);
    match of {
        Of::Main => {}
        Of::File(name) => _ = command.args(["-f", "-P", name]),
        Of::Any => _ = command.arg("-f"),
    }
    command.args(["-e", &format!("inject={calls}:signal=KILL:when={number}")]);
    command.arg(inner.get_program()).args(inner.get_args());
    command.current_dir(directory).env("NO_COLOR", "1").env("TMPDIR", directory.join("tmp"));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Kills it at each of these calls in turn, and returns how often.
fn each_call(publication: &Publication, undisturbed: &Undisturbed, of: Of<'_>, calls: &str) -> u32 {
    for (killed, number) in (0..).zip(1..MAX_CALLS) {
        let work = undisturbed.restore();
        let status = traced(&work, publication.arguments, of, calls, number).status().unwrap();
        let when = format!("{}, at call {number} of {calls}", publication.name);
        if status.success() {
            assert_eq!(differences(&tree(&work), &undisturbed.new), NONE, "{when}");
            return killed;
        }
        assert_eq!(status.code(), None, "{when}");
        undisturbed.check(&work, &when);
        succeed(&work, publication.again);
        assert_eq!(differences(&tree(&work), &undisturbed.new), NONE, "{when}");
    }
    panic!("{}: more than {MAX_CALLS} calls", publication.name);
}

fn is_killed_at_each_call(publication: &Publication, least: u32) {
    let undisturbed = Undisturbed::of(publication);
    let killed: u32 = CALLS.iter().map(|call| each_call(publication, &undisturbed, Of::Main, call)).sum();
    assert!(killed >= least, "{}: killed only {killed} times", publication.name);
}

#[test]
#[ignore = "needs strace"]
fn a_sweep() {
    is_killed_at_each_call(&SWEEP, 30);
}

/// Another thread writes the rows and the checkpoints.
#[test]
#[ignore = "needs strace"]
fn a_sweep_at_its_checkpoints() {
    let undisturbed = Undisturbed::of(&SWEEP);
    let checkpoint = Of::File("checkpoint.json");
    let renames = CALLS[..3].iter().map(|call| each_call(&SWEEP, &undisturbed, checkpoint, call));
    assert!(renames.sum::<u32>() > 1);
}

#[test]
#[ignore = "needs strace"]
fn a_merge() {
    is_killed_at_each_call(&MERGE, 25);
}

/// Between kill and rerun, the directory is moved and another baseline with the same history is accepted. No line of
/// the history is lost, repeated, or written to the old place.
#[test]
#[ignore = "needs strace"]
fn an_acceptance_and_another_one_beside_it() {
    let beside = ["regress", "--config", "small.toml", "--baseline", "reports/other", "accept", "--reason", "beside"];
    let undisturbed = Undisturbed::of(&ACCEPT);
    let lines = |directory: &Path| {
        let history = fs::read_to_string(directory.join("reports/history.csv")).unwrap();
        ["the first", "the second", "beside"].map(|reason| history.matches(&format!(",{reason},")).count())
    };
    let work = undisturbed.restore();
    succeed(&work, &beside);
    succeed(&work, ACCEPT.arguments);
    let expected = lines(&work);
    assert!(expected.iter().all(|&count| count > 0), "{expected:?}");
    let renames = "?rename,?renameat,?renameat2";
    for number in 1..MAX_CALLS {
        let work = undisturbed.restore();
        let status = traced(&work, ACCEPT.arguments, Of::Main, renames, number).status().unwrap();
        let moved = work.with_file_name(format!("moved-{number}"));
        fs::rename(&work, &moved).unwrap();
        succeed(&moved, &beside);
        succeed(&moved, ACCEPT.again);
        assert_eq!(lines(&moved), expected, "at call {number}");
        assert!(!work.exists(), "at call {number}");
        if status.success() {
            assert!(number > 3, "only {number} calls");
            return;
        }
    }
    panic!("more than {MAX_CALLS} calls");
}

/// A single file is old or new, and the next file written beside it removes the draft.
#[test]
#[ignore = "needs strace"]
fn single_files() {
    let tree_of_8 = ["-L", "6", "-o", "2", "-g", "4", "-K", "8"];
    let show: Vec<&str> = [&["show", "optimal"], &tree_of_8[..], &["--svg", "out/a"]].concat();
    let export: Vec<&str> = [&["export", "goal", "optimal"], &tree_of_8[..], &["--out", "out/a"]].concat();
    for arguments in [&show[..], &export] {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        let out = directory.join("out");
        fs::create_dir(&out).unwrap();
        succeed(directory, arguments);
        let new = fs::read(out.join("a")).unwrap();
        let mut killed = 0;
        for (call, number) in CALLS.iter().flat_map(|call| [1, 2, 3].map(|number| (call, number))) {
            fs::write(out.join("a"), "old").unwrap();
            let status = traced(directory, arguments, Of::Any, call, number).status().unwrap();
            let found = fs::read(out.join("a")).unwrap();
            assert!(found == b"old" || found == new, "{arguments:?}, {call} {number}");
            killed += u32::from(!status.success());
            succeed(directory, arguments);
            assert_eq!(tree(&out).len(), 1, "{arguments:?}, {call} {number}");
        }
        assert!(killed > 3, "{arguments:?}: only {killed} calls");
    }
}

/// After each kill the old or the new measurement is whole, or a reader advises to measure again. The next measurement
/// succeeds. It takes seconds to measure again, so every other call is enough.
#[test]
#[ignore = "needs strace"]
fn a_measurement() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("c.toml"), MEASURED).unwrap();
    let measure = ["measure", "c.toml", "--out", "m", "--force"];
    succeed(directory, &measure);
    let (mut old, mut new, mut mixed) = (0, 0, 0);
    for call in CALLS {
        for number in (1..).step_by(2) {
            assert!(number < MAX_CALLS);
            let before = fs::read(directory.join("m/manifest.json")).unwrap();
            if traced(directory, &measure, Of::Main, call, number).status().unwrap().success() {
                break;
            }
            let when = format!("at call {number} of {call}");
            let is_old = fs::read(directory.join("m/manifest.json")).unwrap() == before;
            let output = program(directory, &["measure", "c.toml", "--out", "m", "--summarise"]).output().unwrap();
            if output.status.success() {
                is_whole(&directory.join("m"), &when);
                *(if is_old { &mut old } else { &mut new }) += 1;
            } else {
                assert_eq!(output.status.code(), Some(74), "{when}: {}", errors(&output));
                assert!(errors(&output).contains("; measure again"), "{when}: {}", errors(&output));
                mixed += 1;
            }
            succeed(directory, &measure);
            is_whole(&directory.join("m"), &when);
        }
    }
    assert!(old > 2 && new > 0 && mixed > 0, "old {old} times, new {new} times, mixed {mixed} times");
}

/// The directory has exactly the files in the manifest of the measurement.
fn is_whole(directory: &Path, when: &str) {
    let names: Vec<_> = tree(directory).into_keys().collect();
    let expected = ["manifest.json", "measurements.csv", "nodes.csv", "summary.csv"].map(Path::new);
    assert_eq!(names, expected, "{when}");
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(directory.join("manifest.json")).unwrap()).unwrap();
    for file in manifest["files"].as_array().unwrap() {
        let found = fs::File::open(directory.join(file["name"].as_str().unwrap())).unwrap();
        assert_eq!(file["sha256"], castbench::output::sha256(found).unwrap(), "{when}");
    }
}
