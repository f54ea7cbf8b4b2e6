//! Tables for papers, which LaTeX sets as they are. The rules checked here: a row ends with `\\` and has a cell for each column;
//! `# $ % & _ { }` stand behind a backslash, `~ ^ < > | \` are commands, `--` is never alone, and braces are in pairs.

use crate::common::stdout;

const COMMANDS: [&str; 11] = [
    "ensuremath",
    "mu",
    "textasciicircum",
    "textasciigrave",
    "textasciitilde",
    "textbackslash",
    "textbar",
    "textgreater",
    "textless",
    "texttt",
    "item",
];

/// What is wrong with a cell.
fn wrong(cell: &str) -> Option<String> {
    let mut rest = cell.chars().peekable();
    let (mut depth, mut before) = (0, ' ');
    while let Some(sign) = rest.next() {
        match sign {
            '\\' => {
                let next = rest.next()?;
                let mut command = String::new();
                if next.is_ascii_alphabetic() {
                    command.push(next);
                    while let Some(letter) = rest.next_if(char::is_ascii_alphabetic) {
                        command.push(letter);
                    }
                    if !COMMANDS.contains(&&*command) {
                        return Some(format!("\\{command}"));
                    }
                } else if !"#$%&_{}".contains(next) {
                    return Some(format!("\\{next}"));
                }
            }
            '{' => depth += 1,
            '}' => depth -= 1,
            '-' if before == '-' => return Some("--".to_owned()),
            '#' | '$' | '%' | '&' | '_' | '~' | '^' | '<' | '>' | '|' => {
                return Some(sign.to_string());
            }
            _ => {}
        }
        if depth < 0 {
            break;
        }
        before = sign;
    }
    (depth != 0).then(|| "braces".to_owned())
}

/// The cells of all rows of a text, the titles first.
fn cells(text: &str) -> Vec<Vec<&str>> {
    let mut rows = Vec::new();
    let mut columns = 0;
    for line in text.lines() {
        if let Some(sides) = line.strip_prefix(r"\begin{tabular}{") {
            columns = sides.len() - 1;
        } else if line == r"\end{tabular}" {
            columns = 0;
        } else if columns > 0 && !line.ends_with("rule") {
            let row = line
                .strip_suffix(r" \\")
                .unwrap_or_else(|| panic!("{line}"));
            let row: Vec<&str> = row.split(" & ").collect();
            assert_eq!(row.len(), columns, "{line}");
            rows.push(row);
        }
    }
    rows
}

#[test]
fn every_verb_that_prints_rows_has_tables_for_papers() {
    let verbs = [
        "cost halving -L 6 -o 2 -g 4 -K 33",
        "cost halving -L 6 -o 2 -g 4 -K 33 --slopes",
        "best --collective allreduce -L 6 -o 2 -g 4 -c 1 -K 4,16 -n 1,1024",
        "list",
        "list --columns",
        "list --keys",
        "list --limits",
        "list --verbs",
        "list --machines",
        "audit --paper fibonacci",
    ];
    for verb in verbs {
        let words = format!("{verb} --format latex");
        let text = stdout(&words.split(' ').collect::<Vec<_>>());
        assert!(
            text.contains("\\usepackage{booktabs}\n\\begin{tabular}{"),
            "{verb}"
        );
        let rows = cells(&text);
        assert!(rows.len() > 1, "{verb}");
        for cell in rows.iter().flatten() {
            assert_eq!(wrong(cell), None, "{verb}: {cell}");
        }
    }
}

/// A point in LaTeX is the row of a sweep, with its numbers as in Markdown.
#[test]
fn a_point_is_a_row() {
    let point = "cost halving -L 6 -o 2 -g 4 -K 4096 --format";
    let of = |format| stdout(&[point, format].join(" ").split(' ').collect::<Vec<_>>());
    let (latex, markdown) = (of("latex"), of("markdown"));
    let rows = cells(&latex);
    let row: Vec<&str> = markdown.lines().nth(2).unwrap().split(" | ").collect();
    assert_eq!(rows[0][0], "algorithm");
    assert_eq!(rows[0][7], r"K\_nodes");
    assert_eq!((rows[1][7], row[7]), ("4,096", "4,096"));
    assert!(latex.contains(r"\begin{tabular}{ll"), "{latex}");
}
