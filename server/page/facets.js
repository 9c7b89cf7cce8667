// Facets beside the results: values and ranges of columns that can be chosen as filters.
import {at, element} from './elements.js';
import {conditionText, withCondition} from './filters.js';

const kMaxValues = 10;  // of whole numbers, more become a range alone

/// Shows what was counted of each column. `facets` are by name, `change` takes new filters.
export function showFacets(columns, filters, facets, change) {
  const focused = document.activeElement?.dataset.key;
  const panels = columns.map((column) => facetElement(column, filters, facets[column.name], change))
      .filter(Boolean);
  at('facets').replaceChildren(...panels);
  at('side').hidden = panels.length === 0;
  document.body.classList.toggle('with-side', panels.length > 0);
  showConditions(columns, filters, change);
  if (!focused) return;
  [...document.querySelectorAll('[data-key]')].find((one) => one.dataset.key === focused)?.focus();
}

/// A button for each condition, which takes it away.
function showConditions(columns, filters, change) {
  const set = columns.filter(({name}) => Object.hasOwn(filters, name));
  at('filters').replaceChildren(...set.map((column) => {
    const {name} = column;
    const text = `${name}: ${conditionText(column, filters[name])}`;
    const button = element('button', {type: 'button', title: 'Take this filter away'},
                           text, element('span', {ariaHidden: 'true'}, ' ×'));
    button.setAttribute('aria-label', `Take the filter away: ${text}`);
    button.addEventListener('click', () => {
      change(withCondition(filters, name, null));
      at('results').focus({preventScroll: true});
    });
    return button;
  }));
  at('filters').hidden = set.length === 0;
}

function facetElement(column, filters, facet, change) {
  const condition = filters[column.name];
  if (!facet?.documents && !condition) return null;
  const parts = [];
  const hasValues = column.type === 'keyword' || column.type === 'bool' || condition?.values ||
      (column.type === 'int' && facet?.distinct <= kMaxValues);
  if (hasValues) {
    parts.push(...valueElements(column, condition?.values ?? [], facet, filters, change));
  }
  const isOrdered = column.type !== 'keyword' && column.type !== 'bool';
  if (isOrdered && (condition?.from !== undefined || facet?.distinct > 1)) {
    parts.push(rangeElement(column, condition, facet, filters, change));
  }
  if (!parts.length) return null;
  return element('fieldset', {className: 'facet'}, element('legend', {}, column.name), ...parts);
}

/// A box for each value, chosen ones first where they are not among those of most documents.
function valueElements({name}, chosen, facet, filters, change) {
  const top = facet?.top ?? [];
  const missing = chosen.filter((value) => !top.some((one) => one.value === value));
  return [...missing.map((value) => ({value})), ...top].map(({value, documents}) => {
    const box = element('input', {type: 'checkbox', checked: chosen.includes(value)});
    box.dataset.key = `${name}=${value}`;
    box.addEventListener('change', () => {
      const others = chosen.filter((one) => one !== value);
      change(withCondition(filters, name, {values: box.checked ? [...others, value] : others}));
    });
    return element('label', {}, box, element('span', {className: 'value'}, value || '(empty)'),
                   element('span', {className: 'number'}, documents?.toLocaleString('en') ?? ''));
  });
}

/// The least or the largest value, as an input takes it; '' where a date is none that it can.
function limitText(type, number) {
  if (typeof number !== 'number') return '';
  if (type !== 'date') return `${number}`;
  const date = new Date(number);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().replace(/T.*/, '');
}

function rangeElement({name, type}, condition, facet, filters, change) {
  const input = (what, value, limit) => {
    const made = element('input', {
      type: type === 'date' ? 'date' : 'number', step: type === 'float' ? 'any' : '1',
      placeholder: limit, title: limit && `${what} ${limit}`, value: value ?? '',
    });
    made.setAttribute('aria-label', `${name} ${what}`);
    made.dataset.key = `${name} ${what}`;
    return made;
  };
  const from = input('from', condition?.from, limitText(type, facet?.min));
  const to = input(type === 'date' ? 'before' : 'to', condition?.to, limitText(type, facet?.max));
  if (type === 'date') from.removeAttribute('step');
  if (type === 'date') to.removeAttribute('step');
  const form = element('form', {className: 'range'}, from, element('span', {}, '–'), to,
                       element('button', {type: 'submit'}, 'Set'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    change(withCondition(filters, name, {from: from.value, to: to.value}));
  });
  return form;
}
