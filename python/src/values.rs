//! Values of Python as text and as TOML. A number is what `operator.index` takes: integers of numpy too, floats never.

use castbench::base::failure::{Code, Failure};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyRange, PyString};
use toml::Value;

use crate::running::raised;
use crate::scratch::Scratch;

/// A value as it is typed: a dict as KEY=VALUE, a range as FROM..TO..STEP, the values of other sequences with a separator
/// between them.
pub fn typed(value: &Bound<'_, PyAny>, separator: &str) -> PyResult<String> {
    if let Ok(table) = value.cast::<PyDict>() {
        let pairs = table
            .iter()
            .map(|(key, value)| Ok(format!("{key}={}", typed(&value, separator)?)));
        return Ok(pairs.collect::<PyResult<Vec<_>>>()?.join(","));
    }
    if let Some(text) = range(value)? {
        return Ok(text);
    }
    match elements(value) {
        Some(elements) => {
            let texts = elements?
                .iter()
                .map(|element| typed(element, separator))
                .collect::<PyResult<Vec<_>>>()?;
            Ok(texts.join(separator))
        }
        None => value.str()?.extract(),
    }
}

/// A range as FROM..TO..STEP; an empty one is a sequence without elements.
fn range(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if !value.is_instance_of::<PyRange>() || value.len()? == 0 {
        return Ok(None);
    }
    let (first, last, step) = (
        value.get_item(0)?,
        value.get_item(-1)?,
        value.getattr("step")?,
    );
    let is_up = step.gt(0)?;
    let (from, to) = if is_up { (first, last) } else { (last, first) };
    Ok(Some(format!("{from}..{to}..{}", step.abs()?)))
}

/// The elements of a sequence; none for a text or a single value.
fn elements<'py>(value: &Bound<'py, PyAny>) -> Option<PyResult<Vec<Bound<'py, PyAny>>>> {
    if value.is_instance_of::<PyString>() {
        return None;
    }
    // An array of numpy without dimensions refuses to be iterated.
    value.try_iter().ok().map(Iterator::collect)
}

/// The value of an option; a profile as a dict becomes a file.
pub fn option_value(name: &str, value: &Bound<'_, PyAny>, scratch: &Scratch) -> PyResult<String> {
    match value.cast::<PyDict>() {
        Ok(profile) if name == "machine" => Ok(scratch
            .write_profile(&table(profile, scratch)?)?
            .display()
            .to_string()),
        _ => typed(value, ","),
    }
}

/// A dict as TOML; a profile in it becomes a file, whose name stands in its place.
pub fn table(dict: &Bound<'_, PyDict>, scratch: &Scratch) -> PyResult<toml::Table> {
    let entries = dict.iter().map(|(key, value)| {
        let key = key.extract::<String>()?;
        let value = match value.cast::<PyDict>() {
            Ok(profile) if key == "machines" => Value::Array(vec![profile_of(profile, scratch)?]),
            _ if key == "machines" => machines(&value, scratch)?,
            _ => toml(&value, scratch)?,
        };
        Ok((key, value))
    });
    entries.collect()
}

fn machines(value: &Bound<'_, PyAny>, scratch: &Scratch) -> PyResult<Value> {
    let Some(elements) = elements(value) else {
        return toml(value, scratch);
    };
    let named = elements?
        .into_iter()
        .map(|element| match element.cast::<PyDict>() {
            Ok(profile) => profile_of(profile, scratch),
            Err(_) => toml(&element, scratch),
        });
    Ok(Value::Array(named.collect::<PyResult<_>>()?))
}

fn profile_of(profile: &Bound<'_, PyDict>, scratch: &Scratch) -> PyResult<Value> {
    let path = scratch.write_profile(&table(profile, scratch)?)?;
    Ok(Value::String(path.display().to_string()))
}

fn toml(value: &Bound<'_, PyAny>, scratch: &Scratch) -> PyResult<Value> {
    if let Ok(dict) = value.cast::<PyDict>() {
        return table(dict, scratch).map(Value::Table);
    }
    if value.is_instance_of::<PyString>() {
        return value.extract().map(Value::String);
    }
    if value.is_instance_of::<PyBool>() {
        return value.extract().map(Value::Boolean);
    }
    if value.is_instance_of::<PyFloat>() {
        return value.extract().map(Value::Float);
    }
    if let Some(text) = range(value)? {
        return Ok(Value::String(text));
    }
    if let Some(elements) = elements(value) {
        return Ok(Value::Array(
            elements?
                .iter()
                .map(|element| toml(element, scratch))
                .collect::<PyResult<_>>()?,
        ));
    }
    value
        .extract()
        .map(Value::Integer)
        .or_else(|_| path(value))
        .map_err(|_| {
            let kind = value.get_type();
            let expected = "expected a whole number below 2^63, a text, a sequence or a dict";
            let explanation =
                format_args!("the configuration is not TOML: {value} is of {kind}; {expected}");
            raised(&Failure::new(Code::Configuration, explanation))
        })
}

fn path(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let path: std::path::PathBuf = value.extract()?;
    Ok(Value::String(path.display().to_string()))
}
