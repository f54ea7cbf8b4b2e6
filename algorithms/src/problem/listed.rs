//! The algorithms of a problem, and the points at which they are evaluated.

use std::fmt;
use std::ops::Deref;

use super::case::Case;
use super::{About, Setting, Value};
use crate::cost::By;
use crate::error::Error;

/// An algorithm of one problem, as the problem's folder lists it.
pub struct Listed<A: ?Sized + 'static> {
    /// Name and source.
    pub about: About,
    /// What it does.
    pub algorithm: &'static A,
}

/// The algorithms of a problem: name, algorithm, paper and section of it, summary. `"name" 2 => ...` is at its second revision.
macro_rules! listed {
    ($($name:literal $($revision:literal)? => $algorithm:expr, $source:tt: $summary:literal;)*) => {
        &[$($crate::problem::Listed {
            about: $crate::problem::About {
                name: $name,
                summary: $summary,
                paper: $source.0,
                section: $source.1,
                revision: 1 $(* $revision)?,
                is_given: false,
            },
            algorithm: &$algorithm,
        }),*]
    };
}
pub(crate) use listed;

impl<A: ?Sized> fmt::Debug for Listed<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Listed").field(&self.about.name).finish()
    }
}

impl<A: ?Sized> Deref for Listed<A> {
    type Target = About;

    fn deref(&self) -> &About {
        &self.about
    }
}

/// The algorithms of a problem by number: those that it lists, and behind them those that were made while castbench runs.
pub trait Algorithms: Sync {
    /// How many are listed.
    fn count(&self) -> usize;

    /// Name and source of an algorithm.
    fn about(&self, number: usize) -> Option<&'static About>;

    /// The algorithm with this number, which is one of these, at checked values: one for each axis.
    ///
    /// # Errors
    /// [`Error::Parameter`] for values that are no point of the problem.
    fn bind(
        &self,
        number: usize,
        setting: &Setting,
        values: &[Value],
    ) -> Result<Box<dyn Case>, Error>;

    /// The number of an algorithm whose name states what it is composed of.
    fn composed(&self, _: &str) -> Option<usize> {
        None
    }

    /// In one word what states the costs of an algorithm: `formula` where a formula is proven at every point, `clock` where none
    /// is at some, `execution` where only an execution is exact.
    fn proof(&self, _: usize) -> &'static str {
        By::Formula.word()
    }

    /// The points to compare for an algorithm where the [open](super::Axis::is_open) axes have no value, the coarsest cut first.
    fn cuts(&self, _: usize, values: &[Value]) -> Vec<Box<[Value]>> {
        vec![values.into()]
    }

    /// Whether words of several nodes are combined, which takes the time c.
    fn combines(&self) -> bool {
        false
    }
}

/// The algorithms of a problem whose points are of type `P`.
pub struct Listing<A: ?Sized + 'static, P> {
    /// The algorithms, in the order in which reports list them.
    pub entries: &'static [Listed<A>],
    /// The point with these values, one for each axis; checked.
    pub point: fn(&Setting, &[Value]) -> Result<P, Error>,
}

impl<A: ?Sized, P> Listing<A, P> {
    /// The algorithm of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&'static A> {
        self.entries
            .iter()
            .find(|listed| listed.name == name)
            .map(|listed| listed.algorithm)
    }
}

impl<A: ?Sized + Sync, P: 'static> Algorithms for Listing<A, P>
where
    At<A, P>: Case,
{
    fn count(&self) -> usize {
        self.entries.len()
    }

    fn about(&self, number: usize) -> Option<&'static About> {
        self.entries.get(number).map(|listed| &listed.about)
    }

    fn bind(
        &self,
        number: usize,
        setting: &Setting,
        values: &[Value],
    ) -> Result<Box<dyn Case>, Error> {
        Ok(Box::new(At {
            algorithm: self.entries[number].algorithm,
            point: (self.point)(setting, values)?,
        }))
    }
}

/// An algorithm at a point.
#[derive(Debug, Clone, Copy)]
pub struct At<A: ?Sized + 'static, P> {
    /// What is done.
    pub algorithm: &'static A,
    /// Where.
    pub point: P,
}

/// The values of a point, one for each axis.
///
/// # Errors
/// [`Error::Parameter`] for another number of values than the problem has axes.
pub fn coordinates<const N: usize>(values: &[Value]) -> Result<[Value; N], Error> {
    values.try_into().map_err(|_| {
        Error::parameter(
            "values",
            values.len(),
            format!("expected {N}, one for each axis"),
        )
    })
}

/// The value of an axis that the form of the point has.
///
/// # Errors
/// [`Error::Parameter`] where it is missing.
pub fn needed(key: &'static str, value: Value) -> Result<u64, Error> {
    value.ok_or_else(|| Error::parameter(key, "nothing", "expected a value"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_is_the_first_unless_it_is_listed() {
        const LISTED: &[Listed<()>] = listed! {
            "new" => (), ("a paper", "1"): "at its first";
            "changed" 3 => (), ("a paper", "2"): "at its third";
        };
        assert_eq!(
            LISTED
                .iter()
                .map(|listed| listed.revision)
                .collect::<Vec<_>>(),
            [1, 3]
        );
    }
}
