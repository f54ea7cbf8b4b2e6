//! Every dialect: what is written is read back by the library's documented rule, at and beside each border.

use crate::libraries;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;

const DIALECTS: [Dialect; 6] = [
    Dialect::Openmpi,
    Dialect::Openmpi6,
    Dialect::Mpich,
    Dialect::Ucc,
    Dialect::Intel,
    Dialect::Nccl,
];

/// Decisions in the form of MPICH's own, which names some algorithms of some functions.
const BASE: &str = r#"{
  "collective=bcast": {"comm_type=intra": {"comm_size<8": {"algorithm=MPIR_Bcast_intra_binomial": {}},
    "comm_size=any": {"avg_msg_size<=12288": {"algorithm=MPIR_Bcast_intra_binomial": {}},
      "avg_msg_size=any": {"algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {}}}}, "comm_type=inter": {"algorithm=MPIR_Bcast_inter_remote_send_local_bcast": {}}},
  "collective=allgather": {"comm_type=intra": {"comm_size=pow2": {"algorithm=MPIR_Allgather_intra_recursive_doubling": {}},
    "comm_size=any": {"total_msg_size<81920": {"algorithm=MPIR_Allgather_intra_brucks": {}},
      "total_msg_size=any": {"algorithm=MPIR_Allgather_intra_ring": {}}}}},
  "collective=alltoall": {"comm_type=intra": {"avg_msg_size<=256": {"algorithm=MPIR_Alltoall_intra_brucks": {}},
    "avg_msg_size=any": {"algorithm=MPIR_Alltoall_intra_scattered": {"batch_size=4": {}}}}}
}"#;

fn function(name: &str) -> &'static Function {
    libraries::functions()
        .find(|function| function.name == name)
        .unwrap()
}

/// What a library does for a call that the file leaves to it.
fn own(dialect: Dialect, function: &Function, call: Call) -> Selected {
    match dialect {
        Dialect::Mpich => (dialect.read(BASE, None).selects)(function, call),
        Dialect::Nccl if nccl_has(function) => Selected::Named("one channel".to_owned(), 0),
        _ => Selected::Own,
    }
}

fn nccl_has(function: &Function) -> bool {
    !function.algorithms(Library::Nccl).is_empty()
}

/// What NCCL's example tuner plugin chooses: algorithm, protocol and channels of the first line that fits; none, with one channel, without
/// one. After NVIDIA/nccl, `plugins/tuner/example/plugin.c`: `fgets` of 256, `strtok`, unknown names as allreduce, ring, simple.
pub(crate) fn plugin(
    text: &str,
    collective: &str,
    bytes: u64,
    [nodes, ranks]: [i64; 2],
) -> Option<(String, String, i64)> {
    let or = |known: &[&str], name: &str, other: &str| {
        let is_known = known.contains(&name);
        (if is_known { name } else { other }).to_owned()
    };
    for line in text
        .split_inclusive('\n')
        .flat_map(|line| line.as_bytes().chunks(255))
    {
        let line = std::str::from_utf8(line).unwrap();
        if line.starts_with(['#', '\n']) {
            continue;
        }
        let fields: Vec<&str> = line
            .trim_end()
            .split(',')
            .filter(|field| !field.is_empty())
            .collect();
        if fields.len() < 8 {
            continue;
        }
        let number = |at: usize| fields[at].parse::<i128>().unwrap_or(0);
        let is_any = |at: usize, value: i64| number(at) == -1 || number(at) == i128::from(value);
        let named = or(
            &["broadcast", "reduce", "allgather", "reducescatter"],
            fields[0],
            "allreduce",
        );
        let has_size = (number(1)..=number(2)).contains(&i128::from(bytes));
        if named == collective && has_size && is_any(6, nodes) && is_any(7, ranks) {
            let algorithms = [
                "tree",
                "collnet_direct",
                "collnet_chain",
                "nvls",
                "nvls_tree",
                "pat",
            ];
            let algorithm = or(&algorithms, fields[3], "ring");
            let channels = i64::try_from(number(5)).unwrap();
            return Some((
                algorithm,
                or(&["ll", "ll128"], fields[4], "simple"),
                channels,
            ));
        }
    }
    None
}

/// What the library must run for a call by the table.
fn expected(dialect: Dialect, table: &Table, function: &Function, call: Call) -> Selected {
    let take = table
        .select(function, call.K, call.bytes)
        .and_then(|rule| rule.take.as_ref());
    let named = take.and_then(|take| {
        let name = dialect.name(function, take.ours)?;
        let protocol = take
            .protocol
            .filter(|protocol| dialect.family().runs(&name, protocol));
        let name = protocol.map_or(name.clone(), |protocol| format!("{name}_{protocol}"));
        Some((name, take.segment))
    });
    // MPICH's recursive doubling of an allgather is for powers of two.
    let is_in_base = |name: &str| {
        BASE.contains(&format!("={name}\""))
            && (!name.contains("recursive_doubling") || call.K.is_power_of_two())
    };
    let named = named.filter(|(name, _)| dialect != Dialect::Mpich || is_in_base(name));
    match (named, dialect) {
        (None, _) => own(dialect, function, call),
        (Some((name, segment)), Dialect::Openmpi | Dialect::Openmpi6) => {
            Selected::Named(name, segment)
        }
        (Some((name, _)), _) => Selected::Named(name, 0),
    }
}

fn rule() -> impl Strategy<Value = Rule> {
    let algorithms: Vec<(&'static Function, &'static str)> =
        ["MPI_Bcast", "MPI_Allgather", "MPI_Alltoall"]
            .into_iter()
            .flat_map(|name| {
                let function = function(name);
                let known = Library::ALL.into_iter();
                known
                    .flat_map(|library| function.algorithms(library))
                    .map(move |known| (function, known.ours))
            })
            .collect();
    let end = prop_oneof![Just(u64::MAX), 0u64..40];
    (
        prop::sample::select(algorithms),
        1u64..12,
        prop_oneof![7 => 0u64..6, 1 => Just(60)],
        0u64..30,
        end,
        any::<bool>(),
        0u64..3,
    )
        .prop_map(
            |((function, ours), first, more, size, last, takes, segment)| Rule {
                function,
                ranks: [first, first + more],
                bytes: [size, size.max(last)],
                take: takes.then(|| Take {
                    ours,
                    segment: 1 << segment >> 1,
                    protocol: [None, Some("ll"), Some("ll128")][usize::try_from(segment).unwrap()],
                }),
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
            // `castbench rules write` makes no file of it.
            if written.text.lines().all(|line| line.starts_with('#')) && dialect == Dialect::Nccl {
                continue;
            }
            let reading = dialect.read(&written.text, None);
            prop_assert_eq!(reading.refusals().next(), None, "{:?}: {}", dialect, &written.text);
            let file = reading.selects;
            let plays = |function: &Function, call: Call| {
                let row = function.row(Library::Nccl).filter(|_| dialect == Dialect::Nccl && nccl_has(function))?;
                let nodes = call.K.cast_signed();
                Some(plugin(&written.text, &row.key(), dialect.bytes(function, call), [nodes, nodes]))
            };
            for function in table.functions() {
                let ranks = (1..17).chain([31, 32, 61, 62, 71]);
                for (K, bytes) in ranks.flat_map(|K| (0..45).chain([1 << 20]).map(move |bytes| (K, bytes))) {
                    let call = Call { K, bytes, element: 1 };
                    let selected = file(function, call);
                    if let Some(played) = plays(function, call) {
                        let own = || (own(dialect, function, call), 0);
                        let named = |name: String, protocol: &str| if protocol == "simple" { name } else { format!("{name}_{protocol}") };
                        let played = played.map_or_else(own, |(name, protocol, channels)| (Selected::Named(named(name, &protocol), 0), channels));
                        prop_assert_eq!(played, (selected.clone(), 0), "{}", &written.text);
                    }
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
            let file = dialect.read(&text, None).selects;
            file(function("MPI_Bcast"), Call { K: 8, bytes: 1 << 40, element: 1 });
            let _ = Table::parse(&text);
        }
    }
}

/// Neighbouring ranges with the same algorithm are one; a size of a block is one size of all blocks for as many ranks as it can be.
#[test]
fn neighbours_that_decide_the_same_are_one() {
    let of = |name, ours, ranks, bytes, why: &str| Rule {
        function: function(name),
        ranks,
        bytes,
        take: Some(Take {
            ours,
            segment: 0,
            protocol: None,
        }),
        why: why.to_owned(),
    };
    let bcast = |ranks, bytes, why| of("MPI_Bcast", "broadcast-scatter-ring", ranks, bytes, why);
    let rules = vec![
        bcast([2, 8], [0, 99], "first"),
        bcast([2, 8], [100, u64::MAX], "second"),
        bcast([9, 16], [0, u64::MAX], "third"),
    ];
    let table = Table {
        notes: Vec::new(),
        rules,
    };
    for (dialect, once) in [
        (Dialect::Intel, "=\"3:0-2147483647@2-16\""),
        (Dialect::Openmpi6, "\"comm_size_max\": 16"),
        (Dialect::Openmpi, "# scatter_allgather_ring"),
        (Dialect::Mpich, "comm_size<=16"),
    ] {
        let text = dialect.write(&table, Some(BASE)).unwrap().text;
        assert_eq!(text.matches(once).count(), 1, "{text}");
    }
    // On K ranks a border of 4 B for each block may be from 3K + 1 to 4K for all: 2 ranks, 3, 4 to 5, 6 to 7, 8 to 10 ...
    let of_blocks = |last, border: u64| Table {
        notes: Vec::new(),
        rules: vec![
            of(
                "MPI_Allgather",
                "allgather-bruck",
                [2, last],
                [0, border - 1],
                "",
            ),
            of(
                "MPI_Allgather",
                "allgather-ring",
                [2, last],
                [border, u64::MAX],
                "",
            ),
        ],
    };
    let table = of_blocks(1_000_000, 4);
    for dialect in [Dialect::Openmpi, Dialect::Openmpi6, Dialect::Mpich] {
        let text = dialect.write(&table, Some(BASE)).unwrap().text;
        assert!(text.len() < 40_000, "{dialect:?}: {} B", text.len());
        let selects = dialect.read(&text, None).selects;
        let [bruck, ring] = ["allgather-bruck", "allgather-ring"]
            .map(|ours| dialect.name(function("MPI_Allgather"), ours).unwrap());
        for K in (2..2000).chain([65_535, 65_536, 999_999, 1_000_000]) {
            let at = |bytes| Call {
                K,
                bytes,
                element: 1,
            };
            let selected = [3, 4].map(|bytes| selects(function("MPI_Allgather"), at(bytes)));
            assert_eq!(
                selected,
                [named(&bruck, 0), named(&ring, 0)],
                "{dialect:?}: {K} ranks"
            );
        }
    }
    let refused = Dialect::Openmpi.write(&of_blocks(1_000_000, 1 << 20), None);
    assert!(refused.unwrap_err().contains("name fewer ranks or sizes"));
}

/// The findings of a file, a line each.
fn findings(dialect: Dialect, text: &str, version: Option<Library>) -> String {
    let all = dialect.read(text, version).findings;
    all.iter().map(|finding| format!("{finding}\n")).collect()
}

/// What a file selects for a call of bytes on K ranks.
fn selects(
    dialect: Dialect,
    text: &str,
    version: Option<Library>,
    name: &str,
    K: u64,
    bytes: u64,
) -> Selected {
    let reading = dialect.read(text, version);
    assert_eq!(reading.refusals().next(), None, "{text}");
    (reading.selects)(
        function(name),
        Call {
            K,
            bytes,
            element: 1,
        },
    )
}

fn named(name: &str, segment: u64) -> Selected {
    Selected::Named(name.to_owned(), segment)
}

/// What people write by hand and what other versions read otherwise.
#[test]
fn what_a_library_drops_or_stops_at_is_refused() {
    let head = "1\n2\n1\n2\n1\n0 3 0 0\n";
    for (dialect, text, version, why) in [
        (
            Dialect::Openmpi,
            "1\n7\n1\n8\n1\n64 6 0 0\n",
            None,
            "line 6: file dropped: the first message size is 64, not 0",
        ),
        (
            Dialect::Openmpi,
            "2 2 1 2 1 0 3 0 0\n77 1 2 1 0 3 0 0",
            None,
            "line 2: file dropped: there is no collective 77",
        ),
        (
            Dialect::Openmpi,
            "1 7 1 2 1 0 -1 0 0",
            None,
            "line 1: file dropped: -1 where an algorithm",
        ),
        (Dialect::Openmpi, "23 7 1 2 1 0 1 0 0", None, "there are 22"),
        (Dialect::Openmpi, "", None, "the file ends"),
        (
            Dialect::Openmpi,
            &format!("rule-file-version-2\n{head}"),
            Some(Library::OpenMpi4),
            "4.1 does not know",
        ),
        (
            Dialect::Openmpi6,
            r#"{"collectives": {"reducescatter": []}}"#,
            None,
            "it knows no collective `reducescatter`; write `reduce_scatter`",
        ),
        (
            Dialect::Openmpi6,
            r#"{"collectives": {"bcast": [{"comm_size_max": "8", "rules": []}]}}"#,
            None,
            "is a text",
        ),
        (
            Dialect::Openmpi6,
            r#"{"collectives": {"bcast": [{"rules": [{"msg_size_max": 1e3, "alg": 1}]}]}}"#,
            None,
            "no integer",
        ),
        (
            Dialect::Openmpi6,
            r#"{"collectives": {"bcast": [{"comm_size_min": 2}]}}"#,
            None,
            "there is no list `rules`",
        ),
        (
            Dialect::Openmpi6,
            r#"{"collectives": {"bcast": {"rules": []}}}"#,
            None,
            "an object, not a list",
        ),
        (
            Dialect::Nccl,
            "collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks\n",
            None,
            "line 1: unclear: `collective_type` is an allreduce",
        ),
        (
            Dialect::Nccl,
            "allreduce,0,65536,tree,simple,,-1,8,-1,-1\n",
            None,
            "field 6 is empty",
        ),
        (
            Dialect::Ucc,
            "UCC_TL_UCP_TUNE=allreduce:0-4k:@rabenseifner#allreduce:4k-inf:@ring",
            None,
            "TL/UCP has no algorithm `rabenseifner`",
        ),
        (
            Dialect::Ucc,
            "UCC_TL_UCP_TUNE=scatter:@knomial#allreduce:@ring",
            None,
            "no algorithm `knomial` of scatter",
        ),
        (
            Dialect::Ucc,
            "UCC_TL_UCP_TUNE=allreduce:4K-0:@ring",
            None,
            "is empty",
        ),
        (
            Dialect::Ucc,
            "UCC_TL_UCP_TUNE=allreduce:@ring#allreduce:0-4k:@dbt",
            None,
            "overlap",
        ),
        (
            Dialect::Mpich,
            r#"{"version": "5.0"}"#,
            None,
            "object of objects",
        ),
        (
            Dialect::Mpich,
            r#"{"allreduce": {"any": {}}}"#,
            None,
            "does not know `allreduce`",
        ),
        (
            Dialect::Mpich,
            r#"{"collective=bcast": {"avg_msg_size<=3": {"algorithm=MPIR_Bcast_intra_binomial": {}}}}"#,
            None,
            "end with `avg_msg_size=any`",
        ),
        (
            Dialect::Mpich,
            r#"{"collective=bcast": {"algorithm=MPIR_Bcast_intra_tree": {}}}"#,
            Some(Library::Mpich),
            "MPICH 4.0 has no algorithm",
        ),
        (
            Dialect::Intel,
            "export I_MPI_ADJUST_BCAST='1:0-x'",
            None,
            "expected a number and conditions",
        ),
        (
            Dialect::Intel,
            "export I_MPI_ADJUST_ALLTOALL=1\nmpirun -n 4 -genv I_MPI_ADJUST_BCAST 2 ./a\n",
            None,
            "line 2: unclear: castbench reads lines that begin with",
        ),
        (
            Dialect::Intel,
            "I_MPI_ADJUST_ALLTOALL=1\nexport I_MPI_ADJUST_BCAST;2\n",
            None,
            "line 2: unclear: castbench reads lines that begin with",
        ),
    ] {
        assert!(
            dialect.read(text, version).refusals().next().is_some(),
            "{text}"
        );
        let found = findings(dialect, text, version);
        assert!(found.contains(why), "{text}: {found}");
    }
    assert!(
        Dialect::Mpich
            .write(&Table::default(), None)
            .unwrap_err()
            .contains("--base")
    );
}

/// Parts that work otherwise than they look are found, and selected as the library does.
#[test]
fn what_a_library_reads_differently_is_found() {
    use Dialect::{Intel, Nccl, Openmpi, Openmpi6, Ucc};
    for (dialect, text, (name, K, bytes), selected, why) in [
        (
            Openmpi,
            "1 2 2\n64 1\n0 4 0 0\n8 1\n0 6 0 0",
            ("MPI_Allreduce", 16, 9),
            named("ring", 0),
            "line 4: read differently: communicator size 8",
        ),
        (
            Openmpi,
            "1 2 1 2 3\n0 3 0 0\n500 4 0 0\n50 6 0 0\n",
            ("MPI_Allreduce", 4, 100),
            named("recursive_doubling", 0),
            "it holds from 500 on",
        ),
        (
            Openmpi,
            "1 2 1 2 2\n0 3 0 0\n010000 6 0 0",
            ("MPI_Allreduce", 4, 4096),
            named("rabenseifner", 0),
            "octal: Open MPI reads 4096",
        ),
        (
            Openmpi,
            "1 2 1 2 2\n0 3 0 0\n0x400 6 0 0",
            ("MPI_Allreduce", 4, 1024),
            named("rabenseifner", 0),
            "hexadecimal",
        ),
        (
            Openmpi,
            "2\n2 1 2 1 0 3 0 0\n2 1 2 1 0 6 0 0",
            ("MPI_Allreduce", 4, 9),
            named("rabenseifner", 0),
            "line 2: skipped: MPI_Allreduce stands again in line 3",
        ),
        (
            Openmpi,
            "1 7 1 2 1\n0 4294967297 0 0\n9 9",
            ("MPI_Bcast", 4, 9),
            named("basic_linear", 0),
            "line 3: skipped: the counts above end here",
        ),
        (
            Openmpi,
            "1 7 1 2 2\n0 3 0 0\n1K 1 0 0",
            ("MPI_Bcast", 4, 9),
            named("basic_linear", 0),
            "`K` is no number",
        ),
        (
            Openmpi,
            "1 10 1 2 1 0 1 0 0",
            ("MPI_Bcast", 4, 9),
            Selected::Own,
            "tuned chooses no algorithm of MPI_Gatherv",
        ),
        (
            Openmpi6,
            r#"{"collectives": {"allreduce": [{"rules": [{"alg": "future_ring"}, {"alg": "ring", "segsize": 3}]}]}}"#,
            ("MPI_Allreduce", 4, 9),
            named("ring", 0),
            "reads no `segsize`",
        ),
        (
            Openmpi6,
            r#"{"collectives": {"allreduce": [{"comm_rank_distribution": "single-node", "rules": [{"alg": 4}]}, {"rules": [{"alg": 3}]}]}}"#,
            ("MPI_Allreduce", 4, 9),
            named("recursive_doubling", 0),
            "for ranks on one node",
        ),
        // A key of MPICH's files is none of Open MPI's: the rule is for every size.
        (
            Openmpi6,
            r#"{"collectives": {"allreduce": [{"rules": [{"per_proc_msg_size": 64, "alg": 4}, {"alg": 3}]}]}}"#,
            ("MPI_Allreduce", 4, 9),
            named("ring", 0),
            "read differently: Open MPI reads no `per_proc_msg_size`",
        ),
        // An `int` has 32 bits, in which the number of "inf", the largest of 64 bits, is -1.
        (
            Openmpi6,
            r#"{"collectives": {"bcast": [{"comm_size_max": "inf", "rules": [{"alg": 6}]}, {"rules": [{"alg": 2}]}]}}"#,
            ("MPI_Bcast", 4, 9),
            named("chain, fan-out 1", 0),
            "`comm_size_max` \"inf\" is kept in 32 bits, as -1",
        ),
        (
            Openmpi6,
            r#"{"collectives": {"bcast": [{"comm_size_min": 4294967300, "rules": [{"alg": 6, "seg_size": 4294968320}]}]}}"#,
            ("MPI_Bcast", 4, 9),
            named("binomial", 1024),
            "`comm_size_min` 4294967300 is kept in 32 bits, as 4",
        ),
        (
            Openmpi6,
            r#"{"collectives": {"bcast": [{"rules": [{"msg_size_min": -1, "alg": 6}, {"msg_size_max": -1, "alg": 2}]}]}}"#,
            ("MPI_Bcast", 4, 9),
            named("chain, fan-out 1", 0),
            "`msg_size_min` -1 is below 0: Open MPI takes it for 18446744073709551615",
        ),
        (
            Openmpi,
            "1 7 1 4 1\n0 2 4294967298 1024",
            ("MPI_Bcast", 8, 9),
            named("chain, fan-out 2", 1024),
            "line 2: read differently: `4294967298` is kept in 32 bits, as 2",
        ),
        (
            Openmpi,
            "1 7 1 4 1\n0 2 199999999999999999999 0",
            ("MPI_Bcast", 8, 9),
            named("chain, fan-out 1", 0),
            "is kept in 32 bits, as -1",
        ),
        (
            Openmpi,
            "1 7 2 2 1\n0 3 0 0\n4294967304 1 0 6 0 0",
            ("MPI_Bcast", 8, 9),
            named("binomial", 0),
            "line 3: read differently: `4294967304` is kept in 32 bits, as 8",
        ),
        (
            Ucc,
            "\u{feff}UCC_TL_UCP_TUNE = allreduce:-1-4k:@ring ; small\n",
            ("MPI_Allreduce", 4, 9),
            named("ring", 0),
            "`-1-4k` without the leading `-`",
        ),
        (
            Intel,
            "I_MPI_ADJUST_ALLREDUCE=99",
            ("MPI_Allreduce", 8, 10),
            named("algorithm 99", 0),
            "not judged: castbench knows no algorithm 99 of allreduce",
        ),
        (
            Ucc,
            "UCC_TL_UCP_TUNE=allreduce:cuda:@ring#allgatherv:@ring",
            ("MPI_Allreduce", 4, 9),
            Selected::Own,
            "other memory",
        ),
        (
            Ucc,
            "X = 1\nUCC_TL_UCP_TUNE = fanin:@knomial#allreduce:4k-inf:@ring\n",
            ("MPI_Allreduce", 4, 4096),
            named("ring", 0),
            "drop the whole value",
        ),
        (
            Nccl,
            "allreduce,9,3,tree,ll,-1,-1,-1\nallreduce,0,9,ring,ll,-1,-1,-1",
            ("MPI_Allreduce", 4, 5),
            named("ring_ll", 0),
            "line 1: skipped: the first size",
        ),
        (
            Nccl,
            "allreduce,0,9,tree,simple,-1,1,8\nallreduce,0,9,ring,simple,-1,8,8",
            ("MPI_Allreduce", 8, 5),
            named("ring", 0),
            "line 1: not judged: nNodes = 1",
        ),
        (
            Intel,
            "export I_MPI_ADJUST_ALLREDUC=8\nI_MPI_ADJUST_ALLREDUCE='8:0-9;2'",
            ("MPI_Allreduce", 8, 10),
            named("2 Rabenseifner", 0),
            "did you mean I_MPI_ADJUST_ALLREDUCE?",
        ),
        (
            Intel,
            "export I_MPI_ADJUST_ALLREDUCE=8:0-9;2",
            ("MPI_Allreduce", 8, 10),
            Selected::Own,
            "a shell ends the value before `;2`",
        ),
    ] {
        assert_eq!(
            selects(dialect, text, None, name, K, bytes),
            selected,
            "{text}"
        );
        let found = findings(dialect, text, None);
        assert!(found.contains(why), "{text}: {found}");
    }
    // Not a line that sets one: a comment, a variable that is read or passed on.
    let read = "# I_MPI_ADJUST_BCAST 2\nI_MPI_ADJUST_BCAST=2\nexport I_MPI_ADJUST_BCAST\necho $I_MPI_ADJUST_BCAST # I_MPI_ADJUST_BCAST\nexport I_MPI_ADJUST_BCAST; # pass it on\nexport I_MPI_ADJUST_BCAST I_MPI_ADJUST_REDUCE\nmpirun -genvlist I_MPI_ADJUST_BCAST -n 4 ./a\necho \"I_MPI_ADJUST_BCAST=$I_MPI_ADJUST_BCAST\"\nenv | grep I_MPI_ADJUST_";
    assert_eq!(findings(Intel, read, None), "");
    let fails = |text, name, K| {
        matches!(
            selects(Dialect::Openmpi, text, None, name, K, 9),
            Selected::Not(_)
        )
    };
    assert!(fails("1 7 1 2 1 0 13 0 0", "MPI_Bcast", 4));
    assert!(
        fails("1 0 1 2 1 0 6 0 0", "MPI_Allgather", 4)
            && !fails("1 0 1 2 1 0 6 0 0", "MPI_Allgather", 2)
    );
    // The versions have other algorithms, and other ranges of communicator sizes.
    let sparbit = "1 0 1 2 1 0 7 0 0";
    assert_eq!(
        selects(
            Dialect::Openmpi,
            sparbit,
            Some(Library::OpenMpi5),
            "MPI_Allgather",
            4,
            9
        ),
        named("sparbit", 0)
    );
    let four = selects(
        Dialect::Openmpi,
        sparbit,
        Some(Library::OpenMpi4),
        "MPI_Allgather",
        4,
        9,
    );
    assert!(matches!(four, Selected::Not(_)), "{four:?}");
    let ranges = "1 7 3 4 1 0 1 0 0 8 1 0 2 0 0 16 1 0 3 0 0";
    let of = |version| selects(Dialect::Openmpi, ranges, Some(version), "MPI_Bcast", 8, 9);
    assert_eq!(
        [Library::OpenMpi5, Library::OpenMpi6].map(of),
        [named("chain, fan-out 1", 0), named("pipeline", 0)]
    );
}

/// Segments and protocols that a file cannot state are said.
#[test]
fn segments_and_protocols_without_a_place_are_said() {
    let rule = Rule {
        function: function("MPI_Bcast"),
        ranks: [8, 8],
        bytes: [0, u64::MAX],
        take: Some(Take {
            ours: "broadcast-scatter-ring",
            segment: 1024,
            protocol: Some("ll"),
        }),
        why: String::new(),
    };
    let table = Table {
        notes: vec!["Decisions".to_owned()],
        rules: vec![rule],
    };
    for dialect in [Dialect::Mpich, Dialect::Intel, Dialect::Openmpi] {
        let left = dialect.write(&table, Some(BASE)).unwrap().left;
        assert_eq!(
            left.iter().any(|why| why.contains("segments")),
            dialect != Dialect::Openmpi,
            "{left:?}"
        );
        assert!(
            left.iter().any(|why| why.contains("protocol ll")),
            "{left:?}"
        );
    }
}

/// What a file of a library cannot say is left to it, with the reason in the file and beside it; a last number of ranks that MPI cannot
/// exceed is none.
#[test]
fn decisions_that_never_hold_are_left() {
    let header = "function,ranks_min,ranks_max,bytes_min,bytes_max,algorithm,segment_bytes,why\n";
    let table = |row: &str| Table::parse(&format!("{header}{row}"));
    let with_protocol = header.replace(",why", ",protocol,why");
    for (row, why) in [
        ("allreduce-ring,0,ll64,x", "NCCL has no protocol `ll64`"),
        (",0,ll,x", "a protocol without an algorithm"),
    ] {
        let found = Table::parse(&format!("{with_protocol}MPI_Allreduce,4,8,0,,{row}"));
        let found = found.unwrap_err();
        assert!(found.contains(why), "{found}");
    }
    let written = |row: &str| Dialect::Openmpi.write(&table(row).unwrap(), None).unwrap();
    let scan = written("MPI_Scan,4,8,10,20,scan-linear,0,x");
    assert!(
        scan.left[0].contains("compares no size")
            && scan
                .text
                .contains("as without rules: the library compares no size")
    );
    let none = written("MPI_Bcast,4,8,0,,broadcast-n-block-circulant,0,mine");
    assert!(
        none.text.contains("as without rules: the library has no"),
        "{}",
        none.text
    );
    let most = written("MPI_Bcast,4,2147483647,0,,broadcast-chain,0,x").text;
    assert!(!most.contains("2147483648"), "{most}");
    assert!(table("MPI_Bcast,2147483648,,0,,broadcast-chain,0,x").is_err());
}

/// A call that no line of NCCL's file fits gets one channel, as one with -1 channels.
#[test]
fn a_file_for_nccl_that_leaves_calls_is_named() {
    let all = |collective: &str, last: u64| format!("{collective},0,{last},ring,simple,0,-1,-1\n");
    let whole: String = ["broadcast", "reduce", "allgather", "reducescatter"]
        .map(|own| all(own, u64::MAX))
        .concat();
    let notes =
        vec!["The library's own choice stays where nothing was asked, and where x".to_owned()];
    let table = Table {
        notes,
        rules: Vec::new(),
    };
    let text = Dialect::Nccl.write(&table, None).unwrap().text;
    assert!(
        text.starts_with("# There is no line for calls that were not asked, and where x\n"),
        "{text}"
    );
    let found = |text: &str| Dialect::Nccl.read(text, None).findings;
    let two = all("allreduce", 9) + "allreduce,10,18446744073709551615,tree,simple,0,-1,-1\n";
    assert_eq!(found(&(whole.clone() + &two)), []);
    let one = found(&(whole.clone() + &two.replace(",0,-1,-1", ",-1,-1,-1")));
    assert!(one[0].why.starts_with("-1 channels are one"), "{one:?}");
    let left = found(&(whole + &all("allreduce", 9)));
    assert_eq!(left[0].effect, Effect::Silent);
    assert!(
        left[0].why.ends_with("for all calls of allreduce"),
        "{left:?}"
    );
}

/// Sizes that a library cannot compare are left to it, and said.
#[test]
fn sizes_of_more_than_31_bits_are_left() {
    let of = |ours, bytes| Rule {
        function: function("MPI_Bcast"),
        ranks: [8, 8],
        bytes,
        take: Some(Take {
            ours,
            segment: 0,
            protocol: None,
        }),
        why: "x\n1024 4 0 0".to_owned(),
    };
    let rules = vec![
        of("broadcast-scatter-ring", [3_000_000_000, u64::MAX]),
        of("broadcast-binomial", [0, 2_999_999_999]),
    ];
    let notes = vec!["Decisions among the algorithms of Open MPI 4.1".to_owned()];
    let table = Table { notes, rules };
    let call = |bytes| Call {
        K: 8,
        bytes,
        element: 1,
    };
    for dialect in [Dialect::Mpich, Dialect::Intel] {
        let written = dialect.write(&table, Some(BASE)).unwrap();
        assert_eq!(written.left.len(), 2, "{:?}", written.left);
        let file = dialect.read(&written.text, None).selects;
        let binomial = dialect
            .name(function("MPI_Bcast"), "broadcast-binomial")
            .unwrap();
        assert_eq!(
            file(function("MPI_Bcast"), call(1 << 30)),
            named(&binomial, 0),
            "{}",
            written.text
        );
        assert_eq!(
            file(function("MPI_Bcast"), call(4_000_000_000)),
            own(dialect, function("MPI_Bcast"), call(4_000_000_000))
        );
    }
    for dialect in [Dialect::Ucc, Dialect::Nccl, Dialect::Openmpi] {
        let text = dialect.write(&table, None).unwrap().text;
        assert_eq!(
            text.contains("algorithms of Open MPI"),
            dialect == Dialect::Openmpi,
            "{text}"
        );
        assert!(!text.contains("\n1024 4"), "{text}");
    }
}

/// The examples of the formats' pages, as their readers take them.
#[test]
fn files_of_others() {
    // CollNet has the same messages, on few machines.
    for name in ["MPI_Allgather", "MPI_Reduce_scatter_block"] {
        let function = function(name);
        let of_switch = ["allgather-switch", "reduce-scatter-switch"];
        let mut names = of_switch
            .iter()
            .filter_map(|ours| Dialect::Nccl.name(function, ours));
        assert_eq!(names.next().as_deref(), Some("nvls"));
    }
    let classic = "1\n7\n1\n8\n2\n0 6 0 0\n65536 3 0 32768\n";
    assert_eq!(
        selects(Dialect::Openmpi, classic, None, "MPI_Bcast", 16, 65535),
        named("binomial", 0)
    );
    // Ranks below the first size have its rules, too.
    assert_eq!(
        selects(Dialect::Openmpi, classic, None, "MPI_Bcast", 2, 65536),
        named("pipeline", 32768)
    );
    let ucc =
        "UCC_TL_UCP_TUNE=allreduce:0-8k:[2-64]:@knomial#allreduce:8k-inf:[2-64]:@sra_knomial\n";
    assert_eq!(
        selects(Dialect::Ucc, ucc, None, "MPI_Allreduce", 64, 8191),
        named("knomial", 0)
    );
    assert_eq!(
        selects(Dialect::Ucc, ucc, None, "MPI_Allreduce", 64, 8192),
        named("sra_knomial", 0)
    );
    assert_eq!(
        selects(Dialect::Ucc, ucc, None, "MPI_Allreduce", 65, 8192),
        Selected::Own
    );
    let intel = "I_MPI_ADJUST_BCAST=\"1:0-8191;8:8192-65535;3:65536-2147483647@16-1024\"\n";
    assert_eq!(
        selects(Dialect::Intel, intel, None, "MPI_Bcast", 16, 65536),
        named("3 ring", 0)
    );
    assert_eq!(
        selects(Dialect::Intel, intel, None, "MPI_Bcast", 8, 65536),
        Selected::Own
    );
    assert_eq!(
        selects(Dialect::Intel, intel, None, "MPI_Bcast", 8, 8192),
        named("algorithm 8", 0)
    );
}

/// Of a key that stands twice MPICH takes the later value; UCC takes a comment of a shell for a token.
#[test]
fn a_chain_with_a_fan_out_of_1_is_a_pipeline() {
    let ours = |name| Dialect::Openmpi.ours(function("MPI_Bcast"), name);
    assert_eq!(ours("chain, fan-out 1"), ours("pipeline"));
    assert_eq!(ours("pipeline"), Some("broadcast-chain"));
    assert_eq!(ours("chain, fan-out 4"), None);
}

/// MPICH's `atoi` stops at the second sign.
#[test]
fn a_threshold_with_two_signs_is_another_number() {
    let table = |sign: &str| {
        format!(
            r#"{{"collective=bcast": {{"avg_msg_size{sign}99": {{"algorithm=MPIR_Bcast_intra_binomial": {{}}}},
            "avg_msg_size=any": {{"algorithm=MPIR_Bcast_intra_smp": {{}}}}}}}}"#
        )
    };
    for (sign, is_named) in [("<", false), ("<=", false), ("<==", true), ("<<=", true)] {
        let found = findings(Dialect::Mpich, &table(sign), None);
        assert_eq!(
            found.contains("99` is read as 0"),
            is_named,
            "{sign}: {found}"
        );
    }
}

/// An algorithm for operators that are built in, or commute, and for as many elements as ranks stays under these conditions.
#[test]
fn decisions_for_mpich_keep_the_conditions_of_algorithms() {
    let base = r#"{"collective=allreduce": {"comm_type=intra": {
        "is_op_built_in=no": {"algorithm=MPIR_Allreduce_intra_recursive_doubling": {}},
        "is_op_built_in=yes": {"count<pow2": {"algorithm=MPIR_Allreduce_intra_recursive_doubling": {}},
          "count=any": {"algorithm=MPIR_Allreduce_intra_reduce_scatter_allgather": {}}}}},
      "collective=reduce_scatter": {"comm_type=intra": {
        "is_commutative=yes": {"algorithm=MPIR_Reduce_scatter_intra_pairwise": {}},
        "is_commutative=no": {"algorithm=MPIR_Reduce_scatter_intra_recursive_doubling": {}}}},
      "collective=allgather": {"comm_type=intra": {
        "comm_size=pow2": {"algorithm=MPIR_Allgather_intra_recursive_doubling": {}},
        "comm_size=any": {"algorithm=MPIR_Allgather_intra_brucks": {}}}},
      "collective=alltoall": {"comm_type=intra": {
        "is_sendbuf_inplace=yes": {"algorithm=MPIR_Alltoall_intra_pairwise_sendrecv_replace": {}},
        "is_sendbuf_inplace=no": {"algorithm=MPIR_Alltoall_intra_scattered": {}}}}}"#;
    let rows = "MPI_Allreduce,8,8,0,,allreduce-rabenseifner,0,x\nMPI_Reduce_scatter,8,8,0,,reduce-scatter-pairwise,0,x\n\
                MPI_Alltoall,8,8,0,,alltoall-linear,0,x\n\
                MPI_Allgather,8,8,0,,allgather-recursive-doubling,0,x\nMPI_Allgather,12,20,0,,allgather-recursive-doubling,0,x\n";
    let header = "function,ranks_min,ranks_max,bytes_min,bytes_max,algorithm,segment_bytes,why\n";
    let table = Table::parse(&format!("{header}{rows}")).unwrap();
    let text = Dialect::Mpich.write(&table, Some(base)).unwrap().text;
    let lacks = |text: &str| {
        let found = findings(Dialect::Mpich, text, None);
        let lacks = found.lines().filter(|line| line.contains("is for calls"));
        lacks.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lacks(&text), [""; 0]);
    // 28 B are 7 elements.
    for (bytes, name) in [(28, "recursive_doubling"), (32, "reduce_scatter_allgather")] {
        let call = Call {
            K: 8,
            bytes,
            element: 4,
        };
        let selected = (Dialect::Mpich.read(&text, None).selects)(function("MPI_Allreduce"), call);
        assert_eq!(selected, named(&format!("MPIR_Allreduce_intra_{name}"), 0));
    }
    let bare = r#"{"collective=allreduce": {"comm_size<=8": {"is_op_built_in=yes": {"algorithm=MPIR_Allreduce_intra_reduce_scatter_allgather": {}},
          "is_op_built_in=no": {"algorithm=MPIR_Allreduce_intra_recursive_doubling": {}}}, "comm_size=any": {"algorithm=MPIR_Allreduce_intra_ring": {}}}}"#;
    let found = lacks(bare);
    assert!(
        found.len() == 2
            && found[0].contains("count<pow2")
            && found[1].contains("is_commutative=yes"),
        "{found:?}"
    );
}

/// 16 ranks on 2 nodes: NCCL counts both, and MPICH calls the communicator a parent.
#[test]
fn nodes_with_several_ranks_select_their_own_decisions() {
    let on = |dialect: Dialect, text: &str, node: u64, name: &str| {
        let reading = dialect.read_on(text, None, node);
        let call = Call {
            K: 16,
            bytes: 64,
            element: 1,
        };
        let findings = reading.findings.iter();
        let is_judged = findings
            .clone()
            .all(|finding| !finding.why.contains("nNodes"));
        ((reading.selects)(function(name), call), is_judged)
    };
    let lines = "allreduce,0,99,tree,ll,0,2,16\nallreduce,0,99,ring,simple,0,16,-1\n";
    for (node, name) in [(8, "tree_ll"), (1, "ring")] {
        let found = on(Dialect::Nccl, lines, node, "MPI_Allreduce");
        assert_eq!(found, (named(name, 0), node == 8));
    }
    let tree = r#"{"collective=bcast": {"comm_hierarchy=parent": {"comm_avg_ppn<=4": {"algorithm=MPIR_Bcast_intra_binomial": {}},
        "any": {"algorithm=MPIR_Bcast_intra_smp": {}}}, "comm_hierarchy=any": {"algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {}}}}"#;
    for (node, name) in [
        (1, "scatter_ring_allgather"),
        (4, "binomial"),
        (8, "smp"),
        (16, "scatter_ring_allgather"),
    ] {
        let found = on(Dialect::Mpich, tree, node, "MPI_Bcast").0;
        assert_eq!(
            found,
            named(&format!("MPIR_Bcast_intra_{name}"), 0),
            "{node}"
        );
    }
}

#[test]
fn a_quote_without_an_end_hides_no_decision() {
    let rows =
        "MPI_Bcast,4,8,0,9,broadcast-chain,0,\"a b\nMPI_Alltoall,2,4,0,9,alltoall-pairwise,0,x\n";
    let header = "function,ranks_min,ranks_max,bytes_min,bytes_max,algorithm,segment_bytes,why\n";
    let wrong = Table::parse(&format!("{header}{rows}")).unwrap_err();
    assert!(wrong.contains("line 2: a field has a line end"), "{wrong}");
}

#[test]
fn keys_that_stand_twice_and_comments_are_found() {
    let text = r#"{"collective=bcast": {"comm_type=any": {"algorithm=MPIR_Bcast_intra_binomial": {}}},
        "collective=bcast": {"comm_type=any": {"algorithm=MPIR_Bcast_intra_smp": {}}}}"#;
    assert_eq!(
        selects(Dialect::Mpich, text, None, "MPI_Bcast", 4, 9),
        named("MPIR_Bcast_intra_smp", 0)
    );
    let found = findings(Dialect::Mpich, text, None);
    assert!(found.contains("the key stands twice"), "{found}");
    let text = "UCC_TL_UCP_TUNE = allreduce:0-4k:@ring # small\n";
    let found = findings(Dialect::Ucc, text, None);
    assert!(
        found.contains("file dropped") && found.contains("begins with `;`"),
        "{found}"
    );
    let shell = "export UCC_TL_UCP_TUNE=allreduce:0-4k:@ring # small\n";
    assert_eq!(
        selects(Dialect::Ucc, shell, None, "MPI_Allreduce", 4, 9),
        named("ring", 0)
    );
}
