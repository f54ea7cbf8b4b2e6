//! Grids whose values are known beforehand: written as a configuration, read, and compared with the values themselves.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use algorithms::catalogue::{ALGORITHMS, Axis, Entry, Problem};
use arbitrary::{Arbitrary, Result, Unstructured};
use harness::config::Config;
use harness::config::diagnostics::Source;
use harness::failure::Code;
use harness::grid::{Dimension, Grid};
use harness::sweep::Part;

use crate::promise::{LIMITS, kept, refused, row};

const NAME: &str = "grid.toml";
/// Most cells of a grid of which each is looked at.
const MAX_CELLS: u64 = 1000;
/// Most cells of a part that are evaluated.
const MAX_EVALUATED: u64 = 4;

/// The values of an axis in each way in which a configuration can say them.
#[derive(Debug, Arbitrary)]
enum Way {
    One(u64),
    List(Vec<u64>),
    /// From, how many more, step.
    Range(u64, u8, u64),
    /// From, to, factor in quarters above 1.
    Geometric(u64, u64, u8),
}

/// Most numbers near 0, where algorithms exist, and a few at the end of 64 bits.
fn tamed(value: u64) -> u64 {
    match value % 8 {
        0 => value,
        1 => value >> 40,
        _ => value >> 3 & 31,
    }
}

impl Way {
    /// As TOML, and the values, if they are any.
    fn spelled(&self) -> (String, Option<Vec<u64>>) {
        match self {
            Self::One(value) => (tamed(*value).to_string(), Some(vec![tamed(*value)])),
            Self::List(values) => {
                let values: Vec<u64> = values.iter().take(6).copied().map(tamed).collect();
                let distinct: BTreeSet<u64> = values.iter().copied().collect();
                (format!("{values:?}"), (!values.is_empty()).then(|| distinct.into_iter().collect()))
            }
            Self::Range(from, more, step) => {
                let (from, step) = (tamed(*from), tamed(*step));
                let to = from.saturating_add(step.saturating_mul((more % 9).into()));
                let count = (to - from).checked_div(step).map_or(0, |steps| steps + 1);
                let values: Vec<u64> = (0..count).map(|number| from + number * step).collect();
                (format!("{{ from = {from}, to = {to}, step = {step} }}"), (step > 0).then_some(values))
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

/// A grid: algorithms of the catalogue, and the values of axes.
#[derive(Debug)]
struct Wanted {
    algorithms: Vec<&'static Entry>,
    axes: Vec<(Axis, Way)>,
    sources: Option<Way>,
}

impl<'a> Arbitrary<'a> for Wanted {
    fn arbitrary(input: &mut Unstructured<'a>) -> Result<Self> {
        let first = input.choose(ALGORITHMS)?;
        let mut algorithms = vec![first];
        // A second algorithm of the same problem, as often as not.
        let others: Vec<&Entry> = ALGORITHMS.iter().filter(|entry| entry.problem() == first.problem()).collect();
        if input.arbitrary()? {
            algorithms.push(input.choose(&others)?);
        }
        let mut axes = Vec::new();
        for &axis in first.axes() {
            axes.push((axis, input.arbitrary()?));
        }
        let is_tree = first.problem() == Problem::LogpMulticast;
        Ok(Self { algorithms, axes, sources: if is_tree { input.arbitrary()? } else { None } })
    }
}

/// Reads one or two grids from the bytes. Each axis holds the values that were written, ascending, and the cells of a
/// grid are their product, each once, the last axis fastest. A value is refused only if no cell with it makes sense.
pub fn run(input: &[u8]) {
    let Ok(grids) = <(Wanted, Option<Wanted>)>::arbitrary(&mut Unstructured::new(input)) else { return };
    let wanted: Vec<Wanted> = [Some(grids.0), grids.1].into_iter().flatten().collect();
    let mut text = "schema = 1\nlimits.most_points = 18446744073709551615\n".to_owned();
    for (number, wanted) in wanted.iter().enumerate() {
        let names: Vec<&str> = wanted.algorithms.iter().map(|entry| entry.name).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "[[grid]]\nname = \"{number}\"\nalgorithms = {names:?}");
        if matches!(wanted.problem(), Problem::MeshMulticast | Problem::WormholeMulticast) {
            text.push_str("trials = 20\n");
        }
        for (key, way) in wanted.keys() {
            let _ = writeln!(text, "{key} = {}", way.spelled().0);
        }
    }
    let is_whole = wanted.iter().flat_map(Wanted::keys).all(|(_, way)| way.spelled().1.is_some());
    match Config::of(&Source::built_in(NAME, &text)) {
        Ok(config) => {
            assert!(is_whole, "an axis without values was taken:\n{text}");
            expanded(&wanted, &config);
            no_cell_twice(&config);
        }
        Err(failure) => {
            refused(&failure, &[Code::Configuration], &[NAME]);
            let told = failure.explanation();
            if is_whole && !told.contains("makes sense at no point") {
                assert!(told.contains("points are more than"), "refused without a reason: {told}\n{text}");
            }
        }
    }
}

impl Wanted {
    fn problem(&self) -> Problem {
        self.algorithms[0].problem()
    }

    fn keys(&self) -> impl Iterator<Item = (&'static str, &Way)> {
        let axes = self.axes.iter().map(|(axis, way)| (axis.symbol(), way));
        axes.chain(self.sources.as_ref().map(|way| ("source", way)))
    }
}

/// The values and the cells are those that were written.
fn expanded(wanted: &[Wanted], config: &Config) {
    assert_eq!(wanted.len(), config.grids.len());
    for (wanted, grid) in wanted.iter().zip(&config.grids) {
        let mut lists: Vec<(Dimension, Vec<u64>)> = Vec::new();
        for (axis, way) in &wanted.axes {
            lists.push((Dimension::Axis(*axis), way.spelled().1.unwrap_or_default()));
            let values = &grid.axes[*axis as usize];
            let values = values.as_ref().unwrap_or_else(|| panic!("no axis {axis}"));
            let found: Vec<u64> = (0..values.count()).map(|number| values.get(number)).collect();
            assert_eq!(Some(&found), lists.last().map(|(_, values)| values), "{axis}");
            assert!(found.iter().all(|value| values.contains(*value)));
            assert!(found.iter().all(|value| values.contains(value ^ 1) == found.contains(&(value ^ 1))));
        }
        if wanted.problem() == Problem::LogpMulticast {
            let one = || vec![1];
            let sources = wanted.sources.as_ref().map_or_else(one, |way| way.spelled().1.unwrap_or_default());
            lists.push((Dimension::Source, sources));
        }
        let product: u128 = lists.iter().map(|(_, values)| values.len() as u128).product();
        for entry in &grid.algorithms {
            assert_eq!(grid.cells(entry), product, "{}", entry.name);
            let dimensions: Vec<(Dimension, u64)> =
                lists.iter().map(|(dimension, values)| (*dimension, values.len() as u64)).collect();
            assert_eq!(grid.dimensions(entry), dimensions);
        }
        assert_eq!(grid.size(), product * grid.algorithms.len() as u128);
    }
}

/// Of all cells of all parts, as far as they are few, none is there twice, and none is missing.
fn no_cell_twice(config: &Config) {
    let parts = kept(Part::all(config));
    let total = parts.iter().map(Part::cells).fold(0, u64::saturating_add);
    let size = config.grids.iter().map(Grid::size).fold(0, u128::saturating_add);
    assert_eq!(u128::from(total), size);
    let mut seen = BTreeSet::new();
    for part in &parts {
        let dimensions = part.grid.dimensions(part.entry);
        let mut evaluated = 0;
        for number in 0..part.cells().min(MAX_CELLS) {
            let cell = part.grid.cell(part.entry, &dimensions, number, config.seed);
            assert!(part.grid.contains(part.entry, &cell), "{cell:?} is not in its own grid");
            let is_new = total > MAX_CELLS || seen.insert((part.entry.name, format!("{cell:?}")));
            match part.cell(number, config.seed) {
                Some(own) => {
                    assert!(is_new, "{cell:?} is evaluated twice");
                    assert_eq!(own, cell);
                    if evaluated < MAX_EVALUATED {
                        row(part.entry, &own, &LIMITS);
                        evaluated += 1;
                    }
                }
                None => assert!(!is_new || total > MAX_CELLS, "{cell:?} is evaluated by nobody"),
            }
        }
    }
    useless(config);
}

/// The configuration was taken, so the ends of each axis make sense somewhere.
fn useless(config: &Config) {
    for grid in &config.grids {
        let cells = grid.algorithms.iter().map(|entry| grid.cells(entry)).fold(0, u128::saturating_add);
        if cells > u128::from(MAX_CELLS) {
            continue;
        }
        let makes_sense = grid.algorithms.iter().any(|entry| {
            let dimensions = grid.dimensions(entry);
            let count = u64::try_from(grid.cells(entry)).unwrap_or(0);
            (0..count).any(|number| grid.cell(entry, &dimensions, number, config.seed).point().is_ok())
        });
        assert!(makes_sense, "no cell of the grid makes sense, and it was taken");
    }
}
