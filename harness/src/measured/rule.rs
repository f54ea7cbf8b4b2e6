//! Which rule of ports a transport keeps: one processor for the overheads of sends and receives, or one for each direction.
//!
//! A rank streams short messages out while as many arrive, by one thread. Alone, messages in a row follow each other after g. With strict
//! ports the overheads s and r of a send and a receive add, so both directions take `max(g, s + r)` for each message; with duplex
//! ports they overlap, and take g. A call is no longer than g in a row, so s and r are at most g here. A call with a pause before it can
//! take longer than g: then its share in a row is not known, and strict ports can take as little as g, too.

use std::fmt;

use measure::calibrate::{AHEAD, Sample};
use measure::statistics::Median;

use crate::base::units::{joined, show_bytes};
use crate::space::machine::PortRule;

/// The rules predict times that differ by at least this share, or the experiment cannot tell them apart.
const TOLD: f64 = 0.25;

/// Short messages of one size in both directions, each time over that of one direction alone.
struct Ratio {
    bytes: u64,
    median: f64,
    low: f64,
    high: f64,
    /// The ratio that strict ports would have, at most where a call alone is longer than a gap; 1 is that of duplex ports.
    strict: f64,
    /// Whether there are enough times for an interval.
    decides: bool,
    /// Whether a call alone is longer than a gap.
    is_at_most: bool,
    /// The gap alone, ns, and the least time per message with this many messages on their way.
    gap: f64,
    least: f64,
}

impl Ratio {
    fn new(sample: &Sample) -> Option<Self> {
        let (both, (sending, receiving)) = (sample.both?, sample.overheads?);
        let gap = sample.gap.median.max(1) as f64;
        let within = |call: u64| (call as f64).min(gap);
        Some(Self {
            bytes: sample.bytes,
            median: both.median as f64 / gap,
            low: both.low as f64 / sample.gap.high.max(1) as f64,
            high: both.high as f64 / sample.gap.low.max(1) as f64,
            strict: ((within(sending.median) + within(receiving.median)) / gap).max(1.0),
            decides: [both, sample.gap, sending, receiving]
                .iter()
                .all(Median::decides),
            is_at_most: (sending.median.max(receiving.median)) as f64 > gap,
            gap,
            least: sample.acknowledged.median as f64 / f64::from(AHEAD),
        })
    }

    /// The rule, or why this size does not show it.
    fn rule(&self) -> Result<&'static str, &'static str> {
        // The interval lies nearer to the ratio of one rule than half of their difference, on both sides.
        let half = (self.strict - 1.0) / 2.0;
        let is_near = |ratio: f64| self.low > ratio - half && self.high < ratio + half;
        match () {
            () if !self.decides => Err("there are too few repetitions"),
            () if self.least > self.gap => {
                Err("messages are on their way for too long to fill both directions")
            }
            () if self.strict < 1.0 + TOLD => {
                Err("a send and a receive fit into one gap, so both rules take as long")
            }
            () if is_near(self.strict) => Ok("strict"),
            () if is_near(1.0) && self.is_at_most => Err(
                "a call alone takes longer than a gap, so its share in a row is not known, and strict ports can take as long",
            ),
            () if is_near(1.0) => Ok("duplex"),
            () if self.high <= 1.0 - half => {
                Err("both directions take less than either rule allows")
            }
            () if self.low >= self.strict + half => {
                Err("both directions take more than either rule allows")
            }
            () => Err("noise covers the difference"),
        }
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            bytes,
            median,
            low,
            high,
            strict,
            is_at_most,
            ..
        } = self;
        let at_most = if *is_at_most { "at most " } else { "" };
        write!(
            f,
            "{median:.2} ({low:.2} to {high:.2}) at {}, where strict ports make it {at_most}{strict:.2} and duplex ports 1.00",
            show_bytes(*bytes)
        )
    }
}

/// The rule of ports that these samples show.
///
/// # Errors
/// Why they do not show one.
pub fn rule(samples: &[Sample]) -> Result<PortRule, String> {
    let ratios: Vec<Ratio> = samples.iter().filter_map(Ratio::new).collect();
    let all = joined("; ", ratios.iter().map(ToString::to_string));
    let measured = format!(
        "with as many messages arriving, messages in a row take, relative to those of one direction alone, {all}"
    );
    let shown: Vec<Result<&str, &str>> = ratios.iter().map(Ratio::rule).collect();
    let mut rules: Vec<&str> = shown.iter().filter_map(|rule| rule.ok()).collect();
    rules.dedup();
    match (&rules[..], shown.iter().find_map(|rule| rule.err())) {
        ([word], _) => PortRule::new(word, measured),
        ([], Some(why)) => Err(format!("{why}: {measured}")),
        ([], None) => Err("no short messages were sent in both directions".to_owned()),
        _ => Err(format!("sizes show different rules: {measured}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times between 2 % below and above.
    fn around(ns: u64) -> Median {
        Median::from_times((0..9).map(|step| ns - ns / 50 + step * ns / 200).collect()).unwrap()
    }

    /// The rule shown where messages of 1 B follow each other after 1000 ns alone, and calls take these times.
    fn shown(
        both: u64,
        [sending, receiving]: [u64; 2],
        acknowledged: u64,
    ) -> Result<String, String> {
        let sample = Sample {
            partner: 1,
            bytes: 1,
            acknowledged: around(acknowledged),
            gap: around(1_000),
            exchange: around(acknowledged),
            overheads: Some((around(sending), around(receiving))),
            both: Some(around(both)),
            fan: None,
        };
        rule(&[sample]).map(|rule| rule.word().to_owned())
    }

    #[test]
    fn overheads_add_on_strict_ports_and_overlap_on_duplex_ones() {
        assert_eq!(shown(1_800, [900, 900], 20_000).as_deref(), Ok("strict"));
        assert_eq!(shown(1_010, [900, 900], 20_000).as_deref(), Ok("duplex"));
        // A call with a pause before it takes longer than one in a row.
        assert_eq!(
            shown(2_000, [7_000, 5_000], 20_000).as_deref(),
            Ok("strict")
        );
    }

    #[test]
    fn what_cannot_be_told_has_a_reason() {
        let why = |both, calls, acknowledged| shown(both, calls, acknowledged).unwrap_err();
        // Both rules take one gap of 1000 ns.
        assert!(
            why(1_000, [400, 500], 20_000).starts_with("a send and a receive fit into one gap")
        );
        // Strict ports take 1800 ns, duplex ones 1000.
        assert!(why(1_400, [900, 900], 20_000).starts_with("noise covers the difference"));
        // Of calls longer than a gap the share in a row is not known: it can be 0 for one of them.
        for both in [940, 1_200] {
            assert!(
                why(both, [7_000, 5_000], 20_000)
                    .starts_with("a call alone takes longer than a gap")
            );
            assert!(
                why(both, [700, 5_000], 20_000).starts_with("a call alone takes longer than a gap")
            );
        }
        assert!(why(500, [900, 900], 20_000).starts_with("both directions take less"));
        assert!(why(3_000, [900, 900], 20_000).starts_with("both directions take more"));
        // 128 messages of 1000 ns are on their way for 128 us.
        assert!(
            why(1_800, [900, 900], 140_000).starts_with("messages are on their way for too long")
        );
        assert_eq!(
            rule(&[]).unwrap_err(),
            "no short messages were sent in both directions"
        );
    }

    /// Intervals and the ratio of strict ports, with known calls.
    #[test]
    fn the_interval_is_near_one_rule_on_both_sides() {
        let shown = |(low, high), strict| {
            Ratio {
                bytes: 1,
                median: f64::midpoint(low, high),
                low,
                high,
                strict,
                decides: true,
                is_at_most: false,
                gap: 1000.0,
                least: 100.0,
            }
            .rule()
            .ok()
        };
        // A loopback without load: 0.82 is as far from 1 as the two rules from each other, or further.
        assert_eq!(shown((0.82, 1.06), 1.3), None);
        assert_eq!(shown((0.82, 1.06), 1.8), Some("duplex"));
        assert_eq!(shown((0.95, 1.06), 1.3), Some("duplex"));
        assert_eq!(shown((1.2, 1.4), 1.3), Some("strict"));
        assert_eq!(shown((1.1, 1.4), 1.3), None);
        assert_eq!(shown((1.0, 1.2), 1.2), None);
    }

    #[test]
    fn sizes_that_differ_tell_nothing() {
        let sample = |bytes, both| Sample {
            partner: 1,
            bytes,
            acknowledged: around(20_000),
            gap: around(1_000),
            exchange: around(20_000),
            overheads: Some((around(900), around(900))),
            both: Some(around(both)),
            fan: None,
        };
        assert!(
            rule(&[sample(1, 1_800), sample(4, 1_000)])
                .unwrap_err()
                .starts_with("sizes show different rules")
        );
        assert_eq!(
            rule(&[sample(1, 1_800), sample(4, 1_400)]).unwrap().word(),
            "strict"
        );
    }
}
