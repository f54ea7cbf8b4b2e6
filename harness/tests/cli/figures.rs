//! Figures of any rows, without a configuration.

use std::fmt::Write as _;
use std::fs;

use castbench::config::Config;
use castbench::output::built_in::BuiltIn;
use insta::assert_snapshot;

use crate::common::{Answer, ask, castbench_in, expect, texts};

const GRIDS: &str = r#"schema = 1
[[grid]]
name = "trees"
algorithms = ["halving", "fibonacci", "optimal", "flat"]
L = [6]
o = [0, 2]
g = { from = 1, to = 12 }
K = { from = 1, to = 40 }
[[grid]]
name = "machines"
algorithms = ["halving", "fibonacci"]
machines = ["ethernet100-switched", "ethernet100-held"]
bytes = ["64KiB", "1MiB"]
K = [8, 12, 18]
[[grid]]
name = "ports"
algorithms = ["k-tree", "repeated"]
n = { from = 2, to = 40 }
k = [1, 2]
m = [4]
"#;

fn swept() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("c.toml"), GRIDS).unwrap();
    let output = castbench_in(directory.path(), &["sweep", "c.toml"]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    directory
}

/// Drawn texts and refusals.
#[test]
fn of_any_rows() {
    let directory = swept();
    let mut all = String::new();
    for arguments in [
        "--x K --at o=2,g=4 --over optimal --log x,y",
        "--x g --by K --algorithms fibonacci --at o=2 --problem logp-multicast",
        "--x K --y excess --at g=4",
        "--x K --y excess --at o=2,g=4 --over lower_bound",
        "--x K --by machine --algorithms halving",
        "--x n --y lower_bound",
        "--x K",
        "--x L --at o=9",
        "--x q",
        "--x K --y best",
        "--x K --over best",
        "--x K --algorithms best",
        "--x K --problem best",
        "--x K --at o",
        "--x K --at o=two",
        "--x K --at K=2",
        "--x source --by machine --at bytes=64KiB,K=8",
        "--x K --at o=2,g=4 --free x,y",
    ] {
        let _ = fs::remove_file(directory.path().join("f.svg"));
        let words = ["figures", "--out", "f.svg"]
            .into_iter()
            .chain(arguments.split(' '))
            .collect::<Vec<_>>();
        let output = castbench_in(directory.path(), &words);
        let _ = writeln!(
            all,
            "$ castbench figures {arguments} # {}",
            output.status.code().unwrap()
        );
        all.push_str(&String::from_utf8_lossy(&output.stderr));
        if let Ok(svg) = fs::read_to_string(directory.path().join("f.svg")) {
            let _ = writeln!(all, "{}", texts(&svg).trim_end().replace('\n', " | "));
        }
    }
    assert_snapshot!(all);
}

/// The extension of the file selects the format; an unknown one is refused before anything is read.
#[test]
fn as_svg_png_or_pdf() {
    let directory = swept();
    let draw = |out: &str| {
        castbench_in(
            directory.path(),
            &["figures", "--x", "n", "--at", "k=1", "--out", out],
        )
    };
    assert!(draw("f.svg").status.success());
    let output = draw("f.png");
    let explanation = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        assert!(
            fs::read(directory.path().join("f.png"))
                .unwrap()
                .starts_with(b"\x89PNG\r\n")
        );
    } else {
        // The system has no font, or castbench was built without PNG.
        assert!(
            output.status.code() == Some(2) && explanation.contains("write a file .svg"),
            "{explanation}"
        );
    }
    let formats = "expected a file name that ends in .svg, .png or .pdf";
    expect(
        directory.path(),
        "figures --x n --at k=1 --out f.gif",
        2,
        formats,
    );
    for verb in [
        "show flat -L 6 -o 2 -g 4 -K 8",
        "best -L 6 -o 2 -g 4 -K 8 -n 4,8",
        "score none.csv --profile none.toml",
    ] {
        let line = format!("{verb} --svg f.gif");
        expect(directory.path(), &line, 2, formats);
    }
    let show = "show flat -L 6 -o 2 -g 4 -K 8 --svg";
    for (file, begin) in [
        ("s.png", &b"\x89PNG"[..]),
        ("s.pdf", b"%PDF"),
        ("s.svg", b"<svg"),
    ] {
        expect(directory.path(), &format!("{show} {file}"), 0, "");
        let drawn = fs::read(directory.path().join(file)).unwrap();
        assert!(drawn.starts_with(begin), "{file}");
    }
}

/// A PDF of a column's width has letters of 8 points in a font that it contains, and the same bytes each time.
#[test]
fn a_pdf_has_letters_of_8_points() {
    let directory = swept();
    let draw = |out: &str, more: &[&str]| {
        let line = [
            "figures",
            "--x",
            "K",
            "--at",
            "o=2,g=4",
            "--width",
            "88mm",
            "--no-title",
            "--out",
            out,
        ];
        castbench_in(directory.path(), &[&line, more].concat())
    };
    let output = draw("f.pdf", &["--caption", "c.tex"]);
    if !output.status.success() {
        // The system has no font, or castbench was built without PDF.
        let explanation = explanation(&output);
        assert!(
            output.status.code() == Some(2) && explanation.contains("write a file .svg"),
            "{explanation}"
        );
        return;
    }
    assert!(output.stdout.is_empty());
    let read = |file: &str| fs::read(directory.path().join(file)).unwrap();
    let pdf = String::from_utf8_lossy(&read("f.pdf")).into_owned();
    assert!(pdf.starts_with("%PDF-") && pdf.contains("/FontFile") && pdf.contains("/ToUnicode"));
    let width = pdf
        .split_once("/MediaBox [0 0 ")
        .unwrap()
        .1
        .split(' ')
        .next()
        .map(number_before_end)
        .unwrap();
    assert!((width / 72.0 * 25.4 - 88.0).abs() < 0.01, "{width}");
    let sizes: Vec<f64> = pdf.split(" Tf\n").map(number_before_end).collect();
    assert!(
        sizes.len() > 10
            && sizes[..sizes.len() - 1]
                .iter()
                .all(|size| (size - 8.0).abs() < 0.05),
        "{sizes:?}"
    );
    let caption = String::from_utf8(read("c.tex")).unwrap();
    assert!(
        caption.contains("o = 2") && caption.ends_with(".\n"),
        "{caption}"
    );
    assert!(draw("g.pdf", &["--no-caption"]).status.success());
    assert_eq!(read("g.pdf"), read("f.pdf"));
    assert!(pdf.contains("/Title (") && pdf.contains("--no-caption"));
    let strange = "figures --x K --at o=2,g=4 --out h.pdf --font 'Nowhere Sans'";
    expect(directory.path(), strange, 2, "the system has no such font");
    assert!(!directory.path().join("h.pdf").exists());
}

/// One figure of a configuration goes into the file that `--out` names, in its format; several need a directory. A picture
/// of another program stays.
#[test]
fn one_figure_goes_into_a_file() {
    let (directory, output) = ran(ON_A_MACHINE);
    assert!(output.status.success(), "{}", explanation(&output));
    let path = |file: &str| directory.path().join(file);
    let expect = |line: &str, code: i32, part: &str| expect(directory.path(), line, code, part);
    let several = "--out fig.pdf names one file, and 3 figures are selected; add --only a.svg, or name a directory";
    expect("figures c.toml --out fig.pdf", 2, several);
    assert!(!path("fig.pdf").exists());
    expect(
        "figures c.toml --only b.svg --out fig.svg",
        0,
        "drew fig.svg",
    );
    let svg = fs::read_to_string(path("fig.svg")).unwrap();
    assert!(
        svg.starts_with("<svg") && svg.contains("\"revision\":"),
        "{svg}"
    );
    let own = fs::read_to_string(path("reports/figures/b.svg")).unwrap();
    assert_eq!(texts(&svg), texts(&own));
    for (file, begin) in [("fig.png", "\u{89}PNG"), ("sub/fig.pdf", "%PDF-")] {
        let output = ask(
            directory.path(),
            &format!("figures c.toml --only b.svg --out {file}"),
        );
        if output.code == Some(0) {
            let bytes = fs::read(path(file)).unwrap();
            let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
            assert!(text.starts_with(begin), "{file}");
            assert!(begin != "%PDF-" || text.contains("/FontFile"), "{file}");
            // Its own file is replaced.
            expect(
                &format!("figures c.toml --only b.svg --out {file}"),
                0,
                "drew",
            );
        } else {
            // The system has no font, or castbench was built without PNG and PDF.
            let errors = output.errors;
            assert!(
                output.code == Some(2) && errors.contains("write a file .svg"),
                "{errors}"
            );
        }
    }
    let stranger = "<svg><text>castbench</text></svg>";
    for (line, file) in [
        ("figures c.toml --only b.svg --out fig.svg", "fig.svg"),
        ("figures c.toml --out paper", "paper/b.svg"),
        (
            "figures --x bytes --at K=4 --problem logp-multicast --out x.svg",
            "x.svg",
        ),
    ] {
        fs::create_dir_all(path("paper")).unwrap();
        fs::write(path(file), stranger).unwrap();
        expect(
            line,
            74,
            "the existing file is not of `castbench figures` or `best`",
        );
        assert_eq!(fs::read_to_string(path(file)).unwrap(), stranger);
    }
    assert!(!path("paper/a.svg").exists());
}

/// A figure that does not fit is named with an exit code, and the others are drawn.
#[test]
fn a_figure_that_does_not_fit_leaves_the_others() {
    let (directory, output) = ran(ON_A_MACHINE);
    assert!(output.status.success(), "{}", explanation(&output));
    let line = "figures c.toml --panels 2 --width 88mm --out paper";
    let errors = expect(
        directory.path(),
        line,
        2,
        "figure b.svg: --panels 2: it has 1 panel",
    );
    assert!(errors.contains("figure c.svg: --panels 2"), "{errors}");
    let drawn = |file: &str| fs::read_to_string(directory.path().join("paper").join(file));
    assert!(drawn("b.svg").is_err() && drawn("c.svg").is_err());
    let texts = texts(&drawn("a.svg").unwrap());
    assert!(
        texts.contains("4 MiB") && !texts.contains("bytes = 1 MiB"),
        "{texts}"
    );
}

/// The last number of a text, 0 if it ends in something else.
fn number_before_end(text: &str) -> f64 {
    text.rsplit(' ')
        .next()
        .and_then(|number| number.parse().ok())
        .unwrap_or_default()
}

/// A configuration has a page for all figures and one for each; the command line comes before both.
#[test]
fn a_configuration_has_pages() {
    let page = "[figures.page]\nwidth = \"120mm\"\nfont = \"A & B\"\ncaption = false\n";
    let (directory, _) = ran(&format!("{ON_A_MACHINE}{page}"));
    expect(directory.path(), "run c.toml", 3, "font = \"A & B\"");
    let own = ON_A_MACHINE.replace(
        "file = \"b.svg\"",
        "file = \"b.svg\"\npage = { width = \"9cm\", title = false }",
    );
    let (directory, output) = ran(&format!("{own}{}", page.replace("A & B", "Source Sans 3")));
    assert!(output.status.success(), "{}", explanation(&output));
    let drawn = |file: &str| fs::read_to_string(directory.path().join(file)).unwrap();
    for (file, width) in [("a.svg", "120.00mm"), ("b.svg", "90.00mm")] {
        let svg = drawn(&format!("reports/figures/{file}"));
        assert!(svg.contains(&format!("width=\"{width}\"")), "{svg}");
        assert!(
            svg.contains("font-family=\"'Source Sans 3', Helvetica")
                && !svg.contains("\"Helvetica"),
            "{svg}"
        );
    }
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        printed.lines().count() == 3 && printed.contains("ethernet100-switched at 1 MiB"),
        "{printed}"
    );
    let Answer { out, errors, .. } = ask(
        directory.path(),
        "figures c.toml --only b.svg --width 100mm --caption captions.txt --out paper",
    );
    assert_eq!(out, "", "{errors}");
    assert!(
        drawn("paper/b.svg").contains("width=\"100.00mm\"")
            && drawn("captions.txt").starts_with("# castbench figures --caption\nt.")
    );
    expect(
        directory.path(),
        "figures c.toml --only b.svg --caption c.doc --out paper",
        2,
        "",
    );
}

/// `run` states first what it computes, and last what to open and to try.
#[test]
fn a_run_says_what_it_does_and_what_comes_next() {
    let (directory, output) = ran(ON_A_MACHINE);
    let explanation = explanation(&output);
    let lines: Vec<&str> = explanation.lines().collect();
    assert_eq!(
        lines[0],
        "computes the costs of 2 algorithms at 7 points into `reports`, then draws 3 figures into `reports/figures`"
    );
    let next = lines
        .iter()
        .position(|line| line.starts_with("next: open "))
        .unwrap();
    assert!(
        lines[next].contains("a.svg") && lines[next].ends_with("c.svg") && next + 3 == lines.len(),
        "{explanation}"
    );
    for line in &lines[next + 1..] {
        let (_, command) = line
            .split('#')
            .next()
            .unwrap()
            .split_once("castbench ")
            .unwrap();
        expect(directory.path(), command, 0, "");
    }
}

/// A sweep of a configuration, and the figures that `run` draws from it.
fn ran(config: &str) -> (tempfile::TempDir, std::process::Output) {
    let directory = tempfile::tempdir().unwrap();
    fs::write(
        directory.path().join("c.toml"),
        format!("schema = 1\n{config}"),
    )
    .unwrap();
    let output = castbench_in(directory.path(), &["run", "c.toml"]);
    (directory, output)
}

fn explanation(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const ON_A_MACHINE: &str = r#"
[[grid]]
name = "a"
algorithms = ["allreduce-ring"]
machines = ["ethernet100-switched"]
bytes = ["1MiB", "4MiB"]
K = [2, 4]
c = [50]
[[grid]]
name = "b"
algorithms = ["halving"]
machines = ["ethernet100-switched"]
bytes = ["1B", "1KiB", "1MiB"]
K = [4]
[[figures.lines]]
file = "a.svg"
title = "t"
x = "K"
algorithms = ["allreduce-ring"]
at = { machine = "ethernet100-switched", bytes = "1MiB", c = 50 }
panels = [{}, { at = { bytes = "4MiB" } }]
[[figures.lines]]
file = "b.svg"
title = "t"
x = "bytes"
algorithms = ["halving"]
at = { machine = "ethernet100-switched", K = 4 }
[[figures.lines]]
file = "c.svg"
title = "t"
x = "K"
algorithms = ["halving"]
at = { machine = "ethernet100-switched", bytes = "1B" }
"#;

/// A parameter has its unit, the times of a machine belong to message sizes, and each panel states its size.
#[test]
fn captions_state_units_and_sizes() {
    let (directory, output) = ran(ON_A_MACHINE);
    assert!(output.status.success(), "{}", explanation(&output));
    let texts = |file: &str| {
        texts(&fs::read_to_string(directory.path().join("reports/figures").join(file)).unwrap())
    };
    let panels = texts("a.svg");
    assert!(
        panels.contains("c = 50 ps/B") && !panels.contains("c = 50 ns"),
        "{panels}"
    );
    assert!(
        panels.contains("\nbytes = 1 MiB\n") && panels.contains("\nbytes = 4 MiB\n"),
        "{panels}"
    );
    let along = texts("b.svg").replace('\n', " ");
    assert!(
        along.contains("ethernet100-switched at 1 B to 1 MiB: L = ")
            && along.contains(" to 89.28 ms"),
        "{along}"
    );
    assert!(along.contains("bytes = 1 B, 1 KiB, 1 MiB"), "{along}");
    let least = texts("c.svg").replace('\n', " ");
    assert!(
        least.contains("bytes = 1 B") && least.contains("ethernet100-switched at 1 B: L = "),
        "{least}"
    );
}

/// `sweep --dry-run` and `run` refuse a figure whose rows no grid has, and list what there is.
#[test]
fn figures_are_checked_before_the_sweep() {
    let figure = |algorithms: &str, x: &str, at: &str| {
        format!(
            "[[grid]]\nname = \"trees\"\nalgorithms = [\"halving\", \"flat\"]\nL = [0, 6]\no = [2]\ng = [4]\nK = [8, 12, 18]\n\
             [[figures.lines]]\nfile = \"f.svg\"\ntitle = \"t\"\nalgorithms = [{algorithms}]\nx = \"{x}\"\nat = {at}\n"
        )
    };
    let held = "{ L = 6, o = 2, g = 4 }";
    for (config, title, help) in [
        (
            figure("\"chain\"", "K", held),
            "no grid has `chain`",
            "the grids have flat, halving",
        ),
        (
            figure("\"flat\"", "K", "{ L = 7, o = 2, g = 4 }"),
            "`flat` with L = 7",
            "there are L = 0; 6 (grid trees)",
        ),
        (
            figure("\"flat\"", "bytes", "{ machine = \"mine\", K = 8 }"),
            "no grid has `flat` with machine = mine",
            "has the axis machine",
        ),
    ] {
        let (directory, _) = ran(&config);
        assert!(!directory.path().join("reports").exists());
        for verb in ["run", "sweep --dry-run"] {
            let explanation = expect(directory.path(), &format!("{verb} c.toml"), 3, title);
            assert!(explanation.contains(help), "{explanation}");
        }
    }
    let (_, output) = ran(&figure("\"flat\", \"halving\"", "K", held));
    assert!(output.status.success(), "{}", explanation(&output));
    let two =
        "[[grid]]\nname = \"more\"\nalgorithms = [\"flat\"]\nL = [1]\no = [3]\ng = [4]\nK = [8]\n";
    let (directory, _) = ran(&format!(
        "{}{two}",
        figure("\"flat\"", "K", "{ L = 6, o = 3, g = 4 }")
    ));
    expect(
        directory.path(),
        "run c.toml",
        3,
        "no grid has `flat` at L = 6, o = 3, g = 4 time units together",
    );
}

/// `figures` of another sweep lists the values that it has.
#[test]
fn a_value_that_does_not_exist_lists_those_that_do() {
    let directory = swept();
    let figure = "schema = 1\n[[figures.lines]]\nfile = \"f.svg\"\ntitle = \"t\"\nalgorithms = [\"k-tree\"]\nx = \"n\"\nat = { k = 3, m = 4 }\n";
    fs::write(directory.path().join("f.toml"), figure).unwrap();
    expect(
        directory.path(),
        "figures f.toml",
        4,
        "k = 3 is not among them; there are k = 1, 2",
    );
}

#[test]
fn a_run_that_draws_nothing_warns() {
    let grid =
        "[[grid]]\nname = \"a\"\nalgorithms = [\"halving\"]\nL = [6]\no = [2]\ng = [4]\nK = [8]\n";
    let history = "[[figures.history]]\nfile = \"h.svg\"\ntitle = \"t\"\n";
    for (figure, warning) in [
        ("", "the configuration has no figure"),
        (history, "nothing was drawn"),
    ] {
        let (directory, _) = ran(&format!("{grid}{figure}"));
        expect(
            directory.path(),
            "run c.toml",
            0,
            &format!("warning: {warning}"),
        );
        expect(directory.path(), "figures c.toml", 4, warning);
    }
}

/// A figure of a configuration may be a PNG, as `--out` may.
#[test]
fn a_configuration_draws_png() {
    let (directory, output) = ran(&ON_A_MACHINE.replace("a.svg", "a.png"));
    let file = directory.path().join("reports/figures/a.png");
    if output.status.success() {
        assert!(fs::read(file).unwrap().starts_with(b"\x89PNG\r\n"));
        let report = castbench_in(directory.path(), &["report", "--config", "c.toml"]);
        assert!(report.status.success(), "{}", explanation(&report));
    } else {
        // The system has no font, or castbench was built without PNG.
        assert!(
            explanation(&output).contains(".svg") && !file.exists(),
            "{}",
            explanation(&output)
        );
    }
}

/// A map has a sign in each region of cases, at any number of values, and names algorithms that tie.
#[test]
fn a_decision_map_shows_the_computed_cases() {
    let directory = tempfile::tempdir().unwrap();
    for (ranks, rows) in [("2..40", 39), ("2,4,8,16,1024,4096", 6)] {
        let line = format!(
            "best --problem allreduce -L 100 -o 2 -g 4 -n 1,16,4096 -K {ranks} --svg m.svg"
        );
        expect(directory.path(), &line, 0, "");
        let drawn = texts(&fs::read_to_string(directory.path().join("m.svg")).unwrap());
        let lines: Vec<&str> = drawn.lines().collect();
        let is_sign = |line: &str| line.len() == 1 && !line.starts_with('0');
        let is_legend = |line: &str| line.starts_with("allreduce") || line.contains(" = ");
        let signs = lines
            .windows(2)
            .filter(|pair| is_sign(pair[0]) && !is_legend(pair[1]))
            .count();
        // A sign in each region; never one for each of the cases of two maps.
        assert!((4..2 * 3 * rows).contains(&signs), "{signs}: {drawn}");
        assert!(
            drawn
                .lines()
                .any(|line| line.contains("A = ") || line.contains("B = ")),
            "{drawn}"
        );
        assert!(
            drawn.contains("time units per word") && drawn.contains("words n, the values computed"),
            "{drawn}"
        );
    }
}

/// A table of measured times is drawn where collective, algorithm, ranks and bytes are those of a row: of an allgather,
/// whose rows count the block of a rank, the table counts the vector.
#[test]
fn a_table_of_measured_times_beside_costs() {
    let directory = tempfile::tempdir().unwrap();
    let config = "schema = 1
[[grid]]
name = 'machines'
algorithms = ['allgather-ring', 'allgather-bruck']
machines = ['loopback-2-cores']
bytes = [8, 64]
K = [4]
[[figures.lines]]
file = 'f.svg'
title = 'Allgather'
x = 'bytes'
algorithms = ['allgather-ring', 'allgather-bruck']
at = { machine = 'loopback-2-cores', K = 4 }
table = 'osu.csv'
";
    fs::write(directory.path().join("c.toml"), config).unwrap();
    let osu = "# OSU MPI Allgather Latency Test v7.5\n# Size       Avg Latency(us)\n8      9.25\n16      9.50\n64      12.75\n";
    fs::write(directory.path().join("osu.txt"), osu).unwrap();
    let read = "read osu.txt --ranks 4 --nodes 1 --algorithm allgather-ring --out results/osu.csv";
    let draw = "figures c.toml --from results --out figures";
    expect(directory.path(), "sweep c.toml --out results", 0, "");
    let errors = expect(directory.path(), draw, 74, "castbench read");
    assert!(errors.contains("osu.csv"), "{errors}");
    expect(directory.path(), read, 0, "");
    // 16 B of the vector are blocks of 4 B, which the sweep does not have.
    let left = "osu.csv: 1 of 3 times are at no point that a figure draws: the first, allgather of 64 bytes by `allgather-ring` on 4 ranks";
    expect(directory.path(), draw, 0, left);
    let table = directory.path().join("results/osu.csv");
    let text = fs::read_to_string(&table).unwrap();
    let at = "1,4,4,allgather,64,";
    assert!(text.contains(at), "{text}");
    fs::write(&table, text.replace(at, "2,2,4,allgather,640000000,")).unwrap();
    expect(directory.path(), draw, 0, "GB/s that a node allows");
    fs::write(&table, text).unwrap();
    let texts = texts(&fs::read_to_string(directory.path().join("figures/f.svg")).unwrap());
    assert!(
        texts.contains("ring, measured") && !texts.contains("bruck, measured"),
        "{texts}"
    );
    assert!(
        texts.contains("Measured times: means of osu.csv."),
        "{texts}"
    );
    fs::write(
        directory.path().join("c.toml"),
        config.replace("table =", "over = 'lower_bound'\ntable ="),
    )
    .unwrap();
    expect(
        directory.path(),
        draw,
        3,
        "times of a table are drawn beside costs",
    );
}

/// A figure on a page has the width and the size of letters asked for; what is not drawn is printed.
#[test]
fn figures_fit_a_printed_page() {
    let directory = swept();
    let draw = |options: &str| {
        let line = format!("figures --x K --at o=2,g=4 --over optimal --out f.svg {options}");
        castbench_in(directory.path(), &line.split(' ').collect::<Vec<_>>())
    };
    let output = draw("--width 88mm --no-title --no-caption");
    assert!(output.status.success(), "{}", explanation(&output));
    let svg = fs::read_to_string(directory.path().join("f.svg")).unwrap();
    let number = |before: &str, after: &str| -> f64 {
        let (_, rest) = svg.split_once(before).unwrap();
        rest.split_once(after).unwrap().0.parse().unwrap()
    };
    let unit = 88.0 / number("viewBox=\"0 0 ", " ");
    assert!(svg.contains(" width=\"88.00mm\""), "{svg}");
    let points = number("font-size=\"", "\"") * unit / 25.4 * 72.0;
    assert!((points - 8.0).abs() < 0.05, "{points}");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        printed.contains("over that of optimal") && printed.contains("L = 6, o = 2, g = 4"),
        "{printed}"
    );
    assert!(
        !texts(&svg).contains("over that of optimal") && texts(&svg).contains("fibonacci"),
        "{}",
        texts(&svg)
    );
    // Titles are broken into lines instead; a caption has three lines, and what it has no room for is printed.
    let output = draw("--width 88mm --font-size 7pt");
    assert!(output.status.success(), "{}", explanation(&output));
    let drawn = texts(&fs::read_to_string(directory.path().join("f.svg")).unwrap());
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        drawn.contains("Largest ratio drawn") && !printed.contains("Largest ratio drawn"),
        "{drawn}{printed}"
    );
    let height = |options: &str| -> f64 {
        let output = draw(options);
        assert!(output.status.success(), "{}", explanation(&output));
        let svg = fs::read_to_string(directory.path().join("f.svg")).unwrap();
        let (_, rest) = svg.split_once(" height=\"").unwrap();
        rest.split_once("mm\"").unwrap().0.parse().unwrap()
    };
    for most in [45.0, 60.0] {
        let found = height(&format!("--width 88mm --no-title --height {most}mm"));
        assert!(found <= most && found > most - 12.0, "{found} of {most}");
    }
    assert!(height("--height 66mm --no-title") <= 66.0);
    for (options, refusal) in [
        ("--width 25mm", "it needs a width of"),
        ("--width 88mm --height 20mm", "it needs a height of"),
        ("--panels 0", "0 is not in 1.."),
        ("--panels 1,9", "figure f.svg: --panels 9: it has 1 panel"),
        ("--width 88", "expected 20mm to 1000mm"),
        ("--width 1e2mm", "expected 20mm to 1000mm"),
        ("--font-size 8px", "expected 4pt to 72pt"),
        ("--font a;b", "expected the name of a family"),
    ] {
        let line = format!("figures --x K --at o=2,g=4 --over optimal --out f.svg {options}");
        expect(directory.path(), &line, 2, refusal);
    }
}

/// Panels that share series have their names once, below all, unless each is to have them.
#[test]
fn names_stand_once_below_all_panels() {
    let directory = swept();
    for (options, count) in [
        ("", 1),
        ("--legend each", 2),
        ("--legend once --width 180mm", 1),
        ("--width 180mm", 1),
        ("--legend each --width 180mm", 2),
        ("--panels 2 --width 180mm", 1),
    ] {
        let line = format!("figures --x K --at g=4 --out f.svg {options}");
        expect(directory.path(), line.trim(), 0, "drew");
        let drawn = texts(&fs::read_to_string(directory.path().join("f.svg")).unwrap());
        for name in ["fibonacci", "halving", "optimal"] {
            let found = drawn.lines().filter(|line| *line == name).count();
            assert_eq!(found, count, "{name} {options}: {drawn}");
        }
    }
}

/// The arguments that a file states draw it again; the report takes a figure of another size as current, and no figure
/// that was changed.
#[test]
fn a_figure_states_how_it_was_drawn() {
    let (directory, output) = ran(ON_A_MACHINE);
    assert!(output.status.success(), "{}", explanation(&output));
    let read = |file: &str| fs::read_to_string(directory.path().join(file)).unwrap();
    let of_run = read("reports/figures/b.svg");
    assert!(
        of_run.contains("\"--only\",\"b.svg\"") && !of_run.contains("\"revision\""),
        "{of_run}"
    );
    let expect = |line: &str, code: i32, part: &str| expect(directory.path(), line, code, part);
    for (line, places, file) in [
        (
            "figures c.toml --only b.svg --width 120mm --no-caption --out paper",
            "--out paper c.toml",
            "paper/b.svg",
        ),
        (
            "figures --x bytes --at K=4 --problem logp-multicast --log x,y --no-title --out paper/x.svg",
            "--out paper/x.svg",
            "paper/x.svg",
        ),
    ] {
        expect(line, 0, "drew");
        let first = read(file);
        assert!(first.contains("\"revision\":"), "{first}");
        let (_, stated) = first.split_once("{\"arguments\":[\"").unwrap();
        let (stated, _) = stated.split_once("\"]").unwrap();
        let words = stated.replace("\",\"", " ");
        expect(&format!("{words} {places}"), 0, "drew");
        assert_eq!(read(file), first);
    }
    let figures = directory.path().join("reports/figures");
    fs::copy(directory.path().join("paper/b.svg"), figures.join("b.svg")).unwrap();
    expect("report --config c.toml", 0, "");
    let changed = read("reports/figures/c.svg").replace("</svg>", "<rect/></svg>");
    fs::write(figures.join("c.svg"), changed).unwrap();
    expect("report --config c.toml", 74, "figures/c.svg`: it differs");
    expect(
        "figures c.toml --only q.svg",
        2,
        "has no figure `q.svg`; it has a.svg, b.svg, c.svg",
    );
}

/// The note of `allreduce-winners.svg`: at the points of its grid Swing never costs less than Bine.
#[test]
fn swing_never_costs_less_than_bine() {
    let config = Config::select(None, BuiltIn::Default, &[])
        .unwrap_or_else(|failure| panic!("{}", failure.message));
    let find = |name| algorithms::catalogue::find(name).unwrap();
    let (swing, bine) = (find("allreduce-swing"), find("allreduce-bine"));
    let limits = algorithms::cost::Limits { nodes: 0, hops: 0 };
    let mut compared = 0;
    for grid in &config.grids {
        if !grid.algorithms.contains(&swing) {
            continue;
        }
        assert!(grid.algorithms.contains(&bine), "{}", grid.name);
        let points = [swing, bine].map(|entry| grid.over(entry));
        for number in 0..u64::try_from(points[0].size()).unwrap() {
            let costs = points
                .each_ref()
                .map(|points| points.cell(number).evaluate(&limits));
            if let [Ok(swing), Ok(bine)] = costs {
                assert!(bine.analytic <= swing.analytic, "{number} of {}", grid.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

/// The headings of figure-6.svg and figure-7.svg: how many gaps a hop takes on each machine, as of `flat`, whose second send begins
/// a gap after the first one.
#[test]
fn headings_say_how_many_gaps_a_hop_takes() {
    let text = include_str!("../../../configs/default.toml");
    let directory = tempfile::tempdir().unwrap();
    let mut stated = 0;
    for (heading, rest) in text
        .split("heading = \"")
        .skip(1)
        .filter_map(|rest| rest.split_once('"'))
    {
        let Some((_, gaps)) = heading.rsplit_once(": D = ") else {
            continue;
        };
        let Some((_, machine)) = rest
            .lines()
            .next()
            .unwrap()
            .split_once("at = { machine = \"")
        else {
            continue;
        };
        let machine = machine.split('"').next().unwrap();
        let cost = |nodes| {
            let line =
                format!("cost flat --machine {machine} --bytes 1MiB -K {nodes} --format csv");
            let out = ask(directory.path(), &line).out;
            let row: Vec<&str> = out.lines().nth(1).unwrap().split(',').collect();
            row[14].parse::<f64>().unwrap()
        };
        let (hop, gap) = (cost(2), cost(3) - cost(2));
        let gaps = gaps.trim_end_matches('g');
        let gaps: f64 = if gaps.is_empty() {
            1.0
        } else {
            gaps.parse().unwrap()
        };
        assert!(
            (hop / gap / gaps - 1.0).abs() < 0.02,
            "{heading}: {hop} {gap}"
        );
        assert!(heading.starts_with(machine), "{heading}");
        stated += 1;
    }
    assert_eq!(stated, 6);
}

/// A map compares executions, too; an axis of names is none to draw along, and a band needs both of its edges.
#[test]
fn what_rows_have_is_drawn_or_refused() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let machine = "schema = 1\nname = 'sz'\nL = '1us'\no = '100ns'\ng = '150ns'\nG = '40ps'\n[[sizes]]\nfrom = '64KiB'\nL = '9us'\nx = '10ps'\n";
    fs::write(directory.join("sz.toml"), machine).unwrap();
    let figure = "file = 'w.svg'\ntitle = 'w'\nx = 'bytes'\nalgorithms = ['allreduce-ring', 'allreduce-recursive-doubling']\nat = { machine = 'sz'";
    let config = format!(
        "schema = 1\n[[grid]]\nname = 'g'\nalgorithms = ['allreduce-ring', 'allreduce-recursive-doubling']\nmachines = ['sz.toml']\n\
         bytes = ['1KiB', '16KiB', '128KiB', '1MiB']\nK = [4, 8]\n[[figures.winners]]\ny = 'K'\n{figure} }}\n"
    );
    fs::write(directory.join("c.toml"), &config).unwrap();
    expect(directory, "sweep c.toml --out s", 0, "");
    let won = "Cheapest alone, of 8 points: recursive-doubling at 4, ring at 4.";
    let drawn = ask(directory, "figures c.toml --from s --caption - --out f");
    assert!(drawn.out.contains(won), "{}{}", drawn.out, drawn.errors);
    let band = format!(
        "[[figures.lines]]\n{figure}, K = 4 }}\npanels = [{{ band = {{ K = [4, 16] }} }}]\n"
    );
    fs::write(
        directory.join("c.toml"),
        config + &band.replace("w.svg", "b.svg"),
    )
    .unwrap();
    expect(
        directory,
        "figures c.toml --from s --only b.svg --out f",
        4,
        "the edge of a band at",
    );
    let named = "figures --x ports --from s --at K=4 --at bytes=1KiB --out x.svg";
    expect(
        directory,
        named,
        2,
        "axis ports has no numbers to draw along",
    );
    let twice = "figures --x bytes --from s --at K=4 --at K=8 --out x.svg";
    expect(directory, twice, 2, "axis K is there twice");
}

/// An algorithm of a configuration is drawn where that is given, and named where it is not.
#[test]
fn own_algorithms_are_drawn_or_named() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let plan = "{\"rounds\": [[{\"from\": 0, \"to\": 1}], [{\"from\": 1, \"to\": 2}]]}";
    fs::write(directory.join("mine.json"), plan).unwrap();
    let config = "schema = 1\n[[algorithm]]\nname = 'mine'\nproblem = 'broadcast'\nplan = 'mine.json'\n\
                  [[grid]]\nname = 'g'\nalgorithms = ['mine'@]\nL = [6]\no = [2]\ng = [4]\nK = [3]\nn = [1, 2, 3]\nm = [1]\n";
    let sweep = |more: &str| {
        fs::write(directory.join("c.toml"), config.replace('@', more)).unwrap();
        expect(directory, "sweep c.toml --out s", 0, "");
    };
    sweep("");
    let draw = "figures --x n --problem broadcast --from s --out x.svg";
    let why = "the rows of `mine` are not drawn: castbench has no such algorithm; give its configuration with --with";
    expect(directory, draw, 4, why);
    expect(directory, &format!("{draw} --with c.toml"), 0, "drew x.svg");
    fs::remove_dir_all(directory.join("s")).unwrap();
    sweep(", 'broadcast-flat'");
    expect(directory, draw, 0, &format!("warning: {why}"));
    let legend = |line: &str| {
        expect(directory, line, 0, "");
        texts(&fs::read_to_string(directory.join("x.svg")).unwrap()).contains("mine")
    };
    assert!(!legend(draw) && legend(&format!("{draw} --with c.toml")));
}

/// Algorithms whose values have no place on a log scale, and those that are undefined at some points, are named with the reason.
#[test]
fn what_has_no_point_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let config = "schema = 1\n[[grid]]\nname = 'g'\nalgorithms = ['halving', 'fibonacci', 'optimal']\nL = [6]\no = [1]\ng = [4]\nK = [2, 8]\n\
                  [[grid]]\nname = 'h'\nalgorithms = ['allreduce-ring', 'allreduce-bine']\nL = [6]\no = [1]\ng = [4]\nK = [2, 3, 4]\nn = [8]\n";
    fs::write(directory.join("c.toml"), config).unwrap();
    expect(directory, "sweep c.toml --out s", 0, "");
    let caption = |line: &str| {
        let line = format!("figures --from s --x K --out x.svg --caption - {line}");
        ask(directory, &line).out
    };
    let zero = caption("--problem logp-multicast --y excess --log y");
    let named = "Not drawn, since 0 has no ratio and no place on a log scale: fibonacci, optimal.";
    assert!(zero.contains(named), "{zero}");
    let undefined = caption("--problem allreduce");
    let named = "Not defined: bine at 1 of 3 points, as K = 3: needs an even number";
    assert!(undefined.contains(named), "{undefined}");
}

/// A plan that cuts messages finer than others has a lower bound below theirs, which a figure says.
#[test]
fn lower_bounds_that_differ_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let plan = r#"{"cut": 8, "rounds": [[{"from": 0, "to": 1, "combine": true}, {"from": 1, "to": 0, "combine": true}]]}"#;
    fs::write(directory.join("mine.json"), plan).unwrap();
    let config = "schema = 1\n[[algorithm]]\nname = 'mine'\nproblem = 'allreduce'\nplan = 'mine.json'\n\
                  [[grid]]\nname = 'g'\nalgorithms = ['mine', 'allreduce-ring']\nmachines = ['ethernet100-switched', 'loopback-2-cores']\nK = [2]\nbytes = ['1KiB', '8KiB']\n";
    fs::write(directory.join("c.toml"), config).unwrap();
    let guess = "warning: grid g: profile `loopback-2-cores` is valid for messages of 1 B to 4 KiB, not of 8 KiB: its times are guesses";
    expect(directory, "sweep c.toml --out s", 0, guess);
    let draw = "figures --x bytes --from s --with c.toml --at machine=ethernet100-switched --out x.svg --caption - --over";
    let said = "is that of: mine (bytes = 1 KiB and 1 value more).";
    let over = |name: &str| ask(directory, &format!("{draw} {name}")).out;
    assert!(
        over("lower_bound").contains(said),
        "{}",
        over("lower_bound")
    );
    assert!(!over("allreduce-ring").contains("lower bound of the others"));
}

/// Rows that failed or disagree are named, not left out.
#[test]
fn rows_without_a_cost_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let plan = r#"{"rounds": [[{"from": 0, "to": 1}], [{"from": 1, "to": 2}]]}"#;
    fs::write(directory.join("mine.json"), plan).unwrap();
    let config = "schema = 1\n[[algorithm]]\nname = 'mine'\nproblem = 'broadcast'\nplan = 'mine.json'\nformula = 'D(n)'\n\
                  [[grid]]\nname = 'g'\nalgorithms = ['mine', 'broadcast-flat']\nL = [6]\no = [2]\ng = [4, 5]\nK = [3]\nn = [1, 2]\nm = [1]\n\
                  [[figures.winners]]\nfile = 'w.svg'\ntitle = 't'\nx = 'n'\ny = 'g'\nalgorithms = ['mine', 'broadcast-flat']\nat = { L = 6, o = 2, K = 3 }\n";
    fs::write(directory.join("c.toml"), config).unwrap();
    expect(directory, "sweep c.toml --out s", 5, "4 disagree");
    let why = "formula and execution differ";
    let draw =
        "figures --x n --at g=4 --problem broadcast --from s --with c.toml --out x.svg --caption -";
    assert!(ask(directory, draw).out.contains(why));
    for more in [" --over broadcast-flat", " --algorithms mine"] {
        expect(directory, &format!("{draw}{more}"), 4, why);
    }
    let winners = "figures c.toml --from s --caption - --out f";
    expect(directory, winners, 4, why);
}

/// Rows of another version of the file, and rows that are older than an unfinished sweep, are named.
#[test]
fn rows_of_other_grids_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let grid = "[[grid]]\nname = 'a'\nalgorithms = ['optimal']\nL = 6\no = 2\ng = 4\nK = [2, 3]\n";
    let figure = "[[figures.lines]]\nfile = 'a.svg'\ntitle = 'a'\nx = 'K'\nalgorithms = ['optimal']\nat = { L = 6, o = 2, g = 4 }\n";
    let write = |K: &str| {
        let text = format!("schema = 1\n{}{figure}", grid.replace("[2, 3]", K));
        fs::write(directory.path().join("c.toml"), text).unwrap();
    };
    write("[2, 3]");
    let run = ask(directory.path(), "run c.toml --out r");
    assert!(!run.errors.contains("warning"), "{}", run.errors);
    write("[2, 3, 4]");
    let other = "warning: the rows in `r` are not of the grids of c.toml: grid `a`: axis K had 2; 3, has 2; 3; 4";
    expect(directory.path(), "figures c.toml --from r", 0, other);
    let report = "report --config c.toml --from r";
    expect(directory.path(), report, 0, other);
    fs::create_dir(directory.path().join("r/.castbench-unfinished")).unwrap();
    for line in [
        "figures c.toml --from r",
        report,
        "regress --from r --against r",
    ] {
        let newer = "warning: the rows in `r` are older than the sweep or merge that is running or was stopped there";
        expect(directory.path(), line, 0, newer);
    }
}

/// What a figure says of its page comes before what the page of all figures says.
#[test]
fn a_page_of_one_figure_draws_its_title() {
    let directory = tempfile::tempdir().unwrap();
    let figure = |file: &str, page: &str| {
        format!(
            "[[figures.lines]]\nfile = '{file}.svg'\ntitle = 'The title'\nx = 'K'\nalgorithms = ['optimal', 'flat']\n\
             at = {{ L = 6, o = 2, g = 4 }}\n{page}\n"
        )
    };
    let text = format!(
        "schema = 1\n[figures.page]\ntitle = false\ncaption = false\n[[grid]]\nname = 'a'\nalgorithms = ['optimal', 'flat']\n\
         L = 6\no = 2\ng = 4\nK = [2, 3, 4]\n{}{}",
        figure("all", ""),
        figure("own", "page = { title = true, caption = true }"),
    );
    fs::write(directory.path().join("c.toml"), text).unwrap();
    expect(directory.path(), "run c.toml --out r", 0, "");
    let drawn = |name: &str| {
        let svg =
            fs::read_to_string(directory.path().join(format!("r/figures/{name}.svg"))).unwrap();
        let texts = texts(&svg);
        ["The title", "exact costs"].map(|part| texts.contains(part))
    };
    assert_eq!([drawn("all"), drawn("own")], [[false; 2], [true; 2]]);
    expect(
        directory.path(),
        "figures c.toml --from r --only own.svg --no-title --out plain",
        0,
        "",
    );
    let svg = fs::read_to_string(directory.path().join("plain/own.svg")).unwrap();
    assert!(!texts(&svg).contains("The title"));
}

/// Faults of a configuration's figures are found before the sweep, and advice is in the words of where they stand.
#[test]
fn faults_of_figures_are_found_first() {
    let directory = tempfile::tempdir().unwrap();
    let grid = "schema = 1\n[[grid]]\nname = 'a'\nalgorithms = ['optimal', 'flat']\nL = 6\no = 2\ng = 4\nK = [2, 3]\n";
    let write = |file: &str, more: &str| {
        let figure = format!(
            "[[figures.lines]]\nfile = '{file}'\ntitle = 'a'\nx = 'K'\nalgorithms = ['optimal', 'flat']\nat = {{ L = 6, o = 2, g = 4 }}\n{more}\n"
        );
        fs::write(directory.path().join("c.toml"), format!("{grid}{figure}")).unwrap();
    };
    for (more, says) in [
        ("over = 'chain'", "no grid has `chain`"),
        ("panels = [{ band = { g = [4, 8] } }]", "no grid has"),
        (
            "compare = ['flat', 'flat']",
            "`flat` is compared with itself",
        ),
        ("compare = ['flat']", "expected an array of length 2"),
    ] {
        write("a.svg", more);
        expect(directory.path(), "run c.toml --out r", 3, says);
    }
    write(".svg", "");
    expect(
        directory.path(),
        "run c.toml --out r",
        3,
        "not beginning with `.`",
    );
    fs::write(directory.path().join("c.toml"), grid).unwrap();
    expect(directory.path(), "sweep c.toml --out r", 0, "");
    for (line, code, says) in [
        ("c.toml --only b.svg", 4, "the configuration has no figure"),
        (
            "--x K --y link_time --problem logp-multicast --out a.svg",
            4,
            "it is missing; draw another column",
        ),
        ("--x K --over chain --out a.svg", 4, "no rows of `chain`"),
    ] {
        let line = format!("figures {line} --from r");
        let errors = expect(directory.path(), &line, code, says);
        assert!(!errors.contains("change `over`"), "{line}: {errors}");
    }
}

/// Each figure's caption is a paragraph under its name.
#[test]
fn captions_of_several_figures_are_apart() {
    let directory = tempfile::tempdir().unwrap();
    let figure = |file: &str| {
        format!(
            "[[figures.lines]]\nfile = '{file}.svg'\ntitle = '{file}'\nx = 'K'\nalgorithms = ['optimal']\nat = {{ L = 6, o = 2, g = 4 }}\n"
        )
    };
    let grid = "[[grid]]\nname = 'a'\nalgorithms = ['optimal']\nL = 6\no = 2\ng = 4\nK = [2, 3]\n";
    let text = format!("schema = 1\n{grid}{}{}", figure("one"), figure("two"));
    fs::write(directory.path().join("c.toml"), text).unwrap();
    expect(directory.path(), "run c.toml --out r", 0, "");
    expect(
        directory.path(),
        "figures c.toml --from r --out d --caption all.tex",
        0,
        "",
    );
    let captions = fs::read_to_string(directory.path().join("all.tex")).unwrap();
    for name in ["one", "two"] {
        assert!(
            captions.contains(&format!("\n\n% d/{name}.svg\n")),
            "{captions}"
        );
    }
}
