//! What is known of a machine beyond its network: names and slots of the nodes, what is inside
//! them, times that are no link's, and the machine file that holds all of that.

mod error;
mod hardware;
pub mod hosts;
mod inside;
pub(super) mod machine_file;
mod timing;

pub use error::MachineError;
pub use hardware::{Hardware, Insides};
pub use hosts::HostList;
pub use inside::{Inside, InsideLevel};
pub use machine_file::Description;
pub use timing::{BySize, SizeRow, Timing};
