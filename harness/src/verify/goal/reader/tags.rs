//! Tags of 64 bits.

use std::collections::HashMap;

use super::GoalError;
use super::scanner::narrow;

/// Smaller tags are numbers of the engine; the others are numbered from here in the order of the file.
const LONG: u32 = 1 << 31;

/// The long tags of a file, with their numbers.
#[derive(Debug, Default)]
pub(super) struct Tags(HashMap<u64, u32>);

impl Tags {
    /// The number of a tag in the engine.
    #[inline]
    pub fn number(&mut self, tag: u64) -> u32 {
        // A program has fewer operations than there are numbers.
        let next = LONG.saturating_add(narrow(self.0.len() as u64));
        match u32::try_from(tag) {
            Ok(short) if short < LONG => short,
            _ => *self.0.entry(tag).or_insert(next),
        }
    }

    /// An error with tags as the file has them.
    pub fn named(&self, error: GoalError) -> GoalError {
        let mut parts = error.message.split("with tag ");
        let mut message = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (number, rest) = part.split_at(part.bytes().take_while(u8::is_ascii_digit).count());
            let parsed = number.parse().ok();
            let long = self
                .0
                .iter()
                .find(|(_, own)| Some(**own) == parsed)
                .map(|(tag, _)| tag.to_string());
            message += &format!("with tag {}{rest}", long.as_deref().unwrap_or(number));
        }
        GoalError { message, ..error }
    }
}
