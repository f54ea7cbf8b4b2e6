use algorithms::catalogue;
use algorithms::cost::Exact;
use plotters::coord::ranged1d::Ranged as _;

use super::*;
use crate::draw::chart::style::Look;
use crate::draw::chart::{self, Join};
use crate::space::PointValues;

/// A figure over n of these algorithms, for k = 3 and m = 1 unless `more` states otherwise.
fn figure(algorithms: &str, more: &str) -> Spec {
    let text = format!(
        "[[lines]]\nfile = \"f.svg\"\ntitle = \"t\"\nalgorithms = [{algorithms}]\nx = \"n\"\n{more}\nat = {{ k = 3, m = 1 }}\n"
    );
    one(&text)
}

fn one(text: &str) -> Spec {
    let source = Source::built_in("test", text);
    let wire: WireFigures = source
        .parse("")
        .unwrap_or_else(|failure| panic!("{}", failure.message));
    check(&source, wire, &Rules::new())
        .unwrap_or_else(|failure| panic!("{}", failure.message))
        .remove(0)
}

/// A row of an algorithm at n, for k = 3, with its lower bound and its cost.
fn row(algorithm: &str, n: u64, m: u64, bound: u64, cost: u64) -> Row {
    let problem = catalogue::problem("k-port-broadcast").unwrap();
    let mut values = PointValues::none(problem.axes);
    values.copy_from_slice(&[Some(n), Some(3), Some(m)]);
    Row {
        unit: "rounds".to_owned(),
        lower_bound: Some(Exact::Integer(bound)),
        analytic: Some(Exact::Integer(cost)),
        ..Row::new(problem, algorithm.to_owned(), values, Status::Ok)
    }
}

/// Rows of an algorithm with (n, lower bound, cost) as given.
fn rows(algorithm: &str, costs: &[(u64, u64, u64)]) -> Vec<Row> {
    costs
        .iter()
        .map(|&(n, bound, cost)| row(algorithm, n, 1, bound, cost))
        .collect()
}

fn chart(figure: &Spec, points: Vec<Row>) -> Chart {
    assert!(points.iter().all(figure.filter()));
    let (points, undefined) = points.into_iter().partition(|row| row.status == Status::Ok);
    let rows = Rows {
        points,
        undefined,
        ..Rows::default()
    };
    super::chart(figure, &rows).unwrap_or_else(|failure| panic!("{}", failure.message))
}

fn labels(panel: &chart::Panel) -> Vec<&str> {
    panel
        .series
        .iter()
        .map(|series| series.label.as_str())
        .collect()
}

const TWO: &str = "panels = [{ with = [\"lower_bound\"] }, { heading = \"gap\", y = \"excess\", algorithms = [\"k-tree\", \"k-tree-packed\"] }]";

#[test]
fn equal_costs_are_one_line_and_the_caption_names_what_is_not_drawn() {
    let mut given = rows("k-tree", &[(2, 1, 1), (4, 2, 3), (8, 3, 4)]);
    given.extend(rows("k-tree-packed", &[(2, 1, 1), (4, 2, 3), (8, 3, 4)]));
    given.extend(rows("repeated", &[(2, 1, 1), (4, 2, 2), (8, 3, 9)]));
    given.extend(rows("circulant", &[(2, 1, 1)]));
    let names = "\"repeated\", \"k-tree-packed\", \"k-tree\", \"k-tree\", \"hypercube\"";
    let chart = chart(&figure(names, TWO), given);
    assert_eq!(
        labels(&chart.panels[0]),
        ["lower bound", "k-tree = k-tree-packed", "repeated"]
    );
    assert_eq!(labels(&chart.panels[1]), ["k-tree = k-tree-packed"]);
    assert_eq!(
        chart.panels[1].series[0].points,
        [(2.0, 0.0), (4.0, 1.0), (8.0, 1.0)]
    );
    assert_eq!(
        chart.caption,
        [
            "Most above the lower bound, in rounds: k-tree = k-tree-packed 1 (n = 4); repeated 6 (n = 8).",
            "Swept, not drawn: circulant.",
            "The sweep has no value to draw in panel \"cost\": hypercube.",
        ]
    );
}

#[test]
fn points_with_others_missing_in_between_are_not_joined() {
    let mut given = rows("k-tree", &[(2, 1, 2), (4, 2, 2), (8, 3, 3), (16, 4, 4)]);
    given.extend(rows("hypercube", &[(2, 1, 1), (16, 4, 4)]));
    given.extend(rows("repeated", &[(4, 2, 2), (8, 3, 3)]));
    let chart = chart(
        &figure("\"k-tree\", \"hypercube\", \"repeated\"", ""),
        given,
    );
    let joined: Vec<bool> = chart.panels[0]
        .series
        .iter()
        .map(|series| series.line != Join::None)
        .collect();
    assert_eq!(
        (labels(&chart.panels[0]), joined),
        (
            vec!["k-tree", "hypercube (at 2 of 4)", "repeated"],
            vec![true, false, true]
        )
    );
}

/// A line with one point says so, and the caption has the reason of the other points.
#[test]
fn points_where_an_algorithm_is_not_defined_are_named() {
    let mut given = rows("k-tree", &[(2, 1, 1), (3, 2, 2), (4, 2, 2), (5, 3, 3)]);
    given.extend(rows("hypercube", &[(2, 1, 1)]));
    let undefined = |n: u64| Row {
        status: Status::NotApplicable,
        note: format!("n = {n}: expected a power of two"),
        ..row("hypercube", n, 1, 1, 0)
    };
    given.extend([3, 4, 5].map(undefined));
    let chart = chart(&figure("\"k-tree\", \"hypercube\"", ""), given);
    assert_eq!(
        labels(&chart.panels[0]),
        ["k-tree", "hypercube (at 1 of 4)"]
    );
    let caption = chart.caption.last().unwrap();
    assert_eq!(
        caption,
        "Not defined: hypercube at 3 of 4 points, as n = 3: needs a power of two."
    );
}

/// No algorithm costs less than the bound, so such a file is refused.
#[test]
fn a_cost_below_the_bound_is_refused() {
    let chart = chart(
        &figure("\"k-tree\"", "y = \"excess\""),
        rows("k-tree", &[(2, 5, 4), (4, 5, 6)]),
    );
    let message = chart.to_svg().unwrap_err().to_string();
    assert!(message.contains("lies outside the axis"), "{message}");
}

#[test]
fn ratios_are_to_the_cost_at_the_same_point() {
    let mut given = rows("k-tree", &[(1, 0, 0), (2, 1, 3), (4, 2, 9), (8, 3, 9)]);
    given.extend(rows("repeated", &[(1, 0, 0), (2, 1, 2), (4, 2, 3)]));
    let over_other = chart(&figure("\"k-tree\"", "over = \"repeated\""), given.clone());
    assert_eq!(
        over_other.panels[0].series[0].points,
        [(2.0, 1.5), (4.0, 3.0)]
    );
    assert_eq!(over_other.panels[0].y.title, "cost / cost of repeated");
    assert_eq!(over_other.caption[0], "Largest ratio drawn: k-tree 3.000.");
    assert_eq!(
        over_other.caption[1..3],
        [
            "Not drawn at n = 1: the cost of repeated is 0 there.",
            "Not drawn at n = 8: no cost of repeated is known there."
        ]
    );
    let over_bound = chart(&figure("\"k-tree\"", "over = \"lower_bound\""), given);
    assert_eq!(
        over_bound.panels[0].series[0].points,
        [(2.0, 3.0), (4.0, 4.5), (8.0, 3.0)]
    );
}

#[test]
fn an_axis_has_a_line_for_each_value() {
    let text = "[[lines]]\nfile = \"f.svg\"\ntitle = \"t\"\nx = \"n\"\nby = \"m\"\nalgorithms = [\"k-tree\"]\nat = { k = 3 }\n";
    let given = vec![
        row("k-tree", 2, 5, 1, 1),
        row("k-tree", 3, 5, 1, 2),
        row("k-tree", 2, 7, 1, 3),
    ];
    let chart = chart(&one(text), given);
    assert_eq!(labels(&chart.panels[0]), ["m = 5", "m = 7 (at 1 of 2)"]);
    let source = Source::built_in("test", &text.replace("k-tree", "broadcast-flat\", \"flat"));
    let refused = check(&source, source.parse("").unwrap(), &Rules::new())
        .err()
        .unwrap()
        .message;
    assert!(
        refused.contains("`flat` does not read the axis n"),
        "{refused}"
    );
}

#[test]
fn all_lines_look_different() {
    let mut given = rows("k-tree", &[(2, 1, 1), (4, 2, 3)]);
    given
        .iter_mut()
        .for_each(|row| row.published = Some((4, "<=".to_owned())));
    given.extend(rows("hypercube", &[(2, 1, 2), (4, 2, 2)]));
    given.extend(rows("pipelined-chain", &[(2, 1, 7), (4, 2, 8)]));
    let names = "\"k-tree\", \"hypercube\", \"pipelined-chain\"";
    let chart = chart(
        &figure(names, "with = [\"published\", \"lower_bound\"]"),
        given,
    );
    let looks: Vec<Look> = chart.panels[0]
        .series
        .iter()
        .map(|series| series.look)
        .collect();
    assert_eq!(looks.len(), 5);
    assert!(
        (0..5).all(|number| !looks[..number].contains(&looks[number])),
        "{looks:?}"
    );
}

/// Up to nine algorithms differ in colour, more in colour or pen; so do the costs that papers state, and bounds.
#[test]
fn no_two_series_of_a_built_in_figure_look_alike() {
    let built_in = [
        include_str!("../../configs/default.toml"),
        include_str!("../../configs/collectives.toml"),
        include_str!("../../configs/figures/bands.toml"),
        include_str!("../../configs/figures/panels.toml"),
        include_str!("../../configs/figures/ratio.toml"),
    ];
    let mut counts = Vec::new();
    for text in built_in {
        let source = Source::built_in("test", text);
        let wire: WireConfig = source
            .parse("")
            .unwrap_or_else(|failure| panic!("{}", failure.message));
        let figures = check(&source, wire.figures, &Rules::new())
            .unwrap_or_else(|failure| panic!("{}", failure.message));
        let of_lines = figures.iter().filter(|figure| {
            figure.by.is_none() && figure.panels.iter().all(|panel| panel.up().is_none())
        });
        for figure in of_lines {
            let names: BTreeSet<&str> = figure.panels.iter().flat_map(|own| own.names()).collect();
            let preferred = names.iter().map(|name| Some(looks::look_of(name)));
            let all = names.iter().map(|name| (*name).to_owned()).zip(preferred);
            let mut looks = looks::Looks::default();
            looks.assign_all(&all.collect::<Vec<_>>());
            let given = names.iter().map(|name| looks.assign(name, None).unwrap());
            let mut given: Vec<Look> = given.collect();
            let colours: BTreeSet<_> = given
                .iter()
                .map(|look| format!("{:?}", look.colour))
                .collect();
            let file = figure.file();
            assert!(colours.len() == names.len().min(9), "{file}: {given:?}");
            counts.push(names.len());
            given.push(looks.reference("lower bound"));
            let published = given.clone().into_iter().zip(&names);
            given.extend(
                published.map(|(look, name)| looks.beside(&format!("{name}, published"), look)),
            );
            for (number, one) in given.iter().enumerate() {
                let is_alike = |other: &Look| (one.colour, one.pen) == (other.colour, other.pen);
                assert!(!given[..number].iter().any(is_alike), "{file}: {given:?}");
            }
        }
    }
    assert!(counts.len() > 20 && counts.contains(&10), "{counts:?}");
}

#[test]
fn published_costs_are_named_by_what_they_are() {
    for (relation, name) in [
        ("=", "k-tree, cost in its paper"),
        ("<=", "k-tree, upper bound in its paper"),
        ("<", "k-tree, strict upper bound in its paper"),
        (">=", "k-tree, lower bound in its paper"),
    ] {
        let mut given = rows("k-tree", &[(2, 1, 1), (4, 2, 3)]);
        given
            .iter_mut()
            .for_each(|row| row.published = Some((4, relation.to_owned())));
        let chart = chart(&figure("\"k-tree\"", "with = [\"published\"]"), given);
        assert_eq!(labels(&chart.panels[0]), [name, "k-tree"]);
    }
}

/// Panels share their scales where only the values held differ, unless one of them is free.
#[test]
fn a_panel_may_have_its_own_scale() {
    let ends = |free: &str| {
        let text = format!(
            "[[lines]]\nfile = \"f.svg\"\ntitle = \"t\"\nalgorithms = [\"k-tree\"]\nx = \"n\"\nat = {{ k = 3 }}\npanels = [{{ at = {{ m = 1 }} }}, {{ at = {{ m = 2 }}{free} }}]\n"
        );
        let given = vec![
            row("k-tree", 2, 1, 1, 1),
            row("k-tree", 4, 1, 1, 2),
            row("k-tree", 2, 2, 1, 900),
            row("k-tree", 4, 2, 1, 1000),
        ];
        let chart = chart(&one(&text), given);
        chart
            .panels
            .iter()
            .map(|panel| panel.y.range().end)
            .collect::<Vec<_>>()
    };
    assert_eq!(ends(""), [1040.0, 1040.0]);
    let free = ends(", free = [\"y\"]");
    assert!(free[0] < 3.0 && free[1] > 1000.0, "{free:?}");
}

/// Points at few whole numbers have a row for each number; many values of lines are marked on their axis.
#[test]
fn whole_numbers_have_rows_and_values_strokes() {
    let given: Vec<_> = (2..12).map(|n| (n, 1, 1 + n % 3)).collect();
    let chart = chart(
        &figure("\"k-tree\", \"k-tree-packed\"", TWO),
        rows("k-tree", &given),
    );
    let values: Vec<f64> = (2..12).map(f64::from).collect();
    assert_eq!(chart.panels[0].rug, values);
    assert!(
        chart.panels[0]
            .legend
            .iter()
            .any(|(name, _)| name == "values computed")
    );
    assert_eq!(chart.panels[1].y.range(), -0.5..2.5);
    assert!(chart.panels[1].rug.is_empty());
}

/// A ratio to another algorithm may be below 1. An axis of ratios near 1 begins near them, so that their differences are seen.
#[test]
fn an_axis_of_ratios_begins_near_them() {
    let ends = |least: u64| {
        let mut given = rows("k-tree", &[(2, 1, least), (4, 1, 110)]);
        given.extend(rows("repeated", &[(2, 1, 100), (4, 1, 100)]));
        let chart = chart(&figure("\"k-tree\"", "over = \"repeated\""), given);
        chart.panels[0].y.range()
    };
    let near = ends(90);
    assert!(
        near.start > 0.88 && near.start < 0.9 && near.end < 1.12,
        "{near:?}"
    );
    assert_eq!([ends(50).start, ends(100).start], [0.0, 1.0]);
}

/// All rows exist, but none is on the scale: the reason is not that there are no rows.
#[test]
fn what_cannot_be_drawn_is_named() {
    let reason = |more: &str, costs: &[(u64, u64, u64)]| {
        let points = rows("k-tree", costs);
        let rows = Rows {
            points,
            ..Rows::default()
        };
        let drawn = super::chart(&figure("\"k-tree\"", more), &rows);
        let failure = drawn.err().unwrap();
        assert_eq!(failure.code, Code::Nothing);
        failure.explanation()
    };
    for more in ["log = [\"y\"]", "over = \"lower_bound\""] {
        let zero = reason(more, &[(1, 0, 0), (2, 0, 0)]);
        assert!(
            zero.starts_with(
                "figure f.svg: the rows of `k-tree` have no cost to draw: it is missing, or 0, which"
            ),
            "{zero}"
        );
    }
    let column = reason("y = \"published\"", &[(1, 0, 0)]);
    assert!(
        column.contains("the rows of `k-tree` have no published cost"),
        "{column}"
    );
}

#[test]
fn comparisons_ignore_differences_below_one_percent() {
    let mut given = rows("k-tree", &[(2, 1, 1000), (4, 1, 2000)]);
    given.extend(rows("repeated", &[(2, 1, 995), (4, 1, 1500)]));
    let chart = chart(
        &figure(
            "\"k-tree\", \"repeated\"",
            "compare = [\"k-tree\", \"repeated\"]",
        ),
        given,
    );
    assert_eq!(
        chart.caption[0],
        "Values of n at which k-tree costs over 1 % more than repeated: 1 of 2."
    );
    assert_eq!(
        chart.caption[1],
        "From each value of n to the next, both costs and their difference grow by over 1 %."
    );
}

#[test]
fn the_least_cost_wins_and_two_tie() {
    let text = "[[winners]]\nfile = \"f.svg\"\ntitle = \"t\"\nx = \"n\"\ny = \"m\"\nalgorithms = [\"k-tree\", \"repeated\"]\nat = { k = 3 }\n";
    let mut given = rows("k-tree", &[(2, 1, 1), (3, 1, 2), (4, 1, 3), (5, 1, 3)]);
    given.extend(rows(
        "repeated",
        &[(2, 1, 1), (3, 1, 3), (4, 1, 2), (6, 1, 2)],
    ));
    given.push(Row {
        status: Status::NotApplicable,
        analytic: None,
        ..row("k-tree", 6, 1, 1, 0)
    });
    given.extend(rows("circulant", &[(2, 1, 1)]));
    let chart = chart(&one(text), given);
    let names: Vec<&str> = chart.panels[0]
        .legend
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["k-tree", "repeated", "A = B"]);
    // A cell for each computed point, none for n = 5.
    let cells = &chart.panels[0].cells;
    let signs: Vec<String> = cells.iter().map(|cell| cell.look.sign()).collect();
    assert_eq!(signs, ["1", "A", "B", "B"]);
    assert!(cells.windows(2).all(|pair| pair[0].x[1] == pair[1].x[0]));
    assert_eq!(
        chart.caption,
        [
            "A cell is a computed point; values between two cells were not computed.",
            "Cheapest alone, of 4 points: k-tree at 1, repeated at 2.",
            "Several cost the same at 1 of 4 points.",
            "Not defined: k-tree at 1 of 4 points, as n = 6, m = 1.",
            "Left out: 1 point without a cost of each algorithm that is defined.",
            "Swept, not compared: circulant.",
            "Compared: k-tree, repeated.",
        ]
    );
}

#[test]
fn a_second_map_shows_how_much_more_an_algorithm_costs() {
    let text = "[[winners]]\nfile = \"f.svg\"\ntitle = \"t\"\nx = \"n\"\ny = \"m\"\nalgorithms = [\"k-tree\", \"repeated\"]\nover = \"k-tree\"\nat = { k = 3 }\n";
    let mut given = rows(
        "k-tree",
        &[(2, 0, 0), (3, 1, 51), (4, 1, 33), (5, 1, 33), (7, 1, 5)],
    );
    given.extend(rows(
        "repeated",
        &[
            (2, 0, 0),
            (3, 1, 50),
            (4, 1, 2),
            (5, 1, 2),
            (6, 1, 2),
            (7, 0, 0),
        ],
    ));
    given.push(Row {
        status: Status::NotApplicable,
        analytic: None,
        ..row("k-tree", 6, 1, 1, 0)
    });
    let chart = chart(&one(text), given);
    let [best, over] = &chart.panels[..] else {
        panic!("two maps")
    };
    assert_eq!(
        over.heading.as_deref(),
        Some("cost of k-tree over the best")
    );
    let signs = |panel: &chart::Panel| {
        panel
            .cells
            .iter()
            .map(|cell| cell.look.sign())
            .collect::<String>()
    };
    assert_eq!(
        (signs(best), signs(over)),
        ("1BBBBB".to_owned(), "aaff??".to_owned())
    );
    let legend: Vec<(&str, String)> = over
        .legend
        .iter()
        .map(|(name, look)| (name.as_str(), look.sign()))
        .collect();
    let named = [
        ("up to 1.02 times", "a"),
        ("more", "f"),
        ("not defined, or no ratio to 0", "?"),
    ];
    assert_eq!(legend, named.map(|(name, sign)| (name, sign.to_owned())));
    assert_eq!(
        chart.caption[3],
        "Cost of k-tree: median 8.76 times the best, largest 16.50 times; among the best at 1 of 6 points."
    );
}
