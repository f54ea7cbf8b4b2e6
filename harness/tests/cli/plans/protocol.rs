//! What a command may write and when, and the reproduction of what it does wrong. No case depends on time: a line too many is
//! found when it comes, at the next point or at the end, with one advice.

use serde_json::Value;

use super::{cost, directory};
use crate::common::measured::LEVELS;
use crate::common::{expect, printed};

const RING: &str = r#""algorithm":"allreduce-ring""#;
const NONE_COUNTS: &str = "so its answers cannot be told apart and none counts";

/// A directory with a command that runs this script of `sh`, and a grid of four points.
fn of(script: &str) -> tempfile::TempDir {
    let grid = "[[grid]]\nname = 'a'\nalgorithms = ['mine']\nL = 6\no = 2\ng = 4\nK = 4\nn = [1, 2, 3, 4]\nc = 1\nm = 1\nelement = 1";
    let keys = format!("command = ['sh', 'mine.sh']\n{grid}");
    directory("allreduce", &keys, &[("mine.sh", script)])
}

/// Lines too many, too early and too late, and numbers of other points.
#[test]
fn answers_of_other_points() {
    let each = |answers: &str| {
        format!("i=0; while read -r point; do i=$((i + 1)); {answers}; done; exec 2>&-")
    };
    let ring = format!("echo '{{{RING}}}'");
    let numbered = |number: &str| format!("echo '{{\"number\":'{number}',{RING}}}'");
    for (script, reason) in [
        (each(&format!("{ring}; {ring}")), ""),
        (format!("{ring}; {}", each(&ring)), ""),
        // The last line stands behind all answers.
        (
            each(&ring).replace("exec 2>&-", &ring),
            "wrote a line that answers no point",
        ),
        (
            each(&numbered("7")),
            "answers number 7 when asked for number 1",
        ),
        (
            each(&numbered("1")),
            "answers number 1 when asked for number 2",
        ),
        (
            each(&format!(
                "if [ $i = 1 ]; then {}; else {ring}; fi",
                numbered("$i")
            )),
            "gives no number, and gave one before",
        ),
        (
            each(&format!(
                "if [ $i = 1 ]; then {ring}; else {}; fi",
                numbered("$i")
            )),
            "gives number 2, and gave none before",
        ),
    ] {
        let directory = of(&script);
        let text = expect(
            directory.path(),
            "sweep mine.toml --out out --jobs 1",
            3,
            NONE_COUNTS,
        );
        assert!(text.contains(reason), "{script}: {text}");
    }
    // With the right numbers, and without any.
    for answer in [numbered("$i"), ring] {
        let directory = of(&each(&answer));
        expect(
            directory.path(),
            "sweep mine.toml --out out --jobs 1",
            0,
            "",
        );
    }
}

/// A command that a signal ends.
#[test]
fn a_command_that_dies() {
    let directory = of("read -r point; kill -9 $$");
    let line = "cost mine --with mine.toml -L 6 -o 2 -g 4 -K 4 -n 1 -c 1";
    let text = expect(
        directory.path(),
        line,
        3,
        "ended without an answer, signal: 9 (SIGKILL)",
    );
    assert!(text.contains("\"K\":4,\"n\":1,"), "{text}");
}

/// Formulas at the edge of 128 bits, and as long and as deep as text can be.
#[test]
fn formulas_at_their_limits() {
    let chain = format!("{}1 - 4999 + 174", "1+".repeat(4999));
    let deep = format!("{}1{}", "(".repeat(3000), ")".repeat(3000));
    let long = format!("{}1", "1+".repeat(5000));
    for (formula, code, expected) in [
        (&chain[..9999], 5, "the formula and the execution differ"),
        (&chain[..], 3, "expected at most 10000 characters"),
        (&long, 3, "expected at most 10000 characters"),
        (&deep, 3, "expected at most 64 levels of nesting"),
        (
            "ceil((2^126 - 1 + 2^126) / 2)",
            2,
            "does not fit in 64 bits",
        ),
        (
            "floor((1 - 2^126 - 2^126) / 2)",
            3,
            "expected a cost, which is not negative",
        ),
        ("(-2^126 - 2^126) % 3", 2, "does not fit in 64 bits"),
        ("2^127 * 2", 2, "does not fit in 64 bits"),
        ("2^64", 2, "does not fit in 64 bits"),
        ("1 / (K - 4)", 3, "divides 1 by 0"),
    ] {
        let keys = format!("plan = 'mine.json'\nformula = '{formula}'");
        let directory = directory("allreduce", &keys, &[("mine.json", &format!("{{{RING}}}"))]);
        let line = "cost mine --with mine.toml -L 6 -o 2 -g 4 -K 4 -n 4 -c 1";
        expect(directory.path(), line, code, expected);
    }
}

/// Verbs without algorithms of users say so, and name what to write instead.
#[test]
fn verbs_without_algorithms_of_users() {
    let directory = of("");
    for (verb, expected) in [
        ("sweep", "write [[algorithm]] in that file"),
        ("run", "write [[algorithm]] in that file"),
        ("measure", "write [[algorithm]] in that file"),
        ("regress", "write [[algorithm]] in the file of --config"),
        ("report", "write [[algorithm]] in the file of --config"),
        ("audit", "cost, show, export, best and list do"),
        ("calibrate", "cost, show, export, best and list do"),
        ("predict", "cost, show, export, best and list do"),
        ("tune", "cost, show, export, best and list do"),
        ("verify", "cost, show, export, best and list do"),
    ] {
        let text = expect(
            directory.path(),
            &format!("{verb} --with mine.toml"),
            2,
            expected,
        );
        assert!(
            text.contains(&format!("`{verb}` takes no algorithm of your own")),
            "{text}"
        );
    }
}

/// A plan and a command are executed under each rule of ports, and a formula is compared there, too.
#[test]
fn every_rule_of_ports() {
    let point = "-L 6 -o 2 -g 4 -K 4 -n 8";
    let tree =
        r#"{"rounds": [[{"from": 0, "to": 1}], [{"from": 1, "to": 2}], [{"from": 2, "to": 3}]]}"#;
    let scripts = [
        ("mine.json", tree),
        (
            "mine.sh",
            &*format!("while read -r point; do echo '{tree}'; done"),
        ),
    ];
    for origin in ["plan = 'mine.json'", "command = ['sh', 'mine.sh']"] {
        for (formula, code) in [("3*D(n) + 0*duplex", 0), ("3*D(n) + duplex", 5)] {
            let keys = format!("{origin}\nformula = '{formula}'");
            let directory = directory("broadcast", &keys, &scripts);
            let path = directory.path();
            let line = |verb: &str, ports: &str| {
                format!("{verb} --with mine.toml {point} --ports {ports}")
            };
            let strict = cost(path, &line("mine", "strict"));
            assert_eq!(
                (&strict["simulated"], &strict["analytic_by"]),
                (&Value::from(114), &"claim".into())
            );
            // D = 6 + 4 + 7 * 4: a chain sends and receives nothing at once.
            let best = line(
                "best --problem broadcast --algorithms mine,broadcast-flat",
                "duplex",
            );
            for duplex in [
                line("cost mine", "duplex"),
                line("best --problem broadcast --algorithms mine", "duplex"),
                best,
            ] {
                let text = expect(path, &duplex, code, "");
                assert!(
                    code == 0 || text.contains("correct the formula or the plan"),
                    "{text}"
                );
                assert!(!text.contains("\\u{1b}"), "{text}");
            }
            let crossovers = "best --problem broadcast --algorithms mine,broadcast-flat --along K --from 4 --to 4";
            let crossovers = line(crossovers, "duplex").replace("-K 4 ", "");
            expect(path, &crossovers, code, "");
        }
    }
    let csv = printed(tempfile::tempdir().unwrap().path(), "list --format csv").unwrap();
    assert!(
        csv.contains(
            "broadcast-lanes:X+Y broadcast-lanes:X+Y:pipelined broadcast-k-nomial-N broadcast-k-ary-N broadcast-scatter-k-nomial-N NAME:posted"
        ),
        "{csv}"
    );
}

/// An upper bound is compared with the execution, whose cost is the algorithm's.
#[test]
fn a_formula_can_be_an_upper_bound() {
    let tree =
        r#"{"rounds": [[{"from": 0, "to": 1}], [{"from": 1, "to": 2}], [{"from": 2, "to": 3}]]}"#;
    let point = "--with mine.toml -L 6 -o 2 -g 4 -K 4 -n 8";
    for (formula, code) in [
        ("<= 3*D(n)", 0),
        ("<= D(n) * ceil(log(K, 3)) * 2", 0),
        ("<= 3*D(n) - 1", 5),
    ] {
        let keys = format!("plan = 'mine.json'\nformula = '{formula}'");
        let directory = directory("broadcast", &keys, &[("mine.json", tree)]);
        let path = directory.path();
        let cost_line = format!("cost mine {point} --format json");
        let text = expect(path, &cost_line, code, "");
        if code == 0 {
            let answer: Value = serde_json::from_str(&printed(path, &cost_line).unwrap()).unwrap();
            assert_eq!(
                (&answer["simulated"], &answer["analytic"]),
                (&Value::from(114), &Value::Null)
            );
            assert_eq!(
                answer["published_costs"][0]["relation"],
                Value::from("<="),
                "{answer}"
            );
        } else {
            assert!(text.contains("correct the formula or the plan"), "{text}");
        }
        let best = format!("best --problem broadcast --algorithms mine,broadcast-flat {point}");
        expect(path, &best, code, "");
    }
}

/// A formula of one's own cannot read machines with levels: it is not compared there, and the answer says so.
#[test]
fn a_formula_on_a_machine_with_levels() {
    let tree =
        r#"{"rounds": [[{"from": 0, "to": 1}], [{"from": 1, "to": 2}], [{"from": 2, "to": 3}]]}"#;
    let files = [
        ("mine.json", tree),
        ("levels.toml", &*LEVELS.replace("ranks = 4", "ranks = 2")),
    ];
    let directory = directory("broadcast", "plan = 'mine.json'\nformula = '1'", &files);
    let line = "cost mine --with mine.toml --machine levels.toml --bytes 1KiB -K 4";
    let text = printed(directory.path(), line).unwrap();
    assert!(
        text.contains("a given formula is not compared where ranks see several machines"),
        "{text}"
    );
}
