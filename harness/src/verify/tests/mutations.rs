//! Every single mutation of a schedule is caught, or is harmless: executions in random orders stay right.

use std::fmt::Write as _;

use super::model::{Model, Random, Step, all};
use crate::verify::{Kind, Trouble, check, msccl};

/// Every schedule with one difference, and what it is.
fn mutants(model: &Model) -> Vec<(String, Model)> {
    let mut found = Vec::new();
    let ranks = model.gpus.len() as i64;
    for (rank, (_, blocks)) in model.gpus.iter().enumerate() {
        for (block, about) in blocks.iter().enumerate() {
            let mut add = |what: String, change: &dyn Fn(&mut Model)| {
                let mut mutant = model.clone();
                change(&mut mutant);
                if mutant != *model {
                    found.push((format!("rank {rank}, block {block}: {what}"), mutant));
                }
            };
            for peer in -1..ranks {
                add(format!("send to {peer}"), &|mutant| mutant.gpus[rank].1[block].send = peer);
                add(format!("receive from {peer}"), &|mutant| mutant.gpus[rank].1[block].receive = peer);
            }
            add("another channel".to_owned(), &|mutant| mutant.gpus[rank].1[block].channel += 1);
            for at in 0..about.steps.len() {
                add(format!("drop {at}"), &|mutant| edit(mutant, rank, block, at, false));
                add(format!("repeat {at}"), &|mutant| edit(mutant, rank, block, at, true));
                let steps =
                    |mutant: &mut Model, change: &dyn Fn(&mut Step)| change(&mut mutant.gpus[rank].1[block].steps[at]);
                add(format!("no wait {at}"), &|mutant| steps(mutant, &|step| step.depends = (-1, -1)));
                add(format!("wait for one step less {at}"), &|mutant| steps(mutant, &|step| step.depends.1 -= 1));
                add(format!("no signal {at}"), &|mutant| steps(mutant, &|step| step.signals = false));
                for by in [-1, 1] {
                    add(format!("source {by:+} {at}"), &|mutant| steps(mutant, &|step| step.source.1 += by));
                    add(format!("target {by:+} {at}"), &|mutant| steps(mutant, &|step| step.target.1 += by));
                    add(format!("count {by:+} {at}"), &|mutant| steps(mutant, &|step| step.count += by));
                }
                for buffer in ['i', 'o', 's'] {
                    add(format!("source {buffer} {at}"), &|mutant| steps(mutant, &|step| step.source.0 = buffer));
                    add(format!("target {buffer} {at}"), &|mutant| steps(mutant, &|step| step.target.0 = buffer));
                }
                for kind in ["s", "r", "rcs", "rrs", "rrc", "rrcs", "cpy", "re", "nop"] {
                    add(format!("{kind} {at}"), &|mutant| steps(mutant, &|step| step.kind = kind.to_owned()));
                }
                for other in at + 1..about.steps.len().min(at + 4) {
                    add(format!("swap {at} and {other}"), &|mutant| mutant.gpus[rank].1[block].steps.swap(at, other));
                }
            }
        }
    }
    found
}

/// Drops or repeats a step; waits still name the steps that they named, if these are there.
fn edit(mutant: &mut Model, rank: usize, block: usize, at: usize, repeats: bool) {
    let blocks = &mut mutant.gpus[rank].1;
    let steps = &mut blocks[block].steps;
    if repeats {
        steps.insert(at, steps[at].clone());
    } else {
        steps.remove(at);
    }
    let moved = if repeats { 1 } else { -1 };
    for step in blocks.iter_mut().flat_map(|block| &mut block.steps) {
        if step.depends.0 == block as i64 && step.depends.1 > at as i64 {
            step.depends.1 += moved;
        }
    }
}

/// How mutants of a schedule end: how many were caught, by kind, and how many are harmless.
fn counts(model: &Model) -> String {
    const ORDERS: usize = 12;
    let mut random = Random(1);
    let xml = model.xml();
    check(&msccl::read(&xml, None, 0).unwrap()).unwrap();
    assert!((0..ORDERS).all(|_| model.is_right(&mut random)));
    let (mut unread, mut harmless, mut kinds) = (0, 0, [0; Kind::ALL.len()]);
    for (what, mutant) in mutants(model) {
        let xml = mutant.xml();
        let verdict = msccl::read(&xml, None, 0).and_then(|schedule| check(&schedule));
        let mut runs = (0..ORDERS).map(|_| mutant.is_right(&mut random));
        match verdict {
            Ok(_) => {
                harmless += 1;
                assert!(runs.all(|right| right), "{what}: called right, and is not\n{xml}");
            }
            Err(Trouble::Unread(..)) => unread += 1,
            Err(Trouble::Wrong(finding)) => {
                kinds[Kind::ALL.iter().position(|&kind| kind == finding.kind).unwrap()] += 1;
                // Messages of two blocks on a channel, and races, can end well in the orders that were run.
                let can_end_well = matches!(finding.kind, Kind::Race | Kind::Channel | Kind::Missing);
                assert!(can_end_well || runs.any(|right| !right), "{what}: {finding}, and yet it is right\n{xml}");
            }
        }
    }
    let mut line = format!("{harmless} harmless, {unread} not read");
    for (kind, count) in Kind::ALL.iter().zip(kinds) {
        write!(line, ", {count} {}", kind.name()).unwrap();
    }
    line
}

#[test]
fn every_mutation_is_caught_or_harmless() {
    let lines: Vec<String> = all().iter().map(|(name, model)| format!("{name}: {}", counts(model))).collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    ring: 276 harmless, 0 not read, 260 deadlock, 300 unmatched, 0 channel, 0 race, 210 result, 118 missing
    ring of two blocks: 320 harmless, 0 not read, 144 deadlock, 204 unmatched, 0 channel, 180 race, 66 result, 342 missing
    alltoall: 176 harmless, 0 not read, 132 deadlock, 150 unmatched, 48 channel, 27 race, 84 result, 127 missing
    allgather: 93 harmless, 0 not read, 66 deadlock, 70 unmatched, 12 channel, 21 race, 21 result, 101 missing
    scratch: 312 harmless, 0 not read, 168 deadlock, 125 unmatched, 48 channel, 82 race, 186 result, 315 missing
    chain: 41 harmless, 0 not read, 68 deadlock, 21 unmatched, 8 channel, 0 race, 9 result, 59 missing
    ");
}

/// Every mutation of the XML files in a directory that the environment names is caught or harmless.
#[test]
#[ignore = "needs CASTBENCH_SCHEDULES, a directory of MSCCL XML files"]
fn every_mutation_of_files_is_caught_or_harmless() {
    let directory = std::env::var_os("CASTBENCH_SCHEDULES").unwrap();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        println!("{}", path.display());
        println!("  {}", counts(&Model::parse(&std::fs::read_to_string(&path).unwrap())));
    }
}
