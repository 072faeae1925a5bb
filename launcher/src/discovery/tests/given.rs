//! Machines that the user gives by `--machine`, and that later runs remember.

use super::*;

#[test]
fn a_given_machine_that_lacks_a_host_or_names_is_the_users_mistake() {
    let mut question = Question::of(&["n0", "n7"]);
    let file = question._directory.path().join("site.toml");
    fs::write(&file, "network = \"torus:2\"\nhosts = [\"n0\", \"n1\"]\n").unwrap();
    question.machine = Some(file.display().to_string());
    let message = |question: &Question| {
        question
            .ask()
            .map(|found| found.found.line())
            .unwrap_err()
            .to_string()
    };
    assert!(
        message(&question).contains("the machine has no host n7"),
        "{}",
        message(&question)
    );
    question.machine = Some("torus:2".into());
    assert!(
        message(&question).contains("--hosts"),
        "{}",
        message(&question)
    );
    question.nodes = nodes(Some("n7,n0"));
    assert!(
        question
            .ask()
            .unwrap()
            .found
            .line()
            .contains("--machine torus:2")
    );
}

#[test]
fn a_machine_once_given_is_used_until_a_probe_is_newer_and_read_anew_each_time() {
    let question = Question::of(&["n0", "n1", "n2", "n3"]);
    let file = question._directory.path().join("site.toml");
    fs::write(&file, ring("torus:4")).unwrap();
    let mut given = to_remember(&file.to_string_lossy(), &question.nodes).unwrap();
    assert_eq!(given.hosts, None, "the file names them");
    question.cache.remember_given("test#", &given).unwrap();
    let first = question.ask().unwrap();
    assert!(first.found.source.contains("of an earlier run"));
    fs::write(&file, ring("mesh:4")).unwrap();
    assert_ne!(question.ask().unwrap().digest, first.digest);
    question.probed(&ring("torus:2x2"));
    given.when = 1;
    question.cache.remember_given("test#", &given).unwrap();
    assert!(question.source().contains("a probe has measured"));
}

#[test]
fn of_islands_in_a_given_file_that_of_the_job_counts_and_included_files_too() {
    let mut question = Question::of(&["n0", "n1"]);
    let directory = question._directory.path().to_owned();
    let write = |name: &str, text: &str| fs::write(directory.join(name), text).unwrap();
    write(
        "topology.conf",
        "include a.conf\nSwitchName=b Nodes=m[0-1]\n",
    );
    write("a.conf", "SwitchName=a Nodes=n[0-2]\n");
    let spec = directory.join("topology.conf").display().to_string();
    let given = to_remember(&spec, &question.nodes).unwrap();
    assert_eq!(given.hosts, None, "the file names them");
    question.machine = Some(spec);
    let first = question.ask().unwrap();
    assert_eq!(first.found.hardware.names.unwrap(), ["n0", "n1", "n2"]);
    write(
        "a.conf",
        "SwitchName=a Switches=c\nSwitchName=c Nodes=n[0-2]\n",
    );
    assert_ne!(question.ask().unwrap().digest, first.digest);
    question.hosts = ["n0", "m0"].map(str::to_owned).into();
    let spanning = question.ask().map(|found| found.found.source).unwrap_err();
    assert!(
        spanning.to_string().contains("the job has both hosts"),
        "{spanning}"
    );
    question.machine = None;
    question.hosts = ["m0", "m1"].map(str::to_owned).into();
    question.cache.remember_given("test#", &given).unwrap();
    let remembered = question.ask().unwrap().found;
    assert_eq!(remembered.hardware.names.unwrap(), ["m0", "m1"]);
}

#[test]
fn a_spec_is_remembered_with_the_hosts_that_were_named_with_it() {
    let question = Question::of(&["n0", "n1"]);
    let given = to_remember("torus:2", &nodes(Some("n1,n0"))).unwrap();
    assert_eq!(
        given.hosts.as_deref(),
        Some(&["n1".to_owned(), "n0".to_owned()][..])
    );
    question.cache.remember_given("test#", &given).unwrap();
    let found = question.ask().unwrap().found;
    assert_eq!(found.hardware.names, given.hosts);
}
