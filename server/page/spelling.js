// Spelling offers.
import {at, counted, element} from './elements.js';

const kMaxChecked = 10;  // words whose spelling is looked at

/// The words of a query as they stand there, without signs and weights.
export const wordsOf = (query) => [...new Set(
    query.split(/\s+/).map((word) => word.replace(/^[+-]/, '').replace(/\^[\d.]+$/, '')))]
    .filter((word) => word && !word.includes(',')).slice(0, kMaxChecked);

/// The query with another word in the place of one, signs and weights kept.
const withWord = (query, word, other) =>
    query.split(/(\s+)/).map((part) => (wordsOf(part)[0] === word ? part.replace(word, () => other)
                                                                  : part)).join('');

/// A line with offers for each word that no document has. `choose` takes the query with an offer in
/// the place of the word.
export function showOffers(query, words, choose) {
  const unknown = words.filter((word) => word.term !== undefined && !word.documents);
  at('offers').replaceChildren(...unknown.map(({word, similar}) => {
    const line = element('p', {}, 'No document has ', element('b', {}, word), '.');
    if (!similar.length) return line;
    line.append(' Did you mean');
    for (const {word: offered, documents} of similar) {
      const button =
          element('button', {type: 'button', title: counted(documents, 'document')}, offered);
      button.addEventListener('click', () => choose(withWord(query, word, offered)));
      line.append(button);
    }
    line.append('?');
    return line;
  }));
}
