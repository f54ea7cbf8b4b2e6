//! One execution of the event engine in a fresh process: its time, including the first use of memory, and the memory of the program (here
//! called schedule) and of the execution.
//!
//! `MALLOC_MMAP_THRESHOLD_=65536 cargo run --release -p castbench-algorithms --example engine_memory -- KIND EXPONENT`, KIND being a
//! number; Linux only. With the threshold glibc returns memory that building the program has freed; otherwise the execution would reuse it
//! unseen.

#![expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]

#[path = "../benches/common/programs.rs"]
mod programs;

use std::time::Instant;

use castbench_algorithms::internals::engine::{self, Machine};
use castbench_algorithms::logp::LogP;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned());
    let kind: usize = arguments
        .next()
        .ok_or("expected the number of a kind")?
        .parse()?;
    let exponent: u32 = arguments.next().ok_or("expected an exponent")?.parse()?;
    let kind = programs::KINDS
        .get(kind)
        .ok_or_else(|| format!("expected a kind below {}", programs::KINDS.len()))?;
    let program = kind.program(exponent);
    // Otherwise the memory of building the program would count as the peak.
    std::fs::write("/proc/self/clear_refs", "5")?;
    let before = kilobytes("VmHWM:")?;
    let start = Instant::now();
    let outcome = engine::run(Machine::LogP(LogP::new(6, 2, 4)?), &program)?;
    let time = start.elapsed();
    let peak = (kilobytes("VmHWM:")? - before) * 1024;
    println!(
        "{}, 2^{exponent}: {} processors, {} operations, finish {}; {time:?} for {} events; {} bytes a processor, {} an operation",
        kind.name,
        program.processors(),
        program.operations(),
        outcome.finish,
        programs::events(&program),
        peak / u64::from(program.processors()),
        peak / program.operations() as u64,
    );
    Ok(())
}

/// A line of the kernel's status of this process.
fn kilobytes(name: &str) -> Result<u64, Box<dyn std::error::Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .ok_or("expected the line in the status")?;
    Ok(line
        .split_whitespace()
        .next()
        .ok_or("expected a number")?
        .parse()?)
}
