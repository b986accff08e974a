import { compileLabelSelector } from '../../../src/core/kubernetes/label-selector.js';
import type { Labels } from '../../../src/core/kubernetes/objects/meta.js';
import type { LabelSelector } from '../../../src/core/kubernetes/objects/selectors.js';
import type { Op } from '../op.js';
import { bothRefuse } from './refusal.js';

export const labelSelector: Op = {
  answer: (input) => {
    const { selector, labels } = input as unknown as { selector?: LabelSelector | null; labels?: Labels };
    const compiled = compileLabelSelector(selector ?? undefined);
    if ('message' in compiled) return { error: compiled.message };
    return { match: compiled.selector.matches(labels ?? {}), string: compiled.selector.toString() };
  },
  agree: bothRefuse,
};
