//! The container: magic, version, checked sections, an end that proves the file whole.
//!
//! # The next version of the profile format
//!
//! A section that a reader may skip needs no new version: give it a tag whose first letter is lower
//! case. Everything else does: another layout of a section, a section that may not be skipped, a
//! new member of
//! [`Operation`](crate::Operation), [`CallClass`](crate::CallClass) or any other enumeration that
//! is written, as a reader refuses numbers it does not know. Files of every version stay readable:
//!
//! 1. Append the number to [`READABLE`]; the last of the list is the version written. What is not
//!    in the list is answered by the right message already: a larger number is newer, a smaller one
//!    older, a number between no version at all.
//! 2. Let [`Sections`] keep the version that [`Sections::open`] has found, and let `encoding`
//!    choose by it. The types of the old layout move into a module of their own, `encoding/v1.rs`
//!    for version 1, that turns them into those of today; nothing else knows that there was another
//!    layout. Writing knows the new version only.
//! 3. Describe both layouts in `lib.rs`, old and new.
//! 4. Commit a file of the new version as `tests/vectors/version-N.rfp`, with something in every
//!    section, and a test of what it holds in `tests/versions.rs`. The files and tests that are
//!    there stay as they are, for ever; `tests/layout.rs` and `tests/planes.rs` pin the bytes of
//!    the version written and follow it.
//! 5. Say in the changelog which release writes the new version: an older rankfold answers such a
//!    file with "newer".

use crate::error::Fault;
use crate::version;
use std::io::{self, Read, Write};

/// Not ASCII first (no text file starts so), then both line ends and a DOS end-of-file: a text-mode
/// transfer breaks it.
pub(crate) const MAGIC: [u8; 8] = *b"\x89RFP\r\n\x1a\n";
/// The versions read, ascending; the last one is written.
const READABLE: [u32; 1] = [1];
/// The version written.
const VERSION: u32 = READABLE[READABLE.len() - 1];
/// Bytes before the first section.
const HEAD: u64 = 12;
/// The longest body of a section: a reader needs no more memory than this at a time.
pub(crate) const LIMIT: usize = 64 << 20;

/// Four letters; a lower-case first one marks a section that a reader who does not know it may
/// skip.
pub(crate) type Tag = [u8; 4];

/// A checked section, as read.
pub(crate) struct Section {
    pub(crate) tag: Tag,
    pub(crate) body: Vec<u8>,
    /// Where the section starts in the file.
    pub(crate) offset: u64,
}

/// Whether a reader who does not know `tag` may skip its section.
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

/// CRC-32 (IEEE 802.3) over tag, length and body: a flipped bit in any of them is seen.
fn checksum(tag: Tag, length: [u8; 8], body: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&tag);
    crc.update(&length);
    crc.update(body);
    crc.finalize()
}

/// Reads a container one section at a time.
pub(crate) struct Sections<R> {
    input: R,
    offset: u64,
}

impl<R: Read> Sections<R> {
    /// Reads the head.
    pub(crate) fn open(mut input: R) -> Result<Self, Fault> {
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

    /// The next section; the end of the file is never expected here, because an `END ` section
    /// closes it.
    pub(crate) fn next(&mut self) -> Result<Section, Fault> {
        let start = self.offset;
        let tag: Tag = self.array()?;
        let length: [u8; 8] = self.array()?;
        let sum = u32::from_le_bytes(self.array()?);
        let claimed = u64::from_le_bytes(length);
        if claimed > LIMIT as u64 {
            return Err(corrupt(start, "a section claims more than 64 MiB"));
        }
        // Grows with what is really there: a false length cannot ask for memory.
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

    /// Confirms that nothing follows the last section.
    pub(crate) fn finish(mut self) -> Result<(), Fault> {
        match self.input.read(&mut [0])? {
            0 => Ok(()),
            _ => Err(corrupt(self.offset, "bytes follow the end section")),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
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
