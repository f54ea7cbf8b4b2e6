//! Files of other programs and measurements are not lost.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

use crate::common::wait_for;

use super::{CONFIG, ends, errors, measurement, program, swept};

/// A user's file with the name of an output file.
#[test]
fn a_users_own_file() {
    let directory = swept();
    let directory = directory.path();
    for (folder, arguments) in [
        ("x/findings.csv", &["sweep", "c.toml", "--out", "x"][..]),
        ("y/logp-multicast.csv", &["sweep", "c.toml", "--out", "y"]),
        (
            "b/baseline/mesh-gossip.csv",
            &[
                "regress",
                "--config",
                "c.toml",
                "--baseline",
                "b/baseline",
                "accept",
                "--reason",
                "a",
            ],
        ),
        ("m/nodes.csv", &["measure", "m.toml", "--out", "m"]),
        (
            "f/summary.csv",
            &["measure", "m.toml", "--out", "f", "--force"],
        ),
        (
            "f/manifest.json",
            &["measure", "m.toml", "--out", "f", "--force"],
        ),
        (
            "p/calibrated.csv",
            &["calibrate", "--repetitions", "1", "--out", "p", "--force"],
        ),
    ] {
        let path = directory.join(folder);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "mine, not castbench's").unwrap();
        fs::write(directory.join("m.toml"), measurement("", 1)).unwrap();
        let explanation = ends(directory, arguments, 74);
        assert!(explanation.contains(folder), "{explanation}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine, not castbench's");
        fs::remove_file(&path).unwrap();
        ends(directory, arguments, 0);
        // castbench replaces its own files.
        if !folder.starts_with('m') {
            ends(directory, arguments, 0);
        }
    }
}

/// A verb replaces what it has written under the name that a user gives, but no file of another kind, and nothing that it reads.
#[test]
fn a_file_of_another_kind() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let table =
        "nodes,ranks,collective,bytes,algorithm,median_ns\n2,2,allreduce,64,ring_ompi,3859.9\n";
    let text = "# OSU MPI Allreduce Latency Test v7.4\n# Size       Avg Latency(us)\n8   3.20\n";
    let mine = "mine, not castbench's";
    let goal = "num_ranks 1\nrank 0 {\nl1: calc 5\n}\n";
    fs::write(directory.join("osu.txt"), text).unwrap();
    fs::write(directory.join("s.toml"), CONFIG).unwrap();
    let accept = "regress --config s.toml --baseline b accept --reason new";
    for before in ["sweep s.toml --out s", accept] {
        ends(directory, &before.split(' ').collect::<Vec<_>>(), 0);
    }
    for (file, found, arguments) in [
        ("data", table, "fit data --out"),
        (
            "osu.txt",
            text,
            "read osu.txt --ranks 4 --nodes 4 --algorithm ring_ompi --out",
        ),
        (
            "mine",
            mine,
            "read osu.txt --ranks 4 --nodes 4 --algorithm ring_ompi --out",
        ),
        (
            "mine",
            mine,
            "show allreduce-ring -K 4 -n 8 -L 6 -o 2 -g 4 --html",
        ),
        ("mine.svg", mine, "show optimal -K 4 -L 6 -o 2 -g 4 --svg"),
        (
            "mine.pdf",
            "%PDF-1.7 mine",
            "show optimal -K 4 -L 6 -o 2 -g 4 --svg",
        ),
        (
            "mine",
            mine,
            "export goal optimal -K 4 -L 6 -o 2 -g 4 --out",
        ),
        (
            "mine.goal",
            goal,
            "export goal optimal -K 4 -L 6 -o 2 -g 4 --out",
        ),
        (
            "mine.goal",
            goal,
            "generate allreduce --network ring:3 --out",
        ),
        ("goal", goal, "verify goal --summary"),
        (
            "conf",
            CONFIG,
            "regress --config conf --baseline b --summary",
        ),
        (
            "mine.tex",
            mine,
            "figures --from s --x K --at L=5,o=2,g=4 --out f.svg --caption",
        ),
        (
            "mine.svg",
            mine,
            "best --collective allreduce -L 6 -o 2 -g 4 -c 1 -K 4 -n 1,2 --svg",
        ),
    ] {
        fs::write(directory.join(file), found).unwrap();
        let arguments: Vec<&str> = arguments.split(' ').chain([file]).collect();
        let explanation = ends(directory, &arguments, 74);
        let asks = explanation.contains("name another file");
        assert!(asks, "{explanation}");
        assert_eq!(fs::read_to_string(directory.join(file)).unwrap(), found);
    }
    for file in ["new.tex", "new.tex", "new.txt", "new.txt"] {
        let again = format!("figures --from s --x K --at L=5,o=2,g=4 --out f.svg --caption {file}");
        ends(directory, &again.split(' ').collect::<Vec<_>>(), 0);
    }
    // A page of another program begins as those of castbench do.
    fs::write(directory.join("index.html"), "<!DOCTYPE html><p>mine").unwrap();
    let show = "show allreduce-ring -K 4 -n 8 -L 6 -o 2 -g 4 -c 1 --html";
    for (page, code) in [("index.html", 74), ("other.html", 0), ("other.html", 0)] {
        let arguments: Vec<&str> = show.split(' ').chain([page]).collect();
        ends(directory, &arguments, code);
    }
    for _ in 0..2 {
        let rewritten = "read osu.txt --ranks 4 --nodes 4 --algorithm ring_ompi --out again.csv";
        let rewritten: Vec<&str> = rewritten.split(' ').collect();
        ends(directory, &rewritten, 0);
    }
}

/// Mode 600 stays mode 600.
#[test]
fn private_results() {
    let directory = swept();
    let directory = directory.path();
    let names = ["logp-multicast.csv", "findings.csv", "manifest.json"]
        .map(|name| directory.join("s").join(name));
    for path in &names {
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    }
    fs::write(
        directory.join("c.toml"),
        CONFIG.replace("to = 30", "to = 20"),
    )
    .unwrap();
    ends(directory, &["sweep", "c.toml", "--out", "s"], 0);
    for path in &names {
        assert_eq!(
            fs::metadata(path).unwrap().permissions().mode() & 0o777,
            0o600,
            "{}",
            path.display()
        );
    }
}

fn rows(directory: &Path, name: &str) -> Vec<String> {
    fs::read_to_string(directory.join(name))
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

/// A measurement is replaced only with `--force`, and an interrupted one continues.
#[test]
fn a_measurement_is_not_replaced_and_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("m.toml"), measurement("", 3)).unwrap();
    let measure = |config, extra: &'static [&'static str]| {
        [&["measure", config, "--out", "m"], extra].concat()
    };
    ends(directory, &measure("m.toml", &[]), 0);
    let before = rows(&directory.join("m"), "measurements.csv");
    for again in ["m.toml", "other.toml"] {
        fs::write(directory.join("other.toml"), measurement("", 2)).unwrap();
        let explanation = ends(directory, &measure(again, &[]), 74);
        let parts = ["3 executions", "--resume", "--force"];
        assert!(
            parts.iter().all(|part| explanation.contains(part)),
            "{explanation}"
        );
    }
    let explanation = ends(directory, &measure("other.toml", &["--resume"]), 3);
    assert!(
        explanation.contains("differs from the configuration"),
        "{explanation}"
    );
    let explanation = ends(directory, &measure("m.toml", &["--resume"]), 0);
    assert!(explanation.contains("nothing to do"), "{explanation}");
    // Nothing is complete without its summary, or without its manifest.
    let without = |name: &str, extra| {
        let [own, away] = [directory.join("m").join(name), directory.join("away")];
        fs::rename(&own, &away).unwrap();
        let explanation = ends(directory, &measure("m.toml", extra), 74);
        fs::rename(&away, &own).unwrap();
        explanation
    };
    let explanation = without("summary.csv", &["--resume"]);
    assert!(
        explanation.contains("summarise again with --summarise"),
        "{explanation}"
    );
    for extra in [&[][..], &["--resume"], &["--summarise"]] {
        let explanation = without("manifest.json", extra);
        assert!(
            explanation.contains("measure again with --force") && !explanation.contains("--resume"),
            "{explanation}"
        );
    }
    assert_eq!(rows(&directory.join("m"), "measurements.csv"), before);
    ends(directory, &measure("other.toml", &["--force"]), 0);
    assert_eq!(rows(&directory.join("m"), "measurements.csv").len(), 3);
}

#[test]
fn an_interrupted_measurement_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    // Rank 1 stops once, after the same execution on every machine.
    let stop = "[\"sh\", \"-c\", \"if [ {host} = b ] && mkdir once 2>/dev/null; then \\\"$0\\\" \\\"$@\\\" | sed -u 16q; else exec \\\"$0\\\" \\\"$@\\\"; fi\"]";
    fs::write(
        directory.join("m.toml"),
        measurement(&super::hosts(stop), 7),
    )
    .unwrap();
    let measure = ["measure", "m.toml", "--out", "m"];
    let explanation = ends(directory, &measure, 10);
    assert!(
        explanation.contains("finished executions are kept"),
        "{explanation}"
    );
    let half = rows(&directory.join("m"), "measurements.csv");
    assert!((2..8).contains(&half.len()), "{half:?}");
    ends(directory, &measure, 74);
    let missing = format!(
        "failed after {} of 7 executions, of 1 of 1 point",
        half.len() - 1
    );
    let summarise = [&measure[..], &["--summarise"]].concat();
    let draw = "figures --from m --y median --x K --at hosts=2 --out f.svg";
    let draw: Vec<&str> = draw.split(' ').collect();
    for (arguments, code) in [(&summarise, 10), (&draw, 0)] {
        let explanation = ends(directory, arguments, code);
        assert!(explanation.contains(&missing), "{explanation}");
    }
    let drawn = fs::read_to_string(directory.join("f.svg")).unwrap();
    assert!(crate::common::texts(&drawn).contains(&missing), "{drawn}");
    ends(directory, &[&measure[..], &["--resume"]].concat(), 0);
    let whole = rows(&directory.join("m"), "measurements.csv");
    assert_eq!((whole.len(), &whole[..half.len()]), (8, &half[..]));
    assert_eq!(rows(&directory.join("m"), "nodes.csv").len(), 15);
    let manifest = fs::read_to_string(directory.join("m/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(
        (
            &manifest["outcome"]["status"],
            &manifest["files"][0]["rows"]
        ),
        (&"complete".into(), &7.into())
    );
    assert_eq!(manifest["resumed"].as_array().unwrap().len(), 1);
    ends(directory, &summarise, 0);
    // Each repetition appears once.
    let summary = rows(&directory.join("m"), "summary.csv");
    assert!(summary[1].contains(",7,"), "{summary:?}");
}

#[test]
fn a_profile_is_not_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let calibrate = [
        "calibrate",
        "--name",
        "mine",
        "--repetitions",
        "1",
        "--out",
        "cal",
    ];
    ends(directory, &calibrate, 0);
    for name in ["mine.toml", "mine.csv"] {
        let path = directory.join("cal").join(name);
        let before = fs::read(&path).unwrap();
        let explanation = ends(directory, &calibrate, 74);
        assert!(
            explanation.contains(name) && explanation.contains("--force"),
            "{explanation}"
        );
        assert_eq!(fs::read(&path).unwrap(), before);
        fs::remove_file(&path).unwrap();
    }
    ends(directory, &calibrate, 0);
    ends(directory, &[&calibrate[..], &["--force"]].concat(), 0);
}

/// The directory is removed while a sweep runs: nothing is kept, and the message does not advise `--resume`.
#[test]
fn a_directory_that_is_removed() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(
        directory.join("c.toml"),
        CONFIG.replace("to = 30 }", "to = 3000 }"),
    )
    .unwrap();
    let sweep = [
        "sweep",
        "c.toml",
        "--out",
        "gone",
        "--checkpoint",
        "0",
        "--jobs",
        "1",
    ];
    let child = program(directory, &sweep)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let gone = directory.join("gone");
    let checkpoint = gone.join(".castbench-unfinished/checkpoint.json");
    wait_for("a checkpoint", || checkpoint.exists().then_some(()));
    // Renamed in one step: files removed one by one might be created again in between.
    fs::rename(&gone, directory.join("away")).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(74), "{}", errors(&output));
    assert!(!errors(&output).contains("--resume"), "{}", errors(&output));
    ends(
        directory,
        &["sweep", "c.toml", "--out", "gone", "--resume"],
        0,
    );
}
