import type { Syntax } from '../contract/schema.js';
import { STORED_POD_FIELDS } from '../core/inventory/stored-pod-fields.js';
import { NODE_FIELDS } from '../core/kubernetes/selectable-fields.js';
import { parseTaint, parseTaintPattern } from '../core/kubernetes/taint-text.js';
import { InvalidRequestError } from './errors/invalid-request-error.js';
import type { ErrorDetail } from './errors/service-error.js';
import { readFieldSelector, readPodKey, readTaintTexts } from './filter-parameters.js';
import { readLabelSelector } from './label-selector-parameter.js';
import { readDuration } from './read-duration.js';
import { readMoment } from './reads/read-moment.js';
import { readKubernetesVersion, readRulesVersion } from './reads/rules-of-revision.js';

/** The functions that use cases read these strings with. */
const READERS: Readonly<Record<Syntax, (text: string) => unknown>> = {
  labelSelector: (text) => readLabelSelector(text),
  nodeFieldSelector: (text) => readFieldSelector(text, NODE_FIELDS),
  podFieldSelector: (text) => readFieldSelector(text, STORED_POD_FIELDS),
  taint: (text) => readTaintTexts([text], '', parseTaint),
  taintPattern: (text) => readTaintTexts([text], '', parseTaintPattern),
  podKey: (text) => readPodKey(text, ''),
  duration: (text) => readDuration(text, ''),
  moment: (text) => readMoment(text, ''),
  rulesVersion: (text) => readRulesVersion(text, ''),
  kubernetesVersion: (text) => readKubernetesVersion(text, ''),
};

/** The code of an error in the syntax. */
export const SYNTAX_CODES: Readonly<Record<Syntax, string>> = {
  labelSelector: 'invalid-selector',
  nodeFieldSelector: 'invalid-selector',
  podFieldSelector: 'invalid-selector',
  taint: 'invalid-taint',
  taintPattern: 'invalid-taint',
  podKey: 'invalid-pod-key',
  duration: 'isDuration',
  moment: 'isMoment',
  rulesVersion: 'isRulesVersion',
  kubernetesVersion: 'isKubernetesVersion',
};

/** What is wrong with a string of that syntax; undefined if nothing is. */
export function syntaxError(syntax: Syntax, text: string): ErrorDetail | undefined {
  try {
    READERS[syntax](text);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidRequestError) return error.details[0];
    throw error;
  }
}
