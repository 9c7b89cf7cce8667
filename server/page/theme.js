// The colours that the reader chose: the system's, light or dark. Runs before anything is drawn.
'use strict';

(() => {
  const kThemes = ['system', 'light', 'dark'];

  /// A browser that keeps nothing throws.
  function attempt(action) {
    try {
      return action();
    } catch {
      return null;
    }
  }

  const kept = attempt(() => localStorage.getItem('theme'));
  let theme = kThemes.includes(kept) ? kept : 'system';

  function show() {
    document.documentElement.dataset.theme = theme;
    const button = document.getElementById('theme');
    if (button) button.textContent = `Theme: ${theme}`;
  }

  show();
  document.addEventListener('DOMContentLoaded', () => {
    show();
    document.getElementById('theme').addEventListener('click', () => {
      theme = kThemes[(kThemes.indexOf(theme) + 1) % kThemes.length];
      attempt(() => localStorage.setItem('theme', theme));
      show();
    });
  });
})();
