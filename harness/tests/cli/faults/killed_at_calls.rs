//! SIGKILL at every call to the file system that makes, moves, removes or syncs something, with strace.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{
    ACCEPT, FIGURES, MERGE, NONE, Publication, SWEEP, Undisturbed, differences, errors, possible, program, succeed,
    tree,
};

/// Calls of the same kind have several names; which of them are made is for the C library and the processor.
const CALLS: [&str; 12] = [
    "?rename",
    "?renameat",
    "?renameat2",
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

/// More calls than any of these verbs makes.
const MOST_CALLS: u32 = 200;

/// `castbench`, killed at this call of a thread.
fn traced(directory: &Path, arguments: &[&str], calls: &str, number: u32) -> Command {
    let inner = program(directory, arguments);
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={calls}")]);
    command.args(["-e", &format!("inject={calls}:signal=KILL:when={number}")]);
    command.arg(inner.get_program()).args(inner.get_args());
    command.current_dir(directory).env("NO_COLOR", "1").env("TMPDIR", directory.join("tmp"));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn has_strace() -> bool {
    possible("strace", Command::new("strace").args(["-o", "/dev/null", "-e", "inject=rename:signal=KILL", "true"]))
}

/// Kills it at each of these calls in turn, until there are no more; how many there were.
fn each_call(publication: &Publication, undisturbed: &Undisturbed, calls: &str) -> u32 {
    for number in 1..MOST_CALLS {
        let work = undisturbed.restore();
        let status = traced(&work, publication.arguments, calls, number).status().unwrap();
        let when = format!("{}, at call {number} of {calls}", publication.name);
        if status.success() {
            assert_eq!(differences(&tree(&work), &undisturbed.new), NONE, "{when}");
            return number - 1;
        }
        assert_eq!(status.code(), None, "{when}");
        undisturbed.check(&tree(&work), &when);
        succeed(&work, publication.again);
        assert_eq!(differences(&tree(&work), &undisturbed.new), NONE, "{when}");
    }
    panic!("{}: more than {MOST_CALLS} calls", publication.name);
}

fn is_killed_at_each_call(publication: &Publication, least: u32) {
    if has_strace() {
        let undisturbed = Undisturbed::of(publication);
        let calls: u32 = CALLS.iter().map(|call| each_call(publication, &undisturbed, call)).sum();
        assert!(calls >= least, "{}: only {calls} calls", publication.name);
    }
}

#[test]
fn a_sweep() {
    is_killed_at_each_call(&SWEEP, 30);
}

#[test]
fn a_merge() {
    is_killed_at_each_call(&MERGE, 25);
}

#[test]
fn figures() {
    is_killed_at_each_call(&FIGURES, 15);
}

#[test]
fn an_acceptance() {
    is_killed_at_each_call(&ACCEPT, 35);
}

/// Whoever accepts into another baseline beside the same history comes in between, and the directory has been moved: no line
/// of the history is lost, or there twice, or written to where the directory was.
#[test]
fn an_acceptance_and_another_one_beside_it() {
    if !has_strace() {
        return;
    }
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
    for number in 1..MOST_CALLS {
        let work = undisturbed.restore();
        let status = traced(&work, ACCEPT.arguments, renames, number).status().unwrap();
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
    panic!("more than {MOST_CALLS} calls");
}

/// A single file is the old one until it is the new one, and the next one that is written beside it removes the draft.
#[test]
fn single_files() {
    if !has_strace() {
        return;
    }
    let tree_of_8 = ["-L", "6", "-o", "2", "-g", "4", "-K", "8"];
    let [show, export]: [Vec<&str>; 2] = [
        [&["show", "optimal"], &tree_of_8[..], &["--svg", "out/a"]].concat(),
        [&["export", "goal", "optimal"], &tree_of_8[..], &["--out", "out/a"]].concat(),
    ];
    let best = ["best", "--machine", "ethernet100-switched", "--nodes", "8", "--bytes", "1KiB,1MiB", "--svg", "out/a"];
    for arguments in [&show[..], &export, &best] {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        let out = directory.join("out");
        fs::create_dir(&out).unwrap();
        succeed(directory, arguments);
        let new = fs::read(out.join("a")).unwrap();
        let mut killed = 0;
        for (call, number) in CALLS.iter().flat_map(|call| [1, 2, 3].map(|number| (call, number))) {
            fs::write(out.join("a"), "old").unwrap();
            let status = traced(directory, arguments, call, number).status().unwrap();
            let found = fs::read(out.join("a")).unwrap();
            assert!(found == b"old" || found == new, "{arguments:?}, {call} {number}");
            killed += u32::from(!status.success());
            succeed(directory, arguments);
            assert_eq!(tree(&out).len(), 1, "{arguments:?}, {call} {number}");
        }
        assert!(killed > 3, "{arguments:?}: only {killed} calls");
    }
}

const MEASURED: &str = r#"
schema = 1
repetitions = 3
[[measurement]]
name = "a"
algorithms = ["halving"]
K = [2]
bytes = ["1kB"]
machine = "ethernet100-switched"
"#;

/// What was measured cannot be measured again: whenever it is killed, the old measurement or the new one is whole after
/// the next castbench there, even one that only sums up.
#[test]
fn a_measurement() {
    if !has_strace() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("c.toml"), MEASURED).unwrap();
    let measure = ["measure", "c.toml", "--out", "m"];
    succeed(directory, &measure);
    let mut before = fs::read(directory.join("m/manifest.json")).unwrap();
    let (mut old, mut new) = (0, 0);
    for (call, number) in CALLS[..3].iter().flat_map(|call| (1..7).map(move |number| (call, number))) {
        let _ = traced(directory, &measure, call, number).status().unwrap();
        let output = program(directory, &["measure", "c.toml", "--out", "m", "--summarise"]).output().unwrap();
        assert!(output.status.success(), "rename {number}: {}", errors(&output));
        let names: Vec<_> = tree(&directory.join("m")).into_keys().collect();
        assert_eq!(names, ["manifest.json", "measurements.csv", "nodes.csv", "summary.csv"].map(Path::new));
        let manifest: serde_json::Value =
            serde_json::from_slice(&fs::read(directory.join("m/manifest.json")).unwrap()).unwrap();
        for file in manifest["files"].as_array().unwrap() {
            let found = fs::File::open(directory.join("m").join(file["name"].as_str().unwrap())).unwrap();
            assert_eq!(file["sha256"], harness::output::sha256(found).unwrap(), "rename {number}");
        }
        let now = fs::read(directory.join("m/manifest.json")).unwrap();
        if now == before {
            old += 1
        } else {
            new += 1
        }
        before = now;
    }
    // Killed before the list was there, and after; and those that ended.
    assert!(old >= 5 && new >= 9, "old {old} times, new {new} times");
}
