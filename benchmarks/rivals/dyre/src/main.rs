//! The transitive closure of a graph by `materialized-view`, the crate that DYRE became: a load, then edges that go and
//! come back.
//!
//!     dyre EDGES BATCH ROUNDS
//!
//! EDGES is a file with two numbers a line. Prints the seconds of the load, the number of facts, and for each round the
//! seconds to delete BATCH edges and to add them again. The edges of a round are taken in the order of the file.

use std::time::Instant;

use materialized_view::*;

type Edge = (i32, i32);

fn read(path: &str) -> Vec<Edge> {
    let text = std::fs::read_to_string(path).expect("the file of edges can be read");
    let numbers: Vec<i32> = text.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    numbers.chunks(2).map(|pair| (pair[0], pair[1])).collect()
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let edges = read(&arguments.next().expect("EDGES"));
    let batch: usize = arguments.next().expect("BATCH").parse().expect("a number");
    let rounds: usize = arguments.next().expect("ROUNDS").parse().expect("a number");
    let program = program! {
        tc(?x, ?y) <- [edge(?x, ?y)],
        tc(?x, ?z) <- [tc(?x, ?y), edge(?y, ?z)]
    };
    let mut view = MaterializedDatalogView::new(program);
    let start = Instant::now();
    edges.iter().for_each(|edge| {
        view.push_fact("edge", *edge);
    });
    view.poll();
    println!("load {}", start.elapsed().as_secs_f64());
    for round in 0..rounds {
        let part = &edges[round * batch..(round + 1) * batch];
        let start = Instant::now();
        part.iter().for_each(|edge| {
            view.retract_fact("edge", *edge);
        });
        view.poll();
        let deleted = start.elapsed().as_secs_f64();
        let start = Instant::now();
        part.iter().for_each(|edge| {
            view.push_fact("edge", *edge);
        });
        view.poll();
        println!("round {deleted} {}", start.elapsed().as_secs_f64());
    }
    let found = view.query_binary::<i32, i32>("tc", (ANY_VALUE, ANY_VALUE)).expect("tc is there").count();
    println!("facts {found}");
}
