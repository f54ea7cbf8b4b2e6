//! Which keys of a file castbench reads. A key that it neither reads nor knows to change nothing can change what the schedule does, so a
//! file that has one is not judged.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::finding::Trouble;
use super::lines::{self, Key};

/// The keys of an element of a file.
#[derive(Debug)]
pub struct Element {
    /// Its name in messages.
    pub name: &'static str,
    /// The keys that are read, those with elements inside, and those that change no result, no order and no message.
    pub read: &'static [&'static str],
    /// See [`read`](Self::read).
    pub inside: &'static [(&'static str, &'static Element)],
    /// See [`read`](Self::read).
    pub meaningless: &'static [&'static str],
}

impl Element {
    fn inside(&self, key: &str) -> Option<&'static Element> {
        self.inside
            .iter()
            .find(|(name, _)| *name == key)
            .map(|(_, inside)| *inside)
    }

    /// Checks that a key of the element is known.
    ///
    /// # Errors
    /// The key, and what it can mean.
    pub fn check(&self, key: &str) -> Result<(), String> {
        let is_known = self.read.contains(&key)
            || self.meaningless.contains(&key)
            || self.inside(key).is_some();
        match is_known {
            true => Ok(()),
            false => Err(format!(
                "{} has the key `{}`, which castbench does not read; it may change what the schedule does",
                self.name,
                key.escape_debug()
            )),
        }
    }

    /// Checks all keys of a text in JSON. A text that is no JSON is left to its reader.
    ///
    /// # Errors
    /// [`Trouble::NotJudged`] with the first key that is not known.
    pub fn check_json(&'static self, text: &str) -> Result<(), Trouble> {
        let mut unknown = None;
        let mut json = serde_json::Deserializer::from_str(text);
        let _ = Walk {
            element: self,
            unknown: &mut unknown,
        }
        .deserialize(&mut json);
        unknown.map_or(Ok(()), |(address, reason)| {
            let line = address.and_then(|address| lines::line(text, address));
            Err(Trouble::NotJudged(line, reason))
        })
    }
}

/// Reads one element, or a list of such.
struct Walk<'a> {
    element: &'static Element,
    /// The address of the first key that is not known, and what it can mean.
    unknown: &'a mut Option<(Option<usize>, String)>,
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list of objects")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Key<'de>>()? {
            if let Err(reason) = self.element.check(&key.0) {
                self.unknown.get_or_insert((key.address(), reason));
            }
            match self.element.inside(&key.0) {
                Some(element) => map.next_value_seed(Walk {
                    element,
                    unknown: &mut *self.unknown,
                })?,
                None => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list
            .next_element_seed(Walk {
                element: self.element,
                unknown: &mut *self.unknown,
            })?
            .is_some()
        {}
        Ok(())
    }
}

/// An execution plan of MSCCL++.
pub static MSCCLPP: Element = Element {
    name: "the plan",
    read: &["collective", "protocol", "inplace"],
    inside: &[("gpus", &GPU)],
    meaningless: &[
        "name",
        "reuse_resources",
        "num_threads_per_block",
        "use_double_scratch_buffer",
        "buffer_alignment",
        "min_message_size",
        "max_message_size",
    ],
};

static GPU: Element = Element {
    name: "a gpu",
    read: &["id", "input_chunks", "output_chunks", "scratch_chunks"],
    inside: &[
        ("channels", &CHANNELS),
        ("remote_buffers", &REMOTE),
        ("semaphores", &SEMAPHORE),
        ("threadblocks", &BLOCK),
    ],
    meaningless: &[],
};

static CHANNELS: Element = Element {
    name: "a list of channels",
    read: &["channel_type", "connected_to", "buffer_type", "buff"],
    inside: &[(
        "rank_groups",
        &Element {
            name: "a group of ranks",
            read: &["ranks"],
            inside: &[],
            meaningless: &["size"],
        },
    )],
    meaningless: &[],
};

static REMOTE: Element = Element {
    name: "a remote buffer",
    read: &["rank", "type", "buff", "access_channel_types"],
    inside: &[],
    meaningless: &[],
};

static SEMAPHORE: Element = Element {
    name: "a semaphore",
    read: &["init_value"],
    inside: &[],
    meaningless: &[],
};

static BLOCK: Element = Element {
    name: "a threadblock",
    read: &["id"],
    inside: &[
        ("ops", &OPERATION),
        ("channels", &IDS),
        ("remote_buffer_refs", &IDS),
    ],
    meaningless: &[],
};

static IDS: Element = Element {
    name: "a list of channels of a threadblock",
    read: &[
        "channel_type",
        "access_channel_type",
        "channel_ids",
        "remote_buffer_ids",
    ],
    inside: &[],
    meaningless: &["buff"],
};

static OPERATION: Element = Element {
    name: "an operation",
    read: &[
        "name",
        "channel_ids",
        "channel_type",
        "barrier_id",
        "num_threadblocks",
        "semaphore_ids",
        "reduce_op",
    ],
    inside: &[
        ("src_buff", &CHUNKS),
        ("dst_buff", &CHUNKS),
        ("ops", &OPERATION),
        (
            "tbg_info",
            &Element {
                name: "`tbg_info`",
                read: &["tb_id", "tbg_size"],
                inside: &[],
                meaningless: &[],
            },
        ),
        (
            "iter_context",
            &Element {
                name: "`iter_context`",
                read: &["num_chunks"],
                inside: &[],
                meaningless: &["unit_size"],
            },
        ),
    ],
    meaningless: &[],
};

static CHUNKS: Element = Element {
    name: "a buffer of an operation",
    read: &[
        "type",
        "buff",
        "buffer_id",
        "switch_channel_id",
        "index",
        "size",
    ],
    inside: &[],
    meaningless: &[],
};

/// The elements of MSCCL XML, by their tags. An operator other than a sum would let a contribution come twice.
pub static MSCCL: Element = Element {
    name: "the file",
    read: &[],
    inside: &[
        (
            "algo",
            &Element {
                name: "<algo>",
                read: &[
                    "nchunksperloop",
                    "ngpus",
                    "coll",
                    "inplace",
                    "outofplace",
                    "redop",
                ],
                inside: &[],
                meaningless: &["name", "proto", "nchannels", "minBytes", "maxBytes"],
            },
        ),
        (
            "gpu",
            &Element {
                name: "<gpu>",
                read: &["id", "i_chunks", "o_chunks", "s_chunks"],
                inside: &[],
                meaningless: &[],
            },
        ),
        (
            "tb",
            &Element {
                name: "<tb>",
                read: &["id", "send", "recv", "chan"],
                inside: &[],
                meaningless: &[],
            },
        ),
        (
            "step",
            &Element {
                name: "<step>",
                read: &[
                    "s", "type", "srcbuf", "srcoff", "dstbuf", "dstoff", "cnt", "depid", "deps",
                    "hasdep",
                ],
                inside: &[],
                meaningless: &[],
            },
        ),
    ],
    meaningless: &[],
};

impl Element {
    /// Checks an element of XML and its attributes.
    ///
    /// # Errors
    /// The first name that is not known, and what it can mean.
    pub fn check_xml<'a>(
        &self,
        tag: &str,
        attributes: impl Iterator<Item = &'a str>,
    ) -> Result<(), String> {
        self.check(tag)?;
        let Some(inside) = self.inside(tag) else {
            return Ok(());
        };
        attributes
            .into_iter()
            .try_for_each(|name| inside.check(name))
    }
}

/// The attributes of a node of a Chakra trace that sends, receives or calls a collective. Those of ASTRA-sim's converter repeat the XML.
pub static CHAKRA: Element = Element {
    name: "a node",
    read: &["comm_size", "comm_src", "comm_dst", "comm_tag", "comm_type"],
    inside: &[],
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
