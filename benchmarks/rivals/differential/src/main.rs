//! The transitive closure of a graph by differential dataflow: a load, then edges that go and come back.
//!
//!     differential EDGES BATCH ROUNDS [-w WORKERS]
//!
//! EDGES is a file with two numbers a line. Prints the number of facts, the seconds of the load, and for each round the
//! seconds to delete BATCH edges and to add them again. The edges of a round are taken in the order of the file.

use std::time::Instant;

use differential_dataflow::input::Input;
use differential_dataflow::operators::*;
use timely::dataflow::operators::probe::Handle;

type Edge = (u32, u32);

fn read(path: &str) -> Vec<Edge> {
    let text = std::fs::read_to_string(path).expect("the file of edges can be read");
    let numbers: Vec<u32> = text.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    numbers.chunks(2).map(|pair| (pair[0], pair[1])).collect()
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let edges = read(&arguments.next().expect("EDGES"));
    let batch: usize = arguments.next().expect("BATCH").parse().expect("a number");
    let rounds: usize = arguments.next().expect("ROUNDS").parse().expect("a number");
    timely::execute_from_args(arguments, move |worker| {
        let mut probe = Handle::new();
        let facts = std::rc::Rc::new(std::cell::Cell::new(0isize));
        let counted = facts.clone();
        let mut input = worker.dataflow::<u32, _, _>(|scope| {
            let (input, edges) = scope.new_collection::<Edge, isize>();
            edges
                .clone()
                .iterate(|inner, paths| {
                    let edges = edges.enter(inner);
                    paths
                        .map(|(from, to)| (to, from))
                        .join_map(edges.clone(), |_, from, to| (*from, *to))
                        .concat(edges)
                        .distinct()
                })
                .inspect(move |(_, _, change)| counted.set(counted.get() + change))
                .probe_with(&mut probe);
            input
        });
        let first = worker.index() == 0;
        let mut time = 0;
        let mut step = |changed: &[Edge], sign: isize, worker: &mut timely::worker::Worker| {
            let start = Instant::now();
            if first {
                changed.iter().for_each(|edge| input.update(*edge, sign));
            }
            time += 1;
            input.advance_to(time);
            input.flush();
            worker.step_while(|| probe.less_than(input.time()));
            start.elapsed().as_secs_f64()
        };
        let load = step(&edges, 1, worker);
        if first {
            println!("load {load}");
        }
        for round in 0..rounds {
            let part = &edges[round * batch..(round + 1) * batch];
            let (deleted, added) = (step(part, -1, worker), step(part, 1, worker));
            if first {
                println!("round {deleted} {added}");
            }
        }
        println!("facts {}", facts.get());
    })
    .unwrap();
}
