// what the theme leaves out for those who use no mouse or no screen
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("p.caption[role=heading]").forEach((p) => p.setAttribute("aria-level", "2"));
  document.querySelectorAll("article pre").forEach((pre) => pre.setAttribute("tabindex", "0"));
});
