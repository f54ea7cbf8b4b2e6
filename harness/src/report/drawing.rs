//! A figure's SVG made part of the page. The files are castbench's own, but a file can be anything, and what is put
//! into a page can run there: only the elements and attributes that a drawing needs pass, anything else is refused.

use maud::{Markup, PreEscaped, html};

/// A drawing and what it says of itself.
pub struct Drawing {
    /// Its title.
    pub title: String,
    /// What it shows, in words.
    pub description: String,
    /// The `svg` element.
    pub markup: Markup,
}

/// Elements that pass.
const ELEMENTS: [&str; 12] =
    ["svg", "title", "desc", "g", "rect", "circle", "line", "polyline", "polygon", "path", "text", "tspan"];

/// Attributes that pass: geometry and looks. No `id`, which might occur twice on the page, no `style`, no link.
const ATTRIBUTES: [&str; 36] = [
    "cx",
    "cy",
    "d",
    "dx",
    "dy",
    "fill",
    "fill-opacity",
    "font-family",
    "font-size",
    "font-style",
    "font-weight",
    "height",
    "opacity",
    "points",
    "r",
    "role",
    "rx",
    "ry",
    "stroke",
    "stroke-dasharray",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-opacity",
    "stroke-width",
    "text-anchor",
    "transform",
    "viewBox",
    "width",
    "x",
    "x1",
    "x2",
    "xmlns",
    "y",
    "y1",
    "y2",
    "letter-spacing",
];

/// The namespace of SVG, the one address that a drawing may name.
const NAMESPACE: &str = "http://www.w3.org/2000/svg";

impl Drawing {
    /// Reads a file's text. `id` is the figure's own on the page.
    ///
    /// # Errors
    /// What keeps the file out of the page.
    pub fn read(text: &str, id: &str) -> Result<Self, String> {
        let mut rest = text.trim_start_matches('\u{feff}').trim();
        if let Some(prolog) = rest.strip_prefix("<?xml") {
            rest = prolog.split_once("?>").ok_or("its first line does not end")?.1.trim_start();
        }
        let mut reader = Reader { open: Vec::new(), out: String::new(), title: None, description: None };
        let mut first = true;
        while let Some((before, tag)) = rest.split_once('<') {
            reader.text(before)?;
            let (tag, after) = tag.split_once('>').ok_or("a tag does not end")?;
            if first && !tag.starts_with("svg") {
                return Err("it is no SVG".to_owned());
            }
            first = false;
            reader.tag(tag, id)?;
            rest = after;
        }
        if first || !reader.open.is_empty() || !rest.is_empty() {
            return Err("it is no whole SVG".to_owned());
        }
        let told = |text: Option<String>, what| {
            text.filter(|text| !text.trim().is_empty())
                .ok_or_else(|| format!("it has no <{what}>, so who cannot see it learns nothing"))
        };
        let markup = html! { (PreEscaped(reader.out)) };
        Ok(Self { title: told(reader.title, "title")?, description: told(reader.description, "desc")?, markup })
    }
}

/// Copies what passes.
struct Reader<'a> {
    open: Vec<&'a str>,
    out: String,
    title: Option<String>,
    description: Option<String>,
}

impl<'a> Reader<'a> {
    fn text(&mut self, text: &str) -> Result<(), String> {
        if self.open.is_empty() && !text.trim().is_empty() {
            return Err("it holds text outside of the drawing".to_owned());
        }
        match self.open.last() {
            Some(&"title") => self.title.get_or_insert_default().push_str(&plain(text)),
            Some(&"desc") => self.description.get_or_insert_default().push_str(&plain(text)),
            _ => {}
        }
        self.out.push_str(text);
        Ok(())
    }

    fn tag(&mut self, tag: &'a str, id: &str) -> Result<(), String> {
        if let Some(name) = tag.strip_prefix('/') {
            if self.open.pop() != Some(name.trim_end()) {
                return Err(format!("</{name}> closes nothing"));
            }
            self.out += &format!("</{}>", name.trim_end());
            return Ok(());
        }
        let (inside, closed) = tag.strip_suffix('/').map_or((tag, false), |inside| (inside, true));
        let (name, attributes) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
        // Only the outermost element is the drawing.
        if !ELEMENTS.contains(&name) || (name == "svg") != self.open.is_empty() {
            return Err(format!("<{name}> has no place in a figure"));
        }
        self.out += &format!("<{name}");
        self.attributes(attributes)?;
        self.out += &match name {
            "svg" => format!(" aria-labelledby=\"{id}-title\" aria-describedby=\"{id}-desc\""),
            // The one of the drawing, not of a part.
            "title" | "desc" if self.open.len() == 1 => format!(" id=\"{id}-{name}\""),
            "title" | "desc" => return Err(format!("<{name}> of a part has no place in a figure")),
            _ => String::new(),
        };
        if closed {
            self.out += "/>";
        } else {
            self.out.push('>');
            self.open.push(name);
        }
        Ok(())
    }

    fn attributes(&mut self, text: &str) -> Result<(), String> {
        let mut rest = text.trim();
        while !rest.is_empty() {
            let pair = rest.split_once("=\"").and_then(|(name, after)| Some((name, after.split_once('"')?)));
            let (name, (value, after)) = pair.ok_or_else(|| format!("`{rest}` is no attribute"))?;
            let harmless = |sign: char| sign.is_ascii_alphanumeric() || " \t\r\n#.,+-%()".contains(sign);
            let passes = if name == "xmlns" {
                value == NAMESPACE
            } else {
                value.chars().all(harmless) && !value.contains("url")
            };
            if !ATTRIBUTES.contains(&name) || !passes {
                return Err(format!("the attribute {name}=\"{value}\" has no place in a figure"));
            }
            self.out += &format!(" {name}=\"{value}\"");
            rest = after.trim_start();
        }
        Ok(())
    }
}

/// The text that these entities stand for.
fn plain(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(inside: &str) -> String {
        format!("<svg xmlns=\"{NAMESPACE}\" viewBox=\"0 0 1 1\"><title>T &lt; 2</title><desc>D</desc>{inside}</svg>\n")
    }

    #[test]
    fn a_drawing_passes_and_gets_ids() {
        let text =
            format!("<?xml version=\"1.0\"?>\n{}", svg("<rect x=\"1\" fill=\"#FFF\"/><text y=\"2\">a &amp; b</text>"));
        let drawing = Drawing::read(&text, "figure-1").unwrap();
        assert_eq!((drawing.title.as_str(), drawing.description.as_str()), ("T < 2", "D"));
        assert_eq!(
            drawing.markup.into_string(),
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\" aria-labelledby=\"figure-1-title\" \
             aria-describedby=\"figure-1-desc\"><title id=\"figure-1-title\">T &lt; 2</title>\
             <desc id=\"figure-1-desc\">D</desc><rect x=\"1\" fill=\"#FFF\"/><text y=\"2\">a &amp; b</text></svg>"
        );
    }

    #[test]
    fn what_could_act_or_fetch_is_refused() {
        for inside in [
            "<script>alert(1)</script>",
            "<SCRIPT>alert(1)</SCRIPT>",
            "<rect onclick=\"alert(1)\"/>",
            "<rect onclick='alert(1)'/>",
            "<rect/onclick=\"alert(1)\">",
            "<rect x=\"1\"onclick=\"alert(1)\"/>",
            "<image href=\"https://example.org/a.png\"/>",
            "<use href=\"#a\"/>",
            "<a href=\"javascript:alert(1)\"><text>a</text></a>",
            "<foreignObject><iframe></iframe></foreignObject>",
            "<rect fill=\"url(https://example.org/a)\"/>",
            "<rect style=\"fill: red\"/>",
            "<rect id=\"a\"/>",
            "<rect width=\"1\" fill=\"&#106;\"/>",
            "<style>*{fill:red}</style>",
            "<!-- a --><rect/>",
            "<![CDATA[<script>]]>",
            "<svg></svg>",
            "<text>",
            "</text>",
            "<g><title>of a part</title></g>",
        ] {
            assert!(Drawing::read(&svg(inside), "f").is_err(), "{inside}");
        }
        for text in
            ["", "plain", "<html></html>", "<!DOCTYPE svg><svg></svg>", "<svg></svg><script>", "<svg", "<svg></svg>"]
        {
            assert!(Drawing::read(text, "f").is_err(), "{text}");
        }
    }
}
