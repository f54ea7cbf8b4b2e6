//! The axes that the problems under LogP share.

use crate::problem::{Axis, Kind};

/// A machine profile in place of L, o and g.
pub(crate) const MACHINE: Axis = Axis {
    key: "machine",
    short: None,
    long: Some("machine"),
    columns: &["machine", "machine_basis"],
    kind: Kind::Profile,
    default: None,
    samples: false,
    title: "machine",
    meaning: "machine in place of -L -o -g: a name in `castbench list --machines` or a .toml file; times are in ns",
};

/// The size of a message on that machine.
pub(crate) const BYTES: Axis = Axis {
    key: "bytes",
    short: None,
    long: Some("bytes"),
    columns: &["message_bytes"],
    kind: Kind::Bytes,
    default: None,
    samples: false,
    title: "message size",
    meaning: "message size on that machine, as in 1MiB",
};

/// Latency.
pub(crate) const L: Axis = Axis {
    key: "L",
    short: Some('L'),
    long: None,
    columns: &["L_time"],
    kind: Kind::Time,
    default: None,
    samples: false,
    title: "latency L, in time units",
    meaning: "latency of the network, in time units",
};

/// Overhead.
pub(crate) const O: Axis = Axis {
    key: "o",
    short: Some('o'),
    long: None,
    columns: &["o_time"],
    kind: Kind::Time,
    default: None,
    samples: false,
    title: "overhead o, in time units",
    meaning: "overhead of a send or a receive, in time units",
};

/// Gap.
pub(crate) const G: Axis = Axis {
    key: "g",
    short: Some('g'),
    long: None,
    columns: &["g_time"],
    kind: Kind::Time,
    default: None,
    samples: false,
    title: "gap g, in time units",
    meaning: "gap between two sends of one processor, in time units",
};

/// Nodes, including the source.
pub(crate) const NODES: Axis = Axis {
    key: "K",
    short: Some('K'),
    long: None,
    columns: &["K_nodes"],
    kind: Kind::Count,
    default: None,
    samples: false,
    title: "nodes K, the source included",
    meaning: "nodes, the source included",
};
