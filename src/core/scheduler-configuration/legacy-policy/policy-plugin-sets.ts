import { EXTENSION_POINTS, type ExtensionPoint } from '../../placement/extension-point.js';
import type { DefaultedPluginSet, PluginsKey, WeightedName } from '../configuration-types.js';
import { pointsOf } from '../plugin-registry.js';

/**
 * The plugin sets of a profile. A plugin that filters or scores is also called at earlier points, if it implements them
 * today. Queue sort, preemption and bind were never predicates or priorities, and scheduling gates are newer.
 */
export function pluginSets(
  filters: readonly string[],
  scores: readonly WeightedName[],
): Readonly<Record<PluginsKey, DefaultedPluginSet>> {
  const at = (point: ExtensionPoint, names: readonly string[]): readonly WeightedName[] =>
    names.filter((name) => pointsOf(name)?.includes(point)).map(unweighted);
  const scored = scores.map(({ name }) => name);
  const enabled = new Map<PluginsKey, readonly WeightedName[]>([
    ['preEnqueue', [unweighted('SchedulingGates')]],
    ['queueSort', [unweighted('PrioritySort')]],
    ['preFilter', at('preFilter', filters)],
    ['filter', filters.map(unweighted)],
    ['postFilter', [unweighted('DefaultPreemption')]],
    ['preScore', at('preScore', scored)],
    ['score', scores],
    ['reserve', at('reserve', filters)],
    ['preBind', at('preBind', filters)],
    ['bind', [unweighted('DefaultBinder')]],
  ]);
  const keys: readonly PluginsKey[] = [...EXTENSION_POINTS, 'multiPoint'];
  const sets = keys.map((key) => [key, { enabled: enabled.get(key), disabled: undefined }]);
  return Object.fromEntries(sets) as Record<PluginsKey, DefaultedPluginSet>;
}

const unweighted = (name: string): WeightedName => ({ name, weight: 0 });
