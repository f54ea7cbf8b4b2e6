//! Grids with known values: written as a configuration, read, and compared with the values.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use algorithms::catalogue::entries;
use algorithms::problem::{Axis, Entry, Kind};
use arbitrary::{Arbitrary, Result, Unstructured};
use castbench::base::failure::Code;
use castbench::config::Config;
use castbench::output::diagnostics::Source;
use castbench::space::{Space, form, is_owned};
use castbench::sweep::Part;

use crate::promise::{LIMITS, kept, refused, row};

const NAME: &str = "grid.toml";
/// The most cells of a grid that are all inspected.
const MAX_CELLS: u64 = 1000;
/// The most cells of a part that are evaluated.
const MAX_EVALUATED: u64 = 4;

/// The values of an axis in each form of a configuration.
#[derive(Debug, Arbitrary)]
enum Way {
    One(u64),
    List(Vec<u64>),
    /// From, number of further values, step.
    Range(u64, u8, u64),
    /// From, to, factor in quarters above 1.
    Geometric(u64, u64, u8),
}

/// Mostly numbers near 0, where algorithms exist, and a few near 2^64.
fn tamed(value: u64) -> u64 {
    match value % 8 {
        0 => value,
        1 => value >> 40,
        _ => value >> 3 & 31,
    }
}

impl Way {
    /// The TOML, and the values if it is valid.
    fn spelled(&self) -> (String, Option<Vec<u64>>) {
        match self {
            Self::One(value) => (tamed(*value).to_string(), Some(vec![tamed(*value)])),
            Self::List(values) => {
                let values: Vec<u64> = values.iter().take(6).copied().map(tamed).collect();
                let distinct: BTreeSet<u64> = values.iter().copied().collect();
                (
                    format!("{values:?}"),
                    (!values.is_empty()).then(|| distinct.into_iter().collect()),
                )
            }
            Self::Range(from, more, step) => {
                let (from, step) = (tamed(*from), tamed(*step));
                let to = from.saturating_add(step.saturating_mul((more % 9).into()));
                let count = (to - from).checked_div(step).map_or(0, |steps| steps + 1);
                let values: Vec<u64> = (0..count).map(|number| from + number * step).collect();
                (
                    format!("{{ from = {from}, to = {to}, step = {step} }}"),
                    (step > 0).then_some(values),
                )
            }
            Self::Geometric(from, to, quarters) => {
                // Below 2^20 all products are exact in a float.
                let [from, to] = [from, to].map(|value| tamed(*value) % (1 << 20));
                let quarters = u64::from(quarters % 16) + 4;
                let mut values = Vec::new();
                let mut value = from;
                while from > 0 && quarters > 4 && value <= to {
                    values.push(value);
                    value = (value * quarters / 4).max(value + 1);
                }
                let factor = format!("{}.{:02}", quarters / 4, quarters % 4 * 25);
                let text = format!("{{ from = {from}, to = {to}, factor = {factor} }}");
                (text, (!values.is_empty()).then_some(values))
            }
        }
    }
}

/// A grid: algorithms of the catalogue, and the values of axes; none for an axis with its default.
#[derive(Debug)]
struct Wanted {
    algorithms: Vec<Entry>,
    axes: Vec<(&'static Axis, Option<Way>)>,
}

impl<'a> Arbitrary<'a> for Wanted {
    fn arbitrary(input: &mut Unstructured<'a>) -> Result<Self> {
        let first = *input.choose(entries())?;
        let mut algorithms = vec![first];
        // A second algorithm of the same problem in half of the cases.
        let others: Vec<Entry> = entries()
            .iter()
            .copied()
            .filter(|entry| entry.problem() == first.problem())
            .collect();
        if input.arbitrary()? {
            algorithms.push(*input.choose(&others)?);
        }
        let is_number = |key: &str| {
            first
                .axes()
                .iter()
                .any(|axis| axis.key == key && axis.kind != Kind::Profile)
        };
        let mut axes = Vec::new();
        for index in form(first.problem(), is_number).unwrap_or_default() {
            let axis = &first.axes()[index];
            let way: Option<Way> = if axis.default.is_none() {
                Some(input.arbitrary()?)
            } else {
                input.arbitrary()?
            };
            // Words have no forms of numbers, and sizes of blocks have their own.
            let has_forms = !matches!(axis.kind, Kind::Word(_) | Kind::Counts);
            axes.push((axis, way.filter(|_| has_forms)));
        }
        Ok(Self { algorithms, axes })
    }
}

/// Reads one or two grids from the bytes. Each axis has the written values, ascending. The cells of a grid are their
/// product, each once, the last axis fastest. A value is refused only if it is invalid in every cell.
pub fn run(input: &[u8]) {
    let Ok(grids) = <(Wanted, Option<Wanted>)>::arbitrary(&mut Unstructured::new(input)) else {
        return;
    };
    let wanted: Vec<Wanted> = [Some(grids.0), grids.1].into_iter().flatten().collect();
    let mut text = "schema = 1\nlimits.most_points = 18446744073709551615\n".to_owned();
    for (number, wanted) in wanted.iter().enumerate() {
        let names: Vec<&str> = wanted.algorithms.iter().map(|entry| entry.name).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "[[grid]]\nname = \"{number}\"\nalgorithms = {names:?}"
        );
        for (axis, way) in wanted.ways() {
            let _ = writeln!(text, "{} = {}", axis.key, way.spelled().0);
        }
    }
    let is_whole = wanted.iter().flat_map(Wanted::ways).all(|(axis, way)| {
        // The side of a square has at most 32 bits.
        let fits = |value: &u64| axis.kind != Kind::Sides || u32::try_from(*value).is_ok();
        way.spelled()
            .1
            .is_some_and(|values| values.iter().all(fits))
    });
    match Config::from_source(&Source::built_in(NAME, &text)) {
        Ok(config) => {
            assert!(is_whole, "an axis without usable values was taken:\n{text}");
            expanded(&wanted, &config);
            no_cell_twice(&config);
        }
        Err(failure) => {
            refused(&failure, &[Code::Configuration], &[NAME]);
            let explanation = failure.explanation();
            if is_whole && !explanation.contains("is invalid at every point") {
                assert!(
                    explanation.contains("points are more than"),
                    "refused without a reason: {explanation}\n{text}"
                );
            }
        }
    }
}

impl Wanted {
    /// The axes that are written, with their TOML.
    fn ways(&self) -> impl Iterator<Item = (&'static Axis, &Way)> {
        self.axes
            .iter()
            .filter_map(|(axis, way)| Some((*axis, way.as_ref()?)))
    }
}

/// Values and cells match those written.
fn expanded(wanted: &[Wanted], config: &Config) {
    assert_eq!(wanted.len(), config.grids.len());
    for (wanted, grid) in wanted.iter().zip(&config.grids) {
        let written = |way: &Way| way.spelled().1.unwrap_or_default();
        let default = |axis: &Axis| axis.default.into_iter().collect();
        // What a profile can own follows from the machine of each point, where it is not written.
        let axes = wanted.axes.iter();
        let lists: Vec<(&str, Vec<u64>)> = axes
            .filter(|(axis, way)| way.is_some() || !is_owned(axis))
            .map(|(axis, way)| {
                (
                    axis.key,
                    way.as_ref().map_or_else(|| default(axis), written),
                )
            })
            .collect();
        for &entry in &grid.algorithms {
            let product = grid.over(entry);
            let found: Vec<(&str, Vec<u64>)> = product
                .dimensions
                .iter()
                .map(|dimension| {
                    let values = (0..dimension.count)
                        .map(|number| dimension.values.get(number))
                        .collect();
                    (entry.axes()[dimension.index].key, values)
                })
                .collect();
            assert_eq!(found, lists, "{}", entry.name);
            for (dimension, (key, found)) in product.dimensions.iter().zip(&found) {
                let contains = |value| dimension.values.contains(value);
                assert!(found.iter().all(|&value| contains(value)), "{key}");
                assert!(
                    found
                        .iter()
                        .all(|&value| contains(value ^ 1) == found.contains(&(value ^ 1))),
                    "{key}"
                );
            }
            let size: u128 = lists
                .iter()
                .map(|(_, values)| values.len() as u128)
                .product();
            assert_eq!(product.size(), size, "{}", entry.name);
        }
        let size: u128 = grid
            .algorithms
            .iter()
            .map(|&entry| grid.over(entry).size())
            .sum();
        assert_eq!(grid.size(), size);
    }
}

/// If there are few cells, each is in exactly one part.
fn no_cell_twice(config: &Config) {
    let parts = kept(Part::all(config));
    let total = parts.iter().map(Part::cells).fold(0, u64::saturating_add);
    let size = config
        .grids
        .iter()
        .map(Space::size)
        .fold(0, u128::saturating_add);
    assert_eq!(u128::from(total), size);
    let mut seen = BTreeSet::new();
    for part in &parts {
        let product = part.grid.over(part.entry);
        let mut evaluated = 0;
        for number in 0..part.cells().min(MAX_CELLS) {
            let cell = product.cell(number);
            assert!(product.contains(&cell), "{cell:?} is not in its own grid");
            let is_new =
                total > MAX_CELLS || seen.insert((part.entry.name, format!("{:?}", cell.values)));
            match part.cell(number) {
                Some(own) => {
                    assert!(is_new, "{cell:?} is evaluated twice");
                    assert_eq!(own, cell);
                    if evaluated < MAX_EVALUATED {
                        row(&own, &LIMITS);
                        evaluated += 1;
                    }
                }
                None => assert!(!is_new || total > MAX_CELLS, "{cell:?} is never evaluated"),
            }
        }
    }
    useless(config);
}

/// The configuration was accepted, so the ends of each axis are valid in some cell.
fn useless(config: &Config) {
    for grid in &config.grids {
        if grid.size() > u128::from(MAX_CELLS) {
            continue;
        }
        let makes_sense = grid.algorithms.iter().any(|&entry| {
            let product = grid.over(entry);
            let count = u64::try_from(product.size()).unwrap_or(0);
            (0..count).any(|number| product.cell(number).bind().is_ok())
        });
        assert!(
            makes_sense,
            "no cell of the grid makes sense, and it was taken"
        );
    }
}
