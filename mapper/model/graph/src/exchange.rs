//! How the ranks of a program exchange messages: with all partners at once, or with one partner
//! after the other.
//!
//! The result is one number s from 0 to 1, the weight of the mean transfer
//! in the predicted time. s = 0 means that all messages of an exchange are in flight together, so
//! that the busiest link decides. s = 1 means that each message waits for the one before it.

/// The share s where nothing is known. Programs with halo exchanges mostly send to all partners at
/// once, so it is nearer to 0 than to 1. Chosen by hand; not measured.
pub const DEFAULT_SHARE: f64 = 0.25;
/// The share s where all messages of an exchange are in flight together.
pub const ALL: f64 = 0.0;
/// The share s where ranks exchange messages with one partner after the other.
pub const PAIRWISE: f64 = 1.0;

/// What a profile says of the exchanges of one rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Burst {
    /// Messages the rank starts between two completions of receives; the mean, weighted by bytes.
    pub messages: f64,
    /// Effective number of other ranks it sends to, as [`partners`] counts them.
    pub partners: f64,
    /// Bytes it sends to these ranks.
    pub bytes: u64,
}

/// Effective number of partners of a rank: (sum of bytes)^2 / sum of bytes^2. If all partners get
/// the same number of bytes, this is the number of partners.
///
/// A rank of a 27-point halo has 26 partners, but the faces carry nearly all bytes. A program that
/// exchanges only faces in some steps still has everything in flight at once; a plain count of
/// partners would not show that.
///
/// ```
/// use rankfold_graph::exchange::partners;
/// assert_eq!(partners([10, 10, 10]), 3.0);
/// assert_eq!(partners([900, 100, 0]), 1e6 / 82e4);
/// assert_eq!(partners([]), 0.0);
/// ```
#[must_use]
pub fn partners(bytes: impl IntoIterator<Item = u64>) -> f64 {
    let (mut sum, mut squares) = (0.0, 0.0);
    for bytes in bytes {
        sum += bytes as f64;
        squares += (bytes as f64).powi(2);
    }
    if squares > 0.0 {
        sum * sum / squares
    } else {
        0.0
    }
}

/// The share s of a whole program: the mean over its ranks, weighted by bytes. `None` if no rank
/// gives information.
///
/// A rank with p partners and b messages a burst contributes (p - b) / (p - 1), limited to 0 to 1.
/// This is 1 for one message between two completions and 0 for as many messages as partners. A rank
/// that has a single partner or sends nothing gives no information.
///
/// ```
/// use rankfold_graph::exchange::{Burst, share};
/// let rank = |messages| Burst { messages, partners: 6.0, bytes: 1000 };
/// assert_eq!(share([rank(6.0), rank(6.0)]), Some(0.0));
/// assert_eq!(share([rank(1.0), rank(6.0)]), Some(0.5));
/// assert_eq!(share([]), None);
/// ```
#[must_use]
pub fn share(ranks: impl IntoIterator<Item = Burst>) -> Option<f64> {
    let (mut sum, mut weight) = (0.0, 0.0);
    for Burst {
        messages,
        partners,
        bytes,
    } in ranks
    {
        // A count of one partner may be slightly above 1 by rounding.
        if partners < 1.0 + 1e-9 || bytes == 0 || !messages.is_finite() || messages <= 0.0 {
            continue;
        }
        let share = ((partners - messages) / (partners - 1.0)).clamp(ALL, PAIRWISE);
        sum += share * bytes as f64;
        weight += bytes as f64;
    }
    (weight > 0.0).then(|| sum / weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn burst(messages: f64, partners: u32, bytes: u64) -> Burst {
        Burst {
            messages,
            partners: partners.into(),
            bytes,
        }
    }

    #[test]
    fn bursts_between_one_message_and_all_partners_count_in_proportion() {
        assert_eq!(share([burst(3.5, 6, 10)]), Some(0.5));
        // Several messages to each partner at once count like one message to each.
        assert_eq!(share([burst(18.0, 6, 10)]), Some(ALL));
        assert_eq!(share([burst(0.5, 6, 10)]), Some(PAIRWISE));
    }

    #[test]
    fn faces_alone_of_a_27_point_halo_are_all_at_once() {
        // Like LULESH with 7 x 7 points a face: whole halos in some steps, faces alone in others.
        let halo = || {
            let of = |bytes, count| std::iter::repeat_n(bytes, count);
            of(49, 6).chain(of(7, 12)).chain(of(1, 8))
        };
        let (whole, faces) = (halo().sum::<u64>(), 6 * 49);
        let bytes = 3 * whole + faces;
        let rank = |whole_at_once, faces_at_once| Burst {
            messages: (whole_at_once * (3 * whole) as f64 + faces_at_once * faces as f64)
                / bytes as f64,
            partners: partners(halo()),
            bytes,
        };
        assert_eq!(share([rank(26.0, 6.0)]), Some(ALL));
        assert_eq!(share([rank(1.0, 1.0)]), Some(PAIRWISE));
    }

    #[test]
    fn ranks_count_by_their_bytes() {
        let heavy = burst(1.0, 3, 3000);
        assert_eq!(share([heavy, burst(3.0, 3, 1000)]), Some(0.75));
    }

    #[test]
    fn ranks_that_do_not_tell_are_left_out() {
        let silent = [
            burst(1.0, 1, 10),
            burst(1.0, 0, 0),
            burst(2.0, 6, 0),
            burst(0.0, 6, 10),
            burst(f64::NAN, 6, 10),
        ];
        assert_eq!(share(silent), None);
        assert_eq!(
            share(silent.into_iter().chain([burst(6.0, 6, 1)])),
            Some(ALL)
        );
    }
}
