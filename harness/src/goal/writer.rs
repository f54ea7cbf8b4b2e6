//! Programs that run in order as GOAL.

use std::io::{self, Write};

use algorithms::engine::program::{Operation, Program};

/// Writes a program. Every operation requires the one before it: readers start free operations in an order of their own.
///
/// # Errors
/// Those of the writer, and [`io::ErrorKind::InvalidInput`] for a program that does not run in order.
pub fn write(program: &Program, out: &mut impl Write) -> io::Result<()> {
    if !program.is_in_order() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the program does not run in order"));
    }
    writeln!(out, "num_ranks {}", program.processors())?;
    for rank in 0..program.processors() {
        writeln!(out, "\nrank {rank} {{")?;
        for (label, number) in (1u64..).zip(program.range(rank)) {
            match program.operation(number) {
                Operation::Send { to, tag, bytes } => writeln!(out, "l{label}: send {bytes}b to {to} tag {tag}")?,
                Operation::Receive { from, tag, bytes } => {
                    writeln!(out, "l{label}: recv {bytes}b from {from} tag {tag}")?
                }
                Operation::Compute { time } => writeln!(out, "l{label}: calc {time}")?,
            }
            if label > 1 {
                writeln!(out, "l{label} requires l{}", label - 1)?;
            }
        }
        writeln!(out, "}}")?;
    }
    Ok(())
}
