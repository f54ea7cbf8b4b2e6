//! The program, the configuration, the grids and the files of the sweep.

use maud::{Markup, html};

use super::super::Report;
use super::table;
use crate::units::{grouped, plural};

pub(super) fn section(report: &Report<'_>) -> Markup {
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
                ul .axes { @for (symbol, values) in grid.described_axes() { li { b { (symbol) } " " (values) } } }
            })
            .number("points", |grid| grid.points().map(grouped).unwrap_or_default()))
        p .note { "A point in several grids is evaluated once." }
    }
    (table("The files of the sweep", &run.files)
            .text("file", |file| file_name(&file.name, report.is_neighbour))
            .number("rows", |file| grouped(file.rows))
            .text("SHA-256", |file| html! { code .digest { (file.sha256) } }))
        p .note { "For programs: " (file_name("manifest.json", report.is_neighbour)) "." }
    }
}

/// The name of a file of the sweep, a link if the page is in the same directory.
pub(super) fn file_name(name: &str, is_neighbour: bool) -> Markup {
    html! { @if is_neighbour { a href=(relative(name)) { (name) } } @else { code { (name) } } }
}

/// A file name as an address, which stays in the same directory for any name.
fn relative(name: &str) -> String {
    let sign = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    format!("./{}", name.bytes().map(sign).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::relative;

    #[test]
    fn an_address_stays_in_the_directory() {
        assert_eq!(relative("mesh-gossip.csv"), "./mesh-gossip.csv");
        assert_eq!(relative("javascript:alert(1)//"), "./javascript%3Aalert%281%29%2F%2F");
    }
}
