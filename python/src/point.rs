//! One point: its cost, and the events of its execution.

use castbench::base::failure::{Failure, tell};
use castbench::base::units::parse_count;
use castbench::draw::trace;
use castbench::print::Format;
use castbench::print::column::Tabled as _;
use castbench::verbs;
use castbench::verbs::cost::Cost;
use castbench::verbs::export::{Export, ExportFormat};
use castbench::verbs::options::{PointArgs, Printed};
use castbench_algorithms::catalogue::find;
use castbench_algorithms::cost::Limits;
use castbench_algorithms::problem::Kind;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::objects;
use crate::running::{detached, raised, warned};
use crate::scratch::Scratch;
use crate::values::{option_value, typed};

/// Nothing is too large.
pub const ANY: Limits = Limits {
    nodes: u64::MAX,
    hops: u64::MAX,
};

/// The cost of an algorithm at a point: lower bound, published, analytic and simulated.
///
/// Parameters are the axes of the algorithm's problem (see problems()), as numbers or as the text
/// that the program takes: K=18, bytes="1MiB", mesh="8x4" or (8, 4), machine="ethernet100-switched" or a profile
/// as a dict with the keys of its TOML.
/// The keys of the answer are those of `castbench cost --format json`.
///
/// simulate_up_to: the most nodes of a tree, summation or k-port network that is simulated.
/// simulate_up_to_hops: the most hops, deliveries or additions that are simulated.
/// Ctrl-C takes effect after the answer.
#[pyfunction]
#[pyo3(signature = (algorithm, /, *, simulate_up_to=None, simulate_up_to_hops=None, **parameters))]
pub fn cost<'py>(
    py: Python<'py>,
    algorithm: &str,
    simulate_up_to: Option<&Bound<'py, PyAny>>,
    simulate_up_to_hops: Option<&Bound<'py, PyAny>>,
    parameters: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let scratch = Scratch::default();
    let point = point(algorithm, parameters, &scratch)?;
    let simulate_up_to = count("--simulate-up-to", simulate_up_to)?;
    let simulate_up_to_hops = count("--simulate-up-to-hops", simulate_up_to_hops)?;
    let arguments = Cost {
        point,
        simulate_up_to,
        simulate_up_to_hops,
        capacity: false,
        explain: false,
        slopes: false,
        ends: false,
        network: castbench::networks::NetworkArgs::default(),
        printed: Printed {
            format: Format::Json,
        },
    };
    let json = written(
        py,
        |out| verbs::cost::answer(&arguments, &ANY, out, &mut |line| tell(line)),
        &scratch,
    )?;
    let answer = objects::of_json(py, &json)?;
    // A text at this level is a fraction, but for the name.
    objects::exact(answer.cast()?, |key| {
        key != "algorithm" && key != "analytic_by"
    })?;
    Ok(answer)
}

/// The events of an execution, a list for each column: start, end, node, what, port, peer, message, item, class.
///
/// Parameters are those of cost(). On a mesh, `source` and `to` name nodes as (x, y):
/// schedule("dual-path", mesh="4x3", source=(1, 1), to=[(0, 0), (3, 2)]).
/// The columns are those of `castbench export csv`, and `ports` where the problem has a rule of ports.
#[pyfunction]
#[pyo3(signature = (algorithm, /, *, to=None, **parameters))]
pub fn schedule<'py>(
    py: Python<'py>,
    algorithm: &str,
    to: Option<Vec<Bound<'py, PyAny>>>,
    parameters: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let to = to
        .unwrap_or_default()
        .iter()
        .map(|node| typed(node, ","))
        .collect::<PyResult<_>>()?;
    let scratch = Scratch::default();
    let arguments = Export {
        format: ExportFormat::Csv,
        point: point(algorithm, parameters, &scratch)?,
        to,
        out: None,
    };
    let mut said = Vec::new();
    let csv = written(
        py,
        |out| verbs::export::answer(&arguments, out, &mut |line| said.push(line)),
        &scratch,
    )?;
    let table = objects::columns(py, &csv, &trace::EventRow::columns())?;
    // The rule comes first, and then what decides it.
    for rule in warned(py, said)? {
        let word = rule.split(' ').next().unwrap_or_default();
        let events = table.get_item("start")?.map_or(Ok(0), |all| all.len())?;
        table.set_item("ports", vec![word; events])?;
    }
    Ok(table)
}

/// What a verb writes, while other threads of Python run.
pub fn written(
    py: Python<'_>,
    verb: impl FnOnce(&mut Vec<u8>) -> Result<(), Failure> + Send,
    scratch: &Scratch,
) -> PyResult<Vec<u8>> {
    let answered = detached(py, || {
        let mut out = Vec::new();
        verb(&mut out).map(|()| out)
    })?;
    answered.map_err(|failure| raised(&scratch.without_directory(failure)))
}

/// The point of these parameters, as it is typed behind a verb. None leaves a parameter out.
fn point(
    algorithm: &str,
    parameters: Option<&Bound<'_, PyDict>>,
    scratch: &Scratch,
) -> PyResult<PointArgs> {
    let mut point = PointArgs {
        algorithm: algorithm.to_owned(),
        ..PointArgs::default()
    };
    for (name, value) in parameters.into_iter().flatten() {
        let name: String = name.extract()?;
        if value.is_none() {
            continue;
        }
        let value = match is_mesh(algorithm, &name) {
            true => typed(&value, "x")?,
            false => option_value(&name, &value, scratch)?,
        };
        if !point.set_named(&name, value)
            && let Some(entry) = find(algorithm)
        {
            let axes: Vec<&str> = entry.axes().iter().map(|axis| axis.key).collect();
            let explanation = format_args!(
                "`{algorithm}` has no parameter `{name}`; it reads {}",
                axes.join(", ")
            );
            return Err(raised(&Failure::usage(explanation)));
        }
    }
    Ok(point)
}

/// Whether a parameter holds the sides of a mesh.
fn is_mesh(algorithm: &str, name: &str) -> bool {
    let axes = find(algorithm).map_or_else(Default::default, |entry| entry.axes());
    axes.iter()
        .any(|axis| axis.kind == Kind::Sides && axis.long == Some(name))
}

/// A whole number, as it is typed behind an option.
pub fn count(option: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<u64>> {
    let Some(value) = value else { return Ok(None) };
    let text = typed(value, ",")?;
    let refused = |expected| raised(&Failure::usage(format_args!("{option} {text}: {expected}")));
    parse_count(&text).map(Some).map_err(refused)
}
