//! The threads that evaluate points. Results do not depend on their number.

use std::fmt::Display;
use std::process::ExitCode;
use std::thread;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use rustix::process::{Resource, getrlimit};

use crate::base::failure::{Failure, Result};

/// Most threads: starting more takes longer than the work.
pub const MOST: usize = 1024;

/// Stack of a thread in bytes, regardless of `RUST_MIN_STACK`.
pub const STACK: usize = 2 << 20;

/// The environment variables that rayon reads if no number is given, the first one first.
const VARIABLES: [&str; 2] = ["RAYON_NUM_THREADS", "RAYON_RS_NUM_CPUS"];

/// A pool of this many threads; by default `RAYON_NUM_THREADS`, else one per core.
///
/// # Errors
/// Exit code 2 for no thread or more than [`MOST`], 1 if the system refuses the threads.
pub fn pool(jobs: Option<usize>) -> Result<ThreadPool> {
    match jobs {
        None => check_environment(|variable| std::env::var(variable).ok())?,
        Some(1..=MOST) => {}
        Some(_) => {
            bail!("--jobs: expected a number of threads from 1 to {MOST}");
        }
    }
    let threads = jobs.unwrap_or(0);
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK)
        .build()
        .map_err(|error| refused(threads, &error))
}

/// Runs the program, in another thread if the stack of the first one (`ulimit -s`) is below [`STACK`].
pub fn with_stack(program: fn() -> ExitCode) -> ExitCode {
    let is_enough = getrlimit(Resource::Stack)
        .current
        .is_none_or(|bytes| bytes >= STACK as u64);
    if !is_enough && let Ok(thread) = thread::Builder::new().stack_size(4 * STACK).spawn(program) {
        return thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    }
    program()
}

/// Refuses a variable above the limit of `--jobs`. Rayon ignores invalid values and uses one thread per core.
fn check_environment(value: impl Fn(&str) -> Option<String>) -> Result {
    for variable in VARIABLES {
        if let Some(threads) = value(variable)
            .and_then(|text| text.parse().ok())
            .filter(|&threads: &usize| threads > MOST)
        {
            bail!(
                "{variable}={threads} in the environment: expected a number of threads from 1 to {MOST}; lower it, \
                 unset it for one thread per core, or use --jobs"
            );
        }
    }
    Ok(())
}

/// Runs work on all cores.
///
/// # Errors
/// The errors of [`pool`] and of the work.
pub fn within<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    pool(None)?.install(work)
}

/// Maps the items on all threads of the pool and returns the results in order.
///
/// # Errors
/// That of the first item with an error, on any number of threads; rayon's own `collect` returns any of them.
pub fn in_order<I, T, E>(
    items: I,
    work: impl Fn(I::Item) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E>
where
    I: IntoParallelIterator,
    T: Send,
    E: Send,
{
    let results: Vec<Result<T, E>> = items.into_par_iter().map(&work).collect();
    results.into_iter().collect()
}

/// The failure of starting threads; 0 means one per core.
pub fn refused(threads: usize, error: &dyn Display) -> Failure {
    let explanation = match threads {
        0 => "one thread per core".to_owned(),
        1 => "one thread".to_owned(),
        threads => format!("{threads} threads"),
    };
    let advice = "use fewer with --jobs or RAYON_NUM_THREADS, or raise the limit (ulimit -u, the pids of a container)";
    failure!(Internal, "cannot start {explanation}: {error}; {advice}")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::base::failure::Code;

    #[test]
    fn the_first_error_is_reported_even_if_another_is_found_earlier() {
        let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        for _ in 0..20 {
            let other = AtomicBool::new(false);
            let failing = |number| {
                other.fetch_or(number > 0, Ordering::SeqCst);
                while number == 0 && !other.load(Ordering::SeqCst) {
                    thread::yield_now();
                }
                Err::<(), u64>(number)
            };
            assert_eq!(pool.install(|| in_order(0..1000, failing)), Err(0));
        }
        assert_eq!(
            pool.install(|| in_order(0..3, Ok::<u64, ()>)),
            Ok(vec![0, 1, 2])
        );
    }

    #[test]
    fn the_environment_asks_for_no_more_than_an_option_may() {
        for variable in VARIABLES {
            let checked =
                |text: &str| check_environment(|name| (name == variable).then(|| text.to_owned()));
            for text in [
                "",
                "0",
                "1",
                "1024",
                "no number",
                "-3",
                "99999999999999999999999",
            ] {
                assert!(checked(text).is_ok(), "{variable}={text}");
            }
            for text in ["1025", "20000", "18446744073709551615"] {
                let failure = checked(text).unwrap_err();
                assert_eq!(failure.code, Code::Usage);
                assert!(
                    failure
                        .message
                        .contains(&format!("{variable}={text} in the environment")),
                    "{}",
                    failure.message
                );
            }
        }
    }
}
