// Light or dark: as the user has chosen on any page of the console, or else as the system is. The choice stays in the
// browser. `kgreason.paint` shows the choice; the editor listens to the event kgreason:theme.
window.kgreason = (() => {
  const key = "kgreason.theme", system = matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => ["light", "dark"].find((each) => each === localStorage.getItem(key)) ?? "system";
  const isDark = () => chosen() === "dark" || (chosen() === "system" && system.matches);
  const paint = () => {
    document.documentElement.dataset.theme = chosen();
    document.querySelectorAll("#theme").forEach((list) => { list.value = chosen(); });
    window.Quasar?.Dark.set(isDark());
    dispatchEvent(new Event("kgreason:theme"));
  };
  document.addEventListener("change", (event) => {
    if (event.target.id !== "theme") return;
    localStorage.setItem(key, event.target.value);
    paint();
  });
  system.addEventListener("change", paint);
  addEventListener("storage", paint);
  paint();
  return { isDark, paint };
})();
