//! `sweep --dry-run`: how many points a configuration or each of its shards holds, before anything runs.

use std::io::Write as _;

use super::Sweep;
use crate::base::failure::{Result, stdout};
use crate::base::units::{plural, volume};
use crate::config::Config;
use crate::figures;
use crate::print::{self, Columns, Format};
use crate::record::shard::Shard;
use crate::sweep::{Part, ROW_BYTES, work};

/// An algorithm over a grid, and its work.
type Planned<'a> = (&'a Part<'a>, u64);

pub(in super::super) fn columns<'a>() -> Columns<'a, Planned<'a>> {
    Columns::<Planned<'_>>::empty()
        .column("algorithm", "name of the algorithm", |row| row.0.entry.name)
        .column("grid", "name of the grid", |row| row.0.grid.name.clone())
        .column(
            "points",
            "number of its points, at most: one that an earlier grid has is swept once",
            |row| row.0.cells(),
        )
        .title("points, at most")
        .column(
            "work",
            "approximate work, in units of a point that is not simulated",
            |row| row.1,
        )
        .data(
            "estimated_csv_bytes",
            "size of the rows on disk, at 160 bytes each",
            |row| row.0.cells().saturating_mul(ROW_BYTES),
        )
}

/// Counts the points of a configuration, and checks its figures.
///
/// # Errors
/// Exit code 3 for a bad configuration or figures without rows in it, 4 for one without points.
pub(super) fn print(arguments: &Sweep) -> Result {
    let selection = &arguments.sweeping.selection;
    let config = Config::survey(selection.config.as_deref(), &selection.set)?;
    match figures::check_rows(&config, &figures::of(&config)?) {
        // `--set` chooses a part of the grids, of which figures may need another.
        Err(gap) if !selection.set.is_empty() => {
            tell!("note: `run` will refuse: {}", gap.explanation())
        }
        checked => checked?,
    }
    let parts = Part::all(&config)?;
    if let Some(of) = arguments.shards {
        return shards(&parts, of, arguments.format);
    }
    let mut out = arguments.format.stdout();
    print::rows(
        arguments.format,
        &columns(),
        parts.iter().map(|part| (part, work(part, &config))),
        &mut out,
    )?;
    if arguments.format == Format::Table {
        let points = parts.iter().map(Part::cells).fold(0, u64::saturating_add);
        let (message, bytes) = (
            plural(points, "point"),
            volume(points.saturating_mul(ROW_BYTES)),
        );
        stdout(writeln!(
            out,
            "at most {message} from {}\na sweep writes about {bytes}",
            config.name()
        ))?;
    }
    if let Some(refusal) = config.too_many_points() {
        tell!(
            "a sweep will refuse this configuration: {refusal}; shorten an axis, or raise the limit"
        );
    }
    Ok(())
}

/// The number of a shard, of all shards, and of its points.
type Share = [u64; 3];

pub(in super::super) fn columns_of_shards() -> Columns<'static, Share> {
    Columns::<Share>::empty()
        .column("shard", "number of the shard", |row| row[0])
        .shown("shard", |row| format!("{}/{}", row[0], row[1]))
        .data("of", "number of shards", |row| row[1])
        .column("points", "number of its points", |row| row[2])
        .title("points, at most")
}

/// The size of each shard. A point of several grids counts in each of them.
fn shards(parts: &[Part<'_>], of: u64, format: Format) -> Result {
    let cells = parts.iter().map(Part::cells).fold(0, u64::saturating_add);
    let rows = (1..=of).map(|index| [index, of, Shard { index, of }.share(cells)]);
    format.rows(&columns_of_shards(), rows)
}
