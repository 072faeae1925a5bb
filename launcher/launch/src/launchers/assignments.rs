//! Environment variables for launchers that set them by an option with `NAME=VALUE` in the next
//! word.

use crate::launch::{App, Exports, GivenOption, Options, Role, assignment};

/// Adds `option NAME=VALUE` for every variable to every program, and removes the user's own
/// settings of the same variables.
pub(super) fn export(apps: &mut [App], exports: &Exports, option: &str) {
    for app in apps {
        let variables = exports.beside(preloaded(&app.options).as_deref());
        app.options
            .take(|given| variables.iter().any(|(name, _)| sets(given, name)));
        let variables = variables.into_iter();
        app.inserted
            .extend(variables.flat_map(|(name, value)| [option.into(), assignment(name, value)]));
    }
}

fn preloaded(options: &Options) -> Option<String> {
    let given = options.last(|given| sets(given, "LD_PRELOAD"))?;
    let value = given.value(0)?;
    value.split_once('=').map(|(_, value)| value.to_owned())
}

fn sets(given: &GivenOption, name: &str) -> bool {
    given.role == Role::Export
        && given
            .value(0)
            .is_some_and(|value| value.split('=').next() == Some(name))
}
