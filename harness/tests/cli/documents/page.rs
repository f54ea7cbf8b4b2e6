//! The Markdown files of the repository with their code, links, headings and tables.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::ROOT;

/// A Markdown file.
pub struct Page {
    /// From the root, with `/`.
    pub name: String,
    /// The text on disk.
    pub text: String,
    /// Fenced blocks: the language and the range of the code.
    pub blocks: Vec<(String, Range<usize>)>,
    /// Inline code.
    pub codes: Vec<String>,
    /// The targets of links and images.
    pub links: Vec<String>,
    /// The text of each heading.
    pub headings: Vec<String>,
    /// Rows of tables, with the header: the text of each cell, without markup.
    pub rows: Vec<Vec<String>>,
    /// Comments, which delimit generated parts: text and range.
    pub comments: Vec<(String, Range<usize>)>,
}

impl Page {
    /// Every Markdown file that is committed here, by name.
    pub fn all() -> Vec<Self> {
        let mut pages = Vec::new();
        collect(Path::new(ROOT), &mut pages);
        pages.sort();
        assert!(pages.len() > 6, "only {} pages found", pages.len());
        pages.iter().map(|path| Self::read(path)).collect()
    }

    /// The page of this name.
    pub fn named(name: &str) -> Self {
        Self::read(&Path::new(ROOT).join(name))
    }

    fn read(path: &Path) -> Self {
        let text =
            fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let name = path
            .strip_prefix(ROOT)
            .unwrap()
            .to_str()
            .unwrap()
            .replace('\\', "/");
        let mut page = Self {
            name,
            text: text.clone(),
            blocks: Vec::new(),
            codes: Vec::new(),
            links: Vec::new(),
            headings: Vec::new(),
            rows: Vec::new(),
            comments: Vec::new(),
        };
        // Collects the text of a heading or a cell.
        let mut heading: Option<String> = None;
        let mut row: Option<Vec<String>> = None;
        let mut block: Option<(String, Range<usize>)> = None;
        for (event, range) in Parser::new_ext(&text, Options::ENABLE_TABLES).into_offset_iter() {
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    let language = match kind {
                        CodeBlockKind::Fenced(language) => language.to_string(),
                        CodeBlockKind::Indented => String::new(),
                    };
                    block = Some((language, 0..0));
                }
                Event::End(TagEnd::CodeBlock) => page.blocks.extend(block.take()),
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => page.headings.extend(heading.take()),
                Event::Start(Tag::TableHead | Tag::TableRow) => row = Some(Vec::new()),
                Event::End(TagEnd::TableHead | TagEnd::TableRow) => page.rows.extend(row.take()),
                Event::Start(Tag::TableCell) => {
                    if let Some(cells) = &mut row {
                        cells.push(String::new());
                    }
                }
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.to_string());
                }
                Event::Html(html) if html.trim_start().starts_with("<!--") => {
                    page.comments.push((html.trim().to_owned(), range));
                }
                Event::Text(words) => match (
                    &mut block,
                    &mut heading,
                    row.as_mut().and_then(|row| row.last_mut()),
                ) {
                    (Some((_, code)), ..) if code.end == 0 => *code = range,
                    (Some((_, code)), ..) => code.end = range.end,
                    (_, Some(heading), _) => heading.push_str(&words),
                    (.., Some(cell)) => cell.push_str(&words),
                    _ => {}
                },
                Event::Code(code) => {
                    page.codes.push(code.to_string());
                    if let Some(text) = heading.as_mut().or_else(|| row.as_mut()?.last_mut()) {
                        text.push_str(&code);
                    }
                }
                _ => {}
            }
        }
        page
    }

    /// The code of its blocks in a language.
    pub fn code(&self, language: &str) -> impl Iterator<Item = &str> {
        self.blocks
            .iter()
            .filter(move |(own, _)| own == language)
            .map(|(_, code)| &self.text[code.clone()])
    }

    /// The anchors of its headings, as GitHub makes them.
    pub fn anchors(&self) -> Vec<String> {
        let mut anchors: Vec<String> = Vec::new();
        for heading in &self.headings {
            let kept = heading.to_lowercase();
            let kept = kept
                .chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
            let same = anchors.iter().filter(|own| **own == anchor).count();
            anchors.push(if same > 0 {
                format!("{anchor}-{same}")
            } else {
                anchor
            });
        }
        anchors
    }
}

/// Markdown files below a directory, except built, hidden and foreign ones.
fn collect(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap_or_default();
        if name.starts_with('.') || name == "target" || name == "node_modules" {
            continue;
        }
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}
