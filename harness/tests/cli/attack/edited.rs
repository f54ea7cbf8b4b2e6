//! Files that castbench trusts, edited by hand: readers refuse them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{REGRESS, accept, ends, measurement, reseal, swept};

/// Edits a JSON file but not its digest.
fn edit(path: &Path, edit: impl FnOnce(&mut Value)) {
    let mut value: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let before = value.clone();
    edit(&mut value);
    assert_ne!(value, before, "{}", path.display());
    fs::write(path, serde_json::to_vec(&value).unwrap()).unwrap();
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

/// An edit of a manifest, and the verbs that then refuse it.
type Edited<'a> = (&'a str, fn(&mut Value), &'a [&'a [&'a str]], &'a str);

#[test]
fn manifests() {
    let directory = swept();
    let directory = directory.path();
    accept(directory);
    ends(directory, &REGRESS, 0);
    copy(&directory.join("s"), &directory.join("e"));
    for shard in ["1/2", "2/2"] {
        ends(
            directory,
            &[
                "sweep",
                "c.toml",
                "--shard",
                shard,
                "--out",
                &format!("sh{}", &shard[..1]),
            ],
            0,
        );
    }
    let merge = ["merge", "sh1", "sh2", "--out", "m"];
    ends(directory, &merge, 0);
    let cases: [Edited<'_>; 3] = [
        (
            "e",
            |manifest| manifest["points"]["ok"] = 999_999.into(),
            &[
                &[
                    "report",
                    "--from",
                    "e",
                    "--config",
                    "c.toml",
                    "--baseline",
                    "b/baseline",
                ],
                &["regress", "--against", "s", "--from", "e"],
                &[
                    "figures",
                    "--x",
                    "K",
                    "--at",
                    "L=1,o=0,g=1",
                    "--from",
                    "e",
                    "--out",
                    "f.svg",
                ],
            ],
            "; sweep again",
        ),
        (
            "sh2",
            |manifest| manifest["shard"]["summary"]["findings"] = serde_json::json!({"found": {}}),
            &[&merge],
            "; run the shard again",
        ),
        (
            "b/baseline",
            |manifest| {
                _ = manifest["algorithms"]
                    .as_object_mut()
                    .unwrap()
                    .remove("halving")
            },
            &[&REGRESS],
            "",
        ),
    ];
    for (folder, change, readers, advice) in cases {
        edit(&directory.join(folder).join("manifest.json"), change);
        for arguments in readers {
            let explanation = ends(directory, arguments, 74);
            let expected = format!("its digest does not match its content{advice}");
            assert!(
                explanation.contains(&expected),
                "{arguments:?}: {explanation}"
            );
        }
    }
}

#[test]
fn a_measurement() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("m.toml"), measurement("", 3)).unwrap();
    ends(directory, &["measure", "m.toml", "--out", "m"], 0);
    let summarise = ["measure", "m.toml", "--out", "m", "--summarise"];
    ends(directory, &summarise, 0);
    for name in ["nodes.csv", "measurements.csv"] {
        let path = directory.join("m").join(name);
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(
            &path,
            whole
                .replacen(",1024,", ",1025,", 1)
                .replacen("\n1,1,", "\n1,2,", 1),
        )
        .unwrap();
        assert_ne!(fs::read_to_string(&path).unwrap(), whole);
        let explanation = ends(directory, &summarise, 74);
        assert!(
            explanation.contains(name) && explanation.contains("measure again"),
            "{explanation}"
        );
        fs::write(&path, whole).unwrap();
    }
    edit(&directory.join("m/manifest.json"), |manifest| {
        manifest["seconds"] = 1.into()
    });
    for arguments in [
        &summarise[..],
        &[
            "figures", "--from", "m", "--y", "median", "--x", "K", "--out", "x.svg",
        ],
    ] {
        let explanation = ends(directory, arguments, 74);
        assert!(
            explanation.contains("its digest does not match its content;"),
            "{explanation}"
        );
    }
}

/// Numbers that cannot be of this measurement, under a digest that fits.
#[test]
fn impossible_numbers_in_a_measurement() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("m.toml"), measurement("", 3)).unwrap();
    ends(directory, &["measure", "m.toml", "--out", "m"], 0);
    let path = directory.join("m/measurements.csv");
    let whole = fs::read_to_string(&path).unwrap();
    let edited = |row: usize, number: &str, repetition: &str| {
        let mut lines: Vec<Vec<&str>> = whole
            .lines()
            .map(|line| line.split(',').collect())
            .collect();
        let column = lines[0]
            .iter()
            .position(|name| *name == "repetition")
            .unwrap();
        (lines[row][0], lines[row][column]) = (number, repetition);
        lines
            .iter()
            .map(|line| line.join(",") + "\n")
            .collect::<String>()
    };
    let sealed = |text: &str, rows: u64| {
        fs::write(&path, text).unwrap();
        reseal(&directory.join("m/manifest.json"), |manifest| {
            manifest["outcome"] = serde_json::json!({"status": "interrupted"});
            let files = manifest["files"].as_array_mut().unwrap();
            let own = files
                .iter_mut()
                .find(|file| file["name"] == "measurements.csv")
                .unwrap();
            own["rows"] = rows.into();
        });
    };
    let last = u64::MAX.to_string();
    for (text, rows, what) in [
        (
            edited(2, &last, "2"),
            3,
            "row 2 has an impossible number of an execution",
        ),
        (
            edited(3, "0", "3"),
            3,
            "row 3 has an impossible number of an execution",
        ),
        (
            edited(3, "3", "4"),
            3,
            "row 3 has a repetition that the configuration does not have",
        ),
        (edited(3, "3", "2"), 3, "row 3 repeats a repetition"),
        (
            whole.clone(),
            u64::MAX,
            "it has 3 rows, but manifest.json lists 18,446,744,073,709,551,615 rows",
        ),
    ] {
        sealed(&text, rows);
        for way in ["--resume", "--summarise"] {
            let explanation = ends(directory, &["measure", "m.toml", "--out", "m", way], 74);
            assert!(
                explanation.contains("measurements.csv") && explanation.contains(what),
                "{way}: {explanation}"
            );
        }
    }
}

/// A manifest lists files beside it only; another path could block, or lead to a file of the user.
#[test]
fn a_file_elsewhere() {
    let directory = swept();
    let directory = directory.path();
    accept(directory);
    fs::write(directory.join("b/outside"), "mine").unwrap();
    for name in ["../outside", "/proc/kmsg", ""] {
        for (manifest, arguments) in [
            ("b/baseline/manifest.json", &REGRESS[..]),
            (
                "s/manifest.json",
                &["regress", "--against", "s", "--from", "s"],
            ),
        ] {
            let whole = fs::read(directory.join(manifest)).unwrap();
            reseal(&directory.join(manifest), |manifest| {
                let entry = serde_json::json!({"name": name, "rows": 1, "sha256": ""});
                manifest["files"].as_array_mut().unwrap().push(entry);
            });
            let explanation = ends(directory, arguments, 74);
            assert!(
                explanation.contains("is not the name of a file beside the manifest"),
                "{explanation}"
            );
            fs::write(directory.join(manifest), whole).unwrap();
        }
    }
}
