//! Plans of points that were asked for.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::Arc;

use algorithms::error::Error;

use super::plan::Loaded;

/// Most bytes of plans that are kept, so that one is not made twice in a row.
const MAX_BYTES: usize = 64 << 20;
/// What an answer takes beside its text and its plan, about.
const OVERHEAD: usize = 1 << 10;

/// A plan, or why there is none.
pub type Answer = Result<Arc<Loaded>, Error>;

/// Answers by what was asked for.
pub struct Kept<Key> {
    answers: HashMap<Key, (Answer, usize)>,
    /// The keys, the oldest first.
    order: VecDeque<Key>,
    bytes: usize,
}

impl<Key> Default for Kept<Key> {
    fn default() -> Self {
        Self {
            answers: HashMap::new(),
            order: VecDeque::new(),
            bytes: 0,
        }
    }
}

impl<Key: Clone + Eq + Hash> Kept<Key> {
    /// The answer to a question.
    pub fn get(&self, key: &Key) -> Option<Answer> {
        self.answers.get(key).map(|(answer, _)| answer.clone())
    }

    /// Keeps an answer; `text` is the length of its text. The oldest ones are forgotten when all are above [`MAX_BYTES`].
    pub fn keep(&mut self, key: Key, text: usize, answer: &Answer) {
        let bytes = OVERHEAD + text + answer.as_ref().map_or(0, |loaded| loaded.bytes(text));
        self.bytes += bytes;
        match self.answers.insert(key.clone(), (answer.clone(), bytes)) {
            Some((_, before)) => self.bytes -= before,
            None => self.order.push_back(key),
        }
        while self.bytes > MAX_BYTES
            && self.order.len() > 1
            && let Some(oldest) = self.order.pop_front()
        {
            self.bytes -= self.answers.remove(&oldest).map_or(0, |(_, bytes)| bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use algorithms::internals::collectives::written::{Operations, Written};

    use super::*;

    #[test]
    fn the_oldest_answers_are_forgotten() {
        let mut kept = Kept::default();
        let answer = || {
            let plan = Written::Operations(Arc::new(Operations::new(1, 0)));
            Ok(Arc::new(Loaded::from((plan, None))))
        };
        let text = MAX_BYTES / 10;
        for key in 0..100 {
            kept.keep(key, text, &answer());
            assert!(kept.get(&key).is_some() && kept.bytes <= MAX_BYTES);
            assert_eq!(kept.order.len(), kept.answers.len());
        }
        assert!(kept.get(&0).is_none() && kept.get(&98).is_some());
        // One that is too large alone is kept until the next.
        kept.keep(100, 2 * MAX_BYTES, &answer());
        assert!(kept.get(&100).is_some() && kept.answers.len() == 1);
        kept.keep(100, 1, &answer());
        assert!(kept.bytes < MAX_BYTES && kept.order.len() == 1);
        // Points without a plan are counted, too.
        (200..200_000).for_each(|key| kept.keep(key, 1, &Err(Error::Overflow)));
        assert!(kept.answers.len() <= MAX_BYTES / OVERHEAD);
    }
}
