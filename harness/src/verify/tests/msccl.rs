//! What is said of MSCCL XML that is wrong, and of what a runtime does not load.

use super::model::{Model, chain, direct, ring, scratch, step};
use super::told;
use crate::verify::schedule::Schedule;
use crate::verify::task::Collective;
use crate::verify::{check, msccl};

fn read(xml: &str) -> Result<Schedule, crate::verify::Trouble> {
    msccl::read(xml, None, 0)
}

/// The verdict on a schedule with a difference.
fn changed(mut model: Model, change: impl Fn(&mut Model)) -> String {
    change(&mut model);
    told(read(&model.xml()).and_then(|schedule| check(&schedule)))
}

#[test]
fn the_first_thing_wrong_is_named() {
    let steps = |model: &mut Model, rank: usize, block: usize| std::mem::take(&mut model.gpus[rank].1[block].steps);
    let lines = [
        changed(ring(4, 1), |model| model.gpus[2].1[0].steps[1].kind = "r".to_owned()),
        changed(ring(4, 1), |model| model.gpus[2].1[0].steps[11].kind = "rrc".to_owned()),
        changed(ring(4, 1), |model| _ = model.gpus[1].1[0].steps.pop()),
        changed(ring(4, 1), |model| _ = model.gpus[1].1[0].steps.remove(0)),
        changed(ring(4, 1), |model| model.gpus[1].1[0].send = 3),
        changed(ring(2, 1), |model| (0..2).for_each(|rank| model.gpus[rank].1[0].steps.swap(0, 1))),
        changed(ring(4, 2), |model| model.gpus[0].1[0].steps[1].depends = (-1, -1)),
        changed(scratch(4), |model| model.gpus[0].1[0].steps[1].signals = false),
        changed(ring(4, 2), |model| model.gpus[0].1[0].steps[1].depends = (1, 6)),
        changed(direct(3, "alltoall"), |model| _ = steps(model, 2, 0)),
        changed(direct(3, "alltoall"), |model| model.gpus[0].1[1].steps[0].count = 1),
        changed(direct(3, "alltoall"), |model| model.gpus[0].1[1].steps[0].source = ('i', 4)),
        changed(direct(3, "alltoall"), |model| model.gpus[0].1[1].steps[0].source = ('o', 5)),
        changed(direct(3, "alltoall"), |model| {
            let block = model.gpus[0].1[1].clone();
            model.gpus[0].1.push(block);
        }),
        changed(scratch(4), |model| model.gpus[0].1[3].steps[1].depends = (-1, -1)),
        changed(chain(3), |model| model.gpus[0].1[0].send = -1),
        changed(chain(3), |model| model.gpus[0].1[0].steps.push(step("re", ('i', 0), ('s', 0)))),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r#"
    result: rank 0, block 0, step 5: the last to write rank 0, chunk 1 of `i`: lacks the contribution of rank 2
    result: rank 2, block 0, step 11: the last to write rank 2, chunk 0 of `i`: has the contribution of rank 0 twice
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
    .map(|(from, to)| told(read(&xml.replacen(from, to, 1))))
    .collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    not read, at Some(1): expected an MSCCL algorithm, `<algo name=... ngpus=...>`
    not read, at Some(17): expected `</algo>` at the end; is the file truncated?
    not read, at Some(1): ngpus="3", but there is no <gpu id="2">
    not read, at Some(1): ngpus="2000000000": the file is too short for as many <gpu>
    not read, at Some(1): its buffers have more than 1,048,655 chunks in all; write a schedule of fewer
    not read, at Some(2): i_chunks="-2": expected a number from 0
    not read, at Some(10): <gpu id="0">: expected each of 0..2 once
    not read, at Some(3): <tb id="7">: expected blocks 0, 1, .. of a <gpu>, in order
    not read, at Some(5): s="2": expected steps 0, 1, .. of a <tb>, in order
    not read, at Some(5): type="x": expected s, r, rcs, rrs, rrc, rrcs, cpy, re or nop
    not read, at Some(4): buffer "q": expected i, o or s
    not read, at Some(4): cnt="one": expected a whole number of 32 bits
    not read, at Some(4): expected a <step> with s, type, srcbuf, srcoff, dstbuf, dstoff, cnt, depid, deps and hasdep
    not read, at Some(4): expected attributes of <step> as in `cnt="1"`
    "#);
}

/// The verdict is on the collective that the user names.
#[test]
fn another_collective_is_wrong() {
    let xml = direct(3, "allgather").xml();
    let line = told(msccl::read(&xml, Collective::named("alltoall"), 0));
    insta::assert_snapshot!(line, @r"
    result: the file has the collective allgather, not alltoall
    ");
    assert_eq!(told(msccl::read(&xml, Collective::named("allgather"), 0)), "right");
}

#[test]
fn limits_of_runtimes_and_room_are_noted() {
    let large = ring(34, 1).xml().replace("outofplace=\"0\" minBytes=\"0\"", "");
    let schedule = read(&large).unwrap();
    insta::assert_snapshot!(schedule.notes.join("\n"), @r"
    not loadable by RCCL: needs outofplace; needs minBytes; 132 steps in a block, at most 64; 4557 elements, at most 4096
    ");
    // All sends before the first receive.
    let mut model = ring(2, 1);
    model.collective = "custom".to_owned();
    for (_, blocks) in &mut model.gpus {
        let [send, receive] = [step("s", ('i', 0), ('i', 0)), step("r", ('i', 0), ('i', 1))];
        blocks[0].steps = vec![send.clone(), send.clone(), send, receive.clone(), receive.clone(), receive];
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
