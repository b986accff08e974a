import { compare } from '../../json/compare.js';
import type { JsonObject } from '../../json/json-value.js';
import { quoteGo } from '../../kubernetes/go-text.js';
import { isArgumentsOwner } from '../../placement/plugin-arguments.js';
import type { ResourceSpec, ShapePoint } from '../../placement/weighted-resources.js';
import { defaultArguments } from '../configuration-defaults.js';
import type { DefaultedProfile, PluginConfig, WeightedName } from '../configuration-types.js';
import type { ConfigurationWarning } from '../configuration-warning.js';
import { pointsOf } from '../plugin-registry.js';
import {
  DEFAULT_PREDICATES,
  DEFAULT_PRIORITIES,
  EQUAL_PRIORITY,
  MANDATORY_PREDICATES,
  PREDICATE_ALIASES,
  PREDICATES,
  PRIORITIES,
  PRIORITY_ALIASES,
  STRATEGY_OF,
  todayOf,
  type PolicyMapping,
} from './policy-mapping.js';
import { pluginSets } from './policy-plugin-sets.js';
import type { Policy, PredicatePolicy, PriorityPolicy } from './policy-types.js';

/** Arguments that are merged from several predicates or priorities of one plugin. */
interface CustomArguments {
  readonly serviceAffinity: { affinityLabels: string[]; antiAffinityLabelsPreference: string[] };
  readonly nodeLabel: {
    presentLabels: string[];
    absentLabels: string[];
    presentLabelsPreference: string[];
    absentLabelsPreference: string[];
  };
  ratio: { readonly shape?: readonly ShapePoint[]; readonly resources?: readonly ResourceSpec[] } | undefined;
}

interface UnknownName extends ConfigurationWarning {
  readonly plugin: string;
}

/** Names in Go's registry for predicates and priorities that are defined by arguments. */
const SERVICE_AFFINITY = 'ServiceAffinity';
const NODE_LABEL = 'NodeLabel';
const CAPACITY_RATIO = 'RequestedToCapacityRatio';
const MADE_OF_ARGUMENTS: ReadonlySet<string> = new Set([SERVICE_AFFINITY, NODE_LABEL, CAPACITY_RATIO]);

/**
 * Translates a Policy to the profile that Kubernetes 1.22 built from it, with today's plugins. A predicate or priority
 * that Kubernetes never had is treated as the plugin of that name.
 *
 * Source: k8s.io/kubernetes v1.22, pkg/scheduler/factory.go, `createFromPolicy`, and
 * pkg/scheduler/framework/plugins/legacy_registry.go.
 */
export class PolicyTranslation {
  readonly mapping: PolicyMapping[] = [];
  readonly unknown: UnknownName[] = [];
  readonly warnings: ConfigurationWarning[] = [
    {
      code: 'PolicyRemoved',
      message: 'the scheduler Policy was removed in Kubernetes 1.23: it is interpreted as in Kubernetes 1.22',
      pointer: '',
    },
  ];
  private readonly custom: CustomArguments = {
    serviceAffinity: { affinityLabels: [], antiAffinityLabelsPreference: [] },
    nodeLabel: { presentLabels: [], absentLabels: [], presentLabelsPreference: [], absentLabelsPreference: [] },
    ratio: undefined,
  };

  constructor(private readonly policy: Policy) {}

  profile(): DefaultedProfile {
    const filters = this.filters();
    const { scores, strategy } = this.scores();
    if (this.policy.alwaysCheckAllPredicates === true) {
      const message = 'alwaysCheckAllPredicates has no effect: every reason against a node is always reported';
      this.warnings.push({ code: 'NotModelled', message, pointer: '/alwaysCheckAllPredicates' });
    }
    for (const warning of this.unknown) this.warnings.push(warning);
    const plugins = pluginSets(filters, scores);
    const enabled = new Set(Object.values(plugins).flatMap((set) => (set.enabled ?? []).map(({ name }) => name)));
    return { schedulerName: 'default-scheduler', plugins, pluginConfig: this.pluginConfig(enabled, strategy) };
  }

  /** The plugins of all predicates in the order in which predicates run, unknown ones last. */
  private filters(): readonly string[] {
    const { predicates } = this.policy;
    const keys = new Set(predicates === undefined ? DEFAULT_PREDICATES : []);
    predicates?.forEach((predicate, index) => {
      const key = this.predicateKey(predicate, `/predicates/${index}`);
      const { name = '' } = predicate;
      this.mapped('predicate', name, key === undefined ? [] : (PREDICATES.get(key) ?? []), `/predicates/${index}`);
      if (key !== undefined) keys.add(key);
    });
    const named = new Set(keys);
    for (const key of MANDATORY_PREDICATES) keys.add(key);
    const ordered = [...PREDICATES].filter(([key]) => keys.has(key));
    for (const [key, plugins] of ordered) {
      if (predicates !== undefined && named.has(key)) continue;
      this.mapping.push({ kind: 'predicate', name: key, given: false, plugins, today: plugins.map(todayOf) });
    }
    const known = ordered.flatMap(([, plugins]) => plugins.map(todayOf));
    const strange = this.unknown.filter(({ code }) => code === 'UnknownPredicate').map(({ plugin }) => plugin);
    return [...new Set([...known, ...strange])];
  }

  /** `ProcessPredicatePolicy`. */
  private predicateKey({ name = '', argument = {} }: PredicatePolicy, pointer: string): string | undefined {
    const key = PREDICATE_ALIASES.get(name) ?? name;
    if (PREDICATES.has(key)) return key;
    const { serviceAffinity, labelsPresence } = argument;
    if (serviceAffinity !== undefined) {
      for (const label of serviceAffinity.labels ?? []) this.custom.serviceAffinity.affinityLabels.push(label);
      return 'CheckServiceAffinity';
    }
    if (labelsPresence !== undefined) {
      const { presentLabels, absentLabels } = this.custom.nodeLabel;
      const list = labelsPresence.presence === true ? presentLabels : absentLabels;
      for (const label of labelsPresence.labels ?? []) list.push(label);
      return 'CheckNodeLabelPresence';
    }
    this.unknownName('predicate', key, pointer);
    return undefined;
  }

  /**
   * The score plugins in the order of 1.22, which is that of the priorities' names. The first weight of a plugin
   * counts.
   */
  private scores(): { readonly scores: readonly WeightedName[]; readonly strategy: string | undefined } {
    const keys = this.priorityKeys();
    const scores = new Map<string, number>();
    let strategy: string | undefined;
    for (const [key, weight] of [...keys].sort(([a], [b]) => compare(a, b))) {
      const plugin = PRIORITIES.get(key) ?? key;
      const as = STRATEGY_OF.get(plugin);
      if (as !== undefined && (strategy === undefined || strategy === as)) strategy = as;
      const today = as !== undefined && as === strategy ? 'NodeResourcesFit' : plugin;
      if (!scores.has(today)) scores.set(today, this.weightOf(key, weight));
    }
    return { scores: [...scores].map(([name, weight]) => ({ name, weight })), strategy };
  }

  private priorityKeys(): ReadonlyMap<string, number> {
    const { priorities } = this.policy;
    if (priorities === undefined) {
      for (const [name, weight] of DEFAULT_PRIORITIES) this.mappedScore(name, weight, PRIORITIES.get(name), false, '');
      return DEFAULT_PRIORITIES;
    }
    const keys = new Map<string, number>();
    priorities.forEach((priority, index) => {
      const { name = '' } = priority;
      const weight = Number(BigInt.asIntN(32, BigInt(priority.weight ?? 0)));
      const pointer = `/priorities/${index}`;
      const key = name === EQUAL_PRIORITY ? undefined : this.priorityKey(priority, pointer);
      const isKnown = key !== undefined && (PRIORITIES.has(key) || MADE_OF_ARGUMENTS.has(key));
      this.mappedScore(name, weight, isKnown ? (PRIORITIES.get(key) ?? key) : undefined, true, pointer);
      if (key !== undefined) keys.set(key, weight);
    });
    return keys;
  }

  /** `ProcessPriorityPolicy`. */
  private priorityKey({ name = '', argument = {} }: PriorityPolicy, pointer: string): string {
    const key = PRIORITY_ALIASES.get(name) ?? name;
    if (PRIORITIES.has(key)) return key;
    const { serviceAntiAffinity, labelPreference, requestedToCapacityRatioArguments: ratio } = argument;
    if (serviceAntiAffinity !== undefined) {
      this.custom.serviceAffinity.antiAffinityLabelsPreference.push(serviceAntiAffinity.label ?? '');
      return SERVICE_AFFINITY;
    }
    if (labelPreference !== undefined) {
      const { presentLabelsPreference, absentLabelsPreference } = this.custom.nodeLabel;
      const list = labelPreference.presence === true ? presentLabelsPreference : absentLabelsPreference;
      list.push(labelPreference.label ?? '');
      return NODE_LABEL;
    }
    if (ratio !== undefined) {
      this.custom.ratio = ratio;
      return CAPACITY_RATIO;
    }
    this.unknownName('priority', key, pointer);
    return key;
  }

  private unknownName(kind: PolicyMapping['kind'], name: string, pointer: string): void {
    const taken = pointsOf(name) === undefined ? '' : ': it is treated as the plugin of that name';
    this.unknown.push({
      code: kind === 'predicate' ? 'UnknownPredicate' : 'UnknownPriority',
      message: `${kind} type not found for ${quoteGo(name)}${taken}`,
      pointer: `${pointer}/name`,
      plugin: name,
    });
  }

  /** The weight of a priority that is defined by arguments is multiplied by the number of its arguments. */
  private weightOf(key: string, weight: number): number {
    const { serviceAffinity, nodeLabel } = this.custom;
    if (key === SERVICE_AFFINITY) return weight * serviceAffinity.antiAffinityLabelsPreference.length;
    if (key !== NODE_LABEL) return weight;
    return weight * (nodeLabel.presentLabelsPreference.length + nodeLabel.absentLabelsPreference.length);
  }

  private mapped(kind: PolicyMapping['kind'], name: string, plugins: readonly string[], pointer: string): void {
    const today = plugins.map(todayOf);
    this.mapping.push({ kind, name, given: true, plugins, today });
    this.replaced(name, plugins, today, pointer);
  }

  private mappedScore(name: string, weight: number, plugin: string | undefined, given: boolean, pointer: string): void {
    const plugins = plugin === undefined ? [] : [plugin];
    const today = plugins.map((one) => (STRATEGY_OF.has(one) ? 'NodeResourcesFit' : one));
    this.mapping.push({ kind: 'priority', name, given, plugins, today, weight });
    this.replaced(name, plugins, today, pointer);
  }

  private replaced(name: string, plugins: readonly string[], today: readonly string[], pointer: string): void {
    plugins.forEach((plugin, index) => {
      const successor = today[index];
      if (successor === undefined || successor === plugin) return;
      const strategy = STRATEGY_OF.get(plugin);
      const how = strategy === undefined ? '' : ` with the scoring strategy ${strategy}`;
      const message = `${name}: ${plugin} was replaced by ${successor}${how}`;
      this.warnings.push({ code: 'PluginReplaced', message, pointer, plugin: successor });
    });
  }

  private pluginConfig(enabled: ReadonlySet<string>, strategy: string | undefined): readonly PluginConfig[] {
    const { serviceAffinity, nodeLabel } = this.custom;
    const known = [...enabled]
      .filter((name) => isArgumentsOwner(name))
      .sort(compare)
      .map((name): PluginConfig => ({ name, known: true, args: defaultArguments(name, this.given(name, strategy)) }));
    const former: readonly PluginConfig[] = [
      { name: NODE_LABEL, known: false, args: nodeLabel },
      { name: SERVICE_AFFINITY, known: false, args: serviceAffinity },
    ];
    return [...known, ...former.filter(({ name }) => enabled.has(name))];
  }

  /** The arguments that the Policy gives to a plugin. */
  private given(plugin: string, strategy: string | undefined): JsonObject {
    const { priorities = [], hardPodAffinitySymmetricWeight: hard = 0 } = this.policy;
    const keys = new Set(
      this.policy.priorities === undefined
        ? DEFAULT_PRIORITIES.keys()
        : priorities.map(({ name = '' }) => PRIORITY_ALIASES.get(name) ?? name),
    );
    switch (plugin) {
      case 'InterPodAffinity':
        return hard !== 0 && keys.has('InterPodAffinityPriority') ? { hardPodAffinityWeight: hard } : {};
      case 'PodTopologySpread':
        // The system's default constraints spread by selectors; without this priority there are none.
        return !keys.has('SelectorSpreadPriority') && keys.has('EvenPodsSpreadPriority')
          ? { defaultingType: 'List' }
          : {};
      case 'NodeResourcesFit':
        return strategy === undefined ? {} : { scoringStrategy: this.strategy(strategy) };
      default:
        return {};
    }
  }

  private strategy(type: string): JsonObject {
    const { ratio } = this.custom;
    if (type !== CAPACITY_RATIO || ratio === undefined) return { type };
    const { shape = [], resources = [] } = ratio;
    const strategy = { type, resources, requestedToCapacityRatio: { shape } };
    return strategy as unknown as JsonObject;
  }
}
