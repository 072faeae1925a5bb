//! Files that are recognised by their content.

use flate2::read::MultiGzDecoder;
use std::io::Read;
use std::path::Path;

/// Bytes at the start of a file by which its format is recognised. Chosen by hand; not measured.
pub(crate) const HEAD: u64 = 1 << 16;

/// The first bytes of a file that gzip has compressed.
pub const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The start of a file; empty if it cannot be read.
pub fn head(path: &Path) -> Vec<u8> {
    let mut start = Vec::new();
    if let Ok(file) = std::fs::File::open(path)
        && file.take(HEAD).read_to_end(&mut start).is_err()
    {
        start.clear();
    }
    if start.starts_with(&GZIP) {
        let mut plain = Vec::new();
        // The cut end of the compressed bytes is an error after what the head decompresses to.
        let _cut = MultiGzDecoder::new(&*start)
            .take(HEAD)
            .read_to_end(&mut plain);
        return plain;
    }
    start
}
