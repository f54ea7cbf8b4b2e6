//! Figures of any rows, without a configuration.

use std::fmt::Write as _;
use std::fs;

use insta::assert_snapshot;

use crate::common::castbench_in;

const GRIDS: &str = r#"schema = 1
[[grid]]
name = "trees"
algorithms = ["halving", "fibonacci", "optimal", "flat"]
L = [6]
o = [0, 2]
g = { from = 1, to = 12 }
K = { from = 1, to = 40 }
[[grid]]
name = "machines"
algorithms = ["halving", "fibonacci"]
machines = ["ethernet100-switched", "ethernet100-held"]
bytes = ["64KiB", "1MiB"]
K = [8, 12, 18]
[[grid]]
name = "ports"
algorithms = ["k-tree", "repeated"]
n = { from = 2, to = 40 }
k = [1, 2]
m = [4]
"#;

fn swept() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("c.toml"), GRIDS).unwrap();
    let output = castbench_in(directory.path(), &["sweep", "c.toml"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    directory
}

/// The texts of a drawing, one per line.
fn texts(svg: &str) -> String {
    let mut texts = String::new();
    for part in svg.split("<text").skip(1) {
        let text = part.split_once('>').map_or("", |(_, rest)| rest);
        let _ = writeln!(texts, "{}", text.split_once("</text>").map_or(text, |(text, _)| text).trim());
    }
    texts
}

/// Drawn texts and refusals.
#[test]
fn of_any_rows() {
    let directory = swept();
    let mut all = String::new();
    for arguments in [
        "--x K --at o=2,g=4 --over optimal --log x,y",
        "--x g --by K --algorithms fibonacci --at o=2 --problem logp-multicast",
        "--x K --by o --algorithms fibonacci,flat --at g=4",
        "--x K --y excess --at g=4",
        "--x K --by machine --algorithms halving",
        "--x n --y lower_bound",
        "--x K",
        "--x K --by g",
        "--x L --at o=9",
        "--x q",
        "--x K --by q",
        "--x K --y best",
        "--x K --over best",
        "--x K --algorithms best",
        "--x K --problem best",
        "--x K --at o",
        "--x K --at q=1",
        "--x K --at o=two",
        "--x K --at K=2",
        "--x source --by machine --at bytes=64KiB,K=8",
    ] {
        let _ = fs::remove_file(directory.path().join("f.svg"));
        let words = ["figures", "--out", "f.svg"].into_iter().chain(arguments.split(' ')).collect::<Vec<_>>();
        let output = castbench_in(directory.path(), &words);
        let _ = writeln!(all, "$ castbench figures {arguments} # {}", output.status.code().unwrap());
        all.push_str(&String::from_utf8_lossy(&output.stderr));
        if let Ok(svg) = fs::read_to_string(directory.path().join("f.svg")) {
            all.push_str(&texts(&svg));
        }
        all.push('\n');
    }
    assert_snapshot!(all);
}

/// The extension of the file selects the format; an unknown one is refused before anything is read.
#[test]
fn as_svg_or_png() {
    let directory = swept();
    let draw = |out: &str| castbench_in(directory.path(), &["figures", "--x", "n", "--at", "k=1", "--out", out]);
    assert!(draw("f.svg").status.success());
    let output = draw("f.png");
    let told = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        assert!(fs::read(directory.path().join("f.png")).unwrap().starts_with(b"\x89PNG\r\n"));
    } else {
        // The system has no font, or castbench was built without PNG.
        assert!(output.status.code() == Some(2) && told.contains("write a file .svg"), "{told}");
    }
    let output = draw("f.pdf");
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("expected a file name that ends in .svg or .png"), "{told}");
}
