//! Delivers messages to receives that wait for them, and advances their processors.

use super::super::fault::Fault;
use super::super::mail::Letter;
use super::super::times::Begun;
use super::{BATCH, Execution, HAS_MESSAGE};

impl<F: FnMut(Begun)> Execution<'_, F> {
    /// Advances a processor; if many messages are on their way, also the processors that get their last message.
    #[inline]
    pub(super) fn advance_all(&mut self, processor: u32) -> Result<(), Fault> {
        self.advance(processor)?;
        if self.mail.under_way() >= BATCH { self.deliver_all() } else { Ok(()) }
    }

    /// Delivers sent messages and advances the processors that get their last one, until none is on its way.
    pub(super) fn deliver_all(&mut self) -> Result<(), Fault> {
        loop {
            self.deliver();
            if self.runnable.is_empty() {
                return Ok(());
            }
            while self.mail.under_way() < BATCH
                && let Some(processor) = self.runnable.pop()
            {
                self.advance(processor)?;
            }
        }
    }

    /// Delivers the messages that have been sent to the receives that wait for them.
    pub(super) fn deliver(&mut self) {
        let letters = self.mail.letters();
        for letter in letters {
            self.processors[letter.to as usize].receives -= 1;
        }
        for &Letter { to, receive, arrival, .. } in letters {
            let state = &mut self.processors[to as usize];
            let now = state.now;
            if arrival <= now {
                state.ready += 1;
                self.ports.ready(receive);
            } else {
                self.coming.push(&mut state.coming, arrival, receive | HAS_MESSAGE);
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
}
