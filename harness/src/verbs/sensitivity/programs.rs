//! The answer for programs: rows of CSV, and JSON.

use algorithms::cost::Exact;
use algorithms::logp::multicast::sensitivity::Piece;
use algorithms::reach::{Parameter, Reach};
use serde::Serialize;

use super::super::cost::programs::Parameters;
use super::{Answer, counts};

/// One parameter.
#[derive(Serialize)]
pub(super) struct Row {
    pub(super) parameter: &'static str,
    pub(super) value: u64,
    slope_below: Option<u64>,
    down_to: Option<Number>,
    down_to_is: Option<&'static str>,
    slope_above: u64,
    up_to: Option<Number>,
    up_to_is: &'static str,
}

impl Row {
    fn new(parameter: &'static str, value: u64, Parameter { below, above }: &Parameter) -> Self {
        Self {
            parameter,
            value,
            slope_below: below.as_ref().map(|side| side.slope),
            down_to: below.as_ref().and_then(|side| number(&side.reach)),
            down_to_is: below.as_ref().map(|side| kind(&side.reach)),
            slope_above: above.slope,
            up_to: number(&above.reach),
            up_to_is: kind(&above.reach),
        }
    }
}

/// A row of the CSV: the point, and a parameter.
#[derive(Serialize)]
pub(super) struct WholeRow<'a> {
    algorithm: &'a str,
    machine: Option<&'a str>,
    bytes: Option<u64>,
    L: u64,
    o: u64,
    g: u64,
    K: u64,
    source: u64,
    cost: u64,
    parameter: &'static str,
    value: u64,
    slope_below: Option<u64>,
    down_to: Option<Number>,
    down_to_is: Option<&'static str>,
    slope_above: u64,
    up_to: Option<Number>,
    up_to_is: &'static str,
}

/// What `--format json` prints: these keys and no others.
#[derive(Serialize)]
pub(super) struct Json<'a> {
    algorithm: &'a str,
    parameters: Parameters<'a>,
    cost: u64,
    pieces: [JsonPiece; 2],
    critical_path: Option<JsonPath<'a>>,
    sensitivity: [Row; 3],
}

#[derive(Serialize)]
struct JsonPiece {
    side: &'static str,
    hops: u64,
    gaps: u64,
}

#[derive(Serialize)]
struct JsonPath<'a> {
    hops: u64,
    gaps: u64,
    L: u64,
    o: u64,
    g: u64,
    nodes: &'a [u32],
    sends: &'a [u32],
    last_nodes: usize,
}

/// An integer as a number, a fraction as a string.
#[derive(Serialize)]
#[serde(untagged)]
enum Number {
    Integer(u64),
    Fraction(String),
}

fn number(reach: &Reach) -> Option<Number> {
    match reach {
        Reach::NoEnd => None,
        Reach::Zero => Some(Number::Integer(0)),
        Reach::Breakpoint(Exact::Integer(value)) | Reach::NotBefore(Exact::Integer(value)) => {
            Some(Number::Integer(*value))
        }
        Reach::Breakpoint(fraction) | Reach::NotBefore(fraction) => Some(Number::Fraction(fraction.to_string())),
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
    pub(super) fn rows(&self) -> [Row; 3] {
        let (model, around) = (self.model, &self.around);
        [Row::new("L", model.L(), &around.L), Row::new("o", model.o(), &around.o), Row::new("g", model.g(), &around.g)]
    }

    pub(super) fn whole_row(&self, row: Row) -> WholeRow<'_> {
        let (machine, bytes) = self.machine.unzip();
        let [L, o, g] = [self.model.L(), self.model.o(), self.model.g()];
        let Row { parameter, value, slope_below, down_to, down_to_is, slope_above, up_to, up_to_is } = row;
        WholeRow {
            algorithm: self.entry.name,
            machine,
            bytes,
            L,
            o,
            g,
            K: self.K,
            source: self.source,
            cost: self.around.cost,
            parameter,
            value,
            slope_below,
            down_to,
            down_to_is,
            slope_above,
            up_to,
            up_to_is,
        }
    }

    pub(super) fn json(&self) -> Json<'_> {
        let piece = |side, Piece { hops, gaps }: Piece| JsonPiece { side, hops, gaps };
        Json {
            algorithm: self.entry.name,
            parameters: Parameters(self.cell),
            cost: self.around.cost,
            pieces: [piece("slower hops", self.around.slower_hops), piece("slower gaps", self.around.slower_gaps)],
            critical_path: self.path.as_ref().map(|path| {
                let [L, o, g] = counts(self.model, path.hops(), path.gaps);
                let (hops, gaps) = (path.hops(), path.gaps);
                JsonPath { hops, gaps, L, o, g, nodes: &path.nodes, sends: &path.orders, last_nodes: path.last }
            }),
            sensitivity: self.rows(),
        }
    }
}
