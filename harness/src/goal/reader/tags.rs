//! Tags of 64 bits.

use std::collections::HashMap;

use super::GoalError;

/// Smaller tags are numbers of the engine; the others are numbered from here in the order of the file.
const LONG: u32 = 1 << 31;

/// The long tags of a file.
#[derive(Debug, Default)]
pub(super) struct Tags {
    numbers: HashMap<u64, u32>,
    values: Vec<u64>,
}

impl Tags {
    /// The number of a tag in the engine.
    #[inline]
    pub fn number(&mut self, tag: u64) -> u32 {
        match u32::try_from(tag) {
            Ok(short) if short < LONG => short,
            _ => self.long(tag),
        }
    }

    #[cold]
    fn long(&mut self, tag: u64) -> u32 {
        let Self { numbers, values } = self;
        *numbers.entry(tag).or_insert_with(|| {
            values.push(tag);
            // A program has fewer operations.
            u32::try_from(values.len() - 1).map_or(LONG, |index| LONG + index)
        })
    }

    /// An error with tags as the file has them.
    pub fn named(&self, error: GoalError) -> GoalError {
        let mut parts = error.message.split("with tag ");
        let mut message = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let end = part.find(|character: char| !character.is_ascii_digit()).unwrap_or(part.len());
            let (number, rest) = part.split_at(end);
            let index = number.parse::<u32>().ok().and_then(|number| number.checked_sub(LONG));
            let long = index.and_then(|index| self.values.get(index as usize));
            message += "with tag ";
            message += &long.map_or_else(|| number.to_owned(), u64::to_string);
            message += rest;
        }
        GoalError { message, ..error }
    }
}
