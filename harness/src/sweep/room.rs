//! A warning before a sweep that the disk cannot hold.

use std::path::Path;

use super::estimate::ROW_BYTES;
use crate::failure::tell;
use crate::units::{grouped, volume};

/// Smaller sweeps get no warning: they finish soon.
const FEWEST: u64 = 1_000_000;

/// Warns if the rows exceed the free space on the disk of `out`. This is an estimate and space may become free, so
/// nothing is refused.
pub(super) fn warn(cells: u64, out: &Path) {
    if cells < FEWEST {
        return;
    }
    let bytes = cells.saturating_mul(ROW_BYTES);
    let Ok(disk) = rustix::fs::statvfs(out) else { return };
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    if bytes > free {
        tell(format_args!(
            "warning: {} cells are about {} of CSV, and `{}` has {} free; a sweep that fills the disk stops and \
             keeps its rows, and --resume continues; `castbench plan` prints sizes, --shard I/N sweeps a part",
            grouped(cells),
            volume(bytes),
            out.display(),
            volume(free),
        ));
    }
}
