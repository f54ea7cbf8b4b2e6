//! What a learnt machine decides for an MPI library: which of its algorithms to run, call by call.

use std::collections::BTreeMap;

use crate::reference::libraries::{self, Default, Family, Function, Library, Numbered};

use super::learned::{Learned, Prediction};
use super::measured::{Label, Size};
use super::names;
use super::programs::{Call, Program};
use crate::rules::{Rule, Take, spans};

/// Bytes of an element of the vectors that are decided for: of `MPI_INT`.
pub const ELEMENT: u64 = 4;

/// A learnt machine and a library that runs on it.
#[derive(Debug)]
pub struct Deciding<'a> {
    /// The machine.
    pub learned: &'a Learned,
    /// Usual names of algorithms with other labels.
    pub names: &'a BTreeMap<String, String>,
    /// The library.
    pub library: Library,
    /// The library's own choice stays where no algorithm saves more than this percentage.
    pub within_percent: u64,
    /// Nor where the fastest is faster than that with less than this percentage of probability.
    pub confidence_percent: u64,
}

/// An algorithm and what it does; the library's own choice has no program.
type Priced = (Label, Option<(Program, Call)>);

/// The function of MPI that a table calls so: `reduce_scatter_block` is another one than `reduce_scatter`.
pub fn function(name: &str) -> Option<&'static Function> {
    libraries::functions()
        .find(|function| {
            function
                .name
                .trim_start_matches("MPI_")
                .eq_ignore_ascii_case(name.trim_start_matches("MPI_"))
        })
        .or_else(|| functions(&names::collective(name)).next())
}

/// The functions of MPI that are one collective here.
pub fn functions(collective: &str) -> impl Iterator<Item = &'static Function> {
    libraries::functions().filter(move |function| names::collective(function.name) == collective)
}

/// The call of a function at a size of a table; none if a rank's block would be empty.
pub fn call(function: &Function, Size { ranks, bytes, .. }: Size) -> Option<libraries::Call> {
    let operand = if function.size == libraries::Size::Blocks {
        bytes / ranks
    } else {
        bytes
    };
    (operand > 0).then_some(libraries::Call {
        K: ranks,
        bytes: operand,
        element: ELEMENT,
    })
}

impl Deciding<'_> {
    /// Decisions for the functions of a collective at sizes of the whole vector in ascending order, on one number of ranks.
    pub fn rules(&self, collective: &str, sizes: &[Size]) -> Vec<Rule> {
        let of_function = |function: &'static Function| {
            let mut decided: Vec<Rule> = sizes
                .iter()
                .filter_map(|&size| {
                    let ranks = size.ranks;
                    let call = call(function, size)?;
                    let (take, why) = self.decide(collective, function, size, call);
                    Some(Rule {
                        function,
                        ranks: [ranks, ranks],
                        bytes: [call.bytes, call.bytes],
                        take,
                        why,
                    })
                })
                .collect();
            decided.dedup_by_key(|rule| rule.bytes);
            spans(&decided)
        };
        functions(collective).flat_map(of_function).collect()
    }

    fn decide(
        &self,
        collective: &str,
        function: &'static Function,
        size: Size,
        call: libraries::Call,
    ) -> (Option<Take>, String) {
        let known = function
            .algorithms(self.library)
            .iter()
            .filter(|known| self.is_run(function, known, call));
        let least = known
            .filter_map(|&known| {
                let priced = self.price(collective, known, size)?;
                Some((known, self.predict(&priced, size)?.log_ns, priced))
            })
            .min_by(|one, other| one.1.total_cmp(&other.1));
        let Some((best, _, of)) = least else {
            return (
                None,
                "no algorithm of the library has a predicted time".to_owned(),
            );
        };
        let (default, over) = match self.default(collective, function, size, call) {
            Ok(default) => default,
            Err(why) => return (None, why),
        };
        let Some(saving) = self.learned.saving((&of.0, of.1), (&over.0, over.1), size) else {
            return (
                None,
                format!("the default, {default}, has no predicted time"),
            );
        };
        let [within, confidence] =
            [self.within_percent, self.confidence_percent].map(|percent| percent as f64 / 100.0);
        let why = format!(
            "{} is predicted to save {:.1} % over the default, {default}, and is faster with a probability of {:.0} %",
            best.name,
            100.0 * saving.share,
            (100.0 * saving.probability).floor()
        );
        if saving.share <= within || saving.probability < confidence {
            return (None, why);
        }
        (
            Some(Take {
                ours: best.ours,
                segment: 0,
            }),
            why,
        )
    }

    fn predict(&self, (label, program): &Priced, size: Size) -> Option<Prediction> {
        self.learned.predict(label, size, *program)
    }

    /// What the library does without a decision: by what was measured of it, else by the algorithm that it
    /// is known to run, measured or not.
    fn default(
        &self,
        collective: &str,
        function: &'static Function,
        size: Size,
        call: libraries::Call,
    ) -> Result<(&str, Priced), String> {
        let label = self.label(collective, |algorithm| {
            names::is_default_of(self.library, algorithm)
        });
        if let Some(label) = label {
            return Ok(("as measured", (label.clone(), None)));
        }
        let default = match function.default(self.library, call) {
            Default::Known(default) => default,
            Default::Lacks(name) => {
                return Err(format!("the default, {name}, is not in castbench"));
            }
            Default::Unknown => return Err("castbench does not know the default".to_owned()),
        };
        let time = self
            .price(collective, default, size)
            .or_else(|| self.unmeasured(collective, default, size));
        time.map_or_else(
            || Err(format!("the default, {}, has no program", default.name)),
            |time| Ok((default.name, time)),
        )
    }

    /// Whether a decision can ask for an algorithm without segments, and the library then runs it.
    fn is_run(&self, function: &Function, known: &Numbered, call: libraries::Call) -> bool {
        // Of two algorithms with one name in the catalogue a decision means the first.
        let is_meant = function
            .algorithms(self.library)
            .iter()
            .find(|own| own.ours == known.ours)
            .is_some_and(|own| *own == known);
        is_meant
            && (self.library.family() != Family::OpenMpi
                || function.runs_as(known.number, 0, call) == known.number)
    }

    /// A library's algorithm; none if other algorithms of the collective were measured and this one was not,
    /// or not truly.
    fn price(&self, collective: &str, known: &Numbered, size: Size) -> Option<Priced> {
        let usual = |algorithm: &String| self.names.get(algorithm).unwrap_or(algorithm).clone();
        let Some(label) = self.label(collective, |algorithm| {
            names::is_of(self.library, collective, &usual(algorithm), known.name)
        }) else {
            return if self.learned.has_seen(collective) {
                None
            } else {
                self.unmeasured(collective, known, size)
            };
        };
        let program = names::find(collective, &usual(&label.algorithm), size)?;
        Some((label.clone(), Some(program)))
    }

    /// The first measured algorithm of a collective that is this one, and not rejected.
    fn label(&self, collective: &str, is_it: impl Fn(&String) -> bool) -> Option<&Label> {
        let mut labels = self
            .learned
            .rows
            .iter()
            .map(|row| &row.label)
            .filter(|label| label.collective == collective)
            .filter(|label| !self.learned.rejected.contains_key(*label));
        labels.find(|label| is_it(&label.algorithm))
    }

    /// A library's algorithm that was not measured.
    fn unmeasured(&self, collective: &str, known: &Numbered, size: Size) -> Option<Priced> {
        if names::needs_switch(known.name) {
            return None;
        }
        let algorithm = format!("{}_{}", known.name, names::family(self.library));
        let program = names::find(collective, &algorithm, size)?;
        let collective = collective.to_owned();
        Some((
            Label {
                collective,
                algorithm,
            },
            Some(program),
        ))
    }
}
