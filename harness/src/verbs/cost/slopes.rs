//! `cost --slopes`: how a cost changes with each parameter of the machine.
//!
//! The program of the point is fixed; the slopes are counts on its critical paths.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;

use algorithms::cost::{Exact, Limits};
use algorithms::internals::engine::waits::{self, Around, Link, Reason, Symbol};
use algorithms::internals::engine::{Operation, Program};
use algorithms::internals::reach::{Parameter, Reach};
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::At;
use crate::base::failure::{Code, Failure, Result, differ};
use crate::base::units::{grouped, plural};
use crate::print::{self, Columns, Format, Object};
use crate::record::{rounded, row};
use crate::verbs::point::Parameters;

/// Prints how the cost of the point changes.
pub(super) fn print(at: &At<'_>, limits: &Limits, format: Format, out: &mut impl Write) -> Result {
    let answer = Answer::new(at, limits)?;
    let (cost, own) = (row::json(&answer.around.time), columns());
    let json = Json {
        algorithm: at.cell.entry.name,
        parameters: Parameters(&at.cell),
        cost: cost.clone(),
        critical_path: &answer.path,
        sensitivity: print::records(&own, &answer.parameters),
    };
    let mut all = row::columns_of_point(&at.cell);
    all = all.data("cost", "", move |_| cost.clone());
    all.extend(columns().0);
    print::single(format, &answer, &json, (&all, &answer.parameters), out)
}

/// A parameter: its name, its value, and how the cost changes with it.
type Sensed = (String, Exact, Parameter);

pub(in super::super) fn columns() -> Columns<'static, Sensed> {
    let words = "what that value is: `breakpoint`, `zero`, `no end` or `search ended`";
    let below = |row: &Sensed| {
        row.2
            .below
            .clone()
            .map(|side| (side.slope, end(&side.reach, "or less")))
    };
    let above = |row: &Sensed| end(&row.2.above.reach, "or more");
    Columns::<Sensed>::empty()
        .column(
            "parameter",
            "L, o, g; on a machine profile also G, O and H in ps per byte",
            |row| row.0.clone(),
        )
        .column("value", "its value at the point", |row| row::json(&row.1))
        .shown("value", |row| shown(&row.1))
        .column(
            "slope_below",
            "growth of the cost below the value, per unit; in ps for a time per byte",
            move |row| Some(below(row)?.0),
        )
        .column(
            "down_to",
            "value down to which that slope holds",
            move |row| below(row)?.1.0,
        )
        .shown("down to", move |row| {
            below(row).map_or_else(String::new, |side| side.1.2)
        })
        .data("down_to_is", words, move |row| Some(below(row)?.1.1))
        .column(
            "slope_above",
            "growth of the cost above the value, per unit; in ps for a time per byte",
            |row| row.2.above.slope,
        )
        .column("up_to", "value up to which that slope holds", move |row| {
            above(row).0
        })
        .shown("up to", move |row| above(row).2)
        .data("up_to_is", words, move |row| above(row).1)
}

#[derive(Serialize)]
struct Json<'c, 'a> {
    algorithm: &'a str,
    parameters: Parameters<'a>,
    cost: Value,
    critical_path: &'a Path,
    sensitivity: Vec<Object<'c, 'static, Sensed, &'a Sensed>>,
}

struct Answer<'a> {
    at: &'a At<'a>,
    around: Around,
    parameters: Vec<Sensed>,
    path: Path,
}

impl<'a> Answer<'a> {
    fn new(at: &'a At<'a>, limits: &Limits) -> Result<Self> {
        let entry = at.cell.entry;
        let nothing = Limits { nodes: 0, hops: 0 };
        let cost = at.instance.evaluate(&nothing)?.analytic;
        let (machine, program) = at.program("--slopes", limits)?;
        let mut around =
            waits::around(machine, &program).map_err(|failure| at.failed(failure, limits))?;
        // On a profile, the cost rounds each message; the slopes are those of the exact time.
        if at.cell.machine().is_none() && cost.is_some_and(|cost| cost != around.time) {
            return Err(Failure::new(Code::Disagreement, differ(entry)));
        }
        let name = |symbol: Symbol| match at.cell.machine() {
            Some(machine) => machine.symbol(symbol.letter, symbol.level, symbol.from),
            None => symbol.letter.to_owned(),
        };
        let path = Path::new(&around, &program, entry.problem().first, &name);
        let parameters = std::mem::take(&mut around.parameters)
            .into_iter()
            .map(|(symbol, value, parameter)| (name(symbol), value, parameter))
            .collect();
        Ok(Self {
            at,
            around,
            parameters,
            path,
        })
    }
}

/// Serialized as in JSON.
#[derive(Serialize)]
pub(in super::super) struct Path {
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
    pub(in super::super) fn new(
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
        let pairs = || around.path.windows(2);
        let is_hop = |pair: &&[Link]| pair[1].reason == Reason::Message;
        let number = |link: &Link| {
            (program.range(link.processor).start..link.operation)
                .filter(|&operation| matches!(program.operation(operation), Operation::Send { .. }))
                .count() as u64
                + 1
        };
        let leads = |pair: &&[Link]| is_hop(pair) || pair[0].processor != pair[1].processor;
        let start = around.path.first().map_or(0, |link| link.processor);
        Self {
            hops: pairs().filter(is_hop).count() as u64,
            gaps: pairs()
                .filter(|pair| {
                    let alike = is_send(&pair[0]) == is_send(&pair[1])
                        && is_message(&pair[0])
                        && is_message(&pair[1]);
                    pair[1].reason == Reason::Gap || pair[1].reason == Reason::Done && alike
                })
                .count() as u64,
            counts: around
                .counts
                .iter()
                .map(|&(own, count)| (symbol(own), count))
                .collect(),
            farther: around.farther,
            computed: around.computed,
            nodes: std::iter::once(start)
                .chain(pairs().filter(leads).map(|pair| pair[1].processor))
                .map(|processor| u64::from(processor) + u64::from(first))
                .collect(),
            sends: pairs()
                .filter(leads)
                .map(|pair| is_hop(&pair).then(|| number(&pair[0])))
                .collect(),
            last: around.last,
        }
    }

    /// `3 hops and 1 gap, which is 3 L + 6 o + 1 g`.
    pub(in super::super) fn spelled(&self) -> String {
        let terms = self
            .counts
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(symbol, count)| format!("{} {symbol}", grouped(*count)));
        let farther = self
            .farther
            .filter(|&time| time > 0)
            .map(|time| format!("{} ns beyond the least L", grouped(time)));
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
    pub(in super::super) fn way(&self) -> String {
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
            at,
            around,
            parameters,
            path,
        } = self;
        at.heading(f, "; times in ns, G, O and H in ps per byte")?;
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
        let (per_byte, rounding) = match at.cell.machine() {
            Some(_) => (
                ", for a time per byte in ps: the bytes",
                ";\ntimes are exact here, while `cost` rounds that of each message up to 1 ns",
            ),
            None => ("", ""),
        };
        writeln!(
            f,
            "slope: growth of the cost per unit of the parameter{per_byte}, the other parameters fixed;\n\
             down to, up to: the values between which the slope holds;\n\
             the program of this point is fixed: its messages and their order do not change with the machine{rounding}"
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
