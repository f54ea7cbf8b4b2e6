//! `castbench figures`: pictures from the CSV of a sweep.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::chart::PageFit;
use crate::chart::format::ImageFormat;
use crate::config::Config;
use crate::failure::{Code, Failure, stdout, tell};
use crate::figures::origin::{Origin, typed};
use crate::figures::{self, Picture, Spec, adhoc};
use crate::output::Draft;
use crate::revision::build;
use crate::terminal;

pub(crate) const HELP: &str = "--x draws one figure of any rows, without a configuration. An axis that is neither \
drawn nor fixed with --at takes its default or its only value; if it has up to six values, each has a panel. The file \
of a figure states how it was drawn.

Examples:
  castbench figures my.toml --from results
  castbench figures --x K --at L=6,o=2,g=4 --over optimal --log x,y --out ratio.svg
  castbench figures --x K --by g --algorithms fibonacci --at L=6,o=2 --out gaps.png
  castbench figures --x m --problem broadcast --at L=6,o=2,g=4,K=64,n=4096,k=1,ports=duplex --log x,y --out segments.svg
  castbench figures --only allreduce.svg --width 88mm --no-title --no-caption --out paper
  castbench figures --x K --problem logp-multicast --at L=6,o=2,g=4 --width 88mm --no-title --caption caption.tex --out trees.pdf";

/// Arguments of `figures`.
#[derive(Debug, Args)]
pub struct Figures {
    /// Configuration file that names the figures [default: the one that `castbench init sweep` prints]
    pub config: Option<PathBuf>,
    /// Directory with the CSV files of a sweep; with --y median, of measurements
    #[arg(long, value_name = "DIR", default_value = "reports")]
    pub from: PathBuf,
    /// Directory for the files [default: `figures` inside the one given with --from]; with --x the file, .svg, .png or .pdf
    #[arg(long, value_name = "DIR|FILE")]
    pub out: Option<PathBuf>,
    /// Axis to draw along, such as K
    #[arg(long, value_name = "AXIS", conflicts_with = "config", requires = "out")]
    pub x: Option<String>,
    /// The one figure.
    #[command(flatten)]
    pub one: adhoc::Request,
    /// Only these figures of the configuration, by their files
    #[arg(
        long,
        value_name = "FILES",
        value_delimiter = ',',
        conflicts_with = "x"
    )]
    pub only: Vec<String>,
    /// Size and parts.
    #[command(flatten)]
    pub page: Page,
}

/// The options for printed pages.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Page")]
pub struct Page {
    /// Size and parts.
    #[command(flatten)]
    pub fit: PageFit,
    /// Draw no caption; write it, and what else is not drawn, into a file .txt, or .tex escaped for LaTeX; `-` prints
    #[arg(long, value_name = "FILE")]
    pub caption: Option<PathBuf>,
}

impl Page {
    fn fit(&self) -> PageFit {
        PageFit {
            caption: self.fit.caption && self.caption.is_none(),
            ..self.fit.clone()
        }
    }

    /// The file for the texts that are not drawn; none if they are printed.
    ///
    /// # Errors
    /// Exit code 2 for another ending than those known.
    fn caption_file(&self) -> Result<Option<&Path>, Failure> {
        let Some(file) = self
            .caption
            .as_deref()
            .filter(|file| *file != Path::new("-"))
        else {
            return Ok(None);
        };
        match file.extension().and_then(OsStr::to_str) {
            Some("txt" | "tex") => Ok(Some(file)),
            _ => Err(Failure::usage(format_args!(
                "--caption {}: expected a file name that ends in .txt or .tex, or `-` to print",
                file.display()
            ))),
        }
    }
}

/// Runs the verb.
///
/// # Errors
/// Exit code 3 for a bad configuration, and those of [`figures::draw_all`] and [`adhoc::draw`].
pub fn run(arguments: &Figures) -> Result<(), Failure> {
    if let (Some(x), Some(out)) = (&arguments.x, &arguments.out) {
        return draw_one(arguments, x, out);
    }
    let config = Config::load(arguments.config.as_deref())?;
    let figures = selected(&config, &arguments.only)?;
    let out = arguments
        .out
        .clone()
        .unwrap_or_else(|| arguments.from.join("figures"));
    // All figures of a configuration are those of `run`, byte by byte; one that is drawn alone also goes elsewhere alone.
    let revision = (!arguments.only.is_empty()).then(|| build().to_owned());
    let origin = |file: &str| Origin {
        revision: revision.clone(),
        ..origin(&config, file, &arguments.page)
    };
    publish(&figures, (&arguments.from, &out), &arguments.page, origin).map(drop)
}

/// The figures of these files; all if there are none.
fn selected<'a>(config: &'a Config, files: &[String]) -> Result<Vec<&'a Spec>, Failure> {
    let known = || config.figures.iter().map(|figure| figure.file());
    if let Some(unknown) = files
        .iter()
        .find(|file| known().all(|known| known != file.as_str()))
    {
        let known: Vec<&str> = known().collect();
        let explanation = format_args!(
            "--only: {} has no figure `{unknown}`; it has {}",
            config.name(),
            known.join(", ")
        );
        return Err(Failure::usage(explanation));
    }
    Ok(config
        .figures
        .iter()
        .filter(|figure| files.is_empty() || files.iter().any(|file| file == figure.file()))
        .collect())
}

/// The origin of a figure of a configuration, without the revision.
fn origin(config: &Config, file: &str, page: &Page) -> Origin {
    let arguments = ["figures", "--only", file]
        .map(str::to_owned)
        .into_iter()
        .chain(typed(&page.fit()))
        .collect();
    Origin {
        arguments,
        configuration: config.digest_of_figure(file),
        revision: None,
    }
}

/// Draws the figures of a loaded configuration and lists the files, which it returns.
pub(super) fn draw(config: &Config, from: &Path, out: &Path) -> Result<Vec<PathBuf>, Failure> {
    let page = Page::default();
    publish(&selected(config, &[])?, (from, out), &page, |file| {
        origin(config, file, &page)
    })
}

fn publish(
    figures: &[&Spec],
    (from, out): (&Path, &Path),
    page: &Page,
    origin: impl Fn(&str) -> Origin,
) -> Result<Vec<PathBuf>, Failure> {
    let (files, texts) = figures::draw_all(
        figures,
        (from, out),
        (&page.fit(), page.caption_file()?),
        origin,
    )?;
    if files.is_empty() {
        tell(format_args!(
            "warning: nothing was drawn; {}",
            absent(figures, from)
        ));
    }
    for file in &files {
        tell(format_args!("drew {}", file.display()));
    }
    print(&texts).map(|()| files)
}

/// Why figures that need no rows of a sweep are not drawn.
fn absent(figures: &[&Spec], from: &Path) -> String {
    let files: Vec<&str> = figures.iter().map(|figure| figure.file()).collect();
    format!(
        "`{}` has neither the history nor the measurements of {}",
        from.display(),
        files.join(", ")
    )
}

/// Prints the texts that are not drawn.
fn print(texts: &str) -> Result<(), Failure> {
    stdout(io::Write::write_all(
        &mut terminal::data(),
        texts.as_bytes(),
    ))
}

fn draw_one(arguments: &Figures, x: &str, out: &Path) -> Result<(), Failure> {
    let Some(format) = ImageFormat::from_name(&out.to_string_lossy()) else {
        let out = out.display();
        return Err(Failure::usage(format_args!(
            "--out {out}: expected a file name that ends in .svg, .png or .pdf"
        )));
    };
    let caption = arguments.page.caption_file()?;
    let picture = picture(arguments, x, out)?;
    let texts = picture.left_out.clone();
    let bytes = figures::encoded(format, picture, &origin_of_one(arguments, x))?;
    let texts = figures::publish(vec![Draft::with_contents(out, &bytes)?], caption, texts)?;
    tell(format_args!("drew {}", out.display()));
    print(&texts)
}

/// The SVG of the one figure along the axis `x`; `out` is its file, for messages.
///
/// # Errors
/// The errors of [`adhoc::draw`].
pub fn svg(arguments: &Figures, x: &str, out: &Path) -> Result<String, Failure> {
    let svg = figures::encoded(
        ImageFormat::Svg,
        picture(arguments, x, out)?,
        &origin_of_one(arguments, x),
    )?;
    String::from_utf8(svg).map_err(|error| Failure::new(Code::Internal, error))
}

fn origin_of_one(arguments: &Figures, x: &str) -> Origin {
    let words = ["figures".to_owned()]
        .into_iter()
        .chain(["--x".to_owned(), x.to_owned()])
        .chain(typed(&arguments.one))
        .chain(typed(&arguments.page.fit()));
    Origin {
        arguments: words.collect(),
        configuration: None,
        revision: Some(build().to_owned()),
    }
}

fn picture(arguments: &Figures, x: &str, out: &Path) -> Result<Picture, Failure> {
    let file = out
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    adhoc::draw(
        &arguments.one,
        (x, file),
        &arguments.from,
        &arguments.page.fit(),
    )
}
