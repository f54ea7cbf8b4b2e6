//! Blocks of several sizes, in every verb that reads them.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{expect, printed};

const MODEL: &str = "-L 6 -o 2 -g 4 -K 3 -n 1";

/// A directory with a routing table, and a sweep of two sizes.
fn files() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    write("one.csv", "tokens\n3\n1\n4\n");
    write(
        "table.csv",
        "# tokens of each rank for each expert\n0,5,1\n2,0,9\n4,4,0\n",
    );
    write("wrong.csv", "3\nfour\n");
    write("ragged.csv", "1,2,3\n1,2\n1,2,3,3\n");
    write("wide.csv", "1,2,3\n1,2,3\n");
    write("semicolons.csv", "1;2;3\n");
    write("damaged.csv", "1x\n2\n3\n4\n");
    write("empty.csv", "tokens\n");
    write(
        "c.toml",
        "schema = 1\n[[grid]]\nname = 'a'\nalgorithms = ['allgather-ring', 'gather-binomial', 'gather-optimal']\n\
         L = 6\no = 2\ng = 4\nK = [3, 5]\nn = 8\ncounts = ['even', 'zipf:1', 'one-large']\n\
         [[figures.lines]]\nfile = 'a.svg'\ntitle = 'a'\nx = 'K'\nby = 'counts'\nalgorithms = ['allgather-ring']\nat = { L = 6, o = 2, g = 4, n = 8 }\n",
    );
    directory
}

/// A ring of blocks of 3, 1 and 4 words. Rank 0 gets 4 words at 22, while rank 1 has sent one word and gets 3 at 18; by hand the last
/// message is the block of 4 words, which rank 0 sends to rank 1 at 22 and which is received from 42 to 44.
#[test]
fn every_verb_states_the_sizes() {
    let files = files();
    let at = |line: &str| printed(files.path(), line).unwrap();
    for counts in ["3,1,4", "one.csv"] {
        let on = format!("allgather-ring {MODEL} --counts {counts}");
        let cost: Value = serde_json::from_str(&at(&format!("cost {on} --format json"))).unwrap();
        assert_eq!(
            ["analytic", "simulated", "lower_bound"].map(|key| cost[key].as_u64()),
            [44, 44, 34].map(Some),
            "{cost}"
        );
        assert_eq!(cost["analytic_by"], "clock");
        let stated = cost["parameters"]["counts"].as_str().unwrap();
        assert!(stated.starts_with(counts), "{stated}");
        let text = at(&format!("show {on}"));
        let subject = format!("blocks of 1 word to 4 words ({stated}), 8 words in all on 3 ranks");
        assert!(text.contains(&subject), "{text}");
        let shown = at(&format!("export csv {on}"));
        assert!(shown.lines().count() > 6, "{shown}");
    }
    let table = at(&format!("cost alltoall-linear {MODEL} --counts table.csv"));
    assert!(table.contains("blocks of 0 words to 9 words"), "{table}");
    assert!(table.contains("3 empty), 25 words in all"), "{table}");
    // What papers state is for blocks of one size.
    assert!(table.contains("published    none"), "{table}");
}

/// Verify follows whole blocks; of empty ones a file does not say what it carries.
#[test]
fn an_export_is_judged() {
    let files = files();
    let goal = |counts: &str| {
        format!("export goal gather-binomial {MODEL} --counts {counts} --out a.goal")
    };
    printed(files.path(), &goal("3,1,4")).unwrap();
    let text = fs::read_to_string(files.path().join("a.goal")).unwrap();
    assert!(text.contains("send 4b to 0 tag 0 // blocks 2"), "{text}");
    let verdict = printed(files.path(), "verify a.goal").unwrap();
    assert!(
        verdict.contains("gather on 3 ranks") && verdict.contains("verdict: right"),
        "{verdict}"
    );
    let wrong = text.replacen("// blocks 2", "// blocks 1", 1);
    fs::write(files.path().join("b.goal"), wrong).unwrap();
    assert!(printed(files.path(), "verify b.goal").is_err());
    expect(
        files.path(),
        &goal("3,0,4"),
        0,
        "does not say what its messages carry",
    );
}

#[test]
fn sizes_are_an_axis() {
    let files = files();
    printed(files.path(), "sweep c.toml --out swept").unwrap();
    let rows = fs::read_to_string(files.path().join("swept/allgather.csv")).unwrap();
    for counts in ["even", "zipf:1", "one-large"] {
        assert_eq!(rows.matches(&format!(",{counts},")).count(), 2, "{rows}");
    }
    let gathered = fs::read_to_string(files.path().join("swept/gather.csv")).unwrap();
    assert!(
        gathered.contains("expected even: what the algorithm does"),
        "{gathered}"
    );
    printed(files.path(), "figures c.toml --from swept").unwrap();
    let best =
        "best --problem gather --machine lumi -K 8 --bytes 64 --counts even,zipf:2 --format csv";
    let best = printed(files.path(), best).unwrap();
    let rows: Vec<&str> = best.lines().skip(1).collect();
    assert!(
        rows[0].contains(",MPI_Gather,binomial,") && rows[1].contains(",MPI_Gatherv,,"),
        "{best}"
    );
    // The file of a row need not be there when rows are read.
    let text = fs::read_to_string(files.path().join("c.toml")).unwrap();
    let text = text
        .replace("[3, 5]", "3")
        .replace("'even', 'zipf:1', 'one-large'", "'one.csv'");
    fs::write(files.path().join("d.toml"), text).unwrap();
    printed(files.path(), "sweep d.toml --out filed").unwrap();
    fs::remove_file(files.path().join("one.csv")).unwrap();
    let drawn = "figures --from filed --x K --problem allgather --out filed.svg";
    printed(files.path(), drawn).unwrap();
}

#[test]
fn what_is_wrong_is_named() {
    let files = files();
    for (line, says) in [
        (
            "cost allgather-ring {} --counts 3,1",
            "expected K = 3 counts, got 2",
        ),
        (
            "cost allgather-ring {} --counts table.csv",
            "expected K = 3 counts, got 9",
        ),
        (
            "cost allgather-ring {} --counts 0,0,0",
            "expected a count above 0",
        ),
        (
            "cost allgather-ring {} --counts wrong.csv",
            "wrong.csv line 2: `four` is no whole number",
        ),
        (
            "cost alltoall-linear {} --counts ragged.csv",
            "ragged.csv line 2: 2 counts, and 3 in the first row",
        ),
        (
            "cost alltoall-linear {} --counts wide.csv",
            "has 2 rows of 3 counts; expected a row or a column",
        ),
        (
            "cost allgather-ring {} --counts semicolons.csv",
            "semicolons.csv line 1: `1;2;3` is no whole number of words; commas separate counts",
        ),
        (
            "cost allgather-ring {} --counts damaged.csv",
            "damaged.csv line 1: `1x` is no whole number",
        ),
        (
            "cost allgather-ring {} --counts empty.csv",
            "empty.csv has no count; expected whole numbers",
        ),
        (
            "cost allgather-ring {} --counts none.csv",
            "cannot read none.csv",
        ),
        (
            "cost allgather-ring {} --counts zipf:x",
            "expected even, one-large, zipf:SEED",
        ),
        (
            "cost gather-optimal {} --counts zipf:1",
            "expected even: what the algorithm does depends on blocks of one size",
        ),
        (
            "cost allreduce-ring {} --counts zipf:1",
            "does not read --counts",
        ),
        (
            "best --problem gather --machine lumi -K 8 --bytes 64 --counts zipf:2 --only",
            "--only: a library has other functions for blocks of several sizes",
        ),
    ] {
        expect(files.path(), &line.replace("{}", MODEL), 2, says);
    }
}

/// A file of that name in the working directory is another one.
#[test]
fn a_file_is_found_beside_its_configuration() {
    let files = files();
    let inner = files.path().join("d");
    fs::create_dir(&inner).unwrap();
    let text = fs::read_to_string(files.path().join("c.toml")).unwrap();
    let text = text
        .replace("[3, 5]", "3")
        .replace("'even', 'zipf:1', 'one-large'", "'one.csv', 'even'")
        .replace("by = 'counts'\n", "")
        .replace("n = 8 }", "n = 8, counts = 'one.csv' }");
    fs::write(inner.join("c.toml"), text).unwrap();
    fs::write(inner.join("one.csv"), "7\n8\n9\n").unwrap();
    printed(&inner, "sweep c.toml --out ../beside").unwrap();
    printed(files.path(), "run d/c.toml --out apart").unwrap();
    let rows = |name: &str| fs::read_to_string(files.path().join(name)).unwrap();
    let found = rows("apart/allgather.csv");
    assert_eq!(found, rows("beside/allgather.csv"));
    assert!(found.contains(",one.csv@"), "{found}");
    fs::remove_file(inner.join("one.csv")).unwrap();
    expect(
        files.path(),
        "sweep d/c.toml --out none",
        3,
        "cannot read d/one.csv",
    );
}
