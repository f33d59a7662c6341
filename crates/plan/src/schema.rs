//! The plan language as a JSON schema, which editors complete from.

use crate::keys::{self, Fallback, Key, Kind};
use serde_json::{Map, Value, json};

/// The text of `docs/plan.schema.json`.
pub fn schema() -> String {
    let mut root = table("");
    root.insert("$schema".to_owned(), json!("http://json-schema.org/draft-07/schema#"));
    root.insert("title".to_owned(), json!("A plan of doorclock"));
    let mut text = format!("{:#}", sorted(Value::Object(root)));
    text.push('\n');
    text
}

/// Objects with their keys in order: whether serde_json keeps the order of
/// insertion depends on the features that other crates ask of it.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.into_iter().collect();
            entries.sort_by(|(a, _), (b, _)| a.cmp(b));
            Value::Object(entries.into_iter().map(|(key, value)| (key, sorted(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        other => other,
    }
}

fn table(parent: &str) -> Map<String, Value> {
    let known = || keys::below(parent);
    let any = known().find(|key| key.name() == "*").map_or(json!(false), property);
    let properties: Map<_, _> =
        known().filter(|key| key.name() != "*").map(|key| (key.name().to_owned(), property(key))).collect();
    let required: Vec<_> =
        known().filter(|key| key.fallback == Fallback::Required).map(|key| json!(key.name())).collect();
    let mut map = Map::new();
    map.insert("type".to_owned(), json!("object"));
    map.insert("additionalProperties".to_owned(), any);
    if !properties.is_empty() {
        map.insert("properties".to_owned(), Value::Object(properties));
    }
    if !required.is_empty() {
        map.insert("required".to_owned(), Value::Array(required));
    }
    map
}

fn property(key: &Key) -> Value {
    let mut map = match key.kind {
        Kind::Table | Kind::SameAs(_) | Kind::Named => table(key.inside()),
        other => as_map(holds(other, key.path)),
    };
    map.insert("description".to_owned(), json!(key.meaning));
    if let Fallback::Value(value) = key.fallback {
        // TOML writes the fallbacks of the table as JSON does.
        let value = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
        map.insert("default".to_owned(), value);
    }
    Value::Object(map)
}

fn as_map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn holds(kind: Kind, path: &str) -> Value {
    const LENGTH: &str = r"^\s*[0-9][0-9.,_]*\s*(ns|us|µs|ms|s|min|m|h)\s*$";
    match kind {
        Kind::Tables => {
            let items = keys::below(path).next().map_or(json!(true), property);
            json!({ "type": "array", "items": items })
        }
        Kind::Words => json!({ "type": "string", "minLength": 1 }),
        Kind::Template => json!({ "type": "string" }),
        Kind::List => json!({ "type": "array", "items": { "type": "string", "minLength": 1 } }),
        Kind::Pairs => {
            let name = json!({ "type": "string", "minLength": 1 });
            let pair = json!({ "type": "array", "items": name, "minItems": 2, "maxItems": 2 });
            json!({ "type": "array", "items": pair })
        }
        Kind::Duration => json!({ "type": "string", "pattern": LENGTH }),
        Kind::Rate | Kind::RateFromZero => {
            json!({ "type": "string", "pattern": r"^\s*[0-9][0-9.,_]*\s*/\s*(s|sec|second|min|m|minute|h|hour)\s*$" })
        }
        Kind::WarmUp => json!({ "anyOf": [
            { "type": "string", "pattern": r"^\s*[0-9][0-9,_]*\s*requests?\s*$" },
            { "type": "string", "pattern": LENGTH },
        ] }),
        Kind::Share => json!({ "type": "string", "pattern": r"^\s*[0-9.]+\s*%\s*$" }),
        Kind::Number => json!({ "type": "number", "minimum": 0 }),
        Kind::Whole(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Kind::Wholes => json!({ "type": "array", "items": { "type": "integer", "minimum": 0 } }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::OneOf(words) => json!({ "enum": words }),
        Kind::Table | Kind::SameAs(_) | Kind::Named | Kind::Json => json!({}),
    }
}
