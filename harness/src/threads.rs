//! The threads that points are evaluated on. Results do not depend on how many there are.

use std::fmt::Display;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::{Code, Failure};

/// So many threads; one for each core, or as `RAYON_NUM_THREADS` says, where it is not said.
///
/// # Errors
/// Exit code 1 where the system does not allow as many.
pub fn pool(jobs: Option<usize>) -> Result<ThreadPool, Failure> {
    let threads = jobs.unwrap_or(0);
    ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| refused(threads, &error))
}

/// Does something that uses all cores.
///
/// # Errors
/// Those of [`pool`] and its own.
pub fn within<T: Send>(work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
    pool(None)?.install(work)
}

/// Threads that cannot be started; 0 stands for one for each core.
pub fn refused(threads: usize, error: &dyn Display) -> Failure {
    let told = match threads {
        0 => "a thread for each core".to_owned(),
        1 => "a thread".to_owned(),
        threads => format!("{threads} threads"),
    };
    let advice = "take fewer with --jobs or RAYON_NUM_THREADS, or raise the limit (ulimit -u, the pids of a container)";
    Failure::new(Code::Internal, format_args!("cannot start {told}: {error}; {advice}"))
}
