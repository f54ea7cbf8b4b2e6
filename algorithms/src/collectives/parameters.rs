//! The axes of collectives.

use crate::error::Error;
use crate::logp::axes;
use crate::plan::task::PortRule;
use crate::problem::{Axis, Kind, Scope, Value};

const RANKS: Axis = Axis {
    title: "ranks K",
    meaning: "ranks",
    ..axes::NODES
};

const WORDS: Axis = Axis {
    scope: Scope::Model,
    ..Axis::new(
        "n",
        &["n_words"],
        Kind::Count,
        "words n",
        "words: the count of the MPI call",
    )
};

const COMBINE: Axis = Axis::new(
    "c",
    &["c_per_word"],
    Kind::Time,
    "time c to combine two words",
    "time to combine two words; with --machine picoseconds per byte",
)
.or(0);

const ROOT: Axis = Axis::new(
    "root",
    &["root"],
    Kind::Count,
    "root",
    "rank that has the operand at the start, or gets the result",
)
.or(0);

const SEGMENTS: Axis = Axis {
    default: Some(1),
    is_open: true,
    ..Axis::new(
        "m",
        &["m_segments"],
        Kind::Count,
        "segments m",
        "segments of a vector, for algorithms that send it in segments",
    )
};

const RADIX: Axis = Axis::new(
    "r",
    &["r_radix"],
    Kind::Count,
    "radix r",
    "radix in which distances between ranks are written, for algorithms that have one",
)
.or(2);

const PORTS: Axis = Axis::new(
    "k",
    &["k_ports"],
    Kind::Count,
    "ports k",
    "ports: how many messages of a rank leave, and arrive, at once",
)
.or(1);

const RULE: Axis = Axis::new(
    "ports",
    &["ports"],
    Kind::Word(PortRule::WORDS),
    "rule of ports",
    "strict: one processor for sends and receives; duplex: each port has its own in both directions; switch: strict, and a switch combines what ranks send and copies what they get",
)
.or(0);

const ELEMENT: Axis = Axis::new(
    "element",
    &["element_words"],
    Kind::Bytes,
    "size of an element",
    "words of an element, which no cut of the vector separates; with --machine its size, as in 8B",
)
.or(1);

const COUNTS: Axis = Axis::new(
    "counts",
    &["counts"],
    Kind::Counts,
    "sizes of blocks",
    "sizes of blocks: even, one-large, zipf:SEED, a list as in 3,1,4 in units of n or --bytes, or a file FILE.csv with one",
)
.or(0);

/// Machine, ranks and words, then the axes given, the rule of ports and their number.
macro_rules! with_words {
    ($($axis:ident),*) => {
        Self(&[axes::MACHINE, axes::BYTES, axes::L, axes::O, axes::G, RANKS, WORDS, $($axis,)* RULE, PORTS])
    };
}

/// The axes of a collective. Each has a rule of ports and their number.
#[derive(Debug, Clone, Copy)]
pub struct Parameters(pub &'static [Axis]);

impl Parameters {
    /// Machine, ranks, words, and the time to combine them.
    pub const PLAIN: Self = with_words![COMBINE];

    /// Machine, ranks, words, the time to combine them, and the sizes of blocks.
    pub const BLOCKS: Self = with_words![COMBINE, COUNTS];

    /// Machine, ranks, words, the time to combine them, a radix, and the sizes of blocks.
    pub const RADIX: Self = with_words![COMBINE, RADIX, COUNTS];

    /// Machine, ranks and radix: messages have one word.
    pub const BARE: Self = Self(&[
        axes::MACHINE,
        axes::L,
        axes::O,
        axes::G,
        RANKS,
        RADIX,
        RULE,
        PORTS,
    ]);

    /// Machine, ranks, words, the time to combine them, a root, and the sizes of blocks.
    pub const ROOTED: Self = with_words![COMBINE, ROOT, COUNTS];

    /// Machine, ranks, words, the time to combine them, segments and elements.
    pub const SEGMENTED: Self = with_words![COMBINE, SEGMENTS, ELEMENT];

    /// Machine, ranks, words, the time to combine them, a root, segments and elements.
    pub const ROOTED_SEGMENTED: Self = with_words![COMBINE, ROOT, SEGMENTS, ELEMENT];

    /// The axes of a broadcast: machine, ranks, words, a root, segments and elements.
    pub const BROADCAST: Self = with_words![ROOT, SEGMENTS, ELEMENT];

    /// Whether there is a value for each axis.
    ///
    /// # Errors
    /// [`Error::Parameter`] otherwise.
    pub(super) fn check(&self, values: &[Value]) -> Result<(), Error> {
        let (given, expected) = (values.len(), self.0.len());
        if given == expected {
            return Ok(());
        }
        Err(Error::parameter(
            "values",
            given,
            format!("expected {expected}, one for each axis"),
        ))
    }

    /// Whether there is such an axis.
    pub(super) fn has(&self, key: &str) -> bool {
        self.index(key).is_some()
    }

    /// The index of the value of an axis.
    pub(super) fn index(&self, key: &str) -> Option<usize> {
        // Byte by byte: the keys are a few letters, and a call to compare each of them takes longer.
        let is_key = |axis: &Axis| axis.key.bytes().eq(key.bytes());
        self.0.iter().position(is_key)
    }
}
