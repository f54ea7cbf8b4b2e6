//! An operation as a program keeps it.

/// The most operations of a program: two bits of 32 tell what an operation is.
pub const MAX_OPERATIONS: u32 = (1 << 30) - 1;

/// No operation, no message.
pub(super) const NONE: u32 = u32::MAX;

/// What an operation is, without its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    Compute,
    Send,
    Receive,
}

impl Kind {
    /// Written down with where the size or the time of an operation stands.
    #[inline]
    pub(super) fn code(self, index: u32) -> u32 {
        (self as u32) << 30 | index
    }
}

/// An operation as it is kept, in one place, for whoever looks at one part needs the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    /// Its kind, and where its size or time stands in `sizes` or `times`.
    pub code: u32,
    /// The other processor; nothing of a computation.
    pub peer: u32,
    /// The number of its message, or where several have a channel some message of it; nothing of a computation.
    pub message: u32,
}

/// The parts of a [`Step::code`].
#[inline]
pub(super) fn decode(code: u32) -> (Kind, u32) {
    let kind = match code >> 30 {
        0 => Kind::Compute,
        1 => Kind::Send,
        _ => Kind::Receive,
    };
    (kind, code & MAX_OPERATIONS)
}
