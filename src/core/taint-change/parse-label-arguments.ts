import { quoteGo } from '../kubernetes/go-text.js';
import { isValidLabelValue } from '../kubernetes/validation/names.js';
import { KubectlError } from './kubectl-error.js';
import type { LabelEdit } from './taint-edit.js';

/**
 * Parses the arguments of `kubectl label` after the object: `key=value` sets a label, `key-` removes it. The last argument for
 * a key counts. Values are validated here, keys by the API server.
 *
 * @throws {KubectlError} with kubectl's message, for the first invalid argument
 *
 * Source: k8s.io/kubectl v0.36.2, pkg/cmd/label/label.go, `parseLabels`.
 */
export function parseLabelArguments(words: readonly string[]): LabelEdit {
  const set = new Map<string, string>();
  const remove: string[] = [];
  for (const word of words) {
    if (word.includes('=')) {
      const [key = '', value = '', ...more] = word.split('=');
      if (more.length > 0) throw new KubectlError('invalid-label', `invalid label spec: ${word}`);
      const faults = isValidLabelValue(value);
      if (faults.length > 0) {
        throw new KubectlError('invalid-label', `invalid label value: ${quoteGo(word)}: ${faults.join(';')}`);
      }
      set.set(key, value);
    } else if (word.endsWith('-')) {
      remove.push(word.slice(0, -1));
    } else {
      throw new KubectlError('invalid-label', `unknown label spec: ${word}`);
    }
  }
  if (remove.some((key) => set.has(key))) throw new KubectlError('conflicting-labels', CONFLICTING_LABELS);
  return { set, remove };
}

export const CONFLICTING_LABELS = 'can not both modify and remove a label in the same command';
