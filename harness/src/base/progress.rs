//! The progress of a sweep on stderr: a bar on a terminal, a line every few seconds elsewhere.
//!
//! The time left is the remaining work at the mean pace so far. [`Instance::work`] gives the work from the start. The
//! number of points is no measure, because one point may take as long as a thousand others.
//!
//! [`Instance::work`]: algorithms::problem::Instance::work

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{FormattedDuration, ProgressBar, ProgressState, ProgressStyle};

use crate::base::failure::tell;
use crate::base::terminal;
use crate::base::units::grouped;

/// The time between two lines without a terminal.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// The time since a start.
pub type Clock = Box<dyn Fn() -> Duration + Send + Sync>;

/// A clock that starts now.
pub fn clock() -> Clock {
    let started = Instant::now();
    Box::new(move || started.elapsed())
}

/// The progress of a known number of points or other items. Any thread may count finished ones.
pub struct Progress {
    noun: &'static str,
    total: u64,
    /// The number done before the start.
    before: u64,
    done: Arc<AtomicU64>,
    /// All units of work to be done, fixed at the start. A unit is one quick point.
    work: u64,
    worked: AtomicU64,
    clock: Clock,
    /// The time of the last line; absent if a bar is drawn.
    last_line: Option<Mutex<Duration>>,
    bar: ProgressBar,
}

impl Progress {
    /// Starts counting items named `noun`, of which `done` are done; all take about the same time.
    pub fn new(total: u64, done: u64, noun: &'static str) -> Self {
        Self::weighted(total, done, noun, 0, clock())
    }

    /// Counts on a terminal only, without a time left, because the time of an item is unknown.
    pub fn bar(total: u64, noun: &'static str) -> Self {
        let template = format!("{{wide_bar}} {{human_pos}} of {{human_len}} {noun}");
        Self {
            last_line: None,
            ..Self::with(total, 0, noun, 0, clock(), &template)
        }
    }

    /// Counts without output; `done` counts for another reader too.
    pub fn silent(total: u64, done: Arc<AtomicU64>) -> Self {
        Self {
            done,
            last_line: None,
            bar: ProgressBar::hidden(),
            ..Self::new(total, 0, "")
        }
    }

    /// Counts items of different work: `extra` is the remaining work beyond one unit per item.
    pub fn weighted(total: u64, done: u64, noun: &'static str, extra: u64, clock: Clock) -> Self {
        let template = format!(
            "{{wide_bar}} {{human_pos}} of {{human_len}} {noun}  {{rate:>12}}  {{msg}} left"
        );
        Self::with(total, done, noun, extra, clock, &template)
    }

    fn with(
        total: u64,
        done: u64,
        noun: &'static str,
        extra: u64,
        clock: Clock,
        template: &str,
    ) -> Self {
        let terminal = terminal::shows_progress();
        let before = done;
        let bar = if terminal {
            ProgressBar::new(total)
        } else {
            ProgressBar::hidden()
        };
        let work = total.saturating_sub(done).saturating_add(extra);
        // Writing to the bar's own buffer cannot fail.
        let rate = |state: &ProgressState, out: &mut dyn Write| {
            let _ = write!(out, "{:.0}/s", state.per_sec());
        };
        let style =
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.with_key("rate", rate));
        bar.set_position(done);
        bar.set_message("?");
        let last_line = (!terminal).then(|| Mutex::new(clock()));
        let (done, worked) = (Arc::new(AtomicU64::new(done)), AtomicU64::new(0));
        Self {
            noun,
            total,
            before,
            done,
            work,
            worked,
            clock,
            last_line,
            bar,
        }
    }

    /// Counts these as finished, with `extra` work beyond one unit per item.
    pub fn advance(&self, finished: u64, extra: u64) {
        self.worked
            .fetch_add(finished.saturating_add(extra), Ordering::Relaxed);
        let done = self.done.fetch_add(finished, Ordering::Relaxed) + finished;
        self.bar.inc(finished);
        let Some(last_line) = &self.last_line else {
            self.bar
                .set_message(FormattedDuration(self.left()).to_string());
            return;
        };
        let now = self.elapsed();
        // Another thread that holds the lock prints the line.
        if let Ok(mut last) = last_line.try_lock()
            && now.saturating_sub(*last) >= HEARTBEAT
        {
            *last = now;
            tell(self.line(done));
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        (self.clock)()
    }

    /// The time that the rest takes at the mean pace so far; zero before anything is done.
    fn left(&self) -> Duration {
        let done = self.worked.load(Ordering::Relaxed);
        let left = self.work.saturating_sub(done) as f64 / done.max(1) as f64;
        let left = if done == 0 {
            0.0
        } else {
            left * self.elapsed().as_secs_f64()
        };
        Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX)
    }

    fn line(&self, done: u64) -> String {
        let rate = (done - self.before) as f64 / self.elapsed().as_secs_f64().max(1e-9);
        let left = self.left().as_secs_f64();
        let (done, total) = (grouped(done), grouped(self.total));
        let noun = self.noun;
        format!("{done} of {total} {noun}, {rate:.1} per second, about {left:.0} s left")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The grids of the default configuration in the order of a sweep: points, their work by `castbench sweep --dry-run`, and the
    /// core milliseconds that each added to a sweep of the grids before it. Below 100 ms that is noise.
    const RECORDED: &[(u64, u64, u64)] = &[
        // logp-multicast
        (21200, 540765, 383),
        (1458, 26748, 1),
        (195, 351, 25),
        (1902, 56344, 104),
        (23250, 277545, 203),
        (90, 120, 105),
        // logp-summation
        (4800, 718624, 311),
        (272, 21307, 2),
        (134, 105400, 54),
        // mesh-multicast
        (1113, 3996657, 3840),
        (336, 4831427, 4914),
        (64, 1105110, 1621),
        // mesh-gossip
        (9, 1185, 5),
        (87, 338571, 401),
        (12, 1616268, 2367),
        // k-port-broadcast
        (216, 364, 1),
        (17848, 51176, 162),
        (2256, 157359, 459),
        (868, 1443010, 1443),
        (441, 379441, 444),
        // broadcasts with duplex ports
        (6912, 837867, 1561),
        (156, 1768163, 2267),
        (432, 54033, 49),
        // wormhole-multicast
        (1152, 122501, 68),
        (264, 2178830, 1190),
        (156, 1298367, 305),
        (84, 1984287, 849),
    ];

    /// Runs these grids on a simulated clock. Returns each announced total, and the largest factor by which the time
    /// left was wrong after a tenth of the time. A hundredth of the whole run does not count as an error.
    fn run(grids: &[(u64, u64, u64)]) -> (Vec<u64>, f64) {
        let now = Arc::new(AtomicU64::new(0));
        let read = Arc::clone(&now);
        let clock: Clock = Box::new(move || Duration::from_micros(read.load(Ordering::Relaxed)));
        let points = grids.iter().map(|grid| grid.0).sum();
        let extra = grids.iter().map(|grid| grid.1 - grid.0).sum();
        let progress = Progress::weighted(points, 0, "points", extra, clock);
        let all: u64 = grids.iter().map(|grid| grid.2 * 1000).sum();
        let (mut totals, mut worst) = (Vec::new(), 1.0f64);
        for &(points, work, milliseconds) in grids {
            let share = |all: u64, slice: u64| all * (slice + 1) / 50 - all * slice / 50;
            for slice in 0..50 {
                now.fetch_add(share(milliseconds * 1000, slice), Ordering::Relaxed);
                progress.advance(share(points, slice), share(work - points, slice));
                totals.push(progress.total);
                let passed = now.load(Ordering::Relaxed);
                if passed >= all / 10 {
                    let [stated, left] =
                        [progress.left().as_micros() as f64, (all - passed) as f64];
                    let of_all = all as f64 / 100.0;
                    worst = worst
                        .max((stated + of_all) / (left + of_all))
                        .max((left + of_all) / (stated + of_all));
                }
            }
        }
        (totals, worst)
    }

    /// Points per second differ by a factor of 10,000 between the grids, so they alone would give a time left as wrong
    /// as that.
    #[test]
    fn the_time_left_is_wrong_by_a_factor_of_three_at_most() {
        let mut grids = RECORDED.to_vec();
        let (totals, worst) = run(&grids);
        assert!(totals.iter().all(|&total| total == totals[0]));
        assert!(worst < 3.0, "in the order of a sweep: {worst}");
        grids.reverse();
        assert!(run(&grids).1 < 3.0, "reversed: {}", run(&grids).1);
        let duration_of_a_point =
            |&(points, _, milliseconds): &(u64, u64, u64)| milliseconds * 1_000_000 / points;
        grids.sort_by_key(duration_of_a_point);
        assert!(run(&grids).1 < 3.0, "cheap points first: {}", run(&grids).1);
        grids.reverse();
        assert!(
            run(&grids).1 < 3.0,
            "expensive points first: {}",
            run(&grids).1
        );
        // Points in place of work.
        let points: Vec<_> = RECORDED
            .iter()
            .map(|&(points, _, milliseconds)| (points, points, milliseconds))
            .collect();
        assert!(run(&points).1 > 10.0);
    }

    #[test]
    fn the_time_left_is_zero_at_the_start_and_at_the_end() {
        let progress = Progress::weighted(3, 1, "points", 8, Box::new(|| Duration::from_secs(6)));
        assert_eq!(
            progress.line(1),
            "1 of 3 points, 0.0 per second, about 0 s left"
        );
        progress.advance(1, 4);
        assert_eq!(
            progress.line(2),
            "2 of 3 points, 0.2 per second, about 6 s left"
        );
        progress.advance(1, 4);
        assert_eq!(
            progress.line(3),
            "3 of 3 points, 0.3 per second, about 0 s left"
        );
    }
}
