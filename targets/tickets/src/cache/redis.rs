//! Valkey or Redis: one connection, opened when it is needed.

use std::io;
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::resp::{self, Answer};
use super::{Cache, CacheError};
use crate::bucket::Allowance;
use crate::clock;

/// How long an answer may take; customers wait for it. A cache in the same
/// network answers in well under a millisecond.
const PATIENCE: Duration = Duration::from_millis(250);

/// How long a cache that did not answer is left alone, so that its absence
/// costs one request in a second its patience and not every one.
const LEAVE_ALONE: Duration = Duration::from_secs(1);

/// The bucket of `bucket.rs`, on the server and by its clock, so that several
/// processes of the API share it. Answers 0, or the wait in microseconds.
const ADMIT: &str = "
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local burst, per_s = tonumber(ARGV[1]), tonumber(ARGV[2])
local kept = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(kept[1]) or burst
local at = tonumber(kept[2]) or now
tokens = math.min(burst, tokens + math.max(0, now - at) * per_s + 0.000001)
local wait = 0
if tokens >= 1 then tokens = tokens - 1 else wait = math.ceil((1 - tokens) / per_s * 1000000) end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.9f', tokens), 'at', string.format('%.6f', now))
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return wait";

/// A Valkey or Redis server.
pub(crate) struct Redis {
    place: Place,
    connection: Mutex<State>,
}

/// Where the server is, and what on it is ours.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    address: String,
    password: Option<String>,
    database: u32,
    /// Before every key: others may keep theirs on the same server.
    prefix: String,
}

#[derive(Default)]
struct State {
    connection: Option<TcpStream>,
    left_alone_until: Duration,
}

impl Redis {
    /// The server that `url` names: `redis://[:PASSWORD@]HOST:PORT[/DATABASE][?prefix=TEXT]`.
    pub(crate) fn new(url: &str) -> Result<Redis, CacheError> {
        let place = place(url).map_err(|why| CacheError::Address { url: url.to_owned(), why })?;
        Ok(Redis { place, connection: Mutex::default() })
    }

    fn key(&self, kind: &str, name: &str) -> String {
        format!("{}{kind}:{name}", self.place.prefix)
    }

    async fn ask(&self, words: &[&[u8]]) -> Result<Answer, CacheError> {
        let mut state = self.connection.lock().await;
        let now = clock::now();
        if now < state.left_alone_until {
            let source = io::Error::new(io::ErrorKind::NotConnected, "it did not answer a moment ago");
            return Err(CacheError::Unreachable { source });
        }
        // Taken out meanwhile: a connection with half an answer in it, left by
        // someone who stopped waiting, must not serve the next one.
        let connection = state.connection.take();
        let talk = self.talk(connection, words);
        let result = timeout(PATIENCE, talk).await.unwrap_or_else(|elapsed| {
            Err(CacheError::Unreachable { source: io::Error::new(io::ErrorKind::TimedOut, elapsed) })
        });
        match result {
            Ok((connection, answer)) => {
                state.connection = Some(connection);
                match answer {
                    Answer::Error(why) => Err(CacheError::Refused(why)),
                    answer => Ok(answer),
                }
            }
            Err(error) => {
                state.left_alone_until = clock::now() + LEAVE_ALONE;
                Err(error)
            }
        }
    }

    async fn talk(
        &self,
        kept: Option<TcpStream>,
        words: &[&[u8]],
    ) -> Result<(TcpStream, Answer), CacheError> {
        let command = resp::command(words);
        // The server may have closed a kept connection; that is known at its
        // first use, and once more is enough. Each command may be repeated: at
        // worst one ticket is counted twice.
        if let Some(mut connection) = kept
            && let Ok(answer) = exchange(&mut connection, &command).await
        {
            return Ok((connection, answer));
        }
        let mut connection = self.connect().await?;
        let answer = exchange(&mut connection, &command).await?;
        Ok((connection, answer))
    }

    async fn connect(&self) -> Result<TcpStream, CacheError> {
        let unreachable = |source| CacheError::Unreachable { source };
        let mut connection = TcpStream::connect(&self.place.address).await.map_err(unreachable)?;
        connection.set_nodelay(true).map_err(unreachable)?;
        let database = self.place.database.to_string();
        let password = self.place.password.as_deref().unwrap_or_default();
        let hello: [Option<Vec<u8>>; 2] = [
            (!password.is_empty()).then(|| resp::command(&[b"AUTH", password.as_bytes()])),
            (self.place.database > 0).then(|| resp::command(&[b"SELECT", database.as_bytes()])),
        ];
        for command in hello.into_iter().flatten() {
            if let Answer::Error(why) = exchange(&mut connection, &command).await? {
                return Err(CacheError::Refused(why));
            }
        }
        Ok(connection)
    }
}

async fn exchange(connection: &mut TcpStream, command: &[u8]) -> Result<Answer, CacheError> {
    let unreachable = |source| CacheError::Unreachable { source };
    connection.write_all(command).await.map_err(unreachable)?;
    let mut received = Vec::new();
    loop {
        match resp::parse(&received) {
            Ok(Some((answer, _))) => return Ok(answer),
            Ok(None) => {}
            Err(why) => return Err(CacheError::Refused(format!("it answered with {why}"))),
        }
        if connection.read_buf(&mut received).await.map_err(unreachable)? == 0 {
            return Err(unreachable(io::ErrorKind::UnexpectedEof.into()));
        }
    }
}

fn place(url: &str) -> Result<Place, &'static str> {
    let rest = url
        .strip_prefix("redis://")
        .or_else(|| url.strip_prefix("valkey://"))
        .ok_or("it begins with neither redis:// nor valkey://")?;
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let prefix = match query.strip_prefix("prefix=") {
        Some(prefix) => prefix,
        None if query.is_empty() => "tickets:",
        None => return Err("only prefix= may follow its question mark"),
    };
    let (rest, database) = rest.split_once('/').unwrap_or((rest, ""));
    let database = match database {
        "" => 0,
        number => number.parse().map_err(|_| "its database is no number")?,
    };
    let (user, address) = rest.rsplit_once('@').unwrap_or(("", rest));
    let password = user.split_once(':').map(|(_, password)| password.to_owned());
    let (_, port) = address.rsplit_once(':').ok_or("its port is missing")?;
    port.parse::<u16>().map_err(|_| "its port is no number up to 65535")?;
    Ok(Place { address: address.to_owned(), password, database, prefix: prefix.to_owned() })
}

#[async_trait]
impl Cache for Redis {
    async fn get(&self, key: &str) -> Option<String> {
        match self.ask(&[b"GET", self.key("value", key).as_bytes()]).await {
            Ok(Answer::Bulk(Some(value))) => String::from_utf8(value).ok(),
            _ => None,
        }
    }

    async fn put(&self, key: &str, value: &str, keep: Duration) {
        let (key, keep) = (self.key("value", key), keep.as_millis().max(1).to_string());
        // What could not be kept is looked up again.
        let _ = self.ask(&[b"SET", key.as_bytes(), value.as_bytes(), b"PX", keep.as_bytes()]).await;
    }

    async fn admit(&self, customer: &str, allowance: Allowance) -> Result<(), Duration> {
        let key = self.key("sent", customer);
        let (burst, per_s) = (allowance.burst.to_string(), (allowance.per_min / 60.0).to_string());
        // A bucket nobody took from for so long is full, and need not be kept.
        let keep = allowance.refill_time().as_millis().clamp(1_000, 86_400_000).to_string();
        let words: [&[u8]; 7] = [
            b"EVAL",
            ADMIT.as_bytes(),
            b"1",
            key.as_bytes(),
            burst.as_bytes(),
            per_s.as_bytes(),
            keep.as_bytes(),
        ];
        match self.ask(&words).await {
            Ok(Answer::Number(wait_us)) if wait_us > 0 => Err(Duration::from_micros(wait_us.unsigned_abs())),
            _ => Ok(()),
        }
    }

    /// Only what is ours: the server may serve others too.
    async fn flush(&self) -> Result<(), CacheError> {
        let pattern = format!("{}*", self.place.prefix);
        let mut cursor = b"0".to_vec();
        loop {
            let scan: [&[u8]; 6] = [b"SCAN", &cursor, b"MATCH", pattern.as_bytes(), b"COUNT", b"1000"];
            let Answer::List(Some(mut parts)) = self.ask(&scan).await? else {
                return Err(CacheError::Refused("SCAN gave no list".to_owned()));
            };
            let (Some(Answer::List(Some(keys))), Some(Answer::Bulk(Some(next)))) = (parts.pop(), parts.pop())
            else {
                return Err(CacheError::Refused("SCAN gave another list than usual".to_owned()));
            };
            let keys = keys.into_iter().filter_map(|key| match key {
                Answer::Bulk(key) => key,
                _ => None,
            });
            let words: Vec<Vec<u8>> = std::iter::once(b"DEL".to_vec()).chain(keys).collect();
            if words.len() > 1 {
                self.ask(&words.iter().map(Vec::as_slice).collect::<Vec<_>>()).await?;
            }
            if next == b"0" {
                return Ok(());
            }
            cursor = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_its_server_and_what_on_it_is_ours() {
        let plain = Place {
            address: "localhost:6379".to_owned(),
            password: None,
            database: 0,
            prefix: "tickets:".to_owned(),
        };
        assert_eq!(place("redis://localhost:6379").expect("an address"), plain);
        let full = Place {
            address: "10.0.0.1:1".to_owned(),
            password: Some("p@ss".to_owned()),
            database: 3,
            prefix: "t1:".to_owned(),
        };
        assert_eq!(place("valkey://:p@ss@10.0.0.1:1/3?prefix=t1:").expect("an address"), full);
    }

    #[test]
    fn what_is_no_address_is_refused_with_its_reason() {
        for (url, why) in [
            ("http://localhost:1", "it begins with neither redis:// nor valkey://"),
            ("redis://localhost", "its port is missing"),
            ("redis://localhost:66000", "its port is no number up to 65535"),
            ("redis://localhost:1/x", "its database is no number"),
            ("redis://localhost:1?x=1", "only prefix= may follow its question mark"),
        ] {
            assert_eq!(place(url).expect_err(url), why);
        }
    }
}
