//! Plans for tests: each with a scorer on a port of its own.

use super::{DOORCLOCK, Ended, Program, text};
use std::net::TcpListener;
use std::path::{Path, PathBuf};

/// The plans that we hand out.
pub fn plans() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plans")
}

/// A port that was free a moment ago.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").port()
}

/// A plan file of one test.
pub struct Plan {
    path: PathBuf,
}

impl Plan {
    /// Writes a plan with a question, a target and a request before `rest`, in
    /// which `PORT` stands for the target's port.
    pub fn write(folder: &Path, rest: &str) -> Plan {
        let head = r#"
            question = "does it work?"
            [target]
            url   = "http://127.0.0.1:PORT"
            start = "doorclock target scorer --port PORT --with-parent"
            ready = "/healthz"
            ready_within = "30s"
            [request]
            path = "/healthz"
        "#;
        Plan::write_whole(folder, &format!("{head}{rest}"))
    }

    /// Writes a whole plan.
    pub fn write_whole(folder: &Path, plan: &str) -> Plan {
        let port = free_port().to_string();
        let path = folder.join("plan.toml");
        std::fs::write(&path, plan.replace("PORT", &port)).expect("written");
        Plan { path }
    }

    /// Its file.
    pub fn path(&self) -> &str {
        text(&self.path)
    }

    /// Runs it with these flags; the summary comes on standard output.
    pub fn run(&self, flags: &[&str]) -> Ended {
        Program::start(&[&["run", self.path(), "--json"], flags].concat()).end()
    }

    /// Runs it into a folder; it must end well.
    pub fn run_into(&self, out: &Path) -> Ended {
        self.run(&["--out", text(out)]).with_code(0)
    }
}

/// Runs one of our plans for a second or so, on a port of its own, on a
/// machine that may be busy.
pub fn small(name: &str, flags: &[&str], out: &Path) -> Ended {
    small_shape(name, &[&["--set", "rounds.measure=1s"], flags].concat(), out)
}

/// The same for a plan with a shape, which says itself how long it lasts.
pub fn small_shape(name: &str, flags: &[&str], out: &Path) -> Ended {
    let port = free_port();
    let plan = plans().join(format!("{name}.toml"));
    let start =
        format!("target.start=doorclock target scorer --port {port} --service-time 900us --with-parent");
    let url = format!("target.url=http://127.0.0.1:{port}");
    let mut args = vec!["run", text(&plan), "--json", "--out", text(out)];
    let mut sets = vec![
        start,
        url,
        "target.ready_within=30s".to_owned(),
        "rounds.count=1".to_owned(),
        "environment.quiet.wait=0s".to_owned(),
        "environment.quiet.over=50ms".to_owned(),
    ];
    if name == "compare" {
        sets.push(format!(
            "arm.new.start=doorclock target scorer --port {port} --service-time 1ms --with-parent"
        ));
    }
    args.extend(sets.iter().flat_map(|set| ["--set", set]));
    args.extend(flags);
    assert!(Path::new(DOORCLOCK).is_file());
    Program::start(&args).end()
}
