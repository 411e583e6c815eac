// What the browser keeps for its user: `kgreason.memory`.
//
//     draft    the text of an editor and its language, until the tab is closed or the user signs out (sessionStorage)
//     past     the last queries that ran (localStorage)
//     saved    queries with names (localStorage)
//
// All texts reach the page as text (textContent, Option), never as markup.
kgreason.memory = (() => {
  const PAST = "kgreason.queries", SAVED = "kgreason.saved", MOST = 30;
  const read = (key, other) => { try { return JSON.parse(localStorage.getItem(key)) ?? other; } catch { return other; } };
  const write = (store, key, text) => { try { store.setItem(key, text); } catch { /* the browser has no room */ } };
  const key = (name) => `kgreason.draft.${location.pathname}.${name}`;
  const short = (text) => text.replace(/PREFIX [^>]*>\s*/gi, "").slice(0, 80);

  const draft = (name) => sessionStorage.getItem(key(name));
  const keep = (name, text) => write(sessionStorage, key(name), text);
  const past = () => read(PAST, []);
  const remember = (text) => {
    write(localStorage, PAST, JSON.stringify([text, ...past().filter((each) => each !== text)].slice(0, MOST)));
  };
  const showPast = (list) => {
    list.replaceChildren(new Option(past().length ? "History" : "History is empty", ""));
    past().forEach((text) => list.add(new Option(short(text), text)));
  };

  const saved = () => {
    const found = Object.entries(read(SAVED, {}));
    return Object.fromEntries(found.filter(([, text]) => typeof text === "string"));
  };
  const save = (queries) => { write(localStorage, SAVED, JSON.stringify(queries)); showSaved(); };
  const button = (text, label, act) => {
    const found = Object.assign(document.createElement("button"), { type: "button", textContent: text, className: "plain" });
    found.setAttribute("aria-label", label);
    found.addEventListener("click", act);
    return found;
  };
  const showSaved = () => {
    const items = Object.entries(saved()).sort().map(([name, text]) => {
      const item = document.createElement("li"), open = button(name, `Open ${name}`, () => kgreason.editor.write(text));
      open.title = short(text);
      item.append(open, button("Delete", `Delete ${name}`, () => {
        const { [name]: _, ...others } = saved();
        save(others);
      }));
      return item;
    });
    document.querySelectorAll(".saved ul").forEach((list) => list.replaceChildren(...items));
  };
  const download = () => {
    const text = JSON.stringify(saved(), null, 2), link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = "queries.json";
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const bring = async (file) => {
    const found = JSON.parse(await file.text());
    if (Object.values(found).some((text) => typeof text !== "string")) throw new Error("it is not a file of Export");
    save({ ...saved(), ...found });
  };

  document.addEventListener("submit", (event) => {
    if (event.target.action.endsWith("/console/sign-out")) sessionStorage.clear();
    if (!event.target.matches(".saved form")) return;
    event.preventDefault();
    const field = event.target.elements.name;
    save({ ...saved(), [field.value.trim()]: kgreason.editor.read() });
    field.value = "";
  });
  document.addEventListener("click", (event) => { if (event.target.closest(".saved [data-do=export]")) download(); });
  document.addEventListener("change", (event) => {
    const field = event.target, state = document.querySelector(".saved [role=status]");
    if (!field.matches(".saved input[type=file]")) return;
    bring(field.files[0]).then(() => { state.textContent = ""; })
      .catch((error) => { state.textContent = `${field.files[0].name} is not read: ${error.message}`; })
      .finally(() => { field.value = ""; });
  });
  return { draft, keep, remember, showPast, showSaved };
})();
