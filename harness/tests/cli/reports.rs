//! The committed `reports` are what the program writes today.

use std::fs;
use std::path::Path;

use castbench::draw::chart::svg::text_width;

use crate::common::{castbench_in, copy_measurements, expect};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Sweeps and draws the default configuration; the figures must equal the committed ones byte by byte.
#[test]
fn committed_figures_are_current() {
    let directory = tempfile::tempdir().unwrap();
    // A sweep makes neither the history nor the measurements that some figures draw.
    fs::create_dir(directory.path().join("reports")).unwrap();
    fs::copy(
        Path::new(ROOT).join("reports/history.csv"),
        directory.path().join("reports/history.csv"),
    )
    .unwrap();
    copy_measurements(&directory.path().join("reports/measured"));
    let run = castbench_in(directory.path(), &["run"]);
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    let committed = Path::new(ROOT).join("reports/figures");
    let drawn = directory.path().join("reports/figures");
    assert_eq!(names(&committed), names(&drawn));
    for name in names(&committed) {
        let same = fs::read(committed.join(&name)).unwrap() == fs::read(drawn.join(&name)).unwrap();
        assert!(
            same,
            "{name} differs from what `castbench run` draws; if the change is intended, commit the new figure"
        );
    }
    on_a_page(directory.path(), 88.0, 120.0);
    on_a_page(directory.path(), 180.0, 150.0);
}

/// All figures in this width, with labels of 8pt: at most so high, no smaller letters, no text over another or outside.
fn on_a_page(directory: &Path, width: f64, most: f64) {
    let out = format!("page-{width}");
    let line = format!("figures --width {width}mm --font-size 8pt --out {out}");
    expect(directory, &line, 0, "drew");
    let drawn = directory.join(&out);
    assert_eq!(names(&drawn), names(&directory.join("reports/figures")));
    for name in names(&drawn) {
        let svg = fs::read_to_string(drawn.join(&name)).unwrap();
        let number = |before: &str, after: &str| -> f64 {
            let (_, rest) = svg.split_once(before).unwrap();
            rest.split_once(after).unwrap().0.parse().unwrap()
        };
        let high = number(" height=\"", "mm\"");
        assert!(high <= most, "{name} is {high} mm high in {width} mm");
        let (_, size) = svg.split_once("viewBox=\"0 0 ").unwrap();
        let (size, _) = size.split_once('"').unwrap();
        let (wide, tall) = size.split_once(' ').unwrap();
        let page: [f64; 2] = [wide.parse().unwrap(), tall.parse().unwrap()];
        let labels: Vec<Label> = svg.split("<text ").skip(1).map(Label::new).collect();
        assert!(labels.len() > 5, "{name}");
        for (index, label) in labels.iter().enumerate() {
            let points = label.size * width / page[0] / 25.4 * 72.0;
            assert!(points >= 7.95, "{name}: {label:?} has {points} points");
            let [left, top, right, bottom] = label.edges;
            let inside = left >= 0.0 && top >= 0.0 && right <= page[0] && bottom <= page[1];
            assert!(inside, "{name} in {width} mm: {label:?} leaves {page:?}");
            for other in &labels[..index] {
                assert!(
                    !label.overlaps(other),
                    "{name} in {width} mm: {label:?} over {other:?}"
                );
            }
        }
    }
}

/// A text of a drawing and where it is.
#[derive(Debug)]
struct Label {
    /// Left, top, right, bottom.
    edges: [f64; 4],
    size: f64,
    #[expect(dead_code, reason = "for messages")]
    text: String,
}

impl Label {
    /// The attributes and the content of an element.
    fn new(element: &str) -> Self {
        let (attributes, rest) = element.split_once('>').unwrap();
        let text = rest.split_once("</text>").unwrap().0.trim().to_owned();
        let of = |name: &str| {
            let (_, value) = attributes
                .split_once(&format!("{name}=\""))
                .unwrap_or(("", "0\""));
            value.split_once('"').unwrap().0
        };
        let size: f64 = of("font-size").parse().unwrap();
        let [x, y] = ["x", "y"].map(|name| of(name).parse::<f64>().unwrap());
        let baseline = match of("dy") {
            "0.76em" => y + 0.76 * size,
            "0.5ex" => y + 0.26 * size,
            "-0.5ex" => y - 0.26 * size,
            other => panic!("{other}"),
        };
        // A test of the widths compares them with the font.
        let plain = [
            ("&lt;", "<"),
            ("&gt;", ">"),
            ("&apos;", "'"),
            ("&amp;", "&"),
        ]
        .into_iter()
        .fold(text.clone(), |text, (escaped, letter)| {
            text.replace(escaped, letter)
        });
        let wide = text_width(&plain, size);
        let left = match of("text-anchor") {
            "middle" => x - wide / 2.0,
            "end" => x - wide,
            _ => x,
        };
        Self {
            edges: [
                left,
                baseline - 0.72 * size,
                left + wide,
                baseline + 0.2 * size,
            ],
            size,
            text,
        }
    }

    fn overlaps(&self, other: &Self) -> bool {
        let ([a, b], touching) = ([&self.edges, &other.edges], self.size / 13.0);
        let apart = |low: usize| a[low + 2] - touching <= b[low] || b[low + 2] - touching <= a[low];
        !apart(0) && !apart(1)
    }
}
