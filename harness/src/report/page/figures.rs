//! The figures, each with what it shows.

use maud::{Markup, html};

use super::super::{Figure, Figures};

pub fn section(figures: &Figures<'_>) -> Markup {
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
pub fn shown(figure: &Figure<'_>) -> Markup {
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
