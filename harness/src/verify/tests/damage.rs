//! Damaged files: each reader refuses them or judges them, and never panics.

use std::path::Path;

use super::formats::{PAYLOADS, plan, switch, traces};
use super::model::{Random, all, ring};
use crate::verify::read::File;
use crate::verify::task::Collective;
use crate::verify::{Trouble, chakra, check, msccl, mscclpp, program};

/// How many inputs of each reader; the environment can ask for more.
pub(crate) fn inputs() -> u64 {
    std::env::var("CASTBENCH_DAMAGED").ok().and_then(|count| count.parse().ok()).unwrap_or(2_000)
}

/// Words that mean something, and numbers at edges.
const WORDS: [&str; 28] = [
    "0",
    "1",
    "-1",
    "2",
    "7",
    "63",
    "2147483647",
    "-2147483648",
    "4294967295",
    "18446744073709551615",
    "1048576",
    "\"",
    "<",
    ">",
    "/>",
    "<tb ",
    "</gpu>",
    "{",
    "}",
    "[",
    "]",
    ",",
    "requires",
    "nop",
    "// blocks 0-1",
    "// combine 1",
    "sem_acquire",
    "\"cut\": 2, ",
];

/// A text with a few numbers, words or lines changed.
pub(crate) fn damaged(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(text.len());
        match random.below(6) {
            0 => text[at] = random.next() as u8,
            1 => text.truncate(at),
            2 => {
                // Another number.
                let is_digit = |byte: &u8| byte.is_ascii_digit();
                let start = at + text[at..].iter().position(is_digit).unwrap_or(0);
                let end = start + text[start..].iter().position(|byte| !is_digit(byte)).unwrap_or(0);
                text.splice(start..end, WORDS[random.below(12)].bytes());
            }
            3 => _ = text.splice(at..at, WORDS[random.below(WORDS.len())].bytes()),
            _ => {
                // A line is dropped, repeated, or moved.
                let mut lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
                let [from, to] = [random.below(lines.len()), random.below(lines.len())];
                match random.below(3) {
                    0 => _ = lines.remove(from),
                    1 => lines.insert(to, lines[from]),
                    _ => lines.swap(from, to),
                }
                text = lines.concat();
            }
        }
        if text.is_empty() {
            break;
        }
    }
    text
}

/// Judges damaged inputs; most are refused, and some have a schedule.
fn judge(seeds: &[Vec<u8>], judge: impl Fn(&[u8]) -> Result<(), Trouble>) {
    let (mut unread, mut wrong) = (0, 0);
    for seed in 0..inputs() {
        let mut random = Random(seed);
        let seed = &seeds[random.below(seeds.len())];
        match judge(&damaged(seed, &mut random)) {
            Ok(()) => {}
            Err(Trouble::Unread(_, told)) => {
                assert!(!told.is_empty());
                unread += 1;
            }
            Err(Trouble::Wrong(finding)) => {
                assert!(!finding.message.is_empty());
                wrong += 1;
            }
        }
    }
    assert!(unread > 0 && wrong > 0);
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Reads and judges a damaged file of an allreduce of three ranks, or of what it says.
fn read(name: &str, bytes: &[u8]) -> Result<(), Trouble> {
    let asked = Collective::named(if name.ends_with("goal") { "broadcast" } else { "allreduce" });
    let file = File::new(Path::new(name), bytes.to_vec()).unwrap();
    let schedule = file.schedule(asked, 0, Some(3))?;
    check(&schedule)?;
    // What is right has a program.
    if schedule.program.is_none() {
        let built = program::program(&schedule, None, &|_| 0, None);
        assert!(built.is_ok() || schedule.steps.len() > 1 << 20);
    }
    Ok(())
}

#[test]
fn damaged_xml_is_refused_or_judged() {
    let seeds: Vec<_> = all().iter().map(|(_, model)| model.xml().into_bytes()).collect();
    judge(&seeds, |bytes| check(&msccl::read(&text(bytes), None, 0)?).map(drop));
}

#[test]
fn damaged_traces_are_refused_or_judged() {
    let model = ring(3, 1);
    let files = traces(&model, &model.xml());
    judge(&[files[0].clone()], |bytes| {
        let files = [bytes.to_vec(), files[1].clone(), files[2].clone()];
        check(&chakra::read(&files, None, 0)?).map(drop)
    });
}

#[test]
fn damaged_plans_of_mscclpp_are_refused_or_judged() {
    let seeds = [plan(&|rank| rank), switch()].map(String::into_bytes);
    judge(&seeds, |bytes| check(&mscclpp::read(&text(bytes), None, 0)?).map(drop));
}

#[test]
fn damaged_plans_are_refused_or_judged() {
    let plans = [
        r#"{"cut": 3, "rounds": [
            [{"from": 0, "to": 1, "blocks": [0], "combine": true}, {"from": 1, "to": 2, "blocks": [1], "combine": true}],
            [{"from": 2, "to": 0, "blocks": [1, 2]}]]}"#,
        r#"{"then": [{"parents": [null, 0, 0], "way": "up"},
            {"parents": [null, 0, 0], "way": "down", "order": [2, 1, 0]}]}"#,
        r#"{"reverse": {"operations": [[{"send": 1}, {"send": 2}], [{"receive": 0}], [{"receive": 0}]]},
            "combine": true}"#,
        r#"{"then": [{"algorithm": "reduce-binomial"}, {"algorithm": "broadcast-bmtree"}]}"#,
        r#"{"then": [{"algorithm": "reduce-scatter-ring"}, {"algorithm": "allgather-ring"}]}"#,
    ];
    judge(&plans.map(|plan| plan.as_bytes().to_vec()), |bytes| read("plan.json", bytes));
}

#[test]
fn damaged_goal_is_refused_or_judged() {
    let tree = "num_ranks 3\nrank 0 {\na: send 8b to 1\n}\nrank 1 {\na: recv 8b from 0\nb: send 8b to 2\nb requires a\n}\nrank 2 {\n\
                a: recv 8b from 1\n}\n";
    judge(&[tree, PAYLOADS].map(|text| text.as_bytes().to_vec()), |bytes| read("a.goal", bytes));
}
