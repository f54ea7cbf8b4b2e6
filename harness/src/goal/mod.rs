//! GOAL, the text in which LogGOPSim and ATLAHS take schedules (Hoefler, Siebert, Lumsdaine, "Group operation assembly
//! language", ICPP 2009; the dialect is that of LogGOPSim's `txt2bin`).
//!
//! ```text
//! num_ranks 2
//! rank 0 {
//! l1: calc 100
//! l2: send 8b to 1 tag 0
//! l2 requires l1
//! }
//! rank 1 {
//! l1: recv 8b from 0 tag 0
//! }
//! ```
//!
//! An operation may have a label, a tag, a `cpu` and a `nic`, each 0 by default. `a requires b` begins a after b is done,
//! `a irequires b` after b has begun, or after b is posted where b is a receive. A statement ends with its line, here also with `;`.
//! Comments are `// ...` and `/* ... */`. Labels are those of their rank, and may be used before the line that they stand on.
//!
//! **Posting.** A receive is posted as soon as what it requires lets it. That occupies no cpu. LogGOPSim marks it as started then,
//! whether its message is there or not, and as done when the message is taken in (`OP_RECV` and `OP_MSG` in `LogGOPSim.cpp`). There it
//! waits for its cpu to be free, too; here it does not.
//!
//! **Matching.** `from -1` is any sender, `tag -1` any tag. `txt2bin.re` writes 2^32 - 1 for both, so that is no rank and no tag here. A
//! message is matched when its first byte arrives, `o + L` of one byte after its send began. It goes to the first posted receive that
//! fits, else it waits. A receive that is posted takes the first message that waits and fits. These are the lists `rq` and `uq` of
//! LogGOPSim (`doc/README-mpi-matching`), and MPI's rules. First bytes that arrive at the same time come by the rank of their
//! sender, and those of one sender in the order in which their sends began. LogGOPSim leaves such ties to the order of its event queue.
//! The receive begins when the last byte is there.
//!
//! **Sizes.** LogGOPSim compares none. Here, as under MPI, a receive may be larger than its message and must not be smaller.

pub mod reader;
pub mod writer;

#[cfg(test)]
mod tests;
