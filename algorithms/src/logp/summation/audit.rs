//! Checks an executed summation against every rule, one at a time.
//!
//! The [simulator](super::simulator) chooses the time of each operation; the audit takes times as given and checks that they are
//! allowed. They share no code but the values of the operands.

use super::schedule::{Operation, Schedule};
use super::trace::{Span, Trace, value};
use super::violation::Violation;
use crate::logp::LogP;

/// Checks an execution and returns when processor 0 holds the sum.
///
/// The rules, in the order in which they are checked:
///
/// 1. every processor did what its program says, in that order;
/// 2. every operation took as long as the model says, and none began before the end of the one before it;
/// 3. two receives of a processor begin at least `g` apart;
/// 4. every processor sends at most one message, which its addressee receives once, `L` after it was sent or later;
/// 5. a partial sum is added once, after it was received;
/// 6. at most `ceil(L/g')` messages to a processor are in transit;
/// 7. nothing is lost: a processor adds exactly its own operands, sends its sum unless it is processor 0, and neither adds nor receives
///    after that;
/// 8. the sum is that of all operands.
///
/// LogP also has gaps between sends and a limit on the messages in transit from a processor. By rule 4 a processor sends one message,
/// so these rules always hold.
///
/// Cost: linear in operations and operands, plus sorting the messages to a processor by time.
pub(super) fn audit(model: LogP, schedule: &Schedule, trace: &Trace) -> Result<u64, Violation> {
    for p in 0..schedule.processors() {
        let spans = trace.spans(p);
        if !spans.iter().map(|span| &span.operation).eq(schedule.program(p)) {
            return Err(Violation::Program(p));
        }
        one_at_a_time(model, p, spans)?;
        spaced(model, p, spans)?;
    }
    messages(model, schedule.processors(), trace)?;
    (0..schedule.processors()).try_for_each(|p| nothing_is_lost(p, schedule.operands(p), trace.spans(p)))?;
    let operands = (0..schedule.processors()).try_fold(0u64, |total, p| total.checked_add(schedule.operands(p)));
    let sum = (0..operands.ok_or(Violation::TimeOverflow)?).map(|index| u128::from(value(index))).sum();
    if trace.sum != sum {
        return Err(Violation::Sum { held: trace.sum, sum });
    }
    Ok(trace.spans(0).last().map_or(0, |span| span.end))
}

/// Rule 2.
fn one_at_a_time(model: LogP, processor: u32, spans: &[Span]) -> Result<(), Violation> {
    let mut until = 0;
    for &Span { start, end, operation } in spans {
        let takes = match operation {
            Operation::Add { operands } => operands,
            Operation::Combine { .. } => 1,
            Operation::Receive { .. } | Operation::Send { .. } => model.o(),
        };
        if end.checked_sub(start) != Some(takes) {
            return Err(Violation::Duration { processor, operation, start, end });
        }
        if start < until {
            return Err(Violation::Overlap { processor, operation, start, until });
        }
        until = end;
    }
    Ok(())
}

/// Rule 3.
fn spaced(model: LogP, processor: u32, spans: &[Span]) -> Result<(), Violation> {
    let g = model.g();
    let mut last = None;
    for span in spans.iter().filter(|span| matches!(span.operation, Operation::Receive { .. })) {
        match last.replace(span.start) {
            Some(earlier) if span.start - earlier < g => {
                return Err(Violation::Gap { processor, earlier, later: span.start, g });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Rule 7. With rules 4 and 5 every operand reaches processor 0.
fn nothing_is_lost(processor: u32, operands: u64, spans: &[Span]) -> Result<(), Violation> {
    // The first operand needs no addition.
    let mut left = operands.saturating_sub(1);
    let mut sent = false;
    for &Span { operation, .. } in spans {
        let needs_a_sum = !matches!(operation, Operation::Receive { .. });
        if sent || (needs_a_sum && operands == 0) {
            return Err(Violation::NothingHeld { processor, operation });
        }
        match operation {
            Operation::Add { operands } => {
                left = left.checked_sub(operands).ok_or(Violation::NoOperand { processor, operation, left })?;
            }
            Operation::Send { .. } => sent = true,
            Operation::Receive { .. } | Operation::Combine { .. } => {}
        }
    }
    match (processor, sent) {
        _ if left > 0 => Err(Violation::NotAdded { processor, left }),
        (0, true) => Err(Violation::NoResult),
        (0, false) if operands == 0 => Err(Violation::NoResult),
        (1.., false) if operands > 0 => Err(Violation::Kept(processor)),
        _ => Ok(()),
    }
}

/// The state of a processor's message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    NotSent,
    /// Its receiver, and when it enters the network.
    Sent(u32, u64),
    ReceivedBy(u32),
    AddedBy(u32),
}

/// Rules 4 to 6.
fn messages(model: LogP, processors: u32, trace: &Trace) -> Result<(), Violation> {
    let mut fates = sent(processors, trace)?;
    let mut entered = Vec::new();
    for processor in 0..processors {
        entered.clear();
        for span in trace.spans(processor) {
            match span.operation {
                Operation::Receive { from } => {
                    entered.push(received(model, processor, from, span.start, &mut fates[from as usize])?);
                }
                Operation::Combine { from } => {
                    let fate = &mut fates[from as usize];
                    if *fate != Fate::ReceivedBy(processor) {
                        return Err(Violation::NotReceived { processor, from });
                    }
                    *fate = Fate::AddedBy(processor);
                }
                Operation::Add { .. } | Operation::Send { .. } => {}
            }
        }
        entered.sort_unstable();
        within_capacity(model, processor, &entered)?;
    }
    for (from, fate) in (0..).zip(fates) {
        match fate {
            Fate::Sent(to, _) => return Err(Violation::Unread { from, to }),
            Fate::ReceivedBy(to) => return Err(Violation::NotCombined { from, to }),
            Fate::NotSent | Fate::AddedBy(_) => {}
        }
    }
    Ok(())
}

/// Every message, by its sender. Checks that all named processors exist.
fn sent(processors: u32, trace: &Trace) -> Result<Vec<Fate>, Violation> {
    let mut fates = vec![Fate::NotSent; processors as usize];
    for processor in 0..processors {
        for &Span { start, operation, .. } in trace.spans(processor) {
            let other = match operation {
                Operation::Add { .. } => continue,
                Operation::Receive { from } | Operation::Combine { from } => from,
                Operation::Send { to } => to,
            };
            if other >= processors {
                return Err(Violation::NoSuchProcessor { processor, operation, processors });
            }
            if other == processor {
                return Err(Violation::ToItself(processor));
            }
            if let Operation::Send { to } = operation {
                let fate = &mut fates[processor as usize];
                if *fate != Fate::NotSent {
                    return Err(Violation::NothingHeld { processor, operation });
                }
                *fate = Fate::Sent(to, start);
            }
        }
    }
    Ok(fates)
}

/// Checks the receive of a message that begins at `start`. Returns when the message entered the network.
fn received(model: LogP, processor: u32, from: u32, start: u64, fate: &mut Fate) -> Result<u64, Violation> {
    let entered = match *fate {
        Fate::NotSent => return Err(Violation::Deadlock { processor, from }),
        Fate::Sent(to, _) if to != processor => return Err(Violation::NotAddressed { processor, from, to }),
        Fate::ReceivedBy(_) | Fate::AddedBy(_) => return Err(Violation::ReceivedTwice { processor, from }),
        Fate::Sent(_, begun) => begun.checked_add(model.o()).ok_or(Violation::TimeOverflow)?,
    };
    let arrival = entered.checked_add(model.L()).ok_or(Violation::TimeOverflow)?;
    if start < arrival {
        return Err(Violation::Early { processor, from, start, arrival });
    }
    *fate = Fate::ReceivedBy(processor);
    Ok(entered)
}

/// Rule 6. A message is in transit for L, so message i is still in transit when message i + capacity enters, if they enter less than L
/// apart.
fn within_capacity(model: LogP, processor: u32, entered: &[u64]) -> Result<(), Violation> {
    let Some(capacity) = model.capacity() else { return Ok(()) };
    let places = usize::try_from(capacity).unwrap_or(usize::MAX);
    match entered.iter().zip(entered.iter().skip(places)).find(|(earlier, later)| *later - *earlier < model.L()) {
        None => Ok(()),
        Some((_, &time)) => Err(Violation::Capacity { processor, time, count: capacity.saturating_add(1), capacity }),
    }
}

#[cfg(test)]
mod mutations;

#[cfg(test)]
mod tests {
    use super::*;
    use Operation::{Add, Combine, Receive, Send};

    /// An execution by hand: for every processor its operands and its operations with start and end.
    type Timed<'a> = &'a [(u64, &'a [(u64, u64, Operation)])];

    fn executed(timed: Timed) -> (Schedule, Trace) {
        let mut schedule = Schedule::default();
        let (mut spans, mut ends) = (Vec::new(), Vec::new());
        for &(operands, program) in timed {
            schedule.push(operands, program.iter().map(|&(.., operation)| operation));
            spans.extend(program.iter().map(|&(start, end, operation)| Span { start, end, operation }));
            ends.push(spans.len());
        }
        let operands: u64 = timed.iter().map(|&(operands, _)| operands).sum();
        let sum = (0..operands).map(|index| u128::from(value(index))).sum();
        (schedule, Trace { finish: 0, sum, spans, ends })
    }

    fn judge((L, o, g): (u64, u64, u64), timed: Timed) -> Result<u64, Violation> {
        let (schedule, trace) = executed(timed);
        audit(LogP::new(L, o, g).unwrap(), &schedule, &trace)
    }

    const MODEL: (u64, u64, u64) = (6, 2, 4);
    const SEND: (u64, &[(u64, u64, Operation)]) = (1, &[(0, 2, Send { to: 0 })]);
    const LATER: (u64, &[(u64, u64, Operation)]) = (5, &[(0, 4, Add { operands: 4 }), (4, 6, Send { to: 0 })]);

    #[test]
    fn an_allowed_execution_passes_even_when_it_idles() {
        let both = [(8, 10, Receive { from: 1 }), (12, 14, Receive { from: 2 }), (14, 15, Combine { from: 2 })];
        let root = [both[0], both[1], both[2], (20, 21, Combine { from: 1 })];
        assert_eq!(judge(MODEL, &[(1, &root), SEND, LATER]), Ok(21));
        assert_eq!(judge(MODEL, &[(1, &[])]), Ok(0));
    }

    #[test]
    fn every_rule_of_time_can_be_broken() {
        let receive = (8, 10, Receive { from: 1 });
        let combine = (10, 11, Combine { from: 1 });
        assert_eq!(judge(MODEL, &[(1, &[receive, combine]), SEND]), Ok(11));
        let short = judge(MODEL, &[(1, &[(8, 9, Receive { from: 1 }), combine]), SEND]);
        let operation = Receive { from: 1 };
        assert_eq!(short, Err(Violation::Duration { processor: 0, operation, start: 8, end: 9 }));
        let long = judge(MODEL, &[(3, &[(0, 3, Add { operands: 2 }), receive, combine]), SEND]);
        assert!(matches!(long, Err(Violation::Duration { processor: 0, start: 0, end: 3, .. })));
        let backwards = judge(MODEL, &[(1, &[receive, (12, 11, Combine { from: 1 })]), SEND]);
        assert!(matches!(backwards, Err(Violation::Duration { .. })));
        let busy = judge(MODEL, &[(1, &[receive, (9, 10, Combine { from: 1 })]), SEND]);
        assert_eq!(busy, Err(Violation::Overlap { processor: 0, operation: Combine { from: 1 }, start: 9, until: 10 }));
        let early = judge(MODEL, &[(1, &[(7, 9, Receive { from: 1 }), combine]), SEND]);
        assert_eq!(early, Err(Violation::Early { processor: 0, from: 1, start: 7, arrival: 8 }));
        let combines = [(20, 21, Combine { from: 1 }), (21, 22, Combine { from: 2 })];
        let close = [receive, (11, 13, Receive { from: 2 }), combines[0], combines[1]];
        let gap = Violation::Gap { processor: 0, earlier: 8, later: 11, g: 4 };
        assert_eq!(judge(MODEL, &[(1, &close), SEND, (1, &[(0, 2, Send { to: 0 })])]), Err(gap));
    }

    /// ceil(6/4) = 2: the third message enters while the first is in transit from 2 to 8.
    #[test]
    fn capacity_counts_messages_under_way() {
        let receives = [1, 2, 3].map(|from| (20 * u64::from(from), 20 * u64::from(from) + 2, Receive { from }));
        let combines = [1, 2, 3].map(|from| (90 + u64::from(from), 91 + u64::from(from), Combine { from }));
        let root: Vec<_> = receives.into_iter().chain(combines).collect();
        let send = |start| [(start, start + 2, Send { to: 0 })];
        let sent = |starts: [u64; 3]| {
            let sends = starts.map(send);
            judge(MODEL, &[(1, &root), (1, &sends[0]), (1, &sends[1]), (1, &sends[2])])
        };
        assert_eq!(sent([0, 3, 6]), Ok(94));
        assert_eq!(sent([0, 5, 6]), Ok(94));
        let full = Violation::Capacity { processor: 0, time: 7, count: 3, capacity: 2 };
        assert_eq!(sent([0, 4, 5]), Err(full));
        // No latency, or no gap: nothing to limit. Two messages enter at the same time.
        for (L, o, g) in [(0, 1, 4), (1, 0, 0)] {
            let receives = [1, 2].map(|from| (20 * u64::from(from), 20 * u64::from(from) + o, Receive { from }));
            let send = [(0, o, Send { to: 0 })];
            let root = [receives[0], receives[1], combines[0], combines[1]];
            assert_eq!(judge((L, o, g), &[(1, &root), (1, &send), (1, &send)]), Ok(93));
        }
    }

    #[test]
    fn every_rule_of_messages_can_be_broken() {
        let receive = (8, 10, Receive { from: 1 });
        let combine = (10, 11, Combine { from: 1 });
        let root = [receive, combine];
        let to = |to| [(0, 2, Send { to })];
        assert_eq!(judge(MODEL, &[(1, &root), (1, &[])]), Err(Violation::Deadlock { processor: 0, from: 1 }));
        let astray = Violation::NotAddressed { processor: 0, from: 1, to: 2 };
        assert_eq!(judge(MODEL, &[(1, &root), (1, &to(2)), (1, &[])]), Err(astray));
        assert_eq!(judge(MODEL, &[(1, &[]), SEND]), Err(Violation::Unread { from: 1, to: 0 }));
        assert_eq!(judge(MODEL, &[(1, &[receive]), SEND]), Err(Violation::NotCombined { from: 1, to: 0 }));
        assert_eq!(judge(MODEL, &[(1, &[combine]), SEND]), Err(Violation::NotReceived { processor: 0, from: 1 }));
        let again = [receive, combine, (12, 14, Receive { from: 1 })];
        assert_eq!(judge(MODEL, &[(1, &again), SEND]), Err(Violation::ReceivedTwice { processor: 0, from: 1 }));
        let added_again = [receive, combine, (11, 12, Combine { from: 1 })];
        let not_received = Violation::NotReceived { processor: 0, from: 1 };
        assert_eq!(judge(MODEL, &[(1, &added_again), SEND]), Err(not_received));
        assert_eq!(judge(MODEL, &[(1, &to(0))]), Err(Violation::ToItself(0)));
        assert!(matches!(judge(MODEL, &[(1, &to(1))]), Err(Violation::NoSuchProcessor { processors: 1, .. })));
        let twice = [(0, 2, Send { to: 0 }), (4, 6, Send { to: 0 })];
        assert!(matches!(judge(MODEL, &[(1, &root), (1, &twice)]), Err(Violation::NothingHeld { processor: 1, .. })));
        let late = [(u64::MAX - 2, u64::MAX, Send { to: 0 })];
        assert_eq!(judge(MODEL, &[(1, &root), (1, &late)]), Err(Violation::TimeOverflow));
    }

    #[test]
    fn nothing_can_be_lost() {
        let receive = (8, 10, Receive { from: 1 });
        let root: &[_] = &[receive, (10, 11, Combine { from: 1 })];
        // The processor between sends its sum before that of processor 2 is added.
        let early: &[_] = &[(8, 10, Receive { from: 2 }), (10, 12, Send { to: 0 }), (12, 13, Combine { from: 2 })];
        let late: &[_] = &[(18, 20, Receive { from: 1 }), (20, 21, Combine { from: 1 })];
        let lost = Violation::NothingHeld { processor: 1, operation: Combine { from: 2 } };
        assert_eq!(judge(MODEL, &[(1, late), (1, early), (1, &[(0, 2, Send { to: 1 })])]), Err(lost));
        let add = |operands| Operation::Add { operands };
        assert_eq!(judge(MODEL, &[(50, &[])]), Err(Violation::NotAdded { processor: 0, left: 49 }));
        let too_many = Violation::NoOperand { processor: 0, operation: add(50), left: 0 };
        assert_eq!(judge(MODEL, &[(1, &[(0, 50, add(50))])]), Err(too_many));
        assert_eq!(judge(MODEL, &[(1, &[]), (1, &[])]), Err(Violation::Kept(1)));
        assert_eq!(judge(MODEL, &[(0, &[])]), Err(Violation::NoResult));
        let taken: &[_] = &[(8, 10, Receive { from: 0 }), (10, 11, Combine { from: 0 })];
        assert_eq!(judge(MODEL, &[(1, &[(0, 2, Send { to: 1 })]), (1, taken)]), Err(Violation::NoResult));
        let back: &[_] = &[(8, 10, Receive { from: 0 }), (10, 11, Combine { from: 0 }), (11, 13, Send { to: 0 })];
        let forth: &[_] = &[(0, 2, Send { to: 1 }), (19, 21, Receive { from: 1 }), (21, 22, Combine { from: 1 })];
        assert!(matches!(judge(MODEL, &[(1, forth), (1, back)]), Err(Violation::NothingHeld { processor: 0, .. })));
        let empty: &[_] = &[(0, 2, Send { to: 0 })];
        assert_eq!(
            judge(MODEL, &[(1, root), (0, empty)]),
            Err(Violation::NothingHeld { processor: 1, operation: Send { to: 0 } })
        );
        // A processor without operands can be left out.
        assert_eq!(judge(MODEL, &[(1, root), SEND, (0, &[])]), Ok(11));
    }

    #[test]
    fn another_program_or_sum_is_caught() {
        let timed: Timed = &[(3, &[(0, 2, Add { operands: 2 })])];
        let model = LogP::new(6, 2, 4).unwrap();
        let (schedule, trace) = executed(timed);
        assert_eq!(audit(model, &schedule, &trace), Ok(2));
        let wrong = Trace { sum: trace.sum + 1, ..trace.clone() };
        assert_eq!(audit(model, &schedule, &wrong), Err(Violation::Sum { held: trace.sum + 1, sum: trace.sum }));
        let mut other = Schedule::default();
        other.push(3, [Add { operands: 1 }, Add { operands: 1 }]);
        assert_eq!(audit(model, &other, &trace), Err(Violation::Program(0)));
    }
}
