import type { JsonObject } from '../json/json-value.js';
import { duplicate, forbidden, invalid, quoteGo, required, type FieldError } from '../kubernetes/field-error.js';
import { FieldPath } from '../kubernetes/field-path.js';
import { formatGoDuration, SECOND } from '../kubernetes/go-duration.js';
import { jsonGo } from '../kubernetes/go-text.js';
import { compileNodeSelector, compilePreferredTerms } from '../kubernetes/node-selector.js';
import type { PreferredSchedulingTerm } from '../kubernetes/objects/pod.js';
import type { NodeSelectorTerm } from '../kubernetes/objects/selectors.js';
import { validateLabelName } from '../kubernetes/validation/label.js';
import type { ArgumentsOwner, ShapePoint, WrittenArguments, WrittenScoringStrategy } from './configuration-types.js';

type Validator<Owner extends ArgumentsOwner> = (path: FieldPath, args: WrittenArguments[Owner]) => FieldError[];

/**
 * What upstream's validation looks at. NodeResourcesFit's arguments stand there under another name than the plugin's, so that
 * they are judged only when the plugin is made.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/apis/config/validation.
 */
const VALIDATORS: { readonly [Owner in Exclude<ArgumentsOwner, 'NodeResourcesFit'>]: Validator<Owner> } = {
  DefaultPreemption: validateDefaultPreemption,
  DynamicResources: validateDynamicResources,
  InterPodAffinity: validateInterPodAffinity,
  NodeAffinity: validateNodeAffinity,
  NodeResourcesBalancedAllocation: validateBalancedAllocation,
  PodTopologySpread: validatePodTopologySpread,
  VolumeBinding: validateVolumeBinding,
};

/** Every fault in the arguments of one plugin, after defaulting. */
export function validatePluginArguments(owner: ArgumentsOwner, args: JsonObject, path: FieldPath): FieldError[] {
  if (owner === 'NodeResourcesFit') return [];
  const validator = VALIDATORS[owner];
  return validator(path, args);
}

const shown = (value: number | bigint): { readonly text: string } => ({ text: String(value) });

function validateDefaultPreemption(path: FieldPath, args: WrittenArguments['DefaultPreemption']): FieldError[] {
  const errors: FieldError[] = [];
  const { minCandidateNodesPercentage: percentage = 0, minCandidateNodesAbsolute: absolute = 0 } = args;
  const percentagePath = path.child('minCandidateNodesPercentage');
  const absolutePath = path.child('minCandidateNodesAbsolute');
  if (percentage < 0 || percentage > 100) {
    errors.push(invalid(percentagePath, shown(percentage), 'not in valid range [0, 100]'));
  }
  if (absolute < 0) errors.push(invalid(absolutePath, shown(absolute), 'not in valid range [0, inf)'));
  if (percentage === 0 && absolute === 0) {
    const rule = 'cannot be zero at the same time as';
    errors.push(
      invalid(percentagePath, shown(percentage), `${rule} minCandidateNodesAbsolute`),
      invalid(absolutePath, shown(absolute), `${rule} minCandidateNodesPercentage`),
    );
  }
  return errors;
}

function validateDynamicResources(path: FieldPath, args: WrittenArguments['DynamicResources']): FieldError[] {
  const errors: FieldError[] = [];
  const { filterTimeout = 0n, bindingTimeout = SECOND } = args;
  const span = (value: bigint): string => formatGoDuration(value);
  if (filterTimeout < 0n) {
    errors.push(invalid(path.child('filterTimeout'), span(filterTimeout), 'must be zero or positive'));
  }
  if (bindingTimeout < SECOND) {
    errors.push(invalid(path.child('bindingTimeout'), span(bindingTimeout), 'must be at least 1 second'));
  }
  return errors;
}

function validateInterPodAffinity(path: FieldPath, args: WrittenArguments['InterPodAffinity']): FieldError[] {
  const { hardPodAffinityWeight: weight = 0 } = args;
  if (weight >= 0 && weight <= 100) return [];
  return [invalid(path.child('hardPodAffinityWeight'), shown(weight), 'not in valid range [0, 100]')];
}

function validateNodeAffinity(path: FieldPath, { addedAffinity }: WrittenArguments['NodeAffinity']): FieldError[] {
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

/** A term in which every requirement has its fields, empty where they were not given. */
export function wholeTerm(term: NodeSelectorTerm): NodeSelectorTerm {
  const whole = (list: NodeSelectorTerm['matchFields']): NodeSelectorTerm['matchFields'] =>
    list?.map((one) => ({ ...{ key: '', operator: '' }, ...one }));
  const { matchExpressions, matchFields } = term;
  return {
    ...(matchExpressions !== undefined && { matchExpressions: whole(matchExpressions) ?? [] }),
    ...(matchFields !== undefined && { matchFields: whole(matchFields) ?? [] }),
  };
}

/** The same of a weighted term. */
export const wholePreference = (term: Partial<PreferredSchedulingTerm>): PreferredSchedulingTerm => ({
  weight: term.weight ?? 0,
  preference: wholeTerm(term.preference ?? {}),
});

function validateBalancedAllocation(
  path: FieldPath,
  { resources = [] }: WrittenArguments['NodeResourcesBalancedAllocation'],
): FieldError[] {
  const seen = new Set<string>();
  return resources.flatMap(({ name = '', weight = 0 }, index) => {
    const at = path.child('resources').index(index);
    const errors = seen.has(name) ? [duplicate(at.child('name'), name)] : [];
    seen.add(name);
    return BigInt(weight) === 1n ? errors : [...errors, invalid(at.child('weight'), shown(weight), 'must be 1')];
  });
}

function validatePodTopologySpread(path: FieldPath, args: WrittenArguments['PodTopologySpread']): FieldError[] {
  const { defaultingType = '', defaultConstraints = [] } = args;
  const errors: FieldError[] = [];
  const typePath = path.child('defaultingType');
  if (defaultingType !== 'System' && defaultingType !== 'List') {
    errors.push(unsupported(typePath, defaultingType, ['System', 'List']));
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
      errors.push(unsupported(actionPath, action, ['DoNotSchedule', 'ScheduleAnyway']));
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

function validateVolumeBinding(path: FieldPath, args: WrittenArguments['VolumeBinding']): FieldError[] {
  const { bindTimeoutSeconds: timeout = 0, shape } = args;
  const errors: FieldError[] = [];
  if (timeout < 0) {
    const rule = 'invalid BindTimeoutSeconds, should not be a negative value';
    errors.push(invalid(path.child('bindTimeoutSeconds'), shown(timeout), rule));
  }
  if (shape !== undefined) {
    const points = shape.map(({ utilization = 0, score = 0 }) => ({ Utilization: utilization, Score: score }));
    const rule = 'unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring';
    errors.push(invalid(path.child('shape'), { text: jsonGo(points) }, rule));
  }
  return errors;
}

/** `ValidateNodeResourcesFitArgs`, with paths below `path` or, as the plugin itself says it, below nothing. */
export function validateNodeResourcesFit(args: WrittenArguments['NodeResourcesFit'], path?: FieldPath): FieldError[] {
  const below = (name: string): FieldPath => path?.child(name) ?? FieldPath.of(name);
  const { ignoredResources = [], ignoredResourceGroups = [], scoringStrategy } = args;
  const errors = ignoredResources.flatMap((name, index) =>
    validateLabelName(name, below('ignoredResources').index(index)),
  );
  ignoredResourceGroups.forEach((group, index) => {
    const at = below('ignoredResourceGroups').index(index);
    if (group.includes('/')) errors.push(invalid(at, group, "resource group name can't contain '/'"));
    errors.push(...validateLabelName(group, at));
  });
  const at = below('scoringStrategy');
  if (scoringStrategy === undefined) return [...errors, required(at, 'ScoringStrategy field is required')];
  return [...errors, ...validateScoringStrategy(scoringStrategy, at)];
}

const STRATEGIES: readonly string[] = ['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio'];

function validateScoringStrategy(strategy: WrittenScoringStrategy, path: FieldPath): FieldError[] {
  const { type = '', resources = [], requestedToCapacityRatio: ratio } = strategy;
  const errors: FieldError[] = [];
  if (!STRATEGIES.includes(type)) errors.push(unsupported(path.child('type'), type, STRATEGIES));
  resources.forEach(({ name = '', weight = 0 }, index) => {
    if (weight > 0 && weight <= 100) return;
    const rule = `resource weight of ${name} not in valid range (0, 100]`;
    errors.push(invalid(path.child('resources').index(index).child('weight'), shown(weight), rule));
  });
  const ratioPath = path.child('requestedToCapacityRatio');
  if (type !== 'RequestedToCapacityRatio') {
    if (ratio === undefined) return errors;
    return [...errors, forbidden(ratioPath, 'must be nil when type is not RequestedToCapacityRatio')];
  }
  if (ratio === undefined) {
    return [...errors, required(ratioPath, 'must be specified when type is RequestedToCapacityRatio')];
  }
  return [...errors, ...validateShape(ratio.shape ?? [], ratioPath.child('shape'))];
}

/** `validateFunctionShape`: of points out of order only the first is named. */
export function validateShape(shape: readonly ShapePoint[], path: FieldPath): FieldError[] {
  if (shape.length === 0) return [required(path, 'at least one point must be specified')];
  const errors: FieldError[] = [];
  const at = (index: number, name: string): FieldPath => path.index(index).child(name);
  const unsorted = shape.findIndex(
    ({ utilization = 0 }, index) => index > 0 && (shape[index - 1]?.utilization ?? 0) >= utilization,
  );
  if (unsorted > 0) {
    const { utilization = 0 } = shape[unsorted] ?? {};
    errors.push(invalid(at(unsorted, 'utilization'), shown(utilization), 'values must be sorted in increasing order'));
  }
  shape.forEach(({ utilization = 0, score = 0 }, index) => {
    if (utilization < 0 || utilization > 100) {
      errors.push(invalid(at(index, 'utilization'), shown(utilization), 'not in valid range [0, 100]'));
    }
    if (score < 0 || score > 10) errors.push(invalid(at(index, 'score'), shown(score), 'not in valid range [0, 10]'));
  });
  return errors;
}

/** `field.NotSupported` of a named string, which is shown as JSON and not as Go quotes. */
function unsupported(path: FieldPath, value: string, supported: readonly string[]): FieldError {
  const message = `Unsupported value: ${jsonGo(value)}: supported values: ${supported.map(quoteGo).join(', ')}`;
  return { type: 'FieldValueNotSupported', field: path.toString(), pointer: path.toPointer(), message };
}
