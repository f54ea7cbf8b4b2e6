//! Answers in the formats of CI servers. A verb gives cases or notes; no verb spells a format.

use std::path::Path;

use maud::html;
use serde::Serialize;

use crate::base::failure::Result;
use crate::output;
use crate::print::markup;

/// A test of JUnit: one that passes has no failure.
#[derive(Debug)]
pub struct Case {
    /// The group of the test.
    pub class: String,
    /// Its name, the same in every run.
    pub name: String,
    /// What kind of failure it is, its message, and its text.
    pub failure: Option<(String, String, String)>,
    /// What the test says besides.
    pub output: String,
}

/// The XML that GitLab, Jenkins and others show as tests.
pub fn junit(suite: &str, cases: &[Case]) -> String {
    let failures = cases.iter().filter(|case| case.failure.is_some()).count();
    let page = html! {
        testsuites {
            testsuite name=(suite) tests=(cases.len()) failures=(failures) {
                @for case in cases {
                    testcase classname=(case.class) name=(case.name) {
                        @if let Some((kind, message, text)) = &case.failure {
                            failure type=(kind) message=(message) { (text) }
                        }
                        @if !case.output.is_empty() { system-out { (case.output) } }
                    }
                }
            }
        }
    };
    // A line end would begin a line that GitHub Actions can take for a command.
    let page = page
        .into_string()
        .replace('\n', "&#10;")
        .replace('\r', "&#13;");
    markup::well_formed(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{page}"
    ))
}

/// A command of GitHub Actions: a note of a level, `error` or `notice`, at a line of a file.
pub fn annotation(
    level: &str,
    (file, line): (&str, Option<u32>),
    title: &str,
    message: &str,
) -> String {
    let text = |text: &str| {
        text.replace('%', "%25")
            .replace('\r', "%0D")
            .replace('\n', "%0A")
    };
    let property = |value: &str| text(value).replace(':', "%3A").replace(',', "%2C");
    let line = line.map_or_else(String::new, |line| format!(",line={line}"));
    let file = if file.is_empty() {
        String::new()
    } else {
        format!("file={}{line},", property(file))
    };
    format!(
        "::{level} {file}title={}::{}",
        property(title),
        text(message)
    )
}

/// Most bytes that are added to a summary: GitHub takes 1 MiB a step.
const MAX_SUMMARY: usize = 1 << 19;

/// Adds Markdown to the summary of a job, the file that `GITHUB_STEP_SUMMARY` names.
///
/// # Errors
/// A file that cannot be written.
pub fn summarise(path: &Path, markdown: &str) -> Result {
    let end = (0..=MAX_SUMMARY.min(markdown.len()))
        .rev()
        .find(|&end| markdown.is_char_boundary(end))
        .unwrap_or(0);
    output::append(path, &markdown.as_bytes()[..end])
}

/// A number for a dashboard; a list of them is what github-action-benchmark reads as `customSmallerIsBetter`.
#[derive(Debug, Serialize)]
pub struct Metric {
    /// Its name, the same in every run.
    pub name: String,
    /// `ns`, or the unit of a model.
    pub unit: &'static str,
    /// The number, rounded if it is a fraction.
    pub value: f64,
}

/// Bencher Metric Format: `latency` in ns, and numbers of other units under the name of their unit.
pub fn bencher(metrics: &[Metric]) -> serde_json::Value {
    // Bencher's names of measures have no blanks.
    let measure = |unit: &str| {
        if unit == "ns" {
            "latency".to_owned()
        } else {
            unit.replace(' ', "-")
        }
    };
    let name = |name: &str| name.chars().take(1024).collect::<String>();
    serde_json::Map::from_iter(metrics.iter().map(|metric| {
        let value = serde_json::json!({ "value": metric.value });
        (
            name(&metric.name),
            serde_json::Map::from_iter([(measure(metric.unit), value)]).into(),
        )
    }))
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rules of GitHub: `%` and line ends in texts, also `:` and `,` in properties.
    #[test]
    fn an_annotation_is_one_command() {
        let written = annotation(
            "error",
            ("a:b,c.toml", Some(7)),
            "100 %: worse",
            "a\r\nb: 5 %, c",
        );
        assert_eq!(
            written,
            "::error file=a%3Ab%2Cc.toml,line=7,title=100 %25%3A worse::a%0D%0Ab: 5 %25, c"
        );
        assert_eq!(
            annotation("notice", ("", None), "t", "m"),
            "::notice title=t::m"
        );
    }

    #[test]
    fn tests_are_counted_and_escaped() {
        let case = |failure| Case {
            class: "allreduce".to_owned(),
            name: "<mine>".to_owned(),
            failure,
            output: String::new(),
        };
        let worse = (
            "worse".to_owned(),
            "30 > \"28\"".to_owned(),
            "K & n\u{1}".to_owned(),
        );
        assert_eq!(
            junit("castbench regress", &[case(None), case(Some(worse))]),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites><testsuite name=\"castbench regress\" tests=\"2\" \
             failures=\"1\"><testcase classname=\"allreduce\" name=\"&lt;mine&gt;\"></testcase><testcase \
             classname=\"allreduce\" name=\"&lt;mine&gt;\"><failure type=\"worse\" message=\"30 &gt; &quot;28&quot;\">K \
             &amp; n\u{fffd}</failure></testcase></testsuite></testsuites>"
        );
    }

    /// A line end in a name would begin a line, which GitHub Actions can take for a command.
    #[test]
    fn a_test_has_one_line() {
        let text = || "a\r\n::error::b".to_owned();
        let case = Case {
            class: text(),
            name: text(),
            failure: Some((text(), text(), text())),
            output: text(),
        };
        let written = junit("s", &[case]);
        assert_eq!(written.lines().count(), 2);
        assert_eq!(written.matches("a&#13;&#10;::error::b").count(), 6);
    }

    /// Bencher's schema: an object of benchmarks, of measures, each with a value. Names of at most 1024 characters.
    #[test]
    fn dashboards_get_values_by_name_and_measure() {
        let metric = |name: &str, unit| Metric {
            name: name.to_owned(),
            unit,
            value: 28.5,
        };
        let metrics = [
            metric("ring -K 8", "ns"),
            metric(&"é".repeat(2000), "time units"),
        ];
        let named = bencher(&metrics);
        assert_eq!(
            named["ring -K 8"],
            serde_json::json!({ "latency": { "value": 28.5 } })
        );
        assert_eq!(
            named["é".repeat(1024)],
            serde_json::json!({ "time-units": { "value": 28.5 } })
        );
        // customSmallerIsBetter of github-action-benchmark: a list of names, units and values.
        assert_eq!(
            serde_json::to_value(&metrics[..1]).unwrap(),
            serde_json::json!([{ "name": "ring -K 8", "unit": "ns", "value": 28.5 }])
        );
    }
}
