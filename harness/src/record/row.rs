//! The one row of a point: a column or two for each axis of its problem, then the same tail for every problem.

use std::io::Write;

use algorithms::cost::{Agreement, Evaluation, Exact, Simulated};
use algorithms::problem::{AnyProblem, Kind as AxisKind, Refused, Sides, Value};
use csv::{StringRecord, Writer};
use num_rational::BigRational;
use num_traits::ToPrimitive as _;
use serde::{Deserialize, Serialize};

use crate::grid::{Cell, PointValues};
use crate::measured::record::SummaryRow;
use crate::units::NONE;

/// Most characters of a cost, for to read one takes the square of them. The longest are expectations on meshes of 16384
/// nodes, fractions of some 10000 characters.
pub const MAX_CHARACTERS: usize = 20_000;

/// The columns behind those of the axes, and what they hold.
pub const TAIL: [(&str, &str); 9] = [
    (
        "status",
        "`ok`; `not_applicable`: the algorithm is not defined there; `failed`: could not be evaluated; `disagree`: analytic and simulated differ, a bug",
    ),
    ("unit", "what costs are counted in: `time` (the model's own unit), `ns`, `links`, `steps`, `rounds`"),
    ("lower_bound", "what no algorithm for the problem can beat"),
    ("published", "the paper's headline figure, as printed there"),
    ("published_relation", "how the paper relates the cost to it: `=`, `<=`, `<`, `>=`; `none` where it states none"),
    ("analytic", "the exact cost by formula"),
    ("simulated", "the cost of execution; where multicasts are drawn, the exact mean over them"),
    ("standard_error", "standard error of that mean, rounded"),
    ("note", "why something is missing; `none` where nothing is"),
];

/// Columns of exact costs, which are text where they may be fractions.
const COSTS: [&str; 3] = ["lower_bound", "analytic", "simulated"];

/// The first column.
pub const ALGORITHM: &str = "algorithm";

/// What the values of a column are. Any may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A name, a word, or an exact fraction `num/den`.
    Text,
    /// A whole number of 64 bits that is not negative.
    Count,
    /// A whole number that is not negative and may pass 64 bits, as bounds of papers do.
    Wide,
    /// A rounded number.
    Float,
}

/// How the evaluation of a point ended.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Evaluated; analytic and simulated agree where both are there.
    #[default]
    Ok,
    /// The algorithm is not defined at the point, or the point describes no instance. The note says why. No failure.
    NotApplicable,
    /// The point could not be evaluated. The note says why.
    Failed,
    /// Analytic and simulated cost differ: a bug in castbench.
    Disagree,
}

impl Status {
    const ALL: [Self; 4] = [Self::Ok, Self::NotApplicable, Self::Failed, Self::Disagree];

    /// How an evaluation ended.
    #[must_use]
    pub fn of(result: &Result<Evaluation, Refused>) -> Self {
        match result {
            Ok(evaluation) if evaluation.agreement() == Agreement::Differ => Self::Disagree,
            Ok(_) => Self::Ok,
            Err(refused) if refused.is_not_applicable() => Self::NotApplicable,
            Err(_) => Self::Failed,
        }
    }

    /// The word in the column `status`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::NotApplicable => "not_applicable",
            Self::Failed => "failed",
            Self::Disagree => "disagree",
        }
    }
}

/// The columns of a problem's file, each with what it holds.
#[must_use]
pub fn columns(problem: &dyn AnyProblem) -> Vec<(&'static str, Kind)> {
    let cost = if problem.fractions() { Kind::Text } else { Kind::Count };
    let tail = TAIL.into_iter().map(|(column, _)| {
        let kind = match column {
            name if COSTS.contains(&name) => cost,
            "published" => Kind::Wide,
            "standard_error" => Kind::Float,
            _ => Kind::Text,
        };
        (column, kind)
    });
    let axes = problem.axes().iter().flat_map(|axis| {
        let kind = if axis.kind == AxisKind::Profile { Kind::Text } else { Kind::Count };
        axis.columns.iter().map(move |column| (*column, kind))
    });
    std::iter::once((ALGORITHM, Kind::Text)).chain(axes).chain(tail).collect()
}

/// The columns of the algorithm and the axes, which begin every row of a point.
#[must_use]
pub fn point_columns(problem: &dyn AnyProblem) -> Vec<&'static str> {
    std::iter::once(ALGORITHM).chain(problem.axes().iter().flat_map(|axis| axis.columns).copied()).collect()
}

/// The names of the columns of a problem's file.
#[must_use]
pub fn header(problem: &dyn AnyProblem) -> Vec<&'static str> {
    columns(problem).into_iter().map(|column| column.0).collect()
}

/// Writes the row of a point.
///
/// # Errors
/// Those of the writer.
pub fn write<W: Write>(
    writer: &mut Writer<W>,
    cell: &Cell<'_>,
    result: &Result<Evaluation, Refused>,
) -> Result<(), csv::Error> {
    write_point(writer, cell)?;
    writer.write_field(Status::of(result).word())?;
    writer.write_field(cell.entry.problem().unit(&cell.values).word())?;
    match result {
        Ok(evaluation) => write_costs(writer, cell.entry.problem(), evaluation),
        Err(refused) => writer.write_record(["", "", NONE, "", "", "", &refused.to_string()]),
    }
}

/// Writes the fields of [`point_columns`]: the beginning of a row.
///
/// # Errors
/// Those of the writer.
pub fn write_point<W: Write>(writer: &mut Writer<W>, cell: &Cell<'_>) -> Result<(), csv::Error> {
    let mut digits = itoa::Buffer::new();
    writer.write_field(cell.entry.name)?;
    for (axis, value) in cell.entry.axes().iter().zip(cell.resolved().iter()) {
        match (axis.kind, *value) {
            (AxisKind::Profile, value) => {
                let machine = value.and_then(|value| cell.machines.get(value));
                writer.write_field(machine.map_or(NONE, |machine| machine.name.as_str()))?;
                writer.write_field(machine.map_or(NONE, |machine| machine.basis.word()))?;
            }
            (AxisKind::Sides, Some(value)) => {
                let sides = Sides::of(value);
                writer.write_field(digits.format(sides.w))?;
                writer.write_field(digits.format(sides.h))?;
            }
            (_, Some(value)) => writer.write_field(digits.format(value))?,
            (_, None) => writer.write_field("")?,
        }
    }
    Ok(())
}

/// The columns of the algorithm and the axes with their values at a point.
///
/// # Errors
/// Those of the CSV library.
pub fn fields(cell: &Cell<'_>) -> Result<Vec<(&'static str, serde_json::Value)>, csv::Error> {
    let mut writer = Writer::from_writer(Vec::new());
    write_point(&mut writer, cell)?;
    writer.write_record(None::<&[u8]>)?;
    let text = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    let mut record = StringRecord::new();
    csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_slice()).read_record(&mut record)?;
    let value = |(kind, text): (Kind, &str)| match text.parse::<u64>() {
        _ if text.is_empty() || text == NONE => serde_json::Value::Null,
        Ok(count) if kind == Kind::Count => count.into(),
        _ => text.into(),
    };
    let columns = columns(cell.entry.problem()).into_iter().zip(record.iter());
    Ok(columns.map(|((column, kind), text)| (column, value((kind, text)))).collect())
}

/// An integer as a number, a fraction as the string `num/den`.
#[must_use]
pub fn json(cost: &Exact) -> serde_json::Value {
    match cost {
        Exact::Integer(cost) => (*cost).into(),
        fraction @ Exact::Rational(_) => fraction.to_string().into(),
    }
}

/// The rest of the row of a point that was evaluated.
fn write_costs<W: Write>(
    writer: &mut Writer<W>,
    problem: &dyn AnyProblem,
    evaluation: &Evaluation,
) -> Result<(), csv::Error> {
    let mut digits = itoa::Buffer::new();
    let mut exact = |writer: &mut Writer<W>, cost: Option<&Exact>| match cost {
        Some(Exact::Integer(cost)) => writer.write_field(digits.format(*cost)),
        Some(fraction) => writer.write_field(fraction.to_string()),
        None => writer.write_field(""),
    };
    exact(writer, Some(&evaluation.lower_bound))?;
    let claim = evaluation.headline();
    writer.write_field(claim.map_or_else(String::new, |claim| claim.value.to_string()))?;
    writer.write_field(claim.map_or(NONE, |claim| claim.relation.symbol()))?;
    exact(writer, evaluation.analytic.as_ref())?;
    exact(writer, evaluation.simulated.cost().as_ref())?;
    let error = match &evaluation.simulated {
        Simulated::Mean(sample) => sample.squared_standard_error().and_then(|squared| squared.to_f64()),
        _ => None,
    };
    writer.write_field(error.map_or_else(String::new, |squared| format!("{:?}", squared.sqrt())))?;
    let note = match &evaluation.simulated {
        Simulated::Skipped(reason) => reason.as_str(),
        _ if evaluation.analytic.is_none() => problem.unknown(),
        _ => NONE,
    };
    writer.write_record([note])
}

/// A row of a problem's file, read back.
#[derive(Debug, Clone)]
pub struct Row {
    /// Whose row it is.
    pub problem: &'static dyn AnyProblem,
    /// The algorithm's name.
    pub algorithm: String,
    /// Values of the axes; of a profile none, see `machine`.
    pub values: PointValues,
    /// Name and basis of the machine profile.
    pub machine: Option<(String, String)>,
    /// How the evaluation ended.
    pub status: Status,
    /// What costs are counted in.
    pub unit: String,
    /// No algorithm can cost less.
    pub lower_bound: Option<Exact>,
    /// The paper's headline figure, and how it relates the cost to that.
    pub published: Option<(u128, String)>,
    /// The exact cost.
    pub analytic: Option<Exact>,
    /// The executed cost, or the exact mean of executed costs.
    pub simulated: Option<Exact>,
    /// The standard error of that mean.
    pub standard_error: Option<f64>,
    /// Why something is missing.
    pub note: String,
    /// The times, where it is a measurement and not a row of a problem's file.
    pub measured: Option<Box<SummaryRow>>,
}

impl Row {
    /// The value of the axis with this key.
    #[must_use]
    pub fn value(&self, key: &str) -> Value {
        if let Some(measured) = &self.measured {
            return measured.value(key);
        }
        let place = self.problem.axes().iter().position(|axis| axis.key == key)?;
        self.values[place]
    }

    /// The name of the machine profile.
    #[must_use]
    pub fn machine(&self) -> Option<&str> {
        self.machine.as_ref().map(|machine| machine.0.as_str())
    }
}

/// Reads the rows of a problem's file, whose columns may stand in any order.
pub struct RowReader {
    problem: &'static dyn AnyProblem,
    /// Where each column of [`columns`] stands in the file.
    places: Vec<usize>,
}

impl RowReader {
    /// For a file with this header.
    ///
    /// # Errors
    /// The column that it lacks.
    pub fn new(problem: &'static dyn AnyProblem, header: &StringRecord) -> Result<Self, &'static str> {
        let place = |column: &'static str| header.iter().position(|own| own == column).ok_or(column);
        let places = self::header(problem).into_iter().map(place).collect::<Result<_, _>>()?;
        Ok(Self { problem, places })
    }

    /// The row in a record.
    ///
    /// # Errors
    /// The column and what is wrong with its value.
    pub fn read(&self, record: &StringRecord) -> Result<Row, String> {
        let mut columns = header(self.problem).into_iter().zip(&self.places);
        let mut next = || columns.next().map_or(("", ""), |(column, &place)| (column, &record[place]));
        let algorithm = next().1.to_owned();
        let mut values = PointValues::none(self.problem.axes());
        let mut machine = None;
        for (place, axis) in self.problem.axes().iter().enumerate() {
            match axis.kind {
                AxisKind::Profile => {
                    let (name, basis) = (text(next().1), text(next().1));
                    machine = (!name.is_empty()).then_some((name.to_owned(), basis.to_owned()));
                }
                AxisKind::Sides => {
                    let (w, h) = (count(next())?, count(next())?);
                    values[place] = w.zip(h).and_then(|(w, h)| Sides { w, h }.value());
                }
                _ => values[place] = count(next())?,
            }
        }
        let (column, word) = next();
        let status = Status::ALL.into_iter().find(|status| status.word() == word);
        let status = status.ok_or_else(|| wrong((column, word)))?;
        let unit = next().1.to_owned();
        let lower_bound = exact(next())?;
        let stated = next();
        let published = parsed::<u128>(stated)?;
        let published = published.zip(Some(text(next().1).to_owned()));
        Ok(Row {
            problem: self.problem,
            algorithm,
            values,
            machine,
            status,
            unit,
            lower_bound,
            published,
            analytic: exact(next())?,
            simulated: exact(next())?,
            standard_error: parsed(next())?,
            note: text(next().1).to_owned(),
            measured: None,
        })
    }
}

/// What a column of text holds; nothing where it says [`NONE`], or is blank as in files of an earlier castbench.
#[must_use]
pub fn text(field: &str) -> &str {
    if field == NONE { "" } else { field }
}

fn wrong((column, text): (&str, &str)) -> String {
    let text = crate::units::shortened(text, crate::units::MAX_REPEATED);
    format!("`{text}` is no value of column `{column}`")
}

fn parsed<T: std::str::FromStr>((column, text): (&str, &str)) -> Result<Option<T>, String> {
    if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(|_| wrong((column, text))) }
}

fn count(field: (&str, &str)) -> Result<Option<u64>, String> {
    parsed(field)
}

/// A whole number, or a fraction that is not reduced again: it is in lowest terms and may have thousands of digits.
fn exact((column, text): (&str, &str)) -> Result<Option<Exact>, String> {
    if text.len() > MAX_CHARACTERS {
        return Err(wrong((column, text)));
    }
    let Some((numerator, denominator)) = text.split_once('/') else {
        return Ok(parsed((column, text))?.map(Exact::Integer));
    };
    let [numerator, denominator] = [numerator, denominator].map(|part| part.parse().map_err(|_| wrong((column, text))));
    let (numerator, denominator): (num_bigint::BigInt, num_bigint::BigInt) = (numerator?, denominator?);
    if denominator.sign() != num_bigint::Sign::Plus {
        return Err(wrong((column, text)));
    }
    Ok(Some(Exact::Rational(BigRational::new_raw(numerator, denominator))))
}

/// The nearest float, for drawing and for people.
#[must_use]
pub fn rounded(exact: &Exact) -> Option<f64> {
    match exact {
        #[expect(clippy::cast_precision_loss, reason = "up to 2^53 exactly; beyond, a pixel does not tell")]
        Exact::Integer(cost) => Some(*cost as f64),
        Exact::Rational(cost) => cost.to_f64(),
    }
}

#[cfg(test)]
mod tests {
    use algorithms::catalogue::{PROBLEMS, entries};
    use algorithms::cost::Limits;

    use super::*;
    use crate::grid::Machines;

    /// What is written is read back: of each algorithm its example, and a point that is refused.
    #[test]
    fn rows_survive_a_file() {
        let machines = Machines::default();
        for &entry in entries() {
            let mut values = PointValues::none(entry.axes());
            values.copy_from_slice(entry.example());
            let cell = Cell { entry, machines: &machines, values };
            let results = [cell.evaluate(&Limits::default()), Err(cell_of_nothing(&cell).unwrap_err())];
            let mut writer = Writer::from_writer(Vec::new());
            writer.write_record(header(entry.problem())).unwrap();
            for result in &results {
                write(&mut writer, &cell, result).unwrap();
            }
            let text = writer.into_inner().unwrap();
            let mut reader = csv::Reader::from_reader(text.as_slice());
            let rows = RowReader::new(entry.problem(), reader.headers().unwrap()).unwrap();
            for record in csv::Reader::from_reader(text.as_slice()).records() {
                let record = record.unwrap();
                let texts =
                    columns(entry.problem()).into_iter().zip(&record).filter(|(column, _)| column.1 == Kind::Text);
                let blank = texts.filter(|((name, _), field)| field.is_empty() && !COSTS.contains(name));
                assert_eq!(blank.count(), 0, "{record:?}");
            }
            let rows: Vec<Row> = reader.records().map(|record| rows.read(&record.unwrap()).unwrap()).collect();
            let evaluation = results[0].as_ref().unwrap();
            assert_eq!((rows[0].algorithm.as_str(), &*rows[0].values), (entry.name, &*cell.resolved()));
            assert_eq!((rows[0].status, rows[0].analytic.as_ref()), (Status::Ok, evaluation.analytic.as_ref()));
            assert_eq!(rows[0].lower_bound.as_ref(), Some(&evaluation.lower_bound));
            assert_eq!(rows[0].simulated, evaluation.simulated.cost());
            assert_eq!((rows[1].status, rows[1].analytic.is_none()), (Status::NotApplicable, true));
            assert!(!rows[1].note.is_empty());
        }
    }

    fn cell_of_nothing(cell: &Cell<'_>) -> Result<(), Refused> {
        Cell { values: PointValues::none(cell.entry.axes()), ..*cell }.check()
    }

    #[test]
    fn no_two_columns_of_a_file_have_one_name() {
        for problem in PROBLEMS {
            let mut names = header(*problem);
            names.sort_unstable();
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{}", problem.name());
        }
    }

    #[test]
    fn a_fraction_is_read_as_it_stands() {
        let field = |text: &str| exact(("analytic", text)).map(|cost| cost.map(|cost| cost.to_string()));
        assert_eq!(field("9/7"), Ok(Some("9/7".to_owned())));
        assert_eq!(field("12"), Ok(Some("12".to_owned())));
        assert_eq!(field(""), Ok(None));
        assert!(field(&format!("{}/7", "9".repeat(MAX_CHARACTERS))).is_err());
        assert!(field("1/0").is_err() && field("1/-2").is_err() && field("x").is_err() && field("-1").is_err());
    }
}
