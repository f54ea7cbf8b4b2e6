//! How a figure was drawn, kept inside its file: as metadata of an SVG or a PDF, as a text of a PNG.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::base::failure::Result;
use crate::base::revision::build;
use crate::base::units::joined;
use crate::draw::chart::PageFit;
use crate::draw::chart::format::ImageFormat;
use crate::output;
use crate::print::markup;

/// What draws a figure again from the same rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The arguments of castbench, without directories.
    pub arguments: Vec<String>,
    /// SHA-256 of the figure's table in its configuration. Other tables may change without a change of the figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configuration: Option<String>,
    /// Version and revision of castbench, of a figure that is drawn alone. All figures of a configuration leave them to the
    /// manifest beside the rows, so that those of two revisions can be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
}

impl Origin {
    /// This origin in JSON.
    pub fn text(&self) -> String {
        // Lists of texts always become JSON.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The SVG with this origin behind its description.
    pub fn within(&self, svg: &str) -> String {
        let text = markup::escaped(&self.text());
        svg.replacen(
            "</desc>",
            &format!("</desc>\n<metadata>{text}</metadata>"),
            1,
        )
    }

    /// The origin in an SVG, and the SVG without it; none where it states no origin.
    pub fn split(svg: &str) -> Option<(Self, String)> {
        let origin = serde_json::from_str(&markup::text_of(svg, "metadata")?).ok()?;
        let (before, rest) = svg.split_once("\n<metadata>")?;
        let (_, behind) = rest.split_once("</metadata>")?;
        Some((origin, [before, behind].concat()))
    }

    /// Whether the figure has its natural size and all its parts.
    pub fn is_natural(&self) -> bool {
        let fits = [
            "--width",
            "--height",
            "--panels",
            "--font-size",
            "--font",
            "--legend",
            "--no-title",
            "--no-caption",
        ];
        !self
            .arguments
            .iter()
            .any(|word| fits.contains(&word.as_str()))
    }
}

/// Refuses to replace a picture or a page without a mark of castbench, because another program made it.
///
/// # Errors
/// Exit code 74.
pub fn refuse_stranger(file: &Path) -> Result {
    // What is not a file is refused when it is written; what cannot be read, or is too long, is not castbench's.
    let bytes = if file.is_file() {
        output::open(file).and_then(output::bytes_of)
    } else {
        Ok(Vec::new())
    };
    if bytes.is_ok_and(|bytes| {
        bytes.is_empty()
            || MARKS
                .into_iter()
                .any(|mark| bytes.windows(mark.len()).any(|part| part == mark))
    }) {
        Ok(())
    } else {
        bail!(
            Output,
            "cannot write to `{}`: the existing file is not of `castbench figures` or `best`; move it, or name another file",
            file.display()
        )
    }
}

/// Writes a drawing that states no origin in the format of its file.
///
/// # Errors
/// Exit code 2 for another end of its name, 74 where the file cannot be written or is of another program.
pub fn write_without(file: &Path, svg: &str) -> Result {
    let format = ImageFormat::named("--svg", file)?;
    if format != ImageFormat::Svg {
        refuse_stranger(file)?;
    }
    output::write(file, &format.bytes(svg, &PageFit::default(), build())?)
}

/// What a picture or a page of castbench holds: the beginning of an origin, the key of a text in a PNG, the producer of a PDF, the
/// foot of a page.
const MARKS: [&[u8]; 5] = [
    b"iTXtcastbench\0",
    b"\"arguments\":[\"figures\"",
    b"\"arguments\":[\"best\"",
    b"/Producer (castbench)",
    b"Written by castbench ",
];

/// These options as a command line gives them, without those that are not given.
pub fn typed(options: &impl Serialize) -> Vec<String> {
    let Ok(Value::Object(options)) = serde_json::to_value(options) else {
        return Vec::new();
    };
    options
        .into_iter()
        .flat_map(|(key, value)| {
            let option = format!("--{}", key.replace('_', "-"));
            match value {
                Value::Bool(true) => vec![option],
                Value::String(text) => vec![option, text],
                Value::Number(number) => vec![option, number.to_string()],
                Value::Array(all) if !all.is_empty() => {
                    vec![
                        option,
                        joined(
                            ",",
                            all.iter().map(|one| {
                                one.as_str().map_or_else(|| one.to_string(), str::to_owned)
                            }),
                        ),
                    ]
                }
                _ => Vec::new(),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_found_in_a_drawing() {
        let arguments = ["figures", "--only", "<a>&amp;\".svg"].map(str::to_owned);
        let origin = Origin {
            arguments: arguments.to_vec(),
            configuration: None,
            revision: Some("0.1.0 (unknown)".to_owned()),
        };
        let svg = "<svg>\n<title>t</title>\n<desc>d</desc>\n<rect/>\n</svg>\n";
        assert_eq!(Origin::split(svg), None);
        let with = origin.within(svg);
        assert!(
            with.contains("</desc>\n<metadata>{\"arguments\":[")
                && with.contains("&lt;a&gt;&amp;amp;"),
            "{with}"
        );
        assert_eq!(Origin::split(&with), Some((origin, svg.to_owned())));
    }
}
