async (event) => {
  // Send the chosen files to the paths of the server, one after the other, as any client does. Tell what became of each.
  const field = event.target, files = [...(field.files ?? [])];
  if (!files.length || field.type !== "file") return;
  const { media, store, most } = JSON.parse(field.dataset.paths);
  const graph = document.getElementById("graph")?.value.trim();
  field.disabled = true;
  for (const file of files) {
    const name = file.name, parts = name.toLowerCase().split("."), isPacked = parts.at(-1) === "gz";
    const suffix = parts.at(isPacked ? -2 : -1), tell = (told) => emit({ name, ...told });
    if (!Object.hasOwn(media, suffix)) {
      tell({ detail: `this is no file of RDF or rules: its name must end with ${Object.keys(media).join(", ")}` });
      continue;
    }
    if (file.size > most) {
      tell({ detail: `the file is too large: the server takes at most ${most} bytes (--max-body); use kgreason load` });
      continue;
    }
    tell({ sending: true });
    const [type, path] = media[suffix];
    const address = path === store ? `${store}?${graph ? `graph=${encodeURIComponent(graph)}` : "default"}` : path;
    const headers = { "Content-Type": type, ...(isPacked ? { "Content-Encoding": "gzip" } : {}) };
    try {
      const answer = await fetch(address, { method: "POST", headers, body: file });
      const counts = ["commit", "asserted", "appeared"].map((each) => answer.headers.get(`kgreason-${each}`));
      const detail = answer.ok ? "" : (await answer.json().catch(() => ({}))).detail ?? `status ${answer.status}`;
      tell({ isRules: !path.startsWith(store), committed: answer.headers.get("kgreason-committed"), counts, detail });
    } catch {
      tell({ detail: "the connection has broken off; perhaps the file has changed, or the server was stopped" });
    }
  }
  field.disabled = false;
  field.value = "";
  emit(null);
}
