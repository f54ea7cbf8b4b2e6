//! Messages for MSCCL XML that is wrong, and for what a runtime does not load. Every single mutation of a schedule is caught,
//! or is harmless: executions in random orders stay right.

#![expect(
    clippy::cast_possible_wrap,
    reason = "schedules of tests are small, and their mutations may name any number"
)]

use std::fmt::Write as _;

use crate::verify::schedule::Schedule;
use crate::verify::task::Collective;
use crate::verify::tests::{
    Model, Random, Step, all, chain, direct, ring, scratch, step, verdict_text,
};
use crate::verify::{FindingKind, Trouble, check, msccl};

fn read(xml: &str) -> Result<Schedule, crate::verify::Trouble> {
    msccl::read(xml, None, 0)
}

/// The verdict on a schedule with a difference.
fn changed(mut model: Model, change: impl Fn(&mut Model)) -> String {
    change(&mut model);
    verdict_text(read(&model.xml()).and_then(|schedule| check(&schedule)))
}

#[test]
fn the_first_thing_wrong_is_named() {
    let steps = |model: &mut Model, rank: usize, block: usize| {
        std::mem::take(&mut model.gpus[rank].1[block].steps)
    };
    let lines = [
        changed(ring(4, 1), |model| {
            model.gpus[2].1[0].steps[1].kind = "r".to_owned()
        }),
        changed(ring(4, 1), |model| {
            model.gpus[2].1[0].steps[11].kind = "rrc".to_owned()
        }),
        changed(ring(4, 1), |model| _ = model.gpus[1].1[0].steps.pop()),
        changed(ring(4, 1), |model| _ = model.gpus[1].1[0].steps.remove(0)),
        changed(ring(4, 1), |model| model.gpus[1].1[0].send = 3),
        changed(ring(2, 1), |model| {
            (0..2).for_each(|rank| model.gpus[rank].1[0].steps.swap(0, 1))
        }),
        changed(ring(4, 2), |model| {
            model.gpus[0].1[0].steps[1].depends = (-1, -1)
        }),
        changed(scratch(4), |model| {
            model.gpus[0].1[0].steps[1].signals = false
        }),
        changed(ring(4, 2), |model| {
            model.gpus[0].1[0].steps[1].depends = (1, 6)
        }),
        changed(direct(3, "alltoall"), |model| _ = steps(model, 2, 0)),
        changed(direct(3, "alltoall"), |model| {
            model.gpus[0].1[1].steps[0].count = 1
        }),
        changed(direct(3, "alltoall"), |model| {
            model.gpus[0].1[1].steps[0].source = ('i', 4)
        }),
        changed(direct(3, "alltoall"), |model| {
            model.gpus[0].1[1].steps[0].source = ('o', 5)
        }),
        changed(direct(3, "alltoall"), |model| {
            let block = model.gpus[0].1[1].clone();
            model.gpus[0].1.push(block);
        }),
        changed(scratch(4), |model| {
            model.gpus[0].1[3].steps[1].depends = (-1, -1)
        }),
        changed(chain(3), |model| model.gpus[0].1[0].send = -1),
        changed(chain(3), |model| {
            model.gpus[0].1[0]
                .steps
                .push(step("re", ('i', 0), ('s', 0)))
        }),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r#"
    result: rank 0, block 0, step 5: the last to write rank 0, chunk 1 of `i`: lacks the contribution of rank 2
    result: rank 2, block 0, step 11: adds the contribution of rank 0 a second time; it ends in rank 2, chunk 0 of `i`
    unmatched: rank 0, block 0, step 10: sends message 6 to rank 1 on channel 0, which takes 5
    deadlock: rank 2, block 0, step 11: waits for message 6 from rank 1 on channel 0, which never comes
    deadlock: rank 2, block 0, step 1: waits for message 1 from rank 1 on channel 0, which never comes
    deadlock: rank 0, block 0, step 0: waits for message 1 from rank 1 on channel 0, and so in a circle: (rank 0, block 0, step 0) for (rank 1, block 0, step 0)
    race: rank 0, block 1, step 0: writes chunk 3 of `i` of rank 0, which block 0, step 1 reads; neither waits for the other
    deadlock: rank 0, block 3, step 3: waits for step 1 of block 0, which has no hasdep="1" and so never signals
    missing: rank 0, block 0, step 1: waits for step 6 of block 1, which does not exist
    result: rank 2, chunk 4 of `o`: holds nothing
    unmatched: rank 1, block 1, step 1: takes 2 chunks, but the message from rank 0 has 1 chunk
    result: rank 1, block 1, step 1: the last to write rank 1, chunk 0 of `o`: holds chunk 4 of rank 0, not chunk 2 of rank 0
    missing: rank 0, block 1, step 0: names 2 chunks of `o` from chunk 5 on; it has 6
    channel: rank 0, block 3, step 0: sends to rank 1 on channel 0, as block 1 does; their messages can change places. Give each block a channel
    race: rank 0, block 3, step 4: reads chunk 1 of `s` of rank 0, which block 1, step 1 writes; neither waits for the other
    missing: rank 0, block 0, step 0: sends, but `send` of its block names no other rank
    missing: rank 0, block 0, step 2: names 1 chunks of `s` from chunk 0 on; it has 0
    "#);
}

#[test]
fn a_file_that_is_no_schedule_is_refused_with_its_line() {
    let xml = ring(2, 1).xml();
    let lines: Vec<String> = [
        ("<algo", "<alg0"),
        ("</algo>", ""),
        ("ngpus=\"2\"", "ngpus=\"3\""),
        ("ngpus=\"2\"", "ngpus=\"2000000000\""),
        ("nchunksperloop=\"2\"", "nchunksperloop=\"2000000000\""),
        ("i_chunks=\"2\"", "i_chunks=\"-2\""),
        ("<gpu id=\"1\"", "<gpu id=\"0\""),
        ("<tb id=\"0\"", "<tb id=\"7\""),
        ("s=\"1\" type", "s=\"2\" type"),
        ("type=\"rrc\"", "type=\"x\""),
        ("srcbuf=\"i\"", "srcbuf=\"q\""),
        ("cnt=\"1\"", "cnt=\"one\""),
        ("cnt=\"1\"", ""),
        ("cnt=\"1\"", "cnt=1"),
    ]
    .iter()
    .map(|(from, to)| verdict_text(read(&xml.replacen(from, to, 1))))
    .collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    not read, at Some(1): expected an MSCCL algorithm, `<algo name=... ngpus=...>`
    not read, at Some(17): expected `</algo>` at the end; is the file truncated?
    not read, at Some(1): ngpus="3", but there is no <gpu id="2">
    not read, at Some(1): ngpus="2000000000", but there is no <gpu id="2">
    not read, at Some(1): its buffers have more than 1,048,734 chunks in all; write a schedule of fewer
    not read, at Some(2): i_chunks="-2": expected a number from 0
    not read, at Some(10): <gpu id="0">: expected each of 0..2 once
    not read, at Some(3): id="7": expected blocks 0, 1, .. of a <gpu>, in order
    not read, at Some(5): s="2": expected steps 0, 1, .. of a <tb>, in order
    not read, at Some(5): type="x": expected s, r, rcs, rrs, rrc, rrcs, cpy, re or nop
    not read, at Some(4): buffer "q": expected i, o or s
    not read, at Some(4): cnt="one": expected a whole number of 32 bits
    not read, at Some(4): <step> has no attribute `cnt`
    not read, at Some(4): expected attributes of <step> as in `cnt="1"`, each once
    "#);
}

/// The verdict is on the collective that the user names.
#[test]
fn another_collective_is_wrong() {
    let xml = direct(3, "allgather").xml();
    let line = verdict_text(msccl::read(&xml, Collective::named("alltoall"), 0));
    insta::assert_snapshot!(line, @r"
    result: the file has the collective allgather, not alltoall
    ");
    assert_eq!(
        verdict_text(msccl::read(&xml, Collective::named("allgather"), 0)),
        "right"
    );
}

#[test]
fn limits_of_runtimes_and_room_are_noted() {
    let large = ring(34, 1)
        .xml()
        .replace("outofplace=\"0\" minBytes=\"0\"", "");
    let schedule = read(&large).unwrap();
    insta::assert_snapshot!(schedule.notes.join("\n"), @r"
    not loadable by RCCL: needs outofplace; needs minBytes; 132 steps in a block, at most 64; 4557 elements, at most 4096
    ");
    let xml = ring(4, 1).xml();
    assert_eq!(read(&xml).unwrap().notes.join(""), "");
    for (from, to, why) in [
        (
            "proto=\"LL\"",
            "proto=\"Fast\"",
            "proto=\"Fast\" is none of Simple, LL and LL128",
        ),
        (
            "minBytes=\"0\" maxBytes=\"0\"",
            "minBytes=\"100\" maxBytes=\"10\"",
            "no size is from minBytes=\"100\" to maxBytes=\"10\"",
        ),
        (
            "chan=\"0\"",
            "chan=\"3\"",
            "block 0 of rank 0 uses channel 3, nchannels is 1",
        ),
        (
            "i_chunks=\"4\"",
            "i_chunks=\"3\"",
            "chunk 3 of `i`, and i_chunks of rank 0 is 3",
        ),
    ] {
        assert!(xml.contains(from), "{xml}");
        let notes = read(&xml.replace(from, to)).unwrap().notes;
        let all = notes.join("\n");
        assert!(
            all.matches("not loadable by").count() == 2 && all.contains(why),
            "{all}"
        );
    }
    // All sends before the first receive.
    let mut model = ring(2, 1);
    model.collective = "custom".to_owned();
    for (_, blocks) in &mut model.gpus {
        let [send, receive] = [step("s", ('i', 0), ('i', 0)), step("r", ('i', 0), ('i', 1))];
        blocks[0].steps = vec![
            send.clone(),
            send.clone(),
            send,
            receive.clone(),
            receive.clone(),
            receive,
        ];
    }
    assert_eq!(check(&read(&model.xml()).unwrap()).unwrap().room, Some(3));
}

/// Sums by rank serve operations that do not commute.
#[test]
fn the_order_of_sums_is_known() {
    use crate::verify::contents::Sums;
    let sums = |model: Model| check(&read(&model.xml()).unwrap()).unwrap().sums;
    assert_eq!(sums(chain(4)), Sums::ByRank);
    assert_eq!(sums(ring(4, 1)), Sums::AnyOrder);
    assert_eq!(sums(direct(3, "allgather")), Sums::None);
}

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
                add(format!("send to {peer}"), &|mutant| {
                    mutant.gpus[rank].1[block].send = peer
                });
                add(format!("receive from {peer}"), &|mutant| {
                    mutant.gpus[rank].1[block].receive = peer
                });
            }
            add("another channel".to_owned(), &|mutant| {
                mutant.gpus[rank].1[block].channel += 1
            });
            for at in 0..about.steps.len() {
                add(format!("drop {at}"), &|mutant| {
                    edit(mutant, rank, block, at, false)
                });
                add(format!("repeat {at}"), &|mutant| {
                    edit(mutant, rank, block, at, true)
                });
                let steps = |mutant: &mut Model, change: &dyn Fn(&mut Step)| {
                    change(&mut mutant.gpus[rank].1[block].steps[at])
                };
                add(format!("no wait {at}"), &|mutant| {
                    steps(mutant, &|step| step.depends = (-1, -1))
                });
                add(format!("wait for one step less {at}"), &|mutant| {
                    steps(mutant, &|step| step.depends.1 -= 1)
                });
                add(format!("no signal {at}"), &|mutant| {
                    steps(mutant, &|step| step.signals = false)
                });
                for by in [-1, 1] {
                    add(format!("source {by:+} {at}"), &|mutant| {
                        steps(mutant, &|step| step.source.1 += by)
                    });
                    add(format!("target {by:+} {at}"), &|mutant| {
                        steps(mutant, &|step| step.target.1 += by)
                    });
                    add(format!("count {by:+} {at}"), &|mutant| {
                        steps(mutant, &|step| step.count += by)
                    });
                }
                for buffer in ['i', 'o', 's'] {
                    add(format!("source {buffer} {at}"), &|mutant| {
                        steps(mutant, &|step| step.source.0 = buffer)
                    });
                    add(format!("target {buffer} {at}"), &|mutant| {
                        steps(mutant, &|step| step.target.0 = buffer)
                    });
                }
                for kind in ["s", "r", "rcs", "rrs", "rrc", "rrcs", "cpy", "re", "nop"] {
                    add(format!("{kind} {at}"), &|mutant| {
                        steps(mutant, &|step| step.kind = kind.to_owned())
                    });
                }
                for other in at + 1..about.steps.len().min(at + 4) {
                    add(format!("swap {at} and {other}"), &|mutant| {
                        mutant.gpus[rank].1[block].steps.swap(at, other)
                    });
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
    let (mut unread, mut harmless, mut kinds) = (0, 0, [0; FindingKind::ALL.len()]);
    for (what, mutant) in mutants(model) {
        let xml = mutant.xml();
        let verdict = msccl::read(&xml, None, 0).and_then(|schedule| check(&schedule));
        let mut runs = (0..ORDERS).map(|_| mutant.is_right(&mut random));
        match verdict {
            Ok(_) => {
                harmless += 1;
                assert!(
                    runs.all(|right| right),
                    "{what}: called right, and is not\n{xml}"
                );
            }
            Err(Trouble::Unread(..) | Trouble::NotJudged(..)) => unread += 1,
            Err(Trouble::Wrong(finding)) => {
                kinds[FindingKind::ALL
                    .iter()
                    .position(|&kind| kind == finding.kind)
                    .unwrap()] += 1;
                // Messages of two blocks on a channel, and races, can end well in the orders that were run.
                let can_end_well = matches!(
                    finding.kind,
                    FindingKind::Race | FindingKind::Channel | FindingKind::Missing
                );
                assert!(
                    can_end_well || runs.any(|right| !right),
                    "{what}: {finding}, and yet it is right\n{xml}"
                );
            }
        }
    }
    let mut line = format!("{harmless} harmless, {unread} not read");
    for (kind, count) in FindingKind::ALL.iter().zip(kinds) {
        write!(line, ", {count} {}", kind.name()).unwrap();
    }
    line
}

#[test]
fn every_mutation_is_caught_or_harmless() {
    let lines: Vec<String> = all()
        .iter()
        .map(|(name, model)| format!("{name}: {}", counts(model)))
        .collect();
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
        println!(
            "  {}",
            counts(&Model::parse(&std::fs::read_to_string(&path).unwrap()))
        );
    }
}
