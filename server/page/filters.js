// Conditions on columns: an object by the columns' names, each {values: [text, …]}, of which one
// suffices, or {from: text, to: text}, of which one may be empty.

/// The columns of an index that has some: [{name, type}, …].
export const columnsOf = (index) => Object.entries(index?.schema?.fields ?? {})
    .filter(([, field]) => field.type !== 'text' && field.type !== 'vector')
    .map(([name, field]) => ({name, type: field.type}));

const areTexts = (list) => list.every((one) => typeof one === 'string');
const isCondition = (given) => given !== null && typeof given === 'object' &&
    (Array.isArray(given.values)
        ? given.values.length > 0 && areTexts(given.values)
        : areTexts([given.from, given.to]) && given.from + given.to !== '');

/// What stands in an address; what is none is left out.
export function readFilters(text) {
  let given = null;
  try {
    given = JSON.parse(text);
  } catch {
    // none
  }
  if (given === null || typeof given !== 'object') return {};
  return Object.fromEntries(Object.entries(given).filter(([, one]) => isCondition(one)));
}

export const hasFilters = (filters) => Object.keys(filters).length > 0;

/// The filters with another condition on a column; null: none.
export function withCondition(filters, name, condition) {
  const {[name]: _, ...rest} = filters;
  return condition && isCondition(condition) ? {...rest, [name]: condition} : rest;
}

const quoted = (text) => `"${text.replace(/["\\]/g, '\\$&')}"`;

function textOf({name, type}, {values, from, to}) {
  if (values) return `${name} IN [${values.map(quoted).join(', ')}]`;
  const upper = type === 'date' ? '<' : '<=';  // to a day: before it
  return [from && `${name} >= ${quoted(from)}`, to && `${name} ${upper} ${quoted(to)}`]
      .filter(Boolean).join(' AND ');
}

/// A filter of the API, of all conditions but those on one column.
export const filterText = (columns, filters, without = null) =>
    columns.filter(({name}) => name !== without && Object.hasOwn(filters, name))
        .map((column) => textOf(column, filters[column.name])).join(' AND ');

/// For people.
export function conditionText({type}, {values, from, to}) {
  if (values) return values.join(' or ');
  const upper = type === 'date' ? 'before' : 'to';
  return [from && `from ${from}`, to && `${upper} ${to}`].filter(Boolean).join(' ');
}
