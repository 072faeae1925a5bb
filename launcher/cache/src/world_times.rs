//! What collectives take on renumbered ranks: measured once on a cluster for a launcher and its
//! MPI, and judged whenever ranks are to be renumbered.

use super::machines::{clean, read_head, with_head};
use super::{Cache, MachineOrigin, now, own_place};
use crate::statistics::Ratio;
use rankfold_launch::diagnosis;
use rankfold_launch::launch::{self, Launch, Library};
use rankfold_wire::{WorldTimes, read_world_times};
use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::Path;

/// The ending of the file names.
pub(super) const ENDING: &str = ".times";

/// The beginning of the source in words; the path of the launcher follows.
const SOURCE: &str = "collectives of renumbered ranks under ";

/// Days after which times are measured again: an MPI may be replaced where it is. Chosen by hand.
const DAYS: u64 = 90;

/// Times of a job count for jobs of at most this many times as many ranks. Chosen by hand.
const LARGER: usize = 4;

/// The least number of rounds that are judged. The interval of fewer is as wide as their range.
const FEWEST: usize = 5;

/// The probability that the interval of a ratio holds it.
const CERTAINTY: f64 = 0.99;

/// Collectives are slower where they certainly take more than this many times as long. Chosen by
/// hand: a fast path that is lost costs more.
const SLOWER: f64 = 1.1;

/// Times in the cache.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredTimes {
    /// The path of the launcher.
    pub launcher: String,
    /// What the collectives took.
    pub times: WorldTimes,
    /// When they were measured, in seconds since 1970.
    when: u64,
}

/// The call that loses most on a renumbered world, beside the world as launched.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldVerdict {
    call: String,
    bytes: u64,
    ranks: u32,
    /// How many times as long it takes.
    ratio: Ratio,
}

impl WorldVerdict {
    /// Judges times; `None` where there are too few of any call, or a time is 0.
    pub fn of(times: &WorldTimes) -> Option<Self> {
        let verdict = |call: &rankfold_wire::CallTimes| {
            let column = |of: fn(&(u64, u64)) -> u64| -> Vec<f64> {
                call.rounds.iter().map(|round| of(round) as f64).collect()
            };
            let ratio = Ratio::new(
                &column(|round| round.1),
                &column(|round| round.0),
                CERTAINTY,
            )?;
            (call.rounds.len() >= FEWEST).then_some(Self {
                call: call.call.clone(),
                bytes: call.bytes,
                ranks: times.ranks,
                ratio,
            })
        };
        let verdicts: Option<Vec<Self>> = times.calls.iter().map(verdict).collect();
        verdicts?
            .into_iter()
            .max_by(|a, b| a.ratio.low.total_cmp(&b.ratio.low))
    }

    /// Whether a collective is slower on renumbered ranks, beyond noise.
    pub fn is_slower(&self) -> bool {
        self.ratio.low > SLOWER
    }
}

impl Display for WorldVerdict {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let Self {
            call,
            bytes,
            ranks,
            ratio,
        } = self;
        let Ratio { value, low, .. } = ratio;
        let judged = if self.is_slower() {
            "collectives are slower on renumbered ranks"
        } else {
            "collectives are as fast on renumbered ranks"
        };
        write!(
            f,
            "{judged}: {call} of {bytes} bytes takes {value:.2} x as long (at least {low:.2} x) on {ranks} ranks"
        )
    }
}

/// Why times say nothing about renumbering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unjudged {
    /// Hosts have different numbers of ranks, or the order of the hosts is not symmetric.
    UnlikeHosts,
    /// Too few rounds fitted into the time there was.
    FewRounds,
}

impl Display for Unjudged {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let why = match self {
            Self::UnlikeHosts => {
                "the same ranks in reverse order have other hosts as neighbours".into()
            }
            Self::FewRounds => format!("fewer than {FEWEST} rounds of a call could be timed"),
        };
        write!(
            f,
            "it is not known how fast collectives are on renumbered ranks: {why}"
        )
    }
}

impl Cache {
    /// Stores what was measured in a run of `launch` with ranks on `hosts`. Returns the verdict, or
    /// why there is none; then nothing is stored.
    pub fn keep_world_times(
        &self,
        cluster: &str,
        launch: &Launch,
        times: &WorldTimes,
        hosts: &[String],
    ) -> io::Result<Result<WorldVerdict, Unjudged>> {
        if !is_mirrored(hosts) {
            return Ok(Err(Unjudged::UnlikeHosts));
        }
        let Some(verdict) = WorldVerdict::of(times) else {
            return Ok(Err(Unjudged::FewRounds));
        };
        let launcher = path(launch);
        let kind = format!("{launcher} {}", is_open_mpi(&times.mpi));
        let hash = crc32fast::hash(kind.as_bytes());
        let file = format!("{}-{hash:08x}{ENDING}", clean(cluster));
        let source = format!("{SOURCE}{launcher}");
        let whole = with_head(MachineOrigin::Discovered, &source, &times.to_string());
        self.locked(|| own_place::replace(&self.machines().join(file), whole.as_bytes()))?;
        Ok(Ok(verdict))
    }

    /// The times that count for jobs like `launch`, the last that were measured.
    pub fn world_times(&self, cluster: &str, launch: &Launch) -> Option<WorldTimes> {
        let (launcher, library) = (path(launch), launch::library(&launch.apps));
        let ranks = launch.ranks().ok().flatten().map_or(0, |(ranks, _)| ranks);
        let counts = |stored: &StoredTimes| {
            let is_open_mpi = is_open_mpi(&stored.times.mpi);
            stored.launcher == launcher
                && library.is_none_or(|library| (library == Library::OpenMpi) == is_open_mpi)
                && ranks <= LARGER * stored.times.ranks as usize
                && now().saturating_sub(stored.when) < DAYS * 86_400
        };
        let all = self.all_world_times(cluster).into_iter().filter(counts);
        let last = all.max_by_key(|stored| stored.when)?;
        Some(last.times)
    }

    /// All times of a cluster, by launcher. Whatever else the files hold is left out.
    pub fn all_world_times(&self, cluster: &str) -> Vec<StoredTimes> {
        let files = self.files_of(cluster, ENDING);
        let mut all: Vec<StoredTimes> = files.filter_map(|file| read(&file)).collect();
        all.sort_by(|a, b| a.launcher.cmp(&b.launcher));
        all
    }
}

fn read(path: &Path) -> Option<StoredTimes> {
    let text = own_place::read_text(path).ok()?;
    let head = read_head(&text)?;
    let (_, record) = text.split_once('\n')?.1.split_once('\n')?;
    let times = read_world_times(record)?;
    WorldVerdict::of(&times)?;
    Some(StoredTimes {
        launcher: head.source.strip_prefix(SOURCE)?.to_owned(),
        times,
        when: head.when,
    })
}

/// The path of the launcher, without links.
fn path(launch: &Launch) -> String {
    let found = diagnosis::find(launch.command()).and_then(|path| path.canonicalize().ok());
    let path = found.unwrap_or_else(|| launch.command().into());
    path.to_string_lossy().replace('\n', " ")
}

fn is_open_mpi(version: &str) -> bool {
    version.starts_with("Open MPI")
}

/// Whether the hosts of ranks in reverse order are alike: the same pattern of hosts by other names.
/// If not, messages of a collective on reversed ranks go between other numbers of hosts.
fn is_mirrored(hosts: &[String]) -> bool {
    let mut images = HashMap::new();
    let mut mirrored = hosts.iter().zip(hosts.iter().rev());
    mirrored.all(|(host, image)| *images.entry(host).or_insert(image) == image)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_launch::launchers::understand;
    use rankfold_wire::CallTimes;
    use std::ffi::OsString;
    use std::fs;
    use std::path::PathBuf;

    fn call(call: &str, rounds: impl Iterator<Item = (u64, u64)>) -> CallTimes {
        CallTimes {
            call: call.into(),
            bytes: 8,
            rounds: rounds.collect(),
        }
    }

    /// Times with noise of some per cent, in which `call` takes `ratio` per cent as long.
    fn times(slow: &str, ratio: u64) -> WorldTimes {
        let rounds = |ratio: u64| {
            (0..20).map(move |round| {
                let noise = |of: u64| 1000 + (round * of) % 97;
                (noise(31), noise(57) * ratio / 100)
            })
        };
        let calls = ["MPI_Barrier", "MPI_Allreduce", "MPI_Bcast"];
        let percent = |name: &str| if name == slow { ratio } else { 100 };
        WorldTimes {
            ranks: 8,
            mpi: "Open MPI v4.1.4".into(),
            calls: calls.map(|name| call(name, rounds(percent(name)))).into(),
        }
    }

    fn launch(ranks: usize) -> Launch {
        let words = format!("mpirun -n {ranks} app");
        let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        understand(&words).unwrap()
    }

    fn hosts() -> Vec<String> {
        ["a", "a", "b", "b"].map(String::from).into()
    }

    #[test]
    fn a_single_call_that_is_slower_beyond_noise_is_enough() {
        let judged = |times: &WorldTimes| WorldVerdict::of(times).unwrap();
        let slow = judged(&times("MPI_Bcast", 130));
        assert!(slow.is_slower() && slow.call == "MPI_Bcast", "{slow}");
        for (name, ratio) in [("MPI_Bcast", 103), ("MPI_Bcast", 30), ("none", 100)] {
            let verdict = judged(&times(name, ratio));
            assert!(!verdict.is_slower(), "{verdict}");
        }
    }

    #[test]
    fn a_few_disturbed_rounds_are_noise() {
        let mut times = times("none", 100);
        for round in times.calls[1].rounds.iter_mut().step_by(4) {
            round.1 *= 50;
        }
        assert!(!WorldVerdict::of(&times).unwrap().is_slower());
    }

    #[test]
    fn few_rounds_no_calls_and_times_of_zero_are_not_judged() {
        let mut few = times("MPI_Bcast", 900);
        few.calls[2].rounds.truncate(FEWEST - 1);
        let mut zero = times("MPI_Bcast", 900);
        zero.calls[0].rounds[3].0 = 0;
        let none = WorldTimes::default();
        for times in [few, zero, none] {
            assert_eq!(WorldVerdict::of(&times), None);
        }
    }

    #[test]
    fn times_are_known_for_their_cluster_launcher_and_jobs_of_that_size() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(directory.path(), 1 << 20).unwrap();
        let slow = times("MPI_Barrier", 300);
        let kept = cache.keep_world_times("c", &launch(8), &slow, &hosts());
        assert!(kept.unwrap().is_ok_and(|verdict| verdict.is_slower()));
        assert_eq!(cache.world_times("c", &launch(32)), Some(slow));
        assert_eq!(cache.world_times("c", &launch(33)), None);
        assert_eq!(cache.world_times("c-1", &launch(8)), None);
        let words = ["srun", "-n", "8", "app"].map(OsString::from);
        assert_eq!(cache.world_times("c", &understand(&words).unwrap()), None);
        assert_eq!(cache.all_machines().len(), 1);
        assert_eq!(cache.forget_machine("c").unwrap(), 1);
        assert_eq!(cache.world_times("c", &launch(8)), None);
    }

    #[test]
    fn uneven_hosts_tell_nothing_as_the_mirror_image_is_another_job() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(directory.path(), 1 << 20).unwrap();
        let uneven = &hosts()[..3];
        let kept = cache.keep_world_times("c", &launch(8), &times("none", 100), uneven);
        assert_eq!(kept.unwrap(), Err(Unjudged::UnlikeHosts));
        assert!(is_mirrored(
            &["a", "b", "c", "a", "b", "c"].map(String::from)
        ));
        assert!(!is_mirrored(
            &["a", "b", "b", "a", "c", "c"].map(String::from)
        ));
    }

    #[test]
    fn each_reason_for_no_verdict_has_words_of_its_own() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(directory.path(), 1 << 20).unwrap();
        let mut few = times("MPI_Bcast", 900);
        few.calls[2].rounds.truncate(FEWEST - 1);
        let why = |hosts: &[String]| {
            let kept = cache.keep_world_times("c", &launch(8), &few, hosts);
            kept.unwrap().unwrap_err().to_string()
        };
        let (no_time, unlike) = (why(&hosts()), why(&hosts()[..3]));
        assert!(
            no_time.ends_with("fewer than 5 rounds of a call could be timed"),
            "{no_time}"
        );
        assert!(
            unlike.contains("other hosts") && !unlike.contains("timed"),
            "{unlike}"
        );
        assert_eq!(cache.world_times("c", &launch(8)), None);
    }

    #[test]
    fn garbage_and_files_of_others_are_not_believed() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(directory.path(), 1 << 20).unwrap();
        let kept = cache.keep_world_times("c", &launch(8), &times("none", 100), &hosts());
        kept.unwrap().unwrap();
        let files = || fs::read_dir(cache.machines()).unwrap().flatten();
        let file: PathBuf = files().next().unwrap().path();
        let whole = fs::read_to_string(&file).unwrap();
        for broken in [
            "",
            "garbage",
            &whole[..whole.len() / 2],
            &whole.replace("1000", "many"),
            &whole.replace("1000", "0"),
            &whole.replace("found at ", "found at x"),
            &whole.replace(SOURCE, ""),
        ] {
            fs::write(&file, broken).unwrap();
            assert_eq!(cache.world_times("c", &launch(8)), None, "{broken}");
        }
        fs::write(&file, whole.replacen("found at ", "found at 1\n", 1)).unwrap();
        assert_eq!(cache.world_times("c", &launch(8)), None);
        fs::write(&file, &whole).unwrap();
        assert!(cache.world_times("c", &launch(8)).is_some());
        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
        assert_eq!(cache.world_times("c", &launch(8)), None);
    }
}
