// Asks the server, with the reader's key where there is one. The key is kept until the tab closes.

let key = '';
try {
  key = sessionStorage.getItem('key') ?? '';
} catch {
  // the browser keeps nothing
}

export const hasKey = () => key !== '';

export function setKey(given) {
  key = given;
  try {
    if (key) sessionStorage.setItem('key', key);
    else sessionStorage.removeItem('key');
  } catch {
    // for this page only, then
  }
}

/// `status` of an answer; 0 where there is none.
export class AskError extends Error {
  constructor(status, reason) {
    super(status ? `${status}: ${reason}` : reason);
    this.status = status;
  }
}

/// The JSON of an answer. Throws AskError.
export async function ask(path, body) {
  const headers = {Accept: 'application/json'};
  if (key) headers.Authorization = `Bearer ${key}`;
  if (body) headers['Content-Type'] = 'application/json';
  let response;
  try {
    response = await fetch(
        path, {method: body ? 'POST' : 'GET', headers, body: body && JSON.stringify(body)});
  } catch {
    throw new AskError(
        0, 'The server does not answer, or the key has letters that cannot be sent.');
  }
  const answer = await response.json().catch(() => null);
  if (response.ok && answer) return answer;
  throw new AskError(response.status, answer?.error?.reason ?? 'the answer is no JSON');
}
