//! The row of a point: one or two columns for each axis of its problem, then the same columns for every problem.

use std::borrow::Cow;

use algorithms::cost::{Agreement, By, Evaluation, Exact, Simulated};
use algorithms::problem::{Axis, Kind, Problem, Refused, Sides, Value, spelled};
use csv::StringRecord;
use num_traits::ToPrimitive as _;
use serde::{Deserialize, Serialize};

use super::measurement::SummaryRow;
use super::on_network::{self, OnNetwork};
use crate::base::units::{NONE, joined};
use crate::print::column::{self, Column, ColumnType, Columns, Datum, Reader, Tabled as _, tabled};
use crate::space::{Cell, PointValues, Values};

type Of = Column<'static, Row>;

/// The columns after those of the axes. A column stands here only: files without a later one are read with what it is `lacking`.
fn of_costs(problem: &Problem) -> Vec<Of> {
    // Costs are whole numbers if the problem has no fractions.
    let exact = if problem.fractions {
        ColumnType::Exact
    } else {
        ColumnType::Count
    };
    let wide = |value: u128| {
        u64::try_from(value).map_or_else(|_| value.to_string().into(), serde_json::Value::from)
    };
    vec![
        Of::new(
            "status",
            "`ok`; `not_applicable`: the algorithm is not defined there; `failed`: could not be evaluated; `disagree`: analytic and simulated differ, or one is below the lower bound: a bug",
            |row| row.status.word(),
        )
        .read(|row, text| set(&mut row.status, Status::from_word(text)?)),
        tabled!(
            Row,
            "unit",
            "unit of the costs: `time` (the model's own unit), `ns`, `links`, `steps`, `rounds`",
            unit: String
        ),
        tabled!(
            Row,
            "lower_bound",
            "lower bound of the problem for any algorithm",
            lower_bound: Option<Exact>
        )
        .kind(exact),
        Of::new(
            "published",
            "the paper's headline figure, as printed there",
            move |row| row.published.as_ref().map(|published| wide(published.0)),
        )
        .kind(ColumnType::Wide)
        .read(|row, text| {
            let value = if text.is_empty() { None } else { Some(text.parse().ok()?) };
            set(&mut row.published, value.map(|value| (value, String::new())))
        }),
        Of::new(
            "published_relation",
            "relation of the cost to it in the paper: `=`, `<=`, `<`, `>=`; `none` if the paper states none",
            |row| or_none(row.published.as_ref().map_or("", |published| &published.1)),
        )
        .read(|row, relation| {
            row.published.iter_mut().for_each(|published| published.1 = text(relation).to_owned());
            Some(())
        }),
        tabled!(
            Row,
            "analytic",
            "the exact cost without an execution",
            analytic: Option<Exact>
        )
        .kind(exact),
        Of::new(
            "analytic_by",
            "what states it: `formula`, proven; `clock`, which follows every rank; `claim`, of the author of your own algorithm; `none` without a cost",
            |row| or_none(&row.analytic_by),
        )
        .read(|row, by| set(&mut row.analytic_by, text(by).to_owned().into()))
        .lacking(NONE),
        tabled!(
            Row,
            "simulated",
            "the cost of the execution; for random multicasts their exact mean",
            simulated: Option<Exact>
        )
        .kind(exact),
        tabled!(
            Row,
            "standard_error",
            "standard error of that mean, rounded",
            standard_error: Option<f64>
        ),
        Of::new(
            "note",
            "why a value is missing, and what gives an algorithm of your own; else `none`",
            |row| or_none(&row.note),
        )
        .read(|row, note| set(&mut row.note, text(note).to_owned())),
    ]
}

/// The first column.
pub const ALGORITHM: &str = "algorithm";

fn set<T>(field: &mut T, value: T) -> Option<()> {
    *field = value;
    Some(())
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

    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word() == word)
    }

    /// The word in the column `status`.
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
pub fn columns(problem: &Problem) -> Vec<Of> {
    let mut columns = [of_point(problem), of_costs(problem)];
    // Their names are those of files in tables, too.
    for column in columns.iter_mut().flatten() {
        column.title = column.name.to_string();
    }
    columns.into_iter().flatten().collect()
}

/// The columns of a sweep's file: with networks, behind the others, how long links take.
pub fn swept(problem: &Problem, has_networks: bool) -> Vec<Of> {
    let mut columns = columns(problem);
    if has_networks {
        columns.extend(of_network());
    }
    columns
}

/// The columns of a row on a network.
pub fn of_network() -> Vec<Of> {
    on_network::columns(|row: &Row| row.on_network.as_deref().cloned())
}

/// An integer as a number, a fraction as the string `num/den`.
pub fn json(cost: &Exact) -> serde_json::Value {
    cost.value()
}

/// The columns of the algorithm and the axes.
pub fn of_point(problem: &Problem) -> Vec<Of> {
    let algorithm = tabled!(Row, ALGORITHM, "name in the catalogue", algorithm: String);
    let axes = problem.axes.iter().enumerate().flat_map(|(index, axis)| {
        // A file of an earlier version lacks later axes, which had their defaults there.
        let lacking = axis.default.map(|default| spelled(axis, default));
        of_axis(problem, index, axis)
            .into_iter()
            .map(move |column| match &lacking {
                Some(default) => column.lacking(default.clone()),
                None => column,
            })
    });
    std::iter::once(algorithm).chain(axes).collect()
}

/// The columns of an axis.
fn of_axis(problem: &Problem, index: usize, axis: &'static Axis) -> Vec<Of> {
    let number = |column: usize, value: fn(u64) -> u64, read: fn(Value, u64) -> Value| {
        Of::new(
            axis.columns[column],
            holds(problem, axis, column),
            move |row| row.values[index].map(value),
        )
        .kind(ColumnType::Count)
        .read(move |row, text| {
            let known = row.values[index];
            let value: Value = Datum::parse(text)?;
            set(
                &mut row.values[index],
                value.and_then(|value| read(known, value)),
            )
        })
    };
    match axis.kind {
        Kind::Profile => {
            let name = Of::new(axis.columns[0], holds(problem, axis, 0), |row| {
                or_none(row.machine().unwrap_or_default())
            })
            .read(|row, name| {
                let name = text(name);
                set(
                    &mut row.machine,
                    (!name.is_empty()).then(|| (name.to_owned(), String::new())),
                )
            });
            let basis = Of::new(axis.columns[1], holds(problem, axis, 1), |row| {
                or_none(row.machine.as_ref().map_or("", |machine| &machine.1))
            })
            .read(|row, basis| {
                row.machine
                    .iter_mut()
                    .for_each(|machine| machine.1 = text(basis).to_owned());
                Some(())
            });
            vec![name, basis]
        }
        // The first column is read as it stands, and the second one makes sides of both.
        Kind::Sides => vec![
            number(0, |sides| Sides::from_value(sides).w, |_, w| Some(w)),
            number(
                1,
                |sides| Sides::from_value(sides).h,
                |w, h| Sides { w: w?, h }.value(),
            ),
        ],
        Kind::Word(_) | Kind::Counts => vec![
            Of::new(axis.columns[0], holds(problem, axis, 0), move |row| {
                row.values[index].map(|value| spelled(axis, value))
            })
            .read(move |row, text| {
                let value = if text.is_empty() {
                    None
                } else {
                    Some(Values::parse(text, axis.kind).ok()?.get(0))
                };
                set(&mut row.values[index], value)
            }),
        ],
        Kind::Count | Kind::Time | Kind::Bytes => {
            vec![number(0, |value| value, |_, value| Some(value))]
        }
    }
}

/// What the column with this index of an axis holds.
fn holds(problem: &Problem, axis: &Axis, index: usize) -> Cow<'static, str> {
    let has = |kind| problem.axes.iter().any(|axis| axis.kind == kind);
    match (axis.kind, index) {
        (Kind::Profile, 0) => "name of the machine profile".into(),
        (Kind::Profile, _) => {
            "whether that profile is `measured`, `estimated`, `fitted` to measured collectives, or `unreliable`".into()
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
pub fn header(problem: &Problem) -> Vec<String> {
    column::names(&columns(problem))
        .map(str::to_owned)
        .collect()
}

/// The columns of the algorithm and the axes with their values at a point.
pub fn fields(cell: &Cell<'_>) -> Vec<(Cow<'static, str>, serde_json::Value)> {
    let row = Row::from_cell(cell, Status::Ok);
    of_point(row.problem)
        .into_iter()
        .filter_map(|column| Some((column.name.clone(), column.value(&row)?)))
        .collect()
}

/// The columns of the algorithm and the axes, with the values of one point in every row.
pub fn columns_of_point<'a, R: 'a>(cell: &Cell<'_>) -> Columns<'a, R> {
    fields(cell)
        .into_iter()
        .fold(Columns::empty(), |columns, (name, value)| {
            columns.data(name, "", move |_: &R| value.clone())
        })
}

/// A row of a problem's file.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its problem.
    pub problem: &'static Problem,
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
    /// What states it; empty without a cost.
    pub analytic_by: Cow<'static, str>,
    /// The cost of the execution, or the exact mean of several.
    pub simulated: Option<Exact>,
    /// The standard error of that mean.
    pub standard_error: Option<f64>,
    /// Why a value is missing.
    pub note: String,
    /// How long links take, if the point is on a network.
    pub on_network: Option<Box<OnNetwork>>,
    /// The times, if the row comes from a measurement.
    pub measured: Option<Box<SummaryRow>>,
}

impl Row {
    /// Why the row has no cost that counts: it failed, or its costs disagree.
    pub fn failure(&self) -> Option<String> {
        match self.status {
            Status::Ok | Status::NotApplicable => None,
            Status::Failed => Some(self.note.clone()),
            Status::Disagree => {
                Some("formula and execution differ, or one is below the lower bound".to_owned())
            }
        }
    }

    /// A row without a machine, costs and notes.
    pub fn new(
        problem: &'static Problem,
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
            analytic_by: Cow::Borrowed(""),
            simulated: None,
            standard_error: None,
            note: String::new(),
            on_network: None,
            measured: None,
        }
    }

    /// The row of a point without its costs.
    pub fn from_cell(cell: &Cell<'_>, status: Status) -> Self {
        let problem = cell.entry.problem();
        let machine = cell.machine();
        Self {
            machine: machine.map(|own| (own.name.clone(), own.basis.word().to_owned())),
            unit: problem.unit(&cell.values).word().to_owned(),
            ..Self::new(problem, cell.entry.name.to_owned(), cell.resolved(), status)
        }
    }

    /// The row of an evaluated point.
    pub fn from_result(cell: &Cell<'_>, result: &Result<Evaluation, Refused>) -> Self {
        let row = Self::from_cell(cell, Status::from_result(result));
        let evaluation = match result {
            Ok(evaluation) => evaluation,
            Err(refused) => {
                return Self {
                    note: refused.to_string(),
                    ..row
                };
            }
        };
        let error = match &evaluation.simulated {
            Simulated::Mean(sample) => sample
                .squared_standard_error()
                .and_then(|squared| squared.to_f64()),
            _ => None,
        };
        let headline = evaluation.headline();
        Self {
            lower_bound: Some(evaluation.lower_bound.clone()),
            published: headline.map(|claim| (claim.value, claim.relation.symbol().to_owned())),
            analytic: evaluation.analytic.clone(),
            analytic_by: evaluation.by.map_or("", By::word).into(),
            simulated: evaluation.simulated.cost(),
            standard_error: error.map(f64::sqrt),
            note: note(cell, evaluation),
            ..row
        }
    }

    /// The value of the axis with this key.
    pub fn value(&self, key: &str) -> Value {
        if let Some(measured) = &self.measured {
            return measured.value(key);
        }
        let index = self.problem.axes.iter().position(|axis| axis.key == key)?;
        self.values[index]
    }

    /// The name of the machine profile.
    pub fn machine(&self) -> Option<&str> {
        self.machine.as_ref().map(|machine| machine.0.as_str())
    }
}

/// Why a cost is missing, and where an algorithm came from that castbench has not.
fn note(cell: &Cell<'_>, evaluation: &Evaluation) -> String {
    let unknown = || Some(cell.bind().ok()?.unknown());
    let unknown = evaluation.analytic.is_none().then(unknown).flatten();
    let skipped = match &evaluation.simulated {
        Simulated::Skipped(reason) | Simulated::Unjudged(_, reason) => Some(reason.clone()),
        _ => None,
    };
    let entry = cell.entry;
    let given = entry
        .is_given
        .then(|| format!("{} of {}", entry.section, entry.paper));
    let notes = [unknown, skipped, given].into_iter().flatten();
    joined("; ", notes)
}

/// Reads the rows of a problem's file.
pub struct RowReader {
    problem: &'static Problem,
    point: Reader<'static, Row>,
    costs: Reader<'static, Row>,
    /// Where the file has networks.
    links: Option<Reader<'static, OnNetwork>>,
}

impl RowReader {
    /// A reader for this header.
    ///
    /// # Errors
    /// A missing column.
    pub fn new(
        problem: &'static Problem,
        header: &StringRecord,
    ) -> Result<Self, Cow<'static, str>> {
        let mut point = columns(problem);
        let costs = point.split_off(of_point(problem).len() + 1);
        Ok(Self {
            problem,
            point: Reader::new(point, header)?,
            costs: Reader::new(costs, header)?,
            links: header
                .iter()
                .any(|name| name == on_network::NETWORK)
                .then(|| Reader::new(OnNetwork::columns(), header))
                .transpose()?,
        })
    }

    /// The row of a record, if it is `wanted`, which sees its algorithm, its axes and its status: most readers need few rows.
    ///
    /// # Errors
    /// The column and what is wrong with its value.
    pub fn read(
        &self,
        record: &StringRecord,
        wanted: impl Fn(&Row) -> bool,
    ) -> Result<Option<Row>, String> {
        let values = PointValues::none(self.problem.axes);
        let mut row = Row::new(self.problem, String::new(), values, Status::Ok);
        self.point.read(record, &mut row)?;
        if let Some(links) = &self.links {
            let mut found = OnNetwork::default();
            links.read(record, &mut found)?;
            row.on_network = (!found.network.is_empty()).then(|| Box::new(found));
        }
        if !wanted(&row) {
            return Ok(None);
        }
        self.costs.read(record, &mut row)?;
        Ok(Some(row))
    }
}

/// The value of a column of text; empty for [`NONE`].
pub fn text(field: &str) -> &str {
    if field == NONE { "" } else { field }
}

/// A text for a column; [`NONE`] if it is missing.
fn or_none(text: &str) -> String {
    if text.is_empty() { NONE } else { text }.to_owned()
}

/// The nearest float, for drawing and for people.
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
    use crate::space::Machines;
    use crate::space::machine::Machine;

    #[test]
    fn the_columns_of_a_problem_are_distinct() {
        for problem in PROBLEMS {
            let columns = swept(problem, true);
            let names: std::collections::HashSet<_> =
                columns.iter().map(|column| &*column.name).collect();
            assert_eq!(names.len(), columns.len(), "{}", problem.name);
        }
    }

    /// Rows survive writing and reading: the example of each algorithm, and a refused point.
    #[test]
    fn rows_survive_a_file() {
        let machines = Machines::default();
        for &entry in entries() {
            let mut values = PointValues::none(entry.axes());
            values.copy_from_slice(&entry.example());
            let cell = Cell {
                entry,
                machines: &machines,
                values,
                site: None,
            };
            let results = [
                cell.evaluate(&Limits::default()),
                Err(cell_of_nothing(&cell).unwrap_err()),
            ];
            let columns = columns(entry.problem());
            let written: Vec<Row> = results
                .iter()
                .map(|result| Row::from_result(&cell, result))
                .collect();
            let text = column::csv(&columns, &written).unwrap();
            let mut file = csv::Reader::from_reader(text.as_slice());
            let reader = RowReader::new(entry.problem(), file.headers().unwrap()).unwrap();
            let records: Vec<StringRecord> = file.records().map(Result::unwrap).collect();
            for record in &records {
                let blank = columns
                    .iter()
                    .zip(record)
                    .filter(|(column, field)| column.kind == ColumnType::Text && field.is_empty());
                assert_eq!(blank.count(), 0, "{record:?}");
            }
            let rows: Vec<Row> = records
                .iter()
                .map(|record| reader.read(record, |_| true).unwrap().unwrap())
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
        let record = reader.records().next().unwrap().unwrap();
        let row = rows.read(&record, |_| true).unwrap().unwrap();
        let values = ["root", "element", "ports", "k"].map(|key| row.value(key));
        assert_eq!(
            (values, row.analytic),
            ([3, 1, 0, 1].map(Some), Some(Exact::Integer(1834)))
        );
        let without_cost = old.replace(",analytic,", ",cost,");
        let mut reader = csv::Reader::from_reader(without_cost.as_bytes());
        assert_eq!(
            RowReader::new(problem, reader.headers().unwrap()).err(),
            Some("analytic".into())
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
                    _ => example,
                };
            }
            let cell = Cell {
                entry,
                machines: &machines,
                values,
                site: None,
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
            let mut names = header(problem);
            names.sort_unstable();
            assert!(
                names.windows(2).all(|pair| pair[0] != pair[1]),
                "{}",
                problem.name
            );
        }
    }

    #[test]
    fn a_fraction_is_read_as_it_stands() {
        let field =
            |text: &str| <Option<Exact>>::parse(text).map(|cost| cost.map(|cost| cost.to_string()));
        assert_eq!(field("9/7"), Some(Some("9/7".to_owned())));
        assert_eq!(field("12"), Some(Some("12".to_owned())));
        assert_eq!(field(""), Some(None));
        let long = format!("{}/7", "9".repeat(column::MAX_CHARACTERS));
        for wrong in [&*long, "1/0", "1/-2", "-1/2", "x", "-1"] {
            assert_eq!(field(wrong), None, "{wrong}");
        }
    }
}
