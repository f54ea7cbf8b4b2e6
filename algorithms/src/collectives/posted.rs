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
//! the sum of the children on its longest path in place of its depth.
//!
//! **Departures.** Libraries begin the second send when the first one is handed over, not when its gap is over; with one port
//! both end at the same time.

use super::script::Script;
use super::{Algorithm, Task};
use crate::cost::LARGEST;
use crate::error::Error;
use crate::wide::Wide;

/// See the module.
pub struct Posted(pub &'static dyn Algorithm);

impl Algorithm for Posted {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        if task.k > 1 {
            return Err(Error::parameter("k", task.k, "expected 1: sends that are posted together share one port"));
        }
        self.0.time(task).map(|_| None)
    }

    fn bounds(&self, task: &Task) -> Result<[u64; 2], Error> {
        self.0.bounds(task).map(|[least, _]| [least, LARGEST])
    }

    fn messages(&self, task: &Task) -> Wide {
        self.0.messages(task)
    }

    fn keeps_order(&self) -> bool {
        self.0.keeps_order()
    }

    fn is_segmented(&self) -> bool {
        self.0.is_segmented()
    }

    fn has_equal_segments(&self) -> bool {
        self.0.has_equal_segments()
    }

    fn segment(&self, task: &Task) -> u64 {
        self.0.segment(task)
    }

    fn has_radix(&self) -> bool {
        self.0.has_radix()
    }

    fn is_placed(&self) -> bool {
        self.0.is_placed()
    }

    fn posts(&self) -> bool {
        true
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        self.0.script(task, rank, script);
    }

    fn scripts(&self, task: &Task, ranks: u32, script: &mut Script) -> Vec<usize> {
        self.0.scripts(task, ranks, script)
    }
}
