//! Latency and bandwidth between pairs of ranks, without any time of a collective.
//!
//! They bound an allreduce of which not even the algorithm is known: the lower bound is the fastest of four programs on medians over three; the
//! upper one three times the faster of two on the slowest pair. The time of an algorithm is predicted on the machine that is learnt from the
//! medians.

use std::collections::{BTreeMap, BTreeSet};

use algorithms::logp;
use serde::{Deserialize, Serialize};

use super::filter::Filter;
use super::learned::{self, Prediction};
use super::measured::{File, Label, Record, Row, Size, number, whole};
use super::names;
use super::process::NINETY;
use super::profile::{self, Profile};
use crate::base::failure::{Failure, Result};
use crate::base::units::plural;
use crate::output::diagnostics::Source;

/// Measured pairs.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pairs {
    schema: u64,
    basis: Basis,
    data: Vec<File>,
    between: Vec<Between>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Basis {
    PointToPoint,
}

/// What pairs of ranks on different nodes take, in an allocation of this number of nodes: bytes, the median pair and the slowest.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Between {
    nodes: u64,
    latency_us: Vec<[f64; 3]>,
    bandwidth_mb_s: Vec<[f64; 3]>,
}

/// The columns of medians of `osu_latency` and `osu_bw`, and the one of the slowest pair.
const COLUMNS: [[&str; 2]; 2] = [
    ["median_latency_us", "max"],
    ["median_bandwidth_mb_s", "min"],
];
/// The column of medians of `osu_allreduce`.
const ALLREDUCE: &str = "median_avg_latency_us";
/// A message inside a node: us, and us per byte. Typical; not measured.
const INSIDE: [f64; 2] = [1.0, 1e-3];
/// Beyond the bounds by this factor.
const BEYOND: f64 = 3.0;
const HELP: &str = "`castbench fit LATENCY BANDWIDTH --out FILE` writes one";

impl Pairs {
    /// Reads medians of `osu_latency` and `osu_bw`; none if the first file has neither.
    ///
    /// # Errors
    /// Exit code 2 for an expression that does not fit, 3 for a file that is no such table, or where one of the two is missing, 4 where no
    /// row is left.
    pub fn measured(
        tables: &[(File, Vec<Record>)],
        filter: Option<&Filter>,
    ) -> Result<Option<Self>> {
        let (mut data, mut all, mut environments) = (Vec::new(), BTreeMap::new(), BTreeSet::new());
        let mut keys = BTreeSet::new();
        for (file, rows) in tables {
            let Some(kind) = COLUMNS.iter().position(|columns| {
                rows.first()
                    .is_some_and(|(_, row)| row.contains_key(columns[0]))
            }) else {
                return Ok(None);
            };
            for (line, row) in rows {
                if !filter
                    .map_or(Ok(true), |filter| filter.keeps(row))
                    .map_err(Failure::usage)?
                {
                    continue;
                }
                environments.insert(row.get("environment").cloned());
                let of = |column: &str| {
                    number(row, column).map_err(|explanation| file.refuse(*line, &explanation))
                };
                let count = |column: &str| {
                    whole(row, column).map_err(|explanation| file.refuse(*line, &explanation))
                };
                let (nodes, bytes) = (count("nodes")?, count("bytes")? as f64);
                let pair = [bytes, of(COLUMNS[kind][0])?, of(COLUMNS[kind][1])?];
                let between: &mut [Vec<[f64; 3]>; 2] = all.entry(nodes).or_default();
                // Rows of several environments are refused below.
                if !keys.insert((
                    row.get("environment").cloned(),
                    kind,
                    nodes,
                    bytes.to_bits(),
                )) {
                    return Err(file.refuse(
                        *line,
                        "a second row of these nodes and bytes; keep one, as with --train",
                    ));
                }
                if bytes > 0.0 {
                    between[kind].push(pair);
                }
            }
            data.push(file.clone());
        }
        if all.is_empty() {
            bail!(Nothing, "--train: no row is left");
        }
        if environments.len() > 1 {
            bail!(
                "the files have several environments; select one, as in --train 'environment==NAME'"
            );
        }
        Self {
            schema: 1,
            basis: Basis::PointToPoint,
            data,
            between: all
                .into_iter()
                .map(|(nodes, [latency_us, bandwidth_mb_s])| Between {
                    nodes,
                    latency_us,
                    bandwidth_mb_s,
                })
                .collect(),
        }
        .checked("DATA")
        .map(Some)
    }

    /// The profile of the numbers of nodes that have both.
    fn checked(mut self, from: &str) -> Result<Self> {
        let is_whole = |pairs: &[[f64; 3]]| {
            !pairs.is_empty()
                && pairs
                    .iter()
                    .flatten()
                    .all(|value| (1e-9..1e15).contains(value))
        };
        let is_kept = |at: &Between| is_whole(&at.latency_us) && is_whole(&at.bandwidth_mb_s);
        for at in self.between.iter().filter(|at| !is_kept(at)) {
            tell!(
                "left out: {}, of which {from} does not have both latency and bandwidth above 0",
                plural(at.nodes, "node")
            );
        }
        self.between.retain(is_kept);
        if self.between.iter().all(|at| at.nodes == 1) {
            let explanation = "expected latency and bandwidth, above 0, on one number of nodes above 1, of messages of 1 byte or more";
            bail!(Configuration, "{from}: {explanation}");
        }
        for Between {
            latency_us,
            bandwidth_mb_s,
            ..
        } in &mut self.between
        {
            for pairs in [latency_us, bandwidth_mb_s] {
                pairs.sort_by(|one, other| one[0].total_cmp(&other[0]));
            }
        }
        Ok(self)
    }

    /// The profile in a document; none if it is of another kind.
    ///
    /// # Errors
    /// Exit code 3, with its position, for a document that is wrong.
    pub fn parse(source: &Source) -> Result<Option<Self>> {
        #[derive(Deserialize)]
        struct Kind {
            basis: Option<String>,
        }
        if source.parse::<Kind>(HELP)?.basis.as_deref() != Some("point-to-point") {
            return Ok(None);
        }
        source.parse::<Self>(HELP)?.checked(source.name()).map(Some)
    }

    /// The profile as a file.
    ///
    /// # Errors
    /// Exit code 1 if TOML cannot hold it.
    pub fn toml(&self) -> Result<String> {
        profile::document(self)
    }

    /// The pairs of a profile of LogGOPS: ranks on different nodes, and those of the lowest level.
    ///
    /// # Errors
    /// Exit code 2 where a time does not fit in 64 bits.
    pub fn of_machine(machine: &logp::Profile) -> Result<Self> {
        let inside = machine.levels().filter(|levels| levels.outside() > 0);
        let mut between = vec![Between {
            nodes: 2,
            ..Between::default()
        }];
        between.extend(inside.map(|_| Between {
            nodes: 1,
            ..Between::default()
        }));
        for at in &mut between {
            for bytes in (0..12).map(|power| 4u64.pow(power)) {
                let model = match inside.filter(|_| at.nodes == 1) {
                    Some(levels) => levels.of_message(0, bytes, false),
                    None => machine.at(bytes),
                }?;
                let (bytes, us) = (bytes as f64, |ns: u64| ns.max(1) as f64 / 1e3);
                let rate = bytes / us(model.gap());
                at.latency_us.push([bytes, us(model.D()), us(model.D())]);
                at.bandwidth_mb_s.push([bytes, rate, rate]);
            }
        }
        Ok(Self {
            schema: 1,
            basis: Basis::PointToPoint,
            data: Vec::new(),
            between,
        })
    }

    /// The machine that is learnt from the medians.
    pub fn profile(&self) -> Profile {
        let rows = self.between.iter().flat_map(|at| {
            let latency = at.latency_us.iter().map(|&[bytes, us, _]| (bytes, us));
            let stream = (at.bandwidth_mb_s.iter()).map(|&[bytes, rate, _]| (bytes, bytes / rate));
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "of 1e-9 to 1e15"
            )]
            let row = move |algorithm: &str, (bytes, us): (f64, f64)| {
                let label = Label {
                    collective: names::MESSAGE.to_owned(),
                    algorithm: algorithm.to_owned(),
                };
                let size = Size {
                    ranks: 2,
                    node: if at.nodes == 1 { 2 } else { 1 },
                    bytes: bytes.ceil() as u64,
                };
                Row::new(label, size, (1e3 * us).ceil() as u64, None)
            };
            let latency = latency.map(move |at| row("latency", at));
            latency.chain(stream.map(move |at| row("stream", at)))
        });
        let (learned, _) = learned::learn(&rows.collect::<Vec<_>>());
        Profile::new(&learned, &self.data, None, &BTreeMap::new())
    }

    /// Says what latency and bandwidth do not tell.
    pub fn warn(&self, sizes: &[Size]) {
        let is_flat = sizes.iter().all(|size| size.node == 1);
        let inside = if is_flat || self.between.iter().any(|at| at.nodes == 1) {
            ""
        } else {
            "; inside a node they are assumed, because no row is of 1 node"
        };
        tell!(
            "warning: latency and bandwidth of pairs say nothing of the library's algorithm, of memory, of what ranks share and of noise{inside}: the interval is wide"
        );
        let most = self.between.iter().map(|at| at.nodes).max().unwrap_or(0);
        if let Some(size) = sizes.iter().find(|size| size.nodes() > 2 * most) {
            tell!(
                "warning: {} are more than twice the {most} of these pairs",
                plural(size.nodes(), "node")
            );
        }
    }

    /// The time of an allreduce, from the pairs of the nearest number of nodes.
    pub fn allreduce(&self, size: Size, bytes: f64) -> Prediction {
        let (nodes, ranks_per_node) = (size.nodes(), size.node);
        let inside = self.between.iter().find(|at| at.nodes == 1);
        let away = |at: &&Between| (at.nodes as f64 / nodes as f64).ln().abs();
        let nearest = self
            .between
            .iter()
            .filter(|at| at.nodes > 1)
            .min_by(|one, other| away(one).total_cmp(&away(other)));
        let times = |slowest| {
            nearest
                .map(|at| programs(at, inside, slowest, nodes, ranks_per_node, bytes))
                .unwrap_or_default()
        };
        let least = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
        let (below, above) = (least(&times(1)) / BEYOND, least(&times(2)[..2]) * BEYOND);
        Prediction {
            log_ns: (1e3 * (below * above).sqrt()).ln(),
            deviation: (above / below).ln().abs() / (2.0 * NINETY),
        }
    }

    /// Errors of predictions of measured allreduces: predicted over measured time, less 1, and whether the interval holds it.
    ///
    /// # Errors
    /// Exit code 2 for an expression that does not fit, 3 for a file without such times.
    pub fn score(
        &self,
        tables: &[(File, Vec<Record>)],
        ranks: u64,
        filter: Option<&Filter>,
    ) -> Result<Vec<(f64, bool)>> {
        let mut errors = Vec::new();
        for (file, rows) in tables {
            for (line, row) in rows {
                if !filter
                    .map_or(Ok(true), |filter| filter.keeps(row))
                    .map_err(Failure::usage)?
                {
                    continue;
                }
                let of = |column: &str| {
                    number(row, column).map_err(|explanation| file.refuse(*line, &explanation))
                };
                let count = |column: &str| {
                    whole(row, column).map_err(|explanation| file.refuse(*line, &explanation))
                };
                let (nodes, bytes, ns) = (
                    count("nodes")?,
                    count("bytes")? as f64,
                    1e3 * of(ALLREDUCE)?,
                );
                let size = Size {
                    ranks: nodes * ranks,
                    node: ranks,
                    bytes: 1,
                };
                let [low, middle, high] = self.allreduce(size, bytes.max(1.0)).ns();
                errors.push((middle / ns - 1.0, low < ns && ns < high));
            }
        }
        Ok(errors)
    }
}

/// us of recursive doubling, Rabenseifner, leaders alone and a ring, on the medians (1) or on the slowest pair (2).
fn programs(
    at: &Between,
    near_by: Option<&Between>,
    column: usize,
    nodes: u64,
    ranks_per_node: u64,
    bytes: f64,
) -> [f64; 4] {
    let pairs = |pairs: &[[f64; 3]]| -> Vec<[f64; 2]> {
        pairs.iter().map(|pair| [pair[0], pair[column]]).collect()
    };
    let latency = pairs(&at.latency_us);
    let gap: Vec<[f64; 2]> = pairs(&at.bandwidth_mb_s)
        .into_iter()
        .map(|[bytes, rate]| [bytes, bytes / rate])
        .collect();
    let rounds = |ranks: u64| ranks.next_power_of_two().ilog2();
    let (near, far, ranks) = (
        rounds(ranks_per_node),
        rounds(nodes),
        (nodes * ranks_per_node) as f64,
    );
    let near_by = near_by.map(|at| pairs(&at.latency_us));
    let inside = |bytes: f64| match &near_by {
        Some(times) => interpolated(times, bytes),
        None => INSIDE[0] + INSIDE[1] * bytes,
    };
    // All ranks of a node share its port.
    let between = |bytes: f64| {
        interpolated(&latency, bytes) + (ranks_per_node - 1) as f64 * interpolated(&gap, bytes)
    };
    let part = |halvings: u32| bytes / 2f64.powi(halvings.cast_signed());
    let block = bytes / ranks;
    [
        f64::from(near) * inside(bytes) + f64::from(far) * between(bytes),
        (0..near + far)
            .map(|round| {
                2.0 * if round < near {
                    inside(part(round + 1))
                } else {
                    between(part(round + 1))
                }
            })
            .sum(),
        2.0 * f64::from(near) * inside(bytes) + f64::from(far) * interpolated(&latency, bytes),
        2.0 * (ranks - 1.0) * (interpolated(&latency, block) / 3.0).max(inside(block)),
    ]
}

/// Between two measured sizes a power of the size; below them constant, beyond them proportional.
fn interpolated(times: &[[f64; 2]], bytes: f64) -> f64 {
    let above = times.partition_point(|[size, _]| *size < bytes);
    match (
        above.checked_sub(1).map(|below| times[below]),
        times.get(above),
    ) {
        (Some([size, time]), Some([next, later])) => {
            let share = (bytes / size).ln() / (next / size).ln();
            time * (later / time).powf(share)
        }
        (None, Some([_, time])) => *time,
        (Some([size, time]), None) => time * bytes / size,
        (None, None) => f64::NAN,
    }
}
