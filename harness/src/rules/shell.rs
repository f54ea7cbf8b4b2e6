//! Variables in files for a shell, and in files of `NAME = VALUE` lines.

use super::{Effect, Finding};

/// A variable that a line sets.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Assignment {
    /// Its line, from 0.
    pub line: usize,
    /// Its name.
    pub name: String,
    /// Its value, without quotes.
    pub value: String,
}

/// The variables that lines set whose name begins so. `comment` begins a comment behind a value of a line that is not for a shell.
pub(super) fn assignments(
    text: &str,
    prefix: &str,
    comment: char,
    findings: &mut Vec<Finding>,
) -> Vec<Assignment> {
    let mut all = Vec::new();
    for (line, raw) in text.lines().enumerate() {
        let raw = raw.trim();
        let is_unset = raw.strip_prefix("unset ").is_some_and(|names| {
            names
                .split_whitespace()
                .any(|name| name.starts_with(prefix))
        });
        if is_unset {
            let why = "castbench reads what lines set, not what they unset; remove both lines";
            findings.push(Finding::line(line, Effect::Unclear, why));
        }
        let (command, rest) = raw.split_once(char::is_whitespace).unwrap_or(("", raw));
        let is_command = matches!(command, "export" | "setenv" | "declare" | "set" | "env");
        let rest = if is_command { rest.trim_start() } else { raw };
        let rest = rest.trim_start_matches("-x ").trim_start();
        if !rest.starts_with(prefix) {
            if !is_unset && !raw.starts_with(comment) && may_set(raw, prefix) {
                findings.push(unread(line, raw));
            }
            continue;
        }
        let end = rest
            .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
            .unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let (is_shell, value) = match after.trim_start().strip_prefix('=') {
            Some(value) if after.starts_with('=') && !value.starts_with(char::is_whitespace) => {
                (is_command, value)
            }
            Some(value) => {
                if is_command {
                    let why = "a shell takes no blanks around `=`; remove them";
                    findings.push(Finding::line(line, Effect::Unclear, why));
                }
                (false, value.trim_start())
            }
            None if command == "setenv" => (true, after.trim_start()),
            // Names alone export what other lines set.
            None if is_command && are_names(after) => continue,
            None => {
                findings.push(unread(line, raw));
                continue;
            }
        };
        let value = word(
            value,
            (is_shell, if is_command { '#' } else { comment }),
            line,
            findings,
        );
        all.push(Assignment {
            line,
            name: name.to_owned(),
            value,
        });
    }
    all
}

/// Whether only names follow, or a comment.
fn are_names(text: &str) -> bool {
    let code = text.split('#').next().unwrap_or_default();
    code.split(|letter: char| letter == ';' || letter.is_whitespace())
        .all(|name| {
            name.chars().all(is_of_name) && !name.starts_with(|it: char| it.is_ascii_digit())
        })
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Whether a line may set such a variable: not if it prints or reads it, passes it on, or is a comment.
fn may_set(raw: &str, prefix: &str) -> bool {
    let code = raw.split('#').next().unwrap_or_default();
    let other = ["echo", "printf", "REM", "::"];
    if code
        .split_whitespace()
        .next()
        .is_some_and(|word| other.contains(&word))
    {
        return false;
    }
    code.match_indices(prefix).any(|(at, _)| {
        let (before, after) = (&code[..at], code[at..].trim_start_matches(is_of_name));
        let is_read = before.ends_with(|letter| is_of_name(letter) || letter == '$');
        let is_given = ["-genv ", "-env "]
            .iter()
            .any(|option| before.ends_with(option));
        let is_set = ["=", "+=", ":="].iter().any(|sign| after.starts_with(sign));
        !is_read && (is_set || is_given && !after.trim().is_empty())
    })
}

fn unread(line: usize, raw: &str) -> Finding {
    let begin: String = raw.chars().take(60).collect();
    let why = format!(
        "castbench reads lines that begin with `NAME=VALUE` or `export NAME=VALUE`, not `{begin}`; write it so, or remove the line"
    );
    Finding::line(line, Effect::Unclear, why)
}

/// The value at the begin of a text: in quotes, or up to a comment. A shell ends it also at a blank and at `;`.
fn word(
    text: &str,
    (is_shell, comment): (bool, char),
    line: usize,
    findings: &mut Vec<Finding>,
) -> String {
    let quote = text
        .chars()
        .next()
        .filter(|quote| matches!(quote, '"' | '\''));
    if let Some(quote) = quote {
        let Some((value, rest)) = text[1..].split_once(quote) else {
            findings.push(Finding::line(
                line,
                Effect::Unclear,
                format!("the quote {quote} has no end; close it"),
            ));
            return text[1..].to_owned();
        };
        let rest = rest.trim_start_matches(';').trim_start();
        if !rest.is_empty() && !rest.starts_with(['#', comment]) {
            findings.push(Finding::line(
                line,
                Effect::Unclear,
                format!("`{rest}` stands behind the quote; remove it"),
            ));
        }
        return value.to_owned();
    }
    let mut marks = text.match_indices(comment).map(|(at, _)| at);
    let begin = marks.find(|&at| text[..at].ends_with(char::is_whitespace));
    let value = text[..begin.unwrap_or(text.len())].trim_end();
    let end = value
        .find(|letter: char| letter == ';' || letter.is_whitespace())
        .unwrap_or(value.len());
    if !is_shell || end == value.len() {
        return value.to_owned();
    }
    if !value[end..]
        .trim_matches(|letter: char| letter == ';' || letter.is_whitespace())
        .is_empty()
    {
        let why = format!(
            "a shell ends the value before `{}`; write quotes around the value",
            &value[end..]
        );
        findings.push(Finding::line(line, Effect::Differs, why));
    }
    value[..end].to_owned()
}
