//! Plans from a function of the process that uses this library, as one of Python.

use std::sync::{Arc, Mutex, PoisonError};

use algorithms::catalogue::find;
use algorithms::error::Error;
use algorithms::internals::collectives::hierarchy::Known;
use algorithms::internals::collectives::known::Given;

use super::formula::Formula;
use super::json;
use super::kept::{Answer, Kept};
use super::own::{Origin, Own};
use super::point::Point;
use super::shape::Shape;
use crate::failure::Failure;
use crate::units::is_name;

/// Answers a point, as one line of JSON, with a plan in JSON, or says why there is none.
pub type Asked = dyn Fn(&str) -> Result<String, String> + Send + Sync;

/// A function that makes plans.
pub struct Function {
    name: String,
    asked: Box<Asked>,
    kept: Mutex<Kept>,
}

impl Function {
    /// The plan of a point.
    ///
    /// # Errors
    /// [`Error::Given`] with the point.
    pub fn plan(&self, point: &Point, shape: &Shape) -> Answer {
        // Not locked while the function runs: it may wait for a lock of its own.
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept().get(point);
        known.unwrap_or_else(|| {
            let question = point.question(shape);
            let text = (self.asked)(question.trim_end());
            let bytes = question.len() + text.as_ref().map_or(0, String::len);
            let read = |text: String| json::read(text.as_bytes(), shape).map(Arc::new);
            let answer = text.and_then(read).map_err(|told| {
                Error::Given(format!("the function of `{}`: {told}; the point is {}", self.name, question.trim_end()))
            });
            // What goes wrong is told by every call.
            if answer.is_ok() {
                kept().keep(point, bytes, &answer);
            }
            answer
        })
    }
}

/// Adds an algorithm whose plans a function makes to the catalogue; it takes the place of one of this name that was given before.
///
/// # Errors
/// Exit code 2 for a name that an algorithm of castbench has or that is none, an unknown collective, a formula that cannot be read.
pub fn give(name: &str, problem: &str, formula: Option<&str>, asked: Box<Asked>) -> Result<(), Failure> {
    if !is_name(name) || name.contains([':', ',', ' ', '.']) {
        let expected = "expected at most 200 bytes, without `:`, `,`, `.` and blanks";
        return Err(Failure::usage(format_args!("`{name}` is no name of an algorithm; {expected}")));
    }
    if find(name).is_some_and(|entry| !entry.is_given) {
        return Err(Failure::usage(format_args!("castbench has an algorithm `{name}`; choose another name")));
    }
    let collectives = Known::all();
    let collective = collectives.iter().find(|known| known.name == problem).ok_or_else(|| {
        let names: Vec<&str> = collectives.iter().map(|known| known.name).collect();
        Failure::usage(format_args!("`{problem}` is not a collective; expected one of {}", names.join(", ")))
    })?;
    let formula = formula
        .map(|text| Formula::parse(text).map_err(|told| Failure::usage(format_args!("the formula `{text}`: {told}"))));
    let function = Function { name: name.to_owned(), asked, kept: Mutex::default() };
    let own = Own { collective: *collective, origin: Origin::Function(function), formula: formula.transpose()? };
    let place = format!("function {name}");
    Given { name: name.to_owned(), summary: place.clone(), file: "this process".to_owned(), place }
        .give(collective.name, own);
    Ok(())
}
