//! Stopping by signal. Alone in its process: the signal stops every service in it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use doorclock_target_scorer::{Options, run};
use rustix::process::{Signal, getpid, kill_process};

/// A connection that has had one answer and is kept alive.
fn idle_connection(address: SocketAddr) -> TcpStream {
    let mut connection = TcpStream::connect(address).expect("the service listens");
    connection.set_read_timeout(Some(Duration::from_secs(20))).expect("patience above zero");
    connection.write_all(b"GET /healthz HTTP/1.1\r\nhost: test\r\n\r\n").expect("a live connection");
    let mut received = Vec::new();
    while !received.ends_with(b"\r\n\r\nok\n") {
        let mut byte = [0];
        connection.read_exact(&mut byte).expect("an answer");
        received.extend(byte);
    }
    connection
}

#[test]
fn a_signal_stops_the_service_cleanly_even_with_connections_open() {
    for signal in [Signal::TERM, Signal::INT] {
        let options = Options { address: ([127, 0, 0, 1], 0).into(), customers: 200, ..Options::default() };
        let (announce, announced) = mpsc::channel();
        let service =
            thread::spawn(move || run(options, |address| announce.send(address).expect("the test waits")));
        let address = announced.recv().expect("the service starts");
        let mut idle = idle_connection(address);
        let _never_used = TcpStream::connect(address).expect("the service listens");

        kill_process(getpid(), signal).expect("our own process");
        assert_eq!(idle.read(&mut [0]).expect("the connection ends"), 0);
        service.join().expect("no panic").expect("a clean end");
        assert!(TcpStream::connect(address).is_err(), "something still listens");
    }
}
