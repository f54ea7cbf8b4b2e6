//! A multicast tree of the caller's own.

use castbench::base::failure::Failure;
use castbench_algorithms::error::Error;
use castbench_algorithms::logp::LogP;
use castbench_algorithms::tree as judge;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::point::count;
use crate::running::{detached, raised};

/// The cost of a multicast tree of your own under LogP: by recurrence, by execution, and the lower bound of any tree.
///
/// sends: a dict of each sender to its receivers in the order of its sends, or pairs (sender, receiver) in that
/// order. Nodes are 1 to K.
/// L, o, g: the machine, in time units.
/// K: the number of nodes; by default the largest one in `sends`.
/// source: the node that holds the message at the start; by default 1.
/// The answer has cost, simulated, lower_bound, and held: when node 1, 2, ... holds the message.
/// ValueError where a node is reached twice or never.
#[pyfunction]
#[pyo3(signature = (sends, /, *, L, o, g, K=None, source=None))]
#[expect(non_snake_case, reason = "a symbol of the model keeps its letter")]
pub fn tree<'py>(
    py: Python<'py>,
    sends: &Bound<'py, PyAny>,
    L: &Bound<'py, PyAny>,
    o: &Bound<'py, PyAny>,
    g: &Bound<'py, PyAny>,
    K: Option<&Bound<'py, PyAny>>,
    source: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let number = |option, value| Ok::<_, PyErr>(count(option, Some(value))?.unwrap_or_default());
    let machine = LogP::new(number("-L", L)?, number("-o", o)?, number("-g", g)?)
        .map_err(|error| refused(&error))?;
    let sends = pairs(sends)?;
    let source = source.map_or(Ok(1), node)?;
    let named = sends
        .iter()
        .flat_map(|&(sender, receiver)| [sender, receiver])
        .max();
    let nodes = K.map_or(Ok(named.unwrap_or(source)), node)?;
    let answer = detached(py, || {
        let schedule = judge::Schedule::new(nodes, source, &sends)?;
        let trace = judge::simulate(machine, &schedule)?;
        Ok((
            judge::cost(machine, &schedule)?,
            trace,
            judge::lower_bound(machine, nodes.into())?,
        ))
    })?;
    let (cost, trace, lower_bound) = answer.map_err(|error| refused(&error))?;
    let explanation = PyDict::new(py);
    explanation.set_item("cost", cost)?;
    explanation.set_item("simulated", trace.finish)?;
    explanation.set_item("lower_bound", lower_bound)?;
    explanation.set_item("held", trace.held)?;
    Ok(explanation)
}

fn refused(error: &Error) -> PyErr {
    raised(&Failure::usage(error))
}

fn node(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    value.extract().map_err(|error: PyErr| {
        match error.is_instance_of::<PyOverflowError>(value.py()) {
            true => raised(&Failure::usage(format_args!(
                "node {value}: expected 1 to K"
            ))),
            false => error,
        }
    })
}

/// The sends in order: of a dict from sender to receivers, or pairs.
fn pairs(sends: &Bound<'_, PyAny>) -> PyResult<Vec<(u32, u32)>> {
    let mut pairs = Vec::new();
    if let Ok(children) = sends.cast::<PyDict>() {
        for (sender, receivers) in children {
            let sender = node(&sender)?;
            for receiver in receivers.try_iter()? {
                pairs.push((sender, node(&receiver?)?));
            }
        }
        return Ok(pairs);
    }
    for pair in sends.try_iter()? {
        let (sender, receiver) = pair?.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
        pairs.push((node(&sender)?, node(&receiver)?));
    }
    Ok(pairs)
}
