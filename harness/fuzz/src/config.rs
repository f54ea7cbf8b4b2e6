//! Configurations, of sweeps and of measurements.

use algorithms::cost::Limits;
use castbench::base::failure::Code;
use castbench::config::Config;
use castbench::figures;
use castbench::measured;
use castbench::output::diagnostics::Source;
use castbench::space::Space;
use castbench::sweep::Part;
use measure::order;
use measure::task::Task;

use crate::promise::{LIMITS, refused, row};

const NAME: &str = "configuration.toml";
/// The text in messages about a machine profile that a configuration names.
const PROFILE: &str = "machine profile";

/// The most points of a measurement that are planned, because each executes a program.
const MAX_PLANNED: u64 = 60;

/// Reads the text as either kind of configuration. A sweep has the cells that it counts, and its first and last ones
/// are evaluated. A measurement is planned, and has each of its points once in every repetition.
pub fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let source = Source::built_in(NAME, text);
    match Config::from_source(&source) {
        Ok(config) => {
            if let Err(failure) = figures::of(&config) {
                refused(&failure, &[Code::Configuration], &[NAME, PROFILE]);
            }
            sweep(&config);
        }
        Err(failure) => refused(&failure, &[Code::Configuration], &[NAME, PROFILE]),
    }
    match measured::config::Config::from_source(&source) {
        Ok(config) => measurement(&config),
        Err(failure) => refused(&failure, &[Code::Configuration], &[NAME, PROFILE]),
    }
}

fn sweep(config: &Config) {
    let size: u128 = config.grids.iter().map(Space::size).sum();
    assert!(
        size <= config.most_points.into(),
        "{size} points, at most {} are allowed",
        config.most_points
    );
    let parts = match Part::all(config) {
        Ok(parts) => parts,
        Err(failure) => return refused(&failure, &[Code::Nothing], &[NAME]),
    };
    assert_eq!(
        size,
        parts.iter().map(|part| u128::from(part.cells())).sum()
    );
    let Limits { nodes, hops } = config.limits;
    let limits = Limits {
        nodes: nodes.min(LIMITS.nodes),
        hops: hops.min(LIMITS.hops),
    };
    for part in &parts {
        for number in [0, 1, part.cells().saturating_sub(1)] {
            if number < part.cells()
                && let Some(cell) = part.cell(number)
            {
                row(&cell, &limits);
            }
        }
    }
}

fn measurement(config: &measured::config::Config) {
    let points = config
        .measurements
        .iter()
        .map(measured::config::Measurement::points);
    if points.fold(0, u64::saturating_add) > MAX_PLANNED {
        return;
    }
    let points = match measured::plan::points(config, &[]) {
        Ok(points) => points,
        // A message too long for its machine, or ranks that MPI did not start.
        Err(failure) => return refused(&failure, &[Code::Configuration], &["measurement"]),
    };
    assert!(
        points
            .iter()
            .all(|point| point.task.placement.len() == point.task.ranks() as usize)
    );
    let mut visited = Vec::new();
    let tasks: Vec<&Task> = points.iter().map(|point| &point.task).collect();
    for (number, session) in order::sessions(&tasks).iter().enumerate() {
        visited.extend(order::shuffled(
            number,
            0,
            &session.indices,
            config.settings.seed,
        ));
    }
    visited.sort_unstable();
    assert!(
        visited.into_iter().eq(0..points.len()),
        "a point is visited twice or never"
    );
}
