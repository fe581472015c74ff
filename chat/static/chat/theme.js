/** Sets the chosen theme before the first paint; loaded in the head, so no module. */
(() => {
  const apply = () => {
    let choice = null;
    try {
      choice = JSON.parse(localStorage.getItem("remotes.theme"));
    } catch {
      choice = null;
    }
    if (choice === "light" || choice === "dark") document.documentElement.dataset.theme = choice;
    else delete document.documentElement.dataset.theme;
  };
  apply();
  addEventListener("storage", apply);
  addEventListener("remotes-theme", apply);
})();
