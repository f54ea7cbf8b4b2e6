//! `castbench bound --algorithms`: the link times of algorithms over the bound, on one network or several.

use std::collections::BTreeSet;
use std::io::Write;

use algorithms::catalogue::{self, entries};
use algorithms::network::bounds::halves;
use algorithms::network::{Bound, Collective, Network, Schedule};
use algorithms::problem::Entry;
use num_rational::Ratio;
use num_traits::ToPrimitive as _;

use super::Bound as Asked;
use crate::base::answers::{Absences, Answers};
use crate::base::failure::{Failure, Result};
use crate::base::near;
use crate::config;
use crate::networks::bound::{collective, is_vector};
use crate::networks::schedule::{Generated, why_none};
use crate::networks::{NetworkArgs, Placed};
use crate::print::column::{Tabled as _, tabled};
use crate::print::{self, Columns};
use crate::verbs::point;

/// The schedule that `castbench generate` writes, on its own routes.
const GENERATED: &str = "generated";
/// The least time of reduce-scatter and that of allgather, one after the other.
const HALVES: &str = "reduce-scatter+allgather";
/// Words of a block.
const WORDS: u64 = 1024;

tabled! {
    /// An algorithm on a network.
    pub(in super::super) struct Row {
        /// its name or file
        network: String,
        /// what differs from the network of this name
        options: Vec<String>,
        /// the collective
        collective: String,
        /// its ranks
        ranks: usize,
        /// an algorithm; `generated`: the schedule of `castbench generate`;
        /// `reduce-scatter+allgather`: their least times added
        algorithm: String,
        /// how long the busiest link takes, in units of M over a capacity of 1
        link_time: String,
        /// least time of any schedule
        bound: String,
        /// whether a schedule takes the bound
        exact: bool,
        /// link time over the bound
        ratio: Option<f64>,
        /// the link that takes longest
        busiest_link: Option<String>,
        /// the root, of collectives that have one
        root: Option<usize>,
        /// the node of each rank, of algorithms of the catalogue
        placement: Option<String>,
        /// ports of a rank that the algorithm takes
        k_ports: Option<u64>,
    }
}

/// The columns of the rows.
pub(in super::super) fn columns() -> Columns<'static, Row> {
    Columns(Row::columns())
        .data_only(|name| ["options", "collective"].contains(&name))
        .title("k")
        .of("ratio", |ratio| {
            ratio.shown("ratio", |row| {
                format!("{:.2}", row.ratio.unwrap_or(f64::NAN))
            })
        })
}

impl Asked {
    /// The rows, and what has none.
    ///
    /// # Errors
    /// An unknown network or algorithm.
    pub(super) fn rows(&self) -> Result<Answers<Row>> {
        let named = self.named()?;
        let (mut rows, mut absences) = (Vec::new(), Absences::new("network"));
        absences.asked = self.network.len() as u64;
        for network in &self.network {
            let network = NetworkArgs {
                network: Some(network.clone()),
                changes: self.changes.clone(),
                placement: self.placement.clone(),
            };
            let Some(placed) = network.read()? else {
                continue;
            };
            let asked = collective(&self.collective, self.root, &placed.network)?;
            // Bounds, and generated schedules, have nodes in place of ranks.
            let node = placed.places[asked.root().unwrap_or(0)];
            let found = Collective::from_name(asked.name(), node).unwrap_or(asked);
            let bound = Bound::new(&placed.network, found);
            for (name, entry) in &named {
                let answer = match entry {
                    Some(entry) => self.measured(*entry, &placed)?,
                    None => special(name, &placed.network, found),
                };
                match answer {
                    Ok(Answer {
                        time,
                        busiest,
                        ports,
                    }) => rows.push(Row {
                        network: placed.network.name().to_owned(),
                        options: placed.network.options().to_vec(),
                        ranks: placed.network.ranks(),
                        collective: bound.collective.name().to_owned(),
                        algorithm: name.clone(),
                        link_time: time.to_string(),
                        bound: bound.time.to_string(),
                        exact: bound.is_exact,
                        ratio: (time / bound.time).to_f64(),
                        root: asked.root(),
                        busiest_link: busiest,
                        placement: ports.map(|_| placed.placement.clone()),
                        k_ports: ports,
                    }),
                    Err(why) => absences.add(name, &why, || placed.network.name().to_owned()),
                }
            }
        }
        Ok(Answers {
            values: rows,
            absences,
        })
    }

    /// The algorithms by name; those that are no entry stand without one.
    fn named(&self) -> Result<Vec<(String, Option<Entry>)>> {
        let mut all = Vec::new();
        for name in &self.algorithms {
            let is_own = |entry: &&Entry| entry.problem().name == self.collective;
            match &**name {
                "all" => {
                    let own = entries().iter().filter(is_own);
                    all.extend(own.map(|entry| (entry.name.to_owned(), Some(*entry))));
                    all.push((GENERATED.to_owned(), None));
                    all.extend((self.collective == "allreduce").then(|| (HALVES.to_owned(), None)));
                }
                GENERATED => all.push((name.clone(), None)),
                HALVES if self.collective == "allreduce" => all.push((name.clone(), None)),
                _ => {
                    let found = catalogue::find(name);
                    let entry = found.filter(|entry| is_own(&entry)).ok_or_else(|| {
                        let advice = found.map_or_else(|| near::algorithms(name), |other| format!("it is of {}", other.problem().name));
                        failure!(Usage, "--algorithms: there is no algorithm `{name}` for {}; also `all` and `{GENERATED}`; {advice}",
                            self.collective)
                    })?;
                    all.push((name.clone(), Some(entry)));
                }
            }
        }
        let mut seen = BTreeSet::new();
        all.retain(|(name, _)| seen.insert(name.clone()));
        Ok(all)
    }

    /// The link time of an algorithm in M, or why there is none.
    fn measured(&self, entry: Entry, placed: &Placed) -> Result<Result<Answer, String>> {
        let ranks = placed.network.ranks() as u64;
        let words = if is_vector(&self.collective) {
            WORDS * ranks
        } else {
            WORDS
        };
        let root = self.root.unwrap_or(0) as u64;
        let of = |ports| point::anywhere(entry, "bound", [ranks, words, root, ports]);
        // Those for one port have the same messages beside several.
        let mut ports = self.ports.unwrap_or(1);
        let mut space = of(ports)?;
        if space.cell().bind()?.admit().is_err() {
            (ports, space) = (1, of(1)?);
        }
        let cell = space.cell();
        let instance = cell.bind()?;
        if let Err(refused) = instance.admit() {
            return Ok(Err(refused.to_string()));
        }
        let found = placed.link_time(&cell, &instance);
        let found = found.map_err(|refused| Failure::from(refused).of(entry.name))?;
        let all = if is_vector(&self.collective) {
            words
        } else {
            words * ranks
        };
        let time = found.loads.time() / u128::from(all);
        Ok(Ok(Answer {
            time,
            busiest: found.busiest(),
            ports: Some(ports),
        }))
    }
}

/// The time, the busiest link, and the ports of an algorithm of the catalogue.
struct Answer {
    time: Ratio<u128>,
    busiest: Option<String>,
    ports: Option<u64>,
}

impl From<Ratio<u128>> for Answer {
    fn from(time: Ratio<u128>) -> Self {
        Self {
            time,
            busiest: None,
            ports: None,
        }
    }
}

/// What is no algorithm of the catalogue.
fn special(name: &str, network: &Network, collective: Collective) -> Result<Answer, String> {
    if name == HALVES {
        return Ok(halves(network).0.into());
    }
    let schedule = Schedule::new(network, collective).ok_or_else(|| why_none(collective))?;
    Ok(Generated::new(network, schedule).time(None).into())
}

/// Prints the rows.
pub(super) fn answer(asked: &Asked, out: &mut impl Write) -> Result {
    config::given(&asked.with)?;
    let format = asked.printed.format;
    let answers = asked.rows()?;
    if answers.is_empty() {
        let why = answers.absences.statements().join("; ");
        bail!(Nothing, "no algorithm has a link time: {why}");
    }
    // Tables show what an option asks for.
    let is_default = |name: &str| match name {
        "root" => asked.root.is_none(),
        "placement" => answers.iter().all(|row| {
            let placement = row.placement.as_deref();
            placement.is_none_or(|rule| rule == "block")
        }),
        "k_ports" => asked.ports.is_none(),
        _ => false,
    };
    let columns = columns().data_only(is_default);
    print::answers(format, &columns, &answers, out)
}
