//! Checks the version of a file.

use crate::error::{Fault, Result};

/// Checks that the version `found` in a file is one of `readable`, which is in ascending order and
/// not empty.
pub(crate) fn check(found: u32, readable: &[u32]) -> Result<()> {
    let (oldest, newest) = match *readable {
        [oldest, .., newest] => (oldest, newest),
        [only] => (only, only),
        [] => return Err(Fault::NoVersion(found)),
    };
    if readable.contains(&found) {
        Ok(())
    } else if found > newest {
        Err(Fault::Newer {
            found,
            known: newest,
        })
    } else if found > 0 && found < oldest {
        Err(Fault::Older {
            found,
            known: oldest,
        })
    } else {
        Err(Fault::NoVersion(found))
    }
}

/// Reads the first line of a text file, `NAME VERSION COUNT`, and returns version and count.
/// `foreign` is the error for a file of another kind.
pub(crate) fn head(
    line: Option<&str>,
    name: &str,
    readable: &[u32],
    foreign: impl Fn() -> Fault,
) -> Result<(u32, usize)> {
    let mut words = line.unwrap_or("").split(' ');
    if words.next() != Some(name) {
        return Err(foreign());
    }
    let version = words.next().and_then(|word| word.parse().ok());
    let version = version.ok_or_else(&foreign)?;
    check(version, readable)?;
    let count = words.next().and_then(|word| word.parse().ok());
    Ok((version, count.ok_or_else(foreign)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The message on version `found` where versions 2, 3 and 5 are readable.
    fn said(found: u32) -> String {
        check(found, &[2, 3, 5]).map_or_else(|fault| fault.to_string(), |()| "read".to_owned())
    }

    #[test]
    fn every_version_of_the_list_is_read() {
        assert_eq!([2, 3, 5].map(said), ["read", "read", "read"]);
    }

    #[test]
    fn newer_older_and_no_versions_are_told_apart() {
        assert!(said(6).contains("version 6 is newer than 5"), "{}", said(6));
        assert!(said(1).contains("version 1 is older than 2"), "{}", said(1));
        for none in [0, 4] {
            let said = said(none);
            assert!(
                said.contains(&format!("version {none} does not exist")),
                "{said}"
            );
        }
    }
}
