//! What there is: algorithms and problems.

use castbench::print::Object;
use castbench::space::{Cell, Machines, PointValues};
use castbench::verbs::list::columns_of_algorithms;
use castbench::verbs::point::Parameters;
use castbench_algorithms::catalogue::{PROBLEMS, entries};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::objects;

/// All algorithms: a dict for each, with the keys of `castbench list --format json` and an example.
///
/// axes: the parameters of cost(), by their keys.
/// example: parameters at which the algorithm has a cost.
#[pyfunction]
pub fn algorithms(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyAny>>> {
    let (machines, columns) = (Machines::default(), columns_of_algorithms());
    let listed = entries().iter().map(|&entry| {
        let algorithm = objects::of(
            py,
            &Object {
                columns: &columns,
                row: entry,
            },
        )?;
        algorithm.set_item(
            "axes",
            entry.axes().iter().map(|axis| axis.key).collect::<Vec<_>>(),
        )?;
        let mut values = PointValues::none(entry.axes());
        values.copy_from_slice(&entry.example());
        let example = Parameters(&Cell {
            entry,
            machines: &machines,
            values,
            site: None,
        });
        algorithm.set_item("example", objects::of(py, &example)?)?;
        Ok(algorithm)
    });
    listed.collect()
}

/// All problems: a dict for each, with its title, its axes and the names of its algorithms.
///
/// Of an axis: its key, its columns in sweep(), what its values are, its default, and what it means.
#[pyfunction]
pub fn problems(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let listed = PROBLEMS.iter().map(|problem| {
        let axes = problem.axes.iter().map(|axis| {
            let described = PyDict::new(py);
            described.set_item("axis", axis.key)?;
            described.set_item("columns", axis.columns)?;
            described.set_item("kind", format!("{:?}", axis.kind).to_lowercase())?;
            described.set_item("default", axis.default)?;
            described.set_item("meaning", axis.meaning)?;
            Ok(described)
        });
        let own = entries().iter().filter(|entry| entry.problem() == problem);
        let described = PyDict::new(py);
        described.set_item("problem", problem.name)?;
        described.set_item("title", problem.title)?;
        described.set_item("axes", axes.collect::<PyResult<Vec<_>>>()?)?;
        described.set_item(
            "algorithms",
            own.map(|entry| entry.name).collect::<Vec<_>>(),
        )?;
        Ok(described)
    });
    listed.collect()
}
