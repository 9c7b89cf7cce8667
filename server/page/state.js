// What is searched for: an object that stands in the address and in the form.
import {at, counted, element} from './elements.js';
import {columnsOf, filterText, hasFilters, readFilters} from './filters.js';

const kMaxFacets = 12;  // columns that are counted

let indexes = [];  // of documents

/// Takes the indexes that there are to choose from.
export function setIndexes(list) {
  indexes = list;
  at('index').replaceChildren(
      ...indexes.map((index) => element('option', {value: index.name}, index.name)));
  showIndex(null);
}

export const indexOf = (state) => indexes.find((index) => index.name === state.index);
export const fieldsOf = (index) => (index?.stored_fields ?? '').split(',').filter(Boolean);

export function stateOfAddress() {
  const given = new URLSearchParams(location.search);
  const known = (id, value) => [...at(id).options].some((one) => one.value === value);
  const pick = (id, value, otherwise) => (known(id, value) ? value : otherwise);
  return {
    q: given.get('q') ?? '',
    index: pick('index', given.get('index'), at('index').options[0]?.value ?? ''),
    mode: pick('mode', given.get('mode'), 'or'),
    k: Number(pick('k', given.get('k'), '10')),
    syntax: pick('query-syntax', given.get('syntax'), 'signed'),
    sort: given.get('sort') ?? '',
    filters: readFilters(given.get('filters')),
    count: given.get('count') !== 'false',
    fields: given.has('fields') ? given.get('fields').split(',').filter(Boolean) : null,
    page: Math.max(1, Math.floor(Number(given.get('page'))) || 1),
  };
}

/// `filters` are not in the form.
export function stateOfForm(filters) {
  const boxes = [...at('fields').querySelectorAll('input')];
  return {
    q: at('q').value,
    index: at('index').value,
    mode: at('mode').value,
    k: Number(at('k').value),
    syntax: at('query-syntax').value,
    sort: at('sort').value,
    filters,
    count: at('count').checked,
    fields: boxes.every((box) => box.checked)
        ? null
        : boxes.filter((box) => box.checked).map((box) => box.value),
    page: 1,
  };
}

export function addressOf(state) {
  const given = new URLSearchParams({index: state.index, q: state.q});
  if (state.mode !== 'or') given.set('mode', state.mode);
  if (state.k !== 10) given.set('k', state.k);
  if (state.syntax !== 'signed') given.set('syntax', state.syntax);
  if (state.sort) given.set('sort', state.sort);
  if (hasFilters(state.filters)) given.set('filters', JSON.stringify(state.filters));
  if (!state.count) given.set('count', 'false');
  if (state.fields) given.set('fields', state.fields.join(','));
  if (state.page > 1) given.set('page', state.page);
  return `?${given}`;
}

export function showState(state) {
  at('q').value = state.q;
  for (const id of ['index', 'mode', 'k']) at(id).value = state[id];
  at('query-syntax').value = state.syntax;
  at('count').checked = state.count;
  showIndex(state.fields);
  at('sort').value = state.sort;
  if (at('sort').selectedIndex < 0) at('sort').value = '';
}

/// The choice of fields, and a line about the index. `chosen` of null: all fields. Boxes that fit
/// stay, with the focus that one may have.
export function showIndex(chosen) {
  const index = indexes.find((one) => one.name === at('index').value);
  const fields = fieldsOf(index);
  const boxes = () => [...at('fields').querySelectorAll('input')];
  if (boxes().map((box) => box.value).join(',') !== fields.join(',')) {
    at('fields').replaceChildren(element('legend', {}, 'Show'), ...fields.map((name) => element(
        'label', {}, element('input', {type: 'checkbox', value: name}), ` ${name}`)));
  }
  for (const box of boxes()) box.checked = chosen?.includes(box.value) ?? true;
  at('fields').hidden = fields.length === 0;
  showOrders(columnsOf(index));
  at('about').textContent = index ? aboutIndex(index, fields) : '';
}

/// The choice of orders, of an index with columns.
function showOrders(columns) {
  const orders = columns.flatMap(({name}) => [[name, `${name}, rising`], [`${name}:desc`,
                                                                          `${name}, falling`]]);
  const options = [['', 'best first'], ...orders];
  const isSame = [...at('sort').options].map((one) => one.value).join() ===
      options.map(([value]) => value).join();
  if (!isSame) {
    at('sort').replaceChildren(
        ...options.map(([value, text]) => element('option', {value}, text)));
  }
  at('sort-choice').hidden = columns.length === 0;
}

const aboutIndex = (index, fields) =>
    [counted(index.documents, 'document'), index.analyzer,
     ...(fields.length ? [] : ['no stored texts']), processorName(index.device)].join(' · ');

export const processorName = (device) =>
    (device === 'auto' ? 'CPU and GPU' : (device ?? '').toUpperCase());

/// The body of a search.
export function requestOf(state) {
  const shown = fieldsOf(indexOf(state)).filter((name) => state.fields?.includes(name) ?? true);
  const body = {q: state.q, k: state.k, from: (state.page - 1) * state.k, mode: state.mode};
  if (state.count) body.count = true;
  if (shown.length) body.fields = shown;
  if (state.syntax !== 'signed') body.query_syntax = state.syntax;
  const columns = columnsOf(indexOf(state));
  if (!columns.length) return body;
  body.facets = columns.slice(0, kMaxFacets).map(({name}) => name);
  const filter = filterText(columns, state.filters);
  if (filter) body.filter = filter;
  if (columns.some(({name}) => name === state.sort.replace(/:desc$/, ''))) body.sort = state.sort;
  return body;
}
