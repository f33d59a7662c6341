//! https, with the real program against a server whose certificates are made on
//! the spot.

mod common;

use common::plans::Plan;
use common::{Ended, Program, assert_all_ok, assert_conservation, doorclock, number, only_run, text};
use serde_json::Value;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use testbed::tls::{Authority, PLAIN, Served, serve};

struct Place {
    folder: tempfile::TempDir,
    peer: SocketAddr,
    authority: Authority,
}

impl Place {
    fn new(served: &Served) -> Place {
        let (peer, authority) = serve(served);
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("ca.pem"), authority.pem()).expect("written");
        std::fs::write(folder.path().join("client.pem"), authority.signs("tester", false)).expect("written");
        Place { folder, peer, authority }
    }

    fn file(&self, name: &str) -> String {
        text(&self.folder.path().join(name)).to_owned()
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    /// A quick look at `host` of the server.
    fn measure(&self, host: &str, flags: &[&str]) -> Ended {
        let (url, out) = (format!("https://{host}:{}/", self.peer.port()), self.out());
        let fixed = [&url, "--json", "-r", "100/s", "-d", "500ms", "--warm-up", "0s", "--out", text(&out)];
        Program::start(&[&fixed[..], flags].concat()).end()
    }

    /// The run in its folder, which must verify.
    fn run(&self, ended: Ended) -> Value {
        let summary = ended.with_code(0).json();
        doorclock(["verify", text(&self.out())]).with_code(0);
        only_run(&summary).clone()
    }
}

fn codes(run: &Value) -> Vec<&str> {
    let doubts = run["doubts"].as_array().expect("doubts");
    doubts.iter().filter_map(|doubt| doubt["code"].as_str()).collect()
}

#[test]
fn a_service_behind_our_own_authority_is_measured_and_the_report_says_over_what() {
    let place = Place::new(&PLAIN);
    let run = place.run(place.measure("localhost", &["--ca", &place.file("ca.pem")]));
    assert_all_ok(&run);
    let tls = &run["tester"]["tls"];
    assert!(tls["agreed"].as_str().is_some_and(|agreed| agreed.starts_with("TLS 1.3, ")), "{tls}");
    assert_eq!(tls["verifies"], true, "{tls}");
    assert_eq!(number(tls, "/handshakes"), number(&run, "/tester/connections_opened"));
    assert!(number(tls, "/resumed") < number(tls, "/handshakes"), "the first has nothing to resume: {tls}");
    let report = doorclock(["report", text(&place.out())]).with_code(0).stdout;
    assert!(
        report.contains("TLS           TLS 1.3, ") && report.contains("inside the response time"),
        "{report}"
    );
    assert!(!codes(&run).contains(&"not-verified"));
}

#[test]
fn what_does_not_hold_is_refused_before_anything_is_measured() {
    let cases: [(Served, &str, &[&str], &str); 4] = [
        (PLAIN, "localhost", &[], "self-signed, or of an authority that is not known here"),
        (PLAIN, "127.0.0.1", &["--ca", "CA"], "is for another name"),
        (Served { expired: true, ..PLAIN }, "localhost", &["--ca", "CA"], "has expired"),
        (Served { asks: true, ..PLAIN }, "localhost", &["--ca", "CA"], "CertificateRequired"),
    ];
    for (served, host, flags, says) in cases {
        let place = Place::new(&served);
        let flags: Vec<String> = flags.iter().map(|flag| flag.replace("CA", &place.file("ca.pem"))).collect();
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        place.measure(host, &flags).fails_with(4, &["cannot be spoken to over TLS", says]);
        assert!(!place.out().exists(), "{says}");
    }
}

#[test]
fn another_name_a_certificate_of_our_own_and_one_version_can_be_asked_for() {
    let place = Place::new(&Served { asks: true, ..PLAIN });
    let (ca, client) = (place.file("ca.pem"), place.file("client.pem"));
    let flags = [
        "--ca",
        &ca,
        "--client-cert",
        &client,
        "--server-name",
        "localhost",
        "--tls",
        "1.2",
        "--no-resumption",
    ];
    let run = place.run(place.measure("127.0.0.1", &flags));
    assert_all_ok(&run);
    let tls = &run["tester"]["tls"];
    assert!(tls["agreed"].as_str().is_some_and(|agreed| agreed.starts_with("TLS 1.2, ")), "{tls}");
    assert_eq!(tls["resumed"], 0);
}

#[test]
fn whoever_takes_anybody_is_told_so_before_and_after() {
    let place = Place::new(&Served { expired: true, name: "shop.example", ..PLAIN });
    let ended = place.measure("localhost", &["--insecure"]);
    assert!(ended.stderr.contains("warning: --insecure: anybody may answer"), "{ended:#?}");
    let run = place.run(ended);
    assert_all_ok(&run);
    assert_eq!((&run["tester"]["tls"]["verifies"], &run["verdict"]), (&false.into(), &"doubtful".into()));
    assert!(codes(&run).contains(&"not-verified"));
}

#[test]
fn a_plan_says_the_same_in_a_table_and_its_work_is_followed_over_tls() {
    let place = Place::new(&PLAIN);
    let plan = |target: &str| {
        let text = format!(
            r#"
            question = "does it work?"
            [target]
            url   = "https://localhost:{}"
            ready = "/"
            {target}
            [environment]
            quiet = {{ idle = "0%", over = "50ms", wait = "0s" }}
            [rounds]
            count   = 1
            measure = "500ms"
            warm_up = "10 requests"
            [arm.a]
            open = {{ rate = "100/s" }}
            "#,
            place.peer.port()
        );
        Plan::write_whole(place.folder.path(), &text)
    };
    let run =
        place.run(plan("tls = { ca = \"ca.pem\", version = \"1.3\" }").run(&["--out", text(&place.out())]));
    assert_all_ok(&run);
    assert!(number(&run, "/tester/tls/handshakes") > 0);
    let nowhere = place.folder.path().join("nowhere");
    let out = text(&nowhere);
    plan("tls = { ca = \"none.pem\" }").run(&["--out", out]).fails_with(2, &["cannot read", "none.pem"]);
    plan("tls = { version = \"1.1\" }").run(&["--out", out]).fails_with(2, &["version"]);
}

#[test]
fn http_and_https_are_told_apart_where_they_meet() {
    let place = Place::new(&PLAIN);
    std::fs::write(place.file("empty.pem"), "").expect("written");
    let empty = place.file("empty.pem");
    place.measure("localhost", &["--ca", &empty]).fails_with(2, &["no certificate authority is known here"]);
    place.measure("localhost", &["--client-cert", &empty]).fails_with(2, &["no certificate in the file"]);
    let plain = common::Scorer::start();
    let url = plain.url("/healthz").replace("http://", "https://");
    doorclock([&url, "-d", "1s", "--insecure"]).with_code(4).and_hints("write http://");
    let url = plain.url("/healthz");
    doorclock([&url, "-d", "1s", "--ca", &place.file("ca.pem")]).fails_with(2, &["write https://"]);
    assert!(!Path::new("results").exists());
    assert_conservation(&place.run(place.measure("localhost", &["--ca", &place.file("ca.pem")])));
    assert!(place.authority.pem().contains("BEGIN CERTIFICATE"));
}

#[test]
fn a_host_can_be_named_and_another_address_connected_to() {
    let place = Place::new(&Served { name: "shop.example", ..PLAIN });
    let (ca, to) = (place.file("ca.pem"), place.peer.to_string());
    let out = place.out();
    let fixed = ["https://shop.example/", "--json", "-r", "50/s", "-d", "500ms", "--out", text(&out)];
    let ended = Program::start(&[&fixed[..], &["--ca", &ca, "--connect-to", &to]].concat()).end();
    assert_all_ok(&place.run(ended));
    // The address must be ours, whatever the host is.
    doorclock(["http://localhost/", "--connect-to", "192.0.2.1:80"])
        .fails_with(2, &["192.0.2.1", "not this machine"]);
    doorclock(["http://localhost/", "--connect-to", "shop"]).with_code(2);
}

#[test]
fn a_service_on_ipv6_alone_is_measured() {
    let Ok(listener) = std::net::TcpListener::bind("[::1]:0") else { return };
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        use std::io::{Read, Write};
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                while let Ok(1..) = stream.read(&mut [0; 4_096]) {
                    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
                    if stream.write_all(answer).is_err() {
                        return;
                    }
                }
            });
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let url = format!("http://{address}/");
    let ended = Program::start(&[&url, "--json", "-d", "500ms", "--out", text(&out)]).end().with_code(0);
    assert_all_ok(only_run(&ended.json()));
}
