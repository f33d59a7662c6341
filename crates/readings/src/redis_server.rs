//! Redis and Valkey, which speak one protocol.

use crate::Numbers;
use crate::probe::{Ask, number};
use model::Pick;
use redis::{Client, Cmd, Connection, RedisError, Value};
use std::time::Duration;

pub(crate) struct RedisProbe {
    url: String,
    info: Vec<String>,
    commands: Vec<Pick>,
    open: Option<Connection>,
}

impl RedisProbe {
    pub(crate) fn new(url: &str, info: &[String], commands: &[Pick]) -> RedisProbe {
        RedisProbe { url: url.to_owned(), info: info.to_vec(), commands: commands.to_vec(), open: None }
    }

    fn open(&self, patience: Duration) -> Result<Connection, String> {
        let client = Client::open(self.url.as_str()).map_err(why)?;
        client.get_connection_with_timeout(patience).map_err(why)
    }
}

impl Ask for RedisProbe {
    fn ask(&mut self, patience: Duration) -> Result<Numbers, String> {
        let mut connection = match self.open.take() {
            Some(connection) => connection,
            None => self.open(patience)?,
        };
        let limit = Some(patience);
        connection.set_read_timeout(limit).and_then(|()| connection.set_write_timeout(limit)).map_err(why)?;
        let mut numbers = Vec::new();
        if !self.info.is_empty() {
            // `everything` is known since Redis 2.6 and to Valkey: the default leaves fields out.
            let text: String = redis::cmd("INFO").arg("everything").query(&mut connection).map_err(why)?;
            numbers.extend(self.info.iter().map(|field| (field.clone(), info(&text, field))));
        }
        for pick in &self.commands {
            let found = match command(&pick.at).query::<Value>(&mut connection) {
                Ok(value) => value_of(&value),
                // What the server refuses concerns this number; a broken connection all of them.
                Err(error) if error.is_io_error() || error.is_connection_dropped() => return Err(why(error)),
                Err(error) => Err(why(error)),
            };
            numbers.push((pick.column.clone(), found));
        }
        self.open = Some(connection);
        Ok(numbers)
    }
}

fn command(line: &str) -> Cmd {
    let mut command = Cmd::new();
    line.split_whitespace().for_each(|word| {
        command.arg(word);
    });
    command
}

/// A field of INFO: `used_memory:1048576`.
fn info(text: &str, field: &str) -> Result<f64, String> {
    let value = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    value.ok_or_else(|| format!("INFO has no field {field}")).and_then(number)
}

fn value_of(value: &Value) -> Result<f64, String> {
    match value {
        Value::Nil => Err("it is nil".to_owned()),
        Value::Int(value) => Ok(*value as f64),
        Value::Double(value) => crate::probe::finite(*value),
        Value::Boolean(yes) => Ok(f64::from(u8::from(*yes))),
        Value::BulkString(bytes) => number(&String::from_utf8_lossy(bytes)),
        Value::SimpleString(text) => number(text),
        _ => Err("the answer is no number".to_owned()),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it takes the place of errors: `map_err(why)`")]
fn why(error: RedisError) -> String {
    if error.is_timeout() { "it gave no answer in time".to_owned() } else { error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_info_is_a_number_or_says_why_not() {
        let text = "# Memory\r\nused_memory:1048576\r\nused_memory_human:1.00M\r\nrole:master\r\n";
        assert_eq!(info(text, "used_memory"), Ok(1_048_576.0));
        assert_eq!(info(text, "memory"), Err("INFO has no field memory".to_owned()));
        assert_eq!(info(text, "role"), Err("it is text: \"master\"".to_owned()));
    }

    #[test]
    fn a_server_that_is_not_there_says_so() {
        let said = RedisProbe::new("redis://127.0.0.1:1/", &[], &[]).ask(Duration::from_secs(1));
        assert!(said.as_ref().is_err_and(|said| said.contains("refused")), "{said:?}");
    }

    #[test]
    fn answers_of_commands_are_numbers_in_every_form() {
        assert_eq!(value_of(&Value::Int(5)), Ok(5.0));
        assert_eq!(value_of(&Value::BulkString(b"2.5".to_vec())), Ok(2.5));
        assert_eq!(value_of(&Value::Nil), Err("it is nil".to_owned()));
        assert_eq!(value_of(&Value::Array(Vec::new())), Err("the answer is no number".to_owned()));
    }
}
