//! A real PostgreSQL and a real Redis, each on a port and in a folder of its
//! own, for as long as its owner lives.
//!
//! Both run as an ordinary user: PostgreSQL refuses to run as root, and nothing
//! that a test asks of either needs more.

use crate::failure::Failure;
use crate::folder::Folder;
use crate::packages::{self, Package};
use crate::{command, say};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a server may take until it answers.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often that is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// Who runs a server where we are root.
const POSTGRES_USER: &str = "postgres";
const REDIS_USER: &str = "nobody";

/// A server, its process and its folder.
struct Server {
    child: Child,
    port: u16,
    // Goes after the process that writes into it.
    folder: Folder,
}

impl Drop for Server {
    fn drop(&mut self) {
        // INT: both close their files and end at once, whoever is connected. A
        // test may have left it stopped.
        let pid = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::CONT);
        if rustix::process::kill_process(pid, rustix::process::Signal::INT).is_err() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

impl Server {
    #[expect(
        clippy::disallowed_methods,
        reason = "a server that does not answer is not waited for without end"
    )]
    /// Waits until `answers` says so. What the server wrote is shown if it never does.
    fn wait(mut self, answers: impl Fn(&Server) -> bool) -> Result<Server, Failure> {
        let since = Instant::now();
        while !answers(&self) {
            let ended = self.child.try_wait().map_err(Failure::system("look after a server"))?;
            if ended.is_some() || since.elapsed() > PATIENCE {
                let log = self.folder.path().join("log");
                say::error(&std::fs::read_to_string(log).unwrap_or_default());
                return Err(Failure::System {
                    doing: "start a server: it does not answer, and what it wrote is above",
                    source: std::io::Error::from(std::io::ErrorKind::TimedOut),
                });
            }
            std::thread::sleep(LOOK);
        }
        Ok(self)
    }
}

/// A running PostgreSQL with the one user `postgres`, who needs no password.
pub struct Postgres(Server);

impl Postgres {
    /// Makes an empty cluster in a folder of this name and starts it.
    pub fn start(name: &str) -> Result<Postgres, Failure> {
        let program = packages::find_or_install(Package { program: "postgres", package: "postgresql" })?;
        // Its companions stand beside it, not beside a link to it.
        let program = program.canonicalize().map_err(Failure::file("find", &program))?;
        let beside = |name: &str| program.with_file_name(name);
        let folder = folder_of(name, POSTGRES_USER)?;
        let data = folder.path().join("data");
        let mut make = as_user(POSTGRES_USER, &beside("initdb"), folder.path());
        make.args([
            "--auth=trust",
            "--username=postgres",
            "--encoding=UTF8",
            "--no-locale",
            "--no-sync",
            "-D",
        ]);
        command::output(make.arg(&data))?;
        let port = free_port()?;
        let mut serve = as_user(POSTGRES_USER, &program, folder.path());
        serve.arg("-D").arg(&data).args(["-h", "127.0.0.1", "-p", &port.to_string()]);
        // No socket file outside the folder. Nothing here outlives a power cut.
        serve.args(["-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "max_connections=300"]);
        let child = spawn(serve, folder.path())?;
        let ready = beside("pg_isready");
        let server = Server { child, port, folder }.wait(|server| {
            let mut ask = Command::new(&ready);
            ask.args(["-q", "-U", "postgres", "-h", "127.0.0.1", "-p", &server.port.to_string()]);
            ask.status().is_ok_and(|status| status.success())
        })?;
        Ok(Postgres(server))
    }

    /// Where it is.
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.0.port)
    }
}

/// A running Redis that keeps nothing on disk.
pub struct Redis(Server);

impl Redis {
    /// Starts one.
    pub fn start() -> Result<Redis, Failure> {
        let program =
            packages::find_or_install(Package { program: "redis-server", package: "redis-server" })?;
        let folder = folder_of("redis", REDIS_USER)?;
        let port = free_port()?;
        let mut serve = as_user(REDIS_USER, &program, folder.path());
        serve.args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--save", "", "--appendonly", "no"]);
        let child = spawn(serve, folder.path())?;
        let server = Server { child, port, folder }.wait(|server| ping(server.port).is_ok_and(|yes| yes))?;
        Ok(Redis(server))
    }

    /// Where it is.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.0.port)
    }
}

fn ping(port: u16) -> std::io::Result<bool> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(b"PING\r\n")?;
    let mut answer = [0; 7];
    stream.read_exact(&mut answer)?;
    Ok(&answer == b"+PONG\r\n")
}

/// A port that nobody has now: neither server takes an open socket over.
fn free_port() -> Result<u16, Failure> {
    let socket = TcpListener::bind("127.0.0.1:0").map_err(Failure::system("find a free port"))?;
    Ok(socket.local_addr().map_err(Failure::system("read a free port"))?.port())
}

/// An empty folder that belongs to whoever will run the server.
fn folder_of(name: &str, user: &str) -> Result<Folder, Failure> {
    if !rustix::process::geteuid().is_root() {
        return Folder::new(name);
    }
    let folder = Folder::for_others(name)?;
    command::run(Command::new("chown").arg(user).arg(folder.path()))?;
    Ok(folder)
}

/// `program` in `folder`, as an ordinary user, who is `user` where we are root.
/// If we are killed outright, the kernel ends it for us.
fn as_user(user: &str, program: &PathBuf, folder: &Path) -> Command {
    let mut command = Command::new("setpriv");
    if rustix::process::geteuid().is_root() {
        command.args(["--reuid", user, "--regid"]).arg(group(user)).arg("--clear-groups");
    }
    command.args(["--pdeathsig", "INT"]).arg(program).current_dir(folder).stdin(Stdio::null());
    command
}

/// Debian names the group of `nobody` otherwise than its user.
fn group(user: &str) -> &str {
    if user == REDIS_USER { "nogroup" } else { user }
}

fn spawn(mut command: Command, folder: &Path) -> Result<Child, Failure> {
    let path = folder.join("log");
    let log = std::fs::File::create(&path).map_err(Failure::file("make", &path))?;
    let errors = log.try_clone().map_err(Failure::file("make", &path))?;
    command.stdout(log).stderr(errors);
    command.spawn().map_err(command::not_started(&command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[ignore = "needs postgres: `cargo xtask test` brings it"]
    fn postgres_answers_as_an_ordinary_user_and_is_gone_when_dropped() {
        let server = Postgres::start("postgres-of-a-test").expect("it starts");
        assert!(!runs_as_root(server.0.child.id()));
        let port = server.0.port;
        let folder = server.0.folder.path().to_owned();
        drop(server);
        assert!(TcpStream::connect(("127.0.0.1", port)).is_err(), "something still listens");
        assert!(!folder.exists());
    }

    #[test]
    #[ignore = "needs redis: `cargo xtask test` brings it"]
    fn redis_answers_as_an_ordinary_user_and_is_gone_when_dropped() {
        let server = Redis::start().expect("it starts");
        assert!(!runs_as_root(server.0.child.id()));
        assert!(ping(server.0.port).expect("an answer"));
        let port = server.0.port;
        drop(server);
        assert!(ping(port).is_err(), "something still listens");
    }

    fn runs_as_root(pid: u32) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it lives");
        status.lines().any(|line| line.starts_with("Uid:\t0\t"))
    }
}
