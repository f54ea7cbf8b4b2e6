//! The layout of the page: one HTML document with its style and a short script.
//!
//! `maud` escapes every text. Only constants of the program are `PreEscaped`. A figure is an image, in which a browser
//! runs and fetches nothing.

mod claims;
mod costs;
mod figures;
mod measured;
mod regression;
mod run;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Regression, Report};
use crate::audit::AuditRow;
use crate::revision::revision;
use crate::units::{grouped, plural};

/// The style of the page.
const STYLE: &str = include_str!("style.css");
/// Sorts tables; the page is readable without it.
const SCRIPT: &str = include_str!("sort.js");

/// The sections in order: id, title, and a short name for the links, which fit on a phone.
const SECTIONS: [(&str, &str, &str); 6] = [
    ("figures", "Figures", "Figures"),
    ("claims", "Claims of the papers", "Claims"),
    ("costs", "Costs", "Costs"),
    ("measured", "Measurements", "Measured"),
    ("regression", "Regression", "Regression"),
    ("run", "What was run", "Run"),
];

/// The whole document.
pub(super) fn html(report: &Report) -> Markup {
    let contents = [
        Some(figures::section(&report.figures)),
        Some(claims::section(report)),
        Some(costs::section(report)),
        report.measured.as_ref().map(measured::section),
        Some(regression::section(report)),
        Some(run::section(report)),
    ];
    let sections: Vec<_> =
        SECTIONS.into_iter().zip(contents).filter_map(|(of, content)| Some((of, content?))).collect();
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "castbench: costs of collective-communication algorithms" }
                // An empty icon, so that no browser asks a server for one.
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                a .skip href="#main" { "Skip to the content" }
                header {
                    h1 { "castbench report" }
                    (summary(report))
                }
                nav aria-label="Sections" {
                    ul { @for ((id, _, word), _) in &sections { li { a href={ "#" (id) } { (word) } } } }
                }
                main #main {
                    @for ((id, title, _), content) in &sections {
                        section #(id) aria-labelledby={ (id) "-title" } {
                            h2 #{ (id) "-title" } { (title) }
                            (content)
                        }
                    }
                }
                footer { p {
                    "Written by castbench " (env!("CARGO_PKG_VERSION")) ", revision "
                    code { (revision()) }
                    ". Nothing on this page depends on when or where it was made."
                } }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

/// The verdicts, a line each.
fn summary(report: &Report) -> Markup {
    let points = &report.run.points;
    let failed = report.findings.iter().filter(|finding| finding.points_failed > 0).count();
    let [own, papers] =
        [true, false].map(|own| Count::new(report.claims.iter().filter(move |row| row.is_own() == own)));
    html! {
        ul .summary {
            li {
                (badge(points.disagree == 0, if points.disagree == 0 { "exact" } else { "bug" })) " "
                (plural(points.ok + points.disagree, "point")) " of " (plural(report.costs.len() as u64, "problem")) ", "
                (grouped(points.simulated)) " also simulated, "
                @if points.disagree == 0 { "all equal" } @else { strong { (grouped(points.disagree)) " not equal" } }
            }
            li {
                (badge(own.fails == 0, &format!("{} of {}", papers.holds, papers.holds + papers.fails)))
                " claims of the papers hold"
                @if own.fails > 0 { ", " strong { (own.fails) " claims of castbench fail, which is a bug" } }
                ", " (failed) " of " (plural(report.findings.len() as u64, "published formula")) " fail"
                @if failed == 1 { "s" } " somewhere"
            }
            @if let Some(measured) = &report.measured {
                li {
                    (plural(measured.results.points.len() as u64, "measured point"))
                    ", largest error of a prediction " (format!("{:.1}", 100.0 * measured.worst().abs())) " %"
                }
            }
            li { @match &report.regression {
                Regression::NoBaseline => "no baseline to compare the costs with",
                Regression::Incomparable(_) => { (badge(false, "incomparable")) " costs compared with the baseline" },
                Regression::Compared(comparison) => {
                    (badge(matches!(comparison.word(), "equal" | "better"), comparison.word()))
                    " costs compared with the baseline"
                }
            } }
        }
    }
}

/// How many claims hold and fail.
struct Count {
    holds: u64,
    fails: u64,
}

impl Count {
    fn new<'a>(rows: impl Iterator<Item = &'a AuditRow>) -> Self {
        let (holds, fails): (Vec<_>, Vec<_>) = rows.partition(|row| row.holds());
        Self { holds: holds.len() as u64, fails: fails.len() as u64 }
    }
}

/// A good or bad verdict, with a sign and a colour.
fn badge(good: bool, word: &str) -> Markup {
    let (class, sign) = if good { ("good", "✓") } else { ("bad", "✗") };
    html! { span .badge .(class) { span aria-hidden="true" { (sign) } " " (word) } }
}

fn verdict(row: &AuditRow) -> Markup {
    badge(row.holds(), row.verdict())
}

/// A column of a table.
struct Column<'a> {
    title: &'a str,
    /// Numbers stand to the right.
    is_number: bool,
}

/// A column of text.
fn text(title: &str) -> Column<'_> {
    Column { title, is_number: false }
}

/// A column of numbers.
fn number(title: &str) -> Column<'_> {
    Column { title, is_number: true }
}

/// A table that sorts by each column and scrolls sideways on a narrow page. The first cell names a row, unless it is a
/// number.
fn table(caption: &str, columns: &[Column<'_>], rows: impl IntoIterator<Item = Vec<Markup>>) -> Markup {
    let class = |index: usize| columns.get(index).is_some_and(|column| column.is_number).then_some("number");
    html! {
        div .scroll role="region" aria-label=(caption) tabindex="0" {
            table .sortable {
                caption { span { (caption) } }
                thead { tr {
                    @for (index, column) in columns.iter().enumerate() {
                        th scope="col" class=[class(index)] { (column.title) }
                    }
                } }
                tbody { @for row in rows { tr {
                    @for (index, cell) in row.into_iter().enumerate() {
                        @if index == 0 && class(0).is_none() { th scope="row" { (cell) } }
                        @else { td class=[class(index)] { (cell) } }
                    }
                } } }
            }
        }
    }
}

/// A cell of text.
fn cell(content: impl AsRef<str>) -> Markup {
    html! { (content.as_ref()) }
}

/// A cell with a count.
fn count(count: u64) -> Markup {
    cell(grouped(count))
}

/// A cell with a command or a name.
fn code(content: &str) -> Markup {
    html! { code { (content) } }
}

/// A ratio with three decimals, its digits grouped.
fn ratio(value: f64) -> String {
    let text = format!("{value:.3}");
    match text.split_once('.') {
        Some((whole, fraction)) => format!("{}.{fraction}", crate::units::group(whole)),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The colours of a style, light and dark, by name.
    fn colours(style: &str) -> [Vec<(String, [f64; 3])>; 2] {
        let read = |block: &str| {
            let lines = block.split('}').next().unwrap_or_default().lines();
            let colour = |line: &str| {
                let (name, value) = line.trim().strip_prefix("--")?.split_once(": #")?;
                let part = |at: usize| u8::from_str_radix(&value[at..at + 2], 16).ok().map(f64::from);
                Some((name.to_owned(), [part(0)?, part(2)?, part(4)?]))
            };
            lines.filter_map(colour).collect::<Vec<_>>()
        };
        let mut blocks = style.split(":root {").skip(1).map(read);
        [blocks.next().unwrap(), blocks.next().unwrap()]
    }

    /// The luminance of a colour as WCAG 2 defines it.
    fn luminance(colour: [f64; 3]) -> f64 {
        let linear = |part: f64| {
            let part = part / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue] = colour.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_contrasts_with_its_background() {
        for colours in colours(STYLE) {
            let find = |name: &str| colours.iter().find(|(own, _)| own == name).unwrap().1;
            for text in ["ink", "faint", "link", "good", "bad"] {
                for behind in ["paper", "tint"] {
                    let contrast = contrast(find(text), find(behind));
                    assert!(contrast >= 4.5, "{text} on {behind}: {contrast:.2}");
                }
            }
        }
    }

    /// The page of `show --html` has the background of this one.
    #[test]
    fn shapes_contrast_with_their_background() {
        for (own, page) in colours(include_str!("../../play/play.css")).into_iter().zip(colours(STYLE)) {
            assert_eq!(own.len(), 5);
            for (behind, under) in page.iter().filter(|(name, _)| ["paper", "tint"].contains(&name.as_str())) {
                for (name, colour) in &own {
                    let contrast = contrast(*colour, *under);
                    assert!(contrast >= 3.0, "{name} on {behind}: {contrast:.2}");
                }
            }
        }
    }

    #[test]
    fn ratios() {
        assert_eq!((ratio(1.0), ratio(161_331.937_5)), ("1.000".to_owned(), "161,331.938".to_owned()));
    }
}
