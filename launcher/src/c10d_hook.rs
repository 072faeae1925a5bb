//! The hook that counts the calls of PyTorch's c10d: modules in Python, which the processes of a
//! launch find by PYTHONPATH.

use crate::library;
use rankfold_console::terminal;
use rankfold_launch::launch::Launch;
use rankfold_wire::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// The modules by their file names. Python imports the first one at its start.
const MODULES: [(&str, &str); 4] = [
    ("sitecustomize.py", include_str!("../hook/sitecustomize.py")),
    ("rankfold_c10d.py", include_str!("../hook/rankfold_c10d.py")),
    (
        "rankfold_c10d_calls.py",
        include_str!("../hook/rankfold_c10d_calls.py"),
    ),
    (
        "rankfold_c10d_gradients.py",
        include_str!("../hook/rankfold_c10d_gradients.py"),
    ),
];

const SEARCHED: &str = "PYTHONPATH";

/// Words of a launch that starts Python contain one of these. Other programs get no variables.
const SIGNS: [&str; 4] = ["python", "torchrun", ".py", "deepspeed"];

/// Writes the modules below `directory`, and returns the variables with which the processes of
/// `launch` find them. `library` is the preload library. Empty for launches without Python; a
/// warning says where there can be no hook.
pub(crate) fn variables(
    launch: &Launch,
    library: &Path,
    directory: &Path,
) -> Vec<(&'static str, OsString)> {
    let words = launch.words();
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let starts_python = words
        .iter()
        .any(|word| SIGNS.iter().any(|sign| word.contains(sign)));
    let Some(counter) = library::find_nccl(library).filter(|_| starts_python) else {
        return Vec::new();
    };
    if words.iter().any(|word| word.contains(SEARCHED)) {
        skip("the launch sets PYTHONPATH by itself");
        return Vec::new();
    }
    match write(directory) {
        Ok(hook) => vec![
            (SEARCHED, first(&hook, std::env::var_os(SEARCHED))),
            (env::C10D, counter.into()),
        ],
        Err(error) => {
            skip(&format!("its hook cannot be written: {error}"));
            Vec::new()
        }
    }
}

fn skip(reason: &str) {
    terminal::warning(format_args!("c10d of PyTorch is not counted: {reason}"));
}

fn write(directory: &Path) -> io::Result<PathBuf> {
    let hook = std::path::absolute(directory.join("python"))?;
    std::fs::create_dir_all(&hook)?;
    for (name, text) in MODULES {
        std::fs::write(hook.join(name), text)?;
    }
    Ok(hook)
}

/// The hook's directory ahead of those that are searched already.
fn first(hook: &Path, searched: Option<OsString>) -> OsString {
    let mut all = hook.as_os_str().to_owned();
    if let Some(searched) = searched.filter(|searched| !searched.is_empty()) {
        all.push(OsStr::new(":"));
        all.push(searched);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hook_comes_ahead_of_what_the_user_has_python_search() {
        let hook = Path::new("/a/python");
        assert_eq!(first(hook, None), "/a/python");
        assert_eq!(first(hook, Some("".into())), "/a/python");
        assert_eq!(first(hook, Some("/b:/c".into())), "/a/python:/b:/c");
    }
}
