//! rankfold's own profiles (`.rfp`).

use super::{Collectives, Mark, Read, Reader, Reading, RunPart};
use rankfold_base::Rank;
use rankfold_collectives::{self as collective, Model, MpiLibrary, ProfiledCollectives};
use rankfold_graph::{
    Builder, CommError, CommGraph, Declared, Entry, PartnerOrders, Result, TurnsOfRanks, exchange,
};
use rankfold_wire::{Bursts, Profile, Row};
use std::path::Path;

mod movable;
mod nccl;
mod partial;

use movable::RunCollectives;
use nccl::CountedByNccl;
use partial::partial;

/// Entry in [`READERS`](super::READERS).
pub(super) const READER: Reader = Reader {
    mark: Mark::Ending("rfp"),
    summary: "profile written by rankfold profile",
    read: Read::Profile(read),
    phases: Some(phases),
};

/// The note where no turns are known because the program has no fixed ones.
const TURNS_DIFFER: &str = "the turns in which messages are exchanged differ from exchange to exchange: predicted times are a blend of all at once and partner by partner";

/// If collectives on all ranks have this many times the bytes of everything else, a note says so.
/// Chosen by hand; not measured.
const DOMINANCE: u128 = 10;

/// Reads a part of a `.rfp` file. For the whole run, rows are added to the traffic while the file
/// is read, so the profile's matrix is never held in memory.
///
/// # Errors
/// [`CommError::Profile`] or [`CommError::Refused`], naming the file.
pub fn read(path: &Path, part: &RunPart<'_>) -> Result<Reading> {
    let mut messages = Messages::new();
    let mut whole = Ok(());
    let profile = Profile::read_rows(path, |row| {
        let counted = if part.phase.is_some() {
            &Row::default()
        } else {
            &row
        };
        if whole.is_ok() {
            whole = messages.add(counted);
        }
    })?;
    whole
        .and_then(|()| {
            let library = library_of(&profile);
            CountedTraffic::of(&profile, &library, part.phase, messages)?.reading(part.collectives)
        })
        .map(|reading| Reading {
            declared: Declared::of(&profile, &reading.traffic),
            hosts: profile.manifest.hosts.clone(),
            notes: partial(path, &profile)
                .into_iter()
                .chain(reading.notes)
                .collect(),
            ..reading
        })
        .map_err(|error| CommError::refused(path, &error))
}

/// The names of the phases of a profile.
///
/// # Errors
/// [`CommError::Profile`], naming the file.
pub(super) fn phases(path: &Path) -> Result<Vec<String>> {
    let profile = Profile::read_rows(path, |_| ())?;
    Ok(profile.phases.into_iter().map(|phase| phase.name).collect())
}

/// The graph of a profile in memory, and notes for the user. The result is the same as that of
/// reading the profile from a file. `collectives` says how collectives are treated.
///
/// # Errors
/// As [`CommGraph::from_messages`].
pub fn graph(profile: &Profile, collectives: Collectives) -> Result<(CommGraph, Vec<String>)> {
    let messages = Messages::of(&profile.rows)?;
    let library = library_of(profile);
    let counted = CountedTraffic::of(profile, &library, None, messages)?;
    let reading = counted.reading(collectives)?;
    let declared = Declared::of(profile, &reading.traffic);
    let graph = reading.traffic.into_graph()?.with_declared(declared);
    Ok((graph, reading.notes))
}

/// Whether the graph of a profile holds its collectives.
#[must_use]
pub fn holds_collectives(profile: &Profile, collectives: Collectives) -> bool {
    let peers = profile.rows.iter().flat_map(|row| &row.peers);
    let sent = peers.map(|peer| u128::from(peer.bytes)).sum();
    match collectives {
        Collectives::By(_) | Collectives::AsSent => true,
        Collectives::LeftOut | Collectives::LeftOutWithNote => false,
        Collectives::IfTheyCanMatter => {
            let library = library_of(profile);
            let movable = collectives_of(profile, &library).movable(profile.rows.len());
            RunCollectives::can_matter(movable, sent)
        }
    }
}

/// The MPI library that the profile names, with the parameters that were set.
fn library_of(profile: &Profile) -> MpiLibrary {
    let parameters = profile.parameters.iter();
    let named = parameters.clone().filter(|set| !set.file.is_empty());
    let texts = named.map(|set| (set.name.clone(), set.file.clone()));
    MpiLibrary {
        version: profile.manifest.mpi.clone(),
        parameters: parameters
            .map(|set| (set.name.clone(), set.value.clone()))
            .collect(),
        files: texts.collect(),
    }
}

/// The collectives of the whole run.
fn collectives_of<'a>(profile: &'a Profile, library: &'a MpiLibrary) -> RunCollectives<'a> {
    RunCollectives {
        calls: ProfiledCollectives {
            communicators: &profile.communicators,
            collectives: &profile.collectives,
            blocks: &profile.blocks,
            hosts: &profile.manifest.hosts,
            library,
        },
        exchanges: &profile.exchanges,
        as_sent: &profile.as_sent,
    }
}

/// Where the pairs of collectives come from.
#[derive(Clone, Copy)]
enum PairsOfCollectives {
    /// A model expands the calls.
    Model(&'static dyn Model),
    /// The MPI library has reported what it sent.
    AsSent,
}

/// Traffic that the profile counts pair by pair: messages, neighbourhood collectives and remote
/// memory access.
struct Messages {
    traffic: Builder,
    /// Number of rows added so far.
    ranks: usize,
    /// Bytes of all rows.
    bytes: u128,
    /// Effective number of partners of each rank, see [`exchange::partners`].
    partners: Vec<f64>,
    orders: PartnerOrders,
    turns: TurnsOfRanks,
}

impl Messages {
    fn new() -> Self {
        Self {
            traffic: Builder::growing(),
            ranks: 0,
            bytes: 0,
            partners: Vec::new(),
            orders: PartnerOrders::default(),
            turns: TurnsOfRanks::default(),
        }
    }

    fn of(rows: &[Row]) -> Result<Self> {
        let mut messages = Self::new();
        rows.iter().try_for_each(|row| messages.add(row))?;
        Ok(messages)
    }

    /// Adds the row of the next rank.
    fn add(&mut self, row: &Row) -> Result<()> {
        push(self.ranks, row, &mut self.traffic)?;
        let own = self.ranks;
        let partners = row.peers.iter();
        let partners = partners.filter(|peer| peer.rank as usize != own && peer.bytes > 0);
        self.partners
            .push(exchange::partners(partners.map(|peer| peer.bytes)));
        self.orders.push(&row.order);
        self.turns.push(row.turns.clone());
        self.ranks += 1;
        self.traffic.reach(self.ranks);
        self.bytes += row
            .peers
            .iter()
            .map(|peer| u128::from(peer.bytes))
            .sum::<u128>();
        Ok(())
    }

    /// The share s of these messages, given the bursts in which they were started. `None` if no
    /// rank gives information.
    fn exchange(&self, bursts: &[Bursts]) -> Option<f64> {
        let ranks = bursts.iter().zip(&self.partners);
        exchange::share(ranks.filter_map(|(bursts, &partners)| {
            Some(exchange::Burst {
                messages: bursts.mean()?,
                partners,
                bytes: bursts.bytes,
            })
        }))
    }
}

/// What a profile counts for the whole run, or for one phase.
struct CountedTraffic<'a> {
    messages: Messages,
    bursts: &'a [Bursts],
    collectives: RunCollectives<'a>,
    /// What the ranks did with NCCL; `None` for a phase, as NCCL knows no phases.
    nccl: Option<CountedByNccl<'a>>,
}

impl<'a> CountedTraffic<'a> {
    /// Selects the run or a phase. `messages` are those of the whole run; if a phase is asked for,
    /// only their number of ranks is used.
    fn of(
        profile: &'a Profile,
        library: &'a MpiLibrary,
        phase: Option<&str>,
        messages: Messages,
    ) -> Result<Self> {
        let Some(name) = phase else {
            return Ok(Self {
                messages,
                bursts: &profile.bursts,
                collectives: collectives_of(profile, library),
                nccl: profile.nccl.as_ref().map(|traffic| CountedByNccl {
                    traffic,
                    hosts: &profile.manifest.hosts,
                }),
            });
        };
        let Some(phase) = profile.phases.iter().find(|phase| phase.name == name) else {
            let known = profile.phases.iter().map(|phase| phase.name.clone());
            return Err(CommError::NoPhase {
                name: name.to_owned(),
                known: known.collect(),
            });
        };
        let mut own = Messages::of(&phase.rows)?;
        own.traffic.reach(messages.ranks);
        own.ranks = messages.ranks;
        Ok(Self {
            messages: own,
            bursts: &phase.bursts,
            collectives: RunCollectives {
                calls: ProfiledCollectives {
                    communicators: &profile.communicators,
                    collectives: &phase.collectives,
                    blocks: &phase.blocks,
                    hosts: &profile.manifest.hosts,
                    library,
                },
                exchanges: &phase.exchanges,
                as_sent: &phase.as_sent,
            },
            nccl: None,
        })
    }

    fn reading(mut self, choice: Collectives) -> Result<Reading> {
        let mut notes = Vec::new();
        let pairs = match choice {
            Collectives::By(model) if model.name() == collective::MEASURED => {
                Some(self.as_sent_or(model))
            }
            Collectives::By(model) => Some(PairsOfCollectives::Model(model)),
            Collectives::AsSent if !self.is_measured() => return Err(CommError::NotMeasured),
            Collectives::AsSent => Some(PairsOfCollectives::AsSent),
            Collectives::LeftOut => None,
            Collectives::LeftOutWithNote => self.mattering(false, &mut notes),
            Collectives::IfTheyCanMatter => self.mattering(true, &mut notes),
        };
        match pairs {
            Some(PairsOfCollectives::Model(model)) => notes.extend(self.add_modelled(model)?),
            Some(PairsOfCollectives::AsSent) => self.add_rows(self.collectives.as_sent)?,
            None => {}
        }
        if let Some(nccl) = &self.nccl {
            let ranks = self.messages.ranks;
            notes.extend(nccl.add(choice, ranks, &mut self.messages.traffic)?);
        }
        let exchange = self.messages.exchange(self.bursts);
        let is_blend = |s| s > exchange::ALL && s < exchange::PAIRWISE;
        if self.messages.turns.differ() && exchange.is_some_and(is_blend) {
            notes.push(TURNS_DIFFER.to_owned());
        }
        let under_way: Vec<_> = self.bursts.iter().map(Bursts::mean).collect();
        let traffic = self.messages.traffic.finish()?.with_exchange(exchange);
        let traffic = traffic
            .with_partner_orders(self.messages.orders)
            .with_turns(self.messages.turns)
            .with_under_way(&under_way);
        Ok(Reading {
            traffic,
            declared: Declared::default(),
            hosts: Vec::new(),
            notes,
        })
    }

    /// Whether the MPI library or NCCL's proxies have reported what they sent.
    fn is_measured(&self) -> bool {
        let by_nccl = self.nccl.as_ref().is_some_and(CountedByNccl::is_measured);
        by_nccl || !self.collectives.as_sent.is_empty()
    }

    /// What the MPI library sent, if the profile holds that; otherwise what `model` says.
    fn as_sent_or(&self, model: &'static dyn Model) -> PairsOfCollectives {
        if self.collectives.as_sent.is_empty() {
            PairsOfCollectives::Model(model)
        } else {
            PairsOfCollectives::AsSent
        }
    }

    fn add_modelled(&mut self, model: &dyn Model) -> Result<Vec<String>> {
        self.add_rows(self.collectives.exchanges)?;
        let traffic = &mut self.messages.traffic;
        let mut left_out = self.collectives.calls.add(model, traffic)?;
        left_out.sort_by_key(|out| (out.op, std::cmp::Reverse(out.members)));
        left_out.dedup_by_key(|out| (out.op, out.members));
        Ok(left_out.iter().map(ToString::to_string).collect())
    }

    fn add_rows(&mut self, rows: &[Row]) -> Result<()> {
        let traffic = &mut self.messages.traffic;
        let mut rows = rows.iter().enumerate();
        rows.try_for_each(|(from, row)| push(from, row, traffic))
    }

    /// A note if nearly all bytes are in collectives of the whole world.
    fn in_the_world(&self) -> Option<String> {
        let sent = self.messages.bytes;
        let (op, bytes) = self.collectives.calls.moved_by_world(self.messages.ranks)?;
        (bytes / DOMINANCE > sent).then(|| {
            format!(
                "nearly all bytes are in {} on all ranks (collectives there move at least {bytes} bytes, everything \
                 else {sent}): every placement sees them much alike and can gain little; --collectives models them",
                op.name()
            )
        })
    }

    /// Checks whether a placement can change what the collectives cost, and adds a note if so.
    /// Returns where their pairs come from if `used` is set. Otherwise a note says so if nearly all
    /// bytes are in collectives that every placement sees alike.
    fn mattering(&self, used: bool, notes: &mut Vec<String>) -> Option<PairsOfCollectives> {
        let sent = self.messages.bytes;
        let movable = self.collectives.movable(self.messages.ranks);
        if !RunCollectives::can_matter(movable, sent) {
            notes.extend(self.in_the_world());
            return None;
        }
        let sizes = format!(
            "collectives that a placement can shorten move at least {movable} bytes, everything else {sent}"
        );
        let pairs = collective::MODELS
            .first()
            .map(|&model| self.as_sent_or(model));
        notes.push(match (used, pairs) {
            (true, Some(PairsOfCollectives::AsSent)) => format!(
                "{sizes}: they are added as the MPI library sent them (--collectives none leaves them out)"
            ),
            (true, _) => format!(
                "{sizes}: they are modelled and added (--collectives none leaves them out)"
            ),
            (false, _) => format!("{sizes}: --collectives adds them"),
        });
        pairs.filter(|_| used)
    }
}

fn push(from: usize, row: &Row, traffic: &mut Builder) -> Result<()> {
    row.peers.iter().try_for_each(|peer| {
        traffic.push(Entry {
            from: Rank::at(from),
            to: Rank(peer.rank),
            bytes: peer.bytes,
            messages: peer.messages,
        })
    })
}

#[cfg(test)]
mod tests;
