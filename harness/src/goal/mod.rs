//! GOAL, the schedules of LogGOPSim and ATLAHS (Hoefler, Siebert, Lumsdaine, "Group operation assembly language", ICPP
//! 2009), in the dialect of LogGOPSim's `txt2bin`.
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
//! An operation may have a label, a tag, a `cpu` and a `nic`, each 0 by default. `a requires b` begins a after b is
//! done, `a irequires b` after b has begun, or is posted if b is a receive. A statement ends with its line, here also
//! with `;`. Comments are `// ...` and `/* ... */`. Labels are local to their rank and may be used before their
//! definition.
//! A tag has up to 64 bits, as in schedules from traces of NCCL; a cpu and a nic up to 32.
//!
//! **Posting.** A receive is posted as soon as its requirements allow. That occupies no cpu. LogGOPSim marks it as
//! started then, and as done when its message is taken in (`OP_RECV` and `OP_MSG` in `LogGOPSim.cpp`). LogGOPSim also
//! waits for the cpu to be free before posting; castbench does not.
//!
//! **Matching.** `from -1` is any sender, `tag -1` any tag. `txt2bin.re` writes both as 2^32 - 1, so that is not a rank
//! or a tag here. A message is matched when its first byte arrives, `o + L` of one byte after its send began. It goes
//! to the first posted receive that matches, else it waits. A posted receive takes the first waiting message that
//! matches. These are the lists `rq` and `uq` of LogGOPSim (`doc/README-mpi-matching`), and MPI's rules. First bytes
//! that arrive together are ordered by sender rank, and from one sender by the begin of their sends; LogGOPSim leaves
//! such ties to its event queue. The receive begins when the last byte arrives.
//!
//! **Sizes.** LogGOPSim does not compare them. Here, as in MPI, a receive may be larger than its message, not smaller.

pub mod reader;
pub mod writer;

#[cfg(test)]
mod tests;
