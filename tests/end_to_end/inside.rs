//! Compares the inside of a host as ranks read it below `/sys` with what hwloc reads there.

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use rankfold_importers::{self as import, Source};
use rankfold_tests::process;
use rankfold_wire::Surroundings;
use std::fs;
use std::path::Path;
use std::process::Command;

pub(crate) fn facts() -> Vec<Fact> {
    let needs = [Need::Tool("lstopo")];
    vec![
        fact("inside::this_host_is_what_hwloc_says", &needs, || {
            compare(Path::new("/"), None)
        }),
        fact("inside::a_server_is_what_hwloc_says", &needs, || {
            let root = tempfile::tempdir()?;
            server(root.path(), &(0..16).collect::<Vec<_>>())?;
            compare(root.path(), Some(root.path()))
        }),
        fact(
            "inside::a_server_with_cores_down_is_what_hwloc_says",
            &needs,
            || {
                let root = tempfile::tempdir()?;
                server(root.path(), &[0, 1, 2, 4, 5, 7, 8, 9, 10, 12, 13, 15])?;
                compare(root.path(), Some(root.path()))
            },
        ),
    ]
}

/// Reads the files below `root` by both readers, and compares the results. `made` is `root` where
/// that is not the running system but a directory made by a test.
fn compare(root: &Path, made: Option<&Path>) -> Result<()> {
    let mut command = Command::new("lstopo");
    command.args(["--of", "xml", "--no-io"]);
    if let Some(root) = made {
        // hwloc would ask the processor itself as well, which is not the one that the files
        // describe.
        command
            .env("HWLOC_COMPONENTS", "linux,stop")
            .env("HWLOC_FSROOT", root);
    }
    let text = process::run(&mut command, "")?.success()?.stdout;
    let source = Source {
        file: "lstopo.xml".into(),
        text,
    };
    let insides = import::inside(&source)?;
    let theirs = insides.of(0).context("hwloc finds nothing")?;
    let ours = Surroundings::read(root);
    let levels: Vec<_> = theirs
        .levels()
        .iter()
        .map(|level| (&*level.name, &*level.cores))
        .collect();
    let seen: Vec<_> = ours
        .levels
        .iter()
        .map(|level| (&*level.name, &*level.cores))
        .collect();
    ensure!(
        ours.core_count() == theirs.cores() && seen == levels,
        "we see {ours:?}, and hwloc {theirs:?}"
    );
    Ok(())
}

/// Writes the files of a host with two packages of two NUMA nodes. The cores of a NUMA node share a
/// cache; there are two, with two threads each. Processors are numbered as Linux does, and `online`
/// lists those that are online.
fn server(root: &Path, online: &[u32]) -> Result<()> {
    let write = |path: &str, text: String| -> Result<()> {
        let path = root.join(path);
        fs::create_dir_all(path.parent().context("no directory")?)?;
        Ok(fs::write(path, text + "\n")?)
    };
    let sharing = |same: &dyn Fn(u32) -> bool| -> (String, String) {
        let cpus: Vec<u32> = online.iter().copied().filter(|cpu| same(*cpu)).collect();
        let mask: u32 = cpus.iter().map(|cpu| 1 << cpu).sum();
        let list: Vec<String> = cpus.iter().map(u32::to_string).collect();
        (format!("{mask:08x}"), list.join(","))
    };
    let memory = |cpu: u32| cpu % 2 * 2 + cpu % 8 / 4;
    write("sys/devices/system/cpu/online", sharing(&|_| true).1)?;
    write("sys/devices/system/node/online", "0-3".into())?;
    write("proc/self/status", "Cpus_allowed_list:\t0-15".into())?;
    for &cpu in online {
        let (core, package) = (cpu % 8, cpu % 2);
        let file =
            |name: &str, text| write(&format!("sys/devices/system/cpu/cpu{cpu}/{name}"), text);
        file("topology/core_id", core.to_string())?;
        file("topology/physical_package_id", package.to_string())?;
        let (mask, list) = sharing(&|other| other % 8 == core);
        file("topology/core_cpus", mask)?;
        file("topology/thread_siblings_list", list)?;
        file(
            "topology/package_cpus",
            sharing(&|other| other % 2 == package).0,
        )?;
        let (mask, list) = sharing(&|other| memory(other) == memory(cpu));
        file("cache/index3/level", "3".into())?;
        file("cache/index3/type", "Unified".into())?;
        file("cache/index3/size", "32768K".into())?;
        file("cache/index3/shared_cpu_map", mask)?;
        file("cache/index3/shared_cpu_list", list)?;
    }
    for node in 0..4 {
        let (mask, list) = sharing(&|cpu| memory(cpu) == node);
        let at = format!("sys/devices/system/node/node{node}");
        write(&format!("{at}/cpumap"), mask)?;
        write(&format!("{at}/cpulist"), list)?;
        write(
            &format!("{at}/meminfo"),
            format!("Node {node} MemTotal: 4000000 kB"),
        )?;
    }
    Ok(())
}
