//! How the process of a rank ends without returning to its caller.

use std::time::Duration;

use crate::results::Status;

/// Ends a measurement from any thread: rank 0 saves the results and prints how it ended. Returns the exit code. A
/// second call saves nothing.
pub type End<'a> = &'a (dyn Fn(Status) -> i32 + Sync);

/// How long other ranks wait for rank 0 to save the results, which may itself wait for a limit. The launcher ends them
/// when rank 0 exits.
pub const KEEPING: Duration = Duration::from_secs(20);
