//! What every room needs: failures and exit codes, numbers as text, the terminal, threads.

#[macro_use]
pub mod failure;

pub mod answers;
pub(crate) mod children;
pub mod count;
pub(crate) mod near;
pub mod progress;
pub mod revision;
pub mod terminal;
pub(crate) mod threads;
pub mod units;
