//! The collectives of Open MPI's component tuned by their numbers, and the algorithms of each version.

use crate::libraries::{Family, Library};

/// The names of a collective's algorithms in a version, from number 1 on.
pub(super) fn algorithms(collective: usize, version: Library) -> Vec<&'static str> {
    Family::OpenMpi.rows()[collective].names(version)
}

/// The function of MPI, for messages.
pub(super) fn function(collective: usize) -> &'static str {
    Family::OpenMpi.rows()[collective].name
}

/// Why calls on other numbers of ranks than two fail, if they do.
pub(super) fn only_two(collective: usize, number: i64, version: Library) -> Option<String> {
    let index = usize::try_from(number).ok()?.checked_sub(1)?;
    let is_it = algorithms(collective, version).get(index) == Some(&"two_proc");
    let name = function(collective);
    is_it.then(|| format!("two_proc: {name} fails on other numbers of ranks than 2"))
}

/// Why no call can run an algorithm of this number, if none can.
pub(super) fn missing(collective: usize, number: i64, version: Library) -> Option<String> {
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
