//! Programs as GOAL.

use std::io::{self, Write};

use algorithms::engine::program::{ANY, Operation, Program, Until};

/// Writes a program. Where it runs in order, every operation requires the one before it: readers start free operations in
/// an order of their own.
///
/// # Errors
/// Those of the writer.
pub fn write(program: &Program, out: &mut impl Write) -> io::Result<()> {
    let dependencies = program.dependencies();
    let mut dependencies = dependencies.iter().peekable();
    writeln!(out, "num_ranks {}", program.processors())?;
    for rank in 0..program.processors() {
        writeln!(out, "\nrank {rank} {{")?;
        let range = program.range(rank);
        let label = |number: u32| number - range.start + 1;
        for number in range.clone() {
            let own = label(number);
            match program.operation(number) {
                Operation::Send { to, tag, bytes } => write!(out, "l{own}: send {bytes}b to {to} tag {tag}")?,
                Operation::Receive { from, tag, bytes } => {
                    write!(out, "l{own}: recv {bytes}b from {} tag {}", named(from), named(tag))?;
                }
                Operation::Compute { time } => write!(out, "l{own}: calc {time}")?,
            }
            match program.place(number) {
                (0, 0) => writeln!(out)?,
                (cpu, nic) => writeln!(out, " cpu {cpu} nic {nic}")?,
            }
            if program.is_in_order() && own > 1 {
                writeln!(out, "l{own} requires l{}", own - 1)?;
            }
        }
        // A requirement may name operations below it, so they stand together at the end.
        while let Some((later, earlier, until)) = dependencies.next_if(|(later, ..)| range.contains(later)) {
            let word = if *until == Until::Started { "irequires" } else { "requires" };
            writeln!(out, "l{} {word} l{}", label(*later), label(*earlier))?;
        }
        writeln!(out, "}}")?;
    }
    Ok(())
}

/// A rank or a tag of a receive, each of which may be any.
fn named(number: u32) -> i64 {
    if number == ANY { -1 } else { number.into() }
}
