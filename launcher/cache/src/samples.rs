//! What a cache holds, made up: for tests.

use crate::{Circumstances, Measured};

/// A run of the program with these arguments on the hosts n0 and n1.
#[must_use]
pub fn measured(mapped: bool, arguments: &str, seconds: f64) -> Measured {
    Measured {
        mapped,
        first: false,
        circumstances: Circumstances {
            arguments: vec![arguments.into()],
            allocation: None,
            hosts: vec!["n0".into(), "n1".into()],
        },
        seconds,
        run: 9.0,
        movable: None,
        model: None,
        ranks: 2,
        when: 0,
    }
}
