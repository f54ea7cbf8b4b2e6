//! The answer as CSV and JSON.

use std::collections::BTreeMap;

use algorithms::cost::Exact;
use algorithms::internals::reach::{self, Reach};
use serde::Serialize;

use super::super::cost::programs::Parameters;
use super::Answer;
use crate::failure::{Code, Failure};
use crate::output::CsvWriter;
use crate::record::row;

#[derive(Serialize)]
struct Row<'a> {
    parameter: &'a str,
    value: Number,
    slope_below: Option<u64>,
    down_to: Option<Number>,
    down_to_is: Option<&'static str>,
    slope_above: u64,
    up_to: Option<Number>,
    up_to_is: &'static str,
}

impl<'a> Row<'a> {
    fn new(parameter: &'a str, value: &Exact, reach::Parameter { below, above }: &reach::Parameter) -> Self {
        Self {
            parameter,
            value: value.into(),
            slope_below: below.as_ref().map(|side| side.slope),
            down_to: below.as_ref().and_then(|side| number(&side.reach)),
            down_to_is: below.as_ref().map(|side| kind(&side.reach)),
            slope_above: above.slope,
            up_to: number(&above.reach),
            up_to_is: kind(&above.reach),
        }
    }
}

/// The columns after those of the point.
const COLUMNS: [&str; 9] =
    ["cost", "parameter", "value", "slope_below", "down_to", "down_to_is", "slope_above", "up_to", "up_to_is"];

#[derive(Serialize)]
pub(super) struct Json<'a> {
    algorithm: &'a str,
    parameters: Parameters<'a>,
    cost: Number,
    critical_path: JsonPath<'a>,
    sensitivity: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct JsonPath<'a> {
    hops: u64,
    gaps: u64,
    counts: BTreeMap<&'a str, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    beyond_least_latency: Option<u64>,
    computed: u64,
    nodes: &'a [u64],
    sends: &'a [Option<u64>],
    last_nodes: usize,
}

/// An integer as a number, a fraction as a string.
#[derive(Serialize)]
#[serde(untagged)]
enum Number {
    Integer(u64),
    Fraction(String),
}

impl From<&Exact> for Number {
    fn from(exact: &Exact) -> Self {
        match exact {
            Exact::Integer(value) => Self::Integer(*value),
            fraction @ Exact::Rational(_) => Self::Fraction(fraction.to_string()),
        }
    }
}

fn number(reach: &Reach) -> Option<Number> {
    match reach {
        Reach::NoEnd => None,
        Reach::Zero => Some(Number::Integer(0)),
        Reach::Breakpoint(value) | Reach::NotBefore(value) => Some(value.into()),
    }
}

fn kind(reach: &Reach) -> &'static str {
    match reach {
        Reach::NoEnd => "no end",
        Reach::Zero => "zero",
        Reach::Breakpoint(_) => "breakpoint",
        Reach::NotBefore(_) => "search ended",
    }
}

impl Answer<'_> {
    fn rows(&self) -> Vec<Row<'_>> {
        self.parameters.iter().map(|(symbol, value, parameter)| Row::new(symbol, value, parameter)).collect()
    }

    /// A row for each parameter, after the columns of the point.
    pub(super) fn csv(&self) -> Result<Vec<u8>, Failure> {
        let failed = |error: csv::Error| Failure::new(Code::Internal, error);
        let mut writer = CsvWriter::headless(Vec::new());
        let point = row::point_columns(self.entry.problem());
        writer.write_record(point.into_iter().chain(COLUMNS)).map_err(failed)?;
        for row in self.rows() {
            row::write_point(&mut writer, self.cell).map_err(failed)?;
            writer.serialize((Number::from(&self.around.time), row)).map_err(failed)?;
        }
        writer.into_inner().map_err(failed)
    }

    pub(super) fn json(&self) -> Json<'_> {
        Json {
            algorithm: self.entry.name,
            parameters: Parameters(self.cell),
            cost: Number::from(&self.around.time),
            critical_path: JsonPath {
                hops: self.path.hops,
                gaps: self.path.gaps,
                counts: self.path.counts.iter().map(|(symbol, count)| (symbol.as_str(), *count)).collect(),
                beyond_least_latency: self.path.farther,
                computed: self.path.computed,
                nodes: &self.path.nodes,
                sends: &self.path.sends,
                last_nodes: self.path.last,
            },
            sensitivity: self.rows(),
        }
    }
}
