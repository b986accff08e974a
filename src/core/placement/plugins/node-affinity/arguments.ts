import { FieldPath } from '../../../kubernetes/field-path.js';
import type { FieldError } from '../../../kubernetes/field-error.js';
import { always, INT32, kind, list, omitEmpty, pointer, struct } from '../../../kubernetes/go-types.js';
import { compileNodeSelector, compilePreferredTerms } from '../../../kubernetes/node-selector.js';
import type { NodeAffinity, PreferredSchedulingTerm } from '../../../kubernetes/objects/pod.js';
import type { NodeSelectorTerm } from '../../../kubernetes/objects/selectors.js';
import type { ArgumentsDeclaration } from '../../arguments-declaration.js';
import { requirementFields } from '../../requirement-fields.js';

interface Arguments {
  readonly addedAffinity?: NodeAffinity;
}

type Written = Arguments;

const NODE_REQUIREMENT = struct('v1.NodeSelectorRequirement', requirementFields('v1.NodeSelectorOperator'));
const NODE_TERM = struct('v1.NodeSelectorTerm', {
  matchExpressions: omitEmpty(list(NODE_REQUIREMENT)),
  matchFields: omitEmpty(list(NODE_REQUIREMENT)),
});
const NODE_SELECTOR = struct('v1.NodeSelector', { nodeSelectorTerms: always(list(NODE_TERM)) });
const PREFERRED_TERM = struct('v1.PreferredSchedulingTerm', { weight: always(INT32), preference: always(NODE_TERM) });
const NODE_AFFINITY = struct('v1.NodeAffinity', {
  requiredDuringSchedulingIgnoredDuringExecution: pointer(NODE_SELECTOR),
  preferredDuringSchedulingIgnoredDuringExecution: omitEmpty(list(PREFERRED_TERM)),
});

export const nodeAffinityArguments: ArgumentsDeclaration<Written, Arguments> = {
  type: kind('v1.NodeAffinityArgs', { addedAffinity: pointer(NODE_AFFINITY) }),
  defaults: (args) => args,
  validate,
  read: ({ addedAffinity }) => (addedAffinity === undefined ? {} : { addedAffinity: wholeAffinity(addedAffinity) }),
};

function validate({ addedAffinity }: Written, path: FieldPath): FieldError[] {
  if (addedAffinity === undefined) return [];
  const {
    requiredDuringSchedulingIgnoredDuringExecution: must,
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = addedAffinity;
  const errors: FieldError[] = [];
  if (must !== undefined) {
    const at = path.child('addedAffinity', 'requiredDuringSchedulingIgnoredDuringExecution');
    const terms = ((must.nodeSelectorTerms as readonly NodeSelectorTerm[] | undefined) ?? []).map(wholeTerm);
    for (const term of compileNodeSelector({ nodeSelectorTerms: terms }, at).terms) {
      for (const error of term.errors) errors.push(error);
    }
  }
  const at = path.child('addedAffinity', 'preferredDuringSchedulingIgnoredDuringExecution');
  const compiled = compilePreferredTerms(preferred.map(wholePreference), at);
  return 'errors' in compiled ? [...errors, ...compiled.errors] : errors;
}

function wholeAffinity(affinity: NodeAffinity): NodeAffinity {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: must,
    preferredDuringSchedulingIgnoredDuringExecution: preferred,
  } = affinity;
  const terms = (must as Partial<NonNullable<typeof must>> | undefined)?.nodeSelectorTerms ?? [];
  return {
    ...(must !== undefined && {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms.map(wholeTerm) },
    }),
    ...(preferred !== undefined && {
      preferredDuringSchedulingIgnoredDuringExecution: preferred.map(wholePreference),
    }),
  };
}

/** A term in which every requirement has its fields, empty where they were not given. */
function wholeTerm(term: NodeSelectorTerm): NodeSelectorTerm {
  const whole = (list: NodeSelectorTerm['matchFields']): NodeSelectorTerm['matchFields'] =>
    list?.map((one) => ({ ...{ key: '', operator: '' }, ...one }));
  const { matchExpressions, matchFields } = term;
  return {
    ...(matchExpressions !== undefined && { matchExpressions: whole(matchExpressions) ?? [] }),
    ...(matchFields !== undefined && { matchFields: whole(matchFields) ?? [] }),
  };
}

/** The same of a weighted term. */
const wholePreference = (term: Partial<PreferredSchedulingTerm>): PreferredSchedulingTerm => ({
  weight: term.weight ?? 0,
  preference: wholeTerm(term.preference ?? {}),
});
