//! What was measured: machine, errors of the predictions, and every point.

use maud::{Markup, html};
use measure::results::Status;

use super::super::measured::{Error, Measured};
use super::{cell, code, count, number, table, text};
use crate::measured::results::MeasuredPoint;
use crate::units::plural;

pub(super) fn section(measured: &Measured) -> Markup {
    html! {
        p {
            "Multicasts between real processes, one process per node, every byte checked at every node. A time is a median; \
             where there were enough repetitions, its interval contains the true median with a probability of at least 95 %."
        }
        (facts(measured))
        (table(
            "Errors of the predictions: LogP, which has no shared links, and links shared max-min fairly among the nodes of \
             a host",
            &[
                text("points"), number("how many"), number("LogP, median"), number("LogP, worst"), text("at"),
                number("sharing, median"), number("sharing, worst"), text("at"),
            ],
            measured.errors.iter().map(|errors| {
                let [logp, sharing] = [&errors.logp, &errors.link_sharing].map(|error| error_cells(error.as_ref()));
                [cell(errors.group), count(errors.points)].into_iter().chain(logp).chain(sharing).collect()
            }),
        ))
        h3 { "Every point" }
        (table(
            "Measured times and the predictions of LogP and of shared links, in ms; off: how far the median is above the prediction",
            &[
                number("K"), text("algorithm"), number("bytes"), text("nodes on"),
                number("delay, ps/B"), number("D/g"), number("median"), number("low"), number("high"),
                number("LogP"), number("off, %"), number("sharing"), number("off, %"),
            ],
            measured.results.points.iter().map(point),
        ))
    }
}

fn facts(measured: &Measured) -> Markup {
    let manifest = &measured.results.manifest;
    html! {
        dl {
            dt { "Transport" } dd { (manifest.configuration.transport()) }
            dt { "Measured" } dd {
                (manifest.date()) ", in " (format!("{:.0}", manifest.seconds)) " s, by revision "
                code { (manifest.revision) } ", configuration " (manifest.configuration_source) "; "
                @match &manifest.outcome {
                    Status::Complete => "complete",
                    Status::Interrupted => "interrupted, so points may be missing",
                    Status::Failed(reason) => { "it failed, so points may be missing: " (reason) }
                }
            }
            @for hosts in &measured.hosts {
                dt { (plural(hosts.names.len() as u64, "host")) } dd {
                    @if let [first, .., last] = hosts.names.as_slice() { (first) " to " (last) ": " }
                    @else { (hosts.names.join("")) ": " }
                    (hosts.facts.processor) ", " (plural(hosts.facts.cores, "core")) ", " (hosts.facts.kernel)
                    @if let Some(control) = &hosts.facts.tcp_congestion_control { ", TCP " (control) }
                }
            }
            dt { "Files" } dd { "in " (code(&measured.results.directory.display().to_string())) }
        }
    }
}

fn error_cells(error: Option<&Error>) -> [Markup; 3] {
    error.map_or_else(Default::default, |error| {
        [cell(format!("{:.2} %", 100.0 * error.median)), cell(percent(error.worst) + " %"), cell(&error.worst_at)]
    })
}

/// A fraction in percent, with its sign.
fn percent(fraction: f64) -> String {
    let text = format!("{:+.2}", 100.0 * fraction);
    // A zero has no sign.
    if text == "-0.00" { "+0.00".to_owned() } else { text }
}

fn point(point: &MeasuredPoint) -> Vec<Markup> {
    let row = &point.row;
    let error = |predicted: Option<u64>| predicted.map(|ns| cell(percent(row.error_of(ns)))).unwrap_or_default();
    vec![
        count(row.K.into()),
        cell(&row.algorithm),
        count(row.bytes),
        cell(row.placing()),
        count(row.hold_ps_per_byte),
        cell(point.D_over_g().map(|ratio| format!("{ratio:.2}")).unwrap_or_default()),
        ms(row.median_ns),
        ms(row.low_ns),
        ms(row.high_ns),
        row.model_ns.map(ms).unwrap_or_default(),
        error(row.model_ns),
        row.link_sharing_ns.map(ms).unwrap_or_default(),
        error(row.link_sharing_ns),
    ]
}

fn ms(ns: u64) -> Markup {
    cell(super::ratio(ns as f64 / 1e6))
}
