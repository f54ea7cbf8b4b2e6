//! A point as users' plans, commands and formulas see it.

use std::fmt::Write as _;

use algorithms::error::Error;
use algorithms::internals::collectives::{PortRule, Task};
use algorithms::internals::engine::Machine;
use algorithms::logp::LogGops;
use serde_json::{Value, json};

use crate::verify::shape::Shape;

/// The values of the axes at a point of a collective. On a machine profile, L, o and g are those of a message with all words.
#[derive(Debug, Clone, Copy)]
pub struct PlanPoint {
    /// The task.
    pub task: Task,
    values: [u64; PlanPoint::KEYS.len()],
}

impl PlanPoint {
    /// The keys of all values.
    pub const KEYS: [&'static str; 11] = [
        "K", "n", "c", "root", "m", "r", "k", "element", "L", "o", "g",
    ];

    /// The point of a task.
    ///
    /// # Errors
    /// The machine has no time for this size.
    pub fn new(task: &Task) -> Result<Self, Error> {
        let Task {
            K,
            c,
            root,
            m,
            r,
            k,
            element,
            n,
            // Plans of users follow the rule of ports, and cannot read how a vector is dealt.
            machine: _,
            rule: _,
            has_switch: _,
            blocks: _,
        } = *task;
        let n = task.size(n)?;
        let model = match task.machine {
            Machine::Words(model) | Machine::LogP(model) => model,
            Machine::LogGops(_) => task.model(task.n)?,
        };
        let values = [
            K,
            n,
            c,
            root,
            m,
            r,
            k,
            element,
            model.L(),
            model.o(),
            model.g(),
        ];
        Ok(Self {
            task: *task,
            values,
        })
    }

    /// The value with a key.
    pub fn value(&self, key: &str) -> Option<u64> {
        Self::KEYS
            .iter()
            .zip(self.values)
            .find(|(known, _)| **known == key)
            .map(|(_, value)| value)
    }

    /// The point as an object of JSON without its end, to which keys can be added. Answers may depend on nothing else.
    pub fn question(&self, shape: &Shape) -> String {
        let Self { task, values } = self;
        let mut line = format!("{{\"problem\":\"{}\"", shape.collective.name);
        for (key, value) in Self::KEYS.iter().zip(values) {
            // Writing to a string cannot fail.
            let _ = write!(line, ",\"{key}\":{value}");
        }
        let unit = if matches!(task.machine, Machine::LogGops(_)) {
            "byte"
        } else {
            "word"
        };
        let ports = PortRule::WORDS[task.ports()];
        let _ = write!(
            line,
            ",\"unit\":\"{unit}\",\"ports\":\"{ports}\",\"machine\":{}",
            machine(task.machine)
        );
        if task.is_counted() {
            let blocks = shape.collective.goal.blocks(task);
            let blocks = u64::try_from(blocks).unwrap_or(u64::MAX);
            let sizes = (0..blocks).map(|block| task.start(block + 1) - task.start(block));
            let _ = write!(line, ",\"counts\":{}", json!(sizes.collect::<Vec<_>>()));
        }
        line
    }
}

/// The numbers of a machine, as docs/plans.md describes them.
fn machine(machine: Machine) -> Value {
    let profile = match machine {
        Machine::Words(model) | Machine::LogP(model) => {
            return json!({ "L": model.L(), "o": model.o(), "g": model.g() });
        }
        Machine::LogGops(profile) => profile,
    };
    let mut network = parameters(profile.network());
    if let Some(levels) = profile.levels() {
        network["levels"] = levels
            .inner()
            .iter()
            .map(|level| {
                let mut numbers = parameters(&level.machine);
                numbers["ranks"] = level.ranks.into();
                numbers
            })
            .collect();
        network["nics"] = levels.nics().into();
    }
    network
}

fn parameters(machine: &LogGops) -> Value {
    let LogGops { L, o, g, G, O, H } = machine;
    json!({ "L": L, "o": o, "g": g, "G": G, "O": O, "H": H })
}
