//! The answer as JSON.

use std::borrow::Cow;

use algorithms::cost::{By, Evaluation};
use algorithms::problem::{Instance, Kind, spelled};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::failure::{Code, Failure};
use crate::grid::Cell;
use crate::record::row;

#[derive(Serialize)]
struct Json<'a> {
    algorithm: &'a str,
    parameters: Parameters<'a>,
    lower_bound: Value,
    published: Option<u128>,
    analytic: Option<Value>,
    analytic_by: Option<&'static str>,
    simulated: Option<Value>,
    /// When every operation has ended, for problems that distinguish that from the cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<Value>,
    /// With `--capacity`.
    #[serde(skip_serializing_if = "Option::is_none")]
    capacity: Option<super::Capacity>,
}

/// The values of a point, each under the key of its axis: a mesh as `WxH`, a machine by its name.
pub struct Parameters<'a>(pub &'a Cell<'a>);

impl<'a> Parameters<'a> {
    /// Keys and values, in the order of the axes.
    fn pairs(&self) -> Vec<(&'static str, Parameter<'a>)> {
        let cell = self.0;
        let values = cell.resolved();
        let pair = |(axis, value): (&'static algorithms::problem::Axis, &Option<u64>)| {
            let value = (*value)?;
            Some(match axis.kind {
                Kind::Profile => (axis.key, Parameter::Text(cell.machines.get(value)?.name.as_str().into())),
                Kind::Sides => (axis.long.unwrap_or(axis.key), Parameter::Text(spelled(axis, value))),
                Kind::Word(_) => (axis.key, Parameter::Text(spelled(axis, value))),
                Kind::Count | Kind::Time | Kind::Bytes => (axis.key, Parameter::Number(value)),
            })
        };
        cell.entry.axes().iter().zip(values.iter()).filter_map(pair).collect()
    }
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Parameter<'a> {
    Number(u64),
    Text(Cow<'a, str>),
}

impl Serialize for Parameters<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.pairs())
    }
}

pub(super) fn json(
    cell: &Cell<'_>,
    instance: &dyn Instance,
    evaluation: &Evaluation,
    capacity: Option<super::Capacity>,
) -> Result<String, Failure> {
    let object = Json {
        algorithm: cell.entry.name,
        parameters: Parameters(cell),
        lower_bound: row::json(&evaluation.lower_bound),
        published: evaluation.headline().map(|claim| claim.value),
        analytic: evaluation.analytic.as_ref().map(row::json),
        analytic_by: evaluation.by.map(By::word),
        simulated: evaluation.simulated.cost().as_ref().map(row::json),
        ended: super::ended(instance).as_ref().map(row::json),
        capacity,
    };
    serde_json::to_string(&object).map_err(|error| Failure::new(Code::Internal, error))
}
