//! What the ranks of a profile did with NCCL or with PyTorch's c10d, as traffic.
//!
//! A profile holds two views of the same bytes: the program's calls, and what NCCL's proxies sent
//! over the network, collectives and messages together. Proxies see no pair of ranks that share
//! memory. So where both views are used, a pair that the proxies have counted is taken from them,
//! and only pairs on one host are taken from the calls: no byte counts twice.

use super::super::Collectives;
use super::push;
use rankfold_base::Rank;
use rankfold_base::words::counted;
use rankfold_collectives::{self as collective, Model, MpiLibrary, ProfiledCollectives};
use rankfold_graph::{Builder, Result, Traffic};
use rankfold_wire::{NcclTraffic, Row};

/// The traffic of NCCL in a profile.
pub(super) struct CountedByNccl<'a> {
    pub(super) traffic: &'a NcclTraffic,
    /// The host of each rank; empty if unknown.
    pub(super) hosts: &'a [String],
}

/// Which view of the traffic is used.
#[derive(Clone, Copy)]
enum View {
    /// `ncclSend` alone.
    Messages,
    /// `ncclSend`, and collectives by a model.
    Calls(&'static dyn Model),
    /// What the proxies sent, and inside hosts the calls.
    Network,
}

impl CountedByNccl<'_> {
    /// Whether the proxies have counted anything.
    pub(super) fn is_measured(&self) -> bool {
        !self.traffic.network.is_empty()
    }

    /// Adds the traffic. Returns remarks for the user.
    ///
    /// # Errors
    /// As [`Builder::push`], and [`rankfold_graph::CommError::TooManyBytes`].
    pub(super) fn add(
        &self,
        choice: Collectives,
        ranks: usize,
        traffic: &mut Builder,
    ) -> Result<Vec<String>> {
        let mut notes = self.remarks();
        let view = self.view(choice);
        let model = match view {
            View::Messages => {
                add_rows(&self.traffic.sent, traffic)?;
                return Ok(notes);
            }
            View::Calls(model) => model,
            View::Network => self.usual_model(),
        };
        let calls = self.calls(model, ranks, &mut notes)?;
        match view {
            View::Network => {
                add_rows(&self.traffic.network, traffic)?;
                let mut seen = Builder::new(ranks);
                add_rows(&self.traffic.network, &mut seen)?;
                let seen = seen.finish()?;
                let inside = calls.entries().filter(|call| {
                    self.share_host(call.from, call.to) && seen.bytes(call.from, call.to) == 0
                });
                for call in inside {
                    traffic.push(call)?;
                }
                notes.push(
                    "NCCL's traffic between hosts is what its proxies sent; inside hosts it is modelled from the calls (--collectives NAME models all of it)".to_owned(),
                );
            }
            _ => {
                for call in calls.entries() {
                    traffic.push(call)?;
                }
                if !self.traffic.collectives.is_empty() {
                    notes.push(format!(
                        "collectives of {} are modelled as {} carries them out",
                        self.traffic.record.library(),
                        model.name()
                    ));
                }
            }
        }
        Ok(notes)
    }

    fn view(&self, choice: Collectives) -> View {
        match choice {
            Collectives::LeftOut => View::Messages,
            Collectives::By(model) if model.name() != collective::MEASURED => View::Calls(model),
            _ if self.is_measured() => View::Network,
            _ => View::Calls(self.usual_model()),
        }
    }

    /// The model of the library that was counted.
    fn usual_model(&self) -> &'static dyn Model {
        if self.traffic.record.is_of_c10d() {
            collective::OF_C10D
        } else {
            collective::OF_GPU_JOBS
        }
    }

    /// All calls as traffic.
    fn calls(&self, model: &dyn Model, ranks: usize, notes: &mut Vec<String>) -> Result<Traffic> {
        let mut traffic = Builder::new(ranks);
        add_rows(&self.traffic.sent, &mut traffic)?;
        let library = MpiLibrary::default();
        let calls = ProfiledCollectives {
            communicators: &self.traffic.communicators,
            collectives: &self.traffic.collectives,
            blocks: &[],
            hosts: self.hosts,
            library: &library,
        };
        let left_out = calls.add(model, &mut traffic)?;
        notes.extend(left_out.iter().map(ToString::to_string));
        traffic.finish()
    }

    fn share_host(&self, one: Rank, other: Rank) -> bool {
        let host = |rank: Rank| self.hosts.get(rank.index()).filter(|host| !host.is_empty());
        host(one).is_some() && host(one) == host(other)
    }

    /// What the profile says of its own count.
    fn remarks(&self) -> Vec<String> {
        let record = &self.traffic.record;
        let lost = record.lost.iter().filter(|lost| lost.events > 0);
        let lost = lost.map(|lost| {
            format!(
                "{} of {} are not counted, {}: bytes are too low",
                counted(lost.events, "event"),
                record.library(),
                lost.loss.name()
            )
        });
        record.notes.iter().cloned().chain(lost).collect()
    }
}

fn add_rows(rows: &[Row], traffic: &mut Builder) -> Result<()> {
    let mut rows = rows.iter().enumerate();
    rows.try_for_each(|(from, row)| push(from, row, traffic))
}

#[cfg(test)]
mod tests {
    use super::super::graph;
    use super::*;
    use rankfold_wire::{Collective, Communicator, Form, Manifest, Operation, Peer, Profile};

    /// Two hosts of two ranks. An allreduce of 1000 bytes on all ranks, and 7 bytes by `ncclSend`
    /// from rank 0 to rank 3, which the proxies have counted, too.
    fn profile(network: bool) -> Profile {
        let to = |rank, bytes| {
            Row::of(vec![Peer {
                rank,
                bytes,
                messages: 1,
            }])
        };
        let none = Row::default;
        let network = if network {
            vec![none(), to(2, 1500), none(), to(0, 1507)]
        } else {
            vec![]
        };
        let nccl = NcclTraffic {
            network,
            sent: vec![to(3, 7), none(), none(), none()],
            communicators: vec![Communicator {
                members: (0..4).map(Some).collect(),
                ..Communicator::default()
            }],
            collectives: vec![Collective {
                comm: 0,
                op: Operation::Allreduce,
                root: None,
                bytes: 1000,
                calls: 1,
                form: Form::default(),
            }],
            ..NcclTraffic::default()
        };
        Profile {
            manifest: Manifest {
                hosts: ["a", "a", "b", "b"].map(String::from).into(),
                ..Manifest::default()
            },
            rows: vec![none(); 4],
            nccl: Some(nccl),
            ..Profile::default()
        }
    }

    fn bytes(profile: &Profile, choice: Collectives) -> Vec<(u32, u32, u64)> {
        let (graph, _) = graph(profile, choice).expect("a graph");
        let all = graph.messages();
        all.map(|message| (message.from.0, message.to.0, message.bytes))
            .collect()
    }

    #[test]
    fn pairs_that_the_proxies_counted_come_from_them_and_pairs_inside_a_host_from_the_calls() {
        let counted = bytes(&profile(true), Collectives::IfTheyCanMatter);
        assert_eq!(
            counted,
            [(0, 1, 1500), (1, 2, 1500), (2, 3, 1500), (3, 0, 1507)]
        );
    }

    #[test]
    fn without_proxies_and_with_a_model_all_comes_from_the_calls() {
        let calls = [
            (0, 1, 1500),
            (0, 3, 7),
            (1, 2, 1500),
            (2, 3, 1500),
            (3, 0, 1500),
        ];
        assert_eq!(bytes(&profile(false), Collectives::IfTheyCanMatter), calls);
        let ring = Collectives::By(collective::OF_GPU_JOBS);
        assert_eq!(bytes(&profile(true), ring), calls);
    }

    #[test]
    fn calls_of_c10d_run_as_gloo_carries_them_out() {
        let mut of_c10d = profile(false);
        let record = of_c10d.nccl.as_mut().map(|nccl| &mut nccl.record);
        record.expect("a plane").interfaces = vec![rankfold_wire::OF_C10D];
        let backwards = [(0, 3, 1507), (1, 0, 1500), (2, 1, 1500), (3, 2, 1500)];
        assert_eq!(bytes(&of_c10d, Collectives::IfTheyCanMatter), backwards);
    }

    #[test]
    fn messages_stay_where_collectives_are_left_out() {
        assert_eq!(bytes(&profile(true), Collectives::LeftOut), [(0, 3, 7)]);
    }
}
