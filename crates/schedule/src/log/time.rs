//! Times as logs write them, read to the nanosecond.
//!
//! All become nanoseconds since 1970 (UTC), or since whatever moment a number
//! counts from. What is no time, or names a day that no calendar has, is
//! [`LineFault::NoTime`].

use super::LineFault;
use model::Nanos;

const SECOND: u64 = 1_000_000_000;

/// 1 January 2500; from some 54 years later on 64 bits no longer hold it.
const FAR: u64 = 16_725_225_600 * SECOND;

/// A time in any of the forms below, told apart by their separators.
pub(super) fn in_any_form(text: &[u8]) -> Result<Nanos, LineFault> {
    match text {
        [_, _, b'/', ..] => access_log(text),
        [_, _, _, _, b'-', ..] => rfc_3339(text),
        _ => number(text),
    }
}

/// `2024-02-29T13:55:36.123Z`, `2024-02-29 13:55:36+01:00`; an offset may lack
/// its colon. There must be one: without it nobody knows which moment is meant.
/// Digits beyond the ninth of a fraction are dropped.
pub(super) fn rfc_3339(text: &[u8]) -> Result<Nanos, LineFault> {
    let mut rest = Digits(text);
    let year = rest.number(4)?;
    rest.one_of(b"-")?;
    let month = rest.number(2)?;
    rest.one_of(b"-")?;
    let day = rest.number(2)?;
    rest.one_of(b"Tt ")?;
    let clock = rest.clock()?;
    let fraction = if rest.one_of(b".,").is_ok() { rest.fraction()? } else { 0 };
    let offset = if rest.one_of(b"Zz").is_ok() { 0 } else { rest.offset()? };
    rest.end()?;
    moment(year, month, day, clock, fraction, offset)
}

/// `10/Oct/2000:13:55:36 -0700`.
pub(super) fn access_log(text: &[u8]) -> Result<Nanos, LineFault> {
    let mut rest = Digits(text);
    let day = rest.number(2)?;
    rest.one_of(b"/")?;
    let month = rest.month()?;
    rest.one_of(b"/")?;
    let year = rest.number(4)?;
    rest.one_of(b":")?;
    let clock = rest.clock()?;
    rest.one_of(b" ")?;
    let offset = rest.offset()?;
    rest.end()?;
    moment(year, month, day, clock, 0, offset)
}

/// `1700000000.123`: seconds. From 10¹¹ on, when seconds would be those of the
/// year 5138, they are milliseconds; from 10¹⁴ on microseconds, from 10¹⁷ on
/// nanoseconds.
pub(super) fn number(text: &[u8]) -> Result<Nanos, LineFault> {
    let mut rest = Digits(text);
    let whole = rest.all_digits()?;
    let fraction = if rest.one_of(b".").is_ok() { rest.fraction()? } else { 0 };
    rest.end()?;
    let unit = unit_of(whole);
    near(u128::from(whole) * u128::from(unit) + u128::from(fraction) * u128::from(unit) / u128::from(SECOND))
}

/// The same from a float, which holds today's seconds to the microsecond.
pub(super) fn float(number: f64) -> Result<Nanos, LineFault> {
    // Infinity and numbers below zero are none of these; nor is what is none.
    if !(0.0..1e19).contains(&number) {
        return Err(LineFault::NoTime);
    }
    let micros = (number * (unit_of(number as u64) as f64 / 1e3)).round();
    near(micros as u128 * 1_000)
}

/// The length in nanoseconds of what a number of this size counts.
fn unit_of(whole: u64) -> u64 {
    match whole {
        0..100_000_000_000 => SECOND,
        100_000_000_000..100_000_000_000_000 => 1_000_000,
        100_000_000_000_000..100_000_000_000_000_000 => 1_000,
        _ => 1,
    }
}

fn near(nanos: u128) -> Result<Nanos, LineFault> {
    u64::try_from(nanos).ok().filter(|nanos| *nanos < FAR).map(Nanos).ok_or(LineFault::FarTime)
}

/// Text of fixed form, read from the left.
struct Digits<'a>(&'a [u8]);

impl Digits<'_> {
    /// So many digits.
    fn number(&mut self, digits: usize) -> Result<u64, LineFault> {
        let (own, rest) = self.0.split_at_checked(digits).ok_or(LineFault::NoTime)?;
        self.0 = rest;
        own.iter().try_fold(0, |number, byte| match byte {
            b'0'..=b'9' => Ok(number * 10 + u64::from(byte - b'0')),
            _ => Err(LineFault::NoTime),
        })
    }

    /// All digits that come, at least one and at most 19, which 64 bits hold.
    fn all_digits(&mut self) -> Result<u64, LineFault> {
        match self.0.iter().take_while(|byte| byte.is_ascii_digit()).count() {
            0 => Err(LineFault::NoTime),
            digits @ 1..20 => self.number(digits),
            _ => Err(LineFault::FarTime),
        }
    }

    /// The digits behind a point, at least one, in billionths.
    fn fraction(&mut self) -> Result<u64, LineFault> {
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return Err(LineFault::NoTime);
        }
        let known = self.number(digits.min(9))?;
        self.0 = &self.0[digits - digits.min(9)..];
        Ok(known * 10_u64.pow(9 - digits.min(9) as u32))
    }

    fn one_of(&mut self, bytes: &[u8]) -> Result<u8, LineFault> {
        let (first, rest) = self.0.split_first().ok_or(LineFault::NoTime)?;
        if !bytes.contains(first) {
            return Err(LineFault::NoTime);
        }
        self.0 = rest;
        Ok(*first)
    }

    /// Seconds since midnight. A leap second is the first of the next minute.
    fn clock(&mut self) -> Result<u64, LineFault> {
        let hour = self.number(2)?;
        self.one_of(b":")?;
        let minute = self.number(2)?;
        self.one_of(b":")?;
        let second = self.number(2)?;
        let is_one = hour < 24 && minute < 60 && second <= 60;
        if is_one { Ok((hour * 60 + minute) * 60 + second) } else { Err(LineFault::NoTime) }
    }

    /// Seconds that clocks there are ahead of UTC.
    fn offset(&mut self) -> Result<i64, LineFault> {
        let sign = if self.one_of(b"+-")? == b'+' { 1 } else { -1 };
        let hours = self.number(2)?;
        let _ = self.one_of(b":");
        let minutes = self.number(2)?;
        let is_one = hours < 24 && minutes < 60;
        let secs = ((hours * 60 + minutes) * 60).cast_signed();
        if is_one { Ok(sign * secs) } else { Err(LineFault::NoTime) }
    }

    fn month(&mut self) -> Result<u64, LineFault> {
        const NAMES: &[u8] = b"JanFebMarAprMayJunJulAugSepOctNovDec";
        let (own, rest) = self.0.split_at_checked(3).ok_or(LineFault::NoTime)?;
        self.0 = rest;
        let at = NAMES.chunks_exact(3).position(|name| name == own).ok_or(LineFault::NoTime)?;
        Ok(at as u64 + 1)
    }

    fn end(&self) -> Result<(), LineFault> {
        if self.0.is_empty() { Ok(()) } else { Err(LineFault::NoTime) }
    }
}

fn moment(
    year: u64,
    month: u64,
    day: u64,
    clock: u64,
    fraction: u64,
    offset: i64,
) -> Result<Nanos, LineFault> {
    if !(1..=12).contains(&month) || day < 1 || day > days_of(year, month) {
        return Err(LineFault::NoTime);
    }
    let days = days_before(year, month) + day - 1;
    // Days are counted from the year 0; 1970 began 719,528 of them later.
    let secs = (days * 86_400 + clock).cast_signed() - offset - 719_528 * 86_400;
    let secs = u128::try_from(secs).map_err(|_| LineFault::FarTime)?;
    near(secs * u128::from(SECOND) + u128::from(fraction))
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of(year: u64, month: u64) -> u64 {
    match month {
        2 => 28 + u64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1 January of the year 0 to the first of this month.
fn days_before(year: u64, month: u64) -> u64 {
    const BEFORE_MONTH: [u64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    // Leap days of the years before, of which the year 0 is a leap year itself.
    let leap_days = year.div_ceil(4) - year.div_ceil(100) + year.div_ceil(400);
    let leap_day = u64::from(month > 2 && is_leap(year));
    year * 365 + leap_days + BEFORE_MONTH[month as usize - 1] + leap_day
}

#[cfg(test)]
mod tests;
