//! What was measured: machine, errors of the predictions, and every point.

use maud::{Markup, html};
use measure::results::Status;

use super::super::measured::{Error, Measured};
use super::{code, table};
use crate::base::units::{grouped, plural};
use crate::measured::record::SummaryRow;

pub fn section(measured: &Measured) -> Markup {
    html! {
        p {
            "Multicasts between real processes, one process per node, every byte checked at every node. A time is a median; \
             where there were enough repetitions, its interval contains the true median with a probability of at least 95 %."
        }
        (facts(measured))
        (table(
            "Errors of the predictions: LogP, which has no shared links, and links shared max-min fairly among the nodes of \
             a host",
            &measured.errors,
        )
            .text("points", |errors| errors.group)
            .number("how many", |errors| grouped(errors.points))
            .number("LogP, median", |errors| median(&errors.logp))
            .number("LogP, worst", |errors| worst(&errors.logp))
            .text("at", |errors| worst_at(&errors.logp))
            .number("sharing, median", |errors| median(&errors.link_sharing))
            .number("sharing, worst", |errors| worst(&errors.link_sharing))
            .text("at", |errors| worst_at(&errors.link_sharing)))
        h3 { "Every point" }
        (table(
            "Measured times and the predictions of LogP and of shared links, in ms; off: how far the prediction is above the median",
            &measured.results.points,
        )
            .number("K", |point| grouped(point.row.K))
            .text("algorithm", |point| point.row.algorithm.as_str())
            .number("bytes", |point| grouped(point.row.bytes))
            .text("nodes on", |point| point.row.placing())
            .number("delay, ps/B", |point| grouped(point.row.hold_ps_per_byte))
            .number("D/g", |point| point.D_over_g().map(|ratio| format!("{ratio:.2}")).unwrap_or_default())
            .number("median", |point| ms(point.row.median_ns))
            .number("low", |point| ms(point.row.low_ns))
            .number("high", |point| ms(point.row.high_ns))
            .number("LogP", |point| point.row.model_ns.map(ms).unwrap_or_default())
            .number("off, %", |point| off(&point.row, point.row.model_ns))
            .number("sharing", |point| point.row.link_sharing_ns.map(ms).unwrap_or_default())
            .number("off, %", |point| off(&point.row, point.row.link_sharing_ns)))
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
            @for (facts, names) in &measured.hosts {
                dt { (plural(names.len() as u64, "host")) } dd {
                    @if let [first, .., last] = names.as_slice() { (first) " to " (last) ": " }
                    @else { (names.join("")) ": " }
                    (facts.processor) ", " (plural(facts.cores, "core")) ", " (facts.kernel)
                    @if let Some(control) = &facts.tcp_congestion_control { ", TCP " (control) }
                }
            }
            dt { "Files" } dd { "in " (code(&measured.results.directory.display().to_string())) }
        }
    }
}

fn median(error: &Option<Error>) -> String {
    error
        .as_ref()
        .map(|error| format!("{:.2} %", 100.0 * error.median))
        .unwrap_or_default()
}

fn worst(error: &Option<Error>) -> String {
    error
        .as_ref()
        .map(|error| percent(error.worst) + " %")
        .unwrap_or_default()
}

fn worst_at(error: &Option<Error>) -> &str {
    error.as_ref().map_or("", |error| &error.worst_at)
}

/// How far a prediction is above a median.
fn off(row: &SummaryRow, predicted: Option<u64>) -> String {
    predicted
        .map(|ns| percent(row.error_of(ns)))
        .unwrap_or_default()
}

/// A fraction in percent, with its sign.
fn percent(fraction: f64) -> String {
    let text = format!("{:+.2}", 100.0 * fraction);
    // A zero has no sign.
    if text == "-0.00" {
        "+0.00".to_owned()
    } else {
        text
    }
}

fn ms(ns: u64) -> String {
    super::ratio(ns as f64 / 1e6)
}
