//! A real nginx on a port and in a folder of its own, for as long as its
//! owner lives.
//!
//! No test waits for it to be ready: the socket is opened here and handed
//! over, so connections made before nginx reads its first line just wait in
//! the socket's queue.

use crate::failure::Failure;
use crate::folder::Folder;
use crate::{command, packages};
use rustix::io::FdFlags;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A running nginx.
pub struct Nginx {
    child: Child,
    port: u16,
    /// Where it speaks TLS, if it does.
    tls_port: Option<u16>,
    // Goes after the process that writes into it.
    _folder: Folder,
}

impl Nginx {
    /// Starts one, on the given core if one is given.
    pub fn start(core: Option<usize>) -> Result<Nginx, Failure> {
        Nginx::start_on(core, false)
    }

    /// The same with a second port over TLS, with a certificate that nobody vouches for.
    pub fn start_with_tls(core: Option<usize>) -> Result<Nginx, Failure> {
        Nginx::start_on(core, true)
    }

    fn start_on(core: Option<usize>, with_tls: bool) -> Result<Nginx, Failure> {
        let program = packages::find_or_install(packages::NGINX)?;
        let folder = Folder::new("nginx")?;
        if with_tls {
            certificate(folder.path())?;
        }
        let open = || TcpListener::bind("127.0.0.1:0").map_err(Failure::system("open a port for nginx"));
        let port_of = |socket: &TcpListener| {
            socket.local_addr().map(|at| at.port()).map_err(Failure::system("read nginx's port"))
        };
        let mut sockets = vec![open()?];
        let port = port_of(&sockets[0])?;
        let tls_port = match with_tls {
            true => {
                let socket = open()?;
                let port = port_of(&socket)?;
                sockets.push(socket);
                Some(port)
            }
            false => None,
        };
        let file = folder.path().join("nginx.conf");
        std::fs::write(&file, config(port, tls_port)).map_err(Failure::file("write", &file))?;
        let child = spawn(&program, folder.path(), &sockets, core)?;
        Ok(Nginx { child, port, tls_port, _folder: folder })
    }

    /// The same over TLS, if it speaks that.
    pub fn tls_url(&self) -> Option<String> {
        Some(format!("https://127.0.0.1:{}/", self.tls_port?))
    }

    /// Answers with a tiny 200.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Requests since it started, by its own count, this question included.
    pub fn requests_served(&self) -> Result<u64, Failure> {
        let answer = get(self.port, "/status").map_err(Failure::system("ask nginx for its count"))?;
        requests(&answer).ok_or_else(|| Failure::Output { command: "nginx".to_owned(), what: answer })
    }
}

/// One request on a connection of its own; the whole answer, head included.
fn get(port: u16, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

/// The third of the numbers under `server accepts handled requests`.
fn requests(status: &str) -> Option<u64> {
    let (_, rest) = status.split_once("server accepts handled requests")?;
    rest.split_whitespace().nth(2)?.parse().ok()
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // TERM rather than KILL, so that the master ends its worker first.
        let pid = rustix::process::Pid::from_child(&self.child);
        let told = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        if told.is_err() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// Starts nginx with `sockets` as its own. nginx takes over the descriptors
/// that the variable NGINX lists: that is how it replaces itself by a newer
/// binary without closing its ports.
fn spawn(
    program: &Path,
    folder: &Path,
    sockets: &[TcpListener],
    core: Option<usize>,
) -> Result<Child, Failure> {
    let mut handed = String::new();
    for socket in sockets {
        rustix::io::fcntl_setfd(socket, FdFlags::empty()).map_err(Failure::system("hand a port to nginx"))?;
        handed.push_str(&format!("{};", socket.as_raw_fd()));
    }
    let mut words = Vec::new();
    if let Some(core) = core {
        words.extend(["taskset".to_owned(), "-c".to_owned(), core.to_string()]);
    }
    // If we are killed outright, the kernel ends nginx for us.
    words.extend(["setpriv".to_owned(), "--pdeathsig".to_owned(), "TERM".to_owned()]);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).arg(program).arg("-p").arg(folder).args([
        "-c",
        "nginx.conf",
        "-e",
        "error.log",
    ]);
    command.env("NGINX", handed).stdin(Stdio::null()).stdout(Stdio::null());
    command.spawn().map_err(command::not_started(&command))
}

/// A self-signed certificate and its key, `tls.pem` and `tls.key`.
fn certificate(folder: &Path) -> Result<(), Failure> {
    let openssl = packages::find_or_install(packages::Package { program: "openssl", package: "openssl" })?;
    let mut command = Command::new(openssl);
    command.current_dir(folder).args(["req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=localhost"]);
    command.args(["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]);
    command::output(command.args(["-keyout", "tls.key", "-out", "tls.pem"])).map(drop)
}

/// One worker, as little work a request as nginx can do, and connections that
/// last for as long as their client likes. `/status` counts, independently of
/// us, what was accepted and asked.
fn config(port: u16, tls_port: Option<u16>) -> String {
    let tls = tls_port.map_or(String::new(), |port| {
        format!("listen 127.0.0.1:{port} ssl; ssl_certificate tls.pem; ssl_certificate_key tls.key;")
    });
    format!(
        "daemon off;
worker_processes 1;
worker_rlimit_nofile 8192;
pid nginx.pid;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    keepalive_requests 1000000000;
    keepalive_timeout 1h;
    server {{
        listen 127.0.0.1:{port};
        {tls}
        location / {{ return 200 \"ok\\n\"; }}
        location = /status {{ stub_status; }}
    }}
}}
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_of_requests_is_the_third_number() {
        let status = "Active connections: 1 \nserver accepts handled requests\n 2 3 45 \nReading: 0";
        assert_eq!(requests(status), Some(45));
        assert_eq!(requests("HTTP/1.1 404 Not Found"), None);
    }

    #[test]
    #[ignore = "needs nginx: `cargo xtask test` brings it"]
    fn nginx_answers_from_the_moment_it_is_started_and_is_gone_when_dropped() {
        let nginx = Nginx::start(None).expect("nginx starts");
        let port = nginx.port;
        let answer = get(port, "/").expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.ends_with("\r\n\r\nok\n"), "{answer}");
        let count = nginx.requests_served().expect("a count");
        assert_eq!(nginx.requests_served().expect("a count"), count + 1);
        drop(nginx);
        assert!(get(port, "/").is_err(), "something still listens");
    }
}
