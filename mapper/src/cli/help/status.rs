//! `rankfold help status`.

use super::Topic;

pub(in crate::cli) const STATUS: Topic = Topic {
    name: "status",
    summary: "the exit statuses",
    text: || TEXT.to_owned(),
};

const TEXT: &str = "\
Exit status
  0    all went well
  1    something failed that no input explains; or a program ended well under `rankfold run`, but not on the places planned
  2    bad input: the message names the file and line, or the flag, to change; nothing was overwritten
  any  of profile and run: the program's own, whatever it is. A program killed by a signal ends as its launcher says:
       139 for a segmentation fault under Open MPI, 11 under Hydra. What rankfold could not do besides is a message
  130  interrupted (Ctrl-C), 143 told to end, where the launcher reports them so

Results go to standard output or the files named, everything else to standard error.
";
