import { parseSelector, SelectorSyntaxError } from '../../../src/core/kubernetes/label-selector.js';
import type { Labels } from '../../../src/core/kubernetes/objects/meta.js';
import type { Op } from '../op.js';
import { bothRefuse } from './refusal.js';

export const selectorString: Op = {
  answer: (input) => {
    const { string, labels } = input as unknown as { string: string; labels?: Labels };
    try {
      const selector = parseSelector(string);
      return { match: selector.matches(labels ?? {}), string: selector.toString() };
    } catch (error) {
      if (error instanceof SelectorSyntaxError) return { error: error.message };
      throw error;
    }
  },
  agree: bothRefuse,
};
