//! Algorithms of users: plans from files and commands, and formulas.

mod protocol;
mod schema;

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::common::{castbench, expect, printed};

/// The examples of docs/plans.md: the collective, K and the plan.
fn examples() -> Vec<(String, u32, String)> {
    let page = include_str!("../../../docs/plans.md");
    let blocks = page
        .split("```json ")
        .skip(1)
        .map(|block| block.split_once("```").unwrap().0);
    let example = |block: &str| {
        let (about, plan) = block.split_once('\n').unwrap();
        let (problem, ranks) = about.split_once(' ').unwrap();
        (problem.to_owned(), ranks.parse().unwrap(), plan.to_owned())
    };
    blocks.map(example).collect()
}

/// A directory with a configuration of one algorithm `mine`, and files.
fn directory(problem: &str, keys: &str, files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let text = format!("schema = 1\n[[algorithm]]\nname = 'mine'\nproblem = '{problem}'\n{keys}\n");
    fs::write(directory.path().join("mine.toml"), text).unwrap();
    files
        .iter()
        .for_each(|(name, text)| fs::write(directory.path().join(name), text).unwrap());
    directory
}

/// The code and everything that is printed.
fn explanation(output: &Output) -> (i32, String) {
    let text = [&output.stdout[..], &output.stderr].concat();
    (
        output.status.code().unwrap(),
        String::from_utf8(text).unwrap(),
    )
}

fn cost(directory: &Path, line: &str) -> Value {
    serde_json::from_str(&printed(directory, &format!("cost {line} --format json")).unwrap())
        .unwrap()
}

const POINT: &str = "--with mine.toml -L 6 -o 2 -g 4 -c 1";

/// The examples of the page cost what the algorithms cost that they describe.
#[test]
fn examples_of_the_page() {
    let twins = [
        Some("allreduce-recursive-doubling"),
        Some("allreduce-ring"),
        None,
        Some("reduce-flat"),
        Some("allreduce-reduce-broadcast"),
    ];
    let examples = examples();
    assert_eq!(examples.len(), twins.len());
    for ((problem, ranks, plan), twin) in examples.iter().zip(twins) {
        let directory = directory(problem, "plan = 'mine.json'", &[("mine.json", plan)]);
        for n in [1, 7, 1000] {
            let mine = cost(directory.path(), &format!("mine {POINT} -K {ranks} -n {n}"));
            assert!(
                mine["simulated"].is_u64() && mine["analytic"].is_null(),
                "{mine}"
            );
            if let Some(twin) = twin {
                let theirs = cost(
                    directory.path(),
                    &format!("{twin} -L 6 -o 2 -g 4 -c 1 -K {ranks} -n {n}"),
                );
                assert_eq!(mine["simulated"], theirs["simulated"], "{plan}");
            }
        }
    }
}

/// Trees of every collective that has some, and other ways to write a plan.
#[test]
fn plans_of_all_collectives() {
    let tree = r#""parents": [2, 2, null, 0]"#;
    let up_down = format!(r#"{{"then": [{{{tree}, "way": "up"}}, {{{tree}, "way": "down"}}]}}"#);
    let root = format!(r#"{{"root": 2, {tree}}}"#);
    let pair = r#"{"rounds": [[{"from": 0, "to": 1, "blocks": [1]}, {"from": 1, "to": 0, "blocks": [2]}]]}"#;
    let waits = r#"{"operations": [[{"receive": 1, "tag": 7}, {"receive": 1}], [{"send": 0}, {"send": 0, "tag": 7}]]}"#;
    for (problem, plan, point) in [
        ("broadcast", &*root, "-K 4 -n 9 -m 3 --root 2"),
        ("reduce", &root, "-K 4 -n 9 -m 3 --root 2"),
        ("scatter", &root, "-K 4 -n 9 --root 2"),
        ("gather", &root, "-K 4 -n 9 --root 2"),
        ("allgather", &up_down, "-K 4 -n 9"),
        ("reduce-scatter", &up_down, "-K 4 -n 9"),
        (
            "barrier",
            r#"{"algorithm": "barrier-dissemination"}"#,
            "-K 9",
        ),
        ("alltoall", pair, "-K 2 -n 9"),
        ("reduce", waits, "-K 2 -n 9"),
        (
            "scan",
            r#"{"rounds": [[{"from": 0, "to": 1, "combine": true}]]}"#,
            "-K 2 -n 9",
        ),
    ] {
        // A second receive would combine twice.
        let plan = plan.replace(r#", "tag": 7}, {"receive": 1}"#, r#", "combine": true}"#);
        let plan = plan.replace(r#", {"send": 0, "tag": 7}"#, "");
        let directory = directory(problem, "plan = 'mine.json'", &[("mine.json", &plan)]);
        let answer = cost(
            directory.path(),
            &format!("mine --with mine.toml -L 6 -o 2 -g 4 {point}"),
        );
        assert!(answer["simulated"].is_u64(), "{problem}: {answer}");
        // The example of a refusal is a command that works.
        if problem == "barrier" {
            let unread = format!("cost mine --with mine.toml -L 6 -o 2 -g 4 {point} -n 9");
            let text = expect(directory.path(), &unread, 2, "does not read -n");
            let (_, example) = text.split_once("For example: castbench ").unwrap();
            expect(directory.path(), example.trim(), 0, "");
        }
    }
}

/// A plan that does not carry out its collective has no cost.
#[test]
fn wrong_plans_are_refused() {
    let round = |messages: &str| format!(r#"{{"rounds": [[{messages}]]}}"#);
    let both = r#"{"from": 0, "to": 1, "combine": true}, {"from": 1, "to": 0, "combine": true}"#;
    for (plan, code, expected) in [
        (
            round(r#"{"from": 0, "to": 1, "combine": true}"#),
            5,
            "at the end rank 0 misses the contribution of rank 1 to word 0",
        ),
        (
            format!(r#"{{"rounds": [[{both}], [{both}]]}}"#),
            5,
            "round 1: rank 0 combines the contribution of rank 0 to word 0 twice",
        ),
        (
            r#"{"operations": [[{"send": 1}], []]}"#.to_owned(),
            5,
            "the simulator rejected the plan: from processor 0 to 1 with tag 0: 1 message sent, 0 messages received",
        ),
        (
            r#"{"operations": [[{"receive": 1}, {"send": 1}], [{"receive": 0}, {"send": 0}]]}"#
                .to_owned(),
            5,
            "rejected the plan",
        ),
        (
            round(r#"{"from": 0, "to": 2}"#),
            3,
            "plan.rounds[0][0].to = 2: expected a rank below K = 2",
        ),
        (
            round(r#"{"from": 1, "to": 1}"#),
            3,
            "plan.rounds[0][0].to = 1: expected another rank",
        ),
        (
            round(r#"{"from": 1, "to": 0, "blocks": [1]}"#),
            3,
            "plan.rounds[0][0].blocks: block 1 of 1; expected blocks below 1",
        ),
        (
            r#"{"cut": 2, "rounds": [[{"from": 1, "to": 0, "blocks": [1, 0]}]]}"#.to_owned(),
            3,
            "plan.rounds[0][0].blocks: block 0 after block 1: expected ascending blocks",
        ),
        (
            round(r#"{"from": 1, "tu": 0}"#),
            3,
            "line 1, column 29: unknown field `tu`, expected one of `from`, `to`, `blocks`, `combine`",
        ),
        (
            "{\"rounds\": [\n[}".to_owned(),
            3,
            "mine.json: line 2, column 2: expected value",
        ),
        (
            "{}".to_owned(),
            3,
            "plan: expected one of `rounds`, `operations`",
        ),
        (
            r#"{"rounds": [], "algorithm": "x"}"#.to_owned(),
            3,
            "plan: `rounds` and `algorithm` exclude each other",
        ),
        (
            r#"{"algorithm": "reduce-binomail"}"#.to_owned(),
            3,
            "there is no algorithm `reduce-binomail` for a collective; did you mean `reduce-binomial`",
        ),
        (
            r#"{"algorithm": "mine"}"#.to_owned(),
            3,
            "there is no algorithm `mine`",
        ),
        (
            r#"{"then": [{"parents": [1, 0], "way": "up"}]}"#.to_owned(),
            3,
            "plan.then[0].parents: 0 ranks have no parent",
        ),
        (
            r#"{"parents": [null, 0]}"#.to_owned(),
            3,
            "a tree of `allreduce` needs \"way\"",
        ),
        (
            r#"{"parents": [null, 0], "way": "up", "order": [0, 0]}"#.to_owned(),
            3,
            "plan.order: expected each of the ranks 0 to 1 once",
        ),
        (
            r#"{"rounds": [], "cut": 0}"#.to_owned(),
            3,
            "plan.cut = 0: expected 1 to",
        ),
        (
            r#"{"rounds": [], "way": "up"}"#.to_owned(),
            3,
            "plan.way: a plan of `rounds` has no such key",
        ),
        (
            r#"{"operations": [[]]}"#.to_owned(),
            3,
            "plan.operations has 1 lists; expected one for each of K = 2 ranks",
        ),
        ("[".repeat(1 << 20), 3, "line 1, column 1"),
        (" ".repeat((32 << 20) + 1), 3, "is longer than 32 MiB"),
    ] {
        let directory = directory("allreduce", "plan = 'mine.json'", &[("mine.json", &plan)]);
        let text = expect(
            directory.path(),
            &format!("cost mine {POINT} -K 2 -n 4"),
            code,
            expected,
        );
        assert!(!text.contains("bug"), "{text}");
    }
}

/// No verb has an answer for a plan that does not carry out its collective.
#[test]
fn wrong_plans_have_no_answer() {
    let transport =
        "seed = 1\nrepetitions = 1\nwarm_up = 0\ntime_limit_seconds = 10\ntransport = 'tcp'";
    let measurement = "[[measurement]]\nname = 'm'\nalgorithms = ['mine']\nK = 2\nbytes = '8'\nmachine = 'loopback-2-cores'";
    for (plan, expected) in [
        (
            r#"{"rounds": []}"#,
            "rank 0 misses the contribution of rank 1",
        ),
        (
            r#"{"operations": [[{"receive": 1}, {"send": 1}], [{"receive": 0}, {"send": 0}]]}"#,
            "deadlock",
        ),
    ] {
        let directory = directory("allreduce", "plan = 'mine.json'", &[("mine.json", plan)]);
        let directory = directory.path();
        let configuration = fs::read_to_string(directory.join("mine.toml")).unwrap();
        let configuration = configuration.replacen("1\n", &format!("1\n{transport}\n"), 1);
        fs::write(directory.join("m.toml"), configuration + measurement).unwrap();
        let point = format!("mine {POINT} -K 2 -n 4");
        for line in [
            format!("cost {point} --slopes"),
            format!("cost {point} --ends"),
            format!("show {point} --view links --network ring:2"),
            format!("export goal {point}"),
            "bound allreduce --network ring:2 --with mine.toml --algorithms mine".to_owned(),
            "measure m.toml --out m".to_owned(),
        ] {
            let text = expect(directory, &line, 5, expected);
            assert!(!text.contains("bug"), "{line}: {text}");
        }
    }
}

/// Names with axes: a file for each value, and no algorithm where there is none.
#[test]
fn files_are_named_by_axes() {
    let plan = |root: u32| {
        format!(
            r#"{{"parents": {}}}"#,
            if root == 0 { "[null, 0]" } else { "[1, null]" }
        )
    };
    let files = [("p-2-0.json", &*plan(0)), ("p-2-1.json", &plan(1))];
    let named = directory("broadcast", "plan = 'p-{K}-{root}.json'", &files);
    for root in [0, 1] {
        cost(
            named.path(),
            &format!("mine --with mine.toml -L 6 -o 2 -g 4 -K 2 -n 8 --root {root}"),
        );
    }
    let fixed = directory("broadcast", "plan = 'p-2-0.json'", &files);
    for (directory, point, expected) in [
        (
            &named,
            "-K 3",
            "K = 3: expected a value with a plan: there is no file `p-3-0.json`",
        ),
        (
            &fixed,
            "-K 2 --root 1",
            "root = 1: expected 0, the root of the plan",
        ),
        (
            &fixed,
            "-K 3",
            "plan.parents has 2; expected one for each of K = 3 ranks",
        ),
    ] {
        let errors = printed(
            directory.path(),
            &format!("cost mine --with mine.toml -L 6 -o 2 -g 4 -n 8 {point}"),
        );
        assert!(
            errors
                .as_ref()
                .is_err_and(|errors| errors.contains(expected)),
            "{point}: {errors:?}"
        );
    }
}

#[test]
fn mistakes_in_a_configuration() {
    let files = [("mine.json", r#"{"algorithm": "allreduce-ring"}"#)];
    for (problem, keys, expected) in [
        (
            "logp-multicast",
            "plan = 'mine.json'",
            "`logp-multicast` is not a collective",
        ),
        ("allreduce", "", "expected `plan` or `command`"),
        (
            "allreduce",
            "plan = 'mine.json'\ncommand = ['true']",
            "`plan` and `command` exclude each other",
        ),
        ("allreduce", "plan = 'other.json'", "there is no such file"),
        (
            "allreduce",
            "plan = 'mine.txt'",
            "expected a name that ends with `.json`",
        ),
        (
            "allreduce",
            "plan = 'mine-{x}.json'",
            "expected one of K, n, c",
        ),
        (
            "allreduce",
            "plan = 'mine-{K.json'",
            "expected `}` after `{`",
        ),
        (
            "allreduce",
            "plan = 'mine.json'\nseconds = 3",
            "`seconds` limits a command",
        ),
        ("allreduce", "command = []", "expected a program"),
        (
            "allreduce",
            "command = ['true']\nseconds = 0",
            "expected `seconds` from 1 to 86400",
        ),
        (
            "allreduce",
            "plan = 'mine.json'\nformula = 'K +'",
            "column 4: expected a number",
        ),
        (
            "allreduce",
            "plan = 'mine.json'\n[[algorithm]]\nname = 'mine'\nproblem = 'scan'",
            "another algorithm has this name",
        ),
        (
            "allreduce",
            "plan = 'mine.json'\n[[algorithm]]\nname = 'scan-linear'\nproblem = 'scan'",
            "another algorithm has this name",
        ),
        (
            "allreduce",
            "plan = 'mine.json'\n[[algorithm]]\nname = 'a:b'\nproblem = 'scan'",
            "this is no name of an algorithm",
        ),
    ] {
        let directory = directory(problem, keys, &files);
        let text = expect(
            directory.path(),
            &format!("cost mine {POINT} -K 2 -n 4"),
            3,
            expected,
        );
        assert!(text.contains("mine.toml:"), "{keys}: {text}");
    }
}

/// Verbs for single answers read the configuration with `--with`.
#[test]
fn every_verb_knows_it() {
    let formula = "plan = 'mine.json'\nformula = 'ceil(log2(K)) * (D(n) + c(n))'";
    let directory = directory("allreduce", formula, &[("mine.json", &examples()[0].2)]);
    let point = format!("{POINT} -K 4 -n 8");
    for (line, expected) in [
        (
            format!("cost mine {point}"),
            "analytic     92 time units, 1.70 x the lower bound, by claim",
        ),
        (
            format!("cost mine {point} --format csv"),
            "plan mine.json of mine.toml",
        ),
        (format!("show mine {point}"), "r>r^1"),
        (
            format!("show mine {point} --svg mine.svg --html mine.html"),
            "mine: 8 words on 4 ranks",
        ),
        (format!("export goal mine {point}"), "send 8b to 1"),
        (format!("export csv mine {point}"), "send"),
        (format!("export trace mine {point}"), "rank 3"),
        (format!("cost --slopes mine {point}"), "critical path"),
        (
            format!("best --problem allreduce --algorithms mine,allreduce-ring {point}"),
            "mine",
        ),
        (
            "list allreduce --with mine.toml".to_owned(),
            "mine.toml; plan",
        ),
    ] {
        let text = printed(directory.path(), &line).unwrap();
        assert!(text.contains(expected), "{line}: {text}");
    }
}

/// A formula that does not hold is no bug of castbench, and the first point is named.
#[test]
fn a_formula_that_fails() {
    let files = [("mine.json", &*examples()[0].2)];
    let grid = "[[grid]]\nname = 'a'\nalgorithms = ['mine']\nL = 6\no = 2\ng = 4\nK = 4\nn = [1, 2, 3]\nc = 1\nm = 1\nelement = 1";
    let keys = format!("plan = 'mine.json'\nformula = 'max(22, 20 + 2*n*n)'\n{grid}");
    let directory = directory("allreduce", &keys, &files);
    let expected = "the formula and the execution differ; correct the formula or the plan";
    for line in [
        format!("cost mine {POINT} -K 4 -n 3"),
        format!("best --problem allreduce --algorithms mine {POINT} -K 4 -n 3"),
    ] {
        expect(directory.path(), &line, 5, expected);
    }
    let text = expect(
        directory.path(),
        "sweep mine.toml --out out",
        5,
        "correct the formula or the plan",
    );
    assert!(
        text.contains("castbench cost mine --with mine.toml -L 6 -o 2 -g 4 -K 4 -n 2 -c 1"),
        "{text}"
    );
}

/// Sweeps write rows that say what gives an algorithm, and digests; `regress` compares them.
#[test]
fn sweeps_record_where_it_came_from() {
    let grid = "[[grid]]\nname = 'a'\nL = 6\no = 2\ng = 4\nK = [3, 4, 5]\nn = [1, 2]\nc = 1\nm = 1\nelement = 1\nwithout = ['allreduce-linear']";
    let keys = format!("plan = 'mine-{{K}}.json'\n{grid}");
    let examples = examples();
    let files = [
        ("mine-4.json", &*examples[0].2),
        ("mine-3.json", r#"{"algorithm": "allreduce-flat"}"#),
        ("mine-x.json", ""),
    ];
    let directory = directory("allreduce", &keys, &files);
    expect(directory.path(), "sweep mine.toml --out out", 0, "");
    let rows = fs::read_to_string(directory.path().join("out/allreduce.csv")).unwrap();
    let mine: Vec<&str> = rows
        .lines()
        .filter(|row| row.starts_with("mine,"))
        .collect();
    assert_eq!(mine.len(), 6, "{rows}");
    let is_given =
        |row: &&&str| row.contains(",ok,") && row.ends_with("; plan mine-{K}.json of mine.toml");
    assert_eq!(mine.iter().filter(is_given).count(), 4, "{mine:?}");
    assert_eq!(
        mine.iter()
            .filter(|row| row.contains("there is no file `mine-5.json`"))
            .count(),
        2,
        "{mine:?}"
    );
    let manifest = fs::read_to_string(directory.path().join("out/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let given = &manifest["configuration"]["algorithms"];
    let names: Vec<&str> = given[0]["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        (given[0]["given"].as_str(), &*names),
        (
            Some("plan mine-{K}.json"),
            &["mine-3.json", "mine-4.json"][..]
        )
    );
    for line in [
        "regress accept --config mine.toml --baseline base --reason new",
        "regress --config mine.toml --baseline base",
    ] {
        expect(directory.path(), line, 0, "");
    }
    // A ring takes longer than a root.
    fs::write(directory.path().join("mine-3.json"), &examples[1].2).unwrap();
    expect(
        directory.path(),
        "regress --config mine.toml --baseline base",
        6,
        "got worse",
    );
}

/// Commands that fail in every way name the point, and leave neither a process nor a file behind.
#[test]
fn commands_that_fail() {
    let script = r#"
read -r point
case "$point" in
*'"n":1,'*) echo hello ;;
*'"n":2,'*) echo boom >&2; exit 3 ;;
*'"n":3,'*) sleep 1000 ;;
*'"n":4,'*) sleep 1000 & exit 0 ;;
*'"n":5,'*) printf '{}\n{}\n' ;;
*'"n":6,'*) yes | tr -d '\n' ;;
*'"n":7,'*) echo '{"rounds":[[{"from":0,"to":9}]]}' ;;
*'"n":8,'*) exec 2>&-; sleep 1000 ;;
*'"n":9,'*) touch mine; pwd >&2; echo '{"algorithm":"allreduce-ring"}'; read -r point; sleep 1000 ;;
esac"#;
    let keys = "command = ['sh', 'mine.sh']\nseconds = 1\n[[algorithm]]\nname = 'none'\nproblem = 'scan'\ncommand = ['nonesuch']";
    let directory = directory("allreduce", keys, &[("mine.sh", script)]);
    let scratch = directory.path().join("tmp");
    fs::create_dir(&scratch).unwrap();
    for (algorithm, n, code, expected) in [
        (
            "mine",
            1,
            3,
            "answers with no plan: line 1, column 1: expected value",
        ),
        ("mine", 2, 3, "ended without an answer, exit status: 3"),
        ("mine", 2, 3, "; its stderr: boom"),
        ("mine", 3, 3, "did not answer within 1 s"),
        ("mine", 4, 3, "ended without an answer, exit status: 0"),
        ("mine", 5, 3, "answers with more than one line"),
        ("mine", 6, 3, "answers with more than 8 MiB"),
        (
            "mine",
            7,
            3,
            "answers with no plan: plan.rounds[0][0].to = 9",
        ),
        ("mine", 8, 3, "did not answer within 1 s"),
        ("mine", 9, 0, "simulated"),
        ("none", 1, 3, "the command `nonesuch` cannot be started"),
    ] {
        let line = format!("cost {algorithm} {POINT} -K 3 -n {n}");
        let mut command = castbench(&line.split(' ').collect::<Vec<_>>());
        let output = command
            .current_dir(directory.path())
            .env("TMPDIR", &scratch)
            .output()
            .unwrap();
        let (found, text) = explanation(&output);
        assert!(
            found == code && text.contains(expected),
            "n = {n}: {found}: {text}"
        );
        assert!(
            code == 0 || text.contains(&format!("\"K\":3,\"n\":{n},")),
            "{text}"
        );
        assert_eq!(fs::read_dir(&scratch).unwrap().count(), 0, "n = {n}");
    }
    let processes = fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| fs::read_link(entry.ok()?.path().join("cwd")).ok());
    assert_eq!(processes.filter(|cwd| cwd.starts_with(&scratch)).count(), 0);
}

/// With blocks of several sizes a formula is not compared, nothing else stands in its place, and no other point is asked for.
#[test]
fn formulas_are_not_compared_with_counts() {
    let keys = "plan = 'g-{K}-{n}.json'\nformula = 'n * 1000'";
    let tree = [("g-3-5.json", r#"{"parents": [null, 0, 0]}"#)];
    let directory = directory("gather", keys, &tree);
    let point = "mine --with mine.toml -L 6 -o 2 -g 4 -K 3 -n 5 --counts 3,1,2";
    let answer = cost(directory.path(), point);
    assert!(answer["simulated"].is_u64() && answer["analytic"].is_null());
    let text = printed(directory.path(), &format!("cost {point}")).unwrap();
    assert!(
        text.contains("not compared") && !text.contains("agrees"),
        "{text}"
    );
}

/// `--explain` splits what was executed, also where a formula says another cost.
#[test]
fn a_false_formula_is_explained() {
    let keys = "plan = 'mine.json'\nformula = '1000 * D(n)'";
    let files = [("mine.json", r#"{"algorithm": "allreduce-ring"}"#)];
    let directory = directory("allreduce", keys, &files);
    let line = format!("cost mine {POINT} -K 4 -n 4 --explain");
    expect(directory.path(), &line, 5, "correct the formula");
    let skipped = format!("{line} --simulate-up-to 0");
    expect(
        directory.path(),
        &skipped,
        5,
        "no operation of the execution ends at the cost",
    );
}

/// A name stands for one algorithm.
#[test]
fn names_are_given_once() {
    let directory = directory("allreduce", "plan = 'mine.json'", &[("mine.json", "{}")]);
    let directory = directory.path();
    let text = fs::read_to_string(directory.join("mine.toml")).unwrap();
    fs::write(directory.join("b.toml"), &text).unwrap();
    let twice = "list --with mine.toml --with b.toml";
    expect(directory, twice, 3, "`mine`, as mine.toml does; rename one");
    for name in ["all", "generated", "lower_bound"] {
        fs::write(
            directory.join("b.toml"),
            text.replace("mine'", &format!("{name}'")),
        )
        .unwrap();
        expect(
            directory,
            "list --with b.toml",
            3,
            "no name of an algorithm",
        );
    }
}

/// A plan that cuts words no finer than the catalogue has its lower bound.
#[test]
fn plans_have_the_bound_of_their_collective() {
    let plan = r#"{"algorithm": "allreduce-rabenseifner"}"#;
    let directory = directory("allreduce", "plan = 'mine.json'", &[("mine.json", plan)]);
    let bound = |name: &str| {
        let point = "--with mine.toml --machine ethernet100-switched -K 8 --bytes 64KiB";
        cost(directory.path(), &format!("{name} {point}"))["lower_bound"].clone()
    };
    assert_eq!(bound("mine"), bound("allreduce-rabenseifner"));
}

/// What the size of a file in chunks counts is said.
#[test]
fn sizes_of_files_are_said() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let generate = "generate alltoall --network ring:3 --out a.xml";
    expect(directory, generate, 0, "");
    let text = printed(directory, "cost a.xml -L 6 -o 2 -g 4 -n 9").unwrap();
    assert!(
        text.contains("with all of its blocks; a chunk has 3"),
        "{text}"
    );
}
