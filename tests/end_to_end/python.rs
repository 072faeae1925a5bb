//! The Python module, installed from a wheel of the binaries under test.

use crate::fact::{Fact, Need, fact};
use crate::made::{package, root};
use anyhow::Result;
use rankfold_tests::{process, rankfold};
use rankfold_wire::{
    CallClass, Collective, Communicator, Form, FunctionMessages, FunctionTime, Manifest, Operation,
    Peer, Profile, Row, SizeCount, SizeKind, Time,
};
use std::fs;
use std::process::Command;

pub(crate) fn facts() -> Vec<Fact> {
    vec![fact(
        "python::the_module_does_what_its_documentation_and_the_command_say",
        &[Need::PythonPackages],
        module,
    )]
}

/// Runs the script that installs a wheel beside other packages.
fn script() -> Command {
    Command::new(root().join("scripts/lib/package/python"))
}

/// Why the packages that the module works with are not here.
pub(crate) fn packages_missing() -> Option<String> {
    match process::run(&mut script(), "") {
        Ok(fetched) if fetched.status == 0 => None,
        Ok(fetched) => Some(fetched.stderr.trim().to_owned()),
        Err(error) => Some(error.to_string()),
    }
}

fn module() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let wheel = package(&scratch.path().join("packages"), "wheel")?;
    let work = scratch.path().join("work");
    fs::create_dir(&work)?;
    exchange(16).write(&work.join("app.rfp"))?;
    let check = root().join("mapper/python/tests/check.py");
    let mut command = script();
    command.arg(&wheel).arg(check).current_dir(&work);
    command.env(
        "RANKFOLD_MAP",
        rankfold::build_directory().join("rankfold-map"),
    );
    process::run(&mut command, "")?.success()?;
    Ok(())
}

/// The profile in the examples: every rank of a 4x4 torus sends to its four neighbours and joins
/// collectives.
fn exchange(ranks: u32) -> Profile {
    let peer = |rank| Peer {
        rank,
        bytes: 10_000,
        messages: 10,
    };
    let row = |rank: u32| {
        let (line, place) = (rank / 4, rank % 4);
        let mut peers: Vec<u32> = [1, 3]
            .into_iter()
            .flat_map(|step| [line * 4 + (place + step) % 4, (line + step) % 4 * 4 + place])
            .collect();
        peers.sort_unstable();
        Row::of(peers.into_iter().map(peer).collect())
    };
    let time = |class, nanoseconds, calls| Time {
        class,
        nanoseconds,
        calls,
    };
    Profile {
        manifest: Manifest {
            program: "./app".into(),
            mpi: "Open MPI v4.1.4".into(),
            hosts: (0..ranks).map(|rank| format!("host{rank}")).collect(),
            ..Manifest::default()
        },
        rows: (0..ranks).map(row).collect(),
        communicators: vec![Communicator {
            members: (0..ranks).map(Some).collect(),
            ..Communicator::default()
        }],
        collectives: vec![Collective {
            comm: 0,
            op: Operation::Allreduce,
            root: None,
            bytes: 80_000,
            calls: 10,
            form: Form::default(),
        }],
        times: (0..ranks)
            .map(|_| {
                vec![
                    time(CallClass::Wait, 30_000_000, 40),
                    time(CallClass::Collective, 20_000_000, 10),
                    time(CallClass::Run, 900_000_000, 1),
                ]
            })
            .collect(),
        function_times: [
            (CallClass::Wait, "MPI_Wait", 480_000_000, 640),
            (CallClass::Collective, "MPI_Allreduce", 200_000_000, 80),
            (CallClass::Collective, "MPI_Barrier", 120_000_000, 80),
        ]
        .map(|(class, function, nanoseconds, calls)| FunctionTime {
            class,
            function: function.into(),
            nanoseconds,
            calls,
            longest: nanoseconds / 10,
            longest_rank: 3,
        })
        .into(),
        function_messages: vec![FunctionMessages {
            function: "MPI_Isend".into(),
            bytes: 640_000,
            messages: 640,
        }],
        sizes: vec![SizeCount {
            kind: SizeKind::Message,
            bits: 10,
            bytes: 640_000,
            messages: 640,
        }],
        ..Profile::default()
    }
}
