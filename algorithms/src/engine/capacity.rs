//! Executes programs whose operations follow one another on a network that takes `ceil(L/g')` messages from, and to, one
//! processor.
//!
//! **Source.** Culler et al. 1993, LogP: towards a realistic model of parallel computation, section 3.1: a processor that
//! would exceed the capacity stalls until the message can be sent.
//!
//! - A message is in transit from the end of the overhead of its send until it arrives, for `L`. Arrived messages wait at
//!   their receiver without limit.
//! - A send begins as the [engine](super) lets it, or so late that its message enters the network as soon as there is room.
//!   Of stalled messages the one that stalls longest enters first; at one time that of the lowest processor.
//! - A message is limited by its own size: it enters where fewer than `ceil(L(s)/g'(s))` are in transit, whatever their
//!   sizes, or none.
//!
//! The departure from Culler et al.: there a message may arrive earlier than after `L`.
//!
//! **Why the order is right.** Messages enter in order of time. One that depends on another enters after it, because
//! `o + L >= 1`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::program::Program;
use super::step::{Kind, Step, decode};
use super::times::{Completion, Cost, after_receive, free_from, later};
use super::{Failure, Machine, costs, observe};
use crate::error::Error;

/// A processor: what it does next, when it is free, when the gap after its last send ends, when its last receive began.
#[derive(Debug, Clone, Copy)]
struct Processor {
    next: u32,
    clock: u64,
    send_gap: u64,
    received: u64,
}

/// Messages in transit from, or to, a processor, by arrival.
type Transit = BinaryHeap<Reverse<u64>>;

/// Executes a program within the capacity of the network, and calls `started` as [`observe`] does.
///
/// # Errors
/// Errors of [`observe`]; [`Error::Parameter`] for a program with dependencies, several cpus or several nics.
///
/// ```
/// # use castbench_algorithms::internals::engine::{Builder, Machine, Operation, run, run_within_capacity};
/// # use castbench_algorithms::logp::LogP;
/// let mut builder = Builder::new(4)?;
/// for from in 1..4 {
///     builder.begin(from)?;
///     builder.push(Operation::Send { to: 0, tag: 0, bytes: 1 })?;
/// }
/// builder.begin(0)?;
/// for from in 1..4 {
///     builder.push(Operation::Receive { from, tag: 0, bytes: 1 })?;
/// }
/// let (program, machine) = (builder.in_order()?, Machine::LogP(LogP::new(6, 2, 4)?));
/// assert_eq!(run(machine, &program)?.ends, [18, 2, 2, 2]);
/// // Two messages fill the network to processor 0 up to 2 + 6.
/// assert_eq!(run_within_capacity(machine, &program, |_, _| {})?.ends, [18, 2, 2, 8]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_within_capacity(
    machine: Machine,
    program: &Program,
    started: impl FnMut(u32, u64),
) -> Result<Completion, Failure> {
    if machine.levels().is_some() {
        let expected = "expected a machine without [[level]], latencies and [[sizes]]: the capacity is that of one L and g";
        return Err(Error::parameter("capacity", "on", expected).into());
    }
    if !program.is_in_order() || program.is_posted_together() {
        let expected =
            "expected a program whose operations follow one another on one cpu and one nic";
        return Err(Error::parameter("capacity", "on", expected).into());
    }
    // Stalls only delay, so what this one refuses is all that is refused.
    observe(machine, program, |_, _| {})?;
    let idle = |&(next, _): &(u32, u32)| Processor {
        next,
        clock: 0,
        send_gap: 0,
        received: 0,
    };
    let processors: Vec<_> = program.ranges.iter().map(idle).collect();
    let transit = vec![[Transit::new(), Transit::new()]; processors.len()];
    let messages = program.messages() as usize;
    let (costs, queue) = (costs(machine, program)?, BinaryHeap::new());
    Execution {
        program,
        costs,
        processors,
        transit,
        queue,
        arrivals: vec![None; messages],
        started,
    }
    .run()
}

struct Execution<'a, F> {
    program: &'a Program,
    costs: Vec<Cost>,
    processors: Vec<Processor>,
    /// The messages in transit from each processor, and to it.
    transit: Vec<[Transit; 2]>,
    /// When a message can enter at the earliest, when it could enter at first, and its sender.
    queue: BinaryHeap<Reverse<(u64, u64, u32)>>,
    /// When each message that has entered arrives, and the index of its size.
    arrivals: Vec<Option<(u64, u32)>>,
    started: F,
}

impl<F: FnMut(u32, u64)> Execution<'_, F> {
    fn run(mut self) -> Result<Completion, Failure> {
        for processor in 0..self.program.processors() {
            self.advance(processor)?;
        }
        while let Some(Reverse((time, since, processor))) = self.queue.pop() {
            self.enter(time, since, processor)?;
        }
        Ok(Completion::new(
            self.processors
                .iter()
                .map(|processor| processor.clock)
                .collect(),
        ))
    }

    /// Runs a processor on until it sends, waits for a message that has not entered, or ends.
    fn advance(&mut self, processor: u32) -> Result<(), Failure> {
        let end = self.program.range(processor).end;
        let state = &mut self.processors[processor as usize];
        while state.next < end {
            let operation = state.next;
            let later = |time, delay| later(time, delay, (processor, operation));
            let Step { code, message, .. } = self.program.steps[operation as usize];
            let (start, duration) = match decode(code) {
                (Kind::Compute, index) => (state.clock, self.program.times[index as usize]),
                (Kind::Send, index) => {
                    let entry = later(
                        state.clock.max(state.send_gap),
                        self.costs[index as usize].o,
                    )?;
                    self.queue.push(Reverse((entry, entry, processor)));
                    return Ok(());
                }
                (Kind::Receive, _) => {
                    let Some((arrival, size)) = self.arrivals[message as usize] else {
                        return Ok(());
                    };
                    let cost = self.costs[size as usize];
                    state.received = state
                        .clock
                        .max(after_receive(state.received, cost.g))
                        .max(arrival);
                    (state.received, cost.o)
                }
            };
            state.clock = later(start, duration)?;
            state.next += 1;
            (self.started)(operation, start);
        }
        Ok(())
    }

    /// The next message of a processor enters the network, or stalls until the next one has arrived.
    fn enter(&mut self, time: u64, since: u64, processor: u32) -> Result<(), Failure> {
        let operation = self.processors[processor as usize].next;
        let Step {
            code,
            peer,
            message,
        } = self.program.steps[operation as usize];
        let (_, size) = decode(code);
        let Cost { L, o, g } = self.costs[size as usize];
        let gap = g.max(o);
        let most = if gap == 0 {
            u64::MAX
        } else {
            L.div_ceil(gap).max(1)
        };
        for (end, side) in [(processor, 0), (peer, 1)] {
            let transit = &mut self.transit[end as usize][side];
            while transit
                .peek()
                .is_some_and(|Reverse(arrival)| *arrival <= time)
            {
                transit.pop();
            }
            if let Some(&Reverse(arrival)) = transit.peek().filter(|_| transit.len() as u64 >= most)
            {
                self.queue.push(Reverse((arrival, since, processor)));
                return Ok(());
            }
        }
        let arrival = later(time, L, (processor, operation))?;
        self.transit[processor as usize][0].push(Reverse(arrival));
        self.transit[peer as usize][1].push(Reverse(arrival));
        self.arrivals[message as usize] = Some((arrival, size));
        let state = &mut self.processors[processor as usize];
        (state.clock, state.send_gap) = (time, free_from(time - o, g));
        state.next += 1;
        (self.started)(operation, time - o);
        self.advance(processor)?;
        let waits = self.processors[peer as usize].next;
        let is_awaited = self.program.range(peer).contains(&waits) && {
            let step = self.program.steps[waits as usize];
            decode(step.code).0 == Kind::Receive && step.message == message
        };
        if is_awaited {
            self.advance(peer)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collectives::{Algorithm, Collective, Task, alltoall, barrier, gather, reduce};
    use crate::engine::Operation;
    use crate::logp::LogP;

    /// Every unit of time, one after the other.
    fn ticks(machine: Machine, program: &Program) -> Vec<u64> {
        let ranks = program.processors() as usize;
        let (mut next, mut free, mut send, mut received) = (
            vec![0; ranks],
            vec![0; ranks],
            vec![0; ranks],
            vec![None; ranks],
        );
        let mut stalls: Vec<Option<u64>> = vec![None; ranks];
        // Sender, receiver, tag, size, arrival, and whether it was received.
        let mut sent: Vec<(u32, u32, u32, u64, u64, bool)> = Vec::new();
        for now in 0.. {
            let operation = |rank: usize, next: usize| {
                let range = program.range(u32::try_from(rank).unwrap());
                range
                    .clone()
                    .nth(next)
                    .map(|operation| program.operation(operation))
            };
            loop {
                let before = next.clone();
                for (rank, me) in (0..ranks).zip(0u32..) {
                    match operation(rank, next[rank]) {
                        Some(Operation::Compute { time }) if free[rank] <= now => {
                            free[rank] = now + time
                        }
                        Some(Operation::Receive { from, tag, .. }) if free[rank] <= now => {
                            let fits = |m: &&mut (u32, u32, u32, u64, u64, bool)| {
                                (m.0, m.1, m.2, m.5) == (from, me, tag, false)
                            };
                            let Some(message) = sent.iter_mut().find(fits) else {
                                continue;
                            };
                            let model = machine.at(message.3).unwrap();
                            if message.4 > now
                                || received[rank].is_some_and(|last| last + model.g() > now)
                            {
                                continue;
                            }
                            message.5 = true;
                            (free[rank], received[rank]) = (now + model.o(), Some(now));
                        }
                        _ => continue,
                    }
                    next[rank] += 1;
                }
                let mut order: Vec<usize> = (0..ranks).collect();
                order.sort_by_key(|&rank| stalls[rank].unwrap_or(now));
                for rank in order {
                    let Some(Operation::Send { to, tag, bytes }) = operation(rank, next[rank])
                    else {
                        continue;
                    };
                    let (me, model) = (u32::try_from(rank).unwrap(), machine.at(bytes).unwrap());
                    if now < free[rank].max(send[rank]) + model.o() {
                        continue;
                    }
                    stalls[rank] = stalls[rank].or(Some(now));
                    let count = |of: &dyn Fn(u32, u32) -> bool| {
                        sent.iter().filter(|m| of(m.0, m.1) && m.4 > now).count() as u64
                    };
                    let most = model.capacity().map_or(u64::MAX, |most| most.max(1));
                    if count(&|from, _| from == me).max(count(&|_, receiver| receiver == to)) < most
                    {
                        sent.push((me, to, tag, bytes, now + model.L(), false));
                        (free[rank], send[rank], stalls[rank]) =
                            (now, now - model.o() + model.g(), None);
                        next[rank] += 1;
                    }
                }
                if before == next {
                    break;
                }
            }
            if (0..ranks).all(|rank| operation(rank, next[rank]).is_none()) {
                return free;
            }
        }
        unreachable!()
    }

    fn check(collective: &'static Collective, stalls: &mut u32) {
        for (L, o, g) in [
            (6, 2, 4),
            (3, 0, 1),
            (9, 1, 2),
            (1, 0, 5),
            (0, 2, 1),
            (5, 3, 0),
            (20, 1, 6),
        ] {
            for (entry, K) in collective
                .entries
                .iter()
                .flat_map(|entry| (1..=9).map(move |K| (entry, K)))
            {
                let algorithm: &dyn Algorithm = entry.algorithm;
                let n = if collective.parameters.0.iter().any(|axis| axis.key == "n") {
                    3
                } else {
                    1
                };
                let task = Task::new(Machine::Words(LogP::new(L, o, g).unwrap()), K, n, 0);
                if algorithm.time(&task).is_err() {
                    continue;
                }
                let program = algorithm.compiled(&task).unwrap().program;
                for machine in [task.machine, Machine::LogP(LogP::new(L, o, g).unwrap())] {
                    let what = format!("{} K={K} on {machine:?}", entry.name);
                    let mut starts = [
                        vec![None; program.operations()],
                        vec![None; program.operations()],
                    ];
                    let [late, early] = &mut starts;
                    let within = run_within_capacity(machine, &program, |at, start| {
                        late[at as usize] = Some(start)
                    });
                    let within = within.unwrap();
                    assert_eq!(within.ends, ticks(machine, &program), "{what}");
                    let without = observe(machine, &program, |at, start| {
                        early[at as usize] = Some(start)
                    })
                    .unwrap();
                    assert!(
                        late.iter().zip(&*early).all(|(late, early)| late >= early),
                        "{what}"
                    );
                    assert!(
                        within
                            .ends
                            .iter()
                            .zip(&without.ends)
                            .all(|(within, without)| within >= without),
                        "{what}"
                    );
                    *stalls += u32::from(late != early);
                }
            }
        }
    }

    #[test]
    fn collectives_stall_as_on_a_slow_clock() {
        for collective in [&barrier::BARRIER, &gather::GATHER, &reduce::REDUCE] {
            let mut stalls = 0;
            check(collective, &mut stalls);
            assert!(stalls > 20, "{stalls}");
        }
        // Ranks send to different ranks at one time.
        let mut stalls = 0;
        check(&alltoall::ALLTOALL, &mut stalls);
        assert_eq!(stalls, 0);
    }

    #[test]
    fn only_programs_in_order_are_executed() {
        let machine = Machine::LogP(LogP::new(6, 2, 4).unwrap());
        let mut builder = crate::engine::Builder::new(1).unwrap();
        builder.begin(0).unwrap();
        builder
            .push_on(Operation::Compute { time: 1 }, (1, 0))
            .unwrap();
        let program = builder.by_dependencies().unwrap();
        assert!(matches!(
            run_within_capacity(machine, &program, |_, _| {}),
            Err(Failure::Machine(_))
        ));
    }
}
