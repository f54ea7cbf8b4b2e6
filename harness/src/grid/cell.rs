//! One point of a grid: an algorithm and a value for each axis of its problem.

use std::fmt::Write as _;
use std::ops::Deref;

use algorithms::cost::{Evaluation, Limits};
use algorithms::problem::{Axis, Entry, Kind, Refused, Setting, Value, spelled};

use crate::machine::Machine;

/// Most axes of a problem.
pub const MAX_AXES: usize = 12;

/// A value for each axis of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Values {
    values: [Value; MAX_AXES],
    count: usize,
}

impl Values {
    /// No value yet, for so many axes.
    #[must_use]
    pub fn none(axes: &[Axis]) -> Self {
        Self { values: [None; MAX_AXES], count: axes.len() }
    }
}

impl Deref for Values {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.values[..self.count]
    }
}

impl std::ops::DerefMut for Values {
    fn deref_mut(&mut self) -> &mut [Value] {
        &mut self.values[..self.count]
    }
}

/// Profiles, and their numbers as the library takes them.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Machines {
    machines: Vec<Machine>,
    setting: Setting,
}

impl Machines {
    /// These profiles; the place of one is its value on the axis.
    #[must_use]
    pub fn new(machines: Vec<Machine>) -> Self {
        let setting = Setting { profiles: machines.iter().map(Machine::parameters).collect() };
        Self { machines, setting }
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> &[Machine] {
        &self.machines
    }

    /// The one with this value.
    #[must_use]
    pub fn get(&self, place: u64) -> Option<&Machine> {
        usize::try_from(place).ok().and_then(|place| self.machines.get(place))
    }

    /// What points refer to.
    #[must_use]
    pub fn setting(&self) -> &Setting {
        &self.setting
    }
}

/// One point of a grid, as its row names it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell<'a> {
    /// The algorithm.
    pub entry: Entry,
    /// The profiles that its values refer to.
    pub machines: &'a Machines,
    /// The values.
    pub values: Values,
}

impl<'a> Cell<'a> {
    /// Whether the values describe an instance of the problem.
    ///
    /// # Errors
    /// Why not: such a point is not applicable, which is no failure.
    pub fn check(&self) -> Result<(), Refused> {
        self.entry.problem().check(self.machines.setting(), &self.values)
    }

    /// Whether the algorithm takes this instance, too.
    ///
    /// # Errors
    /// Why not.
    pub fn admit(&self) -> Result<(), Refused> {
        self.entry.admit(self.machines.setting(), &self.values)
    }

    /// Whether an evaluation simulates it.
    #[must_use]
    pub fn simulates(&self, limits: &Limits) -> bool {
        self.entry.simulates(self.machines.setting(), &self.values, limits)
    }

    /// About how many steps its simulation takes.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.entry.work(self.machines.setting(), &self.values)
    }

    /// How many steps its formula takes, at most `most`.
    #[must_use]
    pub fn steps(&self, most: usize) -> usize {
        self.entry.steps(self.machines.setting(), &self.values, most)
    }

    /// Everything that is known of its cost.
    ///
    /// # Errors
    /// Why there is no cost.
    pub fn evaluate(&self, limits: &Limits) -> Result<Evaluation, Refused> {
        self.entry.evaluate(self.machines.setting(), &self.values, limits)
    }

    /// The profile, if the point has one.
    #[must_use]
    pub fn machine(&self) -> Option<&'a Machine> {
        let mut axes = self.entry.axes().iter().zip(self.values.iter());
        axes.find(|(axis, _)| axis.kind == Kind::Profile).and_then(|(_, value)| self.machines.get((*value)?))
    }

    /// The value of the axis with this key.
    #[must_use]
    pub fn value(&self, key: &str) -> Value {
        let place = self.entry.axes().iter().position(|axis| axis.key == key)?;
        self.values[place]
    }

    /// The values with those filled in that the point decides, as a machine decides L, o and g.
    #[must_use]
    pub fn resolved(&self) -> Values {
        let mut values = self.values;
        if !self.entry.problem().forms().is_empty() {
            self.entry.problem().resolve(self.machines.setting(), &mut values);
        }
        values
    }

    /// The options of `castbench cost` that ask for it.
    #[must_use]
    pub fn options(&self) -> String {
        let mut text = String::new();
        for (axis, value) in self.entry.axes().iter().zip(self.values.iter()) {
            let Some(value) = *value else { continue };
            let value = match axis.kind {
                Kind::Profile => self.machines.get(value).map_or_else(String::new, Machine::spelling).into(),
                _ => spelled(axis, value),
            };
            let blank = if text.is_empty() { "" } else { " " };
            // Writing to a string cannot fail.
            let _ = write!(text, "{blank}{} {value}", axis.option());
        }
        text
    }

    /// The command that repeats it.
    #[must_use]
    pub fn command(&self) -> String {
        format!("castbench cost {} {}", self.entry.name, self.options())
    }
}
