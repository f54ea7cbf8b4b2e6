//! `castbench figures`: pictures from the CSV of a sweep.

use std::path::Path;

use crate::chart::png;
use crate::cli::Figures;
use crate::config::Config;
use crate::failure::{Failure, tell};
use crate::figures::{self, adhoc};
use crate::output::{self, Draft};

/// Runs the verb.
///
/// # Errors
/// Exit code 3 for a bad configuration, and those of [`figures::draw_all`] and [`adhoc::draw`].
pub fn run(arguments: &Figures) -> Result<(), Failure> {
    if let (Some(x), Some(out)) = (&arguments.x, &arguments.out) {
        return draw_one(arguments, x, out);
    }
    let config = Config::load(arguments.config.as_deref())?;
    let out = arguments.out.clone().unwrap_or_else(|| arguments.from.join("figures"));
    draw(&config, &arguments.from, &out)
}

/// Draws the figures of a loaded configuration and lists the files.
pub(super) fn draw(config: &Config, from: &Path, out: &Path) -> Result<(), Failure> {
    let files = figures::draw_all(&config.figures, from, out)?;
    if files.is_empty() {
        let files: Vec<&str> = config.figures.iter().map(|figure| figure.file()).collect();
        let (files, from) = (files.join(", "), from.display());
        tell(format_args!(
            "warning: nothing was drawn; `{from}` has neither the history nor the measurements of {files}"
        ));
    }
    for file in files {
        tell(format_args!("drew {}", file.display()));
    }
    Ok(())
}

fn draw_one(arguments: &Figures, x: &str, out: &Path) -> Result<(), Failure> {
    let extension = out.extension().and_then(|extension| extension.to_str());
    if !matches!(extension, Some("svg" | "png")) {
        let out = out.display();
        return Err(Failure::usage(format_args!("--out {out}: expected a file name that ends in .svg or .png")));
    }
    if extension == Some("png") {
        png::check_available()?;
    }
    let svg = svg(arguments, x, out)?;
    let bytes = figures::encoded(&out.to_string_lossy(), svg)?;
    output::publish(vec![Draft::of(out, &bytes)?], &[])?;
    tell(format_args!("drew {}", out.display()));
    Ok(())
}

/// The SVG of the one figure along the axis `x`; `out` is its file, for messages.
///
/// # Errors
/// Those of [`adhoc::draw`].
pub fn svg(arguments: &Figures, x: &str, out: &Path) -> Result<String, Failure> {
    let one = &arguments.one;
    let request = adhoc::Request {
        file: out.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        x: x.to_owned(),
        y: one.y,
        by: one.by.clone(),
        log: one.log.clone(),
        free: one.free.clone(),
        over: one.over.clone(),
        problem: one.problem.clone(),
        algorithms: one.algorithms.clone(),
        at: one.at.clone(),
    };
    adhoc::draw(&request, &arguments.from)
}
