//! Algorithms whose plans a function of Python makes.

use castbench::plans;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::running::{keep, raised};

/// Adds an algorithm of your own for a collective: cost(), sweep(), best() and figure() then know it by its name.
///
/// plan: a function that gets a point as a dict, with problem, K, n, c, root, m, r, k, element, L, o and g, and
/// unit ("word" or "byte": what n counts), ports ("strict", "duplex" or "switch") and machine, a dict: what messages cost by their
/// size. It returns a plan, as docs/plans.md describes it, as a dict or as a text in JSON. It must depend on the point only.
/// formula: what you state of its cost, as "ceil(log2(K)) * (L + 2*o)", which is compared with the execution; `duplex` is 1
/// with duplex ports, else 0.
/// An exception of the function is raised by what asked for the plan. The name can be given again, with another function.
#[pyfunction]
#[pyo3(signature = (name, /, *, problem, plan, formula=None))]
pub fn algorithm(
    name: &str,
    problem: &str,
    plan: Py<PyAny>,
    formula: Option<&str>,
) -> PyResult<()> {
    let asked = move |point: &str| {
        Python::attach(|py| answered(py, &plan, point).map_err(|error| keep(py, error)))
    };
    plans::give(name, problem, formula, Box::new(asked)).map_err(|failure| raised(&failure))
}

/// What the function answers to a point, as JSON.
fn answered(py: Python<'_>, plan: &Py<PyAny>, point: &str) -> PyResult<String> {
    let json = py.import("json")?;
    let point = json.call_method1("loads", (point,))?;
    let answer = plan.bind(py).call1((point.cast::<PyDict>()?,))?;
    if answer.is_instance_of::<PyString>() {
        answer.extract()
    } else {
        json.call_method1("dumps", (answer,))?.extract()
    }
}
