//! Computes a machine profile from measured times, and its errors.

use algorithms::error::Error;
use algorithms::logp::LogP;
use measure::calibrate::fit::Line;
use measure::calibrate::{MAX_OVERHEAD_BYTES, Node, Nodes, Sample};
use measure::statistics::Median;

use super::chords::{self, Knot};
use super::ports::{self, Port};
use super::rule::rule;
use crate::base::failure::{Code, Failure, Result};
use crate::base::units::show_bytes;
use crate::print::column::tabled;
use crate::space::machine::{Basis, Machine, Number, Range, Validity};

/// A profile holds at a size if its error is at most this share of the measured time.
pub const HOLDS: f64 = 0.10;

/// A profile that holds from a size to this many times it is one of a machine, even where it holds at fewer than half of the sizes.
pub const WIDE: u64 = 64;

/// Which gap between two sends of one processor the profile states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Sends {
    /// A send ends with its acknowledgment, as in `castbench measure`.
    Acknowledged,
    /// Messages are sent in a row without waiting, as in the papers.
    Streamed,
}

impl Sends {
    fn gap(self, sample: &Sample) -> Median {
        match self {
            Self::Acknowledged => sample.acknowledged,
            Self::Streamed => sample.gap,
        }
    }
}

/// A profile and its data.
#[derive(Debug)]
pub struct Calibration {
    /// The profile.
    pub machine: Machine,
    /// Each size: measured and predicted.
    pub rows: Vec<SizeRow>,
    /// Messages to and from several ranks at once; empty if only two were measured.
    pub ports: Vec<Port>,
    /// The least and the greatest ratio of an exchange to one acknowledged message, of messages of 64 KiB or more.
    pub exchange: [f64; 2],
    /// Why the profile states no rule of ports, if it states none.
    pub without_rule: Option<String>,
}

tabled! {
    /// One size: measured and predicted times, ns.
    #[derive(Debug, Clone)]
    pub struct SizeRow {
        /// the rank with which rank 0 exchanged messages
        pub partner: u32,
        /// length of the message
        pub bytes: u64,
        /// median of the acknowledged sends
        pub acknowledged_ns: u64,
        /// lower end of its interval
        pub acknowledged_low_ns: u64,
        /// upper end of its interval
        pub acknowledged_high_ns: u64,
        /// median of the gaps between messages in a row
        pub streamed_gap_ns: u64,
        /// median of the exchanges
        pub exchange_ns: u64,
        /// time per message of a row while as many arrive; empty if a message is not short
        pub both_ways_ns: Option<u64>,
        /// overhead of a send; empty if a message does not fit in a buffer
        pub send_overhead_ns: Option<u64>,
        /// overhead of a receive; empty if a message does not fit in a buffer
        pub receive_overhead_ns: Option<u64>,
        /// one hop: an acknowledged send without the way back of its answer
        pub hop_ns: u64,
        /// `D(s)` of the profile
        pub profile_hop_ns: u64,
        /// `g'(s)` of the profile
        pub profile_gap_ns: u64,
        /// relative error of the profile's hop
        pub hop_residual_f64: f64,
        /// relative error of the profile's gap
        pub gap_residual_f64: f64,
        /// median of the fan-outs; empty at sizes without them
        pub fan_out_ns: Option<u64>,
        /// median of the incasts; empty at sizes without them
        pub incast_ns: Option<u64>,
        beside:
        /// Half of the interval of either median, relative: an error below it may be noise.
        noise: f64,
    }
}

impl SizeRow {
    fn holds(&self) -> bool {
        self.worst() <= HOLDS && self.noise <= HOLDS
    }

    /// Whether noise does not explain its error.
    fn is_off(&self) -> bool {
        self.worst() > HOLDS.max(self.noise)
    }

    fn worst(&self) -> f64 {
        self.hop_residual_f64.abs().max(self.gap_residual_f64.abs())
    }
}

struct Lines {
    acknowledged: Line,
    gap: Line,
    sending: Line,
    receiving: Line,
    /// One hop of one byte: half of a round trip of one byte each way.
    hop: f64,
}

impl Lines {
    fn through(samples: &[Sample]) -> Option<Self> {
        let line = |time: &dyn Fn(&Sample) -> Option<u64>| {
            let points = samples
                .iter()
                .filter_map(|sample| Some((sample.bytes, time(sample)? as f64)));
            // A gap of 0 was lost in noise.
            let points = points.filter(|(_, time)| *time > 0.0);
            Line::through(&points.collect::<Vec<_>>())
        };
        let acknowledged = line(&|sample| Some(sample.acknowledged.median))?;
        Some(Self {
            hop: acknowledged.first / 2.0,
            acknowledged,
            gap: line(&|sample| Some(sample.gap.median))?,
            sending: line(&|sample| sample.overheads.map(|(sending, _)| sending.median))?,
            receiving: line(&|sample| sample.overheads.map(|(_, receiving)| receiving.median))?,
        })
    }

    /// The measured hops and gaps, with the overheads of the lines: no call that waits for the wire is one.
    fn knots(&self, sends: Sends, samples: &[Sample]) -> Vec<Knot> {
        let knot = |sample: &Sample| {
            let called = sample.bytes.min(MAX_OVERHEAD_BYTES);
            Knot {
                bytes: sample.bytes,
                // No message arrives sooner than one of one byte, whatever noise says.
                hop: (sample.acknowledged.median as f64 - self.hop)
                    .max(self.hop)
                    .round(),
                gap: sends.gap(sample).median as f64,
                overhead: f64::midpoint(self.sending.at(called), self.receiving.at(called)),
                noise: noise(sample.acknowledged).max(noise(sends.gap(sample))),
            }
        };
        samples.iter().map(knot).collect()
    }
}

/// Computes a profile from measurements between two hosts, named by `hosts`.
///
/// # Errors
/// Exit code 10 if the times cannot be those of messages: too few sizes, or a clock that stands still.
pub fn calibrate(name: &str, hosts: &str, sends: Sends, samples: &[Sample]) -> Result<Calibration> {
    let useless = || {
        let explanation =
            "the times do not give a profile: some are zero; measure again on a quieter machine";
        Failure::new(Code::Measurement, explanation)
    };
    let lines = Lines::through(samples).ok_or_else(useless)?;
    let none = |error| failure!(Measurement, "the times do not give a profile: {error}");
    let ports = ports::ports(samples, |sample| sends.gap(sample), HOLDS);
    let measured = |mut numbers: [Number; 6]| {
        let [.., G, _, _] = &mut numbers;
        ports
            .iter()
            .for_each(|port| G.origin += &format!("; {port}"));
        Machine::measured(name.to_owned(), Basis::Measured, numbers)
    };
    let mut machine = measured(numbers(&lines, hosts, sends, samples));
    let mut rows = compare(&machine, &lines, sends, samples).map_err(none)?;
    if rows.iter().any(SizeRow::is_off) {
        let mut ranges = chords::ranges(&lines.knots(sends, samples), HOLDS, whole).into_iter();
        if let Some((_, first)) = ranges.next() {
            machine = measured(first)
                .measured_from(ranges.collect())
                .map_err(none)?;
            rows = compare(&machine, &lines, sends, samples).map_err(none)?;
        }
    }
    let exchange = exchanges(long(samples));
    let slow = slow_exchanges(samples);
    if !slow.is_empty() {
        machine = machine.with_exchange(slow).map_err(none)?;
        // A range that is divided begins with a time rounded to whole ns.
        rows = compare(&machine, &lines, sends, samples).map_err(none)?;
    }
    let without_rule = match rule(samples) {
        Ok(rule) => {
            machine = machine.with_ports(rule);
            None
        }
        Err(why) => Some(why),
    };
    let holding = rows.iter().filter(|row| row.holds()).count();
    let valid = range(&rows);
    if 2 * holding < rows.len() && !valid.bytes.iter().any(|range| range.reaches(WIDE)) {
        machine.basis = Basis::Unreliable;
    }
    machine.valid = Some(valid);
    Ok(Calibration {
        machine,
        rows,
        ports,
        exchange,
        without_rule,
    })
}

impl Calibration {
    /// The machine whose nodes have several ranks, with what was measured inside a node.
    ///
    /// # Errors
    /// Exit code 10 if the times of both give no profile.
    pub fn with_node(mut self, near: Self, nodes: &Nodes, node: &Node) -> Result<Self> {
        let ranks = f64::from(nodes.ranks);
        let longer = node.together.median as f64 / node.alone.median.max(1) as f64;
        let nics = Number {
            value: whole((ranks / longer).round().clamp(1.0, ranks)),
            origin: format!(
                "rows from all {ranks} ranks of a node to those of another take {longer:.2} times as long as one"
            ),
        };
        let [own, inside] =
            [&self.machine, &near.machine].map(|machine| machine.ports().unwrap_or("unknown"));
        if nics.value < nodes.ranks.into() {
            self.without_rule = Some(format!(
                "ranks of a node share `nics` over strict ports; between two nodes they are {own}, inside one {inside}"
            ));
        } else if own != inside {
            self.without_rule = Some(format!(
                "ports are {own} between two nodes and {inside} inside one"
            ));
        }
        if self.without_rule.is_some() {
            self.machine = self.machine.without_ports();
        }
        if near.machine.basis == Basis::Unreliable {
            self.machine.basis = Basis::Unreliable;
        }
        let machine = self.machine;
        self.machine = machine
            .with_node(near.machine, nodes.ranks.into(), nodes.is_round_robin, nics)
            .map_err(|error| failure!(Measurement, "the times do not give a profile: {error}"))?;
        self.rows.extend(near.rows);
        Ok(self)
    }
}

/// Each size, measured and predicted. Where a range begins, its row has the larger error of the two ranges that meet there.
fn compare(
    machine: &Machine,
    lines: &Lines,
    sends: Sends,
    samples: &[Sample],
) -> Result<Vec<SizeRow>, Error> {
    let row = |(knot, sample): (Knot, &Sample)| {
        let at = |less: u64| machine.profile().at(knot.bytes.saturating_sub(less).max(1));
        let (model, [one, two]) = (at(0)?, [at(1)?, at(2)?]);
        // Where a range begins, the one before goes on to the same size.
        let worse = |of: fn(&LogP) -> u64, measured: f64| {
            let [own, before] = [of(&model) as f64, 2.0 * of(&one) as f64 - of(&two) as f64];
            let [own, before] = [own, before].map(|time| time / measured.max(1.0) - 1.0);
            if before.abs() > own.abs() {
                before
            } else {
                own
            }
        };
        Ok(SizeRow {
            partner: sample.partner,
            bytes: sample.bytes,
            acknowledged_ns: sample.acknowledged.median,
            acknowledged_low_ns: sample.acknowledged.low,
            acknowledged_high_ns: sample.acknowledged.high,
            streamed_gap_ns: sample.gap.median,
            exchange_ns: sample.exchange.median,
            both_ways_ns: sample.both.map(|both| both.median),
            send_overhead_ns: sample.overheads.map(|(sending, _)| sending.median),
            receive_overhead_ns: sample.overheads.map(|(_, receiving)| receiving.median),
            fan_out_ns: sample.fan.map(|fan| fan.out.median),
            incast_ns: sample.fan.map(|fan| fan.into.median),
            hop_ns: whole(knot.hop),
            profile_hop_ns: model.D(),
            profile_gap_ns: model.gap(),
            hop_residual_f64: worse(LogP::D, knot.hop),
            gap_residual_f64: worse(LogP::gap, knot.gap),
            noise: knot.noise,
        })
    };
    lines
        .knots(sends, samples)
        .into_iter()
        .zip(samples)
        .map(row)
        .collect()
}

/// How many times as long as one acknowledged message an exchange takes.
fn ratio(sample: &Sample) -> f64 {
    sample.exchange.median as f64 / sample.acknowledged.median.max(1) as f64
}

/// The samples of long messages.
fn long(samples: &[Sample]) -> &[Sample] {
    let short = samples.partition_point(|sample| sample.bytes <= MAX_OVERHEAD_BYTES);
    &samples[short..]
}

/// The least and the greatest ratio of an exchange to one acknowledged message.
fn exchanges(samples: &[Sample]) -> [f64; 2] {
    samples
        .iter()
        .map(ratio)
        .fold([f64::INFINITY, 0.0], |[least, greatest], ratio| {
            [least.min(ratio), greatest.max(ratio)]
        })
}

/// What an exchange takes more for each byte, from some sizes on: of the long messages from the first one on from which every exchange takes
/// longer than a profile may be off, each number as far as exchanges with it are no more off than that.
fn slow_exchanges(samples: &[Sample]) -> Vec<(u64, Number)> {
    let long = long(samples);
    let quick = long.iter().rposition(|sample| ratio(sample) <= 1.0 + HOLDS);
    let mut rest = &long[quick.map_or(0, |last| last + 1)..];
    let mut ranges = Vec::new();
    while let Some(first) = rest.first() {
        let mut within = [0.0, f64::INFINITY];
        let mut is_within = |sample: &Sample| {
            let x = |share: f64| {
                let exchange = share * sample.exchange.median as f64;
                let more = exchange - sample.acknowledged.median as f64;
                more / sample.bytes.saturating_sub(1).max(1) as f64
            };
            let both = [x(1.0 - HOLDS).max(within[0]), x(1.0 + HOLDS).min(within[1])];
            let is_within = both[0] <= both[1];
            if is_within {
                within = both;
            }
            is_within
        };
        let count = rest.iter().take_while(|sample| is_within(sample)).count();
        let (own, later) = rest.split_at(count.max(1));
        let [least, greatest] = exchanges(own);
        let last = own.last().unwrap_or(first);
        let origin = format!(
            "two messages of {} to {} that cross take {least:.2} to {greatest:.2} times as long as one of them",
            show_bytes(first.bytes),
            show_bytes(last.bytes)
        );
        let value = per_byte(f64::midpoint(within[0], within[1]));
        ranges.push((first.bytes, Number { value, origin }));
        rest = later;
    }
    ranges
}

/// Half of the interval of a median, relative; infinite where it has too few times to say anything.
fn noise(median: Median) -> f64 {
    if !median.decides() {
        return f64::INFINITY;
    }
    (median.high - median.low) as f64 / (2.0 * median.median as f64).max(1.0)
}

/// L, o, g, G, O and H with the origin of each.
fn numbers(lines: &Lines, hosts: &str, sends: Sends, samples: &[Sample]) -> [Number; 6] {
    let Lines {
        acknowledged,
        gap,
        sending,
        receiving,
        hop,
        ..
    } = *lines;
    let first = whole(acknowledged.first);
    let overheads = format!(
        "a send of one byte occupies its processor for {:.0} ns, a receive for {:.0} ns, by lines through 1 B to {} \
         ({}; {})",
        sending.first,
        receiving.first,
        show_bytes(MAX_OVERHEAD_BYTES),
        fit(&sending),
        fit(&receiving),
    );
    // The model has one o for both ends, and only their sum can be observed. It is at most the hop, and at most the gap: without
    // pauses before them, calls are shorter.
    let between = if sends == Sends::Streamed {
        gap.first
    } else {
        acknowledged.first
    };
    let o =
        whole((sending.first + receiving.first) / 2.0).min(whole((hop / 2.0).min(between).floor()));
    let L = whole(hop) - 2 * o;
    let copying = format!(
        "the calls that send and receive take {:.0} and {:.0} ps more for each byte up to {}",
        1000.0 * sending.per_byte,
        1000.0 * receiving.per_byte,
        show_bytes(MAX_OVERHEAD_BYTES)
    );
    let whole_line = format!(
        "a line through acknowledged sends of {} to {} ({})",
        show_bytes(samples.first().map_or(1, |sample| sample.bytes)),
        show_bytes(samples.last().map_or(1, |sample| sample.bytes)),
        fit(&acknowledged)
    );
    let row_line = format!(
        "a line through the gaps of messages in a row ({})",
        fit(&gap)
    );
    let (g, G, O, H) = match sends {
        Sends::Acknowledged => (
            (
                first,
                format!(
                    "one byte and its acknowledgment between {hosts}; the next send waits for it: {whole_line}. \
                     Without waiting messages follow each other after {:.0} ns: {row_line}",
                    gap.first
                ),
            ),
            (
                per_byte(acknowledged.per_byte),
                format!(
                    "{whole_line}; the next send waits for the acknowledgment. Without waiting it is {} ps/B",
                    per_byte(gap.per_byte)
                ),
            ),
            (
                0,
                format!(
                    "{copying}; in TCP that happens while other bytes are on the wire, and G includes it"
                ),
            ),
            (
                0,
                "nothing holds a message longer than its acknowledgment takes, which G includes"
                    .to_owned(),
            ),
        ),
        Sends::Streamed => {
            let beyond = (acknowledged.per_byte - gap.per_byte).max(0.0);
            let copied = ((sending.per_byte + receiving.per_byte) / 2.0).min(beyond / 2.0);
            (
                (
                    whole(gap.first),
                    format!(
                        "messages in a row between {hosts}, without waiting for acknowledgments: {row_line}"
                    ),
                ),
                (
                    per_byte(gap.per_byte),
                    format!("{row_line}, without waiting for acknowledgments"),
                ),
                (
                    per_byte(copied),
                    format!(
                        "{copying}; at most half of a hop's time per byte beyond G, because the rest overlaps with \
                         the wire"
                    ),
                ),
                (
                    per_byte(beyond - 2.0 * copied),
                    format!("time of a hop for each byte beyond G + 2O: {whole_line}"),
                ),
            )
        }
    };
    let L = (
        L,
        format!(
            "half of the {first} ns for one byte and its acknowledgment between {hosts}, assuming equal ways, minus \
             2o"
        ),
    );
    let o = (
        o,
        format!(
            "{overheads}; the model has one o for both: their mean, at most half a hop, and at most the gap"
        ),
    );
    [L, o, g, G, O, H].map(|(value, origin)| Number { value, origin })
}

fn fit(line: &Line) -> String {
    format!(
        "error at most {:.0} %, at {}",
        100.0 * line.worst,
        show_bytes(line.worst_at)
    )
}

/// The sizes for which hop and gap of the profile are within [`HOLDS`] of the measured ones.
fn range(rows: &[SizeRow]) -> Validity {
    let bytes = rows
        .chunk_by(|left, right| left.holds() == right.holds())
        .filter(|run| run[0].holds())
        .map(|run| Range::new(run[0].bytes, run[run.len() - 1].bytes))
        .collect();
    Validity {
        bytes,
        within_percent: whole(100.0 * HOLDS),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time, not negative and far below 2^64 ns"
)]
fn whole(ns: f64) -> u64 {
    ns.round().max(0.0) as u64
}

fn per_byte(ns: f64) -> u64 {
    whole(1000.0 * ns)
}

#[cfg(test)]
mod tests {
    use measure::calibrate::SIZES;

    use super::*;
    use crate::output::diagnostics::Source;

    fn exactly(ns: f64) -> Median {
        Median::from_times(vec![whole(ns); 9]).unwrap()
    }

    fn samples(
        hop: f64,
        wire: f64,
        beyond: f64,
        gap: f64,
        overhead: f64,
        copy: f64,
    ) -> Vec<Sample> {
        let sample = |bytes: u64| {
            let further = bytes as f64 - 1.0;
            let overheads = (
                exactly(overhead + copy * further),
                exactly(overhead + copy * further),
            );
            Sample {
                partner: 1,
                bytes,
                acknowledged: exactly(2.0 * hop + (wire + beyond) * further),
                gap: exactly(gap + wire * further),
                exchange: exactly(3.0 * hop + (wire + beyond) * further),
                both: (bytes <= 64).then(|| exactly(gap + wire * further)),
                overheads: (bytes <= MAX_OVERHEAD_BYTES).then_some(overheads),
                fan: None,
            }
        };
        SIZES.into_iter().map(sample).collect()
    }

    #[test]
    fn known_parameters_are_found_again() {
        let samples = samples(10_000.0, 8.0, 3.0, 2_000.0, 1_500.0, 1.0);
        let streamed = calibrate("a", "two hosts", Sends::Streamed, &samples)
            .unwrap_or_else(|f| panic!("{}", f.message));
        let parameters = streamed.machine.parameters();
        assert_eq!(
            (parameters.L, parameters.o, parameters.g),
            (7_000, 1_500, 2_000)
        );
        assert_eq!(
            (parameters.G, parameters.O, parameters.H),
            (8_000_000, 1_000_000, 1_000_000)
        );
        assert!(
            streamed
                .rows
                .iter()
                .all(|row| row.hop_residual_f64.abs() < 1e-3),
            "{:?}",
            streamed.rows
        );
        let waiting = calibrate("a", "two hosts", Sends::Acknowledged, &samples)
            .unwrap_or_else(|f| panic!("{}", f.message));
        let parameters = waiting.machine.parameters();
        assert_eq!(
            (parameters.L, parameters.o, parameters.g),
            (7_000, 1_500, 20_000)
        );
        assert_eq!(
            (parameters.G, parameters.O, parameters.H),
            (11_000_000, 0, 0)
        );
        // The gap of the model is that of the lines, g + (s-1)G, so both hold for every size.
        for calibration in [streamed, waiting] {
            assert_eq!(
                calibration.machine.valid.as_ref().unwrap().to_string(),
                "1 B to 4 MiB"
            );
            assert!(calibration.machine.is_flat());
            assert!(
                calibration
                    .rows
                    .iter()
                    .all(|row| row.gap_residual_f64.abs() < 1e-3),
                "{:?}",
                calibration.rows
            );
        }
    }

    /// Messages that cross one after the other.
    #[test]
    fn slow_exchanges_are_found() {
        let mut samples = samples(10_000.0, 8.0, 3.0, 2_000.0, 1_500.0, 1.0);
        // Short ones cross at once, and those of 4 MiB take less more than others.
        for sample in &mut samples {
            let times = match sample.bytes {
                ..=0xffff => 1.0,
                0x40_0000 => 1.5,
                _ => 2.0,
            };
            sample.exchange = exactly(times * sample.acknowledged.median as f64);
        }
        let found = calibrate("a", "b", Sends::Streamed, &samples)
            .unwrap_or_else(|f| panic!("{}", f.message));
        let read = Machine::parse(&Source::built_in("a", &found.machine.toml().unwrap()))
            .unwrap_or_else(|f| panic!("{}", f.message));
        let levels = read.profile().levels().unwrap();
        for sample in &samples {
            let hop = |is_exchanged| {
                let model = levels.of_message(0, sample.bytes, is_exchanged).unwrap();
                model.D() as f64
            };
            let further = hop(true) - hop(false);
            let measured = sample.exchange.median as f64 - sample.acknowledged.median as f64;
            let within = HOLDS * sample.exchange.median as f64;
            assert!(
                (further - measured).abs() <= within,
                "{}: {further}",
                sample.bytes
            );
            assert_eq!(further > 0.0, sample.bytes >= 64 << 10, "{}", sample.bytes);
        }
        let toml = found.machine.toml().unwrap();
        assert_eq!(
            toml.matches("[sizes.x]").count() + toml.matches("\nx = ").count(),
            2,
            "{toml}"
        );
    }

    /// A token bucket passes 4 KiB at once, and a rendezvous adds a step: ranges hold at each size, and say where.
    #[test]
    fn ranges_describe_what_no_line_does() {
        let mut samples = samples(30_000.0, 85.0, 0.0, 20_000.0, 10_000.0, 0.0);
        for sample in &mut samples {
            let wire = 85.0 * sample.bytes.saturating_sub(4096) as f64;
            let step = if sample.bytes > 64 << 10 {
                9_000_000.0
            } else {
                0.0
            };
            sample.acknowledged = exactly(60_000.0 + wire + step);
        }
        let found = calibrate("a", "b", Sends::Streamed, &samples)
            .unwrap_or_else(|f| panic!("{}", f.message));
        assert_eq!(found.machine.basis, Basis::Measured);
        let valid = found.machine.valid.as_ref().unwrap();
        assert!(
            valid.has(1 << 14) && valid.has(1 << 22) && !valid.has(2 << 10),
            "{valid}"
        );
        let read = Machine::parse(&Source::built_in("a", &found.machine.toml().unwrap()))
            .unwrap_or_else(|_| panic!());
        for row in &found.rows {
            let model = read.profile().at(row.bytes).unwrap();
            assert_eq!(
                (model.D(), model.gap()),
                (row.profile_hop_ns, row.profile_gap_ns),
                "{row:?}"
            );
            assert!(
                (model.D() as f64 / row.hop_ns as f64 - 1.0).abs() <= HOLDS,
                "{row:?}"
            );
        }
    }

    /// Short messages pass a token bucket at once, so no line fits most sizes.
    #[test]
    fn a_poor_fit_says_so() {
        let mut samples = samples(10_000.0, 8.0, 3.0, 2_000.0, 1_500.0, 1.0);
        let known = calibrate("a", "b", Sends::Streamed, &samples)
            .unwrap_or_else(|f| panic!("{}", f.message));
        assert_eq!(known.machine.basis, Basis::Measured);
        for (index, sample) in samples.iter_mut().enumerate() {
            sample.gap = exactly(1_000.0 * 7f64.powi(i32::try_from(index % 5).unwrap()));
        }
        let poor = calibrate("a", "b", Sends::Streamed, &samples)
            .unwrap_or_else(|f| panic!("{}", f.message));
        assert_eq!(
            poor.machine.basis,
            Basis::Unreliable,
            "{:?}",
            poor.machine.valid
        );
    }

    #[test]
    fn overheads_never_exceed_the_hop() {
        let samples = samples(1_000.0, 1.0, 0.0, 500.0, 5_000.0, 0.0);
        let made = calibrate("a", "two hosts", Sends::Acknowledged, &samples)
            .unwrap_or_else(|f| panic!("{}", f.message));
        assert_eq!(
            (made.machine.parameters().L, made.machine.parameters().o),
            (0, 500)
        );
    }

    #[test]
    fn times_of_nothing_are_refused() {
        let samples = samples(0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        assert_eq!(
            calibrate("a", "b", Sends::Streamed, &samples)
                .unwrap_err()
                .code,
            Code::Measurement
        );
    }
}
