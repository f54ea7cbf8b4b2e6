//! A broadcast in a fresh process, from schedule to end: its time with the first use of all memory, and again.
//!
//! `cargo run --release -p castbench-algorithms --example engine_first_run -- EXPONENT`

#![expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]

use std::time::Instant;

use castbench_algorithms::internals::engine::schedules;
use castbench_algorithms::internals::engine::{self, Machine};
use castbench_algorithms::internals::logp::multicast::problem::MULTICASTS;
use castbench_algorithms::logp::LogP;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let exponent: u32 = std::env::args_os()
        .nth(1)
        .ok_or("expected an exponent")?
        .to_string_lossy()
        .parse()?;
    let K = 1u32
        .checked_shl(exponent)
        .ok_or("expected an exponent below 32")?;
    let model = LogP::new(6, 2, 4)?;
    let optimal = MULTICASTS.find("optimal");
    let schedule = optimal
        .ok_or("the tree is not in the catalogue")?
        .schedule(model, K, 1);
    for run in ["first", "second", "third"] {
        let start = Instant::now();
        let program = schedules::multicast(&schedule, 1)?;
        let made = start.elapsed();
        let outcome = engine::run(Machine::LogP(model), &program)?;
        println!(
            "{run}: {K} processors, finish {}; program {made:.1?}, with its execution {:.1?}",
            outcome.finish,
            start.elapsed()
        );
    }
    Ok(())
}
