// The page: a search for what the address says, and its answer.
import {at, counted, rounded} from './elements.js';
import {showFacets} from './facets.js';
import {columnsOf, filterText} from './filters.js';
import {hitElement} from './hits.js';
import {onKey} from './keyboard.js';
import {ask, hasKey, setKey} from './server.js';
import {showOffers, wordsOf} from './spelling.js';
import {addressOf, indexOf, processorName, requestOf, setIndexes, showIndex, showState,
        stateOfAddress, stateOfForm} from './state.js';

let shown = null;  // {state, body, explained}: the search whose answer is there
let latest = 0;    // the number of the last search; answers to earlier ones are dropped

const pathOf = (state, what) => `v1/${encodeURIComponent(state.index)}/${what}`;

/// Searches for what the form says, as a new entry of the history.
const go = (filters = stateOfAddress().filters) => visit(stateOfForm(filters));

function visit(state) {
  const address = addressOf(state);
  if (address !== location.search) history.pushState(null, '', address);
  return run(state);
}

function clear() {
  for (const id of ['error', 'status', 'page']) at(id).textContent = '';
  for (const id of ['hits', 'offers']) at(id).replaceChildren();
  at('pages').hidden = at('json').hidden = true;
  shown = null;
}

const showFacetsOf = (state, facets) =>
    showFacets(columnsOf(indexOf(state)), state.filters, facets ?? {}, go);

function showError(error, state = null) {
  clear();
  if (state) showFacetsOf(state);
  at('error').textContent = error.message;
  if (error.status !== 401) return;
  at('key-open').hidden = at('key-form').hidden = false;
  at('key').focus();
}

async function run(state) {
  const number = ++latest;
  showState(state);
  document.title = state.q ? `${state.q} – Warpdex` : 'Warpdex';
  if (!state.q.trim() || !state.index) {
    showFacetsOf(state);
    return clear();
  }
  at('results').setAttribute('aria-busy', 'true');
  const body = requestOf(state);
  try {
    const [answer, facets] =
        await Promise.all([ask(pathOf(state, 'search'), body), chosenFacets(state, body)]);
    if (number !== latest) return;
    Object.assign(answer.facets ?? {}, facets);
    clear();
    shown = {state, body};
    showAnswer(state, body, answer);
    offerSpellings(state, number);
  } catch (error) {
    if (number !== latest) return;
    showError(error, state);
  } finally {
    if (number === latest) at('results').removeAttribute('aria-busy');
  }
}

/// The facets of columns with chosen values, as if none of these were chosen: others can be added.
async function chosenFacets(state, body) {
  const columns = columnsOf(indexOf(state));
  const chosen = columns.filter(({name}) => state.filters[name]?.values && body.facets);
  const {fields, sort, ...rest} = body;
  const answers = await Promise.all(chosen.map(({name}) => ask(pathOf(state, 'search'), {
    ...rest, k: 1, from: 0, facets: [name], filter: filterText(columns, state.filters, name),
  })));
  return Object.fromEntries(answers.flatMap((answer) => Object.entries(answer.facets)));
}

function showAnswer(state, body, answer) {
  at('status').textContent = statusOf(state, body, answer);
  at('hits').start = body.from + 1;
  at('hits').replaceChildren(...answer.hits.map((hit) => hitElement(hit, explain)));
  showFacetsOf(state, answer.facets);
  const isMore = answer.hits.length === state.k &&
      (!answer.matches_exact || body.from + state.k < answer.matches);
  at('previous').disabled = state.page === 1;
  at('next').disabled = !isMore;
  at('page').textContent = `Page ${state.page}`;
  at('pages').hidden = state.page === 1 && !isMore;
  at('request').textContent =
      `POST /${pathOf(state, 'search')}\n${JSON.stringify(body, null, 2)}`;
  at('answer').textContent = JSON.stringify(answer, null, 2);
  at('json').hidden = false;
}

function statusOf(state, body, answer) {
  const first = body.from + 1;
  const last = body.from + answer.hits.length;
  const matches =
      (answer.matches_exact ? '' : 'at least ') + counted(answer.matches, 'match', 'matches');
  let text = answer.hits.length ? `${first}–${last} of ${matches}`
      : state.page > 1 ? 'No more documents match' : 'No document matches';
  text += ` · ${rounded(answer.took_us / 1000, 3)} ms on ` +
      processorName(answer.answered_by ?? indexOf(state)?.device);
  if (answer.fell_back_to_or && answer.hits.length) {
    text += '. Too few documents have all of the words; these have any of them';
  }
  if (!answer.complete) {
    text += '. Time was up: these are the best found by then, and no other scores more than ' +
        rounded(answer.max_missing_score);
  }
  return `${text}.`;
}

/// A hit's explanation, by the same search again, once for all of its hits.
async function explain(hit) {
  const current = shown;
  const {state, body: {fields, facets, count, ...asked}} = current;
  current.explained ??= ask(pathOf(state, 'search'), {...asked, explain: true});
  const answer = await current.explained.catch((error) => {
    current.explained = null;  // to be tried again
    throw error;
  });
  const same = answer.hits.find((other) => other.document === hit.document);
  if (same?.score !== hit.score) throw new Error('The index has changed; search again.');
  return same.explanation;
}

async function offerSpellings(state, number) {
  const words = state.syntax === 'signed' ? wordsOf(state.q) : [];
  if (!words.length) return;
  const given = new URLSearchParams({words: words.join(',')});
  const answer = await ask(pathOf(state, `similar?${given}`)).catch(() => null);
  if (!answer || number !== latest) return;
  showOffers(state.q, answer.words, (query) => {
    at('q').value = query;
    go();
  });
}

function turn(step) {
  if (!shown) return;
  visit({...shown.state, page: shown.state.page + step})
      .then(() => at('results').focus({preventScroll: true}));
  window.scrollTo({top: 0});
}

function useKey(key) {
  setKey(key);
  at('key').value = '';
  start();
}

function listen() {
  at('search').addEventListener('submit', (event) => {
    event.preventDefault();
    go();
  });
  at('index').addEventListener('change', () => {
    showIndex(null);
    go({});
  });
  for (const id of ['mode', 'k', 'query-syntax', 'sort', 'count', 'fields']) {
    at(id).addEventListener('change', () => go());
  }
  at('previous').addEventListener('click', () => turn(-1));
  at('next').addEventListener('click', () => turn(1));
  at('key-open').addEventListener('click', () => {
    at('key-form').hidden = !at('key-form').hidden;
    if (!at('key-form').hidden) at('key').focus();
  });
  at('key-form').addEventListener('submit', (event) => {
    event.preventDefault();
    useKey(at('key').value);
  });
  at('key-forget').addEventListener('click', () => useKey(''));
  window.addEventListener('popstate', () => run(stateOfAddress()));
  document.addEventListener('keydown', onKey);
}

async function start() {
  clear();
  let indexes = [];
  try {
    const answer = await ask('v1');
    indexes = answer.indexes.filter((index) => index.content === 'documents');
    if (!indexes.length) at('error').textContent = 'No index of documents is served here.';
    at('key-open').hidden = !hasKey();
    at('key-form').hidden = true;
  } catch (error) {
    showError(error);
  }
  setIndexes(indexes);
  if (!indexes.length) return;
  const state = stateOfAddress();
  if (!state.q) at('q').focus();
  run(state);
}

at('side-open').open = window.matchMedia('(min-width: 56rem)').matches;
listen();
start();
