//! A shape from one line, for a look without a plan: a kind's name alone, or
//! what would stand in a plan's `[shape]`.

use crate::error::{PlanError, PlanErrors};
use crate::file::PlanFile;
use crate::keys;
use crate::plan::Replay;
use crate::source::Place;
use crate::{check, resolve};
use model::{Nanos, Rate, Shape, ShapeKind};
use std::io;
use std::path::Path;

/// By what an error names the line.
const FLAG: &str = "--shape";

/// Steps of a ramp-up that says no more than its name.
const STEPS: u64 = 10;

/// The shape that `text` says, and its arrivals where they are recorded.
///
/// A name alone (`ramp-up`, `steady`, `burst`, `soak`) goes up to `rate` and
/// lasts for `length`. Anything else is an entry of a plan's `[shape]`, such as
/// `burst = { base = "20/s", … }`, with the same errors. A recording is looked
/// for in the folder that this runs in.
pub fn shape_of(text: &str, rate: Rate, length: Nanos) -> Result<(Shape, Option<Replay>), PlanErrors> {
    shape_of_reading(text, rate, length, &|path| std::fs::read(path))
}

fn shape_of_reading(
    text: &str,
    rate: Rate,
    length: Nanos,
    read: &dyn Fn(&Path) -> io::Result<Vec<u8>>,
) -> Result<(Shape, Option<Replay>), PlanErrors> {
    let entry = if text.contains('=') { text.to_owned() } else { named(text, rate, length)? };
    let file = PlanFile::parse_below("shape", FLAG, &entry)?;
    check::check_shape(&file)?;
    resolve::shape_alone(&file, read)
}

/// The entry that a kind's name alone stands for.
fn named(text: &str, rate: Rate, length: Nanos) -> Result<String, PlanErrors> {
    let name = text.trim();
    let to = rate.as_per_second();
    let from = to / 10.0;
    let (quarter, eighth) = (length.0 / 4, length.0 / 8);
    match ShapeKind::named(name) {
        Some(ShapeKind::Steady | ShapeKind::Soak) => {
            Ok(format!("{name} = {{ rate = \"{to}/s\", lasts = \"{}ns\" }}", length.0))
        }
        Some(ShapeKind::RampUp) => Ok(format!(
            "{name} = {{ from = \"{from}/s\", to = \"{to}/s\", steps = {STEPS}, each = \"{}ns\" }}",
            length.0 / STEPS
        )),
        Some(ShapeKind::Burst) => Ok(format!(
            "{name} = {{ base = \"{from}/s\", peak = \"{to}/s\", before = \"{quarter}ns\", \
             lasts = \"{eighth}ns\", after = \"{}ns\" }}",
            length.0 - quarter - eighth
        )),
        Some(kind) => Err(cannot_stand_alone(text, kind)),
        None => Err(unknown(text)),
    }
}

fn cannot_stand_alone(text: &str, kind: ShapeKind) -> PlanErrors {
    let name = kind.name();
    let example = match kind {
        ShapeKind::Replay => "replay = { file = \"access.log\", format = \"combined\" }".to_owned(),
        ShapeKind::Day => {
            let points = example("shape.day.points");
            format!("day = {{ points = {points}, lasts = \"24min\" }}")
        }
        _ => format!("{name} = {}", example("shape.stages")),
    };
    whole(text, format!("`{name}` alone says no load"), format!("write {example}"))
}

fn example(path: &str) -> &'static str {
    keys::KEYS.iter().find(|key| key.path == path).map_or("", |key| key.example)
}

fn unknown(text: &str) -> PlanErrors {
    let known = ShapeKind::ALL.map(ShapeKind::name);
    let hint = match keys::nearest(text.trim(), known.into_iter()) {
        Some(near) => format!("is `{near}` meant?"),
        None => "write ramp-up, steady, burst or soak, or an entry such as steady = { rate = \"5/s\", lasts = \"60s\" }".to_owned(),
    };
    whole(text, format!("`{}` is no shape", text.trim().escape_debug()), hint)
}

fn whole(text: &str, says: String, hint: String) -> PlanErrors {
    let source = crate::source::Source { name: FLAG.to_owned(), text: text.to_owned() };
    let place = Place { source: 0, start: 0, end: text.len() };
    PlanErrors::one(PlanError::at(source.spot(place), says, hint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Stage;

    const LENGTH: Nanos = Nanos::from_secs(80);

    fn of(text: &str) -> Result<(Shape, Option<Replay>), PlanErrors> {
        let read = |path: &Path| match path.to_str() {
            Some("times.txt") => Ok(b"0.5\n1.5\n1.75\n".to_vec()),
            _ => Err(io::ErrorKind::NotFound.into()),
        };
        shape_of_reading(text, Rate::per_second(50.0).expect("a rate"), LENGTH, &read)
    }

    fn levels(text: &str) -> Vec<(f64, f64)> {
        let (shape, _) = of(text).unwrap_or_else(|errors| panic!("{text}: {errors}"));
        assert!(shape.stages.iter().all(|stage| stage.is_level()), "{text}");
        shape.stages.iter().map(|stage: &Stage| (stage.length.as_secs_f64(), stage.from)).collect()
    }

    #[test]
    fn a_name_alone_takes_its_rate_and_length_from_outside() {
        assert_eq!(levels("steady"), [(80.0, 50.0)]);
        assert_eq!(levels(" soak "), [(80.0, 50.0)]);
        assert_eq!(levels("burst"), [(20.0, 5.0), (10.0, 50.0), (50.0, 5.0)]);
        let steps = levels("ramp-up");
        assert_eq!((steps.len(), steps[0], steps[9]), (10, (8.0, 5.0), (8.0, 50.0)));
    }

    #[test]
    fn anything_else_is_an_entry_of_a_plans_shape() {
        let burst = r#"burst = { base = "1/s", peak = "2/s", before = "3s", lasts = "4s", after = "5s" }"#;
        assert_eq!(levels(burst), [(3.0, 1.0), (4.0, 2.0), (5.0, 1.0)]);
        assert_eq!(levels(r#"stages = [{ until = "5s", rate = "2/s" }]"#), [(5.0, 2.0)]);
        let paced = r#"steady = { users = 4, lasts = "60s" }, pace = "10s""#;
        assert_eq!(of(paced).expect("a shape").0.pace, Some(Nanos::from_secs(10)));
        assert_eq!(of(&paced.replace(", pace", "\npace")).expect("a shape"), of(paced).expect("a shape"));
    }

    #[test]
    fn a_recording_is_read_from_where_this_runs() {
        let (shape, replay) = of(r#"replay = { file = "times.txt", format = "times" }"#).expect("a shape");
        assert_eq!(shape.kind, ShapeKind::Replay);
        assert_eq!(replay.expect("recorded").recorded.moments().len(), 3);
    }

    #[test]
    fn errors_point_into_the_line() {
        insta::assert_snapshot!(of("brust").expect_err("a slip"), @r#"
        error: `brust` is no shape
         --> --shape:1:1
          |
        1 | brust
          | ^^^^^ is `burst` meant?
        "#);
        insta::assert_snapshot!(of("waves").expect_err("another word"), @r#"
        error: `waves` is no shape
         --> --shape:1:1
          |
        1 | waves
          | ^^^^^ write ramp-up, steady, burst or soak, or an entry such as steady = { rate = "5/s", lasts = "60s" }
        "#);
        insta::assert_snapshot!(of("replay").expect_err("no file"), @r#"
        error: `replay` alone says no load
         --> --shape:1:1
          |
        1 | replay
          | ^^^^^^ write replay = { file = "access.log", format = "combined" }
        "#);
        insta::assert_snapshot!(of("day").expect_err("no points"), @r#"
        error: `day` alone says no load
         --> --shape:1:1
          |
        1 | day
          | ^^^ write day = { points = [{ at = "0min", rate = "2/s" }, { at = "9min", rate = "30/s" }], lasts = "24min" }
        "#);
        insta::assert_snapshot!(of(r#"steady = { rate = 5, lasts = "60s" }"#).expect_err("no unit"), @r#"
        error: the `rate` of the steady load has no unit
         --> --shape:1:19
          |
        1 | steady = { rate = 5, lasts = "60s" }
          |                   ^ write "5/s" (or "5/min")
        "#);
        insta::assert_snapshot!(of(r#"pace = "5s""#).expect_err("no load"), @r#"
        error: the shape says no load
         --> --shape:1:1
          |
        1 | pace = "5s"
          | ^^^^^^^^^^^ give it one of stages, ramp-up, steady, burst, soak, day and replay
        "#);
        insta::assert_snapshot!(of("steady = { rate").expect_err("no TOML"), @r#"
        error: the shape is not TOML
         --> --shape:1:16
          |
        1 | steady = { rate
          |                ^ unclosed inline table, expected `}`
        "#);
        insta::assert_snapshot!(of("rate = 5").expect_err("no shape"), @r#"
        error: the shape has no key `rate`
         --> --shape:1:1
          |
        1 | rate = 5
          | ^^^^ is `pace` meant?
        "#);
    }
}
