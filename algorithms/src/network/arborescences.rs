//! Trees that grow arc by arc.
//!
//! Edmonds' theorem with roots' demands and widths of arcs: if each set of nodes that lacks a rank has arcs that leave it as wide as
//! the demands of roots and begun trees within it, some arc extends a begun tree, at some weight, such that this still holds. The
//! weight is what the narrowest cut leaves; the rest of the tree's weight goes on without the arc, as a tree of its own.

use std::collections::VecDeque;

use num_traits::PrimInt;

use super::cuts::Demand;
use super::flow::{Amount, ENDLESS, Flow, narrow};
use super::forest::{Arc, Forest, Tree};
use super::graph::{Link, Near};

/// Trees grow in turn, so that all get arcs near the root, while fewer than this many wait.
const MOST_TURNS: usize = 32;

/// A tree that does not yet have all ranks.
#[derive(Clone)]
struct Begun {
    weight: Amount,
    /// Its ranks in the order in which they came.
    ranks: Vec<usize>,
    has: Vec<bool>,
    arcs: Vec<u32>,
    /// The next arc to look at: index of a rank, and of an arc that leaves it.
    next: (usize, usize),
}

/// What is left of arcs and demands, as a flow that leads from a rank back to where its data can start.
struct Ground<A> {
    ranks: usize,
    arcs: Vec<Arc>,
    out: Near,
    flow: Flow<A>,
    is_goal: Vec<bool>,
    /// Places for begun trees that wait, each with a node of the flow, and which are taken, in turn.
    places: Vec<Option<Begun>>,
    turns: VecDeque<usize>,
    demand: Vec<Amount>,
}

/// Trees with the demands of all roots. Arcs lead from rank to rank.
pub(super) fn grow(ranks: usize, arcs: Vec<Arc>, demand: &Demand) -> Forest {
    let arc = arcs.iter().map(|arc| arc.width);
    // A flow adds up what enters a node.
    let all: Amount = arc.chain(demand.weights.iter().copied()).sum();
    match all < 1 << 60 {
        true => grow_in::<i64>(ranks, arcs, demand),
        false => grow_in::<Amount>(ranks, arcs, demand),
    }
}

fn grow_in<A: PrimInt>(ranks: usize, arcs: Vec<Arc>, demand: &Demand) -> Forest {
    let out = Near::new(ranks, &Arc::links(&arcs), false);
    let mut ground = Ground::<A> {
        ranks,
        flow: Flow::new(0, &[]),
        is_goal: Vec::new(),
        out,
        places: Vec::new(),
        turns: VecDeque::new(),
        demand: demand.weights.clone(),
        arcs: arcs.clone(),
    };
    ground.make_room(4);
    let mut trees = Vec::new();
    for root in 0..ranks {
        let weight = std::mem::take(&mut ground.demand[root]);
        if weight == 0 {
            continue;
        }
        ground.flow.set(ground.arcs.len() + root, 0);
        let mut has = vec![false; ranks];
        has[root] = true;
        ground.wait(Begun {
            weight,
            ranks: vec![root],
            has,
            arcs: Vec::new(),
            next: (0, 0),
        });
        while let Some(mut begun) = ground.resume() {
            let mut grows = true;
            while grows && begun.ranks.len() < ranks {
                grows = ground.extend(&mut begun);
                if ground.turns.len() < MOST_TURNS {
                    break;
                }
            }
            if grows && begun.ranks.len() < ranks {
                ground.wait(begun);
                continue;
            }
            trees.push(Tree {
                root,
                weight: begun.weight.unsigned_abs(),
                routes: begun.arcs,
            });
        }
    }
    Forest { arcs, trees }
}

impl<A: PrimInt> Ground<A> {
    /// Makes the flow anew with nodes for more trees that wait. Pipes: arcs, demands of roots, then for each tree one from each rank
    /// and one with its weight.
    fn make_room(&mut self, room: usize) {
        self.places.resize(room, None);
        let source = self.ranks;
        let mut pipes: Vec<_> = self
            .arcs
            .iter()
            .map(|arc| Link::new(arc.to, arc.from, 0))
            .collect();
        pipes.extend((0..self.ranks).map(|rank| Link::new(rank, source, 0)));
        for tree in source + 1..=source + room {
            pipes.extend((0..self.ranks).map(|rank| Link::new(rank, tree, 0)));
            pipes.push(Link::new(tree, source, 0));
        }
        self.flow = Flow::new(source + 1 + room, &pipes).with_lists();
        self.is_goal = vec![false; source + 1 + room];
        self.is_goal[source] = true;
        for (index, arc) in self.arcs.iter().enumerate() {
            self.flow.set(index, arc.width);
        }
        for (rank, demand) in self.demand.iter().enumerate() {
            self.flow.set(self.arcs.len() + rank, *demand);
        }
        for index in 0..room {
            self.connect(index, true);
        }
    }

    /// Connects a tree that waits to its ranks, or disconnects it.
    fn connect(&mut self, place: usize, is_waiting: bool) {
        let first = self.arcs.len() + self.ranks + place * (self.ranks + 1);
        let wide = |amount| if is_waiting { amount } else { 0 };
        if let Some(begun) = &self.places[place] {
            for rank in &begun.ranks {
                self.flow.set(first + rank, wide(ENDLESS));
            }
            self.flow.set(first + self.ranks, wide(begun.weight));
        }
    }

    fn wait(&mut self, begun: Begun) {
        if self.turns.len() == self.places.len() {
            self.make_room(2 * self.places.len());
        }
        let place = self.places.iter().position(Option::is_none).unwrap_or(0);
        self.places[place] = Some(begun);
        self.turns.push_back(place);
        self.connect(place, true);
    }

    fn resume(&mut self) -> Option<Begun> {
        let place = self.turns.pop_front()?;
        self.connect(place, false);
        self.places[place].take()
    }

    /// Adds an arc and a rank to a tree, breadth first; what the arc cannot carry waits. False if no arc is left.
    fn extend(&mut self, begun: &mut Begun) -> bool {
        while let Some(&rank) = begun.ranks.get(begun.next.0) {
            let Some(&(arc, to)) = self.out.of(rank).get(begun.next.1) else {
                begun.next = (begun.next.0 + 1, 0);
                continue;
            };
            // An arc that is refused once is refused to this tree for good: its cut stays full.
            let before = begun.next;
            begun.next.1 += 1;
            let most = begun.weight.min(self.arcs[arc].width);
            if begun.has[to] || most == 0 {
                continue;
            }
            let weight = self.weight(rank, to, most);
            if weight == 0 {
                continue;
            }
            if weight < begun.weight {
                self.wait(Begun {
                    weight: begun.weight - weight,
                    next: before,
                    ..begun.clone()
                });
                begun.weight = weight;
            }
            self.arcs[arc].width -= weight;
            self.flow.set(arc, self.arcs[arc].width);
            begun.has[to] = true;
            begun.ranks.push(to);
            begun.arcs.push(narrow(arc));
            return true;
        }
        false
    }

    /// The largest weight, up to `most`, at which an arc between two ranks may be taken.
    fn weight(&mut self, from: usize, to: usize, most: Amount) -> Amount {
        let waiting = self.places.iter().flatten().map(|begun| begun.weight);
        let others: Amount = self.demand.iter().copied().chain(waiting).sum();
        self.is_goal[from] = true;
        let flow = self.flow.run(to, &self.is_goal, others + most);
        self.flow.undo();
        self.is_goal[from] = false;
        (flow - others).clamp(0, most)
    }
}
