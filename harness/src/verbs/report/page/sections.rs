//! The sections of the page.

use algorithms::catalogue::{self, axes};
use algorithms::problem::{Kind, Problem};
use maud::{Markup, html};
use measure::results::Status;
use num_traits::ToPrimitive as _;

use super::super::contents::{Figure, Figures, ProblemCosts, Regression, Report, grid_points};
use super::super::measured::{Error, Measured};
use super::{badge, code, count, ratio, table};
use crate::base::units::{self, grouped, plural};
use crate::draw::chart::scale::group_digits;
use crate::record;
use crate::record::history::{HistoryRow, acceptances};
use crate::record::measurement::SummaryRow;
use crate::regress::audit::AuditRow;
use crate::regress::costs::OverBound;
use crate::regress::{Accept, Comparison};

/// The figures, each with what it shows.
pub fn figures(figures: &Figures<'_>) -> Markup {
    let missing = &figures.missing;
    html! {
        @if figures.drawn.is_empty() {
            p {
                "No figure is drawn yet; " code { "castbench figures" }
                " draws those of the configuration from the files of the sweep."
            }
        }
        @for figure in figures.drawn.iter().filter(|figure| !figure.is_history()) { (shown(figure)) }
        @if !figures.drawn.is_empty() && !missing.is_empty() {
            p { "Not drawn yet: " (missing.join(", ")) "; " code { "castbench figures" } " draws them." }
        }
    }
}

/// A figure and what it shows.
fn shown(figure: &Figure<'_>) -> Markup {
    let description = format!("{}-description", figure.id);
    html! {
        figure #(figure.id) {
            // The drawing shows it; the heading is for navigation by screen readers.
            h3 .unseen { (figure.title) }
            div .chart role="region" aria-label={ "Chart: " (figure.title) } tabindex="0" {
                img src=(figure.address) alt=(figure.title) aria-describedby=(description);
            }
            figcaption {
                @if let Some(shows) = figure.spec.and_then(|spec| spec.about.shows.as_ref()) { p { (shows) } }
                // In the drawing this text is too small for a phone.
                details { summary { "In words" } p .note #(description) { (figure.description) } }
                @if figure.spec.is_none() {
                    p .note { "The configuration does not name this figure, so it was not compared with the sweep." }
                }
            }
        }
    }
}

/// The audit: what the papers claim, and whether it holds.
pub fn claims(report: &Report<'_>) -> Markup {
    let papers: Vec<&[AuditRow]> = report.claims.chunk_by(|a, b| a.paper == b.paper).collect();
    html! {
        p {
            "Each claim was checked at every point of its grid while this page was made. A claim that fails is shown with the "
            "smallest point at which it fails. What castbench states instead is checked as a separate claim."
        }
        (table("The verdicts by paper", papers.iter().copied())
            .text("paper", |rows| rows[0].paper.clone())
            .number("claims", |rows| grouped(rows.len() as u64))
            .number("hold", |rows| grouped(count(rows, true) as u64))
            .number("fail", |rows| grouped(count(rows, false) as u64))
            .number("points checked", |rows| grouped(rows.iter().map(|row| row.points).sum::<u64>())))
        @for rows in papers {
            h3 { (rows[0].paper) }
            ul .claims { @for row in rows { (claim(row)) } }
        }
        h3 { "Published formulas over this sweep" }
        p { "The cost formulas of the same papers, checked at every point of the sweep to which they apply." }
        (table("How often each published formula holds over the sweep", &report.findings)
            .text("algorithm", |finding| &finding.algorithm)
            .text("place", |finding| &finding.published)
            .text("formula", |finding| format!("cost {} {}", finding.relation, finding.formula))
            .number("points", |finding| grouped(finding.points_checked))
            .number("fails at", |finding| grouped(finding.points_failed))
            .text("first failure", |finding| {
                finding.first_counterexample.as_deref().map_or_else(|| badge(true, "none"), code)
            }))
    }
}

/// Longer notes are folded.
const LONG: usize = 280;

fn claim(row: &AuditRow) -> Markup {
    html! {
        li #{ "claim-" (row.id) } {
            p .head {
                (badge(row.holds(), &row.verdict))
                " " code { (row.id) } " " span .place { (row.place) }
            }
            p .statement { (row.statement) }
            @match &row.counterexample {
                None => p { "on all " (plural(row.points, "point")) },
                Some(found) => p {
                    "at " (grouped(row.failures)) " of " (plural(row.points, "point")) ", first "
                    @match found.split_once("; castbench ") {
                        Some((found, command)) => { (found) br; code { "castbench " (command) } }
                        None => (found),
                    }
                },
            }
            @if row.note.chars().count() > LONG {
                details { summary { "Why, what holds instead, and the grid" } p .note { (row.note) } }
            } @else { p .note { (row.note) } }
        }
    }
}

/// The costs: a summary of each algorithm.
pub fn costs(report: &Report<'_>) -> Markup {
    html! {
        p {
            "Exact cost over the lower bound, over all points of the sweep. No algorithm can beat the bound. The points are chosen, \
             not random, so compare means only within one problem. Click on a column's title to sort."
        }
        @for costs in &report.costs { (costs_of(costs, report)) }
    }
}

/// The unit of a problem's costs.
fn unit_of(problem: &Problem) -> String {
    let on_profile = problem.axes.iter().any(|axis| axis.kind == Kind::Profile);
    let or_ns = if on_profile {
        ", or ns on a machine profile"
    } else {
        ""
    };
    format!("{}{or_ns}", problem.unit(&[]).plural())
}

fn costs_of(costs: &ProblemCosts, report: &Report<'_>) -> Markup {
    let (title, unit) = (costs.problem.title, unit_of(costs.problem));
    let file = file_name(&record::file_name(costs.problem), report.is_neighbour);
    let mut rows: Vec<_> = costs
        .costs
        .algorithms
        .iter()
        .map(|(name, points)| (name, points.len(), OverBound::new(points)))
        .collect();
    rows.sort_by_key(|(name, ..)| catalogue::find(name).map_or(usize::MAX, |entry| entry.rank()));
    let simulated = |name: &String| costs.simulated.get(name).copied().unwrap_or(0);
    let worst = |over: &OverBound<'_>| {
        over.worst
            .as_ref()
            .and_then(|(worst, _)| worst.to_f64())
            .map(ratio)
    };
    html! {
        h3 #{ "costs-" (costs.problem.name) } { (title) }
        p { "In " (unit) ". All rows: " (file) "." }
        (table(format!("{title}: each algorithm over the sweep"), &rows)
            .text("algorithm", |(name, ..)| name)
            .number("points", |(_, points, _)| grouped(*points as u64))
            .number("executed", |(name, ..)| grouped(simulated(name)))
            .number("at the bound", |(_, points, over)| format!("{:.1} %", 100.0 * over.at_bound as f64 / *points as f64))
            .number("mean / bound", |(_, points, over)| ratio(over.sum / *points as f64))
            .number("worst / bound", |(.., over)| worst(over).unwrap_or_default())
            .text("worst at", |(name, _, over)| {
                let at = over.worst.as_ref().map(|(_, at)| at.options(costs.problem));
                at.map(|at| code(&report.command(name, &at))).unwrap_or_default()
            }))
    }
}

/// What was measured: machine, errors of the predictions, and every point.
pub fn measured(measured: &Measured) -> Markup {
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
    group_digits(&units::ms(ns))
}

/// The comparison with the baseline, and the history of acceptances.
pub fn regression(report: &Report<'_>) -> Markup {
    let accept = html! { code { (report.accept) } };
    html! {
        @match &report.regression {
            Regression::NoBaseline => p {
                "There is no baseline to compare the costs with. " (accept) " makes the present costs the baseline."
            },
            Regression::Incomparable(why) => p { (badge(false, "not comparable")) " " (why) },
            Regression::Compared(comparison) => (compared(&report.accept, comparison)),
        }
        h3 { "History" }
        @if report.history.is_empty() {
            p {
                "There is no acceptance yet. " (accept) " begins the history in " code { "history.csv" } " beside the baseline."
            }
        } @else {
            (history(report))
        }
        @for figure in report.figures.drawn.iter().filter(|figure| figure.is_history()) { (shown(figure)) }
    }
}

/// The points that differ most.
const SHOWN: usize = 20;

fn compared(accept: &Accept<'_>, comparison: &Comparison) -> Markup {
    let word = comparison.word();
    let moved = comparison.count(|tally| tally.bound_moved);
    let reported = comparison.reported().count();
    html! {
        p {
            (badge(matches!(word, "equal" | "better"), word))
            " Costs are exact, so any difference is real. The points are those of "
            @match accept.config {
                Some(path) => code { (path.display()) },
                None => code { "castbench init regress" },
            }
            ", evaluated while this page was made; " code { (accept.comparing()) }
            " gives the same verdict as an exit code."
        }
        @if !comparison.changed_grids.is_empty() {
            p { "The grids differ from the baseline's, so only the points in common were compared." }
            ul { @for change in &comparison.changed_grids { li { (change.to_string()) } } }
        }
        (table("Costs compared with the baseline, in points", &comparison.algorithms)
            .text("algorithm", |tally| &tally.algorithm)
            .number("equal", |tally| grouped(tally.equal))
            .number("better", |tally| grouped(tally.better))
            .number("worse", |tally| grouped(tally.worse))
            .number("new", |tally| grouped(tally.new))
            .number("gone", |tally| grouped(tally.gone))
            .number("incomparable", |tally| grouped(tally.incomparable)))
        @if moved > 0 { p .note { "The lower bound changed at " (plural(moved, "point")) " whose cost is equal." } }
        @if reported > 0 {
            (table(
                format!("Points whose cost changed, the worst first: {} of {reported}", reported.min(SHOWN)),
                comparison.reported().take(SHOWN),
            )
                .text("point", |change| code(&format!("{} {}", change.algorithm, change.point)))
                .text("verdict", |change| change.verdict.word())
                .number("before", |change| change.old.as_deref().unwrap_or("none"))
                .number("now", |change| change.new.as_deref().unwrap_or("none"))
                .number("now / before", |change| change.ratio().map(ratio).unwrap_or_default())
                .number("lower bound", |change| &change.lower_bound))
        }
    }
}

fn history(report: &Report<'_>) -> Markup {
    // The latest comes first.
    let acceptances: Vec<&[HistoryRow]> = acceptances(&report.history).rev().collect();
    let sum =
        |rows: &[HistoryRow], of: fn(&HistoryRow) -> u64| grouped(rows.iter().map(of).sum::<u64>());
    html! {
        (table("Acceptances, the latest first", acceptances.iter().copied())
            .text("date", |rows| &rows[0].date)
            .text("revision", |rows| code(&rows[0].revision))
            .text("reason", |rows| &rows[0].reason)
            .number("points", move |rows| sum(rows, |row| row.points))
            .number("changed", move |rows| sum(rows, |row| row.points_changed))
            .number("better", move |rows| sum(rows, |row| row.points_better))
            .number("worse", move |rows| sum(rows, |row| row.points_worse)))
        @if let Some(latest) = acceptances.first() {
            (table(
                "Cost over lower bound of each algorithm at the latest acceptance, over the regression grid",
                *latest,
            )
                .text("algorithm", |row| &row.algorithm)
                .number("points", |row| grouped(row.points))
                .number("mean / bound", |row| ratio(mean(row)))
                .number("worst / bound", |row| ratio(row.worst_over_bound_f64))
                .text("worst at", |row| code(&report.command(&row.algorithm, &row.worst_point))))
        }
    }
}

fn mean(row: &HistoryRow) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a mean for people")]
    let points = row.points as f64;
    row.sum_over_bound_f64 / points
}

/// The program, the configuration, the grids and the files of the sweep.
pub fn run(report: &Report<'_>) -> Markup {
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
            .number("points", |grid| grid_points(grid).map(grouped).unwrap_or_default()))
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
fn file_name(name: &str, is_neighbour: bool) -> Markup {
    html! { @if is_neighbour { a href={ "./" (name) } { (name) } } @else { code { (name) } } }
}
