//! Verbs of the program as functions: keyword arguments are options, and the answer is the JSON that the verb prints.

use std::path::PathBuf;

use castbench::base::failure::{Code, Failure};
use castbench::verbs;
use castbench::verbs::cli::{Cli, Verb};
use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString};

use crate::objects;
use crate::point::{ANY, written};
use crate::running::{raised, warned};
use crate::scratch::Scratch;
use crate::values::option_value;

/// The best algorithm of a problem for each case, as `castbench best --format json`: a dict for each case.
///
/// Keyword arguments are the options of `castbench best`: machine="ethernet100-switched" or a profile as a dict,
/// K=[8, 16], bytes="1KiB..1MiB..x2", against="mpich", only=True, within=5, svg="map.pdf". Values of an axis are
/// a number, a text as on the command line, a range or a sequence.
/// along="bytes", from_=1, to="1MiB": where the best changes along an axis, a dict for each range and value of the other axes.
/// format: "csv" or another format of `castbench best`; the answer is its text then.
/// Costs are exact: an int, or a fractions.Fraction. A warning of the program is a UserWarning.
#[pyfunction]
#[pyo3(signature = (problem=None, /, *, format="json", **options))]
pub fn best<'py>(
    py: Python<'py>,
    problem: Option<&str>,
    format: &str,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut note = String::new();
    let problem = problem.map_or(Vec::new(), |problem| vec!["--problem", problem]);
    let words = [&["best", "--format", format], &*problem].concat();
    let text = answer(
        py,
        &words,
        options,
        &Scratch::default(),
        |verb, out| match verb {
            Verb::Best(arguments) => {
                verbs::best::answer(arguments, out).map(|explanation| note = explanation)
            }
            _ => unexpected(),
        },
    )?;
    let said = note.lines().map(str::to_owned).collect::<Vec<_>>();
    warned(py, said)?;
    if format != "json" {
        return String::from_utf8_lossy(&text)
            .into_owned()
            .into_bound_py_any(py);
    }
    let cases = objects::of_json(py, &text)?;
    for case in cases.cast::<PyList>()? {
        objects::exact(case.cast::<PyDict>()?, |key| {
            key.ends_with("cost") || key == "lower_bound"
        })?;
    }
    Ok(cases)
}

/// Simulates a schedule in GOAL, as `castbench cost --ends --format json`.
///
/// goal: the path of a file, or GOAL as text of several lines.
/// Keyword arguments are the options of `castbench cost --ends`: L=6, o=2, g=4, or machine="ethernet100-switched"
/// or a profile as a dict.
#[pyfunction]
#[pyo3(signature = (goal, /, **options))]
pub fn import_goal<'py>(
    py: Python<'py>,
    goal: &Bound<'py, PyAny>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let scratch = Scratch::default();
    let path = match goal
        .cast::<PyString>()
        .ok()
        .map(|text| text.extract::<String>())
        .transpose()?
    {
        Some(text) if text.contains('\n') => scratch
            .write("schedule.goal", text.as_bytes())
            .map_err(|failure| raised(&failure))?,
        // A path in full is never taken for an option.
        _ => std::path::absolute(goal.extract::<PathBuf>()?)?,
    };
    let path = path.display().to_string();
    let mut said = Vec::new();
    let text = answer(
        py,
        &["cost", "--ends", "--format", "json", &path],
        options,
        &scratch,
        |verb, out| match verb {
            Verb::Cost(arguments) => {
                verbs::cost::answer(arguments, &ANY, out, &mut |line| said.push(line))
            }
            _ => unexpected(),
        },
    )?;
    // A schedule has one rule of ports: what is said of a profile with another is a warning.
    for line in warned(py, said)? {
        py.import("warnings")?.call_method1("warn", (line,))?;
    }
    objects::of_json(py, &text)
}

fn unexpected() -> Result<(), Failure> {
    Err(Failure::new(
        Code::Internal,
        "the arguments are of another verb",
    ))
}

/// What the verb of these words and options writes.
fn answer(
    py: Python<'_>,
    words: &[&str],
    options: Option<&Bound<'_, PyDict>>,
    scratch: &Scratch,
    verb: impl FnOnce(&Verb, &mut Vec<u8>) -> Result<(), Failure> + Send,
) -> PyResult<Vec<u8>> {
    let parsed =
        Cli::verb(arguments(words, "-", options, scratch)?).map_err(|failure| raised(&failure))?;
    written(py, |out| verb(&parsed, out), scratch)
}

/// The words of a verb and its options, as they are typed; those of one letter after `dashes`. False and None leave an
/// option out, True is an option without a value.
pub fn arguments(
    words: &[&str],
    dashes: &str,
    options: Option<&Bound<'_, PyDict>>,
    scratch: &Scratch,
) -> PyResult<Vec<String>> {
    let mut typed_words: Vec<String> = ["castbench"]
        .iter()
        .chain(words)
        .map(|&word| word.to_owned())
        .collect();
    for (name, value) in options.into_iter().flatten() {
        let name: String = name.extract()?;
        // `from` is a word of Python.
        let name = name.trim_end_matches('_').to_owned();
        let option = if name.len() == 1 {
            format!("{dashes}{name}")
        } else {
            format!("--{}", name.replace('_', "-"))
        };
        if value.is_none() || value.cast::<PyBool>().is_ok_and(|flag| !flag.is_true()) {
            continue;
        }
        typed_words.push(match value.is_instance_of::<PyBool>() {
            true => option,
            false => format!("{option}={}", option_value(&name, &value, scratch)?),
        });
    }
    Ok(typed_words)
}
