//! Executes a barrier, and follows which ranks each rank knows to have entered.
//!
//! The [engine] times the operations; what messages tell is judged here, on those times and with nothing
//! known of rounds.

use std::collections::HashMap;

use crate::engine::program::{Operation, Program};
use crate::engine::{self, Machine};
use crate::error::{Error, Rejected};
use crate::logp::LogP;

/// Why no barrier was executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A rank leaves without knowing that another has entered.
    #[error("rank {rank} leaves without having heard of rank {unheard}")]
    Unheard {
        /// The rank that leaves.
        rank: u32,
        /// The rank of which it has not heard.
        unheard: u32,
    },
}

impl From<Violation> for Error {
    fn from(violation: Violation) -> Self {
        Rejected::new("barrier", violation).into()
    }
}

/// What happens at one time: what is taken in counts before what is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Received { from: u32, tag: u32 },
    Sends { to: u32, tag: u32 },
}

/// Executes the program: when its last operation ends, in time units of the machine.
///
/// Time and memory: K^2 / 8 bytes for what ranks know, and as much again for what is under way.
///
/// # Errors
/// [`Error::Rejected`] with a fault of the engine, or with a [`Violation`].
pub fn simulate(model: LogP, program: &Program) -> Result<u64, Error> {
    let mut starts = vec![0; program.operations()];
    let completion =
        engine::observe(Machine::LogP(model), program, |operation, start| starts[operation as usize] = start)?;
    let ranks = program.processors();
    let mut events: Vec<(u64, What, u32)> = Vec::with_capacity(starts.len());
    for rank in 0..ranks {
        for operation in program.range(rank) {
            let start = starts[operation as usize];
            match program.operation(operation) {
                Operation::Send { to, tag, .. } => events.push((start, What::Sends { to, tag }, rank)),
                Operation::Receive { from, tag, .. } => {
                    events.push((start + model.o(), What::Received { from, tag }, rank));
                }
                Operation::Compute { .. } => {}
            }
        }
    }
    events.sort_unstable();
    let words = (ranks as usize).div_ceil(64);
    let mut known = vec![0u64; words * ranks as usize];
    for rank in 0..ranks as usize {
        known[rank * words + rank / 64] |= 1 << (rank % 64);
    }
    let own = |rank: u32| rank as usize * words..(rank as usize + 1) * words;
    let mut under_way: HashMap<(u32, u32, u32), Vec<u64>> = HashMap::new();
    for (_, what, rank) in events {
        match what {
            What::Sends { to, tag } => {
                under_way.insert((rank, to, tag), known[own(rank)].to_vec());
            }
            What::Received { from, tag } => {
                let told = under_way.remove(&(from, rank, tag)).unwrap_or_default();
                known[own(rank)].iter_mut().zip(told).for_each(|(own, told)| *own |= told);
            }
        }
    }
    for rank in 0..ranks {
        let known = &known[own(rank)];
        if let Some(unheard) = (0..ranks).find(|&other| known[other as usize / 64] >> (other % 64) & 1 == 0) {
            return Err(Violation::Unheard { rank, unheard }.into());
        }
    }
    Ok(completion.finish)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::builder::Builder;

    fn barrier(ranks: u32, rounds: &[u32]) -> Result<u64, Error> {
        let mut builder = Builder::new(ranks).unwrap();
        for rank in 0..ranks {
            builder.begin(rank).unwrap();
            for (tag, distance) in (0..).zip(rounds) {
                let (to, from) = ((rank + distance) % ranks, (rank + ranks - distance) % ranks);
                builder.push(Operation::Send { to, tag, bytes: 1 }).unwrap();
                builder.push(Operation::Receive { from, tag, bytes: 1 }).unwrap();
            }
        }
        simulate(LogP::new(6, 2, 4).unwrap(), &builder.in_order().unwrap())
    }

    #[test]
    fn a_round_too_few_or_in_the_wrong_place_is_found() {
        assert_eq!(barrier(5, &[1, 2, 4]), Ok(30));
        assert_eq!(barrier(8, &[4, 2, 1]), Ok(30));
        for (ranks, rounds) in [(5, &[1, 2][..]), (8, &[1, 2, 2]), (2, &[])] {
            let error = barrier(ranks, rounds).unwrap_err();
            assert!(matches!(error.violation(), Some(Violation::Unheard { .. })), "{error}");
        }
    }
}
