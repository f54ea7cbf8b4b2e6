//! The labels of a rank.

use std::collections::HashMap;

use super::scanner::narrow;

/// A label in the text, with or without a known operation.
pub(super) type Label = u32;

#[derive(Default)]
pub(super) struct Labels {
    known: HashMap<Box<[u8]>, Label>,
    operations: Vec<Option<u32>>,
}

impl Labels {
    pub fn clear(&mut self) {
        self.known.clear();
        self.operations.clear();
    }

    /// Finds a label or adds it.
    #[inline]
    pub fn find_or_add(&mut self, text: &[u8]) -> Label {
        if let Some(&label) = self.known.get(text) {
            return label;
        }
        let label = narrow(self.operations.len() as u64);
        self.known.insert(text.into(), label);
        self.operations.push(None);
        label
    }

    /// The operation of a label, if it is known.
    #[inline]
    pub fn operation(&self, label: Label) -> Option<u32> {
        self.operations[label as usize]
    }

    /// Gives a label its operation. Returns the operation that has the label already.
    #[inline]
    pub fn give(&mut self, label: Label, operation: u32) -> Option<u32> {
        let known = &mut self.operations[label as usize];
        let before = *known;
        *known = before.or(Some(operation));
        before
    }

    /// The text of a label, for messages.
    pub fn text(&self, label: Label) -> String {
        let found = self.known.iter().find(|known| *known.1 == label);
        found.map_or_else(String::new, |(text, _)| String::from_utf8_lossy(text).into_owned())
    }
}
