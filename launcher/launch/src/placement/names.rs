//! Host names, which users and systems write in several ways.

/// The form in which host names are compared: without the domain, which launchers and hosts may
/// give differently, and in lower case. `localhost` stands for this host. Addresses stay as they
/// are.
pub fn canonical(host: &str) -> String {
    if host == "localhost" {
        let own = rustix::system::uname();
        return canonical_name(&own.nodename().to_string_lossy());
    }
    canonical_name(host)
}

fn canonical_name(host: &str) -> String {
    short_name(host).to_ascii_lowercase()
}

/// A host name without its domain. Addresses stay as they are.
pub fn short_name(host: &str) -> String {
    if host.parse::<std::net::IpAddr>().is_ok() {
        return host.to_owned();
    }
    host.split('.').next().unwrap_or(host).to_owned()
}
