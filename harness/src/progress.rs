//! How far a sweep is: a bar on a terminal, a plain line every few seconds elsewhere. Always on stderr.

use std::io::IsTerminal as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::units::grouped;

/// Between two lines where there is no terminal.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// The progress of a known number of points. May be told of finished points from any thread.
pub struct Progress {
    total: u64,
    done: AtomicU64,
    started: Instant,
    /// When the last line was printed; absent where a bar is drawn instead.
    last_line: Option<Mutex<Instant>>,
    bar: ProgressBar,
}

impl Progress {
    /// Starts counting.
    #[must_use]
    pub fn new(total: u64) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = if terminal { ProgressBar::new(total) } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template(
            "{wide_bar} {human_pos}/{human_len} points  {per_sec:>12}  {eta_precise} left",
        );
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let started = Instant::now();
        Self { total, done: AtomicU64::new(0), started, last_line: (!terminal).then(|| Mutex::new(started)), bar }
    }

    /// One more point is finished.
    pub fn tick(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.bar.inc(1);
        let Some(last_line) = &self.last_line else { return };
        // Looking at the clock costs more than most points; whoever finds the lock taken has nothing to say.
        if !done.is_multiple_of(64) {
            return;
        }
        if let Ok(mut last) = last_line.try_lock()
            && last.elapsed() >= HEARTBEAT
        {
            *last = Instant::now();
            anstream::eprintln!("{}", self.line(done));
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
        let seconds = self.elapsed().as_secs().max(1);
        let rate = done / seconds;
        let left = (self.total - done.min(self.total)) / rate.max(1);
        format!(
            "{} of {} points, {} per second, about {left} s left",
            grouped(done),
            grouped(self.total),
            grouped(rate)
        )
    }
}
