//! Moves worms over the links of a mesh, event by event. It knows the rules of the model and no scheme.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

use super::{Mesh, Timing, Worm};
use crate::violation::{Rule, Violation};

/// The times of a worm.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Flight {
    /// When its startup began.
    pub begun: u64,
    /// How long its header waited for links.
    pub waited: u64,
    /// When its tail arrived; 0 before that.
    pub there: u64,
}

/// An event of a worm at one of its links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// The header has crossed it.
    Crossed,
    /// The tail has left it.
    Passed,
    /// The header asks for it.
    Asks,
}

/// An event with its time, as one number for fast comparison: time, whether it is a request, 31 bits of worm, two of kind, 30 of link. At
/// one time tails pass and headers arrive first, then headers ask for links, in the order of worms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Happening(u128);

impl Happening {
    fn new(time: u64, worm: usize, what: What, link: usize) -> Self {
        let low = u64::from(what == What::Asks) << 63
            | (worm as u64) << 32
            | (what as u64) << 30
            | link as u64;
        Self(u128::from(time) << 64 | u128::from(low))
    }

    /// Time, worm, what and link.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "each has this number of bits"
    )]
    fn read(self) -> (u64, usize, What, usize) {
        let (time, low) = ((self.0 >> 64) as u64, self.0 as u64);
        let what = match low >> 30 & 3 {
            0 => What::Crossed,
            1 => What::Passed,
            _ => What::Asks,
        };
        (
            time,
            (low << 1 >> 33) as usize,
            what,
            (low & ((1 << 30) - 1)) as usize,
        )
    }
}

/// A moving worm.
struct Moving {
    /// The multicast it belongs to.
    message: usize,
    sender: u32,
    /// The links of its path.
    links: Vec<usize>,
    /// By link, whether the node behind it receives.
    receives: Vec<bool>,
    /// The link its header asked for last, and when.
    asked: (usize, u64),
    flight: Flight,
}

#[derive(Default)]
struct Link {
    holder: Option<usize>,
    /// When its sender got the message.
    since: u64,
    waiting: VecDeque<usize>,
}

#[derive(Default)]
struct NodeState {
    /// Worms that it sends when it has the message: (message, worm).
    planned: Vec<(usize, usize)>,
    /// Worms to send, of messages that it has.
    to_send: VecDeque<usize>,
    busy: u64,
}

/// Runs multicasts on a mesh.
pub struct Simulator {
    mesh: Mesh,
    timing: Timing,
    ports: u64,
    links: Vec<Link>,
    nodes: Vec<NodeState>,
    worms: Vec<Moving>,
    sources: Vec<u32>,
    /// By time, requests last, in the order of worms.
    events: BinaryHeap<Reverse<Happening>>,
    /// Which worm held which link, and when, if recorded.
    holds: Option<Vec<Hold>>,
}

/// A worm holds a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hold {
    /// The worm, by its index in the list.
    pub worm: usize,
    /// The link, from node to node.
    pub link: (u32, u32),
    /// When its header enters the link.
    pub start: u64,
    /// When its tail leaves it.
    pub end: u64,
}

impl Simulator {
    /// A simulator of this mesh.
    #[must_use]
    pub fn new(mesh: Mesh, timing: Timing, ports: u64) -> Self {
        let nodes = mesh.nodes() as usize;
        Self {
            mesh,
            timing,
            ports,
            links: std::iter::repeat_with(Link::default)
                .take(4 * nodes)
                .collect(),
            nodes: std::iter::repeat_with(NodeState::default)
                .take(nodes)
                .collect(),
            worms: Vec::new(),
            sources: Vec::new(),
            events: BinaryHeap::new(),
            holds: None,
        }
    }

    /// Records from now on which worm holds which link.
    #[must_use]
    pub fn keeping_holds(self) -> Self {
        Self {
            holds: Some(Vec::new()),
            ..self
        }
    }

    /// The recorded holds, in the order of their ends.
    pub fn holds(&self) -> &[Hold] {
        self.holds.as_deref().unwrap_or(&[])
    }

    /// Removes all multicasts.
    pub fn clear(&mut self) {
        for worm in self.worms.drain(..) {
            for link in worm.links {
                self.links[link] = Link::default();
            }
            self.nodes[worm.sender as usize] = NodeState::default();
        }
        for source in self.sources.drain(..) {
            if let Some(node) = self.nodes.get_mut(source as usize) {
                *node = NodeState::default();
            }
        }
        self.events.clear();
    }

    /// Adds a multicast that begins at time 0.
    ///
    /// # Errors
    /// Worms that leave the mesh, or receivers that are not exactly the destinations.
    pub fn add(
        &mut self,
        source: u32,
        destinations: &[u32],
        worms: &[Worm],
    ) -> Result<(), Violation> {
        let mut left = vec![
            false;
            self.nodes.len().max(
                destinations
                    .iter()
                    .max()
                    .map_or(0, |&last| last as usize + 1)
            )
        ];
        destinations
            .iter()
            .for_each(|&node| left[node as usize] = true);
        let mut take = |node: &u32| left.get_mut(*node as usize).is_some_and(std::mem::take);
        for worm in worms {
            let number = self.worms.len();
            let links = self.links_of(number, &worm.path)?;
            let receives = self.receives_of(worm).ok_or_else(|| {
                Rule::Receivers.broken(format_args!(
                    "worm {number} does not pass its receivers in their order up to its end, each for the first time"
                ))
            })?;
            if let Some(&node) = worm.receivers.iter().find(|node| !take(node)) {
                return Err(missed(node));
            }
            let message = self.sources.len();
            self.nodes[worm.path[0] as usize]
                .planned
                .push((message, number));
            self.worms.push(Moving {
                message,
                sender: worm.path[0],
                links,
                receives,
                asked: (0, 0),
                flight: Flight::default(),
            });
        }
        self.sources.push(source);
        let first = (0..).zip(left).find(|(_, is_left)| *is_left);
        first.map_or(Ok(()), |(node, _)| Err(missed(node)))
    }

    /// Whether the node after each link of a path receives; `None` unless the path passes the receivers in order, each once, and ends at the
    /// last one.
    fn receives_of(&self, worm: &Worm) -> Option<Vec<bool>> {
        let mut receivers = worm.receivers.iter().copied().peekable();
        let receives: Vec<bool> = worm.path[1..]
            .iter()
            .map(|&node| receivers.next_if_eq(&node).is_some())
            .collect();
        if receivers.next().is_some() || receives.last() != Some(&true) {
            return None;
        }
        let mut passed = BTreeSet::new();
        let is_late = |(node, receives): (&u32, &bool)| !passed.insert(*node) && *receives;
        let is_any_late =
            !self.is_simple(&worm.path) && worm.path[1..].iter().zip(&receives).any(is_late);
        (!is_any_late).then_some(receives)
    }

    /// Whether a path certainly passes no node twice, as in all schemes: it is a shortest one, or labels only rise or fall.
    fn is_simple(&self, path: &[u32]) -> bool {
        let is_shortest = match path {
            [from, .., to] => path.len() as u64 == u64::from(self.mesh.distance(*from, *to)) + 1,
            _ => true,
        };
        is_shortest || path.is_sorted_by(|a, b| a < b) || path.is_sorted_by(|a, b| a > b)
    }

    /// Links as numbers: four times the node that they leave, plus the direction.
    fn links_of(&self, worm: usize, path: &[u32]) -> Result<Vec<usize>, Violation> {
        let no_link = |from, to| {
            let text = format_args!(
                "worm {worm} has no path: no link leads from node {from} to node {to}"
            );
            Rule::NoLink.broken(text)
        };
        let link = |hop: &[u32]| {
            let (from, to) = (hop[0], hop[1]);
            let way = |from: u32| self.mesh.neighbours(from).position(|next| next == to);
            let way = (from < self.mesh.nodes()).then(|| way(from)).flatten();
            way.map(|way| 4 * from as usize + way)
                .ok_or_else(|| no_link(from, to))
        };
        let alone = path.first().copied().unwrap_or(0);
        match path.len() {
            0 | 1 => Err(no_link(alone, alone)),
            _ => path.windows(2).map(link).collect(),
        }
    }

    /// Runs all multicasts to their end and returns when the last destination has its message, in time units; 0 where there is none.
    ///
    /// # Errors
    /// Worms that wait for each other in a ring, or for a message that never arrives.
    pub fn run(&mut self) -> Result<u64, Violation> {
        for message in 0..self.sources.len() {
            self.receive(self.sources[message], message, 0);
        }
        let mut end = 0;
        while let Some(Reverse(happening)) = self.events.pop() {
            let (now, worm, what, link) = happening.read();
            match what {
                What::Asks => self.ask(worm, link, now),
                What::Crossed => self.crossed(worm, link, now),
                What::Passed => {
                    self.passed(worm, link, now);
                    end = end.max(now);
                }
            }
        }
        let Some(worm) = self.worms.iter().position(|worm| worm.flight.there == 0) else {
            return Ok(end);
        };
        if let Some(ring) = self.ring() {
            return Err(Rule::Deadlock.broken(format_args!("deadlock: {ring}")));
        }
        let sender = self.worms[worm].sender;
        let text =
            format_args!("node {sender} never holds the message that worm {worm} should carry");
        Err(Rule::NotHeld.broken(text))
    }

    /// The times of the worms, in the order in which they were added.
    pub fn flights(&self) -> impl Iterator<Item = Flight> {
        self.worms.iter().map(|worm| worm.flight)
    }

    fn push(&mut self, time: u64, worm: usize, what: What, link: usize) {
        self.events
            .push(Reverse(Happening::new(time, worm, what, link)));
    }

    /// A node has a message: its worms are queued behind the earlier ones. A node outside the mesh sends nothing.
    fn receive(&mut self, node: u32, message: usize, now: u64) {
        let Some(own) = self.nodes.get_mut(node as usize) else {
            return;
        };
        own.to_send.extend(
            own.planned
                .iter()
                .filter(|planned| planned.0 == message)
                .map(|planned| planned.1),
        );
        self.send(node, now);
    }

    /// Sends while there are free ports.
    fn send(&mut self, node: u32, now: u64) {
        while self.nodes[node as usize].busy < self.ports {
            let Some(worm) = self.nodes[node as usize].to_send.pop_front() else {
                break;
            };
            self.nodes[node as usize].busy += 1;
            self.worms[worm].flight.begun = now;
            self.push(now + self.timing.startup, worm, What::Asks, 0);
        }
    }

    fn ask(&mut self, worm: usize, link: usize, now: u64) {
        self.worms[worm].asked = (link, now);
        let wanted = self.worms[worm].links[link];
        if self.links[wanted].holder.is_none() {
            self.grant(worm, now);
        } else {
            self.links[wanted].waiting.push_back(worm);
        }
    }

    /// A header enters the link it asked for.
    fn grant(&mut self, worm: usize, now: u64) {
        let own = &mut self.worms[worm];
        let (link, since) = own.asked;
        own.flight.waited += now - since;
        let granted = &mut self.links[own.links[link]];
        (granted.holder, granted.since) = (Some(worm), now);
        self.push(now + self.timing.hop, worm, What::Crossed, link);
    }

    /// The header has moved on by one node, and so has the tail if it is in the network.
    fn crossed(&mut self, worm: usize, link: usize, now: u64) {
        let flits = self.timing.flits;
        let hops = self.worms[worm].links.len();
        if let Some(behind) = usize::try_from(flits)
            .ok()
            .and_then(|flits| link.checked_sub(flits))
        {
            self.passed(worm, behind, now);
        }
        if link + 1 < hops {
            self.push(now, worm, What::Asks, link + 1);
            return;
        }
        // The header has arrived; from now on a flit follows every t_f.
        let first = usize::try_from(flits).map_or(0, |flits| hops.saturating_sub(flits));
        for left in first..hops {
            let steps = left as u64 + flits - link as u64;
            self.push(now + steps * self.timing.flit, worm, What::Passed, left);
        }
    }

    /// The tail has passed a link: it is free for the next waiting worm.
    fn passed(&mut self, worm: usize, link: usize, now: u64) {
        let own = &mut self.worms[worm];
        let (sender, message) = (own.sender, own.message);
        let receives = own.receives[link];
        let freed = own.links[link];
        if link + 1 == own.links.len() {
            own.flight.there = now;
        }
        if self.holds.is_some() {
            let link = (Self::begin_of(freed), self.behind(freed));
            let hold = Hold {
                worm,
                link,
                start: self.links[freed].since,
                end: now,
            };
            self.holds.iter_mut().for_each(|holds| holds.push(hold));
        }
        let next = {
            let link = &mut self.links[freed];
            link.holder = None;
            link.waiting.pop_front()
        };
        if let Some(next) = next {
            self.grant(next, now);
        }
        if link == 0 {
            self.nodes[sender as usize].busy -= 1;
            self.send(sender, now);
        }
        if receives {
            self.receive(self.behind(freed), message, now);
        }
    }

    /// The node that a link leaves.
    fn begin_of(link: usize) -> u32 {
        #[expect(clippy::cast_possible_truncation, reason = "a label of the mesh")]
        let from = (link / 4) as u32;
        from
    }

    /// The node that a link enters.
    fn behind(&self, link: usize) -> u32 {
        let from = Self::begin_of(link);
        self.mesh.neighbours(from).nth(link % 4).unwrap_or(from)
    }

    /// The ring in which worms wait for each other, if any waits: the holder of its link also waits.
    fn ring(&self) -> Option<String> {
        // The worm that holds the link.
        let wait = |worm: usize| {
            let link = self
                .links
                .iter()
                .position(|link| link.waiting.contains(&worm))?;
            let (from, to, by) = (
                Self::begin_of(link),
                self.behind(link),
                self.links[link].holder?,
            );
            Some((
                by,
                format!("worm {worm} waits for link {from}->{to} held by worm {by}"),
            ))
        };
        let (mut known, mut waits) = (Vec::new(), Vec::new());
        let mut worm = (0..self.worms.len()).find(|&worm| wait(worm).is_some())?;
        loop {
            if let Some(start) = known.iter().position(|&known| known == worm) {
                return Some(waits[start..].join(", "));
            }
            let (held_by, text) = wait(worm)?;
            known.push(worm);
            waits.push(text);
            worm = held_by;
        }
    }
}

/// A destination without a worm, or a receiver that is no destination.
fn missed(node: u32) -> Violation {
    Rule::Missing.broken(format_args!(
        "the receivers are not the destinations: node {node} is only one of the two"
    ))
}
