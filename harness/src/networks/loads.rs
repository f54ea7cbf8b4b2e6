//! How long the busiest link of a network takes for the messages of an algorithm, beside the bound of the collective.

use std::fmt;
use std::path::Path;

use algorithms::cost::Limits;
use algorithms::network::Network;
use algorithms::network::bounds::{Bound, Collective};
use algorithms::network::routes::{Loads, traffic};
use algorithms::problem::{Instance, Refused};
use num_rational::Ratio;
use num_traits::{CheckedDiv as _, CheckedMul as _, ToPrimitive as _};
use serde_json::Value;

use super::Placed;
use super::bound::{described, duration};
use crate::base::failure::Failure;
use crate::base::units::grouped;
use crate::print::Column;
use crate::space::Cell;
use crate::verify::program;
use crate::verify::read::File;
use crate::verify::task::Task;

/// The bounds of collectives on a network, each found once.
pub struct Bounds<'a> {
    placed: &'a Placed,
    known: Vec<Bound>,
}

impl<'a> Bounds<'a> {
    /// No bound yet.
    #[must_use]
    pub fn new(placed: &'a Placed) -> Self {
        Self {
            placed,
            known: Vec::new(),
        }
    }

    /// The bound of the collective at a cell, for the node of its root, and M.
    fn of(&mut self, cell: &Cell<'_>) -> Option<(Bound, u128)> {
        let size = cell.bytes().or_else(|| cell.value("n"));
        let name = cell.entry.problem().name;
        let (name, root, all) = match Collective::from_name(name, 0) {
            Some(_) => {
                let blocks = if is_vector(name) {
                    1
                } else {
                    self.placed.places.len() as u128
                };
                (
                    name,
                    cell.value("root").unwrap_or(0),
                    u128::from(size?) * blocks,
                )
            }
            None => {
                let (name, root, stated) = in_file(cell.entry.name)?;
                (name, root, size.unwrap_or(stated).into())
            }
        };
        let root = self.placed.places.get(usize::try_from(root).ok()?)?;
        let collective = Collective::from_name(name, *root)?;
        if let Some(known) = self
            .known
            .iter()
            .find(|known| known.collective == collective)
        {
            return Some((known.clone(), all));
        }
        let bound = Bound::new(&self.placed.network, collective);
        self.known.push(bound.clone());
        Some((bound, all))
    }

    /// The time of the busiest link for the messages at a cell.
    ///
    /// # Errors
    /// Exit code 2 for an algorithm without messages, and for another number of ranks than the network has.
    pub fn link_time(
        &mut self,
        cell: &Cell<'_>,
        instance: &Instance,
    ) -> Result<LinkTime<'a>, Failure> {
        let placed = self.placed;
        let name = cell.entry.name;
        let (_, program) = match instance.program(&Limits::default(), None) {
            Ok(run) => run.ok_or_else(|| {
                Failure::usage(format_args!(
                    "--network: no processors of `{name}` send messages to each other; remove the option"
                ))
            })?,
            Err(Refused::TooLarge(why)) => bail!("--network: too large: {why}; choose a smaller point"),
            Err(refused) => return Err(refused.into()),
        };
        let (ranks, network) = (program.processors() as usize, &placed.network);
        if ranks != network.ranks() {
            bail!(
                "--network {}: it has {} ranks, and `{name}` {ranks} here; choose as many",
                network.name(),
                network.ranks()
            );
        }
        let loads = Loads::new(network, &traffic(&program, &placed.places));
        let bound = self.of(cell);
        Ok(LinkTime {
            placed,
            loads,
            least: bound
                .as_ref()
                .and_then(|(bound, all)| bound.time.checked_mul(&Ratio::from_integer(*all))),
            bound: bound.map(|(bound, _)| bound),
            is_in_bytes: cell.machine().is_some(),
        })
    }
}

/// The collective of a schedule in a file, its root and its bytes, where the file states them.
fn in_file(name: &str) -> Option<(&'static str, u64, u64)> {
    let file = File::open(Path::new(name)).ok()?;
    let schedule = file.schedule(None, 0, None).ok()?;
    let root = schedule.task.as_ref().map_or(0, Task::root);
    Some((
        schedule.collective()?.name,
        root,
        program::all_bytes(&schedule),
    ))
}

/// Whether M of a collective is the vector of a rank; of others it is all blocks together.
#[must_use]
pub fn is_vector(collective: &str) -> bool {
    matches!(collective, "broadcast" | "reduce" | "allreduce")
}

/// See [`Bounds::link_time`]. Times are those of a byte, or word, over a capacity of 1.
pub struct LinkTime<'a> {
    placed: &'a Placed,
    /// The load of each link.
    pub loads: Loads<'a>,
    bound: Option<Bound>,
    /// The least time for messages of this size.
    least: Option<Ratio<u128>>,
    is_in_bytes: bool,
}

impl LinkTime<'_> {
    fn network(&self) -> &Network {
        &self.placed.network
    }

    /// It over the bound.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        let least = self.least.filter(|least| *least.numer() > 0)?;
        self.loads.time().checked_div(&least)?.to_f64()
    }

    /// The busiest link, as `3 -> 4`.
    #[must_use]
    pub fn busiest(&self) -> Option<String> {
        let link = self.network().links()[self.loads.busiest()?];
        let [from, to] = [link.from, link.to].map(|node| self.network().node(node));
        Some(format!("{from} -> {to}"))
    }

    fn seconds(&self) -> Option<f64> {
        let unit = self.network().unit().filter(|_| self.is_in_bytes)?;
        Some(self.loads.time().to_f64()? / unit as f64)
    }
}

/// A whole number, or a fraction as text.
fn exact(number: Ratio<u128>) -> Value {
    match u64::try_from(*number.numer()) {
        Ok(whole) if number.is_integer() => whole.into(),
        _ => number.to_string().into(),
    }
}

/// In two lines: the network, and the time.
impl fmt::Display for LinkTime<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (time, unit) = (
            self.loads.time(),
            if self.is_in_bytes { "bytes" } else { "words" },
        );
        let shown = match u64::try_from(*time.numer()) {
            Ok(whole) if time.is_integer() => grouped(whole),
            _ => time.to_string(),
        };
        write!(f, "{shown} {unit} over a capacity of 1")?;
        if let Some(seconds) = self.seconds() {
            write!(f, " = {}", duration(seconds))?;
        }
        if let Some(link) = self.busiest() {
            write!(f, ", of link {link}")?;
        }
        match (self.ratio(), &self.bound) {
            (Some(ratio), Some(bound)) => {
                let exact = if bound.is_exact {
                    ", which a schedule takes"
                } else {
                    ""
                };
                write!(f, "; {ratio:.2} x the bound {} M{exact}", bound.time)
            }
            _ => write!(
                f,
                "; without a bound: `castbench bound` knows none of this problem"
            ),
        }
    }
}

/// The columns of rows beside costs.
pub fn columns<'a, R>(
    of: impl Fn(&R) -> Option<&'a LinkTime<'a>> + Copy + 'a,
) -> Vec<Column<'a, R>> {
    type Of<'a, R> = Column<'a, R>;
    let value =
        move |row: &R, value: fn(&LinkTime<'a>) -> Value| of(row).map_or(Value::Null, value);
    vec![
        Of::new("network", "the network", move |row| {
            value(row, |it| it.network().name().into())
        }),
        Of::new("placement", "where ranks stand on it", move |row| {
            value(row, |it| it.placed.placement.clone().into())
        }),
        Of::new(
            "link_time",
            "how long its busiest link takes, in units of a byte or word over a capacity of 1",
            move |row| value(row, |it| exact(it.loads.time())),
        ),
        Of::new("busiest_link", "the link that takes longest", move |row| {
            value(row, |it| it.busiest().into())
        }),
        Of::new(
            "link_bound",
            "least link time of any algorithm",
            move |row| value(row, |it| it.least.map_or(Value::Null, exact)),
        ),
        Of::new("link_ratio", "link time over that bound", move |row| {
            value(row, |it| it.ratio().into())
        }),
        Of::new(
            "link_exact",
            "whether a schedule takes that bound",
            move |row| {
                value(row, |it| {
                    it.bound.as_ref().map(|bound| bound.is_exact).into()
                })
            },
        )
        .data_only(),
        Of::new(
            "link_seconds",
            "link time of bytes, where capacities have a unit",
            move |row| value(row, |it| it.seconds().into()),
        )
        .data_only(),
    ]
}

impl Placed {
    /// The network and the placement in a line.
    #[must_use]
    pub fn heading(&self) -> String {
        let placement = match self.placement.contains(',') {
            false => &*self.placement,
            true => "a list",
        };
        format!("{}; placement {placement}", described(&self.network))
    }
}
