//! Operations that become ready at a known time: a priority queue per processor.
//!
//! Pairing heaps (Fredman, Sedgewick, Sleator, Tarjan 1986) share one vector of nodes, because most processors have none or one
//! such operation. Adding takes constant time, taking the least of n amortized logarithmic time.

/// No heap, no node; nodes are numbered from 1.
pub(super) const EMPTY: u32 = 0;

#[derive(Clone, Copy)]
struct Node {
    time: u64,
    operation: u32,
    child: u32,
    /// The next child of the same node; for a root the node that was added last, because often the next one is greater.
    sibling: u32,
}

/// All heaps.
pub(super) struct Coming {
    nodes: Vec<Node>,
    /// Nodes that are not used, linked as siblings.
    unused: u32,
}

impl Coming {
    pub fn new() -> Self {
        Self {
            nodes: vec![Node {
                time: 0,
                operation: 0,
                child: EMPTY,
                sibling: EMPTY,
            }],
            unused: EMPTY,
        }
    }

    /// The least time of a heap, and of several at that time the least operation.
    #[inline]
    pub fn peek(&self, root: u32) -> Option<(u64, u32)> {
        (root != EMPTY).then(|| self.key(root))
    }

    /// Adds an operation to a heap; the root changes.
    #[inline]
    pub fn push(&mut self, root: &mut u32, time: u64, operation: u32) {
        let node = Node {
            time,
            operation,
            child: EMPTY,
            sibling: EMPTY,
        };
        let number = self.unused;
        let number = if number == EMPTY {
            self.nodes.push(node);
            // At most one for each operation.
            u32::try_from(self.nodes.len() - 1).unwrap_or(u32::MAX)
        } else {
            self.unused = std::mem::replace(&mut self.nodes[number as usize], node).sibling;
            number
        };
        if *root == EMPTY {
            *root = number;
        } else {
            let last = self.nodes[*root as usize].sibling;
            if self.key(last) <= self.key(number) {
                self.adopt(last, number);
            } else {
                *root = self.link(*root, number);
            }
        }
        self.nodes[*root as usize].sibling = number;
    }

    /// Removes the least.
    #[inline]
    pub fn pop(&mut self, root: &mut u32) {
        let before = *root;
        let node = &mut self.nodes[before as usize];
        let (child, last) = (node.child, node.sibling);
        node.sibling = std::mem::replace(&mut self.unused, before);
        *root = EMPTY;
        if child != EMPTY {
            *root = self.merge(child);
            self.nodes[*root as usize].sibling = if last == before { *root } else { last };
        }
    }

    #[inline]
    pub fn key(&self, number: u32) -> (u64, u32) {
        let node = &self.nodes[number as usize];
        (node.time, node.operation)
    }

    /// Makes the greater of two roots a child of the other, which is returned.
    fn link(&mut self, one: u32, other: u32) -> u32 {
        let (less, greater) = if self.key(one) <= self.key(other) {
            (one, other)
        } else {
            (other, one)
        };
        self.adopt(less, greater);
        less
    }

    /// Makes a node the first child of another one.
    #[inline]
    fn adopt(&mut self, parent: u32, child: u32) {
        let next = std::mem::replace(&mut self.nodes[parent as usize].child, child);
        self.nodes[child as usize].sibling = next;
    }

    /// Makes siblings one heap: pairs from the left, and the pairs from the right.
    fn merge(&mut self, first: u32) -> u32 {
        let (mut pairs, mut next) = (EMPTY, first);
        while next != EMPTY {
            let one = next;
            let other = std::mem::replace(&mut self.nodes[one as usize].sibling, EMPTY);
            let pair = if other == EMPTY {
                next = EMPTY;
                one
            } else {
                next = std::mem::replace(&mut self.nodes[other as usize].sibling, EMPTY);
                self.link(one, other)
            };
            self.nodes[pair as usize].sibling = std::mem::replace(&mut pairs, pair);
        }
        let mut root = EMPTY;
        while pairs != EMPTY {
            let pair = pairs;
            pairs = std::mem::replace(&mut self.nodes[pair as usize].sibling, EMPTY);
            root = if root == EMPTY {
                pair
            } else {
                self.link(root, pair)
            };
        }
        root
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_heap_gives_its_least_first() {
        let (mut coming, mut roots, mut sorted) =
            (Coming::new(), [EMPTY; 3], [const { Vec::new() }; 3]);
        for i in 0..3000u32 {
            let heap = i as usize * 7 % 3;
            if i % 5 < 3 {
                let entry = (u64::from(i * 37 % 101), i);
                coming.push(&mut roots[heap], entry.0, entry.1);
                sorted[heap].push(entry);
            } else {
                sorted[heap].sort_unstable_by_key(|&entry| std::cmp::Reverse(entry));
                assert_eq!(coming.peek(roots[heap]), sorted[heap].pop());
                if roots[heap] != EMPTY {
                    coming.pop(&mut roots[heap]);
                }
            }
        }
        for (mut root, mut sorted) in roots.into_iter().zip(sorted) {
            sorted.sort_unstable();
            for entry in sorted {
                assert_eq!(coming.peek(root), Some(entry));
                coming.pop(&mut root);
            }
            assert_eq!(coming.peek(root), None);
        }
        assert!(
            coming.nodes.len() <= 1 + 3000 * 3 / 5,
            "nodes are used again"
        );
    }
}
