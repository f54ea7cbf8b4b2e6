//! A tree with messages down it, as in a broadcast, or up it, as in a reduce.

use super::Closed;
use super::broadcast::segments as down;
use super::reduce::segments as up;
use crate::error::Error;
use crate::plan::{ChildGroup, Family, Load, Task, Tree, narrow};

/// The tree of these families, with messages down it, or up it from the last child on.
pub(super) fn directed<'a>(
    load: Load,
    is_up: bool,
    family: impl Fn(u64) -> Family + 'a,
) -> Tree<'a> {
    Tree::new(load, is_up, move |number| match is_up {
        true => family(number).reversed(),
        false => family(number),
    })
}

/// The cost of segments down the tree of these families, or up it.
///
/// # Errors
/// [`Error::Overflow`].
pub(super) fn along(task: &Task, is_up: bool, families: &[Family]) -> Result<Closed, Error> {
    let parts = |number: u64, parts: &mut Vec<ChildGroup>| {
        let children = families[narrow(number) as usize].children.iter();
        let children = children.map(|&(child, _)| child);
        match is_up {
            true => parts.extend(children.rev().zip(1..)),
            false => parts.extend(children.zip(1..)),
        }
    };
    match is_up {
        true => up::time(task, 0, parts),
        false => down::time(task, 0, usize::MAX, parts),
    }
}
