import { MASK, type ValuesByKey } from '../../app/withheld-values.js';
import { EFFECTS, maskInvalidIn } from './invalid-values.js';

const TOKEN = /[A-Za-z0-9_./-]+/g;
/** `key=value:Effect`, as kubectl writes a taint, with any value, known or not. */
const TAINT_TEXT =
  /(^|[^A-Za-z0-9_./-])([+-]?[A-Za-z0-9_./-]+=)[^\s:=,"'{}]+(?=:(?:NoSchedule|PreferNoSchedule|NoExecute))/g;
/** A value in a YAML manifest. */
const YAML_VALUE = /^([ \t]*(?:- )?"?value"?:[ \t]*)\S.*$/gm;
/** The message of the API server about a value that it rejects. */
const REFUSED_VALUE = /((?:taints|tolerations)\[\d+\][\w.[\]]{0,60}: \w{1,20} value: )"(?:[^"\\]|\\.)*"/g;

/**
 * Masks the values of taints and tolerations in text: wherever the text has the format of a taint, and wherever it
 * contains a key together with one of its values. Names of objects are not affected: they contain neither spaces nor
 * such punctuation. Values that are not valid label values are masked wherever they occur.
 */
export function maskText(given: string, values: ValuesByKey): string {
  const text = maskInvalidIn(values)(given);
  if (!/[\s=:"{]/.test(text)) return text;
  const inForm = text
    .replace(TAINT_TEXT, `$1$2${MASK}`)
    .replace(REFUSED_VALUE, `$1"${MASK}"`)
    .replace(YAML_VALUE, /\b(taints|tolerations)\b/.test(text) ? `$1${MASK}` : '$&');
  const secret = valuesOfKeysIn(inForm, values);
  if (secret.size === 0) return inForm;
  return inForm.replace(TOKEN, (token, at: number) => {
    const bare = token.replace(/^[./-]+|[._/-]+$/g, '');
    if (!secret.has(bare) || isKey(inForm, at, token) || isEffect(inForm, at, token)) return token;
    return token.replace(bare, () => MASK);
  });
}

/** If a value is identical to its key, the key remains before its equals sign or after its name. */
function isKey(text: string, at: number, token: string): boolean {
  return text[at + token.length] === '=' || /\bkey:? "?$/.test(text.slice(Math.max(0, at - 6), at));
}

/** If a value is identical to an effect, the effect remains. */
function isEffect(text: string, at: number, token: string): boolean {
  return EFFECTS.has(token.replace(/[-.]$/, '')) && text[at - 1] === ':';
}

function valuesOfKeysIn(text: string, values: ValuesByKey): Set<string> {
  const found = new Set<string>();
  if (values.size === 0) return found;
  for (const [token] of text.matchAll(TOKEN)) {
    const ofKey = values.get(token) ?? values.get(token.replace(/^[./-]+|[._/-]+$/g, ''));
    for (const value of ofKey ?? []) found.add(value);
  }
  return found;
}
