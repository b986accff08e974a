import { duplicate, forbidden, invalid, required, type FieldError } from '../../../kubernetes/field-error.js';
import type { FieldPath } from '../../../kubernetes/field-path.js';
import {
  always,
  INT32,
  kind,
  list,
  map,
  omitEmpty,
  pointer,
  scalar,
  STRING,
  struct,
} from '../../../kubernetes/go-types.js';
import type { TopologySpreadConstraint } from '../../../kubernetes/objects/pod.js';
import type { LabelSelector } from '../../../kubernetes/objects/selectors.js';
import { validateLabelName } from '../../../kubernetes/validation/label.js';
import type { ArgumentsDeclaration } from '../../arguments-declaration.js';
import { requirementFields } from '../../requirement-fields.js';
import { unsupportedWord } from '../../unsupported-word.js';
import { shown } from '../../weighted-resources.js';

interface Arguments {
  readonly defaultingType: 'System' | 'List';
  /** Without selectors: a default constraint counts the pods of the same Service, ReplicaSet or StatefulSet. */
  readonly defaultConstraints: readonly (TopologySpreadConstraint & { readonly labelSelector?: LabelSelector })[];
}

interface Written {
  readonly defaultConstraints?: readonly Partial<TopologySpreadConstraint>[];
  readonly defaultingType?: string;
}

const LABEL_REQUIREMENT = struct('v1.LabelSelectorRequirement', requirementFields('v1.LabelSelectorOperator'));
const LABEL_SELECTOR = struct('v1.LabelSelector', {
  matchLabels: omitEmpty(map(STRING)),
  matchExpressions: omitEmpty(list(LABEL_REQUIREMENT)),
});
const SPREAD_CONSTRAINT = struct('v1.TopologySpreadConstraint', {
  maxSkew: always(INT32),
  topologyKey: always(STRING),
  whenUnsatisfiable: always(scalar('string', 'v1.UnsatisfiableConstraintAction')),
  labelSelector: pointer(LABEL_SELECTOR),
  minDomains: pointer(INT32),
  nodeAffinityPolicy: pointer(scalar('string', 'v1.NodeInclusionPolicy')),
  nodeTaintsPolicy: pointer(scalar('string', 'v1.NodeInclusionPolicy')),
  matchLabelKeys: omitEmpty(list(STRING)),
});

export const podTopologySpreadArguments: ArgumentsDeclaration<Written, Arguments> = {
  type: kind('v1.PodTopologySpreadArgs', {
    defaultConstraints: omitEmpty(list(SPREAD_CONSTRAINT)),
    defaultingType: omitEmpty(scalar('string', 'v1.PodTopologySpreadConstraintsDefaulting')),
  }),
  defaults: ({ defaultingType = '', ...args }) => ({
    ...args,
    defaultingType: defaultingType === '' ? 'System' : defaultingType,
  }),
  validate,
  read: ({ defaultingType, defaultConstraints = [] }) => ({
    defaultingType: defaultingType === 'List' ? 'List' : 'System',
    defaultConstraints: defaultConstraints.map(wholeConstraint),
  }),
};

function validate(args: Written, path: FieldPath): FieldError[] {
  const { defaultingType = '', defaultConstraints = [] } = args;
  const errors: FieldError[] = [];
  const typePath = path.child('defaultingType');
  if (defaultingType !== 'System' && defaultingType !== 'List') {
    errors.push(unsupportedWord(typePath, defaultingType, ['System', 'List']));
  } else if (defaultingType === 'System' && defaultConstraints.length > 0) {
    errors.push(invalid(typePath, defaultingType, 'when .defaultConstraints are not empty'));
  }
  const seen = new Set<string>();
  defaultConstraints.forEach((constraint, index) => {
    const { maxSkew = 0, topologyKey = '', whenUnsatisfiable: action = '', labelSelector } = constraint;
    const at = path.child('defaultConstraints').index(index);
    if (maxSkew <= 0) errors.push(invalid(at.child('maxSkew'), shown(maxSkew), 'not in valid range (0, inf)'));
    const keyPath = at.child('topologyKey');
    errors.push(
      ...(topologyKey === '' ? [required(keyPath, 'can not be empty')] : validateLabelName(topologyKey, keyPath)),
    );
    const actionPath = at.child('whenUnsatisfiable');
    if (action === '') errors.push(required(actionPath, 'can not be empty'));
    else if (action !== 'DoNotSchedule' && action !== 'ScheduleAnyway') {
      errors.push(unsupportedWord(actionPath, action, ['DoNotSchedule', 'ScheduleAnyway']));
    }
    if (labelSelector !== undefined) {
      const rule = 'constraint must not define a selector, as they deduced for each pod';
      errors.push(forbidden(at.child('labelSelector'), rule));
    }
    const pair = JSON.stringify([topologyKey, action]);
    if (seen.has(pair)) errors.push(duplicate(at, `{${topologyKey}, ${action}}`));
    seen.add(pair);
  });
  return errors;
}

const wholeConstraint = (constraint: Partial<TopologySpreadConstraint>): TopologySpreadConstraint => ({
  ...{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: '' },
  ...constraint,
});
