//! `castbench report`: the content of the page, the errors, and the page in a browser.

use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::LazyLock;

use crate::browser;
use crate::common::{castbench, castbench_in, copy_measurements, expect};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

/// Two problems, three figures, and texts that the page must escape.
const SMALL: &str = r#"
schema = 1

[[grid]]
name = "gossip <script>grid()</script>"
algorithms = ["gossip-two-phase", "gossip-coupled", "gossip-optimal"]
n = { from = 2, to = 32 }

[[grid]]
name = "trees"
algorithms = ["halving", "fibonacci", "optimal", "flat", "chain"]
L = [6]
o = [2]
g = [4]
K = { from = 2, to = 64 }

[[grid]]
name = "machines"
algorithms = ["halving", "optimal"]
machines = ["ethernet100-switched", "ethernet100-held"]
bytes = [1024, 65536, 1048576]
K = { from = 2, to = 25 }

[[figures.lines]]
file = "gossip.svg"
title = "<script>title()</script> & \"more\""
shows = "<img src=x onerror=shows()>"
algorithms = ["gossip-two-phase", "gossip-coupled", "gossip-optimal"]
x = "n"

[[figures.lines]]
file = "over.svg"
title = "Over the optimum"
x = "K"
over = "optimal"
algorithms = ["halving", "fibonacci", "flat", "chain"]
at = { L = 6, o = 2, g = 4 }

[[figures.history]]
file = "history.svg"
title = "History"

[[figures.lines]]
file = "measured.svg"
title = "Measured"
measurements = "measured"
x = "K"
algorithms = ["halving", "fibonacci"]
at = { bytes = "1MiB", hold_ps_per_byte = 0 }
with = ["predicted"]
"#;

const HISTORY: &str = "date,revision,reason,algorithm,algorithm_revision,points,points_changed,points_better,points_worse,sum_over_bound_f64,worst_over_bound_f64,worst_point
2026-11-20,abc,<script>first()</script>,halving,1,4,4,0,0,8.0,3.0,-K 4
2026-11-20,abc,<script>first()</script>,flat,1,4,4,0,0,12.0,5.0,-K 5
2026-11-21,def,second,halving,1,4,1,1,0,6.0,2.5,-K 4
2026-11-21,def,second,flat,1,4,0,0,0,12.0,5.0,-K 5
";

/// The prefix of a figure's address.
const IMAGE: &str = "data:image/svg+xml;base64,";

/// A directory with a sweep and its figures in `reports`, without measurements.
fn swept() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    sweep_in(&directory);
    directory
}

/// A directory with a sweep, its figures and the committed measurements.
fn swept_and_measured() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    copy_measurements(&directory.path().join("reports/measured"));
    sweep_in(&directory);
    directory
}

fn sweep_in(directory: &tempfile::TempDir) {
    fs::write(directory.path().join("small.toml"), SMALL).unwrap();
    fs::create_dir_all(directory.path().join("reports")).unwrap();
    fs::write(directory.path().join("reports/history.csv"), HISTORY).unwrap();
    let run = castbench_in(directory.path(), &["run", "small.toml"]);
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
}

fn report(directory: &Path, threads: &str, more: &[&str]) -> Output {
    let arguments = [&["report", "--config", "small.toml"], more].concat();
    castbench(&arguments)
        .env("RAYON_NUM_THREADS", threads)
        .current_dir(directory)
        .output()
        .unwrap()
}

fn page(directory: &Path, threads: &str, more: &[&str]) -> String {
    let output = report(directory, threads, more);
    assert!(
        output.status.success() && output.stdout.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    fs::read_to_string(directory.join("reports/index.html")).unwrap()
}

/// The directory and its page, written once without a baseline.
pub static SHARED: LazyLock<(tempfile::TempDir, String)> = LazyLock::new(|| {
    let directory = swept_and_measured();
    let page = page(directory.path(), "1", &[]);
    (directory, page)
});

/// The text between the first `start` and the next `end`.
pub fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text
        .split_once(start)
        .unwrap_or_else(|| panic!("no {start}"));
    rest.split_once(end)
        .unwrap_or_else(|| panic!("no {end} after {start}"))
        .0
}

/// Headings, figures, and tables with their columns and numbers of rows.
fn outline(page: &str) -> String {
    let mut outline = String::new();
    for part in page.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap();
        let name = tag.split(' ').next().unwrap();
        match name {
            "h1" | "h2" | "h3" => outline += &format!("{name} {text}\n"),
            "section" | "figure" | "nav" | "main" | "footer" => outline += &format!("{tag}\n"),
            "span" if outline.ends_with("table: ") => outline += &format!("{text}\n    "),
            "caption" => outline += "  table: ",
            "th" if tag.contains("col") => outline += &format!("{text} | "),
            "tbody" => outline += "\n    ",
            "tr" if !outline.ends_with('\n') => outline.push('.'),
            "/tbody" => outline.push('\n'),
            _ => {}
        }
    }
    outline
}

#[test]
fn what_stands_on_the_page() {
    let (_, page) = &*SHARED;
    insta::assert_snapshot!(outline(page));
    let claims = castbench::regress::audit::all_claims()
        .unwrap_or_else(|failure| panic!("{}", failure.message));
    assert_eq!(page.matches("<li id=\"claim-").count(), claims.len());
    let summary = between(page, "<ul class=\"summary\">", "</ul>");
    // Gossip: 3 algorithms, 31 sides; trees: 5 algorithms, 63 sizes; machines: 288.
    assert!(
        summary.contains("696 points of 2 problems, 696 also simulated, all equal"),
        "{summary}"
    );
    assert!(
        summary.contains("no baseline to compare") && !summary.contains("claims of castbench"),
        "{summary}"
    );
    assert!(
        page.contains("castbench regress accept --config small.toml --reason"),
        "{page}"
    );
}

/// Failed points stand in the head, n of words are no sides of a mesh, and the history is that of the baseline.
#[test]
fn what_failed_and_another_baseline_are_shown() {
    let directory = tempfile::tempdir().unwrap();
    let grid = "schema = 1\n[[grid]]\nname = \"a\"\nalgorithms = [\"allreduce-ring\"]\nL = [6]\no = [2]\ng = [4]\n\
                n = [4294967296, 12884901890, 9223372036854775807]\nK = [2, 8]\n";
    fs::write(directory.path().join("small.toml"), grid).unwrap();
    fs::create_dir(directory.path().join("gate")).unwrap();
    fs::write(directory.path().join("gate/history.csv"), HISTORY).unwrap();
    expect(directory.path(), "sweep small.toml --out reports", 9, "");
    let page = page(directory.path(), "2", &["--baseline", "gate/baseline"]);
    let summary = between(&page, "<ul class=\"summary\">", "</ul>");
    assert!(
        summary.contains("2 points could not be evaluated</strong> of 6"),
        "{summary}"
    );
    let values = "4,294,967,296; 12,884,901,890; 9,223,372,036,854,775,807";
    assert!(page.contains(values), "{page}");
    assert!(page.contains("<td>second</td>") && !page.contains("no acceptance"));
}

/// Texts are escaped, and links lead only to the page itself and to files in its directory.
#[test]
fn texts_are_escaped_and_nothing_is_fetched() {
    let (_, page) = &*SHARED;
    for harm in ["grid()", "title()", "shows()", "first()"] {
        assert!(page.contains(harm), "{harm} does not stand on the page");
    }
    assert!(page.contains("&lt;img src=x onerror=shows()&gt;"), "{page}");
    assert_eq!(page.matches("<script").count(), 1);
    let (before, script) = page.split_once("<script>").unwrap();
    assert!(script.starts_with("// A button in each column"), "{script}");
    for attribute in [" href=\"", " src=\"", "url(", "@import"] {
        for address in before.split(attribute).skip(1) {
            assert!(
                ["#", "./", "data:,\"", IMAGE]
                    .iter()
                    .any(|start| address.starts_with(start)),
                "{}",
                &address[..40]
            );
        }
    }
    assert_eq!(page.matches("://").count(), 0);
}

/// Each figure is the file as an image with its title. A script in the file does not run.
#[test]
fn figures_are_images_of_their_files() {
    let Regressed {
        equal: page,
        figures,
        ..
    } = &*REGRESSED;
    for (name, file) in figures {
        let figure = between(page, &format!("<figure id=\"figure-{name}\">"), "</figure>");
        let (image, after) = between(figure, &format!("<img src=\"{IMAGE}"), ">")
            .split_once('"')
            .unwrap();
        assert!(STANDARD.decode(image).unwrap() == file.as_bytes(), "{name}");
        assert_eq!(
            after.contains("alt=\"Over the optimum\""),
            ["over", "stranger"].contains(name),
            "{after}"
        );
        assert_eq!(
            figure.contains("it was not compared with the sweep"),
            *name == "stranger"
        );
    }
    assert_eq!(
        (
            page.matches("<img ").count(),
            page.matches("<script").count()
        ),
        (4, 1)
    );
}

/// A grid of machines, with 2 x 2 x 3 x 24 points, beside other grids of its problem and of another.
#[test]
fn points_of_a_grid_of_machines() {
    let (_, grids) = SHARED
        .1
        .split_once("evaluated over the product of the axes")
        .unwrap();
    let (grids, files) = grids.split_once("The files of the sweep").unwrap();
    let cells = |html: &str| {
        html.split(['<', '>'])
            .filter_map(|text| text.parse::<u64>().ok())
            .collect::<Vec<_>>()
    };
    assert_eq!(cells(grids), [93, 315, 288]);
    assert_eq!(cells(files)[0], 315 + 288);
}

/// The commands of points on a profile in a file, and of an algorithm of the configuration, run as they stand on the page.
#[test]
fn printed_commands_run() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    let profile = castbench(&["init", "machine"]).output().unwrap();
    let profile = String::from_utf8(profile.stdout).unwrap();
    let name = profile
        .lines()
        .find(|line| line.starts_with("name"))
        .unwrap();
    write("file.toml", &profile.replace(name, "name = \"sz\""));
    let plan = "generate allreduce --network ring:4 --out plan.json";
    expect(directory.path(), plan, 0, "");
    write("own.toml", OWN);
    expect(directory.path(), "sweep own.toml --out results", 0, "");
    expect(
        directory.path(),
        "report --from results --config own.toml",
        0,
        "",
    );
    let commands = |page: &str| -> Vec<String> {
        let codes = page.split("<code>castbench cost ").skip(1);
        codes
            .map(|code| format!("cost {}", code.split('<').next().unwrap()))
            .collect()
    };
    let page = || fs::read_to_string(directory.path().join("results/index.html")).unwrap();
    let known = commands(&page());
    for part in [
        "cost mine --with own.toml ",
        "cost mine --with own.toml --machine file.toml ",
        "cost allreduce-ring --machine file.toml ",
    ] {
        assert!(
            known.iter().any(|command| command.starts_with(part)),
            "{part}: {known:?}"
        );
    }
    for command in known {
        expect(directory.path(), &command, 0, "");
    }
    // Without the configuration nothing says where the profile is.
    expect(directory.path(), "report --from results", 0, "");
    let page = page();
    for point in [
        "mine --machine sz --bytes 1024",
        "allreduce-ring --machine sz",
    ] {
        assert!(page.contains(&format!("<code>{point}")), "{point}");
    }
}

/// A point with and without a profile in a file, of an algorithm of the catalogue and one of the configuration.
const OWN: &str = r#"
schema = 1
[[algorithm]]
name = "mine"
problem = "allreduce"
plan = "plan.json"
[[grid]]
name = "words"
algorithms = ["allreduce-ring", "mine"]
L = [6]
o = [2]
g = [4]
K = [4]
n = [64]
[[grid]]
name = "bytes"
algorithms = ["allreduce-ring", "mine"]
machines = ["file.toml"]
K = [4]
bytes = [1024]
"#;

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let directory = swept_and_measured();
    let page = page(directory.path(), "3", &[]);
    // The pages are too long for a message.
    let differs = page
        .lines()
        .zip(SHARED.1.lines())
        .find(|(own, shared)| own != shared);
    assert_eq!((differs, page.len()), (None, SHARED.1.len()));
}

/// The page links to files only if it is in the directory of the sweep, for any name of that directory.
#[test]
fn links_lead_somewhere() {
    let linked = |page: &str| page.matches("<a href=\"./").count();
    // The files of the sweep with the manifest, and each problem's file again.
    assert_eq!(
        [linked(&REGRESSED.incomparable), linked(&REGRESSED.equal)],
        [0, 6]
    );
}

/// Pages of a sweep without measurements, shared because each takes seconds.
pub struct Regressed {
    /// In the directory of the sweep, with the committed baseline.
    pub equal: String,
    /// The figures in that directory, one of which has a script and is not from castbench.
    figures: [(&'static str, String); 4],
    /// In another directory, with an unreadable baseline and without figures.
    incomparable: String,
}

pub static REGRESSED: LazyLock<Regressed> = LazyLock::new(|| {
    let directory = swept();
    let directory = directory.path();
    let figures = directory.join("reports/figures");
    let over = fs::read_to_string(figures.join("over.svg")).unwrap();
    fs::write(
        figures.join("stranger.svg"),
        over.replace("</svg>", "<script>alert(1)</script></svg>"),
    )
    .unwrap();
    let written = |baseline: &str, out: &str| {
        let output = report(directory, "2", &["--baseline", baseline, "--out", out]);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        fs::read_to_string(directory.join(out)).unwrap()
    };
    let baseline = concat!(env!("CARGO_MANIFEST_DIR"), "/../reports/baseline");
    let equal = written(baseline, "reports/../reports/page.html");
    let drawn = ["gossip", "over", "history", "stranger"].map(|name| {
        (
            name,
            fs::read_to_string(figures.join(format!("{name}.svg"))).unwrap(),
        )
    });
    fs::remove_dir_all(figures).unwrap();
    fs::create_dir(directory.join("other")).unwrap();
    fs::write(directory.join("other/manifest.json"), "{\"schema\": 99}").unwrap();
    Regressed {
        equal,
        figures: drawn,
        incomparable: written("other", "elsewhere/page.html"),
    }
});

#[test]
fn the_regression_state() {
    let Regressed {
        equal,
        incomparable,
        ..
    } = &*REGRESSED;
    let summary = between(equal, "<ul class=\"summary\">", "</ul>");
    assert!(
        summary.ends_with(" equal</span> costs compared with the baseline</li>"),
        "{summary}"
    );
    assert_eq!(
        outline(equal)
            .matches("Costs compared with the baseline, in points")
            .count(),
        1
    );
    let explanation = between(incomparable, "not comparable</span>", "</p>");
    assert!(
        explanation.contains("`other/manifest.json`: its schema is 99")
            && !explanation.contains("error"),
        "{explanation}"
    );
}

/// A baseline of another configuration is compared over its own grids, and the commands name it.
#[test]
fn a_baseline_of_another_configuration() {
    let directory = swept();
    let directory = directory.path();
    let options = "--baseline own/base --config small.toml";
    let accept = format!("regress accept {options} --reason first");
    expect(directory, &accept, 0, "accepted into own/base");
    expect(directory, &format!("report {options}"), 0, "");
    let page = fs::read_to_string(directory.join("reports/index.html")).unwrap();
    let summary = between(&page, "<ul class=\"summary\">", "</ul>");
    let equal = " equal</span> costs compared with the baseline</li>";
    assert!(summary.ends_with(equal), "{summary}");
    assert!(page.contains(&format!("<code>castbench regress {options}</code>")));
}

/// Missing and changed files: the exit code and the advice.
#[test]
fn missing_and_changed_files_are_reported() {
    let directory = swept_and_measured();
    let reports = directory.path().join("reports");
    let refused = |what: &str, reason: &str| {
        let explanation = expect(directory.path(), "report --config small.toml", 74, reason);
        assert!(
            !reports.join("index.html").exists(),
            "{what}: {explanation}"
        );
    };
    let nowhere = "report --config small.toml --measured nowhere";
    expect(
        directory.path(),
        nowhere,
        74,
        "so the directory has no measurements",
    );
    let summary = reports.join("measured/summary.csv");
    let times = fs::read_to_string(&summary).unwrap();
    fs::write(&summary, "").unwrap();
    refused(
        "other measurements",
        "it differs from the file that manifest.json describes",
    );
    fs::write(&summary, times).unwrap();
    let figure = reports.join("figures/measured.svg");
    let drawn = fs::read_to_string(&figure).unwrap();
    fs::write(&figure, drawn.replace("Measured", "measured")).unwrap();
    refused(
        "a figure of other measurements",
        "it differs from what `castbench figures` draws",
    );
    fs::write(&figure, drawn).unwrap();
    let svg = reports.join("figures/over.svg");
    let good = fs::read_to_string(&svg).unwrap();
    fs::write(&svg, good.replace("</svg>", "<!-- --></svg>")).unwrap();
    refused(
        "a figure that was changed",
        "it differs from what `castbench figures` draws from the sweep beside it",
    );
    fs::write(&svg, &good).unwrap();
    let stranger = reports.join("figures/stranger.svg");
    fs::write(&stranger, "<svg></svg>").unwrap();
    refused(
        "a figure without words",
        "stranger.svg`: it has no <title>, so it has no accessible description",
    );
    fs::remove_file(&stranger).unwrap();

    let csv = reports.join("findings.csv");
    let rows = fs::read_to_string(&csv).unwrap();
    fs::write(&csv, format!("{rows}\n")).unwrap();
    refused(
        "findings of another sweep",
        "it differs from the file that manifest.json describes",
    );
    fs::write(&csv, rows).unwrap();

    let manifest = reports.join("manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("\"complete\"", "\"shard\"")).unwrap();
    crate::common::reseal(&manifest);
    refused("a shard of a sweep", "it is one shard of a sweep");
    fs::remove_file(&manifest).unwrap();
    refused("no sweep", "run `castbench run` first");
}

#[test]
fn figures_may_be_drawn_later() {
    let figures = between(&REGRESSED.incomparable, "id=\"figures\"", "</section>");
    assert!(
        figures.contains("No figure is drawn yet; <code>castbench figures</code>"),
        "{figures}"
    );
}

/// The findings of the script in `browser.html` on the page at one width.
#[derive(Debug, Deserialize)]
struct Seen {
    width: f64,
    overflow: f64,
    repeated_ids: Vec<String>,
    charts: Vec<Chart>,
    /// The position of its image, in screens.
    first_figure: f64,
    sorted: Vec<Sorted>,
    unfocusable: u64,
}

#[derive(Debug, Deserialize)]
struct Chart {
    width: f64,
    height: f64,
    label: String,
    description: String,
}

/// A column after one click on its title, and after two.
#[derive(Debug, Deserialize)]
struct Sorted {
    table: String,
    before: Vec<String>,
    once: Vec<String>,
    twice: Vec<String>,
    directions: [String; 2],
}

/// Opens `browser.html`, which shows the page at two widths and inspects it. Returns its findings and the console
/// messages.
fn browse(directory: &Path) -> (Vec<Seen>, String) {
    let harness = directory.join("browser.html");
    fs::write(&harness, include_str!("browser.html")).unwrap();
    let (found, console) = browser::open(&harness);
    (
        serde_json::from_str(&found).unwrap_or_else(|error| panic!("{error}: {found}")),
        console,
    )
}

fn number(text: &str) -> Option<f64> {
    text.replace([',', '%'], "").trim().parse().ok()
}

#[test]
#[ignore = "needs chromium"]
fn in_a_browser() {
    let directory = SHARED.0.path().join("reports");
    let (seen, console) = browse(&directory);
    assert_eq!(console, "");
    assert_eq!(
        seen.iter().map(|seen| seen.width).collect::<Vec<_>>(),
        [1280.0, 390.0]
    );
    for seen in seen {
        assert!(
            seen.overflow <= 0.0,
            "the page scrolls sideways by {} at {}",
            seen.overflow,
            seen.width
        );
        assert_eq!(
            (seen.repeated_ids.as_slice(), seen.unfocusable),
            (&[][..], 0)
        );
        assert_eq!(seen.charts.len(), 4);
        assert!(
            seen.first_figure < 0.6,
            "the first figure begins {} screens down",
            seen.first_figure
        );
        for chart in seen.charts {
            assert!(chart.width > 300.0 && chart.height > 100.0, "{chart:?}");
            assert!(
                !chart.label.is_empty() && !chart.description.is_empty(),
                "{chart:?}"
            );
        }
        let mut numeric = 0;
        for Sorted {
            table,
            before,
            once,
            twice,
            directions,
        } in seen.sorted
        {
            assert_eq!(directions, ["ascending", "descending"], "{table}");
            let [mut a, mut b, mut c] = [before, once.clone(), twice.clone()];
            for rows in [&mut a, &mut b, &mut c] {
                rows.sort();
            }
            assert!(a == b && b == c, "rows of {table} were lost");
            let values = |rows: &[String]| {
                rows.iter()
                    .map(|text| number(text))
                    .collect::<Option<Vec<_>>>()
            };
            if let (Some(up), Some(down)) = (values(&once), values(&twice)) {
                assert!(
                    up.is_sorted() && down.is_sorted_by(|a, b| a >= b),
                    "{table}: {once:?} {twice:?}"
                );
                numeric += usize::from(up.first() != up.last());
            }
        }
        assert!(
            numeric > 20,
            "only {numeric} columns of different numbers were sorted"
        );
    }
    // A planted error is found, so the test would see others.
    let planted = SHARED.1.replace(
        "</body>",
        "<script>throw new Error('planted')</script></body>",
    );
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("index.html"), planted).unwrap();
    let (_, console) = browse(other.path());
    assert!(console.contains("planted"), "{console}");
}
