//! Every dialect: what is written is read back by the library's documented rule, at and beside each border.

use algorithms::internals::functions::FUNCTIONS;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;

const DIALECTS: [Dialect; 6] =
    [Dialect::Openmpi, Dialect::Openmpi6, Dialect::Mpich, Dialect::Ucc, Dialect::Intel, Dialect::Nccl];

/// Decisions in the form of MPICH's own, which names some algorithms of some functions.
const BASE: &str = r#"{
  "collective=bcast": {"comm_type=intra": {"comm_size<8": {"algorithm=MPIR_Bcast_intra_binomial": {}},
    "comm_size=any": {"avg_msg_size<=12288": {"algorithm=MPIR_Bcast_intra_binomial": {}},
      "avg_msg_size=any": {"algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {}}}}, "comm_type=inter": {"algorithm=X": {}}},
  "collective=allgather": {"comm_type=intra": {"comm_size=pow2": {"algorithm=MPIR_Allgather_intra_recursive_doubling": {}},
    "comm_size=any": {"total_msg_size<81920": {"algorithm=MPIR_Allgather_intra_brucks": {}},
      "total_msg_size=any": {"algorithm=MPIR_Allgather_intra_ring": {}}}}},
  "collective=alltoall": {"comm_type=intra": {"avg_msg_size<=256": {"algorithm=MPIR_Alltoall_intra_brucks": {}},
    "avg_msg_size=any": {"algorithm=MPIR_Alltoall_intra_scattered": {"batch_size=4": {}}}}}
}"#;

fn function(name: &str) -> &'static Function {
    FUNCTIONS.into_iter().find(|function| function.name == name).unwrap()
}

/// What a library does for a call that the file leaves to it.
fn own(dialect: Dialect, function: &Function, call: Call) -> Selected {
    match dialect {
        Dialect::Mpich => mpich::Tree::parse(BASE).unwrap().select(function, call),
        Dialect::Nccl if nccl_has(function) => Selected::Named("ring".to_owned(), 0),
        _ => Selected::Own,
    }
}

fn nccl_has(function: &Function) -> bool {
    nccl::NAMES.iter().any(|(of, ..)| *of == function.name)
}

/// What the library must run for a call by the table.
fn expected(dialect: Dialect, table: &Table, function: &Function, call: Call) -> Selected {
    let take = table.select(function, call.K, call.bytes).and_then(|rule| rule.take.as_ref());
    let named = take.and_then(|take| Some((dialect.name(function, take.ours)?, take.segment)));
    let named = named.filter(|(name, _)| dialect != Dialect::Mpich || BASE.contains(&format!("={name}\"")));
    match (named, dialect) {
        (None, _) => own(dialect, function, call),
        (Some((name, segment)), Dialect::Openmpi | Dialect::Openmpi6) => Selected::Named(name, segment),
        (Some((name, _)), _) => Selected::Named(name, 0),
    }
}

fn rule() -> impl Strategy<Value = Rule> {
    let algorithms: Vec<(&'static Function, &'static str)> = ["MPI_Bcast", "MPI_Allgather", "MPI_Alltoall"]
        .into_iter()
        .flat_map(|name| {
            let function = function(name);
            let all = function.open_mpi.iter().chain(function.mpich).map(|known| known.ours);
            all.chain(ucc::NAMES.iter().filter(move |(of, ..)| *of == name).map(|(_, ours, _)| *ours))
                .map(move |ours| (function, ours))
        })
        .collect();
    let end = prop_oneof![Just(u64::MAX), 0u64..40];
    (prop::sample::select(algorithms), 1u64..12, 0u64..6, 0u64..30, end, any::<bool>(), 0u64..3).prop_map(
        |((function, ours), first, more, size, last, takes, segment)| Rule {
            function,
            ranks: [first, first + more],
            bytes: [size, size.max(last)],
            take: takes.then(|| Take { ours, segment: 1 << segment >> 1 }),
            why: "a reason, with a comma".to_owned(),
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, rng_seed: RngSeed::Fixed(41), ..ProptestConfig::default() })]

    /// On every number of ranks and for every size around the borders of a table, each file selects what the table says.
    #[test]
    fn files_select_what_the_table_says(rules in prop::collection::vec(rule(), 1..6)) {
        let notes = vec!["a note that is longer than the lines that readers take whole ".repeat(6)];
        let table = Table { notes, rules };
        let table = Table::parse(&table.text().unwrap()).unwrap();
        for dialect in DIALECTS {
            let written = dialect.write(&table, Some(BASE)).unwrap();
            let file = dialect.read(&written.text).unwrap();
            for function in table.functions() {
                for (K, bytes) in (1..20).flat_map(|K| (0..45).chain([1 << 20]).map(move |bytes| (K, bytes))) {
                    let call = Call { K, bytes, element: 1 };
                    let selected = file(function, call);
                    prop_assert_eq!(
                        &selected, &expected(dialect, &table, function, call),
                        "{:?}: {} of {} B on {} ranks: {}\n{}", dialect, function.name, bytes, K, table.text().unwrap(), written.text
                    );
                }
            }
        }
    }

    /// A damaged file is refused, or read as something; nothing panics.
    #[test]
    fn damaged_files_do_not_panic(rules in prop::collection::vec(rule(), 1..4), position in any::<prop::sample::Index>(), with in "[0-9a-z:#\\[\\]{},=\"@-]{0,3}") {
        let table = Table { notes: Vec::new(), rules };
        for dialect in DIALECTS {
            let mut text = dialect.write(&table, Some(BASE)).unwrap().text;
            let at = position.index(text.len());
            if text.is_char_boundary(at) && text.is_char_boundary(at + 1) {
                text.replace_range(at..=at, &with);
            }
            if let Ok(file) = dialect.read(&text) {
                file(function("MPI_Bcast"), Call { K: 8, bytes: 1 << 40, element: 1 });
            }
            let _ = Table::parse(&text);
        }
    }
}

/// What people write by hand and what other versions read otherwise.
#[test]
fn what_a_reader_takes_for_something_else_is_refused() {
    let refused = |dialect: Dialect, text: &str| dialect.read(text).err().unwrap();
    let why = refused(Dialect::Openmpi, "1\n7\n1\n8\n1\n64 6 0 0\n");
    assert!(why.starts_with("line 6: the first message size is not 0"), "{why}");
    let why = refused(Dialect::Openmpi6, r#"{"collectives": {"reducescatter": []}}"#);
    assert!(why.contains("it knows no collective `reducescatter`"), "{why}");
    let why = refused(Dialect::Nccl, "collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks\n");
    assert!(why.starts_with("line 1: `collective_type` is an allreduce to the reader"), "{why}");
    let why = refused(Dialect::Nccl, "allreduce,0,4096,tree,ll,-1,4,-1\n");
    assert!(why.starts_with("line 1: it is only for nNodes = 4"), "{why}");
    assert!(Dialect::Nccl.read("allreduce,0,4096,tree,ll,-1,4,32\n").is_ok());
    let why = refused(Dialect::Ucc, "UCC_TL_UCP_TUNE = allreduce:0-4k\n");
    assert!(why.contains("UCC needs a score or an algorithm"), "{why}");
    assert!(Dialect::Mpich.write(&Table::default(), None).unwrap_err().contains("--base"));
}

/// The examples of the formats' pages, as their readers take them.
#[test]
fn files_of_others() {
    let call = |K, bytes| Call { K, bytes, element: 1 };
    let named = |name: &str, segment| Selected::Named(name.to_owned(), segment);
    let bcast = function("MPI_Bcast");
    let file = Dialect::Openmpi.read("1\n7\n1\n8\n2\n0 6 0 0\n65536 3 0 32768\n").unwrap();
    assert_eq!(file(bcast, call(16, 65535)), named("binomial", 0));
    // Ranks below the first size have its rules, too.
    assert_eq!(file(bcast, call(2, 65536)), named("pipeline", 32768));
    let file = Dialect::Ucc
        .read("UCC_TL_UCP_TUNE=allreduce:0-8k:[2-64]:@knomial#allreduce:8k-inf:[2-64]:@sra_knomial\n")
        .unwrap();
    assert_eq!(file(function("MPI_Allreduce"), call(64, 8191)), named("knomial", 0));
    assert_eq!(file(function("MPI_Allreduce"), call(64, 8192)), named("sra_knomial", 0));
    assert_eq!(file(function("MPI_Allreduce"), call(65, 8192)), Selected::Own);
    let file =
        Dialect::Intel.read("I_MPI_ADJUST_BCAST=\"1:0-8191;8:8192-65535;3:65536-2147483647@16-1024\"\n").unwrap();
    assert_eq!(file(bcast, call(16, 65536)), named("3 ring", 0));
    assert_eq!(file(bcast, call(8, 65536)), Selected::Own);
    assert_eq!(file(bcast, call(8, 8192)), named("algorithm 8", 0));
}
