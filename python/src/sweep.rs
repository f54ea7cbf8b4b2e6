//! A configuration into columns.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use castbench::config::diagnostics::Source;
use castbench::config::{BuiltIn, Config};
use castbench::failure::{Code, Failure};
use castbench::progress::Progress;
use castbench::record::row;
use castbench::sweep::{Rows, evaluate};
use castbench::verbs::sweep::threads;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::objects;
use crate::point::count;
use crate::running::{interruptible, raised};

/// Evaluates the grids of a configuration: a list for each column, ready for pandas.DataFrame or polars.DataFrame.
///
/// config: the path of a TOML file, TOML as text of several lines, or the same as a dict;
/// None for the grids of configs/default.toml.
/// problem: the problem whose rows are wanted; needed where the grids are of several.
/// jobs: threads; one for each core by default.
/// Columns, rows and their order are those of the CSV of `castbench sweep`; a missing value is None.
/// In problems whose costs may be fractions every cost is a fractions.Fraction.
/// Ctrl-C raises KeyboardInterrupt.
#[pyfunction]
#[pyo3(signature = (config=None, *, problem=None, jobs=None))]
pub fn sweep<'py>(
    py: Python<'py>,
    config: Option<&Bound<'py, PyAny>>,
    problem: Option<&str>,
    jobs: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let given = Given::of(config)?;
    let jobs = threads(count("--jobs", jobs)?).map_err(|failure| raised(&failure))?;
    let (problem, csv) = interruptible(py, |stop| rows(given, problem, jobs, stop))?;
    objects::columns(py, &csv, &row::columns(problem))
}

/// A configuration as it was given.
enum Given {
    BuiltIn,
    File(PathBuf),
    Text(String),
}

impl Given {
    fn of(config: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(config) = config else { return Ok(Self::BuiltIn) };
        if let Ok(table) = config.cast::<PyDict>() {
            return of_dict(table).map(Self::Text);
        }
        match config.cast::<PyString>().ok().map(|text| text.extract::<String>()).transpose()? {
            Some(text) if text.contains('\n') => Ok(Self::Text(text)),
            _ => config.extract().map(Self::File),
        }
    }

    fn read(self) -> Result<Config, Failure> {
        let load = |path: Option<&Path>| Config::select(path, BuiltIn::Default, &[]);
        match self {
            Self::BuiltIn => load(None),
            Self::File(path) => load(Some(&path)),
            Self::Text(text) => Config::of(&Source::built_in("configuration", &text)),
        }
    }
}

/// The TOML of a dict, by way of JSON.
fn of_dict(table: &Bound<'_, PyDict>) -> PyResult<String> {
    let json = table.py().import("json")?.call_method1("dumps", (table,))?.extract::<String>()?;
    let table: Result<toml::Table, _> = serde_json::from_str(&json);
    let refused = |error: &dyn std::fmt::Display| {
        raised(&Failure::new(Code::Configuration, format_args!("the configuration is not TOML: {error}")))
    };
    toml::to_string(&table.map_err(|error| refused(&error))?).map_err(|error| refused(&error))
}

/// The rows of the wanted problem.
fn rows(given: Given, problem: Option<&str>, jobs: Option<usize>, stop: &AtomicBool) -> Result<Rows, Failure> {
    let mut config = given.read()?;
    select(&mut config, problem)?;
    let (report, mut rows) = evaluate(&config, jobs, stop, |points, _| Progress::silent(points))?;
    match report.verdict() {
        Err(failure) if failure.code == Code::Disagreement => Err(failure),
        // Other verdicts stand in the column `status` of each row.
        _ => rows.pop().ok_or_else(|| Failure::new(Code::Nothing, "no grid has a point")),
    }
}

/// Leaves the algorithms of one problem.
fn select(config: &mut Config, problem: Option<&str>) -> Result<(), Failure> {
    let entries = config.grids.iter().flat_map(|grid| &grid.algorithms);
    let mut problems: Vec<&str> = entries.map(|entry| entry.problem().name()).collect();
    problems.sort_unstable();
    problems.dedup();
    let refuse = |what: String| {
        let first = problems.first().copied().unwrap_or_default();
        let names = problems.join(", ");
        Failure::usage(format_args!("{what}; {} has grids of {names}: name one, as problem=\"{first}\"", config.name()))
    };
    let wanted = match problem {
        None if problems.len() > 1 => return Err(refuse("one problem is swept at a time".to_owned())),
        None => return Ok(()),
        Some(name) if problems.contains(&name) => name.to_owned(),
        Some(name) => return Err(refuse(format!("there is no grid of problem `{name}`"))),
    };
    for grid in &mut config.grids {
        grid.algorithms.retain(|entry| entry.problem().name() == wanted);
    }
    Ok(())
}
