//! An operation as a program stores it.

/// The most operations of a program: two of 32 bits are the kind of an operation.
pub const MAX_OPERATIONS: u32 = (1 << 30) - 1;

/// No operation, no message.
pub(super) const NONE: u32 = u32::MAX;

/// Any sender, or any tag, of a receive.
pub const ANY: u32 = NONE;

/// The kind of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    Compute,
    Send,
    Receive,
}

impl Kind {
    /// The kind and the index of a size or time, in one number.
    #[inline]
    pub(super) fn code(self, index: u32) -> u32 {
        (self as u32) << 30 | index
    }
}

/// A stored operation. Its parts are side by side because they are read together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    /// Its kind, and the index of its size or time in `sizes` or `times`.
    pub code: u32,
    /// The other processor; unused for a computation.
    pub peer: u32,
    /// The number of its message, or of some message of its channel; unused for a computation.
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
