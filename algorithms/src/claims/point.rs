//! A point of a claim's grid: its values, what algorithms of the catalogue cost there, and the command that shows it.

use std::cell::RefCell;

use super::claim::{Claim, Objection, Repeat, Verdict, hold, only};
use crate::catalogue;
use crate::cost::{Agreement, Evaluation, Exact};
use crate::error::Error;
use crate::execution::{Event, Which};
use crate::logp::LogP;
use crate::problem::{Axis, Entry, Evaluator, Setting, Sides, Value, spelled};

/// Without profiles: claims state the parameters of their machines.
static SETTING: Setting = Setting {
    profiles: Vec::new(),
};

/// Values in place of those of a point, by the keys of their axes.
pub(super) type Others<'a> = &'a [(&'a str, u64)];

/// A point of a claim's grid.
pub struct Point<'a> {
    claim: &'a Claim,
    values: Vec<u64>,
    /// What evaluates the algorithms of the claim, kept because it uses again what it knows of the point before.
    evaluators: RefCell<Vec<(Entry, Evaluator<'a>)>>,
}

impl<'a> Point<'a> {
    /// The point of a claim with these values of its axes.
    #[must_use]
    pub fn new(claim: &'a Claim, values: impl Into<Vec<u64>>) -> Self {
        Self {
            claim,
            values: values.into(),
            evaluators: RefCell::default(),
        }
    }

    /// The point of a claim with this number, from 0.
    #[must_use]
    pub fn at(claim: &'a Claim, number: u64) -> Self {
        let mut point = Self::new(claim, []);
        point.go_to(number);
        point
    }

    /// Goes to the point with this number.
    pub(super) fn go_to(&mut self, number: u64) {
        self.values.clear();
        self.values.extend(self.claim.values_at(number));
        self.values.reverse();
    }

    /// The values of the first axes.
    pub(super) fn values<const N: usize>(&self) -> [u64; N] {
        std::array::from_fn(|index| self.values[index])
    }

    /// The value of an axis; of a mesh also its sides.
    #[must_use]
    pub fn value(&self, key: &str) -> Value {
        let own = |key| {
            let index = self.claim.axes.iter().position(|axis| axis.symbol == key);
            index.map(|index| self.values[index])
        };
        let sides = || {
            Sides {
                w: own("w")?,
                h: own("h")?,
            }
            .value()
        };
        own(key).or_else(|| if key == "n" { sides() } else { None })
    }

    /// The value of an axis, or the one in its place.
    pub(super) fn among(&self, key: &str, others: Others<'_>) -> Value {
        let other = others.iter().find(|(own, _)| *own == key);
        other.map(|(_, value)| *value).or_else(|| self.value(key))
    }

    /// The values of an algorithm's axes here; those that the point does not have are the defaults.
    pub(super) fn all(&self, axes: &[Axis], others: Others<'_>) -> Vec<Value> {
        let value = |axis: &Axis| self.among(axis.key, others).or(axis.default);
        axes.iter().map(value).collect()
    }

    /// The machine; the point is outside where the papers on trees exclude it.
    pub(super) fn machine(&self) -> Result<LogP, Objection> {
        let [L, o, g] = self.values();
        only(g >= o)?;
        Ok(LogP::new(L, o, g)?)
    }

    /// What an algorithm costs here, also executed within the limits of the claim; the point is outside where it does not apply.
    pub(super) fn evaluate(&self, name: &str, others: Others<'_>) -> Result<Evaluation, Objection> {
        let mut evaluators = self.evaluators.borrow_mut();
        let known = evaluators.iter().position(|(entry, _)| entry.name == name);
        let index = known.map_or_else(
            || {
                let entry = entry(name)?;
                evaluators.push((entry, entry.evaluator(&SETTING, self.claim.limits)));
                Ok::<_, Error>(evaluators.len() - 1)
            },
            Ok,
        )?;
        let (entry, evaluator) = &mut evaluators[index];
        match evaluator(&self.all(entry.axes(), others)) {
            Err(refused) if refused.is_not_applicable() => Err(Objection::Outside),
            evaluation => Ok(evaluation.map_err(Error::from)?),
        }
    }

    /// The exact cost of an algorithm, and all about it.
    pub(super) fn agreed(
        &self,
        name: &str,
        others: Others<'_>,
    ) -> Result<(Exact, Evaluation), Objection> {
        agreed(self.evaluate(name, others)?)
    }

    /// The cost of an algorithm that has no fractions, with other values.
    pub(super) fn cost_at(&self, name: &str, others: Others<'_>) -> Result<u64, Objection> {
        match self.agreed(name, others)? {
            (Exact::Integer(cost), _) => Ok(cost),
            (_, evaluation) => Err(Objection::Disagree(Box::new(evaluation))),
        }
    }

    /// The cost of an algorithm that has no fractions.
    pub(super) fn cost(&self, name: &str) -> Result<u64, Objection> {
        self.cost_at(name, &[])
    }

    /// Compares the cost of an algorithm with its paper's figure at `section`; outside where there is none.
    pub(super) fn published(&self, name: &str, section: &str) -> Verdict {
        only(self.value("o") <= self.value("g"))?;
        let (cost, evaluation) = self.agreed(name, &[])?;
        let mut published = evaluation.published.into_iter();
        let figure = published.find(|figure| figure.section == section);
        let (Some(figure), Exact::Integer(cost)) = (figure, cost) else {
            return Err(Objection::Outside);
        };
        let (sign, claimed) = (figure.relation.symbol(), figure.value);
        hold!(
            figure.relation.holds(cost, claimed),
            "cost {cost}, claimed {sign} {claimed}"
        )
    }

    /// The events of an algorithm's execution.
    pub(super) fn events(&self, name: &str, others: Others<'_>) -> Result<Vec<Event>, Objection> {
        let entry = entry(name)?;
        let mut events = Vec::new();
        let instance = entry.at(&SETTING, &self.all(entry.axes(), others));
        let executed = instance.and_then(|instance| {
            instance.execute(&Which::default(), &mut |event| events.push(event))
        });
        executed.map_err(Error::from)?;
        Ok(events)
    }

    /// A verb with an algorithm or a problem, and an option for each of its axes that has a value here.
    pub(super) fn options(&self, words: &str, others: Others<'_>) -> String {
        let axes = words.split(' ').find_map(|word| {
            let algorithm = catalogue::find(word).map(|entry| entry.axes());
            algorithm.or_else(|| Some(catalogue::problem(word)?.axes()))
        });
        let option = |axis: &Axis| {
            let value = self.among(axis.key, others)?;
            Some(format!(" {} {}", axis.option(), spelled(axis, value)))
        };
        let options = axes.unwrap_or_default().iter().filter_map(option);
        std::iter::once(words.to_owned()).chain(options).collect()
    }

    /// The values as text: `L = 6, K = 2`.
    pub(super) fn text(&self) -> String {
        let values = self.claim.axes.iter().zip(&self.values);
        let values = values.map(|(axis, value)| format!("{} = {value}", axis.symbol));
        values.collect::<Vec<_>>().join(", ")
    }

    /// The arguments of `castbench` that show this point.
    #[must_use]
    pub fn command(&self) -> Option<String> {
        match &self.claim.repeat {
            Repeat::Options(words) => (!words.is_empty()).then(|| self.options(words, &[])),
            Repeat::Line(line) => Some(line(self)),
        }
    }
}

/// An algorithm of the catalogue.
fn entry(name: &str) -> Result<Entry, Error> {
    let unknown = || Error::parameter("algorithm", name, "expected one of the catalogue");
    catalogue::find(name).ok_or_else(unknown)
}

/// The algorithms of a problem.
pub(super) fn entries_of(problem: &str) -> impl Iterator<Item = Entry> {
    let entries = catalogue::entries().iter().copied();
    entries.filter(move |entry| entry.problem().name() == problem)
}

/// A cost, and the evaluation that has it, if formula and execution agree where it was executed.
pub(super) fn agreed(evaluation: Evaluation) -> Result<(Exact, Evaluation), Objection> {
    match (&evaluation.analytic, evaluation.agreement()) {
        (Some(cost), Agreement::Agree | Agreement::NotCompared) => Ok((cost.clone(), evaluation)),
        _ => Err(Objection::Disagree(Box::new(evaluation))),
    }
}
