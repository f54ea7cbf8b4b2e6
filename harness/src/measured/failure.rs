//! How a verb ends where the crate `measure` reports an error: its text, with a documented exit code.

use measure::{Error, launcher};

use crate::failure::{Code, Failure};

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = match &error {
            Error::Interrupted => Code::Interrupted,
            Error::Launched { .. } | Error::Alone(_) | Error::NotTwo(_) => Code::Configuration,
            Error::Failed(_)
            | Error::Refused { .. }
            | Error::HostsExist(_)
            | Error::NoSuchHost(_)
            | Error::Differ(_) => Code::Measurement,
            Error::Bug(_) => Code::Internal,
        };
        Self::new(code, error)
    }
}

/// A failure that every rank meets: the first reports it.
#[must_use]
pub fn once(failure: Failure) -> Failure {
    if launcher::speaks() { failure } else { failure.silent() }
}

/// The failure behind an error, reported once where every rank meets it.
#[must_use]
pub fn of(error: Error) -> Failure {
    if error.is_met_by_every_rank() { once(error.into()) } else { error.into() }
}
