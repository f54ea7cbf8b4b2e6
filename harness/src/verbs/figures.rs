//! `castbench figures`: pictures from the CSV of a sweep.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::base::failure::{Failure, Result, stdout};
use crate::base::revision::build;
use crate::base::terminal;
use crate::config::{self, Config};
use crate::draw::chart::PageFit;
use crate::draw::chart::format::ImageFormat;
use crate::figures::origin::{Origin, typed};
use crate::figures::{self, Drawing, Picture, Spec, adhoc};
use crate::output::{Lock, ending};
use crate::record::results::Sweep;
use crate::regress;

/// Arguments of `figures`.
#[derive(Debug, Args)]
#[command(
    after_help = "--x draws one figure of any rows, without a configuration. An axis that is neither \
drawn nor fixed with --at takes its default or its only value; if it has up to six values, each has a panel. The file \
of a figure states how it was drawn.

Examples:
  castbench figures my.toml --from results
  castbench figures --x K --at L=6,o=2,g=4 --over optimal --log x,y --out ratio.svg
  castbench figures --x K --by g --algorithms fibonacci --at L=6,o=2 --out gaps.png
  castbench figures --x m --problem broadcast --at L=6,o=2,g=4,K=64,n=4096,k=1,ports=duplex --log x,y --out segments.svg
  castbench figures --only allreduce.svg --width 88mm --no-title --no-caption --out allreduce.pdf
  castbench figures --x K --problem logp-multicast --at L=6,o=2,g=4 --width 88mm --no-title --caption caption.tex --out trees.pdf
  castbench figures --x K --problem logp-multicast --at o=2,g=4 --legend once --out panels.svg"
)]
pub struct Figures {
    /// Configuration file that names the figures [default: the one that `castbench init sweep` prints]
    pub config: Option<PathBuf>,
    /// Directory with the CSV files of a sweep; with --y median, of measurements
    #[arg(long, value_name = "DIR", default_value = "reports")]
    pub from: PathBuf,
    /// Directory for the files [default: `figures` inside the one given with --from]; of one figure also its file, .svg, .png or .pdf
    #[arg(long, value_name = "DIR|FILE", value_parser = ending::named(&["svg", "png", "pdf"]))]
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
            no_caption: self
                .fit
                .no_caption
                .or(self.caption.is_some().then_some(true)),
            ..self.fit.clone()
        }
    }

    /// The file for the texts that are not drawn; none if they are printed.
    ///
    /// # Errors
    /// Exit code 2 for another ending than those known.
    fn caption_file(&self) -> Result<Option<&Path>> {
        let file = self
            .caption
            .as_deref()
            .filter(|file| *file != Path::new("-"));
        let end = file.map(|file| file.extension().and_then(OsStr::to_str));
        match end {
            None | Some(Some("txt" | "tex")) => Ok(file),
            _ => Err(failure!(
                Usage,
                "--caption {}: expected a file name that ends in .txt or .tex, or `-` to print",
                file.unwrap_or(Path::new("")).display()
            )),
        }
    }
}

/// Runs the verb.
///
/// # Errors
/// Exit code 3 for a bad configuration, and those of [`figures::drawn`], [`figures::write`] and [`adhoc::draw`].
pub fn run(arguments: &Figures) -> Result {
    let (page, out) = (&arguments.page, arguments.out.clone());
    if let (Some(x), Some(out)) = (&arguments.x, &out) {
        ImageFormat::named("--out", out)?;
        return write(vec![picture(arguments, x, out)?], page).map(drop);
    }
    let config = Config::load(arguments.config.as_deref())?;
    let out = out.unwrap_or_else(|| arguments.from.join("figures"));
    let specs = figures::of(&config)?;
    draw(
        &config,
        &specs,
        &arguments.only,
        (&arguments.from, &out),
        page,
        true,
    )
    .map(drop)
}

/// The figures of these files; all if there are none.
fn selected<'a>(config: &Config, all: &'a [Spec], files: &[String]) -> Result<Vec<&'a Spec>> {
    let known: Vec<&str> = all.iter().map(Spec::file).collect();
    if let Some(unknown) = files
        .iter()
        .find(|file| !known.is_empty() && !known.contains(&file.as_str()))
    {
        let (name, known) = (config.name(), known.join(", "));
        bail!("--only: {name} has no figure `{unknown}`; it has {known}");
    }
    Ok(all
        .iter()
        .filter(|figure| files.is_empty() || files.iter().any(|file| file == figure.file()))
        .collect())
}

/// Draws figures of a loaded configuration, all or only these, and lists the files, which it returns. None where only figures are asked
/// for is an error.
pub(super) fn draw(
    config: &Config,
    specs: &[Spec],
    only: &[String],
    (from, out): (&Path, &Path),
    page: &Page,
    is_asked: bool,
) -> Result<Vec<PathBuf>> {
    let figures = selected(config, specs, only)?;
    let is_file = ImageFormat::from_name(&out.to_string_lossy()).is_some();
    if is_file && figures.len() > 1 {
        let (out, count) = (out.display(), figures.len());
        bail!(
            "--out {out} names one file, and {count} figures are selected; add --only {}, or name a directory",
            figures[0].file()
        );
    }
    if figures.is_empty() {
        bail!(
            Nothing,
            "the configuration has no figure; add a [[figures.lines]], as `castbench init sweep` prints them"
        );
    }
    // All are drawn before the first is written.
    let sweep = Sweep::open(from)?;
    regress::tell_others(&sweep, config);
    let drawn = figures::drawn(&figures, &sweep, &page.fit())?;
    if drawn.is_empty() {
        let files: Vec<&str> = figures.iter().map(|figure| figure.file()).collect();
        let (from, files) = (from.display(), files.join(", "));
        let why = format!(
            "nothing was drawn; `{from}` has neither the history nor the measurements of {files}"
        );
        if is_asked {
            bail!(Nothing, "{why}");
        }
        tell!("warning: {why}");
    }
    let (mut pictures, mut refused) = (Vec::new(), Vec::new());
    for (figure, picture) in drawn {
        match picture {
            Ok(picture) => pictures.push((figure, picture)),
            Err(failure) => refused.push(failure.explanation()),
        }
    }
    let _lock = (!is_file).then(|| Lock::new(out)).transpose()?;
    let drawing = |(figure, picture): (&Spec, Picture)| {
        let file = figure.file();
        let origin = Origin {
            arguments: arguments_of(["--only", file], page, Vec::new()),
            configuration: config.source.digest_of_figure(file),
            // All figures of a configuration are those of `run`, byte by byte; one that is drawn alone also goes elsewhere
            // alone.
            revision: (is_file || !only.is_empty()).then(|| build().to_owned()),
        };
        let file = if is_file {
            out.to_owned()
        } else {
            out.join(file)
        };
        (file, picture, origin)
    };
    let files = if pictures.is_empty() && !refused.is_empty() {
        Vec::new()
    } else {
        write(pictures.into_iter().map(drawing).collect(), page)?
    };
    match refused[..] {
        [] => Ok(files),
        _ => Err(Failure::usage(refused.join("\n"))),
    }
}

/// Writes drawings, lists their files, which it returns, and prints the texts that are not drawn.
fn write(drawings: Vec<Drawing>, page: &Page) -> Result<Vec<PathBuf>> {
    let files: Vec<PathBuf> = drawings.iter().map(|(file, ..)| file.clone()).collect();
    // In their natural size figures are read on a screen, and their descriptions have what is not drawn.
    let is_natural = page.caption.is_none()
        && drawings
            .iter()
            .all(|(_, picture, _)| picture.fit == PageFit::default());
    let is_cut = drawings
        .iter()
        .any(|(_, picture, _)| !picture.left_out.is_empty());
    let mut texts = figures::write(drawings, page.caption_file()?)?;
    for file in &files {
        tell!("drew {}", file.display());
    }
    if is_natural && is_cut {
        texts.clear();
        tell!("captions have three lines; `castbench figures --caption -` prints the others");
    }
    stdout(terminal::data().write_all(texts.as_bytes())).map(|()| files)
}

/// The arguments that draw a figure again.
fn arguments_of(first: [&str; 2], page: &Page, more: Vec<String>) -> Vec<String> {
    let first = ["figures", first[0], first[1]].map(str::to_owned);
    [first.to_vec(), more, typed(&page.fit())].concat()
}

/// The one figure along the axis `x` as SVG, and in the format of its file `out`.
///
/// # Errors
/// The errors of [`adhoc::draw`]; exit code 2 where the system cannot write the format.
pub fn drawn(arguments: &Figures, x: &str, out: &Path) -> Result<(String, Vec<u8>)> {
    let (_, picture, origin) = picture(arguments, x, out)?;
    Ok((origin.within(&picture.svg), picture.bytes(out, &origin)?))
}

fn picture(arguments: &Figures, x: &str, out: &Path) -> Result<Drawing> {
    let file = out
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let (request, page) = (&arguments.one, &arguments.page);
    config::given(&request.with)?;
    let picture = adhoc::draw(request, (x, file), &arguments.from, &page.fit())?;
    let origin = Origin {
        arguments: arguments_of(["--x", x], page, typed(request)),
        configuration: None,
        revision: Some(build().to_owned()),
    };
    Ok((out.to_owned(), picture, origin))
}
