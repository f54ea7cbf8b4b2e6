//! A word before a sweep that the disk cannot hold.

use std::path::Path;

use super::estimate::csv_bytes;
use super::parts::Part;
use crate::failure::tell;
use crate::units::{grouped, volume};

/// Of fewer cells nothing is said: they are soon done.
const FEWEST: u64 = 1_000_000;

/// Says so where the rows of so many cells, about, are larger than what is left on the disk of `out`. It is an estimate,
/// and room may be made while the sweep runs, so nothing is refused.
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
            "warning: {} cells are about {} of CSV, and `{}` has room for {}; a sweep that fills a disk ends with what it \
             has, and --resume goes on from there; `castbench plan` says more, --shard I/N sweeps a part",
            grouped(cells),
            volume(bytes),
            out.display(),
            volume(free),
        ));
    }
}
