//! Schedules in files: as algorithms of every verb, and as plans of algorithms of users.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use serde_json::Value;

use crate::common::{Answer, ask, expect, printed};

/// What a command prints; it succeeds.
fn out(directory: &Path, line: &str) -> String {
    printed(directory, line).unwrap_or_else(|errors| panic!("{line}: {errors}"))
}

fn json(directory: &Path, line: &str) -> Value {
    serde_json::from_str(&out(directory, &format!("{line} --format json"))).unwrap()
}

/// A machine of two ranks a node.
const NODES: &str = "schema = 1\nname = \"nodes\"\nL = \"5us\"\no = \"1us\"\ng = \"500ns\"\nG = \"8ns\"\n\
                     [[level]]\nname = \"node\"\nranks = 2\nL = \"500ns\"\no = \"100ns\"\ng = \"50ns\"\nG = \"800ps\"\n";

/// What an algorithm exports has the events, the sensitivities and the cost of the algorithm.
#[test]
fn an_exported_algorithm_is_itself() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("nodes.toml"), NODES).unwrap();
    for (name, on) in [
        ("allreduce-ring", "-L 6 -o 2 -g 4 -n 64"),
        (
            "broadcast-binomial",
            "--machine loopback-2-cores --bytes 1KiB",
        ),
        (
            "allreduce-rabenseifner",
            "--machine nodes.toml --bytes 1KiB",
        ),
    ] {
        let machine = on
            .rsplit_once(" -n")
            .or(on.rsplit_once(" --bytes"))
            .unwrap()
            .0;
        out(
            directory,
            &format!("export goal {name} {on} -K 8 --out it.goal"),
        );
        let [file, own] = [format!("it.goal {machine}"), format!("{name} {on} -K 8")];
        let csv = |point: &str| out(directory, &format!("export csv {point}"));
        assert_eq!(csv(&file), csv(&own));
        let sensed = |point: &str| json(directory, &format!("cost --slopes {point}"));
        let (of_file, of_own) = (sensed(&file), sensed(&own));
        for key in ["cost", "critical_path", "sensitivity"] {
            assert_eq!(of_file[key], of_own[key], "{name}: {key}");
        }
        let cost = |point: &str| json(directory, &format!("cost {point}"))["simulated"].clone();
        assert_eq!(cost(&file), cost(&own));
        // A file as an algorithm has the operations only, not what messages carry.
        let exported = fs::read_to_string(directory.join("it.goal")).unwrap();
        let is_kept = |line: &&str| !line.starts_with("// collective");
        let lines = exported.lines().filter(is_kept);
        let exported: String = lines
            .map(|line| line.split(" //").next().unwrap().to_owned() + "\n")
            .collect();
        assert_eq!(out(directory, &format!("export goal {file}")), exported);
    }
    let picture =
        "show it.goal --machine loopback-2-cores --view matrix --svg it.svg --html it.html";
    assert!(out(directory, picture).contains("received"));
    // Rank 0 sends to ranks 4, 2 and 1 of a binomial tree: along x, then along y.
    out(
        directory,
        "export goal broadcast-binomial -L 6 -o 2 -g 4 -n 1 -K 8 --out tree.goal",
    );
    let links = out(
        directory,
        "show tree.goal -L 6 -o 2 -g 4 --view links --mesh 4x2",
    );
    assert_snapshot!(links, @r#"
    tree.goal: 8 ranks
    9 crossings of 7 of 20 links; the most, 2, over (0,0) to (1,0)

      o 2/0 o 1/0 o 1/0 o
      1/0   .     .     .
      o 2/0 o 1/0 o 1/0 o

    3/1: three messages to the right or up, one to the left or down; . none; row 0 at the bottom
    "#);
    let other = "show tree.goal -L 6 -o 2 -g 4 --view links --mesh 3x2";
    expect(directory, other, 2, "--mesh 3x2: expected one of 8 nodes");
    for name in ["it.svg", "it.html"] {
        assert!(
            fs::read_to_string(directory.join(name))
                .unwrap()
                .contains("it.goal"),
            "{name}"
        );
    }
}

/// The sum of four ranks by recursive doubling, as a schedule of MSCCL and as a plan of castbench.
fn doubling() -> [String; 2] {
    let mut xml =
        "<algo name=\"doubling\" nchunksperloop=\"2\" ngpus=\"4\" coll=\"allreduce\" inplace=\"1\">\n".to_owned();
    for rank in 0..4 {
        let chunks = "i_chunks=\"2\" o_chunks=\"0\" s_chunks=\"0\"";
        writeln!(xml, "<gpu id=\"{rank}\" {chunks}>").unwrap();
        for round in [0, 1] {
            let peer = rank ^ (1 << round);
            writeln!(
                xml,
                "<tb id=\"{round}\" send=\"{peer}\" recv=\"{peer}\" chan=\"0\">"
            )
            .unwrap();
            for (step, kind) in ["s", "rrc"].into_iter().enumerate() {
                let waits = if step == 0 && round == 1 {
                    "depid=\"0\" deps=\"1\""
                } else {
                    "depid=\"-1\" deps=\"-1\""
                };
                let all = "srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"2\"";
                let signals = usize::from(kind == "rrc");
                writeln!(
                    xml,
                    "<step s=\"{step}\" type=\"{kind}\" {all} {waits} hasdep=\"{signals}\"/>"
                )
                .unwrap();
            }
            xml += "</tb>\n";
        }
        xml += "</gpu>\n";
    }
    let round = |bit: u32| {
        let message = |from: u32| {
            format!(
                "{{\"from\": {from}, \"to\": {}, \"combine\": true}}",
                from ^ bit
            )
        };
        format!("[{}]", [0, 1, 2, 3].map(message).join(", "))
    };
    [
        xml + "</algo>\n",
        format!("{{\"rounds\": [{}, {}]}}", round(1), round(2)),
    ]
}

/// Two ranks swap a half of a vector, add it, and swap the sums, in GOAL with what messages carry.
const SWAP: &str = "// collective allreduce cut 2
num_ranks 2
rank 0 {
a: send 8b to 1 // blocks 1
b: recv 8b from 1 // combine 0
b requires a
c: send 8b to 1 tag 1 // blocks 0
c requires b
d: recv 8b from 1 tag 1 // blocks 1
d requires c
}
rank 1 {
a: send 8b to 0 // blocks 0
b: recv 8b from 0 // combine 1
b requires a
c: send 8b to 0 tag 1 // blocks 1
c requires b
d: recv 8b from 0 tag 1 // blocks 0
d requires c
}
";

/// One schedule in several formats has one cost, as the plan of an algorithm and as that of the catalogue.
#[test]
fn schedules_are_plans() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let [xml, plan] = doubling();
    let wrong = xml.replacen("rrc", "r", 1);
    let files = [
        ("doubling.xml", xml.as_str()),
        ("doubling.json", plan.as_str()),
        ("wrong.xml", wrong.as_str()),
        ("swap.goal", SWAP),
        (
            "silent.goal",
            "num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\n",
        ),
    ];
    let mut mine = "schema = 1\n".to_owned();
    for (name, text) in files {
        fs::write(directory.join(name), text).unwrap();
        let (stem, ending) = name.split_once('.').unwrap();
        writeln!(
            mine,
            "[[algorithm]]\nname = \"{stem}-{ending}\"\nproblem = \"allreduce\"\nplan = \"{name}\""
        )
        .unwrap();
    }
    fs::write(directory.join("mine.toml"), mine).unwrap();
    let cost = |name: &str, point: &str| {
        json(directory, &format!("cost {name} --with mine.toml {point}"))["simulated"]
            .as_u64()
            .unwrap()
    };
    for point in [
        "-L 6 -o 2 -g 4 -K 4 -n 10 -c 3",
        "--machine loopback-2-cores --bytes 1KiB -K 4 -c 700",
    ] {
        let times = [
            "doubling-xml",
            "doubling-json",
            "allreduce-recursive-doubling",
        ]
        .map(|name| cost(name, point));
        assert!(
            times[0] == times[1] && times[1] == times[2],
            "{point}: {times:?}"
        );
    }
    let point = "-L 6 -o 2 -g 4 -K 2 -n 16";
    assert_eq!(cost("swap-goal", point), cost("allreduce-ring", point));
    let mut refused = String::new();
    for line in [
        "cost doubling-xml -K 8 -n 4",
        "cost doubling-xml -K 4 -n 5",
        "cost wrong-xml -K 4 -n 4",
        "show wrong-xml -K 4 -n 4",
        "cost swap-goal -K 2 -n 4",
        "cost swap-goal -K 2 -n 16 -c 1",
        "cost silent-goal -K 2 -n 8",
    ] {
        let line = format!("{line} --with mine.toml -L 6 -o 2 -g 4");
        let Answer { code, errors, .. } = ask(directory, &line);
        let error = errors
            .lines()
            .find(|line| line.starts_with("error"))
            .unwrap();
        writeln!(refused, "{line}\n{error} [exit {}]", code.unwrap()).unwrap();
    }
    assert_snapshot!(refused, @r#"
    cost doubling-xml -K 8 -n 4 --with mine.toml -L 6 -o 2 -g 4
    error: K = 8: expected 4: the schedule is for as many ranks [exit 2]
    cost doubling-xml -K 4 -n 5 --with mine.toml -L 6 -o 2 -g 4
    error: n = 5: expected a multiple of 2: the schedule cuts a block into 2 chunks [exit 2]
    cost wrong-xml -K 4 -n 4 --with mine.toml -L 6 -o 2 -g 4
    error: the simulator rejected the plan: rank 0, block 1, step 1: the last to write rank 0, chunk 0 of `i`: lacks the contribution of rank 0 [exit 5]
    show wrong-xml -K 4 -n 4 --with mine.toml -L 6 -o 2 -g 4
    error: the simulator rejected the plan: rank 0, block 1, step 1: the last to write rank 0, chunk 0 of `i`: lacks the contribution of rank 0 [exit 5]
    cost swap-goal -K 2 -n 4 --with mine.toml -L 6 -o 2 -g 4
    error: n = 4: expected 16, the size that the file states [exit 2]
    cost swap-goal -K 2 -n 16 -c 1 --with mine.toml -L 6 -o 2 -g 4
    error: c = 1: expected 0: the schedule states its computations [exit 2]
    cost silent-goal -K 2 -n 8 --with mine.toml -L 6 -o 2 -g 4
    error: silent.goal: the file does not say what its messages carry, so its result is not known [exit 3]
    "#);
}

/// What is wrong with a file that a verb should take as an algorithm.
#[test]
fn files_without_a_schedule_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let [xml, plan] = doubling();
    for (name, text) in [
        ("wrong.xml", xml.replacen("rrc", "r", 1)),
        ("right.xml", xml),
        ("plan.json", plan),
        ("notes.txt", "nothing\n".to_owned()),
    ] {
        fs::write(directory.join(name), text).unwrap();
    }
    let mut all = String::new();
    for line in [
        "cost wrong.xml -L 6 -o 2 -g 4 -n 4",
        "cost right.xml -L 6 -o 2 -g 4",
        "cost right.xml -L 6 -o 2 -g 4 -n 4 -K 4",
        "cost notes.txt -L 6 -o 2 -g 4",
        "cost plan.json -L 6 -o 2 -g 4",
        "cost missing.goal -L 6 -o 2 -g 4",
        "verify plan.json",
        "verify plan.json --collective allreduce",
        "verify plan.json --collective allreduce --ranks 4",
        "verify plan.json --collective allgather --ranks 4",
        "verify plan.json --collective allreduce --ranks 5",
        "verify plan.json --collective allreduce --ranks 4 --root 4",
    ] {
        let Answer { code, out, errors } = ask(directory, line);
        writeln!(all, "$ {line}\n{out}{errors}[exit {}]", code.unwrap()).unwrap();
    }
    assert_snapshot!(all, @r#"
    $ cost wrong.xml -L 6 -o 2 -g 4 -n 4
    error: wrong.xml:9: rank 0, block 1, step 1: the last to write rank 0, chunk 0 of `i`: lacks the contribution of rank 0
    [exit 5]
    $ cost right.xml -L 6 -o 2 -g 4
    error: `right.xml` needs -n. For example: castbench cost right.xml -L 6 -o 2 -g 4 -n 1024
    [exit 2]
    $ cost right.xml -L 6 -o 2 -g 4 -n 4 -K 4
    error: `right.xml` (schedule of chunks) does not read -K; remove it. For example: castbench cost right.xml -L 6 -o 2 -g 4 -n 1024
    [exit 2]
    $ cost notes.txt -L 6 -o 2 -g 4
    error: notes.txt:1:1: expected `num_ranks` and the number of ranks, as in `num_ranks 8`
    [exit 3]
    $ cost plan.json -L 6 -o 2 -g 4
    error: plan.json: a plan of castbench is for a collective of any size: name it in an [[algorithm]], and give that with --with
    [exit 3]
    $ cost missing.goal -L 6 -o 2 -g 4
    error: there is no algorithm and no file `missing.goal`; `castbench list` prints all
    [exit 2]
    $ verify plan.json
    error: plan.json: a plan in JSON does not say what it must do; name that with --collective
    [exit 3]
    $ verify plan.json --collective allreduce
    error: plan.json: a plan in JSON does not say for how many ranks; add --ranks
    [exit 3]
    $ verify plan.json --collective allreduce --ranks 4
    plan.json: plan of castbench, allreduce on 4 ranks: 16 steps, 8 channels
    verdict: right
    [exit 0]
    $ verify plan.json --collective allgather --ranks 4
    plan.json: plan of castbench, allgather on 4 ranks: 16 steps, 8 channels
    verdict: wrong, result
    error: plan.json: rank 0, block 0, step 0: reads chunk 1 of `blocks` of rank 0, which holds nothing yet
    [exit 5]
    $ verify plan.json --collective allreduce --ranks 5
    plan.json: plan of castbench, allreduce on 5 ranks: 16 steps, 8 channels
    verdict: wrong, result
    error: plan.json: rank 0, block 0, step 3: the last to write rank 0, chunk 0 of `blocks`: lacks the contribution of rank 4
    [exit 5]
    $ verify plan.json --collective allreduce --ranks 4 --root 4
    error: plan.json: expected a root that is a rank
    [exit 3]
    "#);
}
