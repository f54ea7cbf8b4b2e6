//! BibTeX of the papers that entries and claims name.

/// The papers; above each entry, as a comment, the name that the catalogue has for it.
const PAPERS: &str = include_str!("papers.bib");

/// Names and entries of the papers.
pub fn papers() -> impl Iterator<Item = (&'static str, &'static str)> {
    PAPERS
        .split("% ")
        .filter_map(|paper| paper.split_once('\n'))
        .map(|(name, entry)| (name, entry.trim_end()))
}

/// The BibTeX of a paper. castbench itself is the source of what no paper describes first, and of what is its own.
pub fn bibtex(paper: &str) -> String {
    papers()
        .find(|(name, _)| *name == paper)
        .map_or_else(own, |(_, entry)| entry.to_owned())
}

/// castbench in the words of its CITATION.cff, with the revision that runs.
fn own() -> String {
    format!(
        "@software{{castbench,\n  author = {{{{The castbench authors}}}},\n  \
         title = {{castbench: exact costs of collective-communication algorithms}},\n  version = {{{}}},\n  \
         note = {{revision {}}},\n}}",
        env!("CARGO_PKG_VERSION"),
        crate::base::revision::revision()
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use algorithms::catalogue;
    use algorithms::internals::claims::Paper;

    use super::*;

    /// Every paper has one entry, every entry a paper. Composed algorithms are not listed, so an example of each stands for them.
    #[test]
    fn papers_and_entries_are_the_same() {
        let composed = [
            "allreduce-leaders:binomial+ring",
            "allreduce-lanes:ring+ring",
        ];
        let composed = composed.map(|name| catalogue::find(name).map(|entry| entry.paper));
        let listed = catalogue::entries().iter().map(|entry| entry.paper);
        let named = listed
            .chain(composed.into_iter().flatten())
            .chain(Paper::ALL.map(Paper::title));
        let named: BTreeSet<&str> = named
            .filter(|paper| !matches!(*paper, "castbench" | "folklore"))
            .collect();
        assert_eq!(
            papers().map(|(name, _)| name).collect::<BTreeSet<_>>(),
            named
        );
        let keys: BTreeSet<&str> = papers()
            .filter_map(|(_, entry)| entry.split(['{', ',']).nth(1))
            .collect();
        assert_eq!((papers().count(), keys.len()), (named.len(), named.len()));
    }
}
