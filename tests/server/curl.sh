#!/usr/bin/env bash
# Loads, asks, edits and deletes a graph of the server at the address $1 with curl.
set -euo pipefail
curl() { command curl --silent --show-error --fail-with-body --noproxy '*' "$@"; }
graph="$1/store?graph=http://e/of-curl"

echo '<http://e/kit> a <http://e/Cat> .' >kit.ttl
curl -X PUT "$graph" -T kit.ttl -H 'Content-Type: text/turtle'
gzip --keep kit.ttl
curl -X POST "$graph" -T kit.ttl.gz -H 'Content-Type: text/turtle' -H 'Content-Encoding: gzip'
curl "$graph" -H 'Accept: application/n-triples' | grep -q '^<http://e/kit>'
curl "$1/query" --data-urlencode 'query=ASK { <http://e/kit> a <http://e/Animal> }' | grep -q true
tag=$(curl --head "$graph" | tr -d '\r' | sed -n 's/^etag: //p')
curl "$1/update" -H 'Content-Type: application/sparql-update' -H "If-Match: $tag" \
  --data 'INSERT DATA { GRAPH <http://e/of-curl> { <http://e/rex> a <http://e/Dog> } }'
curl "$1/query?query=SELECT+*+%7B+?s+a+%3Chttp://e/Dog%3E+%7D" -H 'Accept: text/csv' | grep -q rex
! curl "$1/update" --data-urlencode 'update=CLEAR GRAPH <http://e/of-curl>' -H "If-Match: $tag" >/dev/null 2>&1
curl -X DELETE "$graph"
! curl "$graph" >/dev/null 2>&1
echo 'all is well'
