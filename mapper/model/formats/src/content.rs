//! Files that are recognised by their content.

use flate2::read::MultiGzDecoder;
use rankfold_base::files;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Take};
use std::path::Path;

/// Bytes at the start of a file by which its format is recognised. Chosen by hand; not measured.
pub(crate) const HEAD: u64 = 1 << 16;

/// The first bytes of a file that gzip has compressed.
pub const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The start of a file, without a byte-order mark; empty if it cannot be read.
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
    if start.starts_with(files::BYTE_ORDER_MARK) {
        start.drain(..files::BYTE_ORDER_MARK.len());
    }
    start
}

/// The most bytes that a compressed file may hold for each byte of its size, beyond [`SMALL`]. A
/// file that holds more was made to fill the memory. Chosen by hand; not measured.
const MOST_GROWTH: u64 = 100;
/// Bytes that any compressed file may hold. Chosen by hand; not measured.
const SMALL: u64 = 1 << 20;

/// A file that gzip has compressed.
struct Packed(Take<MultiGzDecoder<BufReader<Take<File>>>>);

impl Read for Packed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.limit() == 0 {
            return Err(io::Error::other(format!(
                "its gzip data grow by more than {MOST_GROWTH} times, which no record of communication does: if it is one, decompress it first"
            )));
        }
        self.0.read(buffer).map_err(|error| {
            io::Error::other(format!(
                "its gzip data are damaged or half-written: {error}"
            ))
        })
    }
}

/// Opens a file for reading: data that gzip has compressed are unpacked, and a byte-order mark at
/// the start is skipped.
///
/// # Errors
/// The system's error. Reading fails where the compressed data are damaged or grow too much.
pub fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    const BUFFER: usize = 1 << 20;
    let file = files::open(path)?;
    let size = file.get_ref().metadata()?.len();
    let mut input = BufReader::with_capacity(BUFFER, file);
    let start = input.fill_buf()?;
    if !start.starts_with(&GZIP) {
        if start.starts_with(files::BYTE_ORDER_MARK) {
            input.consume(files::BYTE_ORDER_MARK.len());
        }
        return Ok(Box::new(input));
    }
    let decoder = MultiGzDecoder::new(input).take(SMALL + MOST_GROWTH * size);
    Ok(Box::new(BufReader::with_capacity(BUFFER, Packed(decoder))))
}
