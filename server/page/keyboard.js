// Keys: / goes to the search box, j and k and the arrows move between the hits. Enter opens one, as
// it presses any button.
import {at} from './elements.js';

/// Moves the focus by `step` hits; before the first one is the search box.
function move(step) {
  const hits = [...document.querySelectorAll('.open')];
  const now = hits.findIndex((hit) => hit.closest('li').contains(document.activeElement));
  const next = now + step;
  if (next < 0) return now < 0 ? undefined : at('q').focus();
  hits[Math.min(next, hits.length - 1)]?.focus();
}

export function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target;
  const isTyping = target.matches('input:not([type="checkbox"]), select, textarea');
  const isBox = target === at('q');
  const isHit = target.matches('.open');
  const actions = {
    '/': isTyping ? null : () => { at('q').focus(); at('q').select(); },
    j: isTyping ? null : () => move(1),
    k: isTyping ? null : () => move(-1),
    ArrowDown: isBox || isHit ? () => move(1) : null,
    ArrowUp: isHit ? () => move(-1) : null,
  };
  const action = Object.hasOwn(actions, event.key) ? actions[event.key] : null;
  if (!action) return;
  event.preventDefault();
  action();
}
