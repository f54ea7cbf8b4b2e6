//! Ranges of message sizes that have parameters of their own.

use algorithms::logp::{LogGops, SizeRange};
use serde::{Deserialize, Serialize};

use super::quantity::{Nanoseconds, PerByte};
use crate::units::{parse_bytes, show_bytes};

/// A size: `"8KiB"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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

/// What messages cost from a size on. A number that is left out is that of the shortest messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FromSize {
    from: Bytes,
    #[serde(rename = "L", default, skip_serializing_if = "Option::is_none")]
    latency: Option<Nanoseconds>,
    #[serde(rename = "o", default, skip_serializing_if = "Option::is_none")]
    overhead: Option<Nanoseconds>,
    #[serde(rename = "g", default, skip_serializing_if = "Option::is_none")]
    gap: Option<Nanoseconds>,
    #[serde(rename = "G", default, skip_serializing_if = "Option::is_none")]
    gap_per_byte: Option<PerByte>,
    #[serde(rename = "O", default, skip_serializing_if = "Option::is_none")]
    overhead_per_byte: Option<PerByte>,
    #[serde(rename = "H", default, skip_serializing_if = "Option::is_none")]
    hold_per_byte: Option<PerByte>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    x: Option<PerByte>,
}

impl FromSize {
    /// Symbol, value with unit, and origin of the numbers that it has.
    pub fn numbers(&self) -> impl Iterator<Item = (String, String, &str)> {
        let times = [("L", &self.latency), ("o", &self.overhead), ("g", &self.gap)];
        let per_byte =
            [("G", &self.gap_per_byte), ("O", &self.overhead_per_byte), ("H", &self.hold_per_byte), ("x", &self.x)];
        let times = times.into_iter().filter_map(|(symbol, own)| Some(super::nanoseconds(symbol, own.as_ref()?)));
        let per_byte = per_byte.into_iter().filter_map(|(symbol, own)| Some(super::per_byte(symbol, own.as_ref()?)));
        let from = show_bytes(self.from.0);
        times.chain(per_byte).map(move |(symbol, value, origin)| (format!("{symbol} from {from}"), value, origin))
    }
}

/// The ranges of a level, by the parameters and the x of its shortest messages; none where sizes do not matter.
pub(super) fn ranges(machine: LogGops, x: Option<&PerByte>, sizes: &[FromSize]) -> Vec<SizeRange> {
    let exchange = x.map_or(0, |x| x.fs);
    let ns = |own: &Option<Nanoseconds>, shortest| own.as_ref().map_or(shortest, |own| own.ns);
    let fs = |own: &Option<PerByte>, shortest| own.as_ref().map_or(shortest, |own| own.fs);
    let range = |own: &FromSize| SizeRange {
        from: own.from.0,
        machine: LogGops {
            L: ns(&own.latency, machine.L),
            o: ns(&own.overhead, machine.o),
            g: ns(&own.gap, machine.g),
            G: fs(&own.gap_per_byte, machine.G),
            O: fs(&own.overhead_per_byte, machine.O),
            H: fs(&own.hold_per_byte, machine.H),
        },
        exchange: fs(&own.x, exchange),
    };
    let shortest = SizeRange { from: 1, machine, exchange };
    let matters = exchange > 0 || !sizes.is_empty();
    matters.then_some(shortest).into_iter().chain(sizes.iter().map(range)).collect()
}
