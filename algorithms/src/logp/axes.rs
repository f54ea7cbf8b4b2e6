//! The axes that the problems under LogP share.

use crate::problem::{Axis, Kind, Scope};

/// A machine profile instead of L, o and g.
pub(crate) const MACHINE: Axis = Axis {
    scope: Scope::Profile,
    ..Axis::new(
        "machine",
        &["machine", "machine_basis"],
        Kind::Profile,
        "machine",
        "machine in place of -L -o -g: a name in `castbench list --machines` or a .toml file; times are in ns",
    )
};

/// The size of a message on that machine.
pub(crate) const BYTES: Axis = Axis {
    scope: Scope::Profile,
    ..Axis::new(
        "bytes",
        &["message_bytes"],
        Kind::Bytes,
        "message size",
        "message size on that machine, as in 1MiB",
    )
};

/// Latency.
pub(crate) const L: Axis = Axis {
    scope: Scope::Model,
    ..Axis::new(
        "L",
        &["L_time"],
        Kind::Time,
        "latency L, in time units",
        "latency of the network, in time units",
    )
};

/// Overhead.
pub(crate) const O: Axis = Axis {
    scope: Scope::Model,
    ..Axis::new(
        "o",
        &["o_time"],
        Kind::Time,
        "overhead o, in time units",
        "overhead of a send or a receive, in time units",
    )
};

/// Gap.
pub(crate) const G: Axis = Axis {
    scope: Scope::Model,
    ..Axis::new(
        "g",
        &["g_time"],
        Kind::Time,
        "gap g, in time units",
        "gap between two sends of one processor, in time units",
    )
};

/// Nodes, including the source.
pub(crate) const NODES: Axis = Axis::new(
    "K",
    &["K_nodes"],
    Kind::Count,
    "nodes K, the source included",
    "nodes, the source included",
);
