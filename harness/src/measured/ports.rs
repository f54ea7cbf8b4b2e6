//! Whether the messages of one rank to or from several others share a port, as in the model: measured fan-outs and incasts, compared
//! with what a profile's parameters make of them.
//!
//! With one port per direction, d messages of s bytes take D(s), (d-1) gaps and the way back of the last answer. The measured
//! acknowledged send has the first and the last of these, so the errors of the profile's fit do not enter the comparison.

use std::fmt;

use measure::calibrate::Sample;
use measure::statistics::Median;

use crate::base::units::show_bytes;

/// Several messages at once, relative to the model.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ratio {
    bytes: u64,
    median: f64,
    low: f64,
    high: f64,
    /// Whether there are enough times for these.
    decides: bool,
}

/// What a transport shows in one direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Port {
    name: &'static str,
    others: u32,
    /// By size.
    ratios: Vec<Ratio>,
    within: f64,
}

impl Port {
    /// Whether a time is off by more than the profile may be, and by more than noise explains.
    pub fn is_off(&self) -> bool {
        self.ratios
            .iter()
            .any(|ratio| self.is_longer(ratio) || self.is_shorter(ratio))
    }

    fn is_longer(&self, ratio: &Ratio) -> bool {
        ratio.decides && ratio.low > 1.0 && ratio.median > 1.0 + self.within
    }

    fn is_shorter(&self, ratio: &Ratio) -> bool {
        ratio.decides && ratio.high < 1.0 && ratio.median < 1.0 - self.within
    }

    fn verdict(&self) -> &'static str {
        let has = |is: fn(&Self, &Ratio) -> bool| self.ratios.iter().any(|ratio| is(self, ratio));
        match (has(Self::is_shorter), has(Self::is_longer)) {
            (false, false) if !has(|_, ratio| ratio.decides) => {
                "too few repetitions to compare with one port, as in the model"
            }
            (false, false) => "as far as noise shows, the messages share one port, as in the model",
            (true, false) => "the messages overlap, and the model, which has one port, is too slow",
            (false, true) => {
                "the messages delay each other beyond one port, and the model is too fast"
            }
            (true, true) => {
                "the messages overlap at some sizes and delay each other at others, and the model has one port"
            }
        }
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ranks takes ", self.name, self.others)?;
        for (
            index,
            Ratio {
                bytes,
                median,
                low,
                high,
                ..
            },
        ) in self.ratios.iter().enumerate()
        {
            let (comma, bytes) = (if index > 0 { ", " } else { "" }, show_bytes(*bytes));
            write!(f, "{comma}{median:.2} ({low:.2} to {high:.2}) at {bytes}")?;
        }
        write!(
            f,
            " times as long as one message after the other: {}",
            self.verdict()
        )
    }
}

/// The fan-out and the incast of these samples, with the profile's gap of each; none if fewer than three ranks were measured.
pub fn ports(samples: &[Sample], gap: impl Fn(&Sample) -> Median, within: f64) -> Vec<Port> {
    let port = |name, time: fn(&measure::calibrate::Fan) -> Median| {
        let fans = samples
            .iter()
            .filter_map(|sample| Some((sample, sample.fan?)));
        let ratio = |(sample, fan): (&Sample, measure::calibrate::Fan)| {
            let (time, gap, further) = (
                time(&fan),
                gap(sample),
                u64::from(fan.others.saturating_sub(1)),
            );
            let model = |of: fn(&Median) -> u64| {
                (of(&sample.acknowledged) + further * of(&gap)).max(1) as f64
            };
            Ratio {
                bytes: sample.bytes,
                median: time.median as f64 / model(|time| time.median),
                low: time.low as f64 / model(|time| time.high),
                high: time.high as f64 / model(|time| time.low),
                decides: [time, gap, sample.acknowledged].iter().all(Median::decides),
            }
        };
        let others = fans.clone().map(|(_, fan)| fan.others).next()?;
        Some(Port {
            name,
            others,
            ratios: fans.map(ratio).collect(),
            within,
        })
    };
    [
        port("fan-out to", |fan| fan.out),
        port("incast from", |fan| fan.into),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use measure::calibrate::Fan;

    use super::*;

    fn around(ns: u64) -> Median {
        Median::from_times((0..9).map(|step| ns - ns / 100 + step * ns / 400).collect()).unwrap()
    }

    /// The statements on a fan-out and an incast to 4 ranks of these times, where one message takes 100 us and each further one 80.
    fn statements(out: u64, into: u64) -> Vec<String> {
        let fan = Some(Fan {
            others: 4,
            out: around(out),
            into: around(into),
        });
        let [acknowledged, gap] = [100_000, 80_000].map(around);
        let sample = Sample {
            partner: 1,
            bytes: 1024,
            acknowledged,
            gap,
            exchange: acknowledged,
            both: None,
            overheads: None,
            fan,
        };
        let alone = Sample {
            partner: 1,
            bytes: 1,
            fan: None,
            ..sample
        };
        let text = |port: &Port| format!("{} {port}", port.is_off());
        ports(&[alone, sample], |sample| sample.gap, 0.1)
            .iter()
            .map(text)
            .collect()
    }

    #[test]
    fn one_port_differs_from_overlap_and_congestion() {
        insta::assert_snapshot!(statements(340_000, 370_000).join("\n"), @r"
        false fan-out to 4 ranks takes 1.00 (0.99 to 1.02) at 1 KiB times as long as one message after the other: as far as noise shows, the messages share one port, as in the model
        false incast from 4 ranks takes 1.09 (1.07 to 1.10) at 1 KiB times as long as one message after the other: as far as noise shows, the messages share one port, as in the model
        ");
        insta::assert_snapshot!(statements(170_000, 680_000).join("\n"), @r"
        true fan-out to 4 ranks takes 0.50 (0.49 to 0.51) at 1 KiB times as long as one message after the other: the messages overlap, and the model, which has one port, is too slow
        true incast from 4 ranks takes 2.00 (1.97 to 2.03) at 1 KiB times as long as one message after the other: the messages delay each other beyond one port, and the model is too fast
        ");
    }
}
