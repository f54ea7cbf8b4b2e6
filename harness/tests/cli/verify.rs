//! `castbench verify`: a verdict in each format, and its exit code.

use std::fmt::Write as _;
use std::fs;

use insta::assert_snapshot;

use crate::common::{ask, expect, transcript};

/// Two ranks swap a chunk, add it, and swap the sums.
fn swap() -> String {
    let mut text =
        "<algo name=\"swap\" nchunksperloop=\"2\" ngpus=\"2\" coll=\"allreduce\" inplace=\"1\">\n"
            .to_owned();
    for (rank, other) in [(0, 1), (1, 0)] {
        let chunks = "i_chunks=\"2\" o_chunks=\"0\" s_chunks=\"0\"";
        writeln!(text, "<gpu id=\"{rank}\" {chunks}>\n<tb id=\"0\" send=\"{other}\" recv=\"{other}\" chan=\"0\">")
            .unwrap();
        for (step, (kind, at)) in [("s", other), ("rrcs", rank), ("r", other)]
            .into_iter()
            .enumerate()
        {
            let chunk =
                format!("srcbuf=\"i\" srcoff=\"{at}\" dstbuf=\"i\" dstoff=\"{at}\" cnt=\"1\"");
            writeln!(
                text,
                "<step s=\"{step}\" type=\"{kind}\" {chunk} depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>"
            )
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
    for (name, text) in [
        ("right.xml", &swap()),
        ("wrong.xml", &wrong),
        ("none.xml", &"<algo>".to_owned()),
    ] {
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
    assert_snapshot!(
        transcript(directory.path(), &lines).replace(env!("CARGO_PKG_VERSION"), "VERSION")
    );
}

/// A collective that is asked for and not judged has an exit code of its own, and no output says `right`.
#[test]
fn a_collective_that_is_not_judged_is_not_right() {
    let directory = tempfile::tempdir().unwrap();
    let wrong = "num_ranks 2\nrank 0 {\na: send 8b to 1\n}\nrank 1 {\na: recv 8b from 0\n}\n";
    fs::write(directory.path().join("a.goal"), wrong).unwrap();
    let unknown = swap().replacen("chan=\"0\"", "chan=\"0\" every=\"2\"", 1);
    fs::write(directory.path().join("unknown.xml"), unknown).unwrap();
    let mut all = String::new();
    for file in ["a.goal", "unknown.xml"] {
        for format in ["table", "json", "junit", "github", "sarif"] {
            let line = format!(
                "verify {file} --collective allreduce --format {format} --summary summary.md"
            );
            let answer = ask(directory.path(), &line);
            assert_eq!(
                answer.code,
                Some(11),
                "{line}: {}{}",
                answer.out,
                answer.errors
            );
            let out = answer.out.replace("\"right\":null", "");
            assert!(!out.contains("right"), "{line}: {out}");
            writeln!(all, "$ {line}\n{}{}", answer.out, answer.errors).unwrap();
        }
    }
    let summary = fs::read_to_string(directory.path().join("summary.md")).unwrap();
    assert!(
        summary.contains("not judged") && !summary.contains("right"),
        "{summary}"
    );
    assert_snapshot!(all.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
}

/// What castbench exports says what its messages carry, so that `verify` judges it, and finds what is damaged.
#[test]
fn an_exported_collective_is_judged() {
    let directory = tempfile::tempdir().unwrap();
    for (algorithm, point) in [
        ("allreduce-ring", "-K 5 -n 10"),
        ("allreduce-recursive-doubling", "-K 6 -n 8"),
        ("allreduce-rabenseifner", "-K 4 -n 8"),
        ("allgather-ring", "-K 5 -n 2"),
        ("allgather-bruck", "-K 6 -n 2"),
        ("reduce-scatter-ring", "-K 4 -n 3"),
        ("reduce-binomial", "-K 7 -n 4"),
        ("gather-binomial", "-K 7 -n 2"),
        ("scatter-binomial", "-K 7 -n 2"),
        ("broadcast-bmtree", "-K 7 -n 4"),
        ("alltoall-pairwise", "-K 4 -n 2"),
    ] {
        let file = format!("{algorithm}.goal");
        let export = ask(
            directory.path(),
            &format!("export goal {algorithm} -L 6 -o 2 -g 4 -c 1 {point} --out {file}"),
        );
        let export = match export.code {
            Some(0) => export,
            _ => ask(
                directory.path(),
                &format!("export goal {algorithm} -L 6 -o 2 -g 4 {point} --out {file}"),
            ),
        };
        assert_eq!(export.code, Some(0), "{algorithm}: {}", export.errors);
        let judged = ask(directory.path(), &format!("verify {file}"));
        assert_eq!(
            judged.code,
            Some(0),
            "{algorithm}: {}{}",
            judged.out,
            judged.errors
        );
        assert!(
            judged.out.contains("verdict: right"),
            "{algorithm}: {}",
            judged.out
        );
        // Each receive that is damaged is found: another part, or a replacement for a sum.
        let text = fs::read_to_string(directory.path().join(&file)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let mut receives = (0..lines.len())
            .filter(|&at| lines[at].contains(": recv ") && lines[at].contains(" // "));
        let last = receives.next_back().unwrap();
        let (operation, payload) = lines[last].split_once(" // ").unwrap();
        let other = match payload.split_once(' ') {
            Some(("combine", parts)) => format!("{operation} // blocks {parts}"),
            _ => format!(
                "{operation} // combine {}",
                payload.split_once(' ').unwrap().1
            ),
        };
        let damaged: Vec<&str> = (0..lines.len())
            .map(|at| if at == last { &*other } else { lines[at] })
            .collect();
        fs::write(
            directory.path().join("damaged.goal"),
            damaged.join("\n") + "\n",
        )
        .unwrap();
        let judged = ask(directory.path(), "verify damaged.goal");
        assert_eq!(
            judged.code,
            Some(5),
            "{algorithm}: {other}: {}{}",
            judged.out,
            judged.errors
        );
    }
}

/// A root or a size that the file contradicts is not judged, or refused.
#[test]
fn what_a_file_states_is_not_overruled() {
    let directory = tempfile::tempdir().unwrap();
    for (file, algorithm) in [
        ("b.goal", "broadcast-bmtree --root 2"),
        ("a.goal", "allreduce-ring -c 1"),
    ] {
        let export = format!("export goal {algorithm} -L 6 -o 2 -g 4 -K 4 -n 4 --out {file}");
        assert_eq!(ask(directory.path(), &export).code, Some(0));
    }
    for (line, code, said) in [
        ("b.goal --root 2", 0, ""),
        ("b.goal", 0, ""),
        ("b.goal --root 0", 11, "says that the root is 2, not 0"),
        ("a.goal --root 0", 2, "allreduce has no root"),
        ("a.goal --machine lumi --bytes 1MiB", 2, "a size of its own"),
        ("a.goal --machine lumi", 0, ""),
    ] {
        let judged = ask(directory.path(), &format!("verify {line}"));
        assert_eq!(
            judged.code,
            Some(code),
            "{line}: {}{}",
            judged.out,
            judged.errors
        );
        assert!(judged.errors.contains(said), "{line}: {}", judged.errors);
    }
}

/// A trace that is missing or cut is named.
#[test]
fn a_trace_that_is_missing_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let call = b"\x07\x0a\x051.0.0\x04\x18\x07\x12\x00";
    for rank in [0, 1, 3] {
        fs::write(directory.path().join(format!("a.{rank}.et")), call).unwrap();
    }
    let missing = ask(directory.path(), "verify a.0.et --collective allreduce");
    assert_eq!(missing.code, Some(3), "{}{}", missing.out, missing.errors);
    assert!(
        missing.errors.contains("a.2.et") && missing.errors.contains("missing"),
        "{}",
        missing.errors
    );
    fs::write(directory.path().join("a.2.et"), &call[..call.len() - 2]).unwrap();
    let cut = ask(directory.path(), "verify a.0.et --collective allreduce");
    assert_eq!(cut.code, Some(3), "{}{}", cut.out, cut.errors);
    assert!(
        cut.errors.contains("`.2.et`") && cut.errors.contains("cut"),
        "{}",
        cut.errors
    );
    fs::write(directory.path().join("a.2.et"), call).unwrap();
    assert_eq!(
        ask(directory.path(), "verify a.0.et --collective allreduce").code,
        Some(0)
    );
}

/// All ranks of an alltoall have no room for the blocks of all others; each has those that it sends or receives. A block that another rank
/// expects is wrong.
#[test]
fn an_alltoall_of_many_ranks_is_judged() {
    let directory = tempfile::tempdir().unwrap();
    let export = "export goal alltoall-pairwise -L 6 -o 2 -g 4 -K 120 -n 1 --out a.goal";
    assert_eq!(ask(directory.path(), export).code, Some(0));
    let file = directory.path().join("a.goal");
    let text = fs::read_to_string(&file).unwrap();
    let verdict = || ask(directory.path(), "verify a.goal --collective alltoall");
    let right = verdict();
    assert_eq!(right.code, Some(0), "{}", right.errors);
    assert!(right.out.contains("verdict: right"), "{}", right.out);
    // Rank 0 sends rank 1 what is for rank 2, which it sends, too.
    let wrong = text.replacen("to 1 tag 0 // blocks 1\n", "to 1 tag 0 // blocks 2\n", 1);
    assert_ne!(wrong, text);
    fs::write(&file, wrong).unwrap();
    let found = verdict();
    assert_ne!(found.code, Some(0), "{}", found.out);
    assert!(found.errors.contains("chunk 1"), "{}", found.errors);
}

/// Blocks of a GOAL file have one size each; without payloads a broadcast sends all ranks the same number of bytes.
#[test]
fn sizes_of_messages_fit_what_they_carry() {
    let directory = tempfile::tempdir().unwrap();
    let swap = |back: &str| {
        format!(
            "// collective allreduce cut 1\nnum_ranks 2\nrank 0 {{\na: send 8b to 1 // blocks 0\nb: recv {back} from 1 // blocks 0\n\
             b requires a\n}}\nrank 1 {{\na: recv 8b from 0 // combine 0\nb: send {back} to 0 // blocks 0\nb requires a\n}}\n"
        )
    };
    let broadcast = |second: &str| {
        format!(
            "num_ranks 3\nrank 0 {{\na: send 8b to 1\nb: send {second} to 2\n}}\nrank 1 {{\na: recv 8b from 0\n}}\nrank 2 {{\n\
             a: recv {second} from 0\n}}\n"
        )
    };
    let two = swap("8b")
        .replace("blocks 0\nb: recv", "blocks 0-1\nb: recv")
        .replace("cut 1", "cut 2");
    for (text, code, explanation) in [
        (swap("8b"), 0, "right"),
        (
            swap("4b"),
            5,
            "sends 4 bytes, and line 4 8 bytes of the same blocks",
        ),
        (
            two,
            5,
            "takes 1 chunk, but the message from rank 0 has 2 chunks",
        ),
        (broadcast("8b"), 0, "right"),
        (
            broadcast("4b"),
            11,
            "ranks are sent different numbers of bytes",
        ),
    ] {
        fs::write(directory.path().join("a.goal"), &text).unwrap();
        let options = if text.starts_with("//") {
            ""
        } else {
            "--collective broadcast"
        };
        let found = ask(directory.path(), &format!("verify a.goal {options}"));
        let said = found.out + &found.errors;
        assert_eq!(found.code, Some(code), "{text}{said}");
        assert!(said.contains(explanation), "{text}{said}");
    }
}

/// A plan that names an algorithm has as many chunks as its messages tell apart; one that is not judged says what is too much.
#[test]
fn an_algorithm_on_many_ranks_is_judged() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for (algorithm, collective, ranks, code, said) in [
        ("broadcast-binomial", "broadcast", 700, 0, "verdict: right"),
        ("broadcast-binomial", "broadcast", 2000, 0, "verdict: right"),
        ("alltoall-bruck", "alltoall", 64, 0, "verdict: right"),
        ("scatter-binomial", "scatter", 1000, 0, "verdict: right"),
        (
            "allreduce-ring",
            "allreduce",
            600,
            11,
            "all ranks have 718,800 messages, and castbench judges plans with at most 262,144",
        ),
        (
            "allreduce-rabenseifner",
            "allreduce",
            512,
            11,
            "its 18,432 steps read and write at least 1,308,160 chunks",
        ),
        (
            "alltoall-bruck",
            "alltoall",
            200,
            11,
            "all ranks have 8,000,000 chunks",
        ),
    ] {
        fs::write(
            directory.join("a.json"),
            format!("{{\"algorithm\": \"{algorithm}\"}}"),
        )
        .unwrap();
        let line = format!("verify a.json --collective {collective} --ranks {ranks}");
        let found = ask(directory, &line);
        assert_eq!(found.code, Some(code), "{line}: {}", found.errors);
        assert!(found.out.contains(said), "{line}: {}", found.out);
    }
}

/// A mistake in JSON is named before anything is said of a format.
#[test]
fn mistakes_in_json_come_first() {
    let directory = tempfile::tempdir().unwrap();
    let plan = r#"{"rounds": [[{"from": 0, "to": 1}]],}"#;
    fs::write(directory.path().join("typo.json"), plan).unwrap();
    for ranks in ["", " --ranks 2"] {
        let line = format!("verify typo.json --collective broadcast{ranks}");
        expect(
            directory.path(),
            &line,
            3,
            "line 1, column 37: trailing comma",
        );
    }
}

/// The same schedule with and without payloads: only with them races are looked for.
#[test]
fn races_that_are_not_looked_for_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    let raced = "// collective allreduce cut 1\nnum_ranks 2\nrank 0 {\na: recv 8b from 1 tag 1 // combine 0\nb: send 8b to 1 tag 1 // blocks 0\n}\n\
                 rank 1 {\na: send 8b to 0 tag 1 // blocks 0\nb: recv 8b from 0 tag 1 // combine 0\n}\n";
    write("raced.goal", raced);
    let bare: String = raced
        .lines()
        .map(|line| line.split("//").next().unwrap().to_owned() + "\n")
        .collect();
    write("bare.goal", &bare);
    write("empty.goal", "num_ranks 2\nrank 0 { }\nrank 1 { }\n");
    for (line, code, says) in [
        ("raced.goal", 5, "verdict: wrong, race"),
        (
            "bare.goal",
            0,
            "verdict: ends; neither its result nor races are judged",
        ),
        (
            "empty.goal",
            0,
            "verdict: ends; neither its result nor races are judged",
        ),
        (
            "bare.goal --collective barrier",
            0,
            "verdict: right; races are not judged",
        ),
        (
            "bare.goal --collective allreduce",
            11,
            "verdict: not judged",
        ),
    ] {
        let answer = ask(directory.path(), &format!("verify {line}"));
        assert_eq!(
            answer.code,
            Some(code),
            "{line}: {}{}",
            answer.out,
            answer.errors
        );
        assert!(answer.out.contains(says), "{line}: {}", answer.out);
    }
}
