//! The container of a profile: magic, version, sections with checksums, and an end section that
//! shows that the file is complete.
//!
//! # How to introduce a new version of the profile format
//!
//! A new section that old readers may skip needs no new version: give it a tag whose first letter
//! is lower case. Every other change needs a new version: a changed layout of a section, a new
//! section that may not be skipped, or a new member of an enumeration that files hold, such as
//! [`Operation`](crate::Operation) or [`CallClass`](crate::CallClass), as readers refuse numbers
//! they do not know. Files of every version stay readable:
//!
//! 1. Append the number to [`READABLE`]; its last number is the version that is written. Versions
//!    that are not in the list already lead to the right message: newer, older, or no version at
//!    all.
//! 2. Let [`Sections`] keep the version that [`Sections::open`] finds, and let `encoding` choose
//!    the layout by it. Types of the old layout move into a module of their own (`encoding/v1.rs`
//!    for version 1), which converts them to the types of today. No other module knows the old
//!    layout. Only the new version is written.
//! 3. Describe both layouts in `lib.rs`, the old one and the new one.
//! 4. Commit a file of the new version as `tests/vectors/version-N.rfp`, with something in every
//!    section, and a test of its content in `tests/versions.rs`. Existing files and tests there
//!    stay unchanged for ever. `tests/layout.rs` and `tests/planes.rs` pin the bytes of the version
//!    that is written, and change with it.
//! 5. State in the changelog which release writes the new version. Older releases call such a file
//!    "newer".

use crate::error::{Fault, Result};
use crate::version;
use std::io::{self, Read, Write};

/// First bytes of a profile. The first byte is not ASCII, so that no text file starts with it; both
/// line ends and a DOS end-of-file follow, so that a transfer in text mode breaks it.
pub(crate) const MAGIC: [u8; 8] = *b"\x89RFP\r\n\x1a\n";
/// The versions that are read, in ascending order; the last one is written.
const READABLE: [u32; 1] = [1];
/// The version that is written.
const VERSION: u32 = READABLE[READABLE.len() - 1];
/// Number of bytes before the first section.
const HEAD: u64 = 12;
/// Maximum length of a section's body, so that a reader needs no more memory than this at a time.
/// Part of the format.
pub(crate) const LIMIT: usize = 64 << 20;

/// Four letters. Readers may skip a section they do not know if its first letter is lower case.
pub(crate) type Tag = [u8; 4];

/// A section that was read and whose checksum is right.
pub(crate) struct Section {
    pub(crate) tag: Tag,
    pub(crate) body: Vec<u8>,
    /// Offset of the section in the file.
    pub(crate) offset: u64,
}

/// Whether a reader that does not know `tag` may skip the section.
pub(crate) fn optional(tag: Tag) -> bool {
    tag[0].is_ascii_lowercase()
}

pub(crate) fn write_head(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())
}

pub(crate) fn write_section(out: &mut dyn Write, tag: Tag, body: &[u8]) -> io::Result<()> {
    let length = (body.len() as u64).to_le_bytes();
    out.write_all(&tag)?;
    out.write_all(&length)?;
    out.write_all(&checksum(tag, length, body).to_le_bytes())?;
    out.write_all(body)
}

/// CRC-32 (IEEE 802.3) of tag, length and body, so that a flipped bit in any of the three is found.
fn checksum(tag: Tag, length: [u8; 8], body: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&tag);
    crc.update(&length);
    crc.update(body);
    crc.finalize()
}

/// Reads a container section by section.
pub(crate) struct Sections<R> {
    input: R,
    offset: u64,
}

impl<R: Read> Sections<R> {
    /// Reads magic and version.
    pub(crate) fn open(mut input: R) -> Result<Self> {
        let mut head = Vec::new();
        (&mut input).take(HEAD).read_to_end(&mut head)?;
        let common = head.len().min(MAGIC.len());
        if head[..common] != MAGIC[..common] {
            return Err(Fault::Foreign("rankfold profile"));
        }
        let Some(version) = head.get(8..12).and_then(|b| b.try_into().ok()) else {
            return Err(Fault::Truncated(head.len() as u64));
        };
        version::check(u32::from_le_bytes(version), &READABLE)?;
        Ok(Self {
            input,
            offset: HEAD,
        })
    }

    /// Reads the next section. The file may not end here, since an `END ` section closes it.
    pub(crate) fn next(&mut self) -> Result<Section> {
        let start = self.offset;
        let tag: Tag = self.array()?;
        let length: [u8; 8] = self.array()?;
        let sum = u32::from_le_bytes(self.array()?);
        let claimed = u64::from_le_bytes(length);
        if claimed > LIMIT as u64 {
            return Err(corrupt(start, "a section claims more than 64 MiB"));
        }
        // `body` grows with the bytes that exist: a false length cannot make it allocate more.
        let mut body = Vec::new();
        (&mut self.input).take(claimed).read_to_end(&mut body)?;
        self.offset += body.len() as u64;
        if (body.len() as u64) < claimed {
            return Err(Fault::Truncated(self.offset));
        }
        if checksum(tag, length, &body) != sum {
            return Err(corrupt(start, "the checksum does not match"));
        }
        Ok(Section {
            tag,
            body,
            offset: start,
        })
    }

    /// Checks that no bytes follow the last section.
    pub(crate) fn finish(mut self) -> Result<()> {
        match self.input.read(&mut [0])? {
            0 => Ok(()),
            _ => Err(corrupt(self.offset, "bytes follow the end section")),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = Vec::with_capacity(N);
        (&mut self.input).take(N as u64).read_to_end(&mut bytes)?;
        self.offset += bytes.len() as u64;
        bytes.try_into().map_err(|_| Fault::Truncated(self.offset))
    }
}

pub(crate) fn corrupt(offset: u64, problem: impl Into<String>) -> Fault {
    Fault::Corrupt {
        offset,
        problem: problem.into(),
    }
}
