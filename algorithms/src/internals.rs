//! What the program castbench and the tests of this crate use beyond the public API. It can change in every version.

use crate::error::Error;

macro_rules! mirror {
    ($($name:ident $({ $($inner:ident),* })?),* $(,)?) => {$(
        pub mod $name {
            pub use crate::$name::*;
            $($(pub mod $inner {
                pub use crate::$name::$inner::*;
            })*)?
        }
    )*};
}

mirror! {
    claims,
    collectives,
    engine,
    execution,
    imported,
    log2,
    logp { loggops, multicast, pipeline, summation },
    mesh,
    multiport,
    reach,
    text,
    violation,
}

pub mod plan {
    pub use crate::plan::subtrees::InOrder;
    pub use crate::plan::tree::Family;
}

pub mod problem {
    pub use crate::plan::compiled::Payloads;
    pub use crate::problem::case::*;
    pub use crate::problem::entry::algorithms_of;
    pub use crate::problem::instance::{Carrier, Run};
    pub use crate::problem::listed::*;
}

/// The violation behind [`Error::Rejected`], if it is of type `V`.
#[must_use]
pub fn violation<V: std::error::Error + 'static>(error: &Error) -> Option<&V> {
    error.violation()
}
