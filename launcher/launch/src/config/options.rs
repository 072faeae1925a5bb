//! Options of commands that may have a default in the configuration.

/// A long option of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DefaultOption {
    /// The command that takes the option.
    pub command: &'static str,
    /// The long option without its dashes.
    pub option: &'static str,
}

impl DefaultOption {
    /// The name of the key: `run.effort`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.command, self.option)
    }
}
