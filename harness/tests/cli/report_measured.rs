//! Measurements on the page of `castbench report`.

use crate::report::{REGRESSED, SHARED, between};

/// Every point with its errors, and the machine; none of it without measurements.
#[test]
fn measurements_are_on_the_page() {
    let shared = &SHARED.1;
    let section = between(shared, "<section id=\"measured\"", "</section>");
    let plain = |cell: &str| {
        cell.split('<')
            .map(|part| part.rsplit('>').next().unwrap())
            .collect::<String>()
    };
    let rows = |caption: &str| -> Vec<String> {
        let table = between(
            section.split_once(caption).unwrap().1,
            "<tbody>",
            "</tbody>",
        );
        table
            .split("</tr>")
            .map(|row| row.replace("</t", " |<"))
            .map(|row| plain(&row))
            .filter(|row| !row.is_empty())
            .collect()
    };
    insta::assert_snapshot!(plain(
        between(section, "<dl>", "</dl>")
            .replace("</dd>", "\n<")
            .as_str()
    ));
    insta::assert_snapshot!(rows("<span>Errors of the predictions").join("\n"));
    let points = rows("<span>Measured times");
    assert_eq!(points.len(), 52);
    insta::assert_snapshot!(
        [&points[0], &points[12], &points[51]]
            .map(String::as_str)
            .join("\n")
    );
    let summary = between(shared, "<ul class=\"summary\">", "</ul>");
    assert!(
        summary.contains("52 measured points, largest error of a prediction 2.8 %"),
        "{summary}"
    );
    let without = &REGRESSED.equal;
    for part in ["id=\"measured\"", "#measured", "measured point"] {
        assert!(
            !without.contains(part),
            "{part} stands on a page without measurements"
        );
    }
}
