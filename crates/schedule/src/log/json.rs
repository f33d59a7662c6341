//! An object a line, as nginx, Caddy, Envoy and many frameworks write them.

use super::request::{Escapes, Request};
use super::{LineFault, time};
use model::Nanos;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// The line's time, and whether it names a request.
pub(super) fn read(line: &[u8], request: &mut Request) -> Result<(Nanos, bool), LineFault> {
    // A list would be taken for the values of all keys in turn.
    if !line.trim_ascii_start().starts_with(b"{") {
        return Err(LineFault::NotJson);
    }
    let line: Line = serde_json::from_slice(line).map_err(|_| LineFault::NotJson)?;
    let moment = line.moment()?;
    Ok((moment, line.read_request(request)?))
}

/// The keys that are looked at; where there are several of one kind, the first.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    time: Option<Value<'a>>,
    ts: Option<Value<'a>>,
    timestamp: Option<Value<'a>>,
    #[serde(rename = "@timestamp")]
    at_timestamp: Option<Value<'a>>,
    time_iso8601: Option<Value<'a>>,
    time_local: Option<Value<'a>>,
    msec: Option<Value<'a>>,
    request: Option<Value<'a>>,
    method: Option<Value<'a>>,
    request_method: Option<Value<'a>>,
    path: Option<Value<'a>>,
    uri: Option<Value<'a>>,
    request_uri: Option<Value<'a>>,
}

impl Line<'_> {
    fn moment(&self) -> Result<Nanos, LineFault> {
        let keys = [
            &self.time,
            &self.ts,
            &self.timestamp,
            &self.at_timestamp,
            &self.time_iso8601,
            &self.time_local,
            &self.msec,
        ];
        match keys.into_iter().flatten().next() {
            Some(Value::Whole(number)) => time::number(number.to_string().as_bytes()),
            Some(Value::Float(number)) => time::float(*number),
            Some(Value::Text(text)) => time::in_any_form(text.as_bytes()),
            Some(Value::Object { .. } | Value::Other) | None => Err(LineFault::NoTime),
        }
    }

    fn read_request(&self, request: &mut Request) -> Result<bool, LineFault> {
        let method = text_of(&self.method).or(text_of(&self.request_method));
        let target = text_of(&self.path).or(text_of(&self.uri)).or(text_of(&self.request_uri));
        let (method, target) = match &self.request {
            Some(Value::Text(line)) => {
                return request.read_line(line.as_bytes(), Escapes::None).map(|()| true);
            }
            Some(Value::Object { method: own, target: Some(target) }) => {
                (own.as_deref().or(method), Some(&**target))
            }
            _ => (method, target),
        };
        match (method, target) {
            (_, None) => Ok(false),
            (None, Some(_)) => Err(LineFault::BadRequest),
            (Some(method), Some(target)) => {
                request.read(method.as_bytes(), target.as_bytes(), Escapes::None).map(|()| true)
            }
        }
    }
}

fn text_of<'a>(value: &'a Option<Value<'_>>) -> Option<&'a str> {
    match value {
        Some(Value::Text(text)) => Some(text),
        _ => None,
    }
}

/// A value, as far as it can be a time or a request.
enum Value<'a> {
    Whole(u64),
    Float(f64),
    Text(Cow<'a, str>),
    /// A request as an object of its own.
    Object {
        method: Option<Cow<'a, str>>,
        target: Option<Cow<'a, str>>,
    },
    Other,
}

impl<'de: 'a, 'a> Deserialize<'de> for Value<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value<'de>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("any value")
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value<'de>, E> {
        Ok(Value::Whole(number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value<'de>, E> {
        Ok(Value::Float(number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Value<'de>, E> {
        Ok(Value::Other)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value<'de>, E> {
        Ok(Value::Other)
    }

    fn visit_unit<E>(self) -> Result<Value<'de>, E> {
        Ok(Value::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value<'de>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Value<'de>, A::Error> {
        let own = Inner::deserialize(MapAccessDeserializer::new(map))?;
        let target = own.uri.and_then(text).or(own.path.and_then(text)).or(own.url.and_then(text));
        Ok(Value::Object { method: own.method.and_then(text), target })
    }
}

fn text(value: Value<'_>) -> Option<Cow<'_, str>> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// The keys of a request that is an object.
#[derive(Deserialize)]
struct Inner<'a> {
    #[serde(borrow)]
    method: Option<Value<'a>>,
    uri: Option<Value<'a>>,
    path: Option<Value<'a>>,
    url: Option<Value<'a>>,
}
