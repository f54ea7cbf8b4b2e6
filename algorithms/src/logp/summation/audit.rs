//! Checks an executed summation against every rule, one at a time.
//!
//! The [simulator](super::simulator) chooses the time of each operation; the audit takes times as given and checks that they are
//! allowed. They share no code but the values of the operands and the durations of operations.

use super::schedule::{Operation, Schedule};
use super::trace::{Span, Trace, value};
use crate::logp::LogP;
use crate::logp::rules::{check_apart, check_capacity};
use crate::violation::{Rule, Violation};

/// Checks an execution and returns when processor 0 holds the sum.
///
/// The rules, in the order in which they are checked:
///
/// 1. every processor did what its program says, in that order;
/// 2. every operation took as long as the model says, and none began before the end of the one before it;
/// 3. two receives of a processor begin at least `g` apart;
/// 4. every processor sends at most one message, which its addressee receives once, `L` after it was sent or later;
/// 5. a partial sum is added once, after it was received;
/// 6. nothing is lost: a processor adds exactly its own operands, sends its sum unless it is processor 0, and neither adds nor
///    receives after that;
/// 7. at most `ceil(L/g')` messages to a processor are in transit;
/// 8. the sum is that of all operands.
///
/// LogP also has gaps between sends and a limit on the messages in transit from a processor. By rule 4 a processor sends one message,
/// so these rules always hold.
///
/// Cost: linear in operations and operands, plus sorting the messages to a processor by time.
pub(super) fn audit(model: LogP, schedule: &Schedule, trace: &Trace) -> Result<u64, Violation> {
    for p in 0..schedule.processors() {
        let spans = trace.spans(p);
        let is_program = spans
            .iter()
            .map(|span| &span.operation)
            .eq(schedule.program(p));
        Rule::Program.unless(is_program, || {
            format!("what processor {p} did is not its program")
        })?;
        one_at_a_time(model, p, spans)?;
        let receives = spans
            .iter()
            .filter(|span| matches!(span.operation, Operation::Receive { .. }));
        let starts = receives.map(|span| span.start);
        check_apart(
            Rule::Gap,
            format_args!("processor {p} begins two receives"),
            ("g", model.g()),
            starts,
        )?;
    }
    let mut entered = messages(model, schedule.processors(), trace)?;
    (0..schedule.processors())
        .try_for_each(|p| nothing_is_lost(p, schedule.operands(p), trace.spans(p)))?;
    entered.sort_unstable();
    for to_one in entered.chunk_by(|a, b| a.0 == b.0) {
        let direction = format_args!("to processor {}", to_one[0].0);
        check_capacity(model, direction, to_one.iter().map(|&(_, time)| time))?;
    }
    let operands = (0..schedule.processors())
        .try_fold(0u64, |total, p| total.checked_add(schedule.operands(p)));
    let sum = (0..operands.ok_or_else(Violation::overflow)?)
        .map(|index| u128::from(value(index)))
        .sum::<u128>();
    let text = || {
        format!(
            "processor 0 holds {} at the end, the sum of all operands is {sum}",
            trace.sum
        )
    };
    Rule::Differs.unless(trace.sum == sum, text)?;
    Ok(trace.spans(0).last().map_or(0, |span| span.end))
}

/// Rule 2.
fn one_at_a_time(model: LogP, processor: u32, spans: &[Span]) -> Result<(), Violation> {
    let mut until = 0;
    for &Span {
        start,
        end,
        operation,
    } in spans
    {
        let is_as_long = end.checked_sub(start) == Some(operation.takes(model.o()));
        let text = || {
            format!(
                "processor {processor} {operation} from time {start} to {end}, which is not how long that takes"
            )
        };
        Rule::Duration.unless(is_as_long, text)?;
        let text = || {
            format!(
                "processor {processor} {operation} from time {start}, but is busy until {until}"
            )
        };
        Rule::Overlap.unless(start >= until, text)?;
        until = end;
    }
    Ok(())
}

/// Rule 6. With rules 4 and 5 every operand reaches processor 0.
fn nothing_is_lost(processor: u32, operands: u64, spans: &[Span]) -> Result<(), Violation> {
    // The first operand needs no addition.
    let mut left = operands.saturating_sub(1);
    let mut sent = false;
    for &Span { operation, .. } in spans {
        let needs_a_sum = !matches!(operation, Operation::Receive { .. });
        if sent || (needs_a_sum && operands == 0) {
            return Err(not_held(processor, operation));
        }
        match operation {
            Operation::Add { operands } => {
                let text =
                    || format!("processor {processor} {operation}, but has only {left} left");
                Rule::NoOperand.unless(operands <= left, text)?;
                left -= operands;
            }
            Operation::Send { .. } => sent = true,
            Operation::Receive { .. } | Operation::Combine { .. } => {}
        }
    }
    Rule::NotAdded.unless(left == 0, || {
        format!("processor {processor} never adds {left} of its operands")
    })?;
    let has_result = processor > 0 || !sent && operands > 0;
    Rule::NoResult.unless(has_result, || "processor 0 holds no sum at the end")?;
    let is_sent = processor == 0 || sent || operands == 0;
    Rule::Kept.unless(is_sent, || {
        format!("processor {processor} never sends its partial sum")
    })
}

/// An operation on a partial sum that does not exist: no own operand, or already sent.
#[cold]
fn not_held(processor: u32, operation: Operation) -> Violation {
    Rule::NotHeld.broken(format_args!(
        "processor {processor} {operation}, but holds nothing"
    ))
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

/// Rules 4 and 5. Returns the receiver of each message, and when the message entered the network.
fn messages(model: LogP, processors: u32, trace: &Trace) -> Result<Vec<(u32, u64)>, Violation> {
    let mut fates = sent(processors, trace)?;
    let mut entered = Vec::with_capacity(processors as usize);
    for processor in 0..processors {
        for span in trace.spans(processor) {
            match span.operation {
                Operation::Receive { from } => {
                    let time = received(
                        model,
                        processor,
                        from,
                        span.start,
                        &mut fates[from as usize],
                    )?;
                    entered.push((processor, time));
                }
                Operation::Combine { from } => {
                    let fate =
                        std::mem::replace(&mut fates[from as usize], Fate::AddedBy(processor));
                    let text = || {
                        format!(
                            "processor {processor} adds the partial sum of {from}, which it has not received or has added before"
                        )
                    };
                    Rule::NotReceived.unless(fate == Fate::ReceivedBy(processor), text)?;
                }
                Operation::Add { .. } | Operation::Send { .. } => {}
            }
        }
    }
    for (from, fate) in (0..).zip(fates) {
        let (rule, text) = match fate {
            Fate::Sent(to, _) => (
                Rule::Unread,
                format!("processor {to} never receives the partial sum of {from}"),
            ),
            Fate::ReceivedBy(to) => (
                Rule::NotCombined,
                format!("processor {to} receives the partial sum of {from} but never adds it"),
            ),
            Fate::NotSent | Fate::AddedBy(_) => continue,
        };
        return Err(rule.broken(text));
    }
    Ok(entered)
}

/// Every message, by its sender. Checks that all named processors exist.
fn sent(processors: u32, trace: &Trace) -> Result<Vec<Fate>, Violation> {
    let mut fates = vec![Fate::NotSent; processors as usize];
    for processor in 0..processors {
        for &Span {
            start, operation, ..
        } in trace.spans(processor)
        {
            let other = match operation {
                Operation::Add { .. } => continue,
                Operation::Receive { from } | Operation::Combine { from } => from,
                Operation::Send { to } => to,
            };
            let text = || {
                format!(
                    "processor {processor} {operation}; the processors are 0 to P - 1, P = {processors}"
                )
            };
            Rule::NoSuchNode.unless(other < processors, text)?;
            let text = || format!("processor {processor} exchanges a message with itself");
            Rule::ToItself.unless(other != processor, text)?;
            if let Operation::Send { to } = operation {
                let fate = &mut fates[processor as usize];
                if *fate != Fate::NotSent {
                    return Err(not_held(processor, operation));
                }
                *fate = Fate::Sent(to, start);
            }
        }
    }
    Ok(fates)
}

/// Checks the receive of a message that begins at `start`. Returns when the message entered the network.
fn received(
    model: LogP,
    processor: u32,
    from: u32,
    start: u64,
    fate: &mut Fate,
) -> Result<u64, Violation> {
    let (to, begun) = match *fate {
        Fate::NotSent => {
            let text = format_args!(
                "processor {processor} waits forever: {from} never sends it a message"
            );
            return Err(Rule::Deadlock.broken(text));
        }
        Fate::ReceivedBy(_) | Fate::AddedBy(_) => {
            let text = format_args!(
                "processor {processor} receives the partial sum of {from} a second time"
            );
            return Err(Rule::Twice.broken(text));
        }
        Fate::Sent(to, begun) => (to, begun),
    };
    let text = || format!("processor {processor} receives from {from}, which sends to {to}");
    Rule::NotAddressed.unless(to == processor, text)?;
    let entered = begun
        .checked_add(model.o())
        .ok_or_else(Violation::overflow)?;
    let arrival = entered
        .checked_add(model.L())
        .ok_or_else(Violation::overflow)?;
    let text = || {
        format!(
            "processor {processor} receives from {from} at time {start}, but the message arrives at {arrival}"
        )
    };
    Rule::Early.unless(start >= arrival, text)?;
    *fate = Fate::ReceivedBy(processor);
    Ok(entered)
}

#[cfg(test)]
#[path = "audit/tests.rs"]
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
            spans.extend(program.iter().map(|&(start, end, operation)| Span {
                start,
                end,
                operation,
            }));
            ends.push(spans.len());
        }
        let operands: u64 = timed.iter().map(|&(operands, _)| operands).sum();
        let sum = (0..operands).map(|index| u128::from(value(index))).sum();
        (
            schedule,
            Trace {
                finish: 0,
                sum,
                spans,
                ends,
            },
        )
    }

    fn judge((L, o, g): (u64, u64, u64), timed: Timed) -> Result<u64, Violation> {
        let (schedule, trace) = executed(timed);
        audit(LogP::new(L, o, g).unwrap(), &schedule, &trace)
    }

    fn broken(rule: Rule, text: &str) -> Result<u64, Violation> {
        Err(rule.broken(text))
    }

    const MODEL: (u64, u64, u64) = (6, 2, 4);
    const SEND: (u64, &[(u64, u64, Operation)]) = (1, &[(0, 2, Send { to: 0 })]);
    const LATER: (u64, &[(u64, u64, Operation)]) =
        (5, &[(0, 4, Add { operands: 4 }), (4, 6, Send { to: 0 })]);

    #[test]
    fn an_allowed_execution_passes_even_when_it_idles() {
        let both = [
            (8, 10, Receive { from: 1 }),
            (12, 14, Receive { from: 2 }),
            (14, 15, Combine { from: 2 }),
        ];
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
        let text = "processor 0 receives from 1 from time 8 to 9, which is not how long that takes";
        assert_eq!(short, broken(Rule::Duration, text));
        let long = judge(
            MODEL,
            &[(3, &[(0, 3, Add { operands: 2 }), receive, combine]), SEND],
        );
        let text =
            "processor 0 adds 2 of its operands from time 0 to 3, which is not how long that takes";
        assert_eq!(long, broken(Rule::Duration, text));
        let backwards = judge(
            MODEL,
            &[(1, &[receive, (12, 11, Combine { from: 1 })]), SEND],
        );
        assert_eq!(backwards.unwrap_err().rule, Rule::Duration);
        let busy = judge(
            MODEL,
            &[(1, &[receive, (9, 10, Combine { from: 1 })]), SEND],
        );
        let text = "processor 0 adds the partial sum of 1 from time 9, but is busy until 10";
        assert_eq!(busy, broken(Rule::Overlap, text));
        let early = judge(MODEL, &[(1, &[(7, 9, Receive { from: 1 }), combine]), SEND]);
        let text = "processor 0 receives from 1 at time 7, but the message arrives at 8";
        assert_eq!(early, broken(Rule::Early, text));
        let combines = [(20, 21, Combine { from: 1 }), (21, 22, Combine { from: 2 })];
        let close = [
            receive,
            (11, 13, Receive { from: 2 }),
            combines[0],
            combines[1],
        ];
        let gap = broken(
            Rule::Gap,
            "processor 0 begins two receives at times 8 and 11, less than g = 4 apart",
        );
        assert_eq!(
            judge(MODEL, &[(1, &close), SEND, (1, &[(0, 2, Send { to: 0 })])]),
            gap
        );
    }

    /// ceil(6/4) = 2: the third message enters while the first is in transit from 2 to 8.
    #[test]
    fn capacity_counts_messages_under_way() {
        let receives = [1, 2, 3].map(|from| {
            (
                20 * u64::from(from),
                20 * u64::from(from) + 2,
                Receive { from },
            )
        });
        let combines =
            [1, 2, 3].map(|from| (90 + u64::from(from), 91 + u64::from(from), Combine { from }));
        let root: Vec<_> = receives.into_iter().chain(combines).collect();
        let send = |start| [(start, start + 2, Send { to: 0 })];
        let sent = |starts: [u64; 3]| {
            let sends = starts.map(send);
            judge(
                MODEL,
                &[(1, &root), (1, &sends[0]), (1, &sends[1]), (1, &sends[2])],
            )
        };
        assert_eq!(sent([0, 3, 6]), Ok(94));
        assert_eq!(sent([0, 5, 6]), Ok(94));
        let text =
            "3 messages are in transit to processor 0 at time 7; the network takes ceil(L/g') = 2";
        assert_eq!(sent([0, 4, 5]), broken(Rule::Capacity, text));
        // No latency, or no gap: nothing to limit. Two messages enter at the same time.
        for (L, o, g) in [(0, 1, 4), (1, 0, 0)] {
            let receives = [1, 2].map(|from| {
                (
                    20 * u64::from(from),
                    20 * u64::from(from) + o,
                    Receive { from },
                )
            });
            let send = [(0, o, Send { to: 0 })];
            let root = [receives[0], receives[1], combines[0], combines[1]];
            assert_eq!(
                judge((L, o, g), &[(1, &root), (1, &send), (1, &send)]),
                Ok(93)
            );
        }
    }

    #[test]
    fn every_rule_of_messages_can_be_broken() {
        let receive = (8, 10, Receive { from: 1 });
        let combine = (10, 11, Combine { from: 1 });
        let root = [receive, combine];
        let to = |to| [(0, 2, Send { to })];
        let forever = broken(
            Rule::Deadlock,
            "processor 0 waits forever: 1 never sends it a message",
        );
        assert_eq!(judge(MODEL, &[(1, &root), (1, &[])]), forever);
        let astray = broken(
            Rule::NotAddressed,
            "processor 0 receives from 1, which sends to 2",
        );
        assert_eq!(judge(MODEL, &[(1, &root), (1, &to(2)), (1, &[])]), astray);
        let unread = broken(
            Rule::Unread,
            "processor 0 never receives the partial sum of 1",
        );
        assert_eq!(judge(MODEL, &[(1, &[]), SEND]), unread);
        let not_added = broken(
            Rule::NotCombined,
            "processor 0 receives the partial sum of 1 but never adds it",
        );
        assert_eq!(judge(MODEL, &[(1, &[receive]), SEND]), not_added);
        let text =
            "processor 0 adds the partial sum of 1, which it has not received or has added before";
        assert_eq!(
            judge(MODEL, &[(1, &[combine]), SEND]),
            broken(Rule::NotReceived, text)
        );
        let again = [receive, combine, (12, 14, Receive { from: 1 })];
        let twice = broken(
            Rule::Twice,
            "processor 0 receives the partial sum of 1 a second time",
        );
        assert_eq!(judge(MODEL, &[(1, &again), SEND]), twice);
        let added_again = [receive, combine, (11, 12, Combine { from: 1 })];
        assert_eq!(
            judge(MODEL, &[(1, &added_again), SEND]),
            broken(Rule::NotReceived, text)
        );
        let itself = broken(
            Rule::ToItself,
            "processor 0 exchanges a message with itself",
        );
        assert_eq!(judge(MODEL, &[(1, &to(0))]), itself);
        let nowhere = broken(
            Rule::NoSuchNode,
            "processor 0 sends to 1; the processors are 0 to P - 1, P = 1",
        );
        assert_eq!(judge(MODEL, &[(1, &to(1))]), nowhere);
        let twice = [(0, 2, Send { to: 0 }), (4, 6, Send { to: 0 })];
        let nothing = broken(Rule::NotHeld, "processor 1 sends to 0, but holds nothing");
        assert_eq!(judge(MODEL, &[(1, &root), (1, &twice)]), nothing);
        let late = [(u64::MAX - 2, u64::MAX, Send { to: 0 })];
        assert_eq!(
            judge(MODEL, &[(1, &root), (1, &late)]),
            Err(Violation::overflow())
        );
    }

    #[test]
    fn nothing_can_be_lost() {
        let receive = (8, 10, Receive { from: 1 });
        let root: &[_] = &[receive, (10, 11, Combine { from: 1 })];
        // The processor between sends its sum before that of processor 2 is added.
        let early: &[_] = &[
            (8, 10, Receive { from: 2 }),
            (10, 12, Send { to: 0 }),
            (12, 13, Combine { from: 2 }),
        ];
        let late: &[_] = &[(18, 20, Receive { from: 1 }), (20, 21, Combine { from: 1 })];
        let lost = broken(
            Rule::NotHeld,
            "processor 1 adds the partial sum of 2, but holds nothing",
        );
        assert_eq!(
            judge(
                MODEL,
                &[(1, late), (1, early), (1, &[(0, 2, Send { to: 1 })])]
            ),
            lost
        );
        let add = |operands| Operation::Add { operands };
        let not_added = broken(Rule::NotAdded, "processor 0 never adds 49 of its operands");
        assert_eq!(judge(MODEL, &[(50, &[])]), not_added);
        let too_many = broken(
            Rule::NoOperand,
            "processor 0 adds 50 of its operands, but has only 0 left",
        );
        assert_eq!(judge(MODEL, &[(1, &[(0, 50, add(50))])]), too_many);
        let kept = broken(Rule::Kept, "processor 1 never sends its partial sum");
        assert_eq!(judge(MODEL, &[(1, &[]), (1, &[])]), kept);
        let no_result = || broken(Rule::NoResult, "processor 0 holds no sum at the end");
        assert_eq!(judge(MODEL, &[(0, &[])]), no_result());
        let taken: &[_] = &[(8, 10, Receive { from: 0 }), (10, 11, Combine { from: 0 })];
        assert_eq!(
            judge(MODEL, &[(1, &[(0, 2, Send { to: 1 })]), (1, taken)]),
            no_result()
        );
        let back: &[_] = &[
            (8, 10, Receive { from: 0 }),
            (10, 11, Combine { from: 0 }),
            (11, 13, Send { to: 0 }),
        ];
        let forth: &[_] = &[
            (0, 2, Send { to: 1 }),
            (19, 21, Receive { from: 1 }),
            (21, 22, Combine { from: 1 }),
        ];
        let nothing = broken(
            Rule::NotHeld,
            "processor 0 receives from 1, but holds nothing",
        );
        assert_eq!(judge(MODEL, &[(1, forth), (1, back)]), nothing);
        let empty: &[_] = &[(0, 2, Send { to: 0 })];
        let nothing = broken(Rule::NotHeld, "processor 1 sends to 0, but holds nothing");
        assert_eq!(judge(MODEL, &[(1, root), (0, empty)]), nothing);
        // A processor without operands can be left out.
        assert_eq!(judge(MODEL, &[(1, root), SEND, (0, &[])]), Ok(11));
    }

    #[test]
    fn another_program_or_sum_is_caught() {
        let timed: Timed = &[(3, &[(0, 2, Add { operands: 2 })])];
        let model = LogP::new(6, 2, 4).unwrap();
        let (schedule, trace) = executed(timed);
        assert_eq!(audit(model, &schedule, &trace), Ok(2));
        let wrong = Trace {
            sum: trace.sum + 1,
            ..trace.clone()
        };
        let (sum, held) = (trace.sum, trace.sum + 1);
        let text = format!("processor 0 holds {held} at the end, the sum of all operands is {sum}");
        assert_eq!(
            audit(model, &schedule, &wrong),
            broken(Rule::Differs, &text)
        );
        let mut other = Schedule::default();
        other.push(3, [Add { operands: 1 }, Add { operands: 1 }]);
        assert_eq!(
            audit(model, &other, &trace),
            broken(Rule::Program, "what processor 0 did is not its program")
        );
    }
}
