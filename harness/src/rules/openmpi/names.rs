//! The collectives of Open MPI's component tuned by their numbers, and the algorithms of each version.

use super::super::Version;
use crate::reference::libraries::TUNED;

/// The names of a collective's algorithms in a version, from number 1 on.
pub(super) fn algorithms(collective: usize, version: Version) -> Vec<&'static str> {
    TUNED[collective].algorithms(match version {
        Version::OpenMpi4 => "4.1",
        Version::OpenMpi5 => "5.0",
        _ => "6.0",
    })
}

/// The function of MPI, for messages.
pub(super) fn function(collective: usize) -> &'static str {
    TUNED[collective].name
}

/// Why no call can run an algorithm of this number, if none can.
pub(super) fn missing(collective: usize, number: i64, version: Version) -> Option<String> {
    let known = algorithms(collective, version).len();
    let has = usize::try_from(number).is_ok_and(|number| number <= known);
    (!has).then(|| {
        format!(
            "{} has no algorithm {number}: {} fails with MPI_ERR_ARG; write 0 to {known}",
            version.name(),
            function(collective)
        )
    })
}
