//! Ranges of sizes between measured ones, for a transport that no line through all sizes describes.
//!
//! A range goes from a measured size to the farthest other one for which the chord between the two is near all sizes between them.
//! Chords of hops give L and G + H, those of gaps g and G. A hop cannot grow slower than the gap in the model. Where it does, as where a
//! switch passes the first packet at once, G is between the two, so that both have the same error at the end of the range. If that error
//! is too large, G is that of the gap, and the hop is too long within the range: no message is faster than the wire.

use crate::base::units::show_bytes;
use crate::space::machine::Number;

/// A measured size, ns.
#[derive(Debug, Clone, Copy)]
pub struct Knot {
    pub bytes: u64,
    /// From the start of a send until its receiver holds the message.
    pub hop: f64,
    /// Between two sends of one processor.
    pub gap: f64,
    /// Overhead at either end.
    pub overhead: f64,
    /// A relative error of hop and gap that may be noise.
    pub noise: f64,
}

/// What the sizes from one to another take.
struct Chord<'a> {
    from: &'a Knot,
    to: &'a Knot,
    /// ns per byte on the wire, and held beyond that.
    wire: f64,
    held: f64,
}

impl<'a> Chord<'a> {
    fn between(from: &'a Knot, to: &'a Knot, within: f64) -> Self {
        let further = (to.bytes - from.bytes) as f64;
        let [hop, gap] =
            [to.hop - from.hop, to.gap - from.gap].map(|more| (more / further).max(0.0));
        let shared = (2.0 - from.hop / to.hop - from.gap / to.gap)
            / (further * (1.0 / to.hop + 1.0 / to.gap));
        let is_shared = gap > hop && from.hop + further * shared <= to.hop * (1.0 + within);
        let wire = if is_shared { shared } else { gap };
        Self {
            from,
            to,
            wire,
            held: (hop - wire).max(0.0),
        }
    }

    fn is_near(&self, knot: &Knot, within: f64) -> bool {
        let (further, within) = (
            (knot.bytes - self.from.bytes) as f64,
            within.max(knot.noise),
        );
        let hop = self.from.hop + further * (self.wire + self.held);
        let gap = self.from.gap + further * self.wire;
        (hop / knot.hop - 1.0).abs() <= within && (gap / knot.gap - 1.0).abs() <= within
    }

    /// L, o, g, G, O and H from its first size on.
    fn numbers(&self, whole: fn(f64) -> u64) -> [Number; 6] {
        let [from, to] = [self.from, self.to].map(|knot| show_bytes(knot.bytes));
        let o = whole(
            self.from
                .overhead
                .min(self.from.hop / 2.0)
                .min(self.from.gap)
                .floor(),
        );
        let line = |what| format!("from the {what} of {from} to that of {to}");
        let of = |value, origin: String| Number { value, origin };
        [
            of(
                whole(self.from.hop).saturating_sub(2 * o),
                format!("hop of {from}, less 2o"),
            ),
            of(
                o,
                format!("calls that send and receive {from}, at most half of its hop, and its gap"),
            ),
            of(whole(self.from.gap), format!("gap of {from}")),
            of(
                whole(1000.0 * self.wire),
                format!("{}, or between that and the hop's", line("gap")),
            ),
            of(0, "H has what copies take beyond G".to_owned()),
            of(
                whole(1000.0 * self.held),
                format!("{}, beyond G", line("hop")),
            ),
        ]
    }
}

/// The parameters from some sizes on, the least measured size first. A chord is near a size if its error is at most `within`, or the
/// noise there.
pub fn ranges(knots: &[Knot], within: f64, whole: fn(f64) -> u64) -> Vec<(u64, [Number; 6])> {
    let mut all = Vec::new();
    let mut first = 0;
    while first + 1 < knots.len() {
        let chord = |last: usize| Chord::between(&knots[first], &knots[last], within);
        let last = (first + 1..knots.len())
            .rev()
            .find(|&last| {
                let chord = chord(last);
                knots[first + 1..=last]
                    .iter()
                    .all(|knot| chord.is_near(knot, within))
            })
            .unwrap_or(first + 1);
        all.push((knots[first].bytes, chord(last).numbers(whole)));
        first = last;
    }
    all
}
