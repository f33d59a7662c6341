//! TLS on real loopback sockets, against a server with certificates made on the
//! spot.

use doorclock_engine::{
    Expect, Job, Limits, MonotonicClock, Numbers, Prepared, Tls, TlsOrder, TlsOrderError, Trust, Version,
    Work, WorkerEnd, certificates, run,
};
use model::{ArrivalProcess, ConnectionPolicy, Nanos, Outcome, Rate, Sample, Seed, SendPrecision};
use schedule::{Arrivals, Open, Profile, Share, Tester};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::AtomicBool;
use testbed::tls::{Authority, PLAIN, Served, serve};
use wire::h1::RequestParts;

fn trusting(authority: &Authority) -> TlsOrder {
    TlsOrder {
        server_name: "localhost".to_owned(),
        trust: Trust::Authorities(authority.certificates()),
        client: None,
        version: Version::Any,
        resumes: true,
    }
}

fn measure(
    peer: SocketAddr,
    order: &TlsOrder,
    connection_policy: ConnectionPolicy,
) -> (WorkerEnd, Vec<Sample>) {
    let request = RequestParts { method: "GET", path: "/", host: "test", ..RequestParts::default() };
    let request = request.build().expect("a request");
    let expect = Expect { status: Some(200), ..Expect::default() };
    let prepared = Prepared { bytes: request.bytes().into(), asked: request.asked(), expect };
    let work = Work::new(vec![prepared], Seed(1)).expect("one request");
    let limits = Limits {
        warm_up: Nanos::ZERO,
        until: Nanos::from_millis(500),
        grace: Nanos::from_secs(5),
        timeout: Nanos::from_secs(5),
        connection_policy,
        connection_limit: 64,
        connection_numbers: Numbers::ALL,
        may_read_later: true,
    };
    let profile = Profile::level(Rate::per_second(100.0).expect("a rate"), limits.until).expect("a profile");
    let arrivals = Arrivals::new(profile, ArrivalProcess::Poisson, Seed(3));
    let tester: Box<dyn Tester + Send> = Box::new(Open::new(arrivals, Share::whole()));
    let (stop, mut samples) = (AtomicBool::new(false), Vec::new());
    let job = Job {
        peer,
        tls: Some(Tls::new(order).expect("an order")),
        work: &work,
        testers: vec![tester],
        follow: None,
        limits,
        precision: SendPrecision::Sleep,
        cpus: Vec::new(),
        clock: MonotonicClock::starting_in(Nanos::from_millis(2)),
        stop: &stop,
    };
    let end = run(job, &mut |batch| samples.extend_from_slice(batch)).expect("a run");
    assert_eq!(end.taken, samples.len() as u64);
    assert!(samples.len() > 20);
    (end, samples)
}

#[track_caller]
fn assert_all_ok(end: &WorkerEnd, samples: &[Sample]) {
    assert!(
        samples.iter().all(|sample| sample.outcome == Outcome::Ok),
        "{:?} {:?}",
        end.examples,
        samples[0]
    );
}

#[test]
fn both_versions_are_spoken_and_what_was_agreed_is_told() {
    let (peer, authority) = serve(&PLAIN);
    for (version, says) in
        [(Version::V12, "TLS 1.2, ECDHE_"), (Version::V13, "TLS 1.3, AES_"), (Version::Any, "TLS 1.3, AES_")]
    {
        let order = TlsOrder { version, ..trusting(&authority) };
        let (end, samples) = measure(peer, &order, ConnectionPolicy::Reuse);
        assert_all_ok(&end, &samples);
        let told = end.tls.expect("TLS");
        let agreed = told.agreed.expect("a handshake");
        assert!(agreed.starts_with(says) && agreed.split(", ").count() == 3, "{agreed}");
        assert!(
            told.verifies && told.handshakes == end.connections_opened,
            "{told:?}",
            told = told.handshakes
        );
        assert!(told.p50 <= told.p99 && told.p99 <= told.max && told.p50 > Some(Nanos::from_micros(20)));
        // A handshake is in the connecting of the request that waited for it, and
        // in no request's service time.
        let waited = samples.iter().find_map(|sample| sample.connect).expect("one connected");
        assert!(waited >= Nanos::from_micros(20), "{waited}");
        for sample in &samples {
            let sent = sample.sent.expect("sent");
            let first = sample.first_byte.expect("answered");
            assert!(sample.scheduled <= sent && sent <= first && first <= sample.done, "{sample:?}");
        }
    }
}

#[test]
fn a_session_is_resumed_unless_that_is_not_wanted() {
    let (peer, authority) = serve(&PLAIN);
    let resumed = |resumes| {
        let order = TlsOrder { resumes, ..trusting(&authority) };
        let (end, samples) = measure(peer, &order, ConnectionPolicy::PerRequest);
        assert_all_ok(&end, &samples);
        let told = end.tls.expect("TLS");
        assert!(told.handshakes >= samples.len() as u64);
        (told.resumed, told.handshakes)
    };
    let (some, all) = resumed(true);
    assert!(some * 2 > all, "{some} of {all}");
    assert_eq!(resumed(false).0, 0);
}

#[test]
fn large_answers_come_whole_through_many_records() {
    let (peer, authority) = serve(&Served { body: 300_000, ..PLAIN });
    let (end, samples) = measure(peer, &trusting(&authority), ConnectionPolicy::Reuse);
    assert_all_ok(&end, &samples);
    assert!(samples.iter().all(|sample| sample.bytes_in > 300_000), "{:?}", samples[0]);
}

/// Every request fails for the same reason, and none is lost.
#[track_caller]
fn refused(served: &Served, change: impl Fn(TlsOrder) -> TlsOrder, says: &str) {
    let (peer, authority) = serve(served);
    let (end, samples) = measure(peer, &change(trusting(&authority)), ConnectionPolicy::Reuse);
    let failed = [Outcome::Refused, Outcome::Reset];
    assert!(samples.iter().all(|sample| failed.contains(&sample.outcome)), "{:?}", samples[0]);
    let (_, example) = &end.examples[0];
    assert!(example.contains(says), "`{says}` in {example}");
    assert_eq!(end.tls.expect("TLS").agreed.is_some(), served.asks);
}

#[test]
fn certificates_that_do_not_hold_are_refused_each_with_its_reason() {
    let same = |order| order;
    refused(&Served { expired: true, ..PLAIN }, same, "the peer's certificate has expired");
    refused(&Served { name: "shop.example", ..PLAIN }, same, "the peer's certificate is for another name");
    let stranger = |order| TlsOrder { trust: Trust::Authorities(Authority::new().certificates()), ..order };
    refused(&PLAIN, stranger, "self-signed, or of an authority that is not known here");
}

#[test]
fn anybody_will_do_where_that_was_said_and_it_is_told() {
    for served in [Served { expired: true, ..PLAIN }, Served { name: "shop.example", ..PLAIN }] {
        let (peer, authority) = serve(&served);
        let order = TlsOrder { trust: Trust::Anybody, ..trusting(&authority) };
        let (end, samples) = measure(peer, &order, ConnectionPolicy::Reuse);
        assert_all_ok(&end, &samples);
        assert!(!end.tls.expect("TLS").verifies);
    }
}

#[test]
fn a_certificate_of_our_own_is_shown_where_it_is_asked_for() {
    let asking = Served { asks: true, ..PLAIN };
    let (peer, authority) = serve(&asking);
    let client = Some(authority.signs("tester", false).into_bytes());
    let (end, samples) = measure(peer, &TlsOrder { client, ..trusting(&authority) }, ConnectionPolicy::Reuse);
    assert_all_ok(&end, &samples);
    refused(&asking, |order| order, "CertificateRequired");
}

#[test]
fn a_peer_that_does_not_speak_tls_is_told_from_one_that_does() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let peer = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for mut socket in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let _ = socket.read(&mut [0; 4_096]);
                let _ = socket.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
                let _ = socket.read(&mut [0; 4_096]);
            });
        }
    });
    let (end, samples) = measure(peer, &trusting(&Authority::new()), ConnectionPolicy::Reuse);
    assert!(samples.iter().all(|sample| sample.outcome == Outcome::Refused), "{:?}", samples[0]);
    assert!(end.examples[0].1.contains("what the peer says is not TLS"), "{:?}", end.examples);
}

#[test]
fn orders_that_make_no_sense_are_refused() {
    let wrong = |order: TlsOrder| Tls::new(&order).expect_err("refused");
    let plain = trusting(&Authority::new());
    assert_eq!(
        wrong(TlsOrder { server_name: "a b".into(), ..plain.clone() }),
        TlsOrderError::Name("a b".into())
    );
    let nobody = Trust::Authorities(Vec::new());
    assert_eq!(wrong(TlsOrder { trust: nobody, ..plain.clone() }), TlsOrderError::NoAuthority);
    let client = Some(b"no certificate".to_vec());
    assert!(matches!(wrong(TlsOrder { client, ..plain }), TlsOrderError::Client(_)));
    assert_eq!(certificates(b"nothing"), Err(TlsOrderError::NoAuthority));
}

#[test]
fn a_self_signed_certificate_that_was_named_is_taken_and_its_name_checked() {
    let (peer, authority) = serve(&Served { is_own_authority: true, ..PLAIN });
    let (end, samples) = measure(peer, &trusting(&authority), ConnectionPolicy::Reuse);
    assert_all_ok(&end, &samples);
    assert!(end.tls.expect("TLS").verifies);
    let elsewhere = Served { is_own_authority: true, name: "shop.example", ..PLAIN };
    refused(&elsewhere, |order| order, "the peer's certificate is for another name");
    let stranger = |order| TlsOrder { trust: Trust::Authorities(Authority::new().certificates()), ..order };
    refused(&Served { is_own_authority: true, ..PLAIN }, stranger, "of an authority that is not known here");
}
