//! A tree as lines of text.

/// Nodes in preorder, each with the branches that lead to it.
pub(super) fn outline<'a>(root: u32, children: impl Fn(u32) -> &'a [u32]) -> Vec<(String, u32)> {
    let mut lines = Vec::new();
    // (node, branches to the left of it, its own branch)
    let mut pending = vec![(root, String::new(), "")];
    while let Some((node, trunk, branch)) = pending.pop() {
        lines.push((format!("{trunk}{branch}{node}"), node));
        let below = match branch {
            "" => trunk,
            "└─ " => format!("{trunk}   "),
            _ => format!("{trunk}│  "),
        };
        let children = children(node);
        for (number, &child) in children.iter().enumerate().rev() {
            let own = if number + 1 == children.len() { "└─ " } else { "├─ " };
            pending.push((child, below.clone(), own));
        }
    }
    lines
}
