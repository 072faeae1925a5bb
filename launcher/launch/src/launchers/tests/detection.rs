//! Which launcher a command is.

use super::*;
use std::os::unix::fs::PermissionsExt;

/// Why the command is no launcher.
fn problem(command: &str) -> String {
    let found = detect(OsStr::new(command), PATIENCE);
    found.err().unwrap().to_string()
}

#[test]
fn nothing_but_a_launcher_is_asked_for_its_version() {
    let message = problem("/bin/echo");
    assert!(
        message.contains("must start with the launcher"),
        "{message}"
    );
    assert!(
        message.contains("rankfold doctor lists those of this system"),
        "{message}"
    );
    assert_eq!(
        detect(OsStr::new("/opt/slurm/bin/srun"), PATIENCE)
            .unwrap()
            .name(),
        "Slurm"
    );
    for name in ["/usr/bin/palsrun", "prun"] {
        let message = problem(name);
        assert!(message.contains("Without our launcher"), "{message}");
    }
    let message = problem("mpirun.nowhere");
    assert!(
        message.starts_with("mpirun.nowhere: there is no such command: give"),
        "{message}"
    );
}

#[test]
fn a_launcher_that_tells_no_version_is_not_waited_for_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let silent = folder.path().join("mpirun_silent");
    std::fs::write(&silent, "#!/bin/sh\nexec sleep 60\n").unwrap();
    std::fs::set_permissions(&silent, PermissionsExt::from_mode(0o755)).unwrap();
    let found = detect(silent.as_os_str(), Duration::from_millis(100));
    let message = found.err().unwrap().to_string();
    assert!(message.contains("did not answer"), "{message}");
}
