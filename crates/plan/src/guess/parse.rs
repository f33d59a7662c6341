//! From Jinja's syntax tree to a condition, or to what it may not say.

use super::{Amount, Condition, FIGURES, FOLDS, Fold, Order, YesNo};
use crate::keys::nearest;
use crate::units::Fault;
use minijinja::machinery::ast::{BinOpKind, CompareOpKind, Expr, UnaryOpKind};
use minijinja::machinery::parse_expr;
use std::ops::Range;

type Wrong = (Range<usize>, Fault);

/// An example of what a guess says, for its errors.
const LIKE: &str = "write it like arm['a'].p99_ms | max <= 100";

impl Condition {
    /// Reads a condition, or says which part of `text` is none and why.
    pub(crate) fn parse_with_places(text: &str) -> Result<Condition, Wrong> {
        let expr = parse_expr(text).map_err(|error| {
            let detail = error.detail().unwrap_or("something is missing");
            let range = error.range().filter(|range| range.end <= text.len()).unwrap_or(0..text.len());
            (range, Fault::new(format!("is no expression: {detail}"), LIKE))
        })?;
        let mut parser = Parser { text, arms: Vec::new() };
        let says = parser.yes_no(&expr)?;
        if parser.arms.is_empty() {
            return Err((0..text.len(), Fault::new("names no arm", LIKE)));
        }
        Ok(Condition { text: text.to_owned(), says, arms: parser.arms })
    }
}

struct Parser<'a> {
    text: &'a str,
    arms: Vec<(String, Range<usize>)>,
}

impl Parser<'_> {
    fn yes_no(&mut self, expr: &Expr<'_>) -> Result<YesNo, Wrong> {
        match expr {
            Expr::UnaryOp(unary) if matches!(unary.op, UnaryOpKind::Not) => {
                Ok(YesNo::Not(Box::new(self.yes_no(&unary.expr)?)))
            }
            Expr::BinOp(binary) => match (binary.op, order_of(binary.op)) {
                (BinOpKind::ScAnd, _) => Ok(YesNo::Both(
                    Box::new(self.yes_no(&binary.left)?),
                    Box::new(self.yes_no(&binary.right)?),
                )),
                (BinOpKind::ScOr, _) => Ok(YesNo::Either(
                    Box::new(self.yes_no(&binary.left)?),
                    Box::new(self.yes_no(&binary.right)?),
                )),
                (_, Some(order)) => {
                    let first = self.amount(&binary.left)?;
                    Ok(YesNo::Compare(first, vec![(order, self.amount(&binary.right)?)]))
                }
                _ => Err(self.no_yes_no(expr)),
            },
            Expr::Compare(compare) => {
                let first = self.amount(&compare.expr)?;
                let mut rest = Vec::new();
                for step in &compare.ops {
                    let order = order_in_chain(step.op).ok_or_else(|| self.no_yes_no(expr))?;
                    rest.push((order, self.amount(&step.expr)?));
                }
                Ok(YesNo::Compare(first, rest))
            }
            _ => Err(self.no_yes_no(expr)),
        }
    }

    fn amount(&mut self, expr: &Expr<'_>) -> Result<Amount, Wrong> {
        match expr {
            Expr::Const(value) => match f64::try_from(value.value.clone()) {
                Ok(number) if value.value.is_number() => Ok(Amount::Number(number)),
                _ => Err(self.no_number(expr)),
            },
            Expr::UnaryOp(unary) if matches!(unary.op, UnaryOpKind::Neg) => {
                Ok(Amount::Negative(Box::new(self.amount(&unary.expr)?)))
            }
            Expr::BinOp(binary) => {
                let make = match binary.op {
                    BinOpKind::Add => Amount::Sum,
                    BinOpKind::Sub => Amount::Difference,
                    BinOpKind::Mul => Amount::Product,
                    BinOpKind::Div => Amount::Ratio,
                    _ => return Err(self.no_number(expr)),
                };
                Ok(make(Box::new(self.amount(&binary.left)?), Box::new(self.amount(&binary.right)?)))
            }
            Expr::Filter(filter) => {
                let fold = self.fold(filter.name, expr)?;
                if !filter.args.is_empty() {
                    return Err((
                        self.span(expr),
                        Fault::new(format!("gives `{}` arguments", filter.name), LIKE),
                    ));
                }
                let (arm, figure) = self.figure(filter.expr.as_ref().unwrap_or(expr))?;
                Ok(Amount::Folded { arm, figure, fold })
            }
            Expr::GetAttr(_) | Expr::GetItem(_) => {
                let (arm, figure) = self.figure(expr)?;
                let hint = format!("write arm['{arm}'].{figure} | min (or max, mean, median, sum)");
                let says = "compares a figure that has one value for each round";
                Err((self.find(figure, expr), Fault::new(says, hint)))
            }
            _ => Err(self.no_number(expr)),
        }
    }

    fn fold(&self, name: &str, expr: &Expr<'_>) -> Result<Fold, Wrong> {
        if let Some((_, fold)) = FOLDS.into_iter().find(|(known, _)| *known == name) {
            return Ok(fold);
        }
        let known = FOLDS.map(|(known, _)| known);
        let hint = match nearest(name, known.into_iter()) {
            Some(near) => format!("is `{near}` meant?"),
            None => format!("it can be {}", known.join(", ")),
        };
        Err((self.find(name, expr), Fault::new(format!("uses the unknown filter `{name}`"), hint)))
    }

    /// `arm['a'].p99_ms`, and Jinja's other ways to write that.
    fn figure(&mut self, expr: &Expr<'_>) -> Result<(String, &'static str), Wrong> {
        let (holder, name) = step(expr).ok_or_else(|| self.no_figure(expr))?;
        let (root, arm) = step(holder).ok_or_else(|| self.no_figure(expr))?;
        if !matches!(root, Expr::Var(var) if var.id == "arm") {
            return Err(self.no_figure(expr));
        }
        let Some(figure) = FIGURES.iter().find(|figure| figure.name == name) else {
            let hint = match nearest(&name, FIGURES.iter().map(|figure| figure.name)) {
                Some(near) => format!("is `{near}` meant?"),
                None => "such as p99_ms; docs/PLAN.md lists them all".to_owned(),
            };
            let says = format!("names an unknown figure, `{}`", name.escape_debug());
            return Err((self.find(&name, expr), Fault::new(says, hint)));
        };
        self.arms.push((arm.clone(), self.find(&arm, holder)));
        Ok((arm, figure.name))
    }

    fn no_yes_no(&self, expr: &Expr<'_>) -> Wrong {
        (self.span(expr), Fault::new("does not say yes or no", LIKE))
    }

    fn no_number(&self, expr: &Expr<'_>) -> Wrong {
        (self.span(expr), Fault::new("compares what is no number", LIKE))
    }

    fn no_figure(&self, expr: &Expr<'_>) -> Wrong {
        (self.span(expr), Fault::new("names something that is no figure of an arm", LIKE))
    }

    fn span(&self, expr: &Expr<'_>) -> Range<usize> {
        let span = expr.span();
        let range = span.start_offset as usize..span.end_offset as usize;
        if self.text.get(range.clone()).is_some_and(|part| !part.is_empty()) {
            range
        } else {
            0..self.text.len()
        }
    }

    /// Where `word` stands last in an expression.
    fn find(&self, word: &str, expr: &Expr<'_>) -> Range<usize> {
        let span = self.span(expr);
        match self.text[span.clone()].rfind(word) {
            Some(at) if !word.is_empty() => span.start + at..span.start + at + word.len(),
            _ => span,
        }
    }
}

/// `x.name` or `x['name']` as `x` and the name.
fn step<'e, 's>(expr: &'e Expr<'s>) -> Option<(&'e Expr<'s>, String)> {
    match expr {
        Expr::GetAttr(attr) => Some((&attr.expr, attr.name.to_owned())),
        Expr::GetItem(item) => match &item.subscript_expr {
            Expr::Const(name) => Some((&item.expr, name.value.as_str()?.to_owned())),
            _ => None,
        },
        _ => None,
    }
}

fn order_of(op: BinOpKind) -> Option<Order> {
    Some(match op {
        BinOpKind::Eq => Order::Equal,
        BinOpKind::Ne => Order::Unequal,
        BinOpKind::Lt => Order::Less,
        BinOpKind::Lte => Order::AtMost,
        BinOpKind::Gt => Order::More,
        BinOpKind::Gte => Order::AtLeast,
        _ => return None,
    })
}

fn order_in_chain(op: CompareOpKind) -> Option<Order> {
    Some(match op {
        CompareOpKind::Eq => Order::Equal,
        CompareOpKind::Ne => Order::Unequal,
        CompareOpKind::Lt => Order::Less,
        CompareOpKind::Lte => Order::AtMost,
        CompareOpKind::Gt => Order::More,
        CompareOpKind::Gte => Order::AtLeast,
        CompareOpKind::In | CompareOpKind::NotIn => return None,
    })
}
