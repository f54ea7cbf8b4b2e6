//! Draws a checked chart: its heading, its panels and its caption.

use super::page::{Lack, Page};
use super::style::{FAINT_INK, INK, LABEL, RGBColor};
use super::svg::{TOP_LEFT, balanced, sheet, text, whole, wrapped};
use super::{Chart, ChartError, PageFit};

/// Least width of a line of the caption.
const LEAST_WIDTH: f64 = 800.0;
const CAPTION_LINE: f64 = 19.0;
/// Most lines of a caption.
const CAPTION_LINES: usize = 3;
/// Between the panels and the caption.
const ABOVE_CAPTION: f64 = 14.0;
/// Size of the title.
const TITLE: f64 = LABEL + 3.0;
/// Between two lines of text.
const BETWEEN: f64 = 5.0;

/// A drawing as SVG, and the sentences of the caption that it has no room for.
pub type Fitted = (String, Vec<String>);

/// Draws the chart as SVG.
pub fn draw(chart: &Chart, fit: &PageFit) -> Result<Fitted, ChartError> {
    let titles = [&chart.title, &chart.subtitle].map(String::as_str);
    let margin = fit.margin();
    let natural = fit
        .inner()
        .is_none()
        .then(|| Page::natural(&chart.panels, fit.legend));
    let own = natural.as_ref().map(|page| page.wide().max(LEAST_WIDTH));
    let wide = fit.inner().or(own).unwrap_or(LEAST_WIDTH);
    let (lines, above) = heading(titles, fit, wide);
    let bottom = |most: usize| {
        let (drawn, left) = parted(chart, fit, (wide, most));
        let lines = balanced(&drawn.join(" "), wide, LABEL);
        let height = margin + ABOVE_CAPTION - 8.0 + lines.len() as f64 * CAPTION_LINE;
        (lines, left, height)
    };
    let (page, most) = match natural {
        Some(page) => (page, CAPTION_LINES),
        None => {
            let [usual, most] = fit.heights();
            let others = |lines| above + bottom(lines).2;
            let fitted = |(height, lines): (f64, usize)| {
                let page = Page::fitted(&chart.panels, fit.legend, wide, height - others(lines));
                let page = page.map(|page| (page, lines))?;
                if page.0.is_low() && lines > 0 {
                    Err(Lack::Height(0.0))
                } else {
                    Ok(page)
                }
            };
            // A caption gives way before plots become low or a picture becomes higher.
            let sizes = [
                (usual, CAPTION_LINES),
                (usual, 0),
                (most, CAPTION_LINES),
                (most, 0),
            ];
            let first = sizes.into_iter().find_map(|size| fitted(size).ok());
            let scale = fit.scale().unwrap_or(1.0);
            first.map_or_else(
                || {
                    fitted((most, 0)).map_err(|lack| match lack {
                        Lack::Width(least) => {
                            ChartError::Narrow(whole((least + 2.0 * margin) * scale))
                        }
                        Lack::Height(least) => {
                            ChartError::Low(whole((least + others(0)) * scale) + 1)
                        }
                    })
                },
                Ok,
            )?
        }
    };
    let (caption, left, bottom) = bottom(most);
    let left = left.into_iter().map(str::to_owned).collect();
    let below = above + page.height(wide);
    let size = (whole(wide + 2.0 * margin), whole(below) + whole(bottom));
    let explanation = chart.caption.join(" ");
    let titles = (titles[0], titles[1]);
    let svg = sheet(size, fit, titles, &explanation, |sheet| {
        for (content, y, size, ink) in &lines {
            sheet.write(content, (margin, *y), text(*size, *ink, TOP_LEFT));
        }
        page.draw(sheet, (margin, above), wide);
        let style = text(LABEL, FAINT_INK, TOP_LEFT);
        let at = (margin, below + ABOVE_CAPTION);
        sheet.lines(&caption, at, CAPTION_LINE, style);
    });
    Ok((svg, left))
}

/// The sentences of the caption that fit in the most lines of this width and are drawn, and the other ones. A fact may have
/// several sentences.
fn parted<'a>(
    chart: &'a Chart,
    fit: &PageFit,
    (wide, most): (f64, usize),
) -> (Vec<&'a str>, Vec<&'a str>) {
    let mut drawn = String::new();
    chart
        .caption
        .iter()
        .flat_map(|fact| fact.split_inclusive(". "))
        .map(str::trim_end)
        .partition(|sentence| {
            let longer = format!("{drawn} {sentence}");
            let fits = fit.no_caption != Some(true) && wrapped(&longer, wide, LABEL).len() <= most;
            if fits {
                drawn = longer;
            }
            fits
        })
}

/// Lines of text, each with its y, its size and its colour, and the height of all.
type Heading = (Vec<(String, f64, f64, RGBColor)>, f64);

/// The title and the subtitle in lines of this width.
fn heading([title, subtitle]: [&str; 2], fit: &PageFit, wide: f64) -> Heading {
    let mut lines = Vec::new();
    let mut height = fit.margin();
    // The distance to a line's top from the bottom of another line of its text, and of another text.
    let texts = [(title, TITLE, INK, 0.0), (subtitle, LABEL, FAINT_INK, 6.0)];
    for (content, size, ink, above) in texts.into_iter().filter(|_| fit.no_title != Some(true)) {
        for (number, part) in balanced(content, wide, size).into_iter().enumerate() {
            height += if number == 0 { above } else { BETWEEN };
            lines.push((part, height, size, ink));
            height += size;
        }
    }
    let below = if lines.is_empty() { 0.0 } else { 8.0 };
    (lines, height + below)
}

#[cfg(test)]
mod tests {
    use super::super::svg::text_width;
    use super::*;

    #[test]
    fn a_caption_is_shown_whole() {
        let facts: Vec<String> = (0..90)
            .map(|fact| format!("Sentence {fact} has six words."))
            .collect();
        let lines = wrapped(&facts.join(" "), 500.0, LABEL);
        assert_eq!(lines.join(" "), facts.join(" "));
        assert!(
            lines.len() > 30 && lines.iter().all(|line| text_width(line, LABEL) <= 500.0),
            "{lines:?}"
        );
        assert_eq!(wrapped("", 500.0, LABEL), [""; 0]);
    }

    #[test]
    fn no_word_stands_alone_in_a_last_line() {
        let title = "Broadcast of 64 messages to 1000 nodes on k ports";
        let width = text_width(title, LABEL) - 1.0;
        assert_eq!(wrapped(title, width, LABEL)[1], "ports");
        let lines = balanced(title, width, LABEL);
        assert!(lines.len() == 2 && lines[1].contains(' '), "{lines:?}");
    }
}
