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
use serde::{Deserialize, Serialize};
use sha2::Sha256;

const LENGTH: usize = 32;
const CALLER: &[u8] = b"castbench caller";
const CALLED: &[u8] = b"castbench called";

/// The secret of a run: 256 random bits.
#[derive(Clone, Serialize, Deserialize)]
pub struct Secret([u8; LENGTH]);

impl Secret {
    /// A new secret.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn generate() -> io::Result<Self> {
        random().map(Self)
    }

    /// Proves to the other end that this is rank `from`, and checks that it is rank `to`. Waits up to the time limits
    /// of the connection.
    ///
    /// # Errors
    /// Errors of the connection; `InvalidData` if the other end does not know the secret.
    pub fn call(&self, mut stream: &TcpStream, from: u32, to: u32) -> io::Result<()> {
        let mut called = [0; LENGTH];
        stream.read_exact(&mut called)?;
        let call = [&from.to_be_bytes()[..], &to.to_be_bytes(), &random()?].concat();
        stream.write_all(
            &[
                &call[..],
                &self.mac(CALLER, &call, &called).finalize().into_bytes(),
            ]
            .concat(),
        )?;
        let mut proof = [0; LENGTH];
        stream.read_exact(&mut proof)?;
        self.mac(CALLED, &call, &called)
            .verify_slice(&proof)
            .map_err(|_| unproven())
    }

    /// The other end of [`Secret::call`], as rank `to`: returns the calling rank.
    ///
    /// # Errors
    /// Errors of the connection; `InvalidData` if the caller does not know the secret or called another rank.
    pub fn answer(&self, mut stream: &TcpStream, to: u32) -> io::Result<u32> {
        let called = random()?;
        stream.write_all(&called)?;
        // The ranks of the caller and of the call, and the caller's number.
        let (mut call, mut proof) = ([0; 8 + LENGTH], [0; LENGTH]);
        stream.read_exact(&mut call)?;
        stream.read_exact(&mut proof)?;
        let is_meant = call[4..8] == to.to_be_bytes();
        self.mac(CALLER, &call, &called)
            .verify_slice(&proof)
            .ok()
            .filter(|()| is_meant)
            .ok_or_else(unproven)?;
        stream.write_all(&self.mac(CALLED, &call, &called).finalize().into_bytes())?;
        Ok(u32::from_be_bytes([call[0], call[1], call[2], call[3]]))
    }

    fn mac(&self, side: &[u8], call: &[u8], called: &[u8]) -> Hmac<Sha256> {
        // HMAC pads a key shorter than a block of SHA-256 with zeros.
        let mut block = [0; 64];
        block[..LENGTH].copy_from_slice(&self.0);
        let mut mac = Hmac::<Sha256>::new(&block.into());
        [side, call, called]
            .into_iter()
            .for_each(|part| mac.update(part));
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
    io::Error::new(
        io::ErrorKind::InvalidData,
        "it did not prove that it belongs to this run",
    )
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
        let same: Secret = serde_json::from_str(&serde_json::to_string(&secret).unwrap()).unwrap();
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
        for bad in [
            format!("{:?}", [0; 31]),
            format!("{:?}", [0; 33]),
            format!("{:?}", [256; 32]),
            "{}".to_owned(),
        ] {
            assert!(serde_json::from_str::<Secret>(&bad).is_err(), "{bad}");
        }
    }
}
