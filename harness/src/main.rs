//! The `castbench` program.

use std::process::ExitCode;

/// The allocator of musl has one lock, which threads of a sweep wait for.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    castbench::run(revision::revision!())
}
