//! Slurm's `topology.conf` of topology/tree: a line for each switch, with its nodes or the switches below it. Blocks of topology/block
//! have no links.
//!
//! Nodes are ranks in the order of the file. `LinkSpeed` is the capacity of the links of its line; its unit is arbitrary, as
//! Slurm's manual says.

use std::ops::Range;

use algorithms::network::MOST_NODES;

use super::draft::{Draft, Node};
use crate::base::failure::Result;
use crate::output::diagnostics::Source;

/// Whether a text has such lines.
pub fn is_it(text: &str) -> bool {
    text.lines()
        .filter_map(|line| key(line.trim_start()))
        .any(|(key, _)| key == "switchname" || key == "blockname")
}

/// A key in small letters, and what is behind its `=`, without quotes.
fn key(word: &str) -> Option<(String, &str)> {
    let (key, value) = word.split_once('=')?;
    Some((key.to_ascii_lowercase(), value.trim_matches('"')))
}

/// A switch of a line.
struct Line {
    node: Node,
    at: Range<usize>,
    speed: (String, Range<usize>),
    children: Option<(bool, Vec<String>, Range<usize>)>,
}

const HELP: &str =
    "write a line as `SwitchName=s0 Nodes=n[0-15]` or `SwitchName=top Switches=s[0-3] LinkSpeed=4`";

/// Reads the file.
///
/// # Errors
/// Exit code 3, with file and line.
pub fn read<'a>(source: &'a Source, draft: &mut Draft<'a>) -> Result {
    let mut lines = Vec::new();
    let mut start = 0;
    // A line that ends with a backslash goes on; blanks keep the places of all that follows.
    let text = source.text().replace("\\\r\n", "   ");
    for text in text.replace("\\\n", "  ").split_inclusive('\n') {
        let words = &text[..text.find('#').unwrap_or(text.len())];
        if !words.trim().is_empty() {
            lines.push(line(source, draft, words, start)?);
        }
        start += text.len();
    }
    // Switches may be named before their line.
    for Line {
        node,
        at,
        speed,
        children,
    } in lines
    {
        let Some((are_switches, names, at)) = children else {
            let title = "a switch without Nodes= and Switches=";
            return Err(source.failure(at, title, "expected one of them", HELP));
        };
        let width = draft.width(&speed.0, speed.1)?;
        for name in names {
            let child = if are_switches {
                draft
                    .node(&name)
                    .filter(|node| matches!(node, Node::Switch(_)))
            } else {
                Some(draft.rank(&name, at.clone())?)
            };
            let child = child.ok_or_else(|| {
                let title = format!("there is no line `SwitchName={name}`");
                source.failure(at.clone(), title, "expected switches of this file", HELP)
            })?;
            draft.link([node, child], &width, true)?;
        }
    }
    Ok(())
}

fn line(source: &Source, draft: &mut Draft<'_>, text: &str, start: usize) -> Result<Line> {
    let whole = start..start + text.trim_end().len();
    let (mut name, mut speed, mut children) = (None, ("1".to_owned(), whole.clone()), None);
    for word in text.split_whitespace() {
        let from = start + (word.as_ptr() as usize - text.as_ptr() as usize);
        let at = from..from + word.len();
        let fail = |title: &str, label: String| Err(source.failure(at.clone(), title, label, HELP));
        match key(word) {
            Some((key, value)) if key == "switchname" => name = Some((value, at)),
            Some((key, value)) if key == "linkspeed" => speed = (value.to_owned(), at),
            Some((key, value)) if key == "nodes" || key == "switches" => {
                if children.is_some() {
                    return fail(
                        "a switch with both Nodes= and Switches=",
                        "Slurm takes one of them".to_owned(),
                    );
                }
                match hosts(value) {
                    Ok(names) => children = Some((key == "switches", names, at)),
                    Err(reason) => return fail("this is no list of hosts", reason),
                }
            }
            _ => {
                return fail(
                    "this is no key of topology/tree",
                    "expected SwitchName, Nodes, Switches or LinkSpeed".to_owned(),
                );
            }
        }
    }
    let (name, at) = name.ok_or_else(|| {
        source.failure(
            whole.clone(),
            "a line without SwitchName=",
            "expected the switch of the line",
            HELP,
        )
    })?;
    let node = draft.switch(name, at)?;
    Ok(Line {
        node,
        at: whole,
        speed,
        children,
    })
}

/// The names in a list of hosts: `n[0-3,7],m1` are n0 to n3, n7 and m1. Digits keep their zeros.
fn hosts(list: &str) -> Result<Vec<String>, String> {
    let mut depth = 0;
    let parts = list.split(|letter: char| {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        letter == ',' && depth == 0
    });
    let mut all = Vec::new();
    for part in parts {
        all.extend(expand(part)?);
        if all.len() > MOST_NODES {
            return Err(format!("more than {MOST_NODES} hosts"));
        }
    }
    if all.iter().any(String::is_empty) {
        Err("a host without a name".to_owned())
    } else {
        Ok(all)
    }
}

fn expand(part: &str) -> Result<Vec<String>, String> {
    let Some((before, rest)) = part.split_once('[') else {
        return Ok(vec![part.to_owned()]);
    };
    let (ranges, after) = rest.split_once(']').ok_or("expected `]` after `[`")?;
    let tails = expand(after)?;
    let mut all = Vec::new();
    for range in ranges.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let number = |text: &str| {
            text.parse::<u64>()
                .map_err(|_| format!("`{range}` is no range of numbers"))
        };
        let (low, high) = (number(first)?, number(last)?);
        if high < low || high - low >= MOST_NODES as u64 || all.len() > MOST_NODES {
            return Err(format!(
                "`{range}` is no ascending range of at most {MOST_NODES} hosts"
            ));
        }
        let width = first.len();
        all.extend((low..=high).flat_map(|host| {
            tails
                .iter()
                .map(move |tail| format!("{before}{host:0width$}{tail}"))
        }));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_hosts() {
        let of = |list| hosts(list).map(|all| all.join(" "));
        assert_eq!(of("a,b").unwrap(), "a b");
        assert_eq!(of("n[0-2,7],m1").unwrap(), "n0 n1 n2 n7 m1");
        assert_eq!(
            of("r[0-1]n[08-10]x").unwrap(),
            "r0n08x r0n09x r0n10x r1n08x r1n09x r1n10x"
        );
        for wrong in ["n[0-2", "n[2-0]", "n[a-b]", "n[0-999999999]", "a,,b", ""] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
