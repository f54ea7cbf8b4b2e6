//! A full disk and a read-only one: exit code 74, a message that names the file, whole old files, and identical bytes
//! once there is space.
//!
//! The disk is a small tmpfs in a user namespace: that needs no root, and nothing stays mounted.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::{
    CONFIG, NONE, PUBLICATIONS, Publication, SWEEP, Undisturbed, differences, errors, tree,
};
use crate::common::castbench;

/// Runs this script in a directory where it may mount; `$castbench` is the program.
fn mounting(directory: &Path, script: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "--", "bash", "-c"]);
    command
        .arg(format!("set -eu; castbench=$1; shift\n{script}"))
        .arg("bash");
    command.arg(castbench(&[]).get_program()).args(arguments);
    command.current_dir(directory).env("NO_COLOR", "1");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{script}: {}", errors(&output));
    output
}

/// A disk with `$room` free beside the old files.
const FULL: &str = r#"
room=$1; shift
mkdir disk; mount -t tmpfs -o size=16M none disk
cp -a old disk/work; cp -a old/tmp tmp
cat /dev/zero >disk/filler 2>/dev/null || true
truncate --size="-$room" disk/filler
code=0; (cd disk/work && TMPDIR=$PWD/../../tmp "$castbench" "$@" >/dev/null 2>../../errors) || code=$?
echo "$code" >code
cp -a disk/work after
rm disk/filler
"#;

/// Fills the disk except this much, runs the verb, and runs it again with free space.
fn is_full_at(publication: &Publication, undisturbed: &Undisturbed, room: &str) -> bool {
    let name = publication.name;
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    super::copy(
        &undisturbed.scratch.path().join("old"),
        &directory.join("old"),
    );
    fs::write(directory.join("again"), publication.again.join("\n")).unwrap();
    let again = r#"
mapfile -t again <again
(cd disk/work && TMPDIR=$PWD/../../tmp "$castbench" "${again[@]}" >/dev/null)
cp -a disk/work final
"#;
    let arguments = [&[room], publication.arguments].concat();
    mounting(directory, &format!("{FULL}{again}"), &arguments);
    let explanation = fs::read_to_string(directory.join("errors")).unwrap();
    let code = fs::read_to_string(directory.join("code")).unwrap();
    if room == "0" {
        assert_eq!(code, "74\n", "{name}: {explanation}");
        let after = tree(&directory.join("after"));
        let seen = differences(&after, &undisturbed.old);
        assert!(seen.is_empty(), "{name}: {seen:?}");
    }
    assert!(
        code == "74\n" || code == "0\n",
        "{name}, room for {room}: {explanation}"
    );
    if code == "74\n" {
        let parts = [
            "cannot write to `",
            "; free some space, or name another place",
        ];
        assert!(
            parts.iter().all(|part| explanation.contains(part)),
            "{name}: {explanation}"
        );
        undisturbed.check(
            &directory.join("after"),
            &format!("{name}, room for {room}"),
        );
    }
    let end = tree(&directory.join("final"));
    assert_eq!(
        differences(&end, &undisturbed.new),
        NONE,
        "{name}, room for {room}"
    );
    code == "74\n"
}

/// From no space to space for some of its files.
fn is_full(publication: &Publication) {
    let undisturbed = Undisturbed::new(publication);
    let full = ["0", "4K", "12K", "40K", "100K", "200K"]
        .map(|room| is_full_at(publication, &undisturbed, room));
    assert!(
        full[0] && full[1..].contains(&true),
        "{}: any room is enough",
        publication.name
    );
}

#[test]
#[ignore = "needs user namespaces"]
fn full_under_a_publication() {
    PUBLICATIONS.into_iter().for_each(is_full);
}

/// Verbs that write one file.
const SINGLE: [&str; 5] = [
    "show optimal -L 6 -o 2 -g 4 -K 8 --svg disk/f.svg",
    "show optimal -L 6 -o 2 -g 4 -K 8 --html disk/f.html",
    "export goal optimal -L 6 -o 2 -g 4 -K 8 --out disk/f.goal",
    "best --machine ethernet100-switched -K 8 --bytes 1KiB --svg disk/f.svg",
    "report --config c.toml --out disk/f.html",
];

#[test]
#[ignore = "needs user namespaces"]
fn full_under_a_single_file() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("c.toml"), CONFIG).unwrap();
    succeed_anywhere(directory, &["run", "c.toml"]);
    let script = r#"
[ -d disk ] || mkdir disk
mount -t tmpfs -o size=1M none disk
for file; do :; done
"$castbench" "$@" >/dev/null 2>/dev/null || : >"$file"
cp "$file" old
cat /dev/zero >disk/filler 2>/dev/null || true
code=0; "$castbench" "$@" >/dev/null 2>errors || code=$?
echo "$code" >code; cat "$file" >found; ls -A disk >left
# A page takes seconds, and is written as the others are.
[ "$1" != report ] || exit 0
rm disk/filler; "$castbench" "$@" >/dev/null 2>/dev/null; ls -A disk >left2; cp "$file" new
"#;
    for arguments in SINGLE.map(|line| line.split(' ').collect::<Vec<_>>()) {
        mounting(directory, script, &arguments);
        let read = |name: &str| fs::read_to_string(directory.join(name)).unwrap();
        let file = arguments[arguments.len() - 1];
        let name = &file["disk/".len()..];
        assert_eq!(read("code"), "74\n", "{arguments:?}: {}", read("errors"));
        assert!(
            read("errors").contains(&format!("cannot write to `{file}`: No space left")),
            "{}",
            read("errors")
        );
        assert_eq!(
            (read("found"), read("left")),
            (read("old"), format!("{name}\nfiller\n")),
            "{arguments:?}"
        );
        if arguments[0] != "report" {
            assert_eq!(read("left2"), format!("{name}\n"), "{arguments:?}");
            assert!(read("new").len() > 100, "{arguments:?}");
        }
    }
}

fn succeed_anywhere(directory: &Path, arguments: &[&str]) {
    let output = castbench(arguments)
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        errors(&output)
    );
}

/// Refused before anything is evaluated or changed.
#[test]
#[ignore = "needs user namespaces"]
fn read_only() {
    let script = r#"
mkdir work; mount --bind old work; mount -o remount,bind,ro work; mkdir tmp
code=0; (cd work && TMPDIR=$PWD/../tmp "$castbench" "$@" >/dev/null 2>../errors) || code=$?
echo "$code" >code; ls -A tmp >left
"#;
    for publication in PUBLICATIONS {
        let undisturbed = Undisturbed::new(publication);
        mounting(undisturbed.scratch.path(), script, publication.arguments);
        let read = |name: &str| fs::read_to_string(undisturbed.scratch.path().join(name)).unwrap();
        let name = publication.name;
        assert_eq!(read("code"), "74\n", "{name}: {}", read("errors"));
        let explanation = "Read-only file system (os error 30); name a place that you can write to";
        assert!(
            read("errors").contains(explanation),
            "{name}: {}",
            read("errors")
        );
        assert_eq!(read("left"), "", "{name}");
    }
}

/// `--resume` of a complete sweep needs no writable disk.
#[test]
#[ignore = "needs user namespaces"]
fn read_only_and_whole() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("c.toml"), CONFIG).unwrap();
    succeed_anywhere(directory, &["sweep", "c.toml", "--out", "out"]);
    let script = "mount --bind out out; mount -o remount,bind,ro out; \"$castbench\" sweep c.toml --out out --resume";
    let output = mounting(directory, script, &[]);
    assert!(
        errors(&output).contains("already contains this sweep"),
        "{}",
        errors(&output)
    );
}

/// Output that is redirected to a full disk.
#[test]
fn full_behind_standard_output() {
    for arguments in [
        &["list"][..],
        &["list", "--format", "csv"],
        &["sweep", "--dry-run", "--format", "json"],
        &["audit", "fibonacci-9"],
        &[
            "show", "optimal", "-L", "6", "-o", "2", "-g", "4", "-K", "8",
        ],
        &[
            "cost", "optimal", "-L", "6", "-o", "2", "-g", "4", "-K", "8", "--format", "csv",
        ],
        &[
            "export", "goal", "optimal", "-L", "6", "-o", "2", "-g", "4", "-K", "8",
        ],
        &["completions", "bash"],
        &["man"],
        &["--help"],
        &["--version"],
    ] {
        let output = castbench(arguments)
            .stdout(fs::File::create("/dev/full").unwrap())
            .output()
            .unwrap();
        assert_eq!(
            output.status.code(),
            Some(74),
            "{arguments:?}: {}",
            errors(&output)
        );
        assert!(
            errors(&output).contains("cannot write to standard output: No space left"),
            "{}",
            errors(&output)
        );
    }
}

/// A rename cannot cross disks, so the target of a link is written on its own disk. If that is full, all files stay
/// old, and the next run completes.
#[test]
#[ignore = "needs user namespaces"]
fn a_link_to_another_disk() {
    let undisturbed = Undisturbed::new(&SWEEP);
    let scratch = undisturbed.scratch.path();
    let script = r#"
mkdir disk; mount -t tmpfs -o size=1M none disk
cp -a old work; mv work/reports/mesh-gossip.csv disk/rows; ln -s "$PWD/disk/rows" work/reports/mesh-gossip.csv
cat /dev/zero >disk/filler 2>/dev/null || true
cd work; code=0; "$castbench" "$@" 2>../errors || code=$?
echo "$code" >../code; cp ../disk/rows ../half
cp -aL reports ../stayed
rm ../disk/filler; "$castbench" sweep c.toml --resume 2>/dev/null
[ -L reports/mesh-gossip.csv ]; rm reports/mesh-gossip.csv; mv ../disk/rows reports/mesh-gossip.csv
ls -A ../disk >../left
"#;
    mounting(scratch, script, SWEEP.arguments);
    let read = |name: &str| fs::read_to_string(scratch.join(name)).unwrap();
    assert_eq!(read("code"), "74\n", "{}", read("errors"));
    assert!(
        read("errors").contains("cannot write to `reports/mesh-gossip.csv`: No space left"),
        "{}",
        read("errors")
    );
    let stayed = tree(&scratch.join("stayed"));
    for (path, bytes) in &undisturbed.old {
        let inside = path
            .strip_prefix("reports")
            .ok()
            .filter(|inside| !inside.as_os_str().is_empty());
        assert!(
            inside.is_none_or(|inside| stayed.get(inside) == Some(bytes)),
            "{}",
            path.display()
        );
    }
    let old = &undisturbed.old[Path::new("reports/mesh-gossip.csv")];
    assert_eq!(Some(read("half").into_bytes()), *old);
    assert_eq!(read("left"), "");
    assert_eq!(
        differences(&tree(&scratch.join("work")), &undisturbed.new),
        NONE
    );
}
