//! The labels of a rank. Most are one word with a counter: `l1`, `l2`, .. They are found by their number, without a hash.

use std::collections::HashMap;

const NONE: u32 = u32::MAX;

/// The most numbers that are left out, beside one for each label.
const LEFT_OUT: usize = 64;

/// The operations of labels.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// The word of the first label, and its counter.
    word: Vec<u8>,
    first: u32,
    count: usize,
    /// The operations of labels with this word, by their counters from the first one on, or [`NONE`].
    numbered: Vec<u32>,
    /// All other labels.
    others: HashMap<Box<[u8]>, u32>,
}

/// A counter as it is written: no zero before other digits, and at most nine digits.
#[inline]
fn counter(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || digits.len() > 9 || digits[0] == b'0' && digits.len() > 1 {
        return None;
    }
    let mut number = 0u32;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        number = number
            .wrapping_mul(10)
            .wrapping_add(u32::from(digit - b'0'));
    }
    Some(number)
}

impl Labels {
    pub fn clear(&mut self) {
        self.count = 0;
        self.numbered.clear();
        if !self.others.is_empty() {
            self.others.clear();
        }
    }

    /// Where the operation of a label would be among those with a counter.
    #[inline]
    fn index(&self, text: &[u8]) -> Option<usize> {
        let (word, digits) = text.split_at_checked(self.word.len())?;
        // The words are short.
        if !word.iter().eq(&self.word) {
            return None;
        }
        counter(digits)?
            .checked_sub(self.first)
            .map(|index| index as usize)
    }

    #[inline]
    pub fn get(&self, text: &[u8]) -> Option<u32> {
        self.at(self.index(text), text)
    }

    /// The operation of a label with this index.
    #[inline]
    fn at(&self, index: Option<usize>, text: &[u8]) -> Option<u32> {
        match index.and_then(|index| self.numbered.get(index).copied()) {
            Some(operation) if operation != NONE => Some(operation),
            _ if self.others.is_empty() => None,
            _ => self.others.get(text).copied(),
        }
    }

    /// Gives a label to an operation, unless it is another one's, which is returned.
    #[inline]
    pub fn give(&mut self, text: &[u8], operation: u32) -> Option<u32> {
        if self.count == 0 {
            let digits = text
                .iter()
                .rev()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            let (word, digits) = text.split_at(text.len() - digits);
            self.first = counter(digits).unwrap_or(0);
            self.word.clear();
            self.word.extend(word);
        }
        let index = self.index(text);
        if let Some(other) = self.at(index, text) {
            return Some(other);
        }
        self.count += 1;
        match index.filter(|&index| index < 2 * self.count + LEFT_OUT) {
            Some(index) if index == self.numbered.len() => self.numbered.push(operation),
            Some(index) if index < self.numbered.len() => self.numbered[index] = operation,
            Some(index) => {
                self.numbered.resize(index, NONE);
                self.numbered.push(operation);
            }
            None => _ = self.others.insert(text.into(), operation),
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// Labels with other words, with zeros before their counters and with counters far apart are found, and told apart.
    #[test]
    fn labels_are_told_apart_as_their_texts_are() {
        let mut labels = Labels::default();
        let mut known: HashMap<String, u32> = HashMap::new();
        for _ in 0..3 {
            labels.clear();
            known.clear();
            let mut operation = 0;
            for number in [
                5u32,
                6,
                7,
                3,
                70,
                300,
                5000,
                1500,
                0,
                4000,
                5001,
                999_999_999,
                4_000_000_000,
            ]
            .repeat(2)
            {
                for text in [
                    format!("l{number}"),
                    format!("l0{number}"),
                    format!("m{number}"),
                    "l".to_owned(),
                ] {
                    assert_eq!(
                        labels.get(text.as_bytes()),
                        known.get(&text).copied(),
                        "{text}"
                    );
                    assert_eq!(
                        labels.give(text.as_bytes(), operation),
                        known.get(&text).copied(),
                        "{text}"
                    );
                    known.entry(text).or_insert(operation);
                    operation += 1;
                }
            }
        }
    }
}
