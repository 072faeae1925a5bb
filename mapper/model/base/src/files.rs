//! Files of the user, read with a bound where they have none themselves.

use crate::words::{NO_TEXT, seems};
use std::fs::File;
use std::io::{self, Read, Take};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Most bytes that are read from a device: some, such as `/dev/zero`, never end. Chosen by hand;
/// not measured.
const MOST_OF_DEVICE: u64 = 1 << 20;

/// Opens a file, a pipe or a device. What is read of a device is cut.
///
/// # Errors
/// The system's error.
pub fn open(path: impl AsRef<Path>) -> io::Result<Take<File>> {
    let file = File::open(path)?;
    let is_device = file.metadata()?.file_type().is_char_device();
    Ok(file.take(if is_device { MOST_OF_DEVICE } else { u64::MAX }))
}

/// What some editors put before a text. It is no part of the text.
pub const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Reads a whole file, pipe or device, without a byte-order mark.
///
/// # Errors
/// The system's error, or that of a device that gives too much.
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let mut file = open(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    if file.limit() == 0 {
        let problem = format!("it is a device that gives more than {MOST_OF_DEVICE} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
    }
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(bytes)
}

/// The same for a text.
///
/// # Errors
/// As [`read`], or that the file is no text, and what it seems to be.
pub fn read_text(path: impl AsRef<Path>) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| {
        let problem = not_text(error.as_bytes());
        io::Error::new(io::ErrorKind::InvalidData, problem)
    })
}

/// Why bytes cannot be read as text: what they seem to be.
#[must_use]
pub fn not_text(bytes: &[u8]) -> String {
    match seems(bytes) {
        nothing if nothing == NO_TEXT => "this is no text".into(),
        what => format!("this is no text, it seems to be {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_read_to_a_bound_and_a_file_to_its_end() {
        let error = read("/dev/zero").unwrap_err().to_string();
        assert!(error.contains("a device that gives more"), "{error}");
        assert_eq!(read("/dev/null").unwrap(), b"");
        let mut cut = Vec::new();
        open("/dev/zero").unwrap().read_to_end(&mut cut).unwrap();
        assert_eq!(cut.len() as u64, MOST_OF_DEVICE);
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        assert_eq!(
            read_text(manifest).unwrap(),
            std::fs::read_to_string(manifest).unwrap()
        );
    }
}
