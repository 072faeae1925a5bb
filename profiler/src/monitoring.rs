//! The messages that Open MPI reports, message by message, through its component `monitoring`.
//!
//! The component sees the messages of the point-to-point layer, below the interface of MPI. For
//! each message it calls a function of its own. This library defines a function of the same name,
//! and the dynamic linker finds that function first. So this library counts these messages, each in
//! the phase in which it is sent, and keeps the counts in the journal. What remains without the
//! messages of the program was sent inside collectives. The tags of the messages do not tell them
//! apart: Open MPI 4.1 gives a positive tag to messages of collectives that it sends by persistent
//! requests.
//!
//! Open MPI also shows sums of these messages as performance variables of MPI_T. They are not used,
//! because Open MPI 4.1.4 makes them invalid before `MPI_Init` returns, and its first use of MPI_T
//! loads all components.

use crate::journal::notes;
use crate::{config, degrade, epoch, parameters, thread};
use libc::c_int;
use rankfold_wire::journal::Key;
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering};

/// The variable that turns the component on. It must be set before `MPI_Init`.
const SWITCH: &str = "OMPI_MCA_pml_monitoring_enable";

/// The component, in lists of components.
const COMPONENT: &str = "monitoring";

/// Frameworks with a further component of this name, which is turned off. That of `coll` ends
/// programs that make intercommunicators, under Open MPI 4.1.4 and 5.0.11.
const FURTHER: [&str; 2] = ["coll", "osc"];

/// Whether the component has passed any message.
static HEARD: AtomicBool = AtomicBool::new(false);

/// Turns the component on, unless the user has set its variable. Open MPI reads the variables in
/// `MPI_Init`; other MPI libraries do not know them. Called when the library is loaded, while the
/// process has one thread.
pub(crate) fn turn_on() {
    set(SWITCH, "1", false);
    for framework in FURTHER {
        let list = parameters::value(framework);
        if let Some(list) = without_component(list.as_deref()) {
            set(&format!("{}{framework}", parameters::OMPI), &list, true);
        }
    }
}

/// Sets an environment variable. The process must have one thread.
fn set(name: &str, value: &str, overwrite: bool) {
    if let (Ok(name), Ok(value)) = (CString::new(name), CString::new(value)) {
        // SAFETY: both texts end with a NUL, and no other thread reads or changes the environment.
        unsafe { libc::setenv(name.as_ptr(), value.as_ptr(), c_int::from(overwrite)) };
    }
}

/// The list of components that also leaves out [`COMPONENT`]; `None` if `list` names the
/// components that are used.
fn without_component(list: Option<&str>) -> Option<String> {
    match list {
        None | Some("") => Some(format!("^{COMPONENT}")),
        Some(list) => list.starts_with('^').then(|| format!("{list},{COMPONENT}")),
    }
}

/// The list of components before [`turn_on`] has changed it; `None` if there was none.
pub(crate) fn original(list: &str) -> Option<&str> {
    if is_wanted() {
        without_change(list)
    } else {
        Some(list)
    }
}

/// The list that [`turn_on`] has made this one of; `None` if there was none.
fn without_change(list: &str) -> Option<&str> {
    match list.strip_suffix(COMPONENT) {
        Some("^") => None,
        Some(rest) => rest.strip_suffix(',').or(Some(list)),
        None => Some(list),
    }
}

/// Notes that the messages are counted, if the component has passed any. Called
/// at the end of `MPI_Init`, in which every rank of a larger world sends messages.
pub(crate) fn begin() {
    if HEARD.load(Ordering::Acquire) {
        notes::monitored();
    }
}

/// Whether the launcher has asked for these messages.
pub(crate) fn is_wanted() -> bool {
    config::get().is_some_and(|config| config.monitored)
}

/// Open MPI sends a message to `rank` of the world.
pub(crate) fn sends(rank: c_int, bytes: usize) {
    HEARD.store(true, Ordering::Release);
    let Ok(rank) = u32::try_from(rank) else {
        return;
    };
    if epoch::counting() && is_wanted() {
        degrade::guarded(|| {
            let thread = thread::this();
            thread.catch_up();
            thread.count(Key::Reported(rank), bytes as u64);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_component_is_added_to_the_components_that_are_left_out() {
        let list = without_component;
        assert_eq!(list(None).as_deref(), Some("^monitoring"));
        assert_eq!(list(Some("^han,sm")).as_deref(), Some("^han,sm,monitoring"));
        assert_eq!(list(Some("tuned,basic")), None);
        assert_eq!(without_change("^monitoring"), None);
        assert_eq!(without_change("^han,sm,monitoring"), Some("^han,sm"));
        assert_eq!(without_change("tuned,basic"), Some("tuned,basic"));
    }
}
