//! Delivers messages to receives that wait for them, and advances their processors.

use super::super::fault::Fault;
use super::super::mail::Letter;
use super::super::ports::Ports;
use super::super::times::Begun;
use super::{BATCH, Execution, HAS_MESSAGE, TOGETHER};

/// The indices of a processor's memory.
#[derive(Clone, Copy, Default)]
struct Indices {
    start: u32,
    end: u32,
    coming: u32,
    dependents: (u32, u32),
    message: u32,
}

impl<P: Ports, F: FnMut(Begun)> Execution<'_, P, F> {
    /// Advances a processor; if many messages are on their way, also the processors that get their last message.
    #[inline]
    pub(super) fn advance_all(&mut self, processor: u32) -> Result<(), Fault> {
        self.advance(processor)?;
        if self.mail.under_way() >= BATCH {
            self.deliver_all()
        } else {
            Ok(())
        }
    }

    /// Delivers sent messages and advances the processors that get their last one, until none is on its way.
    pub(super) fn deliver_all(&mut self) -> Result<(), Fault> {
        let mut processors = [0; TOGETHER];
        loop {
            self.deliver();
            if self.runnable.is_empty() {
                return Ok(());
            }
            while !self.runnable.is_empty() && self.mail.under_way() < BATCH {
                let rest = self.runnable.len().saturating_sub(TOGETHER);
                let some = &mut processors[..self.runnable.len() - rest];
                some.copy_from_slice(&self.runnable[rest..]);
                self.runnable.truncate(rest);
                self.fetch(some);
                for &mut processor in some {
                    self.advance(processor)?;
                }
            }
        }
    }

    /// Delivers the messages that have been sent to the receives that wait for them.
    pub(super) fn deliver(&mut self) {
        let letters = self.mail.letters();
        for letter in letters {
            self.processors[letter.to as usize].receives -= 1;
        }
        for &Letter {
            to,
            receive,
            arrival,
            ..
        } in letters
        {
            let state = &mut self.processors[to as usize];
            let now = P::now(&state.busy);
            if arrival <= now {
                state.ready += 1;
                self.ports.ready(self.program, to, receive);
            } else {
                self.coming
                    .push(&mut state.coming, arrival, receive | HAS_MESSAGE);
            }
            let time = arrival.max(now);
            let span = time >> self.shift;
            if state.receives == 0 {
                // A processor that gets several messages is listed several times.
                self.runnable.push(to);
            } else if state.wake == 0 || span < state.wake {
                state.wake = span;
                self.queue.push(span, to);
            }
        }
        self.mail.clear();
    }

    /// Reads the memory of processors before any is advanced, so that cache misses overlap. No branch may depend on the values.
    pub(super) fn fetch(&self, processors: &[u32]) {
        let mut all = [Indices::default(); TOGETHER];
        let all = &mut all[..processors.len()];
        for (&processor, own) in processors.iter().zip(&mut *all) {
            let (start, end) = self.program.ranges[processor as usize];
            let state = &self.processors[processor as usize];
            *own = Indices {
                start,
                end,
                coming: state.coming,
                ..Indices::default()
            };
            std::hint::black_box(P::now(&state.busy));
        }
        let message = |operation: u32| {
            self.program
                .steps
                .get(operation as usize)
                .map_or(0, |step| step.message)
        };
        let awaited = |operation: u32| self.awaited.get(operation as usize).copied().unwrap_or(0);
        for own in &mut *all {
            let Indices {
                start, end, coming, ..
            } = *own;
            own.dependents = (
                self.dependents.first_of(start),
                self.dependents.first_of(end),
            );
            own.message = message(start);
            // A line of a cache holds five steps.
            let steps = message((start + 5).min(end)) ^ message((start + 10).min(end));
            std::hint::black_box(steps ^ awaited(start) ^ awaited(end) ^ self.coming.key(coming).1);
        }
        for own in all {
            let (first, end) = own.dependents;
            std::hint::black_box(self.dependents.waiter(first) ^ self.dependents.waiter(end));
            std::hint::black_box(self.mail.peek(own.message));
        }
    }
}
