//! Is called when work has ended: a small HTTP service of our own.
//!
//! It takes bodies of a stated length, answers 204, and keeps connections.

use super::keeper::Heard;
use super::work::CallbackOrder;
use super::{FollowError, Shared};
use engine::Clock as _;
use model::{Nanos, WorkEnd};
use serde_json::Value;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

/// Callers at once. More wait to be accepted.
const CALLERS: usize = 64;
/// The largest call, head and body.
const LARGEST: usize = 1 << 20;
/// How often the end of following is looked for.
const LOOK_EVERY: Nanos = Nanos::from_millis(20);

/// Listens, and serves on threads of its own.
pub(super) fn begin(order: &CallbackOrder, shared: &Shared) -> Result<Vec<JoinHandle<()>>, FollowError> {
    let fails = |source| FollowError::Listen { address: order.listen.clone(), source };
    let listener = TcpListener::bind(&order.listen).map_err(fails)?;
    listener.set_nonblocking(true).map_err(fails)?;
    let (order, shared) = (order.clone(), shared.clone());
    Ok(vec![std::thread::spawn(move || accept(&listener, &order, &shared))])
}

fn accept(listener: &TcpListener, order: &CallbackOrder, shared: &Shared) {
    let mut callers: Vec<JoinHandle<()>> = Vec::new();
    while !shared.is_over() {
        callers.retain(|caller| !caller.is_finished());
        match listener.accept() {
            Ok((stream, _)) if callers.len() < CALLERS => {
                let (order, shared) = (order.clone(), shared.clone());
                callers.push(std::thread::spawn(move || Caller { stream, order, shared }.serve()));
            }
            _ => shared.clock.sleep_until(shared.clock.now() + LOOK_EVERY),
        }
    }
    for caller in callers {
        // A caller's thread has nothing to tell that it has not told.
        let _ = caller.join();
    }
    shared.count_cpu();
}

struct Caller {
    stream: TcpStream,
    order: CallbackOrder,
    shared: Shared,
}

impl Caller {
    fn serve(mut self) {
        let patience = Duration::from_nanos(LOOK_EVERY.0);
        if self.stream.set_nonblocking(false).is_ok() && self.stream.set_read_timeout(Some(patience)).is_ok()
        {
            let mut bytes = Vec::new();
            while let Some(call) = self.next_call(&mut bytes) {
                let at = self.shared.clock.now();
                let answer = match call.and_then(|call| self.read(&call)) {
                    Ok((name, end)) => {
                        let _ = self.shared.heard.send(Heard::Ended(name, end, at));
                        "HTTP/1.1 204 No Content\r\n\r\n".to_owned()
                    }
                    Err((status, says)) => {
                        let answer =
                            format!("HTTP/1.1 {status} No\r\nContent-Length: {}\r\n\r\n{says}", says.len());
                        let _ = self.shared.heard.send(Heard::Failed(format!("a call: {says}")));
                        answer
                    }
                };
                if self.stream.write_all(answer.as_bytes()).is_err() || answer.starts_with("HTTP/1.1 4") {
                    break;
                }
            }
        }
        self.shared.count_cpu();
    }

    /// The next whole call; `None` when there will be none.
    fn next_call(&mut self, bytes: &mut Vec<u8>) -> Option<Result<Call, Refusal>> {
        let mut buffer = [0; 4_096];
        loop {
            match take_call(bytes) {
                Ok(Some(call)) => return Some(Ok(call)),
                Ok(None) => {}
                Err(refusal) => return Some(Err(refusal)),
            }
            match self.stream.read(&mut buffer) {
                Ok(0) => return None,
                Ok(count) => bytes.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    if self.shared.is_over() {
                        return None;
                    }
                }
                Err(_) => return None,
            }
        }
    }

    fn read(&self, call: &Call) -> Result<(Box<str>, WorkEnd), Refusal> {
        if call.path != self.order.path {
            return Err((404, format!("{:?} is called, not {:?}", call.path, self.order.path)));
        }
        let json: Value =
            serde_json::from_slice(&call.body).map_err(|_| (400, "the body is not JSON".to_owned()))?;
        let name = name_at(&json, &self.order.name)
            .ok_or_else(|| (422, format!("nothing at {:?} names work", self.order.name)))?;
        let is_given_up = self.order.given_up.as_ref().is_some_and(|given_up| (given_up.holds)(&json));
        Ok((name, if is_given_up { WorkEnd::GivenUp } else { WorkEnd::Done }))
    }
}

/// A text or number at a pointer; nothing else is a name.
pub(super) fn name_at(json: &Value, pointer: &str) -> Option<Box<str>> {
    match json.pointer(pointer)? {
        Value::String(text) if !text.is_empty() => Some(text.as_str().into()),
        Value::Number(number) => Some(number.to_string().into()),
        _ => None,
    }
}

/// A status, and why.
type Refusal = (u16, String);

#[derive(Debug, PartialEq, Eq)]
struct Call {
    path: String,
    body: Vec<u8>,
}

/// Takes the first whole call off the front of `bytes`; `None` if there is none yet.
fn take_call(bytes: &mut Vec<u8>) -> Result<Option<Call>, Refusal> {
    let Some(head_end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        return if bytes.len() > LARGEST { Err(too_large()) } else { Ok(None) };
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let mut lines = head.split("\r\n");
    let path = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap_or_default().to_owned();
    let mut length = 0;
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        match name.to_ascii_lowercase().as_str() {
            "transfer-encoding" => return Err((411, "a call states the length of its body".to_owned())),
            "content-length" => {
                length =
                    value.trim().parse::<usize>().map_err(|_| (400, format!("{value:?} is no length")))?;
            }
            _ => {}
        }
    }
    if length > LARGEST {
        return Err(too_large());
    }
    let whole = head_end + 4 + length;
    if bytes.len() < whole {
        return Ok(None);
    }
    let body = bytes[head_end + 4..whole].to_vec();
    bytes.drain(..whole);
    Ok(Some(Call { path, body }))
}

fn too_large() -> Refusal {
    (413, format!("a call may have {LARGEST} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_taken_one_by_one_wherever_they_are_cut() {
        let two = b"POST /done HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcPOST /x HTTP/1.1\r\ncontent-length:1\r\n\r\nd";
        let (mut bytes, mut calls) = (Vec::new(), Vec::new());
        for byte in two {
            bytes.push(*byte);
            calls.extend(take_call(&mut bytes).expect("good calls"));
        }
        let call = |path: &str, body: &str| Call { path: path.to_owned(), body: body.as_bytes().to_vec() };
        assert_eq!(calls, [call("/done", "abc"), call("/x", "d")]);
        assert!(bytes.is_empty());
    }

    #[test]
    fn a_call_that_cannot_be_taken_is_refused_with_a_reason() {
        for (text, status) in [
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
            ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", 413),
        ] {
            let refusal = take_call(&mut text.as_bytes().to_vec()).expect_err("refused");
            assert_eq!(refusal.0, status, "{text}: {}", refusal.1);
        }
        assert_eq!(take_call(&mut vec![b'x'; LARGEST + 1]).expect_err("endless head").0, 413);
    }
}
