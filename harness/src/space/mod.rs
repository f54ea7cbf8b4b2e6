//! Which points are meant: algorithms, the values of each axis, machine profiles. A point of the command line, the plane of
//! `best`, a grid of a configuration are each a [`Space`], and [`Words`] reads all of them.

pub mod counts;
pub mod machine;
mod point;
mod ports;
pub mod tables;
pub mod values;
mod words;

use std::borrow::Cow;
use std::collections::BTreeMap;

use algorithms::catalogue::axes;
use algorithms::problem::{Axis, Entry, Kind, Problem, Refused};
use serde::{Serialize, Serializer};

pub use point::{Cell, MAX_AXES, Machines, PointValues, with};
pub use ports::{Rules, is_owned, rules};
pub use values::{Key, Values, refuse_units};
pub use words::{Given, Words, example, named_machine};

use crate::base::units::plural;
use crate::networks::Site;
use crate::space::machine::{Machine, PORTS};

/// The axis of the number of ranks, which a network has.
pub const RANKS: Key = "K";

/// Values by the key of their axis; only the axes that are given.
pub type Axes = BTreeMap<Key, Values>;

/// The points of some algorithms: for each, the product of the axes that its problem has.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Space {
    /// Its name in a configuration.
    pub name: String,
    /// In the order of the catalogue.
    #[serde(serialize_with = "names")]
    pub algorithms: Vec<Entry>,
    /// The values of each axis.
    pub axes: Axes,
    /// The profiles of the axis `machine`.
    #[serde(serialize_with = "profiles")]
    pub machines: Machines,
    /// The networks on which each point stands, one after the other; none if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<Site>,
    /// Whether open axes without values are left to who compares their cuts.
    #[serde(skip)]
    pub is_open: bool,
}

/// One axis of a product.
#[derive(Debug, Clone)]
pub struct Dimension<'a> {
    /// Its index among the axes of the problem.
    pub index: usize,
    /// Its number of values.
    pub count: u64,
    /// The values; the default if none are given.
    pub values: Cow<'a, Values>,
}

/// The points of one algorithm in a space.
#[derive(Debug, Clone)]
pub struct Points<'a> {
    /// The algorithm.
    pub entry: Entry,
    /// The space.
    pub space: &'a Space,
    /// The axes with values, slowest first.
    pub dimensions: Vec<Dimension<'a>>,
}

/// A value that is invalid at every point of its space.
pub struct Useless {
    /// The axis.
    pub axis: &'static Axis,
    /// The value.
    pub value: u64,
    /// Why it is invalid.
    pub reason: Refused,
}

/// The most sizes that are looked up in the valid ones of a profile.
const MOST_SIZES: usize = 1 << 16;

fn names<S: Serializer>(entries: &[Entry], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(entries.iter().map(|entry| entry.name))
}

fn profiles<S: Serializer>(machines: &Machines, serializer: S) -> Result<S::Ok, S::Error> {
    machines.all().serialize(serializer)
}

/// The form of a problem that axes with these keys select, as indices of axes. A profile selects the form with profiles.
pub fn indices(problem: &Problem, has: impl Fn(&str) -> bool) -> Vec<usize> {
    let axes = problem.axes;
    let on_profile = axes
        .iter()
        .any(|axis| axis.kind == Kind::Profile && has(axis.key));
    (0..axes.len())
        .filter(|&index| axes[index].applies(on_profile))
        .collect()
}

/// [`indices`], if none of these axes is missing.
///
/// # Errors
/// The first missing axis.
pub fn form(problem: &Problem, has: impl Fn(&str) -> bool) -> Result<Vec<usize>, &'static Axis> {
    let (axes, indices) = (problem.axes, indices(problem, &has));
    match indices
        .iter()
        .map(|&index| &axes[index])
        .find(|axis| axis.default.is_none() && !has(axis.key))
    {
        None => Ok(indices),
        Some(axis) => Err(axis),
    }
}

impl Space {
    /// The number of cells of all its algorithms.
    pub fn size(&self) -> u128 {
        self.algorithms
            .iter()
            .map(|&entry| self.over(entry).size())
            .fold(0, u128::saturating_add)
    }

    /// The points of `entry`. A space that was read has all axes of its form.
    pub fn over(&self, entry: Entry) -> Points<'_> {
        let axes = entry.axes();
        let has = |axis: &Axis| self.axes.contains_key(axis.key);
        let dimension = |index: usize| {
            let axis = &axes[index];
            let default = || Cow::Owned(Values::only(axis.default.unwrap_or_default()));
            let values = self.axes.get(axis.key).map_or_else(default, Cow::Borrowed);
            Dimension {
                index,
                count: values.count(),
                values,
            }
        };
        // What a profile can own is asked, or follows from the machine of each point.
        let is_asked = |index: &usize| {
            let axis = &axes[*index];
            let is_of_site = axis.key == RANKS && !self.sites.is_empty();
            has(axis) || !(is_owned(axis) || is_of_site || self.is_open && axis.is_open)
        };
        let mut dimensions: Vec<Dimension<'_>> =
            indices(entry.problem(), |key| self.axes.contains_key(key))
                .into_iter()
                .filter(is_asked)
                .map(dimension)
                .collect();
        if self.is_open {
            // Open MPI's rules list the message sizes of one number of ranks together.
            dimensions.sort_by_key(|dimension| axes[dimension.index].kind == Kind::Bytes);
        }
        Points {
            entry,
            space: self,
            dimensions,
        }
    }

    /// Its first point, which is the only one of a space of one point. A space that was read has an algorithm.
    pub fn cell(&self) -> Cell<'_> {
        self.over(self.algorithms[0]).cell(0)
    }

    /// The values that are invalid at every point of every algorithm, the most likely cause first.
    ///
    /// A value is invalid only because others are too small or too large, so checking all combinations of the ends of
    /// the axes is enough.
    pub fn useless_values(&self) -> Vec<Useless> {
        let mut checked: Vec<(&'static Axis, u64, Option<Refused>)> = Vec::new();
        for &entry in &self.algorithms {
            let product = self.over(entry);
            for (number, dimension) in product.dimensions.iter().enumerate() {
                let axis = &entry.axes()[dimension.index];
                for end in [0, dimension.count.saturating_sub(1)] {
                    let (value, reason) = (dimension.values.get(end), product.invalid(number, end));
                    match checked
                        .iter_mut()
                        .find(|known| (known.0.key, known.1) == (axis.key, value))
                    {
                        // Valid if any algorithm accepts it.
                        Some(known) => known.2 = known.2.take().and(reason),
                        None => checked.push((axis, value, reason)),
                    }
                }
            }
        }
        let mut useless: Vec<_> = checked
            .into_iter()
            .filter_map(|(axis, value, reason)| {
                Some(Useless {
                    axis,
                    value,
                    reason: reason?,
                })
            })
            .collect();
        // If nothing in the grid is valid, the error names the value at fault.
        useless.sort_by_key(|useless| useless.reason.axis() != Some(useless.axis.key));
        useless
    }

    /// The rule of ports of the points of a problem, and what decides it. None for a problem that no rule concerns.
    pub fn ports(&self, problem: &Problem) -> Option<String> {
        let asked: Option<Vec<u64>> = self.axes.get(PORTS).map(|values| values.iter().collect());
        self.machines.ports(problem, asked.as_deref())
    }

    /// Where a profile states a rule of ports: the rules of its points and what decides them, a sentence for each.
    pub fn all_ports(&self) -> Vec<String> {
        let mut known: Vec<String> = Vec::new();
        let states = |machine: &Machine| machine.ports().is_some();
        if self.machines.all().iter().any(states) {
            for problem in self.algorithms.iter().map(Entry::problem) {
                let ports = self.ports(problem);
                known.extend(ports.filter(|ports| !known.contains(ports)));
            }
        }
        known
    }

    /// Why times of its profiles are guesses at some of its sizes, a sentence for each.
    pub fn guesses(&self) -> Vec<String> {
        let sizes = || self.axes.get("bytes").into_iter().flat_map(Values::iter);
        let machines = self.machines.all().iter();
        machines
            .filter_map(|machine| machine.guess(sizes().take(MOST_SIZES)))
            .collect()
    }

    /// The kind of an axis for the algorithms that read it, else for any.
    pub fn kind(&self, key: &str) -> Kind {
        let mut axes = self
            .algorithms
            .iter()
            .flat_map(|entry| entry.axes())
            .chain(axes().iter().copied());
        axes.find(|axis| axis.key == key)
            .map_or(Kind::Count, |axis| axis.kind)
    }

    /// Its name and the lengths of its axes, for messages.
    pub fn describe(&self) -> String {
        let axes = self
            .axes
            .iter()
            .map(|(key, values)| format!(" {key} has {},", plural(values.count(), "value")));
        let algorithms = plural(self.algorithms.len() as u64, "algorithm");
        format!("the largest:{} for {algorithms}", axes.collect::<String>())
    }
}

impl<'a> Points<'a> {
    /// The values of an axis of these points: those given, or what the machines own.
    pub fn values(&self, axis: &Axis) -> Option<Values> {
        let own = self
            .dimensions
            .iter()
            .find(|dimension| self.entry.axes()[dimension.index].key == axis.key)
            .map(|dimension| dimension.values.clone().into_owned());
        let sites = &self.space.sites;
        let of_sites = || sites.iter().map(|site| site.ranks).collect();
        let follows = || match axis.key {
            RANKS if !sites.is_empty() => Some(Values::list(of_sites())),
            _ => is_owned(axis).then(|| Values::list(self.space.machines.values_of(axis))),
        };
        own.or_else(follows)
    }

    /// The number of points, at most 2^128 - 1.
    pub fn size(&self) -> u128 {
        let sites = self.space.sites.len().max(1) as u128;
        self.dimensions
            .iter()
            .map(|dimension| u128::from(dimension.count))
            .fold(sites, u128::saturating_mul)
    }

    /// The point with this number; the last dimension changes fastest.
    pub fn cell(&self, number: u64) -> Cell<'a> {
        let mut values = PointValues::none(self.entry.axes());
        let mut rest = number;
        for dimension in self.dimensions.iter().rev() {
            values[dimension.index] = Some(dimension.values.get(rest % dimension.count));
            rest /= dimension.count;
        }
        let site = usize::try_from(rest)
            .ok()
            .and_then(|number| self.space.sites.get(number));
        let machines = &self.space.machines;
        machines.complete(self.entry.axes(), &mut values, site);
        Cell {
            entry: self.entry,
            machines,
            values,
            site,
        }
    }

    /// Whether it has this point of the same algorithm: of two spaces, only the first evaluates it.
    pub fn contains(&self, cell: &Cell<'_>) -> bool {
        let has = |dimension: &Dimension<'_>| {
            let value = cell.values[dimension.index];
            value.is_some_and(|value| match cell.entry.axes()[dimension.index].kind {
                Kind::Profile => {
                    let own = self.space.machines.all();
                    cell.machines
                        .get(value)
                        .is_some_and(|machine| own.contains(machine))
                }
                _ => dimension.values.contains(value),
            })
        };
        // The values of the cell on the axes of these points, and what follows from them.
        let mut own = PointValues::none(self.entry.axes());
        for dimension in &self.dimensions {
            own[dimension.index] = cell.values[dimension.index];
        }
        let axes = self.entry.axes();
        cell.machines.complete(axes, &mut own, cell.site);
        let is_here = match cell.site {
            Some(site) => self.space.sites.contains(site),
            None => self.space.sites.is_empty(),
        };
        is_here && own == cell.values && self.dimensions.iter().all(has)
    }

    /// Whether it may share points with other points of the same algorithm: the ends of all axes overlap.
    pub fn may_meet(&self, other: &Self) -> bool {
        let meet = |(own, other): (&Dimension<'a>, &Dimension<'a>)| {
            let ((from, to), (other_from, other_to)) = (own.values.bounds(), other.values.bounds());
            let is_profile = self.entry.axes()[own.index].kind == Kind::Profile;
            own.index == other.index && (is_profile || from <= other_to && other_from <= to)
        };
        // An axis that only one of them asks may have that value in the other, too.
        let is_on_site = !self.space.sites.is_empty();
        let [own, other] = [self, other].map(|product| {
            product.dimensions.iter().filter(|own| {
                let axis = &self.entry.axes()[own.index];
                !(is_owned(axis) || is_on_site && axis.key == RANKS)
            })
        });
        own.clone().count() == other.clone().count() && own.zip(other).all(meet)
    }

    /// Why no corner of the points with this digit at this dimension is valid; none if one is.
    fn invalid(&self, index: usize, digit: u64) -> Option<Refused> {
        let mut reason = None;
        for corner in 0..1u32 << self.dimensions.len() {
            let number =
                self.dimensions
                    .iter()
                    .enumerate()
                    .fold(0, |number, (other, dimension)| {
                        let own = if corner >> other & 1 == 1 {
                            dimension.count.saturating_sub(1)
                        } else {
                            0
                        };
                        number * dimension.count + if other == index { digit } else { own }
                    });
            match self.cell(number).bind() {
                Ok(_) => return None,
                Err(refused) => reason = Some(refused),
            }
        }
        reason
    }
}

#[cfg(test)]
mod tests {
    use algorithms::catalogue::PROBLEMS;

    use super::MAX_AXES;
    use crate::config::Config;
    use crate::output::diagnostics::Source;

    #[test]
    fn every_problem_fits_a_cell() {
        assert!(
            PROBLEMS
                .iter()
                .all(|problem| problem.axes.len() <= MAX_AXES)
        );
    }

    /// A value above 32 bits means two sides: 2^32 + 2 is the mesh 1x2.
    #[test]
    fn no_number_above_32_bits_is_a_side() {
        let config = |n: &str| {
            let text = format!(
                "schema = 1\n[[grid]]\nname = 'a'\nalgorithms = ['unicast']\nn = {n}\nK = 1\n"
            );
            Config::from_source(&Source::built_in("sides.toml", &text))
                .map(|config| config.grids[0].size())
        };
        assert_eq!(config("4").ok(), Some(1));
        assert_eq!(config("['1x2', '4x4']").ok(), Some(2));
        for n in [
            "4294967296",
            "[4, 4294967298]",
            "{ from = 4, to = 4294967298 }",
        ] {
            let failure = config(n).expect_err(n);
            assert!(
                failure.message.contains("expected a side of at most"),
                "{}",
                failure.message
            );
        }
    }

    /// Numbers and cells of every grid of the default configuration correspond one to one.
    #[test]
    fn cells_are_distinct_and_contained() {
        let config = Config::load(None).unwrap_or_else(|failure| panic!("{}", failure.message));
        for grid in &config.grids {
            for &entry in &grid.algorithms {
                let product = grid.over(entry);
                let count = u64::try_from(product.size()).unwrap();
                let mut cells: Vec<String> = Vec::new();
                for number in 0..count {
                    let cell = product.cell(number);
                    assert!(product.contains(&cell), "{cell:?}");
                    cells.push(cell.command());
                }
                cells.sort();
                cells.dedup();
                assert_eq!(
                    cells.len() as u64,
                    count,
                    "{} over {}",
                    entry.name,
                    grid.name
                );
            }
        }
    }
}
