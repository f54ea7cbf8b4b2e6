//! `transport = "mpi"`: the messages without an MPI, and measurements under the launchers of those that are installed.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::common::castbench_in;

const CONFIG: &str = r#"
schema = 1
seed = 7
repetitions = 3
warm_up = 1
time_limit_seconds = 20
transport = "mpi"
[[measurement]]
name = "small"
algorithms = ["halving", "chain", "MPI_Bcast", "MPI_Ibcast"]
K = [2, 4]
bytes = ["1B", "300kB"]
machine = "loopback-2-cores"
"#;

/// The message for a configuration that castbench refuses without `mpirun`.
fn refused(config: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("c.toml"), config).unwrap();
    let output = castbench_in(directory.path(), &["measure", "c.toml"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(!Path::new(&directory.path().join("reports")).exists());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn keys_without_effect_over_mpi_are_refused() {
    for key in [
        "hosts = 2",
        "ranks_per_node = 2",
        "mapping = [\"round-robin\"]",
    ] {
        let errors = refused(&format!("{CONFIG}{key}\n"));
        assert!(
            errors.contains("the launcher of MPI places the ranks") && errors.contains("--map-by"),
            "{errors}"
        );
    }
    let errors = refused(&CONFIG.replace("[[measurement]]", "[tcp]\n[[measurement]]"));
    assert!(errors.contains("does not read [tcp]"), "{errors}");
    let errors = refused(&format!("{CONFIG}hold_ps_per_byte = [0, 1000]\n"));
    assert!(
        errors.contains("cannot delay the messages of `MPI_Bcast`"),
        "{errors}"
    );
    let errors = refused(&CONFIG.replace("transport = \"mpi\"", "transport = \"tcp\""));
    assert!(
        errors.contains("MPI_Bcast can be measured over the transport `mpi` only"),
        "{errors}"
    );
}

/// The calls of MPI are compiled at first use; what prevents that is named, with what to do.
#[test]
fn what_prevents_the_compilation_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("c.toml"), CONFIG).unwrap();
    // Compilers: one that lists no options, one that fails, one that writes no library.
    let compiler = |name: &str, script: &str| {
        fs::write(path.join(name), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(path.join(name), Permissions::from_mode(0o700)).unwrap();
        path.join(name)
    };
    let failing = compiler("failing", "echo mpi.h is missing >&2; exit 7");
    let wrong = compiler(
        "wrong",
        "for last; do :; done; cp \"$last\" \"${last%.c}.so\"",
    );
    let open = path.join("open");
    fs::create_dir_all(open.join("castbench")).unwrap();
    fs::set_permissions(open.join("castbench"), Permissions::from_mode(0o777)).unwrap();
    let file = path.join("c.toml");
    for (compiler, cache, messages) in [
        (
            Path::new("no-such-mpicc"),
            path,
            ["`no-such-mpicc` cannot be run", "in MPICC"],
        ),
        (
            &failing,
            path,
            ["exit status: 7: mpi.h is missing", "compiles its calls"],
        ),
        (
            &wrong,
            path,
            ["cannot be loaded", "load the module of the MPI"],
        ),
        (
            &failing,
            &file,
            [
                "c.toml/castbench`, which cannot be used",
                "in XDG_CACHE_HOME",
            ],
        ),
        (
            &failing,
            &open,
            ["another user can write to it", "in XDG_CACHE_HOME"],
        ),
        (
            &failing,
            Path::new("relative"),
            ["neither XDG_CACHE_HOME nor HOME", "set one"],
        ),
    ]
    .map(|(compiler, cache, messages): (&Path, &Path, _)| (compiler, cache, messages))
    {
        for verb in ["measure", "calibrate"] {
            let output = Command::new(env!("CARGO_BIN_EXE_castbench"))
                .args([verb, "c.toml"])
                .current_dir(path)
                .env("MPICC", compiler)
                .env("XDG_CACHE_HOME", cache)
                .env_remove("HOME")
                .output()
                .unwrap();
            let errors = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(3), "{errors}");
            for message in messages {
                assert!(errors.contains(message), "{message}: {errors}");
            }
        }
    }
    assert!(!path.join("reports").exists());
}

mod launched {
    use std::collections::BTreeSet;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::process::{Child, Output, Stdio};
    use std::thread;
    use std::time::Duration;

    use castbench::libraries::{Family, Library};
    use rustix::process::{Pid, Signal, kill_process};
    use serde_json::Value;

    use super::*;
    use crate::common::emulated;
    use crate::common::measured::{LEVELS, PROGRAMS, check_programs, number, rows};
    use crate::common::openmpi::STARTS;
    use crate::common::{end, wait_for};
    use crate::libraries::tool;

    /// `mpirun` with these arguments in a directory with the configuration.
    fn mpirun(directory: &Path, config: &str, arguments: &[&str]) -> Command {
        fs::write(directory.join("c.toml"), config).unwrap();
        let mut command = Command::new("mpirun");
        // More ranks than cores, and as root, if the tests run as root.
        command
            .arg("--oversubscribe")
            .args(arguments)
            .current_dir(directory)
            .envs(STARTS)
            .env("NO_COLOR", "1");
        // Names and values in the environment need not be UTF-8.
        command.env(OsStr::from_bytes(b"NAME\xff"), OsStr::from_bytes(b"\xff"));
        // Its temporary files, and the compiled calls of MPI.
        command
            .env("TMPDIR", directory)
            .env("XDG_CACHE_HOME", directory)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn measure(directory: &Path, config: &str, ranks: &str) -> Command {
        let castbench = env!("CARGO_BIN_EXE_castbench");
        mpirun(
            directory,
            config,
            &[
                "-n", ranks, castbench, "measure", "c.toml", "--out", "m", "--format", "csv",
            ],
        )
    }

    fn text(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// The messages, after checking the exit code.
    fn failed(mut command: Command, code: i32) -> String {
        let output = command.output().unwrap();
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{errors}");
        errors
    }

    /// castbench compares what each rank gets with what the standard says.
    #[test]
    #[ignore = "needs Open MPI"]
    fn collectives_of_the_library_beside_ours() {
        let both = |text: &str| {
            CONFIG.replace(
                "\"halving\", \"chain\", \"MPI_Bcast\", \"MPI_Ibcast\"",
                text,
            )
        };
        let rootless = "\"allreduce-ring\", \"alltoall-pairwise\", \"MPI_Allreduce\", \"MPI_Reduce_scatter_block\", \
                        \"MPI_Allgather\", \"MPI_Alltoall\", \"MPI_Scan\", \"MPI_Exscan\", \"MPI_Barrier\"";
        let rooted = "\"reduce-binomial\", \"MPI_Reduce\", \"MPI_Gather\", \"MPI_Scatter\"";
        for (algorithms, axis, points) in [(rootless, "", 36), (rooted, "root = [0, 1]\n", 32)] {
            let directory = tempfile::tempdir().unwrap();
            let config = both(algorithms) + axis;
            let Output {
                status,
                stdout,
                stderr,
            } = measure(directory.path(), &config, "5").output().unwrap();
            assert!(status.success(), "{}", text(&stderr));
            let summary = rows(&text(&stdout));
            assert_eq!(summary.len(), points);
            assert!(
                summary
                    .iter()
                    .all(|row| row["axes"].contains("root=") != axis.is_empty()),
                "{summary:?}"
            );
        }
        let directory = tempfile::tempdir().unwrap();
        let config = both("\"MPI_Reduce\"") + "root = [2]\n";
        let errors = failed(measure(directory.path(), &config, "5"), 3);
        assert!(errors.contains("the root is above K-1 = 1"), "{errors}");
    }

    #[test]
    #[ignore = "needs Open MPI"]
    fn every_byte_arrives_everywhere() {
        let directory = tempfile::tempdir().unwrap();
        let Output {
            status,
            stdout,
            stderr,
        } = measure(directory.path(), CONFIG, "5").output().unwrap();
        assert!(status.success(), "{}", text(&stderr));
        let read = |name: &str| fs::read_to_string(directory.path().join("m").join(name)).unwrap();
        assert_eq!(text(&stdout), read("summary.csv"));
        let (summary, measurements, nodes) = (
            rows(&read("summary.csv")),
            rows(&read("measurements.csv")),
            rows(&read("nodes.csv")),
        );
        // Four algorithms, two K, two sizes.
        assert_eq!(
            (summary.len(), measurements.len(), nodes.len()),
            (16, 48, 24 * 2 + 24 * 4)
        );
        let names: BTreeSet<&str> = summary
            .iter()
            .map(|row| row["algorithm"].as_str())
            .collect();
        assert_eq!(
            names,
            BTreeSet::from(["MPI_Bcast", "MPI_Ibcast", "chain", "halving"])
        );
        for row in &summary {
            let library = row["algorithm"].starts_with("MPI_");
            assert_eq!(
                row["model_ns"].is_empty(),
                library,
                "a model is of our trees only: {row:?}"
            );
            assert_eq!(
                (
                    row["transport"].as_str(),
                    row["mapping"].as_str(),
                    row["hosts"].as_str()
                ),
                ("mpi", "launched", "1")
            );
        }
        for row in &measurements {
            let own: Vec<_> = nodes
                .iter()
                .filter(|node| node["number"] == row["number"])
                .collect();
            assert_eq!(own.len() as u64, number(row, "K"));
            assert_eq!(
                own.iter().map(|node| number(node, "held_ns")).max(),
                Some(number(row, "completion_ns"))
            );
            let sent = own.iter().filter(|node| !node["sender"].is_empty()).count() as u64;
            assert_eq!(
                sent,
                if row["algorithm"].starts_with("MPI_") {
                    0
                } else {
                    number(row, "K") - 1
                }
            );
        }
        let manifest: Value = serde_json::from_str(&read("manifest.json")).unwrap();
        assert_eq!(manifest["outcome"]["status"], "complete");
        assert_eq!(
            manifest["mpi"]["placement"],
            serde_json::json!([0, 0, 0, 0, 0])
        );
        assert!(
            manifest["mpi"]["library"]
                .as_str()
                .is_some_and(|library| library.contains("MPI"))
        );
        // Summarised again without MPI: the manifest has the hosts of the ranks.
        let before = read("summary.csv");
        let again = castbench_in(
            directory.path(),
            &["measure", "c.toml", "--out", "m", "--summarise"],
        );
        assert!(again.status.success(), "{}", text(&again.stderr));
        assert_eq!(read("summary.csv"), before);
    }

    /// This castbench, compiled without an MPI, under the launcher of a library, with the calls compiled for a library.
    fn over(launcher: Library, compiler: Library, directory: &Path) -> Output {
        let mut command = Command::new(tool(launcher, "mpirun"));
        if launcher.family() == Family::OpenMpi {
            command.args(["--map-by", ":OVERSUBSCRIBE"]);
        }
        command.envs(STARTS);
        for variable in ["PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"] {
            command.env(variable, "1");
        }
        let prefix = match launcher {
            Library::OpenMpi5 => std::env::var_os("OPENMPI_5"),
            Library::Mpich43 => std::env::var_os("MPICH_4_3"),
            _ => None,
        };
        if let Some(prefix) = prefix {
            command.env("OPAL_PREFIX", &prefix);
            command.env("LD_LIBRARY_PATH", Path::new(&prefix).join("lib"));
        }
        command
            .args(["-n", "4", env!("CARGO_BIN_EXE_castbench")])
            .args(["measure", "c.toml", "--out", "m", "--format", "csv"])
            .current_dir(directory)
            .env("MPICC", tool(compiler, "mpicc"))
            .env("TMPDIR", directory)
            .env("XDG_CACHE_HOME", directory)
            .output()
            .unwrap()
    }

    #[test]
    #[ignore = "needs Open MPI 4 and 5 and MPICH 4.0 and 4.3"]
    fn one_program_measures_over_any_mpi() {
        let libraries = [
            (Library::OpenMpi4, "Open MPI v4.1"),
            (Library::OpenMpi5, "Open MPI v5.0"),
            (Library::Mpich, "MPICH"),
            (Library::Mpich43, "MPICH Version:      4.3"),
        ];
        for (library, name) in libraries {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path();
            let config = CONFIG.replace(
                "\"halving\", \"chain\"",
                "\"allreduce-ring\", \"MPI_Allreduce\"",
            );
            fs::write(path.join("c.toml"), config).unwrap();
            let output = over(library, library, path);
            let errors = text(&output.stderr);
            assert!(output.status.success(), "{errors}");
            assert_eq!(rows(&text(&output.stdout)).len(), 16, "{errors}");
            let manifest = fs::read_to_string(path.join("m/manifest.json")).unwrap();
            assert!(manifest.contains(name), "{manifest}");
        }
    }

    /// A launcher of another MPI starts worlds of one rank each, without an error of its own.
    #[test]
    #[ignore = "needs Open MPI and MPICH"]
    fn a_launcher_of_another_mpi_is_named() {
        for (launcher, compiler, name) in [
            (Library::OpenMpi4, Library::Mpich, "MPICH"),
            (Library::Mpich, Library::OpenMpi4, "Open MPI v4.1"),
        ] {
            let directory = tempfile::tempdir().unwrap();
            fs::write(directory.path().join("c.toml"), CONFIG).unwrap();
            let output = over(launcher, compiler, directory.path());
            let errors = text(&output.stderr);
            assert!(!output.status.success(), "{errors}");
            assert!(
                errors.contains("the launcher is of another MPI than") && errors.contains(name),
                "{errors}"
            );
            assert!(!directory.path().join("m").exists());
        }
    }

    #[test]
    #[ignore = "needs Open MPI"]
    fn programs_of_every_problem_run_over_mpi() {
        let directory = tempfile::tempdir().unwrap();
        let config = PROGRAMS.replace("[[measurement]]", "transport = \"mpi\"\n[[measurement]]");
        let output = measure(directory.path(), &config, "4").output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        check_programs(&directory.path().join("m"));
    }

    /// All ranks are on this host, so they are those of one node, or castbench refuses.
    #[test]
    #[ignore = "needs Open MPI"]
    fn the_launcher_places_ranks_as_the_machine_does() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("m.toml"), LEVELS).unwrap();
        let config = CONFIG.replace(
            "\"halving\", \"chain\"",
            "\"allreduce-leaders:binomial+ring\", \"allreduce-ring\"",
        );
        let config = config.replace("loopback-2-cores", "m.toml");
        let errors = failed(
            measure(
                directory.path(),
                &format!("{config}ranks_per_node = 2\n"),
                "4",
            ),
            3,
        );
        let expected = "ranks 0 and 2 are on two nodes, and MPI started them on one host";
        assert!(
            errors.contains("K = 4 on the nodes of machine `cluster@2`: ")
                && errors.contains(expected),
            "{errors}"
        );
        let config = config.replace("\"allreduce-leaders:binomial+ring\", ", "");
        let Output {
            status,
            stdout,
            stderr,
        } = measure(directory.path(), &config, "4").output().unwrap();
        assert!(status.success(), "{}", text(&stderr));
        assert!(
            rows(&text(&stdout))
                .iter()
                .all(|row| row["mapping"] == "launched" && row["hosts"] == "1")
        );
    }

    #[test]
    #[ignore = "needs Open MPI"]
    fn a_profile_of_two_ranks_and_of_six() {
        let directory = tempfile::tempdir().unwrap();
        let castbench = env!("CARGO_BIN_EXE_castbench");
        let calibrate = [
            castbench,
            "calibrate",
            "c.toml",
            "--name",
            "p",
            "--out",
            "p",
            "--repetitions",
            "3",
        ];
        // The others of six wait while ranks 0 to 4 fan out.
        for (ranks, has_fan) in [("6", true), ("2", false)] {
            let output = mpirun(
                directory.path(),
                CONFIG,
                &[&["-n", ranks], &calibrate[..], &["--force"]].concat(),
            )
            .output()
            .unwrap();
            assert!(output.status.success(), "{}", text(&output.stderr));
            assert_eq!(
                text(&output.stderr).contains("fan-out to 4 ranks takes"),
                has_fan,
                "{}",
                text(&output.stderr)
            );
        }
        let cost = castbench_in(
            directory.path(),
            &[
                "cost",
                "halving",
                "--machine",
                "p/p.toml",
                "--bytes",
                "1kB",
                "-K",
                "8",
                "--format",
                "json",
            ],
        );
        assert!(cost.status.success(), "{}", text(&cost.stderr));
        fs::remove_dir_all(directory.path().join("p")).unwrap();
        let errors = failed(
            mpirun(
                directory.path(),
                CONFIG,
                &[&["-n", "1"], &calibrate[..]].concat(),
            ),
            3,
        );
        assert!(errors.contains("this is the only rank"), "{errors}");
    }

    /// Names of hosts of their own make two nodes of one machine.
    #[test]
    #[ignore = "needs Open MPI and namespaces"]
    fn a_profile_of_two_nodes_with_two_ranks_has_levels() {
        let directory = tempfile::tempdir().unwrap();
        let castbench = env!("CARGO_BIN_EXE_castbench");
        let host = |name: &str| format!("hostname {name} && exec {castbench} \"$@\"");
        let calibrate = "calibrate c.toml --name p --out p --repetitions 3";
        let on = |name: &str| -> Vec<String> {
            let launch = ["-n", "2", "unshare", "--uts"].into_iter();
            let user = ["--user", "--map-root-user"].into_iter();
            let user = user.filter(|_| !rustix::process::geteuid().is_root());
            let own = launch.chain(user).chain(["sh", "-c"]).map(str::to_owned);
            own.chain([host(name), "sh".to_owned()])
                .chain(calibrate.split(' ').map(str::to_owned))
                .collect()
        };
        let arguments = [on("one"), vec![":".to_owned()], on("two")].concat();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        // Shared memory of Open MPI hangs between users of two namespaces.
        let arguments = [&["--mca", "btl", "self,tcp"], &arguments[..]].concat();
        let output = mpirun(directory.path(), CONFIG, &arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        let profile = fs::read_to_string(directory.path().join("p/p.toml")).unwrap();
        for part in [
            "[[level]]\nname = \"node\"\nranks = 2\n",
            "rows from all 2 ranks of a node to those of another take",
        ] {
            assert!(profile.contains(part), "{part}: {profile}");
        }
        let rows = fs::read_to_string(directory.path().join("p/p.csv")).unwrap();
        let partners: Vec<&str> = rows
            .lines()
            .filter_map(|row| row.split(',').next())
            .collect();
        assert_eq!(partners[..2], ["partner", "2"]);
        assert_eq!(
            partners.iter().filter(|&&partner| partner == "1").count(),
            14
        );
        let machine = ["--machine", "p/p.toml", "--bytes", "1kB", "-K", "8"];
        let cost = [&["cost", "allreduce-lanes:ring+ring"], &machine[..]].concat();
        let cost = castbench_in(directory.path(), &cost);
        assert!(cost.status.success(), "{}", text(&cost.stderr));
    }

    #[test]
    #[ignore = "needs Open MPI"]
    fn inconsistent_ranks_are_reported_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        let errors = failed(measure(path, CONFIG, "1"), 3);
        assert!(errors.contains("this is the only rank"), "{errors}");
        let errors = failed(measure(path, CONFIG, "3"), 3);
        assert!(
            errors.contains("K = 4 needs as many ranks, and MPI started 3 ranks"),
            "{errors}"
        );
        let errors = failed(measure(path, "schema = 1\n", "3"), 4);
        assert_eq!(
            errors.matches("no measurement is defined").count(),
            1,
            "{errors}"
        );
        let tcp = CONFIG
            .replace("transport = \"mpi\"", "")
            .replace(", \"MPI_Bcast\", \"MPI_Ibcast\"", "");
        let errors = failed(measure(path, &tcp, "3"), 3);
        assert_eq!(
            errors.matches("started castbench 3 times").count(),
            1,
            "{errors}"
        );
        // Ranks with different configurations.
        fs::write(path.join("d.toml"), CONFIG.replace("seed = 7", "seed = 8")).unwrap();
        let castbench = env!("CARGO_BIN_EXE_castbench");
        let both = [
            "-n", "3", castbench, "measure", "c.toml", ":", "-n", "1", castbench, "measure",
            "d.toml",
        ];
        let errors = failed(mpirun(path, CONFIG, &both), 10);
        assert!(
            errors.contains("rank 3 on") && errors.contains("did not read the same configuration"),
            "{errors}"
        );
        assert!(!path.join("m").exists() && !path.join("reports").exists());
    }

    /// An endless measurement and its ranks, some time after their start.
    fn long(directory: &Path, algorithm: &str, pause: Duration) -> (Child, Vec<i32>) {
        let config = CONFIG
            .replace("repetitions = 3", "repetitions = 100_000")
            .replace("_seconds = 20", "_seconds = 5");
        let config = config.replace(
            "\"halving\", \"chain\", \"MPI_Bcast\", \"MPI_Ibcast\"",
            algorithm,
        );
        let mut command = measure(directory, &config.replace("[2, 4]", "[4]"), "4");
        // Seconds that the launcher waits for ranks that it has asked to end; it always waits all of them.
        command.env("OMPI_MCA_odls_base_sigkill_timeout", "10");
        let child = command.spawn().unwrap();
        // Rank 0 has started when its lock and its drafts exist.
        let drafts = || fs::read_dir(directory.join("m")).is_ok_and(|entries| entries.count() > 1);
        wait_for("the start of the ranks", || drafts().then_some(()));
        thread::sleep(pause);
        let ranks = ranks(directory);
        assert_eq!(ranks.len(), 4, "{ranks:?}");
        (child, ranks)
    }

    /// The castbench processes of this directory, by rank.
    fn ranks(directory: &Path) -> Vec<i32> {
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").unwrap().filter_map(Result::ok) {
            let Some(process) = entry
                .file_name()
                .to_str()
                .and_then(|name| name.parse::<i32>().ok())
            else {
                continue;
            };
            let name = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            let variables: Vec<String> = environment.split(|byte| *byte == 0).map(text).collect();
            if name.trim() != "castbench"
                || !variables.contains(&format!("TMPDIR={}", directory.display()))
            {
                continue;
            }
            let rank = variables
                .iter()
                .find_map(|variable| variable.strip_prefix("OMPI_COMM_WORLD_RANK="));
            found.push((rank.and_then(|rank| rank.parse::<u32>().ok()), process));
        }
        found.sort_unstable();
        found.into_iter().map(|(_, process)| process).collect()
    }

    fn signal(process: i32, signal: Signal) {
        kill_process(Pid::from_raw(process).unwrap(), signal).unwrap();
    }

    /// Disturbs such a measurement, given its process and its ranks, after some time. Returns its exit code and
    /// messages. Finished measurements are kept, and no rank remains.
    fn disturbed(algorithm: &str, disturb: impl Fn(i32, &[i32])) -> (Option<i32>, String) {
        // Another attempt takes longer than this pause, because the launcher waits.
        let mut pause = Duration::from_secs(2);
        loop {
            let directory = tempfile::tempdir().unwrap();
            let (child, ranks) = long(directory.path(), algorithm, pause);
            disturb(i32::try_from(child.id()).unwrap(), &ranks);
            let ended = ended(directory.path(), child);
            let summary =
                fs::read_to_string(directory.path().join("m/summary.csv")).unwrap_or_default();
            // Measurements are written at the end, so their start cannot be observed.
            if summary.lines().count() > 1 {
                assert!(
                    directory.path().join("m/manifest.json").exists(),
                    "{}",
                    ended.1
                );
                return ended;
            }
            assert!(
                pause < Duration::from_secs(500),
                "nothing was measured: {}",
                ended.1
            );
            pause *= 2;
        }
    }

    /// Its exit code and messages; no rank remains.
    fn ended(directory: &Path, child: Child) -> (Option<i32>, String) {
        let output = end(child);
        let errors = text(&output.stderr);
        wait_for("the end of the ranks", || {
            ranks(directory).is_empty().then_some(())
        });
        (output.status.code(), errors)
    }

    /// Stops rank 3 of a measurement. Returns the messages, and the ranks in them that do not respond.
    fn with_a_stopped_rank(algorithm: &str) -> (String, String) {
        let (code, errors) = disturbed(algorithm, |_, ranks| signal(ranks[3], Signal::STOP));
        assert_eq!(code, Some(10), "{errors}");
        assert!(errors.contains("finished executions are kept"), "{errors}");
        let silent = |line: &&str| line.contains("did not respond");
        let silent = errors.lines().find(silent).unwrap_or_default().to_owned();
        (errors, silent)
    }

    /// A rank that gives a sign of life is not named as silent, even if another rank waited for it in vain.
    #[test]
    #[ignore = "needs Open MPI"]
    fn a_rank_that_stops_is_named() {
        let (errors, silent) = with_a_stopped_rank("\"halving\"");
        assert!(
            silent.contains(": rank 3 on ") && silent.matches("rank ").count() == 1,
            "{errors}"
        );
    }

    /// If rank 0 is blocked in `MPI_Bcast`, it hears of no rank; then rank 3 is silent.
    #[test]
    #[ignore = "needs Open MPI"]
    fn a_rank_that_stops_in_a_collective_of_the_library_is_named() {
        let (errors, silent) = with_a_stopped_rank("\"MPI_Bcast\"");
        let held = errors.contains("look at the rank of these that printed nothing before");
        let others = [1, 2]
            .iter()
            .all(|rank| errors.contains(&format!("rank {rank} on ")));
        // The launcher resumes the rank before it ends it, so the rank may also report.
        assert!(silent.contains("rank 3 on ") || held && others, "{errors}");
    }

    /// Disturbs a measurement that has no reason to end.
    fn what_was_measured_is_kept(disturb: impl Fn(i32, &[i32])) {
        let (code, errors) = disturbed("\"chain\"", disturb);
        assert_ne!(code, Some(0), "{errors}");
        assert!(errors.contains("finished executions are kept"), "{errors}");
    }

    #[test]
    #[ignore = "needs Open MPI"]
    fn what_was_measured_is_kept_when_a_rank_dies() {
        what_was_measured_is_kept(|_, ranks| signal(ranks[2], Signal::KILL));
    }

    #[test]
    #[ignore = "needs Open MPI"]
    fn what_was_measured_is_kept_when_the_launcher_ends_the_ranks() {
        what_was_measured_is_kept(|launcher, _| signal(launcher, Signal::INT));
    }

    /// MPI starts its ranks with `castbench hosts exec`.
    #[test]
    #[ignore = "needs Open MPI, root, ip and tc of iproute2"]
    fn emulated_hosts_have_ranks_of_their_own() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(
            directory.path().join("c.toml"),
            CONFIG.replace("K = [2, 4]", "K = [2]"),
        )
        .unwrap();
        let script = "\"$0\" hosts up --count 2; \
            \"$0\" hosts exec castbench-h1 mpirun -n 2 --host castbench-h1,castbench-h2 \
            --mca plm_rsh_agent \"'$0 hosts exec'\" --mca btl tcp,self --mca btl_tcp_if_include eth0 \
            --mca oob_tcp_if_include eth0 -x XDG_CACHE_HOME \"$0\" measure c.toml --out m; \"$0\" hosts down";
        let mut command = emulated::apart(directory.path(), script);
        command.envs(STARTS);
        for variable in ["TMPDIR", "XDG_CACHE_HOME"] {
            command.env(variable, directory.path());
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        let nodes = rows(&fs::read_to_string(directory.path().join("m/nodes.csv")).unwrap());
        for host in ["castbench-h1", "castbench-h2"] {
            assert_eq!(nodes.iter().filter(|node| node["host"] == host).count(), 24);
        }
        let manifest = fs::read_to_string(directory.path().join("m/manifest.json")).unwrap();
        assert!(
            manifest.contains("\"btl_tcp_if_include\": \"eth0\""),
            "{manifest}"
        );
    }
}
