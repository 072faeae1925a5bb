//! What a file seems to be that no reader knows.

/// Longest part of a line that is shown. Chosen by hand.
const SHOWN: usize = 60;

/// The first bytes of files of other programs.
const MAGIC: [(&[u8], &str); 11] = [
    (b"\x89RFP", "a profile of rankfold"),
    (b"\xff\xfe", UTF_16),
    (b"\xfe\xff", UTF_16),
    (
        b"\x7fELF",
        "a program; profile it first, as in rankfold profile -- mpirun -n 4 PROGRAM",
    ),
    (b"\x1f\x8b", "compressed by gzip; decompress it first"),
    (b"BZh", "compressed by bzip2; decompress it first"),
    (b"\xfd7zXZ", "compressed by xz; decompress it first"),
    (
        b"\x28\xb5\x2f\xfd",
        "compressed by zstd; decompress it first",
    ),
    (b"PK\x03\x04", "a zip archive; unpack it first"),
    (b"\x89HDF", "HDF5"),
    (b"#!", "a script"),
];

const UTF_16: &str = "UTF-16; convert it first: iconv -f UTF-16 -t UTF-8";

/// What a file seems to be that is neither text nor of a known kind.
pub const NO_TEXT: &str = "no text";

/// A few words on what a file with this beginning seems to be.
///
/// ```
/// use rankfold_base::words::seems;
///
/// assert_eq!(seems(b"<?xml version='1.0'?>\n<project>"), "XML with the root <project>");
/// assert_eq!(seems(b"dear reader\n"), "text whose first line is \"dear reader\"");
/// ```
#[must_use]
pub fn seems(head: &[u8]) -> String {
    if head.trim_ascii().is_empty() {
        return "empty".into();
    }
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        return (*what).to_owned();
    }
    let cut = head.len().min(1 << 12);
    let text = String::from_utf8_lossy(&head[..cut]);
    let odd = text
        .chars()
        .filter(|c| *c == '\u{fffd}' || (c.is_control() && !c.is_whitespace()));
    if odd.count() > text.len() / 20 {
        return NO_TEXT.into();
    }
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if let Some(root) = root(text) {
        return format!("XML with the root <{root}>");
    }
    let first = text.lines().next().unwrap_or_default().trim_end();
    let shown: String = first.chars().take(SHOWN).collect();
    let more = if shown.len() < first.len() { "..." } else { "" };
    let kind = if text.starts_with(['{', '[']) {
        "JSON"
    } else {
        "text"
    };
    format!("{kind} whose first line is {:?}", format!("{shown}{more}"))
}

/// The name of the root of XML.
fn root(text: &str) -> Option<&str> {
    if !text.starts_with('<') {
        return None;
    }
    let mut elements = text.split('<').skip(1);
    let root = elements.find(|element| element.starts_with(|c: char| c.is_ascii_alphabetic()))?;
    root.split(|c: char| c.is_whitespace() || c == '>' || c == '/')
        .next()
}

#[cfg(test)]
mod tests {
    use super::seems;

    #[test]
    fn every_kind_of_file_has_its_words() {
        for (head, what) in [
            (&b" \n"[..], "empty"),
            (b"\x7fELF\x02", "a program; profile it first"),
            (b"\x1f\x8b\x08", "gzip"),
            (b"\x00\x01\x02\x03", "no text"),
            (b"\xff\xfe0\x00", "UTF-16"),
            (b"<!-- x -->\n<a b='c'/>", "the root <a>"),
            (b"{\"a\": 1}", "JSON whose first line"),
            (b"<", "text whose first line is \"<\""),
        ] {
            assert!(seems(head).contains(what), "{what}: {}", seems(head));
        }
        assert!(seems(&[b'x'; 99]).ends_with("x...\""));
    }
}
