//! Options of commands that may have a default in the configuration.

/// A long option of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DefaultOption {
    pub(crate) command: &'static str,
    /// The long option without its dashes.
    pub(crate) option: &'static str,
}

impl DefaultOption {
    /// The name of the key: `run.effort`.
    pub(crate) fn name(&self) -> String {
        format!("{}.{}", self.command, self.option)
    }
}
