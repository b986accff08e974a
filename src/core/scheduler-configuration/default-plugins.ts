import { EXTENSION_POINTS } from '../placement/extension-point.js';
import { IN_TREE_PLUGINS } from '../placement/plugins/in-tree-plugins.js';
import type { DefaultedPluginSet, PluginSet, PluginsKey, WeightedName, WrittenProfile } from './configuration-types.js';

/** The plugins that every profile starts with, in calling order, with their weights (0: unset). */
export const DEFAULT_PLUGINS: readonly WeightedName[] = IN_TREE_PLUGINS.flatMap(
  ({ name, defaultWeight: weight = 0, disabledByDefault }) => (disabledByDefault === true ? [] : [{ name, weight }]),
);

const PLUGINS_KEYS: readonly PluginsKey[] = [...EXTENSION_POINTS, 'multiPoint'];

/** Disables everything at its point. */
export const ALL = '*';

const nameOf = ({ name = '', weight = 0 }: { readonly name?: string; readonly weight?: number }): WeightedName => ({
  name,
  weight,
});

/** `mergePlugins`: the defaults, which are all in `multiPoint`, merged with those of a profile. */
export function mergePlugins(custom: WrittenProfile['plugins']): Readonly<Record<PluginsKey, DefaultedPluginSet>> {
  const merged = PLUGINS_KEYS.map((point): [PluginsKey, DefaultedPluginSet] => {
    const defaults = point === 'multiPoint' ? DEFAULT_PLUGINS : [];
    if (custom === undefined) return [point, { enabled: orNil(defaults), disabled: undefined }];
    return [point, mergePluginSet(defaults, custom[point] ?? {})];
  });
  return Object.fromEntries(merged) as Record<PluginsKey, DefaultedPluginSet>;
}

/**
 * `mergePluginSet`: defaults that are not disabled keep their position, with the profile's settings; other enabled
 * plugins follow. A plugin that is both disabled and enabled runs last.
 */
function mergePluginSet(
  defaults: readonly WeightedName[],
  { enabled = [], disabled = [] }: PluginSet,
): DefaultedPluginSet {
  const custom = enabled.map(nameOf);
  const off = new Set(disabled.map(({ name = '' }) => name));
  // If a plugin is enabled twice the last entry counts, as in upstream's map.
  const indexes = new Map(custom.map(({ name }, index) => [name, index]));
  const replacing = new Set<number>();
  const kept = off.has(ALL)
    ? []
    : defaults.flatMap((plugin) => {
        if (off.has(plugin.name)) return [];
        const index = indexes.get(plugin.name);
        if (index === undefined) return [plugin];
        replacing.add(index);
        return [custom[index] ?? plugin];
      });
  return {
    enabled: orNil([...kept, ...custom.filter((_, index) => !replacing.has(index))]),
    disabled: orNil(disabled.map(({ name = '' }) => ({ name, weight: 0 }))),
  };
}

const orNil = <T>(list: readonly T[]): readonly T[] | undefined => (list.length === 0 ? undefined : list);
