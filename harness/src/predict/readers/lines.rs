//! The lines of a benchmark's output, as a launcher or a log keeps them: with prefixes, and other programs between them.

use super::sheet::Unread;

/// How the lines of the benchmarks begin that tell where a prefix ends.
const BEGINS: [&str; 10] = [
    "# OSU ",
    "# Benchmarking ",
    "#    Intel(R) MPI Benchmarks",
    "# nccl-tests",
    "# Collective test starting",
    "# nThread",
    "# Using devices",
    "#@",
    "# Size",
    "#       size",
];

/// A part of a prefix that changes from line to line, as far as its kind goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Digits,
    Letters,
    Blanks,
    Sign(char),
}

impl Part {
    fn of(sign: char) -> Self {
        match sign {
            '0'..='9' => Self::Digits,
            'a'..='z' | 'A'..='Z' => Self::Letters,
            ' ' | '\t' => Self::Blanks,
            sign => Self::Sign(sign),
        }
    }
}

/// The parts of a prefix, as of `[1,0]<stdout>:`.
fn parts(prefix: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = prefix.chars().map(Part::of).collect();
    parts.dedup_by(|next, before| next == before && !matches!(next, Part::Sign(_)));
    parts
}

/// The rest of a line after a prefix with these parts; the line itself if it has another prefix or none.
fn without<'a>(line: &'a str, parts: &[Part]) -> &'a str {
    let mut rest = line;
    for part in parts {
        let is_part = |sign: char| Part::of(sign) == *part;
        let Some(first) = rest.chars().next().filter(|&sign| is_part(sign)) else {
            return line;
        };
        rest = match part {
            Part::Sign(_) => &rest[first.len_utf8()..],
            _ => rest.trim_start_matches(is_part),
        };
    }
    rest
}

/// The lines of a text with their numbers, without blanks around them and without what `mpirun --tag-output`, `srun --label`,
/// `mpiexec -l` or a log with times writes before each line.
pub fn lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let text = text.trim_start_matches('\u{feff}');
    let prefix = text.lines().find_map(|line| {
        let line = line.trim();
        Some(&line[..BEGINS.iter().filter_map(|begin| line.find(begin)).min()?])
    });
    let parts = parts(prefix.unwrap_or_default().trim_end());
    (1..).zip(text.lines().map(move |line| {
        // Parts of a log may have no line that begins a test.
        let tagged = line
            .strip_prefix('[')
            .and_then(|line| line.split_once("]<stdout>:"));
        match (tagged, prefix) {
            (Some((_, line)), None) => line.trim(),
            _ => without(line.trim(), &parts).trim(),
        }
    }))
}

/// A line inside of a table that is no row of it: one of another program, which does not end the table.
///
/// # Errors
/// A line that may hide a row: its last words are as many numbers as a row has, or it has control characters.
pub fn foreign(number: u64, line: &str, width: usize) -> Result<(), Unread> {
    let numbers = line
        .split_whitespace()
        .rev()
        .take_while(|word| word.parse::<f64>().is_ok() || ["Pass", "Fail", "N/A"].contains(word))
        .count();
    let message = match () {
        () if line.contains(|sign: char| sign.is_control() && sign != '\t') => {
            "a line with control characters"
        }
        () if numbers >= width => "a row after other text",
        () => return Ok(()),
    };
    Err(Unread::at(
        number,
        format!("{message} inside of a table; remove what other programs wrote"),
    ))
}

/// A last line without its end, where a run was killed or a disk was full.
///
/// # Errors
/// Its line, unless it is empty or a comment.
pub fn check_end(text: &str) -> Result<(), Unread> {
    let last = text.lines().next_back().unwrap_or_default().trim();
    if text.ends_with('\n') || last.is_empty() || last.starts_with('#') {
        return Ok(());
    }
    let reason = "the last line has no end, so its numbers may be cut; measure again, or add a line end if it is whole";
    Err(Unread::at(text.lines().count() as u64, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_launchers_and_logs_are_removed() {
        for (one, other) in [
            ("[1,0]<stdout>:", "[12,10]<stderr>: "),
            (
                "[prterun-node1-1234@1,0]<stdout>: ",
                "[prterun-node1-99@1,0]<stdout>: ",
            ),
            ("[0] ", "[117] "),
            ("0: ", " 12: "),
            (
                "Thu Nov 27 12:00:00 2025<stdout>:",
                "Fri Nov  7 00:00:01 2025<stdout>:",
            ),
            ("2025-11-27T12:00:00.123Z ", "2025-11-28T00:00:00.4Z "),
            ("", "  "),
        ] {
            let text = format!(
                "{one}# OSU MPI Barrier Latency Test v7\n{other}  8  10.00\n{other}\nword 4\n"
            );
            let found: Vec<(u64, &str)> = lines(&text).collect();
            let expected = [
                "# OSU MPI Barrier Latency Test v7",
                "8  10.00",
                "",
                "word 4",
            ];
            assert_eq!(found, (1..).zip(expected).collect::<Vec<_>>(), "{one}");
        }
    }

    #[test]
    fn a_line_that_may_hide_a_row_is_refused() {
        for line in [
            "[node01:12345] 3 more processes have sent a message",
            "real 0m3.4s",
            "retry 3 of 5",
            "",
        ] {
            assert_eq!(foreign(1, line, 2), Ok(()), "{line}");
        }
        for line in [
            "node3 8 10.00",
            "\u{1b}[32m8 10.00\u{1b}[0m",
            "x 8 10.00 Pass",
        ] {
            assert!(foreign(1, line, 2).is_err(), "{line}");
        }
    }

    #[test]
    fn a_last_line_without_its_end_is_refused() {
        for whole in ["", "8 10\n", "8 10\r\n", "8 10\n# the e", "8 10\n  "] {
            assert_eq!(check_end(whole), Ok(()), "{whole}");
        }
        assert_eq!(check_end("4 5\n8 1").unwrap_err().line, Some(2));
    }
}
