//! How far a sweep is: a bar on a terminal, a plain line every few seconds elsewhere. Always on stderr.

use std::fmt::Write;
use std::io::IsTerminal as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::failure::tell;
use crate::units::grouped;

/// Between two lines where there is no terminal.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// The progress of a known number of points, or of other things. May be told of finished ones from any thread.
pub struct Progress {
    noun: &'static str,
    total: AtomicU64,
    /// Done before counting began.
    before: u64,
    done: AtomicU64,
    started: Instant,
    /// When the last line was printed; absent where a bar is drawn instead.
    last_line: Option<Mutex<Instant>>,
    bar: ProgressBar,
}

impl Progress {
    /// Starts counting points, where `done` of them are done already.
    #[must_use]
    pub fn new(total: u64, done: u64) -> Self {
        Self::of(total, done, "points")
    }

    /// Starts counting what the noun names.
    #[must_use]
    pub fn of(total: u64, done: u64, noun: &'static str) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = if terminal { ProgressBar::new(total) } else { ProgressBar::hidden() };
        let template = format!("{{wide_bar}} {{human_pos}} of {{human_len}} {noun}  {{rate:>12}}  {{eta}} left");
        let style = ProgressStyle::with_template(&template);
        let rate = |state: &ProgressState, out: &mut dyn Write| {
            // Writing to the bar's own buffer cannot fail.
            let _ = write!(out, "{:.0}/s", state.per_sec());
        };
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).with_key("rate", rate));
        bar.set_position(done);
        bar.reset_eta();
        let started = Instant::now();
        Self {
            noun,
            total: AtomicU64::new(total),
            before: done,
            done: AtomicU64::new(done),
            started,
            last_line: (!terminal).then(|| Mutex::new(started)),
            bar,
        }
    }

    /// So many more points are finished, and so many less are to do than was thought.
    pub fn advance(&self, finished: u64, gone: u64) {
        if gone > 0 {
            self.total.fetch_sub(gone, Ordering::Relaxed);
            self.bar.dec_length(gone);
        }
        let done = self.done.fetch_add(finished, Ordering::Relaxed) + finished;
        self.bar.inc(finished);
        let Some(last_line) = &self.last_line else { return };
        // Whoever finds the lock taken leaves the line to the one who has it.
        if let Ok(mut last) = last_line.try_lock()
            && last.elapsed() >= HEARTBEAT
        {
            *last = Instant::now();
            tell(self.line(done));
        }
    }

    /// The work is over, one way or the other.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// How long it took.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    fn line(&self, done: u64) -> String {
        let rate = (done - self.before) as f64 / self.elapsed().as_secs_f64().max(1e-9);
        let total = self.total.load(Ordering::Relaxed);
        let left = total.saturating_sub(done) as f64 / rate;
        let (done, total) = (grouped(done), grouped(total));
        let noun = self.noun;
        format!("{done} of {total} {noun}, {rate:.1} per second, about {left:.0} s left")
    }
}
