//! One point of a grid: an algorithm and a value for each axis of its problem.

use std::ops::Deref;

use algorithms::cost::{Evaluation, Limits};
use algorithms::internals::collectives::known::PROCESS;
use algorithms::problem::{Axis, Entry, Instance, Kind, Refused, Setting, Value, spelled};

use crate::base::units::{joined, shell_word};
use crate::networks::Site;
use crate::space::counts;
use crate::space::machine::Machine;

/// Most axes of a problem.
pub const MAX_AXES: usize = 13;

/// A value for each axis of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PointValues {
    values: [Value; MAX_AXES],
    count: usize,
}

impl PointValues {
    /// No values yet; as many values as axes.
    pub fn none(axes: &[Axis]) -> Self {
        Self {
            values: [None; MAX_AXES],
            count: axes.len(),
        }
    }
}

impl Deref for PointValues {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.values[..self.count]
    }
}

impl std::ops::DerefMut for PointValues {
    fn deref_mut(&mut self) -> &mut [Value] {
        &mut self.values[..self.count]
    }
}

/// Profiles, and their numbers for the library.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Machines {
    machines: Vec<Machine>,
    setting: Setting,
}

impl Machines {
    /// These profiles; the index of each is its value on the axis.
    pub fn new(machines: Vec<Machine>) -> Self {
        let setting = Setting {
            profiles: machines.iter().map(Machine::profile).collect(),
        };
        Self { machines, setting }
    }

    /// All profiles.
    pub fn all(&self) -> &[Machine] {
        &self.machines
    }

    /// The profile with this value.
    pub fn get(&self, index: u64) -> Option<&Machine> {
        usize::try_from(index)
            .ok()
            .and_then(|index| self.machines.get(index))
    }

    /// The setting that points refer to.
    pub fn setting(&self) -> &Setting {
        &self.setting
    }
}

/// One point of a grid, which has one row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell<'a> {
    /// The algorithm.
    pub entry: Entry,
    /// The profiles that its values refer to.
    pub machines: &'a Machines,
    /// The value of each axis.
    pub values: PointValues,
    /// The network on which it stands, if any.
    pub site: Option<&'a Site>,
}

impl<'a> Cell<'a> {
    /// The algorithm at these values.
    ///
    /// # Errors
    /// The values are no point of the problem: it is not applicable, which is no failure.
    pub fn bind(&self) -> Result<Instance, Refused> {
        self.entry.at(self.machines.setting(), &self.values)
    }

    /// Evaluates all costs.
    ///
    /// # Errors
    /// Why there is no cost.
    pub fn evaluate(&self, limits: &Limits) -> Result<Evaluation, Refused> {
        self.bind()?.evaluate(limits)
    }

    /// Its profile, if any.
    pub fn machine(&self) -> Option<&'a Machine> {
        let mut axes = self.entry.axes().iter().zip(self.values.iter());
        axes.find(|(axis, _)| axis.kind == Kind::Profile)
            .and_then(|(_, value)| self.machines.get((*value)?))
    }

    /// The value of the axis with this key.
    pub fn value(&self, key: &str) -> Value {
        let index = self.entry.axes().iter().position(|axis| axis.key == key)?;
        self.values[index]
    }

    /// Whether blocks have sizes of their own.
    pub fn is_counted(&self) -> bool {
        self.value("counts").is_some_and(|counts| counts != 0)
    }

    /// The size of its message, if the problem has one.
    pub fn bytes(&self) -> Value {
        let axis = self
            .entry
            .axes()
            .iter()
            .find(|axis| axis.kind == Kind::Bytes)?;
        self.value(axis.key)
    }

    /// The sizes of its shortest and its longest message, as far as they are known.
    pub fn sizes(&self) -> Option<[u64; 2]> {
        let sizes = self.bind().ok().and_then(|instance| instance.sizes());
        sizes.or_else(|| self.bytes().map(|bytes| [bytes; 2]))
    }

    /// Why times of its profile are guesses, if they are.
    pub fn guess(&self) -> Option<String> {
        self.machine()?.guess(self.sizes().into_iter().flatten())
    }

    /// The values, including those that the point implies, as a machine implies L, o and g.
    pub fn resolved(&self) -> PointValues {
        let mut values = self.values;
        if self.machine().is_none() {
            return values;
        }
        if let Some(model) = self.bind().ok().and_then(|point| point.model()) {
            for (axis, value) in self.entry.axes().iter().zip(&mut *values) {
                match axis.key {
                    "L" => *value = Some(model.L()),
                    "o" => *value = Some(model.o()),
                    "g" => *value = Some(model.g()),
                    _ => {}
                }
            }
        }
        values
    }

    /// The options of `castbench cost` for this point.
    pub fn options(&self) -> String {
        let option = |(axis, value): (&Axis, &Value)| {
            let value = match axis.kind {
                Kind::Profile => self
                    .machines
                    .get((*value)?)
                    .map_or_else(String::new, |machine| {
                        shell_word(&machine.spelling()).into_owned()
                    })
                    .into(),
                Kind::Counts => shell_word(&counts::typed((*value)?)).into_owned().into(),
                _ => spelled(axis, (*value)?),
            };
            Some(format!("{} {value}", axis.option()))
        };
        joined(
            " ",
            self.entry
                .axes()
                .iter()
                .zip(self.values.iter())
                .filter_map(option),
        )
    }

    /// The command that repeats this point.
    pub fn command(&self) -> String {
        let name = shell_word(self.entry.name);
        let with = with(self.entry);
        let site = self.site.map_or_else(String::new, |site| {
            format!(" --network {}", shell_word(&site.path))
        });
        format!("castbench cost {name}{with} {}{site}", self.options())
    }
}

/// The option with the configuration that gives an algorithm, after a blank; empty for one of the catalogue.
pub fn with(entry: Entry) -> String {
    let is_in_file = entry.is_given && entry.paper != PROCESS && !entry.section.is_empty();
    if is_in_file {
        format!(" --with {}", shell_word(entry.paper))
    } else {
        String::new()
    }
}
