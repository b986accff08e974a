import { forbidden, invalid, required, type FieldError } from '../../../kubernetes/field-error.js';
import { FieldPath } from '../../../kubernetes/field-path.js';
import { kind, list, omitEmpty, pointer, scalar, STRING, struct } from '../../../kubernetes/go-types.js';
import { validateLabelName } from '../../../kubernetes/validation/label.js';
import type { ArgumentsDeclaration } from '../../arguments-declaration.js';
import { unsupportedWord } from '../../unsupported-word.js';
import {
  defaultResources,
  readResources,
  RESOURCE_SPEC,
  SHAPE_POINT,
  shown,
  validateShape,
  type ResourceSpec,
  type ShapePoint,
  type WeightedResource,
} from '../../weighted-resources.js';

/** One corner of a broken line: 0 to 100 percent in use, and a score of 0 to 10. */
export interface UtilizationShapePoint {
  readonly utilization: number;
  readonly score: number;
}

export interface ScoringStrategy {
  readonly type: 'LeastAllocated' | 'MostAllocated' | 'RequestedToCapacityRatio';
  readonly resources: readonly WeightedResource[];
  readonly requestedToCapacityRatio?: { readonly shape: readonly UtilizationShapePoint[] };
}

interface Arguments {
  readonly ignoredResources: readonly string[];
  readonly ignoredResourceGroups: readonly string[];
  readonly scoringStrategy: ScoringStrategy;
}

interface Written {
  readonly ignoredResources?: readonly string[];
  readonly ignoredResourceGroups?: readonly string[];
  readonly scoringStrategy?: WrittenScoringStrategy;
}

interface WrittenScoringStrategy {
  readonly type?: string;
  readonly resources?: readonly ResourceSpec[];
  readonly requestedToCapacityRatio?: { readonly shape?: readonly ShapePoint[] };
}

const SCORING_STRATEGY = struct('v1.ScoringStrategy', {
  type: omitEmpty(scalar('string', 'v1.ScoringStrategyType')),
  resources: omitEmpty(list(RESOURCE_SPEC)),
  requestedToCapacityRatio: pointer(
    struct('v1.RequestedToCapacityRatioParam', { shape: omitEmpty(list(SHAPE_POINT)) }),
  ),
});

export const nodeResourcesFitArguments: ArgumentsDeclaration<Written, Arguments> = {
  type: kind('v1.NodeResourcesFitArgs', {
    ignoredResources: omitEmpty(list(STRING)),
    ignoredResourceGroups: omitEmpty(list(STRING)),
    scoringStrategy: pointer(SCORING_STRATEGY),
  }),
  defaults: (args) => {
    const strategy = args.scoringStrategy ?? { type: 'LeastAllocated' };
    return { ...args, scoringStrategy: { ...strategy, resources: defaultResources(strategy.resources) } };
  },
  // Upstream's validation looks for these arguments under another name than the plugin's.
  validate: () => [],
  validateWhenMade,
  read: ({ ignoredResources = [], ignoredResourceGroups = [], scoringStrategy = {} }) => {
    const { type = '', resources, requestedToCapacityRatio: ratio } = scoringStrategy;
    return {
      ignoredResources,
      ignoredResourceGroups,
      scoringStrategy: {
        // No profile is built with another type.
        type: type as ScoringStrategy['type'],
        resources: readResources(resources),
        ...(ratio !== undefined && {
          requestedToCapacityRatio: {
            shape: (ratio.shape ?? []).map(({ utilization = 0, score = 0 }) => ({ utilization, score })),
          },
        }),
      },
    };
  },
};

/** `ValidateNodeResourcesFitArgs`, with paths below nothing, as the plugin itself says them. */
function validateWhenMade(args: Written): FieldError[] {
  const { ignoredResources = [], ignoredResourceGroups = [], scoringStrategy } = args;
  const errors = ignoredResources.flatMap((name, index) =>
    validateLabelName(name, FieldPath.of('ignoredResources').index(index)),
  );
  ignoredResourceGroups.forEach((group, index) => {
    const at = FieldPath.of('ignoredResourceGroups').index(index);
    if (group.includes('/')) errors.push(invalid(at, group, "resource group name can't contain '/'"));
    errors.push(...validateLabelName(group, at));
  });
  const at = FieldPath.of('scoringStrategy');
  if (scoringStrategy === undefined) return [...errors, required(at, 'ScoringStrategy field is required')];
  return [...errors, ...validateScoringStrategy(scoringStrategy, at)];
}

const STRATEGIES: readonly string[] = ['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio'];

function validateScoringStrategy(strategy: WrittenScoringStrategy, path: FieldPath): FieldError[] {
  const { type = '', resources = [], requestedToCapacityRatio: ratio } = strategy;
  const errors: FieldError[] = [];
  if (!STRATEGIES.includes(type)) errors.push(unsupportedWord(path.child('type'), type, STRATEGIES));
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
