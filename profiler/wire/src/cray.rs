//! The position of a host of HPE Cray EX, which the system writes to a file.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// The file with the position, below the root of the file system.
const FILE: &str = "etc/cray/xname";

/// Most bytes of the file that are read. A position has some twenty.
const LIMIT: u64 = 64;

/// The switches from the root of the network down to the host, and the host: the cabinet and the
/// chassis of a position such as `x1000c0s1b0n1`. `None` where the file below `root` is missing or
/// holds anything else.
pub(crate) fn address(root: &Path, host: &str) -> Option<String> {
    let path = root.join(FILE);
    // Opening a named pipe would wait for a writer.
    if !fs::metadata(&path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    let file = File::open(path).ok()?;
    file.take(LIMIT).read_to_string(&mut text).ok()?;
    let (cabinet, chassis) = position(text.trim())?;
    let host = host.split('.').next().unwrap_or(host);
    Some(format!("{cabinet}.{chassis}.{host}"))
}

/// Cabinet and chassis of a position: `x1000` and `x1000c0`.
fn position(xname: &str) -> Option<(&str, &str)> {
    let mut rest = xname;
    let mut ends = Vec::new();
    for letter in ['x', 'c', 's', 'b', 'n'] {
        rest = rest.strip_prefix(letter)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return None;
        }
        rest = &rest[digits..];
        ends.push(xname.len() - rest.len());
    }
    rest.is_empty()
        .then(|| (&xname[..ends[0]], &xname[..ends[1]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_the_system_tells_cabinet_and_chassis() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(address(root.path(), "nid001000"), None);
        fs::create_dir_all(root.path().join("etc/cray")).unwrap();
        let address_in = |text: &str| {
            fs::write(root.path().join(FILE), text).unwrap();
            address(root.path(), "nid001000.site")
        };
        assert_eq!(
            address_in("x1000c0s1b0n1\n").as_deref(),
            Some("x1000.x1000c0.nid001000")
        );
        for wrong in [
            "",
            "x1000c0\n",
            "x1000c0s1b0n\n",
            "x1c0s1b0n1 more",
            "nid001000",
        ] {
            assert_eq!(address_in(wrong), None, "{wrong}");
        }
        fs::remove_file(root.path().join(FILE)).unwrap();
        fs::create_dir(root.path().join(FILE)).unwrap();
        assert_eq!(address(root.path(), "n"), None);
    }
}
