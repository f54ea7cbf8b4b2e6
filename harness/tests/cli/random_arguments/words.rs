//! The words of random argument lists.

/// Weights of verbs other than the default of five; verbs that take seconds are rare.
pub const WEIGHTS: [(&str, u64); 15] = [
    ("cost", 200),
    ("show", 60),
    ("export", 30),
    ("sweep", 60),
    ("best", 30),
    ("merge", 20),
    ("figures", 15),
    ("run", 10),
    ("list", 10),
    ("man", 10),
    ("bound", 20),
    ("generate", 20),
    ("audit", 2),
    ("report", 1),
    ("regress", 1),
];

/// Nasty values, between broken bars.
pub const NASTY: &str = "\
    0¦1¦18446744073709551615¦18446744073709551616¦18446744073709551614¦9223372036854775807¦9223372036854775808¦\
    4294967295¦4294967296¦1000000000000000000¦123456789012345678901234567890¦-1¦-9223372036854775809¦1e18¦1_000¦\
    1__0_¦NaN¦inf¦0x10¦1.5¦٣¦¦ ¦é¦../¦..¦/¦--¦-¦=¦a=b¦%s%n¦0\u{202e}1¦'\"`$(:)";

/// Names in the scratch directory, between commas: existing ones, missing ones, and ones of the wrong kind.
pub const PATHS: &str = "\
    small.toml,small.toml,mine.toml,optimal.goal,sum.goal,swept,swept,shard-1,shard-2,measured,out,out,\
    out/deeper/still,missing,missing.toml,../beside,.,small.toml/inside,a b,dangling,binary,swept/manifest.json";

/// The possible values of each variable.
pub const ENVIRONMENTS: [(&str, &str); 14] = [
    ("NO_COLOR", "1"),
    ("CLICOLOR_FORCE", "1"),
    ("TERM", "dumb"),
    ("TERM", "é"),
    ("COLUMNS", "0"),
    ("COLUMNS", "18446744073709551616"),
    ("LINES", "-1"),
    ("LC_ALL", "de_DE.UTF-8"),
    ("LANG", "tr_TR"),
    ("RAYON_NUM_THREADS", "0"),
    ("RAYON_NUM_THREADS", "7"),
    ("RAYON_NUM_THREADS", "NaN"),
    ("TZ", "Nowhere/No"),
    ("TMPDIR", "/nonexistent"),
];
