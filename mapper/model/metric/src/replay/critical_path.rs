//! Who waits for whom in an exchange that was replayed.

use super::engine::Course;
use super::messages::ExchangeMessage;
use super::steps::Steps;
use rankfold_base::{ChannelId, Rank};

/// A rank that waits for a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wait {
    /// The rank that waits.
    pub rank: Rank,
    /// The sender and the receiver of the message. A rank also waits for messages that it sends, if
    /// they are not eager.
    pub from: Rank,
    /// See [`from`](Self::from).
    pub to: Rank,
    /// When the sender had started the message.
    pub started: f64,
    /// When the message arrived.
    pub arrived: f64,
    /// The channel that the last bytes of the message waited for; `None` inside a node.
    pub limit: Option<ChannelId>,
}

impl Wait {
    /// The other rank of the message.
    #[must_use]
    pub fn partner(&self) -> Rank {
        if self.from == self.rank {
            self.to
        } else {
            self.from
        }
    }

    fn new(rank: Rank, message: u32, course: &Course, messages: &[ExchangeMessage]) -> Self {
        let at = message as usize;
        let ExchangeMessage { from, to, .. } = messages[at];
        Self {
            rank,
            from,
            to,
            started: course.started[at],
            arrived: course.arrived[at],
            limit: course.limits[at],
        }
    }
}

/// The last message that each rank waited for.
pub(super) fn waits(
    course: &Course,
    messages: &[ExchangeMessage],
    steps: &Steps,
) -> Vec<Option<Wait>> {
    let of_rank = |rank: usize| {
        let message = steps
            .of(rank)
            .rev()
            .find_map(|step| course.steps[step as usize].1)?;
        Some(Wait::new(Rank::at(rank), message, course, messages))
    };
    (0..course.finished.len()).map(of_rank).collect()
}

/// The messages that a rank waited for in its last step, the messages that those waited for, and so
/// on, the latest first.
pub(super) fn of_rank(
    rank: Rank,
    course: &Course,
    messages: &[ExchangeMessage],
    steps: &Steps,
) -> Vec<Wait> {
    let mut path = Vec::new();
    let (mut rank, mut left) = (rank, steps.of(rank.index()));
    while let Some(step) = left.next_back() {
        let (entered, last) = course.steps[step as usize];
        // A message that was there before does not hold the rank up.
        let waited = |&message: &u32| course.arrived[message as usize] > entered;
        let Some(message) = last.filter(waited) else {
            continue;
        };
        path.push(Wait::new(rank, message, course, messages));
        let (from, to) = (
            messages[message as usize].from,
            messages[message as usize].to,
        );
        let (sends, receives) = (
            steps.send_step[message as usize],
            steps.receive_step[message as usize],
        );
        // The message set out when the later of both ranks had come to it.
        let is_held_by_receiver = !messages[message as usize].is_eager
            && course.steps[receives as usize].0 > course.steps[sends as usize].0;
        let at;
        (rank, at) = if is_held_by_receiver {
            (to, receives)
        } else {
            (from, sends)
        };
        left = steps.of(rank.index()).start..at;
    }
    path
}
