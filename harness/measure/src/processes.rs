//! Ranks over TCP: a process for each, which obeys orders on its standard input.

use std::io::{self, BufRead as _, BufReader, Read as _};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::cluster::{Channel, Cluster, Event, MAX_COMPLAINTS};
use super::error::Error;
use super::hosts::Host;
use super::orders::Orders;
use super::secret::Secret;
use super::settings::Settings;
use super::stop::Stop;
use super::threads;
use super::wire::{Answer, Joined, Order};

const FAREWELL: Duration = Duration::from_secs(2);

/// Longest line of a rank: answers are far shorter, and an endless line would fill the memory.
const MAX_LINE: u64 = 64 << 10;
/// Most characters of such a line in a message.
const MAX_QUOTED: usize = 200;

struct Member {
    host: usize,
    child: Child,
    /// Dropped to end the rank.
    orders: Option<Orders>,
    joined: Option<Joined>,
    complaints: Complaints,
}

struct Complaints {
    kept: Arc<Mutex<Vec<u8>>>,
    /// Ends with the output.
    reader: Option<JoinHandle<()>>,
}

/// Started ranks that are connected to the coordinator and know the addresses of the others.
///
/// Dropping it ends all ranks.
pub struct Processes<'a> {
    hosts: &'a [Host],
    members: Vec<Member>,
    events: Receiver<(u32, Event)>,
}

impl<'a> Processes<'a> {
    /// Starts a rank on each of these hosts, by their indices. Ranks must be of this `build`: those of another one may not
    /// understand this one. `stop` ends a wait for an answer.
    ///
    /// # Errors
    /// A rank that cannot be started, does not answer, or is another castbench.
    pub fn start(
        settings: &'a Settings,
        hosts: &'a [Host],
        placement: &[u32],
        build: &str,
        stop: &'a Stop,
    ) -> Result<Cluster<'a, Self>, Error> {
        // A rank's next line is read only once this one takes the last: one that writes much fills its own pipe, and
        // waits. Ranks have at most two answers under way, which fit in the pipe, so none waits for another there.
        let (sender, events) = mpsc::sync_channel(0);
        let processes = Self {
            hosts,
            members: Vec::new(),
            events,
        };
        let mut cluster = Cluster::new(processes, settings.limit, stop);
        let secret = Secret::generate()
            .map_err(|error| Error::Failed(format!("no random numbers: {error}")))?;
        for &host in placement {
            let member = cluster.channel.spawn(host as usize, &sender)?;
            cluster.channel.members.push(member);
        }
        let everyone: Vec<u32> = (0..).take(cluster.channel.members.len()).collect();
        for &rank in &everyone {
            let order = join(settings, &cluster, rank, &secret)?;
            cluster.tell(rank, &order)?;
        }
        let joined = cluster.collect(&everyone, "starting", |answer| match answer {
            Answer::Joined(joined) => Some(*joined),
            _ => None,
        })?;
        for (rank, joined) in (0..).zip(&joined) {
            if joined.build != build {
                let explanation = format!(
                    "is castbench {}, but this is {build}; install the same version on all hosts",
                    joined.build
                );
                return Err(cluster.failed(rank, &explanation));
            }
        }
        let addresses: Vec<SocketAddr> = joined.iter().map(|joined| joined.address).collect();
        for (member, joined) in cluster.channel.members.iter_mut().zip(joined) {
            member.joined = Some(joined);
        }
        let order = Order::Peers { addresses };
        for &rank in &everyone {
            cluster.tell(rank, &order)?;
        }
        cluster.ready(&everyone, "receiving the addresses of the others")?;
        Ok(cluster)
    }

    fn spawn(&self, host: usize, events: &SyncSender<(u32, Event)>) -> Result<Member, Error> {
        let rank = self.size();
        let mut command = self.hosts[host].rank();
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // Ctrl-C on the terminal must reach only the coordinator, which then ends the ranks in order.
        command.process_group(0);
        let mut child = command.spawn().map_err(|error| {
            let name = &self.hosts[host].name;
            let program = command.get_program().to_string_lossy();
            Error::Failed(format!(
                "cannot start rank {rank} on {name} with `{program}`: {error}"
            ))
        })?;
        let no_thread = |error: io::Error| {
            let advice = "raise the limit (ulimit -u, the pids of a container)";
            Error::Failed(format!("cannot start a thread: {error}; {advice}"))
        };
        let mut complaints = Complaints {
            kept: Arc::default(),
            reader: None,
        };
        if let Some(stdout) = child.stdout.take() {
            let events = events.clone();
            threads::spawn(move || listen(rank, stdout, &events)).map_err(no_thread)?;
        }
        if let Some(mut stderr) = child.stderr.take() {
            let kept = Arc::clone(&complaints.kept);
            let keep = move || {
                let mut buffer = [0; 512];
                while let Ok(count @ 1..) = stderr.read(&mut buffer) {
                    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                    let room = MAX_COMPLAINTS.saturating_sub(kept.len());
                    kept.extend(&buffer[..count.min(room)]);
                }
            };
            complaints.reader = Some(threads::spawn(keep).map_err(no_thread)?);
        }
        let orders = child.stdin.take().map(Orders::new).transpose();
        let orders = orders.map_err(|error| {
            Error::Failed(format!("cannot set up a pipe to rank {rank}: {error}"))
        })?;
        Ok(Member {
            host,
            child,
            orders,
            joined: None,
            complaints,
        })
    }

    fn host(&self, rank: u32) -> &Host {
        &self.hosts[self.members[rank as usize].host]
    }

    /// What each rank reported about itself.
    pub fn joined(&self) -> impl Iterator<Item = &Joined> {
        self.members
            .iter()
            .filter_map(|member| member.joined.as_ref())
    }
}

/// The first order of a rank.
fn join(
    settings: &Settings,
    cluster: &Cluster<'_, Processes<'_>>,
    rank: u32,
    secret: &Secret,
) -> Result<Order, Error> {
    let above = |first: u16| {
        u16::try_from(rank)
            .ok()
            .and_then(|rank| first.checked_add(rank))
    };
    let Some(port) = settings.transport.first_port().map_or(Some(0), above) else {
        return Err(cluster.failed(
            rank,
            "its port would be above 65535; choose a lower `first_port`",
        ));
    };
    Ok(Order::Join {
        rank,
        secret: secret.clone(),
        listen: SocketAddr::new(cluster.channel.host(rank).address, port),
        limit_ms: u64::try_from(settings.limit.as_millis()).unwrap_or(u64::MAX),
    })
}

impl Channel for Processes<'_> {
    fn size(&self) -> u32 {
        u32::try_from(self.members.len()).unwrap_or(u32::MAX)
    }

    fn in_task(&self, K: u32) -> u32 {
        K
    }

    fn has_barrier(&self) -> bool {
        false
    }

    fn clock(&self, rank: u32) -> Option<&str> {
        let joined = self.members[rank as usize].joined.as_ref();
        joined.map(|joined| joined.clock.as_str())
    }

    fn give(
        &mut self,
        rank: u32,
        order: &Order,
        limit: Duration,
        stopped: impl Fn() -> bool,
    ) -> io::Result<()> {
        match &mut self.members[rank as usize].orders {
            Some(orders) => orders.give(order, limit, stopped),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn hear(&mut self, within: Duration) -> Result<(u32, Event), RecvTimeoutError> {
        self.events.recv_timeout(within)
    }

    fn ended(&mut self, rank: u32) -> Option<ExitStatus> {
        let member = self.members.get_mut(rank as usize)?;
        member.child.try_wait().ok().flatten()
    }

    fn complaint(&self, rank: u32) -> (String, bool) {
        let Complaints { kept, reader } = &self.members[rank as usize].complaints;
        let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_whole = reader.as_ref().is_none_or(JoinHandle::is_finished);
        (String::from_utf8_lossy(&kept).trim().to_owned(), is_whole)
    }

    fn location(&self, rank: u32) -> String {
        let member = &self.members[rank as usize];
        let name = &self.hosts[member.host].name;
        let process = member
            .joined
            .as_ref()
            .map_or(member.child.id(), |joined| joined.process);
        format!("{name} (process {process})")
    }
}

/// Passes on what a rank writes, until it ends or the receiver is gone.
fn listen(rank: u32, stdout: impl io::Read, events: &SyncSender<(u32, Event)>) {
    let mut stdout = BufReader::new(stdout);
    while let Some(line) = next_line(&mut stdout) {
        let event = serde_json::from_slice(&line);
        let event = event.map_or_else(|_| Event::Garbled(beginning(&line)), Event::Answer);
        if events.send((rank, event)).is_err() {
            return;
        }
        if line.len() as u64 == MAX_LINE {
            // Reads until the rank ends, because closing the pipe would end it first and hide the reason.
            let _ = io::copy(&mut stdout, &mut io::sink());
            return;
        }
    }
    // The receiver may be gone while the cluster ends.
    let _ = events.send((rank, Event::Closed));
}

/// A line of a rank, up to [`MAX_LINE`] bytes; none if its output ended.
fn next_line(from: &mut impl io::BufRead) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    from.take(MAX_LINE)
        .read_until(b'\n', &mut line)
        .ok()
        .filter(|&length| length > 0)?;
    Some(line)
}

fn beginning(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(&line[..line.len().min(4 * MAX_QUOTED)]);
    let text = text.trim_end();
    let begin: String = text.chars().take(MAX_QUOTED).collect();
    if begin.len() < text.len() || line.len() as u64 == MAX_LINE {
        begin + "..."
    } else {
        begin
    }
}

impl Drop for Processes<'_> {
    /// Ends the ranks by closing their input, and kills those that do not end.
    fn drop(&mut self) {
        for member in &mut self.members {
            member.orders = None;
        }
        // Ends the ranks that write, and so the threads that wait to pass on their answers.
        self.events = mpsc::sync_channel(0).1;
        let begin = Instant::now();
        for member in &mut self.members {
            while begin.elapsed() < FAREWELL && matches!(member.child.try_wait(), Ok(None)) {
                thread::sleep(Duration::from_millis(2));
            }
            // It has ended, or cannot be ended.
            let _ = member.child.kill();
            let _ = member.child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::settings::Transport;
    use crate::wire::{Part, Step};

    const DIGEST: &str = "{\"answer\":\"digest\",\"sha256\":\"x\"}";

    /// The output of a rank that writes answers without end, and the number of bytes read from it.
    struct Flood(Arc<AtomicUsize>);

    impl io::Read for Flood {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let line = format!("{DIGEST}\n");
            let count = buffer.len() / line.len() * line.len();
            buffer[..count].copy_from_slice(line.repeat(count / line.len()).as_bytes());
            self.0.fetch_add(count, Ordering::SeqCst);
            Ok(count)
        }
    }

    #[test]
    fn what_is_not_taken_is_not_read() {
        let read = Arc::new(AtomicUsize::new(0));
        let (sender, events) = mpsc::sync_channel(0);
        let flood = Flood(Arc::clone(&read));
        let reader = threads::spawn(move || listen(7, flood, &sender)).unwrap();
        for _ in 0..1000 {
            assert!(matches!(
                events.recv().unwrap(),
                (7, Event::Answer(Answer::Digest { .. }))
            ));
        }
        thread::sleep(Duration::from_millis(20));
        // One line in its hand, and its buffer.
        let bytes = read.load(Ordering::SeqCst);
        assert!(bytes <= 1001 * (DIGEST.len() + 1) + (16 << 10), "{bytes}");
        drop(events);
        reader.join().unwrap();
    }

    /// Rank 0 is this script.
    fn scripted(
        script: &str,
        doing: impl FnOnce(&mut Cluster<'_, Processes<'_>>) -> Error,
    ) -> String {
        let launch = ["sh", "-c", script].map(str::to_owned).to_vec();
        let (name, address) = ("h".to_owned(), IpAddr::V4(Ipv4Addr::LOCALHOST));
        let hosts = [Host {
            name,
            address,
            launch,
            program: PathBuf::from("none"),
        }];
        let (limit, stop) = (Duration::from_secs(1), Stop::new());
        let settings = Settings {
            seed: 1,
            repetitions: 1,
            warm_up: 0,
            limit,
            transport: Transport::Mpi,
        };
        let mut cluster = Processes::start(&settings, &hosts, &[0], "b", &stop).unwrap();
        doing(&mut cluster).to_string()
    }

    fn long_order() -> Order {
        Order::Prepare(Part {
            number: 1,
            seed: 1,
            ranks: 1,
            steps: vec![Step::Compute { ns: 1 }; 100_000],
        })
    }

    const JOINED: &str = "{\"answer\":\"joined\",\"build\":\"b\",\"process\":1,\"address\":\"127.0.0.1:1\",\"clock\":\"c\",\
        \"facts\":{\"name\":\"\",\"kernel\":\"\",\"processor\":\"\",\"cores\":1}}";

    /// It neither reads nor stops writing. The coordinator, which waits until it reads, waits in vain and names it.
    #[test]
    fn a_rank_that_writes_without_an_order_is_named() {
        let flood =
            format!("echo '{JOINED}'; echo '{{\"answer\":\"ready\"}}'; exec yes '{DIGEST}'");
        let error = scripted(&flood, |cluster| {
            cluster.tell(0, &long_order()).unwrap_err()
        });
        assert!(
            error.starts_with("rank 0 on h (process 1): writes answers without an order"),
            "{error}"
        );
        let error = scripted(&flood, |cluster| cluster.ready(&[0], "a test").unwrap_err());
        assert!(
            error.contains("gave an unexpected answer when a test"),
            "{error}"
        );
    }

    #[test]
    fn times_longer_than_the_wait_are_refused() {
        for answer in [
            "{\"answer\":\"probed\",\"whole_ns\":18446744073709551615,\"calls_ns\":0}",
            "{\"answer\":\"done\",\"began\":1,\"received\":1,\"held\":18446744073709551615,\"sent\":null}",
        ] {
            let lines = [JOINED, "{\"answer\":\"ready\"}", answer]
                .map(|line| format!("echo '{line}'; "))
                .concat();
            let error = scripted(&(lines + "exec cat"), |cluster| {
                cluster.collect(&[0], "a test", Some).unwrap_err()
            });
            assert!(
                error.starts_with("rank 0 on h (process 1): reports times of 184467"),
                "{error}"
            );
        }
    }
}
