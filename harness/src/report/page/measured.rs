//! What was measured: machine, errors of the predictions, the claims as measured, and every point.

use maud::{Markup, html};
use measure::results::Status;

use super::super::measured::{Error, Measured};
use super::{cell, code, count, number, table, text, verdict};
use crate::measured::claims::{Case, MeasuredClaim};
use crate::measured::results::MeasuredPoint;
use crate::units::{plural, show_bytes};

pub(super) fn section(measured: &Measured) -> Markup {
    html! {
        p {
            "Multicasts carried out for real, a process for each node, every byte checked at every node. A time is a \
             median with an interval that holds the true median with a probability of 95 % or more, wherever there were \
             enough repetitions for that."
        }
        (facts(measured))
        (table(
            "How far the medians are from what was predicted: by LogP, which knows no shared links, and with each \
             host's link shared max-min fairly among its nodes",
            &[
                text("points"), number("how many"), number("LogP, median"), number("LogP, worst"), text("at"),
                number("sharing, median"), number("sharing, worst"), text("at"),
            ],
            measured.errors.iter().map(|errors| {
                let [logp, sharing] = [&errors.logp, &errors.link_sharing].map(|error| error_cells(error.as_ref()));
                [cell(errors.group), count(errors.points)].into_iter().chain(logp).chain(sharing).collect()
            }),
        ))
        @if !measured.claims.is_empty() {
            h3 { "The claims about figures 6 and 7, as measured" }
            p {
                "D/g is how many gaps between two sends a hop takes: it follows from the machine, the size and the relay \
                 delay. Intervals decide. Where those of two times, or of two differences, overlap, or a tree was not \
                 measured, nothing is decided."
            }
            @for claim in &measured.claims { (claimed(claim)) }
        }
        h3 { "Every point" }
        (table(
            "Measured times and what LogP and shared links predict, in ms, and by how much the median is above that",
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
            dt { "Transport" } dd { (manifest.transport()) }
            dt { "Measured" } dd {
                (manifest.date()) ", in " (format!("{:.0}", manifest.seconds)) " s, by revision "
                code { (manifest.revision) } ", as " (manifest.configuration_source) " says; "
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
    // What is rounded to nothing has no sign.
    if text == "-0.00" { "+0.00".to_owned() } else { text }
}

fn claimed(claim: &MeasuredClaim) -> Markup {
    let row = &claim.row;
    html! {
        h4 #{ "claim-" (row.id) } { "(" (claim.letter) ") " (row.statement) ": " (verdict(row.verdict)) }
        p { (row.note) "." }
        (table(
            &format!("{}, case by case", row.id),
            &[
                text("verdict"), number("D/g"), text("message"), text("nodes on"), number("delay, ps/B"), number("K"),
                text("first that fails, or is not decided: medians with intervals"),
            ],
            claim.measured.iter().map(case),
        ))
    }
}

fn case(case: &Case) -> Vec<Markup> {
    vec![
        verdict(case.verdict),
        cell(case.D_over_g()),
        cell(show_bytes(case.bytes)),
        cell(case.placing()),
        count(case.hold_ps_per_byte),
        cell(case.nodes()),
        cell(case.found().unwrap_or_default()),
    ]
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
