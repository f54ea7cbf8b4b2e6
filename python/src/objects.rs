//! JSON and CSV of castbench as objects of Python: exact numbers stay exact, what is missing is None.

use castbench::print::column::{self, ColumnType, Datum};
use castbench::record::row;
use castbench_algorithms::cost::Exact;
use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use crate::running::internal;

/// What `json.loads` makes of a document.
pub fn of_json<'py>(py: Python<'py>, text: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}

/// The object for anything that has JSON.
pub fn of<'py>(py: Python<'py>, value: &impl serde::Serialize) -> PyResult<Bound<'py, PyAny>> {
    of_json(py, &serde_json::to_vec(value).map_err(internal)?)
}

/// An exact cost as a fraction.
pub fn fraction<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let exact: Option<Exact> = Datum::parse(text).ok_or_else(|| internal(text))?;
    exact.map(|exact| exact.to_rational()).into_bound_py_any(py)
}

/// Makes fractions of the texts under these keys of a dict; integers are numbers already.
pub fn exact(answer: &Bound<'_, PyDict>, is_cost: impl Fn(&str) -> bool) -> PyResult<()> {
    for (key, value) in answer {
        if let Ok(text) = value.cast::<PyString>()
            && is_cost(&key.extract::<String>()?)
        {
            answer.set_item(key, fraction(answer.py(), &text.to_cow()?)?)?;
        }
    }
    Ok(())
}

/// Rows of CSV behind their header, as a list for each column. A value equal to the one above it is the same object.
pub fn columns<'py, R>(
    py: Python<'py>,
    csv: &[u8],
    of: &[column::Column<'_, R>],
) -> PyResult<Bound<'py, PyDict>> {
    let mut columns: Vec<_> = of
        .iter()
        .map(|column| Column::new(py, column.kind))
        .collect();
    let mut reader = csv::Reader::from_reader(csv);
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(internal)? {
        columns
            .iter_mut()
            .zip(&record)
            .try_for_each(|(column, field)| column.push(field))?;
    }
    let table = PyDict::new(py);
    for (column, list) in of.iter().zip(columns) {
        table.set_item(&*column.name, list.values)?;
    }
    Ok(table)
}

struct Column<'py> {
    kind: ColumnType,
    values: Bound<'py, PyList>,
    last: (String, Bound<'py, PyAny>),
}

impl<'py> Column<'py> {
    fn new(py: Python<'py>, kind: ColumnType) -> Self {
        Self {
            kind,
            values: PyList::empty(py),
            last: (String::new(), py.None().into_bound(py)),
        }
    }

    fn push(&mut self, field: &str) -> PyResult<()> {
        if field != self.last.0 {
            let value = value(self.values.py(), self.kind, field)?;
            field.clone_into(&mut self.last.0);
            self.last.1 = value;
        }
        self.values.append(&self.last.1)
    }
}

fn value<'py>(py: Python<'py>, kind: ColumnType, field: &str) -> PyResult<Bound<'py, PyAny>> {
    if row::text(field).is_empty() {
        return Ok(py.None().into_bound(py));
    }
    match kind {
        ColumnType::Text => field.into_bound_py_any(py),
        ColumnType::Exact => fraction(py, field),
        ColumnType::Count => field
            .parse::<u64>()
            .map_err(internal)?
            .into_bound_py_any(py),
        ColumnType::Wide => field
            .parse::<u128>()
            .map_err(internal)?
            .into_bound_py_any(py),
        ColumnType::Float => field
            .parse::<f64>()
            .map_err(internal)?
            .into_bound_py_any(py),
    }
}
