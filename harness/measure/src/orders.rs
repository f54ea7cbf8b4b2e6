//! The pipe to a rank. Writing never blocks: a rank that stopped responding reads no orders, and a long order does not
//! fit in a pipe.

use std::io::{self, ErrorKind, Write as _};
use std::process::ChildStdin;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::ioctl_fionbio;

use super::cluster::GLANCE;
use super::message;
use super::wire::{Order, say};

/// Orders to a rank. Dropping it tells the rank to end.
pub struct Orders(ChildStdin);

impl Orders {
    pub fn new(pipe: ChildStdin) -> io::Result<Self> {
        ioctl_fionbio(&pipe, true)?;
        Ok(Self(pipe))
    }

    /// Gives an order. Waits for room in the pipe for at most `limit`, and until `stopped`.
    pub fn give(
        &mut self,
        order: &Order,
        limit: Duration,
        stopped: impl Fn() -> bool,
    ) -> io::Result<()> {
        let mut line = Vec::new();
        say(&mut line, order)?;
        let begin = Instant::now();
        let mut left = &line[..];
        while !left.is_empty() {
            match self.0.write(left) {
                Ok(written) => left = &left[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if stopped() || begin.elapsed() >= limit {
                        return Err(ErrorKind::TimedOut.into());
                    }
                    message::ready(&mut [PollFd::new(&self.0, PollFlags::OUT)], GLANCE)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;
    use crate::wire::{Part, Step};

    fn order(steps: usize) -> Order {
        Order::Prepare(Part {
            number: 1,
            seed: 1,
            ranks: 1,
            steps: vec![Step::Compute { ns: 1 }; steps],
        })
    }

    /// The process reads nothing: a short order fits in its pipe, a long one does not and is given up.
    #[test]
    fn an_order_to_a_rank_that_stands_still_is_given_up() {
        let mut child = Command::new("sleep")
            .arg("1000")
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut orders = Orders::new(child.stdin.take().unwrap()).unwrap();
        let long = Duration::from_secs(1000);
        assert!(orders.give(&order(1), long, || false).is_ok());
        let given_up = orders.give(&order(100_000), Duration::ZERO, || false);
        assert_eq!(given_up.unwrap_err().kind(), ErrorKind::TimedOut);
        assert_eq!(
            orders.give(&order(1), long, || true).unwrap_err().kind(),
            ErrorKind::TimedOut
        );
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(
            orders.give(&order(1), long, || false).unwrap_err().kind(),
            ErrorKind::BrokenPipe
        );
    }

    #[test]
    fn a_long_order_arrives_whole() {
        let mut child = Command::new("wc")
            .arg("-l")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut orders = Orders::new(child.stdin.take().unwrap()).unwrap();
        for _ in 0..3 {
            orders
                .give(&order(100_000), Duration::from_secs(1000), || false)
                .unwrap();
        }
        drop(orders);
        assert_eq!(child.wait_with_output().unwrap().stdout, b"3\n");
    }
}
