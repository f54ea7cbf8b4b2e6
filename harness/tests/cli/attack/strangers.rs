//! Another account in a shared directory, and names with control characters.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, lchown, symlink};
use std::path::Path;

use super::{CONFIG, ends, is_root, swept};

/// An account other than the one that runs the tests.
const OTHER: u32 = 65534;

fn shared(directory: &Path) -> std::path::PathBuf {
    let shared = directory.join("shared");
    fs::create_dir(&shared).unwrap();
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o777)).unwrap();
    shared
}

/// A link of another account is not followed, in the place of a file or of a directory above it.
#[test]
fn a_link_of_another_account() {
    if !is_root() {
        return;
    }
    let directory = swept();
    let directory = directory.path();
    let shared = shared(directory);
    fs::create_dir(directory.join("home")).unwrap();
    let thesis = directory.join("home/x.svg");
    fs::write(&thesis, "years").unwrap();
    for (link, to) in [("x.svg", thesis.as_path()), ("sub", &directory.join("home"))] {
        symlink(to, shared.join(link)).unwrap();
        lchown(shared.join(link), Some(OTHER), Some(OTHER)).unwrap();
    }
    for path in ["shared/x.svg", "shared/sub/x.svg"] {
        let told = ends(directory, &["show", "optimal", "-L", "6", "-o", "2", "-g", "4", "-K", "8", "--svg", path], 74);
        assert!(told.contains("a link that another account made"), "{told}");
        assert_eq!(fs::read_to_string(&thesis).unwrap(), "years", "{path}");
    }
    // Links of the own account are followed.
    fs::remove_file(shared.join("x.svg")).unwrap();
    symlink(&thesis, shared.join("x.svg")).unwrap();
    ends(directory, &["show", "optimal", "-L", "6", "-o", "2", "-g", "4", "-K", "8", "--svg", "shared/x.svg"], 0);
    assert!(fs::read_to_string(&thesis).unwrap().starts_with("<svg"));
}

/// castbench does not resume unfinished rows of another account, and does not remove its drafts.
#[test]
fn unfinished_rows_of_another_account() {
    if !is_root() {
        return;
    }
    let directory = swept();
    let directory = directory.path();
    let shared = shared(directory);
    let unfinished = shared.join(".castbench-unfinished");
    fs::create_dir(&unfinished).unwrap();
    fs::write(unfinished.join("notes"), "of a stranger").unwrap();
    fs::write(shared.join(".castbench-draft-abcdef"), "of a stranger").unwrap();
    for path in [&unfinished, &unfinished.join("notes"), &shared.join(".castbench-draft-abcdef")] {
        lchown(path, Some(OTHER), Some(OTHER)).unwrap();
    }
    for extra in [None, Some("--resume"), Some("--restart")] {
        let arguments: Vec<&str> = ["sweep", "c.toml", "--out", "shared"].into_iter().chain(extra).collect();
        let told = ends(directory, &arguments, 74);
        assert!(told.contains("another account made it"), "{told}");
    }
    assert!(unfinished.join("notes").exists() && shared.join(".castbench-draft-abcdef").exists());
    fs::remove_dir_all(&unfinished).unwrap();
    ends(directory, &["sweep", "c.toml", "--out", "shared"], 0);
}

/// A lock file of another account says nothing: it is neither read nor waited for, and stays.
#[test]
fn a_lock_file_of_another_account() {
    if !is_root() {
        return;
    }
    let directory = swept();
    let directory = directory.path();
    let lock = shared(directory).join(".castbench-lock");
    let file = fs::File::create(&lock).unwrap();
    file.set_len(1 << 40).unwrap();
    lchown(&lock, Some(OTHER), Some(OTHER)).unwrap();
    for is_locked in [true, false] {
        if is_locked {
            file.try_lock().unwrap();
        }
        let told = ends(directory, &["sweep", "c.toml", "--out", "shared"], 74);
        assert!(told.contains("another account made it"), "{told}");
        file.unlock().unwrap();
    }
    assert_eq!(fs::read_dir(directory.join("shared")).unwrap().count(), 1);
    // A process of this account that was killed left it.
    lchown(&lock, Some(0), Some(0)).unwrap();
    ends(directory, &["sweep", "c.toml", "--out", "shared"], 0);
}

/// A list of moves in the format of an earlier castbench is not read.
#[test]
fn a_list_of_moves() {
    let directory = swept();
    let directory = directory.path();
    fs::create_dir_all(directory.join("s/.castbench-publishing")).unwrap();
    fs::write(directory.join("s/.castbench-publishing/0"), "of a stranger").unwrap();
    let moves = r#"{"moves":[["0",{"Unix":[112]}]],"removals":[{"Unix":[99]}]}"#;
    fs::write(directory.join("s/.castbench-publishing/publish.json"), moves).unwrap();
    fs::write(directory.join("s/c"), "mine").unwrap();
    ends(directory, &["sweep", "c.toml", "--out", "s"], 0);
    assert!(directory.join("s/c").exists() && !directory.join("s/p").exists());
}

#[test]
fn names_that_command_a_terminal() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let name = "\u{1b}]0;title\u{7}.toml";
    for arguments in
        [&["plan", name][..], &["cost", name], &["import", "goal", name, "-L", "1", "-o", "1", "-g", "1"], &[name]]
    {
        for is_there in [false, true] {
            if is_there {
                fs::write(directory.join(name), "no TOML \u{1b}]0;title\u{7}").unwrap();
            }
            let output = super::program(directory, arguments).output().unwrap();
            assert!(!output.status.success());
            let told = [output.stdout, output.stderr].concat();
            assert!(!told.contains(&0x1b) && !told.contains(&7), "{arguments:?}: {}", String::from_utf8_lossy(&told));
        }
    }
    fs::write(directory.join(name), CONFIG).unwrap();
    for arguments in [&["plan", name][..], &["sweep", name, "--out", "\u{1b}]0;out\u{7}"]] {
        let output = super::program(directory, arguments).output().unwrap();
        assert!(output.status.success());
        let told = [output.stdout, output.stderr].concat();
        assert!(!told.contains(&0x1b) && !told.contains(&7), "{arguments:?}: {}", String::from_utf8_lossy(&told));
    }
}
