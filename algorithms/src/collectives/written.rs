//! Plans as users write them: operations on blocks, trees as parents, and what they compose.
//!
//! Blocks make one plan serve any number of words. A task has as many blocks of n words as its collective numbers, each cut
//! into the same number of parts, the first ones a word longer: block `cut * b + p` of a plan is part p of block b.

use std::sync::Arc;

use super::Algorithm;
use crate::error::Error;
use crate::plan::{
    Act, Blocks, Family, Load, Part, Plan, RESULT, Script, Task, Tree, Words, narrow, part,
};

/// A plan of blocks.
pub enum Written {
    /// Operations of every rank, in order.
    Operations(Arc<Operations>),
    /// A tree.
    Tree(Arc<Parents>),
    /// One after the other.
    Then(Vec<Written>),
    /// A plan backwards, as [`Plan::Reverse`].
    Reverse {
        /// The plan that is reversed.
        plan: Box<Written>,
        /// Whether a rank combines what it receives.
        is_combined: bool,
    },
    /// An algorithm of the catalogue.
    Named(&'static dyn Algorithm),
}

/// What every rank does.
#[derive(Debug, Default)]
pub struct Operations {
    /// The operations, with ranges of blocks in place of words.
    script: Script,
    /// The end of the operations of each rank.
    ends: Vec<u32>,
    cut: u64,
    messages: u64,
    tags: u32,
}

impl Operations {
    /// No operations yet. Each block is cut into `cut` parts; `most` operations fit without more memory. [`Operations::rank`] begins a rank.
    #[must_use]
    pub fn new(cut: u32, most: usize) -> Self {
        let mut script = Script::default();
        script.steps.reserve(most);
        Self {
            cut: cut.max(1).into(),
            script,
            ..Self::default()
        }
    }

    /// Begins the operations of the next rank.
    pub fn rank(&mut self) {
        self.ends.push(narrow(self.script.steps.len() as u64));
    }

    /// The rank begun last sends these ranges of blocks to another one.
    pub fn send(&mut self, to: u32, tag: u32, blocks: impl IntoIterator<Item = (u32, u32)>) {
        self.messages += 1;
        self.push(Act::Send, to, tag, blocks);
    }

    /// The rank begun last receives these ranges of blocks; it combines them with its own in the order of the two ranks, or
    /// replaces its own.
    pub fn receive(
        &mut self,
        from: u32,
        tag: u32,
        is_combined: bool,
        blocks: impl IntoIterator<Item = (u32, u32)>,
    ) {
        let me = narrow(self.ends.len().saturating_sub(1) as u64);
        self.push(
            if is_combined {
                Act::combining(me, from)
            } else {
                Act::Receive
            },
            from,
            tag,
            blocks,
        );
    }

    fn push(
        &mut self,
        act: Act,
        peer: u32,
        tag: u32,
        blocks: impl IntoIterator<Item = (u32, u32)>,
    ) {
        let blocks = blocks.into_iter();
        let blocks = blocks.map(|(first, end)| first.into()..end.into());
        self.script.push(act, RESULT, peer, tag, blocks);
        self.tags = self.tags.max(tag.saturating_add(1));
        if let Some(last) = self.ends.last_mut() {
            *last = narrow(self.script.steps.len() as u64);
        }
    }

    fn write(&self, task: &Task, rank: u32, script: &mut Script) {
        let end = |rank: u32| self.ends.get(rank as usize).map_or(0, |&end| end as usize);
        let begin = rank.checked_sub(1).map_or(0, end);
        // A division for each block would take most of the time.
        let (cut, share, longer) = (self.cut, task.n / self.cut, task.n % self.cut);
        let start = |block: u64| match cut {
            1 => task.start(block),
            _ => {
                let (block, index) = (block / cut, block % cut);
                let words = task.words(block..block + 1);
                match task.is_counted() {
                    true => words.start + part(words.end - words.start, index, cut).start,
                    false => words.start + index * share + index.min(longer),
                }
            }
        };
        for step in &self.script.steps[begin..end(rank)] {
            let blocks = self.script.pieces(step).iter();
            let words = blocks.map(|&(first, end)| start(first)..start(end));
            script.push(step.act, RESULT, step.peer, step.round, words);
        }
    }
}

/// What goes along the edges of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freight {
    /// All words, in m segments.
    All,
    /// The blocks of the ranks of a subtree.
    Subtree,
}

/// A tree of ranks.
#[derive(Debug)]
pub struct Parents {
    parents: Vec<Option<u32>>,
    /// The children of each rank in the order of its messages.
    children: Vec<Vec<u32>>,
    /// The ranges of ranks in the subtree of each, if its blocks go along the tree.
    subtrees: Vec<Vec<(u32, u32)>>,
    is_up: bool,
    /// How many words there are, in blocks of n.
    blocks: u64,
}

/// Most ranges of ranks in all subtrees of a plan.
pub const MAX_RANGES: usize = 1 << 20;

impl Parents {
    /// The tree in which every rank but one has a parent. Ranks exchange messages with their children in this `order`.
    ///
    /// # Errors
    /// What is wrong with the parents.
    pub fn new(
        parents: Vec<Option<u32>>,
        order: impl IntoIterator<Item = u32>,
        (freight, is_up): (Freight, bool),
        blocks: u64,
    ) -> Result<Self, String> {
        let mut children = vec![Vec::new(); parents.len()];
        for rank in order {
            if let Some(parent) = parents[rank as usize] {
                children[parent as usize].push(rank);
            }
        }
        let roots: Vec<u32> = (0..)
            .zip(&parents)
            .filter(|(_, parent)| parent.is_none())
            .map(|(rank, _)| rank)
            .collect();
        let [root] = roots[..] else {
            return Err(format!(
                "{} ranks have no parent; expected one, the root, with null",
                roots.len()
            ));
        };
        // Parents come before their children.
        let mut found = vec![root];
        let mut next = 0;
        while let Some(&rank) = found.get(next) {
            found.extend(&children[rank as usize]);
            next += 1;
        }
        if found.len() < parents.len() {
            let mut is_found = vec![false; parents.len()];
            found
                .iter()
                .for_each(|&rank| is_found[rank as usize] = true);
            let lost = is_found
                .iter()
                .position(|is_found| !is_found)
                .unwrap_or_default();
            return Err(format!(
                "rank {lost} is in a ring of parents; expected a path to the root {root}"
            ));
        }
        let mut subtrees = Vec::new();
        if freight == Freight::Subtree {
            subtrees = vec![Vec::new(); parents.len()];
            let mut ranges = 0;
            for &rank in found.iter().rev() {
                let below = children[rank as usize]
                    .iter()
                    .flat_map(|&child| &subtrees[child as usize])
                    .copied();
                let mut all: Vec<(u32, u32)> = below.chain([(rank, rank + 1)]).collect();
                all.sort_unstable();
                all.dedup_by(|next, last| {
                    last.1 == next.0 && {
                        last.1 = next.1;
                        true
                    }
                });
                ranges += all.len();
                if ranges > MAX_RANGES {
                    return Err(format!(
                        "the subtrees have more than {MAX_RANGES} ranges of consecutive ranks"
                    ));
                }
                subtrees[rank as usize] = all;
            }
        }
        Ok(Self {
            parents,
            children,
            subtrees,
            is_up,
            blocks,
        })
    }

    /// How many ranges of consecutive ranks its subtrees have.
    #[must_use]
    pub fn ranges(&self) -> usize {
        self.subtrees.iter().map(Vec::len).sum()
    }

    /// The plan on ranks numbered from rank 0.
    fn plan<'a>(self: Arc<Self>, task: &Task) -> Plan<'a> {
        let (tree, is_up) = (Arc::clone(&self), self.is_up);
        let family = move |rank: u64| {
            let rank = narrow(rank) as usize;
            let children = tree.children[rank].iter().copied();
            Family::new(tree.parents[rank].map(u64::from), children.map(u64::from))
        };
        let mut task = Task { root: 0, ..*task };
        let plan = if self.subtrees.is_empty() {
            (task.n, task.blocks) = (task.start(self.blocks), Blocks::Equal);
            Tree::new(Load::Vector, is_up, family)
        } else {
            Tree::new(Load::Blocks, is_up, family).with_words(move |rank, _| {
                let ranks = self.subtrees[narrow(rank) as usize].clone().into_iter();
                Words::several(ranks.map(move |(first, end)| task.words(first.into()..end.into())))
            })
        };
        let (plan, tag) = (Plan::Tree(plan), 0);
        Plan::Then(vec![Part { task, plan, tag }])
    }
}

impl Written {
    /// How much memory it takes, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Operations(operations) => {
                let Operations { script, ends, .. } = &**operations;
                size_of_val(script.steps())
                    + size_of_val(&**ends)
                    + size_of_val(script.all_pieces())
            }
            Self::Tree(tree) => {
                let Parents {
                    parents,
                    children,
                    subtrees,
                    ..
                } = &**tree;
                // A list of a few numbers takes as much as its room.
                let lists = size_of::<[usize; 6]>() * (children.len() + subtrees.len());
                size_of_val(&**parents) + lists + size_of::<(u32, u32)>() * tree.ranges()
            }
            Self::Then(parts) => parts.iter().map(Self::bytes).sum(),
            Self::Reverse { plan, .. } => plan.bytes(),
            Self::Named(_) => 0,
        }
    }

    /// Whether it cuts a vector into m segments.
    #[must_use]
    pub fn is_segmented(&self) -> bool {
        match self {
            Self::Operations(_) => false,
            Self::Tree(tree) => tree.subtrees.is_empty(),
            Self::Then(parts) => parts.iter().all(Self::is_segmented),
            Self::Reverse { plan, .. } => plan.is_segmented(),
            Self::Named(algorithm) => algorithm.properties().is_segmented,
        }
    }

    /// Into how many parts it cuts a block, at least; algorithms of the catalogue cut it into one for each of K ranks at most.
    #[must_use]
    pub fn parts(&self, K: u64) -> u64 {
        match self {
            Self::Operations(operations) => operations.cut,
            Self::Tree(_) => 1,
            Self::Then(parts) => parts.iter().map(|part| part.parts(K)).max().unwrap_or(1),
            Self::Reverse { plan, .. } => plan.parts(K),
            Self::Named(_) => K,
        }
    }

    /// Whether it names ranks, so that it has one root.
    #[must_use]
    pub fn has_ranks(&self) -> bool {
        match self {
            Self::Operations(_) | Self::Tree(_) => true,
            Self::Then(parts) => parts.iter().any(Self::has_ranks),
            Self::Reverse { plan, .. } => plan.has_ranks(),
            Self::Named(_) => false,
        }
    }

    /// What the ranks of a task do.
    ///
    /// # Errors
    /// [`Error::Parameter`] for another number of ranks than the plan has; those of the algorithms that it names.
    pub fn plan(&self, task: &Task) -> Result<Plan<'static>, Error> {
        let check = |ranks: usize| match ranks as u64 == task.K {
            true => Ok(()),
            false => Err(Error::parameter(
                "K",
                task.K,
                format!("expected {ranks}: the plan is for so many ranks"),
            )),
        };
        let own = *task;
        Ok(match self {
            Self::Operations(operations) => {
                check(operations.ends.len())?;
                let (messages, tags, operations) =
                    (operations.messages, operations.tags, Arc::clone(operations));
                Plan::script(messages, tags.into(), move |rank, script| {
                    operations.write(&own, rank, script)
                })
            }
            Self::Tree(tree) => {
                check(tree.parents.len())?;
                Arc::clone(tree).plan(task)
            }
            Self::Then(plans) => Plan::in_turn(task, plans.iter().map(|plan| plan.plan(task)))?,
            Self::Reverse { plan, is_combined } => plan.plan(task)?.reversed(*is_combined),
            Self::Named(algorithm) => {
                algorithm.formula(task)?;
                algorithm.plan(task)?
            }
        })
    }
}
