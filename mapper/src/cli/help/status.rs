//! `rankfold help status`.

use super::Topic;

pub(in crate::cli) const STATUS: Topic = Topic {
    name: "status",
    summary: "the exit statuses",
    text: || TEXT.to_owned(),
};

const TEXT: &str = "\
Exit status
  0    success
  1    a failure that is not the input's fault; or the program ended well under `rankfold run`, but not on the planned slots
  2    bad input: the message names the file and line, or the flag, to change; nothing was overwritten
  any  profile and run return the program's own status. If a signal killed the program, the status is the launcher's: 139 for a segmentation fault under Open MPI, 11 under Hydra. Failures of rankfold itself are then only messages
  130  interrupted (Ctrl-C), and 143 terminated, where the launcher reports them this way

Results go to standard output or to the files named, everything else to standard error.
";
