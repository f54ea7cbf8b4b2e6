//! Shared checks of a configuration of `castbench measure`.

use std::fmt::Display;

use toml::Spanned;

use crate::config::axis::Count;
use crate::config::diagnostics::{Complaint, Source};
use crate::failure::Failure;
use crate::units::grouped;

pub(super) const HELP: &str = "`castbench list --keys` says what every key takes";

pub(super) struct Check<'a> {
    pub source: &'a Source,
}

impl Check<'_> {
    pub fn failure(
        &self,
        span: std::ops::Range<usize>,
        title: impl Display,
        label: impl Display,
        help: impl Display,
    ) -> Failure {
        let help = help.to_string();
        self.source.failure(&Complaint { span, title: title.to_string(), label: label.to_string(), help: &help })
    }

    /// A number within bounds, or its default.
    pub fn count(
        &self,
        key: &str,
        wire: Option<&Spanned<Count>>,
        default: u64,
        bounds: std::ops::RangeInclusive<u64>,
    ) -> Result<u64, Failure> {
        let Some(wire) = wire else { return Ok(default) };
        let Count(value) = *wire.get_ref();
        if bounds.contains(&value) {
            return Ok(value);
        }
        let (least, most) = (grouped(*bounds.start()), grouped(*bounds.end()));
        let label = if least == most { format!("expected {least}") } else { format!("expected {least} to {most}") };
        Err(self.failure(wire.span(), format!("{key} = {} is out of range", grouped(value)), label, HELP))
    }
}
