//! The tree of an execution's messages: as lines of text, and its layout.

/// A tree that spans all nodes.
#[derive(Debug, PartialEq, Eq)]
pub struct Tree {
    pub root: u32,
    /// The children of each node in the order of its sends.
    pub children: Vec<Vec<u32>>,
}

impl Tree {
    /// The tree of these sends; `None` if a node receives twice or not at all.
    pub fn from_sends(
        nodes: u32,
        root: u32,
        sends: impl Iterator<Item = (u32, u32)>,
    ) -> Option<Self> {
        let mut children = vec![Vec::new(); nodes as usize];
        let mut edges = 0;
        for (from, to) in sends {
            children[from as usize].push(to);
            edges += 1;
        }
        // With n - 1 edges, a node that receives twice leaves another one unreached.
        let tree = Self { root, children };
        let is_tree = edges + 1 == nodes && tree.depths().iter().all(Option::is_some);
        is_tree.then_some(tree)
    }

    pub fn children(&self, node: u32) -> &[u32] {
        &self.children[node as usize]
    }

    /// The depth of each node; `None` if the root does not reach it.
    pub fn depths(&self) -> Vec<Option<u32>> {
        let mut depths = vec![None; self.children.len()];
        depths[self.root as usize] = Some(0);
        let mut pending = vec![(self.root, 0)];
        while let Some((node, depth)) = pending.pop() {
            for &child in self.children(node) {
                // A ring would never end otherwise.
                if depths[child as usize].replace(depth + 1).is_none() {
                    pending.push((child, depth + 1));
                }
            }
        }
        depths
    }

    /// Nodes in preorder, each with its branches in text.
    pub fn outline(&self) -> Vec<(String, u32)> {
        let mut lines = Vec::new();
        // (node, branches to the left of it, its own branch)
        let mut pending = vec![(self.root, String::new(), "")];
        while let Some((node, trunk, branch)) = pending.pop() {
            lines.push((format!("{trunk}{branch}"), node));
            let below = match branch {
                "" => trunk,
                "└─ " => format!("{trunk}   "),
                _ => format!("{trunk}│  "),
            };
            let children = self.children(node);
            for (number, &child) in children.iter().enumerate().rev() {
                let own = if number + 1 == children.len() {
                    "└─ "
                } else {
                    "├─ "
                };
                pending.push((child, below.clone(), own));
            }
        }
        lines
    }

    /// Horizontal positions in units of a leaf: leaves side by side in the order of sends, a parent at `above` of its
    /// first and its last child.
    pub fn positions(&self, above: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let mut positions = vec![0.0; self.children.len()];
        let mut leaves = 0.0;
        let preorder = self.outline();
        for &(_, node) in &preorder {
            if self.children(node).is_empty() {
                positions[node as usize] = leaves;
                leaves += 1.0;
            }
        }
        // In reverse preorder children come before their parent.
        for &(_, node) in preorder.iter().rev() {
            if let [first, .., last] | [first @ last] = self.children(node) {
                positions[node as usize] =
                    above(positions[*first as usize], positions[*last as usize]);
            }
        }
        positions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_spanning_trees_are_accepted() {
        let tree = |sends: &[(u32, u32)]| Tree::from_sends(4, 0, sends.iter().copied());
        let found = tree(&[(0, 2), (2, 1), (0, 3)]).unwrap();
        assert_eq!(found.depths(), [Some(0), Some(2), Some(1), Some(1)]);
        assert_eq!(found.positions(|_, last| last), [1.0, 0.0, 0.0, 1.0]);
        // A node without a message, one with two, a ring beside the root, and one through it.
        for sends in [
            &[(0, 1), (0, 2)][..],
            &[(0, 1), (0, 2), (1, 2)],
            &[(1, 2), (2, 3), (3, 1)],
            &[(0, 1), (1, 0), (0, 2)],
        ] {
            assert_eq!(tree(sends), None, "{sends:?}");
        }
        assert!(Tree::from_sends(1, 0, [].into_iter()).is_some());
    }
}
