//! Runs the program. Each test binary uses a part of this.
#![allow(dead_code)]

pub mod emulated;
pub mod measured;
#[expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]
pub mod openmpi;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output};
use std::thread;
use std::time::{Duration, Instant};

/// The only time limit of these tests, longer than any step on a busy machine. Tests wait for events.
const PATIENCE: Duration = Duration::from_secs(900);

/// Polls until there is an answer; none after the limit.
pub fn answer<T>(mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let begun = Instant::now();
    let mut pause = Duration::from_millis(1);
    while begun.elapsed() < PATIENCE {
        if let Some(answer) = ask() {
            return Some(answer);
        }
        thread::sleep(pause);
        pause = (2 * pause).min(Duration::from_millis(20));
    }
    None
}

/// Polls for an event that must happen.
pub fn wait_for<T>(what: &str, ask: impl FnMut() -> Option<T>) -> T {
    answer(ask).unwrap_or_else(|| panic!("{what} did not happen within {PATIENCE:?}"))
}

/// Whether a child ends; if not, it is killed.
pub fn ends(child: &mut Child) -> bool {
    let ended = answer(|| child.try_wait().unwrap());
    if ended.is_none() {
        child.kill().unwrap();
    }
    ended.is_some()
}

/// The status of a child, which must end.
pub fn end(mut child: Child) -> Output {
    let ended = ends(&mut child);
    let output = child.wait_with_output().unwrap();
    assert!(
        ended,
        "it did not end within {PATIENCE:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// `castbench` with these arguments.
pub fn castbench(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_castbench"));
    command.env("NO_COLOR", "1").args(arguments);
    command
}

/// Its output in a directory.
pub fn castbench_in(directory: &Path, arguments: &[&str]) -> Output {
    castbench(arguments)
        .current_dir(directory)
        .output()
        .expect("the program can be started")
}

/// The exit code of a command, and what it prints.
pub struct Answer {
    pub code: Option<i32>,
    pub out: String,
    pub errors: String,
}

/// Runs a line of words, quoted as for a shell, in a directory.
pub fn ask(directory: &Path, line: &str) -> Answer {
    let words = shlex::split(line).unwrap_or_else(|| panic!("the quotes of {line}"));
    let output = castbench_in(
        directory,
        &words.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    let [out, errors] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("UTF-8"));
    Answer {
        code: output.status.code(),
        out,
        errors,
    }
}

/// What a line prints: to stdout if it succeeds, else to stderr.
pub fn printed(directory: &Path, line: &str) -> Result<String, String> {
    let answer = ask(directory, line);
    if answer.code == Some(0) {
        Ok(answer.out)
    } else {
        Err(answer.errors)
    }
}

/// The messages of a line, after checking its exit code and that they have this part.
#[track_caller]
pub fn expect(directory: &Path, line: &str, code: i32, part: &str) -> String {
    let Answer {
        code: found,
        errors,
        ..
    } = ask(directory, line);
    assert_eq!(found, Some(code), "castbench {line}\n{errors}");
    assert!(
        errors.contains(part),
        "castbench {line}\nexpected: {part}\nprinted: {errors}"
    );
    errors
}

/// Lines with everything that they print, for a snapshot.
pub fn transcript(directory: &Path, lines: &[&str]) -> String {
    let each = lines.iter().map(|line| {
        let Answer { code, out, errors } = ask(directory, line);
        format!(
            "$ castbench {line}\n{out}{errors}[exit {}]\n\n",
            code.unwrap_or(-1)
        )
    });
    each.collect()
}

/// Its standard output, after checking that it succeeded.
pub fn stdout(arguments: &[&str]) -> String {
    let output = castbench(arguments)
        .output()
        .expect("the program can be started");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "castbench {arguments:?} failed:\n{errors}"
    );
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// A small configuration with two problems, machines, points that do not apply, and two grids that overlap.
const SMALL: &str = r#"
schema = 1
seed = 7

[limits]
simulate_up_to_nodes = 15

[[grid]]
name = "first"
L = [0, 6]
o = [0, 2]
g = [4]
K = { from = 0, to = 24, step = 3 }
n = [2, 4]
k = [1, 3]
m = [1, 5]
P = [1, 7]
operands = [1, 82]
trials = 50

[[grid]]
name = "second"
L = [6]
o = [2]
g = [4]
K = [12, 18]
source = [1, 15]

[[grid]]
name = "third"
algorithms = ["fibonacci"]
machines = ["ethernet100-held", "mine.toml"]
bytes = ["1MiB"]
K = [8]
"#;

/// A directory with that configuration, `small.toml`.
pub fn with_small_config() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("small.toml"), SMALL).unwrap();
    let profile = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../configs/machines/ethernet100-switched.toml"
    );
    let profile = fs::read_to_string(profile)
        .unwrap()
        .replace("ethernet100-switched", "mine");
    fs::write(directory.path().join("mine.toml"), profile).unwrap();
    directory
}

/// A message on one line: title, location, label and advice, without the excerpt of the file.
pub fn on_one_line(errors: &str) -> String {
    let part = |line: &str| match line.trim().split_once('|') {
        Some((number, rest))
            if number
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b' ') =>
        {
            let marks = rest.trim_start();
            marks
                .starts_with('^')
                .then(|| marks.trim_start_matches('^').trim().to_owned())
        }
        _ => Some(line.trim().trim_start_matches("= ").to_owned()),
    };
    errors
        .lines()
        .filter_map(part)
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Gives an edited manifest the digest of its content.
pub fn reseal(path: &Path) {
    let mut manifest: serde_json::Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    manifest.as_object_mut().unwrap().remove("digest");
    fs::write(path, castbench::output::seal::pretty(&manifest).unwrap()).unwrap();
}

/// Copies the committed measurements that are read back into a new directory.
pub fn copy_measurements(to: &Path) {
    let committed = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../reports/measured"));
    fs::create_dir_all(to).unwrap();
    for name in ["summary.csv", "manifest.json"] {
        fs::copy(committed.join(name), to.join(name)).unwrap();
    }
}

/// Copies the committed times of collectives into a new directory.
pub fn copy_collectives(to: &Path) {
    let committed = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../reports/collectives"
    ));
    fs::create_dir_all(to).unwrap();
    for name in ["lumi.csv", "mare-nostrum-5.csv"] {
        fs::copy(committed.join(name), to.join(name)).unwrap();
    }
}

/// The texts of a drawing, one per line.
pub fn texts(svg: &str) -> String {
    let text = |part: &str| {
        let (_, rest) = part.split_once('>').unwrap_or_default();
        let text = rest.split_once("</text>").map_or(rest, |(text, _)| text);
        format!("{}\n", text.trim())
    };
    svg.split("<text").skip(1).map(text).collect()
}
