//! The readers: the same schedule in two formats has one verdict and one cost, and damaged files are refused or judged.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "schedules of tests are small, and their mutations may name any number"
)]

use std::path::Path;

use algorithms::internals::engine::{self, Machine};
use algorithms::logp::LogGops;

use super::File;
use crate::verify::schedule::Schedule;
use crate::verify::task::Collective;
use crate::verify::tests::{Block, Model, Random, all, damaged, inputs, ring, verdict_text};
use crate::verify::{Trouble, chakra, check, goal, msccl, mscclpp, program};

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [
        varint(field << 3 | 2),
        varint(value.len() as u64),
        value.to_vec(),
    ]
    .concat()
}

fn message(parts: &[Vec<u8>]) -> Vec<u8> {
    let whole = parts.concat();
    [varint(whole.len() as u64), whole].concat()
}

/// Nodes of a trace: type, name, dependencies and attributes.
type Nodes<'a> = Vec<(u64, String, Vec<u64>, Vec<(&'a str, u64)>)>;

fn trace(xml: &str, nodes: &Nodes<'_>) -> Vec<u8> {
    let input = [bytes(1, b"input_file"), bytes(29, xml.as_bytes())].concat();
    let mut file = message(&[bytes(1, b"1.0.0"), bytes(2, &input)]);
    for (id, (kind, name, depends, attributes)) in nodes.iter().enumerate() {
        let packed: Vec<u8> = depends.iter().flat_map(|&id| varint(id)).collect();
        let mut parts = vec![
            number(1, id as u64),
            bytes(2, name.as_bytes()),
            number(3, *kind),
            bytes(5, &packed),
        ];
        for (name, value) in attributes {
            parts.push(bytes(
                10,
                &[bytes(1, name.as_bytes()), number(9, *value)].concat(),
            ));
        }
        file.extend(message(&parts));
    }
    file
}

/// The traces of a schedule of one block a rank, with 1,000 bytes a chunk.
fn traces(model: &Model, xml: &str) -> Vec<Vec<u8>> {
    let of = |(_, blocks): &([usize; 3], Vec<Block>)| {
        let mut nodes = Nodes::new();
        for (step, about) in blocks[0].steps.iter().enumerate() {
            let (kind, peer, end) = match about.kind.as_str() {
                "s" => (5, blocks[0].send, "comm_dst"),
                _ => (6, blocks[0].receive, "comm_src"),
            };
            let before = |nodes: &Nodes<'_>| {
                (!nodes.is_empty())
                    .then(|| nodes.len() as u64 - 1)
                    .into_iter()
                    .collect()
            };
            let attributes = vec![
                ("comm_size", 1000 * about.count as u64),
                (end, peer as u64),
                ("comm_tag", 0),
            ];
            nodes.push((
                kind,
                format!("NODE_tb0_step{step}"),
                before(&nodes),
                attributes,
            ));
            if about.kind == "rrc" {
                nodes.push((
                    4,
                    format!("COMP_NODE_tb0_step{step}"),
                    before(&nodes),
                    Vec::new(),
                ));
            }
        }
        trace(xml, &nodes)
    };
    model.gpus.iter().map(of).collect()
}

fn time(schedule: &Schedule, chunk: Option<u64>) -> u64 {
    let machine = LogGops {
        L: 5_000,
        o: 1_000,
        g: 500,
        G: 8_000_000,
        O: 300_000,
        H: 1_000,
    };
    let program = program::program(schedule, chunk, &|_| 0, None).unwrap();
    engine::run(Machine::LogGops(machine.into()), &program)
        .unwrap()
        .finish
}

#[test]
fn the_ring_as_xml_and_as_traces_is_one() {
    let model = ring(8, 1);
    let xml = msccl::read(&model.xml(), None, 0).unwrap();
    let traced = chakra::read(
        &traces(&model, &model.xml()),
        Collective::named("allreduce"),
        0,
    )
    .unwrap();
    let [first, second] = [&xml, &traced].map(|schedule| check(schedule).unwrap());
    assert_eq!(first, second);
    assert_eq!(time(&xml, Some(1000)), time(&traced, None));
    // Without the XML only messages and deadlocks are judged.
    let bare = chakra::read(&traces(&model, ""), Collective::named("allreduce"), 0).unwrap();
    assert!(bare.task.is_none() && check(&bare).is_ok());
    let reason = bare.not_judged.as_deref();
    assert_eq!(
        reason,
        Some("the traces do not say which chunks messages carry: the result is not judged")
    );
    insta::assert_snapshot!(bare.notes.join("\n"), @r"
    COMP nodes take no time here, as sums in other formats
    ");
}

/// The traces of a schedule all keep the XML of it.
#[test]
fn traces_with_different_xml_are_refused() {
    let model = ring(3, 1);
    let own = model.xml();
    for other in [own.replace("allreduce", "allgather"), String::new()] {
        let mut files = traces(&model, &own);
        files[2] = traces(&model, &other).remove(2);
        let verdict = verdict_text(chakra::read(&files, None, 0));
        let why = "the trace of rank 2, `.2.et` keeps another MSCCL XML than that of rank 0";
        assert!(verdict.contains(why), "{verdict}");
    }
}

#[test]
fn wrong_traces_are_named() {
    let model = ring(3, 1);
    let verdict = |change: &dyn Fn(&mut Model)| {
        let mut changed = model.clone();
        change(&mut changed);
        verdict_text(
            chakra::read(&traces(&changed, &model.xml()), None, 0)
                .and_then(|schedule| check(&schedule)),
        )
    };
    let node = |kind, depends: &[u64], attributes: &[(&'static str, u64)]| {
        vec![(kind, String::new(), depends.to_vec(), attributes.to_vec())]
    };
    let alone = |nodes: Nodes<'_>| {
        verdict_text(
            chakra::read(&[trace("", &nodes)], None, 0).and_then(|schedule| check(&schedule)),
        )
    };
    let calls = |what: [u64; 2]| {
        let files =
            what.map(|what| trace("", &node(7, &[], &[("comm_type", what), ("comm_size", 8)])));
        verdict_text(
            chakra::read(&files, Collective::named("allgather"), 0)
                .and_then(|schedule| check(&schedule)),
        )
    };
    let lines = [
        verdict(&|_| {}),
        verdict(&|model| model.gpus[1].1[0].steps[1].kind = "r".to_owned()),
        verdict(&|model| model.gpus[1].1[0].steps[1].count = 2),
        verdict(&|model| _ = model.gpus[1].1[0].steps.pop()),
        alone(node(5, &[], &[("comm_dst", 4)])),
        alone(node(4, &[0], &[])),
        alone(node(4, &[9], &[])),
        calls([2, 2]),
        calls([2, 0]),
        calls([0, 0]),
        verdict_text(chakra::read(&[b"\x05ab".to_vec()], None, 0)),
        verdict_text(chakra::read(&[Vec::new()], None, 0)),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r"
    right
    result: rank 0, block 0, step 7: the last to write rank 0, chunk 0 of `i`: lacks the contribution of rank 1
    unmatched: rank 1, block 0, step 1: takes 2,000 bytes, but the message from rank 0 has 1,000 bytes
    not read, at None: the trace of rank 1, `.1.et`, is cut: it lacks the message of step 7 of block 0, which its MSCCL XML has
    not read, at None: the trace of rank 4, `.4.et`, is missing: rank 0, block 0, step 0 names it, and there are traces of 1 ranks
    deadlock: rank 0, block 0, step 0: waits for a node that waits for it: a circle of data_deps
    deadlock: rank 0, block 0, step 0: waits for node 9, which does not exist
    right
    unmatched: rank 1, block 0, step 0: calls another collective, or one of another size, than rank 0
    result: the file has the collective allreduce, not allgather
    not read, at None: the trace of rank 0, `.0.et`: the message at byte 0 of 3 is damaged or cut; expected a Chakra trace, whole and not compressed
    not read, at None: the trace of rank 0, `.0.et`: the message at byte 0 of 0 is damaged or cut; expected a Chakra trace, whole and not compressed
    ");
}

/// Two ranks that send each other packets into scratch, add them and signal.
const PLAN: &str = r#"{"name": "t", "collective": "allreduce", "protocol": "LL", "inplace": true, "gpus": [RANK0, RANK1]}"#;

fn plan(change: &dyn Fn(String) -> String) -> String {
    let rank = |rank: u32| {
        let other = 1 - rank;
        let text = r#"{"id": RANK, "input_chunks": 2, "output_chunks": 2, "scratch_chunks": 2,
          "channels": [{"channel_type": "memory", "connected_to": [OTHER]}],
          "remote_buffers": [{"rank": OTHER, "type": "s", "access_channel_types": ["memory"]}, {"rank": OTHER, "type": "i", "access_channel_types": ["memory"]}],
          "threadblocks": [
            {"id": 0, "channels": [{"channel_type": "memory", "channel_ids": [0]}],
             "remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": [0, 1]}],
             "ops": [
              {"name": "ppkt", "channel_type": "memory", "src_buff": [{"type": "i", "index": OTHER, "size": 1}], "dst_buff": [{"buffer_id": 0, "index": 0, "size": 1}]},
              {"name": "repkt", "src_buff": [{"type": "i", "index": RANK, "size": 1}, {"type": "s", "index": 0, "size": 1}], "dst_buff": [{"type": "i", "index": RANK, "size": 1}]},
              {"name": "barrier", "barrier_id": 0, "num_threadblocks": 2},
              {"name": "wait", "channel_ids": [0], "channel_type": "memory"}]},
            {"id": 1, "channels": [{"channel_type": "memory", "channel_ids": [0]}],
             "remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": [1]}],
             "ops": [
              {"name": "barrier", "barrier_id": 0, "num_threadblocks": 2},
              {"name": "put", "channel_type": "memory", "src_buff": [{"type": "i", "index": RANK, "size": 1}], "dst_buff": [{"buffer_id": 0, "index": RANK, "size": 1}]},
              {"name": "signal", "channel_ids": [0], "channel_type": "memory"}]}]}"#;
        text.replace("RANK", &rank.to_string())
            .replace("OTHER", &other.to_string())
    };
    PLAN.replace("RANK0", &change(rank(0)))
        .replace("RANK1", &rank(1))
}

#[test]
fn plans_of_mscclpp_are_judged() {
    let verdict = |from: &'static str, to: &'static str| {
        let text = plan(&|rank| rank.replacen(from, to, 1));
        verdict_text(mscclpp::read(&text, None, 0).and_then(|schedule| check(&schedule)))
    };
    let lines = [
        verdict("", ""),
        verdict(r#""name": "ppkt""#, r#""name": "nop""#),
        verdict(r#""name": "ppkt""#, r#""name": "put""#),
        verdict(r#"["memory"]"#, "[]"),
        verdict(r#""input_chunks": 2"#, r#""input_chunks": 1"#),
        verdict(r#""name": "repkt""#, r#""name": "nop""#),
        verdict(
            r#""name": "barrier", "barrier_id": 0"#,
            r#""name": "nop", "barrier_id": 0"#,
        ),
        verdict(r#""name": "signal""#, r#""name": "nop""#),
        verdict(r#""name": "wait""#, r#""name": "nop""#),
        verdict(r#""name": "put""#, r#""name": "glre""#),
        verdict(
            r#""buffer_id": 0, "index": 0, "size": 1"#,
            r#""buffer_id": 0, "index": 2, "size": 1"#,
        ),
        verdict(r#""connected_to": [1]"#, r#""connected_to": [2]"#),
        verdict(r#"{"id": 1, "channels""#, r#"{"id": 0, "channels""#),
        verdict(r#""input_chunks": 2"#, r#""input_chunks": "two""#),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r#"
    right
    deadlock: rank 1, block 0, step 1: waits for a packet in chunk 0 of `s` of rank 1, which no operation writes as one
    deadlock: rank 1, block 0, step 1: waits for a packet in chunk 0 of `s` of rank 1, which no operation writes as one
    missing: rank 0, block 0, step 0: names remote buffer 0, which its block lacks
    result: input_chunks of rank 0 is 1, where allreduce cuts it into 2: its chunks have another size than those of other ranks
    race: rank 1, block 0, step 0: reads chunk 0 of `i` of rank 1, which rank 0, block 1, step 1 writes; neither waits for the other
    deadlock: rank 0, block 1, step 0: waits at barrier 0 for 2 blocks; 1 of them come
    deadlock: rank 1, block 0, step 3: waits for message 1 from rank 0 on channel 0, which never comes
    unmatched: rank 1, block 1, step 2: sends message 1 to rank 0 on channel 0, which takes 0
    not judged: line 16: `glre` is not an operation that castbench reads
    missing: rank 0, block 0, step 0: names 1 chunks of `s` from chunk 2 on; it has 2
    missing: rank 0, block 0, step 3: names channel 0, which its block lacks
    not read, at None: block 0 of gpu 0 is at position 1; expected blocks 0, 1, .. in order: MSCCL++ takes the channels of a block by its id, and its operations by its position
    not read, at Some(1): expected an execution plan of MSCCL++: invalid type: string "two", expected u32 at line 1 column 116
    "#);
}

/// What keeps MSCCL++ from loading a plan whose operations are right is noted.
#[test]
fn plans_that_mscclpp_cannot_load_are_noted() {
    let notes = |from: &str, to: &str| {
        let text = plan(&|rank| rank).replace(from, to);
        mscclpp::read(&text, None, 0).unwrap().notes.join("\n")
    };
    assert!(!notes("", "").contains("not loadable"));
    let begin = r#""protocol": "LL""#;
    for (from, to, why) in [
        (
            begin,
            r#""protocol": "LL", "buffer_alignment": 0"#,
            "buffer_alignment is 0",
        ),
        (
            begin,
            r#""protocol": "LL", "num_threads_per_block": 0"#,
            "num_threads_per_block is 0",
        ),
        (
            begin,
            r#""protocol": "LL", "min_message_size": 9, "max_message_size": 8"#,
            "no size is from min_message_size 9 to max_message_size 8",
        ),
        (
            r#"["memory"]"#,
            r#"["memory", "memoryx"]"#,
            "`memoryx` is no type of channels",
        ),
    ] {
        let found = notes(from, to);
        assert!(
            found.contains(&format!("not loadable by MSCCL++: {why}")),
            "{found}"
        );
    }
    let apart = [
        (r#""name": "signal""#, r#""name": "nop""#),
        (r#""name": "wait""#, r#""name": "nop""#),
        (r#""connected_to": [0]"#, r#""connected_to": []"#),
        (r#""connected_to": [1]"#, r#""connected_to": []"#),
    ];
    let text = apart.iter().fold(plan(&|rank| rank), |text, (from, to)| {
        text.replace(from, to)
    });
    let found = mscclpp::read(&text, None, 0).unwrap().notes.join("\n");
    assert!(
        found.contains("rank 0 has a remote buffer of rank 1, and no channel connects them"),
        "{found}"
    );
}

/// Blocks of a group that each copy a part of a chunk into scratch, which one block sends with a signal to the other rank.
fn group(size: u32, change: &dyn Fn(u32, String) -> String) -> String {
    let rank = |rank: u32| {
        let part = |id: u32| {
            let text = r#"{"id": ID, "ops": [
              {"name": "copy", "src_buff": [{"type": "i", "index": 0, "size": 1}], "dst_buff": [{"type": "s", "index": 0, "size": 1}],
               "tbg_info": {"tb_id": ID, "tbg_size": SIZE}},
              {"name": "barrier", "barrier_id": 0, "num_threadblocks": ALL}]}"#;
            change(
                rank,
                text.replace("ID", &id.to_string())
                    .replace("SIZE", &size.to_string()),
            )
        };
        let last = r#"{"id": SIZE, "channels": [{"channel_type": "memory", "channel_ids": [0]}],
             "remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": [0]}],
             "ops": [
              {"name": "barrier", "barrier_id": 0, "num_threadblocks": ALL},
              {"name": "put", "channel_type": "memory", "src_buff": [{"type": "s", "index": 0, "size": 1}], "dst_buff": [{"buffer_id": 0, "index": RANK, "size": 1}]},
              {"name": "copy", "src_buff": [{"type": "s", "index": 0, "size": 1}], "dst_buff": [{"type": "o", "index": RANK, "size": 1}]},
              {"name": "signal", "channel_ids": [0], "channel_type": "memory"},
              {"name": "wait", "channel_ids": [0], "channel_type": "memory"}]}"#;
        let blocks: Vec<String> = (0..size).map(part).chain([last.to_owned()]).collect();
        let text = format!(
            r#"{{"id": RANK, "input_chunks": 1, "output_chunks": 2, "scratch_chunks": 1,
              "channels": [{{"channel_type": "memory", "connected_to": [OTHER]}}],
              "remote_buffers": [{{"rank": OTHER, "type": "o", "access_channel_types": ["memory"]}}], "threadblocks": [{}]}}"#,
            blocks.join(", ")
        );
        let numbers = [
            ("RANK", rank),
            ("OTHER", 1 - rank),
            ("ALL", size + 1),
            ("SIZE", size),
        ];
        numbers.iter().fold(text, |text, (name, number)| {
            text.replace(name, &number.to_string())
        })
    };
    let plan = r#"{"name": "t", "collective": "allgather", "protocol": "Simple", "inplace": false, "gpus": [RANK0, RANK1]}"#;
    plan.replace("RANK0", &rank(0)).replace("RANK1", &rank(1))
}

#[test]
fn each_block_of_a_group_has_one_part_of_a_chunk() {
    let verdict = |size: u32, from: &str, to: &str| {
        let change = |rank: u32, text: String| {
            if rank == 0 {
                text.replace(from, to)
            } else {
                text
            }
        };
        verdict_text(
            mscclpp::read(&group(size, &change), None, 0).and_then(|schedule| check(&schedule)),
        )
    };
    let lines = [
        verdict(1, "", ""),
        verdict(2, "", ""),
        verdict(3, "", ""),
        // A part is left out, two blocks have one part, a block is not of its group, and the groups have other sizes.
        verdict(3, r#""tb_id": 2"#, r#""tb_id": 1"#),
        verdict(
            2,
            r#""tb_id": 1, "tbg_size": 2"#,
            r#""tb_id": 1, "tbg_size": 4"#,
        ),
        verdict(
            2,
            r#""tb_id": 1, "tbg_size": 2"#,
            r#""tb_id": 2, "tbg_size": 2"#,
        ),
        verdict(2, r#""tbg_size": 2"#, r#""tbg_size": 0"#),
        verdict(2, r#""name": "copy""#, r#""name": "nop""#),
        verdict(2, r#""num_threadblocks": ALL"#, r#""num_threadblocks": 4"#),
        verdict(2, r#""num_threadblocks": ALL"#, r#""num_threadblocks": 1"#),
    ];
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn what_is_not_read_is_not_judged() {
    let ring = ring(3, 1).xml();
    let json = |from: &str, to: &str| {
        let text = plan(&|rank| rank);
        assert!(text.contains(from), "{from}");
        verdict_text(
            mscclpp::read(&text.replacen(from, to, 1), None, 0)
                .and_then(|schedule| check(&schedule)),
        )
    };
    let xml = |from: &str, to: &str| {
        assert!(ring.contains(from), "{from}");
        verdict_text(
            msccl::read(&ring.replacen(from, to, 1), None, 0).and_then(|schedule| check(&schedule)),
        )
    };
    let node = |name: &'static str| {
        let nodes = vec![(
            5,
            String::new(),
            Vec::new(),
            vec![("comm_dst", 1), (name, 1)],
        )];
        verdict_text(
            chakra::read(&[trace("", &nodes)], None, 0).and_then(|schedule| check(&schedule)),
        )
    };
    let lines = [
        json(r#""inplace""#, r#""half": 1, "inplace""#),
        json(
            r#""scratch_chunks""#,
            r#""scratchChunks": 2, "scratch_chunks""#,
        ),
        json(
            r#""channel_ids""#,
            r#""channel_offsets": [1], "channel_ids""#,
        ),
        json(r#""index""#, r#""offset": 1, "index""#),
        // Also where the schedule is wrong besides.
        json(r#""name": "ppkt""#, r#""name": "ppkt", "only_if": 1"#),
        json(r#""name": "ppkt""#, r#""name": "tpkt""#),
        json(
            r#""name": "repkt""#,
            r#""name": "repkt", "reduce_op": "min""#,
        ),
        json(
            r#""name": "repkt""#,
            r#""name": "repkt", "reduce_op": "sum""#,
        ),
        json(r#""protocol": "LL""#, r#""protocol": "Simple""#),
        json(r#""collective": "allreduce""#, r#""collective": "allfold""#),
        xml("nchunksperloop", "stripes=\"2\" nchunksperloop"),
        xml("nchunksperloop", "redop=\"max\" nchunksperloop"),
        xml("hasdep", "repeat=\"2\" hasdep"),
        xml("<step ", "<op "),
        node("pg_name"),
        node("involved_dim"),
    ];
    insta::assert_snapshot!(lines.join("\n"));
}

/// The line of an operation, and of a key, also of an operation that another one repeats.
#[test]
fn findings_on_plans_of_mscclpp_name_the_line() {
    let text = plan(&|rank| rank);
    let lines = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        let text = text.replacen(from, to, 1);
        let of = |trouble| match trouble {
            Trouble::Wrong(finding) => Some(u64::from(finding.line)),
            Trouble::Unread(line, _) | Trouble::NotJudged(line, _) => line,
        };
        let line = mscclpp::read(&text, None, 0)
            .and_then(|schedule| check(&schedule))
            .err()
            .and_then(of);
        let changed = (1..)
            .zip(text.lines())
            .find_map(|(line, text)| text.contains(to).then_some(line));
        (line, changed)
    };
    for (from, to) in [
        (
            r#""buffer_id": 0, "index": 0, "size": 1"#,
            r#""buffer_id": 0, "index": 2, "size": 1"#,
        ),
        (r#""name": "repkt""#, r#""name": "refold""#),
        (r#""name": "signal""#, r#""name": "signal", "only_if": 1"#),
        (
            r#""name": "wait", "#,
            r#""name": "wait", "barrier_id": [], "#,
        ),
        (
            r#"{"name": "signal", "channel_ids": [0], "channel_type": "memory"}"#,
            r#"{"name": "pipeline", "ops": [{"name": "signal", "channel_ids": [3], "channel_type": "memory"}]}"#,
        ),
    ] {
        let (line, changed) = lines(from, to);
        assert!(changed.is_some());
        assert_eq!(line, changed, "{to}");
    }
    // The wait that no signal comes for is in the line of the wait.
    let (line, _) = lines(r#""name": "signal""#, r#""name": "nop""#);
    let wait = text
        .lines()
        .enumerate()
        .filter(|(_, text)| text.contains("\"wait\""));
    let waits: Vec<u64> = wait.map(|(at, _)| at as u64 + 1).collect();
    assert_eq!(line, waits.last().copied());
}

/// Blocks of a group have other parts of two chunks than of one: a block that waits only for its peer can read what another one writes.
#[test]
fn groups_of_other_sizes_have_other_parts() {
    let rank = |rank: u32, size: u32, barrier: &str| {
        let block = |id: u32| {
            let put = if rank == 0 {
                format!(
                    r#"{{"name": "copy", "src_buff": [{{"type": "i", "index": 0, "size": 2}}], "dst_buff": [{{"type": "o", "index": 0, "size": 2}}],
                    "tbg_info": {{"tb_id": {id}, "tbg_size": 2}}}}, {barrier}
                    {{"name": "signal", "channel_ids": [0], "channel_type": "memory"}}"#
                )
            } else {
                let get = |index: u32| {
                    format!(
                        r#"{{"name": "get", "channel_type": "memory", "channel_ids": [0], "src_buff": [{{"buffer_id": 0, "index": {index}, "size": {size}}}],
                    "dst_buff": [{{"type": "o", "index": {index}, "size": {size}}}], "tbg_info": {{"tb_id": {id}, "tbg_size": 2}}}}"#
                    )
                };
                let gets: Vec<String> = (0..2 / size).map(get).collect();
                format!(
                    r#"{{"name": "wait", "channel_ids": [0], "channel_type": "memory"}}, {}"#,
                    gets.join(", ")
                )
            };
            format!(
                r#"{{"id": {id}, "channels": [{{"channel_type": "memory", "channel_ids": [{id}]}}],
                "remote_buffer_refs": [{{"access_channel_type": "memory", "remote_buffer_ids": [0]}}], "ops": [{put}]}}"#
            )
        };
        let other = 1 - rank;
        format!(
            r#"{{"id": {rank}, "input_chunks": 2, "output_chunks": 2, "scratch_chunks": 0,
            "channels": [{{"channel_type": "memory", "connected_to": [{other}, {other}]}}],
            "remote_buffers": [{{"rank": {other}, "type": "o", "access_channel_types": ["memory"]}}],
            "threadblocks": [{}, {}]}}"#,
            block(0),
            block(1)
        )
    };
    let changed = |size: u32, barrier: &str, [from, to]: [&str; 2]| {
        let [first, second] = [0, 1].map(|number| rank(number, size, barrier));
        let text = format!(
            r#"{{"name": "t", "collective": "broadcast", "protocol": "Simple", "inplace": false, "gpus": [{first}, {second}]}}"#
        );
        assert!(text.contains(from), "{text}");
        let text = text.replace(from, to);
        verdict_text(mscclpp::read(&text, None, 0).and_then(|schedule| check(&schedule)))
    };
    let verdict = |size, barrier: &str| changed(size, barrier, [""; 2]);
    let barrier = r#"{"name": "barrier", "barrier_id": 0, "num_threadblocks": 2},"#;
    assert_eq!(verdict(2, ""), "right");
    assert_eq!(verdict(1, barrier), "right");
    assert!(
        verdict(1, "").contains(", which rank 0, block 1, step 0 writes; neither waits"),
        "{}",
        verdict(1, "")
    );
    // What the kernel of MSCCL++ copies is not what the plan says.
    let crossed = changed(
        1,
        barrier,
        [
            r#""dst_buff": [{"type": "o", "index": 1, "size": 1}]"#,
            r#""dst_buff": [{"type": "o", "index": 0, "size": 1}]"#,
        ],
    );
    assert!(
        crossed.contains("`get` reads from chunk 1 on and writes from chunk 0 on"),
        "{crossed}"
    );
}

/// Each of two ranks adds a chunk through a switch; another of its blocks then copies it.
const SWITCH: &str =
    r#"{"name": "t", "collective": "allreduce", "inplace": true, "gpus": [RANK0, RANK1]}"#;

const SWITCH_RANK: &str = r#"{"id": RANK, "input_chunks": 2, "output_chunks": 2, "scratch_chunks": 1, "semaphores": [{"init_value": 0}],
      "channels": [{"channel_type": "switch", "buffer_type": "i", "rank_groups": [{"size": 2, "ranks": [0, 1]}]}],
      "threadblocks": [
        {"id": 0, "channels": [{"channel_type": "switch", "channel_ids": [0]}], "ops": [
          {"name": "glres", "src_buff": [{"switch_channel_id": 0, "index": RANK, "size": 1}],
           "dst_buff": [{"switch_channel_id": 0, "index": RANK, "size": 1}]},
          {"name": "sem_release", "semaphore_ids": [0]}]},
        {"id": 1, "ops": [
          {"name": "sem_acquire", "semaphore_ids": [0]},
          {"name": "copy", "src_buff": [{"type": "i", "index": RANK, "size": 1}], "dst_buff": [{"type": "s", "index": 0, "size": 1}]}]}]}"#;

/// A plan of two ranks that reduce through a switch.
fn switch() -> String {
    let of = |number: &str| SWITCH_RANK.replace("RANK", number);
    SWITCH.replace("RANK0", &of("0")).replace("RANK1", &of("1"))
}

#[test]
fn switches_and_semaphores_of_mscclpp_are_judged() {
    let verdict = |from: &str, to: &str| {
        let text = switch();
        assert!(text.contains(from), "{from}");
        let text = text.replacen(from, to, 1);
        verdict_text(mscclpp::read(&text, None, 0).and_then(|schedule| check(&schedule)))
    };
    let lines = [
        verdict("", ""),
        verdict("sem_acquire", "nop"),
        verdict("sem_release", "nop"),
        verdict(
            r#""sem_acquire", "semaphore_ids": [0]"#,
            r#""sem_acquire", "semaphore_ids": [0, 0]"#,
        ),
        verdict(r#""init_value": 0"#, r#""init_value": 1"#),
        verdict("sem_release", "sem_acquire"),
        verdict(
            r#""dst_buff": [{"switch_channel_id": 0, "index": 0"#,
            r#""dst_buff": [{"switch_channel_id": 0, "index": 1"#,
        ),
        verdict("\"ranks\": [0, 1]", "\"ranks\": [0]"),
        verdict("\"ranks\": [0, 1]", "\"ranks\": [0, 2]"),
        verdict(r#""channel_ids": [0]"#, r#""channel_ids": [1]"#),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r#"
    right
    race: rank 0, block 1, step 1: reads chunk 0 of `i` of rank 0, which block 0, step 0 writes; neither waits for the other
    deadlock: rank 0, block 1, step 0: acquires semaphore 0, which is never released again
    deadlock: rank 0, block 1, step 0: acquires semaphore 0, which is never released again
    race: rank 0, block 1, step 1: reads chunk 0 of `i` of rank 0, which block 0, step 0 writes; neither waits for the other
    not judged: semaphore 0: several blocks acquire it, so which one waits for which is not certain
    race: rank 1, block 0, step 0: writes chunk 1 of `i` of rank 0, which rank 0, block 0, step 0 writes; neither waits for the other
    result: rank 0, block 0, step 0: the last to write rank 0, chunk 0 of `i`: lacks the contribution of rank 1
    missing: rank 0, block 0, step 0: names buffer `i` of rank 2, which does not exist
    missing: rank 0, block 0, step 0: names switch 0, which its block lacks
    "#);
}

/// Two ranks that swap a half of a vector, add it, and swap the sums.
const PAYLOADS: &str = "// collective allreduce cut 2
num_ranks 2
rank 0 {
a: send 8b to 1 // blocks 1
b: recv 8b from 1 // combine 0
c: send 8b to 1 tag 1 // blocks 0
c requires b
d: recv 8b from 1 tag 1 // blocks 1-1
}
rank 1 {
a: send 8b to 0 // blocks 0
b: recv 8b from 0 // combine 1
c: send 8b to 0 tag 1 // blocks 1
c requires b
d: recv 8b from 0 tag 1 // blocks 0
d requires a
}
";

#[test]
fn comments_of_goal_say_what_messages_carry() {
    let verdict = |from: &str, to: &str| {
        assert!(PAYLOADS.contains(from), "{from}");
        let text = PAYLOADS.replacen(from, to, 1);
        verdict_text(
            goal::read(text.as_bytes(), Collective::named("allreduce"), 0)
                .and_then(|schedule| check(&schedule)),
        )
    };
    let lines = [
        verdict("", ""),
        verdict("combine 0", "blocks 0"),
        verdict("blocks 1\n", "blocks 0\n"),
        verdict("blocks 1\n", "blocks 0-1\n"),
        verdict("c requires b\n", ""),
        verdict("d requires a\n", ""),
        verdict(
            "d: recv 8b from 0 tag 1 // blocks 0",
            "d: recv 8b from 0 tag 1 // blocks 1",
        ),
        verdict("blocks 1-1", "blocks 2"),
        verdict("blocks 1-1", "blocks one"),
        verdict("// blocks 1\n", "\n"),
        verdict("blocks 1\n", "combine 1\n"),
        verdict("allreduce", "allgather"),
        verdict("allreduce", "sum"),
        verdict("cut 2", "cut 0"),
        verdict("cut 2", "cut 2 root 2"),
        verdict("cut 2", "cut 2000000000"),
        verdict("num_ranks", "// collective barrier\nnum_ranks"),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r#"
    right
    result: rank 0, block 2, step 1: the last to write rank 0, chunk 0 of `blocks`: lacks the contribution of rank 0
    race: rank 0, block 2, step 1: writes chunk 0 of `blocks` of rank 0, which block 1, step 0 reads; neither waits for the other
    unmatched: sends 8 bytes; other messages have 16 bytes of these blocks
    race: rank 0, block 2, step 1: writes chunk 0 of `blocks` of rank 0, which block 3, step 2 reads; neither waits for the other
    right
    race: rank 1, block 2, step 1: writes chunk 1 of `blocks` of rank 1, which block 1, step 3 writes; neither waits for the other
    not read, at Some(8): block 2: expected blocks below 2
    not read, at Some(8): `one`: expected a number of a block, or a range as 0-3
    not read, at Some(4): expected what the message carries behind it, as in `// blocks 0-3`
    not read, at Some(4): a send does not combine; write `// blocks`
    result: the file has the collective allgather, not allreduce
    not read, at Some(1): castbench knows no collective `sum`
    not read, at Some(1): expected `// collective NAME`, `root` and a rank, `cut` and a number of parts
    result: there is no rank 2 to be the root: num_ranks is 2
    not judged: all ranks have too many parts of blocks for the length of the file
    not read, at Some(2): the collective is stated twice
    "#);
}

#[test]
fn goal_is_judged_by_what_is_certainly_after_what() {
    let verdict = |text: &str, collective| {
        verdict_text(
            goal::read(text.as_bytes(), collective, 0).and_then(|schedule| check(&schedule)),
        )
    };
    let barrier = "num_ranks 2\nrank 0 {\na: send 0b to 1\nb: recv 0b from 1\n}\nrank 1 {\na: send 0b to 0\nb: recv 0b from 0\n}\n";
    let tree = "num_ranks 3\nrank 0 {\na: send 8b to 1\n}\nrank 1 {\na: recv 8b from 0\nb: send 8b to 2\nb requires a\n}\nrank 2 {\na: recv 8b from 1\n}\n";
    let lines = [
        verdict(barrier, Collective::named("barrier")),
        verdict(tree, Collective::named("broadcast")),
        verdict(tree, Collective::named("barrier")),
        verdict(
            &tree.replace("b requires a\n", ""),
            Collective::named("broadcast"),
        ),
        verdict(
            &tree.replace("b requires a\n", "b irequires a\n"),
            Collective::named("broadcast"),
        ),
        verdict(
            &tree.replace("from 1", "from 0"),
            Collective::named("broadcast"),
        ),
        verdict(
            &tree.replace(
                "b: send 8b to 2\nb requires a\n",
                "a requires b\nb: send 8b to 2\nb requires a\n",
            ),
            None,
        ),
        verdict(&tree.replace("from 1", "from -1"), None),
        verdict(&tree.replace("recv 8b from 1", "recv 4b from 1"), None),
        verdict(tree, Collective::named("allreduce")),
        verdict("num_ranks", None),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r"
    right
    right
    result: rank 0 can be done before rank 1 has begun
    result: rank 2 gets nothing that comes from rank 0, the root
    result: rank 2 gets nothing that comes from rank 0, the root
    unmatched: from rank 0 to 2 with tag 0: 0 messages sent, 1 message received; each needs its counterpart
    deadlock: a cycle of `requires` or `irequires` in rank 1: the operations of lines 6, 8 wait for each other; remove one of them
    not judged: a receive of `-1` takes what comes first, so which message it takes depends on the machine; `castbench cost --ends` executes it
    unmatched: rank 2, block 1, step 0: takes 4 bytes, but the message from rank 1 has 8 bytes
    right
    not read, at Some(1): expected the number of ranks, a whole number from 0; the file ends here, so it may be truncated
    ");
}

/// Judges damaged inputs; most are refused, and some have a schedule.
fn judge(seeds: &[Vec<u8>], judge: impl Fn(&[u8]) -> Result<(), Trouble>) {
    let (mut unread, mut wrong) = (0, 0);
    for seed in 0..inputs() {
        let mut random = Random(seed);
        let seed = &seeds[random.below(seeds.len())];
        match judge(&damaged(seed, &mut random)) {
            Ok(()) => {}
            Err(Trouble::Unread(_, verdict_text)) => {
                assert!(!verdict_text.is_empty());
                unread += 1;
            }
            Err(Trouble::NotJudged(_, reason)) => assert!(!reason.is_empty()),
            Err(Trouble::Wrong(finding)) => {
                assert!(!finding.message.is_empty());
                wrong += 1;
            }
        }
    }
    assert!(unread > 0 && wrong > 0);
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Reads and judges a damaged file of an allreduce of three ranks, or of what it says.
fn read_damaged(name: &str, bytes: &[u8]) -> Result<(), Trouble> {
    let asked = Collective::named(if name.ends_with("goal") {
        "broadcast"
    } else {
        "allreduce"
    });
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
    let seeds: Vec<_> = all()
        .iter()
        .map(|(_, model)| model.xml().into_bytes())
        .collect();
    judge(&seeds, |bytes| {
        check(&msccl::read(&lossy(bytes), None, 0)?).map(drop)
    });
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
    judge(&seeds, |bytes| {
        check(&mscclpp::read(&lossy(bytes), None, 0)?).map(drop)
    });
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
    judge(&plans.map(|plan| plan.as_bytes().to_vec()), |bytes| {
        read_damaged("plan.json", bytes)
    });
}

#[test]
fn damaged_goal_is_refused_or_judged() {
    let tree = "num_ranks 3\nrank 0 {\na: send 8b to 1\n}\nrank 1 {\na: recv 8b from 0\nb: send 8b to 2\nb requires a\n}\nrank 2 {\n\
                a: recv 8b from 1\n}\n";
    judge(
        &[tree, PAYLOADS].map(|text| text.as_bytes().to_vec()),
        |bytes| read_damaged("a.goal", bytes),
    );
}
