//! `castbench list --bibtex`.

use std::fs;

use crate::common::{expect, stdout};
use crate::supply::root;

/// A paper is printed once, with all that it describes; of a figure, the papers of what it draws.
#[test]
fn a_paper_has_one_entry() {
    let printed = stdout(&[
        "list",
        "--bibtex",
        "halving",
        "k-tree-time",
        "fibonacci",
        "allreduce.svg",
        "allreduce-ring",
    ]);
    let paper = "% halving: section 3, equation (2)\n% fibonacci: algorithm 1, equations (3), (9), (11)\n\
                 @article{gu2002fibonacci,\n  author = {Gu, Naijie and Li, Wei and Liu, Jing},\n";
    assert!(printed.starts_with(paper), "{printed}");
    assert_eq!(
        printed.matches("@article{patarasuk2009ring,").count(),
        1,
        "{printed}"
    );
    assert!(
        printed
            .contains("% k-tree-time: section 4.2, property 1; section 5\n@misc{ding_multiport,"),
        "{printed}"
    );
    assert!(stdout(&["list", "--bibtex", "figure-6.svg"]).contains("\n% fibonacci: algorithm 1"));
}

/// What no paper describes has castbench as its source, in the words of its CITATION.cff.
#[test]
fn castbench_cites_itself() {
    let file = fs::read_to_string(root().join("CITATION.cff")).unwrap();
    let of = |key: &str| {
        file.lines()
            .find_map(|line| line.strip_prefix(key))
            .unwrap()
            .trim_matches('"')
            .to_owned()
    };
    for name in ["flat", "bound-barrier", "cost-history.svg"] {
        let printed = stdout(&["list", "--bibtex", name]);
        for stated in [of("title: "), of("  - name: "), of("version: ")] {
            assert!(
                printed.contains(&format!("{{{stated}}}")),
                "{name}: {printed}"
            );
        }
    }
}

#[test]
fn unknown_names_get_advice() {
    expect(
        root(),
        "list --bibtex fibonaci",
        2,
        "did you mean `fibonacci`",
    );
}
