async (id, label, completed) => {
  const CM = await import("nicegui-codemirror");
  const element = getElement(id);
  await element.editorPromise;
  const view = element.editor;
  const words = { autocomplete: (context) => {
    const word = context.matchBefore(/<?[\w.-]*(?::[\w.-]*)?/);
    if (!word || (word.from === word.to && !context.explicit)) return null;
    return { from: word.from, options: completed, validFor: /^<?[\w.-]*(?::[\w.-]*)?$/ };
  } };
  view.dispatch({ effects: CM.StateEffect.appendConfig.of([
    CM.EditorState.languageData.of(() => [words]),
    CM.EditorView.contentAttributes.of({ "aria-label": label }),
  ]) });
  const paint = () => element.setTheme(kgreason.isDark() ? "vscodeDark" : "vscodeLight");
  addEventListener("kgreason:theme", paint);
  paint();
}
