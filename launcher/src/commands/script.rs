//! `rankfold profile` and `rankfold run` of a job script: the command applies to every launch in
//! the script.
//!
//! In the script's environment the names of launchers stand for `rankfold script-step`. A directory
//! at the head of `PATH` holds programs with these names; for bash there are also functions, which
//! still win after `module load` has changed `PATH`. A launcher that the script starts by its path
//! is not caught.

use super::counting_args::CountingArgs;
use super::{Cli, default_options, profile, unchanged};
use crate::job;
use crate::traces::scratch;
use anyhow::Context;
use clap::FromArgMatches;
use rankfold_console::{outln, output, terminal};
use rankfold_launch::error::LaunchError;
use rankfold_launch::{launch, launchers};
use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The hidden command that runs in place of launchers.
pub(super) const COMMAND: &str = "script-step";

/// Programs that run a script.
const INTERPRETERS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "ksh", "csh", "tcsh", "fish", "python", "python3", "perl", "make",
    "salloc",
];

/// The names of launchers that stand for [`COMMAND`].
const CAUGHT: &[&str] = &[
    "mpirun",
    "mpiexec",
    "mpirun.openmpi",
    "mpiexec.openmpi",
    "mpirun.mpich",
    "mpiexec.mpich",
    "mpiexec.hydra",
    "orterun",
    "prterun",
    "srun",
    "flux",
    "jsrun",
    "mpirun_rsh",
];

/// `rankfold script-step`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Args {
    /// The directory of the script's run
    directory: PathBuf,
    /// Where to write the first profile
    #[arg(long)]
    output: Option<PathBuf>,
    #[command(flatten)]
    counting: CountingArgs,
    /// Options of `rankfold run` as a shell takes them: the launch is run with its map
    #[arg(long, allow_hyphen_values = true)]
    run: Option<String>,
    /// Set when the environment has no names of launchers for this command any more
    #[arg(long)]
    clean: bool,
    /// The launch
    #[arg(last = true, required = true)]
    launch: Vec<OsString>,
}

/// Whether `words` start a script and not a launcher.
pub(super) fn is_one(words: &[OsString]) -> bool {
    let words = &words[launch::before(words)..];
    let Some(program) = words.first() else {
        return false;
    };
    let name = Path::new(program).file_name().unwrap_or(program);
    let name = name.to_string_lossy();
    if launchers::is_name(&name) {
        return false;
    }
    let shebang = |path: PathBuf| fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"#!"));
    INTERPRETERS.contains(&&*name) || rankfold_launch::diagnosis::find(program).is_some_and(shebang)
}

/// Runs the script `words`, and profiles every launch. The profile of the first one is written to
/// `output`, further profiles are written beside it. The exit status is the script's.
pub(super) fn profile(
    words: &[OsString],
    output: Option<&Path>,
    counting: CountingArgs,
    dry: bool,
) -> anyhow::Result<u8> {
    if let Some(output) = output {
        output::check(output)?;
    }
    let mut options = Vec::new();
    if let Some(output) = output {
        let output = std::path::absolute(output).context("the path of the profile")?;
        options.extend(["--output".into(), output.into()]);
    }
    options.extend(counting.words());
    let beside = output::directory(output.unwrap_or(Path::new(".")));
    caught(words, beside, options, dry, "no profile was written")
}

/// Runs the script `words`, and every launch in it as `rankfold run` does with the options of this
/// process. `of_one_launch` is an option that cannot be given with a script. The exit status is the
/// script's.
pub(super) fn run(
    words: &[OsString],
    of_one_launch: Option<&'static str>,
    dry: bool,
) -> anyhow::Result<u8> {
    if let Some(option) = of_one_launch {
        return Err(LaunchError::Option {
            option: option.into(),
            problem: "a script may have several launches, and this is about one: leave it out, or put rankfold run into the script".into(),
        }
        .into());
    }
    let own = std::env::args_os().skip(1).take_while(|word| word != "--");
    let own: Vec<OsString> = own.map(|word| with_whole_path(&word)).collect();
    let options = vec!["--run".into(), launch::quoted(&own).into()];
    caught(words, Path::new("."), options, dry, "nothing was mapped")
}

/// A word, or the value behind its `=`, with the absolute path of the file that it names: the
/// script may change its directory.
fn with_whole_path(word: &OsStr) -> OsString {
    let text = word.to_string_lossy();
    let (option, value) = match text.split_once('=') {
        Some((option, value)) => (format!("{option}="), value),
        None => (String::new(), &*text),
    };
    match std::path::absolute(value) {
        Ok(path) if Path::new(value).is_file() => (option + &path.to_string_lossy()).into(),
        _ => word.to_owned(),
    }
}

/// Runs the script `words`. Launches in it start [`COMMAND`] with these options. If none is seen,
/// the user is told `loss`.
fn caught(
    words: &[OsString],
    beside: &Path,
    options: Vec<OsString>,
    dry: bool,
    loss: &str,
) -> anyhow::Result<u8> {
    let directory = scratch(beside)?;
    let at = std::path::absolute(directory.path()).context("the directory of the script's run")?;
    let words = [surroundings(&at, options)?, words.to_vec()].concat();
    if dry {
        outln!("{}", launch::quoted(&words));
        return Ok(0);
    }
    let status = job::run(&words, |_| true)?;
    if claims(&at).next().is_none() {
        terminal::warning(format_args!(
            "{loss}: no launch was seen in the script; one that names the launcher by its path is not, write its name alone or start it with rankfold itself"
        ));
    }
    Ok(status)
}

/// The command `env` with the variables that make launches in the script run [`COMMAND`].
fn surroundings(at: &Path, options: Vec<OsString>) -> anyhow::Result<Vec<OsString>> {
    let program = std::env::current_exe().context("the path of this program")?;
    let mut step = vec![program.into_os_string(), COMMAND.into(), at.into()];
    step.extend(options);
    let step = launch::quoted(&step);
    let bin = at.join("bin");
    fs::create_dir(&bin).context("a directory for launchers")?;
    let mut path = bin.clone().into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut words = vec![OsString::from("env"), assignment("PATH", &path)];
    for name in CAUGHT {
        let file = bin.join(name);
        output::write(
            &file,
            format!("#!/bin/sh\nexec {step} -- {name} \"$@\"\n").as_bytes(),
        )?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).context("a launcher")?;
        let function = format!("() {{ {step} -- {name} \"$@\"\n}}");
        words.push(assignment(&function_of(name), OsStr::new(&function)));
    }
    Ok(words)
}

/// The word `NAME=VALUE`.
fn assignment(name: &str, value: &OsStr) -> OsString {
    let mut word = OsString::from(name);
    word.push("=");
    word.push(value);
    word
}

/// The environment variable in which bash passes the function `name` to other processes.
fn function_of(name: &str) -> String {
    format!("BASH_FUNC_{name}%%")
}

/// Runs a launch of a script. The command of the script applies to the launch if rankfold
/// understands it, and the launch runs in any case.
pub(super) fn step(args: &Args) -> anyhow::Result<u8> {
    if !args.clean {
        return again(args);
    }
    let understood = launchers::understand(&args.launch)
        .map_err(anyhow::Error::from)
        .and_then(|launch| {
            let output = claim(args, launch.program())?;
            if args.run.is_none() {
                output::check(&output)?;
            }
            Ok((output, launch))
        });
    match (understood, &args.run) {
        (Ok(_), Some(options)) => mapped(options, &args.launch),
        (Ok((output, launch)), None) => {
            unchanged::in_any_case(&args.launch, "this run is not profiled", || {
                let profiled = profile::profile(&launch, &output, args.counting.options())?;
                if let Some(profile) = &profiled.profile {
                    profile::tell(profile, &output);
                }
                Ok(profiled.status)
            })
        }
        (Err(problem), run) => {
            let silent = problem
                .downcast_ref()
                .is_some_and(|error| unchanged::starts_nothing(&args.launch, error));
            if !silent {
                let what = if run.is_some() { "mapped" } else { "profiled" };
                terminal::warning(format_args!("not {what}: {problem}"));
            }
            unchanged::as_given(&args.launch, false)
        }
    }
}

/// Runs a launch of a script as `rankfold run` does with these options.
fn mapped(options: &str, launch: &[OsString]) -> anyhow::Result<u8> {
    let options = shlex::split(options).unwrap_or_default();
    let own = ["rankfold".to_owned()].into_iter().chain(options);
    let words = own.map(OsString::from).chain(["--".into()]);
    let whole = super::whole();
    let configuration = default_options::configuration(&whole);
    let whole = default_options::with_defaults(whole, &configuration);
    let given = whole.try_get_matches_from(words.chain(launch.iter().cloned()))?;
    Cli::from_arg_matches(&given)?.run(&configuration)
}

/// Starts this command again, without the variables that catch launches, so that the launcher
/// itself and the programs that it starts are found.
fn again(args: &Args) -> anyhow::Result<u8> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let bin = args.directory.join("bin");
    let others = std::env::split_paths(&path).filter(|directory| *directory != bin);
    let path = std::env::join_paths(others).unwrap_or(path.clone());
    let program = std::env::current_exe().context("the path of this program")?;
    let mut command = Command::new(program);
    command.args(std::env::args_os().skip(1).take_while(|word| word != "--"));
    command.args(["--clean", "--"]).args(&args.launch);
    for name in CAUGHT {
        command.env_remove(function_of(name));
    }
    let error = command.env("PATH", path).exec();
    Err(not_started(OsStr::new("rankfold"), error).into())
}

fn not_started(program: &OsStr, source: std::io::Error) -> LaunchError {
    LaunchError::NotStarted {
        program: program.to_string_lossy().into_owned(),
        source,
    }
}

/// Reserves a path for the profile that no other launch of the script has: `app.rfp`, `app-2.rfp`,
/// ...
fn claim(args: &Args, program: &OsStr) -> anyhow::Result<PathBuf> {
    let first = match &args.output {
        Some(output) => output.clone(),
        None => profile::named_after(program),
    };
    let stem = first.file_stem().unwrap_or_default().to_string_lossy();
    let ending = first.extension().unwrap_or_default().to_string_lossy();
    for number in 1u32.. {
        let name = match number {
            1 => first.clone(),
            _ => first.with_file_name(format!("{stem}-{number}.{ending}")),
        };
        let mark = args.directory.join(format!("profile-{stem}-{number}"));
        match OpenOptions::new().write(true).create_new(true).open(mark) {
            Ok(_) => return Ok(name),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).context("the directory of the script's run"),
        }
    }
    Ok(first)
}

/// The files by which launches of the script have reserved paths.
fn claims(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let files = fs::read_dir(directory).into_iter().flatten().flatten();
    let files = files.map(|file| file.path());
    files.filter(|path| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().starts_with("profile-")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_told_from_launches() {
        let is = |line: &str| {
            let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
            is_one(&words)
        };
        assert!(is("bash job.sh") && is("nice -n 5 /bin/sh -c x") && is("salloc -n 4 job"));
        assert!(!is("mpirun.openmpi bash job.sh") && !is("srun bash") && !is("nice"));
        let scratch = tempfile::tempdir().unwrap();
        let script = scratch.path().join("job");
        fs::write(&script, "#!/bin/sh\n").unwrap();
        assert!(is(&script.display().to_string()));
        assert!(!is(&std::env::current_exe().unwrap().display().to_string()));
    }

    #[test]
    fn every_launch_of_a_script_has_a_profile_of_its_own() {
        let scratch = tempfile::tempdir().unwrap();
        let claim = |output: Option<&str>, program| {
            let args = Args {
                directory: scratch.path().into(),
                output: output.map(PathBuf::from),
                counting: CountingArgs::default(),
                run: None,
                clean: true,
                launch: vec![],
            };
            claim(&args, OsStr::new(program))
                .unwrap()
                .display()
                .to_string()
        };
        assert_eq!(claim(None, "/bin/app"), "app.rfp");
        assert_eq!(claim(None, "app"), "app-2.rfp");
        assert_eq!(claim(None, "other"), "other.rfp");
        assert_eq!(claim(Some("/tmp/x.rfp"), "app"), "/tmp/x.rfp");
        assert_eq!(claim(Some("/tmp/x.rfp"), "app"), "/tmp/x-2.rfp");
        assert_eq!(claims(scratch.path()).count(), 5);
    }
}
