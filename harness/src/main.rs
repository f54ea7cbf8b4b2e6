//! The `castbench` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    castbench::run(revision::revision!())
}
