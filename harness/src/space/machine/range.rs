//! The message sizes for which a profile holds.

use std::fmt;

use algorithms::internals::engine::{Operation, Program};
use serde::{Deserialize, Serialize};

use super::{Basis, Machine};
use crate::base::units::{joined, parse_bytes, show_bytes};

/// The sizes at which hop and gap of a profile match the measurement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Validity {
    /// The sizes.
    pub bytes: Vec<Range>,
    /// Largest error at these sizes.
    pub within_percent: u64,
}

impl Validity {
    /// Whether it holds for messages of this size.
    pub fn has(&self, bytes: u64) -> bool {
        self.bytes
            .iter()
            .any(|range| (range.from..=range.to).contains(&bytes))
    }
}

impl fmt::Display for Validity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ranges: Vec<String> = self.bytes.iter().map(Range::text).collect();
        if ranges.is_empty() {
            f.write_str("no size")
        } else {
            f.write_str(&ranges.join(", "))
        }
    }
}

impl Machine {
    /// The first of these sizes for which it is not valid, with the sizes for which it is.
    pub fn outside(&self, sizes: impl IntoIterator<Item = u64>) -> Option<(&Validity, u64)> {
        let valid = self.valid.as_ref()?;
        let size = sizes.into_iter().find(|&size| !valid.has(size))?;
        Some((valid, size))
    }

    /// Why times of messages of these sizes are guesses, if they are. Each verb with times of a profile says it.
    pub fn guess(&self, sizes: impl IntoIterator<Item = u64>) -> Option<String> {
        let unreliable = (self.basis == Basis::Unreliable).then(|| "unreliable".to_owned());
        let outside = self.outside(sizes).map(|(valid, size)| {
            let size = show_bytes(size);
            if valid.bytes.is_empty() {
                return "valid for no size".to_owned();
            }
            format!("valid for messages of {valid}, not of {size}")
        });
        let why = joined(" and ", unreliable.into_iter().chain(outside));
        (!why.is_empty())
            .then(|| format!("profile `{}` is {why}: its times are guesses", self.name))
    }

    /// [`Self::guess`] for the messages of a program.
    pub fn guess_of(&self, program: &Program) -> Option<String> {
        let all = (0..program.processors()).flat_map(|processor| program.range(processor));
        self.guess(
            all.filter_map(|operation| match program.operation(operation) {
                // A message without bytes takes as long as one byte.
                Operation::Send { bytes, .. } => Some(bytes.max(1)),
                _ => None,
            }),
        )
    }
}

/// Sizes of messages, from one to another: `"1B..4KiB"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Range {
    from: u64,
    to: u64,
}

impl Range {
    /// The sizes from `from` to `to`.
    pub fn new(from: u64, to: u64) -> Self {
        Self { from, to }
    }

    /// Whether the largest size is this many times the smallest, or more.
    pub fn reaches(&self, times: u64) -> bool {
        self.to / times >= self.from
    }

    fn text(&self) -> String {
        let Self { from, to } = *self;
        if from == to {
            show_bytes(from)
        } else {
            format!("{} to {}", show_bytes(from), show_bytes(to))
        }
    }
}

impl TryFrom<String> for Range {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (from, to) = text.split_once("..").unwrap_or((&text, &text));
        let range = Self {
            from: parse_bytes(from)?,
            to: parse_bytes(to)?,
        };
        if range.from > range.to {
            return Err(format!(
                "`{text}` begins above its end; expected sizes such as \"1B..4KiB\""
            ));
        }
        Ok(range)
    }
}

impl From<Range> for String {
    fn from(Range { from, to }: Range) -> Self {
        format!("{from}B..{to}B")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_written() {
        let read = |text: &str| Range::try_from(text.to_owned());
        let range = read("1B..4KiB").unwrap();
        assert_eq!(range, Range::new(1, 4096));
        assert_eq!(read(&String::from(range)), Ok(range));
        let valid = Validity {
            bytes: vec![range, read("1MiB").unwrap()],
            within_percent: 10,
        };
        assert!(
            valid.has(1)
                && valid.has(4096)
                && valid.has(1 << 20)
                && !valid.has(4097)
                && !valid.has(0)
        );
        assert_eq!(valid.to_string(), "1 B to 4 KiB, 1 MiB");
        let named = Machine::find("loopback-2-cores", std::path::Path::new(""));
        let mut machine = named.ok().flatten().unwrap();
        machine.valid = Some(valid);
        assert_eq!(machine.guess([1, 4096]), None);
        let guess = |machine: &Machine| machine.guess([1, 4097]).unwrap();
        assert_eq!(
            guess(&machine),
            "profile `loopback-2-cores` is valid for messages of 1 B to 4 KiB, 1 MiB, not of 4097 B: its times are guesses"
        );
        machine.basis = Basis::Unreliable;
        assert!(guess(&machine).contains("` is unreliable and valid for messages of 1 B"));
        assert!(machine.guess([]).is_some());
        machine
            .valid
            .iter_mut()
            .for_each(|valid| valid.bytes.clear());
        assert!(guess(&machine).contains("` is unreliable and valid for no size: its"));
        assert_eq!(
            Validity {
                bytes: Vec::new(),
                within_percent: 10
            }
            .to_string(),
            "no size"
        );
        assert!(read("4KiB..1B").is_err() && read("").is_err());
    }
}
