//! Turns errors of the crate `measure` into failures with a documented exit code.

use measure::{Error, launcher};

use crate::base::failure::{Code, Failure};

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = match &error {
            Error::Interrupted => Code::Interrupted,
            Error::Launched(_) => Code::Configuration,
            Error::Failed(_) | Error::Differ(_) => Code::Measurement,
            Error::Bug(_) => Code::Internal,
        };
        Self::new(code, error)
    }
}

/// A failure that occurs on every rank; only the first rank reports it.
pub fn once(failure: Failure) -> Failure {
    if launcher::speaks() {
        failure
    } else {
        failure.silent()
    }
}

/// The failure for an error, reported once if it occurs on every rank.
pub fn from_error(error: Error) -> Failure {
    if error.is_met_by_every_rank() {
        once(error.into())
    } else {
        error.into()
    }
}
