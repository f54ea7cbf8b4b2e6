//! What a learnt machine decides for an MPI library: which of its algorithms to run, call by call.

use std::collections::BTreeMap;

use crate::libraries::{self, Default, Family, Function, Library, Numbered};

use super::{Rule, Take, spans};
use crate::predict::decision::Margin;
use crate::predict::learned::Learned;
use crate::predict::measured::{Label, Size};
use crate::predict::names::{self, Variant};
use crate::predict::programs::{Call, Program};

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
    /// What a decision must promise.
    pub margin: Margin,
    /// Another library that was measured, whose default says nothing.
    pub other: Option<&'a str>,
}

/// What is decided for a call.
struct Decided {
    /// What to run; none for the default.
    take: Option<Take>,
    /// The fastest algorithm, for a file that cannot leave the call to the library.
    fastest: Option<Take>,
    why: String,
}

impl Decided {
    fn default_because(why: String) -> Self {
        Self {
            take: None,
            fastest: None,
            why,
        }
    }
}

/// An algorithm and what it does; the library's own choice has no program.
type Priced = (Label, Option<(Program, Call)>);

/// The function of MPI that is a collective of tables; for a library that has no algorithm of it the one with the same programs of which
/// it has: a reduce-scatter of NCCL has blocks of one size.
pub fn function_of(library: Library, collective: &str) -> Option<&'static Function> {
    let of = |known: fn(&Function) -> String| {
        libraries::functions().filter(move |function| known(function) == collective)
    };
    let own = |function: &Function| names::collective(function.name);
    let like =
        |function: &Function| names::with_programs(&names::collective(function.name)).to_owned();
    let has_any = |function: &&Function| !function.algorithms(library).is_empty();
    let mut known = of(own).filter(has_any).chain(of(like).filter(has_any));
    known.next().or_else(|| of(own).next())
}

/// The function of MPI that is a collective of tables.
pub fn function(collective: &str) -> Option<&'static Function> {
    libraries::functions().find(|function| names::collective(function.name) == collective)
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

/// Whether the function of a collective cannot be called so, because a rank's block would be empty.
pub fn has_empty_blocks(collective: &str, size: Size) -> bool {
    function(collective).is_some_and(|function| call(function, size).is_none())
}

impl Deciding<'_> {
    /// Decisions for the function of a collective at sizes of the whole vector in ascending order, on one number of ranks.
    pub fn rules(&self, collective: &str, sizes: &[Size]) -> Vec<Rule> {
        let Some(function) = function_of(self.library, collective) else {
            return Vec::new();
        };
        let mut decided: Vec<(Rule, Option<Take>)> = sizes
            .iter()
            .filter_map(|&size| {
                let ranks = size.ranks;
                let call = call(function, size)?;
                let Decided { take, fastest, why } = self.decide(collective, function, size, call);
                let rule = Rule {
                    function,
                    ranks: [ranks, ranks],
                    bytes: [call.bytes, call.bytes],
                    take,
                    why,
                };
                Some((rule, fastest))
            })
            .collect();
        decided.dedup_by_key(|(rule, _)| rule.bytes);
        let family = self.library.family();
        let has_any = decided.iter().any(|(rule, _)| rule.take.is_some());
        let rule = |(mut rule, fastest): (Rule, Option<Take>)| {
            if has_any && !family.leaves_calls() && rule.take.is_none() && fastest.is_some() {
                rule.take = fastest;
                rule.why += "; without a line it would run on one channel";
            }
            rule
        };
        let decided: Vec<Rule> = decided.into_iter().map(rule).collect();
        spans(&decided, family)
    }

    fn decide(
        &self,
        collective: &str,
        function: &'static Function,
        size: Size,
        call: libraries::Call,
    ) -> Decided {
        let known = function.algorithms(self.library).iter();
        let priced: Vec<_> = known
            .flat_map(|known| {
                let measured = self.measured(collective, known.name).into_iter();
                measured.map(move |(variant, label)| (known, variant, label))
            })
            .filter(|(known, variant, _)| self.is_run(function, known, variant.segment, call))
            .filter_map(|(known, variant, label)| {
                let take = Take {
                    ours: known.ours,
                    segment: variant.segment,
                    protocol: variant.protocol,
                };
                let priced = self.price(label, size)?;
                Some(((take, variant.name(known.name)), priced))
            })
            .collect();
        let candidates = priced.iter().map(|own| (own, (&own.1.0, own.1.1)));
        let Some(((take, name), of)) = self.learned.fastest(candidates, size) else {
            return Decided::default_because(
                "no time of an algorithm of the library was learnt from".to_owned(),
            );
        };
        let (default, over) = match self.default(collective, function, size, call) {
            Ok(default) => default,
            Err(why) => return Decided::default_because(why),
        };
        let saving = self
            .learned
            .known_saving((&of.0, of.1), (&over.0, over.1), size);
        let saving = match saving {
            Ok(saving) => saving,
            Err(why) => return Decided::default_because(why),
        };
        let why = format!(
            "{name} is predicted to save {:.1} % over the default, {default}, and is faster with a probability of {:.0} %",
            100.0 * saving.share(),
            (100.0 * saving.probability(0.0)).floor()
        );
        Decided {
            take: self.margin.is_met(saving).then_some(*take),
            fastest: Some(*take),
            why,
        }
    }

    /// Measured algorithms of the library that no decision can state, and why: a sentence for each.
    pub fn undecided(&self, collective: &str) -> Vec<String> {
        let Some(function) = function_of(self.library, collective) else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for known in function.algorithms(self.library) {
            for (variant, label) in self.measured(collective, known.name) {
                let why = if !self.is_meant(function, known) {
                    format!(
                        "a decision for {} is for another algorithm of it",
                        known.ours
                    )
                } else if variant.segment > 0 && !self.has_segments(known) {
                    "its file states no segments of it".to_owned()
                } else {
                    continue;
                };
                all.push(format!(
                    "not decided: {collective} {} of {}: {why}",
                    label.algorithm,
                    self.library.name()
                ));
            }
        }
        all
    }

    /// Whether a decision for its name in the catalogue means an algorithm: of two with one name the first.
    fn is_meant(&self, function: &Function, known: &Numbered) -> bool {
        let mut all = function.algorithms(self.library).iter();
        all.find(|own| own.ours == known.ours)
            .is_some_and(|own| *own == known)
    }

    /// Whether a file of the library states segments of an algorithm.
    fn has_segments(&self, known: &Numbered) -> bool {
        self.library.family() == Family::OpenMpi && known.reads_segment
    }

    /// The default of a collective, if it was measured.
    pub fn measured_default(&self, collective: &str) -> Option<&Label> {
        self.labels(collective)
            .find(|label| names::is_default_of(self.library, &label.algorithm))
    }

    /// What the library does without a decision: by what was measured of it, else by the measured algorithm that it is known to run.
    fn default(
        &self,
        collective: &str,
        function: &'static Function,
        size: Size,
        call: libraries::Call,
    ) -> Result<(&str, Priced), String> {
        if let Some(other) = self.other {
            return Err(format!(
                "the default of {other} was measured, not that of {}",
                self.library.name()
            ));
        }
        if let Some(label) = self.measured_default(collective) {
            return Ok(("as measured", (label.clone(), None)));
        }
        let default = match function.default(self.library, call) {
            Default::Known(default) => default,
            Default::Lacks(name) => {
                return Err(format!("the default, {name}, is not in castbench"));
            }
            Default::Unknown => return Err("castbench does not know the default".to_owned()),
        };
        let measured = self.measured(collective, default.name);
        let mut times = measured
            .into_iter()
            .filter(|(variant, _)| variant.segment == 0 && variant.protocol.is_none());
        let time = times.find_map(|(_, label)| self.price(label, size));
        let absent = || format!("no time of the default, {}, was learnt from", default.name);
        Ok((default.name, time.ok_or_else(absent)?))
    }

    /// Whether a file of the library can ask for an algorithm with such segments, and the library then runs it.
    fn is_run(
        &self,
        function: &Function,
        known: &Numbered,
        segment: u64,
        call: libraries::Call,
    ) -> bool {
        self.is_meant(function, known)
            && (segment == 0 || self.has_segments(known))
            && (self.library.family() != Family::OpenMpi
                || function.runs_as(known.number, segment, call) == known.number)
    }

    /// The usual name of an algorithm.
    fn usual<'n>(&'n self, label: &'n Label) -> &'n str {
        self.names.get(&label.algorithm).unwrap_or(&label.algorithm)
    }

    /// What was measured of an algorithm of the library, and is not rejected.
    fn measured(&self, collective: &str, theirs: &str) -> BTreeMap<Variant, &Label> {
        let labels = self.labels(collective);
        let named = labels.map(|label| (self.usual(label), label));
        names::measured_as(self.library, collective, theirs, named)
    }

    /// A measured algorithm; none where it is not defined.
    fn price(&self, label: &Label, size: Size) -> Option<Priced> {
        let program = names::find(&label.collective, self.usual(label), size)?;
        Some((label.clone(), Some(program)))
    }

    /// The measured algorithms of a collective that are not rejected.
    fn labels(&self, collective: &str) -> impl Iterator<Item = &Label> {
        let all = self.learned.labels(collective).into_iter();
        all.filter(|label| !self.learned.rejected.contains_key(*label))
    }
}
