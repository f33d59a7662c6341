//! Guesses, read and judged once more: conditions over figures of arms.
//!
//! A condition says yes, no, or nothing where a figure is unknown that decides
//! it. `and` and `or` bind less than `not`, that less than comparisons (which
//! may be chained), those less than sums, products and signs, and a filter
//! binds most.

/// Limits far above what anyone writes, so that no text is too deep to judge.
const MOST_WORDS: usize = 5_000;
const MOST_DEEPER: usize = 300;

/// A condition read from its text.
pub(crate) struct Guess {
    says: Node,
}

/// The parts of a condition.
enum Node {
    Number(f64),
    /// On the way to a figure, from `arm`: its arm's name, then its own.
    Steps(Vec<String>),
    Figure {
        arm: String,
        name: String,
        fold: String,
    },
    Negative(Box<Node>),
    Two(Box<Node>, char, Box<Node>),
    Compare(Box<Node>, Vec<(String, Node)>),
    Not(Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
}

/// Looks a figure up: its values in every round, if all are known.
pub(crate) type Look<'a> = dyn Fn(&str, &str) -> Option<Vec<f64>> + 'a;

impl Guess {
    /// `None` if the text is no condition.
    pub(crate) fn read(text: &str) -> Option<Guess> {
        let all = words(text)?;
        let deeper = all.iter().filter(|word| ["(", "-", "not"].contains(&word.as_str())).count();
        if all.len() > MOST_WORDS || deeper > MOST_DEEPER {
            return None;
        }
        let mut words = Words { left: all.into_iter().rev().collect() };
        let says = words.any()?;
        words.left.is_empty().then_some(Guess { says })
    }

    /// `right`, `wrong` or `cannot say`.
    pub(crate) fn verdict(&self, look: &Look<'_>) -> &'static str {
        match self.says.holds(look) {
            Some(true) => "right",
            Some(false) => "wrong",
            None => "cannot say",
        }
    }

    /// The figures it names, each once, in the order of the text.
    pub(crate) fn figures(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        self.says.figures(&mut all);
        let mut once: Vec<(String, String)> = Vec::new();
        all.into_iter().for_each(|figure| {
            if !once.contains(&figure) {
                once.push(figure);
            }
        });
        once
    }
}

/// Words, texts and signs; texts keep a quote before them.
fn words(text: &str) -> Option<Vec<String>> {
    let letters: Vec<char> = text.chars().collect();
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        let from = at;
        at += 1;
        match letter {
            letter if letter.is_whitespace() => continue,
            quote @ ('\'' | '"') => {
                let mut text = "'".to_owned();
                while letters.get(at)? != quote {
                    // What a backslash stands before is meant as it is.
                    at += usize::from(letters[at] == '\\');
                    text.push(*letters.get(at)?);
                    at += 1;
                }
                at += 1;
                all.push(text);
                continue;
            }
            letter if letter.is_ascii_digit() => {
                let goes_on = |at: usize| {
                    let is_exponent = at > from && matches!(letters[at - 1], 'e' | 'E');
                    letters.get(at).is_some_and(|one| {
                        one.is_ascii_alphanumeric()
                            || matches!(one, '.' | '_')
                            || is_exponent && matches!(one, '+' | '-')
                    })
                };
                while goes_on(at) {
                    at += 1;
                }
            }
            letter if letter.is_alphabetic() || *letter == '_' => {
                while letters.get(at).is_some_and(|one| one.is_alphanumeric() || *one == '_') {
                    at += 1;
                }
            }
            '<' | '>' | '=' | '!' if letters.get(at) == Some(&'=') => at += 1,
            _ => {}
        }
        all.push(letters[from..at].iter().collect());
    }
    Some(all)
}

struct Words {
    /// The next one last.
    left: Vec<String>,
}

impl Words {
    fn next_is(&self, word: &str) -> bool {
        self.left.last().is_some_and(|next| next == word)
    }

    fn take(&mut self, word: &str) -> Option<()> {
        self.next_is(word).then(|| self.left.pop()).map(drop)
    }

    fn any(&mut self) -> Option<Node> {
        let mut all = self.both()?;
        while self.take("or").is_some() {
            all = Node::Or(Box::new(all), Box::new(self.both()?));
        }
        Some(all)
    }

    fn both(&mut self) -> Option<Node> {
        let mut all = self.negated()?;
        while self.take("and").is_some() {
            all = Node::And(Box::new(all), Box::new(self.negated()?));
        }
        Some(all)
    }

    fn negated(&mut self) -> Option<Node> {
        if self.take("not").is_some() {
            return Some(Node::Not(Box::new(self.negated()?)));
        }
        let first = self.sum()?;
        let mut rest = Vec::new();
        while let Some(sign) = self.left.last().filter(|word| is_comparison(word)).cloned() {
            self.left.pop();
            rest.push((sign, self.sum()?));
        }
        Some(if rest.is_empty() { first } else { Node::Compare(Box::new(first), rest) })
    }

    fn sum(&mut self) -> Option<Node> {
        let mut all = self.product()?;
        while let Some(sign) = self.sign(&["+", "-"]) {
            all = Node::Two(Box::new(all), sign, Box::new(self.product()?));
        }
        Some(all)
    }

    fn product(&mut self) -> Option<Node> {
        let mut all = self.one()?;
        while let Some(sign) = self.sign(&["*", "/"]) {
            all = Node::Two(Box::new(all), sign, Box::new(self.one()?));
        }
        Some(all)
    }

    fn sign(&mut self, signs: &[&str]) -> Option<char> {
        let next = self.left.last()?;
        if !signs.contains(&next.as_str()) {
            return None;
        }
        self.left.pop()?.chars().next()
    }

    fn one(&mut self) -> Option<Node> {
        if self.take("-").is_some() {
            return Some(Node::Negative(Box::new(self.one()?)));
        }
        let mut node = if self.take("(").is_some() {
            let inside = self.any()?;
            self.take(")")?;
            inside
        } else if self.take("arm").is_some() {
            Node::Steps(Vec::new())
        } else {
            Node::Number(number(&self.left.pop()?)?)
        };
        while let Node::Steps(steps) = &mut node {
            if self.take("|").is_some() {
                let [arm, name] = std::mem::take(steps).try_into().ok()?;
                node = Node::Figure { arm, name, fold: self.left.pop()? };
            } else if self.next_is(".") || self.next_is("[") {
                steps.push(self.step()?);
            } else {
                break;
            }
        }
        Some(node)
    }

    /// `['a']` or `.a`.
    fn step(&mut self) -> Option<String> {
        if self.take(".").is_some() {
            return self.left.pop();
        }
        self.take("[")?;
        let name = self.left.pop()?.strip_prefix('\'')?.to_owned();
        self.take("]")?;
        Some(name)
    }
}

/// A number: whole, also in another base, or with a point and an exponent.
fn number(word: &str) -> Option<f64> {
    let digits = word.replace('_', "").to_ascii_lowercase();
    let based = [("0x", 16), ("0o", 8), ("0b", 2)].into_iter().find_map(|(sign, base)| {
        digits
            .strip_prefix(sign)
            .map(|digits| u64::from_str_radix(digits, base).ok().map(|whole| whole as f64))
    });
    // Such words as `inf` are names, and no numbers.
    let is_number = digits.starts_with(|letter: char| letter.is_ascii_digit());
    based.unwrap_or_else(|| digits.parse().ok().filter(|_| is_number))
}

fn is_comparison(word: &str) -> bool {
    ["<", "<=", ">", ">=", "==", "!="].contains(&word)
}

impl Node {
    fn holds(&self, look: &Look<'_>) -> Option<bool> {
        match self {
            Node::Not(inside) => inside.holds(look).map(|holds| !holds),
            Node::And(a, b) => match (a.holds(look), b.holds(look)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Node::Or(a, b) => match (a.holds(look), b.holds(look)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            Node::Compare(first, rest) => {
                let mut is_open = false;
                let mut left = first.value(look);
                for (sign, right) in rest {
                    let right = right.value(look);
                    match left.zip(right).map(|(left, right)| compare(left, sign, right)) {
                        Some(false) => return Some(false),
                        Some(true) => {}
                        None => is_open = true,
                    }
                    left = right;
                }
                (!is_open).then_some(true)
            }
            _ => None,
        }
    }

    fn value(&self, look: &Look<'_>) -> Option<f64> {
        let value = match self {
            Node::Number(number) => *number,
            Node::Figure { arm, name, fold } => folded(fold, &look(arm, name)?)?,
            Node::Negative(inside) => -inside.value(look)?,
            Node::Two(a, sign, b) => {
                let (a, b) = (a.value(look)?, b.value(look)?);
                match sign {
                    '+' => a + b,
                    '-' => a - b,
                    '*' => a * b,
                    _ => a / b,
                }
            }
            _ => return None,
        };
        value.is_finite().then_some(value)
    }

    fn figures(&self, all: &mut Vec<(String, String)>) {
        match self {
            Node::Number(_) | Node::Steps(_) => {}
            Node::Figure { arm, name, .. } => all.push((arm.clone(), name.clone())),
            Node::Negative(inside) | Node::Not(inside) => inside.figures(all),
            Node::Two(a, _, b) | Node::And(a, b) | Node::Or(a, b) => {
                a.figures(all);
                b.figures(all);
            }
            Node::Compare(first, rest) => {
                first.figures(all);
                rest.iter().for_each(|(_, node)| node.figures(all));
            }
        }
    }
}

fn compare(left: f64, sign: &str, right: f64) -> bool {
    match sign {
        "<" => left < right,
        "<=" => left <= right,
        ">" => left > right,
        ">=" => left >= right,
        "==" => left == right,
        _ => left != right,
    }
}

fn folded(fold: &str, values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (first, last) = (*sorted.first()?, *sorted.last()?);
    let sum: f64 = sorted.iter().sum();
    Some(match fold {
        "min" => first,
        "max" => last,
        "mean" => sum / sorted.len() as f64,
        "median" => (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0,
        "sum" => sum,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(text: &str) -> &'static str {
        let look = |arm: &str, name: &str| match (arm, name) {
            ("a", "p99_ms") => Some(vec![3.0, 1.0, 2.0]),
            ("b-2", "p99_ms") => Some(vec![10.0]),
            ("it's", "p99_ms") => Some(vec![7.0]),
            _ => None,
        };
        Guess::read(text).expect("a condition").verdict(&look)
    }

    #[test]
    fn conditions_are_judged_as_jinja_reads_them() {
        for (text, expected) in [
            ("arm['a'].p99_ms | min >= 1 and arm['a'].p99_ms|max <= 3", "right"),
            ("arm.a.p99_ms | median == 2", "right"),
            ("arm[\"b-2\"].p99_ms | sum > 3 * arm['a'].p99_ms | max + 1.5", "wrong"),
            ("1 <= arm['a'].p99_ms | mean < 2.0", "wrong"),
            ("not (arm['a'].p99_ms | mean < 2) or arm['c'].p99_ms | min > 0", "right"),
            ("arm['c'].p99_ms | min > 0", "cannot say"),
            ("arm['c'].p99_ms | min > 0 and 1 > 2", "wrong"),
            ("arm['a'].p99_ms | min / 0 > 1", "cannot say"),
            ("-arm['a'].p99_ms | max < -2.5e0", "right"),
            ("(arm['a'].p99_ms | max) / (arm.a['p99_ms'] | min) == 3", "right"),
            ("((arm.a).p99_ms) | max == 0x_3 and (arm.a.p99_ms) | min == 1_0 / 10", "right"),
            ("((arm.a.p99_ms | max) + 1) * 2 == 8", "right"),
            ("arm['it\\'s'].p99_ms | min == 7", "right"),
        ] {
            assert_eq!(verdict(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_condition_is_none_and_figures_come_once_in_their_order() {
        for text in
            ["", "it is slow", "arm['a'].p99_ms |", "arm['a", "1 < 2 3", "(arm.a.p99_ms | max", "inf > 1"]
        {
            assert!(Guess::read(text).is_none(), "{text}");
        }
        assert!(Guess::read(&"(".repeat(100_000)).is_none());
        let guess = Guess::read("arm['b'].p50_ms|min < arm['a'].p99_ms|min and arm['b'].p50_ms|max > 1");
        let names: Vec<String> =
            guess.expect("a condition").figures().into_iter().map(|(a, f)| a + "." + &f).collect();
        assert_eq!(names, ["b.p50_ms", "a.p99_ms"]);
    }
}
