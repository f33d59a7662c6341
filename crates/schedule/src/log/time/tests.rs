use super::*;
use proptest::prelude::*;

const NO: Result<u64, LineFault> = Err(LineFault::NoTime);
const FAR_OFF: Result<u64, LineFault> = Err(LineFault::FarTime);

fn nanos(read: Result<Nanos, LineFault>) -> Result<u64, LineFault> {
    read.map(|moment| moment.0)
}

#[test]
fn times_of_rfc_3339_are_read_to_the_nanosecond() {
    // Seconds since 1970 as GNU date tells them.
    let cases = [
        ("1970-01-01T00:00:00Z", Ok(0)),
        ("2000-02-29T23:59:59Z", Ok(951_868_799_000_000_000)),
        ("2000-03-01T00:00:00Z", Ok(951_868_800_000_000_000)),
        ("2024-02-29T13:55:36.5Z", Ok(1_709_214_936_500_000_000)),
        ("2024-02-29t13:55:36.123456789z", Ok(1_709_214_936_123_456_789)),
        ("2024-02-29 14:55:36,250+01:00", Ok(1_709_214_936_250_000_000)),
        ("2024-02-29T06:25:36-0730", Ok(1_709_214_936_000_000_000)),
        ("2024-02-29T13:55:36.1234567899999Z", Ok(1_709_214_936_123_456_789)),
        ("2016-12-31T23:59:60Z", Ok(1_483_228_800_000_000_000)),
        ("2499-12-31T23:59:59Z", Ok(16_725_225_599_000_000_000)),
        ("2500-01-01T00:00:00Z", FAR_OFF),
        ("1969-12-31T23:59:59Z", FAR_OFF),
        ("1970-01-01T00:30:00+01:00", FAR_OFF),
        ("2023-02-29T00:00:00Z", NO),
        ("1900-02-29T00:00:00Z", NO),
        ("2024-13-01T00:00:00Z", NO),
        ("2024-00-01T00:00:00Z", NO),
        ("2024-04-31T00:00:00Z", NO),
        ("2024-04-00T00:00:00Z", NO),
        ("2024-02-29T24:00:00Z", NO),
        ("2024-02-29T00:60:00Z", NO),
        ("2024-02-29T00:00:61Z", NO),
        ("2024-02-29T00:00:00", NO),
        ("2024-02-29T00:00:00.Z", NO),
        ("2024-02-29T00:00:00+24:00", NO),
        ("2024-02-29T00:00:00Z!", NO),
        ("2024-02-29", NO),
        ("", NO),
    ];
    for (text, expected) in cases {
        assert_eq!(nanos(rfc_3339(text.as_bytes())), expected, "{text}");
    }
}

#[test]
fn times_of_access_logs_are_read_to_the_second() {
    let cases = [
        ("10/Oct/2000:13:55:36 -0700", Ok(971_211_336_000_000_000)),
        ("29/Feb/2024:13:55:36 +0000", Ok(1_709_214_936_000_000_000)),
        ("01/Jan/1970:01:00:00 +0100", Ok(0)),
        ("31/Dec/2024:23:59:59 +0530", Ok(1_735_669_799_000_000_000)),
        ("1/Oct/2000:13:55:36 -0700", NO),
        ("10/oct/2000:13:55:36 -0700", NO),
        ("10/Oct/2000:13:55:36", NO),
        ("31/Nov/2000:13:55:36 -0700", NO),
        ("10/Oct/2000:13:55:36 -0700 ", NO),
    ];
    for (text, expected) in cases {
        assert_eq!(nanos(access_log(text.as_bytes())), expected, "{text}");
    }
}

#[test]
fn numbers_are_seconds_unless_they_are_far_too_large_for_that() {
    let cases = [
        ("0", Ok(0)),
        ("0.5", Ok(500_000_000)),
        ("007.25", Ok(7_250_000_000)),
        ("1700000000", Ok(1_700_000_000_000_000_000)),
        ("1700000000.123", Ok(1_700_000_000_123_000_000)),
        ("1700000000.1234567891", Ok(1_700_000_000_123_456_789)),
        ("1700000000123", Ok(1_700_000_000_123_000_000)),
        ("1700000000123.4567", Ok(1_700_000_000_123_456_700)),
        ("1700000000123456", Ok(1_700_000_000_123_456_000)),
        ("1700000000123456789", Ok(1_700_000_000_123_456_789)),
        ("99999999999", FAR_OFF),
        ("9999999999999999999", Ok(9_999_999_999_999_999_999)),
        ("99999999999999999999", FAR_OFF),
        ("-1", NO),
        ("1e9", NO),
        (".5", NO),
        ("5.", NO),
        ("12 ", NO),
        ("", NO),
    ];
    for (text, expected) in cases {
        assert_eq!(nanos(number(text.as_bytes())), expected, "{text}");
    }
}

#[test]
fn floats_are_read_to_the_microsecond() {
    let cases = [
        (0.0, Ok(0)),
        (0.000_001_4, Ok(1_000)),
        (1_700_000_000.123_456, Ok(1_700_000_000_123_456_000)),
        (1_700_000_000_123.5, Ok(1_700_000_000_123_500_000)),
        (1_700_000_000_123_456.0, Ok(1_700_000_000_123_456_000)),
        (-0.1, NO),
        (f64::NAN, NO),
        (1e300, NO),
    ];
    for (number, expected) in cases {
        assert_eq!(nanos(float(number)), expected, "{number}");
    }
}

#[test]
fn the_calendar_agrees_with_counting_its_days() {
    let mut days = 0;
    for year in 0..2_500 {
        for month in 1..=12 {
            assert_eq!(days_before(year, month), days, "{year}-{month}");
            days += days_of(year, month);
        }
    }
    // 400 years have 97 leap days.
    assert_eq!(days_before(2_400, 1), 6 * (400 * 365 + 97));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in prop::collection::vec(any::<u8>(), 0..40)) {
        let _ = (in_any_form(&text), rfc_3339(&text), access_log(&text), number(&text));
    }

    #[test]
    fn no_digits_make_it_panic(text in "[0-9]{2,4}[-/][0-9A-Za-z]{2,3}[-/][0-9]{2,4}[T :][0-9:.+ -]{0,20}") {
        let _ = (in_any_form(text.as_bytes()), rfc_3339(text.as_bytes()), access_log(text.as_bytes()));
    }
}
