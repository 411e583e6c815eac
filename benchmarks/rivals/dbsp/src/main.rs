//! The transitive closure of a graph by dbsp, the crate of Feldera: a load, then edges that go and come back.
//!
//!     dbsp-closure EDGES BATCH ROUNDS [-w WORKERS]
//!
//! EDGES is a file with two numbers a line. Prints the seconds of the load, and for each round the seconds to delete
//! BATCH edges and to add them again; in the end the number of facts. To read the output does not count.

use std::time::Instant;

use dbsp::typed_batch::IndexedZSetReader;
use dbsp::utils::Tup2;
use dbsp::{OrdZSet, RootCircuit, Runtime, Stream};

type Edge = Tup2<u32, u32>;

fn read(path: &str) -> Vec<Edge> {
    let text = std::fs::read_to_string(path).expect("the file of edges can be read");
    let numbers: Vec<u32> = text.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    numbers.chunks(2).map(|pair| Tup2(pair[0], pair[1])).collect()
}

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let edges = read(&arguments[0]);
    let (batch, rounds): (usize, usize) = (arguments[1].parse()?, arguments[2].parse()?);
    let workers: usize = arguments.get(4).map_or(Ok(1), |word| word.parse())?;
    let (mut circuit, (input, output)) = Runtime::init_circuit(workers, |circuit: &mut RootCircuit| {
        let (edges, input) = circuit.add_input_zset::<Edge>();
        let closure = circuit.recursive(|child, closure: Stream<_, OrdZSet<Edge>>| {
            let edges = edges.delta0(child);
            let targets = closure.map_index(|Tup2(from, to)| (*to, *from));
            let sources = edges.map_index(|Tup2(from, to)| (*from, *to));
            Ok(edges.plus(&targets.join(&sources, |_, from, to| Tup2(*from, *to))))
        })?;
        Ok((input, closure.output()))
    })?;
    let mut facts = 0;
    let mut step = |changed: &[Edge], weight: i64| -> anyhow::Result<f64> {
        let start = Instant::now();
        changed.iter().for_each(|edge| input.push(*edge, weight));
        circuit.transaction()?;
        let seconds = start.elapsed().as_secs_f64();
        facts += output.consolidate().iter().map(|(_, _, weight)| weight).sum::<i64>();
        Ok(seconds)
    };
    println!("load {}", step(&edges, 1)?);
    for round in 0..rounds {
        let part = &edges[round * batch..(round + 1) * batch];
        println!("round {} {}", step(part, -1)?, step(part, 1)?);
    }
    println!("facts {facts}");
    Ok(())
}
