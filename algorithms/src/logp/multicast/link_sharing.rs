//! Multicast where nodes share hosts and their links. In LogP every node has its own link.
//!
//! **Network.** Every host has one full-duplex link to a switch. Simultaneous transfers share each link max-min fairly: a fluid model
//! whose rates change when a transfer begins or ends.
//!
//! **Source.** Max-min fairness by progressive filling: Bertsekas and Gallager, "Data Networks", 2nd edition, Prentice
//! Hall 1992, section 6.5.2. As a model of long TCP transfers on a switched network: Casanova, Legrand, Quinson,
//! "SimGrid", UKSim 2008.
//!
//! **Times.** A node sends in order. A send begins when the node holds the message, g after the previous send has left the wire, and
//! `o(s)` after that one began. A message between hosts needs the whole wire for `(s-1)G`, or a share of it for longer; a message
//! within a host needs no wire. The receiver holds the message `D(s) - (s-1)G` after it has left the wire. With one node per host
//! these are exactly the times of LogP (`D(s)`, `g(s)`; see [`loggops`](crate::logp::loggops)).
//!
//! **Departures from a network.** Latency fills no link, and transfers get their share at once, unlike TCP.
//!
//! Times are exact rationals: the shares have no common denominator that is known beforehand.

mod max_min;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use max_min::{Route, integer};
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

use super::rules::{check_reached, check_send, check_source, twice};
use super::schedule::Schedule;
use crate::error::Error;
use crate::logp::loggops::LogGops;
use crate::violation::Violation;

/// The times of a message of one size, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// How long it occupies a whole link: `(s-1)G`.
    pub wire: u64,
    /// From when it leaves the wire until the receiver holds it: `D(s) - (s-1)G`.
    pub latency: u64,
    /// From when it leaves the wire until its sender can begin the next send: g.
    pub gap: u64,
    /// How long it occupies its sender: `o(s)`.
    pub overhead: u64,
}

impl Message {
    /// A message of `bytes` bytes on a machine. Each time is rounded up as in [`LogGops::at`].
    ///
    /// # Errors
    /// Errors of [`LogGops::at`].
    pub fn new(machine: &LogGops, bytes: u64) -> Result<Self, Error> {
        let model = machine.at(bytes)?;
        // Its gap without g.
        let wire = model.g() - machine.g;
        Ok(Self {
            wire,
            latency: model.D() - wire,
            gap: machine.g,
            overhead: model.o(),
        })
    }
}

/// When each node of an executed multicast holds the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// When the last node held it, ns, rounded up.
    pub finish: u64,
    /// `held[v - 1]` is when node v held it, ns; 0 for the source.
    pub held: Vec<BigRational>,
}

/// Executes `schedule` with node v on host `host(v)`.
///
/// Cost: per message and link in use at most a pass over the pairs of hosts with transfers; fractions grow with the number of
/// messages.
///
/// # Errors
/// The first [`Violation`] of the schedule: a node that is reached twice or never, or that does not exist.
///
/// ```
/// use castbench_algorithms::internals::logp::multicast::link_sharing::{Message, simulate};
/// use castbench_algorithms::internals::logp::multicast::schedule::Schedule;
/// let message = Message { wire: 100, latency: 5, gap: 0, overhead: 0 };
/// // Nodes 1 and 3 are on host 0, all others have one of their own.
/// let schedule = Schedule::new(5, 1, &[(1, 3), (1, 2), (3, 4), (2, 5)]).unwrap();
/// let trace = simulate(message, &schedule, |node| if node == 3 { 0 } else { node - 1 })?;
/// // Node 3 holds it at 5. From then on its send shares a link with that of node 1, which lacks 95 of 100.
/// assert_eq!(trace.held[1].to_integer(), (5 + 2 * 95 + 5).into());
/// # Ok::<(), castbench_algorithms::internals::violation::Violation>(())
/// ```
pub fn simulate(
    message: Message,
    schedule: &Schedule,
    host: impl Fn(u32) -> u32,
) -> Result<Trace, Violation> {
    let (nodes, source) = (schedule.nodes(), schedule.source());
    check_source(source, nodes)?;
    let mut held = vec![None; nodes as usize];
    held[source as usize - 1] = Some(BigRational::zero());
    let execution = Execution {
        message,
        schedule,
        host,
        now: BigRational::zero(),
        waiting: BTreeSet::new(),
        routes: BTreeMap::new(),
        held,
    };
    execution.run()
}

/// The transfers between two hosts. They always have equal rates, so the first to begin is the first to end.
#[derive(Default)]
struct Carried {
    /// The service of a transfer since the beginning, in ns of a whole link.
    served: BigRational,
    /// The service at which a transfer ends, and the transfer.
    ends: VecDeque<(BigRational, Transfer)>,
}

struct Transfer {
    sender: u32,
    begun: BigRational,
    /// The number of the send.
    send: usize,
}

struct Execution<'a, Host> {
    message: Message,
    schedule: &'a Schedule,
    host: Host,
    now: BigRational,
    /// (when, sender, number of the send): sends with a known start.
    waiting: BTreeSet<(BigRational, u32, usize)>,
    /// The transfers in progress.
    routes: BTreeMap<Route, Carried>,
    held: Vec<Option<BigRational>>,
}

impl<Host: Fn(u32) -> u32> Execution<'_, Host> {
    fn run(mut self) -> Result<Trace, Violation> {
        let source = self.schedule.source();
        self.enqueue(
            source,
            self.schedule.range(source).start,
            BigRational::zero(),
        );
        loop {
            let rates = max_min::rates(
                &self
                    .routes
                    .iter()
                    .map(|(&route, carried)| (route, carried.ends.len() as u64))
                    .collect(),
            );
            let left =
                |carried: &Carried| carried.ends.front().map(|(end, _)| end - &carried.served);
            let ends = rates.iter().filter_map(|(route, rate)| {
                Some(&self.now + left(self.routes.get(route)?)? / rate)
            });
            let next = ends
                .chain(self.waiting.first().map(|(begin, ..)| begin.clone()))
                .min();
            let Some(next) = next else { break };
            for (route, rate) in &rates {
                if let Some(carried) = self.routes.get_mut(route) {
                    carried.served += (&next - &self.now) * rate;
                }
            }
            self.now = next;
            self.end()?;
            self.begin()?;
        }
        self.trace()
    }

    /// Transfers that end now.
    fn end(&mut self) -> Result<(), Violation> {
        let mut over = Vec::new();
        for carried in self.routes.values_mut() {
            while carried
                .ends
                .front()
                .is_some_and(|(end, _)| *end <= carried.served)
            {
                over.extend(carried.ends.pop_front().map(|(_, transfer)| transfer));
            }
        }
        self.routes.retain(|_, carried| !carried.ends.is_empty());
        over.into_iter()
            .try_for_each(|transfer| self.leave(transfer))
    }

    /// Sends that begin now.
    fn begin(&mut self) -> Result<(), Violation> {
        while self
            .waiting
            .first()
            .is_some_and(|(begin, ..)| *begin <= self.now)
        {
            let Some((begun, sender, send)) = self.waiting.pop_first() else {
                break;
            };
            let receiver = self.schedule.target(send);
            check_send(sender, receiver, self.schedule.nodes())?;
            let transfer = Transfer {
                sender,
                begun,
                send,
            };
            let route = ((self.host)(sender), (self.host)(receiver));
            if route.0 == route.1 || self.message.wire == 0 {
                self.leave(transfer)?;
            } else {
                let carried = self.routes.entry(route).or_default();
                let end = &carried.served + integer(self.message.wire);
                carried.ends.push_back((end, transfer));
            }
        }
        Ok(())
    }

    /// A message has left the wire: schedules its receiver's and its sender's next sends.
    fn leave(
        &mut self,
        Transfer {
            sender,
            begun,
            send,
        }: Transfer,
    ) -> Result<(), Violation> {
        let receiver = self.schedule.target(send);
        let holds = &self.now + integer(self.message.latency);
        if self.held[receiver as usize - 1].is_some() {
            return Err(twice(sender, receiver, rounded(&holds)?));
        }
        self.held[receiver as usize - 1] = Some(holds.clone());
        self.enqueue(receiver, self.schedule.range(receiver).start, holds);
        let next =
            (begun + integer(self.message.overhead)).max(&self.now + integer(self.message.gap));
        self.enqueue(sender, send + 1, next);
        Ok(())
    }

    /// The send of this number, if it is one of this node's, waits until `begin`.
    fn enqueue(&mut self, node: u32, send: usize, begin: BigRational) {
        if send < self.schedule.range(node).end {
            self.waiting.insert((begin, node, send));
        }
    }

    fn trace(self) -> Result<Trace, Violation> {
        check_reached(&self.held, &None)?;
        let held: Vec<BigRational> = self.held.into_iter().flatten().collect();
        let finish = held.iter().max().map_or(Ok(0), rounded)?;
        Ok(Trace { finish, held })
    }
}

/// A time in whole ns, rounded up.
fn rounded(time: &BigRational) -> Result<u64, Violation> {
    time.ceil()
        .to_integer()
        .to_u64()
        .ok_or_else(Violation::overflow)
}
