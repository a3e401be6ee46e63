// Before the first paint, so that no wrong theme flashes: the choice that theme.tsx keeps.
try {
  const theme = localStorage.getItem("consilium-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing shows the system's theme.
}
