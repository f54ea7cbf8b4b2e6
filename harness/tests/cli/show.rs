//! `castbench show`: the trees of the papers' figures as text, and drawings.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use algorithms::catalogue::entries;
use algorithms::problem::Entry;
use castbench::output::sha256;

use crate::common::{castbench_in, stdout};
use crate::export::examples;
use insta::assert_snapshot;

/// Figure 5 of the Fibonacci paper, figure 2 of the LogP paper as timelines, paths on a mesh,
/// timetables of gossip, k trees, messages of collectives, links and matrices. The guide has figure 1 (a).
#[test]
fn as_text() {
    let mut shown = String::new();
    for line in [
        "fibonacci -L 6 -o 2 -g 4 -K 18",
        "dual-path --mesh 8x8 --source 0,3 --to 1,7 --to 2,0",
        "summation-optimal -L 5 -o 2 -g 4 -P 7 --operands 82",
        "gossip-two-phase -n 3 --row 1",
        "k-tree -n 14 -k 3",
        "circulant -n 9 -k 1 -m 3",
        "broadcast-binary --ports duplex -L 6 -o 2 -g 4 -K 5 -n 64 -m 2",
        "worm-u-mesh --mesh 4x4 -K 3 --startup 100 --hop 2 --flit 1 --flits 64",
        "barrier-linear -L 6 -o 2 -g 4 -K 2",
        "allreduce-rabenseifner --machine ethernet100-switched --bytes 1MiB -K 6 -c 50",
        "gossip-two-phase -n 3 --view links",
        "broadcast-scatter-ring -L 6 -o 2 -g 4 -K 4 -n 64 --view matrix",
    ] {
        let arguments: Vec<&str> = ["show"].into_iter().chain(line.split(' ')).collect();
        let text = stdout(&arguments);
        let _ = writeln!(shown, "$ castbench show {line}");
        text.lines()
            .filter(|line| !line.is_empty())
            .for_each(|line| shown += &format!("{line}\n"));
    }
    assert_snapshot!(shown);
}

/// Every algorithm of a collective on 16 ranks: lines of a terminal, and all words that are sent.
#[test]
fn messages_of_collectives_fit_a_terminal() {
    let has = |entry: &Entry, key: &str| entry.axes().iter().any(|axis| axis.key == key);
    let has_ranks = |entry: &Entry| entry.axes().iter().any(|axis| axis.title == "ranks K");
    for entry in entries().iter().filter(|entry| has_ranks(entry)) {
        let is_of_threes = entry.name == "allreduce-trivance";
        let ranks = if is_of_threes { 9 } else { 16 };
        let K = ranks.to_string();
        let mut point = vec![entry.name, "-L", "6", "-o", "2", "-g", "4", "-K", &K];
        point.extend(
            has(entry, "n")
                .then_some(["-n", "64"])
                .into_iter()
                .flatten(),
        );
        if entry.name.contains("-switch") {
            point.extend(["--ports", "switch"]);
        }
        // The only one that needs segments.
        point.extend(
            (entry.name == "broadcast-split-binary")
                .then_some(["-m", "2"])
                .into_iter()
                .flatten(),
        );
        let text = stdout(&[&["show"], &point[..]].concat());
        let table = text
            .lines()
            .skip_while(|line| !line.trim_start().starts_with("begins"))
            .collect::<Vec<_>>();
        let wide = table.iter().find(|line| line.chars().count() > 80);
        assert!(wide.is_none(), "{}: {wide:?}", entry.name);
        let count = |line: &str| {
            if line.contains("r>r") {
                ranks
            } else {
                line.matches('>').count()
            }
        };
        let shown: usize = table[1..]
            .iter()
            .take_while(|line| !line.is_empty())
            .map(|line| count(line))
            .sum();
        let csv = stdout(&[&["export", "csv"], &point[..]].concat());
        assert_eq!(
            shown,
            csv.matches(",send,").count(),
            "{}: {text}",
            entry.name
        );
    }
}

/// The first algorithm of each problem at its example, so that a new problem has a drawing.
#[test]
fn every_problem_of_the_catalogue() {
    let directory = tempfile::tempdir().unwrap();
    for point in examples() {
        let arguments: Vec<&str> = ["show"]
            .into_iter()
            .chain(point.iter().map(String::as_str))
            .collect();
        let output = castbench_in(
            directory.path(),
            &[&arguments, &["--svg", "x.svg"][..]].concat(),
        );
        let (text, errors) = [&output.stdout, &output.stderr]
            .map(|bytes| String::from_utf8_lossy(bytes))
            .into();
        assert!(
            output.status.success() && errors.is_empty(),
            "{arguments:?}: {errors}"
        );
        assert!(
            text.lines().count() > 3 && text.starts_with(&point[0]),
            "{arguments:?}: {text}"
        );
        let svg = fs::read_to_string(directory.path().join("x.svg")).unwrap();
        assert!(
            svg.starts_with("<svg") && svg.contains(text.lines().next().unwrap()),
            "{arguments:?}: {svg}"
        );
    }
}

#[test]
fn a_source_of_ones_own_is_never_a_destination() {
    for seed in 0..20 {
        let text = stdout(&[
            "show",
            "dual-path",
            "-n",
            "3",
            "-K",
            "7",
            "--seed",
            &seed.to_string(),
            "--source",
            "1,1",
        ]);
        assert!(
            text.contains("7 destinations") && text.contains("[4]"),
            "{text}"
        );
    }
}

/// Title and description of a drawing, its shapes by colour, its other texts, and a digest of all of it.
fn outline(svg: &str) -> String {
    let (mut texts, mut shapes) = (Vec::new(), BTreeMap::new());
    let attribute = |tag: &str, name: &str| {
        let value = tag
            .split_once(&format!(" {name}=\""))
            .and_then(|(_, rest)| rest.split_once('"'));
        value.map_or("", |(value, _)| value).to_owned()
    };
    for part in svg.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap();
        match tag.split(' ').next().unwrap() {
            "title" | "desc" | "text" => texts.push(text.trim()),
            name if name.starts_with('/') => {}
            name => {
                let shape = format!(
                    "{name} {} {}",
                    attribute(tag, "fill"),
                    attribute(tag, "stroke")
                );
                *shapes.entry(shape.trim().to_owned()).or_insert(0) += 1;
            }
        }
    }
    let shapes: Vec<String> = shapes
        .iter()
        .map(|(shape, count)| format!("{count} {shape}"))
        .collect();
    let digest = &sha256(svg.as_bytes()).unwrap()[..16];
    format!(
        "  {}\n  {}\n  {}\n  {digest}: {}\n",
        texts[0],
        texts[1],
        texts[4..].join(" "),
        shapes.join(", ")
    )
}

#[test]
fn drawings() {
    let directory = tempfile::tempdir().unwrap();
    let draw = |arguments: &[&str]| {
        let output = castbench_in(
            directory.path(),
            &[arguments, &["--svg", "d/x.svg"]].concat(),
        );
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert_eq!(fs::read_dir(directory.path().join("d")).unwrap().count(), 1);
        fs::read_to_string(directory.path().join("d/x.svg")).unwrap()
    };
    let mut drawn = String::new();
    for line in [
        "fibonacci -L 6 -o 2 -g 4 -K 8",
        "dual-path --mesh 4x3 --source 1,1 --to 0,0 --to 3,2",
        "summation-optimal -L 5 -o 2 -g 4 -P 7 --operands 82",
        "gossip-coupled -n 3",
        "k-tree -n 6 -k 2",
        "circulant -n 5 -k 1 -m 3",
        "broadcast-binary --ports duplex -L 6 -o 2 -g 4 -K 4 -n 9 -k 2 -m 4",
        "worm-u-mesh --mesh 4x3 -K 4 --startup 9 --hop 2 --flit 1 --flits 6",
        "dual-path --mesh 4x3 -K 4 --view links",
        "k-tree -n 6 -k 2 -m 4 --view matrix",
    ] {
        let arguments: Vec<&str> = ["show"].into_iter().chain(line.split(' ')).collect();
        let _ = writeln!(drawn, "{line}\n{}", outline(&draw(&arguments)));
    }
    assert_snapshot!(drawn);
    // One node and nothing to send.
    for line in [
        "summation-optimal -L 5 -o 2 -g 4 -P 1 --operands 1",
        "gossip-two-phase -n 1",
        "k-tree -n 1 -k 3",
        "circulant -n 1 -k 1",
        "broadcast-flat --ports duplex -L 6 -o 2 -g 4 -K 1 -n 1",
        "gossip-two-phase -n 1 --view links",
        "k-tree -n 1 -k 3 --view matrix",
    ] {
        assert!(
            draw(
                &["show"]
                    .into_iter()
                    .chain(line.split(' '))
                    .collect::<Vec<_>>()
            )
            .starts_with("<svg"),
            "{line}"
        );
    }
    assert!(
        draw(&["show", "flat", "-L", "6", "-o", "2", "-g", "4", "-K", "1"]).starts_with("<svg")
    );
    assert!(draw(&["show", "unicast", "--mesh", "1x1", "-K", "0"]).starts_with("<svg"));
}
