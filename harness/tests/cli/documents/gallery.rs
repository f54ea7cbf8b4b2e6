//! The gallery: what `castbench init figure` prints, and the figure of it at the width of a column.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use castbench::verbs::init::FigureKind;
use clap::ValueEnum as _;

use super::ROOT;
use crate::common::{castbench_in, copy_measurements};

/// A heading, the lines and the figure of each kind.
pub fn markdown() -> String {
    let mut page = String::new();
    for kind in FigureKind::value_variants() {
        let value = kind.to_possible_value().unwrap();
        let (name, help) = (value.get_name(), value.get_help().unwrap().to_string());
        let text = kind.text().trim_end();
        // Each acceptance changes the history.
        let figure = match kind {
            FigureKind::History => "../reports/figures/cost-history.svg".to_owned(),
            _ => format!("gallery/{name}.svg"),
        };
        write!(
            page,
            "## {name}\n\n{help}.\n\n```toml\n{text}\n```\n\n![{help}]({figure})\n\n"
        )
        .unwrap();
    }
    page.trim_end().to_owned()
}

/// Each kind has at most ten lines, and its figure is at most 120 mm high in a column.
#[test]
fn each_kind_of_figure_is_drawn_from_ten_lines() {
    let directory = tempfile::tempdir().unwrap();
    let run = |words: &[&str]| {
        let run = castbench_in(directory.path(), words);
        let errors = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(run.status.success(), "{words:?}: {errors}");
        run.stdout
    };
    for kind in FigureKind::value_variants() {
        let value = kind.to_possible_value().unwrap();
        let name = value.get_name();
        let text = run(&["init", "figure", name]);
        let text = String::from_utf8(text).unwrap();
        assert!(text.lines().count() <= 10, "{name}: {text}");
        fs::write(directory.path().join("mine.toml"), text).unwrap();
        let results = directory.path().join(name);
        run(&["sweep", "mine.toml", "--out", name]);
        copy_measurements(&results.join("measured"));
        let history = Path::new(ROOT).join("reports/history.csv");
        fs::copy(history, results.join("history.csv")).unwrap();
        let page = ["--width", "88mm", "--out", "drawn"];
        run(&[&["figures", "mine.toml", "--from", name][..], &page].concat());
        let file = format!("{name}.svg");
        let drawn = fs::read_to_string(directory.path().join("drawn").join(&file)).unwrap();
        let height = drawn.split("height=\"").nth(1).unwrap();
        let height: f64 = height.split("mm\"").next().unwrap().parse().unwrap();
        assert!(height <= 120.0, "{name}: {height} mm");
        let committed = Path::new(ROOT).join("docs/gallery").join(&file);
        if *kind == FigureKind::History {
            continue;
        }
        if std::env::var_os("UPDATE_DOCUMENTS").is_some() {
            fs::create_dir_all(committed.parent().unwrap()).unwrap();
            fs::write(committed, drawn).unwrap();
        } else {
            let known = fs::read_to_string(committed).unwrap_or_default();
            assert!(
                known == drawn,
                "{file} is another one; UPDATE_DOCUMENTS=1 draws it anew"
            );
        }
    }
}
