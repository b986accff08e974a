import type { GoField } from '../kubernetes/go-decoding.js';
import { always, list, omitEmpty, scalar, STRING } from '../kubernetes/go-types.js';

/** The fields of a requirement of a selector, whose operators go by a type of their own. */
export const requirementFields = (operator: string): Readonly<Record<string, GoField>> => ({
  key: always(STRING),
  operator: always(scalar('string', operator)),
  values: omitEmpty(list(STRING)),
});
