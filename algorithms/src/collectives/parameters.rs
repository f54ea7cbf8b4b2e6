//! The axes of collectives.

use crate::error::Error;
use crate::logp::axes;
use crate::plan::task::PortRule;
use crate::problem::{Axis, Kind, Value};

const RANKS: Axis = Axis { title: "ranks K", meaning: "ranks", ..axes::NODES };

const WORDS: Axis = Axis::new("n", &["n_words"], Kind::Count, "words n", "words: the count of the MPI call");

const COMBINE: Axis = Axis {
    default: Some(0),
    ..Axis::new(
        "c",
        &["c_per_word"],
        Kind::Time,
        "time c to combine two words",
        "time to combine two words; with --machine picoseconds per byte",
    )
};

const ROOT: Axis = Axis {
    default: Some(0),
    ..Axis::new("root", &["root"], Kind::Count, "root", "rank that has the operand at the start, or gets the result")
};

const SEGMENTS: Axis = Axis {
    default: Some(1),
    ..Axis::new(
        "m",
        &["m_segments"],
        Kind::Count,
        "segments m",
        "segments of a vector, for algorithms that send it in segments",
    )
};

const RADIX: Axis = Axis {
    default: Some(2),
    ..Axis::new(
        "r",
        &["r_radix"],
        Kind::Count,
        "radix r",
        "radix in which distances between ranks are written, for algorithms that have one",
    )
};

const PORTS: Axis = Axis {
    default: Some(1),
    ..Axis::new(
        "k",
        &["k_ports"],
        Kind::Count,
        "ports k",
        "ports: how many messages of a rank leave, and arrive, at once",
    )
};

const RULE: Axis = Axis {
    default: Some(0),
    ..Axis::new(
        "ports",
        &["ports"],
        Kind::Word(PortRule::WORDS),
        "rule of ports",
        "strict: one processor for sends and receives; duplex: each port has its own in both directions",
    )
};

const ELEMENT: Axis = Axis {
    default: Some(1),
    ..Axis::new(
        "element",
        &["element_words"],
        Kind::Bytes,
        "words of an element",
        "words of an element, which no cut of the vector separates; with --machine its size, as in 8B",
    )
};

/// The axes of a collective.
#[derive(Debug)]
pub struct Parameters {
    /// See [`Problem::AXES`](crate::problem::Problem::AXES).
    pub axes: &'static [Axis],
    /// See [`Problem::FORMS`](crate::problem::Problem::FORMS).
    pub forms: &'static [&'static [&'static str]],
    /// See [`Problem::OPEN`](crate::problem::Problem::OPEN).
    pub open: &'static [&'static str],
}

impl Parameters {
    /// Machine, ranks, words, and the time to combine them.
    pub const PLAIN: Self = Self {
        axes: &[axes::MACHINE, axes::BYTES, axes::L, axes::O, axes::G, RANKS, WORDS, COMBINE],
        forms: &[&["L", "o", "g", "K", "n", "c"], &["machine", "bytes", "K", "c"]],
        open: &[],
    };

    /// With ports.
    pub const PORTED: Self = Self {
        axes: &[axes::MACHINE, axes::BYTES, axes::L, axes::O, axes::G, RANKS, WORDS, COMBINE, PORTS],
        forms: &[&["L", "o", "g", "K", "n", "c", "k"], &["machine", "bytes", "K", "c", "k"]],
        open: &[],
    };

    /// With a radix and ports.
    pub const RADIX_PORTED: Self = Self {
        axes: &[axes::MACHINE, axes::BYTES, axes::L, axes::O, axes::G, RANKS, WORDS, COMBINE, RADIX, PORTS],
        forms: &[&["L", "o", "g", "K", "n", "c", "r", "k"], &["machine", "bytes", "K", "c", "r", "k"]],
        open: &[],
    };

    /// Machine, ranks, radix and ports: messages have one word.
    pub const BARE: Self = Self {
        axes: &[axes::MACHINE, axes::L, axes::O, axes::G, RANKS, RADIX, PORTS],
        forms: &[&["L", "o", "g", "K", "r", "k"], &["machine", "K", "r", "k"]],
        open: &[],
    };

    /// As [`PLAIN`](Self::PLAIN), with a root.
    pub const ROOTED: Self = Self {
        axes: &[axes::MACHINE, axes::BYTES, axes::L, axes::O, axes::G, RANKS, WORDS, COMBINE, ROOT],
        forms: &[&["L", "o", "g", "K", "n", "c", "root"], &["machine", "bytes", "K", "c", "root"]],
        open: &[],
    };

    /// With segments and elements.
    pub const SEGMENTED: Self = Self {
        axes: &[axes::MACHINE, axes::BYTES, axes::L, axes::O, axes::G, RANKS, WORDS, COMBINE, SEGMENTS, ELEMENT],
        forms: &[&["L", "o", "g", "K", "n", "c", "m", "element"], &["machine", "bytes", "K", "c", "m", "element"]],
        open: &["m"],
    };

    /// With a root, segments and elements.
    pub const ROOTED_SEGMENTED: Self = Self {
        axes: &[axes::MACHINE, axes::BYTES, axes::L, axes::O, axes::G, RANKS, WORDS, COMBINE, ROOT, SEGMENTS, ELEMENT],
        forms: &[
            &["L", "o", "g", "K", "n", "c", "root", "m", "element"],
            &["machine", "bytes", "K", "c", "root", "m", "element"],
        ],
        open: &["m"],
    };

    /// Of a broadcast: with a root, segments, elements, a rule of ports and their number; nothing is combined.
    pub const BROADCAST: Self = Self {
        axes: &[
            axes::MACHINE,
            axes::BYTES,
            axes::L,
            axes::O,
            axes::G,
            RANKS,
            WORDS,
            ROOT,
            SEGMENTS,
            ELEMENT,
            RULE,
            PORTS,
        ],
        forms: &[
            &["L", "o", "g", "K", "n", "root", "m", "element", "ports", "k"],
            &["machine", "bytes", "K", "root", "m", "element", "ports", "k"],
        ],
        open: &["m"],
    };

    /// Whether there is a value for each axis.
    ///
    /// # Errors
    /// [`Error::Parameter`] otherwise.
    pub(super) fn check(&self, values: &[Value]) -> Result<(), Error> {
        let (given, expected) = (values.len(), self.axes.len());
        if given == expected {
            return Ok(());
        }
        Err(Error::parameter("values", given, format!("expected {expected}, one for each axis")))
    }

    /// Whether there is such an axis.
    pub(super) const fn has(&self, key: &str) -> bool {
        self.place(key).is_some()
    }

    /// Where the value of an axis stands; known when the program is compiled.
    pub(super) const fn place(&self, key: &str) -> Option<usize> {
        let mut place = 0;
        while place < self.axes.len() {
            if is_same(self.axes[place].key.as_bytes(), key.as_bytes()) {
                return Some(place);
            }
            place += 1;
        }
        None
    }
}

const fn is_same(mut one: &[u8], mut other: &[u8]) -> bool {
    while let ([a, one_rest @ ..], [b, other_rest @ ..]) = (one, other) {
        if *a != *b {
            return false;
        }
        (one, other) = (one_rest, other_rest);
    }
    one.is_empty() && other.is_empty()
}
