async (id, label, words, replaced) => {
  const CM = await import("nicegui-codemirror");
  const element = getElement(id), { memory } = kgreason;
  await element.editorPromise;
  const view = element.editor, read = () => view.state.doc.toString();
  const write = (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  const keywords = (text) => text.split(" ").map((word) => ({ label: word, type: "keyword", boost: -1 }));
  const languages = Object.fromEntries(Object.entries(words.keywords).map(([name, text]) => [name, keywords(text)]));
  const complete = { autocomplete: (context) => {
    const word = context.matchBefore(/[<@]?[\w.-]*(?::[\w.-]*)?/);
    if (!word || (word.from === word.to && !context.explicit)) return null;
    const options = [...words.terms, ...(languages[element.language] ?? [])];
    return { from: word.from, options, validFor: /^[<@]?[\w.-]*(?::[\w.-]*)?$/ };
  } };
  view.dispatch({ effects: CM.StateEffect.appendConfig.of([
    CM.EditorState.languageData.of(() => [complete]),
    CM.EditorView.contentAttributes.of({ "aria-label": label }),
    CM.EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      memory.keep("text", read());
      memory.keep("language", element.language);
    }),
  ]) });
  view.setTabFocusMode(true);  // Tab goes to the next field, as in any field
  const draft = memory.draft("text");
  if (draft && read() === replaced) write(draft);
  kgreason.editor = { read, write };
  const paint = () => element.setTheme(kgreason.isDark() ? "vscodeDark" : "vscodeLight");
  addEventListener("kgreason:theme", paint);
  paint();
}
