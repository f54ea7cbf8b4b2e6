//! `castbench show`: the trees of the papers' figures as text, and drawings.

use std::fs;

use algorithms::catalogue::{PROBLEMS, entries};
use algorithms::problem::{Entry, spelled};

use crate::common::{castbench_in, stdout};
use insta::assert_snapshot;

fn tree(algorithm: &str, K: &str) -> String {
    stdout(&["show", algorithm, "-L", "6", "-o", "2", "-g", "4", "-K", K])
}

/// Figures 2 and 4 of the Fibonacci paper are these trees, figures 3 and 5 those below.
#[test]
fn halving() {
    assert_snapshot!(tree("halving", "8"));
    assert_snapshot!(tree("halving", "18"));
}

#[test]
fn fibonacci() {
    assert_snapshot!(tree("fibonacci", "8"));
    assert_snapshot!(tree("fibonacci", "18"));
}

/// Figure 1 (a) and (b) of the LogP paper.
#[test]
fn optimal() {
    assert_snapshot!(tree("optimal", "8"));
    assert_snapshot!(tree("optimal", "7"));
}

#[test]
fn paths_on_a_mesh() {
    assert_snapshot!(stdout(&["show", "dual-path", "--mesh", "8x8", "--source", "0,3", "--to", "1,7", "--to", "2,0"]));
    assert_snapshot!(stdout(&["show", "unicast", "--mesh", "4x3", "-K", "3", "--seed", "5"]));
    assert_snapshot!(stdout(&["show", "broadcast", "--mesh", "4x3", "--source", "1,1", "--to", "3,2"]));
}

/// Figure 2 of the LogP paper as timelines, figures 1 and 3 of the gossip paper as timetables, the k trees.
#[test]
fn the_other_problems() {
    for line in [
        "summation-paper -L 5 -o 2 -g 4 -P 7 --operands 82",
        "summation-optimal -L 5 -o 2 -g 4 -P 7 --operands 82",
        "summation-optimal -L 50 -o 20 -g 40 -P 3 --operands 820",
        "gossip-two-phase -n 5 --row 1",
        "gossip-two-phase -n 7",
        "gossip-coupled -n 4",
        "k-tree -n 14 -k 3",
        "k-tree-packed -n 13 -k 3 -m 17",
        "k-tree -n 6 -k 3 -m 2",
        "circulant -n 9 -k 1 -m 5",
        "repeated -n 7 -k 2 -m 2",
        "segmented-binary -L 6 -o 2 -g 4 -K 7 -n 64 -m 8",
        "scatter-doubling --machine ethernet100-switched --bytes 64KiB -K 4 -m 4",
        "multi-path --mesh 8x8 -K 9",
        "steiner --mesh 8x8 -K 6",
        "worm-u-mesh --mesh 8x8 -K 6 --startup 100 --hop 2 --flit 1 --flits 64",
        "worm-column-path --mesh 8x8 -K 6 -k 2 --startup 0 --hop 2 --flit 1 --flits 64",
        "barrier-linear -L 6 -o 2 -g 4 -K 5",
        "allreduce-ring -L 6 -o 2 -g 4 -K 8 -n 64",
        "allreduce-bine -L 6 -o 2 -g 4 -K 16 -n 64 -c 1",
        "allreduce-rabenseifner --machine ethernet100-switched --bytes 1MiB -K 12 -c 50",
        "broadcast-binomial -L 6 -o 2 -g 4 -K 40 -n 40 -m 2",
        "gossip-two-phase -n 3 --view links",
        "worm-column-path --mesh 4x3 -K 6 --startup 0 --hop 2 --flit 1 --flits 64 --view matrix",
        "scatter-ring -L 6 -o 2 -g 4 -K 4 -n 64 -m 4 --view matrix",
    ] {
        let arguments: Vec<&str> = ["show"].into_iter().chain(line.split(' ')).collect();
        assert_snapshot!(line.replace(' ', "_"), stdout(&arguments));
    }
}

/// Every algorithm of a collective on 16 ranks: lines of a terminal, and all words that are sent.
#[test]
fn messages_of_collectives_fit_a_terminal() {
    let has = |entry: &Entry, key: &str| entry.axes().iter().any(|axis| axis.key == key);
    let ranks = |entry: &Entry| entry.axes().iter().any(|axis| axis.title == "ranks K");
    for entry in entries().iter().filter(|entry| ranks(entry)) {
        let mut point = vec![entry.name, "-L", "6", "-o", "2", "-g", "4", "-K", "16"];
        point.extend(has(entry, "n").then_some(["-n", "64"]).into_iter().flatten());
        // The only one that needs segments.
        point.extend((entry.name == "broadcast-split-binary").then_some(["-m", "2"]).into_iter().flatten());
        let text = stdout(&[&["show"], &point[..]].concat());
        let table = text.lines().skip_while(|line| !line.trim_start().starts_with("begins")).collect::<Vec<_>>();
        let wide = table.iter().find(|line| line.chars().count() > 80);
        assert!(wide.is_none(), "{}: {wide:?}", entry.name);
        let count = |line: &str| if line.contains("r>r") { 16 } else { line.matches('>').count() };
        let shown: usize = table[1..].iter().take_while(|line| !line.is_empty()).map(|line| count(line)).sum();
        let csv = stdout(&[&["export", "csv"], &point[..]].concat());
        assert_eq!(shown, csv.matches(",send,").count(), "{}: {text}", entry.name);
    }
}

/// The first algorithm of each problem at its example, so that a new problem has a drawing.
#[test]
fn every_problem_of_the_catalogue() {
    let directory = tempfile::tempdir().unwrap();
    for problem in PROBLEMS {
        let entry = entries().iter().find(|entry| entry.problem() == *problem).unwrap();
        let mut arguments = vec!["show".to_owned(), entry.name.to_owned()];
        for (axis, value) in entry.axes().iter().zip(entry.example()) {
            let Some(value) = *value else { continue };
            arguments.extend([axis.option(), spelled(axis, value).into_owned()]);
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = castbench_in(directory.path(), &[&arguments, &["--svg", "x.svg"][..]].concat());
        let (text, errors) = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes)).into();
        assert!(output.status.success() && errors.is_empty(), "{arguments:?}: {errors}");
        assert!(text.lines().count() > 3 && text.starts_with(entry.name), "{arguments:?}: {text}");
        let svg = fs::read_to_string(directory.path().join("x.svg")).unwrap();
        assert!(svg.starts_with("<svg") && svg.contains(text.lines().next().unwrap()), "{arguments:?}: {svg}");
    }
}

#[test]
fn a_source_of_ones_own_is_never_a_destination() {
    for seed in 0..20 {
        let text = stdout(&["show", "dual-path", "-n", "3", "-K", "7", "--seed", &seed.to_string(), "--source", "1,1"]);
        assert!(text.contains("7 destinations") && text.contains("[4]"), "{text}");
    }
}

#[test]
fn drawings() {
    let directory = tempfile::tempdir().unwrap();
    let draw = |arguments: &[&str]| {
        let output = castbench_in(directory.path(), &[arguments, &["--svg", "d/x.svg"]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(fs::read_dir(directory.path().join("d")).unwrap().count(), 1);
        fs::read_to_string(directory.path().join("d/x.svg")).unwrap()
    };
    assert_snapshot!("tree.svg", draw(&["show", "fibonacci", "-L", "6", "-o", "2", "-g", "4", "-K", "8"]));
    assert_snapshot!(
        "paths.svg",
        draw(&["show", "dual-path", "--mesh", "4x3", "--source", "1,1", "--to", "0,0", "--to", "3,2"])
    );
    for (name, line) in [
        ("timelines.svg", "summation-optimal -L 5 -o 2 -g 4 -P 7 --operands 82"),
        ("steps.svg", "gossip-coupled -n 3"),
        ("forest.svg", "k-tree -n 6 -k 2"),
        ("deliveries.svg", "circulant -n 5 -k 1 -m 3"),
        ("segments.svg", "segmented-binary -L 6 -o 2 -g 4 -K 4 -n 9 -k 2 -m 4"),
        ("worms.svg", "worm-u-mesh --mesh 4x3 -K 4 --startup 9 --hop 2 --flit 1 --flits 6"),
        ("links.svg", "dual-path --mesh 4x3 -K 4 --view links"),
        ("matrix.svg", "k-tree -n 6 -k 2 -m 4 --view matrix"),
    ] {
        let arguments: Vec<&str> = ["show"].into_iter().chain(line.split(' ')).collect();
        assert_snapshot!(name, draw(&arguments));
    }
    // One node and nothing to send.
    for line in [
        "summation-optimal -L 5 -o 2 -g 4 -P 1 --operands 1",
        "gossip-two-phase -n 1",
        "k-tree -n 1 -k 3",
        "circulant -n 1 -k 1",
        "segmented-flat -L 6 -o 2 -g 4 -K 1 -n 1",
        "gossip-two-phase -n 1 --view links",
        "k-tree -n 1 -k 3 --view matrix",
    ] {
        assert!(draw(&["show"].into_iter().chain(line.split(' ')).collect::<Vec<_>>()).starts_with("<svg"), "{line}");
    }
    assert!(draw(&["show", "flat", "-L", "6", "-o", "2", "-g", "4", "-K", "1"]).starts_with("<svg"));
    assert!(draw(&["show", "unicast", "--mesh", "1x1", "-K", "0"]).starts_with("<svg"));
}
