//! Columns as a table of pandas in which numbers stay exact.

use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict as _, PyDict, PyList};

/// A pandas.DataFrame of columns, as those of sweep() and schedule(), in which numbers stay exact.
///
/// Whole numbers are int64, or uint64 where they need it; beside None Int64 or UInt64, because pandas would make floats of
/// them. Costs that are fractions.Fraction become whole numbers where all of a column are whole, and stay objects
/// otherwise.
#[pyfunction]
#[pyo3(signature = (columns, /))]
pub fn frame<'py>(columns: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
    let py = columns.py();
    let pandas = py.import("pandas")?;
    let table = PyDict::new(py);
    for (name, values) in columns {
        table.set_item(name, series(&pandas, &values)?)?;
    }
    pandas.call_method1("DataFrame", (table,))
}

fn series<'py>(
    pandas: &Bound<'py, PyModule>,
    values: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = pandas.py();
    let rational = py.import("numbers")?.getattr("Rational")?;
    let (mut whole, mut is_whole, mut has_none, mut is_exact) = (Vec::new(), true, false, true);
    for value in values.try_iter()? {
        let value = value?;
        if value.is_none() {
            has_none = true;
            whole.push(value);
        } else if !value.is_instance(&rational)? {
            (is_whole, is_exact) = (false, false);
        } else if value.getattr("denominator")?.eq(1)? {
            whole.push(value.getattr("numerator")?);
        } else {
            is_whole = false;
        }
    }
    let made = |values: &Bound<'py, PyAny>, kind: &str| {
        pandas.call_method(
            "Series",
            (values,),
            Some(&[("dtype", kind)].into_py_dict(py)?),
        )
    };
    let is_empty = whole.iter().all(|value| value.is_none());
    if is_whole && !is_empty {
        let whole = PyList::new(py, whole)?.into_bound_py_any(py)?;
        let kinds = if has_none {
            ["Int64", "UInt64"]
        } else {
            ["int64", "uint64"]
        };
        for kind in kinds {
            match made(&whole, kind) {
                Err(error) if error.is_instance_of::<pyo3::exceptions::PyMemoryError>(py) => {
                    return Err(error);
                }
                Err(_) => {}
                made => return made,
            }
        }
    }
    match is_exact {
        true => made(values, "object"),
        false => pandas.call_method1("Series", (values,)),
    }
}
