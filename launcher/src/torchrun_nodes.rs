//! `torchrun` that another launcher starts once on each node, as `srun torchrun ...` does: a map of
//! all ranks becomes an order of nodes, and each `torchrun` gets the node rank of its place there.
//!
//! A static rendezvous follows node ranks; a dynamic one orders nodes by itself. So the options of
//! the rendezvous are replaced by those of a static one, whose master is the first node. The number
//! of ranks of a node stays. Every node notes its name under its node rank, which verifies the run.

use rankfold_console::terminal;
use rankfold_launch::error::LaunchError;
use rankfold_launch::launch::{GivenOption, Launch};
use rankfold_launch::launchers;
use rankfold_launch::placement::{PlacementPlan, canonical};
use rankfold_wire::Verification;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Gives `torchrun` its node rank, and notes the node in the directory `$0`. `torchrun` takes
/// options that are not given from variables that begin with `PET_`.
const SCRIPT: &str = "PET_NODE_RANK=${SLURM_PROCID:-${OMPI_COMM_WORLD_RANK:-$PMI_RANK}}; \
                      export PET_NODE_RANK; uname -n > \"$0/$PET_NODE_RANK\"; exec \"$@\"";

/// The options that the placement replaces, without hyphens between their words.
const REPLACED: [&str; 8] = [
    "nnodes",
    "standalone",
    "noderank",
    "masteraddr",
    "rdzvbackend",
    "rdzvendpoint",
    "rdzvid",
    "rdzvconf",
];
const RANKS_A_NODE: &str = "nprocpernode";

/// A launch of one `torchrun` a node, with the order of the nodes.
pub(crate) struct TorchrunNodes {
    /// The launch. Its processes are the nodes.
    pub(crate) launch: Launch,
    /// The host of each node rank.
    pub(crate) plan: PlacementPlan,
    /// The directory in which nodes note their names.
    pub(crate) notes: PathBuf,
}

/// The name of an option as [`REPLACED`] has it: `torchrun` takes hyphens and underscores.
fn plain(given: &GivenOption) -> String {
    let name = given.name().unwrap_or_default();
    name.chars().filter(|c| !"-_".contains(*c)).collect()
}

const TORCHRUN: &str = "torchrun";

/// Whether another launcher starts one `torchrun` on each node, so that only the order of nodes is
/// free.
pub(crate) fn are_started_by(launch: &Launch) -> bool {
    let is_torchrun = Path::new(launch.program()).file_name() == Some(TORCHRUN.as_ref());
    launch.apps.len() == 1 && is_torchrun && launch.launcher.name() != TORCHRUN
}

/// The launch in which `plan`, of all ranks, is followed by the order of nodes. `None` if the
/// launch does not start `torchrun` by another launcher. Nodes note their names below `directory`.
///
/// # Errors
/// The plan mixes the ranks of nodes, or has another number of ranks a node than the launch.
pub(crate) fn of(
    launch: &Launch,
    plan: &PlacementPlan,
    directory: &Path,
) -> Result<Option<TorchrunNodes>, LaunchError> {
    if !are_started_by(launch) {
        return Ok(None);
    }
    let mut inner = launchers::understand(&launch.apps[0].program)?;
    let nodes = plan.by_host();
    let each = nodes.first().map_or(0, |(_, ranks)| ranks.len());
    let is_even = nodes.iter().all(|(_, ranks)| ranks.len() == each);
    let [own] = &mut inner.apps[..] else {
        return Ok(None);
    };
    let started = own.options.last(|given| plain(given) == RANKS_A_NODE);
    let started = started.map_or(Some(1), |given| given.value(0)?.parse().ok());
    if !plan.is_in_blocks() || !is_even || started != Some(each) {
        return Err(LaunchError::Option {
            option: "--map".into(),
            problem: format!(
                "torchrun starts as many ranks on each node as --nproc-per-node says, with consecutive numbers, and this map places {each} ranks on {} otherwise: rankfold map --to torchrun writes one that fits",
                nodes.first().map_or("no node", |(host, _)| host)
            ),
        });
    }
    let replaced = own.options.take(|given| REPLACED.contains(&&*plain(given)));
    let replaced: Vec<String> = replaced.iter().map(GivenOption::text).collect();
    if !replaced.is_empty() {
        let replaced = replaced.join(" ");
        terminal::note(format_args!("the order of nodes replaces your {replaced}"));
    }
    let hosts: Vec<String> = nodes.iter().map(|(host, _)| (*host).to_owned()).collect();
    let master = hosts.first().cloned().unwrap_or_default();
    own.inserted.extend([
        format!("--nnodes={}", hosts.len()).into(),
        format!("--master_addr={master}").into(),
    ]);
    let notes = std::path::absolute(directory.join("nodes")).unwrap_or_default();
    let mut placed = launch.clone();
    let start = [
        "sh".into(),
        "-c".into(),
        SCRIPT.into(),
        notes.clone().into(),
    ];
    let start: Vec<OsString> = start.into();
    placed.apps[0].program = [start, inner.words()].concat();
    Ok(Some(TorchrunNodes {
        launch: placed,
        plan: PlacementPlan {
            hosts,
            rankfile: None,
            ..plan.clone()
        },
        notes,
    }))
}

/// Compares the hosts of the node ranks with those that `plan` has for them. Each node has noted
/// its name in the directory `notes`. `None` if no node has.
pub(crate) fn verification(plan: &PlacementPlan, notes: &Path) -> Option<Verification> {
    let noted = |rank: usize| std::fs::read_to_string(notes.join(rank.to_string())).ok();
    let nodes = plan.hosts.len();
    let noted: Vec<Option<String>> = (0..nodes).map(noted).collect();
    if noted.iter().all(Option::is_none) {
        return None;
    }
    let pairs = plan.hosts.iter().zip(&noted).enumerate();
    let is_wrong = |(_, (host, noted)): &(usize, (&String, &Option<String>))| {
        let noted = noted.as_deref().map(|name| canonical(name.trim()));
        noted != Some(canonical(host))
    };
    let wrong = pairs.into_iter().find(is_wrong);
    Some(match wrong {
        None => Verification {
            as_planned: true,
            line: format!("placement verified {nodes}/{nodes} node ranks of torchrun"),
        },
        Some((rank, (host, noted))) => Verification {
            as_planned: false,
            line: format!(
                "placement not as planned: node rank {rank} should be on {host} and is on {}",
                noted
                    .as_deref()
                    .map_or("a host that noted nothing", str::trim)
            ),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_launch::placement::RankCores;

    fn plan(hosts: &[&str]) -> PlacementPlan {
        PlacementPlan {
            hosts: hosts.iter().map(ToString::to_string).collect(),
            rankfile: None,
            shares_cores: false,
            cores: RankCores::default(),
            hosts_are_open: false,
        }
    }

    fn launch(line: &str) -> Launch {
        let words: Vec<OsString> = line.split(' ').map(Into::into).collect();
        launchers::understand(&words).expect("a launch")
    }

    const LINE: &str = "srun -N 2 torchrun --nnodes 2 --nproc_per_node 2 --rdzv-backend c10d --rdzv_endpoint a:1 -m train --x";

    #[test]
    fn a_map_of_ranks_becomes_an_order_of_nodes() {
        let plan = plan(&["b", "b", "a", "a"]);
        let nodes = of(&launch(LINE), &plan, Path::new("/d")).expect("fits");
        let nodes = nodes.expect("of torchrun");
        assert_eq!(nodes.plan.hosts, ["b", "a"]);
        let words = nodes.launch.apps[0].program.clone();
        let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
        let behind = [
            "/d/nodes",
            "torchrun",
            "--nnodes=2",
            "--master_addr=b",
            "--nproc_per_node",
            "2",
            "-m",
            "train",
            "--x",
        ];
        assert_eq!(words[3..], behind);
    }

    #[test]
    fn maps_that_mix_the_ranks_of_nodes_are_refused_and_other_launches_left_alone() {
        let is_refused = |hosts: &[&str]| of(&launch(LINE), &plan(hosts), Path::new("/d")).is_err();
        assert!(is_refused(&["a", "b", "a", "b"]));
        assert!(is_refused(&["a", "a", "a", "b", "b", "b"]));
        let other = launch("srun -n 2 ./app");
        assert!(matches!(
            of(&other, &plan(&["a", "b"]), Path::new("/d")),
            Ok(None)
        ));
    }

    #[test]
    fn what_nodes_have_noted_is_compared_with_the_order() {
        let notes = tempfile::tempdir().expect("a directory");
        let plan = plan(&["b", "a.x"]);
        assert!(verification(&plan, notes.path()).is_none());
        std::fs::write(notes.path().join("0"), "b.site\n").expect("a note");
        let verified = |plan| verification(plan, notes.path()).expect("notes");
        assert!(!verified(&plan).as_planned);
        std::fs::write(notes.path().join("1"), "a\n").expect("a note");
        assert!(verified(&plan).as_planned);
    }
}
