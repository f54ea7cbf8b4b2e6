//! Messages about a configuration file: file, line and value, what was expected, what to write.

use std::fmt::Display;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use measure::is_command;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::base::count::Count;
use crate::base::failure::{Code, Failure, Result, printable};
use crate::base::units::{grouped, shortened};
use crate::output;
use crate::output::seal;

/// A TOML document and where it came from.
#[derive(Debug, Clone)]
pub struct Source {
    name: String,
    text: String,
    directory: PathBuf,
}

/// The help for a key of a configuration.
pub const KEYS: &str = "`castbench list --keys` says what every key takes";

/// Most characters of a title or a label, because lists of names can be long.
const MAX_QUOTED: usize = 2000;

impl Source {
    /// Reads a file; `what` names its kind in the message.
    ///
    /// # Errors
    /// Exit code 3 if it cannot be read; no default replaces a missing file.
    pub fn read(path: &Path, what: &str) -> Result<Self> {
        let text = output::read_user_text(path).map_err(|error| {
            failure!(
                Configuration,
                "cannot read the {what} `{}`: {error}; name an existing TOML file",
                path.display()
            )
        })?;
        // Editors of Windows begin files with a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
        let directory = path.parent().unwrap_or(Path::new("")).to_owned();
        Ok(Self {
            name: path.display().to_string(),
            text,
            directory,
        })
    }

    /// A built-in document, under its name in the source tree.
    pub fn built_in(name: &str, text: &str) -> Self {
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
            directory: PathBuf::new(),
        }
    }

    /// The directory in which its paths begin.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Resolves a path of the document, relative to the document.
    pub fn resolve(&self, path: &str) -> PathBuf {
        self.directory.join(path)
    }

    /// The file's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The digest of the table of the figure that is drawn into this file, and of the page of all figures; layout, comments
    /// and other tables do not count.
    pub fn digest_of_figure(&self, file: &str) -> Option<String> {
        let document: serde_json::Value = toml::from_str(&self.text).ok()?;
        let figures = document.get("figures")?;
        let mut tables = figures
            .as_object()?
            .values()
            .filter_map(|kind| kind.as_array())
            .flatten();
        let table = tables.find(|table| table.get("file").is_some_and(|own| own == file))?;
        Some(figures.get("page").map_or_else(
            || seal::digest(table),
            |page| seal::digest(&serde_json::json!([page, table])),
        ))
    }

    /// Reads the document into a type; `help` names the description of the keys.
    ///
    /// # Errors
    /// Exit code 3, with file and line, for bad syntax and for unknown, missing or wrong keys.
    pub fn parse<T: DeserializeOwned>(&self, help: &str) -> Result<T> {
        self.parse_with(help, |_| ())
    }

    /// [`Source::parse`] after a change of the document, whose parts keep their lines and columns.
    ///
    /// # Errors
    /// The errors of [`Source::parse`].
    pub fn parse_with<T: DeserializeOwned>(
        &self,
        help: &str,
        change: impl FnOnce(&mut DeTable<'_>),
    ) -> Result<T> {
        let parsed = DeTable::parse(&self.text)
            .and_then(|mut document| {
                change(document.get_mut());
                T::deserialize(toml::Deserializer::from(document))
            })
            .map_err(|error| {
                // Types of Rust mean nothing to the reader of a document.
                let message =
                    ["u64", "u32"]
                        .iter()
                        .fold(error.message().to_owned(), |text, kind| {
                            text.replace(
                                &format!("expected {kind}"),
                                "expected a whole number that is not negative",
                            )
                        });
                let (title, detail) = message.split_once(", ").unwrap_or((&message, ""));
                let span = error.span().unwrap_or(0..0);
                self.failure(
                    span,
                    title.trim_end().replace('\n', " "),
                    detail.replace('\n', " "),
                    help,
                )
            })?;
        // An escape may mean such a character.
        if self.text.contains('\\') || self.text.contains(is_unprintable) {
            self.refuse_control_characters()?;
        }
        Ok(parsed)
    }

    /// Texts appear in figures, pages and CSV, where control characters break the format.
    fn refuse_control_characters(&self) -> Result {
        let Ok(table) = DeTable::parse(&self.text) else {
            return Ok(());
        };
        let mut values: Vec<&Spanned<DeValue<'_>>> = table.get_ref().values().collect();
        while let Some(value) = values.pop() {
            match value.get_ref() {
                DeValue::String(text) if text.contains(is_unprintable) => {
                    let help =
                        "remove the character, or its escape: `\\u00..`, `\\b`, `\\f` or `\\e`";
                    let title = "a text with control characters";
                    return Err(self.failure(
                        value.span(),
                        title,
                        "expected printable characters",
                        help,
                    ));
                }
                DeValue::Array(array) => values.extend(array.iter()),
                DeValue::Table(table) => values.extend(table.values()),
                _ => {}
            }
        }
        Ok(())
    }

    /// An error at a part of the document, with its line: a title, a label for the part, and what to write instead.
    pub fn failure(
        &self,
        span: Range<usize>,
        title: impl Display,
        label: impl Display,
        help: impl Display,
    ) -> Failure {
        // What follows is not shown, and laying out a line of megabytes takes seconds.
        let most = span.start.saturating_add(MAX_QUOTED).min(self.text.len());
        let shown = (0..=most)
            .rev()
            .find(|end| self.text.is_char_boundary(*end))
            .unwrap_or_default();
        // An error at the very end has nothing to underline.
        let end = span.end.min(shown);
        let span = span.start.min(end)..end;
        // The parts of the document in a message may be as long as the document.
        let [title, label] = [title.to_string(), label.to_string()]
            .map(|text| printable(&shortened(&text, MAX_QUOTED)).into_owned());
        let annotation = AnnotationKind::Primary.span(span).label(&*label);
        let report = [Level::ERROR
            .primary_title(&*title)
            .element(
                Snippet::source(&self.text[..shown])
                    .path(printable(&self.name))
                    .annotation(annotation),
            )
            .element(Level::HELP.message(help.to_string()))];
        let message = Renderer::styled()
            .decor_style(DecorStyle::Ascii)
            .render(&report);
        Failure {
            code: Code::Configuration,
            message,
        }
    }

    /// A number within bounds, or its default.
    ///
    /// # Errors
    /// Exit code 3, with file and line, for a number out of bounds.
    pub fn count(
        &self,
        key: &str,
        wire: Option<&Spanned<Count>>,
        default: u64,
        bounds: RangeInclusive<u64>,
    ) -> Result<u64> {
        let Some(wire) = wire else { return Ok(default) };
        let Count(value) = *wire.get_ref();
        if bounds.contains(&value) {
            return Ok(value);
        }
        let (least, most) = (grouped(*bounds.start()), grouped(*bounds.end()));
        let label = if least == most {
            format!("expected {least}")
        } else {
            format!("expected {least} to {most}")
        };
        Err(self.failure(
            wire.span(),
            format_args!("{key} = {} is out of range", grouped(value)),
            label,
            KEYS,
        ))
    }
}

/// What a terminal obeys, except line ends, and the characters that XML excludes.
fn is_unprintable(character: char) -> bool {
    is_command(character) && character != '\r' || matches!(character, '\u{FFFE}' | '\u{FFFF}')
}
