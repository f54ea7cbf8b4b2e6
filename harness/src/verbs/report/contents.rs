//! The content of the page: a sweep, its figures, measurements, the claims of the papers, costs and the
//! regression state, in one HTML file that needs no other.
//!
//! It depends only on its inputs: no time, no host.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use algorithms::catalogue::{self, PROBLEMS};
use algorithms::problem::Problem;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value;

use super::super::regress::today;
use super::measured::Measured;
use crate::base::failure::{Code, Failure, Result};
use crate::base::threads;
use crate::base::units::shell_word;
use crate::config::Config;
use crate::draw::chart::PageFit;
use crate::figures::origin::Origin;
use crate::figures::{self, Spec};
use crate::output;
use crate::output::built_in::BuiltIn;
use crate::output::signals;
use crate::print::column;
use crate::print::markup;
use crate::record::file_name;
use crate::record::findings::Finding;
use crate::record::history::{self, HistoryRow};
use crate::record::manifest::Manifest;
use crate::record::measured::Results;
use crate::record::results::Sweep;
use crate::regress::audit::{self, AuditRow};
use crate::regress::costs::Costs;
use crate::regress::{Accept, Baseline, Comparison, RecordedGrid, tell_others};
use crate::space::machine::Machine;
use crate::space::{Values, form, with};

/// The inputs of the page.
pub struct Sources<'a> {
    /// The directory of a sweep, with its figures in `figures`.
    pub from: &'a Path,
    /// The directory of the baseline; the history is beside it.
    pub baseline: &'a Path,
    /// The directory of measurements. By default it is `measured` in the directory of the sweep, if that exists.
    pub measured: Option<&'a Path>,
    /// The file of the configuration with the figures, unless it is built in.
    pub config: Option<&'a Path>,
    /// The configuration with the figures.
    pub figures: &'a Config,
    /// Its figures.
    pub specs: &'a [Spec],
    /// The built-in configuration with the points of baselines.
    pub regress: &'a Config,
    /// Whether the page is written beside the files of the sweep, so that it can link to them.
    pub is_neighbour: bool,
}

/// The content of the page.
pub struct Report<'a> {
    pub is_neighbour: bool,
    pub run: Manifest<Value>,
    pub configuration: Configuration,
    pub figures: Figures<'a>,
    /// None if there are no measurements.
    pub measured: Option<Measured>,
    pub claims: Vec<AuditRow>,
    pub findings: Vec<Finding>,
    pub costs: Vec<ProblemCosts>,
    /// The profiles that commands can name.
    machines: Vec<Machine>,
    /// How the baseline is replaced.
    pub accept: Accept<'a>,
    pub regression: Regression,
    pub history: Vec<HistoryRow>,
}

/// The figures of the page.
pub struct Figures<'a> {
    /// The figures that exist, in the order of the configuration, then others.
    pub drawn: Vec<Figure<'a>>,
    /// Figures of the configuration without a file.
    pub missing: Vec<String>,
}

/// A figure of the page.
pub struct Figure<'a> {
    /// Its id on the page.
    pub id: String,
    /// Its table in the configuration; with it, it was redrawn from the sweep and compared.
    pub spec: Option<&'a Spec>,
    /// The title in the file.
    pub title: String,
    /// The description in the file.
    pub description: String,
    /// The file as a data address. A browser neither runs nor fetches anything for an image.
    pub address: String,
}

impl Figure<'_> {
    /// Whether it draws the history of accepted costs.
    pub fn is_history(&self) -> bool {
        self.spec.is_some_and(|spec| spec.is_history())
    }
}

/// The costs of today and the baseline.
pub enum Regression {
    /// There is no baseline.
    NoBaseline,
    /// The baseline is from another castbench; why.
    Incomparable(String),
    /// The changes from the baseline.
    Compared(Comparison),
}

impl<'a> Report<'a> {
    /// What these have.
    ///
    /// # Errors
    /// Exit code 74 if the sweep is incomplete or a file is invalid; 5 if the claims cannot be checked; those of the sweep that
    /// evaluates the present costs.
    pub fn new(sources: &Sources<'a>) -> Result<Self> {
        let sweep = Sweep::open(sources.from)?;
        let (run, configuration) = read_run(sources.from, &sweep)?;
        tell_others(&sweep, sources.figures);
        let (accept, regression) = regression(sources)?;
        let costs = PROBLEMS
            .iter()
            .filter_map(|problem| read_costs(problem, sources.from, &sweep).transpose());
        Ok(Self {
            is_neighbour: sources.is_neighbour,
            run,
            configuration,
            costs: costs.collect::<Result<_, _>>()?,
            findings: findings(&sweep)?,
            machines: machines(sources)?,
            figures: read_figures(sources, &sweep)?,
            measured: Results::choose(sources.measured, &sources.from.join("measured"))?
                .map(Measured::new),
            history: history::read(sources.baseline.parent().unwrap_or(sources.baseline))?,
            claims: threads::within(|| audit::audit(&audit::all_claims()?, |_| true, |_| ()))?,
            accept,
            regression,
        })
    }

    /// The command that states the cost of a point; the point alone where --config does not name the file with its profile or
    /// algorithm.
    pub fn command(&self, algorithm: &str, point: &str) -> String {
        let by_file = |named: &str| {
            self.machines.iter().find_map(|machine| {
                let values = named.strip_prefix(&machine.name)?.strip_prefix(' ')?;
                Some(format!(
                    "--machine {} {values}",
                    shell_word(&machine.spelling())
                ))
            })
        };
        let spelled = match point.strip_prefix("--machine ") {
            Some(named) => by_file(named),
            None => Some(point.to_owned()),
        };
        match catalogue::find(algorithm).zip(spelled) {
            Some((entry, point)) => {
                let name = shell_word(algorithm);
                format!("castbench cost {name}{} {point}", with(entry))
            }
            None => format!("{algorithm} {point}"),
        }
    }
}

/// The profiles of the configurations, and the built-in ones.
fn machines(sources: &Sources<'_>) -> Result<Vec<Machine>> {
    let named = [sources.figures, sources.regress]
        .map(|config| &config.grids)
        .into_iter()
        .flatten()
        .flat_map(|grid| grid.machines.all());
    Ok(named.cloned().chain(Machine::built_in()?).collect())
}

/// The configuration with all defaults.
#[derive(Deserialize)]
pub struct Configuration {
    /// The seed of all random draws.
    pub seed: u64,
    /// The largest point that was simulated.
    pub simulate_up_to_nodes: u64,
    /// The most hops of a point that was simulated.
    pub simulate_up_to_hops: u64,
    /// The grids that were swept.
    pub grids: Vec<RecordedGrid>,
}

/// The points of a grid over all algorithms: each is evaluated over the product of the axes of its problem. `None` if this
/// castbench does not have an algorithm.
pub fn grid_points(grid: &RecordedGrid) -> Option<u64> {
    let of = |name: &String| {
        let entry = catalogue::find(name)?;
        let indices = form(entry.problem(), |key| grid.axes.contains_key(key)).ok()?;
        let count = |index: usize| {
            grid.axes
                .get(entry.axes()[index].key)
                .map_or(1, Values::count)
        };
        indices.into_iter().map(count).try_fold(1, u64::checked_mul)
    };
    grid.algorithms.iter().map(of).sum()
}

/// The manifest of a sweep, and the parts of its configuration that the page shows.
fn read_run(from: &Path, sweep: &Sweep<'_>) -> Result<(Manifest<Value>, Configuration)> {
    let path = from.join("manifest.json");
    let manifest = sweep.manifest().ok_or_else(|| {
        let reason = "there is no such file, so there is no sweep to report; run `castbench run` first, or name the directory of a sweep with --from";
        Failure::read(&path, reason)
    })?;
    let configuration = Configuration::deserialize(&manifest.configuration)
        .map_err(|error| Failure::read(&path, format_args!("{error}; sweep again")))?;
    Ok((manifest.clone(), configuration))
}

/// The costs of one problem.
pub struct ProblemCosts {
    /// The problem.
    pub problem: &'static Problem,
    /// The cost at each point.
    pub costs: Costs,
    /// For each algorithm, the number of rows that were also simulated.
    pub simulated: BTreeMap<String, u64>,
}

/// The costs of a problem; `None` if the sweep has none of its points.
fn read_costs(
    problem: &'static Problem,
    from: &Path,
    sweep: &Sweep<'_>,
) -> Result<Option<ProblemCosts>> {
    // Rows first, because that checks their file against the manifest.
    let mut simulated = BTreeMap::new();
    for row in sweep
        .rows(problem, |_| true)?
        .into_iter()
        .filter(|row| row.simulated.is_some())
    {
        *simulated.entry(row.algorithm).or_default() += 1;
    }
    if sweep.listed(&file_name(problem))?.is_none() {
        return Ok(None);
    }
    Ok(Costs::read(from, problem)?.map(|costs| ProblemCosts {
        problem,
        costs,
        simulated,
    }))
}

fn findings(sweep: &Sweep<'_>) -> Result<Vec<Finding>> {
    let Some(path) = sweep.listed("findings.csv")? else {
        return Ok(Vec::new());
    };
    let lines = output::open_lines(&path).map_err(output::unread(&path))?;
    column::rows(lines).map_err(output::unread(&path))
}

/// The comparison with the baseline over the grids that are more like its own: the built-in ones, or those of --config.
fn regression<'a>(sources: &Sources<'a>) -> Result<(Accept<'a>, Regression)> {
    let has_grids = !sources.figures.grids.is_empty();
    let mut accept = Accept {
        baseline: sources.baseline,
        config: sources.config.filter(|_| has_grids),
    };
    let mut compared = || -> Result<Regression> {
        let Some(baseline) = Baseline::open(sources.baseline, &accept)? else {
            return Ok(Regression::NoBaseline);
        };
        let mut named = accept
            .config
            .map(|_| Config::select(accept.config, BuiltIn::Regress, &[]))
            .transpose()?;
        let changes = |config: &Config| baseline.grid_changes(config).len();
        if named
            .as_ref()
            .is_some_and(|named| changes(sources.regress) <= changes(named))
        {
            (accept.config, named) = (None, None);
        }
        // From here on Ctrl-C must remove a temporary directory; before, it only ends the program.
        signals::stop_on_interrupt()?;
        let config = named.as_ref().unwrap_or(sources.regress);
        let today = today::evaluate(config, None)?;
        Ok(Regression::Compared(today.against(&baseline)?))
    };
    let regression = match compared() {
        Err(failure) if failure.code == Code::Incomparable => {
            Regression::Incomparable(failure.explanation())
        }
        other => other?,
    };
    Ok((accept, regression))
}

fn read_figures<'a>(sources: &Sources<'a>, sweep: &Sweep<'_>) -> Result<Figures<'a>> {
    let directory = sources.from.join("figures");
    let specs = sources.specs;
    let name = |spec: &Spec| spec.file().to_owned();
    let files = svg_files(&directory)?;
    let (there, missing): (Vec<&Spec>, Vec<&Spec>) = specs
        .iter()
        .partition(|spec| directory.join(spec.file()).exists());
    let read = |path: &Path| output::read_text(path).map_err(output::unread(path));
    let mut drawn = Vec::new();
    for (spec, picture) in figures::drawn(&there, sweep, &PageFit::default())? {
        let svg = picture?.svg;
        let path = directory.join(spec.file());
        // The pixels of a PNG depend on the fonts of the system; the page shows the drawing itself.
        let own = files
            .iter()
            .find(|file| *file == spec.file())
            .map(|_| read(&path))
            .transpose()?;
        if own.as_ref().is_some_and(|own| differs(own, &svg)) {
            let reason = "it differs from what `castbench figures` draws from the sweep beside it; draw it again";
            return Err(Failure::read(&path, reason));
        }
        drawn.push(figure(
            &path,
            &name(spec),
            own.as_ref().unwrap_or(&svg),
            Some(spec),
        )?);
    }
    for file in files
        .iter()
        .filter(|file| specs.iter().all(|spec| spec.file() != *file))
    {
        let path = directory.join(file);
        drawn.push(figure(&path, file, &read(&path)?, None)?);
    }
    let missing = missing
        .into_iter()
        .filter(|spec| !spec.is_history() && spec.measurements.is_none())
        .map(name)
        .collect();
    Ok(Figures { drawn, missing })
}

/// Whether a file shows something other than this drawing. A figure of another size shows the same.
fn differs(file: &str, drawing: &str) -> bool {
    match Origin::split(file) {
        Some((origin, drawn)) => origin.is_natural() && drawn != drawing,
        None => file != drawing,
    }
}

/// The names of the SVG files in a directory, in order; none where there is no directory.
fn svg_files(directory: &Path) -> Result<Vec<String>> {
    if !directory.exists() {
        return Ok(Vec::new());
    }
    let failed = output::unread(directory);
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        names.extend(
            name.into_string()
                .ok()
                .filter(|name| name.ends_with(".svg")),
        );
    }
    names.sort();
    Ok(names)
}

fn figure<'a>(path: &Path, name: &str, text: &str, spec: Option<&'a Spec>) -> Result<Figure<'a>> {
    let text_of = |element| {
        markup::text_of(text, element).ok_or_else(|| {
            let reason =
                "so it has no accessible description; remove the file, or draw it again with `castbench figures`";
            Failure::read(path, format_args!("it has no <{element}>, {reason}"))
        })
    };
    Ok(Figure {
        id: format!("figure-{}", identifier(name.trim_end_matches(".svg"))),
        spec,
        title: text_of("title")?,
        description: text_of("desc")?,
        address: format!("data:image/svg+xml;base64,{}", STANDARD.encode(text)),
    })
}

/// A name as part of an id: letters and digits stay, other characters become their numbers, so ids stay distinct.
fn identifier(name: &str) -> String {
    name.chars()
        .map(|sign| match sign {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' => sign.to_string(),
            other => format!("_{:x}_", u32::from(other)),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::markup::text_of;

    #[test]
    fn a_drawing_has_a_title() {
        let svg = "<svg><title>1 &lt; 2 &amp;lt; 3</title><desc> </desc></svg>";
        assert_eq!(text_of(svg, "title").as_deref(), Some("1 < 2 &lt; 3"));
        assert_eq!(
            (text_of(svg, "desc"), text_of("<svg><title>", "title")),
            (None, None)
        );
    }

    #[test]
    fn ids_are_single_words_and_distinct() {
        assert_eq!(identifier("mesh-links-8x8"), "mesh-links-8x8");
        assert_eq!(identifier("a b\"<"), "a_20_b_22__3c_");
        assert_ne!(identifier("a.b"), identifier("a_b"));
    }
}
