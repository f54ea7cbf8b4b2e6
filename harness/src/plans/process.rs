//! A running command and its protocol: a question is one line, which the command reads before it writes one line.

use std::ffi::OsString;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionread;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::base::children;
use crate::output::Scratch;
use crate::output::interruption;
use crate::output::signals;

/// Most bytes of the end of stderr that an error shows.
const MAX_STDERR: usize = 2000;
/// How often a silent process is checked: one that ended can have left a fork that holds its pipes.
const CHECK: Duration = Duration::from_millis(50);

/// Longest answer.
const MAX_BYTES: u64 = 8 << 20;

/// Why there is no answer.
pub enum Trouble {
    /// The command failed at this point.
    Failed(String),
    /// A signal asked castbench to stop.
    Interrupted,
    /// A line answers another point than the one asked for, or none.
    Protocol(String),
}

/// A running command. Dropping it ends it and its forks.
pub struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    /// What was read of stdout and is no answer yet, and how much of it has no line end.
    pending: Vec<u8>,
    searched: usize,
    /// The end of what it wrote to stderr.
    complaints: Vec<u8>,
    /// How many questions it got.
    asked: u64,
    /// Whether its answers have the numbers of the questions, once it gave one.
    is_numbered: Option<bool>,
    _scratch: Scratch,
}

impl Process {
    /// Starts a command.
    ///
    /// # Errors
    /// Why it cannot be started.
    pub fn start(words: &[OsString]) -> io::Result<Self> {
        signals::end_on_request()?;
        let scratch = Scratch::new(&std::env::temp_dir())?;
        let (program, arguments) = words.split_first().ok_or(ErrorKind::InvalidInput)?;
        let mut command = std::process::Command::new(program);
        command
            .args(arguments)
            .current_dir(scratch.path())
            .process_group(0);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let directory = scratch.path().to_owned();
        let mut child = children::spawn(&mut command, directory, interruption::is_requested)?;
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        Ok(Self {
            child,
            stdin,
            stdout,
            stderr,
            pending: Vec::new(),
            searched: 0,
            complaints: Vec::new(),
            asked: 0,
            is_numbered: None,
            _scratch: scratch,
        })
    }

    /// The answer to a question, which lacks its number and its end: one line, without its end.
    ///
    /// # Errors
    /// Why there is none.
    pub fn answer(&mut self, question: &str, limit: Duration) -> Result<Vec<u8>, Trouble> {
        let begun = Instant::now();
        self.read(Duration::ZERO);
        if !self.pending.is_empty() {
            return Err(Trouble::Protocol(
                "wrote a line before it was asked".to_owned(),
            ));
        }
        self.asked += 1;
        let line = format!("{question},\"number\":{}}}\n", self.asked);
        // One question is under way at a time, so the pipe has room. What a process wrote before it ended says why.
        let mut is_ended = self
            .stdin
            .as_mut()
            .is_none_or(|stdin| stdin.write_all(line.as_bytes()).is_err());
        loop {
            if let Some(line) = self.line()? {
                return Ok(line);
            }
            if interruption::is_requested() {
                return Err(Trouble::Interrupted);
            }
            if begun.elapsed() > limit {
                return Err(Trouble::Failed(format!(
                    "did not answer within {} s",
                    limit.as_secs()
                )));
            }
            let is_quiet = !self.read(CHECK);
            if self.pending.is_empty() && self.stdout.is_none() || is_quiet && is_ended {
                return Err(Trouble::Failed(format!(
                    "ended without an answer, {}",
                    self.status()
                )));
            }
            if self.stdout.is_none() && self.line_end().is_none() {
                return Err(Trouble::Failed(format!(
                    "ended within a line, {}",
                    self.status()
                )));
            }
            is_ended = is_ended || is_quiet && self.has_ended();
        }
    }

    fn line_end(&mut self) -> Option<usize> {
        let found = self.pending[self.searched..]
            .iter()
            .position(|&byte| byte == b'\n');
        let end = found.map(|at| self.searched + at);
        self.searched = if found.is_some() {
            self.searched
        } else {
            self.pending.len()
        };
        end
    }

    /// The line that was read, if all of it was.
    fn line(&mut self) -> Result<Option<Vec<u8>>, Trouble> {
        let Some(end) = self.line_end() else {
            return if self.pending.len() as u64 > MAX_BYTES {
                Err(Trouble::Failed(format!(
                    "answers with more than {} MiB",
                    MAX_BYTES >> 20
                )))
            } else {
                Ok(None)
            };
        };
        self.read(Duration::ZERO);
        if end + 1 < self.pending.len() {
            return Err(Trouble::Protocol(
                "answers with more than one line".to_owned(),
            ));
        }
        // What it wrote before it read the question is the answer to none.
        if self
            .stdin
            .as_ref()
            .is_some_and(|stdin| ioctl_fionread(stdin).is_ok_and(|unread| unread > 0))
        {
            return Err(Trouble::Protocol(
                "wrote a line before it read the point".to_owned(),
            ));
        }
        let mut line = std::mem::take(&mut self.pending);
        self.searched = 0;
        line.truncate(end);
        Ok(Some(line))
    }

    /// Checks the number of an answer, which an answer may lack if all of them do.
    ///
    /// # Errors
    /// It is not that of the question.
    pub fn check_number(&mut self, number: Option<u64>) -> Result<(), Trouble> {
        let is_numbered = *self.is_numbered.get_or_insert(number.is_some());
        let asked = self.asked;
        match number {
            Some(found) if found != asked => Err(format!(
                "answers number {found} when asked for number {asked}"
            )),
            Some(_) if !is_numbered => Err(format!("gives number {asked}, and gave none before")),
            None if is_numbered => Err("gives no number, and gave one before".to_owned()),
            _ => return Ok(()),
        }
        .map_err(Trouble::Protocol)
    }

    /// Ends its input and waits until it ends. An answer to no question shows that one before was shifted, unless numbers say
    /// which is which.
    ///
    /// # Errors
    /// It wrote more than its answers.
    pub fn finish(&mut self, limit: Duration) -> Result<(), &'static str> {
        let begun = Instant::now();
        self.stdin = None;
        let mut wait = if self.is_numbered == Some(true) {
            Duration::ZERO
        } else {
            CHECK
        };
        loop {
            let is_quiet = !self.read(wait);
            if !self.pending.is_empty() {
                return Err("wrote a line that answers no point");
            }
            let is_over = wait.is_zero() || self.stdout.is_none() || begun.elapsed() > limit;
            if is_over || is_quiet && interruption::is_requested() {
                return Ok(());
            }
            if is_quiet && self.has_ended() {
                // What it wrote last may stand in the pipe.
                wait = Duration::ZERO;
            }
        }
    }

    /// Reads what it has written, and waits for it at most this long. Whether there was anything.
    fn read(&mut self, wait: Duration) -> bool {
        let mut polled: Vec<PollFd<'_>> = Vec::new();
        polled.extend(
            self.stdout
                .as_ref()
                .map(|pipe| PollFd::new(pipe, PollFlags::IN)),
        );
        polled.extend(
            self.stderr
                .as_ref()
                .map(|pipe| PollFd::new(pipe, PollFlags::IN)),
        );
        let timeout = Timespec {
            tv_sec: 0,
            tv_nsec: i64::from(wait.subsec_nanos()),
        };
        // An interrupted wait is a short one.
        let _ = poll(&mut polled, Some(&timeout));
        let mut ready = polled.iter().map(|polled| !polled.revents().is_empty());
        let is_ready = [self.stdout.is_some(), self.stderr.is_some()]
            .map(|is_open| is_open && ready.next() == Some(true));
        drop(polled);
        let mut buffer = [0; 1 << 14];
        if is_ready[0]
            && let Some(pipe) = &mut self.stdout
        {
            match pipe.read(&mut buffer) {
                Ok(count @ 1..) => self.pending.extend(&buffer[..count]),
                _ => self.stdout = None,
            }
        }
        if is_ready[1]
            && let Some(pipe) = &mut self.stderr
        {
            match pipe.read(&mut buffer) {
                Ok(count @ 1..) => self.complaints.extend(&buffer[..count]),
                _ => self.stderr = None,
            }
            let surplus = self.complaints.len().saturating_sub(MAX_STDERR);
            self.complaints.drain(..surplus);
        }
        is_ready.contains(&true)
    }

    /// Whether it has ended. Its number stays its own until it is waited for.
    fn has_ended(&self) -> bool {
        let Ok(Some(pid)) = i32::try_from(self.child.id()).map(Pid::from_raw) else {
            return true;
        };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
    }

    /// How it ended.
    fn status(&mut self) -> String {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(1) {
            if self.has_ended() {
                children::end(&mut self.child);
                return self
                    .child
                    .wait()
                    .map_or_else(|error| error.to_string(), |status| status.to_string());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        "and closed its output".to_owned()
    }

    /// What it wrote to stderr, in one line.
    pub fn complaints(&mut self) -> String {
        // The last of it may be under way.
        let begun = Instant::now();
        while self.stderr.is_some() && begun.elapsed() < CHECK {
            self.read(Duration::from_millis(1));
        }
        let text = String::from_utf8_lossy(&self.complaints);
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.is_empty() {
            String::new()
        } else {
            format!("; its stderr: {}", words.join(" "))
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        children::end(&mut self.child);
    }
}
