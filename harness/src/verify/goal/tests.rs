use std::io::Read as _;

use algorithms::internals::engine::schedules;
use algorithms::internals::engine::{self, Failure as Unexecuted, Machine};
use algorithms::internals::engine::{Operation, Program};
use algorithms::internals::logp::multicast::problem::MULTICASTS;
use algorithms::internals::logp::multicast::simulator;
use algorithms::internals::logp::summation;
use algorithms::internals::logp::summation::problem::SUMMATIONS;
use algorithms::logp::LogGops;
use algorithms::logp::LogP;

use super::reader::{Failure, read, read_from};
use super::writer::write;

fn written(program: &Program) -> String {
    let mut text = Vec::new();
    write("castbench", program, None, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn finish(text: &str, model: LogP) -> Result<u64, String> {
    let goal = read(text.as_bytes()).map_err(|error| error.to_string())?;
    match engine::run(Machine::LogP(model), &goal.program) {
        Ok(outcome) => Ok(outcome.finish),
        Err(Unexecuted::Program(fault)) => Err(goal.tell(&fault).to_string()),
        Err(Unexecuted::Machine(error)) => Err(error.to_string()),
    }
}

/// Reading returns the written program, and its cost is that of the problem's simulator.
#[test]
fn what_is_written_is_read() {
    for (L, o, g) in [
        (6, 2, 4),
        (5, 2, 4),
        (1, 0, 3),
        (3, 5, 2),
        (0, 1, 0),
        (4, 0, 0),
        (1_000_003, 17, 65_537),
    ] {
        let model = LogP::new(L, o, g).unwrap();
        for size in [1u32, 2, 3, 7, 18, 100] {
            let mut programs = Vec::new();
            for entry in MULTICASTS.entries {
                let schedule = entry.algorithm.schedule(model, size, size.div_ceil(3));
                let cost = simulator::simulate(model, &schedule).unwrap().finish;
                programs.push((
                    entry.name,
                    schedules::multicast(&schedule, 8).unwrap(),
                    cost,
                ));
            }
            for entry in SUMMATIONS.entries {
                let Ok(schedule) = entry.algorithm.schedule(model, size, 1000) else {
                    continue;
                };
                let cost = summation::simulator::simulate(model, &schedule)
                    .unwrap()
                    .finish;
                programs.push((
                    entry.name,
                    schedules::summation(&schedule, 8).unwrap(),
                    cost,
                ));
            }
            for (name, program, cost) in programs {
                let text = written(&program);
                assert_eq!(
                    finish(&text, model),
                    Ok(cost),
                    "{name} on {model:?}, {size}"
                );
                let again = read(text.as_bytes()).unwrap().program;
                assert!(again.is_in_order());
                assert_eq!(written(&again), text);
            }
        }
    }
}

const ALL: &str = "// two ranks
num_ranks 3
rank 1 { /* out of
 order */ b: recv 16b from 0 tag 7 cpu 1 nic 2; a: calc 5 cpu 1 nic 0
\tb requires a // a is done first
  c: calc 3
c irequires b
send 1b to 0 nic 2 tag 1 cpu 1
}
rank 0 {
calc 2
send 16b to 1 tag 7\r
last: recv 1b from 1 tag 1 }
rank 2 {}
";

#[test]
fn all_that_may_be_written_is_understood() {
    let goal = read(ALL.as_bytes()).unwrap();
    let program = &goal.program;
    assert_eq!(
        (
            program.processors(),
            program.operations(),
            program.messages()
        ),
        (3, 7, 2)
    );
    assert_eq!(
        program.operation(0),
        Operation::Receive {
            from: 0,
            tag: 7,
            bytes: 16
        }
    );
    assert_eq!(
        program.operation(3),
        Operation::Send {
            to: 0,
            tag: 1,
            bytes: 1
        }
    );
    let outcome = engine::run(Machine::LogP(LogP::new(6, 2, 4).unwrap()), program).unwrap();
    // Rank 0 computes until 2 and sends until 4; the message arrives at 10 and is taken in until 12. c waits until its
    // receive is posted, at the end of a. The answer runs after a on the same cpu from 5 to 7 and arrives at 13.
    assert_eq!(outcome.ends, [15, 12, 0]);
}

/// A line for each error: what is wrong, and its message.
#[test]
fn errors_name_their_line_and_column() {
    let two = |rank: &str| {
        format!("num_ranks 2\nrank 0 {{\n{rank}\n}}\nrank 1 {{\na: recv 1b from 0\n}}\n")
    };
    let mut errors = String::new();
    for text in [
        String::new(),
        "ranks 2".to_owned(),
        "num_ranks".to_owned(),
        "num_ranks 4294967295".to_owned(),
        "num_ranks 1073741823\nrank 0 {}".to_owned(),
        "num_ranks 99999999999999999999".to_owned(),
        "num_ranks 2 rank 0 {}".to_owned(),
        "num_ranks 2\nrank 0 {\n}\n".to_owned(),
        "num_ranks 7\nrank 0 {\n}\nrank 3 {\n}\n".to_owned(),
        "num_ranks 1\nrank 0 {\n}\nrank 0 {\n}".to_owned(),
        "num_ranks 1\nrank 1 {\n}".to_owned(),
        "num_ranks 1\nrank 0 {\ncalc 1\n".to_owned(),
        "num_ranks 1\nrank 0\ncalc 1\n".to_owned(),
        "num_ranks 1\n/* rank 0 {".to_owned(),
        two("send 1b to 2"),
        two("send 1b to -1"),
        two("send 1b from 1"),
        two("send 1 to 1"),
        two("send b to 1"),
        two("send 1b to 1 tag 4294967295"),
        two("recv 1b from 4294967295"),
        two("recv 1b from -2"),
        two("recv 1b from -10"),
        two("send 1b to 1 tag 18446744073709551616"),
        two("send 1b to 1 cpu 4294967296"),
        two("send 1b to 1 tag 1 tag 1"),
        two("send 1b to 1 size 3"),
        two("send 1b to 1 tag -1"),
        two("send 1b to 1 5"),
        two("calc 1 tag 5"),
        two("calc -1"),
        two("calc 1.5"),
        two("compute 5"),
        two("a: compute 5"),
        two("a b: calc 5"),
        two("5: calc 5"),
        two("a: calc 5\na: send 1b to 1"),
        two("a: calc 5\na requires b"),
        two("a: calc 5\nb irequires a"),
        two("a: calc 5\na requires"),
        two("a: send 1b to 1\na requires a"),
        two("a: send 1b to 1\nb: calc 5\nc: calc 6\na requires b\nb irequires c\nc requires b"),
        two("send 1b to 1 tag 5"),
        two("send 2b to 1"),
        two("send 1000000b to 1"),
        two("send 1b to 1\nrecv 1b from -1"),
        two("send 1b to 1\nrecv 1b from 1\nrecv 1b from 0 tag -1"),
        "num_ranks 2\nrank 0 {\nsend 1b to 1\nsend 1b to 1 tag 1\n}\nrank 1 {\nrecv 1b from -1 tag -1\nrecv 1b from 0\n}\n".to_owned(),
        "num_ranks 1\nrank 0 {\n/* \u{e9}\u{e9}\n\u{e9}\u{e9} */ calc 1 /* \u{e9} */ 2\n}".to_owned(),
        two("send 1b to 1\nsend 1b to 1"),
        two("calc 5"),
        two("a: send 1b to 1\nb: calc 18446744073709551615\na requires b"),
        "num_ranks 2\nrank 0 {\na: recv 1b from 1\nb: send 1b to 1\nb requires a\n}\nrank 1 {\na: recv 1b from 0\nb: send 1b to 0\nb requires a\n}".to_owned(),
        "num_ranks 2\nrank 0 {\na: recv 1b from 1\nb: send 1b to 1\nb requires a\n}\nrank 1 {\na: recv 1b from 0\nb: send 1b to 0\nb requires a\ncalc 1\n}".to_owned(),
        "num_ranks 1\nrank 0 {\n  \u{e9}: calc 1\n}".to_owned(),
    ] {
        let model = LogP::new(6, 2, 4).unwrap();
        let error = finish(&text, model).expect_err(&text);
        errors.push_str(&format!("{text:?}\n  {error}\n"));
    }
    insta::assert_snapshot!(errors);
}

/// Schedules from traces of NCCL have tags of 64 bits and cpus above 255.
#[test]
fn long_tags_and_many_cpus() {
    let model = LogP::new(6, 2, 4).unwrap();
    // Tags that are equal in their low 32 bits, and the largest one.
    let tags = [5, (1 << 31) + 5, (1 << 32) + 5, (1 << 33) + 5, u64::MAX];
    let mut text = "num_ranks 2\nrank 0 {\n".to_owned();
    tags.iter()
        .for_each(|tag| text.push_str(&format!("send 1b to 1 tag {tag}\n")));
    text.push_str("}\nrank 1 {\n");
    for (number, tag) in tags.iter().enumerate().rev() {
        let time = 10_000 * number + 1000;
        text.push_str(&format!(
            "r{number}: recv 1b from 0 tag {tag}\nc{number}: calc {time} cpu {}\n",
            300 * number + 300
        ));
        text.push_str(&format!("c{number} requires r{number}\n"));
    }
    text.push('}');
    // Sends are 4 apart, so the last message is taken in from 4 * 4 + 8 to 26; its calc is the longest.
    assert_eq!(finish(&text, model), Ok(26 + 41_000));
    let cpus: String = (0..1000)
        .map(|cpu| format!("calc {cpu} cpu {}\n", u32::MAX - cpu))
        .collect();
    assert_eq!(
        finish(&format!("num_ranks 1\nrank 0 {{\n{cpus}}}"), model),
        Ok(999)
    );
    let refused = |receive: &str, by: &str| {
        let text = format!(
            "num_ranks 2\nrank 0 {{\na: recv 1b from 1\nb: send 1b to 1 tag 9876543210123\n{by}}}\n"
        );
        finish(
            &format!("{text}rank 1 {{\n{receive}a: send 1b to 0\n}}"),
            model,
        )
        .unwrap_err()
    };
    let unmatched = refused("recv 1b from 0 tag 3000000000\n", "");
    assert!(
        unmatched.contains("with tag 9876543210123: 1 message sent, 0"),
        "{unmatched}"
    );
    let deadlock = refused(
        "b: recv 1b from 0 tag 9876543210123\na requires b\n",
        "b requires a\n",
    );
    assert!(
        deadlock.contains("from 0 with tag 9876543210123"),
        "{deadlock}"
    );
}

/// A file that is binary, damaged or truncated is named as such, wherever it was cut.
#[test]
fn damaged_files_are_named() {
    let short = "num_ranks 1\nrank 0 {\ncalc 5\n}\n";
    for (file, message) in [
        (
            b"\x1f\x8b\x08\0\0\0\0\0\n\x03\xcb+".to_vec(),
            "expected `num_ranks`",
        ),
        (
            short.replace("calc 5", "calc \0\0").into_bytes(),
            "3:6: a NUL byte",
        ),
        (
            short.replace("rank 0", "rank\u{a0}0").into_bytes(),
            "U+00A0",
        ),
        ([short.as_bytes(), b"\xff\xff"].concat(), "not UTF-8"),
        (vec![], "empty"),
    ] {
        for pieces in [1, 1000] {
            let Err(Failure::Goal(error)) = read_from(Slow(&file, pieces), u64::MAX, None) else {
                panic!("{file:?} is read")
            };
            assert!(
                error.to_string().contains(message),
                "{error}, not {message}"
            );
        }
    }
    for text in [short, ALL] {
        let whole = text.trim_end().len();
        for end in 1..whole {
            let error = read(&text.as_bytes()[..end]).unwrap_err();
            assert!(
                error.message.contains("truncated"),
                "{error}: {:?}",
                &text[..end]
            );
        }
        assert_eq!(
            read(text.replace('\n', "\r\n").as_bytes()).unwrap().program,
            read(text.as_bytes()).unwrap().program
        );
    }
    // Whole but wrong.
    let error = read(b"num_ranks 1\nrank 0 {\na requires b\n}").unwrap_err();
    assert!(!error.message.contains("truncated"), "{error}");
}

/// Any part of a file may be cut out or repeated: the result is a program or an error, never a panic.
#[test]
fn no_file_makes_the_reader_panic() {
    let model = LogP::new(6, 2, 4).unwrap();
    for at in 0..ALL.len() {
        let _ = finish(&ALL[..at], model);
        for end in at + 1..ALL.len().min(at + 12) {
            let _ = finish(&[&ALL[..at], &ALL[end..]].concat(), model);
        }
        for sign in [
            "{",
            "}",
            ":",
            ";",
            "\n",
            "-1",
            "9",
            "99999999999",
            "requires",
            "a",
            "/*",
            "//",
            "\0",
        ] {
            let _ = finish(&[&ALL[..at], sign, &ALL[at..]].concat(), model);
        }
    }
}

#[test]
fn long_files_get_short_messages() {
    let label = "x".repeat(100_000);
    let operations: String = (0..1000)
        .map(|number| format!("l{number}: calc 1\n"))
        .collect();
    let cycle: String = (0..1000)
        .map(|number| format!("l{number} requires l{}\n", (number + 1) % 1000))
        .collect();
    for rank in [
        format!("{label}: calc 1\n{label}: calc 1\n"),
        format!("{label} requires {label}\n"),
        operations + &cycle,
    ] {
        let error = read(format!("num_ranks 1\nrank 0 {{\n{rank}}}\n").as_bytes()).unwrap_err();
        assert!(error.message.len() < 400, "{error}");
        assert!(
            error.message.contains("...") || error.message.contains("and of 984 more wait"),
            "{error}"
        );
    }
}

/// A receive may be larger than any possible message; many of them cost nothing.
#[test]
fn rooms_of_any_size_are_no_messages() {
    let count = 20_000;
    let mut text = "num_ranks 2\nrank 0 {\n".to_owned();
    (0..count).for_each(|tag| text.push_str(&format!("send 1b to 1 tag {tag}\n")));
    text.push_str("}\nrank 1 {\n");
    (0..count)
        .for_each(|tag| text.push_str(&format!("recv {}b from 0 tag {tag}\n", u64::MAX - tag)));
    text.push('}');
    let goal = read(text.as_bytes()).unwrap();
    let machine = Machine::LogGops(
        LogGops {
            L: 10,
            o: 1,
            g: 2,
            G: 1_000_000,
            O: 1_000_000,
            H: 0,
        }
        .into(),
    );
    // The last one leaves at (count - 1) g, and is taken in L + 2o later.
    assert_eq!(
        engine::run(machine, &goal.program).unwrap().finish,
        (count - 1) * 2 + 12
    );
    let too_large = text.replacen("send 1b", "send 18446744073709551615b", 1);
    assert!(matches!(
        engine::run(machine, &read(too_large.as_bytes()).unwrap().program),
        Err(Unexecuted::Machine(_))
    ));
}

/// Two ranks post their receives, send and then wait: a trace with `MPI_Irecv`, `MPI_Send` and `MPI_Wait` as GOAL.
#[test]
fn an_exchange_with_posted_receives_ends() {
    let rank = |own, other| {
        format!(
            "rank {own} {{\nl1: recv 8b from {other}\nl2: send 8b to {other}\nl3: calc 3\nl2 irequires l1\nl3 requires l1\nl3 requires l2\n}}\n"
        )
    };
    let text = format!("num_ranks 2\n{}{}", rank(0, 1), rank(1, 0));
    // Each sends until 2; the message arrives at 8 and is taken in until 10.
    assert_eq!(finish(&text, LogP::new(6, 2, 4).unwrap()), Ok(13));
    let blocking = text.replace("irequires", "requires");
    assert!(
        finish(&blocking, LogP::new(6, 2, 4).unwrap())
            .unwrap_err()
            .contains("deadlock")
    );
}

/// Receives from any rank and with any tag take the first arrival, whether posted before or after it; named receives
/// between them take their own.
#[test]
fn receives_of_any_take_what_comes_first() {
    let model = LogP::new(6, 2, 4).unwrap();
    // Rank 1 sends at 100 and 104 with tags 0 and 1, rank 2 at 50 and 54.
    let senders = "rank 1 {\na: calc 100\nb: send 1b to 0\nc: send 1b to 0 tag 1\nb requires a\nc requires b\n}\n\
                   rank 2 {\na: calc 50\nb: send 1b to 0\nc: send 1b to 0 tag 1\nb requires a\nc requires b\n}\n";
    let finish = |rank: &str| {
        finish(
            &format!("num_ranks 3\nrank 0 {{\n{rank}\n}}\n{senders}"),
            model,
        )
    };
    let chain = "b requires a\nc requires b\nd requires c\nx requires a";
    let posted = "b irequires a\nc irequires b\nd irequires c\nx requires a";
    // x waits for the message that a takes, which arrives a hop of 10 after its send, and computes for 1000.
    for (a, arrives) in [
        ("from -1 tag -1", 50),
        ("from -1", 50),
        ("from -1 tag 1", 54),
        ("from 1 tag -1", 100),
        ("from 1 tag 1", 104),
        ("from 2 tag -1", 50),
    ] {
        // The second receive takes the other message.
        let rest = ["from -1 tag -1"; 3];
        for order in [chain, posted] {
            let rank = format!(
                "a: recv 1b {a}\nb: recv 1b {}\nc: recv 1b {}\nd: recv 1b {}\nx: calc 1000 cpu 1\n{order}",
                rest[0], rest[1], rest[2]
            );
            assert_eq!(finish(&rank), Ok(arrives + 10 + 1000), "{rank}");
        }
    }
    // Posted after all have arrived: still the first arrival, and by rank at equal times.
    let late = |from| {
        format!(
            "w: calc 200\na: recv 1b {from}\nb: recv 1b from -1 tag -1\nc: recv 1b from -1 tag -1\nd: recv 1b from -1 tag -1\na requires w\n{posted}\nx: calc 1000 cpu 1"
        )
    };
    assert_eq!(finish(&late("from 1 tag -1")), Ok(1202));
    // A named receive posted after one of any sender does not get the other's message: rank 2 sends one with tag 1
    // only.
    let taken = "a: recv 1b from -1 tag -1\nb: recv 1b from 2 tag 0\nc: recv 1b from -1 tag -1\nd: recv 1b from -1 tag -1\nb irequires a\nc irequires b\nd irequires c";
    let error = finish(taken).unwrap_err();
    assert!(
        error.contains("rank 0 waits for a message from 2 with tag 0 (line 4)"),
        "{error}"
    );
    // Posted first, it is served first.
    assert_eq!(
        finish(
            &taken
                .replace("b irequires a", "a irequires b")
                .replace("c irequires b", "c irequires a")
        ),
        Ok(114)
    );
}

/// Receives of any sender or tag are written and read back.
#[test]
fn receives_of_any_are_written() {
    let text = "num_ranks 2\nrank 0 {\nl1: recv 8b from -1 tag -1\nl2: recv 8b from -1 tag 3\nl2 irequires l1\n}\nrank 1 {\nsend 8b to 0 tag 3\nsend 8b to 0 tag 3\n}\n";
    let program = read(text.as_bytes()).unwrap().program;
    let again = written(&program);
    assert!(
        again.contains("l1: recv 8b from -1 tag -1\nl2: recv 8b from -1 tag 3\nl2 irequires l1\n"),
        "{again}"
    );
    assert_eq!(read(again.as_bytes()).unwrap().program, program);
}

struct Slow<'a>(&'a [u8], usize);

impl std::io::Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(buffer.len()).min(self.0.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

/// An endless device is refused, with the memory of the longest line.
#[test]
fn a_line_without_end_is_refused() {
    for byte in [0, b' ', b'7', b'x'] {
        let Err(Failure::Io(error)) = read_from(std::io::repeat(byte), u64::MAX, None) else {
            panic!("{byte} is read")
        };
        assert_eq!(
            error.to_string(),
            "the line or statement at line 1 is longer than 64 MiB"
        );
    }
    let comment = b"num_ranks 1\n/*\n".chain(std::io::repeat(b'\n'));
    let Err(Failure::Io(error)) = read_from(comment, u64::MAX, None) else {
        panic!("a comment without end is read")
    };
    assert!(
        error.to_string().ends_with(" is longer than 64 MiB"),
        "{error}"
    );
}

/// The program and the positions of errors do not depend on how the reads split the file.
#[test]
fn a_file_is_read_in_pieces() {
    let broken = ALL.replace("calc 3", "calc 3 /* \n\n \u{e9} */ 4");
    let comment = ALL.replace("b requires a", "b /* \n\n \u{e9} */ requires a");
    for text in [ALL, &broken, &comment] {
        let whole = read(text.as_bytes()).map(|goal| goal.program);
        for count in 1..40 {
            let pieces = match read_from(Slow(text.as_bytes(), count), text.len() as u64, None) {
                Ok(goal) => Ok(goal.program),
                Err(Failure::Goal(error)) => Err(error),
                Err(Failure::Io(error)) => panic!("{error}"),
            };
            assert_eq!(pieces, whole, "{count} bytes at a time");
        }
    }
}

#[test]
fn numbers_of_any_length() {
    let read =
        |number: &str| read(format!("num_ranks 1\nrank 0 {{\ncalc {number}\n}}\n").as_bytes());
    for number in [
        "0",
        "9999999999999999999",
        "18446744073709551615",
        "0000000000000000000000000007",
    ] {
        let time = number.parse().unwrap();
        assert_eq!(
            read(number).unwrap().program.operation(0),
            Operation::Compute { time },
            "{number}"
        );
    }
    for number in [
        "18446744073709551616",
        "99999999999999999999",
        "340282366920938463463374607431768211457",
    ] {
        let error = read(number).unwrap_err();
        assert_eq!((error.line, error.column), (3, 6), "{number}");
        assert!(
            error.message.contains("is at most 18446744073709551615"),
            "{}",
            error.message
        );
    }
}
