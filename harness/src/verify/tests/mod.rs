#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "schedules of tests are small, and their mutations may name any number"
)]

pub(crate) mod damage;
mod formats;
pub(crate) mod model;
mod msccl;
mod mutations;

use super::finding::Trouble;

/// A verdict as text.
fn told<T>(verdict: Result<T, Trouble>) -> String {
    match verdict {
        Ok(_) => "right".to_owned(),
        Err(Trouble::Wrong(finding)) => format!("{}: {finding}", finding.kind.name()),
        Err(Trouble::Unread(line, told)) => format!("not read, at {line:?}: {told}"),
    }
}
