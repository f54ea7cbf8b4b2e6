//! The messages of Open MPI's `MPI_Bcast`, counted by its monitoring, with and without a rules file. Without Open MPI
//! these tests are skipped with a reason.
//!
//! Only debug builds of Open MPI print the algorithm. So senders, receivers, numbers and sizes of messages are compared
//! with the program that castbench executes.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use algorithms::internals::engine::Operation;
use algorithms::internals::logp::pipeline::library::{BCAST, open_mpi_default};
use algorithms::internals::logp::pipeline::problem::PipelinedBroadcast;
use algorithms::internals::logp::pipeline::{Instance, Machine};
use algorithms::internals::problem::Problem as _;
use algorithms::logp::LogP;

/// Messages by sender and receiver, sizes rounded down to powers of two.
type Messages = BTreeMap<(u64, u64, u32), u64>;

/// Shorter messages are castbench's own.
const LEAST: u64 = 1 << 14;

fn possible() -> bool {
    let there = Command::new("mpirun").arg("--version").output();
    let there = there.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("Open MPI"));
    if !there {
        let _ = writeln!(std::io::stderr(), "skipped: there is no Open MPI here");
    }
    there
}

/// The messages of one `MPI_Bcast` of this many bytes to K ranks, with a rules file if there is one.
fn observed(K: u64, bytes: u64, rules: Option<&str>) -> Messages {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let config = format!(
        "schema = 1\nrepetitions = 1\nwarm_up = 0\ntransport = \"mpi\"\n[[measurement]]\nname = \"a\"\nalgorithms = [\"MPI_Bcast\"]\n\
         K = [{K}]\nbytes = [\"{bytes}B\"]\nmachine = \"loopback-2-cores\"\n"
    );
    fs::write(path.join("c.toml"), config).unwrap();
    let mut command = Command::new("mpirun");
    command.args(["--oversubscribe", "-n", &K.to_string()]).current_dir(path).env("TMPDIR", path);
    command.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
    command.args(["--mca", "pml_monitoring_enable", "1", "--mca", "pml_monitoring_enable_output", "3"]);
    command.args(["--mca", "pml_monitoring_filename", &format!("{}/messages", path.display())]);
    if let Some(rules) = rules {
        fs::write(path.join("rules"), rules).unwrap();
        command.args(["--mca", "coll_tuned_use_dynamic_rules", "1"]);
        command.args(["--mca", "coll_tuned_dynamic_rules_filename", &format!("{}/rules", path.display())]);
    }
    command.args([env!("CARGO_BIN_EXE_castbench"), "measure", "c.toml", "--out", "m"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    counted(path)
}

/// Reads the counts of every rank: sender, receiver, and the number of messages of each size.
fn counted(directory: &Path) -> Messages {
    let mut messages = Messages::new();
    let files = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    for file in files.filter(|file| file.extension().is_some_and(|extension| extension == "prof")) {
        let text = fs::read_to_string(file).unwrap();
        for line in text.lines().filter(|line| line.starts_with("E\t")) {
            let fields: Vec<&str> = line.split('\t').collect();
            let counts = fields[5].split(',').map(|count| count.parse::<u64>().unwrap());
            // The first count is of empty messages.
            for (size, count) in (0..).zip(counts.skip(1)) {
                if count > 0 && 1 << size >= LEAST {
                    *messages.entry((fields[1].parse().unwrap(), fields[2].parse().unwrap(), size)).or_default() +=
                        count;
                }
            }
        }
    }
    messages
}

/// The messages of the program that castbench executes for this broadcast.
fn expected(name: &str, K: u64, bytes: u64, m: u64) -> Messages {
    let algorithm = PipelinedBroadcast::find(name).unwrap();
    let machine = Machine::Words(LogP::new(6, 2, 4).unwrap());
    let program = algorithm.program(machine, Instance { K, n: bytes, k: 1, m }).unwrap();
    let mut messages = Messages::new();
    for from in 0..program.processors() {
        for number in program.range(from) {
            if let Operation::Send { to, bytes, .. } = program.operation(number)
                && bytes >= LEAST
            {
                *messages.entry((from.into(), to.into(), bytes.ilog2())).or_default() += 1;
            }
        }
    }
    messages
}

/// Open MPI reads and follows the rules of `castbench best`.
#[test]
fn the_rules_that_are_written_are_followed() {
    if !possible() {
        return;
    }
    let best = |format: &str| {
        let question = "best --machine ethernet100-switched -K 6 --bytes 64KiB,256KiB --within 10 --only --against openmpi --format";
        crate::common::stdout(&question.split(' ').chain([format]).collect::<Vec<_>>())
    };
    let rules = best("openmpi-rules");
    let cells: serde_json::Value = serde_json::from_str(&best("json")).unwrap();
    for cell in cells.as_array().unwrap() {
        let (bytes, m) = (cell["message_bytes"].as_u64().unwrap(), cell["m_segments"].as_u64().unwrap());
        let name = cell["algorithm"].as_str().unwrap();
        let segment = cell["piece"].as_u64().unwrap();
        // Longer segments, because short ones look like castbench's own messages.
        assert!(m > 1 && rules.contains(&format!(" 0 {segment} #")), "{cell}");
        let longer = rules.replace(&format!(" 0 {segment} #"), &format!(" 0 {LEAST} #"));
        assert_eq!(observed(6, bytes, Some(&longer)), expected(name, 6, bytes, bytes / LEAST), "{cell}");
    }
}

/// The defaults that `best` compares with are Open MPI's.
#[test]
fn its_own_decisions_are_known() {
    if !possible() {
        return;
    }
    for (K, bytes) in [(3, 1 << 16), (3, 1 << 19), (6, 1 << 16), (9, 1 << 14), (9, 1 << 18), (16, 1 << 18)] {
        let number = open_mpi_default(K, bytes);
        let name = BCAST.open_mpi.iter().find(|known| known.number == number).unwrap().ours;
        assert_eq!(observed(K, bytes, None), expected(name, K, bytes, 1), "K = {K}, {bytes} bytes: {name}");
    }
}
