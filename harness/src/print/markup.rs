//! Texts of others inside XML, HTML, Markdown and LaTeX. Every page, drawing, caption and Markdown table passes here.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::base::failure::printable;
use crate::base::units::joined;

/// A document without the characters that XML forbids, and without control characters, which HTML forbids: each becomes
/// U+FFFD.
pub fn well_formed(document: String) -> String {
    let is_forbidden = |sign: char| {
        sign.is_control() && !matches!(sign, '\t' | '\n' | '\r')
            || matches!(sign, '\u{fffe}' | '\u{ffff}')
    };
    if document.contains(is_forbidden) {
        document.replace(is_forbidden, "\u{fffd}")
    } else {
        document
    }
}

/// Escapes `&`, `<` and `>`.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// The text of the first element of this name in a document, if there is any.
pub fn text_of(document: &str, element: &str) -> Option<String> {
    let (_, rest) = document.split_once(&format!("<{element}>"))?;
    let (text, _) = rest.split_once(&format!("</{element}>"))?;
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&");
    (!text.trim().is_empty()).then_some(text)
}

/// A text as LaTeX that shows it on one line, with code in backticks as code. LaTeX obeys none of its characters, and makes no
/// dash of two hyphens.
pub fn latex(text: &str) -> String {
    let has_code = text.matches('`').count().is_multiple_of(2);
    let mut is_code = false;
    let mut escaped = String::with_capacity(text.len());
    for sign in printable(text).chars() {
        match sign {
            '`' if has_code => {
                is_code = !is_code;
                escaped.push_str(if is_code { "\\texttt{" } else { "}" });
            }
            '`' => escaped.push_str("\\textasciigrave{}"),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '<' => escaped.push_str("\\textless{}"),
            '>' => escaped.push_str("\\textgreater{}"),
            '|' => escaped.push_str("\\textbar{}"),
            'µ' | 'μ' => escaped.push_str("\\ensuremath{\\mu}"),
            '{' | '}' | '$' | '&' | '#' | '_' | '%' => escaped.extend(['\\', sign]),
            // At the begin of a row they would belong to the end of the row before.
            '[' | '*' => escaped.extend(['{', sign, '}']),
            '-' if escaped.ends_with('-') => escaped.push_str("{}-"),
            '\n' | '\t' => escaped.push(' '),
            sign => escaped.push(sign),
        }
    }
    escaped
}

/// A text as Markdown that shows it on one line, with code in backticks as code. A text that would become HTML, a link, a
/// mention or a new paragraph is shown as code as a whole. An underscore inside a word and `<` before a blank have no
/// meaning and stay.
pub fn markdown(text: &str) -> String {
    if is_active(text) {
        return code(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        if matches!(sign, '\\' | '|' | '*') {
            escaped.push('\\');
        }
        escaped.push(sign);
    }
    escaped
}

/// A text as code in Markdown, on one line. An active text has its punctuation as numbers, which mean nothing else.
pub fn code(text: &str) -> String {
    if !is_active(text) && !text.contains('`') {
        return format!("`{}`", text.replace('|', "\\|"));
    }
    let mut code = "<code>".to_owned();
    for sign in printable(text).chars() {
        match sign {
            '\n' | '\t' => code.push(' '),
            ' ' | ',' | '-' => code.push(sign),
            // Writing to a string cannot fail.
            sign if sign.is_ascii_punctuation() => _ = write!(code, "&#{};", u32::from(sign)),
            sign => code.push(sign),
        }
    }
    code + "</code>"
}

/// Whether Markdown would make more of a text than letters and code.
fn is_active(text: &str) -> bool {
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        let next = signs.peek().copied().unwrap_or(' ');
        let begins = match sign {
            '\n' | '\t' => true,
            '<' => next.is_alphabetic() || matches!(next, '/' | '!' | '?'),
            '&' => next.is_alphanumeric() || next == '#',
            '@' => next.is_alphanumeric(),
            ']' => matches!(next, '(' | '[' | ':'),
            other => measure::is_command(other),
        };
        if begins {
            return true;
        }
    }
    let lower = text.to_lowercase();
    text.matches('`').count() % 2 == 1
        || ["``", "://", "www."]
            .iter()
            .any(|mark| lower.contains(mark))
}

/// A table in Markdown, of cells that are Markdown already.
pub fn table<'a>(
    titles: &[&str],
    rows: impl IntoIterator<Item = impl IntoIterator<Item = Cow<'a, str>>>,
) -> String {
    let mut text = format!(
        "| {} |\n|{}\n",
        titles.join(" | "),
        "---|".repeat(titles.len())
    );
    for row in rows {
        text += &format!("| {} |\n", joined(" | ", row.into_iter()));
    }
    text
}

/// A table in LaTeX, of cells that are LaTeX already, with the package booktabs; `sides` has `l` or `r` for each column.
pub fn tabular(
    sides: &str,
    titles: Vec<String>,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
    let rows: String = rows.into_iter().map(line).collect();
    format!(
        "% \\usepackage{{booktabs}}\n\\begin{{tabular}}{{{sides}}}\n\\toprule\n{}\\midrule\n{rows}\\bottomrule\n\\end{{tabular}}\n",
        line(titles)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_no_forbidden_character() {
        let forbidden = "a\u{0}\u{1}\u{b}\u{1f}\u{7f}\u{9d}\u{fffe}\u{ffff}b".to_owned();
        assert_eq!(
            well_formed(forbidden),
            format!("a{}b", "\u{fffd}".repeat(8))
        );
        assert_eq!(
            well_formed("a\t\r\n é\u{fffd}😀".to_owned()),
            "a\t\r\n é\u{fffd}😀"
        );
    }

    #[test]
    fn latex_shows_what_it_would_obey() {
        for (text, shown) in [
            (
                "L_1 = 5 % of {K}^2 < \\x",
                r"L\_1 = 5 \% of \{K\}\textasciicircum{}2 \textless{} \textbackslash{}x",
            ),
            (
                "#1 & $2 ~ 3 | 4 > 3",
                r"\#1 \& \$2 \textasciitilde{} 3 \textbar{} 4 \textgreater{} 3",
            ),
            ("7 µs, 8 μs", r"7 \ensuremath{\mu}s, 8 \ensuremath{\mu}s"),
            ("`a_b` of --with", r"\texttt{a\_b} of -{}-with"),
            ("a`b---", r"a\textasciigrave{}b-{}-{}-"),
            ("[[grid]]\n*", "{[}{[}grid]] {*}"),
        ] {
            assert_eq!(latex(text), shown);
        }
    }

    #[test]
    fn a_table_of_latex_has_the_rules_of_booktabs() {
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        assert_eq!(
            tabular("lr", row(["a", "b"]), [row(["x", "1"])]),
            "% \\usepackage{booktabs}\n\\begin{tabular}{lr}\n\\toprule\na & b \\\\\n\\midrule\nx & 1 \\\\\n\\bottomrule\n\\end{tabular}\n"
        );
    }

    #[test]
    fn markdown_keeps_what_would_mean_something() {
        let table = table(
            &["a", "b"],
            [["`x`".into(), markdown("1 < 2 | f_(n-1)*k, `a[1]`").into()]],
        );
        assert_eq!(
            table,
            "| a | b |\n|---|---|\n| `x` | 1 < 2 \\| f_(n-1)\\*k, `a[1]` |\n"
        );
    }

    #[test]
    fn plain_code_stays_in_backticks() {
        assert_eq!(code("optimal -L 6 | x"), "`optimal -L 6 \\| x`");
        assert_eq!(code("a `b`"), "<code>a &#96;b&#96;</code>");
    }

    #[test]
    fn an_active_text_becomes_code() {
        for (text, shown) in [
            ("k <b", "<code>k &#60;b</code>"),
            ("x\n\n# heading", "<code>x  &#35; heading</code>"),
            ("ask @team", "<code>ask &#64;team</code>"),
            ("[x](y) |", "<code>&#91;x&#93;&#40;y&#41; &#124;</code>"),
            ("`a", "<code>&#96;a</code>"),
            ("&lt;", "<code>&#38;lt&#59;</code>"),
            ("HTTPS://x", "<code>HTTPS&#58;&#47;&#47;x</code>"),
            ("\u{202e}", "<code>&#92;u&#123;202e&#125;</code>"),
        ] {
            assert_eq!([markdown(text), code(text)], [shown, shown], "{text:?}");
        }
    }
}
