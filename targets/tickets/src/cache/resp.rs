//! The little of Redis's protocol (RESP 2) that this service needs: commands
//! out, answers in. Pure: bytes and no sockets.

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// `+OK`
    Simple(String),
    /// `-ERR …`
    Error(String),
    /// `:42`
    Number(i64),
    /// `$5 hello`, or nothing there.
    Bulk(Option<Vec<u8>>),
    /// `*2 …`, or nothing there.
    List(Option<Vec<Answer>>),
}

/// A command as it is sent.
pub(crate) fn command(words: &[&[u8]]) -> Vec<u8> {
    let mut out = format!("*{}\r\n", words.len()).into_bytes();
    for word in words {
        out.extend(format!("${}\r\n", word.len()).bytes());
        out.extend_from_slice(word);
        out.extend_from_slice(b"\r\n");
    }
    out
}

/// The first answer in `bytes` and how many bytes it took; `None` if it is not
/// whole yet, and an error if no answer begins so.
pub(crate) fn parse(bytes: &[u8]) -> Result<Option<(Answer, usize)>, &'static str> {
    // Deeper lists than these are no answers to anything that we ask.
    parse_within(bytes, 4)
}

fn parse_within(bytes: &[u8], depth: usize) -> Result<Option<(Answer, usize)>, &'static str> {
    let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") else { return Ok(None) };
    let Some((kind, line)) = bytes[..end].split_first() else { return Err("an empty line") };
    let line = std::str::from_utf8(line).map_err(|_| "a line that is no UTF-8")?;
    let after = end + 2;
    let number = || line.parse::<i64>().map_err(|_| "a number that is none");
    match kind {
        b'+' => Ok(Some((Answer::Simple(line.to_owned()), after))),
        b'-' => Ok(Some((Answer::Error(line.to_owned()), after))),
        b':' => Ok(Some((Answer::Number(number()?), after))),
        b'$' => match usize::try_from(number()?) {
            Err(_) => Ok(Some((Answer::Bulk(None), after))),
            Ok(length) => Ok(bulk(&bytes[after..], length)?.map(|bulk| (bulk, after + length + 2))),
        },
        b'*' if depth == 0 => Err("lists inside lists"),
        b'*' => match usize::try_from(number()?) {
            Err(_) => Ok(Some((Answer::List(None), after))),
            Ok(length) => list(bytes, after, length, depth),
        },
        _ => Err("an answer of no known kind"),
    }
}

fn bulk(bytes: &[u8], length: usize) -> Result<Option<Answer>, &'static str> {
    // Redis keeps no longer values.
    if length > 512 * 1_024 * 1_024 {
        return Err("a value that is too long");
    }
    match (bytes.get(..length), bytes.get(length..length + 2)) {
        (Some(value), Some(b"\r\n")) => Ok(Some(Answer::Bulk(Some(value.to_vec())))),
        (Some(_), Some(_)) => Err("a value that is longer than it says"),
        _ => Ok(None),
    }
}

fn list(
    bytes: &[u8],
    mut at: usize,
    length: usize,
    depth: usize,
) -> Result<Option<(Answer, usize)>, &'static str> {
    let mut items = Vec::new();
    for _ in 0..length {
        let Some((item, took)) = parse_within(&bytes[at..], depth - 1)? else { return Ok(None) };
        items.push(item);
        at += took;
    }
    Ok(Some((Answer::List(Some(items)), at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_states_every_length_so_that_any_bytes_may_be_sent() {
        assert_eq!(command(&[b"GET", b"a\r\nb"]), b"*2\r\n$3\r\nGET\r\n$4\r\na\r\nb\r\n");
    }

    #[test]
    fn an_answer_is_read_once_it_is_whole_wherever_it_is_cut() {
        let bulk = |text: &str| Answer::Bulk(Some(text.as_bytes().to_vec()));
        let answers: [(&[u8], Answer); 7] = [
            (b"+OK\r\n", Answer::Simple("OK".to_owned())),
            (b"-ERR no\r\n", Answer::Error("ERR no".to_owned())),
            (b":-7\r\n", Answer::Number(-7)),
            (b"$4\r\na\r\nb\r\n", bulk("a\r\nb")),
            (b"$-1\r\n", Answer::Bulk(None)),
            (b"*-1\r\n", Answer::List(None)),
            (
                b"*2\r\n$1\r\n0\r\n*1\r\n$1\r\nk\r\n",
                Answer::List(Some(vec![bulk("0"), Answer::List(Some(vec![bulk("k")]))])),
            ),
        ];
        for (bytes, answer) in answers {
            for cut in 0..bytes.len() {
                assert_eq!(parse(&bytes[..cut]), Ok(None), "{answer:?} cut at {cut}");
            }
            let followed = [bytes, b"+more"].concat();
            assert_eq!(parse(&followed), Ok(Some((answer, bytes.len()))));
        }
    }

    #[test]
    fn what_is_no_answer_is_an_error_and_never_waited_for() {
        for bytes in
            [b"HTTP/1.1 400\r\n".as_slice(), b":x\r\n", b"$2\r\nabc\r\n", b"\r\n", b"$99999999999\r\n"]
        {
            assert!(parse(bytes).is_err(), "{bytes:?}");
        }
        assert!(parse(&b"*1\r\n".repeat(10_000)).is_err());
    }
}
