//! `castbench verify`: a verdict in each format, and its exit code.

use std::fmt::Write as _;
use std::fs;

use insta::assert_snapshot;

use crate::common::transcript;

/// Two ranks swap a chunk, add it, and swap the sums.
fn swap() -> String {
    let mut text =
        "<algo name=\"swap\" nchunksperloop=\"2\" ngpus=\"2\" coll=\"allreduce\" inplace=\"1\">\n".to_owned();
    for (rank, other) in [(0, 1), (1, 0)] {
        let chunks = "i_chunks=\"2\" o_chunks=\"0\" s_chunks=\"0\"";
        writeln!(text, "<gpu id=\"{rank}\" {chunks}>\n<tb id=\"0\" send=\"{other}\" recv=\"{other}\" chan=\"0\">")
            .unwrap();
        for (step, (kind, at)) in [("s", other), ("rrcs", rank), ("r", other)].into_iter().enumerate() {
            let chunk = format!("srcbuf=\"i\" srcoff=\"{at}\" dstbuf=\"i\" dstoff=\"{at}\" cnt=\"1\"");
            writeln!(text, "<step s=\"{step}\" type=\"{kind}\" {chunk} depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>")
                .unwrap();
        }
        text += "</tb>\n</gpu>\n";
    }
    text + "</algo>\n"
}

#[test]
fn a_verdict_has_every_format() {
    let directory = tempfile::tempdir().unwrap();
    let wrong = swap().replacen("rrcs", "rcs", 1);
    for (name, text) in [("right.xml", &swap()), ("wrong.xml", &wrong), ("none.xml", &"<algo>".to_owned())] {
        fs::write(directory.path().join(name), text).unwrap();
    }
    fs::write(directory.path().join("notes.txt"), "a schedule of ours\n").unwrap();
    let lines = [
        "verify right.xml",
        "verify right.xml --collective allreduce --machine loopback-2-cores --bytes 1MiB",
        "verify right.xml --collective allgather",
        "verify right.xml --format json --machine loopback-2-cores",
        "verify right.xml --format junit",
        "verify wrong.xml --format json",
        "verify wrong.xml --format junit",
        "verify wrong.xml --format github",
        "verify wrong.xml --format sarif",
        "verify none.xml",
        "verify notes.txt",
        "verify missing.xml",
        "verify right.xml --machine nonsense",
        "verify right.xml --ranks 3",
        "export goal flat -L 6 -o 2 -g 4 -K 3 --out flat.goal",
        "verify flat.goal --collective broadcast",
        "export goal flat -L 6 -o 2 -g 4 -K 3 --out -",
    ];
    assert_snapshot!(transcript(directory.path(), &lines).replace(env!("CARGO_PKG_VERSION"), "VERSION"));
}
