//! Names what happened to a file on its way here.

/// First bytes of a file that is not text, what it is, and what to do.
const SIGNS: [(&[u8], &str); 11] = [
    (b"\x1f\x8b", "compressed with gzip; decompress it with `gunzip`"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd; decompress it with `unzstd`"),
    (b"\xfd7zXZ\0", "compressed with xz; decompress it with `unxz`"),
    (b"BZh", "compressed with bzip2; decompress it with `bunzip2`"),
    (b"PK\x03\x04", "a zip archive; extract it with `unzip`"),
    (b"\xff\xfe", "text in UTF-16; convert it with `iconv -f UTF-16 -t UTF-8`"),
    (b"\xfe\xff", "text in UTF-16; convert it with `iconv -f UTF-16 -t UTF-8`"),
    (b"\xef\xbb\xbf", "text behind a byte order mark (BOM) of UTF-8; remove the mark with `tail -c +4`"),
    (b"version https://git-lfs", "a pointer of Git LFS; fetch the file with `git lfs pull`"),
    (b"<", "a page in HTML or XML; download the file itself"),
    (b"begin ", "encoded with uuencode; decode it with `uudecode`"),
];

/// Shortest first line that is taken for base64: no line of GOAL is one word of this length.
const BASE64: usize = 20;

/// What a file is that begins with these bytes, and what to do; none if they can be text in GOAL.
pub(super) fn encoded(head: &[u8]) -> Option<&'static str> {
    let text = head.trim_ascii_start();
    if let Some((_, what)) = SIGNS.iter().find(|(sign, _)| text.starts_with(sign)) {
        return Some(what);
    }
    let line = text.split(|&byte| matches!(byte, b'\r' | b'\n')).next().unwrap_or_default();
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    match head {
        [0, 1..=255, ..] => Some("text in UTF-16; convert it with `iconv -f UTF-16BE -t UTF-8`"),
        [1..=255, 0, ..] => Some("text in UTF-16; convert it with `iconv -f UTF-16LE -t UTF-8`"),
        // A comment can be one word of such characters.
        _ if line.len() >= BASE64 && !line.starts_with(b"//") && line.iter().all(is_base64) => {
            Some("encoded in base64; decode it with `base64 -d`")
        }
        _ if head.windows(2).any(|pair| pair[0] == b'\r' && pair[1] != b'\n') => {
            Some("text whose lines end with CR alone; convert it with `tr '\\r' '\\n'`")
        }
        _ => None,
    }
}
