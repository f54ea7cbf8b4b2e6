//! SIGKILL at every system call that creates, moves, removes or syncs a file, with strace. `figures`, `regress accept` and
//! `measure` do all again in seconds; `killed.rs` kills the first two at random moments.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{MERGE, NONE, Publication, SWEEP, Undisturbed, differences, program, succeed, tree};

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
    command
        .current_dir(directory)
        .env("NO_COLOR", "1")
        .env("TMPDIR", directory.join("tmp"));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Kills it at each of these calls in turn, and returns how often.
fn each_call(publication: &Publication, undisturbed: &Undisturbed, of: Of<'_>, calls: &str) -> u32 {
    for (killed, number) in (0..).zip(1..MAX_CALLS) {
        let work = undisturbed.restore();
        let status = traced(&work, publication.arguments, of, calls, number)
            .status()
            .unwrap();
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
    let undisturbed = Undisturbed::new(publication);
    let killed: u32 = CALLS
        .iter()
        .map(|call| each_call(publication, &undisturbed, Of::Main, call))
        .sum();
    assert!(
        killed >= least,
        "{}: killed only {killed} times",
        publication.name
    );
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
    let undisturbed = Undisturbed::new(&SWEEP);
    let checkpoint = Of::File("checkpoint.json");
    let renames = CALLS[..3]
        .iter()
        .map(|call| each_call(&SWEEP, &undisturbed, checkpoint, call));
    assert!(renames.sum::<u32>() > 1);
}

#[test]
#[ignore = "needs strace"]
fn a_merge() {
    is_killed_at_each_call(&MERGE, 25);
}

/// A single file is old or new, and the next file written beside it removes the draft.
#[test]
#[ignore = "needs strace"]
fn single_files() {
    let tree_of_8 = ["-L", "6", "-o", "2", "-g", "4", "-K", "8"];
    let show: Vec<&str> = [
        &["show", "optimal"],
        &tree_of_8[..],
        &["--svg", "out/a.svg"],
    ]
    .concat();
    let export: Vec<&str> = [
        &["export", "goal", "optimal"],
        &tree_of_8[..],
        &["--out", "out/a.goal"],
    ]
    .concat();
    for arguments in [&show[..], &export] {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        let out = directory.join("out");
        fs::create_dir(&out).unwrap();
        succeed(directory, arguments);
        let file = directory.join(arguments[arguments.len() - 1]);
        let new = fs::read(&file).unwrap();
        // Only a file of the same kind is replaced.
        let old = [&new[..], b"old"].concat();
        let mut killed = 0;
        for (call, number) in CALLS
            .iter()
            .flat_map(|call| [1, 2, 3].map(|number| (call, number)))
        {
            fs::write(&file, &old).unwrap();
            let status = traced(directory, arguments, Of::Any, call, number)
                .status()
                .unwrap();
            let found = fs::read(&file).unwrap();
            assert!(
                found == old || found == new,
                "{arguments:?}, {call} {number}"
            );
            killed += u32::from(!status.success());
            succeed(directory, arguments);
            assert_eq!(tree(&out).len(), 1, "{arguments:?}, {call} {number}");
        }
        assert!(killed > 3, "{arguments:?}: only {killed} calls");
    }
}
