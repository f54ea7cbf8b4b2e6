//! A point as users' plans, commands and formulas see it.

use std::fmt::Write as _;

use algorithms::error::Error;
use algorithms::internals::collectives::Task;
use algorithms::internals::engine::Machine;

use super::shape::Shape;

/// The values of the axes at a point of a collective. On a machine profile, L, o and g are those of a message with all words.
#[derive(Debug, Clone, Copy)]
pub struct PlanPoint {
    /// The task.
    pub task: Task,
    values: [u64; PlanPoint::KEYS.len()],
}

impl PlanPoint {
    /// The keys of all values.
    pub const KEYS: [&'static str; 11] = ["K", "n", "c", "root", "m", "r", "k", "element", "L", "o", "g"];

    /// The point of a task.
    ///
    /// # Errors
    /// The machine has no time for this size.
    pub fn new(task: &Task) -> Result<Self, Error> {
        let Task { K, c, root, m, r, k, element, .. } = *task;
        let n = task.size(task.n)?;
        let model = match task.machine {
            Machine::Words(model) | Machine::LogP(model) => model,
            Machine::LogGops(_) => task.model(task.n)?,
        };
        let values = [K, n, c, root, m, r, k, element, model.L(), model.o(), model.g()];
        Ok(Self { task: *task, values })
    }

    /// The value with a key.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<u64> {
        Self::KEYS.iter().zip(self.values).find(|(known, _)| **known == key).map(|(_, value)| value)
    }

    /// All values, in the order of their keys.
    #[must_use]
    pub fn values(&self) -> &[u64; Self::KEYS.len()] {
        &self.values
    }

    /// The point as a line of JSON, with its end.
    #[must_use]
    pub fn question(&self, shape: &Shape) -> String {
        let mut line = format!("{{\"problem\":\"{}\"", shape.collective.name);
        for (key, value) in Self::KEYS.iter().zip(self.values) {
            // Writing to a string cannot fail.
            let _ = write!(line, ",\"{key}\":{value}");
        }
        line + "}\n"
    }
}
