// What a plain Node script would do to read the routing table: fetch the bytes, parse the JSON.
void fetch(`http://127.0.0.1:${process.argv[2]}/`)
  .then((response) => response.text())
  .then(JSON.parse);
