//! `castbench sensitivity`: how a cost changes with each parameter of the machine.
//!
//! The program of the point is fixed; the slopes are counts on its critical paths.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;

use algorithms::cost::{Exact, Limits};
use algorithms::error::Error;
use algorithms::internals::engine::waits::{self, Around, Link, Reason, Symbol};
use algorithms::internals::engine::{Operation, Program};
use algorithms::internals::reach::{Parameter, Reach};
use algorithms::problem::{Entry, Instance, Refused};
use clap::Args;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::options::PointArgs;
use super::point::{self, Parameters, TypedPoint};
use crate::failure::{Code, Failure, differ, stdout};
use crate::grid::Cell;
use crate::print::{self, Column, Format, Object};
use crate::record::{rounded, row};
use crate::units::{grouped, plural};

pub(crate) const HELP: &str = "Examples:
  castbench sensitivity fibonacci -L 6 -o 2 -g 4 -K 18
  castbench sensitivity optimal --machine ethernet100-switched --bytes 1MiB -K 18 --format json
  castbench sensitivity segmented-chain --machine ethernet100-switched --bytes 64KiB -K 4 -m 8

The cost is linear in each parameter between breakpoints. A slope is the growth of the cost per unit, below or above \
the value; it holds up to a stated value, an integer or a fraction `num/den`. In CSV and JSON `up_to_is` and \
`down_to_is` say what that value is: a breakpoint, zero, no end, or the end of the search (`optimal` on extreme \
machines).";

/// Arguments of `sensitivity`.
#[derive(Debug, Args)]
pub struct Sensitivity {
    /// The point.
    #[command(flatten)]
    pub point: PointArgs,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for a problem without messages between processors or an invalid point, 5 if analytic and simulated cost
/// differ.
pub fn run(arguments: &Sensitivity) -> Result<(), Failure> {
    answer(arguments, &mut arguments.format.stdout())
}

/// Writes the answer.
///
/// # Errors
/// Exit code 2 for a problem without messages between processors or an invalid point, 5 if analytic and simulated cost
/// differ.
pub fn answer(arguments: &Sensitivity, out: &mut impl Write) -> Result<(), Failure> {
    let entry = point::find(&arguments.point)?;
    if !entry.sends() {
        return Err(another_problem(entry));
    }
    let asked = TypedPoint::new(entry, "sensitivity", &arguments.point, &[])?;
    let cell = asked.cell();
    point::warn_of_doubts(&cell, &arguments.point.axes.0);
    let answer = Answer {
        ports: asked.ports(),
        ..Answer::new(&cell)?
    };
    match arguments.format {
        Format::Table => stdout(write!(out, "{answer}")),
        Format::Json => {
            let columns = columns();
            let json = Json {
                algorithm: entry.name,
                parameters: Parameters(&cell),
                cost: row::json(&answer.around.time),
                critical_path: &answer.path,
                sensitivity: print::records(&columns, &answer.parameters),
            };
            print::line(&json, out)
        }
        format => {
            let mut all = row::columns_of_point(&cell);
            let cost = row::json(&answer.around.time);
            all.push(Column::new("cost", "", move |_| cost.clone()).data_only());
            all.extend(columns());
            print::rows(format, &all, &answer.parameters, out)
        }
    }
}

/// A parameter: its name, its value, and how the cost changes with it.
type Sensed = (String, Exact, Parameter);

pub(super) fn columns<'a>() -> Vec<Column<'a, &'a Sensed>> {
    type Of<'a> = Column<'a, &'a Sensed>;
    let words = "what that value is: `breakpoint`, `zero`, `no end` or `search ended`";
    let below = |row: &&Sensed| {
        row.2
            .below
            .clone()
            .map(|side| (side.slope, end(&side.reach, "or less")))
    };
    let above = |row: &&Sensed| end(&row.2.above.reach, "or more");
    vec![
        Of::new(
            "parameter",
            "L, o, g; on a machine profile also G, O and H in ps per byte",
            |row| row.0.clone(),
        ),
        Of::new("value", "its value at the point", |row| row::json(&row.1))
            .shown("value", |row| shown(&row.1)),
        Of::new(
            "slope_below",
            "growth of the cost per unit, below the value",
            move |row| Some(below(row)?.0),
        ),
        Of::new(
            "down_to",
            "value down to which that slope holds",
            move |row| below(row)?.1.0,
        )
        .shown("down to", move |row| {
            below(row).map_or_else(String::new, |side| side.1.2)
        }),
        Of::new("down_to_is", words, move |row| Some(below(row)?.1.1)).data_only(),
        Of::new(
            "slope_above",
            "growth of the cost per unit, above the value",
            |row| row.2.above.slope,
        ),
        Of::new("up_to", "value up to which that slope holds", move |row| {
            above(row).0
        })
        .shown("up to", move |row| above(row).2),
        Of::new("up_to_is", words, move |row| above(row).1).data_only(),
    ]
}

#[derive(Serialize)]
struct Json<'c, 'a> {
    algorithm: &'a str,
    parameters: Parameters<'a>,
    cost: Value,
    critical_path: &'a Path,
    sensitivity: Vec<Object<'c, 'a, &'a Sensed>>,
}

struct Answer<'a> {
    cell: &'a Cell<'a>,
    /// Its rule of ports, and what decides it.
    ports: Option<String>,
    instance: Box<dyn Instance>,
    around: Around,
    parameters: Vec<Sensed>,
    path: Path,
}

impl<'a> Answer<'a> {
    fn new(cell: &'a Cell<'a>) -> Result<Self, Failure> {
        let entry = cell.entry;
        let nothing = Limits { nodes: 0, hops: 0 };
        let instance = cell.bind()?;
        let cost = instance.evaluate(&nothing)?.analytic;
        let (machine, program) = match instance.program(&Limits::default(), None) {
            Ok(found) => found.ok_or_else(|| another_problem(entry))?,
            Err(Refused::TooLarge(why)) => return Err(too_large(&why)),
            Err(refused) => return Err(refused.into()),
        };
        let mut around = waits::around(machine, &program).map_err(Error::from)?;
        // On a profile, the cost rounds each message; the slopes are those of the exact time.
        if cell.machine().is_none() && cost.is_some_and(|cost| cost != around.time) {
            return Err(Failure::new(Code::Disagreement, differ(entry)));
        }
        let name = |symbol: Symbol| match cell.machine() {
            Some(machine) => machine.symbol(symbol.letter, symbol.level),
            None => symbol.letter.to_owned(),
        };
        let path = Path::new(&around, &program, entry.problem().first(), &name);
        let named = |(symbol, value, parameter)| (name(symbol), value, parameter);
        let parameters = std::mem::take(&mut around.parameters)
            .into_iter()
            .map(named)
            .collect();
        Ok(Self {
            cell,
            ports: None,
            instance,
            around,
            parameters,
            path,
        })
    }
}

fn another_problem(entry: Entry) -> Failure {
    Failure::usage(format_args!(
        "`{}` ({}): sensitivity supports problems in which processors send messages to each other. For example: castbench sensitivity optimal -L 6 -o 2 -g 4 -K 18",
        entry.name,
        entry.problem().name(),
    ))
}

fn too_large(why: &str) -> Failure {
    Failure::usage(format_args!(
        "too large for sensitivity: {why}; choose a smaller point, or compare `castbench cost` at nearby values"
    ))
}

/// Serialized as in JSON.
#[derive(Serialize)]
pub(super) struct Path {
    hops: u64,
    gaps: u64,
    #[serde(serialize_with = "as_map")]
    counts: Vec<(String, u64)>,
    #[serde(
        rename = "beyond_least_latency",
        skip_serializing_if = "Option::is_none"
    )]
    farther: Option<u64>,
    computed: u64,
    /// The processors on it, as users number them, without repetitions in a row.
    nodes: Vec<u64>,
    /// Which send of a node leads to the next one, from 1; none where both share a nic, for which the next one waits.
    sends: Vec<Option<u64>>,
    #[serde(rename = "last_nodes")]
    last: usize,
}

fn as_map<S: Serializer>(counts: &[(String, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(counts.iter().cloned().collect::<BTreeMap<_, _>>())
}

impl Path {
    pub(super) fn new(
        around: &Around,
        program: &Program,
        first: u32,
        symbol: &dyn Fn(Symbol) -> String,
    ) -> Self {
        let is_message =
            |link: &Link| !matches!(program.operation(link.operation), Operation::Compute { .. });
        let is_send =
            |link: &Link| matches!(program.operation(link.operation), Operation::Send { .. });
        // The wait for the previous message: the gap or, if larger, the overhead.
        let is_gap = |pair: &&[Link]| {
            let alike = is_send(&pair[0]) == is_send(&pair[1])
                && is_message(&pair[0])
                && is_message(&pair[1]);
            pair[1].reason == Reason::Gap || pair[1].reason == Reason::Done && alike
        };
        let pairs = || around.path.windows(2);
        let is_hop = |pair: &&[Link]| pair[1].reason == Reason::Message;
        let number = |link: &Link| {
            let before =
                (program.range(link.processor).start..link.operation).filter(|&operation| {
                    matches!(program.operation(operation), Operation::Send { .. })
                });
            before.count() as u64 + 1
        };
        let leads = |pair: &&[Link]| is_hop(pair) || pair[0].processor != pair[1].processor;
        let name = |processor: u32| u64::from(processor) + u64::from(first);
        let start = around.path.first().map_or(0, |link| link.processor);
        Self {
            hops: pairs().filter(is_hop).count() as u64,
            gaps: pairs().filter(is_gap).count() as u64,
            counts: around
                .counts
                .iter()
                .map(|&(own, count)| (symbol(own), count))
                .collect(),
            farther: around.farther,
            computed: around.computed,
            nodes: std::iter::once(start)
                .chain(pairs().filter(leads).map(|pair| pair[1].processor))
                .map(name)
                .collect(),
            sends: pairs()
                .filter(leads)
                .map(|pair| is_hop(&pair).then(|| number(&pair[0])))
                .collect(),
            last: around.last,
        }
    }

    /// `3 hops and 1 gap, which is 3 L + 6 o + 1 g`.
    pub(super) fn spelled(&self) -> String {
        let terms = self.counts.iter().filter(|(_, count)| *count > 0);
        let terms = terms.map(|(symbol, count)| format!("{} {symbol}", grouped(*count)));
        let farther = self.farther.filter(|&time| time > 0);
        let farther = farther.map(|time| format!("{} ns beyond the least L", grouped(time)));
        let computed =
            (self.computed > 0).then(|| format!("{} of computation", grouped(self.computed)));
        let sum: Vec<String> = terms.chain(farther).chain(computed).collect();
        let sum = if sum.is_empty() {
            "nothing".to_owned()
        } else {
            sum.join(" + ")
        };
        format!(
            "{} and {}, which is {sum}",
            plural(self.hops, "hop"),
            plural(self.gaps, "gap")
        )
    }

    /// `node 1, its send 2 to 9, its send 1 to 12`.
    pub(super) fn way(&self) -> String {
        let mut words = vec![format!("node {}", self.nodes[0])];
        let sends: Vec<_> = self.sends.iter().zip(&self.nodes[1..]).collect();
        let skipped = if sends.len() > MAX_SPELLED {
            3..sends.len() - 3
        } else {
            0..0
        };
        for (number, (order, node)) in sends.into_iter().enumerate() {
            match order {
                _ if number == skipped.start && !skipped.is_empty() => {
                    words.push(format!("{} more", grouped(skipped.len() as u64)));
                }
                _ if skipped.contains(&number) => {}
                Some(order) => words.push(format!("its send {order} to {node}")),
                None => words.push(format!("then {node} at the same nic")),
            }
        }
        words.join(", ")
    }
}

/// Most sends of a path that are listed.
const MAX_SPELLED: usize = 8;

impl fmt::Display for Answer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            cell,
            ports,
            instance,
            around,
            parameters,
            path,
        } = self;
        writeln!(f, "{}: {}", cell.entry.name, cell.entry.summary)?;
        if let Some(machine) = point::machine(cell) {
            writeln!(f, "{machine}; times in ns, G, O and H in ps per byte")?;
        }
        ports.iter().try_for_each(|ports| writeln!(f, "{ports}"))?;
        instance.describe(f)?;
        writeln!(f)?;
        writeln!(f, "  cost           {}", shown(&around.time))?;
        writeln!(f, "  critical path  {}", path.spelled())?;
        writeln!(f, "                 {}", path.way())?;
        if path.last > 1 {
            let others = plural(path.last as u64 - 1, "more node");
            let verb = if path.last == 2 { "ends" } else { "end" };
            writeln!(
                f,
                "                 {others} {verb} last, each at the end of a critical path of its own"
            )?;
        }
        writeln!(f)?;
        writeln!(f, "{}", print::table(&columns(), parameters))?;
        writeln!(f)?;
        writeln!(
            f,
            "slope: growth of the cost per unit of the parameter, the other parameters fixed;"
        )?;
        writeln!(
            f,
            "down to, up to: the values between which the slope holds;"
        )?;
        write!(
            f,
            "the program of this point is fixed: its messages and their order do not change with the machine"
        )?;
        let rounding =
            ";\ntimes are exact here, while `cost` rounds that of each message up to 1 ns";
        writeln!(
            f,
            "{}",
            if cell.machine().is_some() {
                rounding
            } else {
                ""
            }
        )
    }
}

fn shown(value: &Exact) -> String {
    match value {
        Exact::Integer(value) => grouped(*value),
        fraction @ Exact::Rational(_) => {
            format!("{:.4} ({fraction})", rounded(fraction).unwrap_or(f64::NAN))
        }
    }
}

/// The end of a slope: its value, what that is, and both as text.
fn end(reach: &Reach, farther: &str) -> (Option<Value>, &'static str, String) {
    match reach {
        Reach::NoEnd => (None, "no end", "no end".to_owned()),
        Reach::Zero => (Some(0.into()), "zero", "0".to_owned()),
        Reach::Breakpoint(value) => (Some(row::json(value)), "breakpoint", shown(value)),
        Reach::NotBefore(value) => (
            Some(row::json(value)),
            "search ended",
            format!("{} {farther}", shown(value)),
        ),
    }
}
