//! A configuration into columns, or into a figure.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use castbench::base::failure::{Code, Failure};
use castbench::config::Config;
use castbench::draw::chart::format::ImageFormat;
use castbench::figures;
use castbench::output;
use castbench::output::built_in::BuiltIn;
use castbench::output::diagnostics::Source;
use castbench::record::{file_name, row};
use castbench::sweep as sweeps;
use castbench::verbs;
use castbench::verbs::cli::{Cli, Verb};
use castbench_algorithms::problem::Problem;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::objects;
use crate::point::count;
use crate::progress::{Counted, Shown};
use crate::running::{internal, interruptible, raised};
use crate::scratch::{Scratch, toml_of};
use crate::values;
use crate::verbs::arguments;

/// Evaluates the grids of a configuration: a list for each column, ready for pandas.DataFrame or polars.DataFrame.
///
/// config: the path of a TOML file, TOML as text of several lines, or the same as a dict;
/// None for the grids of configs/default.toml. In a dict the values of an axis are a number, a text as on the
/// command line ("2..4096..x2"), a range, or a sequence such as a numpy array of integers; machines are names,
/// paths of profiles, and profiles as dicts with the keys of their TOML.
/// problem: the problem whose rows are wanted; needed where the grids are of several.
/// jobs: threads; one for each core by default.
/// progress: a function that is called with the points done and all points; by default a bar on stderr, if that is
/// a terminal; False for neither.
/// Columns, rows and their order are those of the CSV of `castbench sweep`; a missing value is None.
/// In problems whose costs may be fractions every cost is a fractions.Fraction.
/// Ctrl-C raises KeyboardInterrupt; a point that takes long ends in the background.
#[pyfunction]
#[pyo3(signature = (config=None, *, problem=None, jobs=None, progress=None))]
pub fn sweep<'py>(
    py: Python<'py>,
    config: Option<&Bound<'py, PyAny>>,
    problem: Option<String>,
    jobs: Option<&Bound<'py, PyAny>>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (problem, csv) = run(py, config, jobs, progress, move |job, stop| {
        let rows = job.rows(|config| select(config, problem.as_deref()), stop)?;
        rows.into_iter()
            .next_back()
            .ok_or_else(|| Failure::new(Code::Nothing, "no grid has a point"))
    })?;
    let has_networks = csv.starts_with(&sweeps::header(problem, true));
    objects::columns(py, &csv, &row::swept(problem, has_networks))
}

/// Draws one figure of results, as `castbench figures --x`, and returns it as SVG.
///
/// results: the directory of a sweep, or a configuration as for sweep(), which is evaluated.
/// x: the axis to draw along.
/// out: a file for the figure, .svg, .png or .pdf; the answer is the SVG.
/// jobs, progress: as for sweep().
/// Other options are those of `castbench figures`: y, by, log, free, over, problem, algorithms, at, width, font_size,
/// font, legend, no_title, no_caption; as in log="x,y", at={"L": 6, "o": 2}, font="DejaVu Serif", no_title=True. Only the program
/// writes captions into files.
#[pyfunction]
#[pyo3(signature = (results=None, *, x, out=None, jobs=None, progress=None, **options))]
pub fn figure(
    py: Python<'_>,
    results: Option<&Bound<'_, PyAny>>,
    x: &Bound<'_, PyAny>,
    out: Option<PathBuf>,
    jobs: Option<&Bound<'_, PyAny>>,
    progress: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<String> {
    let file = out.unwrap_or_default();
    let named = if file.as_os_str().is_empty() {
        PathBuf::from("figure.svg")
    } else {
        file.clone()
    };
    if ImageFormat::from_name(&named.to_string_lossy()).is_none() {
        let explanation = format_args!(
            "out: `{}`: expected a file name that ends in .svg, .png or .pdf",
            named.display()
        );
        return Err(raised(&Failure::usage(explanation)));
    }
    let mut typed = arguments(&["figures"], "--", options, &Scratch::default())?;
    typed.extend([
        format!("--x={}", values::typed(x, ",")?),
        format!("--out={}", named.display()),
    ]);
    let Verb::Figures(mut figures) = Cli::verb(typed).map_err(|failure| raised(&failure))? else {
        return Err(internal("`figures` is another verb"));
    };
    if figures.page.caption.is_some() {
        let explanation = "caption: figure() writes no caption; write no_caption=True, or use `castbench figures --x`";
        return Err(raised(&Failure::usage(explanation)));
    }
    let x = figures.x.clone().unwrap_or_default();
    run(py, results, jobs, progress, move |job, stop| {
        figures.from = job.results(stop)?;
        let (svg, bytes) = verbs::figures::drawn(&figures, &x, &named)?;
        if !file.as_os_str().is_empty() {
            output::write(&file, &bytes)?;
        }
        Ok(svg)
    })
}

/// The rows of a problem with their header, as CSV.
type ProblemCsv = (&'static Problem, Vec<u8>);

/// What a thread evaluates.
struct Job {
    given: Given,
    jobs: Option<usize>,
    is_bar: bool,
    counted: Counted,
    scratch: Scratch,
}

/// Runs a job on its own thread.
fn run<T: Send + 'static>(
    py: Python<'_>,
    config: Option<&Bound<'_, PyAny>>,
    jobs: Option<&Bound<'_, PyAny>>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Job, &AtomicBool) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let (scratch, counted, shown) = (Scratch::default(), Counted::default(), Shown::of(progress)?);
    let given = Given::of(config, &scratch)?;
    let jobs = count("--jobs", jobs)?.map(|jobs| usize::try_from(jobs).unwrap_or(usize::MAX));
    let job = Job {
        given,
        jobs,
        is_bar: matches!(shown, Shown::Bar),
        counted: counted.clone(),
        scratch,
    };
    let mut last = 0;
    let look = |py: Python<'_>| shown.look(py, &counted, &mut last);
    interruptible(py, look, move |stop| {
        work(&job, stop).map_err(|failure| job.scratch.without_directory(failure))
    })
}

impl Job {
    /// The rows of each problem of the selected grids.
    fn rows(
        &self,
        select: impl FnOnce(&mut Config) -> Result<(), Failure>,
        stop: &AtomicBool,
    ) -> Result<Vec<ProblemCsv>, Failure> {
        let mut config = self.given.read()?;
        select(&mut config)?;
        let begin = |points, work| Shown::begin(self.is_bar, &self.counted, points, work);
        let mut rows: Vec<ProblemCsv> = Vec::new();
        let keep = |problem, rows| sweeps::csv(problem, rows, config.has_networks(problem));
        let take = |problem: &'static Problem, csv: Vec<u8>| {
            match rows.iter_mut().find(|(known, _)| *known == problem) {
                Some((_, all)) => all.extend(csv),
                None => rows.push((
                    problem,
                    [sweeps::header(problem, config.has_networks(problem)), csv].concat(),
                )),
            }
            Ok(())
        };
        let report = sweeps::evaluate(&config, self.jobs, stop, begin, (&keep, take))?;
        match report.verdict() {
            Err(failure) if failure.code == Code::Disagreement => Err(failure),
            // Other verdicts stand in the column `status` of each row.
            _ => Ok(rows),
        }
    }

    /// The directory of results, evaluated if a configuration was given.
    fn results(&self, stop: &AtomicBool) -> Result<PathBuf, Failure> {
        if let Given::File(path) = &self.given
            && path.is_dir()
        {
            return Ok(path.clone());
        }
        for (problem, csv) in self.rows(|_| Ok(()), stop)? {
            self.scratch.write(&file_name(problem), &csv)?;
        }
        self.scratch.path().map(Path::to_owned)
    }
}

/// A configuration as it was given.
enum Given {
    BuiltIn,
    File(PathBuf),
    Text(String),
}

impl Given {
    fn of(config: Option<&Bound<'_, PyAny>>, scratch: &Scratch) -> PyResult<Self> {
        let Some(config) = config else {
            return Ok(Self::BuiltIn);
        };
        if let Ok(table) = config.cast::<PyDict>() {
            return toml_of(&values::table(table, scratch)?).map(Self::Text);
        }
        match config
            .cast::<PyString>()
            .ok()
            .map(|text| text.extract::<String>())
            .transpose()?
        {
            Some(text) if text.contains('\n') => Ok(Self::Text(text)),
            _ => config.extract().map(Self::File),
        }
    }

    fn read(&self) -> Result<Config, Failure> {
        let load = |path: Option<&Path>| Config::select(path, BuiltIn::Default, &[]);
        let config = match self {
            Self::BuiltIn => load(None),
            Self::File(path) => load(Some(path)),
            Self::Text(text) => Config::from_source(&Source::built_in("configuration", text)),
        }?;
        figures::of(&config).map(|_| config)
    }
}

/// Leaves the algorithms of one problem.
fn select(config: &mut Config, problem: Option<&str>) -> Result<(), Failure> {
    let entries = config.grids.iter().flat_map(|grid| &grid.algorithms);
    let mut problems: Vec<&str> = entries.map(|entry| entry.problem().name).collect();
    problems.sort_unstable();
    problems.dedup();
    let refuse = |what: String| {
        let first = problems.first().copied().unwrap_or_default();
        let names = problems.join(", ");
        Failure::usage(format_args!(
            "{what}; {} has grids of {names}: name one, as problem=\"{first}\"",
            config.name()
        ))
    };
    let wanted = match problem {
        None if problems.len() > 1 => {
            return Err(refuse("one problem is swept at a time".to_owned()));
        }
        None => return Ok(()),
        Some(name) if problems.contains(&name) => name.to_owned(),
        Some(name) => return Err(refuse(format!("there is no grid of problem `{name}`"))),
    };
    for grid in &mut config.grids {
        grid.algorithms
            .retain(|entry| entry.problem().name == wanted);
    }
    Ok(())
}
