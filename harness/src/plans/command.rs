//! Plans from a command: it is started once, reads a point as one line of JSON, and answers with a plan in one line.
//!
//! The command is code that the user trusts: nothing confines it. It runs in a directory of its own, which is deleted with it.

use std::ffi::OsString;
use std::io::{self, ErrorKind, Read, Write as _};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use algorithms::error::Error;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use rustix::process::{Pid, Signal, kill_process_group};

use super::files::MAX_BYTES;
use super::json;
use super::kept::{Answer, Kept};
use super::point::PlanPoint;
use super::shape::Shape;
use crate::output::Scratch;

/// Most bytes of the end of stderr that an error shows.
const MAX_STDERR: usize = 2000;
/// How often a silent process is checked: one that ended can have left a fork that holds its pipes.
const CHECK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// A command that makes plans.
pub struct Command {
    words: Vec<OsString>,
    line: String,
    limit: Duration,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    process: Option<Process>,
    kept: Kept,
}

/// The states of all commands that were started.
static STARTED: Mutex<Vec<Arc<Mutex<State>>>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all commands. One that is asked again is started again.
pub fn end_all() {
    let started = std::mem::take(&mut *lock(&STARTED));
    started.iter().for_each(|state| drop(lock(state).process.take()));
}

impl Command {
    /// A command whose words name files of a directory or are left as they are, and most time for an answer.
    ///
    /// # Errors
    /// Why the current directory is not known.
    pub fn new(directory: &Path, words: &[String], limit: Duration) -> io::Result<Self> {
        let directory = std::env::current_dir()?.join(directory);
        let resolved = |word: &String| match directory.join(word) {
            path if path.is_file() => path.into_os_string(),
            _ => word.into(),
        };
        let words: Vec<OsString> = words.iter().map(resolved).collect();
        let line = words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
        Ok(Self { words, line, limit, state: Arc::default() })
    }

    /// Its words that name files beside the configuration.
    pub fn files(&self) -> Vec<PathBuf> {
        self.words.iter().map(PathBuf::from).filter(|path| path.is_absolute() && path.is_file()).collect()
    }

    /// The plan of a point.
    ///
    /// # Errors
    /// [`Error::Given`] with the point and what the command wrote to stderr.
    pub fn plan(&self, point: &PlanPoint, shape: &Shape) -> Answer {
        let mut state = lock(&self.state);
        if let Some(known) = state.kept.get(point) {
            return known;
        }
        let question = point.question(shape);
        let State { process, kept } = &mut *state;
        let answer = self.ask(process, &question);
        let mut bytes = question.len();
        let read = |answer: Vec<u8>| {
            bytes += answer.len();
            json::read(&answer, shape)
                .map(|plan| Arc::new(plan.into()))
                .map_err(|reason| format!("answers with no plan: {reason}"))
        };
        let answer = answer.and_then(read).map_err(|reason| {
            let errors = process.as_mut().map_or_else(String::new, Process::complaints);
            // The next point gets a new process: the answer to this one may still be under way.
            *process = None;
            Error::Given(format!("the command `{}` {reason}; the point is {}{errors}", self.line, question.trim_end()))
        });
        kept.keep(point, bytes, &answer);
        answer
    }

    fn ask(&self, process: &mut Option<Process>, question: &str) -> Result<Vec<u8>, String> {
        if process.is_none() {
            *process = Some(Process::start(&self.words).map_err(|error| format!("cannot be started: {error}"))?);
            lock(&STARTED).push(Arc::clone(&self.state));
        }
        let process = process.as_mut().ok_or("is not running")?;
        process.answer(question.as_bytes(), self.limit)
    }
}

/// A running command. Dropping it ends it and its forks.
struct Process {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    stderr: ChildStderr,
    complaints: Vec<u8>,
    _scratch: Scratch,
}

impl Process {
    fn start(words: &[OsString]) -> io::Result<Self> {
        let scratch = Scratch::new(&std::env::temp_dir())?;
        let (program, arguments) = words.split_first().ok_or(ErrorKind::InvalidInput)?;
        let mut command = std::process::Command::new(program);
        command.args(arguments).current_dir(scratch.path()).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(ErrorKind::BrokenPipe.into());
        };
        let process = Self { child, stdin, stdout, stderr, complaints: Vec::new(), _scratch: scratch };
        for pipe in [process.stdin.as_fd(), process.stdout.as_fd(), process.stderr.as_fd()] {
            ioctl_fionbio(pipe, true)?;
        }
        Ok(process)
    }

    /// The answer to a question: one line, without its end.
    fn answer(&mut self, question: &[u8], limit: Duration) -> Result<Vec<u8>, String> {
        let begun = Instant::now();
        let (mut written, mut answer) = (0, Vec::new());
        let mut buffer = [0; 1 << 14];
        let mut is_ended = false;
        loop {
            if written < question.len() {
                match self.stdin.write(&question[written..]) {
                    Ok(count) => written += count,
                    Err(error) if is_pause(&error) => {}
                    // What it wrote before it ended says why.
                    Err(_) => is_ended = true,
                }
            }
            if let Some(end) = self.take(&mut buffer, &mut answer, &mut is_ended)? {
                let more = answer.len() - end - 1;
                answer.truncate(end);
                return if more == 0 { Ok(answer) } else { Err("answers with more than one line".to_owned()) };
            }
            if is_ended {
                return Err(format!("ended without an answer, {}", self.status()));
            }
            if begun.elapsed() > limit {
                return Err(format!("did not answer within {} s", limit.as_secs()));
            }
            self.wait(written < question.len(), &mut is_ended)?;
        }
    }

    /// Reads what there is of an answer, and returns the offset of its end.
    fn take(&mut self, buffer: &mut [u8], answer: &mut Vec<u8>, is_ended: &mut bool) -> Result<Option<usize>, String> {
        loop {
            match self.stdout.read(buffer) {
                Ok(0) => {
                    *is_ended = true;
                    return Ok(None);
                }
                Ok(count) => {
                    let before = answer.len();
                    answer.extend(&buffer[..count]);
                    if let Some(end) = buffer[..count].iter().position(|&byte| byte == b'\n') {
                        return Ok(Some(before + end));
                    }
                    if answer.len() as u64 > MAX_BYTES {
                        return Err(format!("answers with more than {} MiB", MAX_BYTES >> 20));
                    }
                }
                Err(error) if is_pause(&error) => return Ok(None),
                Err(error) => return Err(format!("cannot be read: {error}")),
            }
        }
    }

    /// Waits until a pipe is ready. A process that ended while a fork holds its pipes is found after a while.
    fn wait(&mut self, is_writing: bool, is_ended: &mut bool) -> Result<(), String> {
        let mut pipes = vec![PollFd::new(&self.stdout, PollFlags::IN), PollFd::new(&self.stderr, PollFlags::IN)];
        if is_writing {
            pipes.push(PollFd::new(&self.stdin, PollFlags::OUT));
        }
        let ready = match poll(&mut pipes, Some(&CHECK)) {
            Err(rustix::io::Errno::INTR) => return Ok(()),
            ready => ready.map_err(|error| format!("cannot be waited for: {error}"))?,
        };
        let complains = !pipes[1].revents().is_empty();
        if complains && self.complain() == 0 {
            // A closed stderr is ready for ever.
            std::thread::sleep(Duration::from_millis(1));
        }
        if ready == 0 {
            *is_ended = matches!(self.child.try_wait(), Ok(Some(_)));
        }
        Ok(())
    }

    /// Keeps the end of what it wrote to stderr; returns how much there was.
    fn complain(&mut self) -> usize {
        let mut buffer = [0; 1 << 12];
        let count = self.stderr.read(&mut buffer).unwrap_or(0);
        self.complaints.extend(&buffer[..count]);
        let surplus = self.complaints.len().saturating_sub(MAX_STDERR);
        self.complaints.drain(..surplus);
        count
    }

    /// How it ended.
    fn status(&mut self) -> String {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(1) {
            if let Ok(Some(status)) = self.child.try_wait() {
                return status.to_string();
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        "and closed its output".to_owned()
    }

    /// What it wrote to stderr, in one line.
    fn complaints(&mut self) -> String {
        for _ in 0..MAX_STDERR {
            if self.complain() == 0 {
                break;
            }
        }
        let text = String::from_utf8_lossy(&self.complaints);
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.is_empty() { String::new() } else { format!("; its stderr: {}", words.join(" ")) }
    }
}

fn is_pause(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

impl Drop for Process {
    fn drop(&mut self) {
        // It leads a group of its own, with its forks.
        if let Ok(Some(group)) = i32::try_from(self.child.id()).map(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}
