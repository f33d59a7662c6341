//! Whom to ask: an `http://` or `https://` URL, parsed once and then trusted.
//!
//! Small on purpose. It knows the URLs that a load can be sent to, refuses
//! the rest with a reason, and changes nothing in path and query: a tester
//! sends what it was given.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// Where requests go, and for what.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    is_secured: bool,
    host: Host,
    port: u16,
    path: String,
}

/// The machine part of a [`Target`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Host {
    /// A name that must be looked up, in lower case.
    Name(String),
    /// An IPv4 address.
    V4(Ipv4Addr),
    /// An IPv6 address, written in brackets.
    V6(Ipv6Addr),
}

/// Why a text is no target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// Some other scheme.
    #[error("scheme `{0}` is not spoken: use http:// or https://")]
    UnknownScheme(String),
    /// A name or password before the host.
    #[error("user names and passwords in a URL are not sent: use an authorization header")]
    UserInfo,
    /// Nothing where the host should be.
    #[error("host is missing")]
    NoHost,
    /// Neither a name nor an address.
    #[error("host `{0}` is not a name, an IPv4 address or an IPv6 address in brackets")]
    BadHost(String),
    /// A name with letters beyond ASCII.
    #[error("host `{0}` has letters beyond ASCII: write it in its xn-- form")]
    UnicodeHost(String),
    /// Not a port.
    #[error("port `{0}` is not a number from 1 to 65535")]
    BadPort(String),
    /// A `#` and what follows it.
    #[error("fragment `#{0}` is never sent: leave it out")]
    Fragment(String),
    /// A blank, a control character or a letter beyond ASCII.
    #[error("path holds {0:?}: percent-encode it")]
    BadPathLetter(char),
}

/// The port of a URL that names none.
fn default_port(is_secured: bool) -> u16 {
    if is_secured { 443 } else { 80 }
}

impl Target {
    /// Whether it is asked over TLS.
    pub fn is_secured(&self) -> bool {
        self.is_secured
    }

    /// The machine to connect to.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The port to connect to.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Path and query, beginning with `/`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The value of the Host header: the port is left out if it is the scheme's own.
    pub fn host_header(&self) -> String {
        match self.port {
            port if port == default_port(self.is_secured) => self.host.to_string(),
            port => format!("{}:{port}", self.host),
        }
    }
}

/// `http[s]://host[:port][/path][?query]`; `http://` may be left out.
impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Target, TargetError> {
        let (is_secured, rest) = without_scheme(text)?;
        let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let path = parse_path(path)?;
        if authority.contains('@') {
            return Err(TargetError::UserInfo);
        }
        let (host, port) = split_port(authority);
        let port = port.map_or(Ok(default_port(is_secured)), parse_port)?;
        Ok(Target { is_secured, host: host.parse()?, port, path })
    }
}

/// Whether it is to be secured, and what follows the scheme.
fn without_scheme(text: &str) -> Result<(bool, &str), TargetError> {
    let is_scheme = |word: &str| {
        word.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    match text.split_once("://") {
        Some((scheme, rest)) if is_scheme(scheme) => match scheme.to_ascii_lowercase().as_str() {
            "http" => Ok((false, rest)),
            "https" => Ok((true, rest)),
            _ => Err(TargetError::UnknownScheme(scheme.into())),
        },
        _ => Ok((false, text)),
    }
}

fn parse_path(text: &str) -> Result<String, TargetError> {
    if let Some((_, fragment)) = text.split_once('#') {
        return Err(TargetError::Fragment(fragment.into()));
    }
    if let Some(letter) = text.chars().find(|letter| !letter.is_ascii_graphic()) {
        return Err(TargetError::BadPathLetter(letter));
    }
    let slash = if text.starts_with('/') { "" } else { "/" };
    Ok(format!("{slash}{text}"))
}

/// The port is what follows the colon after the host; an IPv6 address has
/// colons of its own, inside its brackets.
fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if host.ends_with(']') || !host.contains(':') => (host, Some(port)),
        _ => (authority, None),
    }
}

fn parse_port(text: &str) -> Result<u16, TargetError> {
    // `parse` alone would take `+80`.
    match text.parse() {
        Ok(port) if port > 0 && text.bytes().all(|byte| byte.is_ascii_digit()) => Ok(port),
        _ => Err(TargetError::BadPort(text.into())),
    }
}

impl FromStr for Host {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Host, TargetError> {
        let bad = || TargetError::BadHost(text.into());
        if text.is_empty() {
            return Err(TargetError::NoHost);
        }
        if !text.is_ascii() {
            return Err(TargetError::UnicodeHost(text.into()));
        }
        if let Some(inside) = text.strip_prefix('[') {
            let address = inside.strip_suffix(']').ok_or_else(bad)?;
            return address.parse().map(Host::V6).map_err(|_| bad());
        }
        if let Ok(address) = text.parse() {
            return Ok(Host::V4(address));
        }
        is_name(text).then(|| Host::Name(text.to_ascii_lowercase())).ok_or_else(bad)
    }
}

/// Labels of letters, digits, `-` and `_`, 63 letters each and 253 in all
/// (RFC 1035 section 2.3.4). A last label of digits alone can only be an
/// address that went wrong.
fn is_name(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    let name = text.strip_suffix('.').unwrap_or(text);
    let last = name.rsplit('.').next().unwrap_or(name);
    name.len() <= 253 && name.split('.').all(is_label) && !last.bytes().all(|byte| byte.is_ascii_digit())
}

impl fmt::Display for Host {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Host::Name(name) => out.write_str(name),
            Host::V4(address) => write!(out, "{address}"),
            Host::V6(address) => write!(out, "[{address}]"),
        }
    }
}

/// The whole URL, scheme included.
impl fmt::Display for Target {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_secured { "https" } else { "http" };
        write!(out, "{scheme}://{}{}", self.host_header(), self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_give_host_port_and_path_and_print_as_they_are_meant() {
        let cases = [
            ("http://127.0.0.1:8600/score?x=1", "127.0.0.1:8600", "/score?x=1", 8600),
            ("127.0.0.1:8600/x", "127.0.0.1:8600", "/x", 8600),
            ("localhost:80", "localhost", "/", 80),
            ("localhost", "localhost", "/", 80),
            ("HTTP://LocalHost/A", "localhost", "/A", 80),
            ("http://[::1]:8600", "[::1]:8600", "/", 8600),
            ("[2001:DB8::1]", "[2001:db8::1]", "/", 80),
            ("http://h?q=a/b", "h", "/?q=a/b", 80),
            ("h/x?u=http://other/", "h", "/x?u=http://other/", 80),
            ("h/a@b:c", "h", "/a@b:c", 80),
            ("my_service.internal.:65535/%20", "my_service.internal.:65535", "/%20", 65535),
        ];
        for (text, host_header, path, port) in cases {
            let target: Target = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(target.host_header(), host_header, "{text}");
            assert_eq!((target.path(), target.port()), (path, port), "{text}");
            assert_eq!(target.to_string(), format!("http://{host_header}{path}"), "{text}");
            assert_eq!(target.to_string().parse(), Ok(target), "{text}");
        }
    }

    #[test]
    fn a_secured_target_has_a_port_of_its_own() {
        for (text, host_header, port) in
            [("https://h/x", "h", 443), ("HTTPS://h:8443/x", "h:8443", 8443), ("https://h:80/x", "h:80", 80)]
        {
            let target: Target = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert!(target.is_secured());
            assert_eq!((target.host_header().as_str(), target.port()), (host_header, port));
            assert_eq!(target.to_string(), format!("https://{host_header}/x"));
        }
        let plain: Target = "http://h:443/x".parse().expect("a URL");
        assert_eq!((plain.is_secured(), plain.host_header().as_str()), (false, "h:443"));
    }

    #[test]
    fn hosts_are_told_apart() {
        assert_eq!("127.0.0.1".parse(), Ok(Host::V4(Ipv4Addr::LOCALHOST)));
        assert_eq!("[::1]".parse(), Ok(Host::V6(Ipv6Addr::LOCALHOST)));
        assert_eq!("a.B".parse(), Ok(Host::Name("a.b".into())));
    }

    #[test]
    fn what_cannot_be_asked_is_refused_with_the_reason() {
        let not_a_host = |host: &str| {
            format!("host `{host}` is not a name, an IPv4 address or an IPv6 address in brackets")
        };
        let port = |port: &str| format!("port `{port}` is not a number from 1 to 65535");
        let long_label = format!("{}.com", "a".repeat(64));
        let long_name = format!("{}com", "a.".repeat(126));
        let cases = [
            ("ftp://h/", "scheme `ftp` is not spoken: use http:// or https://".to_string()),
            ("http://", "host is missing".into()),
            ("", "host is missing".into()),
            ("/path", "host is missing".into()),
            (":80", "host is missing".into()),
            ("h:", port("")),
            ("h:0", port("0")),
            ("h:+80", port("+80")),
            ("h:65536", port("65536")),
            ("h:80x", port("80x")),
            ("u:p@h", "user names and passwords in a URL are not sent: use an authorization header".into()),
            ("h/#top", "fragment `#top` is never sent: leave it out".into()),
            ("h#top", "fragment `#top` is never sent: leave it out".into()),
            ("h/a b", "path holds ' ': percent-encode it".into()),
            ("h/ü", "path holds 'ü': percent-encode it".into()),
            ("h/\r\nX: y", "path holds '\\r': percent-encode it".into()),
            (
                "bücher.example",
                "host `bücher.example` has letters beyond ASCII: write it in its xn-- form".into(),
            ),
            ("a b", not_a_host("a b")),
            ("a..b", not_a_host("a..b")),
            ("127.0.0.999", not_a_host("127.0.0.999")),
            ("127.1", not_a_host("127.1")),
            ("::1", not_a_host("::1")),
            ("[::1", not_a_host("[::1")),
            ("[::1]x", not_a_host("[::1]x")),
            ("[fe80::1%25eth0]", not_a_host("[fe80::1%25eth0]")),
            (&long_label, not_a_host(&long_label)),
            (&long_name, not_a_host(&long_name)),
        ];
        for (text, message) in cases {
            assert_eq!(text.parse::<Target>().map_err(|error| error.to_string()), Err(message), "{text:?}");
        }
    }
}
