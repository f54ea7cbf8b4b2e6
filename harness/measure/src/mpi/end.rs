//! How the process of a rank ends where there is no way back to the caller.

use std::time::Duration;

use crate::results::Status;

/// Ends a measurement, from whichever thread comes to it: on rank 0 keeps what was measured and says how it ended. Returns
/// the exit code of the process. The second time there is nothing to keep.
pub type End<'a> = &'a (dyn Fn(Status) -> i32 + Sync);

/// How long other ranks let rank 0 come to its end first, which keeps what was measured; it may have a limit to wait for.
/// The launcher ends them as soon as rank 0 has gone.
pub const KEEPING: Duration = Duration::from_secs(20);
