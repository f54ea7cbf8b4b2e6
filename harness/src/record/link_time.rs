//! How long the busiest link of a network takes for the messages of an algorithm, beside the bound of the collective.

use std::fmt;
use std::path::Path;

use algorithms::cost::Limits;
use algorithms::error::Error;
use algorithms::network::Network;
use algorithms::network::bounds::{Bound, Collective};
use algorithms::network::routes::{BelowBound, Loads, traffic};
use algorithms::problem::{Instance, Refused};
use num_rational::Ratio;
use num_traits::{CheckedDiv as _, CheckedMul as _, ToPrimitive as _};

use super::on_network::{OnNetwork, exact};
use crate::base::units::grouped;
use crate::networks::Placed;
use crate::networks::bound::{Known, duration, is_vector};
use crate::space::Cell;
use crate::verify::program;
use crate::verify::read::File;
use crate::verify::task::Task;

impl Placed {
    /// The bound of the collective at a cell, for the node of its root, and M.
    fn bound(&self, cell: &Cell<'_>) -> Option<(Known, u128)> {
        // It is a bound of blocks of one size.
        if cell.is_counted() {
            return None;
        }
        let size = cell.bytes().or_else(|| cell.value("n"));
        let name = cell.entry.problem().name;
        let (name, root, all) = match Collective::from_name(name, 0) {
            Some(_) => {
                let blocks = if is_vector(name) {
                    1
                } else {
                    self.places.len() as u128
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
        let root = self.places.get(usize::try_from(root).ok()?)?;
        let collective = Collective::from_name(name, *root)?;
        Some((self.known(collective), all))
    }

    /// The time of the busiest link for the messages at a cell.
    ///
    /// # Errors
    /// An algorithm without messages, another number of ranks than the network has, a point that is too large.
    pub fn link_time(&self, cell: &Cell<'_>, instance: &Instance) -> Result<LinkTime<'_>, Refused> {
        let name = cell.entry.name;
        let refused = |why: String| Refused::NotHere(Error::Given(why));
        let (_, program) = match instance.program(&Limits::default(), None) {
            Ok(run) => run.ok_or_else(|| {
                refused(format!(
                    "--network: no processors of `{name}` send messages to each other; remove the option"
                ))
            })?,
            Err(Refused::TooLarge(why)) => {
                let why = format!("--network: too large: {why}; choose a smaller point");
                return Err(Refused::TooLarge(why));
            }
            Err(refused) => return Err(refused),
        };
        let (ranks, network) = (program.processors() as usize, &self.network);
        if ranks != network.ranks() {
            return Err(refused(format!(
                "--network {}: it has {} ranks, and `{name}` {ranks} here; choose as many",
                network.name(),
                network.ranks()
            )));
        }
        let loads = Loads::new(network, &traffic(&program, &self.places));
        let known = self.bound(cell);
        let whole = |time: fn(&Known) -> Option<Ratio<u128>>| {
            let (known, all) = known.as_ref()?;
            time(known)?.checked_mul(&Ratio::from_integer(*all))
        };
        let least = whole(|known| Some(known.bound.time));
        let halves = whole(|known| known.halves);
        if !cell.entry.is_given && least.is_some_and(|least| loads.time() < least) {
            return Err(Refused::Broken(BelowBound.into()));
        }
        Ok(LinkTime {
            placed: self,
            loads,
            least,
            halves,
            bound: known.map(|(known, _)| known.bound),
            is_in_bytes: cell.machine().is_some(),
        })
    }
}

/// The collective of a schedule in a file, its root and its bytes, where the file states them.
fn in_file(name: &str) -> Option<(&'static str, u64, u64)> {
    let schedule = File::open(Path::new(name))
        .ok()?
        .schedule(None, 0, None)
        .ok()?;
    let root = schedule.task.as_ref().map_or(0, Task::root);
    Some((
        schedule.collective()?.name,
        root,
        program::all_bytes(&schedule),
    ))
}

/// See [`Placed::link_time`]. Times are those of a byte, or word, over a capacity of 1.
pub struct LinkTime<'a> {
    placed: &'a Placed,
    /// The load of each link.
    pub loads: Loads<'a>,
    bound: Option<Bound>,
    /// The least time for messages of this size.
    least: Option<Ratio<u128>>,
    /// The least time of both halves of an allreduce for messages of this size.
    halves: Option<Ratio<u128>>,
    is_in_bytes: bool,
}

impl LinkTime<'_> {
    fn network(&self) -> &Network {
        &self.placed.network
    }

    /// It over the bound.
    pub fn ratio(&self) -> Option<f64> {
        let least = self.least.filter(|least| *least.numer() > 0)?;
        self.loads.time().checked_div(&least)?.to_f64()
    }

    /// The busiest link, as `3 -> 4`.
    pub fn busiest(&self) -> Option<String> {
        let link = self.network().links()[self.loads.busiest()?];
        let [from, to] = [link.from, link.to].map(|node| self.network().node(node));
        Some(format!("{from} -> {to}"))
    }

    /// What messages are counted in.
    #[must_use]
    pub fn unit(&self) -> &'static str {
        if self.is_in_bytes { "bytes" } else { "words" }
    }

    /// All of it, for rows.
    pub fn row(&self) -> OnNetwork {
        OnNetwork {
            network: self.network().name().to_owned(),
            placement: self.placed.placement.clone(),
            link_time: Some(exact(self.loads.time())),
            busiest_link: self.busiest(),
            link_bound: self.least.map(exact),
            link_ratio: self.ratio(),
            link_exact: self.bound.as_ref().map(|bound| bound.is_exact),
            link_seconds: self.seconds(),
            link_halves: self.halves.map(exact),
        }
    }

    fn seconds(&self) -> Option<f64> {
        let unit = self.network().unit().filter(|_| self.is_in_bytes)?;
        Some(self.loads.time().to_f64()? / unit as f64)
    }
}

/// In two lines: the network, and the time.
impl fmt::Display for LinkTime<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (time, unit) = (self.loads.time(), self.unit());
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
                "; without a bound: `castbench bound` knows none of this problem, or of blocks of several sizes"
            ),
        }
    }
}
