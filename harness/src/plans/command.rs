//! Plans from a command: it is started once, reads a point as one line of JSON, and answers with a plan in one line.
//!
//! The command is code that the user trusts: nothing confines it. It runs in a directory of its own, which is deleted with it.

use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use algorithms::error::Error;
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
const CHECK: Duration = Duration::from_millis(50);

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
            let errors = process.as_ref().map_or_else(String::new, Process::complaints);
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
    answers: Receiver<Result<Vec<u8>, String>>,
    /// The end of what it wrote to stderr, and what reads that.
    complaints: Arc<Mutex<Vec<u8>>>,
    listener: JoinHandle<()>,
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
        let (sender, answers) = sync_channel(1);
        std::thread::spawn(move || read_answers(stdout, &sender));
        let complaints = Arc::default();
        let kept = Arc::clone(&complaints);
        let listener = std::thread::spawn(move || listen(stderr, &kept));
        Ok(Self { child, stdin, answers, complaints, listener, _scratch: scratch })
    }

    /// The answer to a question: one line, without its end.
    fn answer(&mut self, question: &[u8], limit: Duration) -> Result<Vec<u8>, String> {
        let begun = Instant::now();
        // One question is under way at a time, so the pipe has room. What a process wrote before it ended says why.
        let mut is_ended = self.stdin.write_all(question).is_err();
        loop {
            match self.answers.recv_timeout(CHECK) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Timeout) if begun.elapsed() > limit => {
                    return Err(format!("did not answer within {} s", limit.as_secs()));
                }
                Err(RecvTimeoutError::Timeout) if !is_ended => {
                    is_ended = matches!(self.child.try_wait(), Ok(Some(_)));
                }
                Err(_) => return Err(format!("ended without an answer, {}", self.status())),
            }
        }
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
    fn complaints(&self) -> String {
        // The last of it may be under way.
        let begun = Instant::now();
        while !self.listener.is_finished() && begun.elapsed() < CHECK {
            std::thread::sleep(Duration::from_millis(1));
        }
        let complaints = lock(&self.complaints);
        let text = String::from_utf8_lossy(&complaints);
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.is_empty() { String::new() } else { format!("; its stderr: {}", words.join(" ")) }
    }
}

/// Sends each line of an output, until it ends or is no answer.
fn read_answers(stdout: ChildStdout, answers: &SyncSender<Result<Vec<u8>, String>>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        let answer = match stdout.by_ref().take(MAX_BYTES + 1).read_until(b'\n', &mut line) {
            Err(error) => Err(format!("cannot be read: {error}")),
            Ok(_) if line.ends_with(b"\n") && !stdout.buffer().is_empty() => {
                Err("answers with more than one line".to_owned())
            }
            Ok(_) if line.pop_if(|last| *last == b'\n').is_some() => Ok(line),
            Ok(_) if line.len() as u64 > MAX_BYTES => Err(format!("answers with more than {} MiB", MAX_BYTES >> 20)),
            Ok(_) => return,
        };
        let is_last = answer.is_err();
        if answers.send(answer).is_err() || is_last {
            return;
        }
    }
}

/// Keeps the end of an output.
fn listen(mut stderr: ChildStderr, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 1 << 12];
    while let Ok(count @ 1..) = stderr.read(&mut buffer) {
        let mut kept = lock(kept);
        kept.extend(&buffer[..count]);
        let surplus = kept.len().saturating_sub(MAX_STDERR);
        kept.drain(..surplus);
    }
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
