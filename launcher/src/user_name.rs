//! The login name of the user, which a profile keeps unless the user leaves it out.

use std::env;

/// Set to any value, this variable keeps the name out of profiles.
const LEFT_OUT: &str = "RANKFOLD_NO_USER";

/// The name of the user who starts this launch; empty if it is unknown or left out.
pub(crate) fn of_launch() -> String {
    let variable = |name: &str| env::var(name).ok();
    of(env::var_os(LEFT_OUT).is_some(), variable)
}

/// The name that a login sets in `LOGNAME` and `USER`.
fn of(is_left_out: bool, variable: impl Fn(&str) -> Option<String>) -> String {
    if is_left_out {
        return String::new();
    }
    let mut names = ["LOGNAME", "USER"].into_iter().filter_map(variable);
    names.find(|name| !name.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_names_the_user_unless_the_name_is_left_out() {
        let login = |name: &str| match name {
            "LOGNAME" => Some(String::new()),
            "USER" => Some("ada".to_owned()),
            _ => None,
        };
        assert_eq!(of(false, login), "ada");
        assert_eq!(of(true, login), "");
        assert_eq!(of(false, |_| None), "");
    }
}
