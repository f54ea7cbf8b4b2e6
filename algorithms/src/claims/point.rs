//! A point of a claim's grid: its values, what algorithms of the catalogue cost there, and the command that shows it.

use std::cell::RefCell;

use super::claim::{Claim, Objection, Verdict, hold, only};
use crate::catalogue;
use crate::cost::{Agreement, Evaluation, Exact};
use crate::error::Error;
use crate::execution::{Event, Which};
use crate::logp::LogP;
use crate::problem::{Axis, Entry, Evaluator, Setting, Value, spelled};

/// Without profiles: claims state the parameters of their machines.
static SETTING: Setting = Setting {
    profiles: Vec::new(),
};

/// Values in place of those of a point, by the keys of their axes.
pub(super) type Others<'a> = &'a [(&'a str, u64)];

/// A point of a claim's grid.
pub struct Point<'a> {
    pub(super) claim: &'a Claim,
    values: Vec<u64>,
    /// The algorithms of the claim: an evaluator uses again what it found at the point before.
    known: RefCell<Vec<Known<'a>>>,
}

/// An algorithm, and which axis of the claim each of its own is.
pub(super) struct Known<'a> {
    pub entry: Entry,
    columns: Vec<Option<usize>>,
    evaluator: Evaluator<'a>,
}

impl<'a> Point<'a> {
    /// The point of a claim with these values of its axes.
    #[must_use]
    pub fn new(claim: &'a Claim, values: impl Into<Vec<u64>>) -> Self {
        Self {
            claim,
            values: values.into(),
            known: RefCell::default(),
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
    pub(super) fn go_to(&mut self, mut number: u64) {
        let axes = &self.claim.axes;
        self.values.resize(axes.len(), 0);
        for (value, axis) in self.values.iter_mut().zip(axes).rev() {
            let count = axis.count();
            *value = axis.value(number % count);
            number /= count;
        }
    }

    /// The values of the first axes.
    pub(super) fn values<const N: usize>(&self) -> [u64; N] {
        std::array::from_fn(|index| self.values[index])
    }

    /// The value of an axis, in the grid or derived.
    #[must_use]
    pub fn value(&self, key: &str) -> Value {
        self.among(key, self.column(key), &[])
    }

    /// Which axis of the claim has this key.
    fn column(&self, key: &str) -> Option<usize> {
        let mut axes = self.claim.axes.iter();
        axes.position(|axis| axis.symbol == key)
    }

    fn among(&self, key: &str, column: Option<usize>, others: Others<'_>) -> Value {
        let other = others.iter().find(|(own, _)| *own == key);
        let own = || (self.claim.derived)(self, key, column.map(|column| self.values[column]));
        other.map(|(_, value)| *value).or_else(own)
    }

    /// An algorithm of the catalogue.
    pub(super) fn find(&self, name: &str) -> Result<Known<'a>, Error> {
        let unknown = || Error::parameter("algorithm", name, "expected one of the catalogue");
        let entry = catalogue::find(name).ok_or_else(unknown)?;
        let columns = entry.axes().iter().map(|axis| self.column(axis.key));
        Ok(Known {
            entry,
            columns: columns.collect(),
            evaluator: entry.evaluator(&SETTING, self.claim.limits),
        })
    }

    /// The values of an algorithm's axes here; those that the point does not have are the defaults.
    pub(super) fn all(&self, known: &Known<'_>, others: Others<'_>) -> Vec<Value> {
        let axes = known.entry.axes().iter().zip(&known.columns);
        let value = |(axis, column): (&Axis, &Option<usize>)| {
            self.among(axis.key, *column, others).or(axis.default)
        };
        axes.map(value).collect()
    }

    /// The machine; the point is outside where the papers on trees exclude it.
    pub(super) fn machine(&self) -> Result<LogP, Objection> {
        let [L, o, g] = self.values();
        only(g >= o)?;
        Ok(LogP::new(L, o, g)?)
    }

    /// What an algorithm costs here, also executed within the limits of the claim; the point is outside where it does not apply.
    pub(super) fn evaluate(&self, name: &str, others: Others<'_>) -> Result<Evaluation, Objection> {
        let mut known = self.known.borrow_mut();
        let index = match known.iter().position(|known| known.entry.name == name) {
            Some(index) => index,
            None => {
                known.push(self.find(name)?);
                known.len() - 1
            }
        };
        let values = self.all(&known[index], others);
        match (known[index].evaluator)(&values) {
            Err(refused) if refused.is_not_applicable() => Err(Objection::Outside),
            evaluation => Ok(evaluation.map_err(Error::from)?),
        }
    }

    /// The cost of an algorithm that has no fractions, with other values.
    pub(super) fn cost_at(&self, name: &str, others: Others<'_>) -> Result<u64, Objection> {
        match agreed(self.evaluate(name, others)?)? {
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
        let (cost, evaluation) = agreed(self.evaluate(name, &[])?)?;
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
        let (known, mut events) = (self.find(name)?, Vec::new());
        let instance = known.entry.at(&SETTING, &self.all(&known, others));
        let executed = instance.and_then(|instance| {
            instance.execute(&Which::default(), &mut |event| events.push(event))
        });
        executed.map_err(Error::from)?;
        Ok(events)
    }

    /// The values as text: `L = 6, K = 2`.
    pub(super) fn text(&self) -> String {
        let values = self.claim.axes.iter().zip(&self.values);
        let values = values.map(|(axis, value)| format!("{} = {value}", axis.symbol));
        values.collect::<Vec<_>>().join(", ")
    }

    /// The arguments of `castbench` that show this point; `None` where the claim has none.
    #[must_use]
    pub fn command(&self) -> Option<String> {
        let words = self.claim.shown.as_ref();
        let axes = words.split(' ').find_map(|word| {
            let algorithm = catalogue::find(word).map(|entry| entry.axes());
            algorithm.or_else(|| Some(catalogue::problem(word)?.axes()))
        });
        let option = |axis: &Axis| {
            let value = spelled(axis, self.value(axis.key)?);
            Some(format!(" {} {value}", axis.option()))
        };
        let options: String = axes.unwrap_or_default().iter().filter_map(option).collect();
        (!words.is_empty()).then(|| format!("{words}{options}{}", (self.claim.more)(self)))
    }
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
