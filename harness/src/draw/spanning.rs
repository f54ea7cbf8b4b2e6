//! The tree of an execution's messages: as lines of text, and its layout.

use super::execution::Execution;

/// A tree that spans all nodes.
#[derive(Debug, PartialEq, Eq)]
pub struct Tree {
    pub root: u32,
    /// The children of each node in the order of its sends.
    pub children: Vec<Vec<u32>>,
}

impl Tree {
    /// The tree of these sends; `None` if a node of the execution receives twice or not at all.
    pub fn from_sends(
        execution: &Execution,
        sends: impl IntoIterator<Item = (u32, u32)>,
    ) -> Option<Self> {
        let stage = &execution.stage;
        let mut children = vec![Vec::new(); stage.nodes as usize];
        let mut edges = 0;
        for (from, to) in sends {
            children[from as usize].push(to);
            edges += 1;
        }
        // With n - 1 edges, a node that receives twice leaves another one unreached.
        let root = stage.source.unwrap_or(0);
        let tree = Self { root, children };
        let is_tree = edges + 1 == stage.nodes && tree.depths().iter().all(Option::is_some);
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

    /// Nodes in preorder, each with its branches and its label in text.
    pub fn outline(&self, label: impl Fn(u32) -> u32) -> Vec<(String, u32)> {
        let mut lines = Vec::new();
        // (node, branches to the left of it, its own branch)
        let mut pending = vec![(self.root, String::new(), "")];
        while let Some((node, trunk, branch)) = pending.pop() {
            lines.push((format!("{trunk}{branch}{}", label(node)), node));
            let below = match branch {
                "" => trunk,
                "└─ " => format!("{trunk}   "),
                _ => format!("{trunk}│  "),
            };
            let own = std::iter::once("└─ ").chain(std::iter::repeat("├─ "));
            let children = self.children(node).iter().rev().zip(own);
            pending.extend(children.map(|(&child, own)| (child, below.clone(), own)));
        }
        lines
    }

    /// Horizontal positions in units of a leaf: leaves side by side in the order of sends, a parent at `above` of its
    /// first and its last child.
    pub fn positions(&self, above: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let mut positions = vec![0.0; self.children.len()];
        let mut leaves = 0.0;
        let preorder = self.outline(|node| node);
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
    use algorithms::internals::execution::Stage;

    use super::*;

    #[test]
    fn only_spanning_trees_are_accepted() {
        let tree = |nodes, sends: &[(u32, u32)]| {
            let execution = Execution {
                algorithm: "",
                carrier: None,
                stage: Stage::new(nodes),
                events: Vec::new(),
            };
            Tree::from_sends(&execution, sends.iter().copied())
        };
        let found = tree(4, &[(0, 2), (2, 1), (0, 3)]).unwrap();
        assert_eq!(found.depths(), [Some(0), Some(2), Some(1), Some(1)]);
        assert_eq!(found.positions(|_, last| last), [1.0, 0.0, 0.0, 1.0]);
        // A node without a message, one with two, a ring beside the root, and one through it.
        for sends in [
            &[(0, 1), (0, 2)][..],
            &[(0, 1), (0, 2), (1, 2)],
            &[(1, 2), (2, 3), (3, 1)],
            &[(0, 1), (1, 0), (0, 2)],
        ] {
            assert_eq!(tree(4, sends), None, "{sends:?}");
        }
        assert!(tree(1, &[]).is_some());
    }
}
