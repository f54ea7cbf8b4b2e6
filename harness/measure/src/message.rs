//! One message from one rank to another, over TCP.
//!
//! A message is a header (execution and length) and its bytes. Its receiver answers with one byte when it has all of
//! them. A `write` returns when the kernel's buffer has the last byte. The wire may be busy for as long again, and a
//! second message would share it. So a send ends with the answer, as a send in LogP ends before the next begins.

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use rustix::event::{PollFd, Timespec, poll};
use rustix::io::Errno;
use sha2::{Digest, Sha256};

/// Bytes before the content: number and length, big-endian.
pub const HEADER: usize = 16;
/// The answer: ACK in ASCII.
const ACKNOWLEDGED: u8 = 0x06;

/// Header and bytes in one piece, so that a short message is one segment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    number: u64,
    whole: Vec<u8>,
}

/// Why a message was lost.
#[derive(Debug)]
pub enum Lost {
    /// Nothing arrived, or could be sent, within the limit.
    Silent,
    /// The connection ended within a message.
    Ended {
        /// Bytes that arrived, with the header.
        got: u64,
        /// Announced bytes.
        of: u64,
    },
    /// Another message arrived, or something else.
    Other,
    /// An error of the system.
    System(io::Error),
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Silent => f.write_str("nothing arrived within `time_limit_seconds`"),
            Self::Ended { got: 0, .. } => f.write_str("the connection ended"),
            Self::Ended { got, of } => write!(
                f,
                "the connection ended within a message, after {got} of {of} bytes"
            ),
            Self::Other => f.write_str("an unexpected message arrived"),
            Self::System(error) => error.fmt(f),
        }
    }
}

impl From<io::Error> for Lost {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // The errors of a socket at its time limit.
            ErrorKind::WouldBlock | ErrorKind::TimedOut => Self::Silent,
            ErrorKind::UnexpectedEof
            | ErrorKind::BrokenPipe
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted => Self::Ended { got: 0, of: 0 },
            _ => Self::System(error),
        }
    }
}

impl Message {
    /// The message of this execution with this tag. Its bytes follow from the seed and differ from those of any other.
    #[must_use]
    pub fn make(number: u64, tag: u32, bytes: usize, seed: u64) -> Self {
        let mut message = Self::blank(number, bytes);
        let key = Sha256::new()
            .chain_update(seed.to_be_bytes())
            .chain_update(number.to_be_bytes());
        let key = key.chain_update(tag.to_be_bytes()).finalize();
        ChaCha8Rng::from_seed(key.into()).fill_bytes(&mut message.whole[HEADER..]);
        message
    }

    /// A buffer for a message of this execution, with all pages allocated and no bytes of an earlier message.
    #[must_use]
    pub fn blank(number: u64, bytes: usize) -> Self {
        let mut whole = vec![0; HEADER + bytes];
        whole[..8].copy_from_slice(&number.to_be_bytes());
        whole[8..HEADER].copy_from_slice(&(bytes as u64).to_be_bytes());
        Self { number, whole }
    }

    /// Adds the bytes of another message.
    pub fn append(&mut self, other: &Self) {
        self.whole.extend_from_slice(other.content());
        let bytes = (self.content().len() as u64).to_be_bytes();
        self.whole[8..HEADER].copy_from_slice(&bytes);
    }

    /// The exclusive or of the messages of this execution with these tags.
    #[must_use]
    pub fn combined(number: u64, tags: &[u32], bytes: usize, seed: u64) -> Self {
        let mut result = Self::blank(number, bytes);
        for &tag in tags {
            let other = Self::make(number, tag, bytes, seed);
            result
                .content_mut()
                .iter_mut()
                .zip(other.content())
                .for_each(|(byte, other)| *byte ^= other);
        }
        result
    }

    /// The bytes without the header.
    #[must_use]
    pub fn content(&self) -> &[u8] {
        self.whole.get(HEADER..).unwrap_or_default()
    }

    /// The bytes without the header, to write into.
    #[must_use]
    pub fn content_mut(&mut self) -> &mut [u8] {
        self.whole.get_mut(HEADER..).unwrap_or_default()
    }

    /// Header and bytes, as on the wire.
    #[must_use]
    pub fn into_whole(self) -> Vec<u8> {
        self.whole
    }

    /// A message of this execution as it arrived; none if it is another one.
    #[must_use]
    pub fn from_whole(number: u64, whole: Vec<u8>) -> Option<Self> {
        is_of(&whole, number).then_some(Self { number, whole })
    }

    /// The number of its execution.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Writes once from this message, of which `written` bytes are written. Returns whether it is complete.
    ///
    /// # Errors
    /// Errors of the connection.
    pub fn pour(&self, mut stream: &TcpStream, written: &mut usize) -> Result<bool, Lost> {
        match stream.write(&self.whole[*written..]) {
            Ok(count) => *written += count,
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(*written == self.whole.len())
    }

    /// Reads once into this buffer, which has `filled` bytes. Returns whether the message is complete.
    ///
    /// # Errors
    /// Errors of [`Message::take`]; [`Lost::Silent`] if there is nothing to read.
    pub fn fill(&mut self, mut stream: &TcpStream, filled: &mut usize) -> Result<bool, Lost> {
        let of = self.whole.len() as u64;
        let got = |filled: usize| Lost::Ended {
            got: filled as u64,
            of,
        };
        match stream.read(&mut self.whole[*filled..]) {
            Ok(0) => return Err(got(*filled)),
            Ok(count) => *filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => {
                return Err(match Lost::from(error) {
                    Lost::Ended { .. } => got(*filled),
                    other => other,
                });
            }
        }
        // Checked as soon as the header is complete: another message may be shorter, and no more would arrive.
        if *filled >= HEADER && !is_of(&self.whole, self.number) {
            return Err(Lost::Other);
        }
        Ok(*filled == self.whole.len())
    }
}

/// Waits until one of these is ready; false if none is in time.
///
/// # Errors
/// Errors of the system.
pub fn ready(polled: &mut [PollFd<'_>], within: Duration) -> io::Result<bool> {
    let within = Timespec::try_from(within).unwrap_or(Timespec {
        tv_sec: i64::MAX,
        tv_nsec: 0,
    });
    match poll(polled, Some(&within)) {
        Err(Errno::INTR) => Ok(true),
        ready => Ok(ready? > 0),
    }
}

/// Whether this header belongs to this execution and this length.
#[must_use]
pub fn is_of(whole: &[u8], number: u64) -> bool {
    let bytes = whole.len().checked_sub(HEADER).map(|bytes| bytes as u64);
    bytes.is_some_and(|bytes| {
        whole[..8] == number.to_be_bytes() && whole[8..HEADER] == bytes.to_be_bytes()
    })
}

/// SHA-256 of the bytes of these messages, in order and without headers, in hexadecimal.
#[must_use]
pub fn digest<'a>(messages: impl IntoIterator<Item = &'a Message>) -> String {
    let mut hash = Sha256::new();
    messages
        .into_iter()
        .for_each(|message| hash.update(message.content()));
    hash.finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Acknowledges a message.
///
/// # Errors
/// Errors of the connection.
pub fn answer(mut stream: &TcpStream) -> Result<(), Lost> {
    Ok(stream.write_all(&[ACKNOWLEDGED])?)
}

/// Whether the acknowledgment has arrived, on a connection that does not block.
///
/// # Errors
/// Errors of the connection; [`Lost::Other`] for another answer.
pub fn acknowledged(mut stream: &TcpStream) -> Result<bool, Lost> {
    let mut byte = [0];
    match stream.read_exact(&mut byte).map_err(Lost::from) {
        Ok(()) if byte == [ACKNOWLEDGED] => Ok(true),
        Ok(()) => Err(Lost::Other),
        Err(Lost::Silent) => Ok(false),
        Err(lost) => Err(lost),
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    fn post(message: &Message, mut stream: &TcpStream) -> Result<(), Lost> {
        Ok(stream.write_all(&message.whole)?)
    }

    fn take(room: &mut Message, stream: &TcpStream) -> Result<(), Lost> {
        let mut filled = 0;
        while !room.fill(stream, &mut filled)? {}
        Ok(())
    }

    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let far = listener.accept().unwrap().0;
        (near, far)
    }

    #[test]
    fn a_message_arrives_whole() {
        let (near, far) = pair();
        let sent = Message::make(3, 0, 1 << 20, 1);
        let mut room = Message::blank(3, 1 << 20);
        let expected = digest([&sent]);
        assert_ne!(digest([&room]), expected);
        let sender = thread::spawn(move || {
            post(&sent, &near)
                .and_then(|()| acknowledged(&near))
                .unwrap()
        });
        assert!(take(&mut room, &far).is_ok());
        answer(&far).unwrap();
        assert_eq!(digest([&room]), expected);
        assert!(sender.join().unwrap());
    }

    #[test]
    fn no_two_messages_are_alike() {
        assert_ne!(
            Message::make(3, 0, 64, 1).whole,
            Message::make(4, 0, 64, 1).whole
        );
        assert_ne!(
            Message::make(3, 0, 64, 1).whole,
            Message::make(3, 0, 64, 2).whole
        );
        assert_ne!(
            Message::make(3, 0, 64, 1).whole,
            Message::make(3, 1, 64, 1).whole
        );
        assert_eq!(Message::make(3, 0, 64, 1), Message::make(3, 0, 64, 1));
    }

    #[test]
    fn half_a_message_is_none() {
        let (mut near, far) = pair();
        near.write_all(&Message::make(3, 0, 64, 1).whole[..48])
            .unwrap();
        drop(near);
        let lost = take(&mut Message::blank(3, 64), &far).unwrap_err();
        assert_eq!(
            lost.to_string(),
            "the connection ended within a message, after 48 of 80 bytes"
        );
    }

    #[test]
    fn a_silent_peer_is_not_waited_for() {
        let (mut near, far) = pair();
        for end in [&near, &far] {
            end.set_read_timeout(Some(Duration::from_millis(1)))
                .unwrap();
        }
        assert!(matches!(
            take(&mut Message::blank(3, 64), &far),
            Err(Lost::Silent)
        ));
        near.write_all(&Message::make(3, 0, 64, 1).whole[..48])
            .unwrap();
        assert!(matches!(
            take(&mut Message::blank(3, 64), &far),
            Err(Lost::Silent)
        ));
        // The answer does not arrive.
        assert!(!acknowledged(&near).unwrap());
    }

    #[test]
    fn another_message_is_refused() {
        let (near, far) = pair();
        post(&Message::make(2, 0, 64, 1), &near).unwrap();
        assert!(matches!(
            take(&mut Message::blank(3, 64), &far),
            Err(Lost::Other)
        ));
        let (near, far) = pair();
        // A shorter message: the missing bytes would never arrive.
        post(&Message::make(3, 0, 32, 1), &near).unwrap();
        assert!(matches!(
            take(&mut Message::blank(3, 64), &far),
            Err(Lost::Other)
        ));
        let (mut near, far) = pair();
        near.write_all(&[0x15]).unwrap();
        assert!(matches!(acknowledged(&far), Err(Lost::Other)));
    }
}
