//! Which keys of a file castbench reads. A key that it neither reads nor knows to change nothing can change what the schedule does, so a
//! file that has one is not judged. Those of JSON are the fields of what is read.

use std::fmt::Display;

/// The keys of an element of a file.
#[derive(Debug)]
pub struct Element {
    /// Its name in the file.
    pub name: &'static str,
    /// The keys that are read.
    pub read: &'static [&'static str],
    /// The keys that change no result, no order and no message.
    pub meaningless: &'static [&'static str],
}

/// Says that a key is not known.
pub fn unknown(owner: impl Display, key: impl Display) -> String {
    format!(
        "{owner} has the key `{key}`, which castbench does not read; it may change what the schedule does"
    )
}

impl Element {
    /// Checks that a key of the element is known.
    ///
    /// # Errors
    /// The key, and what it can mean; `owner` is the element in messages.
    pub fn check(&self, owner: impl Display, key: &str) -> Result<(), String> {
        if self.read.contains(&key) || self.meaningless.contains(&key) {
            Ok(())
        } else {
            Err(unknown(owner, key.escape_debug()))
        }
    }
}

/// Checks an element of MSCCL XML and its attributes.
///
/// # Errors
/// The first name that is not known, and what it can mean.
pub fn check_xml<'a>(
    tag: &str,
    mut attributes: impl Iterator<Item = &'a str>,
) -> Result<(), String> {
    let element = MSCCL
        .iter()
        .find(|element| element.name == tag)
        .ok_or_else(|| unknown("the file", tag.escape_debug()))?;
    attributes.try_for_each(|key| element.check(format_args!("<{tag}>"), key))
}

/// The elements of MSCCL XML. An operator other than a sum would let a contribution come twice.
static MSCCL: [Element; 4] = [
    Element {
        name: "algo",
        read: &[
            "nchunksperloop",
            "ngpus",
            "coll",
            "root",
            "inplace",
            "outofplace",
            "redop",
            "proto",
            "nchannels",
            "minBytes",
            "maxBytes",
        ],
        meaningless: &["name"],
    },
    Element {
        name: "gpu",
        read: &["id", "i_chunks", "o_chunks", "s_chunks"],
        meaningless: &[],
    },
    Element {
        name: "tb",
        read: &["id", "send", "recv", "chan"],
        meaningless: &[],
    },
    Element {
        name: "step",
        read: &[
            "s", "type", "srcbuf", "srcoff", "dstbuf", "dstoff", "cnt", "depid", "deps", "hasdep",
        ],
        meaningless: &[],
    },
];

/// The attributes of a node of a Chakra trace that sends, receives or calls a collective. Those of ASTRA-sim's converter repeat the XML.
pub static CHAKRA: Element = Element {
    name: "node",
    read: &["comm_size", "comm_src", "comm_dst", "comm_tag", "comm_type"],
    meaningless: &[
        "is_cpu_op",
        "num_ops",
        "tensor_size",
        "comm_priority",
        "runtime",
        "msg_chunk_cnt",
        "msg_chunk_idx",
        "total_chunk_cnt",
        "local_time_step",
        "chunk_offset",
        "hasdep",
        "deps",
        "depid",
        "tb_id",
        "rf_id",
        "fw_parent",
        "seq_id",
        "scope",
        "tid",
        "fw_tid",
        "op_schema",
    ],
};
