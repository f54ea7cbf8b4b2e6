//! The layout of the page: one HTML document with its style and a short script.
//!
//! `maud` escapes every text. Only constants of the program are `PreEscaped`. A figure is an image, in which a browser
//! runs and fetches nothing.

mod sections;

use maud::{DOCTYPE, Markup, PreEscaped, Render, html};

use super::contents::{Regression, Report};
use crate::base::units::{grouped, plural};
use crate::draw::chart::scale::group_digits;
use crate::draw::play;
use crate::regress::audit::AuditRow;

/// The style of the page.
const STYLE: &str = include_str!("../../../draw/play/style.css");
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
pub fn html(report: &Report<'_>) -> Markup {
    let contents = [
        Some(sections::figures(&report.figures)),
        Some(sections::claims(report)),
        Some(sections::costs(report)),
        report.measured.as_ref().map(sections::measured),
        Some(sections::regression(report)),
        Some(sections::run(report)),
    ];
    let sections: Vec<_> = SECTIONS
        .into_iter()
        .zip(contents)
        .filter_map(|(of, content)| Some((of, content?)))
        .collect();
    html! {
        (DOCTYPE)
        html lang="en" {
            (play::head("castbench: costs of collective-communication algorithms", &[STYLE]))
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
                (play::footer())
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

/// The verdicts, a line each.
fn summary(report: &Report<'_>) -> Markup {
    let points = &report.run.points;
    let failed = report
        .findings
        .iter()
        .filter(|finding| finding.points_failed > 0)
        .count();
    let claims =
        |own: bool, hold| count(report.claims.iter().filter(|row| row.is_own() == own), hold);
    let (held, own_fails) = (claims(false, true), claims(true, false));
    let unknown: u64 = report
        .costs
        .iter()
        .map(|costs| costs.costs.left.unknown)
        .sum();
    html! {
        ul .summary {
            li {
                (badge(points.disagree == 0, if points.disagree == 0 { "exact" } else { "bug" })) " "
                (plural(points.ok + points.disagree, "point")) " of " (plural(report.costs.len() as u64, "problem")) ", "
                @if unknown > 0 { (grouped(unknown)) " of them without an exact cost: no formula, and an execution is too large, or a mean of random ones; " }
                (grouped(points.simulated)) " also simulated, "
                @if points.disagree == 0 { "all equal" } @else { strong { (grouped(points.disagree)) " not equal" } }
            }
            @if points.failed > 0 {
                li {
                    (badge(false, "incomplete")) " " strong { (plural(points.failed, "point")) " could not be evaluated" }
                    " of " (grouped(points.ok + points.disagree + points.not_applicable + points.failed))
                    "; their rows have the status " code { "failed" }
                }
            }
            li {
                (badge(own_fails == 0, &format!("{held} of {}", held + claims(false, false))))
                " claims of the papers hold"
                @if own_fails > 0 { ", " strong { (own_fails) " claims of castbench fail, which is a bug" } }
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

/// How many claims hold, or do not.
fn count<'a>(rows: impl IntoIterator<Item = &'a AuditRow>, hold: bool) -> usize {
    rows.into_iter().filter(|row| row.holds() == hold).count()
}

/// A good or bad verdict, with a sign and a colour.
fn badge(good: bool, word: &str) -> Markup {
    let (class, sign) = if good {
        ("good", "✓")
    } else {
        ("bad", "✗")
    };
    html! { span .badge .(class) { span aria-hidden="true" { (sign) } " " (word) } }
}

/// A table of rows, which sorts by each column and scrolls sideways on a narrow page.
struct Table<'a, R> {
    caption: String,
    rows: Vec<R>,
    columns: Vec<Column<'a, R>>,
}

/// A column: its title, whether it has numbers, which stand to the right, and its cells.
type Column<'a, R> = (&'a str, bool, Box<dyn Fn(R) -> Markup + 'a>);

/// A table without columns.
fn table<'a, R>(caption: impl Into<String>, rows: impl IntoIterator<Item = R>) -> Table<'a, R> {
    Table {
        caption: caption.into(),
        rows: rows.into_iter().collect(),
        columns: Vec::new(),
    }
}

impl<'a, R: Copy> Table<'a, R> {
    /// The table with a column of texts.
    fn text<T: Render>(mut self, title: &'a str, cell: impl Fn(R) -> T + 'a) -> Self {
        self.columns
            .push((title, false, Box::new(move |row| cell(row).render())));
        self
    }

    /// The table with a column of numbers.
    fn number<T: Render>(mut self, title: &'a str, cell: impl Fn(R) -> T + 'a) -> Self {
        self.columns
            .push((title, true, Box::new(move |row| cell(row).render())));
        self
    }
}

impl<R: Copy> Render for Table<'_, R> {
    /// The first cell names a row, unless it is a number.
    fn render(&self) -> Markup {
        let class = |is_number: bool| is_number.then_some("number");
        html! {
            div .scroll role="region" aria-label=(self.caption) tabindex="0" {
                table .sortable {
                    caption { span { (self.caption) } }
                    thead { tr {
                        @for (title, is_number, _) in &self.columns { th scope="col" class=[class(*is_number)] { (title) } }
                    } }
                    tbody { @for row in &self.rows { tr {
                        @for (index, (_, is_number, cell)) in self.columns.iter().enumerate() {
                            @if index == 0 && !is_number { th scope="row" { (cell(*row)) } }
                            @else { td class=[class(*is_number)] { (cell(*row)) } }
                        }
                    } } }
                }
            }
        }
    }
}

/// A cell with a command or a name.
fn code(content: &str) -> Markup {
    html! { code { (content) } }
}

/// A ratio with three decimals, its digits grouped.
fn ratio(value: f64) -> String {
    group_digits(&format!("{value:.3}"))
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
                let part = |at: usize| {
                    u8::from_str_radix(&value[at..at + 2], 16)
                        .ok()
                        .map(f64::from)
                };
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
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
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
        for (own, page) in colours(include_str!("../../../draw/play/play.css"))
            .into_iter()
            .zip(colours(STYLE))
        {
            assert_eq!(own.len(), 5);
            for (behind, under) in page
                .iter()
                .filter(|(name, _)| ["paper", "tint"].contains(&name.as_str()))
            {
                for (name, colour) in &own {
                    let contrast = contrast(*colour, *under);
                    assert!(contrast >= 3.0, "{name} on {behind}: {contrast:.2}");
                }
            }
        }
    }

    #[test]
    fn ratios() {
        assert_eq!(
            (ratio(1.0), ratio(161_331.937_5)),
            ("1.000".to_owned(), "161,331.938".to_owned())
        );
    }
}
