//! Plans of points that were asked for.

use std::collections::HashMap;
use std::sync::Arc;

use algorithms::error::Error;

use super::plan::Loaded;
use super::point::PlanPoint;

/// Most bytes of answers that are kept, so that one point is not asked for twice in a row.
const MAX_BYTES: usize = 16 << 20;

/// A plan, or why there is none.
pub type Answer = Result<Arc<Loaded>, Error>;

/// Answers by the values of their points.
#[derive(Default)]
pub struct Kept {
    answers: HashMap<[u64; PlanPoint::KEYS.len()], Answer>,
    bytes: usize,
}

impl Kept {
    /// The answer for a point.
    pub fn get(&self, point: &PlanPoint) -> Option<Answer> {
        self.answers.get(point.values()).cloned()
    }

    /// Keeps an answer. `bytes` is the length of its text; above [`MAX_BYTES`] in all, the other answers are forgotten.
    pub fn keep(&mut self, point: &PlanPoint, bytes: usize, answer: &Answer) {
        self.bytes += bytes;
        if self.bytes > MAX_BYTES {
            self.answers.clear();
            self.bytes = bytes;
        }
        self.answers.insert(*point.values(), answer.clone());
    }
}
