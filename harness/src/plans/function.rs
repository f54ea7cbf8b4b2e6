//! Plans from a function of the process that uses this library, as one of Python.

use std::sync::{Arc, Mutex, PoisonError};

use algorithms::error::Error;

use super::kept::{Answer, Kept};
use super::point::PlanPoint;
use crate::verify::json;
use crate::verify::shape::Shape;

/// Answers a point, as one line of JSON, with a plan in JSON, or says why there is none.
pub type Callback = dyn Fn(&str) -> Result<String, String> + Send + Sync;

/// A function that makes plans.
pub struct Function {
    name: String,
    callback: Box<Callback>,
    kept: Mutex<Kept<String>>,
}

impl Function {
    /// The function of an algorithm.
    pub fn new(name: &str, callback: Box<Callback>) -> Self {
        Self {
            name: name.to_owned(),
            callback,
            kept: Mutex::default(),
        }
    }

    /// The plan of a point.
    ///
    /// # Errors
    /// [`Error::Given`] with the point.
    pub fn plan(&self, point: &PlanPoint, shape: &Shape) -> Answer {
        // Not locked while the function runs: it may wait for a lock of its own.
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let question = point.question(shape);
        // Its own statement, which releases the lock: the function below takes it again.
        let known = kept().get(&question);
        known.unwrap_or_else(|| {
            let asked = format!("{question}}}");
            let text = (self.callback)(&asked);
            let bytes = asked.len() + text.as_ref().map_or(0, String::len);
            let answer = text
                .and_then(|text| {
                    json::read(text.as_bytes(), shape).map(|plan| Arc::new(plan.into()))
                })
                .map_err(|reason| {
                    Error::Given(format!(
                        "the function of `{}`: {reason}; the point is {asked}",
                        self.name
                    ))
                });
            // Every call reports what goes wrong.
            if answer.is_ok() {
                kept().keep(question, bytes, &answer);
            }
            answer
        })
    }
}
