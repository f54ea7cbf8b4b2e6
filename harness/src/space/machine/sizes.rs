//! Ranges of message sizes that have parameters of their own.

use algorithms::logp::{LogGops, SizeRange};
use serde::{Deserialize, Serialize};

use super::quantity::{Nanoseconds, Number, PerByte, Quantity};
use crate::base::units::{parse_bytes, show_bytes};

/// A size: `"8KiB"`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct Bytes(u64);

impl TryFrom<String> for Bytes {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        parse_bytes(&text).map(Self)
    }
}

impl From<Bytes> for String {
    fn from(Bytes(bytes): Bytes) -> Self {
        format!("{bytes}B")
    }
}

/// What messages cost from a size on. Without a number of its own it goes on as the range before.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FromSize {
    from: Bytes,
    #[serde(rename = "L", skip_serializing_if = "Option::is_none")]
    latency: Option<Nanoseconds>,
    #[serde(rename = "o", skip_serializing_if = "Option::is_none")]
    overhead: Option<Nanoseconds>,
    #[serde(rename = "g", skip_serializing_if = "Option::is_none")]
    gap: Option<Nanoseconds>,
    #[serde(rename = "G", skip_serializing_if = "Option::is_none")]
    gap_per_byte: Option<PerByte>,
    #[serde(rename = "O", skip_serializing_if = "Option::is_none")]
    overhead_per_byte: Option<PerByte>,
    #[serde(rename = "H", skip_serializing_if = "Option::is_none")]
    hold_per_byte: Option<PerByte>,
    #[serde(skip_serializing_if = "Option::is_none")]
    x: Option<PerByte>,
}

impl FromSize {
    /// L, o, g, G, O and H from a size on.
    pub fn measured(from: u64, [L, o, g, G, O, H]: [Number; 6]) -> Self {
        let [latency, overhead, gap] = [L, o, g].map(|number| Some(number.into()));
        let [gap_per_byte, overhead_per_byte, hold_per_byte] =
            [G, O, H].map(|number| Some(number.into()));
        Self {
            from: Bytes(from),
            latency,
            overhead,
            gap,
            gap_per_byte,
            overhead_per_byte,
            hold_per_byte,
            x: None,
        }
    }

    /// Whether it has no number of its own.
    pub fn is_empty(&self) -> bool {
        *self
            == Self {
                from: self.from,
                ..Self::default()
            }
    }

    /// The size, as users write it.
    pub fn from(&self) -> String {
        show_bytes(self.from.0)
    }

    /// Sets x from a size on, in the range that begins there, or in one more.
    pub fn set_exchange(ranges: &mut Vec<Self>, from: u64, x: Number) {
        let at = ranges.partition_point(|range| range.from.0 < from);
        if ranges.get(at).is_none_or(|range| range.from.0 > from) {
            ranges.insert(
                at,
                Self {
                    from: Bytes(from),
                    ..Self::default()
                },
            );
        }
        ranges[at].x = Some(x.into());
    }

    /// Symbol, value with unit, and origin of the numbers that it has.
    pub fn numbers(&self) -> impl Iterator<Item = (String, String, &str)> {
        let times = [
            ("L", &self.latency),
            ("o", &self.overhead),
            ("g", &self.gap),
        ];
        let rates = [
            ("G", &self.gap_per_byte),
            ("O", &self.overhead_per_byte),
            ("H", &self.hold_per_byte),
            ("x", &self.x),
        ];
        let times = times
            .into_iter()
            .filter_map(|(symbol, own)| Some(own.as_ref()?.named(symbol)));
        let rates = rates
            .into_iter()
            .filter_map(|(symbol, own)| Some(own.as_ref()?.named(symbol)));
        let from = show_bytes(self.from.0);
        times
            .chain(rates)
            .map(move |(symbol, value, origin)| (format!("{symbol} from {from}"), value, origin))
    }
}

/// The ranges of a level, by the parameters and the x of its shortest messages; none where sizes do not matter.
pub(super) fn ranges(machine: LogGops, x: Option<&PerByte>, sizes: &[FromSize]) -> Vec<SizeRange> {
    fn or<const PER_BYTE: bool>(own: &Option<Quantity<PER_BYTE>>, before: u64) -> u64 {
        own.as_ref().map_or(before, |own| own.value)
    }
    let mut last = SizeRange {
        from: 1,
        machine,
        exchange: x.map_or(0, |x| x.value),
    };
    let matters = last.exchange > 0 || !sizes.is_empty();
    let mut all = Vec::from_iter(matters.then_some(last));
    for own in sizes {
        let LogGops { L, o, g, G, O, H } = last.machine;
        let further = u128::from(own.from.0.saturating_sub(last.from));
        // Without a number of its own a range goes on where the one before ends.
        let after = |first: u64, per_byte: u64| {
            let more = u128::from(per_byte)
                .saturating_mul(further)
                .div_ceil(1_000_000);
            u64::try_from(more.saturating_add(first.into())).unwrap_or(u64::MAX)
        };
        last = SizeRange {
            from: own.from.0,
            machine: LogGops {
                L: or(&own.latency, after(L, G.saturating_add(H))),
                o: or(&own.overhead, after(o, O)),
                g: or(&own.gap, after(g, G)),
                G: or(&own.gap_per_byte, G),
                O: or(&own.overhead_per_byte, O),
                H: or(&own.hold_per_byte, H),
            },
            exchange: or(&own.x, last.exchange),
        };
        all.push(last);
    }
    all
}
