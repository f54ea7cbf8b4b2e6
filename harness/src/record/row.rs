//! The row of a point: one or two columns for each axis of its problem, then the same columns for every problem.

use std::borrow::Cow;
use std::convert::Infallible;
use std::io::Write;

use algorithms::cost::{Agreement, By, Evaluation, Exact, Simulated};
use algorithms::problem::{AnyProblem, Axis, Kind, Refused, Sides, Value, spelled};
use csv::StringRecord;
use num_rational::BigRational;
use num_traits::ToPrimitive as _;
use serde::{Deserialize, Serialize};

use crate::measured::record::SummaryRow;
use crate::output::CsvWriter;
use crate::print::Column;
use crate::space::{Cell, PointValues};
use crate::units::{NONE, parse_word};

/// Most characters of a cost, because reading one is quadratic. The longest are expectations on meshes of 16384 nodes:
/// fractions of some 10000 characters.
pub const MAX_CHARACTERS: usize = 20_000;

/// A column of a file: its name, its type and what it holds.
pub type Typed = (&'static str, ColumnType, Cow<'static, str>);

/// The columns after those of the axes.
const TAIL: [(&str, ColumnType, &str); 10] = [
    (
        "status",
        ColumnType::Text,
        "`ok`; `not_applicable`: the algorithm is not defined there; `failed`: could not be evaluated; `disagree`: analytic and simulated differ, or one is below the lower bound: a bug",
    ),
    (
        "unit",
        ColumnType::Text,
        "unit of the costs: `time` (the model's own unit), `ns`, `links`, `steps`, `rounds`",
    ),
    (
        "lower_bound",
        ColumnType::Exact,
        "lower bound of the problem for any algorithm",
    ),
    (
        "published",
        ColumnType::Wide,
        "the paper's headline figure, as printed there",
    ),
    (
        "published_relation",
        ColumnType::Text,
        "relation of the cost to it in the paper: `=`, `<=`, `<`, `>=`; `none` if the paper states none",
    ),
    (
        "analytic",
        ColumnType::Exact,
        "the exact cost without an execution",
    ),
    (
        BY,
        ColumnType::Text,
        "what states it: `formula`, proven; `clock`, which follows every rank; `claim`, of the author of your own algorithm; `none` without a cost",
    ),
    (
        "simulated",
        ColumnType::Exact,
        "the cost of the execution; for random multicasts their exact mean",
    ),
    (
        "standard_error",
        ColumnType::Float,
        "standard error of that mean, rounded",
    ),
    (
        "note",
        ColumnType::Text,
        "why a value is missing, and what gives an algorithm of your own; else `none`",
    ),
];

/// The column that names what states the analytic cost.
const BY: &str = "analytic_by";

/// The first column.
pub const ALGORITHM: &str = "algorithm";

/// The type of a column. Any value may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// A name or a word.
    Text,
    /// An exact number: whole, or a fraction `num/den`.
    Exact,
    /// A non-negative whole number of 64 bits.
    Count,
    /// A non-negative whole number that may exceed 64 bits, as bounds of papers do.
    Wide,
    /// A rounded number.
    Float,
}

/// The result of a point.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Evaluated; analytic and simulated agree if both exist.
    #[default]
    Ok,
    /// The algorithm is not defined at the point, or the point is not an instance. The note says why. This is no
    /// failure.
    NotApplicable,
    /// The point could not be evaluated. The note says why.
    Failed,
    /// Analytic and simulated cost differ: a bug in castbench.
    Disagree,
}

impl Status {
    const ALL: [Self; 4] = [Self::Ok, Self::NotApplicable, Self::Failed, Self::Disagree];

    /// The status of a result.
    #[must_use]
    pub fn from_result(result: &Result<Evaluation, Refused>) -> Self {
        match result {
            Ok(evaluation)
                if matches!(
                    evaluation.agreement(),
                    Agreement::Differ | Agreement::BelowBound
                ) =>
            {
                Self::Disagree
            }
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

/// The columns of a problem's file.
#[must_use]
pub fn columns(problem: &dyn AnyProblem) -> Vec<Typed> {
    let axes = problem.axes().iter().flat_map(|axis| {
        let kind = if matches!(axis.kind, Kind::Profile | Kind::Word(_)) {
            ColumnType::Text
        } else {
            ColumnType::Count
        };
        (0..)
            .zip(axis.columns)
            .map(move |(index, column)| (*column, kind, holds(problem, axis, index)))
    });
    // Costs are whole numbers if the problem has no fractions.
    let kind = |kind| {
        if kind == ColumnType::Exact && !problem.fractions() {
            ColumnType::Count
        } else {
            kind
        }
    };
    let tail = TAIL
        .into_iter()
        .map(|(column, of, holds)| (column, kind(of), holds.into()));
    std::iter::once((ALGORITHM, ColumnType::Text, "name in the catalogue".into()))
        .chain(axes)
        .chain(tail)
        .collect()
}

/// What the column with this index of an axis holds.
fn holds(problem: &dyn AnyProblem, axis: &Axis, index: usize) -> Cow<'static, str> {
    let has = |kind| problem.axes().iter().any(|axis| axis.kind == kind);
    match (axis.kind, index) {
        (Kind::Profile, 0) => "name of the machine profile".into(),
        (Kind::Profile, _) => {
            "whether that profile is `measured`, `estimated` or `unreliable`".into()
        }
        (Kind::Sides, 0) => "columns of the mesh".into(),
        (Kind::Sides, _) => "rows of the mesh".into(),
        // A machine profile determines them, for the size s of the message.
        _ if ["L", "o", "g"].contains(&axis.key) && has(Kind::Profile) => {
            let whole = "s = `message_bytes`, whatever the sizes of its parts";
            let size = if has(Kind::Bytes) {
                whole
            } else {
                "s = 1 byte"
            };
            format!(
                "{}; on a machine profile {}(s) in ns, {size}",
                axis.meaning, axis.key
            )
            .into()
        }
        _ => axis.meaning.into(),
    }
}

/// The names of the columns of a problem's file.
#[must_use]
pub fn header(problem: &dyn AnyProblem) -> Vec<&'static str> {
    columns(problem)
        .into_iter()
        .map(|column| column.0)
        .collect()
}

/// Writes the row of a point.
///
/// # Errors
/// The output cannot be written.
pub fn write<W: Write>(
    writer: &mut CsvWriter<W>,
    cell: &Cell<'_>,
    result: &Result<Evaluation, Refused>,
) -> Result<(), csv::Error> {
    write_point(writer, cell)?;
    writer.write_field(Status::from_result(result).word())?;
    writer.write_field(cell.entry.problem().unit(&cell.values).word())?;
    match result {
        Ok(evaluation) => write_costs(writer, cell, evaluation),
        Err(refused) => writer.write_record(["", "", NONE, "", NONE, "", "", &refused.to_string()]),
    }
}

/// Writes the fields of the algorithm and the axes, the first ones of a row.
fn write_point<W: Write>(writer: &mut CsvWriter<W>, cell: &Cell<'_>) -> Result<(), csv::Error> {
    let mut digits = itoa::Buffer::new();
    of_point(cell, |_, field| match field {
        Field::Text(text) => writer.write_field(text),
        Field::Count(Some(count)) => writer.write_field(digits.format(count)),
        Field::Count(None) => writer.write_field(""),
    })
}

/// The columns of the algorithm and the axes with their values at a point.
#[must_use]
pub fn fields(cell: &Cell<'_>) -> Vec<(&'static str, serde_json::Value)> {
    let mut fields = Vec::new();
    let Ok(()) = of_point::<Infallible>(cell, |column, field| {
        let value = match field {
            Field::Text(text) => text.into(),
            Field::Count(count) => count.into(),
        };
        fields.push((column, value));
        Ok(())
    });
    fields
}

/// The columns of the algorithm and the axes, with the values of one point in every row.
#[must_use]
pub fn columns_of_point<R>(cell: &Cell<'_>) -> Vec<Column<'static, R>> {
    let column = |(name, value): (&'static str, serde_json::Value)| {
        Column::new(name, "", move |_: &R| value.clone())
    };
    fields(cell)
        .into_iter()
        .map(|field| column(field).data_only())
        .collect()
}

/// The value of a column of a point.
enum Field<'a> {
    Text(&'a str),
    Count(Option<u64>),
}

/// Gives each of the the algorithm and the axes with its value.
fn of_point<E>(
    cell: &Cell<'_>,
    mut put: impl FnMut(&'static str, Field<'_>) -> Result<(), E>,
) -> Result<(), E> {
    put(ALGORITHM, Field::Text(cell.entry.name))?;
    for (axis, value) in cell.entry.axes().iter().zip(cell.resolved().iter()) {
        match (axis.kind, *value) {
            (Kind::Profile, value) => {
                let machine = value.and_then(|value| cell.machines.get(value));
                put(
                    axis.columns[0],
                    Field::Text(machine.map_or(NONE, |machine| machine.name.as_str())),
                )?;
                put(
                    axis.columns[1],
                    Field::Text(machine.map_or(NONE, |machine| machine.basis.word())),
                )?;
            }
            (Kind::Sides, value) => {
                let sides = value.map(Sides::from_value);
                put(axis.columns[0], Field::Count(sides.map(|sides| sides.w)))?;
                put(axis.columns[1], Field::Count(sides.map(|sides| sides.h)))?;
            }
            (Kind::Word(_), Some(value)) => {
                put(axis.columns[0], Field::Text(&spelled(axis, value)))?
            }
            (_, value) => put(axis.columns[0], Field::Count(value))?,
        }
    }
    Ok(())
}

/// An integer as a number, a fraction as the string `num/den`.
#[must_use]
pub fn json(cost: &Exact) -> serde_json::Value {
    match cost {
        Exact::Integer(cost) => (*cost).into(),
        fraction @ Exact::Rational(_) => fraction.to_string().into(),
    }
}

fn write_costs<W: Write>(
    writer: &mut CsvWriter<W>,
    cell: &Cell<'_>,
    evaluation: &Evaluation,
) -> Result<(), csv::Error> {
    let mut digits = itoa::Buffer::new();
    let mut exact = |writer: &mut CsvWriter<W>, cost: Option<&Exact>| match cost {
        Some(Exact::Integer(cost)) => writer.write_field(digits.format(*cost)),
        Some(fraction) => writer.write_field(fraction.to_string()),
        None => writer.write_field(""),
    };
    exact(writer, Some(&evaluation.lower_bound))?;
    let claim = evaluation.headline();
    writer.write_field(claim.map_or_else(String::new, |claim| claim.value.to_string()))?;
    writer.write_field(claim.map_or(NONE, |claim| claim.relation.symbol()))?;
    exact(writer, evaluation.analytic.as_ref())?;
    writer.write_field(evaluation.by.map_or(NONE, By::word))?;
    exact(writer, evaluation.simulated.cost().as_ref())?;
    let error = match &evaluation.simulated {
        Simulated::Mean(sample) => sample
            .squared_standard_error()
            .and_then(|squared| squared.to_f64()),
        _ => None,
    };
    writer
        .write_field(error.map_or_else(String::new, |squared| format!("{:?}", squared.sqrt())))?;
    let unknown = || Some(cell.bind().ok()?.unknown());
    let unknown = evaluation.analytic.is_none().then(unknown).flatten();
    let skipped = match &evaluation.simulated {
        Simulated::Skipped(reason) => Some(reason),
        _ => None,
    };
    // Where an algorithm came from that castbench has not.
    let given = cell
        .entry
        .is_given
        .then(|| format!("{} of {}", cell.entry.section, cell.entry.paper));
    let notes: Vec<&str> = [unknown.as_ref(), skipped, given.as_ref()]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    writer.write_record([if notes.is_empty() {
        NONE.to_owned()
    } else {
        notes.join("; ")
    }])
}

/// A row of a problem's file.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its problem.
    pub problem: &'static dyn AnyProblem,
    /// The algorithm's name.
    pub algorithm: String,
    /// Values of the axes, without profiles; see `machine`.
    pub values: PointValues,
    /// Name and basis of the machine profile.
    pub machine: Option<(String, String)>,
    /// The status of the point.
    pub status: Status,
    /// The unit of the costs.
    pub unit: String,
    /// The lower bound for any algorithm.
    pub lower_bound: Option<Exact>,
    /// The paper's headline figure, and its relation to the cost.
    pub published: Option<(u128, String)>,
    /// The exact cost.
    pub analytic: Option<Exact>,
    /// The cost of the execution, or the exact mean of several.
    pub simulated: Option<Exact>,
    /// The standard error of that mean.
    pub standard_error: Option<f64>,
    /// Why a value is missing.
    pub note: String,
    /// The times, if the row comes from a measurement.
    pub measured: Option<Box<SummaryRow>>,
}

impl Row {
    /// A row without a machine, costs and notes.
    #[must_use]
    pub fn new(
        problem: &'static dyn AnyProblem,
        algorithm: String,
        values: PointValues,
        status: Status,
    ) -> Self {
        Self {
            problem,
            algorithm,
            values,
            machine: None,
            status,
            unit: String::new(),
            lower_bound: None,
            published: None,
            analytic: None,
            simulated: None,
            standard_error: None,
            note: String::new(),
            measured: None,
        }
    }

    /// The value of the axis with this key.
    #[must_use]
    pub fn value(&self, key: &str) -> Value {
        if let Some(measured) = &self.measured {
            return measured.value(key);
        }
        let index = self
            .problem
            .axes()
            .iter()
            .position(|axis| axis.key == key)?;
        self.values[index]
    }

    /// The name of the machine profile.
    #[must_use]
    pub fn machine(&self) -> Option<&str> {
        self.machine.as_ref().map(|machine| machine.0.as_str())
    }
}

/// Reads the rows of a problem's file, with columns in any order.
pub struct RowReader {
    problem: &'static dyn AnyProblem,
    /// Each column with its index; none for one that this file lacks.
    columns: Vec<(&'static str, Option<usize>)>,
    /// The number of these columns up to the status.
    point_columns: usize,
    /// Axes that this file lacks, because it is of an earlier version: there they had their defaults.
    absent: Vec<(usize, Value)>,
}

impl RowReader {
    /// A reader for this header.
    ///
    /// # Errors
    /// A missing column.
    pub fn new(
        problem: &'static dyn AnyProblem,
        header: &StringRecord,
    ) -> Result<Self, &'static str> {
        let lacks = |column: &str| header.iter().all(|own| own != column);
        let axes = problem.axes().iter().enumerate();
        let absent = axes.filter(|(_, axis)| {
            axis.default.is_some() && axis.columns.iter().all(|column| lacks(column))
        });
        let absent: Vec<(usize, Value)> =
            absent.map(|(index, axis)| (index, axis.default)).collect();
        let may_lack = |column: &str| {
            column == BY
                || absent
                    .iter()
                    .any(|(index, _)| problem.axes()[*index].columns.contains(&column))
        };
        let index = |column: &'static str| match header.iter().position(|own| own == column) {
            None if !may_lack(column) => Err(column),
            index => Ok((column, index)),
        };
        let columns: Vec<_> = self::header(problem)
            .into_iter()
            .map(index)
            .collect::<Result<_, _>>()?;
        let point_columns = columns.len() + 1 - TAIL.len();
        Ok(Self {
            problem,
            columns,
            point_columns,
            absent,
        })
    }

    /// The row of a record.
    ///
    /// # Errors
    /// The column and what is wrong with its value.
    pub fn read(&self, record: &StringRecord) -> Result<Row, String> {
        let mut row = self.read_point(record)?;
        self.read_costs(record, &mut row)?;
        Ok(row)
    }

    /// The columns of a record with its values.
    fn fields<'a>(
        &'a self,
        record: &'a StringRecord,
    ) -> impl Iterator<Item = (&'static str, &'a str)> {
        self.columns
            .iter()
            .map(|(column, index)| (*column, index.map_or("", |index| &record[index])))
    }

    /// The row of a record with its algorithm, its axes and its status; [`Self::read_costs`] adds the others. Most readers
    /// need few rows, and know them by their points.
    ///
    /// # Errors
    /// The column and what is wrong with its value.
    pub fn read_point(&self, record: &StringRecord) -> Result<Row, String> {
        let mut fields = self.fields(record);
        let mut next = || fields.next().unwrap_or_default();
        let algorithm = next().1.to_owned();
        let mut values = PointValues::none(self.problem.axes());
        let mut machine = None;
        for (index, axis) in self.problem.axes().iter().enumerate() {
            match axis.kind {
                Kind::Profile => {
                    let (name, basis) = (text(next().1), text(next().1));
                    machine = (!name.is_empty()).then_some((name.to_owned(), basis.to_owned()));
                }
                Kind::Sides => {
                    let (w, h) = (count(next())?, count(next())?);
                    values[index] = w.zip(h).and_then(|(w, h)| Sides { w, h }.value());
                }
                Kind::Word(words) => {
                    let (column, text) = next();
                    values[index] = match text {
                        "" => None,
                        text => Some(parse_word(words, text).map_err(|_| wrong((column, text)))?),
                    };
                }
                _ => values[index] = count(next())?,
            }
        }
        for &(index, default) in &self.absent {
            values[index] = default;
        }
        let (column, word) = next();
        let status = Status::ALL.into_iter().find(|status| status.word() == word);
        let status = status.ok_or_else(|| wrong((column, word)))?;
        Ok(Row {
            machine,
            ..Row::new(self.problem, algorithm, values, status)
        })
    }

    /// Reads the unit, the costs and the note of a record into its row.
    ///
    /// # Errors
    /// The column and what is wrong with its value.
    pub fn read_costs(&self, record: &StringRecord, row: &mut Row) -> Result<(), String> {
        let mut fields = self.fields(record).skip(self.point_columns);
        let mut next = || fields.next().unwrap_or_default();
        next().1.clone_into(&mut row.unit);
        row.lower_bound = exact(next())?;
        let published = parsed::<u128>(next())?;
        row.published = published.zip(Some(text(next().1).to_owned()));
        row.analytic = exact(next())?;
        // What states it.
        next();
        row.simulated = exact(next())?;
        row.standard_error = parsed(next())?;
        text(next().1).clone_into(&mut row.note);
        Ok(())
    }
}

/// The value of a column of text; empty for [`NONE`].
#[must_use]
pub fn text(field: &str) -> &str {
    if field == NONE { "" } else { field }
}

fn wrong((column, text): (&str, &str)) -> String {
    let text = crate::units::shortened(text, crate::units::MAX_REPEATED);
    format!("`{text}` is not a value of column `{column}`")
}

fn parsed<T: std::str::FromStr>((column, text): (&str, &str)) -> Result<Option<T>, String> {
    if text.is_empty() {
        Ok(None)
    } else {
        text.parse().map(Some).map_err(|_| wrong((column, text)))
    }
}

fn count(field: (&str, &str)) -> Result<Option<u64>, String> {
    parsed(field)
}

/// The value of a column of costs: a whole number, or a fraction. It is not reduced again: it is in lowest terms and
/// may have thousands of digits.
///
/// # Errors
/// The column and the invalid text.
pub fn exact((column, text): (&str, &str)) -> Result<Option<Exact>, String> {
    if text.len() > MAX_CHARACTERS {
        return Err(wrong((column, text)));
    }
    let Some((numerator, denominator)) = text.split_once('/') else {
        return Ok(parsed((column, text))?.map(Exact::Integer));
    };
    let [numerator, denominator] =
        [numerator, denominator].map(|part| part.parse().map_err(|_| wrong((column, text))));
    let (numerator, denominator): (num_bigint::BigInt, num_bigint::BigInt) =
        (numerator?, denominator?);
    if denominator.sign() != num_bigint::Sign::Plus {
        return Err(wrong((column, text)));
    }
    Ok(Some(Exact::Rational(BigRational::new_raw(
        numerator,
        denominator,
    ))))
}

/// The nearest float, for drawing and for people.
#[must_use]
pub fn rounded(exact: &Exact) -> Option<f64> {
    match exact {
        #[expect(
            clippy::cast_precision_loss,
            reason = "exact up to 2^53; beyond, the error is less than a pixel"
        )]
        Exact::Integer(cost) => Some(*cost as f64),
        Exact::Rational(cost) => cost.to_f64(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use algorithms::catalogue::{PROBLEMS, entries};
    use algorithms::cost::Limits;
    use algorithms::problem::Entry;

    use super::*;
    use crate::machine::Machine;
    use crate::space::Machines;

    /// Rows survive writing and reading: the example of each algorithm, and a refused point.
    #[test]
    fn rows_survive_a_file() {
        let machines = Machines::default();
        for &entry in entries() {
            let mut values = PointValues::none(entry.axes());
            values.copy_from_slice(entry.example());
            let cell = Cell {
                entry,
                machines: &machines,
                values,
            };
            let results = [
                cell.evaluate(&Limits::default()),
                Err(cell_of_nothing(&cell).unwrap_err()),
            ];
            let mut writer = CsvWriter::headless(Vec::new());
            writer.write_record(header(entry.problem())).unwrap();
            for result in &results {
                write(&mut writer, &cell, result).unwrap();
            }
            let text = writer.into_inner().unwrap();
            let mut reader = csv::Reader::from_reader(text.as_slice());
            let rows = RowReader::new(entry.problem(), reader.headers().unwrap()).unwrap();
            for record in csv::Reader::from_reader(text.as_slice()).records() {
                let record = record.unwrap();
                let columns = columns(entry.problem()).into_iter().zip(&record);
                let blank = columns
                    .filter(|(column, field)| column.1 == ColumnType::Text && field.is_empty());
                assert_eq!(blank.count(), 0, "{record:?}");
            }
            let rows: Vec<Row> = reader
                .records()
                .map(|record| rows.read(&record.unwrap()).unwrap())
                .collect();
            let evaluation = results[0].as_ref().unwrap();
            assert_eq!(
                (rows[0].algorithm.as_str(), &*rows[0].values),
                (entry.name, &*cell.resolved())
            );
            assert_eq!(
                (rows[0].status, rows[0].analytic.as_ref()),
                (Status::Ok, evaluation.analytic.as_ref())
            );
            assert_eq!(rows[0].lower_bound.as_ref(), Some(&evaluation.lower_bound));
            assert_eq!(rows[0].simulated, evaluation.simulated.cost());
            assert_eq!(
                (rows[1].status, rows[1].analytic.is_none()),
                (Status::NotApplicable, true)
            );
            assert!(!rows[1].note.is_empty());
        }
    }

    /// A file of an earlier version lacks later axes, which had their defaults, and the column that names what states a cost.
    #[test]
    fn a_file_of_an_earlier_version_is_read() {
        let problem = algorithms::catalogue::problem("broadcast").unwrap();
        let old = "algorithm,machine,machine_basis,message_bytes,L_time,o_time,g_time,K_nodes,n_words,root,m_segments,status,unit,\
                   lower_bound,published,published_relation,analytic,simulated,standard_error,note\n\
                   broadcast-chain,none,none,,6,2,4,8,64,3,1,ok,time,276,,none,1834,1834,,none\n";
        let mut reader = csv::Reader::from_reader(old.as_bytes());
        let rows = RowReader::new(problem, reader.headers().unwrap()).unwrap();
        let row = rows
            .read(&reader.records().next().unwrap().unwrap())
            .unwrap();
        let values = ["root", "element", "ports", "k"].map(|key| row.value(key));
        assert_eq!(
            (values, row.analytic),
            ([3, 1, 0, 1].map(Some), Some(Exact::Integer(1834)))
        );
        let without_cost = old.replace(",analytic,", ",cost,");
        let mut reader = csv::Reader::from_reader(without_cost.as_bytes());
        assert_eq!(
            RowReader::new(problem, reader.headers().unwrap()).err(),
            Some("analytic")
        );
    }

    /// On a profile the columns of L, o and g have the times of a message of `message_bytes`, of every problem.
    #[test]
    fn a_profile_fills_L_o_and_g() {
        let machines = Machines::new(Machine::built_in().ok().unwrap());
        let on_profile =
            |entry: &&Entry| entry.axes().iter().any(|axis| axis.kind == Kind::Profile);
        for &entry in entries().iter().filter(on_profile) {
            let mut values = PointValues::none(entry.axes());
            for ((axis, value), example) in entry
                .axes()
                .iter()
                .zip(values.iter_mut())
                .zip(entry.example())
            {
                *value = match axis.key {
                    "machine" => Some(5),
                    "bytes" => Some(4096),
                    "L" | "o" | "g" | "n" => None,
                    _ => *example,
                };
            }
            let cell = Cell {
                entry,
                machines: &machines,
                values,
            };
            let fields: HashMap<_, _> = fields(&cell).into_iter().collect();
            let bytes = fields
                .get("message_bytes")
                .map_or(1, |bytes| bytes.as_u64().unwrap());
            let model = machines.get(5).unwrap().parameters().at(bytes).unwrap();
            let times = ["L_time", "o_time", "g_time"].map(|column| fields[column].as_u64());
            assert_eq!(
                times,
                [model.L(), model.o(), model.g()].map(Some),
                "{}",
                entry.name
            );
        }
    }

    fn cell_of_nothing(cell: &Cell<'_>) -> Result<(), Refused> {
        Cell {
            values: PointValues::none(cell.entry.axes()),
            ..*cell
        }
        .bind()
        .map(|_| ())
    }

    #[test]
    fn no_two_columns_of_a_file_have_one_name() {
        for problem in PROBLEMS {
            let mut names = header(*problem);
            names.sort_unstable();
            assert!(
                names.windows(2).all(|pair| pair[0] != pair[1]),
                "{}",
                problem.name()
            );
        }
    }

    #[test]
    fn a_fraction_is_read_as_it_stands() {
        let field =
            |text: &str| exact(("analytic", text)).map(|cost| cost.map(|cost| cost.to_string()));
        assert_eq!(field("9/7"), Ok(Some("9/7".to_owned())));
        assert_eq!(field("12"), Ok(Some("12".to_owned())));
        assert_eq!(field(""), Ok(None));
        assert!(field(&format!("{}/7", "9".repeat(MAX_CHARACTERS))).is_err());
        assert!(
            field("1/0").is_err()
                && field("1/-2").is_err()
                && field("x").is_err()
                && field("-1").is_err()
        );
    }
}
