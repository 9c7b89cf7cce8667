// Hits as elements, and what one that is opened shows.
import {element, marked, rounded} from './elements.js';

/// `explain(hit)` promises the hit's explanation.
export function hitElement(hit, explain) {
  const pieces = {...hit.snippets};
  const title = pieces.title ?? '';
  delete pieces.title;
  const button = element('button', {type: 'button', className: 'open'},
                         ...(title ? marked(title) : [hit.document]));
  button.setAttribute('aria-expanded', 'false');
  const head = element(
      'div', {className: 'head'}, element('span', {className: 'rank'}, `${hit.rank}`),
      element('h2', {}, button),
      element('span', {className: 'score', title: 'score'},
              element('span', {className: 'unseen'}, 'score '), rounded(hit.score)));
  const item = element('li', {}, head);
  if (title) item.append(element('div', {className: 'id'}, hit.document));
  for (const [name, html] of Object.entries(pieces)) item.append(fieldElement(name, marked(html)));
  button.addEventListener('click', () => toggle(item, button, hit, explain));
  return item;
}

const fieldElement = (name, parts) => element(
    'p', {className: 'field'}, element('span', {className: 'name'}, `${name}: `), ...parts);

/// Opens or closes what there is about a hit: how its score comes about, and its texts.
async function toggle(item, button, hit, explain) {
  const isOpen = button.getAttribute('aria-expanded') === 'true';
  button.setAttribute('aria-expanded', String(!isOpen));
  item.querySelector('.opened')?.remove();
  if (isOpen) return;
  const place = element('div', {}, 'Looking …');
  const opened = element('div', {className: 'opened'},
                         element('h3', {}, 'Where the score comes from'), place);
  const texts = Object.entries(hit.fields ?? {});
  if (texts.length) {
    opened.append(element('h3', {}, 'Stored text'),
                  element('div', {className: 'whole', tabIndex: 0},
                          ...texts.map(([name, text]) => fieldElement(name, [text]))));
  }
  item.append(opened);
  place.replaceChildren(await explain(hit).then(explanationTable, (error) => error.message));
}

const kColumns = [['Term', ''], ['Share', 'share'], ['Score', ''], ['In it', ''],
                  ['Documents', 'few']];  // their names and classes

function rowOf(name, share, term) {
  return {name, score: share.score, inside: term?.frequency ?? term?.impact ?? share.frequency,
          documents: term?.document_frequency};
}

/// The clauses of a tree that add something, without the groups that they are in.
function clauseRows(clause) {
  const below = (clause.clauses ?? []).flatMap(clauseRows);
  if (below.length || !clause.score) return below;
  return [rowOf(clause.clause, clause, clause.term)];  // a constant score, too
}

/// Each term's or clause's share of the score as a bar; the longest is the largest share.
function explanationTable(explanation) {
  const rows = explanation.tree ? clauseRows(explanation.tree)
                                : explanation.terms.map((term) => rowOf(term.term, term, term));
  if (explanation.static_score) rows.push({name: 'static score', score: explanation.static_score});
  const most = Math.max(...rows.map((row) => Math.abs(row.score)));
  const head = kColumns.map(([name, className]) => element('th', {scope: 'col', className}, name));
  return element('table', {}, element('thead', {}, element('tr', {}, ...head)),
                 element('tbody', {}, ...rows.map((row) => termRow(row, most, explanation.score))));
}

function termRow(row, most, whole) {
  const percent = `${whole ? Math.round(100 * row.score / whole) : 0} %`;
  const bar = element('span', {className: 'bar', title: percent});
  bar.style.width = `${most > 0 ? 100 * Math.abs(row.score) / most : 0}%`;
  const cells = [[bar, element('span', {className: 'unseen'}, percent)], [rounded(row.score)],
                 [`${row.inside ?? ''}`], [row.documents?.toLocaleString('en') ?? '']];
  return element('tr', {}, element('th', {scope: 'row'}, row.name), ...cells.map(
      (cell, i) => element('td', {className: kColumns[i + 1][1]}, ...cell)));
}
