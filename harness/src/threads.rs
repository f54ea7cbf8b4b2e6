//! The threads that points are evaluated on. Results do not depend on how many there are.

use std::fmt::Display;
use std::process::ExitCode;
use std::thread;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use rustix::process::{Resource, getrlimit};

use crate::failure::{Code, Failure};

/// Most threads that anyone may ask for: more take longer to begin than the work does.
pub const MOST: usize = 1024;

/// Bytes of the stack of a thread, whatever `RUST_MIN_STACK` says.
pub const STACK: usize = 2 << 20;

/// The environment variables that the library reads where the number is not said, the one that counts first.
const VARIABLES: [&str; 2] = ["RAYON_NUM_THREADS", "RAYON_RS_NUM_CPUS"];

/// So many threads; one for each core, or as `RAYON_NUM_THREADS` says, where it is not said.
///
/// # Errors
/// Exit code 2 where the environment asks for more than [`MOST`], 1 where the system does not allow as many.
pub fn pool(jobs: Option<usize>) -> Result<ThreadPool, Failure> {
    if jobs.is_none() {
        check_environment(|variable| std::env::var(variable).ok())?;
    }
    let threads = jobs.unwrap_or(0);
    ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build().map_err(|error| refused(threads, &error))
}

/// Runs the program, on a separate thread if the stack of the first one is below [`STACK`] (`ulimit -s`).
pub fn with_stack(program: fn() -> ExitCode) -> ExitCode {
    let is_enough = getrlimit(Resource::Stack).current.is_none_or(|bytes| bytes >= STACK as u64);
    if !is_enough && let Ok(thread) = thread::Builder::new().stack_size(4 * STACK).spawn(program) {
        return thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    }
    program()
}

/// Refuses more threads than `--jobs` takes. What is no number, or none that the library takes, it leaves to the library,
/// which goes by the cores then.
fn check_environment(value: impl Fn(&str) -> Option<String>) -> Result<(), Failure> {
    for variable in VARIABLES {
        if let Some(threads) =
            value(variable).and_then(|text| text.parse().ok()).filter(|&threads: &usize| threads > MOST)
        {
            return Err(Failure::usage(format_args!(
                "{variable}={threads} in the environment: expected a number of threads from 1 to {MOST}; set it lower, \
                 unset it for one for each core, or say --jobs where there is that option"
            )));
        }
    }
    Ok(())
}

/// Does something that uses all cores.
///
/// # Errors
/// Those of [`pool`] and its own.
pub fn within<T: Send>(work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
    pool(None)?.install(work)
}

/// Does something for each item on all threads of the pool, and returns the results in order.
///
/// # Errors
/// The error of the first item that has one, on any number of threads: rayon's own `collect` returns any of them.
pub fn in_order<I, T, E>(items: I, work: impl Fn(I::Item) -> Result<T, E> + Sync) -> Result<Vec<T>, E>
where
    I: IntoParallelIterator,
    T: Send,
    E: Send,
{
    let results: Vec<Result<T, E>> = items.into_par_iter().map(&work).collect();
    results.into_iter().collect()
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn the_first_error_is_told_even_if_another_is_found_earlier() {
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
        assert_eq!(pool.install(|| in_order(0..3, Ok::<u64, ()>)), Ok(vec![0, 1, 2]));
    }

    #[test]
    fn the_environment_asks_for_no_more_than_an_option_may() {
        for variable in VARIABLES {
            let asked = |text: &str| check_environment(|name| (name == variable).then(|| text.to_owned()));
            for text in ["", "0", "1", "1024", "no number", "-3", "99999999999999999999999"] {
                assert!(asked(text).is_ok(), "{variable}={text}");
            }
            for text in ["1025", "20000", "18446744073709551615"] {
                let failure = asked(text).unwrap_err();
                assert_eq!(failure.code, Code::Usage);
                assert!(
                    failure.message.contains(&format!("{variable}={text} in the environment")),
                    "{}",
                    failure.message
                );
            }
        }
    }
}
