//! What a rank needs of a transport. Its loop ([`super::exchange`]) and its experiments ([`super::probe`]) stand once,
//! over this.

use std::time::Duration;

use super::fault::Fault;
use super::message::{Lost, Message};
use super::wire::Call;

/// Something that a rank waited for.
#[derive(Debug)]
pub enum Event {
    /// A message has left its buffer.
    Sent(Message),
    /// A message has arrived.
    Received {
        /// The number that the rank gave its buffer.
        room: usize,
        /// The message.
        message: Message,
        /// When its last byte arrived.
        at: u64,
    },
    /// Another rank has signalled.
    Signalled,
}

/// What a rank waits for first of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awaited {
    /// A message to this rank leaves its buffer.
    Sent(u32),
    /// A message from this rank.
    Message(u32),
    /// A signal of this rank, such as its acknowledgment of a message.
    Signal(u32),
    /// Nothing: it only passes time.
    Nothing,
}

impl Awaited {
    /// The fault of a rank to which this did not happen.
    #[must_use]
    pub fn lost(self, lost: &Lost) -> Fault {
        match self {
            Self::Sent(peer) | Self::Signal(peer) => Fault::between("sending to", peer, lost),
            Self::Message(peer) => Fault::between("receiving from", peer, lost),
            Self::Nothing => Fault::own(lost.to_string()),
        }
    }
}

/// The messages of a rank. A send, a receive or a signal begins at once; [`Link::poll`] says when it has ended.
pub trait Link {
    /// The number of this rank.
    fn rank(&self) -> u32;

    /// Makes what must not be timed: connections to these ranks; for a call of a function of the library, the
    /// communicator of its ranks.
    ///
    /// # Errors
    /// A rank that cannot be reached.
    fn connect(&mut self, to: &[u32], call: Option<Call>) -> Result<(), Fault>;

    /// Returns when these ranks are ready. Returns whether all of them begin now; otherwise only ranks with `starts` wait for the
    /// others.
    ///
    /// # Errors
    /// A rank that is not ready in time.
    fn barrier(&mut self, ranks: &[u32], starts: bool) -> Result<bool, Fault>;

    /// Begins to send.
    ///
    /// # Errors
    /// Errors of the connection.
    fn send(&mut self, to: u32, message: Message) -> Result<(), Fault>;

    /// Begins to receive into a buffer, which gets a number; the other rank must connect to this one. Messages from one rank arrive in the order of these calls; if
    /// `answers`, each is acknowledged as soon as it has arrived.
    ///
    /// # Errors
    /// A rank that does not connect; errors of the connection; another message.
    fn receive(
        &mut self,
        from: u32,
        room: usize,
        buffer: Message,
        answers: bool,
    ) -> Result<(), Fault>;

    /// Signals to a rank.
    ///
    /// # Errors
    /// Errors of the connection.
    fn signal(&mut self, to: u32) -> Result<(), Fault>;

    /// Waits for the next event: of those that were begun, and of the awaited one. None if `within` is over; if there is
    /// none, a wait without an event for the time limit is a fault.
    ///
    /// # Errors
    /// What happened to a message, and the rank at its other end.
    fn poll(&mut self, awaited: Awaited, within: Option<Duration>) -> Result<Option<Event>, Fault>;

    /// Calls a function of the library with the operands of this rank. Returns when it began and ended.
    ///
    /// # Errors
    /// There is no library, or it does not return in time.
    fn call(&mut self, call: Call, given: &[u8], got: &mut [u8]) -> Result<(u64, u64), Fault>;

    /// Waits for the next event.
    ///
    /// # Errors
    /// Errors of [`Link::poll`].
    fn next(&mut self, awaited: Awaited) -> Result<Event, Fault> {
        let event = self.poll(awaited, None)?;
        event.ok_or_else(|| awaited.lost(&Lost::Silent))
    }
}
