//! How a figure was drawn, kept inside its file: as metadata of an SVG or a PDF, as a text of a PNG.

use serde::{Deserialize, Serialize};

use crate::chart::format::ImageFormat;
use crate::markup;

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

const METADATA: [&str; 2] = ["<metadata>", "</metadata>"];
/// The elements of the metadata of a PDF around its origin.
pub const PDF_METADATA: [&str; 2] = ["<castbench:origin>", "</castbench:origin>"];
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Length, type, width, height, format and checksum of the first chunk of a PNG.
const PNG_HEADER: usize = 25;
/// The keyword of a text in UTF-8 that is neither compressed nor translated.
const KEYWORD: &[u8] = b"iTXtcastbench\0\0\0\0\0";

impl Origin {
    /// This origin in JSON. A PDF states positions of its parts, so it is written with this text.
    #[must_use]
    pub fn text(&self) -> String {
        // Lists of texts always become JSON.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The file with this origin, behind the description of an SVG or behind the header of a PNG.
    #[must_use]
    pub fn within(&self, file: Vec<u8>) -> Vec<u8> {
        let text = self.text();
        let (at, own) = if file.starts_with(PNG) {
            (
                PNG.len() + PNG_HEADER,
                chunk(&[KEYWORD, text.as_bytes()].concat()),
            )
        } else {
            let end = b"</desc>";
            let at = file
                .windows(end.len())
                .position(|part| part == end)
                .map_or(0, |at| at + end.len());
            (
                at,
                format!("\n{}{}{}", METADATA[0], markup::escaped(&text), METADATA[1]).into_bytes(),
            )
        };
        let (before, behind) = file.split_at(at.min(file.len()));
        [before, &own, behind].concat()
    }

    /// The origin in a file, and the file without it; none where the file states no origin.
    #[must_use]
    pub fn split(file: &[u8]) -> Option<(Self, Vec<u8>)> {
        let (text, from, to) = match ImageFormat::from_bytes(file) {
            ImageFormat::Png => in_png(file)?,
            ImageFormat::Svg => in_document(file, METADATA)?,
            ImageFormat::Pdf => in_document(file, PDF_METADATA)?,
        };
        let origin = serde_json::from_str(&text).ok()?;
        Some((origin, [&file[..from], &file[to..]].concat()))
    }

    /// Whether the figure has its natural size and all its parts.
    #[must_use]
    pub fn is_natural(&self) -> bool {
        !self.arguments.iter().any(|word| {
            matches!(
                &**word,
                "--width" | "--font-size" | "--font" | "--no-title" | "--no-caption"
            )
        })
    }
}

fn in_document(file: &[u8], [open, close]: [&str; 2]) -> Option<(String, usize, usize)> {
    let find = |part: &str, from: usize| {
        file[from..]
            .windows(part.len())
            .position(|own| own == part.as_bytes())
    };
    let from = find(open, 0)?;
    let length = find(close, from)?;
    let text = str::from_utf8(&file[from + open.len()..from + length]).ok()?;
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    Some((
        text,
        file[..from].trim_ascii_end().len(),
        from + length + close.len(),
    ))
}

fn in_png(file: &[u8]) -> Option<(String, usize, usize)> {
    let mut from = PNG.len();
    loop {
        let length = u32::from_be_bytes(file.get(from..from + 4)?.try_into().ok()?);
        let to = from
            .checked_add(usize::try_from(length).ok()?)?
            .checked_add(12)?;
        let content = file.get(from + 4..to.checked_sub(4)?)?;
        if let Some(text) = content.strip_prefix(KEYWORD) {
            return Some((String::from_utf8(text.to_vec()).ok()?, from, to));
        }
        from = to;
    }
}

/// A chunk of a PNG, of its type and its data.
fn chunk(content: &[u8]) -> Vec<u8> {
    let mut checksum = u32::MAX;
    for byte in content {
        checksum ^= u32::from(*byte);
        for _ in 0..8 {
            checksum = (checksum >> 1) ^ if checksum & 1 == 1 { 0xedb8_8320 } else { 0 };
        }
    }
    let length = u32::try_from(content.len() - 4).unwrap_or(u32::MAX);
    [&length.to_be_bytes(), content, &(!checksum).to_be_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin() -> Origin {
        let arguments = ["figures", "--only", "<a>&amp;\".svg"]
            .map(str::to_owned)
            .to_vec();
        Origin {
            arguments,
            configuration: None,
            revision: Some("0.1.0 (unknown)".to_owned()),
        }
    }

    #[test]
    fn an_origin_is_found_in_a_drawing() {
        let svg = b"<svg>\n<title>t</title>\n<desc>d</desc>\n<rect/>\n</svg>\n".to_vec();
        assert_eq!(Origin::split(&svg), None);
        let with = origin().within(svg.clone());
        let text = String::from_utf8(with.clone()).unwrap();
        assert!(
            text.contains("</desc>\n<metadata>{\"arguments\":[")
                && text.contains("&lt;a&gt;&amp;amp;"),
            "{text}"
        );
        assert_eq!(Origin::split(&with), Some((origin(), svg)));
    }

    /// The chunk has the checksum of the PNG specification; a damaged file has no origin.
    #[test]
    fn an_origin_is_found_in_pixels() {
        let end = chunk(b"IEND");
        assert_eq!(end, b"\0\0\0\0IEND\xae\x42\x60\x82");
        let png = [PNG, &chunk(b"IHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0"), &end].concat();
        let with = origin().within(png.clone());
        assert_eq!(Origin::split(&with), Some((origin(), png)));
        for length in 0..with.len() - end.len() - 4 {
            assert_eq!(Origin::split(&with[..length]), None, "{length}");
        }
    }
}
