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
        changed(ring(4, 2), |model| model.gpus[0].1[1].steps[0].signals = false),
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
    insta::assert_snapshot!(lines.join("\n"), @r"");
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
        ("s=\"1\"", "s=\"2\""),
        ("type=\"rrc\"", "type=\"x\""),
        ("srcbuf=\"i\"", "srcbuf=\"q\""),
        ("cnt=\"1\"", "cnt=\"one\""),
        ("cnt=\"1\"", ""),
        ("cnt=\"1\"", "cnt=1"),
    ]
    .iter()
    .map(|(from, to)| told(read(&xml.replacen(from, to, 1))))
    .collect();
    insta::assert_snapshot!(lines.join("\n"), @r"");
}

/// The verdict is on the collective that the user names.
#[test]
fn another_collective_is_wrong() {
    let xml = direct(3, "allgather").xml();
    let line = told(msccl::read(&xml, Some(Collective::Alltoall), 0));
    insta::assert_snapshot!(line, @r"");
    assert_eq!(told(msccl::read(&xml, Some(Collective::Allgather), 0)), "right");
}

#[test]
fn limits_of_runtimes_and_room_are_noted() {
    let large = ring(34, 1).xml().replace("outofplace=\"0\" minBytes=\"0\"", "");
    let schedule = read(&large).unwrap();
    insta::assert_snapshot!(schedule.notes.join("\n"), @r"");
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
