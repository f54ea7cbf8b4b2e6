//! An algorithm whose ranks post consecutive sends together and wait for all of them.
//!
//! **Source.** Open MPI's trees and linear algorithms: non-blocking sends to all children, then a wait for all.
//!
//! `NAME:posted` is the algorithm NAME with one difference: what a rank sends without another operation in between shares the port
//! until the last of it has left. The sends begin as if one by one, and all of these messages arrive when the one does that would
//! arrive last.
//!
//! **Cost.** By execution only; at least that of NAME, because messages arrive later or at the same time.
//!
//! **When it wins.** Never by this cost: it is what libraries do, and what their measured times show. A binomial broadcast then takes
//! the sum of the children on its longest path instead of its depth.
//!
//! **Departures.** Libraries begin the second send when the first one is handed over, not when its gap is over; with one port
//! both end at the same time.

use super::{Algorithm, Properties};
use crate::collectives::Closed;
use crate::error::{Error, refuse_if};
use crate::plan::{Plan, Task};

/// See the module.
pub struct Posted(pub &'static dyn Algorithm);

impl Algorithm for Posted {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        refuse_if!(task.k > 1, "k" = task.k => "expected 1: sends that are posted together share one port");
        let [least, _] = self.0.formula(task)?.bounds();
        Ok(Closed::Executed { least })
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        self.0.plan(task)
    }

    fn properties(&self) -> Properties {
        Properties {
            posts: true,
            has_ports: false,
            ..self.0.properties()
        }
    }

    fn segment(&self, task: &Task) -> u64 {
        self.0.segment(task)
    }
}
