//! An algorithm that a user gives.

use std::sync::Arc;

use algorithms::cost::LARGEST;
use algorithms::error::Error;
use algorithms::internals::collectives::{
    Algorithm, Closed, Collective, Plan, PortRule, Properties, Task,
};
use algorithms::internals::engine::Program;

use super::command::Command;
use super::files::Files;
use super::formula::Formula;
use super::function::Function;
use super::plan::{Loaded, refused};
use super::point::PlanPoint;
use crate::verify::shape::Shape;

/// Where its plans come from.
pub enum Origin {
    /// Files.
    Files(Files),
    /// A command.
    Command(Command),
    /// A function of this process.
    Function(Function),
}

/// See the module.
pub struct Own {
    /// Its collective.
    pub collective: &'static Collective,
    /// Where its plans come from.
    pub origin: Origin,
    /// What its author states of its cost.
    pub formula: Option<Formula>,
}

impl Own {
    fn loaded(&self, task: &Task) -> Result<(PlanPoint, Arc<Loaded>), Error> {
        let point = PlanPoint::new(task)?;
        let names = |key: &str| match &self.origin {
            Origin::Files(files) => files.names(key),
            // Its plans can read all of them.
            Origin::Command(_) | Origin::Function(_) => true,
        };
        let [ranks, root] = [task.K, task.root].map(|rank| u32::try_from(rank).unwrap_or(u32::MAX));
        let shape = match Shape::new(self.collective, ranks, if names("root") { root } else { 0 }) {
            Ok(shape) => shape,
            Err(expected) => return refused("K", task.K, expected),
        };
        let loaded = match &self.origin {
            Origin::Files(files) => files.plan(&point, &shape)?,
            Origin::Command(command) => command.plan(&point, &shape)?,
            Origin::Function(function) => function.plan(&point, &shape)?,
        };
        if task.m > 1 && !loaded.plan.is_segmented() && !names("m") {
            return refused(
                "m",
                task.m,
                "expected 1: the plan does not cut a vector into segments".to_owned(),
            );
        }
        if task.r != 2 && !names("r") {
            return refused("r", task.r, "expected 2: the plan has no radix".to_owned());
        }
        let fixed = loaded
            .root
            .map(u64::from)
            .or((loaded.plan.has_ranks() && !names("root")).then_some(0));
        match fixed {
            Some(root) if root != task.root => refused(
                "root",
                task.root,
                format!("expected {root}, the root of the plan"),
            ),
            _ => Ok((point, loaded)),
        }
    }
}

impl Algorithm for Own {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let (point, loaded) = self.loaded(task)?;
        loaded.plan.plan(task)?;
        let executed = match task.rule {
            PortRule::Strict => Closed::Executed { least: 0 },
            PortRule::Duplex => Closed::Between([0, LARGEST]),
        };
        let Some(formula) = &self.formula else {
            return Ok(executed);
        };
        // Its n is one block, and it cannot read the others: nothing else is compared in its place.
        if task.is_counted() {
            return Ok(Closed::Executed { least: 0 });
        }
        let claimed = formula.at(&point)?;
        Ok(if formula.is_bound {
            executed
        } else {
            Closed::Exact(claimed)
        })
    }

    fn at_most(&self, task: &Task) -> Option<u64> {
        self.formula
            .as_ref()
            .filter(|formula| formula.is_bound)?
            .at(&self.loaded(task).ok()?.0)
            .ok()
    }

    /// What a user states holds for every rule of ports: it can read the rule.
    fn holds_on_duplex(&self, _: &Task) -> bool {
        true
    }

    fn parts(&self, task: &Task) -> u64 {
        let loaded = self.loaded(task);
        loaded.map_or(u64::MAX, |(_, loaded)| loaded.plan.parts(task.K))
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        self.loaded(task)?.1.plan.plan(task)
    }

    fn judged(&self, task: &Task) -> Option<Result<Program, Error>> {
        match self.loaded(task) {
            Ok((_, loaded)) => loaded.plan.judged(task),
            Err(error) => Some(Err(error)),
        }
    }

    /// The operator commutes. Only the plan of a point says whether it has segments, a radix and several ports.
    fn properties(&self) -> Properties {
        Properties {
            keeps_order: false,
            is_segmented: true,
            has_radix: true,
            has_ports: true,
            is_given: true,
            ..Properties::PLAIN
        }
    }
}
