//! The labels of a rank.
//!
//! Most labels are one word with a counter: `l1`, `l2`, ... Labels with the word of the first such label are looked up
//! by number.

use std::collections::HashMap;

/// A label in the text, with or without a known operation.
pub(super) type Label = u32;

const NONE: u32 = u32::MAX;

/// Smaller labels are counters after the word, relative to the smallest; the others are indices into the list of other
/// labels.
const OTHER: u32 = 1 << 31;

/// Most missing numbers that are stored, in addition to one entry per label.
const LEFT_OUT: usize = 1024;

#[derive(Default)]
pub(super) struct Labels {
    word: Vec<u8>,
    /// The counter of the first label with the word.
    first: Option<u32>,
    /// The operations of the labels from `first` on.
    numbered: Vec<u32>,
    /// Whether a label beyond them was read, so that all further labels go to the list.
    is_closed: bool,
    others: HashMap<Box<[u8]>, u32>,
    operations: Vec<u32>,
}

impl Labels {
    pub fn clear(&mut self) {
        self.first = None;
        self.numbered.clear();
        self.is_closed = false;
        self.others.clear();
        self.operations.clear();
    }

    /// Finds a label or adds it.
    #[inline]
    pub fn of(&mut self, text: &[u8]) -> Label {
        self.by_number(text).unwrap_or_else(|| self.other(text))
    }

    #[inline]
    fn by_number(&mut self, text: &[u8]) -> Option<Label> {
        if self.word.is_empty() {
            let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
            if digits > 0 {
                self.word = text[..text.len() - digits].to_vec();
            }
        }
        let is_word = text.len() > self.word.len() && self.word.iter().zip(text).all(|(one, other)| one == other);
        let digits = if is_word { &text[self.word.len()..] } else { return None };
        // A number has one spelling.
        if digits.len() > 9 || digits[0] == b'0' && digits.len() > 1 {
            return None;
        }
        let mut number = 0u32;
        for digit in digits {
            if !digit.is_ascii_digit() {
                return None;
            }
            // Nine digits cannot overflow.
            number = number.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'));
        }
        let label = number.checked_sub(*self.first.get_or_insert(number))?;
        let place = label as usize;
        if place == self.numbered.len() && !self.is_closed {
            self.numbered.push(NONE);
        } else if place >= self.numbered.len() {
            self.is_closed |= place > 2 * self.numbered.len() + LEFT_OUT;
            if self.is_closed {
                return None;
            }
            self.numbered.resize(place + 1, NONE);
        }
        Some(label)
    }

    #[cold]
    fn other(&mut self, text: &[u8]) -> Label {
        if let Some(&label) = self.others.get(text) {
            return label;
        }
        // A file has fewer labels.
        let label = OTHER | u32::try_from(self.operations.len()).unwrap_or(OTHER - 1);
        self.others.insert(text.into(), label);
        self.operations.push(NONE);
        label
    }

    fn slot(&mut self, label: Label) -> &mut u32 {
        if label < OTHER { &mut self.numbered[label as usize] } else { &mut self.operations[(label - OTHER) as usize] }
    }

    #[inline]
    pub fn operation(&mut self, label: Label) -> Option<u32> {
        Some(*self.slot(label)).filter(|&operation| operation != NONE)
    }

    /// Gives a label to an operation. Returns the operation that already has it.
    #[inline]
    pub fn give(&mut self, label: Label, operation: u32) -> Option<u32> {
        let slot = self.slot(label);
        if *slot != NONE {
            return Some(*slot);
        }
        *slot = operation;
        None
    }

    pub fn text(&self, label: Label) -> String {
        if label < OTHER {
            let number = self.first.unwrap_or(0) + label;
            return format!("{}{number}", String::from_utf8_lossy(&self.word));
        }
        let found = self.others.iter().find(|other| *other.1 == label);
        found.map_or_else(String::new, |(text, _)| String::from_utf8_lossy(text).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// Numbers too far apart to be stored by counter give the same label each time.
    #[test]
    fn labels_are_told_apart_as_their_texts_are() {
        let mut labels = Labels::default();
        let mut known: HashMap<String, u32> = HashMap::new();
        for rank in 0..3u32 {
            labels.clear();
            known.clear();
            let mut operation = 0;
            for number in [5u32, 6, 7, 3, 70, 300, 5000, 1500, 0, 4000, 5001, 999_999_999, 4_000_000_000].repeat(2) {
                for text in [format!("l{number}"), format!("l0{number}"), format!("m{number}"), "l".to_owned()] {
                    let label = labels.of(text.as_bytes());
                    assert_eq!(labels.operation(label), known.get(&text).copied(), "{text} of rank {rank}");
                    assert_eq!(labels.text(label), text);
                    let before = labels.give(label, operation);
                    assert_eq!(before, known.get(&text).copied());
                    known.entry(text).or_insert(operation);
                    operation += 1;
                }
            }
        }
    }
}
