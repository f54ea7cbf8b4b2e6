//! Machines whose ranks are near or far, in the program.

use std::fs;
use std::path::Path;

use crate::common::{expect, printed};

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

fn simulated(directory: &Path, line: &str) -> serde_json::Value {
    let text = printed(directory, &format!("cost {line} -c 30 --format json")).unwrap();
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
            let found = simulated(
                directory.path(),
                &format!("allreduce-{name} --machine m.toml --bytes {bytes} -K 16"),
            );
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
    fs::write(
        directory.join("node.toml"),
        format!("schema = 1\nname = \"node\"\n{inside}"),
    )
    .unwrap();
    fs::write(
        directory.join("network.toml"),
        format!("schema = 1\nname = \"network\"\n{NUMBERS}"),
    )
    .unwrap();
    let cost = |line: &str| {
        let text = printed(
            directory,
            &format!("cost allreduce-ring --bytes 1KiB -K 4 --format json {line}"),
        )
        .unwrap();
        let cost: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(cost["analytic"], cost["simulated"], "{line}");
        ["lower_bound", "analytic"].map(|key| cost[key].clone())
    };
    assert_eq!(cost("--machine m.toml"), cost("--machine node.toml"));
    assert_eq!(
        cost("--machine m.toml --ranks-per-node 8"),
        cost("--machine node.toml")
    );
    assert_eq!(
        cost("--machine m.toml --ranks-per-node 1")[1],
        cost("--machine network.toml")[1]
    );
}

/// More ranks on one nic take longer, and `show`, `best`, `export`, figures and sweeps know levels.
#[test]
fn every_verb_executes_there() {
    let directory = with_levels("");
    let directory = directory.path();
    let cost = |nics: &str| {
        let profile = fs::read_to_string(with_levels(nics).path().join("m.toml")).unwrap();
        fs::write(directory.join("nics.toml"), profile).unwrap();
        simulated(
            directory,
            "alltoall-linear --machine nics.toml --bytes 64KiB -K 16",
        )
        .as_u64()
        .unwrap()
    };
    let [own, four, two, one] = ["", "nics = 4\n", "nics = 2\n", "nics = 1\n"].map(cost);
    assert!(
        own <= four + four / 2 && four < two && two < one,
        "{own} {four} {two} {one}"
    );
    let unbounded = printed(
        directory,
        "cost allreduce-ring --machine nics.toml --bytes 1KiB -K 16",
    )
    .unwrap();
    assert!(
        unbounded.contains("none: at least 3,400; no formula"),
        "{unbounded}"
    );
    let shown = printed(
        directory,
        "show allreduce-lanes:ring+ring --machine m.toml --bytes 1KiB -K 8 -c 30 --svg x.svg",
    )
    .unwrap();
    assert!(shown.contains("the last rank ends at"), "{shown}");
    let best = printed(directory, "best --problem allreduce --machine m.toml -K 16 --bytes 64,4MiB -c 30 --algorithms allreduce-ring,allreduce-lanes:circulant+rabenseifner,allreduce-recursive-doubling").unwrap();
    assert!(
        best.contains("allreduce-recursive-doubling")
            && best.contains("allreduce-lanes:circulant+rabenseifner"),
        "{best}"
    );
    assert!(
        printed(
            directory,
            "export csv allreduce-ring --machine m.toml --bytes 1KiB -K 8"
        )
        .is_ok()
    );
}

/// Ranks of a node stand together in every drawing, wherever the placement puts them.
#[test]
fn show_groups_ranks_by_node() {
    for (keys, nodes) in [
        ("", ["node 0: ranks 0-3", "node 1: ranks 4-5"]),
        (
            "placement = \"round-robin\"\n",
            ["node 0: ranks 0, 2, 4", "node 1: ranks 1, 3, 5"],
        ),
        (
            "placement = [9, 2, 9, 9, 2, 9]\n",
            ["node 2: ranks 1, 4", "node 9: ranks 0, 2-3, 5"],
        ),
    ] {
        let directory = with_levels(keys);
        let directory = directory.path();
        let name = |node: &str| node.split_once(':').unwrap().0.to_owned();
        let shown = |view: &str| {
            let line = format!("show broadcast-binomial --machine m.toml --bytes 64 -K 6 {view}");
            printed(directory, &line).unwrap_or_else(|error| panic!("{error}"))
        };
        let text = shown("--svg x.svg --html x.html");
        assert!(nodes.iter().all(|node| text.contains(node)), "{text}");
        // From top to bottom.
        let svg = fs::read_to_string(directory.join("x.svg")).unwrap();
        let mut labels: Vec<(u32, &str)> = svg.split("<text ").skip(1).map(label).collect();
        labels.retain(|(_, text)| text.starts_with('R') || text.starts_with("node "));
        labels.sort_unstable();
        let of_node = |node: &str| {
            let (name, members) = (
                name(node),
                ranks(node).into_iter().map(|rank| format!("R{rank}")),
            );
            std::iter::once(name).chain(members).collect::<Vec<_>>()
        };
        let expected: Vec<String> = nodes.iter().flat_map(|node| of_node(node)).collect();
        assert_eq!(
            labels.iter().map(|(_, text)| *text).collect::<Vec<_>>(),
            expected
        );
        let page = fs::read_to_string(directory.join("x.html")).unwrap();
        assert!(page.contains("\"group\":\"node\""), "{page}");
        let matrix = shown("--view matrix");
        let head = matrix
            .lines()
            .find(|line| line.contains("from \\ to"))
            .unwrap();
        let found: Vec<u32> = head
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        assert_eq!(
            found,
            nodes
                .iter()
                .flat_map(|node| ranks(node))
                .collect::<Vec<_>>(),
            "{matrix}"
        );
        assert!(
            nodes.iter().all(|node| matrix.contains(&name(node))),
            "{matrix}"
        );
    }
}

/// The height and the text of what follows `<text `.
fn label(tag: &str) -> (u32, &str) {
    let y = tag.split_once("y=\"").unwrap().1.split_once('"').unwrap().0;
    (
        y.parse().unwrap(),
        tag.split_once('>')
            .unwrap()
            .1
            .split_once('<')
            .unwrap()
            .0
            .trim(),
    )
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

/// Rows and columns name the levels.
#[test]
fn levels_have_names_of_their_own() {
    for (name, part) in [
        ("=1+1", "[[level]] name = \"=1+1\": expected one line"),
        ("", "[[level]] name = \"\": expected one line"),
        (
            "node",
            "[[level]] name = \"node\": expected one line of at most 200 bytes that names it in tables, charts and files; not `none`",
        ),
    ] {
        let directory = with_levels(&NODE.replace("name = \"node\"", &format!("name = {name:?}")));
        let line = "cost allreduce-ring --machine m.toml -K 8 --bytes 4KiB";
        expect(directory.path(), line, 3, part);
    }
}

/// Each level has its parameters, and the counts on the critical path add up to the cost, also at shared nics.
#[test]
fn sensitivity_to_each_level() {
    for (keys, algorithm) in [
        ("", "allreduce-lanes:ring+ring"),
        ("nics = 1\n", "alltoall-linear"),
        ("placement = \"round-robin\"\n", "scan-linear"),
    ] {
        let directory = with_levels(keys);
        let directory = directory.path();
        let line = |verb: &str| {
            format!("{verb} {algorithm} --machine m.toml --bytes 1001 -K 12 --format json")
        };
        let ask = |verb: &str| {
            serde_json::from_str::<serde_json::Value>(&printed(directory, &line(verb)).unwrap())
                .unwrap()
        };
        let found = ask("cost --slopes");
        // L, o and g are in ns, the others in ps.
        let rows = found["sensitivity"].as_array().unwrap();
        let names: Vec<&str> = rows
            .iter()
            .map(|row| row["parameter"].as_str().unwrap())
            .collect();
        assert_eq!(
            names,
            [
                "L", "o", "g", "G", "O", "H", "node L", "node o", "node g", "node G", "node O",
                "node H"
            ]
        );
        let counts = &found["critical_path"]["counts"];
        let parts = |row: &serde_json::Value| {
            let name = row["parameter"].as_str().unwrap();
            let unit = if name.ends_with(['G', 'O', 'H']) {
                1
            } else {
                1000
            };
            counts[name].as_u64().unwrap() * row["value"].as_u64().unwrap() * unit
        };
        let path: u64 = rows.iter().map(parts).sum();
        let cost = match &found["cost"] {
            serde_json::Value::String(fraction) => {
                let (over, under) = fraction.split_once('/').unwrap();
                over.parse::<u64>().unwrap() * 1000 / under.parse::<u64>().unwrap()
            }
            cost => cost.as_u64().unwrap() * 1000,
        };
        assert_eq!(path, cost, "{algorithm}");
        let simulated = ask("cost")["simulated"].as_u64().unwrap() * 1000;
        assert!(
            cost <= simulated && simulated < cost + 100_000,
            "{algorithm}: {cost}, {simulated}"
        );
    }
}

/// Verbs that cannot take ranges of sizes or exchanges name them.
#[test]
fn sizes_are_refused_by_name() {
    let directory = with_levels("x = \"70ps\"\n[[sizes]]\nfrom = \"8KiB\"\nL = \"9us\"\n");
    let on = "--machine m.toml --bytes 64KiB -K 8";
    for (line, named) in [
        (
            format!("cost broadcast-split-binary {on} --ports duplex -m 8"),
            "without `x`, or another algorithm, or strict ports",
        ),
        (
            format!("cost allgather-bruck {on} -k 2"),
            "`x`, which is defined for one port",
        ),
        (format!("cost halving {on}"), "without [[level]]"),
    ] {
        let explanation = printed(directory.path(), &line).unwrap_err();
        assert!(explanation.contains(named), "{line}: {explanation}");
    }
    // The messages of a chain do not cross.
    let ranges = "[[sizes]]\nfrom = \"8KiB\"\nL = \"9us\"\n";
    let chain = |keys: &str| {
        printed(
            with_levels(keys).path(),
            &format!("cost broadcast-chain {on} --ports duplex -m 8"),
        )
    };
    assert_eq!(
        chain(&format!("x = \"70ps\"\n{ranges}")).unwrap(),
        chain(ranges).unwrap()
    );
    for (sizes, named) in [
        (
            "from = \"8KiB\"\nL = \"1us\"\n[[sizes]]\nfrom = \"4KiB\"\nL = \"1us\"",
            "expected more than 8192",
        ),
        ("L = \"1us\"", "missing field `from`"),
    ] {
        let directory = with_levels(&format!("[[sizes]]\n{sizes}\n"));
        let explanation =
            printed(directory.path(), &format!("cost allreduce-ring {on}")).unwrap_err();
        assert!(explanation.contains(named), "{explanation}");
    }
}

/// Slopes have the parameters of each range, x is defined on duplex ports, and leaders and lanes send segments.
#[test]
fn sizes_segments_and_duplex_ports_hold_together() {
    let directory = with_levels("x = \"70ps\"\n[[sizes]]\nfrom = \"8KiB\"\nL = \"9us\"\n");
    let on = "--machine m.toml --bytes 64KiB -K 8";
    let ask = |line: &str| printed(directory.path(), line).unwrap();
    let slopes = ask(&format!("cost --slopes allreduce-recursive-doubling {on}"));
    for symbol in ["L from 8 KiB", "x from 8 KiB", "node G"] {
        assert!(slopes.contains(symbol), "{symbol}\n{slopes}");
    }
    let time = |line: String| -> u64 {
        let json: serde_json::Value =
            serde_json::from_str(&ask(&format!("{line} --format json"))).unwrap();
        json["simulated"].as_u64().unwrap()
    };
    let exchange = |ports| {
        time(format!(
            "cost allreduce-recursive-doubling {on} --ports {ports}"
        ))
    };
    // All ranks do the same, so both rules cost the same; both have x.
    assert_eq!(exchange("strict"), exchange("duplex"));
    let composed = |m| time(format!("cost broadcast-leaders:chain+chain {on} -m {m}"));
    assert!(composed(8) < composed(1), "{} {}", composed(8), composed(1));
}

/// Without `--problem` broadcasts are compared, with strict ports unless stated otherwise.
#[test]
fn best_on_levels() {
    let directory = with_levels("");
    for (problem, part) in [("", "broadcast-"), ("--ports duplex", "duplex")] {
        let out = printed(
            directory.path(),
            &format!("best --machine m.toml -K 8 --bytes 64,64KiB {problem}"),
        )
        .unwrap();
        assert!(out.contains(part), "{out}");
    }
    // A cost that is an execution itself was compared with nothing.
    let line =
        "best --machine m.toml -K 8 --bytes 4KiB --algorithms broadcast-binomial,broadcast-chain";
    let alone = "1 case; 1 winner simulated without a formula to compare";
    expect(directory.path(), line, 0, alone);
    // Leaders and lanes are compared, too.
    for (problem, count) in [
        ("allreduce", 5),
        ("broadcast", 3),
        ("reduce", 1),
        ("allgather", 2),
        ("alltoall", 1),
        ("barrier", 2),
    ] {
        let bytes = if problem == "barrier" {
            ""
        } else {
            "--bytes 64KiB"
        };
        let combining = if problem.ends_with("reduce") {
            "-c 30"
        } else {
            ""
        };
        let line = format!(
            "best --problem {problem} --machine m.toml -K 8 {bytes} {combining} --ties 100000 --format json"
        );
        let out = printed(directory.path(), &line).unwrap();
        let composed = |way: &str| out.matches(&format!("{problem}-{way}:")).count();
        assert!(composed("leaders") + composed("lanes") >= count, "{out}");
    }
}

/// A schedule in GOAL is executed on levels as the algorithm from which it was written; a receive of any takes what is there first.
#[test]
fn goal_on_levels() {
    for (keys, name) in [
        ("", "ring"),
        ("nics = 1\n", "ring"),
        ("placement = \"round-robin\"\n", "ring"),
        (
            "x = \"70ps\"\n[[sizes]]\nfrom = \"100B\"\nL = \"9us\"\n",
            "recursive-doubling",
        ),
    ] {
        let directory = with_levels(keys);
        let directory = directory.path();
        let point = format!("allreduce-{name} --machine m.toml --bytes 1KiB -K 10 -c 30");
        printed(directory, &format!("export goal {point} --out {name}.goal")).unwrap();
        let imported = printed(
            directory,
            &format!("cost --ends {name}.goal --machine m.toml --format json"),
        )
        .unwrap();
        let imported: serde_json::Value = serde_json::from_str(&imported).unwrap();
        assert_eq!(
            imported["finish"],
            simulated(directory, &point.replace(" -c 30", "")),
            "{keys}"
        );
    }
    let directory = with_levels("");
    let directory = directory.path();
    let idle: String = [2, 3].map(|rank| format!("rank {rank} {{ }}\n")).concat();
    let goal = format!(
        "num_ranks 5\nrank 0 {{\na: recv 1b from -1\nb: recv 1b from -1\nb requires a\n}}\n\
         rank 1 {{\na: calc 100\nb: send 1b to 0\nb requires a\n}}\n{idle}rank 4 {{\nsend 1b to 0\n}}\n"
    );
    fs::write(directory.join("any.goal"), goal).unwrap();
    // The message of rank 1 is there at 100 + 100 + 300, that of rank 4 at 400 + 2000.
    let imported = printed(
        directory,
        "cost --ends any.goal --machine m.toml --format csv",
    )
    .unwrap();
    assert!(imported.contains("\n0,2800\n"), "{imported}");
    fs::write(
        directory.join("free.goal"),
        "num_ranks 1\nrank 0 {\ncalc 1\ncalc 1\n}\n",
    )
    .unwrap();
    fs::copy(
        with_levels("nics = 1\n").path().join("m.toml"),
        directory.join("m.toml"),
    )
    .unwrap();
    let error = printed(directory, "cost --ends free.goal --machine m.toml").unwrap_err();
    assert!(error.contains("only in programs in order"), "{error}");
}

/// Latencies of pairs that are those of two levels give the costs of these levels; every verb reads them.
#[test]
fn latencies_of_pairs() {
    const ALIKE: &str = "o = \"400ns\"\ng = \"300ns\"\nG = \"80ps\"\nO = \"10ps\"\n";
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let profile = |name: &str, text: &str| {
        fs::write(
            directory.join(format!("{name}.toml")),
            format!("schema = 1\nname = \"{name}\"\n{text}"),
        )
        .unwrap();
    };
    let node = format!(
        "L = \"2us\"\n{ALIKE}[[level]]\nname = \"node\"\nranks = 4\nL = \"300ns\"\n{ALIKE}"
    );
    profile("levels", &node);
    profile("pairs", &format!("latencies = \"pairs.csv\"\n{ALIKE}"));
    let latency = |(from, to): (usize, usize)| match (from == to, from / 4 == to / 4) {
        (true, _) => "-".to_owned(),
        (false, is_near) => if is_near { "300" } else { "2000" }.to_owned(),
    };
    let row = |from: usize| (0..12).map(|to| latency((from, to))).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = (0..12).map(row).collect();
    let write = |rows: &[Vec<String>]| {
        let text: String = rows
            .iter()
            .map(|row| format!("{}\n", row.join(", ")))
            .collect();
        fs::write(directory.join("pairs.csv"), text).unwrap();
    };
    write(&rows);
    for algorithm in [
        "allreduce-ring",
        "allreduce-recursive-doubling",
        "allreduce-rabenseifner",
    ] {
        let cost = |machine: &str| {
            simulated(
                directory,
                &format!("{algorithm} --machine {machine}.toml --bytes 4KiB -K 12"),
            )
        };
        assert_eq!(cost("pairs"), cost("levels"), "{algorithm}");
    }
    let point = "broadcast-binomial --machine pairs.toml --bytes 1KiB -K 12";
    for verb in ["show", "export csv"] {
        assert!(
            printed(directory, &format!("{verb} {point}")).is_ok(),
            "{verb}"
        );
    }
    let json = printed(directory, &format!("cost --slopes {point} --format json")).unwrap();
    let found: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(found["sensitivity"][0]["value"], 300);
    assert_eq!(
        found["critical_path"]["beyond_least_latency"]
            .as_u64()
            .unwrap()
            % 1700,
        0,
        "{json}"
    );
    let listed = printed(directory, "list --machines pairs.toml").unwrap();
    assert!(
        listed.contains("300 to 2000 ns") && listed.contains("pairs.csv"),
        "{listed}"
    );
    assert!(
        printed(directory, "best --machine pairs.toml -K 8 --bytes 64")
            .unwrap()
            .contains("broadcast-")
    );
    let grid = "schema = 1\n[[grid]]\nname = \"pairs\"\nalgorithms = [\"allreduce-ring\", \"allreduce-recursive-doubling\"]\n\
                machines = [\"pairs.toml\"]\nbytes = [\"1KiB\"]\nK = [8, 12]\nc = [30]\n";
    fs::write(directory.join("c.toml"), grid).unwrap();
    printed(directory, "sweep c.toml --out s").unwrap();
    assert_eq!(
        fs::read_to_string(directory.join("s/allreduce.csv"))
            .unwrap()
            .lines()
            .count(),
        5
    );
    let with = |(row, column): (usize, usize), entry: &str| {
        let mut rows = rows.clone();
        entry.clone_into(&mut rows[row][column]);
        rows
    };
    for (rows, explanation) in [
        (
            with((3, 5), "1.5"),
            "row 4, column 6: `1.5`; expected a whole number of ns",
        ),
        (with((11, 0), ""), "row 12, column 1: ``"),
        (with((1, 0), "18446744073709551615"), "row 2, column 1"),
        (rows[..5].to_vec(), "row 1: 12 columns; expected 5"),
        (
            vec![vec!["0".to_owned()]],
            "ranks = 1: expected 2 to 4096 ranks with latencies",
        ),
        (
            vec![vec!["0".to_owned()]; 4097],
            "4097 rows; expected at most 4096",
        ),
    ] {
        write(&rows);
        let error = printed(
            directory,
            "cost allreduce-ring --machine pairs.toml --bytes 64 -K 8",
        )
        .unwrap_err();
        assert!(
            error.contains(explanation) && error.contains("pairs.csv"),
            "{error}"
        );
    }
    write(&rows);
    // Trees that read where ranks stand: each is a node of its own, and one group has all latencies.
    for algorithm in ["allreduce-double-tree-chain -m 4", "broadcast-wave"] {
        let cost = printed(
            directory,
            &format!("cost {algorithm} --machine pairs.toml --bytes 64 -K 12"),
        );
        assert!(cost.is_ok(), "{cost:?}");
    }
    for (line, explanation) in [
        (
            "cost allreduce-ring --machine pairs.toml --bytes 64 -K 13",
            "expected at most 12, the ranks of the latenc",
        ),
        (
            "cost allreduce-lanes:ring+ring --machine pairs.toml --bytes 64 -K 12",
            "expected ranks on a machine with [[level]]",
        ),
        (
            "cost halving --machine pairs.toml --bytes 64 -K 12",
            "expected one without [[level]] and latencies",
        ),
        (
            "cost allreduce-ring --machine pairs.toml --ranks-per-node 4 --bytes 64 -K 12",
            "has no [[level]]",
        ),
    ] {
        let error = printed(directory, line).unwrap_err();
        assert!(error.contains(explanation), "{error}");
    }
    for (text, explanation) in [
        (
            format!("L = \"1us\"\nlatencies = \"pairs.csv\"\n{ALIKE}"),
            "`L` and `latencies` are both given",
        ),
        (
            format!("latencies = \"pairs.csv\"\nnics = 1\n{ALIKE}"),
            "remove [[level]], `placement` and `nics`",
        ),
        (format!("latencies = \"none.csv\"\n{ALIKE}"), "none.csv"),
        (
            format!("latencies = 3\n{ALIKE}"),
            "expected the path of a CSV file",
        ),
        (ALIKE.to_owned(), "missing field `L`"),
    ] {
        profile("wrong", &text);
        let error = printed(
            directory,
            "cost allreduce-ring --machine wrong.toml --bytes 64 -K 8",
        )
        .unwrap_err();
        assert!(error.contains(explanation), "{error}");
    }
}

/// Units of the wire in which a broadcast of 64 MiB on 32 nodes was measured: 15.02, 16.02 and 9.02 for these trees.
#[test]
fn trees_whose_children_share_the_port() {
    let directory = tempfile::tempdir().unwrap();
    let profile =
        "schema = 1\nname = \"wire\"\nL = \"1us\"\no = \"1us\"\ng = \"1us\"\nG = \"40ps\"\n";
    fs::write(directory.path().join("m.toml"), profile).unwrap();
    let unit = (64 << 20) * 40 / 1000;
    for (tree, units) in [("bmtree", 15), ("k-nomial-4", 16), ("binary", 9)] {
        let line = format!("broadcast-{tree}:posted --machine m.toml --bytes 64MiB -K 32");
        let text = printed(directory.path(), &format!("cost {line} --format json")).unwrap();
        let time = serde_json::from_str::<serde_json::Value>(&text).unwrap()["simulated"]
            .as_u64()
            .unwrap();
        assert_eq!((time + unit / 2) / unit, units, "{tree}: {time}");
    }
    let line = "broadcast-bmtree:posted --machine m.toml --bytes 64MiB -K 32";
    for (verb, explanation) in [
        ("export goal", "without `:posted`"),
        ("cost --slopes", "remove `:posted`"),
    ] {
        let error = printed(directory.path(), &format!("{verb} {line}")).unwrap_err();
        assert!(error.contains(explanation), "{error}");
    }
    let html = printed(
        directory.path(),
        "show broadcast-binary:posted --machine m.toml --bytes 1KiB -K 8 --html x.html",
    );
    assert!(html.unwrap_err().contains("without `:posted`"));
}

#[test]
fn mistakes() {
    let directory = with_levels("");
    let directory = directory.path();
    for (line, explanation) in [
        (
            "cost halving --machine m.toml --bytes 64 -K 8",
            "expected one without [[level]] and latencies",
        ),
        (
            "cost allreduce-lanes:ring+ring -L 6 -o 2 -g 4 -K 8 -n 16",
            "expected ranks on a machine with [[level]]",
        ),
        (
            "cost allreduce-lanes:ring+ring --machine m.toml --bytes 64 -K 10",
            "expected as many ranks on every node",
        ),
        (
            "cost allreduce-ring --machine m.toml --bytes 64 -K 8 --capacity",
            "expected a machine without [[level]]",
        ),
        (
            "cost allreduce-lanes:ring+none --machine m.toml --bytes 64 -K 8",
            "as allreduce-lanes:ring+ring: X within",
        ),
        (
            "cost allreduce-ring --machine m.toml --ranks-per-node 0 --bytes 64 -K 8",
            "--ranks-per-node 0",
        ),
        (
            "cost allreduce-ring --machine m.toml --ranks-per-node x --bytes 64 -K 8",
            "expected a whole number",
        ),
        (
            "best --problem allreduce --machine m.toml --ranks-per-node 2,4 --bytes 64 -K 8",
            "'2,4' for '--ranks-per-node <COUNT>'",
        ),
        (
            "cost allreduce-ring --machine m.toml@2 --ranks-per-node 4 --bytes 64 -K 8",
            "two numbers of ranks on a node, 2 and 4",
        ),
        (
            "cost allreduce-ring --machine m.toml@4@2 --bytes 64 -K 8",
            "two numbers of ranks on a node, 4 and 2",
        ),
        (
            "cost allreduce-ring --machine ethernet100-held --ranks-per-node 4 --bytes 64 -K 8",
            "has no [[level]]",
        ),
        (
            "cost allreduce-ring --ranks-per-node 4 -L 6 -o 2 -g 4 -K 8 -n 16",
            "does not read --ranks-per-node",
        ),
    ] {
        let error = printed(directory, line).unwrap_err();
        assert!(error.contains(explanation), "{line}: {error}");
    }
    for (keys, explanation) in [
        ("nics = 0\n", "nics = 0: expected at least 1"),
        ("placement = \"spread\"\n", "placement"),
        ("placement = [0, 0, 0, 0, 0]\n", "placement = 0"),
    ] {
        let profile = fs::read_to_string(with_levels(keys).path().join("m.toml")).unwrap();
        fs::write(directory.join("w.toml"), profile).unwrap();
        let error = printed(
            directory,
            "cost allreduce-ring --machine w.toml --bytes 64 -K 8",
        )
        .unwrap_err();
        assert!(error.contains(explanation), "{keys}: {error}");
    }
    // Keys of nodes without nodes would be read and not used.
    for key in ["nics = 1", "placement = \"round-robin\""] {
        fs::write(
            directory.join("w.toml"),
            format!("schema = 1\nname = 'm'\n{NUMBERS}{key}\n"),
        )
        .unwrap();
        let error = printed(
            directory,
            "cost allreduce-ring --machine w.toml --bytes 64 -K 4",
        )
        .unwrap_err();
        assert!(error.contains("add a [[level]]"), "{error}");
    }
    let few =
        fs::read_to_string(with_levels("placement = [0, 1, 0]\n").path().join("m.toml")).unwrap();
    fs::write(directory.join("w.toml"), few).unwrap();
    let error = printed(
        directory,
        "cost allreduce-ring --machine w.toml --bytes 64 -K 8",
    )
    .unwrap_err();
    assert!(error.contains("K = 8: expected at most 3"), "{error}");
}

/// A grid with several composed algorithms has rows of each.
#[test]
fn a_sweep_of_several_compositions() {
    let directory = with_levels("");
    let names = [
        "allreduce-lanes:ring+ring",
        "allreduce-leaders:binomial+ring",
        "reduce-leaders:binomial+chain",
    ];
    let grid = |name: &str, keys: &str, algorithms: &[&str]| {
        format!(
            "[[grid]]\nname = '{name}'\nmachines = ['m.toml', 'm.toml@2']\nK = 16\nbytes = 64\nc = 0\n{keys}\nalgorithms = {algorithms:?}\n"
        )
    };
    let text = [
        "schema = 1\n",
        &grid("a", "m = 1\nelement = 1", &names[..2]),
        &grid("b", "root = 0\nm = 1\nelement = 1", &names[2..]),
    ];
    fs::write(directory.path().join("my.toml"), text.concat()).unwrap();
    printed(directory.path(), "sweep my.toml --out out").unwrap();
    let rows = ["allreduce", "reduce"]
        .map(|name| fs::read_to_string(directory.path().join(format!("out/{name}.csv"))).unwrap());
    let rows = rows.concat();
    for name in names {
        assert_eq!(
            rows.lines()
                .filter(|row| row.starts_with(&format!("{name},")))
                .count(),
            2,
            "{name}"
        );
    }
}

/// A level without L and a network without o: each message takes time.
#[test]
fn each_level_has_one_of_two_times() {
    let directory = tempfile::tempdir().unwrap();
    let level = "[[level]]\nname = \"node\"\nranks = 3\nL = \"0ns\"\no = \"37ns\"\ng = \"1ns\"\nG = \"0fs\"\n";
    let network =
        "schema = 1\nname = \"m\"\nL = \"458ns\"\no = \"0ns\"\ng = \"115ns\"\nG = \"1ps\"\n";
    fs::write(directory.path().join("m.toml"), format!("{network}{level}")).unwrap();
    for name in [
        "scatter-binomial",
        "broadcast-binomial",
        "allreduce-ring -c 1",
        "barrier-dissemination",
    ] {
        let bytes = if name.starts_with("barrier") {
            ""
        } else {
            "--bytes 16"
        };
        let line = format!("cost {name} -K 16 {bytes} --machine m.toml --format json");
        let cost: serde_json::Value =
            serde_json::from_str(&printed(directory.path(), &line).unwrap()).unwrap();
        let [bound, cost] = ["lower_bound", "simulated"].map(|key| cost[key].as_u64().unwrap());
        assert!((1..=cost).contains(&bound), "{name}: {bound}, {cost}");
    }
}

/// Messages about a profile are in the words of the profile.
#[test]
fn faults_of_a_profile_are_in_its_words() {
    for (keys, says) in [
        (
            "placement = \"cyclic\"\n",
            "expected `block` or `round-robin` or the node of each rank",
        ),
        (
            "nics = -3\n",
            "expected a whole number that is not negative",
        ),
        (
            "[[sizes]]\nfrom = \"8KiB\"\n",
            "[[sizes]] from 8 KiB: expected a number that changes there",
        ),
    ] {
        let directory = with_levels(keys);
        let line = "cost allreduce-ring --machine m.toml --bytes 8 -K 4 -c 1";
        let errors = expect(directory.path(), line, 3, says);
        assert!(
            !errors.contains("enum") && !errors.contains("u64"),
            "{errors}"
        );
    }
}
