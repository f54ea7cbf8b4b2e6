//! A warning before a sweep that the disk cannot hold.

use std::path::Path;

use super::estimate::csv_bytes;
use super::parts::Part;
use crate::failure::tell;
use crate::units::{grouped, volume};

/// Smaller sweeps get no warning: they finish soon.
const FEWEST: u64 = 1_000_000;

/// Warns if the rows exceed the free space on the disk of `out`. This is an estimate and space may become free, so
/// nothing is refused.
pub(super) fn warn(parts: &[Part<'_>], cells: u64, out: &Path) {
    if cells < FEWEST {
        return;
    }
    let all = parts.iter().map(Part::cells).fold(0, u64::saturating_add);
    let bytes = u128::from(csv_bytes(parts)) * u128::from(cells) / u128::from(all.max(1));
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
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
