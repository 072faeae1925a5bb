//! Lists of cores by which launchers bind the ranks of a host, the first rank there first: one list, for all hosts.

use rankfold_profile::Cores;

/// Why ranks are not bound by a list.
pub(super) const BOUND_BY_USER: &str =
    "your options or variables say otherwise where ranks are bound";
pub(super) const LISTS_DIFFER: &str =
    "the launcher binds ranks by one list for all hosts, and the plan needs another on some";

/// `of` the cores of every rank, with `between` between ranks.
pub(super) fn joined(list: &[&Cores], between: &str, of: impl Fn(&Cores) -> String) -> String {
    let texts: Vec<String> = list.iter().map(|cores| of(cores)).collect();
    texts.join(between)
}

/// The numbers, with `between` between them.
pub(super) fn numbers(cores: &Cores, between: &str) -> String {
    let texts: Vec<String> = cores.numbers().iter().map(u32::to_string).collect();
    texts.join(between)
}

/// The numbers as bits of a number in base 16, `0x3` for 0 and 1.
pub(super) fn mask(cores: &Cores) -> String {
    let highest = cores.numbers().last().copied().unwrap_or_default();
    let digit = |place: u32| {
        let set = |bit: &u32| cores.numbers().binary_search(&(place * 4 + bit)).is_ok();
        let value: u32 = (0..4).filter(set).map(|bit| 1 << bit).sum();
        char::from_digit(value, 16).unwrap_or('0')
    };
    let digits: String = (0..=highest / 4).rev().map(digit).collect();
    format!("0x{digits}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_has_a_bit_for_every_core() {
        let mask = |text: &str| mask(&text.parse().unwrap());
        assert_eq!(mask("0"), "0x1");
        assert_eq!(mask("0-3,8"), "0x10f");
        assert_eq!(mask("65-66"), "0x60000000000000000");
    }
}
