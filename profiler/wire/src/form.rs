//! How a collective is called, as far as MPI libraries choose algorithms by it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How a collective is called, as far as MPI libraries choose algorithms by it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Form {
    /// Whether the call is nonblocking or persistent.
    pub nonblocking: bool,
    /// Whether the members of an `Allreduce` or `Alltoall` pass `MPI_IN_PLACE`. It is recorded for
    /// no other operation, because members of others may differ in it.
    pub in_place: bool,
    /// The operator of a reduction or scan. [`Operator::BuiltIn`] for all other operations.
    pub operator: Operator,
}

/// The operator of a reduction or scan.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum Operator {
    /// An operator that MPI defines. All of these commute.
    #[default]
    BuiltIn,
    /// An operator of the program that commutes.
    Commutative,
    /// An operator of the program that does not commute, so that its operands stay in order.
    Ordered,
}

impl Operator {
    /// All operators, in the order of their numbers in a file.
    pub const ALL: [Self; 3] = [Self::BuiltIn, Self::Commutative, Self::Ordered];
}

const NONBLOCKING: u8 = 1;
const IN_PLACE: u8 = 1 << 1;
const OPERATOR: u32 = 2;

impl Form {
    /// Encodes this value in the bits of a key of a journal. The form of a blocking call with
    /// separate buffers and a built-in operator is 0.
    #[must_use]
    #[inline(always)]
    pub const fn encode(self) -> u8 {
        (self.nonblocking as u8 * NONBLOCKING)
            | (self.in_place as u8 * IN_PLACE)
            | ((self.operator as u8) << OPERATOR)
    }

    /// Decodes the bits of a key; `None` if a later version has written them.
    #[must_use]
    pub fn decode(bits: u8) -> Option<Self> {
        Some(Self {
            nonblocking: bits & NONBLOCKING != 0,
            in_place: bits & IN_PLACE != 0,
            operator: *Operator::ALL.get(usize::from(bits >> OPERATOR))?,
        })
    }

    /// Whether the operands of the reduction stay in the order of the ranks.
    #[must_use]
    pub fn is_ordered(self) -> bool {
        self.operator == Operator::Ordered
    }
}

/// Empty for a blocking call with separate buffers and a built-in operator.
impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.nonblocking.then_some("nonblocking"),
            self.in_place.then_some("in place"),
            match self.operator {
                Operator::BuiltIn => None,
                Operator::Commutative => Some("commutative operator of the program"),
                Operator::Ordered => Some("ordered operator of the program"),
            },
        ];
        let parts: Vec<&str> = parts.into_iter().flatten().collect();
        f.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_back() {
        let mut known = 0;
        for bits in 0..=u8::MAX {
            let form = Form::decode(bits);
            known += usize::from(form.is_some());
            assert!(form.is_none_or(|form| form.encode() == bits), "{bits}");
        }
        assert_eq!(known, 12);
        assert_eq!(Form::decode(0), Some(Form::default()));
    }

    #[test]
    fn a_form_is_told_in_words() {
        assert_eq!(Form::default().to_string(), "");
        let form = Form {
            nonblocking: true,
            in_place: true,
            operator: Operator::Ordered,
        };
        let expected = "nonblocking, in place, ordered operator of the program";
        assert_eq!(form.to_string(), expected);
    }
}
