//! Shards run separately and merge into the bytes of the whole sweep.

use std::fs;
use std::path::Path;

use crate::common::{castbench_in, expect, with_small_config};

fn succeed(directory: &Path, arguments: &[&str]) {
    let output = castbench_in(directory, arguments);
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Exit code 2 with this message.
fn refused(directory: &Path, arguments: &[&str], why: &str) {
    expect(directory, &arguments.join(" "), 2, why);
}

fn shard(directory: &Path, shard: &str, out: &str, extra: &[&str]) {
    succeed(
        directory,
        &[
            &["sweep", "small.toml", "--shard", shard, "--out", out],
            extra,
        ]
        .concat(),
    );
}

fn same(directory: &Path, a: &str, b: &str) {
    let names = |name: &str| -> Vec<_> {
        let mut names: Vec<_> = fs::read_dir(directory.join(name))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(a), names(b));
    for name in names(a) {
        let read = |folder: &str| fs::read(directory.join(folder).join(&name)).unwrap();
        assert!(read(a) == read(b), "{name:?}");
    }
}

/// For any number of shards, in any order.
#[test]
fn merged_shards_are_the_whole_sweep() {
    let directory = with_small_config();
    let directory = directory.path();
    succeed(directory, &["sweep", "small.toml", "--out", "whole"]);
    for of in [1, 3, 40] {
        let folders: Vec<String> = (1..=of)
            .rev()
            .map(|index| format!("{of}/{index}"))
            .collect();
        for index in 1..=of {
            shard(
                directory,
                &format!("{index}/{of}"),
                &format!("{of}/{index}"),
                &["--jobs", "1"],
            );
        }
        let out = format!("merged-{of}");
        let arguments: Vec<&str> = ["merge", "--out", &out]
            .into_iter()
            .chain(folders.iter().map(String::as_str))
            .collect();
        succeed(directory, &arguments);
        same(directory, "whole", &out);
    }
}

#[test]
fn what_does_not_belong_together_is_refused_by_name() {
    let directory = with_small_config();
    let directory = directory.path();
    for index in 1..=3 {
        shard(directory, &format!("{index}/3"), &format!("s{index}"), &[]);
    }
    shard(directory, "2/4", "of-four", &[]);
    shard(directory, "2/3", "other-grid", &["--set", "first.K=3,4"]);
    let seed = fs::read_to_string(directory.join("small.toml"))
        .unwrap()
        .replace("seed = 7", "seed = 8");
    fs::write(directory.join("seed.toml"), seed).unwrap();
    succeed(
        directory,
        &[
            "sweep",
            "seed.toml",
            "--shard",
            "2/3",
            "--out",
            "other-seed",
        ],
    );
    succeed(directory, &["sweep", "small.toml", "--out", "whole"]);
    let manifest = fs::read_to_string(directory.join("s2/manifest.json")).unwrap();
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(manifest.contains(&version));
    fs::create_dir(directory.join("other-version")).unwrap();
    fs::write(
        directory.join("other-version/manifest.json"),
        manifest.replace(&version, "\"version\": \"0.0.1\""),
    )
    .unwrap();
    crate::common::reseal(&directory.join("other-version/manifest.json"));

    let merge = |shards: &[&str], why: &str| {
        refused(
            directory,
            &[&["merge", "--out", "merged"], shards].concat(),
            why,
        );
        assert!(!directory.join("merged").exists());
    };
    merge(&["s1", "s3"], "1 shard of 3 missing: 2");
    merge(&["s2"], "2 shards of 3 missing: 1, 3");
    merge(
        &["s1", "s2", "s2", "s3"],
        "`s2` and `s2` are both shard 2/3",
    );
    merge(
        &["s1", "of-four", "s3"],
        "`of-four` is shard 2/4, but `s1` is one of 3",
    );
    merge(
        &["s1", "other-grid", "s3"],
        "`other-grid` does not belong to `s1`: it has another configuration: its grids differ",
    );
    merge(
        &["s1", "other-seed", "s3"],
        "`other-seed` does not belong to `s1`: it has another configuration: its seed is 8, not 7",
    );
    merge(
        &["s1", "other-version", "s3"],
        "`other-version` does not belong to `s1`: it was written by castbench 0.0.1",
    );
    merge(
        &["s1", "whole", "s3"],
        "`whole` holds a whole sweep, not a shard",
    );
    refused(
        directory,
        &["merge", "s1", "s2", "s3", "--out", "s1"],
        "`s1` holds one of the shards",
    );
    for bad in ["0/3", "4/3", "3", "1/0", "a/b", "1/2000000"] {
        refused(
            directory,
            &["sweep", "small.toml", "--shard", bad],
            "expected",
        );
    }
    refused(
        directory,
        &["sweep", "--dry-run", "small.toml", "--shards", "0"],
        "0 is not in 1..=1000000",
    );

    // Damage is found before anything is written.
    let rows = directory.join("s2/logp-multicast.csv");
    let text = fs::read_to_string(&rows).unwrap();
    fs::write(&rows, format!("{text}\n")).unwrap();
    let damaged = "s2/logp-multicast.csv`: it differs from the file that manifest.json describes; run shard 2/3 again";
    expect(directory, "merge s1 s2 s3 --out merged", 74, damaged);
    assert_eq!(fs::read_dir(directory.join("merged")).unwrap().count(), 0);

    // A single shard cannot be drawn or compared.
    expect(directory, "regress --against s1 --from whole", 8, "");
}
