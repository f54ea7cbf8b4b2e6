//! Programs as GOAL.

use std::io::{self, Write};

use algorithms::internals::engine::{ANY, Operation, Program, Until};
use algorithms::internals::problem::Payloads;

/// What the messages of a program carry, and the collective that they make.
pub type Stated = (&'static str, Payloads);

/// Writes a program behind a comment, with what its messages carry as comments where that is known. A rank that runs in order gets a `requires` for each operation, because readers may reorder
/// independent operations.
///
/// # Errors
/// The output cannot be written.
pub fn write(
    comment: &str,
    program: &Program,
    stated: Option<&Stated>,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "// {comment}")?;
    let dependencies = program.dependencies();
    let mut dependencies = dependencies.iter().peekable();
    if let Some((collective, payloads)) = stated {
        let root = payloads
            .root
            .map_or_else(String::new, |root| format!(" root {root}"));
        writeln!(out, "// collective {collective} cut {}{root}", payloads.cut)?;
    }
    writeln!(out, "num_ranks {}", program.processors())?;
    for rank in 0..program.processors() {
        writeln!(out, "\nrank {rank} {{")?;
        let range = program.range(rank);
        let label = |number: u32| number - range.start + 1;
        for number in range.clone() {
            let own = label(number);
            match program.operation(number) {
                Operation::Send { to, tag, bytes } => {
                    write!(out, "l{own}: send {bytes}b to {to} tag {tag}")?
                }
                Operation::Receive { from, tag, bytes } => {
                    write!(
                        out,
                        "l{own}: recv {bytes}b from {} tag {}",
                        named(from),
                        named(tag)
                    )?;
                }
                Operation::Compute { time } => write!(out, "l{own}: calc {time}")?,
            }
            match program.resources(number) {
                (0, 0) => {}
                (cpu, nic) => write!(out, " cpu {cpu} nic {nic}")?,
            }
            let carried =
                stated.and_then(|(_, payloads)| payloads.operations.get(number as usize)?.as_ref());
            if let Some((is_combined, parts)) = carried {
                write!(
                    out,
                    " // {}",
                    if *is_combined { "combine" } else { "blocks" }
                )?;
                parts
                    .iter()
                    .try_for_each(|(first, end)| match end - first {
                        1 => write!(out, " {first}"),
                        _ => write!(out, " {first}-{}", end - 1),
                    })?;
            }
            writeln!(out)?;
            if program.is_in_order() && own > 1 {
                writeln!(out, "l{own} requires l{}", own - 1)?;
            }
        }
        // A requirement may name later operations, so requirements come last.
        while let Some((later, earlier, until)) =
            dependencies.next_if(|(later, ..)| range.contains(later))
        {
            let word = if *until == Until::Started {
                "irequires"
            } else {
                "requires"
            };
            writeln!(out, "l{} {word} l{}", label(*later), label(*earlier))?;
        }
        writeln!(out, "}}")?;
    }
    Ok(())
}

/// A rank or tag of a receive; -1 for any.
fn named(number: u32) -> i64 {
    if number == ANY { -1 } else { number.into() }
}
