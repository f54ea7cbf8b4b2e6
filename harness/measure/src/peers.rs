//! The connections of one rank: outgoing ones to send on, incoming ones to receive on.

use std::collections::{HashMap, VecDeque};
use std::io::{self, ErrorKind};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::fault::Fault;
use super::secret::Secret;
use super::threads;

/// Most unproven callers at a time, because strangers may call, too. Another caller replaces the oldest: a rank proves
/// itself within milliseconds.
const MAX_CALLERS: usize = 64;
const AGAIN: Duration = Duration::from_millis(5);

/// Connections of one rank to the others of its run.
pub struct Peers {
    /// The number of this rank.
    pub rank: u32,
    secret: Secret,
    /// Most time that one rank waits for another.
    pub limit: Duration,
    /// The addresses of the others, by rank.
    pub addresses: Vec<SocketAddr>,
    opened: HashMap<u32, Arc<TcpStream>>,
    callers: Arc<Callers>,
}

/// The callers that proved to belong to the run.
#[derive(Default)]
struct Callers {
    streams: Mutex<HashMap<u32, Arc<TcpStream>>>,
    arrived: Condvar,
    /// Callers without a proof yet, the oldest first.
    unproven: Mutex<VecDeque<Arc<TcpStream>>>,
}

impl Peers {
    /// Listens for the others. Returns the address; for port 0 with the chosen port.
    ///
    /// # Errors
    /// The address cannot be used.
    pub fn listen(
        rank: u32,
        secret: Secret,
        address: SocketAddr,
        limit: Duration,
    ) -> Result<(Self, SocketAddr), Fault> {
        let refuse = |error: io::Error| {
            let advice = match error.kind() {
                io::ErrorKind::AddrInUse => {
                    "; choose another `first_port`, or remove it to use free ports"
                }
                io::ErrorKind::AddrNotAvailable => "; its `address` does not belong to this host",
                _ => "",
            };
            Fault::own(format!("cannot listen on {address}: {error}{advice}"))
        };
        let listener = TcpListener::bind(address).map_err(refuse)?;
        let bound = listener.local_addr().map_err(refuse)?;
        let callers = Arc::new(Callers::default());
        let (waiting, proof) = (Arc::clone(&callers), secret.clone());
        threads::spawn(move || waiting.welcome(&listener, &proof, rank, limit))
            .map_err(no_thread)?;
        Ok((
            Self {
                rank,
                secret,
                limit,
                addresses: Vec::new(),
                opened: HashMap::new(),
                callers,
            },
            bound,
        ))
    }

    /// The connection for sending to a rank; opens it if needed.
    ///
    /// # Errors
    /// It is refused, or the other end does not prove itself.
    pub fn to(&mut self, peer: u32) -> Result<Arc<TcpStream>, Fault> {
        if let Some(stream) = self.opened.get(&peer) {
            return Ok(Arc::clone(stream));
        }
        let address = self.addresses.get(peer as usize).copied();
        let address = address
            .ok_or_else(|| Fault::own(format!("the address of rank {peer} is not known")))?;
        let lost = |error: io::Error| Fault {
            explanation: format!("cannot connect to rank {peer} at {address}: {error}"),
            lost: (error.kind() != io::ErrorKind::InvalidData).then_some(peer),
        };
        let begun = Instant::now();
        let stream = loop {
            let stream = TcpStream::connect_timeout(&address, self.limit).map_err(lost)?;
            let agreed = set_up(&stream, self.limit)
                .and_then(|()| self.secret.call(&stream, self.rank, peer))
                .and_then(|()| stream.set_nonblocking(true));
            match agreed {
                Ok(()) => break stream,
                // Many others called at the same time, so this call was rejected.
                Err(error) if is_turned_away(&error) && begun.elapsed() < self.limit => {
                    thread::sleep(AGAIN)
                }
                Err(error) => return Err(lost(error)),
            }
        };
        let stream = Arc::new(stream);
        self.opened.insert(peer, Arc::clone(&stream));
        Ok(stream)
    }

    /// The connection for receiving from a rank; waits for its call if needed.
    ///
    /// # Errors
    /// It does not call within the limit.
    pub fn from(&self, peer: u32) -> Result<Arc<TcpStream>, Fault> {
        let streams = self
            .callers
            .streams
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .callers
            .arrived
            .wait_timeout_while(streams, self.limit, |known| !known.contains_key(&peer));
        let (streams, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let found = streams.get(&peer).map(Arc::clone);
        found.ok_or_else(|| Fault {
            explanation: format!("rank {peer} did not connect"),
            lost: Some(peer),
        })
    }
}

impl Callers {
    /// Accepts callers that belong to the run. A stranger occupies a thread until the time limit, at most
    /// [`MAX_CALLERS`] at a time.
    fn welcome(
        self: Arc<Self>,
        listener: &TcpListener,
        secret: &Secret,
        rank: u32,
        limit: Duration,
    ) {
        for stream in listener.incoming() {
            let Ok(stream) = stream else {
                // An error such as too few descriptors does not vanish at once.
                thread::sleep(Duration::from_millis(10));
                continue;
            };
            let stream = Arc::new(stream);
            self.expect(&stream);
            let (callers, secret, called) =
                (Arc::clone(&self), secret.clone(), Arc::clone(&stream));
            let prove = move || {
                let known = set_up(&called, limit)
                    .and_then(|()| secret.answer(&called, rank))
                    .and_then(|from| called.set_nonblocking(true).map(|()| from));
                // A caller that was rejected meanwhile calls again.
                let is_expected = callers.forget(&called);
                if let Ok(from) = known
                    && is_expected
                {
                    callers
                        .streams
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .insert(from, called);
                    callers.arrived.notify_all();
                }
            };
            // Without a thread the caller is rejected.
            if threads::spawn(prove).is_err() {
                self.forget(&stream);
            }
        }
    }

    /// Waits for the proof of a caller; rejects the oldest one if there are too many.
    fn expect(&self, caller: &Arc<TcpStream>) {
        let mut unproven = self.unproven.lock().unwrap_or_else(PoisonError::into_inner);
        unproven.push_back(Arc::clone(caller));
        if unproven.len() > MAX_CALLERS
            && let Some(oldest) = unproven.pop_front()
        {
            // This ends the thread that reads from it.
            let _ = oldest.shutdown(Shutdown::Both);
        }
    }

    /// Whether the proof of a caller was still awaited; it no longer is.
    fn forget(&self, caller: &Arc<TcpStream>) -> bool {
        let mut unproven = self.unproven.lock().unwrap_or_else(PoisonError::into_inner);
        let index = unproven.iter().position(|other| Arc::ptr_eq(other, caller));
        index.is_some_and(|index| unproven.remove(index).is_some())
    }
}

fn no_thread(error: io::Error) -> Fault {
    Fault::own(format!("cannot start a thread: {error}"))
}

fn is_turned_away(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::UnexpectedEof
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
    )
}

/// Limits every wait for a proof; after that the connection does not block.
fn set_up(stream: &TcpStream, limit: Duration) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream
        .set_read_timeout(Some(limit))
        .and_then(|()| stream.set_write_timeout(Some(limit)))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    const LIMIT: Duration = Duration::from_secs(60);

    fn rank(number: u32, secret: &Secret) -> (Peers, SocketAddr) {
        Peers::listen(
            number,
            secret.clone(),
            "127.0.0.1:0".parse().unwrap(),
            LIMIT,
        )
        .unwrap()
    }

    #[test]
    fn ranks_of_one_run_find_each_other() {
        let secret = Secret::generate().unwrap();
        let (mut zero, _) = rank(0, &secret);
        let (mut one, address) = rank(1, &secret);
        zero.addresses = vec![address, address];
        assert!(zero.to(1).is_ok());
        assert!(one.from(0).is_ok());
        // Rank 1 listens there, not rank 0; a rejected caller calls again until its limit.
        zero.limit = Duration::from_millis(50);
        assert!(zero.to(0).is_err());
        // A missing rank does not call.
        one.limit = Duration::from_millis(1);
        assert_eq!(one.from(5).unwrap_err().lost, Some(5));
    }

    #[test]
    fn a_stranger_is_shut_out_and_stops_no_rank() {
        let secret = Secret::generate().unwrap();
        let (mut zero, _) = rank(0, &secret);
        let (one, address) = rank(1, &secret);
        // Silent strangers while rank 0 calls.
        let silent: Vec<TcpStream> = (0..8)
            .map(|_| TcpStream::connect(address).unwrap())
            .collect();
        zero.addresses = vec![address, address];
        assert!(zero.to(1).is_ok());
        assert!(one.from(0).is_ok());
        drop(silent);
        // A rank of another run.
        let (mut other, _) = rank(0, &Secret::generate().unwrap());
        other.addresses = vec![address, address];
        // It calls again until then, because a rejection looks like too many callers.
        other.limit = Duration::from_millis(50);
        let fault = other.to(1).unwrap_err();
        assert!(
            fault.explanation.contains("cannot connect to rank 1"),
            "{}",
            fault.explanation
        );
    }

    /// Too many silent callers, before and while rank 0 calls.
    #[test]
    fn silent_strangers_do_not_turn_a_rank_away() {
        let secret = Secret::generate().unwrap();
        let (mut zero, _) = rank(0, &secret);
        let (one, address) = rank(1, &secret);
        let silent: Vec<TcpStream> = (0..2 * MAX_CALLERS)
            .map(|_| TcpStream::connect(address).unwrap())
            .collect();
        zero.addresses = vec![address, address];
        zero.limit = Duration::from_secs(20);
        assert!(zero.to(1).is_ok());
        assert!(one.from(0).is_ok());
        drop(silent);
    }

    #[test]
    fn who_does_not_listen_is_named() {
        let secret = Secret::generate().unwrap();
        let (mut zero, address) = rank(0, &secret);
        // A port that was free a moment ago.
        let closed = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        zero.addresses = vec![address, closed];
        let fault = zero.to(1).unwrap_err();
        assert!(
            fault
                .explanation
                .contains(&format!("cannot connect to rank 1 at {closed}")),
            "{}",
            fault.explanation
        );
        assert_eq!(fault.lost, Some(1));
    }

    #[test]
    fn who_listens_and_knows_nothing_is_named() {
        let secret = Secret::generate().unwrap();
        let (mut zero, address) = rank(0, &secret);
        let impostor = TcpListener::bind("127.0.0.1:0").unwrap();
        zero.addresses = vec![address, impostor.local_addr().unwrap()];
        let impostor = thread::spawn(move || {
            use std::io::Write;
            let mut stream = impostor.accept().unwrap().0;
            stream.write_all(&[0; 32]).unwrap();
            stream.read_exact(&mut [0; 72]).unwrap();
            stream.write_all(&[0; 32]).unwrap();
        });
        let fault = zero.to(1).unwrap_err();
        assert!(
            fault.explanation.contains("did not prove"),
            "{}",
            fault.explanation
        );
        assert_eq!(fault.lost, None);
        impostor.join().unwrap();
    }

    #[test]
    fn a_port_in_use_is_refused() {
        let secret = Secret::generate().unwrap();
        let (_zero, address) = rank(0, &secret);
        let fault = Peers::listen(1, secret, address, LIMIT).err().unwrap();
        assert!(
            fault
                .explanation
                .contains(&format!("cannot listen on {address}")),
            "{}",
            fault.explanation
        );
        assert!(fault.explanation.contains("first_port"));
    }
}
