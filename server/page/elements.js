// Elements and texts. What comes from an index becomes text nodes only.

export const at = (id) => document.getElementById(id);

/// An element with properties and children; texts become text nodes.
export function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

export const counted = (number, one, many = `${one}s`) =>
    `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
/// With some digits that count; whole numbers as they are, and a dash for what is no number.
export function rounded(number, digits = 5) {
  if (typeof number !== 'number') return '–';
  if (Number.isInteger(number)) return number.toLocaleString('en');
  return number.toLocaleString(
      'en', {minimumSignificantDigits: digits, maximumSignificantDigits: digits});
}

const kEscapes = {'&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'"};

/// A snippet of the API, which is HTML with <em> and </em> as its only tags, as text nodes and
/// marks.
export function marked(html) {
  return html.split(/<\/?em>/).map((part, number) => {
    const text = part.replace(/&(?:amp|lt|gt|quot|#39);/g, (escape) => kEscapes[escape]);
    return number % 2 ? element('mark', {}, text) : text;
  });
}
