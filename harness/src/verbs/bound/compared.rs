//! `castbench bound --algorithms`: the link times of algorithms over the bound, on one network or several.

use std::io::Write;
use std::path::Path;

use algorithms::catalogue::{self, entries};
use algorithms::network::{Bound, Collective, Network, Schedule};
use algorithms::problem::Entry;
use num_rational::Ratio;
use num_traits::ToPrimitive as _;

use crate::base::absent::Absences;
use crate::base::failure::{Code, Failure};
use crate::base::near;
use crate::base::units::plural;
use crate::config;
use crate::draw::chart::scale::Scale;
use crate::draw::chart::{AxisSpec, Chart, Join, Legend, Markers, PageFit, Panel, Series};
use crate::figures::looks::{Looks, look_of};
use crate::networks::bound::collective;
use crate::networks::loads;
use crate::networks::schedule::Generated;
use crate::networks::{NetworkArgs, Placed};
use crate::output;
use crate::print::{self, Column};
use crate::verbs::point;

/// The schedule that `castbench generate` writes, on its own routes.
const GENERATED: &str = "generated";
/// The least time of reduce-scatter and that of allgather, one after the other.
const HALVES: &str = "reduce-scatter+allgather";
/// Words of a block.
const WORDS: u64 = 1024;

/// An algorithm on a network.
pub(in super::super) struct Row {
    network: String,
    options: Vec<String>,
    ranks: usize,
    algorithm: String,
    /// In M over a capacity of 1.
    time: Ratio<u128>,
    bound: Bound,
    busiest: Option<String>,
}

impl Row {
    fn ratio(&self) -> f64 {
        (self.time / self.bound.time).to_f64().unwrap_or(f64::NAN)
    }
}

/// The columns of the rows.
pub(in super::super) fn columns() -> Vec<Column<'static, Row>> {
    type Of = Column<'static, Row>;
    vec![
        Of::new("network", "its name or file", |row| row.network.clone()),
        Of::new(
            "options",
            "what differs from the network of this name",
            |row| row.options.clone(),
        )
        .data_only(),
        Of::new("collective", "the collective", |row| {
            row.bound.collective.name()
        })
        .data_only(),
        Of::new("ranks", "its ranks", |row| row.ranks),
        Of::new(
            "algorithm",
            "an algorithm; `generated`: the schedule of `castbench generate`; `reduce-scatter+allgather`: their least times added",
            |row| row.algorithm.clone(),
        ),
        Of::new(
            "link_time",
            "how long the busiest link takes, in units of M over a capacity of 1",
            |row| row.time.to_string(),
        ),
        Of::new("bound", "least time of any schedule", |row| {
            row.bound.time.to_string()
        }),
        Of::new("exact", "whether a schedule takes the bound", |row| {
            row.bound.is_exact
        }),
        Of::new("ratio", "link time over the bound", |row| row.ratio())
            .shown("ratio", |row| format!("{:.2}", row.ratio())),
        Of::new("busiest_link", "the link that takes longest", |row| {
            row.busiest.clone()
        }),
    ]
}

/// What is compared.
pub(super) struct Question<'a> {
    /// The networks, each with the same changes and placement.
    pub(super) networks: Vec<NetworkArgs>,
    /// The collective.
    pub(super) collective: &'a str,
    /// Its root.
    pub(super) root: Option<usize>,
    /// Names; `all` for those of the catalogue.
    pub(super) algorithms: &'a [String],
}

impl Question<'_> {
    /// The rows, and what has none.
    ///
    /// # Errors
    /// An unknown network or algorithm.
    pub(super) fn rows(&self) -> Result<(Vec<Row>, Absences), Failure> {
        let named = self.named()?;
        let (mut rows, mut absences) = (Vec::new(), Absences::default());
        for network in &self.networks {
            let Some(placed) = network.read()? else {
                continue;
            };
            let found = collective(self.collective, self.root, &placed.network)?;
            let bound = Bound::new(&placed.network, found);
            for (name, entry) in &named {
                let answer = match entry {
                    Some(entry) => self.measured(*entry, &placed)?,
                    None => special(name, &placed.network, found),
                };
                match answer {
                    Ok((time, busiest)) => rows.push(Row {
                        network: placed.network.name().to_owned(),
                        options: placed.network.options().to_vec(),
                        ranks: placed.network.ranks(),
                        algorithm: name.clone(),
                        time,
                        bound: bound.clone(),
                        busiest,
                    }),
                    Err(why) => absences.add(name, &why, || placed.network.name().to_owned()),
                }
            }
        }
        Ok((rows, absences))
    }

    /// The algorithms by name; those that are no entry stand without one.
    fn named(&self) -> Result<Vec<(String, Option<Entry>)>, Failure> {
        let mut all = Vec::new();
        for name in self.algorithms {
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
                    let found = catalogue::find(name).filter(|entry| is_own(&entry));
                    let entry = found.ok_or_else(|| {
                        let advice = near::algorithms(name);
                        Failure::usage(format_args!(
                            "--algorithms: there is no algorithm `{name}` for {}; also `all` and `{GENERATED}`; {advice}",
                            self.collective
                        ))
                    })?;
                    all.push((name.clone(), Some(entry)));
                }
            }
        }
        Ok(all)
    }

    /// The link time of an algorithm in M, or why there is none.
    fn measured(&self, entry: Entry, placed: &Placed) -> Result<Result<Answer, String>, Failure> {
        let ranks = placed.network.ranks() as u64;
        let words = match loads::is_vector(self.collective) {
            true => WORDS * ranks,
            false => WORDS,
        };
        let space = point::anywhere(
            entry,
            "bound",
            [ranks, words, self.root.unwrap_or(0) as u64],
        )?;
        let cell = space.cell();
        let instance = cell.bind()?;
        if let Err(refused) = instance.admit() {
            return Ok(Err(refused.to_string()));
        }
        let found = placed.link_time(&cell, &instance)?;
        let all = if loads::is_vector(self.collective) {
            words
        } else {
            words * ranks
        };
        let time = found.loads.time() / u128::from(all);
        Ok(Ok((time, found.busiest())))
    }
}

/// The time, and the busiest link.
type Answer = (Ratio<u128>, Option<String>);

/// What is no algorithm of the catalogue.
fn special(name: &str, network: &Network, collective: Collective) -> Result<Answer, String> {
    if name == HALVES {
        let halves = [Collective::ReduceScatter, Collective::Allgather];
        let times = halves.map(|half| Bound::new(network, half).time);
        return Ok((times[0] + times[1], None));
    }
    let schedule = Schedule::new(network, collective);
    let schedule = schedule.ok_or("castbench generates no schedule of this collective")?;
    Ok((Generated::new(network, schedule).time(), None))
}

/// Prints the rows, and draws them.
pub(super) fn answer(
    question: &Question<'_>,
    with: &[std::path::PathBuf],
    format: print::Format,
    svg: Option<&Path>,
    out: &mut impl Write,
) -> Result<(), Failure> {
    config::given(with)?;
    let (rows, absences) = question.rows()?;
    if rows.is_empty() {
        let why = absences
            .statements(question.networks.len() as u64, "network")
            .join("; ");
        return Err(Failure::new(
            Code::Nothing,
            format_args!("no algorithm has a link time: {why}"),
        ));
    }
    if let Some(path) = svg {
        // Points of several networks have no line at whose end a name could stand.
        let apart = PageFit {
            legend: Some(Legend::Once),
            ..PageFit::default()
        };
        let (drawn, _) = chart(&rows, question.collective)
            .fitted(&apart)
            .map_err(|error| Failure::new(Code::Internal, error))?;
        output::write(path, drawn.as_bytes())?;
    }
    print::rows(format, &columns(), rows, out)?;
    let statements = absences.statements(question.networks.len() as u64, "network");
    print::statements(format, "Not compared", &statements, out)
}

/// The ratios of rows, over their networks.
fn chart(rows: &[Row], collective: &str) -> Chart {
    let mut networks: Vec<String> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for row in rows {
        let network = label(row);
        if !networks.contains(&network) {
            networks.push(network);
        }
        if !names.contains(&&*row.algorithm) {
            names.push(&row.algorithm);
        }
    }
    let mut looks = Looks::default();
    let of = |name: &str| {
        let own = rows.iter().filter(move |row| row.algorithm == name);
        let points = own.filter_map(|row| {
            let at = networks
                .iter()
                .rev()
                .position(|network| *network == label(row))?;
            Some((row.ratio(), at as f64))
        });
        let mut points: Vec<(f64, f64)> = points.collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        points
    };
    let series: Vec<Series> = names
        .iter()
        .filter_map(|name| {
            let look = match *name {
                GENERATED => looks.reference(name),
                _ => looks.assign(name, Some(look_of(name)))?,
            };
            Some(Series {
                label: brief(name, collective).to_owned(),
                look,
                points: of(name),
                markers: Markers::Every(1),
                line: Join::None,
            })
        })
        .collect();
    let most = rows.iter().map(Row::ratio).fold(2.0, f64::max);
    let ticks = [
        1.0, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0,
    ];
    let high = most * 1.2;
    let ticks = ticks.into_iter().filter(|tick| *tick <= high);
    // The first network stands on top.
    let labels = networks.iter().rev().cloned().collect();
    let axes = [
        AxisSpec {
            title: "link time over the bound (log scale)".to_owned(),
            scale: Scale::log10(0.9, high).with_ticks(ticks.map(|tick| (tick, tick.to_string()))),
        },
        AxisSpec {
            title: "network".to_owned(),
            scale: Scale::ordinal(labels),
        },
    ];
    Chart {
        title: format!("{collective}: the busiest link, over the least time of any schedule"),
        subtitle: format!(
            "{} on {}; messages are long; algorithms take fixed routes, generated schedules choose theirs",
            plural(names.len() as u64, "algorithm"),
            plural(networks.len() as u64, "network")
        ),
        caption: caption(rows, &names, collective),
        panels: vec![Panel::new(None, axes, series)],
    }
}

/// An algorithm without the name of its collective.
fn brief<'n>(name: &'n str, collective: &str) -> &'n str {
    let rest = name.strip_prefix(collective);
    rest.and_then(|rest| rest.strip_prefix('-')).unwrap_or(name)
}

/// A network with its changes.
fn label(row: &Row) -> String {
    let changes = row
        .options
        .iter()
        .filter(|option| option.starts_with("without") || option.starts_with("slow"));
    let changes: Vec<&str> = changes.map(String::as_str).collect();
    // A name states the changes that it has.
    match row.network.contains("without=") || row.network.contains("slow=") || changes.is_empty() {
        true => row.network.clone(),
        false => format!("{}, {}", row.network, changes.join(", ")),
    }
}

/// The largest ratio of each algorithm, and where.
fn caption(rows: &[Row], names: &[&str], collective: &str) -> Vec<String> {
    let largest = |name: &&&str| {
        let own = rows.iter().filter(|row| row.algorithm == **name);
        own.max_by(|one, other| one.ratio().total_cmp(&other.ratio()))
    };
    let worst: Vec<String> = names
        .iter()
        .filter_map(|name| largest(&name))
        .map(|row| {
            let name = brief(&row.algorithm, collective);
            format!("{name} {:.2} ({})", row.ratio(), label(row))
        })
        .collect();
    let exact = rows
        .iter()
        .filter(|row| !row.bound.is_exact)
        .map(label)
        .collect::<std::collections::BTreeSet<_>>();
    let mut caption = vec![
        "1 is the bound that `castbench bound` proves by a cut or a partition.".to_owned(),
        format!("Largest ratio of each: {}.", worst.join("; ")),
    ];
    if !exact.is_empty() {
        let all: Vec<String> = exact.into_iter().collect();
        caption.push(format!(
            "Whether a schedule reaches 1 is not proven on {}.",
            all.join(", ")
        ));
    }
    caption
}
