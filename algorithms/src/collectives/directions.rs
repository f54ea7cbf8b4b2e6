//! A tree with messages down it, as in a broadcast, or up it, as in a reduce.

use super::Closed;
use super::broadcast::segments as down;
use super::reduce::segments as up;
use crate::error::Error;
use crate::plan::{Family, Load, Task, Tree};

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

/// The cost of segments down such a tree, or up it.
///
/// # Errors
/// [`Error::Overflow`].
pub(super) fn along(task: &Task, is_up: bool, families: Vec<Family>) -> Result<Closed, Error> {
    if is_up {
        let families = families.into_iter().map(Family::reversed);
        return up::along(task, families.collect());
    }
    down::along(task, families)
}
