//! Machines whose ranks are near or far, in the program.

use std::fs;
use std::path::Path;

use crate::common::castbench_in;

const NUMBERS: &str = r#"L = "2us"
o = "400ns"
g = "300ns"
G = "80ps"
O = "10ps"
"#;

const NODE: &str = r#"[[level]]
name = "node"
ranks = 4
L = "300ns"
o = "100ns"
g = "50ns"
G = "20ps"
O = "10ps"
"#;

/// A directory with the profile `m.toml`, with these lines before its level.
fn with_levels(keys: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let profile = format!("schema = 1\nname = \"cluster\"\n{NUMBERS}{keys}{NODE}");
    fs::write(directory.path().join("m.toml"), profile).unwrap();
    directory
}

/// What castbench prints: to stdout if it succeeds, else to stderr.
fn answer(directory: &Path, line: &str) -> Result<String, String> {
    let output = castbench_in(directory, &line.split(' ').collect::<Vec<_>>());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

fn simulated(directory: &Path, line: &str) -> serde_json::Value {
    let text = answer(directory, &format!("cost {line} -c 30 --format json")).unwrap();
    serde_json::from_str::<serde_json::Value>(&text).unwrap()["simulated"].clone()
}

/// Times in ns of 64, 16384 and 4194307 bytes on 4 nodes of 4 ranks, from another program.
#[test]
fn times_of_another_program() {
    let directory = with_levels("");
    for (name, times) in [
        ("ring", [33_505, 35_643, 671_435]),
        ("recursive-doubling", [6_632, 13_158, 1_684_336]),
        ("rabenseifner", [13_228, 15_266, 540_123]),
        ("leaders:binomial+rabenseifner", [13_240, 19_637, 1_659_485]),
        ("lanes:ring+ring", [19_842, 21_870, 546_729]),
        ("lanes:circulant+rabenseifner", [13_228, 15_266, 540_123]),
    ] {
        for (bytes, time) in [64, 16_384, 4_194_307].into_iter().zip(times) {
            let found =
                simulated(directory.path(), &format!("allreduce-{name} --machine m.toml --bytes {bytes} -K 16"));
            assert_eq!(found, time, "{name}, {bytes} B");
        }
    }
}

/// One node, or one rank on each, is a machine without levels, with its formulas.
#[test]
fn ranks_that_are_equally_near() {
    let directory = with_levels("");
    let directory = directory.path();
    let inside = NODE.split_once("ranks = 4\n").unwrap().1;
    fs::write(directory.join("node.toml"), format!("schema = 1\nname = \"node\"\n{inside}")).unwrap();
    fs::write(directory.join("network.toml"), format!("schema = 1\nname = \"network\"\n{NUMBERS}")).unwrap();
    let cost = |line: &str| {
        let text = answer(directory, &format!("cost allreduce-ring --bytes 1KiB -K 4 --format json {line}")).unwrap();
        let cost: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(cost["analytic"], cost["simulated"], "{line}");
        ["lower_bound", "analytic"].map(|key| cost[key].clone())
    };
    assert_eq!(cost("--machine m.toml"), cost("--machine node.toml"));
    assert_eq!(cost("--machine m.toml --ranks-per-node 8"), cost("--machine node.toml"));
    assert_eq!(cost("--machine m.toml --ranks-per-node 1")[1], cost("--machine network.toml")[1]);
}

/// More ranks on one nic take longer, and `show`, `best`, `export`, figures and sweeps know levels.
#[test]
fn every_verb_executes_there() {
    let directory = with_levels("");
    let directory = directory.path();
    let cost = |nics: &str| {
        let profile = fs::read_to_string(with_levels(nics).path().join("m.toml")).unwrap();
        fs::write(directory.join("nics.toml"), profile).unwrap();
        simulated(directory, "alltoall-linear --machine nics.toml --bytes 64KiB -K 16").as_u64().unwrap()
    };
    let [own, four, two, one] = ["", "nics = 4\n", "nics = 2\n", "nics = 1\n"].map(cost);
    assert!(own <= four + four / 2 && four < two && two < one, "{own} {four} {two} {one}");
    let unbounded = answer(directory, "cost allreduce-ring --machine nics.toml --bytes 1KiB -K 16").unwrap();
    assert!(unbounded.contains("none: at least 1,"), "{unbounded}");
    let shown =
        answer(directory, "show allreduce-lanes:ring+ring --machine m.toml --bytes 1KiB -K 8 -c 30 --svg x.svg")
            .unwrap();
    assert!(shown.contains("the last rank ends at"), "{shown}");
    let best = answer(directory, "best --problem allreduce --machine m.toml -K 16 --bytes 64,4MiB -c 30 --algorithms allreduce-ring,allreduce-lanes:circulant+rabenseifner,allreduce-recursive-doubling").unwrap();
    assert!(
        best.contains("allreduce-recursive-doubling") && best.contains("allreduce-lanes:circulant+rabenseifner"),
        "{best}"
    );
    assert!(answer(directory, "export csv allreduce-ring --machine m.toml --bytes 1KiB -K 8").is_ok());
    let grid = r#"schema = 1
[[grid]]
name = "levels"
algorithms = ["allreduce-ring", "allreduce-leaders:binomial+ring"]
machines = ["m.toml", "m.toml@2"]
bytes = ["1KiB"]
K = [8]
c = [30]
"#;
    fs::write(directory.join("c.toml"), grid).unwrap();
    answer(directory, "sweep c.toml --out s").unwrap();
    let rows = fs::read_to_string(directory.join("s/allreduce.csv")).unwrap();
    assert_eq!(rows.lines().count(), 5, "{rows}");
    assert!(rows.contains("cluster@2") && rows.contains("allreduce-leaders:binomial+ring"), "{rows}");
}

/// Ranks of a node stand together in every drawing, wherever the placement puts them.
#[test]
fn show_groups_ranks_by_node() {
    for (keys, nodes) in [
        ("", ["node 0: ranks 0-3", "node 1: ranks 4-5"]),
        ("placement = \"round-robin\"\n", ["node 0: ranks 0, 2, 4", "node 1: ranks 1, 3, 5"]),
        ("placement = [9, 2, 9, 9, 2, 9]\n", ["node 2: ranks 1, 4", "node 9: ranks 0, 2-3, 5"]),
    ] {
        let directory = with_levels(keys);
        let directory = directory.path();
        let name = |node: &str| node.split_once(':').unwrap().0.to_owned();
        let shown = |view: &str| {
            let line = format!("show broadcast-binomial --machine m.toml --bytes 64 -K 6 {view}");
            answer(directory, &line).unwrap_or_else(|error| panic!("{error}"))
        };
        let text = shown("--svg x.svg --html x.html");
        assert!(nodes.iter().all(|node| text.contains(node)), "{text}");
        // From top to bottom.
        let svg = fs::read_to_string(directory.join("x.svg")).unwrap();
        let mut labels: Vec<(u32, &str)> = svg.split("<text ").skip(1).map(label).collect();
        labels.retain(|(_, text)| text.starts_with('R') || text.starts_with("node "));
        labels.sort_unstable();
        let of_node = |node: &str| {
            let (name, members) = (name(node), ranks(node).into_iter().map(|rank| format!("R{rank}")));
            std::iter::once(name).chain(members).collect::<Vec<_>>()
        };
        let expected: Vec<String> = nodes.iter().flat_map(|node| of_node(node)).collect();
        assert_eq!(labels.iter().map(|(_, text)| *text).collect::<Vec<_>>(), expected);
        let page = fs::read_to_string(directory.join("x.html")).unwrap();
        assert!(page.contains("\"group\":\"node\""), "{page}");
        let matrix = shown("--view matrix");
        let head = matrix.lines().find(|line| line.contains("from \\ to")).unwrap();
        let found: Vec<u32> = head.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        assert_eq!(found, nodes.iter().flat_map(|node| ranks(node)).collect::<Vec<_>>(), "{matrix}");
        assert!(nodes.iter().all(|node| matrix.contains(&name(node))), "{matrix}");
    }
}

/// The height and the text of what follows `<text `.
fn label(tag: &str) -> (u32, &str) {
    let y = tag.split_once("y=\"").unwrap().1.split_once('"').unwrap().0;
    (y.parse().unwrap(), tag.split_once('>').unwrap().1.split_once('<').unwrap().0.trim())
}

/// The ranks of `node 0: ranks 0-3, 5`.
fn ranks(line: &str) -> Vec<u32> {
    let (_, ranks) = line.split_once(": ranks ").unwrap();
    let span = |text: &str| {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        first.parse::<u32>().unwrap()..=last.parse().unwrap()
    };
    ranks.split(", ").flat_map(span).collect()
}

/// Without `--problem` a broadcast on one port is compared, which is defined there.
#[test]
fn best_skips_what_is_not_defined() {
    let directory = with_levels("");
    let ask = |line: &str| castbench_in(directory.path(), &line.split(' ').collect::<Vec<_>>());
    let answered = ask("best --machine m.toml -K 8 --bytes 64,64KiB");
    let [out, told] = [&answered.stdout, &answered.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(answered.status.success() && out.contains("broadcast-"), "{out} {told}");
    assert!(told.contains("compared broadcast; skipped pipelined-broadcast"), "{told}");
    let several =
        ask("best --machine m.toml --problem pipelined-broadcast,barrier -K 8 --bytes 64 --format openmpi-rules");
    let told = String::from_utf8_lossy(&several.stderr).into_owned();
    assert!(several.status.success() && told.contains("compared barrier; skipped pipelined-broadcast"), "{told}");
    let named = ask("best --machine m.toml --problem pipelined-broadcast -K 8 --bytes 64");
    assert_eq!(named.status.code(), Some(2));
}

/// Units of the wire in which a broadcast of 64 MiB on 32 nodes was measured: 15.02, 16.02 and 9.02 for these trees.
#[test]
fn trees_whose_children_share_the_port() {
    let directory = tempfile::tempdir().unwrap();
    let profile = "schema = 1\nname = \"wire\"\nL = \"1us\"\no = \"1us\"\ng = \"1us\"\nG = \"40ps\"\n";
    fs::write(directory.path().join("m.toml"), profile).unwrap();
    let unit = (64 << 20) * 40 / 1000;
    for (tree, units) in [("bmtree", 15), ("k-nomial-4", 16), ("binary", 9)] {
        let line = format!("broadcast-{tree}:posted --machine m.toml --bytes 64MiB -K 32");
        let text = answer(directory.path(), &format!("cost {line} --format json")).unwrap();
        let time = serde_json::from_str::<serde_json::Value>(&text).unwrap()["simulated"].as_u64().unwrap();
        assert_eq!((time + unit / 2) / unit, units, "{tree}: {time}");
    }
    let line = "broadcast-bmtree:posted --machine m.toml --bytes 64MiB -K 32";
    for (verb, told) in [("export goal", "without `:posted`"), ("sensitivity", "remove `:posted`")] {
        let error = answer(directory.path(), &format!("{verb} {line}")).unwrap_err();
        assert!(error.contains(told), "{error}");
    }
    let html =
        answer(directory.path(), "show broadcast-binary:posted --machine m.toml --bytes 1KiB -K 8 --html x.html");
    assert!(html.unwrap_err().contains("without `:posted`"));
}

#[test]
fn mistakes() {
    let directory = with_levels("");
    let directory = directory.path();
    for (line, told) in [
        ("cost halving --machine m.toml --bytes 64 -K 8", "expected a machine without [[level]]"),
        ("sensitivity allreduce-ring --machine m.toml --bytes 64 -K 8", "expected a machine without [[level]]"),
        ("cost allreduce-lanes:ring+ring -L 6 -o 2 -g 4 -K 8 -n 16", "expected ranks on a machine with [[level]]"),
        ("cost allreduce-lanes:ring+ring --machine m.toml --bytes 64 -K 10", "expected as many ranks on every node"),
        ("cost allreduce-ring --machine m.toml --bytes 64 -K 8 --capacity", "expected a machine without [[level]]"),
        ("cost allreduce-lanes:ring+none --machine m.toml --bytes 64 -K 8", "as allreduce-lanes:ring+ring: X within"),
        ("cost allreduce-ring --machine m.toml --ranks-per-node 0 --bytes 64 -K 8", "--ranks-per-node 0"),
        ("cost allreduce-ring --machine m.toml --ranks-per-node x --bytes 64 -K 8", "expected a whole number"),
        ("cost allreduce-ring --machine ethernet100-held --ranks-per-node 4 --bytes 64 -K 8", "has no [[level]]"),
        ("cost allreduce-ring --ranks-per-node 4 -L 6 -o 2 -g 4 -K 8 -n 16", "does not read --ranks-per-node"),
    ] {
        let error = answer(directory, line).unwrap_err();
        assert!(error.contains(told), "{line}: {error}");
    }
    for (keys, told) in [
        ("nics = 0\n", "nics = 0: expected at least 1"),
        ("placement = \"spread\"\n", "placement"),
        ("placement = [0, 0, 0, 0, 0]\n", "placement = 0"),
    ] {
        let profile = fs::read_to_string(with_levels(keys).path().join("m.toml")).unwrap();
        fs::write(directory.join("w.toml"), profile).unwrap();
        let error = answer(directory, "cost allreduce-ring --machine w.toml --bytes 64 -K 8").unwrap_err();
        assert!(error.contains(told), "{keys}: {error}");
    }
    let few = fs::read_to_string(with_levels("placement = [0, 1, 0]\n").path().join("m.toml")).unwrap();
    fs::write(directory.join("w.toml"), few).unwrap();
    let error = answer(directory, "cost allreduce-ring --machine w.toml --bytes 64 -K 8").unwrap_err();
    assert!(error.contains("K = 8: expected at most 3"), "{error}");
}
