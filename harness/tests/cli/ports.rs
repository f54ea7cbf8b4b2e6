//! One rule of ports in every verb: what is asked, else what the profile states, else strict.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{Answer, ask, expect, printed};

/// A chain of 3 ranks in 2 segments, by hand: rank 0 sends at 0 and 500, rank 1 has the first segment at 1800 and sends it on. The
/// second one arrives at 1900. On duplex ports it is received until 2300, sent at 2300, and there at 4100.
const DUPLEX: u64 = 4100;
/// On strict ports it waits until the send of the first one ends at 2200, is received until 2600, and there at 4400.
const STRICT: u64 = 4400;

const CHAIN: &str = "broadcast-chain --bytes 2 -K 3 -m 2";

/// A directory with the profiles `silent`, `strict`, `duplex` and a configuration.
fn profiles() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let numbers = "L = '1us'\no = '400ns'\ng = '500ns'\nG = '0ps'\n";
    for (name, ports) in [
        ("silent", ""),
        ("strict", "ports = 'strict'\n"),
        ("duplex", "ports = 'duplex'\n"),
    ] {
        let text = format!("schema = 1\nname = '{name}'\n{ports}{numbers}");
        fs::write(directory.path().join(format!("{name}.toml")), text).unwrap();
    }
    let config = "schema = 1\n\
        [[grid]]\nname = 'chains'\nalgorithms = ['broadcast-chain']\nbytes = 2\nK = [3, 4]\nm = 2\n\
        machines = ['silent.toml', 'duplex.toml']\n\
        [[grid]]\nname = 'rings'\nalgorithms = ['allreduce-ring']\nbytes = 8\nK = 4\nmachines = ['duplex.toml']\n\
        [[figures.lines]]\nfile = 'duplex.svg'\ntitle = 'a'\nx = 'K'\nalgorithms = ['broadcast-chain']\n\
        at = { machine = 'duplex.toml', bytes = 2, m = 2 }\n\
        [[figures.lines]]\nfile = 'both.svg'\ntitle = 'b'\nx = 'K'\nby = 'machine'\nalgorithms = ['broadcast-chain']\n\
        at = { bytes = 2, m = 2 }\n\
        [[figures.winners]]\nfile = 'map.svg'\ntitle = 'c'\nx = 'K'\ny = 'bytes'\nalgorithms = ['broadcast-chain']\n\
        at = { machine = 'silent.toml', m = 2 }\n";
    fs::write(directory.path().join("c.toml"), config).unwrap();
    directory
}

#[test]
fn a_profile_owns_the_rule_and_an_option_overrides_it() {
    let directory = profiles();
    for (machine, option, cost, rule, says) in [
        ("silent", "", STRICT, "strict", "strict ports, the default"),
        (
            "strict",
            "",
            STRICT,
            "strict",
            "strict ports, by profile strict",
        ),
        (
            "duplex",
            "",
            DUPLEX,
            "duplex",
            "duplex ports, by profile duplex",
        ),
        (
            "silent",
            "--ports duplex",
            DUPLEX,
            "duplex",
            "duplex ports, as asked",
        ),
        (
            "duplex",
            "--ports strict",
            STRICT,
            "strict",
            "strict ports, as asked",
        ),
    ] {
        let on = format!("--machine {machine}.toml {option}");
        let answer = |line: &str| printed(directory.path(), line).unwrap();
        let json = |line: &str| -> Value {
            serde_json::from_str(&answer(&format!("{line} --format json"))).unwrap()
        };
        let priced = json(&format!("cost {CHAIN} {on}"));
        assert_eq!(
            (&priced["analytic"], &priced["parameters"]["ports"]),
            (&cost.into(), &rule.into()),
            "{on}"
        );
        assert_eq!(priced["simulated"], cost, "{on}");
        for verb in ["cost", "cost --slopes"] {
            let text = answer(&format!("{verb} {CHAIN} {on}"));
            assert!(text.lines().any(|line| line == says), "{verb} {on}\n{text}");
        }
        assert_eq!(
            json(&format!("cost --slopes {CHAIN} {on}"))["cost"],
            cost,
            "{on}"
        );
        let shown = answer(&format!("show {CHAIN} {on} --svg x.svg --html x.html"));
        let drawn = ["x.svg", "x.html"]
            .map(|file| fs::read_to_string(directory.path().join(file)).unwrap());
        assert!(
            drawn
                .iter()
                .chain([&shown])
                .all(|text| text.contains(&format!("{says}; "))),
            "{shown}"
        );
        expect(
            directory.path(),
            &format!("export csv {CHAIN} {on}"),
            0,
            says,
        );

        for problem in ["", "--problem broadcast"] {
            let question =
                format!("--algorithms broadcast-chain,broadcast-flat {on} -K 5 {problem}");
            let line = format!("best --bytes 512 {question}");
            let best = &json(&line)[0];
            assert_eq!(best["ports"], rule, "{line}");
            let (algorithm, m) = (best["algorithm"].as_str().unwrap(), &best["m_segments"]);
            let alone = json(&format!(
                "cost {algorithm} --machine {machine}.toml --ports {rule} --bytes 512 -K 5 -m {m}"
            ));
            assert_eq!(best["cost"], alone["analytic"], "{line}");
            expect(directory.path(), &line, 0, says);
            assert!(answer(&line).contains(rule), "{line}");
            let along = format!("best {question} --along bytes --from 1 --to 3");
            assert_eq!(json(&along)[0]["ports"], rule, "{along}");
            expect(directory.path(), &along, 0, says);
        }
        let map = format!("best --bytes 1,2 -K 3,4 {on} --svg map.svg");
        answer(&map);
        let map = fs::read_to_string(directory.path().join("map.svg")).unwrap();
        let caption = format!("{}{}.", says[..1].to_uppercase(), &says[1..]);
        assert!(map.contains(&caption), "{caption}\n{map}");
    }
}

/// Each machine of a question has its own rule.
#[test]
fn machines_with_different_rules() {
    let directory = profiles();
    let line = "best --machine silent.toml,duplex.toml,strict.toml -K 3 --bytes 2 --algorithms broadcast-chain --format json";
    let cases: Vec<Value> =
        serde_json::from_str(&printed(directory.path(), line).unwrap()).unwrap();
    let rules: Vec<&str> = cases
        .iter()
        .map(|case| case["ports"].as_str().unwrap())
        .collect();
    assert_eq!(rules, ["strict", "duplex", "strict"]);
    let says = "strict ports, the default, for profile silent; duplex ports, by profile duplex; strict ports, by profile strict";
    expect(directory.path(), line, 0, says);
}

/// A schedule in a file is executed on strict ports, whatever the profile states, and compared with their bound.
#[test]
fn schedules_in_files_have_strict_ports() {
    let directory = profiles();
    printed(
        directory.path(),
        "export goal broadcast-chain --bytes 2 -K 3 -m 2 --machine silent.toml --out c.goal",
    )
    .unwrap();
    let says = |what: &str| {
        format!("strict ports: {what} is defined for them only; profile duplex says duplex")
    };
    for (line, says) in [
        ("cost --ends c.goal --format json", says("`schedule`")),
        (
            "verify c.goal --collective broadcast --bytes 2 --format json",
            says("a schedule in a file"),
        ),
    ] {
        let on = |machine: &str| {
            ask(
                directory.path(),
                &format!("{line} --machine {machine}.toml"),
            )
        };
        let [silent, duplex] = ["silent", "duplex"].map(on);
        assert_eq!(silent.out.replace("silent", "duplex"), duplex.out, "{line}");
        assert!(
            duplex.errors.contains(&says) && !silent.errors.contains("ports"),
            "{line}\n{}",
            duplex.errors
        );
    }
}

/// A problem that has strict ports only says so on a profile with duplex ones.
#[test]
fn a_problem_without_the_rule_says_so() {
    let directory = profiles();
    let says =
        "strict ports: `logp-multicast` is defined for them only; profile duplex says duplex";
    let point = "--bytes 8 -K 4 --machine";
    let text = printed(
        directory.path(),
        &format!("cost halving {point} duplex.toml"),
    )
    .unwrap();
    assert!(text.lines().any(|line| line == says), "{text}");
    assert!(
        printed(
            directory.path(),
            "show halving --bytes 8 -K 4 --machine duplex.toml"
        )
        .unwrap()
        .contains(says)
    );
    // Also where rows and JSON have no place for it.
    for line in [
        "best --problem logp-multicast",
        "cost --format json halving",
        "export goal halving",
    ] {
        let printed = expect(
            directory.path(),
            &format!("{line} {point} duplex.toml"),
            0,
            &format!("warning: {says}"),
        );
        assert_eq!(printed.matches(says).count(), 1, "{line}\n{printed}");
    }
    for machine in ["silent", "strict"] {
        let Answer { code, out, errors } = ask(
            directory.path(),
            &format!("cost halving {point} {machine}.toml"),
        );
        assert_eq!((code, (out + &errors).contains("ports")), (Some(0), false));
    }
    let asked = "cost broadcast-chain --ports duplex --bytes 2 -K 3 -m 2 --machine strict.toml";
    let text = printed(directory.path(), asked).unwrap();
    assert!(text.contains("duplex ports, as asked"), "{text}");
    assert!(text.contains("4,100 ns"), "{text}");
}

#[test]
fn rows_and_figures_of_a_sweep_have_the_rule() {
    let directory = profiles();
    let run = expect(
        directory.path(),
        "run c.toml --out r",
        0,
        "grid chains: strict ports, the default, for profile silent",
    );
    for says in [
        "; duplex ports, by profile duplex",
        "grid rings: duplex ports, by profile duplex",
    ] {
        assert!(run.contains(says), "{run}");
    }
    let rows = csv::Reader::from_path(directory.path().join("r/broadcast.csv"))
        .unwrap()
        .into_deserialize();
    let rows: Vec<std::collections::BTreeMap<String, String>> = rows.map(Result::unwrap).collect();
    let found: Vec<[&str; 3]> = rows
        .iter()
        .filter(|row| row["K_nodes"] == "3")
        .map(|row| ["machine", "ports", "analytic"].map(|key| row[key].as_str()))
        .collect();
    assert_eq!(
        found,
        [["silent", "strict", "4400"], ["duplex", "duplex", "4100"]]
    );
    let caption =
        |file: &str| fs::read_to_string(directory.path().join("r/figures").join(file)).unwrap();
    assert!(caption("duplex.svg").contains("Ports: duplex."));
    assert!(caption("both.svg").contains("Ports: duplex on duplex; strict on silent."));
    assert!(caption("map.svg").contains("Ports: strict."));
}

#[test]
fn what_a_profile_cannot_have_is_refused() {
    let directory = profiles();
    let numbers = "L = '1us'\no = '400ns'\ng = '500ns'\nG = '0ps'\n";
    let level = "[[level]]\nname = 'node'\nranks = 2\nL = '1ns'\no = '0ns'\ng = '0ns'\nG = '0ps'\n";
    for (ports, rest, part) in [
        ("ports = 'full'", "", "expected strict or duplex"),
        ("c = '0.4ps'", "", "expected a whole number of ps per byte"),
        (
            "ports = 'duplex'\nnics = 1",
            level,
            "ranks share nics over strict ports; remove one of the keys",
        ),
    ] {
        let text = format!("schema = 1\nname = 'bad'\n{ports}\n{numbers}{rest}");
        fs::write(directory.path().join("bad.toml"), text).unwrap();
        expect(
            directory.path(),
            &format!("cost {CHAIN} --machine bad.toml"),
            3,
            part,
        );
    }
    // As `calibrate` writes it.
    let text = format!(
        "schema = 1\nname = 'told'\nports = {{ value = 'duplex', origin = 'measured' }}\n{numbers}"
    );
    fs::write(directory.path().join("told.toml"), text).unwrap();
    let cost = printed(
        directory.path(),
        &format!("cost {CHAIN} --machine told.toml --format json"),
    )
    .unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&cost).unwrap()["analytic"],
        DUPLEX
    );
    let listed = printed(directory.path(), "list --machines told.toml").unwrap();
    assert!(
        listed
            .lines()
            .any(|line| line.split_whitespace().eq(["ports", "duplex", "measured"])),
        "{listed}"
    );
}

/// The time to combine a byte is one more thing that a profile owns: a sweep and its figure take it without being asked.
#[test]
fn a_sweep_takes_the_time_to_combine_from_the_profile() {
    let directory = tempfile::tempdir().unwrap();
    let config = "schema = 1\n\
        [[grid]]\nname = 'rings'\nalgorithms = ['allreduce-ring']\nbytes = '1MiB'\nK = [4, 8]\nmachines = ['lumi']\n\
        [[figures.lines]]\nfile = 'rings.svg'\ntitle = 'a'\nx = 'K'\nalgorithms = ['allreduce-ring']\n\
        at = { machine = 'lumi', bytes = '1MiB' }\n";
    fs::write(directory.path().join("c.toml"), config).unwrap();
    expect(directory.path(), "run c.toml --out r", 0, "");
    let rows = fs::read_to_string(directory.path().join("r/allreduce.csv")).unwrap();
    let mut rows = csv::Reader::from_reader(rows.as_bytes());
    let column = rows
        .headers()
        .unwrap()
        .iter()
        .position(|name| name == "c_per_word")
        .unwrap();
    let cost = "cost allreduce-ring --machine lumi -K 8 --bytes 1MiB --format json";
    let cost: Value = serde_json::from_str(&printed(directory.path(), cost).unwrap()).unwrap();
    let own = cost["parameters"]["c"].as_u64().unwrap();
    assert!(own > 0);
    for row in rows.records() {
        assert_eq!(row.unwrap()[column], own.to_string());
    }
    let figure = fs::read_to_string(directory.path().join("r/figures/rings.svg")).unwrap();
    assert!(figure.contains("allreduce-ring"), "{figure}");
}

/// Every collective has both rules, in every verb.
#[test]
fn every_collective_has_both_rules() {
    let directory = profiles();
    for (algorithm, sizes) in [
        ("allreduce-segmented-ring", "--bytes 64 -K 4 -m 4 -c 100"),
        ("allgather-bruck", "--bytes 64 -K 5 -k 2"),
        ("reduce-chain", "--bytes 64 -K 4 -m 4 --root 2"),
        ("reduce-scatter-butterfly", "--bytes 64 -K 6"),
        ("gather-binomial", "--bytes 64 -K 6 --root 1"),
        ("scatter-binomial", "--bytes 64 -K 6 -k 2"),
        ("alltoall-linear", "--bytes 64 -K 6"),
        ("scan-direct", "--bytes 64 -K 6"),
        ("exscan-recursive-doubling", "--bytes 64 -K 6 -k 3"),
        ("barrier-dissemination", "-K 6"),
    ] {
        let point = format!("{algorithm} {sizes} --machine duplex.toml");
        let json = |line: &str| -> Value {
            serde_json::from_str(&printed(directory.path(), line).unwrap()).unwrap()
        };
        let cost = json(&format!("cost {point} --format json"));
        assert_eq!(cost["parameters"]["ports"], "duplex", "{point}");
        assert_eq!(cost["analytic"], cost["simulated"], "{point}");
        let slopes = json(&format!("cost --slopes {point} --format json"));
        assert!(slopes["sensitivity"].is_array(), "{point}");
        let says = "duplex ports, by profile duplex";
        let shown = printed(directory.path(), &format!("show {point}")).unwrap();
        assert!(shown.contains(says), "{shown}");
        expect(directory.path(), &format!("export csv {point}"), 0, says);
        let (sizes, _) = sizes.split_once(" -k ").unwrap_or((sizes, ""));
        let on_one_port = format!("{algorithm} {sizes} --machine duplex.toml");
        let strict = json(&format!(
            "cost {on_one_port} --ports strict -k 1 --format json"
        ));
        assert!(
            cost["analytic"].as_u64() <= strict["analytic"].as_u64(),
            "{point}"
        );
    }
    let best =
        "best --problem allreduce --machine duplex.toml -K 4 --bytes 1KiB -c 10 --format json";
    let found: Value = serde_json::from_str(&printed(directory.path(), best).unwrap()).unwrap();
    assert_eq!(found[0]["ports"], "duplex");
    let switch = "ports = duplex: expected switch";
    let absent = found[0]["not_compared"].to_string();
    assert!(absent.contains(switch), "{absent}");
    let cost = "cost allreduce-switch --machine duplex.toml -K 4 --bytes 1KiB";
    expect(directory.path(), cost, 2, switch);
}

/// A sweep of duplex allreduces.
#[test]
fn a_sweep_of_duplex_allreduces() {
    let directory = profiles();
    let config = "schema = 1\n[[grid]]\nname = 'all'\nalgorithms = ['allreduce-ring', 'allreduce-segmented-ring', 'allreduce-recursive-doubling', 'allreduce-linear']\n\
        L = 6\no = 2\ng = 4\n\
        K = [2, 3, 4, 7, 8]\nn = [1, 64, 100]\nc = [0, 3]\nports = ['strict', 'duplex']\nk = [1, 2]\n";
    fs::write(directory.path().join("a.toml"), config).unwrap();
    let said = expect(directory.path(), "sweep a.toml --out s", 0, "0 failed");
    assert!(said.contains("0 disagree"), "{said}");
    let rows = fs::read_to_string(directory.path().join("s/allreduce.csv")).unwrap();
    let duplex = rows
        .lines()
        .filter(|row| row.contains(",duplex,2,ok,"))
        .count();
    assert_eq!(duplex, 4 * 5 * 3 * 2, "every point is defined");
}
