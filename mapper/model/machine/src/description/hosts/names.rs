//! Names of hosts: which ones a launcher takes, and which are of the same host.

use std::net::IpAddr;

/// Checks that launchers take a host name: letters, digits, hyphens, dots and underscores, or an
/// address. White space, `=`, `:` and so on would have a meaning of their own in mapfiles.
///
/// # Errors
/// A message that names the host.
pub fn check(name: &str) -> Result<(), String> {
    let is_part = |c: char| c.is_alphanumeric() || "-._".contains(c);
    let is_name = name.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    if (is_name && name.chars().all(is_part)) || name.parse::<IpAddr>().is_ok() {
        return Ok(());
    }
    Err(format!(
        "{name:?} is no host name that a launcher takes: letters, digits, hyphens, dots and underscores"
    ))
}

/// Whether two names are of one host: letters count the same in both cases, and one of the names
/// may lack the domain. Addresses are compared as a whole.
#[must_use]
pub fn is_same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other) || short(one) == short(other)
}

/// The name in lower case and without its domain. Addresses stay as they are.
#[must_use]
pub fn short(name: &str) -> String {
    let whole = name.to_ascii_lowercase();
    if name.parse::<IpAddr>().is_ok() {
        return whole;
    }
    whole.split('.').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_would_forge_a_line_of_a_mapfile_are_refused() {
        for name in ["n0", "N-1.site.org", "worker_3", "10.0.0.1", "fe80::1", "0"] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
        for name in [
            "",
            "-",
            "a b",
            "n0 slot=0\nrank 7=evil",
            "c[1",
            "a:2",
            "a,b",
            "\u{feff}a",
            "a\"",
            "a#",
        ] {
            assert!(
                check(name).unwrap_err().contains("is no host name"),
                "{name}"
            );
        }
    }
}
