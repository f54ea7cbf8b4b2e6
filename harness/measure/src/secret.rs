//! The secret of a run, and how two ranks prove that they know it.
//!
//! The called rank sends a fresh number. The caller answers with its rank, the rank it calls, its own number and an
//! HMAC-SHA256 over all of that. The called rank answers with another HMAC. So strangers, ranks of another run and
//! mistaken calls get no connection. The messages that follow are not protected: they are measured and contain no
//! secrets.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::TcpStream;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

const LENGTH: usize = 32;
type Nonce = [u8; LENGTH];

/// The secret of a run: 256 random bits.
#[derive(Clone)]
pub struct Secret([u8; LENGTH]);

/// Caller, called rank, and the numbers that make the proofs useless for other connections.
struct Call {
    from: u32,
    to: u32,
    callers: Nonce,
    called: Nonce,
}

#[derive(Clone, Copy)]
enum Side {
    Caller,
    Called,
}

impl Secret {
    /// A new secret.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn generate() -> io::Result<Self> {
        random().map(Self)
    }

    /// In hexadecimal, only for the pipe to a rank.
    #[must_use]
    pub fn reveal(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The secret from this text, if valid.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        let mut secret = [0; LENGTH];
        if digits.len() != 2 * LENGTH || !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        for (byte, index) in secret.iter_mut().zip((0..).step_by(2)) {
            *byte = u8::from_str_radix(text.get(index..index + 2)?, 16).ok()?;
        }
        Some(Self(secret))
    }

    /// Proves to the other end that this is rank `from`, and checks that it is rank `to`. Waits up to the time limits
    /// of the connection.
    ///
    /// # Errors
    /// Errors of the connection; `InvalidData` if the other end does not know the secret.
    pub fn call(&self, mut stream: &TcpStream, from: u32, to: u32) -> io::Result<()> {
        let mut called = [0; LENGTH];
        stream.read_exact(&mut called)?;
        let call = Call { from, to, callers: random()?, called };
        let mut message = [from.to_be_bytes(), to.to_be_bytes()].concat();
        message.extend(call.callers);
        message.extend(self.mac(Side::Caller, &call).finalize().into_bytes());
        stream.write_all(&message)?;
        let mut proof = [0; LENGTH];
        stream.read_exact(&mut proof)?;
        self.mac(Side::Called, &call).verify_slice(&proof).map_err(|_| unproven())
    }

    /// The other end of [`Secret::call`], as rank `to`: returns the calling rank.
    ///
    /// # Errors
    /// Errors of the connection; `InvalidData` if the caller does not know the secret or called another rank.
    pub fn answer(&self, mut stream: &TcpStream, to: u32) -> io::Result<u32> {
        let called = random()?;
        stream.write_all(&called)?;
        let number = |mut stream: &TcpStream| {
            let mut number = [0; 4];
            stream.read_exact(&mut number).map(|()| u32::from_be_bytes(number))
        };
        let (from, meant) = (number(stream)?, number(stream)?);
        let (mut callers, mut proof) = ([0; LENGTH], [0; LENGTH]);
        stream.read_exact(&mut callers)?;
        stream.read_exact(&mut proof)?;
        let call = Call { from, to, callers, called };
        self.mac(Side::Caller, &call).verify_slice(&proof).ok().filter(|()| meant == to).ok_or_else(unproven)?;
        stream.write_all(&self.mac(Side::Called, &call).finalize().into_bytes())?;
        Ok(from)
    }

    fn mac(&self, side: Side, call: &Call) -> Hmac<Sha256> {
        // HMAC pads a key shorter than a block of SHA-256 with zeros.
        let mut block = [0; 64];
        block[..LENGTH].copy_from_slice(&self.0);
        let mut mac = Hmac::<Sha256>::new(&block.into());
        mac.update(match side {
            Side::Caller => b"castbench caller",
            Side::Called => b"castbench called",
        });
        mac.update(&call.from.to_be_bytes());
        mac.update(&call.to.to_be_bytes());
        mac.update(&call.callers);
        mac.update(&call.called);
        mac
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

fn random() -> io::Result<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}

fn unproven() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it did not prove that it belongs to this run")
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    fn meet(
        caller: impl FnOnce(&TcpStream) -> io::Result<()> + Send + 'static,
        called: &Secret,
    ) -> (io::Result<()>, io::Result<u32>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let caller = thread::spawn(move || caller(&TcpStream::connect(address).unwrap()));
        let answered = called.answer(&listener.accept().unwrap().0, 2);
        (caller.join().unwrap(), answered)
    }

    #[test]
    fn a_rank_that_knows_the_secret_is_believed() {
        let secret = Secret::generate().unwrap();
        let same = Secret::parse(&secret.reveal()).unwrap();
        let (caller, called) = meet(move |stream| same.call(stream, 7, 2), &secret);
        assert!(caller.is_ok());
        assert_eq!(called.unwrap(), 7);
    }

    #[test]
    fn a_rank_that_does_not_is_refused() {
        let secret = Secret::generate().unwrap();
        let other = Secret::generate().unwrap();
        let (caller, called) = meet(move |stream| other.call(stream, 7, 2), &secret);
        assert!(caller.is_err());
        assert_eq!(called.unwrap_err().kind(), io::ErrorKind::InvalidData);
        // Knows the secret, but called another rank.
        let same = secret.clone();
        let (caller, called) = meet(move |stream| same.call(stream, 7, 3), &secret);
        assert!(caller.is_err() && called.is_err());
        // Sends back what it received.
        let echo = |mut stream: &TcpStream| {
            let mut nonce = [0; LENGTH];
            stream.read_exact(&mut nonce)?;
            stream.write_all(&[nonce, nonce, nonce].concat())
        };
        assert!(meet(echo, &secret).1.is_err());
    }

    #[test]
    fn only_a_secret_is_one() {
        for bad in ["", "00", &"g".repeat(64), &"0".repeat(63), &"é".repeat(32), &"0".repeat(66)] {
            assert!(Secret::parse(bad).is_none(), "{bad}");
        }
    }
}
