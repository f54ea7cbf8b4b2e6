//! The program, the configuration, the grids and the files of the sweep.

use algorithms::catalogue::axes;
use maud::{Markup, html};

use super::super::{Report, run};
use super::table;
use crate::base::units::{grouped, plural};

pub fn section(report: &Report<'_>) -> Markup {
    let run = &report.run;
    let configuration = &report.configuration;
    let points = &run.points;
    html! {
        dl {
            dt { "Program" } dd { "castbench " (run.version) ", revision " code { (run.revision) } }
            dt { "Configuration" } dd { (run.configuration_source) }
            dt { "Points" } dd {
                (grouped(points.ok)) " evaluated, " (grouped(points.simulated)) " also simulated with the same result; "
                (grouped(points.not_applicable)) " skipped (algorithm not defined there), " (grouped(points.failed))
                " failed, " (grouped(points.disagree)) " differ between formula and simulation"
            }
            dt { "Simulated" } dd {
                "up to " (grouped(configuration.simulate_up_to_nodes)) " nodes and "
                (grouped(configuration.simulate_up_to_hops)) " hops, deliveries or additions per point"
            }
            dt { "Random draws" } dd { "seed " (configuration.seed) }
        }
        details {
        summary { (plural(configuration.grids.len() as u64, "grid")) }
        (table("The grids: each algorithm is evaluated over the product of the axes it reads", &configuration.grids)
            .text("grid", |grid| &grid.name)
            .text("algorithms", |grid| grid.algorithms.join(", "))
            .text("axes", |grid| html! {
                ul .axes { @for key in axes().iter().map(|axis| axis.key) {
                    @if let Some(values) = grid.described(key) { li { b { (key) } " " (values) } }
                } }
            })
            .number("points", |grid| run::points(grid).map(grouped).unwrap_or_default()))
        p .note { "A point in several grids is evaluated once." }
    }
    (table("The files of the sweep", &run.files)
            .text("file", |file| file_name(&file.name, report.is_neighbour))
            .number("rows", |file| grouped(file.rows))
            .text("SHA-256", |file| html! { code .digest { (file.sha256) } }))
        p .note { "For programs: " (file_name("manifest.json", report.is_neighbour)) "." }
    }
}

/// The name of a file of the sweep, a link within the directory if the page is in the same directory.
pub fn file_name(name: &str, is_neighbour: bool) -> Markup {
    html! { @if is_neighbour { a href={ "./" (name) } { (name) } } @else { code { (name) } } }
}
